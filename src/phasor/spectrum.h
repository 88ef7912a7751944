/* A spectrum: the list of a scheme's frequencies, each as a wide fixed-point number of turns per position. Every scheme
 * with a sine in it is only another way to make one. */
#ifndef POSENC_PHASOR_SPECTRUM_H
#define POSENC_PHASOR_SPECTRUM_H

#include <stddef.h>

#include "phasor/wide.h"

/* turns[i] = base^(-i numerator / denominator) / (2 pi) for i in 0..n-1. For n > 1, 0 < numerator <= denominator, and
 * the last exponent is at most 1 in size. */
void posenc_spectrum_geometric(posenc_wide *turns, size_t n, double base, uint64_t numerator, uint64_t denominator);

#endif
