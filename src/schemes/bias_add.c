/* Biases added to scores in place, with masks on the way. */
#include <string.h>

#include "schemes/bias_call.h"

static void gather(const char *in, ptrdiff_t step, char *row, int64_t n, size_t bytes) {
    for (int64_t i = 0; i < n; i++) memcpy(row + (size_t)i * bytes, in + i * step, bytes);
}

static void scatter(const char *row, char *out, ptrdiff_t step, int64_t n, size_t bytes) {
    for (int64_t i = 0; i < n; i++) memcpy(out + i * step, row + (size_t)i * bytes, bytes);
}

static void mask_packed(const posenc_bias_call *call, const posenc_bias_rows *r, const posenc_bias_scratch *scratch) {
    const size_t bytes = posenc_dtype_bytes(call->scores.dtype);
    posenc_windows_job job = {.rows = (size_t)r->rows,
                              .n = (size_t)r->n * bytes,
                              .shrink = (size_t)r->shrink * bytes,
                              .from = scratch->masked,
                              .to = r->scores,
                              .to_bytes = call->scores.query_bytes + r->shrink * call->scores.key_bytes,
                              .stream = scratch->stream};
    call->plan->rows.engine.kernels->windows(&job);
}

static void add_packed(const posenc_bias_call *call, const posenc_bias_rows *r, char *scores, ptrdiff_t row_bytes) {
    posenc_add_job job = {.rows = (size_t)r->rows,
                          .n = (size_t)r->n,
                          .x = scores,
                          .e = r->values,
                          .y = scores,
                          .x_bytes = row_bytes,
                          .e_bytes = r->values_bytes,
                          .y_bytes = row_bytes,
                          .scale = 1};
    const ptrdiff_t n = (ptrdiff_t)r->n;
    bool one_row = row_bytes == n * (ptrdiff_t)posenc_dtype_bytes(call->scores.dtype) &&
                   r->values_bytes == n * (ptrdiff_t)posenc_dtype_bytes(call->line_dtype);
    if (one_row) job.n *= job.rows, job.rows = 1; /* of small windows rows are short */
    call->plan->rows.engine.kernels->add[call->scores.dtype](&job);
}

/* Row by row, by way of a buffer. */
static void add_strided(const posenc_bias_call *call, const posenc_bias_rows *r, const posenc_bias_scratch *scratch) {
    const posenc_bias_scores *s = &call->scores;
    size_t bytes = posenc_dtype_bytes(s->dtype);
    posenc_bias_rows one = {.rows = 1, .n = r->n, .values = r->values};
    for (int64_t i = 0; i < r->rows; i++, one.values += r->values_bytes) {
        char *at = r->scores + i * s->query_bytes;
        gather(at, s->key_bytes, scratch->row, r->n, bytes);
        add_packed(call, &one, scratch->row, 0);
        scatter(scratch->row, at, s->key_bytes, r->n, bytes);
    }
}

static void mask_strided(const posenc_bias_call *call, const posenc_bias_rows *r, const posenc_bias_scratch *scratch) {
    const posenc_bias_scores *s = &call->scores;
    for (int64_t i = 0; i < r->rows; i++)
        scatter(scratch->masked, r->scores + i * (s->query_bytes + r->shrink * s->key_bytes), s->key_bytes,
                r->n - i * r->shrink, posenc_dtype_bytes(s->dtype));
}

static void add_rows(const posenc_bias_call *call, const posenc_bias_rows *r, const posenc_bias_scratch *scratch) {
    if (!r->values)
        (call->scores.packed ? mask_packed : mask_strided)(call, r, scratch);
    else if (call->scores.packed)
        add_packed(call, r, r->scores, call->scores.query_bytes);
    else
        add_strided(call, r, scratch);
}

posenc_status posenc_bias_add(const posenc_plan *plan, const posenc_bias_extent *extent,
                              const posenc_bias_options *options, const DLTensor *table, DLTensor *scores,
                              posenc_error *error) {
    posenc_bias_call call;
    posenc_status status = posenc_bias_open(&call, plan, extent, false, error);
    if (status == POSENC_OK) status = posenc_bias_open_table(&call, table, error);
    if (status == POSENC_OK) status = posenc_bias_open_scores(&call, scores, "scores", POSENC_BIAS_BATCHED, error);
    if (status == POSENC_OK) status = posenc_bias_open_options(&call, options, error);
    if (status == POSENC_OK) status = posenc_bias_check_output(scores, "scores", table, "table", error);
    if (status == POSENC_OK)
        status = posenc_bias_check_output(scores, "scores", call.options.offsets, "offsets", error);
    if (status == POSENC_OK)
        status = posenc_bias_check_output(scores, "scores", call.options.cu_seqlens, "cu_seqlens", error);
    if (status != POSENC_OK) return status;
    call.line_dtype = call.scores.dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    return posenc_bias_walk(&call, add_rows, error);
}
