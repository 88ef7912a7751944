/* The usual rotary loop: what rotary is measured against. */
#ifndef POSENC_BENCH_ROTARY_H
#define POSENC_BENCH_ROTARY_H

#include <stdint.h>

enum { POSENC_BENCH_MOST_PAIRS = 512 };

/* q and then k, each (tokens, heads, dim), in x and in y; positions 0, 1, ... */
typedef struct posenc_bench_heads {
    int64_t tokens, heads, dim;
    const float *x;
    float *y;
} posenc_bench_heads;

/* Halves, base 10000, all in float32, theta multiplied up pair by pair. Takes a posenc_bench_heads as its state. */
void posenc_bench_rotary_float32(void *heads);

#endif
