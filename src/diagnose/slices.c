/* Are the slices of a batch one table, or are the rows of each slice one? */
#include "diagnose/slices.h"

#include <string.h>

#include "base/error.h"
#include "base/tensor.h"

/* The same values; -0 is 0, and a NaN is like any other, so that a broken table repeated is still one table. */
static bool same_parts(const double *a, const double *b, int64_t n) {
    for (int64_t c = 0; c < n; c++)
        if (a[c] != b[c] && (a[c] == a[c] || b[c] == b[c])) return false;
    return true;
}

static bool same_rows(const posenc_table *left, int64_t a, const posenc_table *right, int64_t b) {
    enum { PART = 256 };
    double values[2][PART];
    posenc_table l = *left, r = *right;
    for (int64_t first = 0; first < left->dim; first += PART) {
        l.data = posenc_table_element(left, 0, first), r.data = posenc_table_element(right, 0, first);
        l.dim = r.dim = left->dim - first < PART ? left->dim - first : PART;
        posenc_table_row(&l, a, values[0]);
        posenc_table_row(&r, b, values[1]);
        if (!same_parts(values[0], values[1], l.dim)) return false;
    }
    return true;
}

static bool same_tables(const posenc_table *a, const posenc_table *b) {
    for (int64_t i = 0; i < a->rows; i++)
        if (!same_rows(a, i, b, i)) return false;
    return true;
}

bool posenc_slices_equal(const DLTensor *tensor, int axis) {
    posenc_table first = posenc_table_slice(tensor, axis, 0);
    for (int64_t i = 1; i < tensor->shape[axis]; i++) {
        posenc_table other = posenc_table_slice(tensor, axis, i);
        if (!same_tables(&first, &other)) return false;
    }
    return true;
}

static bool is_batch(const DLTensor *tensor) {
    return tensor && tensor->ndim == 3 && tensor->shape && tensor->shape[0] != 1 && tensor->shape[1] != 1;
}

static posenc_status refuse(const DLTensor *tensor, const char *name, posenc_error *error) {
    char shape[96];
    posenc_shape_text(tensor->ndim, tensor->shape, shape);
    return posenc_fail(
        error, POSENC_ERROR_SHAPE, name,
        "expected a table (length, dim), or (batch, length, dim) with one table in all of the batch, got "
        "%s with different ones",
        shape);
}

posenc_status posenc_table_of_slices(const DLTensor *tensor, const char *name, posenc_table *table, bool *swapped,
                                     posenc_error *error) {
    *swapped = false;
    if (!is_batch(tensor)) return posenc_table_of(tensor, name, table, error);
    posenc_dtype dtype = POSENC_F32;
    posenc_status status = posenc_tensor_check_real(tensor, name, &dtype, error);
    if (status != POSENC_OK) return status;
    *table = posenc_table_slice(tensor, 0, 0);
    bool empty = tensor->shape[0] == 0 || table->rows == 0 || table->dim == 0;
    if (tensor->shape[0] == 0) table->rows = 0;
    if (empty || posenc_slices_equal(tensor, 0)) return POSENC_OK;
    if (!posenc_slices_equal(tensor, 1)) return refuse(tensor, name, error);
    *swapped = true;
    *table = posenc_table_slice(tensor, 1, 0);
    return POSENC_OK;
}
