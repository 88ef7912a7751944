/* The curve that a plan's frequencies promise: beside MPFR, and beside the cosines of the plan's own table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "diagnose/cosines.h"
#include "support/oracle.h"
#include "support/tensors.h"
#include "support/test.h"

static double *must_expect(const posenc_plan *plan, int64_t length) {
    double *curve = must_allocate((size_t)length * sizeof *curve);
    posenc_error error = {0};
    check(posenc_similarity_expected(plan, length, curve, &error) == POSENC_OK, "%s", error.message);
    return curve;
}

static double oracle_curve(oracle *o, int64_t distance) {
    mpfr_t sum;
    mpfr_init2(sum, ORACLE_BITS);
    mpfr_set_zero(sum, 1);
    for (int64_t i = 0; i < o->n_frequencies; i++) {
        oracle_pair(o, distance, i);
        mpfr_add(sum, sum, o->cosine, MPFR_RNDN);
    }
    mpfr_div_ui(sum, sum, (unsigned long)o->n_frequencies, MPFR_RNDN);
    double mean = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clear(sum);
    return mean;
}

/* Few distances of many plans: every layout and arithmetic, which changes nothing, and bases on both sides of 1. */
static void test_the_curve_is_exact(void **state) {
    (void)state;
    enum { LENGTH = 3000, STEP = 271 };
    static const int64_t dims[] = {2, 4, 6, 30, 128, 1000};
    static const double bases[] = {0, 100, 0.01, 1e30, 1};
    int n = 0;
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
        for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
            for (int layout = 0; layout < 3; layout++, n++) {
                plan_shape shape = {dims[d], bases[b], (posenc_layout)layout, n % 2, (posenc_arithmetic)(n % 3), 10};
                posenc_plan *plan = must_plan(NULL, &shape);
                double *curve = must_expect(plan, LENGTH);
                oracle o;
                oracle_init(&o, dims[d], bases[b] == 0 ? 10000 : bases[b], shape.layout, false);
                for (int64_t k = n % 2; k < LENGTH; k += STEP) {
                    double want = oracle_curve(&o, k);
                    check(fabs(curve[k] - want) <= 1e-14, "%s, distance %lld: expected %.17g, got %.17g",
                          plan_text(&shape), (long long)k, want, curve[k]);
                }
                check(curve[0] == 1, "%s: %.17g at distance 0", plan_text(&shape), curve[0]);
                oracle_clear(&o);
                free(curve);
                posenc_plan_destroy(plan);
            }
}

/* Two ways to one curve: from the frequencies, and from all pairs of rows. */
static void check_table(const plan_shape *shape, int64_t start, int64_t length) {
    posenc_plan *plan = must_plan(NULL, shape);
    float *table = must_allocate((size_t)(length * shape->dim) * sizeof *table);
    must_write(plan, start, length, POSENC_F32, table);
    posenc_similarity *similarity = must_similarity(NULL, POSENC_F32, table, length, shape->dim);
    double *curve = must_allocate((size_t)length * sizeof *curve), *want = must_expect(plan, length);
    posenc_similarity_report r = {.size = sizeof r};
    assert_int_equal(posenc_similarity_summary(similarity, curve, &r, NULL), POSENC_OK);
    for (int64_t k = 0; k < length; k++)
        check(fabs(curve[k] - want[k]) <= 1e-6, "%s from %lld, distance %lld: %.9g from the table, %.9g expected",
              plan_text(shape), (long long)start, (long long)k, curve[k], want[k]);
    free(want);
    free(curve);
    posenc_similarity_destroy(similarity);
    free(table);
    posenc_plan_destroy(plan);
}

static void test_tables_have_the_curve(void **state) {
    (void)state;
    static const int64_t dims[] = {2, 6, 64, 512};
    static const double bases[] = {10000, 500, 1e6, 0.5};
    for (int layout = 0; layout < 3; layout++)
        for (int d = 0; d < 4; d++)
            for (int b = 0; b < 4; b++)
                check_table(&(plan_shape){dims[d], bases[b], (posenc_layout)layout, b % 2, POSENC_ARITHMETIC_EXACT, 0},
                            d * 100000, d == 0 ? 1000 : 300);
}

static void test_nothing_and_one(void **state) {
    (void)state;
    double one = 0;
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 8});
    assert_int_equal(posenc_similarity_expected(plan, 0, NULL, NULL), POSENC_OK);
    assert_int_equal(posenc_similarity_expected(plan, 1, &one, NULL), POSENC_OK);
    assert_true(one == 1);
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_curve_is_exact),
                                       cmocka_unit_test(test_tables_have_the_curve),
                                       cmocka_unit_test(test_nothing_and_one)};
    return TEST_RUN(tests);
}
