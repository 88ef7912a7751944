/* Every value against the sum in long double over weights of the formulas, rounded once to the dtype. What lies between
 * the roundings of exact - slack and exact + slack is right; the slack is what sums in double may lose, and a little
 * that the weights in long double do. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/number.h"
#include "support/resizes.h"
#include "support/tensors.h"
#include "support/test.h"

enum { MOST = 64 }; /* old indices of an axis */

/* Bits in the order of their values. */
static int64_t order_of(posenc_dtype dtype, uint64_t bits) {
    uint64_t sign = number_with_sign(dtype, 0, true);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

typedef struct judge {
    const resize_case *c;
    posenc_dtype dtype;
    int64_t dim;
    const char *table, *out;
    int64_t values, exact; /* looked at, and those that are the exact value rounded */
} judge;

static void judge_value(judge *j, const long double *v, const long double *h, int64_t o, int64_t column) {
    const resize_case *c = j->c;
    size_t bytes = posenc_dtype_bytes(j->dtype);
    long double sum = 0, slack = 0;
    for (int64_t i = 0; i < c->from[0] * c->from[1]; i++) {
        int64_t at = (c->prefix + i) * j->dim + column;
        long double weight = v[i / c->from[1]] * h[i % c->from[1]];
        long double value = (long double)number_decode(j->dtype, number_load(j->dtype, j->table + (size_t)at * bytes));
        sum += weight * value;
        slack += 2e-15L * fabsl(weight * value) + 1e-18L * fabsl(value);
    }
    uint64_t got = number_load(j->dtype, j->out + (size_t)((c->prefix + o) * j->dim + column) * bytes);
    int64_t low = order_of(j->dtype, number_encode(j->dtype, (double)(sum - slack)));
    int64_t high = order_of(j->dtype, number_encode(j->dtype, (double)(sum + slack))), mine = order_of(j->dtype, got);
    check(low <= mine && mine <= high, "%s %s new %" PRId64 " column %" PRId64 ": expected %.20Lg, got %.17g",
          resize_text(c), posenc_dtype_name(j->dtype), o, column, sum, number_decode(j->dtype, got));
    j->values++;
    j->exact += mine == order_of(j->dtype, number_encode(j->dtype, (double)sum));
}

static void judge_all(judge *j) {
    long double v[MOST], h[MOST];
    for (int64_t o = 0; o < j->c->to[0] * j->c->to[1]; o++) {
        resize_weights(j->c, j->c->from[0], j->c->to[0], o / j->c->to[1], v);
        resize_weights(j->c, j->c->from[1], j->c->to[1], o % j->c->to[1], h);
        for (int64_t column = 0; column < j->dim; column++) judge_value(j, v, h, o, column);
    }
}

/* Values of all sizes that the dtype has, so that subnormal results and ties occur, or of about one size. */
static void fill(random_state *random, posenc_dtype dtype, char *table, int64_t n) {
    size_t bytes = posenc_dtype_bytes(dtype);
    int spread = (int)random_between(random, 0, 1) * 24;
    for (int64_t i = 0; i < n; i++) {
        double value = ldexp(2 * random_unit(random) - 1, (int)random_between(random, -spread, spread ? 12 : 0));
        number_store(dtype, number_encode(dtype, value), table + (size_t)i * bytes);
    }
}

static void judge_case(random_state *random, const resize_case *c, posenc_dtype dtype, int64_t dim, int64_t *values,
                       int64_t *exact) {
    int64_t n_old = resize_old_rows(c) * dim, n_new = resize_new_rows(c) * dim;
    char *table = must_allocate((size_t)n_old * 8), *out = must_allocate((size_t)n_new * 8);
    fill(random, dtype, table, n_old);
    must_resize(NULL, c, dtype, dim, table, out);
    judge j = {.c = c, .dtype = dtype, .dim = dim, .table = table, .out = out};
    judge_all(&j);
    *values += j.values;
    *exact += j.exact;
    free(table);
    free(out);
}

static void test_rounded_once(void **state) {
    (void)state;
    random_state random = random_start("resize accuracy");
    for (int d = 0; d < 4; d++) {
        int64_t values = 0, exact = 0;
        for (int round = 0; round < 600; round++) {
            bool grid = random_between(&random, 0, 1);
            int64_t most = grid ? 12 : MOST;
            resize_case c = resize_way(round % RESIZE_WAYS, grid ? random_between(&random, 1, most) : 1,
                                       random_between(&random, 1, most), grid ? random_between(&random, 1, most) : 1,
                                       random_between(&random, 1, most));
            c.prefix = random_between(&random, 0, 2);
            judge_case(&random, &c, encoding_dtypes[d], random_between(&random, 1, 9), &values, &exact);
        }
        if (encoding_dtypes[d] == POSENC_F64) continue;
        /* Rational weights make true ties: (13 a + b) / 14 is one for every few a and b. */
        check(exact >= values - values / 1000, "%s: %" PRId64 " of %" PRId64 " values are not the exact one rounded",
              posenc_dtype_name(encoding_dtypes[d]), values - exact, values);
    }
}

/* Halves of two neighbours lie just between them, a hair more or less just beside: where rounding twice goes wrong. */
static void test_ties_to_even(void **state) {
    (void)state;
    const resize_case half = resize_way(0, 1, 2, 1, 1);
    for (int d = 0; d < 4; d++) {
        posenc_dtype dtype = encoding_dtypes[d];
        if (dtype == POSENC_F64) continue;
        for (uint64_t bits = 1; bits < 1000; bits++) {
            char table[16], out[8];
            number_store(dtype, bits, table);
            number_store(dtype, bits + 1, table + posenc_dtype_bytes(dtype));
            must_resize(NULL, &half, dtype, 1, table, out);
            uint64_t want = bits + (bits & 1);
            check(number_load(dtype, out) == want, "%s: %" PRIx64 " + half: got %" PRIx64, posenc_dtype_name(dtype),
                  bits, number_load(dtype, out));
        }
    }
}

/* (3 a + b) / 4 with b tiny beside a. 3 a / 4 is half way between two f16, and b decides; a sum rounded to f32 first
 * has lost b. */
static void test_no_rounding_twice(void **state) {
    (void)state;
    const resize_case quarters = resize_way(0, 1, 2, 1, 4);
    const double a = 1 + 682 * 0x1p-10;
    for (int sign = -1; sign <= 1; sign += 2) {
        char table[4], out[8];
        double b = sign * 0x1p-24;
        number_store(POSENC_F16, number_encode(POSENC_F16, a), table);
        number_store(POSENC_F16, number_encode(POSENC_F16, b), table + 2);
        must_resize(NULL, &quarters, POSENC_F16, 1, table, out);
        uint64_t want = number_encode(POSENC_F16, 0.75 * a + 0.25 * b), got = number_load(POSENC_F16, out + 2);
        check(got == want, "sign %d: expected %" PRIx64 ", got %" PRIx64, sign, want, got);
    }
    assert_int_equal(number_encode(POSENC_F16, 0.75 * a + 0x1p-26), number_encode(POSENC_F16, 0.75 * a - 0x1p-26) + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounded_once),
        cmocka_unit_test(test_ties_to_even),
        cmocka_unit_test(test_no_rounding_twice),
    };
    return TEST_RUN(tests);
}
