/* Buckets of t5 and deberta beside the published formulas, each of their float32 operations done in MPFR at 24 bits,
 * for every distance below 10^5 and for far ones; and the values that the papers' codes are known to give. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpfr.h>

#include "schemes/log_buckets.h"
#include "support/biases.h"
#include "support/test.h"

enum { NEAR = 100000, FLOAT_BITS = 24, DOUBLE_BITS = 53 };

typedef struct formula {
    bool t5, both;
    int64_t buckets, most_distance;
} formula;

static posenc_plan *plan_of(const formula *f) {
    char texts[4][64];
    snprintf(texts[0], 64, "buckets=%" PRId64, f->buckets);
    snprintf(texts[1], 64, "max-distance=%" PRId64, f->most_distance);
    snprintf(texts[2], 64, "bidirectional=%s", f->both ? "true" : "false");
    const char *t5[] = {"heads=1", texts[0], texts[1], texts[2], NULL}, *deberta[] = {texts[0], texts[1], NULL};
    return must_bias_plan(NULL, f->t5 ? "t5" : "deberta", f->t5 ? t5 : deberta);
}

static int64_t bucket_of(const posenc_plan *plan, int64_t distance) {
    int64_t bucket = INT64_MIN;
    assert_int_equal(posenc_bias_bucket(plan, distance, &bucket, NULL), POSENC_OK);
    return bucket;
}

/* ---- the published codes ---- */

/* x = float(float(log(float(n) / unit)) / span) * steps, each step in float. */
static double share_of(uint64_t n, int64_t unit, mpfr_srcptr span, int64_t steps) {
    mpfr_t x;
    mpfr_init2(x, FLOAT_BITS);
    mpfr_set_uj(x, n, MPFR_RNDN);
    mpfr_div_si(x, x, (long)unit, MPFR_RNDN);
    mpfr_log(x, x, MPFR_RNDN);
    mpfr_div(x, x, span, MPFR_RNDN);
    mpfr_mul_si(x, x, (long)steps, MPFR_RNDN);
    double value = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clear(x);
    return value;
}

/* T5: torch.log(n.float() / max_exact) / math.log(max_distance / max_exact) * (num_buckets - max_exact), where the
 * quotient and the logarithm of the scalar are double, and float when a tensor is divided by it. */
static int64_t t5_bucket(const formula *f, mpfr_ptr span, int64_t relative) {
    int64_t buckets = f->both ? f->buckets / 2 : f->buckets, base = f->both && relative > 0 ? buckets : 0;
    uint64_t n = relative < 0 ? 0 - (uint64_t)relative : f->both ? (uint64_t)relative : 0;
    int64_t exact = buckets / 2;
    if (n < (uint64_t)exact) return base + (int64_t)n;
    double large = (double)exact + floor(share_of(n, exact, span, buckets - exact));
    return base + (int64_t)fmin(large, (double)(buckets - 1));
}

/* DeBERTa: ceil(torch.log(abs / mid) / torch.log(torch.tensor((max_position - 1) / mid)) * (mid - 1)) + mid. */
static int64_t deberta_bucket(const formula *f, mpfr_ptr span, int64_t relative) {
    uint64_t n =
        relative < 0 ? 0 - (uint64_t)relative : (uint64_t)relative; /* relative is j - i, the code's is i - j */
    int64_t mid = f->buckets / 2;
    if (n <= (uint64_t)mid) return -relative;
    int64_t far = mid + (int64_t)ceil(share_of(n, mid, span, mid - 1));
    return relative > 0 ? -far : far;
}

static void set_span(const formula *f, mpfr_ptr span) {
    int64_t half = (f->t5 && f->both ? f->buckets / 2 : f->buckets) / 2;
    mpfr_t quotient;
    mpfr_init2(quotient, DOUBLE_BITS);
    mpfr_set_sj(quotient, f->t5 ? f->most_distance : f->most_distance - 1, MPFR_RNDN);
    mpfr_div_si(quotient, quotient, (long)half, MPFR_RNDN);
    if (f->t5) mpfr_log(quotient, quotient, MPFR_RNDN); /* math.log, then float */
    mpfr_set(span, quotient, MPFR_RNDN);
    if (!f->t5) mpfr_log(span, span, MPFR_RNDN); /* torch.tensor, then torch.log */
    mpfr_clear(quotient);
}

static int64_t published(const formula *f, mpfr_ptr span, int64_t relative) {
    return f->t5 ? t5_bucket(f, span, relative) : deberta_bucket(f, span, relative);
}

static void check_formula(const formula *f, int64_t reach, random_state *random) {
    mpfr_t span;
    mpfr_init2(span, FLOAT_BITS);
    set_span(f, span);
    posenc_plan *plan = plan_of(f);
    for (int64_t d = -reach; d < reach + 2000; d++) {
        int64_t distance = d < reach ? d : random_position(random);
        int64_t want = published(f, span, distance), got = bucket_of(plan, distance);
        check(want == got,
              "%s buckets %" PRId64 " max-distance %" PRId64 "%s: distance %" PRId64 ": expected %" PRId64
              ", got %" PRId64,
              f->t5 ? "t5" : "deberta", f->buckets, f->most_distance, f->both ? "" : " causal", distance, want, got);
    }
    posenc_plan_destroy(plan);
    mpfr_clear(span);
}

static void test_every_near_distance(void **state) {
    (void)state;
    random_state random = random_start("buckets near");
    static const formula formulas[] = {{true, true, 32, 128}, {true, false, 32, 128}, {false, false, 256, 512}};
    for (int i = 0; i < 3; i++) check_formula(&formulas[i], NEAR, &random);
}

static void test_other_parameters(void **state) {
    (void)state;
    random_state random = random_start("buckets random");
    static const formula edges[] = {{true, false, 2, 2},
                                    {true, true, 4, 2},
                                    {true, false, 3, 7},
                                    {true, true, 6, 100},
                                    {true, true, 64, 256},
                                    {true, false, 320, 800},
                                    {false, false, 4, 4},
                                    {false, false, 4, 1000},
                                    {false, false, 256, 130},
                                    {false, false, 512, 1024},
                                    {false, false, 128, 66},
                                    {true, true, 4096, 1 << 20},
                                    {true, false, 32, INT64_C(1) << 40}};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) check_formula(&edges[i], 2500, &random);
    for (int round = 0; round < 60; round++) {
        formula f = {.t5 = random_between(&random, 0, 1), .both = random_between(&random, 0, 1)};
        f.buckets = 2 * random_between(&random, 2, 200);
        f.most_distance = f.buckets / 2 + random_between(&random, 2, 3000);
        check_formula(&f, 2500, &random);
    }
}

/* ---- the logarithm itself ---- */

/* Floats whose logarithm lies so near the middle of two floats that a double does not tell: all of them in 1..16, where
 * long double can be trusted to find them. There the wide arithmetic decides; elsewhere the C library's is good enough.
 */
static void test_hard_logarithms(void **state) {
    (void)state;
    mpfr_t exact;
    int hard = 0;
    mpfr_init2(exact, FLOAT_BITS);
    for (float x = nextafterf(1, 2); x < 16; x = nextafterf(x, 17)) {
        long double value = logl((long double)x);
        double near = (double)value;
        if ((float)(near * (1 - 0x1p-46)) == (float)(near * (1 + 0x1p-46))) continue;
        hard++;
        mpfr_set_flt(exact, x, MPFR_RNDN);
        mpfr_log(exact, exact, MPFR_RNDN);
        check(posenc_log_f32(x) == mpfr_get_flt(exact, MPFR_RNDN), "log(%a)", (double)x);
    }
    check(hard >= 2, "only %d hard ones", hard);
    mpfr_clear(exact);
}

/* Any floats from 1 to 2^63. */
static void test_random_logarithms(void **state) {
    (void)state;
    random_state random = random_start("logarithms");
    mpfr_t exact;
    mpfr_init2(exact, FLOAT_BITS);
    for (int i = 0; i < 300000; i++) {
        float x = (float)ldexp(1 + random_unit(&random), (int)random_between(&random, 0, 62));
        mpfr_set_flt(exact, x, MPFR_RNDN);
        mpfr_log(exact, exact, MPFR_RNDN);
        check(posenc_log_f32(x) == mpfr_get_flt(exact, MPFR_RNDN), "log(%a)", (double)x);
    }
    assert_true(posenc_log_f32(1) == 0);
    mpfr_clear(exact);
}

/* ---- known values ---- */

typedef struct known {
    int64_t distance, bucket;
} known;

static void check_known(const formula *f, const known *values, size_t n) {
    posenc_plan *plan = plan_of(f);
    for (size_t i = 0; i < n; i++) {
        int64_t got = bucket_of(plan, values[i].distance);
        check(got == values[i].bucket, "distance %" PRId64 ": expected %" PRId64 ", got %" PRId64, values[i].distance,
              values[i].bucket, got);
    }
    posenc_plan_destroy(plan);
}

static void test_known_values(void **state) {
    (void)state;
    static const known both[] = {{-200, 15}, {-128, 15}, {-91, 15}, {-90, 14},       {-64, 14},      {-32, 12},
                                 {-16, 10},  {-8, 8},    {-1, 1},   {0, 0},          {1, 17},        {8, 24},
                                 {16, 26},   {64, 30},   {127, 31}, {INT64_MIN, 15}, {INT64_MAX, 31}};
    static const known causal[] = {{-15, 15}, {-16, 16}, {-32, 21},       {-64, 26},     {-127, 31},
                                   {5, 0},    {0, 0},    {INT64_MIN, 31}, {INT64_MAX, 0}};
    static const known deberta[] = {{-129, 129}, {-200, 169}, {-256, 192}, {-511, 255}, {-512, 256},
                                    {129, -129}, {200, -169}, {256, -192}, {511, -255}, {512, -256},
                                    {0, 0},      {128, -128}, {-128, 128}};
    check_known(&(formula){true, true, 32, 128}, both, sizeof both / sizeof *both);
    check_known(&(formula){true, false, 32, 128}, causal, sizeof causal / sizeof *causal);
    check_known(&(formula){false, false, 256, 512}, deberta, sizeof deberta / sizeof *deberta);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_near_distance), cmocka_unit_test(test_other_parameters),
        cmocka_unit_test(test_hard_logarithms),     cmocka_unit_test(test_random_logarithms),
        cmocka_unit_test(test_known_values),
    };
    return TEST_RUN(tests);
}
