#include "support/number.h"

#include <math.h>
#include <string.h>

number_format number_format_of(posenc_dtype dtype) {
    switch (dtype) {
        case POSENC_F64:
            return (number_format){53, -1022, 1023};
        case POSENC_F16:
            return (number_format){11, -14, 15};
        case POSENC_BF16:
            return (number_format){8, -126, 127};
        default:
            return (number_format){24, -126, 127};
    }
}

static uint64_t sign_bit(posenc_dtype dtype) { return UINT64_C(1) << (8 * posenc_dtype_bytes(dtype) - 1); }

uint64_t number_infinity(posenc_dtype dtype) {
    number_format f = number_format_of(dtype);
    return (uint64_t)(f.max_exponent - f.min_exponent + 2) << (f.precision - 1);
}

bool number_is_nan(posenc_dtype dtype, uint64_t bits) {
    return (bits & (sign_bit(dtype) - 1)) > number_infinity(dtype);
}

uint64_t number_with_sign(posenc_dtype dtype, uint64_t magnitude, bool negative) {
    return negative ? magnitude | sign_bit(dtype) : magnitude;
}

double number_decode(posenc_dtype dtype, uint64_t bits) {
    number_format f = number_format_of(dtype);
    uint64_t magnitude = bits & (sign_bit(dtype) - 1), hidden = UINT64_C(1) << (f.precision - 1);
    double sign = bits & sign_bit(dtype) ? -1.0 : 1.0;
    if (magnitude > number_infinity(dtype)) return (double)NAN;
    if (magnitude == number_infinity(dtype)) return sign * (double)INFINITY;
    uint64_t exponent = magnitude >> (f.precision - 1), fraction = magnitude & (hidden - 1);
    int ulp = f.min_exponent - (f.precision - 1) + (exponent == 0 ? 0 : (int)exponent - 1);
    return sign * ldexp((double)(exponent == 0 ? fraction : fraction + hidden), ulp);
}

/* Nearest whole number, ties to even, whatever the rounding mode. x is not negative and below 2^53. */
static uint64_t nearest_even(double x) {
    double down = floor(x), rest = x - down;
    uint64_t n = (uint64_t)down;
    return n + (rest > 0.5 || (rest == 0.5 && (n & 1)));
}

/* The patterns of finite numbers count upwards without a gap, so a carry out of the significand lands in the exponent,
 * and one out of the largest number in infinity. */
uint64_t number_encode(posenc_dtype dtype, double value) {
    number_format f = number_format_of(dtype);
    if (isnan(value)) return number_infinity(dtype) + (UINT64_C(1) << (f.precision - 2));
    uint64_t magnitude = number_infinity(dtype);
    int exponent;
    double size = fabs(value);
    frexp(size, &exponent);
    exponent = size == 0 || exponent - 1 < f.min_exponent ? f.min_exponent : exponent - 1;
    if (!isinf(size) && exponent <= f.max_exponent) {
        uint64_t significand = nearest_even(ldexp(size, f.precision - 1 - exponent));
        magnitude = ((uint64_t)(exponent - f.min_exponent) << (f.precision - 1)) + significand;
    }
    return number_with_sign(dtype, magnitude, signbit(value) != 0);
}

uint64_t number_fused(posenc_dtype dtype, uint64_t x, double scale, uint64_t e) {
    double wide = number_decode(dtype, x);
    if (dtype == POSENC_F64) return number_encode(dtype, fma(wide, scale, number_decode(POSENC_F64, e)));
    float sum = fmaf((float)wide, (float)scale, (float)number_decode(POSENC_F32, e));
    return number_encode(dtype, (double)sum);
}

uint64_t number_load(posenc_dtype dtype, const void *element) {
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (posenc_dtype_bytes(dtype)) {
        case 2:
            memcpy(&u16, element, sizeof u16);
            return u16;
        case 4:
            memcpy(&u32, element, sizeof u32);
            return u32;
        default:
            memcpy(&u64, element, sizeof u64);
            return u64;
    }
}

void number_store(posenc_dtype dtype, uint64_t bits, void *element) {
    uint16_t u16 = (uint16_t)bits;
    uint32_t u32 = (uint32_t)bits;
    switch (posenc_dtype_bytes(dtype)) {
        case 2:
            memcpy(element, &u16, sizeof u16);
            return;
        case 4:
            memcpy(element, &u32, sizeof u32);
            return;
        default:
            memcpy(element, &bits, sizeof bits);
            return;
    }
}

bool number_same(posenc_dtype dtype, uint64_t a, uint64_t b) {
    return a == b || (number_is_nan(dtype, a) && number_is_nan(dtype, b));
}
