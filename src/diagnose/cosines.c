/* The matrix of cosines, cell by cell. Which thread does a cell decides nothing: each element is computed alone. */
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "diagnose/directions.h"

void posenc_directions_multiply(const posenc_directions *d, posenc_cell cell, float *out, int64_t out_stride) {
    d->kernels->product(&(posenc_product_job){.terms = (size_t)d->dim,
                                              .a = d->panels,
                                              .b = d->panels + cell.column * d->dim,
                                              .a_first = (size_t)cell.row,
                                              .a_rows = (size_t)cell.rows,
                                              .b_rows = (size_t)cell.columns,
                                              .c = out,
                                              .c_stride = (size_t)out_stride,
                                              .limit = 1});
}

/* A term costs a quarter of a byte's time. */
int posenc_product_slices(const posenc_context *context, int64_t rows, int64_t columns, int64_t terms) {
    double bytes = (double)rows * (double)columns * (4 + 0.25 * (double)terms);
    return posenc_slices(context, bytes < 0x1p30 ? (size_t)bytes : (size_t)1 << 30);
}

static void fill_nan(float *row, int64_t n) {
    for (int64_t i = 0; i < n; i++) row[i] = NAN;
}

/* Where one of the two has no direction. */
static void mark_missing(const posenc_directions *d, posenc_cell cell, float *out, int64_t out_stride) {
    for (int64_t i = 0; i < cell.rows; i++) {
        float *row = out + i * out_stride;
        if (!posenc_direction_present(d, cell.row + i)) fill_nan(row, cell.columns);
        for (int64_t j = 0; j < cell.columns; j++)
            if (!posenc_direction_present(d, cell.column + j)) row[j] = NAN;
    }
}

/* to[j, i] = from[i, j], by squares that fill whole cache lines on both sides. */
static void mirror(const float *from, float *to, int64_t rows, int64_t columns, int64_t stride) {
    enum { SIDE = 16 };
    for (int64_t i = 0; i < rows; i += SIDE)
        for (int64_t j = 0; j < columns; j += SIDE) {
            int64_t n_i = rows - i < SIDE ? rows - i : SIDE, n_j = columns - j < SIDE ? columns - j : SIDE;
            float square[SIDE][SIDE];
            for (int64_t r = 0; r < n_i; r++)
                for (int64_t c = 0; c < n_j; c++) square[c][r] = from[(i + r) * stride + j + c];
            for (int64_t c = 0; c < n_j; c++) memcpy(to + (j + c) * stride + i, square[c], (size_t)n_i * sizeof(float));
        }
}

typedef struct cosines_call {
    const posenc_directions *d;
    int64_t first, rows;
    float *out;
    int n_slices;
} cosines_call;

/* The whole matrix is symmetric, so that only cells on the diagonal and above it are computed. */
static bool is_whole(const cosines_call *call) { return call->rows == call->d->rows; }

/* The cell whose first row is first + i, and whose first column is j. */
static void do_cell(const cosines_call *call, int64_t i, int64_t j) {
    const posenc_directions *d = call->d;
    int64_t rows = call->rows - i < POSENC_CELL ? call->rows - i : POSENC_CELL;
    int64_t columns = d->rows - j < POSENC_CELL ? d->rows - j : POSENC_CELL;
    posenc_cell cell = {call->first + i, rows, j, columns};
    float *out = call->out + i * d->rows + j;
    posenc_directions_multiply(d, cell, out, d->rows);
    if (d->n_present < d->rows) mark_missing(d, cell, out, d->rows);
    if (is_whole(call) && j > i) mirror(out, call->out + j * d->rows + i, rows, columns, d->rows);
}

static void do_cells(void *argument, int slice) {
    const cosines_call *call = argument;
    int64_t turn = 0;
    for (int64_t i = 0; i < call->rows; i += POSENC_CELL)
        for (int64_t j = is_whole(call) ? i : 0; j < call->d->rows; j += POSENC_CELL)
            if (turn++ % call->n_slices == slice) do_cell(call, i, j);
}

void posenc_directions_cosines(const posenc_directions *d, int64_t first, int64_t rows, float *out) {
    cosines_call call = {d, first, rows, out, posenc_product_slices(d->context, rows, d->rows, d->dim)};
    posenc_parallel(d->context, call.n_slices, do_cells, &call);
}
