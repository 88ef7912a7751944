#include "schemes/row_tensor.h"

#include "base/checked.h"
#include "base/error.h"

posenc_status posenc_row_tensor_open(const DLTensor *tensor, const char *name, int64_t dim, posenc_row_tensor *out,
                                     posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = posenc_tensor_check_real(tensor, name, &dtype, error);
    if (status != POSENC_OK) return status;
    int rank = tensor->ndim;
    char shape[96];
    posenc_shape_text(rank, tensor->shape, shape);
    if (rank < 2 || rank > 4)
        return posenc_fail(error, POSENC_ERROR_SHAPE, name,
                           "expected (tokens, dim), (batch, tokens, dim) or (batch, tokens, heads, dim), got %s",
                           shape);
    if (tensor->shape[rank - 1] != dim)
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected a last axis of dim %lld, got %s", (long long)dim,
                           shape);
    int token = rank == 2 ? 0 : 1;
    *out = (posenc_row_tensor){
        .data = posenc_tensor_data(tensor),
        .dtype = dtype,
        .batch = token ? tensor->shape[0] : 1,
        .tokens = tensor->shape[token],
        .repeat = rank == 4 ? tensor->shape[2] : 1,
        .dim = dim,
        .batch_bytes = token ? posenc_tensor_step(tensor, 0) : 0,
        .token_bytes = posenc_tensor_step(tensor, token),
        .repeat_bytes = rank == 4 ? posenc_tensor_step(tensor, 2) : 0,
        .channel_bytes = posenc_tensor_step(tensor, rank - 1),
    };
    out->packed = dim <= 1 || out->channel_bytes == (ptrdiff_t)posenc_dtype_bytes(dtype);
    return POSENC_OK;
}

static posenc_status refuse_table(const DLTensor *table, const char *name, posenc_error *error) {
    char shape[96];
    posenc_shape_text(table->ndim, table->shape, shape);
    return posenc_fail(error, POSENC_ERROR_SHAPE, name,
                       "expected a table (rows, dim), (1, rows, dim) or (rows, 1, dim), got %s", shape);
}

posenc_status posenc_row_tensor_open_table(const DLTensor *table, const char *name, posenc_row_tensor *out,
                                           posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = posenc_tensor_check(table, name, &dtype, error);
    if (status != POSENC_OK) return status;
    if (table->ndim != 2 && table->ndim != 3) return refuse_table(table, name, error);
    status = posenc_row_tensor_open(table, name, table->shape[table->ndim - 1], out, error);
    if (status != POSENC_OK || out->batch == 1) return status;
    if (out->tokens != 1) return refuse_table(table, name, error);
    out->tokens = out->batch;
    out->token_bytes = out->batch_bytes;
    out->batch = 1;
    return POSENC_OK;
}

/* A group's rows follow each other at one distance: with heads, the last head of a token is followed by the first of
 * the next. Steps over a single token or group are never taken, and may not fit into 64 bits. */
posenc_status posenc_row_tensor_group(posenc_row_tensor *rows, const char *name, int64_t repeat, posenc_error *error) {
    if (repeat < 1)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "repeat", "expected 1 or more tokens for a position, got %lld",
                           (long long)repeat);
    if (rows->tokens % repeat != 0)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "repeat", "expected a divisor of the %lld tokens of %s, got %lld",
                           (long long)rows->tokens, name, (long long)repeat);
    if (repeat == 1 || rows->tokens == 0) {
        rows->tokens /= repeat;
        return POSENC_OK;
    }
    bool merges = rows->token_bytes % (rows->repeat ? rows->repeat : 1) == 0;
    if (rows->repeat > 1 && (!merges || rows->token_bytes / rows->repeat != rows->repeat_bytes))
        return posenc_fail(error, POSENC_ERROR_SHAPE, "repeat",
                           "expected 1 for %s, whose tokens and heads do not merge into one axis, got %lld", name,
                           (long long)repeat);
    int64_t all;
    if (!posenc_i64_multiply(rows->repeat, repeat, &all))
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected a size that fits into memory, got a larger one");
    if (rows->repeat == 1) rows->repeat_bytes = rows->token_bytes;
    rows->repeat = all;
    rows->tokens /= repeat;
    rows->token_bytes = rows->tokens > 1 ? rows->token_bytes * repeat : 0;
    return POSENC_OK;
}

posenc_status posenc_row_tensor_check_output(const DLTensor *out, const char *name, posenc_error *error) {
    if (!posenc_tensor_folds(out)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, name,
                       "expected strides that keep elements apart, got some that meet");
}

posenc_status posenc_row_tensors_check_pair(const DLTensor *x, const posenc_row_tensor *xr, const char *x_name,
                                            const DLTensor *y, const posenc_row_tensor *yr, const char *y_name,
                                            posenc_error *error) {
    char xs[96], ys[96];
    posenc_shape_text(x->ndim, x->shape, xs);
    posenc_shape_text(y->ndim, y->shape, ys);
    bool same = x->ndim == y->ndim;
    for (int i = 0; same && i < x->ndim; i++) same = x->shape[i] == y->shape[i];
    if (!same)
        return posenc_fail(error, POSENC_ERROR_SHAPE, y_name, "expected the shape of %s %s, got %s", x_name, xs, ys);
    if (xr->dtype != yr->dtype)
        return posenc_fail(error, POSENC_ERROR_DTYPE, y_name, "expected the dtype of %s %s, got %s", x_name,
                           posenc_dtype_name(xr->dtype), posenc_dtype_name(yr->dtype));
    if (posenc_tensors_meet(x, y) && !posenc_tensors_same(x, y))
        return posenc_fail(error, POSENC_ERROR_OVERLAP, y_name,
                           "expected %s itself or memory apart from it, got a partial overlap", x_name);
    return posenc_row_tensor_check_output(y, y_name, error);
}
