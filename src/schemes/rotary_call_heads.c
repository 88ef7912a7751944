#include "schemes/rotary_call_heads.h"

#include <stdio.h>

#include "base/error.h"

static posenc_status refuse(const DLTensor *tensor, const char *name, const char *wanted, posenc_error *error) {
    char shape[96];
    posenc_shape_text(tensor->ndim, tensor->shape, shape);
    return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected %s, got %s", wanted, shape);
}

static posenc_status refuse_width(const DLTensor *tensor, const char *name, int64_t head_dim, posenc_error *error) {
    char shape[96];
    posenc_shape_text(tensor->ndim, tensor->shape, shape);
    return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected a last axis of head_dim %lld, got %s",
                       (long long)head_dim, shape);
}

posenc_status posenc_heads_open(const DLTensor *tensor, const char *name, int64_t head_dim, posenc_heads *out,
                                posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = posenc_tensor_check_real(tensor, name, &dtype, error);
    if (status != POSENC_OK) return status;
    int last = tensor->ndim - 1;
    if (tensor->ndim != 3 && tensor->ndim != 4)
        return refuse(tensor, name, "(batch, tokens, heads, head_dim) or (batch, tokens, head_dim)", error);
    if (tensor->shape[last] != head_dim) return refuse_width(tensor, name, head_dim, error);
    if (head_dim > 1 && posenc_tensor_stride(tensor, last) != 1)
        return posenc_fail(error, POSENC_ERROR_SHAPE, name,
                           "expected contiguous heads, a stride of 1 on the last axis, got %lld",
                           (long long)posenc_tensor_stride(tensor, last));
    *out = (posenc_heads){
        .tensor = tensor,
        .name = name,
        .data = posenc_tensor_data(tensor),
        .dtype = dtype,
        .batch = tensor->shape[0],
        .tokens = tensor->shape[1],
        .heads = last == 3 ? tensor->shape[2] : 1,
        .batch_bytes = posenc_tensor_step(tensor, 0),
        .token_bytes = posenc_tensor_step(tensor, 1),
        .head_bytes = last == 3 ? posenc_tensor_step(tensor, 2) : 0,
    };
    return POSENC_OK;
}

static bool same_shape(const posenc_heads *x, const posenc_heads *y) {
    return x->tensor->ndim == y->tensor->ndim && x->batch == y->batch && x->tokens == y->tokens && x->heads == y->heads;
}

static posenc_status refuse_shape(const posenc_heads *x, const posenc_heads *y, posenc_error *error) {
    char wanted[160], shape[96];
    posenc_shape_text(x->tensor->ndim, x->tensor->shape, shape);
    snprintf(wanted, sizeof wanted, "the shape of %s %s", x->name, shape);
    return refuse(y->tensor, y->name, wanted, error);
}

posenc_status posenc_heads_check_pair(const posenc_heads *x, const posenc_heads *y, posenc_error *error) {
    if (!same_shape(x, y)) return refuse_shape(x, y, error);
    if (x->dtype != y->dtype)
        return posenc_fail(error, POSENC_ERROR_DTYPE, y->name, "expected the dtype of %s %s, got %s", x->name,
                           posenc_dtype_name(x->dtype), posenc_dtype_name(y->dtype));
    return POSENC_OK;
}

posenc_status posenc_heads_check_output(const posenc_heads *x, const posenc_heads *y, posenc_error *error) {
    posenc_status status = posenc_heads_check_pair(x, y, error);
    if (status != POSENC_OK || !posenc_tensor_folds(y->tensor)) return status;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, y->name,
                       "expected strides that keep elements apart, got some that meet");
}

posenc_status posenc_heads_check_apart(const posenc_heads *y, const posenc_heads *other, bool may_be_same,
                                       posenc_error *error) {
    if (may_be_same && posenc_tensors_same(y->tensor, other->tensor)) return POSENC_OK;
    if (!posenc_tensors_meet(y->tensor, other->tensor)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, y->name, "expected %smemory apart from %s, got %s overlap",
                       may_be_same ? "the input itself or " : "", other->name, may_be_same ? "a partial" : "an");
}

double posenc_heads_bytes(const posenc_heads *t, int64_t head_dim) {
    return (double)t->batch * (double)t->tokens * (double)t->heads * (double)head_dim *
           (double)posenc_dtype_bytes(t->dtype);
}
