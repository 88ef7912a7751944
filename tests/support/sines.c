#include "support/sines.h"

#include <stdlib.h>

#include "support/oracle.h"
#include "support/philox.h"
#include "support/test.h"

static const uint64_t stream = 0x66726571; /* "freq" */

static void init(sines *s, int64_t dim) {
    *s = (sines){.dim = dim, .n = dim / 2};
    s->omega = malloc((size_t)(s->n + 1) * sizeof *s->omega);
    if (!s->omega) abort();
    for (int64_t i = 0; i < s->n; i++) mpfr_init2(s->omega[i], ORACLE_BITS);
    mpfr_inits2(ORACLE_BITS, s->position, s->sine, s->cosine, (mpfr_ptr)0);
}

void sines_clear(sines *s) {
    for (int64_t i = 0; i < s->n; i++) mpfr_clear(s->omega[i]);
    free(s->omega);
    mpfr_clears(s->position, s->sine, s->cosine, (mpfr_ptr)0);
}

void sines_timestep(sines *s, const posenc_timestep_options *o) {
    init(s, o->dim);
    s->cos_first = o->cos_first != 0;
    mpfr_t log, span;
    mpfr_inits2(ORACLE_BITS, log, span, (mpfr_ptr)0);
    mpfr_set_d(log, o->max_period, MPFR_RNDN);
    mpfr_log(log, log, MPFR_RNDN);
    mpfr_set_si(span, (long)s->n, MPFR_RNDN);
    mpfr_sub_d(span, span, o->shift, MPFR_RNDN);
    for (int64_t i = 0; i < s->n; i++) {
        mpfr_mul_si(s->omega[i], log, -(long)i, MPFR_RNDN);
        mpfr_div(s->omega[i], s->omega[i], span, MPFR_RNDN);
        mpfr_exp(s->omega[i], s->omega[i], MPFR_RNDN);
        mpfr_mul_d(s->omega[i], s->omega[i], o->angle_scale, MPFR_RNDN);
    }
    mpfr_clears(log, span, (mpfr_ptr)0);
}

/* omega = f or G. */
static void set_frequency(sines *s, const posenc_fourier_options *o, int64_t k) {
    mpfr_ptr f = s->omega[k];
    if (o->kind == POSENC_FOURIER_GAUSSIAN) {
        mpfr_set_d(f, o->sigma * sines_normal((uint64_t)o->frequency_seed, k), MPFR_RNDN);
        return;
    }
    if (s->n == 1) {
        mpfr_set_ui(f, 1, MPFR_RNDN);
        return;
    }
    mpfr_t share;
    mpfr_init2(share, ORACLE_BITS);
    mpfr_set_si(share, (long)k, MPFR_RNDN);
    mpfr_div_si(share, share, (long)s->n - 1, MPFR_RNDN);
    mpfr_set_d(f, o->resolution / 2, MPFR_RNDN);
    if (o->kind == POSENC_FOURIER_LOG) {
        mpfr_pow(f, f, share, MPFR_RNDN);
    } else {
        mpfr_sub_ui(f, f, 1, MPFR_RNDN);
        mpfr_mul(f, f, share, MPFR_RNDN);
        mpfr_add_ui(f, f, 1, MPFR_RNDN);
    }
    mpfr_clear(share);
}

void sines_fourier(sines *s, const posenc_fourier_options *o) {
    init(s, o->dim);
    s->two_x_less_1 = o->kind == POSENC_FOURIER_GAUSSIAN;
    mpfr_t pi;
    mpfr_init2(pi, ORACLE_BITS);
    mpfr_const_pi(pi, MPFR_RNDN);
    for (int64_t k = 0; k < s->n; k++) {
        set_frequency(s, o, k);
        mpfr_mul(s->omega[k], s->omega[k], pi, MPFR_RNDN);
        if (s->two_x_less_1) mpfr_mul_2ui(s->omega[k], s->omega[k], 1, MPFR_RNDN);
    }
    mpfr_clear(pi);
}

void sines_at(sines *s, double position, int64_t frequency) {
    mpfr_set_d(s->position, position, MPFR_RNDN);
    if (s->two_x_less_1) {
        mpfr_mul_2ui(s->position, s->position, 1, MPFR_RNDN);
        mpfr_sub_ui(s->position, s->position, 1, MPFR_RNDN);
    }
    mpfr_mul(s->position, s->position, s->omega[frequency], MPFR_RNDN);
    mpfr_sin_cos(s->sine, s->cosine, s->position, MPFR_RNDN);
}

mpfr_srcptr sines_column(sines *s, double position, int64_t column) {
    if (column >= 2 * s->n) {
        mpfr_set_zero(s->sine, 1);
        return s->sine;
    }
    sines_at(s, position, column % s->n);
    return (column < s->n) == s->cos_first ? s->cosine : s->sine;
}

/* sqrt(-2 ln u) and v of a block. */
static void set_radius(mpfr_ptr r, uint64_t word) {
    mpfr_set_d(r, (double)(word >> 11), MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_div_2ui(r, r, 53, MPFR_RNDN);
    mpfr_log(r, r, MPFR_RNDN);
    mpfr_mul_si(r, r, -2, MPFR_RNDN);
    mpfr_sqrt(r, r, MPFR_RNDN);
}

static void set_angle(mpfr_ptr angle, const uint32_t *words) {
    mpfr_t pi;
    mpfr_init2(pi, ORACLE_BITS);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_set_ui(angle, (unsigned long)words[0], MPFR_RNDN);
    mpfr_mul_2ui(angle, angle, 32, MPFR_RNDN);
    mpfr_add_ui(angle, angle, (unsigned long)words[1], MPFR_RNDN);
    mpfr_mul(angle, angle, pi, MPFR_RNDN);
    mpfr_div_2ui(angle, angle, 63, MPFR_RNDN); /* 2 pi v */
    mpfr_clear(pi);
}

double sines_normal(uint64_t seed, int64_t k) {
    uint64_t block = (uint64_t)k / 2;
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
    uint32_t words[4];
    philox_block(counter, key, words);
    mpfr_t r, s, c;
    mpfr_inits2(ORACLE_BITS, r, s, c, (mpfr_ptr)0);
    set_angle(c, words + 2);
    mpfr_sin_cos(s, c, c, MPFR_RNDN);
    set_radius(r, (uint64_t)words[0] << 32 | words[1]);
    mpfr_mul(r, r, k % 2 ? s : c, MPFR_RNDN);
    double z = mpfr_get_d(r, MPFR_RNDN);
    mpfr_clears(r, s, c, (mpfr_ptr)0);
    return z;
}

posenc_plan *must_timestep(const posenc_context *context, const posenc_timestep_options *options) {
    posenc_plan *plan = NULL;
    posenc_error error = {0};
    check(posenc_timestep_create_with(context, options, &plan, &error) == POSENC_OK, "timestep: %s", error.message);
    return plan;
}

posenc_plan *must_fourier(const posenc_context *context, const posenc_fourier_options *options) {
    posenc_plan *plan = NULL;
    posenc_error error = {0};
    check(posenc_fourier_create_with(context, options, &plan, &error) == POSENC_OK, "fourier: %s", error.message);
    return plan;
}
