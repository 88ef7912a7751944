/* The encoder's inside. */
#ifndef POSENC_ENCODER_ENCODER_H
#define POSENC_ENCODER_ENCODER_H

#include <posenc/encoder.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "schemes/row_call.h"

struct posenc_encoder {
    const posenc_context *context;
    posenc_plan *plan;
    posenc_encoder_options options;
    int64_t max_len;
    posenc_view table; /* (max_len, dim) */
    size_t table_bytes;
    atomic_flag warned; /* of positions past the table; the one thing here that changes */
};

/* An encoder whose table is allocated but not filled. */
posenc_status posenc_encoder_allocate(const posenc_context *context, const char *scheme,
                                      const posenc_parameter *parameters, size_t n_parameters,
                                      const posenc_encoder_options *options, posenc_encoder **out, posenc_error *error);

/* Whether the table is trained. */
bool posenc_encoder_learns(const posenc_encoder *encoder);

/* Refuses an encoder without parameters. */
posenc_status posenc_encoder_check_learns(const posenc_encoder *encoder, posenc_error *error);

/* The stored table, and which of its rows a position reads. */
posenc_stored_rows posenc_encoder_stored(const posenc_encoder *encoder);

/* What forward and both backward calls ask of an encoder, a tensor of tokens and a step, which is completed. */
posenc_status posenc_encoder_check_door(const posenc_encoder *encoder, const DLTensor *x, const char *x_name,
                                        const posenc_step *step, posenc_step *all, posenc_error *error);

/* A factor: finite, within the dtype of the table. */
posenc_status posenc_encoder_check_factor(double factor, const char *name, posenc_dtype dtype, posenc_error *error);

/* The gain as it multiplies, in the precision of the table. */
double posenc_encoder_gain(const posenc_encoder *encoder);

/* The dropout of a step; kept values grow by factor / (1 - dropout). */
posenc_dropout posenc_encoder_dropout(const posenc_encoder *encoder, const posenc_step *step, double factor);

#endif
