/* Random numbers for tests: xoshiro256** (Blackman and Vigna 2018). One seed serves a whole run: a new one each time,
 * or the one in the environment variable POSENC_SEED. It is printed before the first test, so that a crash shows it
 * too. */
#ifndef POSENC_TESTS_SUPPORT_RANDOM_H
#define POSENC_TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

typedef struct random_state {
    uint64_t words[4];
} random_state;

/* The seed of this run. */
uint64_t test_seed(void);

/* Prints it to stderr. */
void test_announce_seed(void);

/* A generator of its own for each name: adding a test does not change another one's numbers. */
random_state random_start(const char *name);

uint64_t random_u64(random_state *state);

/* Whole numbers lowest..highest, both included. */
int64_t random_between(random_state *state, int64_t lowest, int64_t highest);

/* 0 <= x < 1 with 53 random bits. */
double random_unit(random_state *state);

/* A position of random size: the number of bits is uniform in 0..63, the sign too. */
int64_t random_position(random_state *state);

/* Fills floats between -4 and 4. */
void random_fill_f32(random_state *state, float *out, int64_t n);

#endif
