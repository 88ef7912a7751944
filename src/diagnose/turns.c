/* The pairs of a rotary table are points on one circle, whose radius is the scheme's amplitude: 1, or what yarn and
 * longrope make of it. That is how such a table is told from a batch of tables of width 2. */
#include "diagnose/turns.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/tensor.h"
#include "diagnose/slices.h"

enum { SIDE = 64 }; /* rows and pairs that are looked at */

static const double alike = 0.02; /* between two pairs on one circle, whatever the dtype */
static const double one = 0.01;   /* that is 1 */

static bool has_form(const DLTensor *tensor) {
    return tensor && tensor->ndim == 3 && tensor->shape && tensor->shape[2] == 2;
}

/* Strides that make one axis of pairs and their two numbers. */
static bool merges(const DLTensor *tensor) {
    if (tensor->shape[0] == 0 || tensor->shape[1] <= 1) return true;
    return posenc_tensor_stride(tensor, 1) == 2 * posenc_tensor_stride(tensor, 2);
}

static posenc_table merged(const DLTensor *tensor, posenc_dtype dtype) {
    return (posenc_table){.data = posenc_tensor_data(tensor),
                          .dtype = dtype,
                          .rows = tensor->shape[0],
                          .dim = 2 * tensor->shape[1],
                          .row_stride = posenc_tensor_stride(tensor, 0),
                          .column_stride = posenc_tensor_stride(tensor, 2)};
}

/* ---- the circle ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* cos^2 + sin^2 of pairs that are spread over the table. What is not finite becomes 0. */
static size_t sample_squares(const posenc_table *table, double *squares) {
    int64_t pairs = table->dim / 2, rows = table->rows < SIDE ? table->rows : SIDE,
            columns = pairs < SIDE ? pairs : SIDE;
    size_t n = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < columns; k++) {
            double pair[2], square;
            posenc_table part = *table;
            part.data = posenc_table_element(table, 0, 2 * posenc_i64_share(k, pairs, columns));
            part.dim = 2;
            posenc_table_row(&part, posenc_i64_share(i, table->rows, rows), pair);
            square = pair[0] * pair[0] + pair[1] * pair[1];
            squares[n++] = square <= DBL_MAX ? square : 0;
        }
    return n;
}

/* Where three in four pairs are on one circle its squared radius, as their mean; else 0. */
static double find_square(const posenc_table *table) {
    double squares[SIDE * SIDE], sum = 0;
    size_t n = sample_squares(table, squares), near = 0;
    if (n == 0) return 0;
    qsort(squares, n, sizeof *squares, by_size);
    double median = squares[n / 2];
    if (!(median > 0) || median > 1e300) return 0;
    for (size_t i = 0; i < n; i++)
        if (fabs(squares[i] - median) <= alike * median) sum += squares[i] / median, near++;
    if (4 * near < 3 * n) return 0;
    double square = sum / (double)near * median;
    return fabs(square - 1) < one ? 1 : square;
}

/* ---- the door ---- */

static posenc_status refuse(const DLTensor *tensor, const char *name, const char *wanted, posenc_error *error) {
    char shape[96];
    posenc_shape_text(tensor->ndim, tensor->shape, shape);
    return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected %s, got %s", wanted, shape);
}

static posenc_status open_meant(const DLTensor *tensor, const char *name, posenc_table *table, posenc_error *error) {
    posenc_dtype dtype = POSENC_F32;
    int64_t width;
    posenc_status status = posenc_tensor_check_real(tensor, name, &dtype, error);
    if (status != POSENC_OK) return status;
    if (tensor->ndim == 2 && tensor->shape[1] % 2 == 0) return posenc_table_of(tensor, name, table, error);
    if (!has_form(tensor) || !posenc_i64_multiply(tensor->shape[1], 2, &width))
        return refuse(tensor, name, "cosines and sines (length, pairs, 2)", error);
    if (!merges(tensor))
        return refuse(tensor, name, "cosines and sines (length, pairs, 2) whose pairs lie one behind the other", error);
    *table = merged(tensor, dtype);
    return POSENC_OK;
}

/* Whatever cannot be read so is left to those who refuse it. */
static bool is_seen(const DLTensor *tensor, const char *name, posenc_table *table, double *square) {
    posenc_dtype dtype = POSENC_F32;
    if (!has_form(tensor) || tensor->shape[0] < 2 || tensor->shape[1] < 2) return false;
    if (posenc_tensor_check_real(tensor, name, &dtype, NULL) != POSENC_OK || !merges(tensor)) return false;
    *table = merged(tensor, dtype);
    *square = find_square(table);
    return *square > 0 && !posenc_slices_equal(tensor, 0) && !posenc_slices_equal(tensor, 1);
}

posenc_status posenc_turns_open(const DLTensor *tensor, const char *name, bool must, posenc_table *table,
                                posenc_turns *turns, posenc_error *error) {
    posenc_table found;
    *turns = (posenc_turns){.square = 1};
    posenc_status status = must ? open_meant(tensor, name, &found, error) : POSENC_OK;
    if (status != POSENC_OK) return status;
    turns->are = must || is_seen(tensor, name, &found, &turns->square);
    if (!turns->are) return POSENC_OK;
    double square = must ? find_square(&found) : 0;
    if (square > 0) turns->square = square;
    *table = found;
    return POSENC_OK;
}
