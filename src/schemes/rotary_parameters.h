/* Where each parameter of the rotary scheme stands among a plan's values. */
#ifndef POSENC_SCHEMES_ROTARY_PARAMETERS_H
#define POSENC_SCHEMES_ROTARY_PARAMETERS_H

#include <posenc/rotary.h>

#include "schemes/scheme.h"

enum {
    POSENC_ROTARY_HEAD_DIM,
    POSENC_ROTARY_DIM,
    POSENC_ROTARY_START,
    POSENC_ROTARY_MAX_LEN,
    POSENC_ROTARY_PAIRING,
    POSENC_ROTARY_AXES,
    POSENC_ROTARY_SECTIONS,
    POSENC_ROTARY_AXIS_MAP,
    POSENC_ROTARY_ARITHMETIC,
    POSENC_ROTARY_SCALING,
    POSENC_ROTARY_BASE,
    POSENC_ROTARY_FACTOR,
    POSENC_ROTARY_ORIGINAL_LENGTH,
    POSENC_ROTARY_MAX_POSITION_EMBEDDINGS,
    POSENC_ROTARY_SEQUENCE_LENGTH,
    POSENC_ROTARY_BETA_FAST,
    POSENC_ROTARY_BETA_SLOW,
    POSENC_ROTARY_TRUNCATE,
    POSENC_ROTARY_MSCALE,
    POSENC_ROTARY_MSCALE_ALL_DIM,
    POSENC_ROTARY_ATTENTION_FACTOR,
    POSENC_ROTARY_LOW_FREQ_FACTOR,
    POSENC_ROTARY_HIGH_FREQ_FACTOR,
    POSENC_ROTARY_FRACTION,
    POSENC_ROTARY_SHORT_FACTOR,
    POSENC_ROTARY_LONG_FACTOR,
    POSENC_ROTARY_INV_FREQ,
    POSENC_ROTARY_AMPLITUDE,
    POSENC_ROTARY_XPOS_SCALE_BASE,
    POSENC_ROTARY_XPOS_CENTRE,
    POSENC_ROTARY_N_PARAMETERS
};

/* Head and rotated width of values that were given: each stands for the other where only one is. */
static inline int64_t posenc_rotary_head_dim_of(const posenc_value *values) {
    int64_t head = values[POSENC_ROTARY_HEAD_DIM].integer;
    return head ? head : values[POSENC_ROTARY_DIM].integer;
}

static inline int64_t posenc_rotary_dim_of(const posenc_value *values) {
    int64_t dim = values[POSENC_ROTARY_DIM].integer;
    return dim ? dim : values[POSENC_ROTARY_HEAD_DIM].integer;
}

/* rotary_check.c: all that concerns more than one value, in the words of the parameters. */
posenc_status posenc_rotary_check(const posenc_value *values, posenc_error *error);

#endif
