/* Sequences of different lengths, for every additive scheme that is listed and every way it may be set: padding masks
 * left and right, packed sequences, an offset for each sequence, position ids. Forward, backward and the gradients of
 * the gain and of a learned table, beside a loop over tokens one by one. A new scheme is covered by being listed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/isa.h"
#include "support/number.h"
#include "support/philox.h"
#include "support/strided.h"
#include "support/test.h"

enum { DIM = 48, BATCH = 4, TOKENS = 11, PLACES = BATCH * TOKENS, ROWS = 24, MOST_PARAMETERS = 16, N = PLACES * DIM };

/* ---- a scheme as it can be made ---- */

typedef struct way {
    const posenc_scheme_info *info;
    posenc_parameter parameters[MOST_PARAMETERS];
    size_t n;
} way;

/* What stands for a parameter that has no default, by its kind. Grids have ROWS cells. */
static const char *const required[][4] = {[POSENC_PARAMETER_INTEGER] = {"48"},
                                          [POSENC_PARAMETER_REAL] = {"1"},
                                          [POSENC_PARAMETER_CHOICE] = {NULL},
                                          [POSENC_PARAMETER_FLAG] = {"true"},
                                          [POSENC_PARAMETER_EXTENTS] = {"4x6", "2x3x4", "24"}};
enum { KINDS = sizeof required / sizeof *required };

static const char *value_of(const posenc_parameter_info *p, int try) {
    if (p->kind == POSENC_PARAMETER_CHOICE) return p->choices[0];
    if ((int)p->kind < 1 || (int)p->kind >= KINDS) return NULL;
    const char *const *values = required[p->kind];
    return try < 4 && values[try] ? values[try] : values[0];
}

/* The scheme with all that it requires, and no longer a table than positions here need. */
static way way_of(const posenc_scheme_info *info, int try) {
    way w = {.info = info};
    for (size_t i = 0; i < info->n_parameters; i++) {
        const posenc_parameter_info *p = &info->parameters[i];
        bool long_table = p->default_text && strcmp(p->name, "max-len") == 0 && atoll(p->default_text) > 2 * ROWS;
        if (p->default_text && !long_table) continue;
        const char *value = long_table ? "40" : value_of(p, try);
        check(value && w.n < MOST_PARAMETERS, "%s: no value is known for %s", info->name, p->name);
        w.parameters[w.n++] = (posenc_parameter){p->name, value};
    }
    return w;
}

static posenc_status try_create(const way *w, const posenc_context *context, const posenc_encoder_options *o,
                                posenc_encoder **out, posenc_error *error) {
    return posenc_encoder_create(context, w->info->name, w->parameters, w->n, o, out, error);
}

static way servable_way(const posenc_scheme_info *info) {
    posenc_error error = {0};
    for (int try = 0; try < 4; try++) {
        way w = way_of(info, try);
        posenc_encoder *encoder = NULL;
        posenc_status status = try_create(&w, NULL, NULL, &encoder, &error);
        posenc_encoder_destroy(encoder);
        if (status == POSENC_OK) return w;
    }
    check(false, "%s cannot be made here: %s", info->name, error.message);
    return (way){.info = info};
}

/* ---- one call ---- */

typedef enum form { LEFT_PADDED, RIGHT_PADDED, PACKED, OFFSETS, IDS, FORMS } form;
static const char *const form_names[] = {"left-padded", "right-padded", "packed", "offsets", "ids"};

typedef struct call {
    const way *way;
    form form;
    posenc_dtype dtype;
    int64_t batch, tokens;
    posenc_encoder *encoder;
    posenc_step step;
    posenc_positions positions;
    posenc_view view;
    token_place places[PLACES];
    int64_t ids[PLACES], offsets[BATCH];
    int32_t lengths[6];
    unsigned char mask[PLACES];
} call;

static const char *text_of(const call *c) {
    static char text[400];
    const posenc_encoder_options *o = posenc_encoder_options_of(c->encoder);
    size_t n = (size_t)snprintf(text, sizeof text, "%s", c->way->info->name);
    for (size_t i = 0; i < c->way->n; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, " --%s %s", c->way->parameters[i].name,
                              c->way->parameters[i].text);
    snprintf(text + n, sizeof text - n, ", %s, %s, dropout %g, scale %g, gain %g, padding_idx %d", form_names[c->form],
             posenc_dtype_name(c->dtype), o->dropout, o->scale, o->gain, (int)o->padding_idx);
    return text;
}

/* Masks: real tokens count from the row's start, past the padding row. */
static void mask_row(call *c, random_state *random, int64_t b, int64_t padding_idx) {
    int64_t length = random_between(random, 0, c->tokens), first = c->form == LEFT_PADDED ? c->tokens - length : 0;
    for (int64_t t = 0; t < c->tokens; t++) {
        bool real = t >= first && t < first + length;
        c->mask[b * c->tokens + t] = real;
        c->places[b * c->tokens + t] = (token_place){real, t - first + (padding_idx + 1)};
    }
}

/* Three sequences, of which one may be empty. */
static void pack(call *c, random_state *random) {
    int64_t a = random_between(random, 0, c->tokens), b = random_between(random, a, c->tokens);
    c->lengths[1] = (int32_t)a, c->lengths[2] = (int32_t)b, c->lengths[3] = (int32_t)c->tokens;
    for (int64_t t = 0; t < c->tokens; t++) c->places[t] = (token_place){true, t < a ? t : t < b ? t - a : t - b};
}

static void place_tokens(call *c, random_state *random) {
    int64_t padding_idx = posenc_encoder_options_of(c->encoder)->padding_idx;
    const int64_t shape[] = {c->batch, c->tokens};
    c->positions = positions_from(0);
    if (c->form == PACKED) pack(c, random);
    for (int64_t b = 0; b < c->batch; b++) {
        c->offsets[b] = random_between(random, 0, ROWS - TOKENS);
        if (c->form == LEFT_PADDED || c->form == RIGHT_PADDED) mask_row(c, random, b, padding_idx);
        for (int64_t i = b * c->tokens; i < (b + 1) * c->tokens; i++) {
            c->ids[i] = random_between(random, 0, ROWS - 1);
            if (c->form == OFFSETS) c->places[i] = (token_place){true, c->offsets[b] + i - b * c->tokens};
            if (c->form == IDS) c->places[i] = (token_place){c->ids[i] != padding_idx, c->ids[i]};
        }
    }
    if (c->form == LEFT_PADDED || c->form == RIGHT_PADDED)
        c->positions.mask = posenc_view_make(&c->view, c->mask, POSENC_BOOL, 2, shape, NULL);
    if (c->form == PACKED)
        c->positions.cu_seqlens = posenc_view_make(&c->view, c->lengths, POSENC_I32, 1, (int64_t[]){4}, NULL);
    if (c->form == OFFSETS) c->positions.offsets = posenc_view_make(&c->view, c->offsets, POSENC_I64, 1, shape, NULL);
    if (c->form == IDS) c->positions.ids = posenc_view_make(&c->view, c->ids, POSENC_I64, 2, shape, NULL);
}

/* ---- the slow way ---- */

static posenc_dtype e_dtype(const call *c) { return c->dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32; }

/* A learned row of padding_idx adds nothing, and neither does an id of it; other forms may stand on that row. */
static bool reads(const call *c, int64_t i) {
    const posenc_encoder_options *o = posenc_encoder_options_of(c->encoder);
    bool learns = strcmp(c->way->info->name, "learned") == 0;
    return c->places[i].real && !(learns && c->places[i].position == o->padding_idx);
}

/* The row of one token by itself. */
static void row_of(const call *c, int64_t i, void *row) {
    posenc_view view;
    posenc_error error = {0};
    posenc_positions at = positions_from(c->places[i].position);
    DLTensor *out = posenc_view_make(&view, row, e_dtype(c), 2, (int64_t[]){1, DIM}, NULL);
    check(posenc_plan_write(posenc_encoder_plan(c->encoder), &at, out, &error) == POSENC_OK, "%s", error.message);
}

static double gain_of(const call *c) {
    double gain = posenc_encoder_options_of(c->encoder)->gain;
    return c->dtype == POSENC_F64 ? gain : (double)(float)gain;
}

/* Bits of gain * E at a channel; of -0 where nothing is added. */
static uint64_t scaled_bits(const call *c, int64_t i, const void *row, int64_t k) {
    if (!reads(c, i)) return number_with_sign(e_dtype(c), 0, true);
    uint64_t e = number_load(e_dtype(c), (const char *)row + (size_t)k * posenc_dtype_bytes(e_dtype(c)));
    volatile double product = number_decode(e_dtype(c), e) * gain_of(c);
    return number_encode(e_dtype(c), product);
}

static bool kept(const call *c, int64_t element) {
    double p = posenc_encoder_options_of(c->encoder)->dropout;
    return p <= 0 || philox_keeps(c->step.seed, c->step.stream, c->step.first_element + (uint64_t)element, p);
}

static double growth(const call *c) { return 1 / (1 - posenc_encoder_options_of(c->encoder)->dropout); }

/* dropout(fma(x, scale, e)) of one element. */
static uint64_t want_of(const call *c, uint64_t x, double scale, uint64_t e, int64_t element, double factor) {
    double p = posenc_encoder_options_of(c->encoder)->dropout;
    if (p <= 0) return number_fused(c->dtype, x, scale, e);
    return drop_slowly(c->dtype, x, scale, e, &c->step, (uint64_t)element, p, factor);
}

/* ---- checks ---- */

static void check_forward(const call *c, const void *x, const void *y) {
    size_t bytes = posenc_dtype_bytes(c->dtype);
    double row[DIM], scale = posenc_encoder_options_of(c->encoder)->scale;
    for (int64_t i = 0; i < c->batch * c->tokens; i++) {
        if (c->places[i].real) row_of(c, i, row);
        for (int64_t k = 0; k < DIM; k++) {
            size_t at = (size_t)(i * DIM + k) * bytes;
            uint64_t want = want_of(c, number_load(c->dtype, (const char *)x + at), scale, scaled_bits(c, i, row, k),
                                    i * DIM + k, growth(c));
            check(number_same(c->dtype, want, number_load(c->dtype, (const char *)y + at)),
                  "%s: token %" PRId64 " channel %" PRId64, text_of(c), i, k);
        }
    }
}

static void check_backward(const call *c, const void *dy) {
    size_t bytes = posenc_dtype_bytes(c->dtype);
    const posenc_encoder_options *o = posenc_encoder_options_of(c->encoder);
    uint64_t nothing = number_with_sign(e_dtype(c), 0, true);
    double scale = o->dropout > 0 ? 1 : o->scale;
    char *dx = must_allocate(N * 8);
    must_backward(c->encoder, &c->step, c->dtype, c->batch, c->tokens, dy, dx);
    for (int64_t i = 0; i < c->batch * c->tokens * DIM; i++) {
        uint64_t want = want_of(c, number_load(c->dtype, (const char *)dy + (size_t)i * bytes), scale, nothing, i,
                                o->scale / (1 - o->dropout));
        check(number_same(c->dtype, want, number_load(c->dtype, dx + (size_t)i * bytes)), "%s: dx %" PRId64, text_of(c),
              i);
    }
    free(dx);
}

static double element(const call *c, const void *dy, int64_t i) {
    return number_decode(c->dtype, number_load(c->dtype, (const char *)dy + (size_t)i * posenc_dtype_bytes(c->dtype)));
}

static void check_gain(const call *c, const DLTensor *tdy, const void *dy) {
    double row[DIM], got = (double)NAN;
    long double want = 0, size = 0;
    for (int64_t i = 0; i < c->batch * c->tokens; i++) {
        if (!reads(c, i)) continue;
        row_of(c, i, row);
        for (int64_t k = 0; k < DIM; k++) {
            uint64_t e = number_load(e_dtype(c), (char *)row + (size_t)k * posenc_dtype_bytes(e_dtype(c)));
            long double part = (long double)element(c, dy, i * DIM + k) * (long double)number_decode(e_dtype(c), e);
            if (kept(c, i * DIM + k)) want += part, size += fabsl(part);
        }
    }
    posenc_error error = {0};
    posenc_status status = posenc_encoder_backward_gain(c->encoder, &c->positions, &c->step, tdy, &got, &error);
    check(status == POSENC_OK, "%s: %s", text_of(c), error.message);
    want *= (long double)growth(c), size *= (long double)growth(c);
    check(fabsl(want - (long double)got) <= 1e-13L * size, "%s: dgain: expected %.17Lg, got %.17g", text_of(c), want,
          got);
}

/* Sums in double in the order of tokens, the factor last. */
static void check_table(const call *c, const DLTensor *tdy, const void *dy, int64_t rows) {
    posenc_view view;
    posenc_error error = {0};
    posenc_dtype type = e_dtype(c);
    double *sums = calloc((size_t)(rows * DIM), sizeof *sums);
    char *got = must_allocate((size_t)(rows * DIM) * 8);
    assert_non_null(sums);
    DLTensor *dtable = posenc_view_make(&view, got, type, 2, (int64_t[]){rows, DIM}, NULL);
    for (int64_t i = 0; i < c->batch * c->tokens * DIM; i++)
        if (reads(c, i / DIM) && kept(c, i)) sums[c->places[i / DIM].position * DIM + i % DIM] += element(c, dy, i);
    posenc_status status = posenc_encoder_backward_table(c->encoder, &c->positions, &c->step, tdy, dtable, 0, &error);
    check(status == POSENC_OK, "%s: %s", text_of(c), error.message);
    for (int64_t i = 0; i < rows * DIM; i++) {
        volatile double factor = growth(c) * gain_of(c), want = sums[i] * factor;
        uint64_t bits = number_load(type, got + (size_t)i * posenc_dtype_bytes(type));
        check(bits == number_encode(type, want) || (want == 0 && number_decode(type, bits) == 0),
              "%s: dtable row %" PRId64 " channel %" PRId64 ": expected %.17g", text_of(c), i / DIM, i % DIM, want);
    }
    free(sums);
    free(got);
}

/* x and dy are the same numbers, in a tensor of any strides. */
static void check_call(call *c, random_state *random) {
    const int64_t shape[] = {c->batch, c->tokens, DIM};
    char *x = must_allocate(N * 8), *y = must_allocate(N * 8);
    strided in, out;
    DLTensor *table;
    posenc_error error = {0};
    random_fill(random, c->dtype, x, c->batch * c->tokens * DIM);
    strided_make(&in, random, c->dtype, 3, shape, false);
    strided_make(&out, random, c->dtype, 3, shape, false);
    strided_put(&in, x);
    posenc_status status = posenc_encoder_forward(c->encoder, &c->positions, &c->step, in.tensor, out.tensor, &error);
    check(status == POSENC_OK, "%s: %s", text_of(c), error.message);
    strided_get(&out, y);
    check_forward(c, x, y);
    must_forward(c->encoder, &c->positions, &c->step, c->dtype, c->batch, c->tokens, x, y);
    check_forward(c, x, y);
    check_backward(c, x);
    check_gain(c, in.tensor, x);
    if (posenc_encoder_parameters(c->encoder, &table, NULL) == POSENC_OK) check_table(c, in.tensor, x, table->shape[0]);
    strided_free(&in);
    strided_free(&out);
    free(x);
    free(y);
}

static void check_way(const way *w, form f, random_state *random) {
    static const double gains[] = {1, 0.3, -1.75, 0};
    posenc_dtype dtype = encoding_dtypes[random_between(random, 0, 3)];
    posenc_context *context =
        isa_context((size_t)random_between(random, 0, (int64_t)isa_count() - 1), (int)random_between(random, 1, 3));
    posenc_encoder_options o = encoder_options(dtype);
    o.dropout = random_between(random, 0, 1) ? 0.25 : 0;
    o.scale = random_between(random, 0, 1) ? 2.5 : 1;
    o.gain = gains[random_between(random, 0, 3)];
    o.padding_idx = random_between(random, -1, 2);
    call c = {.way = w, .form = f, .dtype = dtype, .batch = f == PACKED ? 1 : BATCH, .tokens = TOKENS};
    c.step = training_step(random_u64(random), random_u64(random), (uint64_t)random_between(random, 0, 9));
    posenc_error error = {0};
    check(try_create(w, context, &o, &c.encoder, &error) == POSENC_OK, "%s: %s", w->info->name, error.message);
    place_tokens(&c, random);
    check_call(&c, random);
    posenc_encoder_destroy(c.encoder);
    posenc_context_destroy(context);
}

static void check_forms(const way *w, random_state *random) {
    for (int f = 0; f < FORMS; f++)
        for (int round = 0; round < 4; round++) check_way(w, (form)f, random);
}

static void test_every_scheme(void **state) {
    (void)state;
    random_state random = random_start("variable length");
    size_t served = 0;
    for (size_t s = 0; s < posenc_scheme_count(); s++) {
        const posenc_scheme_info *info = posenc_scheme_at(s);
        if (info->effect != POSENC_EFFECT_ADDS_ROWS) continue;
        way usual = servable_way(info);
        check_forms(&usual, &random);
        served++;
        for (size_t i = 0; i < info->n_parameters; i++) {
            const posenc_parameter_info *p = &info->parameters[i];
            for (size_t k = 0; p->kind == POSENC_PARAMETER_CHOICE && p->default_text && p->choices[k]; k++) {
                way w = usual;
                w.parameters[w.n++] = (posenc_parameter){p->name, p->choices[k]};
                check_forms(&w, &random);
            }
        }
    }
    check(served >= 4, "%zu schemes", served);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_scheme)};
    return TEST_RUN(tests);
}
