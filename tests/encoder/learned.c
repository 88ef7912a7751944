/* Learned tables: gather and scatter-add beside the naive ones, for every form of positions, row rule and policy; the
 * two are adjoint; the bits are the same for every number of threads; and nothing outside a table is read. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/guard.h"
#include "support/isa.h"
#include "support/number.h"
#include "support/philox.h"
#include "support/refusal.h"
#include "support/resizes.h"
#include "support/strided.h"
#include "support/test.h"

enum { MOST_BATCH = 4, MOST_TOKENS = 40, MOST_ROWS = 60, MOST_DIM = 70 };

typedef struct setting {
    posenc_dtype dtype;
    int64_t batch, tokens, dim, rows, start, row_offset, padding_idx;
    posenc_past_end past_end;
    int form; /* 0 consecutive, 1 offsets, 2 ids, 3 mask, 4 packed */
    double dropout;
    int threads;
    size_t isa;
    bool strided, accumulate;
} setting;

/* What a call is made of, and where its tokens stand. */
typedef struct call {
    setting s;
    posenc_encoder *encoder;
    posenc_context *context;
    posenc_positions positions;
    posenc_view view, offsets_view;
    int64_t offsets[MOST_BATCH], ids[MOST_BATCH * MOST_TOKENS];
    int32_t lengths[3];
    unsigned char mask[MOST_BATCH * MOST_TOKENS];
    token_place places[MOST_BATCH * MOST_TOKENS];
    int64_t longest; /* rows of the table as the call sees it */
} call;

static posenc_dtype table_dtype(const setting *s) { return s->dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32; }

static posenc_encoder *must_learn(const posenc_context *context, const setting *s, const void *table) {
    posenc_encoder_options o = encoder_options(s->dtype);
    o.past_end = s->past_end, o.row_offset = s->row_offset, o.padding_idx = s->padding_idx, o.dropout = s->dropout;
    posenc_view view;
    posenc_error error = {0};
    posenc_encoder *encoder = NULL;
    void *data;
    memcpy(&data, &table, sizeof data);
    DLTensor *t = posenc_view_make(&view, data, table_dtype(s), 2, (int64_t[]){s->rows, s->dim}, NULL);
    check(posenc_encoder_from_table(context, t, &o, &encoder, &error) == POSENC_OK, "%s", error.message);
    return encoder;
}

/* The positions in one of the forms, and the same naively. */
static void place_tokens(call *c, random_state *random) {
    const setting *s = &c->s;
    int64_t n = s->tokens;
    c->positions = positions_from(s->start);
    for (int64_t b = 0; b < s->batch; b++) {
        int64_t next = s->start, offset = random_between(random, -3, 3);
        c->offsets[b] = offset;
        for (int64_t t = 0; t < n; t++) {
            token_place *p = &c->places[b * n + t];
            int64_t i = b * n + t;
            *p = (token_place){true, s->start + t};
            c->mask[i] = random_between(random, 0, 2) > 0;
            c->ids[i] = s->start + random_between(random, 0, n - 1);
            if (s->form == 1) p->position += offset;
            if (s->form == 2) p->position = c->ids[i];
            if (s->form == 2 && s->padding_idx >= 0 && c->ids[i] == s->padding_idx) p->real = false;
            if (s->form == 3) p->real = c->mask[i], p->position = next + (s->padding_idx + 1), next += c->mask[i];
            if (s->form == 4) p->position = t < n / 3 ? s->start + t : s->start + t - n / 3;
        }
    }
    const int64_t shape[] = {s->batch, n};
    if (s->form == 1) c->positions.offsets = posenc_view_make(&c->offsets_view, c->offsets, POSENC_I64, 1, shape, NULL);
    if (s->form == 2) c->positions.ids = posenc_view_make(&c->view, c->ids, POSENC_I64, 2, shape, NULL);
    if (s->form == 3) c->positions.mask = posenc_view_make(&c->view, c->mask, POSENC_BOOL, 2, shape, NULL);
    c->lengths[0] = 0, c->lengths[1] = (int32_t)(n / 3), c->lengths[2] = (int32_t)n;
    if (s->form == 4)
        c->positions.cu_seqlens = posenc_view_make(&c->view, c->lengths, POSENC_I32, 1, (int64_t[]){3}, NULL);
}

/* The row that a token reads, in the table as the call sees it; -1: none. *fits: whether the call is refused. */
static int64_t row_of(const call *c, int64_t i, bool *fits) {
    const setting *s = &c->s;
    if (!c->places[i].real) return -1;
    int64_t row = c->places[i].position + s->row_offset,
            padding = s->padding_idx >= 0 ? s->padding_idx + s->row_offset : -1;
    if (s->past_end == POSENC_PAST_END_CLAMP) row = row < 0 ? 0 : row >= s->rows ? s->rows - 1 : row;
    if (row < 0 || (row >= s->rows && s->past_end != POSENC_PAST_END_RESIZE)) *fits = false;
    return row == padding ? -1 : row;
}

static bool call_fits(call *c) {
    bool fits = true;
    c->longest = c->s.rows;
    for (int64_t i = 0; i < c->s.batch * c->s.tokens; i++) {
        int64_t row = row_of(c, i, &fits);
        if (row >= c->longest) c->longest = row + 1;
    }
    return fits;
}

static int64_t prefix_of(const setting *s) {
    int64_t past_padding = s->padding_idx >= 0 ? s->padding_idx + s->row_offset + 1 : 0;
    return past_padding > s->row_offset ? past_padding : s->row_offset;
}

static setting random_setting(random_state *r) {
    setting s = {.dtype = encoding_dtypes[random_between(r, 0, 3)],
                 .batch = random_between(r, 1, MOST_BATCH),
                 .tokens = random_between(r, 1, MOST_TOKENS),
                 .dim = random_between(r, 1, MOST_DIM),
                 .rows = random_between(r, 8, MOST_ROWS),
                 .start = random_between(r, -2, 10),
                 .row_offset = random_between(r, 0, 2) ? 0 : random_between(r, -1, 3),
                 .padding_idx = random_between(r, 0, 1) ? -1 : random_between(r, 0, 3),
                 .past_end = (posenc_past_end)random_between(r, 0, 3),
                 .form = (int)random_between(r, 0, 4),
                 .dropout = random_between(r, 0, 1) ? 0 : 0.25,
                 .threads = (int)random_between(r, 1, 8),
                 .isa = (size_t)random_between(r, 0, (int64_t)isa_count() - 1),
                 .strided = random_between(r, 0, 2) == 0,
                 .accumulate = random_between(r, 0, 1)};
    if (s.form == 4) s.batch = 1;
    return s;
}

static const char *text_of(const setting *s) {
    static char text[300];
    snprintf(text, sizeof text,
             "%s form %d past_end %d batch %" PRId64 " tokens %" PRId64 " dim %" PRId64 " rows %" PRId64
             " start %" PRId64 " row_offset %" PRId64 " padding_idx %" PRId64 " dropout %g threads %d%s%s",
             posenc_dtype_name(s->dtype), s->form, (int)s->past_end, s->batch, s->tokens, s->dim, s->rows, s->start,
             s->row_offset, s->padding_idx, s->dropout, s->threads, s->strided ? " strided" : "",
             s->accumulate ? " accumulate" : "");
    return text;
}

/* The table as the call sees it. */
static unsigned char *seen_table(const call *c, const void *table) {
    const setting *s = &c->s;
    size_t row = (size_t)s->dim * posenc_dtype_bytes(table_dtype(s));
    unsigned char *seen = must_allocate((size_t)c->longest * row);
    memcpy(seen, table, (size_t)s->rows * row);
    if (c->longest == s->rows) return seen;
    resize_case r = {.prefix = prefix_of(s), .from = {1, s->rows - prefix_of(s)}, .to = {1, c->longest - prefix_of(s)}};
    must_resize(NULL, &r, table_dtype(s), s->dim, table, seen);
    return seen;
}

static void check_forward(const call *c, const void *table, const void *x) {
    const setting *s = &c->s;
    size_t bytes = posenc_dtype_bytes(s->dtype), e_bytes = posenc_dtype_bytes(table_dtype(s));
    unsigned char *y = must_allocate((size_t)(s->batch * s->tokens * s->dim) * bytes), *seen = seen_table(c, table);
    must_forward(c->encoder, &c->positions, NULL, s->dtype, s->batch, s->tokens, x, y);
    for (int64_t i = 0; i < s->batch * s->tokens; i++)
        for (int64_t k = 0; k < s->dim; k++) {
            bool fits;
            int64_t row = row_of(c, i, &fits), at = i * s->dim + k;
            uint64_t e = number_with_sign(table_dtype(s), 0, true);
            if (row >= 0) e = number_load(table_dtype(s), seen + (size_t)(row * s->dim + k) * e_bytes);
            uint64_t want = number_fused(s->dtype, number_load(s->dtype, (const char *)x + (size_t)at * bytes), 1, e);
            check(number_same(s->dtype, want, number_load(s->dtype, y + (size_t)at * bytes)),
                  "%s: token %" PRId64 " channel %" PRId64 " reads row %" PRId64, text_of(s), i, k, row);
        }
    free(y);
    free(seen);
}

/* The naive scatter: for each row over all tokens in order, in double. */
static void scatter_slowly(const call *c, const posenc_step *step, const void *dy, const void *old, double *out) {
    const setting *s = &c->s;
    size_t bytes = posenc_dtype_bytes(s->dtype), e_bytes = posenc_dtype_bytes(table_dtype(s));
    int64_t prefix = prefix_of(s), n = s->rows * s->dim;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int64_t i = 0; i < s->batch * s->tokens; i++) {
        bool fits;
        long double weights[MOST_ROWS] = {0};
        int64_t row = row_of(c, i, &fits);
        if (row < 0) continue;
        if (c->longest > s->rows && row >= prefix) {
            resize_case r = {.from = {1, s->rows - prefix}, .to = {1, c->longest - prefix}};
            resize_weights(&r, s->rows - prefix, c->longest - prefix, row - prefix, weights + prefix);
        } else {
            weights[row] = 1;
        }
        for (int64_t q = 0; q < s->rows; q++)
            for (int64_t k = 0; weights[q] != 0 && k < s->dim; k++) {
                uint64_t e = (uint64_t)(i * s->dim + k);
                if (s->dropout > 0 && !philox_keeps(step->seed, step->stream, e + step->first_element, s->dropout))
                    continue;
                out[q * s->dim + k] +=
                    number_decode(s->dtype, number_load(s->dtype, (const char *)dy + e * bytes)) * (double)weights[q];
            }
    }
    for (int64_t i = 0; i < n; i++) {
        out[i] *= s->dropout > 0 ? 1 / (1 - s->dropout) : 1;
        if (s->accumulate)
            out[i] =
                number_decode(table_dtype(s), number_load(table_dtype(s), (const char *)old + (size_t)i * e_bytes)) +
                out[i];
    }
}

static void scatter(const call *c, const posenc_step *step, const void *dy, void *dtable, random_state *random) {
    const setting *s = &c->s;
    const int64_t shape[] = {s->batch, s->tokens, s->dim}, table_shape[] = {s->rows, s->dim};
    strided a, b;
    posenc_view u, v;
    void *data;
    memcpy(&data, &dy, sizeof data);
    const DLTensor *tdy = posenc_view_make(&u, data, s->dtype, 3, shape, NULL);
    DLTensor *tdtable = posenc_view_make(&v, dtable, table_dtype(s), 2, table_shape, NULL);
    if (s->strided) {
        strided_make(&a, random, s->dtype, 3, shape, false);
        strided_make(&b, random, table_dtype(s), 2, table_shape, false);
        strided_put(&a, dy);
        strided_put(&b, dtable);
        tdy = a.tensor, tdtable = b.tensor;
    }
    posenc_error error = {0};
    posenc_status status =
        posenc_encoder_backward_table(c->encoder, &c->positions, step, tdy, tdtable, s->accumulate, &error);
    check(status == POSENC_OK, "%s: %s", text_of(s), error.message);
    if (!s->strided) return;
    strided_get(&b, dtable);
    strided_check_gaps(&b, "dtable");
    strided_free(&a);
    strided_free(&b);
}

static void check_backward(const call *c, const void *dy, random_state *random) {
    const setting *s = &c->s;
    int64_t n = s->rows * s->dim;
    size_t bytes = posenc_dtype_bytes(table_dtype(s));
    unsigned char *dtable = must_allocate((size_t)n * bytes), *old = must_allocate((size_t)n * bytes);
    double *want = must_allocate((size_t)n * sizeof *want);
    posenc_step step = training_step(random_u64(random), random_u64(random), (uint64_t)random_between(random, 0, 9));
    random_fill(random, table_dtype(s), old, n);
    memcpy(dtable, old, (size_t)n * bytes);
    scatter_slowly(c, &step, dy, old, want);
    scatter(c, &step, dy, dtable, random);
    bool exact = c->longest == s->rows;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = number_load(table_dtype(s), dtable + (size_t)i * bytes);
        double got = number_decode(table_dtype(s), bits);
        bool right = exact ? bits == number_encode(table_dtype(s), want[i]) || (want[i] == 0 && got == 0)
                           : fabs(got - want[i]) <= 1e-5 * (1 + fabs(want[i]));
        check(right, "%s: row %" PRId64 " channel %" PRId64 ": expected %.17g, got %.17g", text_of(s), i / s->dim,
              i % s->dim, want[i], got);
    }
    free(dtable);
    free(old);
    free(want);
}

static void check_refused(const call *c, const void *x) {
    const setting *s = &c->s;
    size_t bytes = (size_t)(s->batch * s->tokens * s->dim) * posenc_dtype_bytes(s->dtype);
    void *y = must_allocate(bytes), *before = must_allocate(bytes);
    posenc_error error = error_blank();
    posenc_status status = try_forward(c->encoder, &c->positions, NULL, s->dtype, s->batch, s->tokens, x, y, &error);
    must_refuse(text_of(s), status, POSENC_ERROR_POSITION, &error, "positions");
    check(strstr(error.message, "rows") && strstr(error.message, "clamp") && strstr(error.message, "resize"), "%s",
          error.message);
    assert_memory_equal(y, before, bytes);
    free(y);
    free(before);
}

static void test_against_the_naive_way(void **state) {
    (void)state;
    random_state random = random_start("learned");
    int refused = 0, resized = 0;
    for (int i = 0; i < 3000; i++) {
        call c = {.s = random_setting(&random)};
        if (prefix_of(&c.s) >= c.s.rows) continue;
        int64_t n = c.s.batch * c.s.tokens * c.s.dim;
        void *table = must_allocate((size_t)(c.s.rows * c.s.dim) * 8), *x = must_allocate((size_t)n * 8);
        random_fill(&random, table_dtype(&c.s), table, c.s.rows * c.s.dim);
        random_fill(&random, c.s.dtype, x, n);
        c.context = isa_context(c.s.isa, c.s.threads);
        c.encoder = must_learn(c.context, &c.s, table);
        place_tokens(&c, &random);
        if (call_fits(&c)) {
            check_forward(&c, table, x);
            check_backward(&c, x, &random);
            resized += c.longest > c.s.rows;
        } else {
            check_refused(&c, x);
            refused++;
        }
        posenc_encoder_destroy(c.encoder);
        posenc_context_destroy(c.context);
        free(table);
        free(x);
    }
    check(refused > 100 && resized > 50, "%d refused, %d resized", refused, resized);
}

/* Large enough for eight threads: the bits of one thread, and <forward(table), g> = <table, backward(g)>. */
static void test_threads_and_adjoint(void **state) {
    (void)state;
    enum { BATCH = 4, TOKENS = 700, DIM = 1000, ROWS = 900 };
    random_state random = random_start("learned adjoint");
    size_t n = (size_t)BATCH * TOKENS * DIM;
    float *table = must_allocate(ROWS * DIM * sizeof(float)), *g = must_allocate(n * sizeof(float)),
          *y = must_allocate(n * sizeof(float)), *first = must_allocate(ROWS * DIM * sizeof(float)),
          *again = must_allocate(ROWS * DIM * sizeof(float)), *zeros = calloc(n, sizeof(float));
    static int64_t ids[BATCH * TOKENS];
    assert_non_null(zeros);
    random_fill_f32(&random, table, ROWS * DIM);
    random_fill_f32(&random, g, (int64_t)n);
    for (int form = 0; form < 4; form++) {
        posenc_view view, u, v;
        posenc_positions positions = positions_from(form == 1 ? 500 : 0);
        for (int i = 0; i < BATCH * TOKENS; i++) ids[i] = random_between(&random, 0, form == 3 ? 2 * ROWS : ROWS - 1);
        if (form >= 2) positions.ids = posenc_view_make(&view, ids, POSENC_I64, 2, (int64_t[]){BATCH, TOKENS}, NULL);
        for (int threads = 1; threads <= 8; threads++) {
            posenc_context *context = isa_context(isa_count() - 1, threads);
            setting s = {.dtype = POSENC_F32, .rows = ROWS, .dim = DIM, .padding_idx = -1};
            s.past_end = form == 3 ? POSENC_PAST_END_RESIZE : form == 1 ? POSENC_PAST_END_CLAMP : POSENC_PAST_END_ERROR;
            posenc_encoder *encoder = must_learn(context, &s, table);
            DLTensor *tg = posenc_view_make(&u, g, POSENC_F32, 3, (int64_t[]){BATCH, TOKENS, DIM}, NULL);
            DLTensor *td =
                posenc_view_make(&v, threads == 1 ? first : again, POSENC_F32, 2, (int64_t[]){ROWS, DIM}, NULL);
            assert_int_equal(posenc_encoder_backward_table(encoder, &positions, NULL, tg, td, 0, NULL), POSENC_OK);
            if (threads > 1) must_equal("threads", POSENC_F32, first, again, ROWS * DIM);
            must_forward(encoder, &positions, NULL, POSENC_F32, BATCH, TOKENS, zeros, y);
            posenc_encoder_destroy(encoder);
            posenc_context_destroy(context);
        }
        double left = 0, right = 0, size = 0;
        for (size_t i = 0; i < n; i++) left += (double)y[i] * (double)g[i], size += fabs((double)y[i] * (double)g[i]);
        for (size_t i = 0; i < ROWS * DIM; i++) right += (double)table[i] * (double)first[i];
        check(fabs(left - right) <= 1e-7 * size, "form %d: <forward, g> %.17g, <table, backward> %.17g", form, left,
              right);
    }
    free(table), free(g), free(y), free(first), free(again), free(zeros);
}

/* RoBERTa's 514 rows: 512 positions with padding_idx 1, 510 with 3; OPT's 514 by an offset of 2. */
static void test_row_rules(void **state) {
    (void)state;
    enum { DIM = 2, ROWS = 514 };
    static float table[ROWS * DIM], x[ROWS * DIM], y[ROWS * DIM];
    static unsigned char mask[ROWS];
    static const struct {
        int64_t padding_idx, row_offset, serves, first;
    } rules[] = {{1, 0, 512, 2}, {3, 0, 510, 4}, {-1, 2, 512, 2}, {-1, 0, 514, 0}};
    for (int i = 0; i < ROWS * DIM; i++) table[i] = (float)i;
    memset(mask, 1, sizeof mask);
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        setting s = {.dtype = POSENC_F32, .rows = ROWS, .dim = DIM};
        s.padding_idx = rules[k].padding_idx, s.row_offset = rules[k].row_offset;
        posenc_encoder *encoder = must_learn(NULL, &s, table);
        for (int64_t more = 0; more < 2; more++) {
            posenc_view view;
            int64_t n = rules[k].serves + more;
            posenc_positions positions = positions_from(0);
            if (n > ROWS) n = ROWS, positions.start = 1;
            positions.mask = posenc_view_make(&view, mask, POSENC_BOOL, 1, &n, NULL);
            posenc_status status = try_forward(encoder, &positions, NULL, POSENC_F32, 1, n, x, y, NULL);
            assert_int_equal(status, more ? POSENC_ERROR_POSITION : POSENC_OK);
            if (!more) must_equal("rows", POSENC_F32, table + rules[k].first * DIM, y, n * DIM);
        }
        posenc_encoder_destroy(encoder);
    }
}

static posenc_encoder *create_with(const char *rows, const posenc_encoder_options *o, posenc_status want) {
    const posenc_parameter parameters[] = {{"dim", "6"}, {"max-len", rows}, {"init", "normal"}};
    posenc_encoder *encoder = NULL;
    posenc_error error = error_blank();
    posenc_status status = posenc_encoder_create(NULL, "learned", parameters, 3, o, &encoder, &error);
    check(status == want, "expected status %d, got %d: %s", (int)want, (int)status, error.message);
    return encoder;
}

/* The table is the plan's first values, with zeros in the padding row; it may be written, and forward follows. */
static void test_parameters(void **state) {
    (void)state;
    float want[5 * 6], y[6], x[6] = {0};
    posenc_encoder_options o = encoder_options(POSENC_F32);
    o.padding_idx = 1, o.row_offset = 2;
    posenc_encoder *encoder = create_with("5", &o, POSENC_OK);
    DLTensor *table = NULL;
    must_write(posenc_encoder_plan(encoder), 0, 5, POSENC_F32, want);
    memset(want + 3 * 6, 0, 6 * sizeof *want);
    assert_int_equal(posenc_encoder_parameters(encoder, &table, NULL), POSENC_OK);
    assert_true(table == posenc_encoder_table(encoder));
    must_equal("first values", POSENC_F32, want, table->data, 30);
    for (int i = 0; i < 6; i++) ((float *)table->data)[4 * 6 + i] = (float)(10 + i);
    posenc_positions positions = positions_from(2);
    must_forward(encoder, &positions, NULL, POSENC_F32, 1, 1, x, y);
    for (int i = 0; i < 6; i++) assert_true(y[i] == (float)(10 + i));
    posenc_encoder_destroy(encoder);
}

static void test_refusals(void **state) {
    (void)state;
    float memory[64] = {0}, other[64] = {0};
    posenc_view u, v;
    posenc_error error;
    posenc_encoder_options o = encoder_options(POSENC_F32);
    DLTensor *table = NULL, *dy = posenc_view_make(&u, memory, POSENC_F32, 2, (int64_t[]){3, 6}, NULL);
    posenc_encoder *encoder = create_with("4", &o, POSENC_OK);
    posenc_encoder *formula = must_encoder(NULL, &(plan_shape){.dim = 6, .max_len = 4}, NULL);
#define REFUSES(status, name, call_)                      \
    do {                                                  \
        error = error_blank();                            \
        must_refuse(#call_, call_, status, &error, name); \
    } while (0)
    DLTensor *dt = posenc_view_make(&v, other, POSENC_F32, 2, (int64_t[]){4, 6}, NULL);
    REFUSES(POSENC_ERROR_UNSUPPORTED, "encoder", posenc_encoder_parameters(formula, &table, &error));
    REFUSES(POSENC_ERROR_UNSUPPORTED, "encoder", posenc_encoder_backward_table(formula, NULL, NULL, dy, dt, 0, &error));
    REFUSES(POSENC_ERROR_ARGUMENT, "encoder", posenc_encoder_parameters(NULL, &table, &error));
    REFUSES(POSENC_ERROR_ARGUMENT, "table", posenc_encoder_parameters(encoder, NULL, &error));
    REFUSES(POSENC_ERROR_ARGUMENT, "dy", posenc_encoder_backward_table(encoder, NULL, NULL, NULL, dt, 0, &error));
    REFUSES(POSENC_ERROR_ARGUMENT, "dtable", posenc_encoder_backward_table(encoder, NULL, NULL, dy, NULL, 0, &error));
    dt = posenc_view_make(&v, other, POSENC_F32, 2, (int64_t[]){5, 6}, NULL);
    REFUSES(POSENC_ERROR_SHAPE, "dtable", posenc_encoder_backward_table(encoder, NULL, NULL, dy, dt, 0, &error));
    dt = posenc_view_make(&v, other, POSENC_F64, 2, (int64_t[]){4, 6}, NULL);
    REFUSES(POSENC_ERROR_DTYPE, "dtable", posenc_encoder_backward_table(encoder, NULL, NULL, dy, dt, 0, &error));
    dt = posenc_view_make(&v, memory, POSENC_F32, 2, (int64_t[]){4, 6}, NULL);
    REFUSES(POSENC_ERROR_OVERLAP, "dtable", posenc_encoder_backward_table(encoder, NULL, NULL, dy, dt, 0, &error));
    assert_int_equal(posenc_encoder_parameters(encoder, &table, NULL), POSENC_OK);
    REFUSES(POSENC_ERROR_OVERLAP, "dtable", posenc_encoder_backward_table(encoder, NULL, NULL, dy, table, 0, &error));
    dt = posenc_view_make(&v, other, POSENC_F32, 2, (int64_t[]){4, 6}, NULL);
    posenc_positions far = positions_from(2);
    REFUSES(POSENC_ERROR_POSITION, "positions", posenc_encoder_backward_table(encoder, &far, NULL, dy, dt, 0, &error));
    dt = posenc_view_make(&v, other, POSENC_F32, 2, (int64_t[]){0, 6}, NULL);
    posenc_encoder *none = NULL;
    REFUSES(POSENC_ERROR_SHAPE, "table", posenc_encoder_from_table(NULL, dt, NULL, &none, &error));
    REFUSES(POSENC_ERROR_ARGUMENT, "table", posenc_encoder_from_table(NULL, NULL, NULL, &none, &error));
    REFUSES(POSENC_ERROR_ARGUMENT, "out", posenc_encoder_from_table(NULL, dy, NULL, NULL, &error));
#undef REFUSES
    o.past_end = (posenc_past_end)4;
    create_with("4", &o, POSENC_ERROR_ARGUMENT);
    o.past_end = POSENC_PAST_END_RESIZE, o.padding_idx = 3;
    create_with("4", &o, POSENC_ERROR_ARGUMENT); /* nothing behind the padding row */
    o.past_end = POSENC_PAST_END_ERROR, o.row_offset = (INT64_C(1) << 39) + 1;
    create_with("4", &o, POSENC_ERROR_ARGUMENT);
    posenc_encoder_destroy(encoder);
    posenc_encoder_destroy(formula);
}

/* Positions at the ends of 64 bits, under every policy: refused or clamped, and no byte outside of the table is read
 * (AddressSanitizer watches the table's own memory; x and y are guarded). */
static void test_far_positions(void **state) {
    (void)state;
    static const int64_t far[] = {INT64_MIN, INT64_MIN + 1, -1, 100, INT64_MAX - 1, INT64_MAX};
    static const int64_t offsets[] = {0, 2, -2, INT64_C(1) << 39, -(INT64_C(1) << 39)};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        for (size_t k = 0; k < 5; k++)
            for (int policy = 0; policy < 4; policy++) {
                posenc_encoder_options o = encoder_options(POSENC_F32);
                posenc_view view;
                o.past_end = (posenc_past_end)policy, o.row_offset = offsets[k];
                if (policy == POSENC_PAST_END_RESIZE && offsets[k] > 9) continue;
                posenc_encoder *encoder = create_with("10", &o, POSENC_OK);
                int64_t ids[2] = {far[i], far[i]};
                guard x = guard_make(12 * sizeof(float), GUARD_BEHIND),
                      y = guard_make(12 * sizeof(float), GUARD_BEFORE);
                posenc_positions positions = positions_from(0);
                positions.ids = posenc_view_make(&view, ids, POSENC_I64, 1, (int64_t[]){2}, NULL);
                posenc_status status = try_forward(encoder, &positions, NULL, POSENC_F32, 1, 2, x.data, y.data, NULL);
                bool clamps = policy == POSENC_PAST_END_CLAMP;
                bool resizes = policy == POSENC_PAST_END_RESIZE && far[i] == 100 && offsets[k] >= -2;
                bool hits = far[i] == -1 && offsets[k] == 2;
                assert_int_equal(status, clamps || resizes || hits ? POSENC_OK : POSENC_ERROR_POSITION);
                guard_end(&x);
                guard_end(&y);
                posenc_encoder_destroy(encoder);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_the_naive_way),
                                       cmocka_unit_test(test_threads_and_adjoint),
                                       cmocka_unit_test(test_row_rules),
                                       cmocka_unit_test(test_parameters),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_far_positions)};
    return TEST_RUN(tests);
}
