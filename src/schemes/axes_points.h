/* Points: ids that give a token a coordinate on each axis of a grid, (tokens, axes) or (batch, tokens, axes). */
#ifndef POSENC_SCHEMES_AXES_POINTS_H
#define POSENC_SCHEMES_AXES_POINTS_H

#include "schemes/axes.h"
#include "schemes/positions.h"

/* Whether the ids of a call are points. axes NULL: never. A shape that can be read as (batch, tokens) too is refused.
 */
posenc_status posenc_points_given(const posenc_grid *axes, const posenc_positions *given, int64_t batch, int64_t tokens,
                                  bool *points, posenc_error *error);

/* As posenc_positions_open, for ids that are points. Every coordinate is looked at. */
posenc_status posenc_points_open(const posenc_context *context, const posenc_grid *axes, const posenc_positions *given,
                                 int64_t batch, int64_t tokens, posenc_token_positions *out, posenc_error *error);

/* The run of one token, given by a point. */
posenc_position_run posenc_point_run(const posenc_token_positions *positions, int64_t batch, int64_t token);

/* The row of a point of those positions. */
void posenc_points_emit(posenc_row_scratch *scratch, posenc_dtype dtype, const posenc_token_positions *positions,
                        const char *point, posenc_row_target target);

#endif
