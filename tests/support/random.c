#define _POSIX_C_SOURCE 200809L
#include "support/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Weyl steps through a mixer (splitmix64): turns any seed into four well mixed words. */
static uint64_t mix(uint64_t *x) {
    uint64_t z = (*x += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t fresh_seed(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t x = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + ((uint64_t)getpid() << 40);
    return mix(&x) >> 1; /* short of the sign bit, so that any tool can take it back */
}

uint64_t test_seed(void) {
    static uint64_t seed;
    static int known;
    if (!known) {
        const char *text = getenv("POSENC_SEED");
        seed = text && *text ? strtoull(text, NULL, 10) : fresh_seed();
        known = 1;
    }
    return seed;
}

void test_announce_seed(void) { fprintf(stderr, "POSENC_SEED=%" PRIu64 "\n", test_seed()); }

random_state random_start(const char *name) {
    uint64_t x = test_seed();
    for (const char *c = name; *c; c++) x = mix(&x) ^ (uint64_t)(unsigned char)*c;
    random_state state;
    for (int i = 0; i < 4; i++) state.words[i] = mix(&x);
    return state;
}

static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

uint64_t random_u64(random_state *state) {
    uint64_t *s = state->words;
    uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

int64_t random_between(random_state *state, int64_t lowest, int64_t highest) {
    uint64_t span = (uint64_t)highest - (uint64_t)lowest + 1;
    uint64_t r = random_u64(state);
    return (int64_t)((uint64_t)lowest + (span == 0 ? r : r % span));
}

double random_unit(random_state *state) { return (double)(random_u64(state) >> 11) * 0x1p-53; }

int64_t random_position(random_state *state) {
    int bits = (int)random_between(state, 0, 63);
    uint64_t magnitude = bits == 0 ? 0 : random_u64(state) >> (64 - bits);
    return random_u64(state) & 1 ? -(int64_t)magnitude : (int64_t)magnitude;
}

void random_fill_f32(random_state *state, float *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = (float)(8 * random_unit(state) - 4);
}
