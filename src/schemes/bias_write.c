/* Biases written out: one bucket, the rows of an index, whole blocks. */
#include <string.h>

#include "base/error.h"
#include "base/fpenv.h"
#include "schemes/bias_call.h"

posenc_status posenc_bias_bucket(const posenc_plan *plan, int64_t distance, int64_t *bucket, posenc_error *error) {
    if (!plan || !bucket)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, plan ? "bucket" : "plan", "expected a pointer, got NULL");
    bool has = plan->bias && (plan->bias->source == POSENC_BIAS_TABLE || plan->bias->source == POSENC_BIAS_SIGNED);
    if (!has)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "plan", "expected a scheme with buckets of distances, got %s",
                           plan->scheme->info.name);
    int64_t last;
    posenc_fpenv saved = posenc_fpenv_enter();
    *bucket = posenc_bias_bucket_run(plan->bias, distance, &last);
    posenc_fpenv_leave(saved);
    return POSENC_OK;
}

/* ---- rows as they are ---- */

static void scatter(const char *row, char *out, ptrdiff_t step, int64_t n, size_t bytes) {
    for (int64_t i = 0; i < n; i++) memcpy(out + i * step, row + (size_t)i * bytes, bytes);
}

static void write_rows(const posenc_bias_call *call, const posenc_bias_rows *r, const posenc_bias_scratch *scratch) {
    const posenc_bias_scores *s = &call->scores;
    size_t bytes = posenc_dtype_bytes(s->dtype);
    posenc_windows_job job = {.rows = (size_t)r->rows,
                              .n = (size_t)r->n * bytes,
                              .from = r->values,
                              .from_bytes = r->values_bytes,
                              .to = r->scores,
                              .to_bytes = s->query_bytes,
                              .stream = scratch->stream};
    if (s->packed) {
        call->plan->rows.engine.kernels->windows(&job);
        return;
    }
    for (int64_t i = 0; i < r->rows; i++)
        scatter(r->values + i * r->values_bytes, r->scores + i * s->query_bytes, s->key_bytes, r->n, bytes);
}

posenc_status posenc_bias_write(const posenc_plan *plan, const posenc_bias_extent *extent, const DLTensor *table,
                                DLTensor *out, posenc_error *error) {
    posenc_bias_call call;
    posenc_status status = posenc_bias_open(&call, plan, extent, false, error);
    if (status == POSENC_OK) status = posenc_bias_open_table(&call, table, error);
    if (status == POSENC_OK) status = posenc_bias_open_scores(&call, out, "out", POSENC_BIAS_HEADS, error);
    if (status == POSENC_OK) status = posenc_bias_check_output(out, "out", table, "table", error);
    return status == POSENC_OK ? posenc_bias_walk(&call, write_rows, error) : status;
}

/* Signed buckets have no last one, and may need more than 32 bits. They grow with the distance: where those of the
 * block's corners fit, all do. */
static posenc_status check_fits(const posenc_bias_call *call, posenc_error *error) {
    const posenc_bias_extent *e = &call->extent;
    if (call->bias->source != POSENC_BIAS_SIGNED || call->scores.dtype != POSENC_I32) return POSENC_OK;
    if (e->n_queries == 0 || e->n_keys == 0) return POSENC_OK;
    int64_t first = e->first_key - (e->offset + e->first_query), last;
    int64_t lowest = posenc_bias_bucket_run(call->bias, first + e->n_keys - 1, &last);
    int64_t highest = posenc_bias_bucket_run(call->bias, first - (e->n_queries - 1), &last);
    if (lowest >= INT32_MIN && highest <= INT32_MAX) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_DTYPE, "index", "expected i64, for buckets %lld..%lld, got i32",
                       (long long)lowest, (long long)highest);
}

posenc_status posenc_bias_index(const posenc_plan *plan, const posenc_bias_extent *extent, DLTensor *index,
                                posenc_error *error) {
    posenc_bias_call call;
    posenc_status status = posenc_bias_open(&call, plan, extent, true, error);
    if (status == POSENC_OK) status = posenc_bias_open_scores(&call, index, "index", POSENC_BIAS_FLAT, error);
    if (status == POSENC_OK) status = posenc_bias_check_output(index, "index", NULL, NULL, error);
    posenc_fpenv saved = posenc_fpenv_enter();
    if (status == POSENC_OK) status = check_fits(&call, error);
    posenc_fpenv_leave(saved);
    return status == POSENC_OK ? posenc_bias_walk(&call, write_rows, error) : status;
}
