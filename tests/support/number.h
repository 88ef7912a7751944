/* Floating-point formats as IEEE 754 describes them: bits to value and value to bits, in integer arithmetic.
 * Written without a look at the library's conversions, which are checked against these. */
#ifndef POSENC_TESTS_SUPPORT_NUMBER_H
#define POSENC_TESTS_SUPPORT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include <posenc/tensor.h>

typedef struct number_format {
    int precision;    /* bits of the significand, the hidden one included */
    int min_exponent; /* of the smallest normal number 2^min_exponent */
    int max_exponent; /* of the largest, below 2^(max_exponent + 1) */
} number_format;

/* f32, f64, f16 or bf16. */
number_format number_format_of(posenc_dtype dtype);

/* The bits of plus infinity; every larger pattern with the sign cleared is a NaN. */
uint64_t number_infinity(posenc_dtype dtype);
bool number_is_nan(posenc_dtype dtype, uint64_t bits);

/* Puts the sign back on the bits of a magnitude. */
uint64_t number_with_sign(posenc_dtype dtype, uint64_t magnitude, bool negative);

/* The exact value. */
double number_decode(posenc_dtype dtype, uint64_t bits);

/* Rounds once, to nearest even. A NaN gives some NaN. */
uint64_t number_encode(posenc_dtype dtype, double value);

/* y = x * scale + e as the contract has it: one fused operation in f32 (f64 for f64), then rounded to the dtype.
 * e is an f32, or an f64 beside f64. */
uint64_t number_fused(posenc_dtype dtype, uint64_t x, double scale, uint64_t e);

/* One element in memory. */
uint64_t number_load(posenc_dtype dtype, const void *element);
void number_store(posenc_dtype dtype, uint64_t bits, void *element);

/* The same bits, or both a NaN: payloads are nobody's promise. */
bool number_same(posenc_dtype dtype, uint64_t a, uint64_t b);

#endif
