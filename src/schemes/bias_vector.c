/* A bias as one vector for each head: queries + keys - 1 values, of which every row is a window. */
#include "base/checked.h"
#include "base/error.h"
#include "base/threads.h"
#include "schemes/bias_call.h"

enum { VECTOR_PART = 1 << 16 }; /* distances at a time */

typedef struct vectors {
    const posenc_bias_call *call;
    char *data;
    ptrdiff_t head_bytes;
    int64_t length, parts; /* distances, and parts that they are cut into */
    int64_t first;         /* distance of element 0 */
    int n_workers;
} vectors;

static void vector_slice(void *argument, int index) {
    const vectors *v = argument;
    int64_t all = v->call->extent.n_heads * v->parts, part = posenc_i64_share(index, all, v->n_workers);
    size_t element = posenc_dtype_bytes(v->call->line_dtype);
    for (int64_t end = posenc_i64_share(index + 1, all, v->n_workers); part < end; part++) {
        int64_t head = part / v->parts, at = part % v->parts * VECTOR_PART, n = v->length - at;
        if (n > VECTOR_PART) n = VECTOR_PART;
        posenc_bias_line(v->call, head, v->first + at, n, v->data + head * v->head_bytes + (size_t)at * element);
    }
}

static posenc_status check_vector(const posenc_bias_call *call, const DLTensor *vector, int64_t length,
                                  posenc_error *error) {
    char shape[96], wanted[96];
    posenc_shape_text(vector->ndim, vector->shape, shape);
    posenc_shape_text(2, (int64_t[]){call->extent.n_heads, length}, wanted);
    if (vector->ndim != 2 || vector->shape[0] != call->extent.n_heads || vector->shape[1] != length)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "vector",
                           "expected %s, heads and queries + keys - 1 of the block, got %s", wanted, shape);
    if (vector->shape[0] > 0 && vector->shape[1] > 1 && posenc_tensor_stride(vector, 1) != 1)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "vector", "expected a contiguous last axis, got a stride of %lld",
                           (long long)posenc_tensor_stride(vector, 1));
    return POSENC_OK;
}

static posenc_status check_toeplitz(const posenc_bias_call *call, posenc_error *error) {
    bool key = call->bias->source == POSENC_BIAS_SLOPES && call->bias->form == POSENC_BIAS_KEY;
    if (!key && call->bias->source != POSENC_BIAS_WINDOW) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_UNSUPPORTED, "plan",
                       "expected a bias that depends on j - i, got %s, whose rows are no windows into one vector",
                       key ? "form key" : call->plan->scheme->info.name);
}

posenc_status posenc_bias_vector(const posenc_plan *plan, const posenc_bias_extent *extent, const DLTensor *table,
                                 DLTensor *vector, posenc_error *error) {
    posenc_bias_call call;
    posenc_dtype dtype = POSENC_F32;
    posenc_status status = posenc_bias_open(&call, plan, extent, false, error);
    if (status == POSENC_OK) status = check_toeplitz(&call, error);
    if (status == POSENC_OK) status = posenc_bias_open_table(&call, table, error);
    if (status == POSENC_OK) status = posenc_tensor_check_real(vector, "vector", &dtype, error);
    if (status != POSENC_OK) return status;
    const posenc_bias_extent *e = &call.extent;
    int64_t length = e->n_queries > 0 && e->n_keys > 0 ? e->n_queries + e->n_keys - 1 : 0;
    status = check_vector(&call, vector, length, error);
    if (status == POSENC_OK) status = posenc_bias_check_output(vector, "vector", table, "table", error);
    if (status != POSENC_OK || length == 0 || e->n_heads == 0) return status;
    size_t element = posenc_dtype_bytes(dtype);
    vectors v = {.call = &call,
                 .data = posenc_tensor_data(vector),
                 .head_bytes = posenc_tensor_step(vector, 0),
                 .length = length,
                 .parts = (length + VECTOR_PART - 1) / VECTOR_PART,
                 .first = e->first_key - (e->offset + e->first_query + e->n_queries - 1)};
    call.line_dtype = dtype;
    v.n_workers = posenc_slices(plan->context, (size_t)length * (size_t)e->n_heads * element);
    posenc_parallel(plan->context, v.n_workers, vector_slice, &v);
    return POSENC_OK;
}
