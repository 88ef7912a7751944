#include "encoders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/number.h"
#include "support/philox.h"
#include "support/test.h"

posenc_encoder_options encoder_options(posenc_dtype dtype) {
    posenc_encoder_options options;
    posenc_encoder_default(&options, sizeof options);
    options.dtype = dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    return options;
}

posenc_encoder *must_encoder(const posenc_context *context, const plan_shape *shape,
                             const posenc_encoder_options *options) {
    static const char *const layouts[] = {"interleaved", "halves", "tensor2tensor"};
    static const char *const arithmetics[] = {"exact", "float32", "float32-exp"};
    char dim[32], max_len[32], base[32];
    snprintf(dim, sizeof dim, "%" PRId64, shape->dim);
    snprintf(max_len, sizeof max_len, "%" PRId64, shape->max_len ? shape->max_len : 5000);
    snprintf(base, sizeof base, "%.17g", shape->base != 0 ? shape->base : 10000);
    const posenc_parameter parameters[] = {{"dim", dim},
                                           {"max-len", max_len},
                                           {"base", base},
                                           {"layout", layouts[shape->layout]},
                                           {"cos-first", shape->cos_first ? "true" : "false"},
                                           {"arithmetic", arithmetics[shape->arithmetic]}};
    posenc_encoder *encoder = NULL;
    posenc_error error = {0};
    posenc_status status = posenc_encoder_create(context, "sinusoidal", parameters, 6, options, &encoder, &error);
    check(status == POSENC_OK && encoder, "encoder %s: %s", plan_text(shape), error.message);
    return encoder;
}

posenc_step training_step(uint64_t seed, uint64_t stream, uint64_t first_element) {
    posenc_step step;
    posenc_step_default(&step, sizeof step);
    step.training = 1;
    step.seed = seed;
    step.stream = stream;
    step.first_element = first_element;
    return step;
}

posenc_positions positions_from(int64_t start) {
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = start;
    return positions;
}

/* DLTensor has no const; inputs are only read. */
static void *unqualified(const void *data) {
    void *same;
    memcpy(&same, &data, sizeof same);
    return same;
}

posenc_status try_forward(const posenc_encoder *encoder, const posenc_positions *positions, const posenc_step *step,
                          posenc_dtype dtype, int64_t batch, int64_t tokens, const void *x, void *y,
                          posenc_error *error) {
    posenc_view u, v;
    const int64_t shape[3] = {batch, tokens, posenc_plan_dim(posenc_encoder_plan(encoder))};
    DLTensor *tx = posenc_view_make(&u, unqualified(x), dtype, 3, shape, NULL);
    return posenc_encoder_forward(encoder, positions, step, tx, posenc_view_make(&v, y, dtype, 3, shape, NULL), error);
}

void must_forward(const posenc_encoder *encoder, const posenc_positions *positions, const posenc_step *step,
                  posenc_dtype dtype, int64_t batch, int64_t tokens, const void *x, void *y) {
    posenc_error error = {0};
    posenc_status status = try_forward(encoder, positions, step, dtype, batch, tokens, x, y, &error);
    check(status == POSENC_OK, "forward: %s", error.message);
}

void must_backward(const posenc_encoder *encoder, const posenc_step *step, posenc_dtype dtype, int64_t batch,
                   int64_t tokens, const void *dy, void *dx) {
    posenc_view u, v;
    const int64_t shape[3] = {batch, tokens, posenc_plan_dim(posenc_encoder_plan(encoder))};
    DLTensor *tdy = posenc_view_make(&u, unqualified(dy), dtype, 3, shape, NULL);
    DLTensor *tdx = posenc_view_make(&v, dx, dtype, 3, shape, NULL);
    posenc_error error = {0};
    check(posenc_encoder_backward(encoder, step, tdy, tdx, &error) == POSENC_OK, "backward: %s", error.message);
}

void forward_slowly(const posenc_encoder *encoder, posenc_dtype dtype, int64_t n, const token_place *places,
                    const void *x, void *y) {
    const posenc_plan *plan = posenc_encoder_plan(encoder);
    double scale = posenc_encoder_options_of(encoder)->scale;
    size_t bytes = posenc_dtype_bytes(dtype), row = (size_t)posenc_plan_dim(plan) * bytes;
    posenc_dtype e_dtype = dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    uint64_t minus_zero = number_with_sign(e_dtype, 0, true);
    for (int64_t t = 0; t < n; t++) {
        const char *from = (const char *)x + (size_t)t * row;
        char *to = (char *)y + (size_t)t * row;
        if (places[t].real) {
            must_add(plan, places[t].position, 1, 1, dtype, from, scale, to);
            continue;
        }
        for (size_t i = 0; i < row; i += bytes)
            number_store(dtype, number_fused(dtype, number_load(dtype, from + i), scale, minus_zero), to + i);
    }
}

uint64_t drop_slowly(posenc_dtype dtype, uint64_t x, double scale, uint64_t e, const posenc_step *step,
                     uint64_t element, double p, double factor) {
    if (!philox_keeps(step->seed, step->stream, step->first_element + element, p)) return 0;
    if (dtype == POSENC_F64)
        return number_encode(POSENC_F64, number_decode(POSENC_F64, number_fused(POSENC_F64, x, scale, e)) * factor);
    uint64_t wide = number_encode(POSENC_F32, number_decode(dtype, x));
    float v = (float)number_decode(POSENC_F32, number_fused(POSENC_F32, wide, scale, e));
    return number_encode(dtype, (double)(v * (float)factor));
}

void hear_warning(void *heard, const char *message) {
    warnings *w = heard;
    if (w->n++ == 0) snprintf(w->last, sizeof w->last, "%s", message);
}

posenc_context *warned_context(warnings *heard, int threads) {
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    options.threads = threads;
    options.warn = hear_warning;
    options.warn_user = heard;
    posenc_context *context = NULL;
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    return context;
}
