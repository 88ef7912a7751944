#include "phasor/normal.h"

#include <math.h>

#include "phasor/digits.h"

enum { BLOCKS = POSENC_PAIR_PAD }; /* of one step, each of four words and two numbers */

/* The value high + low, abs(low) at most about an ulp of high. */
typedef struct pair {
    double high, low;
} pair;

static uint64_t two_words(const uint32_t *words) { return (uint64_t)words[0] << 32 | words[1]; }

/* sqrt(-2 ln u): the double nearest to the root, and the rest by one step of Newton's. */
static pair radius(uint64_t word) {
    double u = ((double)(word >> 11) + 1) * 0x1p-53, high, low;
    posenc_wide log = posenc_wide_minus_log(u);
    log = posenc_wide_add(log, &log);
    posenc_words_to_pair(log.w, POSENC_WIDE_WORDS, &high, &low);
    high = ldexp(high, 64), low = ldexp(low, 64);
    double root = sqrt(high);
    if (root == 0) return (pair){0, 0}; /* u = 1 */
    return (pair){root, (fma(-root, root, high) + low) / (2 * root)};
}

/* a * (high + low), rounded to double: all that is below the first product's last bit is summed in double first. */
static double multiply(pair a, double high, double low) {
    double product = a.high * high, error = fma(a.high, high, -product);
    return product + (error + (a.high * low + a.low * high));
}

/* The numbers of BLOCKS blocks from words. */
static void transform(const posenc_kernels *kernels, const uint32_t *words, double *out) {
    _Alignas(64) double seeds[4 * BLOCKS], work[2 * BLOCKS];
    posenc_seed phasor = posenc_seed_over(seeds, BLOCKS);
    posenc_wide turns[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) turns[i] = (posenc_wide){{0, 0, two_words(words + 4 * i + 2), 0}};
    posenc_place_seed(kernels, turns, BLOCKS, 0, phasor, work);
    for (int i = 0; i < BLOCKS; i++) {
        pair r = radius(two_words(words + 4 * i));
        out[2 * i] = multiply(r, phasor.cos_high[i], phasor.cos_low[i]);
        out[2 * i + 1] = multiply(r, phasor.sin_high[i], phasor.sin_low[i]);
    }
}

void posenc_normals(const posenc_kernels *kernels, uint64_t seed, uint64_t stream, uint64_t block, size_t n,
                    double *out) {
    uint32_t words[4 * BLOCKS + POSENC_PHILOX_PAD];
    double numbers[2 * BLOCKS];
    for (size_t done = 0; done < n; done += 2 * BLOCKS) {
        kernels->philox(seed, stream, block + done / 2, BLOCKS, words);
        transform(kernels, words, numbers);
        for (size_t i = 0; i < 2 * BLOCKS && done + i < n; i++) out[done + i] = numbers[i];
    }
}
