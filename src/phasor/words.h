/* Arithmetic on numbers of several 64-bit words, word 0 lowest: what the exact reduction of angles does for each pair,
 * and so it is inline. Integers alone, and powers of two: the same bits everywhere. */
#ifndef POSENC_PHASOR_WORDS_H
#define POSENC_PHASOR_WORDS_H

#include <stdint.h>
#include <string.h>

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 posenc_two_words;

/* The high word of a product of words; *low receives the other. */
static inline uint64_t posenc_multiply_words(uint64_t a, uint64_t b, uint64_t *low) {
    posenc_two_words product = (posenc_two_words)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
}
#else
static inline uint64_t posenc_multiply_words(uint64_t a, uint64_t b, uint64_t *low) {
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    uint64_t middle = (p00 >> 32) + (uint32_t)p01 + (uint32_t)p10;
    *low = middle << 32 | (uint32_t)p00;
    return p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
}
#endif

/* word is not 0 */
static inline int posenc_leading_zeros(uint64_t word) {
#ifdef __GNUC__
    return __builtin_clzll(word);
#else
    int zeros = 0;
    while (!(word >> (63 - zeros) & 1)) zeros++;
    return zeros;
#endif
}

/* 2^k for a normal result. */
static inline double posenc_power_of_two(int k) {
    uint64_t bits = (uint64_t)(1023 + k) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The top 64 bits of high 2^64 + low, shifted left by 0..63. */
static inline uint64_t posenc_shift_words(uint64_t high, uint64_t low, int shift) {
    return high << shift | low >> 1 >> (63 - shift);
}

/* Where negative is 1: the words become their two's complement. Without a branch, since signs come as they like. */
static inline void posenc_negate_words_if(uint64_t negative, uint64_t *words, int n) {
    uint64_t mask = 0 - negative, carry = negative;
    for (int w = 0; w < n; w++) {
        words[w] = (words[w] ^ mask) + carry;
        carry &= words[w] == 0;
    }
}

/* The top 106 bits of an n-word number as the unevaluated sum *high + *low, scaled so that the whole number counts as a
 * fraction of 2^(64 n). Zero gives zeros. Each part is exact to its own bits. */
static inline void posenc_words_to_pair(const uint64_t *words, int n, double *high, double *low) {
    int top = n - 1;
    while (top >= 0 && words[top] == 0) top--;
    *high = *low = 0;
    if (top < 0) return;
    int zeros = posenc_leading_zeros(words[top]), exponent = 64 * (top + 1 - n) - zeros;
    uint64_t next = top > 0 ? words[top - 1] : 0, after = top > 1 ? words[top - 2] : 0;
    uint64_t first = posenc_shift_words(words[top], next, zeros), second = posenc_shift_words(next, after, zeros);
    /* first / 2^64 counts as 2^exponent; both parts below 2^53, so exact, also as the signed numbers that convert
     * faster */
    *high = (double)(int64_t)(first >> 11) * posenc_power_of_two(exponent - 53);
    *low = (double)(int64_t)((first & 0x7FF) << 42 | second >> 22) * posenc_power_of_two(exponent - 106);
}

#endif
