/* Rows mixed from rows: each channel of a new row is a weighted sum over old ones, in double, rounded once. */
#ifndef POSENC_SCHEMES_ROW_MIX_H
#define POSENC_SCHEMES_ROW_MIX_H

#include "schemes/resize_weights.h"
#include "schemes/row_tensor.h"

/* The old rows of one new row. They stand as a grid, row-major: those of the vertical taps, from each the horizontal
 * ones; a row weighs the product of its two. */
typedef struct posenc_mixture {
    const posenc_row_tensor *old;
    int64_t first_row, width; /* where the grid begins, and its rows to the next line */
    posenc_taps vertical, horizontal;
} posenc_mixture;

/* Writes the mixture to a row of the same dtype and dim that is not among the old ones.
 * Where all old rows hold one value, so does the new one, bit for bit. Rows of weight 0 are not looked at. */
void posenc_row_mix(const posenc_mixture *mixture, const posenc_row_tensor *out, int64_t row);

/* Copies a row, bit for bit. */
void posenc_row_copy(const posenc_row_tensor *in, int64_t in_row, const posenc_row_tensor *out, int64_t out_row);

#endif
