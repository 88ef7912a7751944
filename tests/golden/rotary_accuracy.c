/* Rotary frequencies of every family at random parameters, against MPFR: the wide numbers of turns themselves, which
 * are to be right far below double's last place, and what posenc_rotary_describe shows of them. Rows of the spectrum
 * and the slow equation at positions up to 2^53. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schemes/rotary.h"
#include "support/isa.h"
#include "support/spectra.h"
#include "support/tensors.h"
#include "support/test.h"

enum { ROUNDS = 40 };

/* turns as the library keeps them, of either sign. */
static void exact_of(const posenc_wide *turns, mpfr_t out) {
    bool negative = turns->w[3] >> 63;
    uint64_t carry = 1;
    mpfr_set_zero(out, 1);
    for (int i = 0; i < POSENC_WIDE_WORDS; i++) {
        uint64_t word = turns->w[i];
        if (negative) {
            word = ~word + carry;
            carry = carry && word == 0;
        }
        mpfr_t part;
        mpfr_init2(part, 64);
        mpfr_set_uj_2exp(part, word, 64 * i - 192, MPFR_RNDN);
        mpfr_add(out, out, part, MPFR_RNDN);
        mpfr_clear(part);
    }
    if (negative) mpfr_neg(out, out, MPFR_RNDN);
}

static double two_pi_error(const posenc_wide *turns, mpfr_t omega, mpfr_t work) {
    mpfr_t want;
    mpfr_init2(want, SPECTRA_BITS);
    mpfr_const_pi(want, MPFR_RNDN);
    mpfr_mul_ui(want, want, 2, MPFR_RNDN);
    mpfr_div(want, omega, want, MPFR_RNDN);
    exact_of(turns, work);
    mpfr_sub(work, work, want, MPFR_RNDN);
    double size = fabs(mpfr_get_d(want, MPFR_RNDN)), error = fabs(mpfr_get_d(work, MPFR_RNDN));
    mpfr_clear(want);
    return error / (size > 1 ? size : 1);
}

/* The engine's own number of pair i. */
static const posenc_wide *turns_of(const posenc_rotary_spectrum *s, size_t i, int *axis) {
    for (int b = 0; b < s->n_blocks; b++)
        for (size_t k = 0; k < s->blocks[b].n; k++) {
            const posenc_rotary_block *block = &s->blocks[b];
            if ((block->at ? block->at[k] : block->first + k) != i) continue;
            *axis = block->axis;
            return &block->rows.engine.turns[k];
        }
    test_failed(__FILE__, __LINE__, "a block", "pair %zu stands in none", i);
}

static void check_case(const posenc_context *context, const spectra_case *c, double *worst) {
    posenc_plan *plan = must_rotary(context, c);
    posenc_rotary_info info = {.size = sizeof info};
    double omega[SPECTRA_MOST_PAIRS];
    int64_t axis[SPECTRA_MOST_PAIRS];
    posenc_rotary_spectrum s;
    mpfr_t want, work;
    mpfr_inits2(SPECTRA_BITS, want, work, (mpfr_ptr)0);
    assert_int_equal(posenc_rotary_describe(plan, c->length, &info, omega, axis, NULL), POSENC_OK);
    assert_int_equal(posenc_rotary_spectrum_at(plan, c->length, &s, NULL), POSENC_OK);
    for (int64_t i = 0; i < info.pairs; i++) {
        int own_axis;
        spectra_omega(c, i, want);
        double error = two_pi_error(turns_of(&s, (size_t)i, &own_axis), want, work);
        if (error > *worst) *worst = error;
        check(error < 0x1p-120, "%s pair %" PRId64 ": turns off by %g", spectra_text(c), i, error);
        check(omega[i] == mpfr_get_d(want, MPFR_RNDN), "%s pair %" PRId64 ": expected %.17g, got %.17g",
              spectra_text(c), i, mpfr_get_d(want, MPFR_RNDN), omega[i]);
        check(axis[i] == spectra_axis(c, i) && own_axis == axis[i], "%s pair %" PRId64 ": axis %" PRId64,
              spectra_text(c), i, axis[i]);
    }
    check(info.kept + info.blended + info.divided == info.pairs, "%s", spectra_text(c));
    check(fabs(info.amplitude / spectra_amplitude(c) - 1) < 5e-16, "%s: amplitude %.17g", spectra_text(c),
          info.amplitude);
    check(fabs(info.softmax_factor / spectra_softmax_factor(c) - 1) < 7e-16, "%s: softmax factor %.17g",
          spectra_text(c), info.softmax_factor);
    mpfr_clears(want, work, (mpfr_ptr)0);
    posenc_rotary_spectrum_destroy(plan, &s);
    posenc_plan_destroy(plan);
}

static void test_every_family(void **state) {
    (void)state;
    random_state random = random_start("rotary spectra");
    double worst[SPECTRA_SCALINGS] = {0};
    for (int round = 0; round < ROUNDS * SPECTRA_SCALINGS; round++) {
        spectra_case c;
        posenc_scaling scaling = (posenc_scaling)(round % SPECTRA_SCALINGS);
        spectra_random(&c, scaling, &random);
        check_case(NULL, &c, &worst[scaling]);
    }
    for (int s = 0; s < SPECTRA_SCALINGS; s++) printf("scaling %d: turns within 2^%.1f\n", s, log2(worst[s]));
}

/* ---- rows and the slow equation ---- */

/* 2 pi omega p from 384 bits. */
static void check_phasor(const spectra_case *c, int64_t i, double position, double sine, double cosine, double bound,
                         const char *what) {
    mpfr_t omega, s, co;
    mpfr_inits2(SPECTRA_BITS, omega, s, co, (mpfr_ptr)0);
    spectra_omega(c, i, omega);
    mpfr_mul_d(omega, omega, position, MPFR_RNDN);
    mpfr_sin_cos(s, co, omega, MPFR_RNDN);
    mpfr_sub_d(s, s, sine, MPFR_RNDN);
    mpfr_sub_d(co, co, cosine, MPFR_RNDN);
    double error = fmax(fabs(mpfr_get_d(s, MPFR_RNDN)), fabs(mpfr_get_d(co, MPFR_RNDN)));
    check(error <= bound, "%s: %s at %.17g pair %" PRId64 ": off by %g", what, spectra_text(c), position, i, error);
    mpfr_clears(omega, s, co, (mpfr_ptr)0);
}

static double random_far(random_state *random) {
    double size = (double)(random_u64(random) >> random_between(random, 11, 60));
    return random_u64(random) & 1 ? -size : size;
}

/* One row of each axis. */
static void check_rows(const posenc_plan *plan, const spectra_case *c, double position) {
    posenc_rotary_spectrum s;
    double row[2 * SPECTRA_MOST_PAIRS];
    assert_int_equal(posenc_rotary_spectrum_at(plan, c->length, &s, NULL), POSENC_OK);
    for (int b = 0; b < s.n_blocks; b++) {
        const posenc_rotary_block *block = &s.blocks[b];
        posenc_row_scratch scratch;
        assert_int_equal(posenc_row_scratch_create(&scratch, &block->rows, NULL), POSENC_OK);
        posenc_rows_emit_real(&scratch, POSENC_F64, position, (posenc_row_target){.out = (char *)row});
        for (size_t k = 0; k < block->n; k += 1 + block->n / 7)
            check_phasor(c, (int64_t)(block->at ? block->at[k] : block->first + k), position, row[k], row[block->n + k],
                         4e-15, "row");
        posenc_row_scratch_destroy(&scratch);
    }
    posenc_rotary_spectrum_destroy(plan, &s);
}

static void test_rows_at_far_positions(void **state) {
    (void)state;
    random_state random = random_start("rotary rows");
    for (int round = 0; round < 6 * SPECTRA_SCALINGS; round++) {
        spectra_case c;
        posenc_context *context = isa_context((size_t)round % isa_count(), 1);
        spectra_random(&c, (posenc_scaling)(round % SPECTRA_SCALINGS), &random);
        posenc_plan *plan = must_rotary(context, &c);
        check_rows(plan, &c, 0x1p53);
        for (int k = 0; k < 3; k++) check_rows(plan, &c, random_far(&random));
        check_rows(plan, &c, random_unit(&random) * 1000);
        posenc_plan_destroy(plan);
        posenc_context_destroy(context);
    }
}

/* The largest angle that takes part in a blend: what long double loses is a part of that. */
static double largest_angle(const posenc_rotary_options *o, double angle, double position) {
    double most = fabs(position);
    if (o->base < 1) most /= o->base;
    if (o->factor > 0 && o->factor < 1) most /= o->factor;
    return fmax(angle, most);
}

/* A plan's own equation, at its pinned length. */
static void test_equation(void **state) {
    (void)state;
    random_state random = random_start("rotary equation");
    for (int round = 0; round < 10 * SPECTRA_SCALINGS; round++) {
        spectra_case c;
        spectra_random(&c, (posenc_scaling)(round % SPECTRA_SCALINGS), &random);
        c.options.sequence_length = c.length;
        posenc_plan *plan = must_rotary(NULL, &c);
        posenc_rotary_info info = {.size = sizeof info};
        double omega[SPECTRA_MOST_PAIRS], position = (double)random_between(&random, -4096, 4096);
        assert_int_equal(posenc_rotary_describe(plan, 0, &info, omega, NULL, NULL), POSENC_OK);
        for (int64_t i = 0; i < info.pairs; i += 1 + info.pairs / 7) {
            double cosine, sine, angle = fabs(omega[i] * position);
            if (sizeof(long double) <= 8 || angle > 0x1p30) continue;
            assert_int_equal(posenc_plan_equation(plan, position, 2 * i, &cosine), POSENC_OK);
            assert_int_equal(posenc_plan_equation(plan, position, 2 * i + 1, &sine), POSENC_OK);
            check_phasor(&c, i, position, sine / info.amplitude, cosine / info.amplitude,
                         1e-15 + largest_angle(&c.options, angle, position) * 0x1p-57, "equation");
        }
        posenc_plan_destroy(plan);
    }
}

static int end(void **state) {
    (void)state;
    mpfr_free_cache();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_family),
        cmocka_unit_test(test_rows_at_far_positions),
        cmocka_unit_test(test_equation),
    };
    test_announce_seed();
    return cmocka_run_group_tests(tests, NULL, end);
}
