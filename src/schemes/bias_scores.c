/* Tensors of calls about score biases, checked and seen in bytes. */
#include <string.h>

#include "base/error.h"
#include "schemes/bias_call.h"

/* ---- the trained table ---- */

static posenc_status refuse_table(const posenc_bias_call *call, const char *got, posenc_error *error) {
    const posenc_bias *bias = call->bias;
    return posenc_fail(error, POSENC_ERROR_SHAPE, "table", "expected (%lld, %lld), rows and heads of %s, got %s",
                       (long long)bias->table_rows, (long long)bias->heads, call->plan->scheme->info.name, got);
}

posenc_status posenc_bias_open_table(posenc_bias_call *call, const DLTensor *table, posenc_error *error) {
    posenc_dtype dtype;
    if (call->bias->table_rows == 0) {
        if (!table) return POSENC_OK;
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "table", "expected NULL for %s, which has none, got a tensor",
                           call->plan->scheme->info.name);
    }
    posenc_status status = posenc_tensor_check_real(table, "table", &dtype, error);
    if (status != POSENC_OK) return status;
    char shape[96];
    posenc_shape_text(table->ndim, table->shape, shape);
    if (table->ndim != 2 || table->shape[0] != call->bias->table_rows || table->shape[1] != call->bias->heads)
        return refuse_table(call, shape, error);
    call->table = (posenc_bias_table){posenc_tensor_data(table), dtype, posenc_tensor_step(table, 0),
                                      posenc_tensor_step(table, 1)};
    return POSENC_OK;
}

/* ---- scores ---- */

static posenc_status refuse_scores(const posenc_bias_call *call, const char *name, posenc_bias_rank rank,
                                   const char *got, posenc_error *error) {
    const posenc_bias_extent *e = &call->extent;
    char flat[96], heads[96];
    posenc_shape_text(2, (int64_t[]){e->n_queries, e->n_keys}, flat);
    posenc_shape_text(3, (int64_t[]){e->n_heads, e->n_queries, e->n_keys}, heads);
    if (rank == POSENC_BIAS_FLAT)
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected (queries, keys) %s, got %s", flat, got);
    return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected (heads, queries, keys) %s%s, got %s", heads,
                       rank == POSENC_BIAS_BATCHED ? ", with a batch in front or without" : "", got);
}

static bool shape_fits(const posenc_bias_call *call, const DLTensor *t, posenc_bias_rank rank) {
    int first = rank == POSENC_BIAS_BATCHED && t->ndim == 4, wanted = rank == POSENC_BIAS_FLAT ? 2 : 3 + first;
    if (t->ndim != wanted) return false;
    if (rank != POSENC_BIAS_FLAT && t->shape[first] != call->extent.n_heads) return false;
    return t->shape[wanted - 2] == call->extent.n_queries && t->shape[wanted - 1] == call->extent.n_keys;
}

static bool dtype_fits(posenc_dtype dtype, posenc_bias_rank rank) {
    return rank == POSENC_BIAS_FLAT ? dtype == POSENC_I32 || dtype == POSENC_I64 : dtype <= POSENC_BF16;
}

posenc_status posenc_bias_open_scores(posenc_bias_call *call, const DLTensor *scores, const char *name,
                                      posenc_bias_rank rank, posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = posenc_tensor_check(scores, name, &dtype, error);
    if (status != POSENC_OK) return status;
    if (!dtype_fits(dtype, rank))
        return posenc_fail(error, POSENC_ERROR_DTYPE, name, "expected %s, got %s",
                           rank == POSENC_BIAS_FLAT ? "i32 or i64" : "f32, f64, f16 or bf16", posenc_dtype_name(dtype));
    char shape[96];
    posenc_shape_text(scores->ndim, scores->shape, shape);
    if (!shape_fits(call, scores, rank)) return refuse_scores(call, name, rank, shape, error);
    int n = scores->ndim;
    call->scores = (posenc_bias_scores){
        .data = posenc_tensor_data(scores),
        .dtype = dtype,
        .batch = n == 4 ? scores->shape[0] : 1,
        .heads = n >= 3 ? scores->shape[n - 3] : 1,
        .queries = scores->shape[n - 2],
        .keys = scores->shape[n - 1],
        .batch_bytes = n == 4 ? posenc_tensor_step(scores, 0) : 0,
        .head_bytes = n >= 3 ? posenc_tensor_step(scores, n - 3) : 0,
        .query_bytes = posenc_tensor_step(scores, n - 2),
        .key_bytes = posenc_tensor_step(scores, n - 1),
    };
    call->scores.packed = call->scores.key_bytes == (ptrdiff_t)posenc_dtype_bytes(dtype) || call->scores.keys <= 1;
    call->line_dtype = dtype;
    return POSENC_OK;
}

posenc_status posenc_bias_check_output(const DLTensor *out, const char *name, const DLTensor *input,
                                       const char *input_name, posenc_error *error) {
    if (input && posenc_tensors_meet(out, input))
        return posenc_fail(error, POSENC_ERROR_OVERLAP, name, "expected memory apart from %s, got some of it",
                           input_name);
    if (!posenc_tensor_folds(out)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, name,
                       "expected strides that keep elements apart, got some that meet");
}
