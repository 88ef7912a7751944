/* Random numbers for the demo: small, seeded, the same on every machine that has the same libm. */
#ifndef POSENC_DEMO_RANDOM_H
#define POSENC_DEMO_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* A splitmix64 sequence (Steele, Lea and Flood 2014). Any state is a seed. */
typedef struct posenc_demo_random {
    uint64_t state;
} posenc_demo_random;

/* The next 64 random bits. */
uint64_t posenc_demo_bits(posenc_demo_random *random);

/* A whole number in 0..n-1, n >= 1 and far below 2^32 (the bias of the remainder is then nothing). */
size_t posenc_demo_below(posenc_demo_random *random, size_t n);

/* A normal number, mean 0, standard deviation 1 (Box and Muller 1958, the cosine half). */
double posenc_demo_normal(posenc_demo_random *random);

#endif
