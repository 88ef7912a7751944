/* y = x * scale + E: equals writing E first and adding it, in place or not, in every batch row, for every dtype, on
 * every instruction set and number of threads. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/isa.h"
#include "support/number.h"
#include "support/tensors.h"
#include "support/test.h"

/* The sum from the definition. table holds the rows in f32, or f64 beside f64. */
static void expected_sum(posenc_dtype dtype, const char *x, double scale, const char *table, int64_t batch, int64_t row,
                         char *y) {
    posenc_dtype wide = dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    size_t bytes = posenc_dtype_bytes(dtype), e_bytes = posenc_dtype_bytes(wide);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < row; i++, x += bytes, y += bytes) {
            uint64_t e = number_load(wide, table + (size_t)i * e_bytes);
            number_store(dtype, number_fused(dtype, number_load(dtype, x), scale, e), y);
        }
}

static void check_sum(const plan_shape *shape, posenc_dtype dtype, int64_t start, int64_t batch, int64_t tokens,
                      double scale, const posenc_context *context, random_state *random) {
    int64_t row = tokens * shape->dim, n = batch * row;
    size_t bytes = posenc_dtype_bytes(dtype);
    char *x = must_allocate((size_t)n * bytes), *y = must_allocate((size_t)n * bytes),
         *want = must_allocate((size_t)n * bytes);
    char *table = must_allocate((size_t)row * 8);
    posenc_plan *plan = must_plan(context, shape);
    random_fill(random, dtype, x, n);
    must_write(plan, start, tokens, dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32, table);
    expected_sum(dtype, x, scale, table, batch, row, want);
    must_add(plan, start, batch, tokens, dtype, x, scale, y);
    must_equal(plan_text(shape), dtype, want, y, n);
    must_add(plan, start, batch, tokens, dtype, x, scale, x);
    must_equal("in place", dtype, want, x, n);
    free(x);
    free(y);
    free(want);
    free(table);
    posenc_plan_destroy(plan);
}

static plan_shape random_shape(random_state *random) {
    static const int64_t dims[] = {1, 2, 3, 5, 7, 8, 31, 64, 127, 128, 300, 512};
    return (plan_shape){.dim = dims[random_between(random, 0, 11)],
                        .layout = (posenc_layout)random_between(random, 0, 2),
                        .cos_first = (int)random_between(random, 0, 1),
                        .arithmetic = random_between(random, 0, 4) ? POSENC_ARITHMETIC_EXACT
                                                                   : (posenc_arithmetic)random_between(random, 1, 2)};
}

static void test_sum_is_the_definition(void **state) {
    (void)state;
    random_state random = random_start("addition");
    for (size_t isa = 0; isa < isa_count(); isa++) {
        posenc_context *context = isa_context(isa, 1);
        for (int round = 0; round < TEST_ROUNDS(300); round++) {
            plan_shape shape = random_shape(&random);
            const double scales[] = {1, sqrt((double)shape.dim), 0.1, -2, 0};
            check_sum(&shape, encoding_dtypes[round % 4], random_position(&random) / 2, random_between(&random, 0, 3),
                      random_between(&random, 0, 80), scales[random_between(&random, 0, 4)], context, &random);
        }
        posenc_context_destroy(context);
    }
}

/* Sizes at which threads and streaming stores begin, up to a work several times the last-level cache of small machines.
 */
static void test_large_sums(void **state) {
    (void)state;
    random_state random = random_start("large addition");
    for (int round = 0; round < 8; round++) {
        posenc_context *context = isa_context((size_t)round % isa_count(), 1 + round % 4);
        plan_shape shape = {.dim = round & 1 ? 512 : 385, .cos_first = round & 1};
        check_sum(&shape, encoding_dtypes[round % 4], round * 1000, round < 4 ? 1 : 5, 2000, round & 2 ? 1 : 19.6,
                  context, &random);
        posenc_context_destroy(context);
    }
}

static void test_plain_pointer_call(void **state) {
    (void)state;
    random_state random = random_start("add_f32");
    for (int round = 0; round < 50; round++) {
        plan_shape shape = random_shape(&random);
        int64_t batch = random_between(&random, 1, 3), tokens = random_between(&random, 1, 70),
                start = random_position(&random) / 2;
        int64_t n = batch * tokens * shape.dim;
        float *x = must_allocate((size_t)n * 4), *want = must_allocate((size_t)n * 4),
              *y = must_allocate((size_t)n * 4);
        posenc_plan *plan = must_plan(NULL, &shape);
        random_fill_f32(&random, x, n);
        must_add(plan, start, batch, tokens, POSENC_F32, x, 1, want);
        assert_int_equal(posenc_plan_add_f32(plan, start, batch, tokens, x, y), POSENC_OK);
        must_equal("add_f32", POSENC_F32, want, y, n);
        assert_int_equal(posenc_plan_add_f32(plan, start, batch, tokens, x, x), POSENC_OK);
        must_equal("add_f32 in place", POSENC_F32, want, x, n);
        free(x);
        free(y);
        free(want);
        posenc_plan_destroy(plan);
    }
}

/* NaN stays, infinities stay, and minus zero plus a zero of the table is plus zero. */
static void test_special_inputs(void **state) {
    (void)state;
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 6});
    for (int d = 0; d < 4; d++) {
        posenc_dtype dtype = encoding_dtypes[d];
        size_t bytes = posenc_dtype_bytes(dtype);
        char x[6 * 8], y[6 * 8];
        const double values[6] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -0.0, -0.0, 0.0};
        for (int i = 0; i < 6; i++) number_store(dtype, number_encode(dtype, values[i]), x + (size_t)i * bytes);
        must_add(plan, 0, 1, 1, dtype, x, 1, y);
        const uint64_t infinity = number_infinity(dtype);
        assert_true(number_is_nan(dtype, number_load(dtype, y)));
        assert_true(number_load(dtype, y + bytes) == infinity);
        assert_true(number_load(dtype, y + 2 * bytes) == number_with_sign(dtype, infinity, true));
        assert_true(number_decode(dtype, number_load(dtype, y + 3 * bytes)) == 1);
        assert_true(number_load(dtype, y + 4 * bytes) == 0);
        assert_true(number_decode(dtype, number_load(dtype, y + 5 * bytes)) == 1);
    }
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sum_is_the_definition), cmocka_unit_test(test_large_sums),
                                       cmocka_unit_test(test_plain_pointer_call),
                                       cmocka_unit_test(test_special_inputs)};
    return TEST_RUN(tests);
}
