/* Wide fixed point: numbers with 64 integer bits and 192 fraction bits, for frequencies that must be exact far beyond
 * double. A frequency in turns per position, kept so, times any int64 position has an angle error below 2^-127 turns.
 * Runs on integers alone, so its bits are the same everywhere. All functions take and give numbers of 0 and more,
 * unless they say otherwise; a negative frequency is the two's complement of its size, and so it stays one modulo whole
 * turns. */
#ifndef POSENC_PHASOR_WIDE_H
#define POSENC_PHASOR_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "phasor/words.h"

enum { POSENC_WIDE_WORDS = 4 };

/* w[3] is the integer part, w[2] the first 64 bits of the fraction, ... */
typedef struct posenc_wide {
    uint64_t w[POSENC_WIDE_WORDS];
} posenc_wide;

/* 1 / (2 pi), 2 pi, ln(2 pi) and 1, to 192 bits. */
extern const posenc_wide posenc_wide_inverse_turn, posenc_wide_turn, posenc_wide_log_turn, posenc_wide_one;

/* a * b, cut below 2^-192; the integer part must fit. */
posenc_wide posenc_wide_multiply(const posenc_wide *a, const posenc_wide *b);

/* a + b; the integer part must fit. */
posenc_wide posenc_wide_add(posenc_wide a, const posenc_wide *b);

/* a - b, of either sign. */
posenc_wide posenc_wide_subtract(posenc_wide a, const posenc_wide *b);

/* a < b, for numbers of either sign below 2^62 in size. */
bool posenc_wide_less(const posenc_wide *a, const posenc_wide *b);

/* a * numerator / denominator, cut below 2^-192; the integer part of the product must fit; denominator > 0. */
posenc_wide posenc_wide_times_ratio(const posenc_wide *a, uint64_t numerator, uint64_t denominator);

/* a / divisor for 0 < divisor, cut below 2^-192 max(1, 1 / divisor); the quotient below 2^62. divisor from 2^-63 to
 * 2^190. */
posenc_wide posenc_wide_divide(const posenc_wide *a, double divisor);

/* a / b for 0 <= a < b < 2^62, cut below 2^-192; 1 for a >= b, whatever b. */
posenc_wide posenc_wide_ratio(const posenc_wide *a, const posenc_wide *b);

/* x for 0 <= x < 2^63, cut below 2^-192. */
posenc_wide posenc_wide_of_double(double x);

/* -a, of either sign. */
posenc_wide posenc_wide_negate(const posenc_wide *a);
static inline bool posenc_wide_is_negative(const posenc_wide *a) { return a->w[POSENC_WIDE_WORDS - 1] >> 63; }

/* base^(-numerator / denominator), error below 2^-180 of max(1, value). base 2^-40..2^120 positive and finite; the
 * exponent's size at most 1; numerator below 2^57; denominator > 0. */
posenc_wide posenc_wide_power(double base, uint64_t numerator, uint64_t denominator);

/* base^(+numerator / denominator), all else as posenc_wide_power; the value below 2^63. */
posenc_wide posenc_wide_growth(double base, uint64_t numerator, uint64_t denominator);

/* base^(-numerator / denominator) for a base of 1 and more, below 2^62, that is no double: all else as
 * posenc_wide_power, and the base's own error below 2^-192 is on top. */
posenc_wide posenc_wide_power_of_wide(const posenc_wide *base, uint64_t numerator, uint64_t denominator);

/* e^x for abs(x) <= 80. */
posenc_wide posenc_wide_exp(double x);

/* ln(base), rounded to double. */
double posenc_wide_log(double base);

/* ln(x), of either sign, error below 2^-180; x as the base of posenc_wide_power. */
posenc_wide posenc_wide_signed_log(double x);

/* -ln(x) for 0 < x <= 1, error below 2^-180. */
posenc_wide posenc_wide_minus_log(double x);

/* The nearest double, for display and for slow equations. a of either sign. */
double posenc_wide_to_double(const posenc_wide *a);

#endif
