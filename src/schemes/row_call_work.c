/* The threads of a call on rows: the memory that each has, and its share of the rows. */
#include "schemes/row_call_work.h"

#include "base/checked.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

/* A worker's buffers are one block: a tile, a row of x and one of y, copies of an encoding. */
static posenc_status create_worker(const void *call, void *made, posenc_error *error) {
    const posenc_row_work *c = call;
    posenc_row_worker *w = made;
    posenc_status status = posenc_row_scratch_create(&w->scratch, &c->call->plan->rows, error);
    if (status != POSENC_OK) return status;
    size_t row = (size_t)c->y.dim * posenc_dtype_bytes(c->y.dtype);
    size_t e_row = (size_t)c->y.dim * posenc_dtype_bytes(c->e_dtype), tile = (size_t)c->tile_rows * e_row;
    size_t bytes = tile + 2 * row + (size_t)c->wide_rows * e_row;
    w->tile = posenc_allocate(c->context, bytes);
    w->x_row = w->tile ? w->tile + tile : NULL;
    w->y_row = w->tile ? w->x_row + row : NULL;
    w->wide = w->tile ? w->y_row + row : NULL;
    if (w->tile) return POSENC_OK;
    posenc_row_scratch_destroy(&w->scratch);
    return posenc_fail_memory(error, "scratch", bytes);
}

static void destroy_worker(const void *call, void *made) {
    posenc_row_worker *w = made;
    posenc_release(((const posenc_row_work *)call)->context, w->tile);
    posenc_row_scratch_destroy(&w->scratch);
}

size_t posenc_row_work_bytes(const posenc_row_work *c) {
    return (size_t)c->y.batch * (size_t)c->y.tokens * (size_t)c->y.repeat * (size_t)c->y.dim *
           posenc_dtype_bytes(c->y.dtype);
}

posenc_status posenc_row_work_run(posenc_row_work *c, posenc_worker_task *task, posenc_error *error) {
    static const posenc_worker_kind kind = {sizeof(posenc_row_worker), create_worker, destroy_worker};
    size_t work = posenc_row_work_bytes(c);
    /* in place, a line is in the cache already when it is written */
    c->stream = work >= c->call->plan->stream_bytes && c->x.data != c->y.data;
    c->n_workers = posenc_slices(c->context, work);
    return posenc_parallel_workers(c->context, c->n_workers, &kind, task, c, error);
}

void posenc_row_work_each(const posenc_row_work *c, posenc_row_worker *w, int index, posenc_row_token_work *work) {
    int64_t total = c->y.batch * c->y.tokens;
    int64_t row = posenc_i64_share(index, total, c->n_workers), end = posenc_i64_share(index + 1, total, c->n_workers);
    while (row < end) {
        int64_t batch = row / c->y.tokens, token = row % c->y.tokens, count = c->y.tokens - token;
        if (count > end - row) count = end - row;
        work(c, w, batch, token, count);
        row += count;
    }
}
