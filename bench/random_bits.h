/* Ordinary numbers to add to: a small generator, and a buffer of values of ordinary size in any dtype. */
#ifndef POSENC_BENCH_RANDOM_BITS_H
#define POSENC_BENCH_RANDOM_BITS_H

#include <posenc/tensor.h>

/* The next number of a splitmix64 sequence; *state is any seed. */
static inline uint64_t posenc_bench_random(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* Writes n values with sizes in 0.5 .. 1 and either sign. dtype: f32, f64, f16 or bf16. */
void posenc_bench_ordinary(void *values, posenc_dtype dtype, size_t n);

#endif
