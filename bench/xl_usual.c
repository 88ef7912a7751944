/* Transformer-XL the usual way: products with all keys and with all positions are made whole, the latter are shifted by
 * padding each row with a zero and reading the memory in another shape (Dai et al. 2019, appendix B), copied, and added
 * up. Products by OpenBLAS, sines and W r ready made. */
#include <string.h>

#include "xl.h"

static void multiply(const posenc_bench_xl *x, const float *a, const float *b, int64_t columns, float *c) {
    posenc_bench_product p = x->product;
    p.length = x->queries, p.dim = x->d, p.a = a, p.b = b, p.columns = columns, p.c = c;
    posenc_bench_product_run(&p);
}

/* with_bias (queries, d) = q of a head + a bias. */
static void add_bias(const posenc_bench_xl *x, int64_t head, const float *bias) {
    const float *q = x->q + head * x->queries * x->d;
    for (int64_t i = 0; i < x->queries; i++)
        for (int64_t c = 0; c < x->d; c++) x->with_bias[i * x->d + c] = q[i * x->d + c] + bias[head * x->d + c];
}

/* Rows of n positions, far to near, with a zero before each, end behind one another; read from the end of the first
 * `queries` numbers on in rows that are one shorter, they stand where the distances want them. */
static void shift(const posenc_bench_xl *x, const float *rows, int64_t n, float *out) {
    for (int64_t i = 0; i < x->queries; i++) {
        x->padded[i * (n + 1)] = 0;
        memcpy(x->padded + i * (n + 1) + 1, rows + i * n, (size_t)n * sizeof *rows);
    }
    memcpy(out, x->padded + x->queries, (size_t)(x->queries * n) * sizeof *rows);
}

void posenc_bench_xl_usual(void *state) {
    posenc_bench_xl *x = state;
    int64_t n = x->positions, square = x->queries * x->keys;
    for (int64_t h = 0; h < POSENC_BENCH_XL_HEADS; h++) {
        float *scores = x->scores + h * square;
        add_bias(x, h, x->u);
        multiply(x, x->with_bias, x->k + h * x->keys * x->d, x->keys, scores);
        add_bias(x, h, x->v);
        multiply(x, x->with_bias, x->wr + h * n * x->d, n, x->all);
        shift(x, x->all, n, x->shifted);
        for (int64_t i = 0; i < x->queries; i++)
            for (int64_t j = 0; j < x->keys; j++)
                scores[i * x->keys + j] = (scores[i * x->keys + j] + x->shifted[i * n + j]) * (float)x->scale;
    }
}
