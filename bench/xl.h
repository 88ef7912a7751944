/* Transformer-XL in the bench: the data of its works, which the usual way and the floors share. */
#ifndef POSENC_BENCH_XL_H
#define POSENC_BENCH_XL_H

#include "product.h"

enum { POSENC_BENCH_XL_HEADS = 8 };

typedef struct posenc_bench_xl {
    int64_t queries, keys, d, model;
    int64_t positions; /* the usual way's: keys, or keys + queries both ways */
    double scale;
    float *q, *k, *u, *v, *w, *scores; /* (heads, queries, d), (heads, keys, d), (heads, d) twice, (heads d, model),
                                          (heads, queries, keys) */
    float *dq, *dk, *du, *dv, *dw;
    float *wr, *with_bias, *all, *padded, *shifted; /* the usual way's */
    posenc_bench_product product;                   /* loaded */
} posenc_bench_xl;

/* All scores the usual way. state: a posenc_bench_xl. (xl_usual.c) */
void posenc_bench_xl_usual(void *state);

#endif
