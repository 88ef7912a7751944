/* Normal random numbers that are the same on every machine: the Box-Muller transform of Philox words, without the C
 * library's logarithm, sine and cosine.
 *
 * Words w0..w3 of Philox4x32-10 with counter (block, stream) and key seed make two numbers of mean 0 and variance 1:
 *     u = (floor((w0 2^32 + w1) / 2^11) + 1) / 2^53,  v = (w2 2^32 + w3) / 2^64
 *     z[2 block] = sqrt(-2 ln u) cos(2 pi v),  z[2 block + 1] = sqrt(-2 ln u) sin(2 pi v)
 * The largest size is sqrt(106 ln 2) = 8.57.
 *
 * Source: Box and Muller 1958, "A note on the generation of random normal deviates". */
#ifndef POSENC_PHASOR_NORMAL_H
#define POSENC_PHASOR_NORMAL_H

#include "kernels/kernels.h"

/* out[i] = z[2 block + i] for i in 0..n-1. Each within 2^-100 of its value and then rounded to double: the nearest
 * double but for about one in 2^46. */
void posenc_normals(const posenc_kernels *kernels, uint64_t seed, uint64_t stream, uint64_t block, size_t n,
                    double *out);

#endif
