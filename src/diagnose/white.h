/* White rows: drawn independently, each channel with mean 0 and one standard deviation, as initial parameters are.
 * Neighbours are then as good as orthogonal, and all rows have nearly one length. Training makes rows follow each
 * other, or gives them another length. */
#ifndef POSENC_DIAGNOSE_WHITE_H
#define POSENC_DIAGNOSE_WHITE_H

#include <stdbool.h>
#include <stdint.h>

/* One row. NaN where it has none: zero rows, rows that are not finite, the last row. */
typedef struct posenc_row_statistics {
    double size;   /* logarithm of the mean square of the channels */
    double cosine; /* between the row and the next */
} posenc_row_statistics;

/* Rows first..last, white; first > last: none. */
typedef struct posenc_white_rows {
    int64_t first, last;
} posenc_white_rows;

/* Finds the longest white end of n rows of dim channels, which may be all of them; or a white beginning, where the end
 * is none. A part counts when it is clearly white and clearly other than the rest. */
posenc_white_rows posenc_white_find(const posenc_row_statistics *rows, int64_t n, int64_t dim);

#endif
