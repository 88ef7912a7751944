/* Laws of rotary spectra: families that come down to one another, lengths that share a spectrum, axes that share out
 * pairs, powers of xPos. Bits are compared where the law is one of exact numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schemes/rotary.h"
#include "support/isa.h"
#include "support/refusal.h"
#include "support/spectra.h"
#include "support/tensors.h"
#include "support/test.h"

enum { ROUNDS = 30, MOST = SPECTRA_MOST_PAIRS };

static posenc_rotary_info describe(const spectra_case *c, int64_t length, double *omega) {
    posenc_plan *plan = must_rotary(NULL, c);
    posenc_rotary_info info = {.size = sizeof info};
    assert_int_equal(posenc_rotary_describe(plan, length, &info, omega, NULL, NULL), POSENC_OK);
    posenc_plan_destroy(plan);
    return info;
}

static void must_be_one(const spectra_case *a, int64_t a_length, const spectra_case *b, int64_t b_length) {
    double x[MOST], y[MOST];
    posenc_rotary_info info = describe(a, a_length, x);
    describe(b, b_length, y);
    must_equal(spectra_text(a), POSENC_F64, x, y, info.pairs);
}

/* The plain frequencies with the same base, width and arithmetic. */
static spectra_case plain_of(const spectra_case *c) {
    spectra_case plain;
    spectra_start(&plain, POSENC_SCALING_DEFAULT, c->options.head_dim, c->options.dim);
    plain.options.base = c->options.base;
    plain.options.arithmetic = c->options.arithmetic;
    return plain;
}

/* A factor of 1, divisors of 1 and one's own plain frequencies change nothing. */
static void test_nothing_changed_is_default(void **state) {
    (void)state;
    random_state random = random_start("rotary factor 1");
    for (int round = 0; round < ROUNDS * SPECTRA_SCALINGS; round++) {
        posenc_scaling scaling = (posenc_scaling)(round % SPECTRA_SCALINGS);
        spectra_case c;
        spectra_random_single(&c, scaling, &random);
        if (scaling != POSENC_SCALING_LONGROPE) c.options.factor = 1;
        c.options.fraction = 1;
        c.options.arithmetic = POSENC_ARITHMETIC_EXACT;
        for (int i = 0; i < MOST; i++) c.lists[0][i] = c.lists[1][i] = 1;
        spectra_case plain = plain_of(&c);
        if (scaling == POSENC_SCALING_CUSTOM) describe(&plain, 0, c.lists[0]);
        must_be_one(&c, scaling == POSENC_SCALING_DYNAMIC ? c.options.original_length : c.length, &plain, 0);
    }
}

/* linear: position p turns as p / factor does without it; for a power of two, to the last bit. */
static void test_linear_divides_positions(void **state) {
    (void)state;
    random_state random = random_start("rotary linear");
    for (int round = 0; round < ROUNDS; round++) {
        double x[MOST], y[MOST];
        spectra_case c, plain;
        spectra_random_single(&c, POSENC_SCALING_LINEAR, &random);
        plain = plain_of(&c);
        c.options.factor = ldexp(1, (int)random_between(&random, -9, 20));
        posenc_rotary_info info = describe(&c, 0, x);
        describe(&plain, 0, y);
        for (int64_t i = 0; i < info.pairs; i++)
            check(x[i] * c.options.factor == y[i], "%s pair %" PRId64, spectra_text(&c), i);
    }
}

/* ntk keeps the first frequency and divides the last one by factor. */
static void test_ntk_ends(void **state) {
    (void)state;
    random_state random = random_start("rotary ntk");
    for (int round = 0; round < ROUNDS; round++) {
        double x[MOST], y[MOST];
        spectra_case c, plain;
        spectra_random_single(&c, POSENC_SCALING_NTK, &random);
        plain = plain_of(&c);
        posenc_rotary_info info = describe(&c, 0, x);
        describe(&plain, 0, y);
        int64_t last = info.pairs - 1;
        check(x[0] == 1 && fabs(x[last] * c.options.factor / y[last] - 1) < 4e-16, "%s", spectra_text(&c));
    }
}

/* dynamic at length L is ntk with the factor s(L), here one that is a double. */
static void test_dynamic_is_ntk(void **state) {
    (void)state;
    random_state random = random_start("rotary dynamic");
    for (int round = 0; round < ROUNDS; round++) {
        spectra_case d, n;
        spectra_random_single(&d, POSENC_SCALING_DYNAMIC, &random);
        n = plain_of(&d);
        int64_t times = random_between(&random, 1, 64);
        d.options.factor = (double)random_between(&random, 1, 64) / 8;
        n.options.scaling = POSENC_SCALING_NTK;
        n.options.factor = 1 + d.options.factor * (double)(times - 1);
        d.length = times * d.options.original_length;
        must_be_one(&d, d.length, &n, 0);
    }
}

/* Blends lie between the two ends, and pairs come in the order kept, blended, divided. */
static void test_blends_lie_between(void **state) {
    (void)state;
    random_state random = random_start("rotary blends");
    for (int round = 0; round < 2 * ROUNDS; round++) {
        double x[MOST], y[MOST];
        spectra_case c, plain;
        spectra_random_single(&c, round % 2 ? POSENC_SCALING_YARN : POSENC_SCALING_LLAMA3, &random);
        if (c.options.base < 1.5) c.options.base = 1e4;
        c.options.factor = 1 + 9 * random_unit(&random);
        plain = plain_of(&c);
        posenc_rotary_info info = describe(&c, 0, x);
        describe(&plain, 0, y);
        for (int64_t i = 0; i < info.pairs; i++) {
            double divided = y[i] / c.options.factor;
            if (i < info.kept) check(x[i] == y[i], "%s pair %" PRId64 " is not kept", spectra_text(&c), i);
            if (i >= info.kept + info.blended)
                check(fabs(x[i] / divided - 1) < 3e-16, "%s pair %" PRId64 " is not divided", spectra_text(&c), i);
            check(x[i] <= y[i] && x[i] >= divided * (1 - 3e-16), "%s pair %" PRId64, spectra_text(&c), i);
        }
    }
}

/* ---- lengths ---- */

static void must_share(const spectra_case *c, int64_t a, int64_t b, bool share) {
    posenc_plan *plan = must_rotary(NULL, c);
    double x[MOST], y[MOST];
    posenc_rotary_info info = {.size = sizeof info};
    assert_int_equal(posenc_rotary_describe(plan, a, &info, x, NULL, NULL), POSENC_OK);
    assert_int_equal(posenc_rotary_describe(plan, b, &info, y, NULL, NULL), POSENC_OK);
    bool same = memcmp(x, y, (size_t)info.pairs * sizeof *x) == 0;
    check(posenc_rotary_same_length(plan, a, b) == share && same == share, "%s: %" PRId64 " and %" PRId64,
          spectra_text(c), a, b);
    posenc_plan_destroy(plan);
}

static void test_lengths(void **state) {
    (void)state;
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_DYNAMIC, 64, 0);
    must_share(&c, 1, 4096, true);
    must_share(&c, 0, 4096, true);
    must_share(&c, 4096, 4097, false);
    must_share(&c, 5000, 5001, false);
    c.options.sequence_length = 5000;
    must_share(&c, 1, 9000, true);
    spectra_start(&c, POSENC_SCALING_LONGROPE, 64, 0);
    must_share(&c, 1, 4096, true);
    must_share(&c, 0, 4096, true);
    must_share(&c, 4096, 4097, false);
    must_share(&c, 4097, INT64_MAX, true);
    c.options.sequence_length = 4097;
    must_share(&c, 1, 9000, true);
    spectra_start(&c, POSENC_SCALING_YARN, 64, 0);
    must_share(&c, 1, 9000, true);
}

/* A pinned length is that length given by a call, wherever it was pinned. */
static void test_pinned(void **state) {
    (void)state;
    random_state random = random_start("rotary pinned");
    for (int round = 0; round < ROUNDS; round++) {
        spectra_case c, pinned;
        spectra_random_single(&c, round % 2 ? POSENC_SCALING_DYNAMIC : POSENC_SCALING_LONGROPE, &random);
        spectra_copy(&pinned, &c);
        pinned.options.sequence_length = c.length;
        double x[MOST], y[MOST];
        posenc_rotary_info a = describe(&c, c.length, x), b = describe(&pinned, random_between(&random, 0, 100000), y);
        must_equal(spectra_text(&c), POSENC_F64, x, y, a.pairs);
        assert_true(a.depends_on_length && !b.depends_on_length && a.amplitude == b.amplitude);
    }
}

/* ---- axes ---- */

/* Axes share out the pairs: each stands in one block, and its frequency is the one without axes. */
static void test_axes_share_out(void **state) {
    (void)state;
    random_state random = random_start("rotary axes");
    for (int round = 0; round < ROUNDS * SPECTRA_SCALINGS; round++) {
        spectra_case c, single;
        spectra_random(&c, (posenc_scaling)(round % SPECTRA_SCALINGS), &random);
        if (c.options.axes == POSENC_AXES_AXIAL) continue;
        spectra_copy(&single, &c);
        single.options.axes = POSENC_AXES_SINGLE;
        single.options.n_sections = single.options.n_axis_map = 0;
        must_be_one(&c, c.length, &single, c.length);
        posenc_plan *plan = must_rotary(NULL, &c);
        const posenc_rotary *rotary = posenc_rotary_of(plan);
        int seen[MOST] = {0};
        for (int b = 0; b < rotary->spectrum.n_blocks; b++) {
            const posenc_rotary_block *block = &rotary->spectrum.blocks[b];
            assert_true(block->n > 0 && block->axis < rotary->axes && (b == 0 || block->axis > block[-1].axis));
            for (size_t k = 0; k < block->n; k++) seen[block->at ? block->at[k] : block->first + k]++;
            for (size_t k = 1; block->at && k < block->n; k++) assert_true(block->at[k] > block->at[k - 1]);
        }
        for (size_t i = 0; i < rotary->pairs; i++) check(seen[i] == 1, "%s pair %zu", spectra_text(&c), i);
        posenc_plan_destroy(plan);
    }
}

/* An axial block is a plan of its own, twice as wide as its pairs. */
static void test_axial_blocks(void **state) {
    (void)state;
    random_state random = random_start("rotary axial");
    static const posenc_scaling families[] = {POSENC_SCALING_DEFAULT, POSENC_SCALING_LINEAR, POSENC_SCALING_NTK,
                                              POSENC_SCALING_DYNAMIC, POSENC_SCALING_YARN,   POSENC_SCALING_LLAMA3};
    for (int round = 0; round < ROUNDS; round++) {
        spectra_case c, part;
        spectra_start(&c, families[round % 6], 128, 0);
        c.sections[0] = random_between(&random, 2, 31), c.sections[1] = 62 - c.sections[0], c.sections[2] = 2;
        c.options.axes = POSENC_AXES_AXIAL, c.options.sections = c.sections, c.options.n_sections = 3;
        double all[MOST], one[MOST];
        describe(&c, 9000, all);
        for (int64_t a = 0, first = 0; a < 3; first += c.sections[a++]) {
            spectra_start(&part, families[round % 6], 2 * c.sections[a], 0);
            describe(&part, 9000, one);
            must_equal(spectra_text(&c), POSENC_F64, all + first, one, c.sections[a]);
        }
    }
}

/* The same bits on every instruction set: the engine's tables are in other tests, the frequencies in this one. */
static void test_same_on_every_isa(void **state) {
    (void)state;
    random_state random = random_start("rotary isa");
    for (int round = 0; round < SPECTRA_SCALINGS; round++) {
        spectra_case c;
        double x[MOST], y[MOST];
        spectra_random(&c, (posenc_scaling)round, &random);
        if (round % 2) c.options.arithmetic = POSENC_ARITHMETIC_FLOAT32;
        describe(&c, c.length, x);
        for (size_t k = 0; k < isa_count(); k++) {
            posenc_context *context = isa_context(k, 1);
            posenc_plan *plan = must_rotary(context, &c);
            posenc_rotary_info info = {.size = sizeof info};
            assert_int_equal(posenc_rotary_describe(plan, c.length, &info, y, NULL, NULL), POSENC_OK);
            must_equal(spectra_text(&c), POSENC_F64, x, y, info.pairs);
            assert_string_equal(posenc_plan_isa(plan), posenc_isa_name(k));
            posenc_plan_destroy(plan);
            posenc_context_destroy(context);
        }
    }
}

/* ---- xPos ---- */

static posenc_plan *xpos_plan(int64_t dim, double scale_base, double centre) {
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_DEFAULT, dim, 0);
    c.options.xpos_scale_base = scale_base, c.options.xpos_centre = centre;
    return must_rotary(NULL, &c);
}

static double ulps(double got, mpfr_t want) {
    mpfr_t difference;
    mpfr_init2(difference, SPECTRA_BITS);
    mpfr_sub_d(difference, want, got, MPFR_RNDN);
    double value = fabs(mpfr_get_d(difference, MPFR_RNDN)) / ldexp(1, ilogb(got) - 52);
    mpfr_clear(difference);
    return value;
}

/* zeta_i^n with zeta_i = (2i + 0.4 d)/(1.4 d), n = (p - centre)/scale_base as doubles divide. */
static void test_powers(void **state) {
    (void)state;
    random_state random = random_start("rotary xpos");
    static const double scale_bases[] = {512, 64, 1000.5, 0.25, 1e6};
    mpfr_t want, exponent;
    mpfr_inits2(SPECTRA_BITS, want, exponent, (mpfr_ptr)0);
    double worst = 0, powers[64];
    for (int round = 0; round < 400; round++) {
        int64_t dim = 2 * random_between(&random, 1, 64);
        double scale_base = scale_bases[round % 5], centre = round % 2 ? 0 : floor(scale_base * random_unit(&random));
        double position = centre + scale_base * 70.8 * (2 * random_unit(&random) - 1), n;
        if (round % 3) position = floor(position);
        n = (position - centre) / scale_base;
        if (fabs(n) > 70.8) continue;
        posenc_plan *plan = xpos_plan(dim, scale_base, centre);
        assert_int_equal(posenc_rotary_xpos(posenc_rotary_of(plan), position, powers, NULL), POSENC_OK);
        for (int64_t i = 0; i < dim / 2; i++) {
            mpfr_set_si(want, (long)(10 * i + 2 * dim), MPFR_RNDN);
            mpfr_div_si(want, want, (long)(7 * dim), MPFR_RNDN);
            mpfr_set_d(exponent, n, MPFR_RNDN);
            mpfr_pow(want, want, exponent, MPFR_RNDN);
            double off = ulps(powers[i], want);
            worst = fmax(worst, off);
            check(off <= 2, "dim %" PRId64 " at %.17g of %g, pair %" PRId64 ": %g ulp", dim, position, scale_base, i,
                  off);
        }
        posenc_plan_destroy(plan);
    }
    printf("xPos: powers within %.3f ulp\n", worst);
    mpfr_clears(want, exponent, (mpfr_ptr)0);
}

/* The limit is where a power or its inverse leaves f32; within it both are there; the centre is power 0. */
static void test_power_limits(void **state) {
    (void)state;
    static const double limits[][3] = {{64, 0, 4532}, {512, 0, 36260}, {512, 1000, 36260}};
    double powers[32];
    for (int k = 0; k < 3; k++) {
        posenc_plan *plan = xpos_plan(64, limits[k][0], limits[k][1]);
        const posenc_rotary *rotary = posenc_rotary_of(plan);
        for (int side = -1; side <= 1; side += 2) {
            posenc_error error = error_blank();
            double edge = limits[k][1] + side * limits[k][2];
            assert_int_equal(posenc_rotary_xpos(rotary, edge, powers, &error), POSENC_OK);
            assert_true((float)powers[0] > 0 && isfinite((float)powers[0]) && isfinite((float)(1 / powers[0])));
            powers[0] = 77;
            must_refuse("past the limit", posenc_rotary_xpos(rotary, edge + side, powers, &error),
                        POSENC_ERROR_POSITION, &error, "positions");
            char limit[32];
            snprintf(limit, sizeof limit, "at most %.0f", limits[k][2]);
            check(strstr(error.message, limit) && powers[0] == 77, "%s", error.message);
        }
        assert_int_equal(posenc_rotary_xpos(rotary, limits[k][1], powers, NULL), POSENC_OK);
        for (int i = 0; i < 32; i++) assert_true(powers[i] == 1);
        assert_int_equal(posenc_rotary_xpos(rotary, (double)NAN, powers, NULL), POSENC_ERROR_POSITION);
        posenc_plan_destroy(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_changed_is_default),
        cmocka_unit_test(test_linear_divides_positions),
        cmocka_unit_test(test_ntk_ends),
        cmocka_unit_test(test_dynamic_is_ntk),
        cmocka_unit_test(test_blends_lie_between),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_pinned),
        cmocka_unit_test(test_axes_share_out),
        cmocka_unit_test(test_axial_blocks),
        cmocka_unit_test(test_same_on_every_isa),
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_power_limits),
    };
    return TEST_RUN(tests);
}
