/* The cosine of every pair of positions, cos(p, q) = <x_p, x_q> / (|x_p| |x_q|), as the product of rows that are scaled
 * to length 1 once. Scaled in double, kept and multiplied in f32. */
#include "diagnose/similarity.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/tensor.h"
#include "diagnose/table.h"

/* Row by row, in the memory of one row. */
static posenc_status take_rows(const posenc_table *table, posenc_directions *d, posenc_error *error) {
    size_t bytes = SIZE_MAX;
    double *row = posenc_bytes_of(table->dim, sizeof *row, &bytes) ? posenc_allocate(d->context, bytes) : NULL;
    if (!row) return posenc_fail_memory(error, "similarity", bytes);
    posenc_fpenv saved = posenc_fpenv_enter();
    for (int64_t r = 0; r < table->rows; r++) {
        posenc_table_row(table, r, row);
        if (posenc_direction_of(row, table->dim)) posenc_directions_store(d, r, row);
    }
    posenc_fpenv_leave(saved);
    posenc_release(d->context, row);
    return POSENC_OK;
}

posenc_status posenc_similarity_create(const posenc_context *context, const DLTensor *table, posenc_similarity **out,
                                       posenc_error *error) {
    posenc_table t;
    if (!out) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "out", "expected a pointer, got NULL");
    posenc_status status = posenc_table_of(table, "table", &t, error);
    if (status != POSENC_OK) return status;
    posenc_similarity *similarity = posenc_allocate(context, sizeof *similarity);
    if (!similarity) return posenc_fail_memory(error, "similarity", sizeof *similarity);
    status = posenc_directions_create(context, t.rows, t.dim, &similarity->directions, error);
    if (status == POSENC_OK) {
        status = take_rows(&t, &similarity->directions, error);
        if (status != POSENC_OK) posenc_directions_destroy(&similarity->directions);
    }
    if (status != POSENC_OK) {
        posenc_release(context, similarity);
        return status;
    }
    *out = similarity;
    return POSENC_OK;
}

void posenc_similarity_destroy(posenc_similarity *similarity) {
    if (!similarity) return;
    const posenc_context *context = similarity->directions.context;
    posenc_directions_destroy(&similarity->directions);
    posenc_release(context, similarity);
}

int64_t posenc_similarity_length(const posenc_similarity *similarity) { return similarity->directions.rows; }

static bool is_contiguous(const DLTensor *tensor) {
    int64_t stride = 1;
    for (int axis = tensor->ndim - 1; axis >= 0; axis--) {
        if (tensor->shape[axis] > 1 && posenc_tensor_stride(tensor, axis) != stride) return false;
        stride *= tensor->shape[axis];
    }
    return true;
}

posenc_status posenc_similarity_check_output(const DLTensor *out, const char *shape, posenc_error *error) {
    posenc_dtype dtype = POSENC_F32;
    char text[96];
    posenc_status status = posenc_tensor_check(out, "out", &dtype, error);
    if (status != POSENC_OK) return status;
    if (dtype != POSENC_F32)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "out", "expected f32, got %s", posenc_dtype_name(dtype));
    posenc_shape_text(out->ndim, out->shape, text);
    if (out->ndim != 2) return posenc_fail(error, POSENC_ERROR_SHAPE, "out", "expected %s, got %s", shape, text);
    if (!is_contiguous(out))
        return posenc_fail(error, POSENC_ERROR_SHAPE, "out", "expected contiguous rows, got strides %lld and %lld",
                           (long long)posenc_tensor_stride(out, 0), (long long)posenc_tensor_stride(out, 1));
    return POSENC_OK;
}

static posenc_status check_rows(const posenc_directions *d, int64_t first, const DLTensor *out, posenc_error *error) {
    char text[96];
    posenc_status status = posenc_similarity_check_output(out, "(rows, length)", error);
    if (status != POSENC_OK) return status;
    posenc_shape_text(2, out->shape, text);
    if (out->shape[1] != d->rows)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "out", "expected %lld columns, got %s", (long long)d->rows, text);
    if (out->shape[0] > d->rows)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "out", "expected at most %lld rows, got %s", (long long)d->rows,
                           text);
    if (first < 0 || first > d->rows - out->shape[0])
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "first", "expected 0..%lld for %lld rows, got %lld",
                           (long long)(d->rows - out->shape[0]), (long long)out->shape[0], (long long)first);
    return POSENC_OK;
}

posenc_status posenc_similarity_rows(const posenc_similarity *similarity, int64_t first, DLTensor *out,
                                     posenc_error *error) {
    if (!similarity) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "similarity", "expected an object, got NULL");
    const posenc_directions *d = &similarity->directions;
    posenc_status status = check_rows(d, first, out, error);
    if (status != POSENC_OK) return status;
    int64_t rows = out->shape[0];
    if (rows == 0) return POSENC_OK;
    float *cosines = (float *)(void *)posenc_tensor_data(out);
    posenc_directions_cosines(d, first, rows, cosines);
    for (int64_t r = 0; r < rows; r++)
        if (posenc_direction_present(d, first + r)) cosines[r * d->rows + first + r] = 1;
    return POSENC_OK;
}
