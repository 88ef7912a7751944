/* The phasor engine: (spectrum, positions) to sines and cosines, exactly and at memory speed.
 * An engine is immutable once made. What one call needs beyond it lives in a posenc_phasor_scratch of that call. */
#ifndef POSENC_PHASOR_ENGINE_H
#define POSENC_PHASOR_ENGINE_H

#include <posenc/context.h>

#include "kernels/kernels.h"
#include "phasor/digits.h"

typedef struct posenc_engine {
    const posenc_context *context;
    const posenc_kernels *kernels;
    size_t n, padded;             /* pairs */
    posenc_wide *turns;           /* n frequencies, of either sign */
    int places;                   /* digit places kept */
    int rows[POSENC_MOST_PLACES]; /* rows kept of each */
    double *digits[POSENC_MOST_PLACES];
    double *origin; /* the phasor of minus the origin: sines, then cosines; NULL: origin 0 */
    double *memory;
    size_t memory_bytes;
} posenc_engine;

/* Makes an engine for n pairs, whose frequencies the caller then writes into engine->turns before
 * posenc_engine_prepare. On failure nothing is left allocated. */
posenc_status posenc_engine_create(posenc_engine *engine, const posenc_context *context, size_t n, int64_t max_len,
                                   posenc_error *error);

/* Builds the digit places that positions -max_len..max_len need. */
posenc_status posenc_engine_prepare(posenc_engine *engine, posenc_error *error);

/* From here on the row of a position shows the phasors of position - origin, 0 < abs(origin) < 1. Comes after
 * posenc_engine_prepare, once. */
posenc_status posenc_engine_set_origin(posenc_engine *engine, double origin, posenc_error *error);

void posenc_engine_destroy(posenc_engine *engine);

/* One call's (or one thread's, or one cursor's) own part: the product of the high digits of the last block, and rows of
 * places that the engine does not keep. */
typedef struct posenc_phasor_scratch {
    const posenc_engine *engine;
    double *memory;
    double *high_sin, *high_cos;
    double *far_sin, *far_cos; /* one row of a place that is not kept; stands behind high like a row 1 behind a row 0 */
    double *work;              /* 6 arrays for seeds and fractions */
    int64_t block;             /* high digits that high_* holds, with the origin; valid while has_block */
    bool has_block;
} posenc_phasor_scratch;

posenc_status posenc_phasor_scratch_create(posenc_phasor_scratch *scratch, const posenc_engine *engine,
                                           posenc_error *error);
void posenc_phasor_scratch_destroy(posenc_phasor_scratch *scratch);

/* How rows are to be emitted: all of a posenc_rows_job that does not depend on the position. */
typedef struct posenc_row_format {
    posenc_dtype dtype;
    posenc_arrangement order;
    size_t n_first, n_second;
    ptrdiff_t first_bytes, second_bytes;
    bool stream;
} posenc_row_format;

/* Where rows go, and what they are added to. */
typedef struct posenc_row_target {
    char *out;
    ptrdiff_t row_bytes;
    const char *x; /* out = x * scale + row; NULL: out = row. Needs kernels->add_rows */
    ptrdiff_t x_row_bytes;
    double scale;
} posenc_row_target;

/* The target n rows further on. */
posenc_row_target posenc_target_after(posenc_row_target target, int64_t n);

/* Rows of positions start, start + 1, ... start + count - 1 (which must not wrap). */
void posenc_emit_run(posenc_phasor_scratch *scratch, const posenc_row_format *format, int64_t start, int64_t count,
                     posenc_row_target target);

/* The row of one real position, abs(position) <= 2^53. A whole number has the bits of posenc_emit_run. */
void posenc_emit_real(posenc_phasor_scratch *scratch, const posenc_row_format *format, double position,
                      posenc_row_target target);

#endif
