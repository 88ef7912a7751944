/* The position axis is the token axis and no other. Faults of this kind, in public projects: a table indexed by the
 * batch item, x.size(0) taken for the length, and, with one token per row, only the first batch row encoded. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/tensors.h"
#include "support/test.h"

/* y - x of zeros: what was added. */
static double *added(const posenc_plan *plan, int64_t start, int64_t batch, int64_t tokens) {
    size_t n = (size_t)(batch * tokens * posenc_plan_dim(plan));
    double *x = must_allocate(n * sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = 0;
    must_add(plan, start, batch, tokens, POSENC_F64, x, 1, x);
    return x;
}

static void test_equal_in_batch_rows_and_different_along_tokens(void **state) {
    (void)state;
    const int64_t sizes[][2] = {{2, 3}, {3, 2}, {5, 5}, {1, 7}, {7, 1}, {4, 64}, {64, 4}};
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 16});
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t batch = sizes[s][0], tokens = sizes[s][1];
        double *e = added(plan, 9, batch, tokens), row[16];
        for (int64_t b = 0; b < batch; b++)
            for (int64_t t = 0; t < tokens; t++) {
                must_write(plan, 9 + t, 1, POSENC_F64, row);
                must_equal("batch row", POSENC_F64, e + (b * tokens + t) * 16, row, 16);
                if (t > 0)
                    assert_memory_not_equal(e + (b * tokens + t) * 16, e + (b * tokens + t - 1) * 16, sizeof row);
            }
        free(e);
    }
    posenc_plan_destroy(plan);
}

/* One token, many batch rows: every row gets the encoding. */
static void test_single_token_in_every_batch_row(void **state) {
    (void)state;
    enum { BATCH = 32, DIM = 256 };
    static float x[BATCH][DIM], want[DIM];
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < DIM; i++) x[b][i] = 1;
    must_write(plan, 6, 1, POSENC_F32, want);
    for (int i = 0; i < DIM; i++) want[i] += 1;
    must_add(plan, 6, BATCH, 1, POSENC_F32, x, 1, x);
    for (int b = 0; b < BATCH; b++) must_equal("row of one token", POSENC_F32, want, x[b], DIM);
    posenc_plan_destroy(plan);
}

/* (tokens, batch, dim) in memory is the same tensor with other strides. */
static void test_sequence_first(void **state) {
    (void)state;
    enum { BATCH = 3, TOKENS = 10, DIM = 24 };
    static float memory[TOKENS][BATCH][DIM];
    float row[DIM];
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    posenc_view view;
    DLTensor *x = posenc_view_make(&view, memory, POSENC_F32, 3, (int64_t[]){BATCH, TOKENS, DIM},
                                   (int64_t[]){DIM, BATCH * DIM, 1});
    assert_int_equal(posenc_plan_add(plan, NULL, x, 1, x, NULL), POSENC_OK);
    for (int t = 0; t < TOKENS; t++)
        for (int b = 0; b < BATCH; b++) {
            must_write(plan, t, 1, POSENC_F32, row);
            must_equal("sequence first", POSENC_F32, memory[t][b], row, DIM);
        }
    posenc_plan_destroy(plan);
}

/* A batch of one row seen many times (stride 0) is an ordinary input. */
static void test_broadcast_input(void **state) {
    (void)state;
    enum { BATCH = 4, TOKENS = 5, DIM = 12 };
    static float one[TOKENS][DIM], y[BATCH][TOKENS][DIM], want[TOKENS][DIM];
    random_state random = random_start("broadcast");
    random_fill_f32(&random, &one[0][0], TOKENS * DIM);
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    posenc_view vx, vy;
    const int64_t shape[3] = {BATCH, TOKENS, DIM};
    DLTensor *tx = posenc_view_make(&vx, one, POSENC_F32, 3, shape, (int64_t[]){0, DIM, 1});
    DLTensor *ty = posenc_view_make(&vy, y, POSENC_F32, 3, shape, NULL);
    assert_int_equal(posenc_plan_add(plan, NULL, tx, 1, ty, NULL), POSENC_OK);
    must_add(plan, 0, 1, TOKENS, POSENC_F32, one, 1, want);
    for (int b = 0; b < BATCH; b++) must_equal("broadcast", POSENC_F32, want, y[b], TOKENS * DIM);
    posenc_plan_destroy(plan);
}

/* ids of shape (tokens) serve every batch row, (batch, tokens) each its own; the second row counts differently here. */
static void test_ids_of_both_shapes(void **state) {
    (void)state;
    enum { BATCH = 2, TOKENS = 4, DIM = 8 };
    float out[BATCH][TOKENS][DIM], row[DIM];
    int32_t ids[BATCH][TOKENS] = {{5, -6, 70000, 0}, {1, 1, 2, 3}};
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    posenc_view v, w;
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    DLTensor *t = posenc_view_make(&v, out, POSENC_F32, 3, (int64_t[]){BATCH, TOKENS, DIM}, NULL);
    for (int rank = 1; rank <= 2; rank++) {
        const int64_t shape[2] = {BATCH, TOKENS};
        positions.ids = posenc_view_make(&w, ids, POSENC_I32, rank, rank == 1 ? shape + 1 : shape, NULL);
        assert_int_equal(posenc_plan_write(plan, &positions, t, NULL), POSENC_OK);
        for (int b = 0; b < BATCH; b++)
            for (int k = 0; k < TOKENS; k++) {
                must_write(plan, ids[rank == 1 ? 0 : b][k], 1, POSENC_F32, row);
                must_equal("ids", POSENC_F32, row, out[b][k], DIM);
            }
    }
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal_in_batch_rows_and_different_along_tokens),
                                       cmocka_unit_test(test_single_token_in_every_batch_row),
                                       cmocka_unit_test(test_sequence_first), cmocka_unit_test(test_broadcast_input),
                                       cmocka_unit_test(test_ids_of_both_shapes)};
    return TEST_RUN(tests);
}
