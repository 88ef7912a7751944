/* The ways that others make the same table, in C, one thread: what posenc is measured against.
 * All of them write the interleaved layout with base 10000 and an even dim into f32. */
#ifndef POSENC_BENCH_BASELINES_H
#define POSENC_BENCH_BASELINES_H

#include <stdint.h>

/* Which rows, and where they go: out[r, :] = E(start + r * step) for r in 0..rows-1.
 * scratch[2 * dim] doubles, for those that keep a row of frequencies. */
typedef struct posenc_bench_rows {
    int64_t start, step, rows, dim;
    float *out; /* (rows, dim) */
    double *scratch;
} posenc_bench_rows;

/* Each takes a posenc_bench_rows as its state, so that it can be a contender. */

/* The double loop: pow, then sin or cos, for every element, all in double, rounded once at the end. */
void posenc_bench_naive(void *rows);

/* The same loop as it is often printed: i counts channels by two and the exponent still says 2i. Another table: its
 * frequencies fall twice as fast. Kept to show what the mistake costs. */
void posenc_bench_naive_doubled(void *rows);

/* Frequencies computed once, then sin and cos of every pair in double. */
void posenc_bench_hoisted(void *rows);

/* The vectorised way of the tutorials: exp(2i * (-log(10000) / dim)), times the position, sine and cosine, all in
 * float32, by the C library's vector functions where the compiler knows them. */
void posenc_bench_float32(void *rows);

/* Real time steps, and where their rows go: out[r, :] = [cos(t_r f_i) | sin(t_r f_i)], f_i = 10000^(-2i/dim). */
typedef struct posenc_bench_steps {
    const double *steps; /* (rows) */
    int64_t rows, dim;
    float *out;     /* (rows, dim) */
    float *scratch; /* (dim) */
} posenc_bench_steps;

/* What diffusion code does: frequencies by expf, angles, sines and cosines in float32. State: a posenc_bench_steps. */
void posenc_bench_float32_steps(void *steps);

#endif
