/* Rows over a grid of several axes: each axis has a slice of the channels, which is an encoding of its own coordinate.
 * A position is the index of a token: first come the prefix tokens, whose rows are zero, then the cells of the grid,
 * the last axis running fastest. So all that works with positions works with grids. */
#ifndef POSENC_SCHEMES_AXES_H
#define POSENC_SCHEMES_AXES_H

#include "schemes/scheme.h"

/* What a scheme says of one slice. Its frequency i has turn * base^(-step i / denominator) turns per unit. */
typedef struct posenc_axis_part {
    int axis;
    int64_t width; /* channels: sines, then cosines, or (interleaved) both in turn, the last alone where odd */
    bool planar;
    uint64_t step, denominator;
    int64_t first; /* the coordinate of the axis's first cell; the others follow by 1 */
    posenc_wide turn;
} posenc_axis_part;

typedef struct posenc_axis_slice {
    int axis;
    int64_t column, first;
    posenc_rows rows; /* of the slice alone */
} posenc_axis_slice;

typedef struct posenc_grid {
    int n, n_slices;
    int64_t extents[POSENC_MOST_AXES];
    int64_t prefix;
    int64_t used; /* channels that the slices fill; those behind are zero */
    posenc_axis_slice slices[POSENC_MOST_AXES];
} posenc_grid;

/* Where the parameters of a grid stand among a scheme's. */
typedef struct posenc_grid_places {
    int dim, max_len, base, grid, prefix;
} posenc_grid_places;

/* Their descriptors, alike in every scheme of a grid. */
#define POSENC_GRID_DIM(help) \
    { "dim", POSENC_PARAMETER_INTEGER, NULL, 1, 16777216, NULL, "channels", help }
#define POSENC_GRID_MAX_LEN                                                                                           \
    {                                                                                                                 \
        "max-len", POSENC_PARAMETER_INTEGER, "0", 0, 1099511627776.0, NULL, "tokens",                                 \
            "Rows of the table: the prefix and the cells of the grid, which is what 0 stands for; another number is " \
            "refused."                                                                                                \
    }
#define POSENC_GRID_BASE                                                 \
    {                                                                    \
        "base", POSENC_PARAMETER_REAL, "10000", 1e-6, 1e30, NULL, "",    \
            "Base of the geometric series of wavelengths (temperature)." \
    }
#define POSENC_GRID_EXTENTS(help) \
    { "grid", POSENC_PARAMETER_EXTENTS, NULL, 1, 16777216, NULL, "cells", help }
#define POSENC_GRID_PREFIX                                                           \
    {                                                                                \
        "prefix", POSENC_PARAMETER_INTEGER, "0", 0, 549755813888.0, NULL, "tokens",  \
            "Tokens before the grid, whose rows are zero: a class token, registers." \
    }

/* Refuses a grid with another number of axes; words: "HxW". */
posenc_status posenc_axes_check_count(const posenc_value *grid, int n, const char *words, posenc_error *error);

/* Makes plan->rows from n parts, side by side in this order, cut at dim. Parts of width 0 are left out. Sets the value
 * of max-len. On failure nothing is left allocated. */
posenc_status posenc_axes_make(posenc_plan *plan, const posenc_grid_places *places, const posenc_axis_part *parts,
                               int n, posenc_error *error);
void posenc_axes_destroy(const posenc_context *context, posenc_grid *axes);
size_t posenc_axes_bytes(const posenc_grid *axes);

/* 1 / (2 pi) turns times numerator / denominator / divisor, divisor from 1/1000 to 10^6. */
posenc_wide posenc_axes_turn(uint64_t numerator, uint64_t denominator, double divisor);

/* The cell of a position. False: it is in the prefix. */
bool posenc_axes_cell(const posenc_grid *axes, int64_t position, int64_t *cell);

/* For equations: sin or cos of u base^-exponent. */
double posenc_axes_wave(const posenc_value *base, long double u, long double exponent, bool cosine);

/* ---- rows (axes_rows.c) ---- */

/* A coordinate on one axis. */
typedef struct posenc_coordinate {
    bool is_real;
    int64_t whole;
    double real;
} posenc_coordinate;

/* One thread's part of a call. */
typedef struct posenc_axes_scratch posenc_axes_scratch;

posenc_status posenc_axes_scratch_create(posenc_axes_scratch **out, const posenc_rows *rows, posenc_error *error);
void posenc_axes_scratch_destroy(posenc_axes_scratch *scratch);

/* As posenc_rows_emit_run: the rows of count tokens from start on. */
void posenc_axes_emit_run(posenc_axes_scratch *scratch, posenc_dtype dtype, int64_t start, int64_t count,
                          posenc_row_target target, bool stream);

/* The row of one point, a coordinate for each axis. */
void posenc_axes_emit_point(posenc_axes_scratch *scratch, posenc_dtype dtype, const posenc_coordinate *point,
                            posenc_row_target target);

#endif
