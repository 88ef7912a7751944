/* Encoder: the everyday object that a model holds. A plan, its table stored as state, dropout, and a rule for what lies
 * past the table. Made once, used many times, by many threads; it never changes after it is made. */
#ifndef POSENC_ENCODER_H
#define POSENC_ENCODER_H

#include <posenc/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct posenc_encoder posenc_encoder;

/* What happens at a position past the stored table. */
typedef enum posenc_past_end {
    POSENC_PAST_END_EXTEND = 0, /* one warning per encoder, then computed on the fly, exactly */
    POSENC_PAST_END_ERROR = 1   /* refused before anything is written; the message names position and rows */
} posenc_past_end;

typedef struct posenc_encoder_options {
    size_t size;              /* sizeof(posenc_encoder_options), as written by posenc_encoder_default */
    posenc_dtype dtype;       /* of the stored table: f32 serves x of f32, f16 and bf16; f64 serves f64. Default f32 */
    double dropout;           /* 0 <= dropout < 1. Default 0 */
    double scale;             /* x is multiplied by it; the usual ones are 1 and sqrt(dim). Finite. Default 1 */
    posenc_past_end past_end; /* default extend */
    int64_t padding_idx;      /* position ids equal to it add nothing, and a mask's first real token stands at
                                 padding_idx + 1 (the rule of fairseq and RoBERTa). Default -1: no such row */
} posenc_encoder_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_encoder_default(posenc_encoder_options *options, size_t size);

/* Makes an encoder: a plan as posenc_plan_create makes it (an additive scheme), and its table of max-len rows.
 * context: NULL for defaults; else it must outlive the encoder.
 * options: NULL for defaults. Copied.
 * out: receives the encoder; the caller destroys it.
 * Returns what posenc_plan_create returns, POSENC_ERROR_ARGUMENT (an option; max-len 0), POSENC_ERROR_DTYPE,
 * POSENC_ERROR_MEMORY; *out is untouched then.
 * Cost: a fill of the table. Holds the table and little more: 1.03 times its size at 5000 x 512.
 * Example: posenc_encoder_options o; posenc_encoder_default(&o, sizeof o); o.dropout = 0.1;
 *          posenc_parameter dim = {"dim", "512"};
 *          posenc_encoder *encoder; posenc_encoder_create(NULL, "sinusoidal", &dim, 1, &o, &encoder, &error); */
POSENC_API posenc_status posenc_encoder_create(const posenc_context *context, const char *scheme,
                                               const posenc_parameter *parameters, size_t n_parameters,
                                               const posenc_encoder_options *options, posenc_encoder **out,
                                               posenc_error *error);

/* Ends an encoder. NULL is fine. */
POSENC_API void posenc_encoder_destroy(posenc_encoder *encoder);

/* The plan inside. Lives as long as the encoder. */
POSENC_API const posenc_plan *posenc_encoder_plan(const posenc_encoder *encoder);

/* The options that the encoder was made with. Lives as long as the encoder. */
POSENC_API const posenc_encoder_options *posenc_encoder_options_of(const posenc_encoder *encoder);

/* The stored table as a tensor, (max_len, dim), contiguous. Owned by the encoder; only read it. */
POSENC_API const DLTensor *posenc_encoder_table(const posenc_encoder *encoder);

/* Bytes that the encoder holds. */
POSENC_API size_t posenc_encoder_bytes(const posenc_encoder *encoder);

/* One step of training: which dropout mask. The mask is a function of (seed, stream, element index) alone, so the
 * backward pass makes it anew, and it does not depend on threads, strides or splits. */
typedef struct posenc_step {
    size_t size;            /* sizeof(posenc_step), as written by posenc_step_default */
    int training;           /* 0: evaluation, nothing is dropped. Default 0 */
    uint64_t seed;          /* default 0 */
    uint64_t stream;        /* the caller's step, layer or call, so that masks differ from step to step. Default 0 */
    uint64_t first_element; /* index of this call's first element, where a call is part of a larger one. Default 0 */
} posenc_step;

/* Writes every default into *step. size is sizeof(*step) as the caller compiled it, and is stored there. */
POSENC_API void posenc_step_default(posenc_step *step, size_t size);

/* Forward: y = dropout(x * scale + E(position)).
 * positions: as for posenc_plan_add; NULL means start 0.
 * step: NULL means evaluation.
 * x, y: the same shape and dtype, (tokens, dim) or (batch, tokens, dim), any strides (sequence-first is strides); y may
 *       be x itself.
 * Result: v = round(fma(x, scale, E)) in f32 (f64 for f64 tensors); in training v / (1 - dropout) where kept, as one
 * product, and 0 where dropped; then rounded to the dtype of x. Tokens that a mask or padding_idx names add no E.
 * Returns as posenc_plan_add, and POSENC_ERROR_DTYPE (x does not go with the table), POSENC_ERROR_POSITION (past the
 * table under POSENC_PAST_END_ERROR); y is untouched then.
 * Cost: that of a copy from x to y, from a few rows on; with dropout up to three times that. */
POSENC_API posenc_status posenc_encoder_forward(const posenc_encoder *encoder, const posenc_positions *positions,
                                                const posenc_step *step, const DLTensor *x, DLTensor *y,
                                                posenc_error *error);

/* Backward: dx = dy * scale / (1 - dropout) where the forward pass with the same step kept, 0 where it dropped.
 * The table is not trained, so it has no gradient and positions take no part.
 * dy, dx: shapes, dtypes, strides, in-place rule and returns as x and y of the forward pass. */
POSENC_API posenc_status posenc_encoder_backward(const posenc_encoder *encoder, const posenc_step *step,
                                                 const DLTensor *dy, DLTensor *dx, posenc_error *error);

/* Saves the state as safetensors: tensor "pe" (max_len, dim), and metadata posenc.version, posenc.scheme, one
 * posenc.<parameter> each, and the options. Complete or absent. Returns POSENC_ERROR_IO, _MEMORY. */
POSENC_API posenc_status posenc_encoder_save(const posenc_encoder *encoder, const char *path, posenc_error *error);

/* Loads what posenc_encoder_save wrote, to the same bits: the table is taken from the file, not made anew.
 * Returns POSENC_ERROR_IO, POSENC_ERROR_FORMAT (not such a file, of another version, or a table that does not go with
 * its parameters), POSENC_ERROR_UNKNOWN (a scheme or parameter), POSENC_ERROR_UNSUPPORTED (a build without jansson),
 * POSENC_ERROR_MEMORY; *out is untouched then. */
POSENC_API posenc_status posenc_encoder_load(const posenc_context *context, const char *path, posenc_encoder **out,
                                             posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
