/* Single elements of tensors, wherever they lie. */
#ifndef POSENC_BASE_ELEMENTS_H
#define POSENC_BASE_ELEMENTS_H

#include <posenc/tensor.h>
#include <string.h>

#include "base/half.h"
#include "base/tensor.h"

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

/* Writes a value to f64, f32, f16 or bf16, rounded once to nearest even. */
static inline void posenc_put_real_element(posenc_dtype dtype, double value, char *at) {
    float narrow = (float)value;
    uint16_t half;
    switch (dtype) {
        case POSENC_F64:
            memcpy(at, &value, sizeof value);
            return;
        case POSENC_F32:
            memcpy(at, &narrow, sizeof narrow);
            return;
        default:
            narrow = posenc_f32_odd_of_f64(value);
            half = dtype == POSENC_F16 ? posenc_f16_of_f32(narrow) : posenc_bf16_of_f32(narrow);
            memcpy(at, &half, sizeof half);
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

/* n elements of so many bytes, step bytes apart in memory, to and from a row without gaps. */
static inline void posenc_gather_elements(const char *in, ptrdiff_t step, char *row, int64_t n, size_t bytes) {
    for (int64_t i = 0; i < n; i++) memcpy(row + (size_t)i * bytes, in + i * step, bytes);
}

static inline void posenc_scatter_elements(const char *row, char *out, ptrdiff_t step, int64_t n, size_t bytes) {
    for (int64_t i = 0; i < n; i++) memcpy(out + i * step, row + (size_t)i * bytes, bytes);
}

/* An element of a checked vector of i32 or i64. */
static inline int64_t posenc_vector_element(const DLTensor *vector, int64_t index) {
    return posenc_integer_element(vector->dtype.bits == 64 ? POSENC_I64 : POSENC_I32,
                                  posenc_tensor_data(vector) + index * posenc_tensor_step(vector, 0));
}

#endif
