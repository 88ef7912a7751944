/* A spectrum: the list of a scheme's frequencies, each as a wide fixed-point number of turns per position. Every scheme
 * with a sine in it is only another way to make one. Errors stated are of the turns. */
#ifndef POSENC_PHASOR_SPECTRUM_H
#define POSENC_PHASOR_SPECTRUM_H

#include <stddef.h>

#include "phasor/wide.h"

/* turns[i] = base^(-i numerator / denominator) / (2 pi) for i in 0..n-1. For n > 1, 0 < numerator <= denominator, and
 * the last exponent is at most 1 in size. Error below 2^-150 of max(1, value). */
void posenc_spectrum_geometric(posenc_wide *turns, size_t n, double base, uint64_t numerator, uint64_t denominator);

/* The same with turns[0] = *first, and all others in its measure. */
void posenc_spectrum_geometric_from(posenc_wide *turns, size_t n, const posenc_wide *first, double base,
                                    uint64_t numerator, uint64_t denominator);
/* turns[i] = ratio^i / (2 pi), 0 < ratio; all else as posenc_spectrum_geometric. */
void posenc_spectrum_powers(posenc_wide *turns, size_t n, const posenc_wide *ratio);

/* turns[i] = abs(omega[i]) / (2 pi) with omega's sign; abs(omega) below 2^40. Error below 2^-150. */
void posenc_spectrum_radians(posenc_wide *turns, size_t n, const double *omega);

/* A frequency of either sign in radians per position, rounded to double. */
double posenc_spectrum_omega(const posenc_wide *turns);

/* turns[i] *= factor, 0 < factor: as if positions were factor times as large. The error grows by factor, and 2^-191. */
void posenc_spectrum_scale(posenc_wide *turns, size_t n, double factor);

/* turns[i] = (1 + (half - 1) i / (n - 1)) / 2: half turns from 1 to half, evenly spaced; 1/2 for n = 1. half from 2^-40
 * to 2^30. Error below 2^-192; a double is exact. */
void posenc_spectrum_linear(posenc_wide *turns, size_t n, double half);

/* turns[i] = half^(i / (n - 1)) / 2: half turns from 1 to half, in equal ratios; 1/2 for n = 1. half as above. Error
 * below 2^-150 of max(1, value). */
void posenc_spectrum_logarithmic(posenc_wide *turns, size_t n, double half);

#endif
