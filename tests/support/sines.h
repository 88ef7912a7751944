/* Time steps and Fourier features straight from the formulas, in MPFR at 256 bits: rows [sin | cos], or [cos | sin],
 * then a zero where the width is odd.
 *
 *   timestep  angle of t: t s m^(-i/(h - shift)), i < h = floor(d/2), m = max_period, s = angle_scale
 *   fourier   bands: pi x (1 + (R/2 - 1) k/(n - 1)); log: pi x (R/2)^(k/(n - 1)); gaussian: 2 pi (2x - 1) sigma z_k
 *
 * z_k by Box and Muller from the tests' own Philox, rounded to double, and so is sigma z_k. */
#ifndef POSENC_TESTS_SUPPORT_SINES_H
#define POSENC_TESTS_SUPPORT_SINES_H

#include <stdbool.h>
#include <stdint.h>

#include <mpfr.h>

#include <posenc/fourier.h>
#include <posenc/timestep.h>

typedef struct sines {
    int64_t dim, n;
    bool cos_first, two_x_less_1;
    mpfr_t *omega; /* n frequencies, radians per unit of position (of 2x - 1) */
    mpfr_t position, sine, cosine;
} sines;

void sines_timestep(sines *s, const posenc_timestep_options *options);
void sines_fourier(sines *s, const posenc_fourier_options *options);
void sines_clear(sines *s);

/* Sets s->sine and s->cosine of one frequency at a position. */
void sines_at(sines *s, double position, int64_t frequency);

/* The value of one column, inside s until the next call. */
mpfr_srcptr sines_column(sines *s, double position, int64_t column);

/* z_k, to the nearest double. */
double sines_normal(uint64_t seed, int64_t k);

/* Plans of options that must be fine. */
posenc_plan *must_timestep(const posenc_context *context, const posenc_timestep_options *options);
posenc_plan *must_fourier(const posenc_context *context, const posenc_fourier_options *options);

#endif
