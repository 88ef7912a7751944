/* The rows that an additive scheme emits: sines and cosines in a layout, from the phasor engine, or the values that a
 * scheme makes itself. Stands between a scheme, which fills them in, and whoever wants rows. */
#ifndef POSENC_SCHEMES_ROWS_H
#define POSENC_SCHEMES_ROWS_H

#include "phasor/engine.h"

struct posenc_rows;
struct posenc_grid;
struct posenc_axes_scratch;

/* Writes the dim values of one whole position. */
typedef void posenc_row_maker(const struct posenc_rows *rows, int64_t position, double *row);

typedef struct posenc_rows {
    int64_t dim;              /* channels of a row */
    size_t n_first, n_second; /* sines and cosines (or the reverse) that a row shows */
    bool planar;              /* all firsts, then all seconds, then zeros to dim; else interleaved */
    bool cos_first;
    posenc_engine engine;
    float *inv_freq;   /* the float32 arithmetics' frequencies; NULL for exact */
    float angle_scale; /* of the float32 arithmetics: a factor of position * inv_freq; 0: none */

    /* Rows that are no phasors: of the engine only context and kernels are there, and only the whole positions
     * 0..length-1 have a row. */
    posenc_row_maker *maker; /* NULL: phasors */
    const void *own;         /* what the maker looks at */
    int64_t length;          /* 0: every position has a row */

    /* A grid: its slices have rows of their own, and here is as little of the engine. length counts its tokens. */
    struct posenc_grid *axes; /* NULL: none; owned */
} posenc_rows;

/* One thread's part of a call. */
typedef struct posenc_row_scratch {
    const posenc_rows *rows;
    posenc_phasor_scratch phasors;
    float *floats;   /* float32 arithmetics: angles, sines, cosines, one row; a maker's: one row */
    double *doubles; /* a maker's row */
    struct posenc_axes_scratch *axes;
} posenc_row_scratch;

posenc_status posenc_row_scratch_create(posenc_row_scratch *scratch, const posenc_rows *rows, posenc_error *error);
void posenc_row_scratch_destroy(posenc_row_scratch *scratch);

/* Whether rows can be added to a tensor of that dtype while they are made. */
bool posenc_rows_can_add(const posenc_rows *rows, posenc_dtype dtype);

/* Rows of count consecutive positions; elements contiguous within a row. A target with x needs posenc_rows_can_add.
 * stream: see posenc_rows_job. */
void posenc_rows_emit_run(posenc_row_scratch *scratch, posenc_dtype dtype, int64_t start, int64_t count,
                          posenc_row_target target, bool stream);

/* The row of one real position; not of a grid. */
void posenc_rows_emit_real(posenc_row_scratch *scratch, posenc_dtype dtype, double position, posenc_row_target target);

#endif
