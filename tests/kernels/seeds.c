/* The kernels behind a digit place: finish_seeds (an angle to twice the double precision), digit_rows and digit_row
 * (multiples of it, each rounded to double once) and turn (a product of phasors). MPFR is the oracle. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "kernels/kernels.h"
#include "support/guard.h"
#include "support/test.h"

enum { BITS = 320 };

/* A pair-array in guarded memory. */
static double *pairs(guard *g, size_t n, guard_side side) {
    *g = guard_make(n * sizeof(double), side);
    return (double *)(void *)g->data;
}

static double two_parts(mpfr_ptr x, double *low) {
    double high = mpfr_get_d(x, MPFR_RNDN);
    mpfr_t rest;
    mpfr_init2(rest, BITS);
    mpfr_sub_d(rest, x, high, MPFR_RNDN);
    *low = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_clear(rest);
    return high;
}

typedef struct seeds {
    size_t n;
    guard guards[6];
    posenc_seed seed;
    double *turn_high, *turn_low;
    mpfr_t *turns; /* the whole angle of each pair, in turns */
} seeds;

static seeds seeds_make(size_t n, guard_side side) {
    seeds s = {.n = n};
    s.seed = (posenc_seed){pairs(&s.guards[0], n, side), pairs(&s.guards[1], n, side), pairs(&s.guards[2], n, side),
                           pairs(&s.guards[3], n, side)};
    s.turn_high = pairs(&s.guards[4], n, side);
    s.turn_low = pairs(&s.guards[5], n, side);
    s.turns = malloc((n + 1) * sizeof *s.turns);
    if (!s.turns) abort();
    for (size_t i = 0; i < n; i++) mpfr_init2(s.turns[i], BITS);
    return s;
}

static void seeds_end(seeds *s) {
    for (size_t i = 0; i < s->n; i++) mpfr_clear(s->turns[i]);
    free(s->turns);
    for (int i = 0; i < 6; i++) guard_end(&s->guards[i]);
}

static void sin_cos_turns(mpfr_ptr sine, mpfr_ptr cosine, mpfr_srcptr turns) {
    mpfr_t angle;
    mpfr_init2(angle, BITS);
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_mul_2ui(angle, angle, 1, MPFR_RNDN);
    mpfr_mul(angle, angle, turns, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
    mpfr_clear(angle);
}

/* Pair i begins at k/128 turn and lacks up to 1/256 turn; some lack nothing, some a tiny bit, some all of 1/256. */
static void seeds_fill(seeds *s, random_state *random) {
    mpfr_t sine, cosine, near;
    mpfr_inits2(BITS, sine, cosine, near, (mpfr_ptr)0);
    for (size_t i = 0; i < s->n; i++) {
        const double rests[] = {0, 0x1p-8, -0x1p-8, ldexp(random_unit(random), -(int)random_between(random, 9, 120)),
                                (2 * random_unit(random) - 1) * 0x1p-8};
        double high = rests[random_between(random, 0, 4)];
        double low = fabs(high) == 0x1p-8 ? 0 : high * (2 * random_unit(random) - 1) * 0x1p-54;
        s->turn_high[i] = high;
        s->turn_low[i] = low;
        mpfr_set_d(near, (double)random_between(random, 0, 127) / 128, MPFR_RNDN);
        sin_cos_turns(sine, cosine, near);
        s->seed.sin_high[i] = two_parts(sine, &s->seed.sin_low[i]);
        s->seed.cos_high[i] = two_parts(cosine, &s->seed.cos_low[i]);
        mpfr_add_d(s->turns[i], near, high, MPFR_RNDN);
        mpfr_add_d(s->turns[i], s->turns[i], low, MPFR_RNDN);
    }
    mpfr_clears(sine, cosine, near, (mpfr_ptr)0);
}

/* |high + low - exact|. */
static double distance(double high, double low, mpfr_srcptr exact) {
    mpfr_t d;
    mpfr_init2(d, BITS);
    mpfr_sub_d(d, exact, high, MPFR_RNDN);
    mpfr_sub_d(d, d, low, MPFR_RNDN);
    double size = fabs(mpfr_get_d(d, MPFR_RNDN));
    mpfr_clear(d);
    return size;
}

static void copy_seeds(seeds *to, const seeds *from) {
    for (int i = 0; i < 6; i++) memcpy(to->guards[i].data, from->guards[i].data, from->n * sizeof(double));
    for (size_t i = 0; i < from->n; i++) mpfr_set(to->turns[i], from->turns[i], MPFR_RNDN);
}

static const size_t sizes[] = {16, 32, 48, 256};

/* The sum is right to 100 bits behind the point, and has the baseline's bits on every instruction set. */
static void test_finish_seeds(void **state) {
    (void)state;
    random_state random = random_start("finish seeds");
    mpfr_t sine, cosine;
    mpfr_inits2(BITS, sine, cosine, (mpfr_ptr)0);
    double worst = 0;
    for (int round = 0; round < 24; round++) {
        guard_side side = round & 1 ? GUARD_BEFORE : GUARD_BEHIND;
        size_t n = sizes[round % 4];
        seeds given = seeds_make(n, side), base = seeds_make(n, side), mine = seeds_make(n, side);
        seeds_fill(&given, &random);
        copy_seeds(&base, &given);
        posenc_kernels_baseline.finish_seeds(&(posenc_seed_job){n, base.turn_high, base.turn_low, base.seed});
        for (size_t i = 0; i < n; i++) {
            sin_cos_turns(sine, cosine, given.turns[i]);
            double s = distance(base.seed.sin_high[i], base.seed.sin_low[i], sine);
            double c = distance(base.seed.cos_high[i], base.seed.cos_low[i], cosine);
            worst = fmax(worst, fmax(s, c));
            check(fmax(s, c) <= 0x1p-100, "pair %zu, rest %.17g turn: off by %g and %g", i, given.turn_high[i], s, c);
        }
        for (int isa = 1; isa < POSENC_ISA_COUNT; isa++) {
            if (!posenc_isa_runs((posenc_isa)isa)) continue;
            copy_seeds(&mine, &given);
            posenc_kernels_of((posenc_isa)isa)
                ->finish_seeds(&(posenc_seed_job){n, mine.turn_high, mine.turn_low, mine.seed});
            for (int k = 0; k < 4; k++)
                check(memcmp(mine.guards[k].data, base.guards[k].data, n * sizeof(double)) == 0,
                      "%s differs from baseline in array %d", posenc_isa_text((posenc_isa)isa), k);
        }
        seeds_end(&given);
        seeds_end(&base);
        seeds_end(&mine);
    }
    fprintf(stderr, "finish_seeds: worst error 2^%.1f\n", log2(worst));
    mpfr_clears(sine, cosine, (mpfr_ptr)0);
}

/* How far a double lies outside half an ulp of a value: 0 for the correctly rounded one. */
static double excess(double got, mpfr_srcptr exact) {
    int exponent;
    frexp(got, &exponent);
    return fmax(0, distance(got, 0, exact) - ldexp(1, exponent - 54));
}

/* Row r holds r times the angle of its pair, rounded once. 32 products in twice the double precision may shift the
 * border of rounding by 2^-96. */
static void check_row(const seeds *given, int r, const double *sines, const double *cosines, double *worst) {
    mpfr_t sine, cosine, turns;
    mpfr_inits2(BITS, sine, cosine, turns, (mpfr_ptr)0);
    for (size_t i = 0; i < given->n; i++) {
        mpfr_mul_si(turns, given->turns[i], r, MPFR_RNDN);
        sin_cos_turns(sine, cosine, turns);
        double error = fmax(excess(sines[i], sine), excess(cosines[i], cosine));
        *worst = fmax(*worst, error);
        check(error <= 0x1p-96, "row %d pair %zu: %g past half an ulp", r, i, error);
    }
    mpfr_clears(sine, cosine, turns, (mpfr_ptr)0);
}

static void check_isa_rows(const posenc_kernels *k, const seeds *given, const posenc_seed *seed, int rows,
                           size_t stride, const double *base, guard_side side) {
    size_t n = given->n, half = stride / 2;
    guard out = guard_make((size_t)rows * stride * sizeof(double), side), one;
    double *table = (double *)(void *)out.data, *alone = pairs(&one, 2 * n, side);
    k->digit_rows(seed, n, rows, table, stride);
    for (int r = 0; r < rows; r++) {
        const double *row = table + (size_t)r * stride, *want = base + (size_t)r * stride;
        check(memcmp(row, want, n * sizeof *row) == 0 && memcmp(row + half, want + half, n * sizeof *row) == 0,
              "%s row %d of %d differs from baseline", posenc_isa_text(k->isa), r, rows);
        if (r == 0) continue;
        k->digit_row(seed, n, r, alone, alone + n);
        check(memcmp(row, alone, n * sizeof *row) == 0 && memcmp(row + half, alone + n, n * sizeof *row) == 0,
              "%s row %d alone differs from the same row of a table", posenc_isa_text(k->isa), r);
    }
    guard_end(&out);
    guard_end(&one);
}

static void test_digit_rows(void **state) {
    (void)state;
    random_state random = random_start("digit rows");
    double worst = 0;
    for (int round = 0; round < 24; round++) {
        guard_side side = round & 1 ? GUARD_BEFORE : GUARD_BEHIND;
        size_t n = sizes[round % 4], stride = 2 * n + (round % 3 == 0 ? 32 : 0);
        int rows = round < 4 ? 33 : (int)random_between(&random, 0, 33);
        seeds given = seeds_make(n, side);
        seeds_fill(&given, &random);
        posenc_kernels_baseline.finish_seeds(&(posenc_seed_job){n, given.turn_high, given.turn_low, given.seed});
        double *base = malloc(((size_t)rows * stride + 1) * sizeof *base);
        if (!base) abort();
        posenc_kernels_baseline.digit_rows(&given.seed, n, rows, base, stride);
        for (int r = 0; r < rows; r++)
            check_row(&given, r, base + (size_t)r * stride, base + (size_t)r * stride + stride / 2, &worst);
        for (int isa = 0; isa < POSENC_ISA_COUNT; isa++)
            if (posenc_isa_runs((posenc_isa)isa))
                check_isa_rows(posenc_kernels_of((posenc_isa)isa), &given, &given.seed, rows, stride, base, side);
        free(base);
        seeds_end(&given);
    }
    fprintf(stderr, "digit_rows: at most 2^%.1f past half an ulp\n", log2(worst));
}

/* turn: the product in plain operations, the sine of the factor negated for sign -1. */
static void test_turn(void **state) {
    (void)state;
    random_state random = random_start("turn");
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        for (int round = 0; round < 16; round++) {
            size_t n = sizes[round % 4];
            guard g[4];
            double *v[4], sign = round & 1 ? -1 : 1;
            for (int k = 0; k < 4; k++) v[k] = pairs(&g[k], n, round & 2 ? GUARD_BEFORE : GUARD_BEHIND);
            for (size_t i = 0; i < n; i++)
                for (int k = 0; k < 4; k++) v[k][i] = 2 * random_unit(&random) - 1;
            double *want = malloc(2 * n * sizeof *want);
            if (!want) abort();
            for (size_t i = 0; i < n; i++) {
                volatile double a = v[0][i] * v[3][i], b = v[1][i] * (sign * v[2][i]);
                volatile double c = v[1][i] * v[3][i], d = v[0][i] * (sign * v[2][i]);
                want[i] = a + b;
                want[n + i] = c - d;
            }
            posenc_kernels_of((posenc_isa)isa)->turn(v[0], v[1], v[2], v[3], sign, n);
            check(memcmp(v[0], want, n * sizeof *want) == 0 && memcmp(v[1], want + n, n * sizeof *want) == 0,
                  "%s: turn by sign %g differs from the equation", posenc_isa_text((posenc_isa)isa), sign);
            free(want);
            for (int k = 0; k < 4; k++) guard_end(&g[k]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_finish_seeds), cmocka_unit_test(test_digit_rows),
                                       cmocka_unit_test(test_turn)};
    return TEST_RUN(tests);
}
