/* Stands in for the compiler's immintrin.h while the AVX-512 kernels are compiled for a machine without AVX-512. SIMDe
 * gives most intrinsics in portable C; the ones that it lacks, or does not fuse, follow, each a loop over lanes. Where
 * a kernel begins to use another one, the linker names it, and it belongs here. */
#ifndef POSENC_TESTS_SIMDE_IMMINTRIN_H
#define POSENC_TESTS_SIMDE_IMMINTRIN_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include <math.h>
#include <simde/x86/avx512.h>
#include <simde/x86/f16c.h>
#include <string.h>

#include "base/half.h"

typedef simde__mmask8 __mmask8;
typedef simde__mmask16 __mmask16;

#define LANE_LOOP(n) for (int lane = 0; lane < (n); lane++)

/* SIMDe multiplies and adds with two roundings where the machine has no fused instruction. */
static inline __m512d lanes_fma_pd(__m512d a, __m512d b, __m512d c, double sign) {
    double x[8], y[8], z[8];
    memcpy(x, &a, sizeof x), memcpy(y, &b, sizeof y), memcpy(z, &c, sizeof z);
    LANE_LOOP(8) x[lane] = fma(x[lane], y[lane], sign * z[lane]);
    memcpy(&a, x, sizeof x);
    return a;
}

static inline __m512 lanes_fma_ps(__m512 a, __m512 b, __m512 c) {
    float x[16], y[16], z[16];
    memcpy(x, &a, sizeof x), memcpy(y, &b, sizeof y), memcpy(z, &c, sizeof z);
    LANE_LOOP(16) x[lane] = fmaf(x[lane], y[lane], z[lane]);
    memcpy(&a, x, sizeof x);
    return a;
}

static inline __m256 lanes_cvtpd_ps(__m512d a) {
    double wide[8];
    float narrow[8];
    __m256 result;
    memcpy(wide, &a, sizeof wide);
    LANE_LOOP(8) narrow[lane] = (float)wide[lane];
    memcpy(&result, narrow, sizeof narrow);
    return result;
}

static inline __m512d lanes_cvtps_pd(__m256 a) {
    float narrow[8];
    double wide[8];
    __m512d result;
    memcpy(narrow, &a, sizeof narrow);
    LANE_LOOP(8) wide[lane] = (double)narrow[lane];
    memcpy(&result, wide, sizeof wide);
    return result;
}

static inline __m256i lanes_cvtps_ph(__m512 a) {
    float wide[16];
    uint16_t narrow[16];
    __m256i result;
    memcpy(wide, &a, sizeof wide);
    LANE_LOOP(16) narrow[lane] = posenc_f16_of_f32(wide[lane]);
    memcpy(&result, narrow, sizeof narrow);
    return result;
}

static inline __m512 lanes_cvtph_ps(__m256i a) {
    uint16_t narrow[16];
    float wide[16];
    __m512 result;
    memcpy(narrow, &a, sizeof narrow);
    LANE_LOOP(16) wide[lane] = posenc_f32_of_f16(narrow[lane]);
    memcpy(&result, wide, sizeof wide);
    return result;
}

static inline __m256i lanes_cvtepi32_epi16(__m512i a) {
    uint32_t wide[16];
    uint16_t narrow[16];
    __m256i result;
    memcpy(wide, &a, sizeof wide);
    LANE_LOOP(16) narrow[lane] = (uint16_t)wide[lane];
    memcpy(&result, narrow, sizeof narrow);
    return result;
}

static inline __m512i lanes_cvtepu16_epi32(__m256i a) {
    uint16_t narrow[16];
    uint32_t wide[16];
    __m512i result;
    memcpy(narrow, &a, sizeof narrow);
    LANE_LOOP(16) wide[lane] = narrow[lane];
    memcpy(&result, wide, sizeof wide);
    return result;
}

static inline __mmask8 lanes_testn_epi32(__m256i a, __m256i b) {
    uint32_t x[8], y[8];
    unsigned mask = 0;
    memcpy(x, &a, sizeof x), memcpy(y, &b, sizeof y);
    LANE_LOOP(8) mask |= (unsigned)((x[lane] & y[lane]) == 0) << lane;
    return (__mmask8)mask;
}

static inline __mmask16 lanes_cmplt_epi32(__m512i a, __m512i b) {
    int32_t x[16], y[16];
    unsigned mask = 0;
    memcpy(x, &a, sizeof x), memcpy(y, &b, sizeof y);
    LANE_LOOP(16) mask |= (unsigned)(x[lane] < y[lane]) << lane;
    return (__mmask16)mask;
}

static inline __mmask8 lanes_cmpge_epu32(__m256i a, __m256i b) {
    uint32_t x[8], y[8];
    unsigned mask = 0;
    memcpy(x, &a, sizeof x), memcpy(y, &b, sizeof y);
    LANE_LOOP(8) mask |= (unsigned)(x[lane] >= y[lane]) << lane;
    return (__mmask8)mask;
}

#undef _mm512_fmadd_pd
#undef _mm512_fmsub_pd
#undef _mm512_fmadd_ps
#define _mm512_fmadd_pd(a, b, c) lanes_fma_pd(a, b, c, 1)
#define _mm512_fmsub_pd(a, b, c) lanes_fma_pd(a, b, c, -1)
#define _mm512_fmadd_ps(a, b, c) lanes_fma_ps(a, b, c)
#define _mm512_cvtpd_ps(a) lanes_cvtpd_ps(a)
#define _mm512_cvtps_pd(a) lanes_cvtps_pd(a)
#define _mm512_cvtps_ph(a, rounding) lanes_cvtps_ph(a)
#define _mm512_cvtph_ps(a) lanes_cvtph_ps(a)
#define _mm512_cvtepi32_epi16(a) lanes_cvtepi32_epi16(a)
#define _mm512_cvtepu16_epi32(a) lanes_cvtepu16_epi32(a)
#define _mm256_testn_epi32_mask(a, b) lanes_testn_epi32(a, b)
#define _mm512_cmplt_epi32_mask(a, b) lanes_cmplt_epi32(a, b)
#undef _mm256_cmpge_epu32_mask
#define _mm256_cmpge_epu32_mask(a, b) lanes_cmpge_epu32(a, b)
#define _mm512_stream_pd(p, a) _mm512_storeu_pd(p, a)
#define _mm512_stream_ps(p, a) _mm512_storeu_ps(p, a)

#endif
