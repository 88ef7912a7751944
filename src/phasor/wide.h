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

/* 1 / (2 pi), to 192 bits. */
extern const posenc_wide posenc_wide_inverse_turn;

/* a * b, cut below 2^-192; the integer part must fit. */
posenc_wide posenc_wide_multiply(const posenc_wide *a, const posenc_wide *b);

/* a + b; the integer part must fit. */
posenc_wide posenc_wide_add(posenc_wide a, const posenc_wide *b);

/* a * numerator / denominator, cut below 2^-192; the integer part of the product must fit; denominator > 0. */
posenc_wide posenc_wide_times_ratio(const posenc_wide *a, uint64_t numerator, uint64_t denominator);

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

/* e^x for abs(x) <= 80. */
posenc_wide posenc_wide_exp(double x);

/* ln(base), rounded to double. */
double posenc_wide_log(double base);

/* -ln(x) for 0 < x <= 1, error below 2^-180. */
posenc_wide posenc_wide_minus_log(double x);

/* The nearest double, for display and for slow equations. a of either sign. */
double posenc_wide_to_double(const posenc_wide *a);

#endif
