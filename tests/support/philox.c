#include "support/philox.h"

#include <math.h>

static uint32_t high(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }

void philox_block(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]) {
    const uint32_t m0 = 0xD2511F53u, m1 = 0xCD9E8D57u;
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint32_t r0 = high(m1, c2) ^ c1 ^ k0, r1 = m1 * c2, r2 = high(m0, c0) ^ c3 ^ k1, r3 = m0 * c0;
        c0 = r0, c1 = r1, c2 = r2, c3 = r3;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u; /* Weyl: the golden ratio, the square root of 3 less 1 */
    }
    words[0] = c0, words[1] = c1, words[2] = c2, words[3] = c3;
}

uint32_t philox_word(uint64_t seed, uint64_t stream, uint64_t element) {
    uint64_t block = element / 4;
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[4];
    philox_block(counter, key, words);
    return words[element % 4];
}

bool philox_keeps(uint64_t seed, uint64_t stream, uint64_t element, double p) {
    return philox_word(seed, stream, element) >= (uint64_t)round(p * 4294967296.0);
}
