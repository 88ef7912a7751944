/* Exact reduction of angles, on integers, and the seeds of digit places.
 * An angle is a fraction of a turn in fixed point. Its top seven bits, rounded, name a multiple of 1/128 turn, whose
 * sine and cosine stand in a table of twice the double precision; what remains is at most 1/256 turn and goes to a
 * kernel. */
#include "phasor/digits.h"

#include <string.h>

#include "phasor/digits_table.inc"

int64_t posenc_split_digit(int64_t p, int *digit) {
    uint64_t size = p < 0 ? 0 - (uint64_t)p : (uint64_t)p;
    int d = (int)((size + POSENC_RADIX / 2) % POSENC_RADIX) - POSENC_RADIX / 2;
    int64_t rest = (int64_t)((size - (uint64_t)(int64_t)d) / POSENC_RADIX);
    *digit = p < 0 ? -d : d;
    return p < 0 ? -rest : rest;
}

posenc_seed posenc_seed_over(double *memory, size_t padded) {
    return (posenc_seed){memory, memory + padded, memory + 2 * padded, memory + 3 * padded};
}

/* The sine of k/128 turn, k = 0..32, and the whole circle from it. */
static const double *quarter_sine(int k) { return sine_of_turn_128[k]; }

static void table_phasor(int k, posenc_seed seed, size_t i) {
    int quadrant = k / 32 % 4, j = k % 32;
    const double *s = quarter_sine(quadrant % 2 ? 32 - j : j), *c = quarter_sine(quadrant % 2 ? j : 32 - j);
    double s_sign = quadrant >= 2 ? -1 : 1, c_sign = quadrant == 1 || quadrant == 2 ? -1 : 1;
    seed.sin_high[i] = s_sign * s[0] + 0.0;
    seed.sin_low[i] = s_sign * s[1] + 0.0;
    seed.cos_high[i] = c_sign * c[0] + 0.0;
    seed.cos_low[i] = c_sign * c[1] + 0.0;
}

/* Splits an n-word fraction of a turn (destroyed): table phasor into the seed, remainder as a pair of doubles. */
static void split_angle(uint64_t *fraction, int n, posenc_seed seed, double *turn_high, double *turn_low, size_t i) {
    uint64_t top = fraction[n - 1], nearest = (top + ((uint64_t)1 << 56)) >> 57;
    fraction[n - 1] = top - (nearest << 57);
    bool negative = fraction[n - 1] >> 63;
    if (nearest == 0 && top >> 63) nearest = 128; /* rounded up past the end: a whole turn, and the rest is negative */
    if (negative) {
        uint64_t carry = 1;
        for (int w = 0; w < n; w++) {
            fraction[w] = ~fraction[w] + carry;
            carry = carry && fraction[w] == 0;
        }
    }
    double high, low;
    posenc_words_to_pair(fraction, n, &high, &low);
    turn_high[i] = negative ? -high : high;
    turn_low[i] = negative ? -low : low;
    table_phasor((int)(nearest % 128), seed, i);
}

/* Pairs past the last get the phasor of angle 0. */
static void pad(posenc_seed seed, double *turn_high, double *turn_low, size_t n, size_t padded) {
    for (size_t i = n; i < padded; i++) {
        turn_high[i] = turn_low[i] = 0;
        table_phasor(0, seed, i);
    }
}

static void finish(const posenc_kernels *kernels, posenc_seed seed, double *turn_high, double *turn_low, size_t n) {
    size_t padded = posenc_padded_pairs(n);
    pad(seed, turn_high, turn_low, n, padded);
    kernels->finish_seeds(&(posenc_seed_job){padded, turn_high, turn_low, seed});
}

void posenc_place_seed(const posenc_kernels *kernels, const posenc_wide *turns, size_t n, int place, posenc_seed seed,
                       double *work) {
    double *turn_high = work, *turn_low = work + posenc_padded_pairs(n);
    int shift = 6 * place; /* times 64^place; the bits above the point are whole turns */
    for (size_t i = 0; i < n; i++) {
        const uint64_t *w = turns[i].w;
        uint64_t fraction[3] = {w[0], w[1], w[2]};
        if (shift) {
            fraction[2] = w[2] << shift | w[1] >> (64 - shift);
            fraction[1] = w[1] << shift | w[0] >> (64 - shift);
            fraction[0] = w[0] << shift;
        }
        split_angle(fraction, 3, seed, turn_high, turn_low, i);
    }
    finish(kernels, seed, turn_high, turn_low, n);
}

/* The double abs(x) as integer * 2^exponent. */
static uint64_t integer_of(double x, int *exponent) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int biased = (int)(bits >> 52 & 0x7FF);
    *exponent = (biased ? biased : 1) - 1075;
    return (bits & (((uint64_t)1 << 52) - 1)) | (biased ? (uint64_t)1 << 52 : 0);
}

/* words *= 2^shift over n words, what leaves at either end is dropped. */
static void shift_words(uint64_t *words, int n, int shift) {
    uint64_t out[8] = {0};
    for (int i = 0; i < n; i++) {
        int from = i * 64 - shift; /* bit of the source that becomes bit 0 of word i */
        int word = from >= 0 ? from / 64 : -((63 - from) / 64), bit = from - word * 64;
        uint64_t low = word >= 0 && word < n ? words[word] : 0;
        uint64_t high = word + 1 >= 0 && word + 1 < n ? words[word + 1] : 0;
        out[i] = bit ? low >> bit | high << (64 - bit) : low;
    }
    memcpy(words, out, (size_t)n * sizeof *words);
}

/* turns * m 2^exponent as a fraction of 2^512 of a turn: the product has 192 + (-exponent) fraction bits. */
static void multiply_fraction(const posenc_wide *turns, uint64_t m, int exponent, uint64_t fraction[8]) {
    memset(fraction, 0, 8 * sizeof *fraction);
    uint64_t carry = 0;
    for (int i = 0; i < POSENC_WIDE_WORDS; i++) {
        uint64_t low, high = posenc_multiply_words(turns->w[i], m, &low);
        fraction[i] = low + carry;
        carry = high + (fraction[i] < low);
    }
    fraction[POSENC_WIDE_WORDS] = carry;
    shift_words(fraction, 8, 512 - 192 + exponent);
}

/* The arrays of the 6 * padded doubles that fractions are worked out in. */
typedef struct fraction_work {
    posenc_seed seed;
    double *turn_high, *turn_low;
} fraction_work;

static fraction_work work_over(double *work, size_t p) {
    return (fraction_work){{work, work + 2 * p, work + p, work + 3 * p}, work + 4 * p, work + 5 * p};
}

/* Sizes only: signs are put on afterwards. */
static void reduce_product(const posenc_wide *turns, double factor, fraction_work *work, size_t i) {
    uint64_t words[8];
    int exponent;
    uint64_t m = integer_of(factor, &exponent);
    posenc_wide size = posenc_wide_is_negative(turns) ? posenc_wide_negate(turns) : *turns;
    multiply_fraction(&size, m, exponent, words);
    split_angle(words, 8, work->seed, work->turn_high, work->turn_low, i);
}

void posenc_fraction_phasors(const posenc_kernels *kernels, const posenc_wide *turns, size_t n, double fraction,
                             double *work) {
    size_t padded = posenc_padded_pairs(n);
    fraction_work w = work_over(work, padded);
    for (size_t i = 0; i < n; i++) reduce_product(&turns[i], fraction, &w, i);
    finish(kernels, w.seed, w.turn_high, w.turn_low, n);
    for (size_t i = 0; i < n; i++)
        if ((fraction < 0) != posenc_wide_is_negative(&turns[i])) w.seed.sin_high[i] = 0.0 - w.seed.sin_high[i];
}

void posenc_angle_phasors(const posenc_kernels *kernels, const float *angles, size_t n, double *work) {
    fraction_work w = work_over(work, posenc_padded_pairs(n));
    for (size_t i = 0; i < n; i++) reduce_product(&posenc_wide_inverse_turn, (double)angles[i], &w, i);
    finish(kernels, w.seed, w.turn_high, w.turn_low, n);
    for (size_t i = 0; i < n; i++) {
        if (!(angles[i] < 0)) continue;
        w.seed.sin_high[i] = 0.0 - w.seed.sin_high[i];
        w.seed.sin_low[i] = 0.0 - w.seed.sin_low[i];
    }
}
