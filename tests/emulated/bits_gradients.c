/* The bits of what an encoder's trained numbers take part in: rows times a gain, the gradient of the gain, and the
 * gradient of a learned table, with and without dropout. */
#include <stdbool.h>
#include <stdio.h>

#include "bits.h"

enum { ROWS = 40, TOKENS = 33, BATCH = 2 };

static const posenc_dtype dtypes[] = {POSENC_F32, POSENC_F64, POSENC_F16, POSENC_BF16};
static const int widths[] = {3, 16, 33, 64, 130};

static posenc_encoder *make_encoder(const bits_bench *b, const char *scheme, posenc_dtype dtype, double dropout,
                                    int dim) {
    char width[16];
    posenc_encoder *encoder = NULL;
    posenc_error error;
    const posenc_parameter parameters[] = {{"dim", width}, {"max-len", "40"}};
    posenc_encoder_options options;
    posenc_encoder_default(&options, sizeof options);
    options.dtype = dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    options.dropout = dropout;
    options.gain = -0.71;
    snprintf(width, sizeof width, "%d", dim);
    if (posenc_encoder_create(b->context, scheme, parameters, 2, &options, &encoder, &error))
        bits_stop("encoder with a gain", &error);
    return encoder;
}

/* Rows that many tokens read, in no order. */
static const DLTensor *make_ids(int64_t ids[BATCH * TOKENS], posenc_view *view) {
    uint64_t seed = 53;
    for (int i = 0; i < BATCH * TOKENS; i++) ids[i] = (int64_t)(bits_next_random(&seed) % (ROWS / 3));
    return posenc_view_make(view, ids, POSENC_I64, 2, (int64_t[]){BATCH, TOKENS}, NULL);
}

static void run_gain(bits_bench *b, posenc_encoder *encoder, const posenc_positions *positions, const posenc_step *step,
                     DLTensor *x, posenc_dtype dtype, size_t n) {
    posenc_error error;
    double dgain = 0;
    bits_fill_random(b->x, n, dtype, 59);
    if (posenc_encoder_forward(encoder, positions, step, x, x, &error)) bits_stop("forward with a gain", &error);
    bits_hash_elements(&b->hash, b->x, n, posenc_dtype_bytes(dtype));
    if (posenc_encoder_backward_gain(encoder, positions, step, x, &dgain, &error)) bits_stop("gain gradient", &error);
    bits_hash_elements(&b->hash, &dgain, 1, sizeof dgain);
}

/* Written, then added to. */
static void run_table(bits_bench *b, posenc_encoder *encoder, const posenc_positions *positions,
                      const posenc_step *step, const DLTensor *dy, posenc_dtype dtype, int dim) {
    posenc_view view;
    posenc_error error;
    const posenc_dtype own = dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    DLTensor *dtable = posenc_view_make(&view, b->y, own, 2, (int64_t[]){ROWS, dim}, NULL);
    for (int accumulate = 0; accumulate < 2; accumulate++) {
        if (posenc_encoder_backward_table(encoder, positions, step, dy, dtable, accumulate, &error))
            bits_stop("table gradient", &error);
        bits_hash_elements(&b->hash, b->y, (size_t)(ROWS * dim), posenc_dtype_bytes(own));
    }
}

static void run_scheme(bits_bench *b, const char *scheme, bool has_table, posenc_dtype dtype, int dim) {
    posenc_view ids_view, view;
    posenc_positions positions;
    posenc_step step;
    int64_t ids[BATCH * TOKENS];
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = make_ids(ids, &ids_view);
    posenc_step_default(&step, sizeof step);
    step.training = 1, step.seed = 61, step.stream = 2;
    DLTensor *x = posenc_view_make(&view, b->x, dtype, 3, (int64_t[]){BATCH, TOKENS, dim}, NULL);
    b->hash = BITS_HASH_START;
    for (int dropped = 0; dropped < 2; dropped++) {
        posenc_encoder *encoder = make_encoder(b, scheme, dtype, dropped * 0.25, dim);
        run_gain(b, encoder, &positions, &step, x, dtype, (size_t)(BATCH * TOKENS * dim));
        if (has_table) run_table(b, encoder, &positions, &step, x, dtype, dim);
        posenc_encoder_destroy(encoder);
    }
    bits_print_line("gradients", scheme, "exact", dtype, dim, b->hash);
}

void bits_run_gradients(bits_bench *b) {
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (int d = 0; d < 4 && widths[w] <= b->most_dim; d++) {
            run_scheme(b, "sinusoidal", false, dtypes[d], widths[w]);
            run_scheme(b, "learned", true, dtypes[d], widths[w]);
        }
    }
}
