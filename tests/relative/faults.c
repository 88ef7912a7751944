/* Each allocation of each call fails, alone or with all that follow: the right status, outputs as they were, nothing
 * kept. And how much memory the calls take at L = 16384. */
#include <stdlib.h>
#include <string.h>

#include "shaw_calls.h"
#include "support/allocator.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"
#include "xl_calls.h"

enum { N = 2 * 2 * 300 * 400, CALLS = 4 };

typedef struct world {
    allocator memory;
    posenc_context *context;
    shaw_case shaw;
    xl_case xl;
    float *in[6], *out, *before, *want;
} world;

static const char *const calls[CALLS] = {"shaw scores", "shaw values backward", "xl scores", "xl backward"};

/* Outputs follow each other in out. */
static posenc_status call(world *w, int which, posenc_error *error) {
    posenc_view views[8];
    DLTensor *tensors[XL_TENSORS], *out[XL_INPUTS];
    int64_t vectors[4], table[2], scores[4];
    shaw_vectors(&w->shaw, vectors), shaw_table(&w->shaw, table), shaw_scores(&w->shaw, scores);
    DLTensor *v = posenc_view_make(&views[0], w->in[0], POSENC_F32, 4, vectors, NULL);
    DLTensor *t = posenc_view_make(&views[1], w->in[1], POSENC_F32, 2, table, NULL);
    DLTensor *s = posenc_view_make(&views[2], w->in[2], POSENC_F32, 4, scores, NULL);
    DLTensor *o = posenc_view_make(&views[3], w->out, POSENC_F32, 4, scores, NULL);
    DLTensor *g = posenc_view_make(&views[4], w->out + N, POSENC_F32, 2, table, NULL);
    if (which == 0) return posenc_shaw_scores(w->context, &w->shaw.options, v, t, o, error);
    if (which == 1) return posenc_shaw_values_backward(w->context, &w->shaw.options, s, t, v, o, g, error);
    posenc_view in_views[XL_TENSORS], out_views[XL_INPUTS];
    for (int i = 0; i < XL_TENSORS; i++) tensors[i] = xl_view(&w->xl, i, &in_views[i], w->in[i]);
    for (int i = 0; i < XL_INPUTS; i++) out[i] = xl_view(&w->xl, i, &out_views[i], w->out + i * (N / 4));
    if (which == 3) return xl_backward(w->context, &w->xl, tensors, out, error);
    tensors[XL_SCORES] = xl_view(&w->xl, XL_SCORES, &in_views[XL_SCORES], w->out);
    return xl_forward(w->context, &w->xl, tensors, error);
}

static bool one_failure(world *w, int which, long k, bool on) {
    long live = atomic_load(&w->memory.live);
    memcpy(w->out, w->before, 2 * N * sizeof *w->out);
    posenc_error error = error_blank();
    allocator_fail(&w->memory, k, on);
    posenc_status status = call(w, which, &error);
    bool refused = allocator_refused(&w->memory);
    allocator_fail(&w->memory, -1, false);
    check(atomic_load(&w->memory.live) == live, "%s, allocation %ld: blocks leak", calls[which], k);
    if (status == POSENC_OK) {
        check(!refused, "%s did without allocation %ld", calls[which], k);
        assert_memory_equal(w->out, w->want, 2 * N * sizeof *w->out);
        return false;
    }
    must_refuse(calls[which], status, POSENC_ERROR_MEMORY, &error, NULL);
    assert_memory_equal(w->out, w->before, 2 * N * sizeof *w->out);
    return true;
}

static void test_failures(void **state) {
    (void)state;
    static world w;
    random_state random = random_start("relative faults");
    posenc_context_options options;
    allocator_init(&w.memory);
    posenc_context_default(&options, sizeof options);
    options.threads = 3;
    allocator_use(&w.memory, &options);
    assert_int_equal(posenc_context_create(&options, &w.context, NULL), POSENC_OK);
    w.shaw = shaw_sized(POSENC_F32, 2, 2, 300, 400, 8, 20);
    w.xl = xl_sized(POSENC_F32, 2, 2, 300, 400, 8, 10);
    for (int i = 0; i < 6; i++) {
        w.in[i] = must_allocate(N * sizeof(float));
        random_fill_f32(&random, w.in[i], N);
    }
    w.out = must_allocate(2 * N * sizeof(float));
    w.before = must_allocate(2 * N * sizeof(float));
    w.want = must_allocate(2 * N * sizeof(float));
    for (int which = 0; which < CALLS; which++) {
        memcpy(w.out, w.before, 2 * N * sizeof(float));
        assert_int_equal(call(&w, which, NULL), POSENC_OK);
        memcpy(w.want, w.out, 2 * N * sizeof(float));
        for (int on = 0; on < 2; on++) {
            long k = 0;
            while (one_failure(&w, which, k, on != 0)) k++;
            check(k > 0, "%s allocates nothing", calls[which]);
        }
    }
    allocator_context_end(&w.memory, w.context);
    for (int i = 0; i < 6; i++) free(w.in[i]);
    free(w.out), free(w.before), free(w.want);
}

/* Sizes that no memory holds, behind strides of 0: refused before anything is written. */
static void test_huge(void **state) {
    (void)state;
    float cell[4] = {1, 2, 3, 4};
    posenc_view v, t, s;
    shaw_case c = shaw_sized(POSENC_F32, 1, 1, 1, 4, INT64_C(1) << 58, 1 << 20);
    const int64_t zeros[] = {0, 0, 0, 0}, table[] = {2 * c.options.clip + 1, c.d}, vectors[] = {1, 1, 1, c.d};
    DLTensor *x = posenc_view_make(&v, cell, POSENC_F32, 4, vectors, zeros);
    DLTensor *a = posenc_view_make(&t, cell, POSENC_F32, 2, table, zeros);
    float scores[4] = {7, 7, 7, 7};
    DLTensor *o = posenc_view_make(&s, scores, POSENC_F32, 4, (int64_t[]){1, 1, 1, 4}, NULL);
    posenc_error error = error_blank();
    must_refuse("huge width", posenc_shaw_scores(NULL, &c.options, x, a, o, &error), POSENC_ERROR_MEMORY, &error, NULL);
    assert_true(scores[0] == 7 && scores[3] == 7);
}

/* One head of 16384 queries that see 16384 keys, read through strides of 0: what the calls take is far below 64 MB. */
static void test_memory(void **state) {
    (void)state;
    enum { L = 16384, D = 64, CLIP = 128, ROWS = 2 * CLIP + 1 };
    allocator memory;
    allocator_init(&memory);
    posenc_context *context = allocator_context(&memory);
    random_state random = random_start("relative memory");
    float *row = must_allocate(L * sizeof *row), *q = must_allocate(L * D * sizeof *q), table[ROWS * D], out[ROWS * D];
    float *vectors = must_allocate(L * D * sizeof *vectors);
    random_fill_f32(&random, row, L), random_fill_f32(&random, q, L * D), random_fill_f32(&random, table, ROWS * D);
    posenc_view views[5];
    shaw_case c = shaw_sized(POSENC_F32, 1, 1, L, L, D, CLIP);
    const int64_t square[] = {1, 1, L, L}, rows[] = {0, 0, 0, 1}, flat[] = {1, 1, L, D}, small[] = {ROWS, D};
    DLTensor *s = posenc_view_make(&views[0], row, POSENC_F32, 4, square, rows);
    DLTensor *x = posenc_view_make(&views[1], q, POSENC_F32, 4, flat, NULL);
    DLTensor *t = posenc_view_make(&views[2], table, POSENC_F32, 2, small, NULL);
    DLTensor *y = posenc_view_make(&views[3], vectors, POSENC_F32, 4, flat, NULL);
    DLTensor *g = posenc_view_make(&views[4], out, POSENC_F32, 2, small, NULL);
    assert_int_equal(posenc_shaw_scores_backward(context, &c.options, x, t, s, y, g, NULL), POSENC_OK);
    check(atomic_load(&memory.peak_bytes) < 16 << 20, "%zu bytes", atomic_load(&memory.peak_bytes));
    allocator_context_end(&memory, context);
    free(row), free(q), free(vectors);
}

/* The same length with nothing clipped, on eight threads: two rows of the batch, one at either end, between them reach
 * every row of the table. */
static void test_memory_unclipped(void **state) {
    (void)state;
    enum { L = 16384, D = 64, CLIP = L - 1, ROWS = 2 * CLIP + 1, Q = 200, B = 2 };
    allocator memory;
    posenc_context_options options;
    posenc_context *context;
    allocator_init(&memory);
    posenc_context_default(&options, sizeof options);
    options.threads = 8;
    allocator_use(&memory, &options);
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    random_state random = random_start("relative memory unclipped");
    float *scores = must_allocate(B * Q * (size_t)L * sizeof *scores), *table = must_allocate(ROWS * D * sizeof *table);
    float *gradient = must_allocate(ROWS * D * sizeof *gradient), *q = must_allocate(B * Q * D * sizeof *q);
    float *out = must_allocate(B * Q * D * sizeof *out);
    random_fill_f32(&random, table, ROWS * D), random_fill_f32(&random, q, B * Q * D);
    posenc_view views[6];
    int64_t offsets[B] = {0, L - Q};
    shaw_case c = shaw_sized(POSENC_F32, B, 1, Q, L, D, CLIP);
    c.options.offsets = posenc_view_make(&views[0], offsets, POSENC_I64, 1, (int64_t[]){B}, NULL);
    DLTensor *x = posenc_view_make(&views[1], q, POSENC_F32, 4, (int64_t[]){B, 1, Q, D}, NULL);
    DLTensor *t = posenc_view_make(&views[2], table, POSENC_F32, 2, (int64_t[]){ROWS, D}, NULL);
    DLTensor *s = posenc_view_make(&views[3], scores, POSENC_F32, 4, (int64_t[]){B, 1, Q, L}, NULL);
    DLTensor *y = posenc_view_make(&views[4], out, POSENC_F32, 4, (int64_t[]){B, 1, Q, D}, NULL);
    DLTensor *g = posenc_view_make(&views[5], gradient, POSENC_F32, 2, (int64_t[]){ROWS, D}, NULL);
    assert_int_equal(posenc_shaw_scores(context, &c.options, x, t, s, NULL), POSENC_OK);
    check(atomic_load(&memory.peak_bytes) < 64 << 20, "scores: %zu bytes", atomic_load(&memory.peak_bytes));
    assert_int_equal(posenc_shaw_scores_backward(context, &c.options, x, t, s, y, g, NULL), POSENC_OK);
    check(atomic_load(&memory.peak_bytes) < 64 << 20, "backward: %zu bytes", atomic_load(&memory.peak_bytes));
    allocator_context_end(&memory, context);
    free(scores), free(table), free(gradient), free(q), free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_unclipped),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_memory),
    };
    return TEST_RUN(tests);
}
