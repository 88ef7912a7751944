/* Feeds text to every option that the library reads: the first line names a scheme, each further line is one parameter,
 * name=value. What is accepted must work: its parameters read back to the same plan, which writes the same rows.
 * What is refused must say why, and nothing may be left allocated. A broken promise aborts, as a sanitizer does. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "meter.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { MOST_LINES = 48, MOST_TEXT = 4096, MOST_LIST = 25 * MOST_TEXT, MOST_BLOCK = 8 << 20 };

/* Cuts the text into a scheme and parameters, in place. */
static size_t cut(char *text, posenc_parameter *parameters) {
    size_t n = 0;
    char *line = strchr(text, '\n');
    while (line && n < MOST_LINES) {
        *line++ = '\0';
        char *next = strchr(line, '\n'), *value = strchr(line, '=');
        if (next && value && value > next) value = NULL;
        if (value) *value = '\0';
        parameters[n++] = (posenc_parameter){line, value ? value + 1 : ""};
        line = next;
    }
    return n;
}

static posenc_plan *made_again(const posenc_context *context, const posenc_plan *plan) {
    const posenc_scheme_info *info = posenc_scheme_find(posenc_plan_scheme(plan));
    static char texts[MOST_LINES][MOST_LIST];
    posenc_parameter parameters[MOST_LINES];
    must(info->n_parameters <= MOST_LINES);
    for (size_t i = 0; i < info->n_parameters; i++) {
        must(posenc_plan_parameter(plan, info->parameters[i].name, texts[i], sizeof texts[i]) == POSENC_OK);
        parameters[i] = (posenc_parameter){info->parameters[i].name, texts[i]};
    }
    posenc_plan *again = NULL;
    must(posenc_plan_create(context, info->name, parameters, info->n_parameters, &again, NULL) == POSENC_OK);
    return again;
}

static void must_write_the_same(const posenc_plan *a, const posenc_plan *b) {
    size_t bytes = 3 * (size_t)posenc_plan_dim(a) * sizeof(float);
    float *first = malloc(bytes), *second = malloc(bytes);
    must(first && second && posenc_plan_dim(a) == posenc_plan_dim(b));
    for (int64_t start = -1; start <= 0; start++) { /* a learned table has no row -1, and may have just one */
        int64_t rows = start < 0 ? 3 : 1;
        posenc_status status = posenc_plan_write_f32(a, start, rows, first);
        must(status == POSENC_OK || status == POSENC_ERROR_MEMORY || (start < 0 && status == POSENC_ERROR_POSITION));
        if (status != POSENC_OK) continue;
        must(posenc_plan_write_f32(b, start, rows, second) == POSENC_OK);
        must(memcmp(first, second, (size_t)rows * (bytes / 3)) == 0);
    }
    free(first);
    free(second);
}

/* Frequencies, axes and facts, at the plan's own length and at one that a call might give. */
static void must_turn_the_same(const posenc_plan *a, const posenc_plan *b) {
    size_t n = (size_t)posenc_plan_dim(a) / 2;
    double *first = malloc(n * sizeof *first), *second = malloc(n * sizeof *second);
    must(first && second && posenc_plan_dim(a) == posenc_plan_dim(b));
    for (int64_t length = 0; length <= 100000; length += 100000) {
        posenc_rotary_info x = {.size = sizeof x}, y = {.size = sizeof y};
        posenc_status status = posenc_rotary_describe(a, length, &x, first, NULL, NULL);
        must(status == POSENC_OK || status == POSENC_ERROR_MEMORY || (length > 0 && status == POSENC_ERROR_ARGUMENT));
        if (status != POSENC_OK) continue;
        must(posenc_rotary_describe(b, length, &y, second, NULL, NULL) == POSENC_OK);
        must(x.axes == y.axes && x.amplitude == y.amplitude && x.softmax_factor == y.softmax_factor);
        must(x.kept == y.kept && x.blended == y.blended && x.divided == y.divided);
        must(memcmp(first, second, n * sizeof *first) == 0);
    }
    free(first);
    free(second);
}

/* Of a scheme that biases scores: its slow values, and where it has them, its buckets and its bias of some distances.
 */
static void must_bias_the_same(const posenc_plan *a, const posenc_plan *b) {
    static const int64_t distances[] = {0, 1, -1, 7, -90, 1000, -100000, INT64_MAX, INT64_MIN};
    int64_t last = posenc_plan_dim(a) - 1;
    must(last == posenc_plan_dim(b) - 1);
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        double x = 0, y = 0, distance = (double)distances[i];
        int64_t m = 0, n = 0;
        must(posenc_plan_equation(a, distance, last, &x) == posenc_plan_equation(b, distance, last, &y) && x == y);
        must(posenc_bias_bucket(a, distances[i], &m, NULL) == posenc_bias_bucket(b, distances[i], &n, NULL) && m == n);
    }
    float first[5], second[5];
    posenc_view view;
    posenc_bias_extent e;
    posenc_bias_extent_default(&e, sizeof e);
    e.queries = 2, e.keys = 4, e.offset = -1, e.n_heads = 1, e.first_head = last;
    posenc_status status =
        posenc_bias_vector(a, &e, NULL, posenc_view_make(&view, first, POSENC_F32, 2, (int64_t[]){1, 5}, NULL), NULL);
    if (status != POSENC_OK) return; /* a scheme that needs a table, or has no vector */
    must(posenc_bias_vector(b, &e, NULL, posenc_view_make(&view, second, POSENC_F32, 2, (int64_t[]){1, 5}, NULL),
                            NULL) == POSENC_OK);
    must(memcmp(first, second, sizeof first) == 0);
}

/* Of a scheme that relates vectors: its slow values, and that it has no rows. */
static void must_relate_the_same(const posenc_plan *a, const posenc_plan *b) {
    static const double distances[] = {0, 1, -1, 7, -90, 1e6, -0x1p63};
    int64_t last = posenc_plan_dim(a) - 1;
    must(last == posenc_plan_dim(b) - 1);
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        double x = 0, y = 0;
        must(posenc_plan_equation(a, distances[i], last, &x) == POSENC_OK);
        must(posenc_plan_equation(b, distances[i], last, &y) == POSENC_OK && x == y);
    }
    float none = 7;
    must(posenc_plan_write_f32(a, 0, 1, &none) == POSENC_ERROR_UNSUPPORTED && none == 7);
}

static void try_plan(const posenc_context *context, const char *scheme, const posenc_parameter *parameters, size_t n) {
    posenc_error error = {.offset = -1};
    posenc_plan *plan = NULL;
    posenc_status status = posenc_plan_create(context, scheme, parameters, n, &plan, &error);
    must((status == POSENC_OK) == (plan != NULL));
    must(status == POSENC_OK || (error.status == status && strlen(error.message) > 0));
    if (!plan) return;
    posenc_plan *again = made_again(context, plan);
    switch (posenc_scheme_find(posenc_plan_scheme(plan))->effect) {
        case POSENC_EFFECT_ROTATES_PAIRS:
            must_turn_the_same(plan, again);
            break;
        case POSENC_EFFECT_BIASES_SCORES:
            must_bias_the_same(plan, again);
            break;
        case POSENC_EFFECT_RELATES_VECTORS:
            must_relate_the_same(plan, again);
            break;
        default:
            must_write_the_same(plan, again);
            break;
    }
    posenc_plan_destroy(again);
    posenc_plan_destroy(plan);
}

/* The other names that are read. */
static void try_names(const char *name) {
    posenc_dtype dtype = POSENC_DTYPE_COUNT;
    must((posenc_dtype_parse(name, &dtype) == POSENC_OK) == (dtype != POSENC_DTYPE_COUNT));
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    options.isa = name;
    posenc_context *context = NULL;
    must((posenc_context_create(&options, &context, NULL) == POSENC_OK) == (context != NULL));
    posenc_context_destroy(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    static char text[MOST_TEXT + 1];
    posenc_parameter parameters[MOST_LINES];
    if (n > MOST_TEXT) return 0;
    memcpy(text, bytes, n);
    text[n] = '\0';
    size_t n_parameters = cut(text, parameters);

    /* no large blocks: a wide plan is refused for want of memory */
    meter m = {.most = MOST_BLOCK};
    posenc_context *context = meter_context(&m);
    try_plan(context, text, parameters, n_parameters);
    try_names(text);
    posenc_context_destroy(context);
    must(m.live == 0);
    return 0;
}
