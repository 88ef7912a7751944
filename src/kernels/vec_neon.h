/* Vectors of 64-bit Arm NEON: 2 doubles, 4 floats. Names and meanings as in vec_baseline.h. Streaming stores are plain
 * stores here: the architecture has no counterpart that compilers emit reliably. */
#ifndef POSENC_KERNELS_VEC_NEON_H
#define POSENC_KERNELS_VEC_NEON_H

#include <arm_neon.h>

#define FUSES 1
#define BF16_PAIRS 0

enum { LANES = 2, VECTOR_BYTES = 1 };

typedef float64x2_t vd;
typedef float32x2_t vh;
typedef float32x4_t vf;

static inline vd vd_load(const double *p) { return vld1q_f64(p); }
static inline void vd_store(double *p, vd a) { vst1q_f64(p, a); }
static inline void vd_stream(double *p, vd a) { vst1q_f64(p, a); }
static inline vd vd_set(double a) { return vdupq_n_f64(a); }
static inline vd vd_load_floats(const float *p) { return vcvt_f64_f32(vld1_f32(p)); }
static inline vd vd_add(vd a, vd b) { return vaddq_f64(a, b); }
static inline vd vd_sub(vd a, vd b) { return vsubq_f64(a, b); }
static inline vd vd_mul(vd a, vd b) { return vmulq_f64(a, b); }
static inline vd vd_fma(vd a, vd b, vd c) { return vfmaq_f64(c, a, b); }
static inline vd vd_product_error(vd a, vd b, vd p) { return vfmaq_f64(vnegq_f64(p), a, b); }

static inline vd vd_zip_low(vd s, vd c) { return vzip1q_f64(s, c); }
static inline vd vd_zip_high(vd s, vd c) { return vzip2q_f64(s, c); }
static inline vd vd_even(vd a, vd b) { return vuzp1q_f64(a, b); }
static inline vd vd_odd(vd a, vd b) { return vuzp2q_f64(a, b); }

static inline vh vh_round(vd a) { return vcvt_f32_f64(a); }
/* The architecture has this rounding: FCVTXN. */
static inline vh vh_round_odd(vd a) { return vcvtx_f32_f64(a); }

static inline vf vf_join(vh a, vh b) { return vcombine_f32(a, b); }
static inline vf vf_zip(vh a, vh b) { return vcombine_f32(vzip1_f32(a, b), vzip2_f32(a, b)); }
static inline vf vf_zip_low(vf a, vf b) { return vzip1q_f32(a, b); }
static inline vf vf_zip_high(vf a, vf b) { return vzip2q_f32(a, b); }
static inline vf vf_even(vf a, vf b) { return vuzp1q_f32(a, b); }
static inline vf vf_low_words(vd a, vd b) { return vuzp1q_f32(vreinterpretq_f32_f64(a), vreinterpretq_f32_f64(b)); }
static inline vf vf_odd(vf a, vf b) { return vuzp2q_f32(a, b); }

static inline vf vf_load(const float *p) { return vld1q_f32(p); }
static inline void vf_store(float *p, vf a) { vst1q_f32(p, a); }
static inline void vf_stream(float *p, vf a) { vst1q_f32(p, a); }
static inline vf vf_set(float a) { return vdupq_n_f32(a); }
static inline vf vf_add(vf a, vf b) { return vaddq_f32(a, b); }
static inline vf vf_sub(vf a, vf b) { return vsubq_f32(a, b); }
static inline vf vf_mul(vf a, vf b) { return vmulq_f32(a, b); }
static inline vf vf_fma(vf a, vf b, vf c) { return vfmaq_f32(c, a, b); }
static inline vf vf_min(vf a, vf b) { return vminq_f32(a, b); }
static inline vf vf_max(vf a, vf b) { return vmaxq_f32(a, b); }

static inline vd vd_low(vf a) { return vcvt_f64_f32(vget_low_f32(a)); }
static inline vd vd_high(vf a) { return vcvt_high_f64_f32(a); }

static inline vf vf_load_f16(const uint16_t *p) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p))); }
static inline vf vf_load_bf16(const uint16_t *p) { return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16)); }
static inline void vf_store_f16(uint16_t *p, vf a) { vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(a))); }
static inline void vf_store_bf16(uint16_t *p, vf a) {
    uint32x4_t bits = vreinterpretq_u32_f32(a), high = vshrq_n_u32(bits, 16);
    uint32x4_t odd = vandq_u32(high, vdupq_n_u32(1));
    uint32x4_t rounded = vshrq_n_u32(vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7FFF))), 16);
    uint32x4_t number = vceqq_f32(a, a);
    vst1_u16(p, vmovn_u32(vbslq_u32(number, rounded, vorrq_u32(high, vdupq_n_u32(0x40)))));
}
static inline void vf_stream_f16(uint16_t *p, vf a) { vf_store_f16(p, a); }
static inline void vf_stream_bf16(uint16_t *p, vf a) { vf_store_bf16(p, a); }

typedef struct vf_two {
    vf even, odd;
} vf_two;
static inline vf_two two_load_bf16(const uint16_t *p) {
    uint32x4_t words = vreinterpretq_u32_u16(vld1q_u16(p));
    return (vf_two){vreinterpretq_f32_u32(vshlq_n_u32(words, 16)),
                    vreinterpretq_f32_u32(vandq_u32(words, vdupq_n_u32(0xFFFF0000)))};
}
static inline uint32x4_t rounded_bf16(vf a) {
    uint32x4_t bits = vreinterpretq_u32_f32(a), odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    uint32x4_t rounded = vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7FFF)));
    return vbslq_u32(vceqq_f32(a, a), rounded, vorrq_u32(bits, vdupq_n_u32(0x400000)));
}
static inline void two_store_bf16(uint16_t *p, vf_two a) {
    uint32x4_t odd = vandq_u32(rounded_bf16(a.odd), vdupq_n_u32(0xFFFF0000));
    vst1q_u16(p, vreinterpretq_u16_u32(vorrq_u32(vshrq_n_u32(rounded_bf16(a.even), 16), odd)));
}
static inline void two_stream_bf16(uint16_t *p, vf_two a) { two_store_bf16(p, a); }

static inline uint32x4_t half_way_bits(vf a, uint32_t mask, uint32_t tie) {
    return vceqq_u32(vandq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32(mask)), vdupq_n_u32(tie));
}
static inline uint32x4_t half_way_f16(vf a) {
    uint32x4_t size = vandq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32(0x7FFFFFFF));
    return vorrq_u32(half_way_bits(a, 0x1FFF, 0x1000), vcltq_u32(size, vdupq_n_u32(0x38800000)));
}
static inline int any_lane(uint32x4_t a) { return vmaxvq_u32(a) != 0; }
static inline int vf_half_way_f16(vf a, vf b) { return any_lane(vorrq_u32(half_way_f16(a), half_way_f16(b))); }
static inline int vf_half_way_bf16(vf a, vf b) {
    return any_lane(vorrq_u32(half_way_bits(a, 0xFFFF, 0x8000), half_way_bits(b, 0xFFFF, 0x8000)));
}

typedef uint64x2_t vu;
static inline vu vu_set(uint32_t a) { return vdupq_n_u64(a); }
static inline vu vu_count(uint32_t a) {
    static const uint64_t steps[2] = {0, 1};
    return vaddq_u64(vu_set(a), vld1q_u64(steps));
}
static inline vu vu_xor(vu a, vu b) { return veorq_u64(a, b); }
static inline vu vu_multiply(vu a, uint32_t b) { return vmull_u32(vmovn_u64(a), vdup_n_u32(b)); }
static inline vu vu_high(vu a) { return vshrq_n_u64(a, 32); }
static inline void vu_store_blocks(uint32_t *p, vu a, vu b, vu c, vu d) {
    uint32x2x4_t blocks = {{vmovn_u64(a), vmovn_u64(b), vmovn_u64(c), vmovn_u64(d)}};
    vst4_u32(p, blocks);
}
static inline vf vf_keep(vf a, const uint32_t *words, uint32_t threshold) {
    uint32x4_t kept = vcgeq_u32(vld1q_u32(words), vdupq_n_u32(threshold));
    return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(a), kept));
}
static inline vd vd_keep(vd a, const uint32_t *words, uint32_t threshold) {
    uint32x2_t kept = vcge_u32(vld1_u32(words), vdup_n_u32(threshold));
    uint64x2_t wide = vreinterpretq_u64_s64(vmovl_s32(vreinterpret_s32_u32(kept)));
    return vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(a), wide));
}

/* As in vec_avx2.h. */
static inline void prefetch_once(const void *p) {
    __builtin_prefetch(p, 0, 0);
    __asm__ volatile("");
}
static inline void prefetch_near(const void *p) {
    __builtin_prefetch(p, 0, 3);
    __asm__ volatile("");
}
static inline void stream_fence(void) {}

#endif
