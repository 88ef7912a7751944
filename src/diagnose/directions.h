/* Directions: rows scaled to length 1, f32, in the panels that the product kernel multiplies. The cosine of two rows is
 * the product of their directions. */
#ifndef POSENC_DIAGNOSE_DIRECTIONS_H
#define POSENC_DIAGNOSE_DIRECTIONS_H

#include <posenc/context.h>
#include <stdbool.h>

#include "kernels/kernels.h"

typedef struct posenc_directions {
    const posenc_context *context;
    const posenc_kernels *kernels;
    int64_t rows, dim;
    float *panels;     /* of POSENC_PANEL rows, as kernels.h says */
    uint64_t *present; /* a bit for each row that has a direction; zeros past the last. The others are rows of zeros */
    int64_t n_present;
} posenc_directions;

/* Makes directions for so many rows, none of them present. *d is untouched on failure. */
posenc_status posenc_directions_create(const posenc_context *context, int64_t rows, int64_t dim, posenc_directions *d,
                                       posenc_error *error);

/* Frees what *d holds. */
void posenc_directions_destroy(posenc_directions *d);

/* Stores values[dim] as a row that has not been stored before. */
void posenc_directions_store(posenc_directions *d, int64_t row, const double *values);

/* Adds a row to values[dim]. */
void posenc_directions_add(const posenc_directions *d, int64_t row, double *values);

/* Scales values[n] to length 1. False if they have no direction: all zero, or one that is not finite. */
bool posenc_direction_of(double *values, int64_t n);

static inline bool posenc_direction_present(const posenc_directions *d, int64_t row) {
    return d->present[row / 64] >> (row % 64) & 1;
}

/* The number of rows p for which p and p + distance are both present, distance >= 0. */
int64_t posenc_directions_pairs(const posenc_directions *d, int64_t distance);

/* A rectangle of the matrix of all cosines. */
typedef struct posenc_cell {
    int64_t row, rows;
    int64_t column, columns; /* column: a multiple of POSENC_PANEL */
} posenc_cell;

/* out[i, j] = the product of directions cell.row + i and cell.column + j, within [-1, 1]. */
void posenc_directions_multiply(const posenc_directions *d, posenc_cell cell, float *out, int64_t out_stride);

/* Writes cosines of rows first..first+rows-1 with all: out (rows, d->rows), contiguous. Within [-1, 1]; NaN where one
 * of the two is not present. What stands on the diagonal is 1 but for a rounding. All of them at once cost half. */
void posenc_directions_cosines(const posenc_directions *d, int64_t first, int64_t rows, float *out);

/* Rows and columns that are worked on together: a rectangle of them, and a run of terms of its rows, stay in the
 * second-level cache. A multiple of the kernels' tiles. */
enum { POSENC_CELL = 240 };

/* How many slices a product of so many rows, columns and terms is worth. */
int posenc_product_slices(const posenc_context *context, int64_t rows, int64_t columns, int64_t terms);

#endif
