/* The yardstick of accuracy against MPFR, and the ways of others against the yardstick. */
#include "reference.h"

#include <math.h>
#include <string.h>

#include "baselines.h"
#include "support/oracle.h"
#include "support/test.h"

enum { LENGTH = 400, DIM = 32 };

/* What reference.h promises; the values are rounded to double besides. */
static void reference_agrees_with_mpfr(void **unused) {
    static const int64_t starts[] = {0, 4990, 1000000, 9999990};
    oracle o;
    (void)unused;
    oracle_init(&o, DIM, 10000, POSENC_LAYOUT_INTERLEAVED, false);
    for (int s = 0; s < 4; s++) {
        posenc_bench_reference r;
        assert_true(posenc_bench_reference_make(&r, starts[s], 10, DIM, 10));
        assert_int_equal(r.n_rows, 10);
        for (int64_t i = 0; i < 10 * DIM; i++) {
            double exact = mpfr_get_d(oracle_value(&o, starts[s] + i / DIM, i % DIM), MPFR_RNDN);
            check(fabs(r.values[i] - exact) <= posenc_bench_reference_bound((double)(starts[s] + i / DIM)) + 0x1p-53,
                  "position %d, column %d: %.17g, MPFR %.17g", (int)(starts[s] + i / DIM), (int)(i % DIM), r.values[i],
                  exact);
        }
        posenc_bench_reference_free(&r);
    }
    oracle_clear(&o);
}

static void rows_are_first_last_and_between(void **unused) {
    static const int64_t cases[][2] = {{1, 1},   {1, 64},     {2, 2},        {64, 64},
                                       {65, 64}, {5000, 512}, {65536, 1024}, {17, 2}};
    (void)unused;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t length = cases[c][0], most = cases[c][1];
        posenc_bench_reference r;
        assert_true(posenc_bench_reference_make(&r, 0, length, 2, most));
        check(r.n_rows >= 1 && r.n_rows <= (most < 2 ? 2 : most), "%d of %d rows", (int)r.n_rows, (int)length);
        if (length <= most) assert_int_equal(r.n_rows, length);
        assert_true(r.row[0] == 0 && r.row[r.n_rows - 1] == length - 1);
        for (int64_t i = 1; i < r.n_rows; i++) assert_true(r.row[i] > r.row[i - 1]);
        posenc_bench_reference_free(&r);
    }
}

static void worst_error_finds_one_wrong_value(void **unused) {
    posenc_bench_reference r;
    float table[8 * DIM];
    (void)unused;
    assert_true(posenc_bench_reference_make(&r, 0, 8, DIM, 8));
    for (int i = 0; i < 8 * DIM; i++) table[i] = (float)r.values[i];
    assert_true(posenc_bench_worst_error(&r, table, POSENC_F32, 1) <= 0x1p-25);
    for (int i = 0; i < 8 * DIM; i += 7) {
        float kept = table[i];
        table[i] += 0.25f;
        assert_true(fabs(posenc_bench_worst_error(&r, table, POSENC_F32, 1) - 0.25) < 1e-6);
        table[i] = NAN;
        assert_true(isnan(posenc_bench_worst_error(&r, table, POSENC_F32, 1)));
        table[i] = kept;
    }
    posenc_bench_reference_free(&r);
}

/* The oracle rounds to the narrow types; half a last place near 1 is the largest error that can come of it. */
static void narrow_types_are_read(void **unused) {
    static const struct {
        posenc_dtype dtype;
        double least, most;
    } cases[] = {{POSENC_F16, 0x1p-14, 0x1p-12}, {POSENC_BF16, 0x1p-11, 0x1p-9}};
    posenc_bench_reference r;
    oracle o;
    uint16_t table[64 * DIM];
    (void)unused;
    oracle_init(&o, DIM, 10000, POSENC_LAYOUT_INTERLEAVED, false);
    assert_true(posenc_bench_reference_make(&r, 0, 64, DIM, 64));
    for (int c = 0; c < 2; c++) {
        for (int i = 0; i < 64 * DIM; i++)
            table[i] = (uint16_t)oracle_round(cases[c].dtype, oracle_value(&o, i / DIM, i % DIM));
        double error = posenc_bench_worst_error(&r, table, cases[c].dtype, 1);
        check(error > cases[c].least && error <= cases[c].most, "%s: %g", posenc_dtype_name(cases[c].dtype), error);
    }
    posenc_bench_reference_free(&r);
    oracle_clear(&o);
}

typedef struct {
    const char *name;
    void (*fill)(void *);
    double least, most; /* worst error at LENGTH x DIM */
} way;

static const way ways[] = {{"naive", posenc_bench_naive, 1e-8, 2.99e-8},
                           {"hoisted", posenc_bench_hoisted, 1e-8, 2.99e-8},
                           {"float32", posenc_bench_float32, 1e-6, 1e-4},
                           {"doubled", posenc_bench_naive_doubled, 0.5, 2}};

/* Each makes the table that it should, as exactly as its arithmetic can; each 16th row is the same as in the whole. */
static void ways_of_others_make_their_tables(void **unused) {
    static float whole[LENGTH * DIM], slice[LENGTH / 16 * DIM];
    static double scratch[2 * DIM];
    posenc_bench_reference r;
    (void)unused;
    assert_true(posenc_bench_reference_make(&r, 0, LENGTH, DIM, LENGTH));
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        ways[i].fill(&(posenc_bench_rows){0, 1, LENGTH, DIM, whole, scratch});
        ways[i].fill(&(posenc_bench_rows){0, 16, LENGTH / 16, DIM, slice, scratch});
        double error = posenc_bench_worst_error(&r, whole, POSENC_F32, 1);
        check(error > ways[i].least && error <= ways[i].most, "%s: worst error %g", ways[i].name, error);
        assert_true(posenc_bench_worst_error(&r, slice, POSENC_F32, 16) <= error);
        for (int row = 0; row < LENGTH / 16; row++)
            assert_memory_equal(slice + row * DIM, whole + 16 * row * DIM, DIM * sizeof(float));
    }
    posenc_bench_reference_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_agrees_with_mpfr), cmocka_unit_test(rows_are_first_last_and_between),
        cmocka_unit_test(worst_error_finds_one_wrong_value), cmocka_unit_test(narrow_types_are_read),
        cmocka_unit_test(ways_of_others_make_their_tables)};
    return TEST_RUN(tests);
}
