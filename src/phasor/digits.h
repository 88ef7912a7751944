/* Positions as digits: p = sum of d_l 64^l with balanced digits, -32..31 for p >= 0 and mirrored for p < 0, so that the
 * digits of -p are those of p negated. A digit place l is a table of the phasors of r 64^l turns, r = 0..32. */
#ifndef POSENC_PHASOR_DIGITS_H
#define POSENC_PHASOR_DIGITS_H

#include "kernels/kernels.h"
#include "phasor/wide.h"

enum { POSENC_RADIX = 64, POSENC_MOST_PLACES = 11 }; /* 11 places hold every int64 */

/* Splits off the lowest digit of p: *digit in -32..32, and what remains, divided by 64. */
int64_t posenc_split_digit(int64_t p, int *digit);

/* Doubles that the seeds of n padded pairs need: four arrays. */
static inline size_t posenc_seed_doubles(size_t padded) { return 4 * padded; }

/* Lays a seed over 4 * padded doubles. */
posenc_seed posenc_seed_over(double *memory, size_t padded);

/* The seed of place l: the phasor of turns[i] * 64^l, of either sign, its angle reduced exactly. work: 2 * padded
 * doubles. */
void posenc_place_seed(const posenc_kernels *kernels, const posenc_wide *turns, size_t n, int place, posenc_seed seed,
                       double *work);

/* The phasors of turns[i] * fraction, of either sign, for 2^-200 <= abs(fraction) < 1, reduced exactly, rounded to
 * double. work: 6 * padded doubles, whose first two arrays receive the sines and cosines. */
void posenc_fraction_phasors(const posenc_kernels *kernels, const posenc_wide *turns, size_t n, double fraction,
                             double *work);

/* The sines and cosines of n angles in radians, reduced exactly, as pairs of doubles: sine high and low in work and
 * work + 2 * padded, cosine in work + padded and work + 3 * padded. abs(angle) from 2^-200 to 2^120, or 0.
 * work: 6 * padded doubles. */
void posenc_angle_phasors(const posenc_kernels *kernels, const float *angles, size_t n, double *work);

#endif
