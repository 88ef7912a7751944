/* Encoder: the everyday object that a model holds. A plan, its table stored as state, dropout, and a rule for what lies
 * past the table. Made once, used many times, by many threads. It never changes after it is made, but for the table of
 * the scheme "learned", which the caller's optimiser writes. */
#ifndef POSENC_ENCODER_H
#define POSENC_ENCODER_H

#include <posenc/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct posenc_encoder posenc_encoder;

/* What happens at a position past the stored table. The table of "learned" has no formula: EXTEND means ERROR there,
 * and the last two are for it alone. */
typedef enum posenc_past_end {
    POSENC_PAST_END_EXTEND = 0, /* one warning per encoder, then computed on the fly, exactly */
    POSENC_PAST_END_ERROR = 1,  /* refused before anything is written; the message names position and rows */
    POSENC_PAST_END_CLAMP = 2,  /* it reads the last row, and what would read a row below 0 reads row 0 */
    POSENC_PAST_END_RESIZE = 3  /* the call reads the table resized to just hold its largest position: as posenc_resize
                                   does, linear, with a prefix of the rows before the first position (row_offset, or up
                                   to that of padding_idx). So what it adds depends on the call. Nothing is resized where
                                   no position goes past; one before the table is refused */
} posenc_past_end;

typedef struct posenc_encoder_options {
    size_t size;              /* sizeof(posenc_encoder_options), as written by posenc_encoder_default */
    posenc_dtype dtype;       /* of the stored table: f32 serves x of f32, f16 and bf16; f64 serves f64. Default f32 */
    double dropout;           /* 0 <= dropout < 1. Default 0 */
    double scale;             /* x is multiplied by it; the usual ones are 1 and sqrt(dim). Finite. Default 1 */
    posenc_past_end past_end; /* default extend */
    int64_t padding_idx;      /* position ids equal to it add nothing, and a mask's first real token stands at
                                 padding_idx + 1 (the rule of fairseq and RoBERTa). Default -1: no such row */
    int64_t row_offset;       /* of "learned" alone: position p reads row p + row_offset (OPT and BART: 2), which may
                                 be any row of the table. -2^39..2^39. Default 0 */
} posenc_encoder_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_encoder_default(posenc_encoder_options *options, size_t size);

/* Makes an encoder: a plan as posenc_plan_create makes it (an additive scheme), and its table of max-len rows.
 * "learned": the table begins with the plan's seeded first values, and with zeros in the row of padding_idx. That row
 * adds nothing and gets no gradient, in whatever form its position is asked for.
 * context: NULL for defaults; else it must outlive the encoder.
 * options: NULL for defaults. Copied.
 * out: receives the encoder; the caller destroys it.
 * Returns what posenc_plan_create returns, POSENC_ERROR_ARGUMENT (an option; max-len 0), POSENC_ERROR_DTYPE,
 * POSENC_ERROR_UNSUPPORTED (a scheme that does not add rows), POSENC_ERROR_MEMORY; *out is untouched then.
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

/* Makes a "learned" encoder of a table that is there: a tensor of any checkpoint, as wpe.weight of GPT-2 or
 * position_embeddings.weight of BERT.
 * context: NULL for defaults; else it must outlive the encoder.
 * table: (rows, dim), (1, rows, dim) or (rows, 1, dim), f32, f64, f16 or bf16, any strides. Copied, rounded once to
 *        options.dtype (which is exact but for f64 to f32).
 * options: NULL for defaults. Copied.
 * out: receives the encoder; the caller destroys it.
 * Returns POSENC_ERROR_ARGUMENT (an option), POSENC_ERROR_SHAPE (also a table without rows or channels), _DTYPE,
 * _DEVICE, _MEMORY; *out is untouched then.
 * Example: posenc_encoder_options o; posenc_encoder_default(&o, sizeof o); o.past_end = POSENC_PAST_END_CLAMP;
 *          posenc_encoder *encoder; posenc_encoder_from_table(NULL, table, &o, &encoder, &error); */
POSENC_API posenc_status posenc_encoder_from_table(const posenc_context *context, const DLTensor *table,
                                                   const posenc_encoder_options *options, posenc_encoder **out,
                                                   posenc_error *error);

/* The table of a "learned" encoder for the caller's optimiser, (max_len, dim), contiguous, in options.dtype: *table may
 * be written, while no other call runs on the encoder. Owned by the encoder, and the same tensor each time.
 * Returns POSENC_ERROR_UNSUPPORTED (a formula has no parameters), _ARGUMENT; *table is untouched then. */
POSENC_API posenc_status posenc_encoder_parameters(posenc_encoder *encoder, DLTensor **table, posenc_error *error);

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
 * Positions take no part. The gradient of the table of "learned" is another call, posenc_encoder_backward_table.
 * dy, dx: shapes, dtypes, strides, in-place rule and returns as x and y of the forward pass. */
POSENC_API posenc_status posenc_encoder_backward(const posenc_encoder *encoder, const posenc_step *step,
                                                 const DLTensor *dy, DLTensor *dx, posenc_error *error);

/* Backward into the table of a "learned" encoder:
 *     dtable[r] (+)= sum over the tokens that read row r of dy / (1 - dropout), where the forward pass with the same
 *     positions and step kept, else 0.
 * Padding tokens, and the row of padding_idx, have no part in it. Under CLAMP tokens count for the row that they read;
 * under RESIZE for the rows that theirs was mixed of, by their weights.
 * positions, step: those of the forward pass.
 * dy: shapes, dtypes and strides as in the forward pass.
 * dtable: (max_len, dim), in the dtype of the table, any strides that do not make elements meet. It must not share
 * memory with dy, a tensor of positions or the encoder's table. accumulate: not 0: adds to what dtable holds; 0: writes
 * all of it, zeros where no token reads. Returns as posenc_encoder_forward, POSENC_ERROR_UNSUPPORTED (a formula has no
 * parameters), _OVERLAP, _MEMORY; dtable is untouched then. Accuracy: the sums of a row run in double over its tokens
 * in the order (batch, token), the factor and the old value come last, then one rounding. The same bits for every
 * number of threads and every instruction set. Cost: that of reading dy once, and of writing dtable. Holds 8 bytes a
 * token besides where positions come by ids, a mask or cu_seqlens, 16 where the call is resized. Example: DLTensor
 * *weights; posenc_encoder_parameters(encoder, &weights, &error); posenc_encoder_backward_table(encoder, NULL, NULL,
 * dy, dtable, 0, &error); */
POSENC_API posenc_status posenc_encoder_backward_table(const posenc_encoder *encoder, const posenc_positions *positions,
                                                       const posenc_step *step, const DLTensor *dy, DLTensor *dtable,
                                                       int accumulate, posenc_error *error);

/* Saves the state as safetensors: tensor "pe" (max_len, dim), "weight" for "learned", and metadata posenc.version,
 * posenc.scheme, one posenc.<parameter> each, and the options. Complete or absent. Returns POSENC_ERROR_IO, _MEMORY. */
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
