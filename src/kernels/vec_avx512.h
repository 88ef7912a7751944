/* Vectors of AVX-512 F + BW + DQ + VL: 8 doubles, 16 floats. Names and meanings as in vec_baseline.h. */
#ifndef POSENC_KERNELS_VEC_AVX512_H
#define POSENC_KERNELS_VEC_AVX512_H

#include <immintrin.h>

#define FUSES 1
#define BF16_PAIRS 0

enum { LANES = 8, VECTOR_BYTES = 64 };

typedef __m512d vd;
typedef __m256 vh;
typedef __m512 vf;

static inline vd vd_load(const double *p) { return _mm512_loadu_pd(p); }
static inline void vd_store(double *p, vd a) { _mm512_storeu_pd(p, a); }
static inline void vd_stream(double *p, vd a) { _mm512_stream_pd(p, a); }
static inline vd vd_set(double a) { return _mm512_set1_pd(a); }
static inline vd vd_load_floats(const float *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
static inline vd vd_add(vd a, vd b) { return _mm512_add_pd(a, b); }
static inline vd vd_sub(vd a, vd b) { return _mm512_sub_pd(a, b); }
static inline vd vd_mul(vd a, vd b) { return _mm512_mul_pd(a, b); }
static inline vd vd_fma(vd a, vd b, vd c) { return _mm512_fmadd_pd(a, b, c); }
static inline vd vd_product_error(vd a, vd b, vd p) { return _mm512_fmsub_pd(a, b, p); }

static inline vd vd_zip_low(vd s, vd c) {
    return _mm512_permutex2var_pd(s, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), c);
}
static inline vd vd_zip_high(vd s, vd c) {
    return _mm512_permutex2var_pd(s, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), c);
}

static inline vd vd_even(vd a, vd b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
}
static inline vd vd_odd(vd a, vd b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
}

static inline vh vh_round(vd a) { return _mm512_cvtpd_ps(a); }

/* As in vec_avx2.h, with mask registers. */
static inline vh vh_round_odd(vd a) {
    vh near = _mm512_cvtpd_ps(a);
    vd back = _mm512_cvtps_pd(near), error = _mm512_sub_pd(a, back);
    __m256i bits = _mm256_castps_si256(near), one = _mm256_set1_epi32(1);
    __mmask8 inward = _mm512_movepi64_mask(_mm512_castpd_si512(_mm512_xor_pd(error, back)));
    __mmask8 inexact = _mm512_cmp_pd_mask(error, _mm512_setzero_pd(), _CMP_NEQ_OQ);
    __mmask8 moves = (__mmask8)(inexact & _mm256_testn_epi32_mask(bits, one));
    __m256i step = _mm256_mask_blend_epi32(inward, one, _mm256_set1_epi32(-1));
    return _mm256_castsi256_ps(_mm256_mask_add_epi32(bits, moves, bits, step));
}

static inline vf vf_join(vh a, vh b) { return _mm512_insertf32x8(_mm512_castps256_ps512(a), b, 1); }
static inline vf vf_zip(vh a, vh b) {
    __m512i order = _mm512_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    return _mm512_permutexvar_ps(order, vf_join(a, b));
}
static inline vf vf_zip_low(vf a, vf b) {
    __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(a, order, b);
}
static inline vf vf_zip_high(vf a, vf b) {
    __m512i order = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    return _mm512_permutex2var_ps(a, order, b);
}
static inline vf vf_even(vf a, vf b) {
    __m512i order = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(a, order, b);
}
static inline vf vf_low_words(vd a, vd b) {
    return _mm512_shuffle_ps(_mm512_castpd_ps(a), _mm512_castpd_ps(b), _MM_SHUFFLE(2, 0, 2, 0));
}
static inline vf vf_odd(vf a, vf b) {
    __m512i order = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_ps(a, order, b);
}

static inline vf vf_load(const float *p) { return _mm512_loadu_ps(p); }
static inline void vf_store(float *p, vf a) { _mm512_storeu_ps(p, a); }
static inline void vf_stream(float *p, vf a) { _mm512_stream_ps(p, a); }
static inline vf vf_set(float a) { return _mm512_set1_ps(a); }
static inline vf vf_add(vf a, vf b) { return _mm512_add_ps(a, b); }
static inline vf vf_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
static inline vf vf_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
static inline vf vf_min(vf a, vf b) { return _mm512_min_ps(a, b); }
static inline vf vf_max(vf a, vf b) { return _mm512_max_ps(a, b); }

static inline __m256i halves_at(const uint16_t *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
static inline __m256i f16_of(vf a) { return _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }

/* By integers, because the bf16 instruction flushes subnormals. */
static inline __m256i bf16_of(vf a) {
    __m512i bits = _mm512_castps_si512(a), high = _mm512_srli_epi32(bits, 16);
    __m512i odd = _mm512_and_si512(high, _mm512_set1_epi32(1));
    __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF))), 16);
    __mmask16 nan = _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q);
    return _mm512_cvtepi32_epi16(_mm512_mask_or_epi32(rounded, nan, high, _mm512_set1_epi32(0x40)));
}

static inline vd vd_low(vf a) { return _mm512_cvtps_pd(_mm512_castps512_ps256(a)); }
static inline vd vd_high(vf a) {
    return _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(a), 1)));
}

static inline vf vf_load_f16(const uint16_t *p) { return _mm512_cvtph_ps(halves_at(p)); }
static inline vf vf_load_bf16(const uint16_t *p) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves_at(p)), 16));
}
static inline void vf_store_f16(uint16_t *p, vf a) { _mm256_storeu_si256((__m256i *)(void *)p, f16_of(a)); }
static inline void vf_store_bf16(uint16_t *p, vf a) { _mm256_storeu_si256((__m256i *)(void *)p, bf16_of(a)); }
static inline void vf_stream_f16(uint16_t *p, vf a) { _mm256_stream_si256((__m256i *)(void *)p, f16_of(a)); }
static inline void vf_stream_bf16(uint16_t *p, vf a) { _mm256_stream_si256((__m256i *)(void *)p, bf16_of(a)); }

/* As in vec_avx2.h. */
typedef struct vf_two {
    vf even, odd;
} vf_two;
static inline vf_two two_load_bf16(const uint16_t *p) {
    __m512i words = _mm512_loadu_si512(p);
    return (vf_two){_mm512_castsi512_ps(_mm512_slli_epi32(words, 16)),
                    _mm512_castsi512_ps(_mm512_and_si512(words, _mm512_set1_epi32((int)0xFFFF0000)))};
}
static inline __m512i rounded_bf16(vf a) {
    __m512i bits = _mm512_castps_si512(a), high = _mm512_srli_epi32(bits, 16);
    __m512i odd = _mm512_and_si512(high, _mm512_set1_epi32(1));
    __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF)));
    __mmask16 nan = _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q);
    return _mm512_mask_or_epi32(rounded, nan, bits, _mm512_set1_epi32(0x400000));
}
static inline __m512i two_bf16(vf_two a) {
    return _mm512_or_si512(_mm512_srli_epi32(rounded_bf16(a.even), 16),
                           _mm512_and_si512(rounded_bf16(a.odd), _mm512_set1_epi32((int)0xFFFF0000)));
}
static inline void two_store_bf16(uint16_t *p, vf_two a) { _mm512_storeu_si512(p, two_bf16(a)); }
static inline void two_stream_bf16(uint16_t *p, vf_two a) {
    _mm512_stream_pd((double *)(void *)p, _mm512_castsi512_pd(two_bf16(a)));
}

static inline __mmask16 half_way_bits(vf a, int mask, int tie) {
    return _mm512_cmpeq_epi32_mask(_mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(mask)),
                                   _mm512_set1_epi32(tie));
}
static inline int half_way_f16(vf a) {
    __m512i size = _mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(0x7FFFFFFF));
    return half_way_bits(a, 0x1FFF, 0x1000) | _mm512_cmplt_epi32_mask(size, _mm512_set1_epi32(0x38800000));
}
static inline int vf_half_way_f16(vf a, vf b) { return half_way_f16(a) | half_way_f16(b); }
static inline int vf_half_way_bf16(vf a, vf b) {
    return half_way_bits(a, 0xFFFF, 0x8000) | half_way_bits(b, 0xFFFF, 0x8000);
}

typedef __m512i vu;
static inline vu vu_set(uint32_t a) { return _mm512_set1_epi64(a); }
static inline vu vu_count(uint32_t a) { return _mm512_add_epi64(vu_set(a), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)); }
static inline vu vu_xor(vu a, vu b) { return _mm512_xor_si512(a, b); }
static inline vu vu_multiply(vu a, uint32_t b) { return _mm512_mul_epu32(a, vu_set(b)); }
static inline vu vu_high(vu a) { return _mm512_srli_epi64(a, 32); }
static inline void vu_store_blocks(uint32_t *p, vu a, vu b, vu c, vu d) {
    vu ab = _mm512_mask_blend_epi32(0xAAAA, a, _mm512_slli_epi64(b, 32));
    vu cd = _mm512_mask_blend_epi32(0xAAAA, c, _mm512_slli_epi64(d, 32));
    vu even = _mm512_unpacklo_epi64(ab, cd), odd = _mm512_unpackhi_epi64(ab, cd); /* blocks 0 2 4 6, 1 3 5 7 */
    _mm512_storeu_si512(p, _mm512_permutex2var_epi64(even, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), odd));
    _mm512_storeu_si512(p + 16, _mm512_permutex2var_epi64(even, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), odd));
}
static inline vf vf_keep(vf a, const uint32_t *words, uint32_t threshold) {
    return _mm512_maskz_mov_ps(_mm512_cmpge_epu32_mask(_mm512_loadu_si512(words), _mm512_set1_epi32((int)threshold)),
                               a);
}
static inline vd vd_keep(vd a, const uint32_t *words, uint32_t threshold) {
    __m256i w = _mm256_loadu_si256((const __m256i *)(const void *)words);
    return _mm512_maskz_mov_pd(_mm256_cmpge_epu32_mask(w, _mm256_set1_epi32((int)threshold)), a);
}

/* As in vec_avx2.h. */
static inline void prefetch_once(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_NTA);
    __asm__ volatile("");
}
static inline void prefetch_near(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_T0);
    __asm__ volatile("");
}
static inline void stream_fence(void) { _mm_sfence(); }

#endif
