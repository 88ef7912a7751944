/* Scalar conversions between f32 and the 16-bit types, to nearest even, in integer arithmetic: the same on every
 * machine. */
#ifndef POSENC_BASE_HALF_H
#define POSENC_BASE_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t posenc_f32_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float posenc_f32_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* NaN stays NaN: made quiet, its high bits kept. */
static inline uint16_t posenc_bf16_of_f32(float value) {
    uint32_t bits = posenc_f32_bits(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}

static inline float posenc_f32_of_bf16(uint16_t half) { return posenc_f32_of_bits((uint32_t)half << 16); }

/* f16: 1 sign, 5 exponent (bias 15), 10 fraction bits. Normal results round by adding half a unit to the integer image;
 * subnormal ones (below 2^-14) shift the fraction by hand. */
static inline uint16_t posenc_f16_of_f32(float value) {
    uint32_t bits = posenc_f32_bits(value), sign = bits >> 16 & 0x8000u;
    bits &= 0x7FFFFFFFu;
    if (bits > 0x7F800000u) return (uint16_t)(sign | 0x7E00u | (bits >> 13 & 0x3FFu));
    if (bits >= 0x477FF000u) return (uint16_t)(sign | 0x7C00u); /* 65520 and above: infinity */
    if (bits >= 0x38800000u) return (uint16_t)(sign | ((bits - 0x38000000u + 0xFFFu + (bits >> 13 & 1)) >> 13));
    if (bits < 0x33000000u) return (uint16_t)sign; /* below 2^-25: zero */
    uint32_t fraction = (bits & 0x7FFFFFu) | 0x800000u, shift = 126 - (bits >> 23);
    uint32_t kept = fraction >> shift, rest = fraction & ((1u << shift) - 1), half = 1u << (shift - 1);
    return (uint16_t)(sign | (kept + (rest > half || (rest == half && (kept & 1)))));
}

static inline float posenc_f32_of_f16(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, body = half & 0x7FFFu;
    if (body >= 0x7C00u)
        return posenc_f32_of_bits(sign | 0x7F800000u | (body & 0x3FFu) << 13 | ((body & 0x3FFu) ? 0x400000u : 0));
    if (body >= 0x400u) return posenc_f32_of_bits(sign | ((body << 13) + 0x38000000u));
    float magnitude = (float)body * 0x1p-24f;
    return posenc_f32_of_bits(sign | posenc_f32_bits(magnitude));
}

/* Rounds to odd: an inexact result takes the neighbour whose last bit is 1, so that rounding once more, to a narrower
 * type, is as one rounding. */
static inline float posenc_f32_odd_of_f64(double value) {
    float f = (float)value;
    double error = value - (double)f;
    uint32_t bits = posenc_f32_bits(f);
    if (error == 0 || error != error || (bits & 1)) return f;
    return posenc_f32_of_bits((error > 0) == (bits >> 31 == 0) ? bits + 1 : bits - 1);
}

#endif
