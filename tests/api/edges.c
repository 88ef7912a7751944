/* Inputs at the edge that succeed: nothing to do, ends of the position range, offsets, neighbours in one buffer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/guard.h"
#include "support/tensors.h"
#include "support/test.h"

enum { DIM = 6 };

/* Zero tokens or a zero batch, with no memory at all, as a start and as ids of each shape. */
static void test_nothing_to_do(void **state) {
    (void)state;
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    static const int64_t shapes[][3] = {{0, 5, DIM}, {5, 0, DIM}, {0, 0, DIM}};
    for (size_t s = 0; s < 3; s++)
        for (int d = 0; d < 4; d++)
            for (int ids = 0; ids < 3; ids++) {
                posenc_view v, w, u;
                double known[5] = {1, 2, 3, 4, 5.5};
                posenc_positions positions;
                posenc_positions_default(&positions, sizeof positions);
                DLTensor *x = posenc_view_make(&v, NULL, encoding_dtypes[d], 3, shapes[s], NULL);
                DLTensor *y = posenc_view_make(&w, NULL, encoding_dtypes[d], 3, shapes[s], NULL);
                if (ids == 1) positions.ids = posenc_view_make(&u, known, POSENC_F64, 1, shapes[s] + 1, NULL);
                if (ids == 2) positions.ids = posenc_view_make(&u, NULL, POSENC_F64, 2, shapes[s], NULL);
                posenc_error error = {0};
                check(posenc_plan_write(plan, &positions, y, &error) == POSENC_OK, "write: %s", error.message);
                check(posenc_plan_add(plan, &positions, x, 1, y, &error) == POSENC_OK, "add: %s", error.message);
            }
    assert_int_equal(posenc_plan_write_f32(plan, 0, 0, NULL), POSENC_OK);
    assert_int_equal(posenc_plan_write_f32(plan, INT64_MAX, 0, NULL), POSENC_OK);
    assert_int_equal(posenc_plan_add_f32(plan, 0, 0, 5, NULL, NULL), POSENC_OK);
    assert_int_equal(posenc_plan_add_f32(plan, 0, 5, 0, NULL, NULL), POSENC_OK);
    posenc_plan_destroy(plan);
}

/* ids without elements are never read, whatever their strides say. */
static void test_empty_ids_are_not_read(void **state) {
    (void)state;
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    posenc_view v, u;
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    DLTensor *out = posenc_view_make(&v, NULL, POSENC_F32, 3, (int64_t[]){0, 5, DIM}, NULL);
    const posenc_dtype dtypes[] = {POSENC_I32, POSENC_I64, POSENC_F64};
    for (int d = 0; d < 3; d++) {
        positions.ids = posenc_view_make(&u, NULL, dtypes[d], 2, (int64_t[]){0, 5}, (int64_t[]){0, 1});
        assert_int_equal(posenc_plan_write(plan, &positions, out, NULL), POSENC_OK);
    }
    posenc_plan_destroy(plan);
}

static void test_no_positions_means_from_zero(void **state) {
    (void)state;
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    float a[4 * DIM], b[4 * DIM];
    posenc_view v;
    DLTensor *out = posenc_view_make(&v, a, POSENC_F32, 2, (int64_t[]){4, DIM}, NULL);
    assert_int_equal(posenc_plan_write(plan, NULL, out, NULL), POSENC_OK);
    must_write(plan, 0, 4, POSENC_F32, b);
    assert_memory_equal(a, b, sizeof a);
    posenc_positions positions; /* of an older header, without ids */
    memset(&positions, 0xEE, sizeof positions);
    posenc_positions_default(&positions, offsetof(posenc_positions, ids));
    positions.start = 3;
    assert_int_equal(posenc_plan_write(plan, &positions, out, NULL), POSENC_OK);
    must_write(plan, 3, 4, POSENC_F32, b);
    assert_memory_equal(a, b, sizeof a);
    posenc_plan_destroy(plan);
}

/* The last row may stand at either end of int64. */
static void test_ends_of_positions(void **state) {
    (void)state;
    enum { ROWS = 130 };
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    double rows[ROWS][DIM], row[DIM];
    const int64_t starts[] = {INT64_MAX - ROWS + 1, INT64_MIN};
    for (int i = 0; i < 2; i++) {
        must_write(plan, starts[i], ROWS, POSENC_F64, rows);
        for (int64_t t = 0; t < ROWS; t++) {
            int64_t id = starts[i] + t;
            must_write_ids(plan, POSENC_I64, &id, 1, POSENC_F64, row);
            must_equal("end of int64", POSENC_F64, rows[t], row, DIM);
        }
    }
    posenc_plan_destroy(plan);
}

/* data + byte_offset is where element 0 lies; nothing before or behind is touched. */
static void test_byte_offset(void **state) {
    (void)state;
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    for (int d = 0; d < 4; d++) {
        size_t bytes = posenc_dtype_bytes(encoding_dtypes[d]), n = 3 * DIM * bytes;
        guard g = guard_make(n, GUARD_BEHIND);
        posenc_view v;
        DLTensor *out = posenc_view_make(&v, g.data - 16 * bytes, encoding_dtypes[d], 2, (int64_t[]){3, DIM}, NULL);
        out->byte_offset = 16 * bytes;
        assert_int_equal(posenc_plan_write(plan, NULL, out, NULL), POSENC_OK);
        char want[3 * DIM * 8];
        must_write(plan, 0, 3, encoding_dtypes[d], want);
        assert_memory_equal(want, g.data, n);
        guard_end(&g);
    }
    posenc_plan_destroy(plan);
}

/* Outputs flush with a forbidden page, before and behind, for many shapes: nothing past an end is read or written. */
static void test_guarded_calls(void **state) {
    (void)state;
    random_state random = random_start("guarded calls");
    for (int round = 0; round < 600; round++) {
        guard_side side = round & 1 ? GUARD_BEFORE : GUARD_BEHIND;
        posenc_dtype dtype = encoding_dtypes[round / 2 % 4];
        plan_shape shape = {.dim = random_between(&random, 1, 140),
                            .layout = (posenc_layout)random_between(&random, 0, 2),
                            .cos_first = round & 8,
                            .arithmetic = round % 16 == 0 ? POSENC_ARITHMETIC_FLOAT32 : POSENC_ARITHMETIC_EXACT};
        int64_t tokens = random_between(&random, 1, 70), n = tokens * shape.dim;
        size_t bytes = (size_t)n * posenc_dtype_bytes(dtype);
        posenc_plan *plan = must_plan(NULL, &shape);
        guard x = guard_make(bytes, side), y = guard_make(bytes, side);
        random_fill(&random, dtype, x.data, n);
        guard_read_only(&x);
        must_write(plan, -30, tokens, dtype, y.data);
        must_add(plan, -30, 1, tokens, dtype, x.data, 1, y.data);
        guard_writable(&x);
        must_add(plan, -30, 1, tokens, dtype, x.data, 1, x.data);
        must_equal("guarded", dtype, x.data, y.data, n);
        guard_end(&x);
        guard_end(&y);
        posenc_plan_destroy(plan);
    }
}

/* x and y as two column blocks of one wide buffer, like q and k of a packed projection: they share no element. */
static void test_neighbouring_columns(void **state) {
    (void)state;
    enum { TOKENS = 40, WIDE = 3 * DIM };
    static float packed[TOKENS][WIDE], want[TOKENS][DIM], x_copy[TOKENS][DIM];
    random_state random = random_start("neighbouring columns");
    random_fill_f32(&random, &packed[0][0], TOKENS * WIDE);
    for (int t = 0; t < TOKENS; t++) memcpy(x_copy[t], packed[t], sizeof x_copy[t]);
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    posenc_view v, w;
    const int64_t shape[2] = {TOKENS, DIM}, strides[2] = {WIDE, 1};
    DLTensor *x = posenc_view_make(&v, packed[0], POSENC_F32, 2, shape, strides);
    DLTensor *y = posenc_view_make(&w, packed[0] + DIM, POSENC_F32, 2, shape, strides);
    posenc_error error = {0};
    check(posenc_plan_add(plan, NULL, x, 1, y, &error) == POSENC_OK, "%s", error.message);
    must_add(plan, 0, 1, TOKENS, POSENC_F32, x_copy, 1, want);
    for (int t = 0; t < TOKENS; t++) {
        assert_memory_equal(packed[t], x_copy[t], sizeof x_copy[t]);
        assert_memory_equal(packed[t] + DIM, want[t], sizeof want[t]);
    }
    w.tensor.data = packed[0] + DIM - 1; /* one column in common */
    assert_int_equal(posenc_plan_add(plan, NULL, x, 1, y, NULL), POSENC_ERROR_OVERLAP);
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_to_do),
                                       cmocka_unit_test(test_empty_ids_are_not_read),
                                       cmocka_unit_test(test_no_positions_means_from_zero),
                                       cmocka_unit_test(test_ends_of_positions),
                                       cmocka_unit_test(test_byte_offset),
                                       cmocka_unit_test(test_guarded_calls),
                                       cmocka_unit_test(test_neighbouring_columns)};
    return TEST_RUN(tests);
}
