/* Which row of a stored table a token reads. */
#ifndef POSENC_SCHEMES_STORED_ROWS_H
#define POSENC_SCHEMES_STORED_ROWS_H

#include "schemes/positions.h"

/* What becomes of a position without a row. */
typedef enum posenc_outside {
    POSENC_OUTSIDE_MADE,    /* a formula gives its row */
    POSENC_OUTSIDE_REFUSED, /* the call is refused */
    POSENC_OUTSIDE_CLAMPED, /* it reads the first or last row */
    POSENC_OUTSIDE_RESIZED  /* past the end: the table is made longer for the call; before its start: refused */
} posenc_outside;

typedef struct posenc_stored_rows {
    const char *data; /* rows 0..rows-1, contiguous, f32, or f64 for f64 tensors; NULL: none is stored */
    int64_t rows;     /* 0: nothing of this */
    int64_t offset;   /* position p reads row p + offset */
    int64_t padding;  /* a row that adds nothing; -1: none */
    int64_t prefix;   /* of RESIZED: rows in front that stay as they are */
    posenc_outside outside;
    bool whole; /* only whole positions have a row */
    bool grid;  /* rows are the tokens of a grid, for messages */
} posenc_stored_rows;

typedef enum posenc_stored_kind {
    POSENC_STORED_ROWS, /* rows row, row + step, ... */
    POSENC_STORED_MADE, /* position says which */
    POSENC_STORED_NONE  /* padding: adds nothing */
} posenc_stored_kind;

/* Consecutive tokens that are served alike. */
typedef struct posenc_stored_run {
    posenc_stored_kind kind;
    int64_t row;
    int step; /* 1, or 0 where all read the same */
    posenc_position_run position;
    int64_t count;
} posenc_stored_run;

/* The row that a position asks for, whether the table has it or not; as far as 64 bits reach. */
int64_t posenc_stored_row_of(const posenc_stored_rows *stored, int64_t position);

/* The run that begins at a token, of at most most tokens. Without CLAMPED, what has no row is MADE. */
posenc_stored_run posenc_stored_run_at(const posenc_stored_rows *stored, const posenc_token_positions *positions,
                                       int64_t batch, int64_t token, int64_t most);

/* Looks at every position of a call, and refuses those that have no row and may not be without. *largest: the largest
 * row that a token asks for, also past the end; -1: none does. */
posenc_status posenc_stored_rows_check(const posenc_stored_rows *stored, const posenc_token_positions *positions,
                                       int64_t batch, int64_t *largest, posenc_error *error);

#endif
