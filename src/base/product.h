/* Matrix products: OpenBLAS where the build has its serial form, a plain loop otherwise. */
#ifndef POSENC_BASE_PRODUCT_H
#define POSENC_BASE_PRODUCT_H

#include <stdint.h>

/* c[i, j] = sum over l of a[i, l] * b[j, l], f32: a (m, k), b (n, k), c (m, n), each with its row stride in elements.
 * m, n, k below 2^31. Safe from many threads; the same call gives the same bits on one machine. */
void posenc_product_f32(int64_t m, int64_t n, int64_t k, const float *a, int64_t a_stride, const float *b,
                        int64_t b_stride, float *c, int64_t c_stride);

#endif
