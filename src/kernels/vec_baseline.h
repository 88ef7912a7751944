/* Vectors in plain C: right on every machine, and the text to read beside the other vec_*.h, which give the same names
 * for one instruction set each. Doubles come LANES at a time (vd), floats 2 * LANES (vf) or LANES (vh).
 * Two-product errors use Dekker's splitting, which is exact as a fused multiply-add is, so the bits agree. */
#ifndef POSENC_KERNELS_VEC_BASELINE_H
#define POSENC_KERNELS_VEC_BASELINE_H

#include <math.h>
#include <string.h>

#include "base/half.h"

#define FUSES 0
#define BF16_PAIRS 0

enum { LANES = 4, VECTOR_BYTES = 1 }; /* no alignment helps here */

typedef struct vd {
    double at[LANES];
} vd;
typedef struct vh {
    float at[LANES];
} vh;
typedef struct vf {
    float at[2 * LANES];
} vf;

#define EACH_LANE for (int i = 0; i < LANES; i++)
#define EACH_FLOAT for (int i = 0; i < 2 * LANES; i++)

static inline vd vd_load(const double *p) {
    vd r;
    memcpy(&r, p, sizeof r);
    return r;
}
static inline void vd_store(double *p, vd a) { memcpy(p, &a, sizeof a); }
static inline void vd_stream(double *p, vd a) { vd_store(p, a); }
static inline vd vd_set(double a) {
    vd r;
    EACH_LANE r.at[i] = a;
    return r;
}
/* LANES floats, widened. */
static inline vd vd_load_floats(const float *p) {
    vd r;
    EACH_LANE r.at[i] = (double)p[i];
    return r;
}
static inline vd vd_add(vd a, vd b) {
    EACH_LANE a.at[i] += b.at[i];
    return a;
}
static inline vd vd_sub(vd a, vd b) {
    EACH_LANE a.at[i] -= b.at[i];
    return a;
}
static inline vd vd_mul(vd a, vd b) {
    EACH_LANE a.at[i] *= b.at[i];
    return a;
}
static inline vd vd_fma(vd a, vd b, vd c) {
    EACH_LANE a.at[i] = fma(a.at[i], b.at[i], c.at[i]);
    return a;
}

/* a * b - p for p = round(a * b), exactly. Each factor is split into 26 + 27 bits. */
static inline double product_error(double a, double b, double p) {
    double ta = a * 134217729.0, a1 = ta - (ta - a), a2 = a - a1;
    double tb = b * 134217729.0, b1 = tb - (tb - b), b2 = b - b1;
    return ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
}
static inline vd vd_product_error(vd a, vd b, vd p) {
    EACH_LANE a.at[i] = product_error(a.at[i], b.at[i], p.at[i]);
    return a;
}

/* s0 c0 s1 c1 ..: first half and second half. */
static inline vd vd_zip_low(vd s, vd c) {
    vd r;
    EACH_LANE r.at[i] = i % 2 ? c.at[i / 2] : s.at[i / 2];
    return r;
}
static inline vd vd_zip_high(vd s, vd c) {
    vd r;
    EACH_LANE r.at[i] = i % 2 ? c.at[LANES / 2 + i / 2] : s.at[LANES / 2 + i / 2];
    return r;
}

/* The values at even and at odd places of a, then of b: what the zips have brought together. */
static inline vd vd_even(vd a, vd b) {
    vd r;
    EACH_LANE r.at[i] = i < LANES / 2 ? a.at[2 * i] : b.at[2 * i - LANES];
    return r;
}
static inline vd vd_odd(vd a, vd b) {
    vd r;
    EACH_LANE r.at[i] = i < LANES / 2 ? a.at[2 * i + 1] : b.at[2 * i + 1 - LANES];
    return r;
}

static inline vh vh_round(vd a) {
    vh r;
    EACH_LANE r.at[i] = (float)a.at[i];
    return r;
}

static inline vh vh_round_odd(vd a) {
    vh r;
    EACH_LANE r.at[i] = posenc_f32_odd_of_f64(a.at[i]);
    return r;
}

static inline vf vf_join(vh a, vh b) {
    vf r;
    EACH_LANE r.at[i] = a.at[i], r.at[LANES + i] = b.at[i];
    return r;
}
static inline vf vf_zip(vh a, vh b) {
    vf r;
    EACH_LANE r.at[2 * i] = a.at[i], r.at[2 * i + 1] = b.at[i];
    return r;
}

/* The same with whole vectors, and back. */
static inline vf vf_zip_low(vf a, vf b) {
    vf r;
    EACH_FLOAT r.at[i] = i % 2 ? b.at[i / 2] : a.at[i / 2];
    return r;
}
static inline vf vf_zip_high(vf a, vf b) {
    vf r;
    EACH_FLOAT r.at[i] = i % 2 ? b.at[LANES + i / 2] : a.at[LANES + i / 2];
    return r;
}
static inline vf vf_even(vf a, vf b) {
    vf r;
    EACH_FLOAT r.at[i] = i < LANES ? a.at[2 * i] : b.at[2 * i - 2 * LANES];
    return r;
}
/* The low words of two doubles of a, of two of b, of the next two of a, ... */
static inline vf vf_low_words(vd a, vd b) {
    vf r;
    uint64_t bits;
    EACH_FLOAT {
        memcpy(&bits, i / 2 % 2 ? &b.at[i / 4 * 2 + i % 2] : &a.at[i / 4 * 2 + i % 2], sizeof bits);
        uint32_t low = (uint32_t)bits;
        memcpy(&r.at[i], &low, sizeof low);
    }
    return r;
}
static inline vf vf_odd(vf a, vf b) {
    vf r;
    EACH_FLOAT r.at[i] = i < LANES ? a.at[2 * i + 1] : b.at[2 * i + 1 - 2 * LANES];
    return r;
}

static inline vf vf_load(const float *p) {
    vf r;
    memcpy(&r, p, sizeof r);
    return r;
}
static inline void vf_store(float *p, vf a) { memcpy(p, &a, sizeof a); }
static inline void vf_stream(float *p, vf a) { vf_store(p, a); }
static inline vf vf_set(float a) {
    vf r;
    EACH_FLOAT r.at[i] = a;
    return r;
}
static inline vf vf_add(vf a, vf b) {
    EACH_FLOAT a.at[i] += b.at[i];
    return a;
}
static inline vf vf_sub(vf a, vf b) {
    EACH_FLOAT a.at[i] -= b.at[i];
    return a;
}
static inline vf vf_mul(vf a, vf b) {
    EACH_FLOAT a.at[i] *= b.at[i];
    return a;
}
static inline vf vf_fma(vf a, vf b, vf c) {
    EACH_FLOAT a.at[i] = fmaf(a.at[i], b.at[i], c.at[i]);
    return a;
}
/* Of numbers; a NaN as the second gives itself. */
static inline vf vf_min(vf a, vf b) {
    EACH_FLOAT a.at[i] = a.at[i] < b.at[i] ? a.at[i] : b.at[i];
    return a;
}
static inline vf vf_max(vf a, vf b) {
    EACH_FLOAT a.at[i] = a.at[i] > b.at[i] ? a.at[i] : b.at[i];
    return a;
}

/* The first LANES floats, and the others, widened. */
static inline vd vd_low(vf a) {
    vd r;
    EACH_LANE r.at[i] = (double)a.at[i];
    return r;
}
static inline vd vd_high(vf a) {
    vd r;
    EACH_LANE r.at[i] = (double)a.at[LANES + i];
    return r;
}

static inline vf vf_load_f16(const uint16_t *p) {
    vf r;
    EACH_FLOAT r.at[i] = posenc_f32_of_f16(p[i]);
    return r;
}
static inline vf vf_load_bf16(const uint16_t *p) {
    vf r;
    EACH_FLOAT r.at[i] = posenc_f32_of_bf16(p[i]);
    return r;
}
static inline void vf_store_f16(uint16_t *p, vf a) { EACH_FLOAT p[i] = posenc_f16_of_f32(a.at[i]); }
static inline void vf_store_bf16(uint16_t *p, vf a) { EACH_FLOAT p[i] = posenc_bf16_of_f32(a.at[i]); }
static inline void vf_stream_f16(uint16_t *p, vf a) { vf_store_f16(p, a); }
static inline void vf_stream_bf16(uint16_t *p, vf a) { vf_store_bf16(p, a); }

/* 4 * LANES numbers of bf16, those at even and those at odd places apart. */
typedef struct vf_two {
    vf even, odd;
} vf_two;
static inline vf_two two_load_bf16(const uint16_t *p) {
    vf_two r;
    EACH_FLOAT r.even.at[i] = posenc_f32_of_bf16(p[2 * i]), r.odd.at[i] = posenc_f32_of_bf16(p[2 * i + 1]);
    return r;
}
static inline void two_store_bf16(uint16_t *p, vf_two a) {
    EACH_FLOAT p[2 * i] = posenc_bf16_of_f32(a.even.at[i]), p[2 * i + 1] = posenc_bf16_of_f32(a.odd.at[i]);
}
static inline void two_stream_bf16(uint16_t *p, vf_two a) { two_store_bf16(p, a); }

/* Whether any float lies half way between two results of the narrower type, as far as its own bits say. For f16, floats
 * below 2^-14 (subnormal results) count as half way, whatever they are. */
static inline int half_way_f16(float a) {
    uint32_t bits = posenc_f32_bits(a);
    return (bits & 0x1FFFu) == 0x1000u || (bits & 0x7FFFFFFFu) < 0x38800000u;
}
static inline int vf_half_way_f16(vf a, vf b) {
    int any = 0;
    EACH_FLOAT any |= half_way_f16(a.at[i]) | half_way_f16(b.at[i]);
    return any;
}
static inline int vf_half_way_bf16(vf a, vf b) {
    int any = 0;
    EACH_FLOAT any |=
        (posenc_f32_bits(a.at[i]) & 0xFFFFu) == 0x8000u || (posenc_f32_bits(b.at[i]) & 0xFFFFu) == 0x8000u;
    return any;
}

/* 32-bit words in the low halves of 64-bit lanes, whose high halves mean nothing. */
typedef struct vu {
    uint64_t at[LANES];
} vu;
static inline vu vu_set(uint32_t a) {
    vu r;
    EACH_LANE r.at[i] = a;
    return r;
}
/* a, a + 1, a + 2, .. */
static inline vu vu_count(uint32_t a) {
    vu r;
    EACH_LANE r.at[i] = (uint64_t)a + (uint64_t)i;
    return r;
}
static inline vu vu_xor(vu a, vu b) {
    EACH_LANE a.at[i] ^= b.at[i];
    return a;
}
/* The whole product of each word with b: its low word in place, its high word for vu_high. */
static inline vu vu_multiply(vu a, uint32_t b) {
    EACH_LANE a.at[i] = (a.at[i] & 0xFFFFFFFFu) * b;
    return a;
}
static inline vu vu_high(vu a) {
    EACH_LANE a.at[i] >>= 32;
    return a;
}
/* a0 b0 c0 d0 a1 b1 c1 d1 .. */
static inline void vu_store_blocks(uint32_t *p, vu a, vu b, vu c, vu d) {
    EACH_LANE {
        p[4 * i] = (uint32_t)a.at[i], p[4 * i + 1] = (uint32_t)b.at[i];
        p[4 * i + 2] = (uint32_t)c.at[i], p[4 * i + 3] = (uint32_t)d.at[i];
    }
}
/* a where the word is at least the threshold, else 0. */
static inline vf vf_keep(vf a, const uint32_t *words, uint32_t threshold) {
    EACH_FLOAT a.at[i] = words[i] >= threshold ? a.at[i] : 0.0f;
    return a;
}
static inline vd vd_keep(vd a, const uint32_t *words, uint32_t threshold) {
    EACH_LANE a.at[i] = words[i] >= threshold ? a.at[i] : 0.0;
    return a;
}

static inline void prefetch_once(const void *p) { (void)p; }
static inline void prefetch_near(const void *p) { (void)p; }
static inline void stream_fence(void) {}

#endif
