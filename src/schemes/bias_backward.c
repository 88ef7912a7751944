/* The gradient of a trained table, or of slopes. All scores of one distance share a value, so first the gradients of
 * each distance are summed up (for a window: of each difference of places), then those of the distances that share a
 * table row. Everything in double, and in an order that no thread changes: a sum belongs to one thread, and takes batch
 * rows and queries one after the other. */
#include <string.h>

#include "base/checked.h"
#include "base/elements.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/threads.h"
#include "schemes/bias_sums.h"

/* Distances that are summed up at a time, and so many blocks of them that sums take 16 MiB; of the widest window 33. */
enum { BLOCK = 1024, MOST_BLOCKS = 2048 };

static int64_t rows_of(const posenc_bias_call *call) { return call->bias->table_rows > 0 ? call->bias->table_rows : 1; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- from distances to rows ---- */

static double factor_of(const posenc_bias *bias, int64_t distance) {
    double d = (double)distance;
    return bias->form == POSENC_BIAS_SYMMETRIC && d > 0 ? -d : d;
}

/* Form key: a key's position is that in its sequence. */
static void fold_keys(const posenc_bias_sums *b, const posenc_bias_unit *u) {
    for (int64_t i = 0; i < u->n; i++) {
        int64_t begin, end, key = b->call->extent.first_key + u->first + i;
        posenc_bias_sequence_at(b->call, key, &begin, &end);
        b->totals[u->head] += u->sums[i] * (double)(key - begin);
    }
}

static void fold_slopes(const posenc_bias_sums *b, const posenc_bias_unit *u, int64_t distance) {
    for (int64_t i = 0; i < u->n; i++) b->totals[u->head] += u->sums[i] * factor_of(b->call->bias, distance + i);
}

static void fold_buckets(const posenc_bias_sums *b, const posenc_bias_unit *u, int64_t distance) {
    const posenc_bias *bias = b->call->bias;
    for (int64_t i = 0; i < u->n;) {
        int64_t last, row = posenc_bias_bucket_run(bias, distance + i, &last);
        double *total = b->totals + u->head * bias->table_rows + row;
        int64_t end = last - (distance + i) < u->n - i ? i + (last - (distance + i)) + 1 : u->n;
        for (; i < end; i++) *total += u->sums[i];
    }
}

/* Sums of a window count up where rows of the table count down. */
static void fold_window(const posenc_bias_sums *b, const posenc_bias_unit *u) {
    int64_t rows = b->call->bias->table_rows;
    for (int64_t i = 0; i < u->n; i++) b->totals[u->head * rows + rows - 1 - (u->first + i)] += u->sums[i];
}

static void fold(const posenc_bias_sums *b, const posenc_bias_unit *u) {
    const posenc_bias_call *call = b->call;
    int64_t last = call->extent.first_query + call->scores.queries - 1;
    int64_t distance = call->extent.first_key - (posenc_bias_offset_of(call, b->first_batch) + last) + u->first;
    if (posenc_bias_is_window(b))
        fold_window(b, u);
    else if (posenc_bias_rows_alike(b))
        fold_keys(b, u);
    else
        (call->bias->source == POSENC_BIAS_SLOPES ? fold_slopes : fold_buckets)(b, u, distance);
}

/* ---- the walk ---- */

static void do_units(posenc_bias_sums *b) {
    posenc_parallel(b->call->plan->context, b->n_workers, posenc_bias_sum_units, b);
    for (int64_t i = 0; i < b->n_units; i++) {
        posenc_bias_unit u = posenc_bias_unit_at(b, i);
        fold(b, &u);
    }
}

static void do_batches(posenc_bias_sums *b) {
    int64_t units = b->call->scores.heads * b->blocks;
    for (b->first_unit = 0; b->first_unit < units; b->first_unit += b->n_units) {
        b->n_units = least(MOST_BLOCKS, units - b->first_unit);
        do_units(b);
    }
}

/* Batch rows with offsets of their own have other distances, each. */
static void do_all(posenc_bias_sums *b) {
    int64_t batch = b->call->scores.batch, group = b->call->options.offsets ? 1 : batch;
    for (b->first_batch = 0; b->first_batch < batch; b->first_batch += group) {
        b->end_batch = b->first_batch + group;
        do_batches(b);
    }
}

/* ---- the result ---- */

typedef struct target {
    char *data;
    posenc_dtype dtype;
    ptrdiff_t row_bytes, head_bytes;
} target;

static void put(char *at, posenc_dtype dtype, double value, bool accumulate) {
    posenc_put_real_element(dtype, accumulate ? posenc_real_element(dtype, at) + value : value, at);
}

/* Rounded once, behind what it is added to. */
static void finish(const posenc_bias_sums *b, const target *g, bool accumulate) {
    const posenc_bias_call *call = b->call;
    int64_t rows = rows_of(call);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t head = 0; head < call->scores.heads; head++)
            put(g->data + row * g->row_bytes + head * g->head_bytes, g->dtype,
                b->totals[head * rows + row] * call->scale, accumulate);
}

/* ---- memory ---- */

static void cut_sums(posenc_bias_sums *b) {
    const posenc_bias_call *call = b->call;
    const posenc_bias_scores *s = &call->scores;
    bool some = s->batch > 0 && s->heads > 0 && s->queries > 0 && s->keys > 0;
    b->length =
        posenc_bias_is_window(b) ? call->bias->table_rows : s->keys + (posenc_bias_rows_alike(b) ? 0 : s->queries - 1);
    b->block = posenc_bias_is_window(b) ? 2 * call->bias->window[1] - 1 : BLOCK;
    b->blocks = some ? (b->length + b->block - 1) / b->block : 0;
    double work = (double)s->batch * (double)s->heads * (double)s->queries * (double)s->keys *
                  (double)posenc_dtype_bytes(s->dtype);
    b->n_workers = posenc_slices(call->plan->context, work < (double)(SIZE_MAX / 2) ? (size_t)work : SIZE_MAX / 2);
}

/* One block: totals, sums, rows. Heads and table rows are within what a plan takes; 32 bits may not hold their bytes. */
static posenc_status allocate(posenc_bias_sums *b, posenc_error *error) {
    const posenc_bias_call *call = b->call;
    int64_t units = least(MOST_BLOCKS, call->scores.heads * b->blocks), totals = call->scores.heads * rows_of(call);
    size_t bytes;
    bool fits = posenc_bytes_of(totals + (units + b->n_workers) * b->block, sizeof(double), &bytes);
    b->totals = fits ? posenc_allocate(call->plan->context, bytes) : NULL;
    if (!b->totals) return posenc_fail_memory(error, "scratch", fits ? bytes : SIZE_MAX);
    memset(b->totals, 0, (size_t)totals * sizeof *b->totals);
    b->sums = b->totals + totals;
    b->rows = (char *)(b->sums + units * b->block);
    return POSENC_OK;
}

/* ---- the door ---- */

static posenc_status open_gradient(const posenc_bias_call *call, const DLTensor *tensor, target *g,
                                   posenc_error *error) {
    const posenc_bias *bias = call->bias;
    posenc_status status = posenc_tensor_check(tensor, "gradient", &g->dtype, error);
    if (status != POSENC_OK) return status;
    if (g->dtype != POSENC_F32 && g->dtype != POSENC_F64)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "gradient", "expected f32 or f64, got %s",
                           posenc_dtype_name(g->dtype));
    int rank = bias->table_rows > 0 ? 2 : 1;
    const int64_t shape[] = {bias->table_rows, call->extent.n_heads}, *wanted = rank == 2 ? shape : shape + 1;
    char wanted_text[96], got[96];
    posenc_shape_text(rank, wanted, wanted_text);
    posenc_shape_text(tensor->ndim, tensor->shape, got);
    if (tensor->ndim != rank || memcmp(tensor->shape, wanted, (size_t)rank * sizeof *wanted) != 0)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "gradient", "expected %s, got %s", wanted_text, got);
    g->data = posenc_tensor_data(tensor);
    g->head_bytes = posenc_tensor_step(tensor, rank - 1);
    g->row_bytes = rank == 2 ? posenc_tensor_step(tensor, 0) : 0;
    return POSENC_OK;
}

static posenc_status check_apart(const posenc_bias_call *call, const DLTensor *dscores, const DLTensor *gradient,
                                 posenc_error *error) {
    posenc_status status = posenc_bias_check_output(gradient, "gradient", dscores, "dscores", error);
    if (status == POSENC_OK)
        status = posenc_bias_check_output(gradient, "gradient", call->options.offsets, "offsets", error);
    if (status == POSENC_OK)
        status = posenc_bias_check_output(gradient, "gradient", call->options.cu_seqlens, "cu_seqlens", error);
    return status;
}

posenc_status posenc_bias_backward(const posenc_plan *plan, const posenc_bias_extent *extent,
                                   const posenc_bias_options *options, const DLTensor *dscores, DLTensor *gradient,
                                   int accumulate, posenc_error *error) {
    posenc_bias_call call;
    target g;
    posenc_status status = posenc_bias_open(&call, plan, extent, false, error);
    if (status == POSENC_OK) status = posenc_bias_open_scores(&call, dscores, "dscores", POSENC_BIAS_BATCHED, error);
    if (status == POSENC_OK) status = posenc_bias_open_options(&call, options, error);
    if (status == POSENC_OK) status = open_gradient(&call, gradient, &g, error);
    if (status == POSENC_OK) status = check_apart(&call, dscores, gradient, error);
    if (status != POSENC_OK) return status;
    posenc_bias_sums b = {.call = &call, .kernels = plan->rows.engine.kernels};
    cut_sums(&b);
    status = allocate(&b, error);
    if (status != POSENC_OK) return status;
    posenc_fpenv saved = posenc_fpenv_enter();
    if (b.blocks > 0) do_all(&b);
    finish(&b, &g, accumulate != 0);
    posenc_fpenv_leave(saved);
    posenc_release(plan->context, b.totals);
    return POSENC_OK;
}
