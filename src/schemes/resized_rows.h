/* The rows of a stored table that is made longer for one call: linear, without aligned corners, each made when it is
 * asked for, so that a call holds none of them. */
#ifndef POSENC_SCHEMES_RESIZED_ROWS_H
#define POSENC_SCHEMES_RESIZED_ROWS_H

#include "schemes/row_mix.h"
#include "schemes/stored_rows.h"

typedef struct posenc_resized_rows {
    posenc_stored_rows as_if; /* the table as the call sees it: with all the rows */
    int64_t rows;             /* 0: none of this */
    posenc_row_tensor table;  /* (1, stored rows, dim) */
    posenc_resize_axis axis;
} posenc_resized_rows;

/* A longer table for rows 0..largest. */
posenc_status posenc_resized_rows_open(const posenc_stored_rows *stored, posenc_dtype dtype, int64_t dim,
                                       int64_t largest, posenc_resized_rows *out, posenc_error *error);

/* The run that begins at a token: ROWS of the longer table, or NONE. */
posenc_stored_run posenc_resized_run_at(const posenc_resized_rows *r, const posenc_token_positions *positions,
                                        int64_t batch, int64_t token, int64_t most);

/* Writes rows row .. row+count-1, contiguous, in the table's dtype. */
void posenc_resized_rows_write(const posenc_resized_rows *r, int64_t row, int64_t count, char *out);

/* The stored rows that a row is mixed of: n of them, at most two, each with its weight. */
int posenc_resized_row_parts(const posenc_resized_rows *r, int64_t row, int64_t parts[2], double weights[2]);

#endif
