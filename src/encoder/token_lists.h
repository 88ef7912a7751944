/* The tokens that read each row of a table, in the order (batch, token). What a gradient is summed by. */
#ifndef POSENC_ENCODER_TOKEN_LISTS_H
#define POSENC_ENCODER_TOKEN_LISTS_H

#include "schemes/resized_rows.h"
#include "schemes/stored_rows.h"

typedef struct posenc_token_lists {
    const posenc_context *context;
    const posenc_token_positions *positions;
    const posenc_stored_rows *stored;
    const posenc_resized_rows *resized; /* rows 0: none */
    int64_t batch, tokens;
    int64_t repeat;          /* rows of each token, which read the same; they are walked over and not held */
    bool even;               /* consecutive positions: where a row's tokens stand is worked out, and nothing is held */
    int64_t lowest, highest; /* of these: rows that may be read */
    int64_t *begin;          /* (rows + 1): row r has entries[begin[r]] .. entries[begin[r + 1] - 1] */
    int64_t *entries;        /* batch * tokens + token; resized: twice that, plus which of its two parts */
} posenc_token_lists;

/* Makes the lists. positions, stored and resized must outlive them. On failure nothing is left allocated. */
posenc_status posenc_token_lists_create(posenc_token_lists *lists, posenc_error *error);
void posenc_token_lists_destroy(posenc_token_lists *lists);

/* A walk over the tokens of one row. */
typedef struct posenc_token_walk {
    const posenc_token_lists *lists;
    int64_t row, batch, token, next;
    int64_t r;     /* which row of the token */
    double weight; /* of the token in this row */
} posenc_token_walk;

posenc_token_walk posenc_token_walk_start(const posenc_token_lists *lists, int64_t row);

/* Goes to the next row of the token, or to the next token; false: there is none. */
bool posenc_token_walk_step(posenc_token_walk *walk);

/* Of n workers with about the same number of tokens each, worker i has rows from this one on. */
int64_t posenc_token_lists_share(const posenc_token_lists *lists, int n, int i);

#endif
