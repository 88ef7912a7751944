/* Plan: the immutable mathematics of one scheme with its parameters. */
#ifndef POSENC_PLAN_H
#define POSENC_PLAN_H

#include <posenc/context.h>
#include <posenc/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct posenc_plan posenc_plan;

/* One parameter by name, its value as text: {"dim", "512"}, {"layout", "halves"}, {"cos-first", "true"}. */
typedef struct posenc_parameter {
    const char *name;
    const char *text;
} posenc_parameter;

/* Positions of the tokens of one call, in one of four forms. */
typedef struct posenc_positions {
    size_t size; /* sizeof(posenc_positions), as written by posenc_positions_default */

    /* 1. Consecutive: token t stands at start + t, or at start + offsets[b] + t in batch row b. */
    int64_t start;           /* default 0 */
    const DLTensor *offsets; /* (batch), int32 or int64: tokens already in each row's cache. Default NULL */

    /* 2. Given: token t stands at ids[t] or ids[b, t]. start and offsets are not used. */
    const DLTensor *ids; /* (tokens) or (batch, tokens), int32, int64 or double (f64), any strides. Default NULL */

    /* 3. Padded, on either side: only real tokens count, the first of a row stands at start (+ offsets[b]); padding
     *    adds nothing, and a row without a real token stays as it is. */
    const DLTensor *mask; /* (batch, tokens), or (tokens); bool, u8, i32 or i64; not 0 means real. Default NULL */

    /* 4. Packed: sequence s is tokens cu_seqlens[s] .. cu_seqlens[s+1] - 1 of a batch of one, and begins anew at start
     *    (+ offsets[s]). Starts at 0, never falls, ends at the number of tokens; empty sequences are fine. */
    const DLTensor *cu_seqlens; /* (sequences + 1), int32 or int64. Default NULL */
} posenc_positions;

/* Writes every default into *positions. size is sizeof(*positions) as the caller compiled it, and is stored there. */
POSENC_API void posenc_positions_default(posenc_positions *positions, size_t size);

/* Makes a plan from a scheme's name and parameters as its descriptor lists them.
 * context: NULL for defaults; else it must outlive the plan.
 * scheme: a name of posenc_scheme_find.
 * parameters[n_parameters]: what differs from the defaults; each name at most once. Copied.
 * out: receives the plan; the caller destroys it.
 * Returns POSENC_ERROR_UNKNOWN (scheme or parameter; the message names the nearest known one),
 * POSENC_ERROR_ARGUMENT (a value; the message says what was expected and what came), POSENC_ERROR_MEMORY.
 * *out is untouched on failure.
 * Cost: grows with dim times the digits of max_len; for 1000 x 512 about as long as the fill.
 * Example: posenc_plan *plan;
 *          posenc_plan_create(NULL, "sinusoidal", (posenc_parameter[]){{"dim", "512"}}, 1, &plan, &error); */
POSENC_API posenc_status posenc_plan_create(const posenc_context *context, const char *scheme,
                                            const posenc_parameter *parameters, size_t n_parameters, posenc_plan **out,
                                            posenc_error *error);

/* Ends a plan. NULL is fine. */
POSENC_API void posenc_plan_destroy(posenc_plan *plan);

/* Name of the plan's scheme. Lives as long as the library. */
POSENC_API const char *posenc_plan_scheme(const posenc_plan *plan);

/* Width of an encoded row in channels. */
POSENC_API int64_t posenc_plan_dim(const posenc_plan *plan);

/* Name of the instruction set that the plan's kernels use. The text is static. */
POSENC_API const char *posenc_plan_isa(const posenc_plan *plan);

/* Bytes that the plan holds. */
POSENC_API size_t posenc_plan_bytes(const posenc_plan *plan);

/* Writes the value of one parameter as text that posenc_plan_create reads back to the same plan (doubles as %.17g).
 * text[capacity]: written with its end mark; untouched on failure.
 * Returns POSENC_ERROR_UNKNOWN (no such parameter), POSENC_ERROR_ARGUMENT (capacity too small: 64 suffices but for
 * lists, which need at most 25 an element and 1). */
POSENC_API posenc_status posenc_plan_parameter(const posenc_plan *plan, const char *name, char *text, size_t capacity);

/* One value straight from the paper's equation, slowly, in long double: the oracle that tests and tools compare with.
 * position: any finite double; column 0..dim-1.
 * Accuracy: 1e-15 + abs(position) * 1e-19 where long double has 64 bits.
 * Returns POSENC_ERROR_POSITION or POSENC_ERROR_ARGUMENT; *value is untouched then. */
POSENC_API posenc_status posenc_plan_equation(const posenc_plan *plan, double position, int64_t column, double *value);

/* Writes encoded rows: out[..., t, :] = E(position of token t).
 * positions: NULL means start 0. ids of shape (tokens) serve every batch row; (batch, tokens) need a batch in out.
 *            At most one of ids, mask and cu_seqlens.
 * out: (tokens, dim) or (batch, tokens, dim); f32, f64, f16 or bf16; any strides that do not make elements meet.
 *      It must not share memory with a tensor of positions. Padding rows become zeros.
 * Returns POSENC_ERROR_SHAPE, _DTYPE, _DEVICE, _POSITION, _OVERLAP, _MEMORY, _UNSUPPORTED (a scheme that does not add
 * rows); out is untouched then.
 * Edge cases: zero tokens or a zero batch succeed. int64 positions serve their whole range; a start whose last position
 * passes INT64_MAX is POSENC_ERROR_POSITION. 3.0 gives the bits of 3.
 * Accuracy: f32, f16, bf16: half an ulp + 1e-15, one rounding; f64: 4e-15 absolute. The same bits on every
 * instruction set, for every number of threads and every way to split the work.
 * Cost: that of writing the rows, from a few rows on.
 * Source: the plan's scheme. */
POSENC_API posenc_status posenc_plan_write(const posenc_plan *plan, const posenc_positions *positions, DLTensor *out,
                                           posenc_error *error);

/* Adds encoded rows: y = x * scale + E(position).
 * x, y: the same shape and dtype, (tokens, dim) or (batch, tokens, dim); f32, f64, f16 or bf16; any strides.
 *       y may be x itself (same pointer and strides); any other overlap is refused.
 * scale: finite; the usual one is 1, or sqrt(dim).
 * Result: round(fma(x, scale, E)) with E in f32 (f64 for f64 tensors), rounded to the dtype of x.
 * All else as posenc_plan_write. */
POSENC_API posenc_status posenc_plan_add(const posenc_plan *plan, const posenc_positions *positions, const DLTensor *x,
                                         double scale, DLTensor *y, posenc_error *error);

/* posenc_plan_write for contiguous f32: out (tokens, dim), positions start, start + 1, ...
 * Returns POSENC_ERROR_ARGUMENT (NULL or tokens < 0), _POSITION, _MEMORY, _UNSUPPORTED; out is untouched then. */
POSENC_API posenc_status posenc_plan_write_f32(const posenc_plan *plan, int64_t start, int64_t tokens, float *out);

/* posenc_plan_add for contiguous f32 and scale 1: x, y (batch, tokens, dim), positions start, start + 1, ... in each
 * batch row. y may be x. Returns as posenc_plan_write_f32, and POSENC_ERROR_OVERLAP. */
POSENC_API posenc_status posenc_plan_add_f32(const posenc_plan *plan, int64_t start, int64_t batch, int64_t tokens,
                                             const float *x, float *y);

#ifdef __cplusplus
}
#endif

#endif
