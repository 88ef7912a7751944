/* Single elements of tensors, wherever they lie. */
#ifndef POSENC_BASE_ELEMENTS_H
#define POSENC_BASE_ELEMENTS_H

#include <posenc/tensor.h>
#include <string.h>

#include "base/half.h"

/* f64, f32, f16 or bf16. */
static inline double posenc_real_element(posenc_dtype dtype, const char *at) {
    double wide;
    float narrow;
    uint16_t half;
    switch (dtype) {
        case POSENC_F64:
            memcpy(&wide, at, sizeof wide);
            return wide;
        case POSENC_F32:
            memcpy(&narrow, at, sizeof narrow);
            return (double)narrow;
        default:
            memcpy(&half, at, sizeof half);
            return (double)(dtype == POSENC_F16 ? posenc_f32_of_f16(half) : posenc_f32_of_bf16(half));
    }
}

/* i64, i32, u8 or bool. */
static inline int64_t posenc_integer_element(posenc_dtype dtype, const char *at) {
    int32_t narrow;
    int64_t wide;
    switch (dtype) {
        case POSENC_I64:
            memcpy(&wide, at, sizeof wide);
            return wide;
        case POSENC_I32:
            memcpy(&narrow, at, sizeof narrow);
            return narrow;
        default:
            return (unsigned char)*at;
    }
}

/* n elements of -0, f32 or f64: x + -0 is x, bit for bit. */
static inline void posenc_fill_minus_zero(posenc_dtype dtype, int64_t n, char *out) {
    const double wide = -0.0;
    const float narrow = -0.0f;
    size_t bytes = dtype == POSENC_F64 ? sizeof wide : sizeof narrow;
    for (int64_t i = 0; i < n; i++)
        memcpy(out + (size_t)i * bytes, dtype == POSENC_F64 ? (const void *)&wide : (const void *)&narrow, bytes);
}

#endif
