/* Another order to walk through a call in. Rows with offsets of their own and packed sequences ask for the same stored
 * rows at different tokens; token by token, each asks memory for them again. Position by position, a part of the table
 * is fetched once and serves every row that wants it. */
#ifndef POSENC_SCHEMES_STRIPS_H
#define POSENC_SCHEMES_STRIPS_H

#include "schemes/positions.h"

/* Consecutive tokens with consecutive positions. */
typedef struct posenc_strip {
    int64_t batch, token, count;
    int64_t place; /* the first position, counted from the smallest of the call */
} posenc_strip;

/* All tokens of a call as strips, and the tiles of places that they reach over. n 0: this order does not pay. */
typedef struct posenc_strips {
    int64_t n, tiles;
    posenc_strip *at; /* owned */
} posenc_strips;

/* Finds them. Needs memory, and does without where there is none. */
posenc_strips posenc_strips_find(const posenc_token_positions *positions, int64_t batch, int64_t tile_rows,
                                 int n_workers);
void posenc_strips_end(const posenc_context *context, posenc_strips *strips);

/* The tokens of a strip in a tile: from *token on, as many as returned; 0: none. */
int64_t posenc_strip_part(const posenc_strip *strip, int64_t tile, int64_t tile_rows, int64_t *token);

#endif
