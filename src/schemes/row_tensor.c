#include "schemes/row_tensor.h"

#include "base/error.h"

posenc_status posenc_row_tensor_open(const DLTensor *tensor, const char *name, int64_t dim, posenc_row_tensor *out,
                                     posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = posenc_tensor_check(tensor, name, &dtype, error);
    if (status != POSENC_OK) return status;
    if (dtype > POSENC_BF16)
        return posenc_fail(error, POSENC_ERROR_DTYPE, name, "expected f32, f64, f16 or bf16, got %s",
                           posenc_dtype_name(dtype));
    int rank = tensor->ndim;
    char shape[96];
    posenc_shape_text(rank, tensor->shape, shape);
    if (rank != 2 && rank != 3)
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected (tokens, dim) or (batch, tokens, dim), got %s",
                           shape);
    if (tensor->shape[rank - 1] != dim)
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected a last axis of dim %lld, got %s", (long long)dim,
                           shape);
    ptrdiff_t bytes = (ptrdiff_t)posenc_dtype_bytes(dtype);
    *out = (posenc_row_tensor){
        .data = posenc_tensor_data(tensor),
        .dtype = dtype,
        .batch = rank == 3 ? tensor->shape[0] : 1,
        .tokens = tensor->shape[rank - 2],
        .dim = dim,
        .batch_bytes = rank == 3 ? (ptrdiff_t)posenc_tensor_stride(tensor, 0) * bytes : 0,
        .token_bytes = (ptrdiff_t)posenc_tensor_stride(tensor, rank - 2) * bytes,
        .channel_bytes = (ptrdiff_t)posenc_tensor_stride(tensor, rank - 1) * bytes,
    };
    out->packed = out->channel_bytes == bytes || dim == 1;
    return POSENC_OK;
}

posenc_status posenc_row_tensor_open_table(const DLTensor *table, const char *name, posenc_row_tensor *out,
                                           posenc_error *error) {
    bool has_dim = table && table->shape && table->ndim >= 1 && table->ndim <= POSENC_MAX_RANK;
    posenc_status status = posenc_row_tensor_open(table, name, has_dim ? table->shape[table->ndim - 1] : 0, out, error);
    if (status != POSENC_OK || out->batch == 1) return status;
    if (out->tokens != 1) {
        char shape[96];
        posenc_shape_text(table->ndim, table->shape, shape);
        return posenc_fail(error, POSENC_ERROR_SHAPE, name,
                           "expected a table (rows, dim), (1, rows, dim) or (rows, 1, dim), got %s", shape);
    }
    out->tokens = out->batch;
    out->token_bytes = out->batch_bytes;
    out->batch = 1;
    return POSENC_OK;
}

posenc_status posenc_row_tensor_check_output(const DLTensor *out, const char *name, posenc_error *error) {
    if (!posenc_tensor_folds(out)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, name,
                       "expected strides that keep elements apart, got some that meet");
}

/* Smallest stride of the axes before the last, if it divides the others; else 0. */
static int64_t pitch_of(const DLTensor *t) {
    int64_t pitch = 0;
    for (int i = 0; i < t->ndim - 1; i++) {
        int64_t stride = posenc_tensor_stride(t, i);
        if (t->shape[i] > 1 && (pitch == 0 || stride < pitch)) pitch = stride;
    }
    for (int i = 0; i < t->ndim - 1; i++)
        if (pitch <= 0 || (t->shape[i] > 1 && posenc_tensor_stride(t, i) % pitch != 0)) return 0;
    return pitch;
}

/* Views of one buffer, as the q, k and v of a packed projection are: the same strides, rows that pass each other. */
static bool rows_pass(const DLTensor *x, const DLTensor *y, int64_t dim) {
    int64_t bytes = x->dtype.bits / 8, pitch = pitch_of(x);
    for (int i = 0; i < x->ndim; i++)
        if (x->shape[i] > 1 && posenc_tensor_stride(x, i) != posenc_tensor_stride(y, i)) return false;
    if (pitch < dim || posenc_tensor_stride(x, x->ndim - 1) != 1) return false;
    int64_t gap = (posenc_tensor_data(y) - posenc_tensor_data(x)) % (pitch * bytes);
    if (gap < 0) gap += pitch * bytes;
    return gap >= dim * bytes && gap <= (pitch - dim) * bytes;
}

posenc_status posenc_row_tensors_check_pair(const DLTensor *x, const posenc_row_tensor *xr, const char *x_name,
                                            const DLTensor *y, const posenc_row_tensor *yr, const char *y_name,
                                            posenc_error *error) {
    char xs[96], ys[96];
    posenc_shape_text(x->ndim, x->shape, xs);
    posenc_shape_text(y->ndim, y->shape, ys);
    if (x->ndim != y->ndim || xr->batch != yr->batch || xr->tokens != yr->tokens)
        return posenc_fail(error, POSENC_ERROR_SHAPE, y_name, "expected the shape of %s %s, got %s", x_name, xs, ys);
    if (xr->dtype != yr->dtype)
        return posenc_fail(error, POSENC_ERROR_DTYPE, y_name, "expected the dtype of %s %s, got %s", x_name,
                           posenc_dtype_name(xr->dtype), posenc_dtype_name(yr->dtype));
    if (posenc_tensors_meet(x, y) && !posenc_tensors_same(x, y) && !rows_pass(x, y, xr->dim))
        return posenc_fail(error, POSENC_ERROR_OVERLAP, y_name,
                           "expected %s itself or memory apart from it, got a partial overlap", x_name);
    return posenc_row_tensor_check_output(y, y_name, error);
}
