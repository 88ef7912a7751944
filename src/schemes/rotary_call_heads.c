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
    ptrdiff_t bytes = (ptrdiff_t)posenc_dtype_bytes(dtype);
    *out = (posenc_heads){
        .tensor = tensor,
        .name = name,
        .data = posenc_tensor_data(tensor),
        .dtype = dtype,
        .batch = tensor->shape[0],
        .tokens = tensor->shape[1],
        .heads = last == 3 ? tensor->shape[2] : 1,
        .batch_bytes = (ptrdiff_t)posenc_tensor_stride(tensor, 0) * bytes,
        .token_bytes = (ptrdiff_t)posenc_tensor_stride(tensor, 1) * bytes,
        .head_bytes = last == 3 ? (ptrdiff_t)posenc_tensor_stride(tensor, 2) * bytes : 0,
    };
    posenc_tensor_span(tensor, &out->first, &out->end);
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

/* ---- views of one buffer ---- */

/* What a tensor covers modulo a period: elements [low, high) from its first, where all axes of strides below the period
 * stay inside, and all others are multiples of it. False where it is not so. */
static bool periodic(const DLTensor *t, int64_t period, int64_t *low, int64_t *high) {
    *low = 0, *high = 1;
    for (int i = 0; i < t->ndim; i++) {
        int64_t stride = posenc_tensor_stride(t, i), span = (t->shape[i] - 1) * stride;
        if (t->shape[i] == 1 || stride % period == 0) continue;
        if (stride >= period || stride <= -period) return false;
        *low += span < 0 ? span : 0, *high += span > 0 ? span : 0;
    }
    return *high - *low <= period;
}

/* Whether two tensors of one dtype pass each other with a period. */
static bool pass(const DLTensor *a, const DLTensor *b, int64_t period) {
    int64_t a_low, a_high, b_low, b_high, bytes = a->dtype.bits / 8;
    if (period < 2 || !periodic(a, period, &a_low, &a_high) || !periodic(b, period, &b_low, &b_high)) return false;
    int64_t apart = posenc_tensor_data(b) - posenc_tensor_data(a);
    if (apart % bytes != 0) return false;
    int64_t gap = (apart / bytes + b_low - a_low) % period; /* from the first of a to the first of b */
    if (gap < 0) gap += period;
    return gap >= a_high - a_low && gap + (b_high - b_low) <= period;
}

static bool apart(const posenc_heads *y, const posenc_heads *other) {
    const DLTensor *a = y->tensor, *b = other->tensor;
    if (y->first >= other->end || other->first >= y->end) return true;
    for (int i = 0; i < a->ndim - 1; i++) {
        int64_t stride = posenc_tensor_stride(a, i);
        if (a->shape[i] > 1 && stride != INT64_MIN && pass(a, b, stride < 0 ? -stride : stride)) return true;
    }
    return false;
}

posenc_status posenc_heads_check_apart(const posenc_heads *y, const posenc_heads *other, bool may_be_same,
                                       posenc_error *error) {
    if (may_be_same && posenc_tensors_same(y->tensor, other->tensor)) return POSENC_OK;
    if (apart(y, other)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, y->name, "expected %smemory apart from %s, got %s overlap",
                       may_be_same ? "the input itself or " : "", other->name, may_be_same ? "a partial" : "an");
}

double posenc_heads_bytes(const posenc_heads *t, int64_t head_dim) {
    return (double)t->batch * (double)t->tokens * (double)t->heads * (double)head_dim *
           (double)posenc_dtype_bytes(t->dtype);
}
