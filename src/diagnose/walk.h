/* Going through a table in blocks of rows, as doubles and beside the exact rows of a formula, on several threads. */
#ifndef POSENC_DIAGNOSE_WALK_H
#define POSENC_DIAGNOSE_WALK_H

#include <posenc/plan.h>
#include <stdbool.h>

#include "diagnose/table.h"

typedef struct posenc_block {
    int64_t first, rows, dim;
    const double *values; /* (rows, dim); with has_next one row more */
    const double *exact;  /* (rows, dim), what a plan has there; NULL without a plan */
    bool has_next;        /* the row behind the block is there too */
    void *facts;          /* facts_bytes for each row, for look to fill and fold to read */
} posenc_block;

typedef struct posenc_walk {
    const posenc_context *context;
    const posenc_table *table;
    const posenc_plan *exact; /* NULL: none */
    int64_t start;            /* position of row 0 */
    bool next_row;            /* read the row behind each block */
    size_t facts_bytes;
    void *argument;
    /* Looks at one block: on any thread, and one block at a time for each slot 0..posenc_walk_slots()-1. */
    void (*look)(void *argument, int slot, const posenc_block *block);
    /* Then: on the calling thread, block after block in the order of rows. NULL: nothing. */
    void (*fold)(void *argument, const posenc_block *block);
} posenc_walk;

/* Most slots that a walk over the table takes. Blocks do not depend on it. */
int posenc_walk_slots(const posenc_context *context, const posenc_table *table);

/* Goes through all rows. Returns POSENC_ERROR_MEMORY. */
posenc_status posenc_walk_run(const posenc_walk *walk, posenc_error *error);

/* Exact rows of consecutive positions, or of the positions ids[n], in that dtype, to contiguous memory. */
posenc_status posenc_exact_run(const posenc_plan *plan, int64_t start, int64_t n, posenc_dtype dtype, void *out,
                               posenc_error *error);
posenc_status posenc_exact_rows(const posenc_plan *plan, const int64_t *ids, int64_t n, posenc_dtype dtype, void *out,
                                posenc_error *error);

#endif
