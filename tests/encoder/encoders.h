/* Encoders, and calls on contiguous memory, in one line each. Whatever goes wrong fails the running test. */
#ifndef POSENC_TESTS_ENCODER_ENCODERS_H
#define POSENC_TESTS_ENCODER_ENCODERS_H

#include <posenc/posenc.h>

#include "support/tensors.h"

/* Default options with the table that serves x of a dtype. */
posenc_encoder_options encoder_options(posenc_dtype dtype);

/* A sinusoidal encoder. options NULL: the defaults. */
posenc_encoder *must_encoder(const posenc_context *context, const plan_shape *shape,
                             const posenc_encoder_options *options);

/* A training step. */
posenc_step training_step(uint64_t seed, uint64_t stream, uint64_t first_element);

/* Positions start, start + 1, ... */
posenc_positions positions_from(int64_t start);

/* Contiguous (batch, tokens, dim); y may be x. */
posenc_status try_forward(const posenc_encoder *encoder, const posenc_positions *positions, const posenc_step *step,
                          posenc_dtype dtype, int64_t batch, int64_t tokens, const void *x, void *y,
                          posenc_error *error);
void must_forward(const posenc_encoder *encoder, const posenc_positions *positions, const posenc_step *step,
                  posenc_dtype dtype, int64_t batch, int64_t tokens, const void *x, void *y);
void must_backward(const posenc_encoder *encoder, const posenc_step *step, posenc_dtype dtype, int64_t batch,
                   int64_t tokens, const void *dy, void *dx);

/* Where one token stands, for the slow way: at a whole position, or nowhere (padding). */
typedef struct token_place {
    bool real;
    int64_t position;
} token_place;

/* The slow way, one token at a time: y = fma(x, scale, E(position)) by posenc_plan_add, x * scale for padding.
 * places, x and y: n tokens. */
void forward_slowly(const posenc_encoder *encoder, posenc_dtype dtype, int64_t n, const token_place *places,
                    const void *x, void *y);

/* dropout(v), element by element with the tests' own Philox, of v = fma(x, scale, e): bits in, bits out.
 * e: f32, or f64 beside f64. factor: 1 / (1 - p), or what takes its place. */
uint64_t drop_slowly(posenc_dtype dtype, uint64_t x, double scale, uint64_t e, const posenc_step *step,
                     uint64_t element, double p, double factor);

/* What a context's warn callback has heard. */
typedef struct warnings {
    _Atomic int n;
    char last[256];
} warnings;

void hear_warning(void *heard, const char *message);

/* A context with that many threads whose warnings are heard. */
posenc_context *warned_context(warnings *heard, int threads);

#endif
