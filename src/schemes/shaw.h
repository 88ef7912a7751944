/* Clipped relative positions: what a call knows, and its two halves. Scores are q A^T, one value for each row of the
 * table A, spread along the diagonals; values are attention gathered into one sum for each row of A, times A. Each is
 * the other's adjoint, so both serve forward and backward:
 *     spread   scores from q, and dattention from dout
 *     gather   values from attention, and dq from dscores; the table's gradients from both */
#ifndef POSENC_SCHEMES_SHAW_H
#define POSENC_SCHEMES_SHAW_H

#include "schemes/relative.h"

typedef struct posenc_shaw_call {
    posenc_relative_work work;
    posenc_shaw_options options; /* complete */
    double scale;                /* of this call: 1 for values */
    int64_t batch, heads, queries, keys, d;
    int64_t rows; /* of the table, 2 K + 1 */
    posenc_relative_offsets offsets;
    posenc_relative_tensor table;          /* not of a table's gradient alone */
    posenc_relative_tensor vectors;        /* (batch, heads, queries, d): q or dout, read */
    posenc_relative_tensor scores;         /* (batch, heads, queries, keys) */
    posenc_relative_tensor out_vectors;    /* dq or values, written; data NULL: not wanted */
    posenc_relative_tensor table_gradient; /* written; data NULL: not wanted */
    int64_t first, n; /* rows of the table that distances reach, counted as key minus query; others take no part */
    int64_t block;    /* most queries that are worked on together */
} posenc_shaw_call;

/* The row of a distance j - i as counted inside: from 0 for -K and less to 2K for K and more. */
static inline int64_t posenc_shaw_row(const posenc_shaw_call *call, int64_t distance) {
    return posenc_relative_clip(distance, -call->options.clip, call->options.clip) + call->options.clip;
}

/* Where that row stands in the table, from element 0 on. */
static inline ptrdiff_t posenc_shaw_place(const posenc_shaw_call *call, const posenc_relative_tensor *table,
                                          int64_t row) {
    bool turned = call->options.direction == POSENC_DIRECTION_QUERY_MINUS_KEY;
    return (ptrdiff_t)(turned ? call->rows - 1 - row : row) * table->bytes[0];
}

/* A row of scores and the rows of the table that its keys first_key..first_key+n-1 belong to: keys up to before have
 * row 0, those from end on row 2K, the others one after the other from row from on. */
typedef struct posenc_shaw_run {
    int64_t before, end, from;
} posenc_shaw_run;

static inline posenc_shaw_run posenc_shaw_run_at(const posenc_shaw_call *call, int64_t position, int64_t first_key,
                                                 int64_t n) {
    int64_t clip = call->options.clip;
    posenc_shaw_run run;
    run.before = posenc_relative_clip(position - clip + 1 - first_key, 0, n);
    run.end = posenc_relative_clip(position + clip - first_key, run.before, n);
    run.from = first_key + run.before - position + clip;
    return run;
}

/* A pass is made ready, which may fail, then run, which may not, and gives its memory back. */

/* scores (+)= scale vectors . table, spread (shaw_spread.c). */
typedef struct posenc_shaw_spread {
    const posenc_shaw_call *call;
    posenc_relative_room shared, worker;
    size_t vectors, products, row; /* where they begin in a worker's memory */
    int64_t blocks, columns;       /* of queries; most rows of the table that a block of them needs */
    int n_workers;
    bool stream;
    char *memory; /* the table in panels, then the workers'; NULL: nothing to do */
} posenc_shaw_spread;

posenc_status posenc_shaw_spread_ready(posenc_shaw_spread *spread, const posenc_shaw_call *call, posenc_error *error);
void posenc_shaw_spread_run(posenc_shaw_spread *spread);

/* out_vectors (+)= scale sums . table, table_gradient (+)= scale sums^T . vectors, where sums are those of scores
 * (shaw_gather.c). */
typedef struct posenc_shaw_gather {
    const posenc_shaw_call *call;
    posenc_relative_room shared, worker;
    size_t table, totals, waiting;                        /* where they begin in the shared memory */
    size_t sums, row, by_row, by_query, vectors, product; /* where they begin in a worker's */
    int64_t blocks, block_rows, wave;                     /* blocks of queries; most rows of one; blocks in a wave */
    int64_t first, n;                                     /* now: blocks first..first+n-1 */
    int n_workers;
    char *memory; /* NULL: nothing to do */
} posenc_shaw_gather;

posenc_status posenc_shaw_gather_ready(posenc_shaw_gather *gather, const posenc_shaw_call *call, posenc_error *error);
void posenc_shaw_gather_run(posenc_shaw_gather *gather);

#endif
