/* The encoder's inside. */
#ifndef POSENC_ENCODER_ENCODER_H
#define POSENC_ENCODER_ENCODER_H

#include <posenc/encoder.h>
#include <stdatomic.h>

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

#endif
