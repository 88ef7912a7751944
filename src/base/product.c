/* One door to matrix products, so that one place knows which library computes them. */
#include "base/product.h"

#include <posenc/similarity.h>

#ifdef POSENC_HAVE_OPENBLAS

#include <cblas.h>
#include <openblas_config.h>

const char *posenc_product_name(void) { return OPENBLAS_VERSION; }

void posenc_product_f32(int64_t m, int64_t n, int64_t k, const float *a, int64_t a_stride, const float *b,
                        int64_t b_stride, float *c, int64_t c_stride) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)k, 1.0f, a, (int)a_stride, b,
                (int)b_stride, 0.0f, c, (int)c_stride);
}

#else

const char *posenc_product_name(void) { return "built-in"; }

void posenc_product_f32(int64_t m, int64_t n, int64_t k, const float *a, int64_t a_stride, const float *b,
                        int64_t b_stride, float *c, int64_t c_stride) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;
            for (int64_t l = 0; l < k; l++) sum += a[i * a_stride + l] * b[j * b_stride + l];
            c[i * c_stride + j] = sum;
        }
}

#endif
