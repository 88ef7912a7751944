/* Positions of the tokens of a rotary call, a coordinate for each axis: posenc_token_positions, once for all axes or
 * once for each. */
#ifndef POSENC_SCHEMES_ROTARY_CALL_POSITIONS_H
#define POSENC_SCHEMES_ROTARY_CALL_POSITIONS_H

#include <posenc/rotary.h>

#include "schemes/positions.h"

typedef struct posenc_axis_positions {
    int n; /* 1: every axis stands at the same position */
    posenc_token_positions axis[POSENC_MOST_AXES];
} posenc_axis_positions;

/* Opens complete positions. ids may have one more axis, of the plan's axes: (batch, tokens, axes) or (tokens, axes). On
 * success the caller closes. */
posenc_status posenc_axis_positions_open(const posenc_context *context, const posenc_positions *given, int axes,
                                         int64_t batch, int64_t tokens, posenc_axis_positions *out,
                                         posenc_error *error);
void posenc_axis_positions_close(posenc_axis_positions *positions);

static inline const posenc_token_positions *posenc_axis_at(const posenc_axis_positions *p, int axis) {
    return &p->axis[p->n == 1 ? 0 : axis];
}

/* Forms of positions are those of all axes, so the first one tells. */
static inline bool posenc_axis_positions_shared(const posenc_axis_positions *p) { return p->axis[0].shared; }

#endif
