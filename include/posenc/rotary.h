/* Rotary position encoding (Su et al. 2021, RoFormer): pairs of channels of queries and keys are turned by an angle
 * that grows with the position. Three independent choices, each named: which frequencies (scaling), which channels are
 * a pair (pairing), and which part of a head turns (extent). A fourth, axes, says which coordinate of a token turns
 * which pair. */
#ifndef POSENC_ROTARY_H
#define POSENC_ROTARY_H

#include <posenc/plan.h>
#include <posenc/sinusoidal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How frequencies are made. d = dim (the rotated width), i a pair 0..d/2-1, theta = base, and
 * omega_i = theta^(-2i/d) radians per position before scaling. */
typedef enum posenc_scaling {
    POSENC_SCALING_DEFAULT = 0,  /* omega_i */
    POSENC_SCALING_LINEAR = 1,   /* omega_i / factor: position interpolation (Chen et al. 2023) */
    POSENC_SCALING_NTK = 2,      /* base theta factor^(d/(d-2)) */
    POSENC_SCALING_DYNAMIC = 3,  /* base theta (factor L/M - (factor - 1))^(d/(d-2)), L = max(sequence length, M),
                                    M = original_length */
    POSENC_SCALING_YARN = 4,     /* omega_i / factor below, omega_i above a ramp over pairs (Peng et al. 2023) */
    POSENC_SCALING_LONGROPE = 5, /* omega_i / e_i, e = long_factor where the sequence is longer than original_length,
                                    else short_factor (Ding et al. 2024; also called su) */
    POSENC_SCALING_LLAMA3 = 6,   /* by wavelength: long ones divided by factor, short ones kept, blended between */
    POSENC_SCALING_PROPORTIONAL = 7, /* theta^(-2i/head_dim)/factor for the first floor(fraction head_dim / 2) pairs of
                                        the whole head, 0 for the rest (Gemma 4); not the same as partial rotary */
    POSENC_SCALING_CUSTOM = 8        /* the caller's own frequencies */
} posenc_scaling;

/* Which two of the d rotated channels are pair i. */
typedef enum posenc_pairing {
    POSENC_PAIRING_HALVES = 0,                   /* (i, i + d/2): GPT-NeoX, Hugging Face Llama */
    POSENC_PAIRING_INTERLEAVED = 1,              /* (2i, 2i + 1): GPT-J, Meta Llama, RoFormer */
    POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT = 2 /* read as the second, written as the first: DeepSeek */
} posenc_pairing;

/* Which coordinate of a token turns pair i. */
typedef enum posenc_axes {
    POSENC_AXES_SINGLE = 0,    /* one position a token */
    POSENC_AXES_SECTIONED = 1, /* contiguous blocks of sections[a] pairs take axis a; one series of frequencies over all
                                  pairs: M-RoPE of Qwen2-VL */
    POSENC_AXES_INTERLEAVED = 2, /* pair i takes axis 1 if i mod 3 = 1 and i < 3 sections[1], axis 2 if i mod 3 = 2 and
                                    i < 3 sections[2], else axis 0: Qwen3-VL. It says nothing about pairing */
    POSENC_AXES_AXIAL = 3, /* contiguous blocks of sections[a] pairs, each with its own series of frequencies of width
                              2 sections[a]: vision 2-D, video 3-D */
    POSENC_AXES_MAP = 4    /* pair i takes axis axis_map[i]; one series of frequencies over all pairs, in their order.
                              Pixtral deals its series out, the even frequencies to the first half of the pairs, rows,
                              and the odd ones to the second, columns: this with scaling custom, inv_freq so ordered */
} posenc_axes;

/* Parameters of a rotary plan. Lists are copied. 0 as the value of a number marked "0: not given" is not a value. */
typedef struct posenc_rotary_options {
    size_t size;             /* sizeof(posenc_rotary_options), as written by posenc_rotary_default */
    int64_t head_dim;        /* channels of a head, 1..2^24; required */
    int64_t dim;             /* d, rotated channels of it, even. 0: head_dim. Default 0 */
    int64_t rotary_start;    /* the first rotated channel; what stands before and behind stays as it is. Default 0 */
    int64_t max_len;         /* positions -max_len..max_len are prepared for; others work too, slower. Default 4096 */
    posenc_pairing pairing;  /* default halves */
    posenc_axes axes;        /* default single; as text it is "pair-axes" */
    const int64_t *sections; /* [n_sections] pairs of each axis; their sum is d/2 (interleaved: 3 of them) */
    size_t n_sections;       /* 0 for single and map */
    const int64_t *axis_map; /* [n_axis_map] axis of each pair, for POSENC_AXES_MAP */
    size_t n_axis_map;       /* d/2 */
    posenc_arithmetic
        arithmetic; /* exact (default) or float32: 1/base^(2i/d), scaled, times position, all in float32 */

    posenc_scaling scaling;  /* default default */
    double base;             /* theta, default 10000 */
    double factor;           /* s > 0. Default 1. longrope: 0 (not given) means max_position_embeddings /
                                original_length */
    int64_t original_length; /* context of the first training: dynamic's M, yarn, longrope, llama3. 0: not given */
    int64_t max_position_embeddings; /* longrope's factor where none is given. 0: not given */
    int64_t sequence_length; /* dynamic and longrope: pins the length of every sequence. 0: each call gives lengths */
    double beta_fast, beta_slow;              /* yarn: rotations at the ends of the ramp. Default 32 and 1 */
    int truncate;                             /* yarn: the ends of the ramp become whole pairs. Default 1 */
    double mscale, mscale_all_dim;            /* yarn. 0: not given. Default 0 */
    double attention_factor;                  /* yarn, longrope: the amplitude itself. 0: not given. Default 0 */
    double low_freq_factor, high_freq_factor; /* llama3. Default 1 and 4 */
    double fraction;                          /* proportional: 0 < fraction <= 1. Default 1 */
    const double *short_factor;               /* [n_short_factor] longrope: divisors of each pair; d/2 of them */
    size_t n_short_factor;
    const double *long_factor; /* [n_long_factor] */
    size_t n_long_factor;
    const double *inv_freq; /* [n_inv_freq] custom: radians per position; d/2 of them */
    size_t n_inv_freq;
    double amplitude; /* custom: multiplies cosines and sines. Default 1 */

    double xpos_scale_base; /* xPos (Sun et al. 2022): 512 in the paper. 0: none. Default 0 */
    double xpos_centre;     /* position of power 0; fixed, it never moves with the length. Default 0 */
} posenc_rotary_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_rotary_default(posenc_rotary_options *options, size_t size);

/* Makes a rotary plan. posenc_plan_create makes the same from "rotary" and parameters as text (lists with commas).
 * Returns POSENC_ERROR_ARGUMENT (odd dim; dim beyond the head; sections that do not sum to d/2; a list of another
 * length than d/2; factor <= 0; a family without its original_length; ...), _MEMORY; *out is untouched then.
 * Ownership and cost as posenc_plan_create. Plans of this scheme are not for posenc_plan_write, posenc_plan_add or
 * encoders. Its posenc_plan_equation: column 2i is amplitude cos(angle of pair i), column 2i+1 the sine (all axes at
 * the same position; a spectrum that depends on the length: at sequence_length, or at original_length).
 * Example: posenc_rotary_options o; posenc_rotary_default(&o, sizeof o);
 *          o.head_dim = 128; o.base = 500000; o.scaling = POSENC_SCALING_LLAMA3; o.factor = 8;
 *          o.original_length = 8192; posenc_rotary_create(NULL, &o, &plan, &error); */
POSENC_API posenc_status posenc_rotary_create(const posenc_context *context, const posenc_rotary_options *options,
                                              posenc_plan **out, posenc_error *error);

/* What a rotary plan's frequencies are. */
typedef struct posenc_rotary_info {
    size_t size;           /* sizeof(posenc_rotary_info), set by the caller */
    int64_t pairs;         /* d/2 */
    int64_t axes;          /* coordinates a token has */
    double amplitude;      /* A: multiplies cosines and sines, so scores get A^2 */
    double softmax_factor; /* what latent attention with mscale_all_dim multiplies its softmax scale by; else 1. Never
                              applied here */
    int64_t kept, blended, divided; /* pairs of yarn and llama3: as they were, between, divided by factor; else pairs,
                                       0, 0 */
    int depends_on_length;          /* not 0: dynamic or longrope, not pinned */
} posenc_rotary_info;

/* Describes a plan's spectrum at a sequence length.
 * length: tokens of the sequence; 0: the pinned one, or where there is none original_length. Spectra that do not depend
 * on it ignore it.
 * omega[pairs]: radians per position, rounded to double; may be NULL. axis[pairs]: which coordinate; may be NULL.
 * Returns POSENC_ERROR_ARGUMENT (not a rotary plan; length < 0), _MEMORY; outputs are untouched then. */
POSENC_API posenc_status posenc_rotary_describe(const posenc_plan *plan, int64_t length, posenc_rotary_info *info,
                                                double *omega, int64_t *axis, posenc_error *error);

typedef enum posenc_rotary_direction {
    POSENC_ROTARY_FORWARD = 0,  /* y = A R(p) x */
    POSENC_ROTARY_BACKWARD = 1, /* dx = A R(p)^T dy: the gradient */
    POSENC_ROTARY_UNROTATE = 2  /* x = R(p)^-1 y / A: takes a rotation back */
} posenc_rotary_direction;

/* Rotates queries and keys in one call: for pair (a, b) of every head of the token at position p
 *     y_a = A (x_a cos - x_b sin),  y_b = A (x_a sin + x_b cos)   of the angle p omega_i
 * and, with xPos, q times zeta_i^n and k times zeta_i^-n, zeta_i = (2i + 0.4 d)/(1.4 d), n = (p - centre)/scale_base.
 * Channels outside the extent are copied.
 * positions: NULL means start 0. The forms of posenc_positions; ids may have one more axis, (batch, tokens, axes) or
 *            (tokens, axes), the coordinates of each token; without it all axes stand at the same position. Padding
 *            (mask) is not turned.
 * lengths: int32 or int64, (batch) or (1): the sequence's length, for spectra that depend on it and are not pinned;
 *          with cu_seqlens (sequences). Else NULL. Must be positive.
 * q, k: (batch, tokens, heads, head_dim), or (batch, tokens, head_dim) for one head; f32, f64, f16 or bf16, any
 *       strides (heads-first is strides) but contiguous within a head. Head counts may differ; batch, tokens and dtype
 *       agree. Either may be NULL together with its output.
 * q_out, k_out: shape and dtype of q and k. Either may be its input itself; any other overlap is refused.
 * Returns POSENC_ERROR_ARGUMENT, _SHAPE, _DTYPE, _DEVICE, _POSITION, _OVERLAP, _MEMORY; outputs are untouched then.
 * Accuracy: f32 half an ulp + 1e-15 (|x_a| + |x_b|), f64 4e-15 of the same, f16 and bf16 half an ulp + 2^-22 of it.
 * The same bits on every instruction set, for every number of threads, in one call or token by token.
 * Cost: that of copying q and k.
 * Source: Su et al. 2021. */
POSENC_API posenc_status posenc_rotary_apply(const posenc_plan *plan, posenc_rotary_direction direction,
                                             const posenc_positions *positions, const DLTensor *lengths,
                                             const DLTensor *q, const DLTensor *k, DLTensor *q_out, DLTensor *k_out,
                                             posenc_error *error);

/* Turns cached keys to other positions, or to another spectrum, in one rounding:
 *     out = R_to(p_to) R_from(p_from)^-1 k   (and A_to / A_from)
 * from, to: rotary plans with the same head_dim, dim, rotary_start, pairing (not in-halves-out) and axes; the same plan
 *           where only positions change (a shift of the cache by -n: to_positions.start = from.start - n).
 * from_lengths, to_lengths: as lengths of posenc_rotary_apply.
 * All else as posenc_rotary_apply. */
POSENC_API posenc_status posenc_rotary_rerotate(const posenc_plan *from, const posenc_positions *from_positions,
                                                const DLTensor *from_lengths, const posenc_plan *to,
                                                const posenc_positions *to_positions, const DLTensor *to_lengths,
                                                const DLTensor *k, DLTensor *out, posenc_error *error);

/* Gradient with respect to the frequencies, for learned ones:
 *     domega[i] (+)= sum over tokens and heads of p (g_a (-x_a s - x_b c) + g_b (x_a c - x_b s)), c and s with A.
 * x: the input of the forward pass (q or k); dy: the gradient of its output; shapes as there.
 * is_key: not 0: x is k (it matters for xPos alone).
 * domega[pairs]: written, or added to where accumulate is not 0. Summed in double in the order (batch, token, head):
 * the same bits for every number of threads. Returns as posenc_rotary_apply; domega is untouched then. */
POSENC_API posenc_status posenc_rotary_frequency_gradient(const posenc_plan *plan, const posenc_positions *positions,
                                                          const DLTensor *lengths, const DLTensor *x,
                                                          const DLTensor *dy, int is_key, int accumulate,
                                                          double *domega, posenc_error *error);

/* How a pair's cosine stands in a row of a table. */
typedef enum posenc_rotary_table_form {
    POSENC_ROTARY_TABLE_PAIRS = 0,  /* once: width d/2. Complex numbers are strides: cosines [..., 0], sines [..., 1] */
    POSENC_ROTARY_TABLE_HALVES = 1, /* all of them, then again: width d, torch.cat((f, f)) */
    POSENC_ROTARY_TABLE_INTERLEAVED = 2 /* each twice: width d, repeat_interleave(f, 2) */
} posenc_rotary_table_form;

/* Writes tables of cosines and sines, amplitude included, xPos not.
 * cosines, sines: (tokens, width) or (batch, tokens, width), the same shape and dtype; f32, f64, f16 or bf16; any
 *                 strides that keep elements apart. Padding gets cosine 1 and sine 0. Either may be NULL.
 * positions, lengths, returns: as posenc_rotary_apply. Accuracy: as posenc_plan_write. */
POSENC_API posenc_status posenc_rotary_cos_sin(const posenc_plan *plan, const posenc_positions *positions,
                                               const DLTensor *lengths, posenc_rotary_table_form form,
                                               DLTensor *cosines, DLTensor *sines, posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
