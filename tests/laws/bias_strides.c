/* Score biases with every other tensor in odd places: tables, gradients, offsets and packed lengths of any strides give
 * what contiguous ones give, to the bit; and none of them may lie in what is written. */
#include <stdlib.h>
#include <string.h>

#include "support/biases.h"
#include "support/number.h"
#include "support/refusal.h"
#include "support/strided.h"
#include "support/tensors.h"
#include "support/test.h"

enum { CALLS = 80 };

static DLTensor *scores_view(const bias_call *c, posenc_view *view, void *data, posenc_dtype dtype) {
    return posenc_view_make(view, data, dtype, 4, (int64_t[]){c->batch, c->facts.heads, c->n_queries, c->n_keys}, NULL);
}

static int64_t scores_of(const bias_call *c) { return c->batch * c->facts.heads * c->n_queries * c->n_keys; }

/* ---- tables ---- */

static void check_table(const bias_call *c, random_state *random) {
    int64_t n = scores_of(c);
    float *want = must_allocate((size_t)n * sizeof *want + 1), *got = must_allocate((size_t)n * sizeof *got + 1);
    strided table;
    posenc_view view;
    strided_make(&table, random, c->table_dtype, 2, c->table_tensor->shape, false);
    strided_put(&table, c->table_memory);
    random_fill(random, POSENC_F32, want, n);
    memcpy(got, want, (size_t)n * sizeof *want);
    assert_int_equal(posenc_bias_add(c->plan, &c->extent, &c->options, c->table_tensor,
                                     scores_view(c, &view, want, POSENC_F32), NULL),
                     POSENC_OK);
    assert_int_equal(
        posenc_bias_add(c->plan, &c->extent, &c->options, table.tensor, scores_view(c, &view, got, POSENC_F32), NULL),
        POSENC_OK);
    must_equal(bias_call_text(c), POSENC_F32, want, got, n);
    strided_free(&table);
    free(want), free(got);
}

static void test_tables(void **state) {
    (void)state;
    random_state random = random_start("bias tables of any strides");
    for (int checked = 0; checked < CALLS;) {
        bias_call c;
        bias_call_make(&c, NULL, &random, true);
        if (c.facts.table_rows > 0) check_table(&c, &random), checked++;
        bias_call_end(&c);
    }
}

/* ---- gradients ---- */

static void check_gradient(const bias_call *c, posenc_dtype dtype, random_state *random) {
    const int64_t shape[] = {c->facts.table_rows, c->facts.heads};
    int rank = c->facts.table_rows > 0 ? 2 : 1;
    int64_t n = scores_of(c), rows = rank == 2 ? shape[0] * shape[1] : shape[1];
    double *ds = must_allocate((size_t)n * sizeof *ds + 1);
    char *want = must_allocate((size_t)rows * sizeof(double)), *got = must_allocate((size_t)rows * sizeof(double));
    strided gradient;
    posenc_view view, plain;
    random_fill(random, POSENC_F64, ds, n);
    random_fill(random, dtype, want, rows);
    strided_make(&gradient, random, dtype, rank, shape + (2 - rank), false);
    strided_put(&gradient, want);
    DLTensor *d = scores_view(c, &view, ds, POSENC_F64);
    DLTensor *g = posenc_view_make(&plain, want, dtype, rank, shape + (2 - rank), NULL);
    int accumulate = (int)random_between(random, 0, 1);
    assert_int_equal(posenc_bias_backward(c->plan, &c->extent, &c->options, d, g, accumulate, NULL), POSENC_OK);
    assert_int_equal(posenc_bias_backward(c->plan, &c->extent, &c->options, d, gradient.tensor, accumulate, NULL),
                     POSENC_OK);
    strided_get(&gradient, got);
    must_equal(bias_call_text(c), dtype, want, got, rows);
    strided_check_gaps(&gradient, bias_call_text(c));
    strided_free(&gradient);
    free(ds), free(want), free(got);
}

static void test_gradients(void **state) {
    (void)state;
    random_state random = random_start("bias gradients of any strides");
    for (int round = 0; round < CALLS; round++) {
        bias_call c;
        bias_call_make(&c, NULL, &random, true);
        check_gradient(&c, round % 2 ? POSENC_F64 : POSENC_F32, &random);
        bias_call_end(&c);
    }
}

/* ---- offsets and lengths ---- */

/* The vector of a call once more: i32 or i64, forwards with gaps or backwards. */
typedef struct whole_vector {
    posenc_view view;
    int32_t narrow[64];
    int64_t wide[64];
} whole_vector;

static DLTensor *whole_of(whole_vector *v, const int64_t *values, int64_t n, int kind) {
    const int64_t stride = kind % 2 ? -2 : 3, first = kind % 2 ? 2 * (n - 1) : 0;
    for (int i = 0; i < 64; i++) v->wide[i] = 12345, v->narrow[i] = 12345;
    for (int64_t i = 0; i < n; i++) {
        v->wide[first + i * stride] = values[i];
        v->narrow[first + i * stride] = (int32_t)values[i];
    }
    void *data = kind < 2 ? (void *)(v->wide + first) : (void *)(v->narrow + first);
    return posenc_view_make(&v->view, data, kind < 2 ? POSENC_I64 : POSENC_I32, 1, &n, &stride);
}

static void check_vectors(const bias_call *c, random_state *random) {
    int64_t n = scores_of(c);
    float *x = must_allocate((size_t)n * sizeof *x + 1), *want = must_allocate((size_t)n * sizeof *want + 1);
    float *got = must_allocate((size_t)n * sizeof *got + 1);
    posenc_view view;
    random_fill(random, POSENC_F32, x, n);
    memcpy(want, x, (size_t)n * sizeof *x);
    assert_int_equal(posenc_bias_add(c->plan, &c->extent, &c->options, c->table_tensor,
                                     scores_view(c, &view, want, POSENC_F32), NULL),
                     POSENC_OK);
    for (int kind = 0; kind < 4; kind++) {
        static whole_vector v;
        posenc_bias_options o = c->options;
        if (c->offsets) o.offsets = whole_of(&v, c->offsets, c->batch, kind);
        if (c->lengths) o.cu_seqlens = whole_of(&v, c->lengths, c->lengths_view.tensor.shape[0], kind);
        memcpy(got, x, (size_t)n * sizeof *x);
        assert_int_equal(
            posenc_bias_add(c->plan, &c->extent, &o, c->table_tensor, scores_view(c, &view, got, POSENC_F32), NULL),
            POSENC_OK);
        must_equal(bias_call_text(c), POSENC_F32, want, got, n);
    }
    free(x), free(want), free(got);
}

static void test_vectors(void **state) {
    (void)state;
    random_state random = random_start("bias offsets of any strides");
    for (int checked = 0; checked < CALLS;) {
        bias_call c;
        bias_call_make(&c, NULL, &random, true);
        if (c.offsets || c.lengths) check_vectors(&c, &random), checked++;
        bias_call_end(&c);
    }
}

/* An axis of one element never steps, whatever stride stands there: NumPy and others leave anything. */
static void test_axes_of_one(void **state) {
    (void)state;
    const int64_t far = INT64_C(1) << 62, strides[] = {far, -far, far, INT64_MAX};
    posenc_plan *plan = must_bias_plan(NULL, "t5", (const char *const[]){"heads=1", "buckets=4", NULL});
    posenc_bias_extent e;
    posenc_bias_extent_default(&e, sizeof e);
    e.queries = e.keys = 1, e.offset = 1;
    float table[4] = {1, 2, 3, 4}, score = 10, out = 0, gradient[4] = {7, 7, 7, 7};
    posenc_view views[4];
    DLTensor *t = posenc_view_make(&views[0], table, POSENC_F32, 2, (int64_t[]){4, 1}, (int64_t[]){1, far});
    DLTensor *s = posenc_view_make(&views[1], &score, POSENC_F32, 4, (int64_t[]){1, 1, 1, 1}, strides);
    DLTensor *o = posenc_view_make(&views[2], &out, POSENC_F32, 3, (int64_t[]){1, 1, 1}, strides);
    DLTensor *g = posenc_view_make(&views[3], gradient, POSENC_F32, 2, (int64_t[]){4, 1}, (int64_t[]){1, far});
    assert_int_equal(posenc_bias_write(plan, &e, t, o, NULL), POSENC_OK);
    assert_int_equal(posenc_bias_add(plan, &e, NULL, t, s, NULL), POSENC_OK);
    assert_int_equal(posenc_bias_backward(plan, &e, NULL, s, g, 0, NULL), POSENC_OK);
    assert_true(out == 2 && score == 12);
    assert_true(gradient[0] == 0 && gradient[1] == 12 && gradient[2] == 0 && gradient[3] == 0);
    posenc_plan_destroy(plan);
}

/* ---- memory that is written and read ---- */

static void test_overlaps(void **state) {
    (void)state;
    enum { N = 4 };
    posenc_plan *plan = must_bias_plan(NULL, "alibi", (const char *const[]){"heads=1", NULL});
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = extent.keys = N;
    for (int lengths = 0; lengths < 2; lengths++)
        for (int backward = 0; backward < 2; backward++) {
            int32_t memory[N * N] = {0, N}, before[N * N];
            float ds[N * N] = {0};
            posenc_view views[3];
            posenc_bias_options o;
            posenc_error error = error_blank();
            memcpy(before, memory, sizeof before);
            posenc_bias_options_default(&o, sizeof o);
            DLTensor *whole = posenc_view_make(&views[0], memory, POSENC_I32, 1, (int64_t[]){1 + lengths}, NULL);
            *(lengths ? &o.cu_seqlens : &o.offsets) = whole;
            DLTensor *d = posenc_view_make(&views[1], ds, POSENC_F32, 3, (int64_t[]){1, N, N}, NULL);
            DLTensor *s = posenc_view_make(&views[2], memory, POSENC_F32, 3, (int64_t[]){1, N, N}, NULL), *g = s;
            if (backward) g = posenc_view_make(&views[2], memory, POSENC_F32, 1, (int64_t[]){1}, NULL);
            posenc_status status = backward ? posenc_bias_backward(plan, &extent, &o, d, g, 0, &error)
                                            : posenc_bias_add(plan, &extent, &o, NULL, s, &error);
            must_refuse("what is read is written", status, POSENC_ERROR_OVERLAP, &error,
                        backward ? "gradient" : "scores");
            assert_memory_equal(memory, before, sizeof before);
        }
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),      cmocka_unit_test(test_gradients), cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_axes_of_one), cmocka_unit_test(test_overlaps),
    };
    return TEST_RUN(tests);
}
