/* The floor of work on all pairs of rows: their matrix product, by OpenBLAS on one thread. It is loaded when it is
 * needed, so that the program does not depend on it. */
#ifndef POSENC_BENCH_PRODUCT_H
#define POSENC_BENCH_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

/* c = a a^T: a (length, dim), c (length, length), f32; or c = a b^T: b (columns, dim), c (length, columns). A pointer
 * to one is the floor's state, as a contender. */
typedef struct posenc_bench_product {
    int64_t length, dim;
    const float *a;
    float *c;
    void *library, *sgemm; /* once loaded */
    const float *b;        /* NULL: a */
    int64_t columns;
} posenc_bench_product;

/* Finds OpenBLAS. Returns NULL, or why there is none: a sentence for a result's skipped. */
const char *posenc_bench_product_load(posenc_bench_product *product);

void posenc_bench_product_unload(posenc_bench_product *product);

/* Computes a loaded product. */
void posenc_bench_product_run(void *product);

#endif
