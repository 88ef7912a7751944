/* Vectors of AVX2 + FMA + F16C: 4 doubles, 8 floats. Names and meanings as in vec_baseline.h. */
#ifndef POSENC_KERNELS_VEC_AVX2_H
#define POSENC_KERNELS_VEC_AVX2_H

#include <immintrin.h>

#define FUSES 1
#define BF16_PAIRS 1

enum { LANES = 4, VECTOR_BYTES = 32 };

typedef __m256d vd;
typedef __m128 vh;
typedef __m256 vf;

static inline vd vd_load(const double *p) { return _mm256_loadu_pd(p); }
static inline void vd_store(double *p, vd a) { _mm256_storeu_pd(p, a); }
static inline void vd_stream(double *p, vd a) { _mm256_stream_pd(p, a); }
static inline vd vd_set(double a) { return _mm256_set1_pd(a); }
static inline vd vd_load_floats(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
static inline vd vd_add(vd a, vd b) { return _mm256_add_pd(a, b); }
static inline vd vd_sub(vd a, vd b) { return _mm256_sub_pd(a, b); }
static inline vd vd_mul(vd a, vd b) { return _mm256_mul_pd(a, b); }
static inline vd vd_fma(vd a, vd b, vd c) { return _mm256_fmadd_pd(a, b, c); }
static inline vd vd_product_error(vd a, vd b, vd p) { return _mm256_fmsub_pd(a, b, p); }

static inline vd vd_zip_low(vd s, vd c) {
    return _mm256_permute2f128_pd(_mm256_unpacklo_pd(s, c), _mm256_unpackhi_pd(s, c), 0x20);
}
static inline vd vd_zip_high(vd s, vd c) {
    return _mm256_permute2f128_pd(_mm256_unpacklo_pd(s, c), _mm256_unpackhi_pd(s, c), 0x31);
}

static inline vd vd_even(vd a, vd b) {
    return _mm256_unpacklo_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
}
static inline vd vd_odd(vd a, vd b) {
    return _mm256_unpackhi_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
}

static inline vh vh_round(vd a) { return _mm256_cvtpd_ps(a); }

/* The high words of four doubles. */
static inline __m128i high_words(vd a) {
    __m128 low = _mm_castpd_ps(_mm256_castpd256_pd128(a)), high = _mm_castpd_ps(_mm256_extractf128_pd(a, 1));
    return _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1)));
}

/* A step of one unit, away from zero where the error has the value's sign, is taken if the result is inexact and even.
 */
static inline vh vh_round_odd(vd a) {
    vh near = _mm256_cvtpd_ps(a);
    vd back = _mm256_cvtps_pd(near), error = _mm256_sub_pd(a, back);
    __m128i bits = _mm_castps_si128(near), one = _mm_set1_epi32(1);
    __m128i step = _mm_or_si128(_mm_srai_epi32(high_words(_mm256_xor_pd(error, back)), 31), one);
    __m128i inexact = high_words(_mm256_cmp_pd(error, _mm256_setzero_pd(), _CMP_NEQ_OQ));
    __m128i even = _mm_cmpeq_epi32(_mm_and_si128(bits, one), _mm_setzero_si128());
    return _mm_castsi128_ps(_mm_add_epi32(bits, _mm_and_si128(step, _mm_and_si128(inexact, even))));
}

static inline vf vf_join(vh a, vh b) { return _mm256_insertf128_ps(_mm256_castps128_ps256(a), b, 1); }
static inline vf vf_zip(vh a, vh b) { return vf_join(_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b)); }
static inline vf vf_zip_low(vf a, vf b) {
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x20);
}
static inline vf vf_zip_high(vf a, vf b) {
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x31);
}
static inline vf vf_even(vf a, vf b) {
    return _mm256_shuffle_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31),
                             _MM_SHUFFLE(2, 0, 2, 0));
}
static inline vf vf_low_words(vd a, vd b) {
    return _mm256_shuffle_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b), _MM_SHUFFLE(2, 0, 2, 0));
}
static inline vf vf_odd(vf a, vf b) {
    return _mm256_shuffle_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31),
                             _MM_SHUFFLE(3, 1, 3, 1));
}

static inline vf vf_load(const float *p) { return _mm256_loadu_ps(p); }
static inline void vf_store(float *p, vf a) { _mm256_storeu_ps(p, a); }
static inline void vf_stream(float *p, vf a) { _mm256_stream_ps(p, a); }
static inline vf vf_set(float a) { return _mm256_set1_ps(a); }
static inline vf vf_add(vf a, vf b) { return _mm256_add_ps(a, b); }
static inline vf vf_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
static inline vf vf_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
static inline vf vf_min(vf a, vf b) { return _mm256_min_ps(a, b); }
static inline vf vf_max(vf a, vf b) { return _mm256_max_ps(a, b); }

static inline __m128i halves_at(const uint16_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }
static inline __m128i f16_of(vf a) { return _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }

/* The bits of bf16 in the low half of each word: adds half a unit, one less when that would leave a tie odd, and keeps
 * the high halves; a NaN is made quiet. */
static inline __m256i bf16_words(vf a) {
    __m256i bits = _mm256_castps_si256(a), high = _mm256_srli_epi32(bits, 16);
    __m256i odd = _mm256_and_si256(high, _mm256_set1_epi32(1));
    __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF))), 16);
    __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(a, a, _CMP_UNORD_Q));
    return _mm256_blendv_epi8(rounded, _mm256_or_si256(high, _mm256_set1_epi32(0x40)), nan);
}
static inline __m128i bf16_of(vf a) {
    __m256i words = bf16_words(a);
    return _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}

static inline vd vd_low(vf a) { return _mm256_cvtps_pd(_mm256_castps256_ps128(a)); }
static inline vd vd_high(vf a) { return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)); }

static inline vf vf_load_f16(const uint16_t *p) { return _mm256_cvtph_ps(halves_at(p)); }
static inline vf vf_load_bf16(const uint16_t *p) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves_at(p)), 16));
}
static inline void vf_store_f16(uint16_t *p, vf a) { _mm_storeu_si128((__m128i *)(void *)p, f16_of(a)); }
static inline void vf_store_bf16(uint16_t *p, vf a) { _mm_storeu_si128((__m128i *)(void *)p, bf16_of(a)); }
static inline void vf_stream_f16(uint16_t *p, vf a) { _mm_stream_si128((__m128i *)(void *)p, f16_of(a)); }
static inline void vf_stream_bf16(uint16_t *p, vf a) { _mm_stream_si128((__m128i *)(void *)p, bf16_of(a)); }

/* Two vectors of floats in the order that unpacking 16 halves lane by lane gives, 0..3 8..11 and 4..7 12..15: packing
 * undoes it, and nothing has to cross the middle of a register but the floats that are loaded beside. */
typedef struct vf_pair {
    vf low, high;
} vf_pair;
static inline vf_pair pair_load_bf16(const uint16_t *p) {
    __m256i halves = _mm256_loadu_si256((const __m256i *)(const void *)p), zero = _mm256_setzero_si256();
    return (vf_pair){_mm256_castsi256_ps(_mm256_unpacklo_epi16(zero, halves)),
                     _mm256_castsi256_ps(_mm256_unpackhi_epi16(zero, halves))};
}
static inline vf_pair pair_load(const float *p) {
    vf first = _mm256_loadu_ps(p), second = _mm256_loadu_ps(p + 8);
    return (vf_pair){_mm256_permute2f128_ps(first, second, 0x20), _mm256_permute2f128_ps(first, second, 0x31)};
}
static inline __m256i pair_bf16(vf_pair a) { return _mm256_packus_epi32(bf16_words(a.low), bf16_words(a.high)); }
static inline void pair_store_bf16(uint16_t *p, vf_pair a) { _mm256_storeu_si256((__m256i *)(void *)p, pair_bf16(a)); }
static inline void pair_stream_bf16(uint16_t *p, vf_pair a) { _mm256_stream_si256((__m256i *)(void *)p, pair_bf16(a)); }

/* A word holds two numbers of bf16, each the high half of a float: nothing has to cross a register. Rounding as in
 * bf16_words, without its care for NaN where there is none. */
typedef struct vf_two {
    vf even, odd;
} vf_two;
static inline vf_two two_load_bf16(const uint16_t *p) {
    __m256i words = _mm256_loadu_si256((const __m256i *)(const void *)p);
    return (vf_two){_mm256_castsi256_ps(_mm256_slli_epi32(words, 16)),
                    _mm256_castsi256_ps(_mm256_and_si256(words, _mm256_set1_epi32((int)0xFFFF0000)))};
}
static inline __m256i rounded_bf16(vf a) {
    __m256i bits = _mm256_castps_si256(a), odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    return _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
}
static inline __m256i two_bf16(vf_two a) {
    __m256i even = _mm256_srli_epi32(rounded_bf16(a.even), 16), odd = rounded_bf16(a.odd);
    if (_mm256_movemask_ps(_mm256_cmp_ps(a.even, a.odd, _CMP_UNORD_Q))) {
        even = bf16_words(a.even);
        odd = _mm256_slli_epi32(bf16_words(a.odd), 16);
    }
    return _mm256_blend_epi16(even, odd, 0xAA);
}
static inline void two_store_bf16(uint16_t *p, vf_two a) { _mm256_storeu_si256((__m256i *)(void *)p, two_bf16(a)); }
static inline void two_stream_bf16(uint16_t *p, vf_two a) { _mm256_stream_si256((__m256i *)(void *)p, two_bf16(a)); }

static inline __m256i half_way_bits(vf a, int mask, int tie) {
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_castps_si256(a), _mm256_set1_epi32(mask)),
                              _mm256_set1_epi32(tie));
}
static inline __m256i half_way_f16(vf a) {
    __m256i size = _mm256_and_si256(_mm256_castps_si256(a), _mm256_set1_epi32(0x7FFFFFFF));
    return _mm256_or_si256(half_way_bits(a, 0x1FFF, 0x1000), _mm256_cmpgt_epi32(_mm256_set1_epi32(0x38800000), size));
}
static inline int vf_half_way_f16(vf a, vf b) {
    return _mm256_movemask_epi8(_mm256_or_si256(half_way_f16(a), half_way_f16(b)));
}
static inline int vf_half_way_bf16(vf a, vf b) {
    return _mm256_movemask_epi8(_mm256_or_si256(half_way_bits(a, 0xFFFF, 0x8000), half_way_bits(b, 0xFFFF, 0x8000)));
}

typedef __m256i vu;
static inline vu vu_set(uint32_t a) { return _mm256_set1_epi64x(a); }
static inline vu vu_count(uint32_t a) { return _mm256_add_epi64(vu_set(a), _mm256_setr_epi64x(0, 1, 2, 3)); }
static inline vu vu_xor(vu a, vu b) { return _mm256_xor_si256(a, b); }
static inline vu vu_multiply(vu a, uint32_t b) { return _mm256_mul_epu32(a, vu_set(b)); }
static inline vu vu_high(vu a) { return _mm256_srli_epi64(a, 32); }
static inline void vu_store_blocks(uint32_t *p, vu a, vu b, vu c, vu d) {
    vu ab = _mm256_blend_epi32(a, _mm256_slli_epi64(b, 32), 0xAA),
       cd = _mm256_blend_epi32(c, _mm256_slli_epi64(d, 32), 0xAA);
    vu even = _mm256_unpacklo_epi64(ab, cd), odd = _mm256_unpackhi_epi64(ab, cd); /* blocks 0 2, 1 3 */
    _mm256_storeu_si256((__m256i *)(void *)p, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)p + 1, _mm256_permute2x128_si256(even, odd, 0x31));
}
static inline __m256i words_at_or_above(__m256i words, uint32_t threshold) {
    return _mm256_cmpeq_epi32(_mm256_max_epu32(words, _mm256_set1_epi32((int)threshold)), words);
}
static inline vf vf_keep(vf a, const uint32_t *words, uint32_t threshold) {
    __m256i kept = words_at_or_above(_mm256_loadu_si256((const __m256i *)(const void *)words), threshold);
    return _mm256_and_ps(a, _mm256_castsi256_ps(kept));
}
static inline vd vd_keep(vd a, const uint32_t *words, uint32_t threshold) {
    __m128i w = _mm_loadu_si128((const __m128i *)(const void *)words);
    __m128i kept = _mm_cmpeq_epi32(_mm_max_epu32(w, _mm_set1_epi32((int)threshold)), w);
    return _mm256_and_pd(a, _mm256_castsi256_pd(_mm256_cvtepi32_epi64(kept)));
}

/* gcc takes a function that only fetches for one without effect, and drops its calls; the empty assembly is one. */
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
