/* The scheme "learned": first values that depend on seed and place only, by the tests' own Philox; and no row outside.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/isa.h"
#include "support/number.h"
#include "support/philox.h"
#include "support/refusal.h"
#include "support/sines.h"
#include "support/tensors.h"
#include "support/test.h"

typedef struct table_of {
    int64_t dim, rows;
    const char *init, *scale, *seed;
} table_of;

static posenc_plan *must_learned(const posenc_context *context, table_of t) {
    char dim[24], rows[24];
    snprintf(dim, sizeof dim, "%" PRId64, t.dim);
    snprintf(rows, sizeof rows, "%" PRId64, t.rows);
    const posenc_parameter parameters[] = {
        {"dim", dim}, {"max-len", rows}, {"init", t.init}, {"init-scale", t.scale}, {"init-seed", t.seed}};
    posenc_plan *plan = NULL;
    posenc_error error = {0};
    check(posenc_plan_create(context, "learned", parameters, 5, &plan, &error) == POSENC_OK, "%s", error.message);
    return plan;
}

static double uniform_slowly(uint64_t seed, uint64_t e, double s) {
    double word = (double)philox_word(seed, UINT64_MAX, e);
    return s * (2 * ((word + 0.5) * 0x1p-32) - 1);
}

/* Every dtype, instruction set and width: one rounding of s (2u - 1). */
static void test_uniform(void **state) {
    (void)state;
    static const int64_t dims[] = {1, 3, 5, 64, 257, 600};
    static unsigned char out[7 * 600 * 8];
    for (size_t isa = 0; isa < isa_count(); isa++)
        for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
            for (int k = 0; k < 4; k++) {
                posenc_context *context = isa_context(isa, 1);
                posenc_plan *plan = must_learned(context, (table_of){dims[d], 7, "uniform", "0.02", "12345"});
                posenc_dtype dtype = encoding_dtypes[k];
                must_write(plan, 0, 7, dtype, out);
                for (int64_t e = 0; e < 7 * dims[d]; e++) {
                    uint64_t got = number_load(dtype, out + e * (int64_t)posenc_dtype_bytes(dtype));
                    uint64_t want = number_encode(dtype, uniform_slowly(12345, (uint64_t)e, 0.02));
                    check(got == want, "%s element %" PRId64 " of width %" PRId64, posenc_dtype_name(dtype), e,
                          dims[d]);
                }
                posenc_plan_destroy(plan);
                posenc_context_destroy(context);
            }
}

/* The values do not depend on max-len, and any position may be asked for alone. */
static void test_normal_and_equation(void **state) {
    (void)state;
    enum { DIM = 7, ROWS = 40 };
    double table[ROWS * DIM], value;
    posenc_plan *plan = must_learned(NULL, (table_of){DIM, ROWS, "normal", "0.5", "9"});
    posenc_plan *longer = must_learned(NULL, (table_of){DIM, 1000000, "normal", "0.5", "9"});
    posenc_plan *uniform = must_learned(NULL, (table_of){DIM, ROWS, "uniform", "0.5", "9"});
    must_write(plan, 0, ROWS, POSENC_F64, table);
    double sum = 0, squares = 0;
    for (int64_t p = 0; p < ROWS; p++) {
        double row[DIM];
        must_write(longer, p, 1, POSENC_F64, row);
        must_equal("a longer table", POSENC_F64, table + p * DIM, row, DIM);
        for (int64_t c = 0; c < DIM; c++) {
            assert_int_equal(posenc_plan_equation(plan, (double)p, c, &value), POSENC_OK);
            check(fabs(value - row[c]) <= 1e-15, "equation %.17g, row %.17g", value, row[c]);
            sum += row[c], squares += row[c] * row[c];
            assert_int_equal(posenc_plan_equation(uniform, (double)p, c, &value), POSENC_OK);
            check(fabs(value - uniform_slowly(9, (uint64_t)(p * DIM + c), 0.5)) <= 1e-16, "uniform equation");
        }
    }
    check(fabs(sum / (ROWS * DIM)) < 0.15 && fabs(sqrt(squares / (ROWS * DIM)) - 0.5) < 0.1, "mean %g, deviation %g",
          sum / (ROWS * DIM), sqrt(squares / (ROWS * DIM)));
    assert_int_equal(posenc_plan_equation(plan, ROWS, 0, &value), POSENC_ERROR_POSITION);
    assert_int_equal(posenc_plan_equation(plan, -1, 0, &value), POSENC_ERROR_POSITION);
    assert_int_equal(posenc_plan_equation(plan, 0.5, 0, &value), POSENC_ERROR_POSITION);
    posenc_plan_destroy(plan);
    posenc_plan_destroy(longer);
    posenc_plan_destroy(uniform);
}

/* Rows that are not there are refused before anything is written, by every verb. */
static void test_outside(void **state) {
    (void)state;
    enum { DIM = 4, ROWS = 6 };
    float out[ROWS * DIM], before[ROWS * DIM];
    posenc_plan *plan = must_learned(NULL, (table_of){DIM, ROWS, "uniform", "1", "0"});
    posenc_view view, ids_view;
    posenc_error error = error_blank();
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    memset(out, 0x55, sizeof out);
    memcpy(before, out, sizeof out);
    DLTensor *rows = posenc_view_make(&view, out, POSENC_F32, 2, (int64_t[]){ROWS, DIM}, NULL);
    for (int k = 0; k < 3; k++) {
        positions.start = k == 0 ? 1 : k == 1 ? -1 : INT64_MAX - ROWS;
        posenc_status status = posenc_plan_write(plan, &positions, rows, &error);
        must_refuse("write", status, POSENC_ERROR_POSITION, &error, "positions");
        check(strstr(error.message, "0..5") && strstr(error.message, "6 rows"), "%s", error.message);
        status = posenc_plan_add(plan, &positions, rows, 1, rows, &error);
        must_refuse("add", status, POSENC_ERROR_POSITION, &error, "positions");
        assert_memory_equal(out, before, sizeof out);
    }
    double ids[ROWS] = {0, 1, 2, 3.5, 4, 5};
    positions.start = 0;
    positions.ids = posenc_view_make(&ids_view, ids, POSENC_F64, 1, (int64_t[]){ROWS}, NULL);
    must_refuse("a fraction", posenc_plan_write(plan, &positions, rows, &error), POSENC_ERROR_POSITION, &error,
                "positions");
    assert_memory_equal(out, before, sizeof out);
    posenc_cursor *cursor;
    assert_int_equal(posenc_cursor_create(plan, &cursor, NULL), POSENC_OK);
    assert_int_equal(posenc_cursor_write_f32(cursor, ROWS, out), POSENC_ERROR_POSITION);
    assert_int_equal(posenc_cursor_add_f32(cursor, -1, out, out), POSENC_ERROR_POSITION);
    assert_memory_equal(out, before, sizeof out);
    assert_int_equal(posenc_cursor_write_f32(cursor, 5, out), POSENC_OK);
    must_write(plan, 5, 1, POSENC_F32, before);
    must_equal("cursor", POSENC_F32, before, out, DIM);
    posenc_cursor_destroy(cursor);
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_uniform), cmocka_unit_test(test_normal_and_equation),
                                       cmocka_unit_test(test_outside)};
    return TEST_RUN(tests);
}
