/* Which rows have been seen: an open-addressing table of row numbers by a 64-bit hash of their values. */
#ifndef POSENC_DIAGNOSE_ROW_SET_H
#define POSENC_DIAGNOSE_ROW_SET_H

#include <posenc/context.h>

#include "diagnose/table.h"

typedef struct posenc_row_set {
    const posenc_context *context;
    const posenc_table *table; /* rows of one hash are compared here; NULL: the hash is trusted */
    uint64_t mask;             /* of the bits of a value that count */
    uint64_t *slots, n_slots;
    int number_bits; /* of a slot that hold the row's number + 1; the others hold a part of the hash */
} posenc_row_set;

/* The mask of all bits. Another one, of a dtype's significand without its last bits, makes near values equal. */
#define POSENC_ALL_BITS UINT64_MAX
uint64_t posenc_row_set_coarse(posenc_dtype dtype, int bits);

/* Makes an empty set for row numbers 0..rows-1. Memory: 16 bytes a row. Returns POSENC_ERROR_MEMORY. */
posenc_status posenc_row_set_create(posenc_row_set *set, const posenc_context *context, const posenc_table *table,
                                    int64_t rows, uint64_t mask, posenc_error *error);
void posenc_row_set_destroy(posenc_row_set *set);

/* The hash of a row's values; -0 counts as 0. */
uint64_t posenc_row_hash(const double *values, int64_t dim, uint64_t mask);

/* Says that a row of that hash will be put in soon, so that its place is fetched meanwhile: a large set lies far away.
 */
void posenc_row_set_expect(const posenc_row_set *set, uint64_t hash);

/* Puts a row in. Returns the last row before it that is equal, or -1. Rows come in rising order. */
int64_t posenc_row_set_put(posenc_row_set *set, uint64_t hash, int64_t row);

#endif
