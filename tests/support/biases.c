#include "support/biases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/number.h"
#include "support/tensors.h"
#include "support/test.h"

posenc_plan *must_bias_plan(const posenc_context *context, const char *scheme, const char *const *settings) {
    posenc_parameter parameters[8];
    char names[8][32];
    size_t n = 0;
    for (; settings[n]; n++) {
        const char *mark = strchr(settings[n], '=');
        snprintf(names[n], sizeof names[n], "%.*s", (int)(mark - settings[n]), settings[n]);
        parameters[n] = (posenc_parameter){names[n], mark + 1};
    }
    posenc_plan *plan = NULL;
    posenc_error error = {.message = ""};
    posenc_status status = posenc_plan_create(context, scheme, parameters, n, &plan, &error);
    check(status == POSENC_OK, "%s: %s", scheme, error.message);
    return plan;
}

static int64_t integer_of(const posenc_plan *plan, const char *name) {
    char text[64] = "0";
    posenc_plan_parameter(plan, name, text, sizeof text);
    return strtoll(text, NULL, 10);
}

static bool says(const posenc_plan *plan, const char *name, const char *value) {
    char text[64] = "";
    posenc_plan_parameter(plan, name, text, sizeof text);
    return strcmp(text, value) == 0;
}

/* Distance 1 with form causal shows a slope as it is. */
static double *slopes_of(const posenc_plan *plan, int64_t heads) {
    static const char *const names[] = {"heads", "slope-rule", "slopes", "head-start", "all-heads"};
    char texts[5][2048];
    posenc_parameter parameters[5];
    for (int i = 0; i < 5; i++) {
        assert_int_equal(posenc_plan_parameter(plan, names[i], texts[i], sizeof texts[i]), POSENC_OK);
        parameters[i] = (posenc_parameter){names[i], texts[i]};
    }
    posenc_plan *causal = NULL;
    assert_int_equal(posenc_plan_create(NULL, "alibi", parameters, 5, &causal, NULL), POSENC_OK);
    double *slopes = must_allocate((size_t)heads * sizeof *slopes);
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = extent.keys = 1, extent.offset = -1;
    posenc_view view;
    DLTensor *vector = posenc_view_make(&view, slopes, POSENC_F64, 2, (int64_t[]){heads, 1}, NULL);
    assert_int_equal(posenc_bias_vector(causal, &extent, NULL, vector, NULL), POSENC_OK);
    posenc_plan_destroy(causal);
    return slopes;
}

bias_facts bias_facts_of(const posenc_plan *plan) {
    bias_facts f = {.plan = plan, .heads = integer_of(plan, "heads")};
    const char *scheme = posenc_plan_scheme(plan);
    if (strcmp(scheme, "alibi") == 0) {
        f.key_form = says(plan, "form", "key");
        f.symmetric = says(plan, "form", "symmetric");
        f.causal = !f.symmetric;
        f.slopes = slopes_of(plan, f.heads);
    } else if (strcmp(scheme, "t5") == 0) {
        f.table_rows = integer_of(plan, "buckets");
        f.causal = says(plan, "bidirectional", "false");
    } else if (strcmp(scheme, "swin") == 0) {
        int64_t height = integer_of(plan, "window-height"), width = integer_of(plan, "window-width");
        f.tokens = height * width;
        f.table_rows = (2 * height - 1) * (2 * width - 1);
    } else {
        f.heads = 1;
    }
    return f;
}

void bias_facts_end(bias_facts *facts) {
    free(facts->slopes);
    facts->slopes = NULL;
}

int64_t bias_row(const bias_facts *f, int64_t position, int64_t key) {
    double row = nan("");
    bool window = f->tokens > 0;
    posenc_status status =
        posenc_plan_equation(f->plan, (double)(window ? position : key - position), window ? key : 0, &row);
    check(status == POSENC_OK, "equation at %lld, %lld", (long long)position, (long long)key);
    return (int64_t)row;
}

double bias_value(const bias_facts *f, const double *table, double scale, int64_t head, int64_t position, int64_t key) {
    if (f->table_rows > 0) return table[bias_row(f, position, key) * f->heads + head] * scale;
    volatile double slope = f->slopes[head] * scale;
    double distance = (double)(f->key_form ? key : key - position);
    if (f->symmetric) distance = -fabs(distance);
    return slope * distance + 0.0;
}

/* ---- random calls ---- */

static posenc_plan *random_alibi(const posenc_context *context, random_state *random, char texts[6][64]) {
    static const char *const forms[] = {"causal", "key", "symmetric"}, *const rules[] = {"published", "geometric"};
    int64_t heads = random_between(random, 1, 5), start = random_between(random, 0, 3);
    snprintf(texts[0], 64, "heads=%lld", (long long)heads);
    snprintf(texts[1], 64, "form=%s", forms[random_between(random, 0, 2)]);
    snprintf(texts[2], 64, "slope-rule=%s", rules[random_between(random, 0, 1)]);
    snprintf(texts[3], 64, "head-start=%lld", (long long)start);
    snprintf(texts[4], 64, "all-heads=%lld", (long long)(start + heads + random_between(random, 0, 3)));
    const char *settings[] = {texts[0], texts[1], texts[2], texts[3], texts[4], NULL};
    return must_bias_plan(context, "alibi", settings);
}

static posenc_plan *random_t5(const posenc_context *context, random_state *random, char texts[6][64]) {
    bool both = random_between(random, 0, 1);
    int64_t buckets = both ? 2 * random_between(random, 2, 20) : random_between(random, 2, 40);
    snprintf(texts[0], 64, "heads=%lld", (long long)random_between(random, 1, 5));
    snprintf(texts[1], 64, "buckets=%lld", (long long)buckets);
    snprintf(texts[2], 64, "max-distance=%lld", (long long)random_between(random, buckets, 200));
    snprintf(texts[3], 64, "bidirectional=%s", both ? "true" : "false");
    const char *settings[] = {texts[0], texts[1], texts[2], texts[3], NULL};
    return must_bias_plan(context, "t5", settings);
}

static posenc_plan *random_swin(const posenc_context *context, random_state *random, char texts[6][64]) {
    snprintf(texts[0], 64, "heads=%lld", (long long)random_between(random, 1, 4));
    snprintf(texts[1], 64, "window-height=%lld", (long long)random_between(random, 1, 6));
    snprintf(texts[2], 64, "window-width=%lld", (long long)random_between(random, 1, 9));
    const char *settings[] = {texts[0], texts[1], texts[2], NULL};
    return must_bias_plan(context, "swin", settings);
}

static void make_table(bias_call *c, random_state *random) {
    int64_t n = c->facts.table_rows * c->facts.heads;
    if (n == 0) return;
    c->table_dtype = encoding_dtypes[random_between(random, 0, 3)];
    size_t bytes = posenc_dtype_bytes(c->table_dtype);
    c->table_memory = must_allocate((size_t)n * bytes);
    c->table = must_allocate((size_t)n * sizeof *c->table);
    random_fill(random, c->table_dtype, c->table_memory, n);
    for (int64_t i = 0; i < n; i++)
        c->table[i] =
            number_decode(c->table_dtype, number_load(c->table_dtype, (char *)c->table_memory + (size_t)i * bytes));
    const int64_t shape[] = {c->facts.table_rows, c->facts.heads};
    c->table_tensor = posenc_view_make(&c->table_view, c->table_memory, c->table_dtype, 2, shape, NULL);
}

/* Small ones, none at all, and now and then enough for several tiles. */
static int64_t random_tokens(random_state *random) {
    int64_t kind = random_between(random, 0, 19);
    if (kind == 0) return 0;
    if (kind == 1) return random_between(random, 250, 600);
    return random_between(random, 1, 40);
}

static void random_block(random_state *random, int64_t all, int64_t *first, int64_t *n, int64_t *n_given) {
    *first = 0, *n = all, *n_given = -1;
    if (random_between(random, 0, 1)) return;
    *first = random_between(random, 0, all);
    *n = *n_given = random_between(random, 0, all - *first);
}

static void random_masks(bias_call *c, random_state *random) {
    int64_t kind = random_between(random, 0, 3);
    c->options.causal = (int)random_between(random, 0, 1);
    if (kind == 1) {
        c->offsets = must_allocate((size_t)(c->batch + 1) * sizeof *c->offsets);
        for (int64_t b = 0; b < c->batch; b++) c->offsets[b] = random_between(random, -20, 300);
        c->options.offsets = posenc_view_make(&c->offsets_view, c->offsets, POSENC_I64, 1, &c->batch, NULL);
    }
    if (kind != 2) return;
    int64_t all = c->extent.queries, n = random_between(random, 1, 6), shape = n + 1;
    c->batch = 1;
    c->extent.keys = all;
    c->lengths = must_allocate((size_t)shape * sizeof *c->lengths);
    c->lengths[0] = 0, c->lengths[n] = all;
    for (int64_t i = 1; i < n; i++) c->lengths[i] = random_between(random, c->lengths[i - 1], all);
    c->options.cu_seqlens = posenc_view_make(&c->lengths_view, c->lengths, POSENC_I64, 1, &shape, NULL);
}

void bias_call_make(bias_call *c, const posenc_context *context, random_state *random, bool masks) {
    static posenc_plan *(*const makers[])(const posenc_context *, random_state *, char[6][64]) = {
        random_alibi, random_t5, random_swin};
    char texts[6][64];
    *c = (bias_call){.batch = random_between(random, 1, 3)};
    c->plan = makers[random_between(random, 0, 2)](context, random, texts);
    c->facts = bias_facts_of(c->plan);
    make_table(c, random);
    posenc_bias_extent_default(&c->extent, sizeof c->extent);
    posenc_bias_options_default(&c->options, sizeof c->options);
    bool window = c->facts.tokens > 0;
    c->extent.queries = window ? c->facts.tokens : random_tokens(random);
    c->extent.keys = window ? c->facts.tokens : random_tokens(random);
    if (!window && random_between(random, 0, 99) == 0) c->extent.keys += 4096;
    if (!window && random_between(random, 0, 1)) c->extent.offset = random_between(random, -100, 100);
    if (masks) c->options.scale = random_between(random, 0, 1) ? 1 : 0.3;
    if (masks && !window) random_masks(c, random);
    random_block(random, c->extent.queries, &c->first_query, &c->n_queries, &c->extent.n_queries);
    random_block(random, c->extent.keys, &c->first_key, &c->n_keys, &c->extent.n_keys);
    c->extent.first_query = c->first_query, c->extent.first_key = c->first_key;
}

void bias_call_end(bias_call *c) {
    posenc_plan_destroy(c->plan);
    bias_facts_end(&c->facts);
    free(c->table_memory);
    free(c->table);
    free(c->offsets);
    free(c->lengths);
}

bool bias_call_sees(const bias_call *c, int64_t batch, int64_t i, int64_t j, int64_t *position, int64_t *key) {
    int64_t query = c->first_query + i, offset = c->extent.offset;
    if (offset == POSENC_BIAS_OFFSET_AUTO) offset = c->facts.causal ? c->extent.keys - c->extent.queries : 0;
    if (c->offsets) offset = c->offsets[batch];
    *key = c->first_key + j;
    bool sees = true;
    for (int64_t s = 0; c->lengths && s + 1 < c->lengths_view.tensor.shape[0]; s++) {
        int64_t begin = c->lengths[s], end = c->lengths[s + 1];
        if (query < begin || query >= end) continue;
        sees = *key >= begin && *key < end;
        query -= begin;
        *key -= begin;
        break;
    }
    *position = query + offset;
    return sees && !(c->options.causal && *key > *position);
}

const char *bias_call_text(const bias_call *c) {
    static char text[300];
    snprintf(text, sizeof text,
             "%s heads %lld queries %lld (%lld + %lld) keys %lld (%lld + %lld) offset %lld%s%s%s batch "
             "%lld",
             posenc_plan_scheme(c->plan), (long long)c->facts.heads, (long long)c->extent.queries,
             (long long)c->first_query, (long long)c->n_queries, (long long)c->extent.keys, (long long)c->first_key,
             (long long)c->n_keys, (long long)c->extent.offset, c->options.causal ? " causal" : "",
             c->offsets ? " offsets" : "", c->lengths ? " packed" : "", (long long)c->batch);
    return text;
}
