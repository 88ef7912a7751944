/* The arithmetics of other engines, step by step in float32, each step correctly rounded.
 *     float32      1 / base^(e_i), e_i = n_i / d in float32          the usual rotary code
 *     float32-exp  exp(n_i * c), c = float32(-log(base) / d)         the usual tutorial code
 *                  exp(c * i / span), c = float32(-log(base))        diffusion time steps
 * then angle = float32(position) * that, and its sine and cosine. n_i = step * i. */
#ifndef POSENC_PHASOR_FLOAT32_H
#define POSENC_PHASOR_FLOAT32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernels.h"

/* inv_freq[i] for i in 0..n-1; numerator step * i over denominator. by_exp picks float32-exp. */
void posenc_float32_frequencies(float *inv_freq, size_t n, double base, uint64_t step, uint64_t denominator,
                                bool by_exp);

/* powers[i] = base^(step * i / denominator), whose reciprocals are the frequencies of float32. */
void posenc_float32_powers(float *powers, size_t n, double base, uint64_t step, uint64_t denominator);

/* inv_freq[i] for i in 0..n-1 as diffusion code has it: c * i, then / span, then exp. */
void posenc_float32_timestep_frequencies(float *inv_freq, size_t n, double base, double span);

/* sines[i], cosines[i] of position * inv_freq[i] * factor, from left to right. angles: n floats; work: 6 * padded
 * doubles. */
void posenc_float32_phasors(const posenc_kernels *kernels, const float *inv_freq, size_t n, float position,
                            float factor, float *sines, float *cosines, float *angles, double *work);

#endif
