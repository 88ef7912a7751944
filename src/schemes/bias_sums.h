/* The first half of a gradient: for each distance of each head, the sum of what its scores got back. */
#ifndef POSENC_SCHEMES_BIAS_SUMS_H
#define POSENC_SCHEMES_BIAS_SUMS_H

#include "schemes/bias_call.h"

typedef struct posenc_bias_sums {
    const posenc_bias_call *call;
    const posenc_kernels *kernels;
    int64_t length, block, blocks;  /* sums of a head, and how they are cut */
    int64_t first_batch, end_batch; /* whose distances are alike */
    int64_t first_unit, n_units;    /* now: unit u is block u % blocks of head u / blocks */
    int n_workers;
    double *sums;   /* (n_units, block) */
    double *totals; /* (heads, rows), rows of the table or 1 */
    char *rows;     /* (n_workers, block), for strided scores */
} posenc_bias_sums;

/* A unit of work: some sums of one head. */
typedef struct posenc_bias_unit {
    const posenc_bias_sums *b;
    int64_t head, first, n; /* sums first..first+n-1 */
    double *sums;
    char *row;
} posenc_bias_unit;

static inline bool posenc_bias_is_window(const posenc_bias_sums *b) {
    return b->call->bias->source == POSENC_BIAS_WINDOW;
}

/* Form key: all rows of a head are alike, so sums go by key. */
static inline bool posenc_bias_rows_alike(const posenc_bias_sums *b) {
    return b->call->bias->source == POSENC_BIAS_SLOPES && b->call->bias->form == POSENC_BIAS_KEY;
}

/* Unit i of those that are at hand. */
posenc_bias_unit posenc_bias_unit_at(const posenc_bias_sums *b, int64_t i);

/* A task: sums up every n_workers-th unit, from index on. */
void posenc_bias_sum_units(void *sums, int index);

#endif
