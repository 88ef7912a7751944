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

/* The phasor of k/128 turn, from the sines of the first quarter. By arithmetic in place of branches: angles come in no
 * order, and a branch that is guessed wrong costs as much as all of this. */
static inline void table_phasor(int k, posenc_seed seed, size_t i) {
    static const double signs[4][2] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
    int quadrant = k / 32 % 4, j = k % 32, odd = quadrant % 2;
    const double *s = sine_of_turn_128[j + odd * (32 - 2 * j)], *c = sine_of_turn_128[32 - j - odd * (32 - 2 * j)];
    const double *sign = signs[quadrant];
    seed.sin_high[i] = sign[0] * s[0] + 0.0;
    seed.sin_low[i] = sign[0] * s[1] + 0.0;
    seed.cos_high[i] = sign[1] * c[0] + 0.0;
    seed.cos_low[i] = sign[1] * c[1] + 0.0;
}

/* Splits an n-word fraction of a turn (destroyed): table phasor into the seed, remainder as a pair of doubles. A
 * fraction just below a whole turn is rounded up to it, and its remainder is negative like that of any other. */
static inline void split_angle(uint64_t *fraction, int n, posenc_seed seed, double *turn_high, double *turn_low,
                               size_t i) {
    uint64_t top = fraction[n - 1], nearest = (top + ((uint64_t)1 << 56)) >> 57;
    fraction[n - 1] = top - (nearest << 57);
    uint64_t negative = fraction[n - 1] >> 63;
    posenc_negate_words_if(negative, fraction, n);
    double high, low, sign = 1 - 2 * (double)(int64_t)negative;
    posenc_words_to_pair(fraction, n, &high, &low);
    turn_high[i] = sign * high;
    turn_low[i] = sign * low;
    table_phasor((int)nearest, seed, i);
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

/* size * m: five words, of which the lowest 192 bits are behind the point. */
static inline void multiply_size(const posenc_wide *size, uint64_t m, uint64_t product[POSENC_WIDE_WORDS + 1]) {
    uint64_t carry = 0;
    for (int i = 0; i < POSENC_WIDE_WORDS; i++) {
        uint64_t low, high = posenc_multiply_words(size->w[i], m, &low);
        product[i] = low + carry;
        carry = high + (product[i] < low);
    }
    product[POSENC_WIDE_WORDS] = carry;
}

/* Words of a fraction that any factor may need: 192 - (-252) bits. */
enum { MOST_WORDS = 8, USUAL_WORDS = POSENC_WIDE_WORDS + 1 };

/* Factors m 2^exponent whose products have all their fraction within USUAL_WORDS words: doubles from 2^-76 to 2^51. */
static inline bool is_usual(int exponent) { return exponent >= -128 && exponent < 0; }

/* size * m 2^exponent for such: its product has 192 - exponent bits behind the point, which go up to the top. */
static inline void usual_fraction(const posenc_wide *size, uint64_t m, int exponent, uint64_t fraction[USUAL_WORDS]) {
    uint64_t product[2 + USUAL_WORDS] = {0};
    multiply_size(size, m, product + 2);
    const uint64_t *from = product + (exponent >= -64 ? 1 : 2); /* bit 0 of the fraction before the shift */
    int shift = (128 + exponent) % 64;
    for (int i = 0; i < USUAL_WORDS; i++) fraction[i] = posenc_shift_words(from[i], from[i - 1], shift);
}

static void any_fraction(const posenc_wide *size, uint64_t m, int exponent, uint64_t fraction[MOST_WORDS]) {
    memset(fraction, 0, MOST_WORDS * sizeof *fraction);
    multiply_size(size, m, fraction);
    shift_words(fraction, MOST_WORDS, 64 * MOST_WORDS - 192 + exponent);
}

/* The arrays of the 6 * padded doubles that fractions are worked out in. */
typedef struct fraction_work {
    posenc_seed seed;
    double *turn_high, *turn_low;
} fraction_work;

static fraction_work work_over(double *work, size_t p) {
    return (fraction_work){{work, work + 2 * p, work + p, work + 3 * p}, work + 4 * p, work + 5 * p};
}

/* Reduces size * m 2^exponent. */
static inline void reduce_product(const posenc_wide *size, uint64_t m, int exponent, const fraction_work *work,
                                  size_t i) {
    uint64_t words[MOST_WORDS];
    if (is_usual(exponent)) {
        usual_fraction(size, m, exponent, words);
        split_angle(words, USUAL_WORDS, work->seed, work->turn_high, work->turn_low, i);
    } else {
        any_fraction(size, m, exponent, words);
        split_angle(words, MOST_WORDS, work->seed, work->turn_high, work->turn_low, i);
    }
}

void posenc_fraction_phasors(const posenc_kernels *kernels, const posenc_wide *turns, size_t n, double fraction,
                             double *work) {
    size_t padded = posenc_padded_pairs(n);
    fraction_work w = work_over(work, padded);
    int exponent;
    uint64_t m = integer_of(fraction, &exponent);
    for (size_t i = 0; i < n; i++) { /* sizes only: signs are put on afterwards */
        posenc_wide size = posenc_wide_is_negative(&turns[i]) ? posenc_wide_negate(&turns[i]) : turns[i];
        reduce_product(&size, m, exponent, &w, i);
    }
    finish(kernels, w.seed, w.turn_high, w.turn_low, n);
    for (size_t i = 0; i < n; i++)
        if ((fraction < 0) != posenc_wide_is_negative(&turns[i])) w.seed.sin_high[i] = 0.0 - w.seed.sin_high[i];
}

void posenc_angle_phasors(const posenc_kernels *kernels, const float *angles, size_t n, double *work) {
    fraction_work w = work_over(work, posenc_padded_pairs(n));
    for (size_t i = 0; i < n; i++) {
        int exponent;
        uint64_t m = integer_of((double)angles[i], &exponent);
        reduce_product(&posenc_wide_inverse_turn, m, exponent, &w, i);
    }
    finish(kernels, w.seed, w.turn_high, w.turn_low, n);
    for (size_t i = 0; i < n; i++) {
        if (!(angles[i] < 0)) continue;
        w.seed.sin_high[i] = 0.0 - w.seed.sin_high[i];
        w.seed.sin_low[i] = 0.0 - w.seed.sin_low[i];
    }
}
