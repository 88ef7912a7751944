#include "schemes/row_call.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "schemes/resized_rows.h"
#include "schemes/strips.h"

/* Rows of encodings are made in tiles of this many bytes, which stay in the second-level cache while they are added. */
enum { TILE_BYTES = 64 << 10 };

/* One thread's part: its scratch and its buffers. */
typedef struct worker {
    posenc_row_scratch scratch;
    char *tile;          /* encodings to be added: f32, or f64 for f64 tensors */
    char *x_row, *y_row; /* one row each, for strided tensors */
} worker;

/* What the slices of a call share. */
typedef struct shared_call {
    const posenc_row_call *call;
    const posenc_context *context;
    const posenc_kernels *kernels;
    posenc_token_positions positions;
    posenc_stored_rows stored;
    posenc_resized_rows resized; /* where the call reaches past a table that is resized */
    posenc_row_tensor x, y;
    posenc_dtype e_dtype;
    int64_t tile_rows;
    posenc_strips strips; /* tables only, and where they pay */
    bool stream;
    int n_workers;
    worker *workers;
} shared_call;

/* ---- workers ---- */

static void destroy_workers(shared_call *c, int made) {
    for (int i = 0; i < made; i++) {
        posenc_release(c->context, c->workers[i].tile);
        posenc_row_scratch_destroy(&c->workers[i].scratch);
    }
    posenc_release(c->context, c->workers);
}

/* A worker's buffers are one block: a tile, then a row of x and one of y. */
static posenc_status create_worker(const shared_call *c, worker *w, posenc_error *error) {
    posenc_status status = posenc_row_scratch_create(&w->scratch, &c->call->plan->rows, error);
    if (status != POSENC_OK) return status;
    size_t row = (size_t)c->y.dim * posenc_dtype_bytes(c->y.dtype);
    size_t tile = (size_t)c->tile_rows * (size_t)c->y.dim * posenc_dtype_bytes(c->e_dtype), bytes = tile + 2 * row;
    w->tile = posenc_allocate(c->context, bytes);
    w->x_row = w->tile ? w->tile + tile : NULL;
    w->y_row = w->tile ? w->x_row + row : NULL;
    if (w->tile) return POSENC_OK;
    posenc_row_scratch_destroy(&w->scratch);
    return posenc_fail_memory(error, "scratch", bytes);
}

static size_t work_of(const shared_call *c) {
    return (size_t)c->y.batch * (size_t)c->y.tokens * (size_t)c->y.dim * posenc_dtype_bytes(c->y.dtype);
}

static posenc_status create_workers(shared_call *c, posenc_error *error) {
    size_t work = work_of(c);
    /* in place, a line is in the cache already when it is written */
    c->stream = work >= c->call->plan->stream_bytes && c->x.data != c->y.data;
    c->n_workers = posenc_slices(c->context, work);
    c->workers = posenc_allocate(c->context, (size_t)c->n_workers * sizeof *c->workers);
    if (!c->workers) return posenc_fail_memory(error, "scratch", (size_t)c->n_workers * sizeof *c->workers);
    for (int i = 0; i < c->n_workers; i++) {
        posenc_status status = create_worker(c, &c->workers[i], error);
        if (status == POSENC_OK) continue;
        destroy_workers(c, i);
        return status;
    }
    return POSENC_OK;
}

/* Slice i of n over 0..total: from part_start(i) to part_start(i + 1). */
static int64_t part_start(int64_t total, int n, int i) { return total / n * i + (total % n < i ? total % n : i); }

static posenc_status run_slices(shared_call *c, posenc_task *task, posenc_error *error) {
    posenc_status status = create_workers(c, error);
    if (status != POSENC_OK) return status;
    posenc_parallel(c->context, c->n_workers, task, c);
    destroy_workers(c, c->n_workers);
    return POSENC_OK;
}

/* ---- rows straight into y ---- */

static void scatter(const char *row, char *out, ptrdiff_t step, int64_t n, size_t bytes) {
    for (int64_t i = 0; i < n; i++) memcpy(out + i * step, row + (size_t)i * bytes, bytes);
}

static void gather(const char *in, ptrdiff_t step, char *row, int64_t n, size_t bytes) {
    for (int64_t i = 0; i < n; i++) memcpy(row + (size_t)i * bytes, in + i * step, bytes);
}

/* Padding: rows of +0 where they are written, of -0 where they will be added, since x + -0 is x, bit for bit. */
static void emit_nothing(const shared_call *c, posenc_dtype dtype, int64_t count, posenc_row_target target) {
    static const double minus_f64 = -0.0;
    static const float minus_f32 = -0.0f;
    size_t bytes = posenc_dtype_bytes(dtype);
    for (int64_t i = 0; i < count; i++) {
        char *row = target.out + i * target.row_bytes;
        memset(row, 0, (size_t)c->y.dim * bytes);
        if (!c->call->x) continue;
        for (int64_t k = 0; k < c->y.dim; k++)
            memcpy(row + (size_t)k * bytes, dtype == POSENC_F64 ? (const void *)&minus_f64 : (const void *)&minus_f32,
                   bytes);
    }
}

static void emit_position(const shared_call *c, worker *w, const posenc_position_run *run, posenc_dtype dtype,
                          posenc_row_target target, bool stream) {
    switch (run->kind) {
        case POSENC_POSITION_WHOLE:
            posenc_rows_emit_run(&w->scratch, dtype, run->whole, run->count, target, stream);
            break;
        case POSENC_POSITION_REAL:
            posenc_rows_emit_real(&w->scratch, dtype, run->real, target);
            break;
        case POSENC_POSITION_NONE:
            emit_nothing(c, dtype, run->count, target);
            break;
    }
}

/* Rows of the table as the call sees it, made longer. */
static void emit_resized(const shared_call *c, int64_t batch, int64_t token, int64_t count, posenc_row_target target) {
    while (count > 0) {
        posenc_stored_run run = posenc_resized_run_at(&c->resized, &c->positions, batch, token, count);
        if (run.kind == POSENC_STORED_NONE)
            emit_nothing(c, c->e_dtype, run.count, target);
        else
            posenc_resized_rows_write(&c->resized, run.row, run.count, target.out);
        token += run.count, count -= run.count;
        target = posenc_target_after(target, run.count);
    }
}

/* Encodings of count tokens from (batch, token) on. */
static void emit_tokens(const shared_call *c, worker *w, int64_t batch, int64_t token, int64_t count,
                        posenc_dtype dtype, posenc_row_target target, bool stream) {
    if (c->resized.rows > 0) {
        emit_resized(c, batch, token, count, target);
        return;
    }
    while (count > 0) {
        posenc_position_run run = posenc_position_run_at(&c->positions, batch, token, count);
        emit_position(c, w, &run, dtype, target, stream);
        token += run.count, count -= run.count;
        target = posenc_target_after(target, run.count);
    }
}

/* Straight into y, with x added on the way where there is one. */
static void put_tokens(const shared_call *c, worker *w, int64_t batch, int64_t token, int64_t count) {
    posenc_row_target target = {posenc_row_at(&c->y, batch, token), c->y.token_bytes, NULL, 0, c->call->scale};
    if (c->call->x) target.x = posenc_row_at(&c->x, batch, token), target.x_row_bytes = c->x.token_bytes;
    if (c->y.packed) {
        emit_tokens(c, w, batch, token, count, c->y.dtype, target, c->stream);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        emit_tokens(c, w, batch, token + i, 1, c->y.dtype, (posenc_row_target){.out = w->y_row}, false);
        scatter(w->y_row, posenc_row_at(&c->y, batch, token + i), c->y.channel_bytes, c->y.dim,
                posenc_dtype_bytes(c->y.dtype));
    }
}

/* What is done with count tokens from (batch, token) on. */
typedef void token_work(const shared_call *c, worker *w, int64_t batch, int64_t token, int64_t count);

/* Slices cut the rows, batch row by batch row. */
static void each_batch_row(const shared_call *c, int index, token_work *work) {
    int64_t total = c->y.batch * c->y.tokens;
    int64_t row = part_start(total, c->n_workers, index), end = part_start(total, c->n_workers, index + 1);
    while (row < end) {
        int64_t batch = row / c->y.tokens, token = row % c->y.tokens, count = c->y.tokens - token;
        if (count > end - row) count = end - row;
        work(c, &c->workers[index], batch, token, count);
        row += count;
    }
}

static void put_slice(void *argument, int index) { each_batch_row(argument, index, put_tokens); }

/* ---- rows from a tile or a stored table, added to x ---- */

static posenc_add_job add_job(const shared_call *c, int64_t batch, int64_t token) {
    uint64_t row = (uint64_t)batch * (uint64_t)c->y.tokens + (uint64_t)token;
    return (posenc_add_job){.n = (size_t)c->y.dim,
                            .scale = c->call->scale,
                            .dropout = c->call->dropout,
                            .element = c->call->first_element + row * (uint64_t)c->y.dim};
}

/* Strided rows go through buffers, one by one. */
static void add_strided_row(const shared_call *c, worker *w, const char *e, int64_t batch, int64_t token) {
    size_t bytes = posenc_dtype_bytes(c->y.dtype);
    char *x = posenc_row_at(&c->x, batch, token), *y = posenc_row_at(&c->y, batch, token);
    if (!c->x.packed) gather(x, c->x.channel_bytes, w->x_row, c->y.dim, bytes);
    posenc_add_job job = add_job(c, batch, token);
    job.rows = 1, job.e = e;
    job.x = c->x.packed ? x : w->x_row;
    job.y = c->y.packed ? y : w->y_row;
    c->kernels->add[c->y.dtype](&job);
    if (!c->y.packed) scatter(w->y_row, y, c->y.channel_bytes, c->y.dim, bytes);
}

/* e: count rows that follow each other, or (e_bytes 0) one for all. */
static void add_rows(const shared_call *c, worker *w, const char *e, ptrdiff_t e_bytes, int64_t batch, int64_t token,
                     int64_t count) {
    if (c->x.packed && c->y.packed) {
        posenc_add_job job = add_job(c, batch, token);
        job.rows = (size_t)count, job.e = e, job.e_bytes = e_bytes, job.stream = c->stream;
        job.x = posenc_row_at(&c->x, batch, token), job.x_bytes = c->x.token_bytes;
        job.y = posenc_row_at(&c->y, batch, token), job.y_bytes = c->y.token_bytes;
        c->kernels->add[c->y.dtype](&job);
        return;
    }
    for (int64_t i = 0; i < count; i++) add_strided_row(c, w, e + i * e_bytes, batch, token + i);
}

static ptrdiff_t e_row_bytes(const shared_call *c) {
    return (ptrdiff_t)((size_t)c->y.dim * posenc_dtype_bytes(c->e_dtype));
}

/* Run by run: stored rows where the table has them, else rows made in the tile. */
static void add_from_table(const shared_call *c, worker *w, int64_t batch, int64_t token, int64_t count) {
    ptrdiff_t row_bytes = e_row_bytes(c);
    while (count > 0) {
        posenc_stored_run run = posenc_stored_run_at(&c->stored, &c->positions, batch, token, count);
        ptrdiff_t step = row_bytes;
        const char *e = w->tile;
        if (run.kind == POSENC_STORED_ROWS)
            e = c->stored.data + run.row * row_bytes, step = run.step * row_bytes;
        else if (run.kind == POSENC_STORED_NONE)
            emit_nothing(c, c->e_dtype, 1, (posenc_row_target){.out = w->tile}), step = 0;
        else
            emit_position(c, w, &run.position, c->e_dtype, (posenc_row_target){.out = w->tile, .row_bytes = row_bytes},
                          false);
        add_rows(c, w, e, step, batch, token, run.count);
        token += run.count, count -= run.count;
    }
}

/* A unit of work is one tile of tokens of one batch row. Where the batch shares its positions, or stored rows that lie
 * near each other, the batch is the inner loop, so that a tile is made, or a stored part fetched, once for all of it.
 */
static void add_slice(void *argument, int index) {
    const shared_call *c = argument;
    worker *w = &c->workers[index];
    int64_t tiles = (c->y.tokens + c->tile_rows - 1) / c->tile_rows, units = tiles * c->y.batch, held = -1;
    int64_t unit = part_start(units, c->n_workers, index), end = part_start(units, c->n_workers, index + 1);
    bool stored = c->stored.data && c->resized.rows == 0, batch_inside = c->positions.shared || stored;
    for (; unit < end; unit++) {
        int64_t tile = batch_inside ? unit / c->y.batch : unit % tiles;
        int64_t batch = batch_inside ? unit % c->y.batch : unit / tiles;
        int64_t token = tile * c->tile_rows, count = c->y.tokens - token;
        if (count > c->tile_rows) count = c->tile_rows;
        if (stored) {
            add_from_table(c, w, batch, token, count);
            continue;
        }
        posenc_row_target target = {.out = w->tile, .row_bytes = e_row_bytes(c)};
        if (!c->positions.shared || held != tile) emit_tokens(c, w, batch, token, count, c->e_dtype, target, false);
        held = tile;
        add_rows(c, w, w->tile, e_row_bytes(c), batch, token, count);
    }
}

/* The same, position by position: threads take tiles of the table in turns. */
static void add_strips_slice(void *argument, int index) {
    const shared_call *c = argument;
    for (int64_t tile = index; tile < c->strips.tiles; tile += c->n_workers)
        for (int64_t i = 0; i < c->strips.n; i++) {
            int64_t token, count = posenc_strip_part(&c->strips.at[i], tile, c->tile_rows, &token);
            if (count > 0) add_from_table(c, &c->workers[index], c->strips.at[i].batch, token, count);
        }
}

static void scale_tokens(const shared_call *c, worker *w, int64_t batch, int64_t token, int64_t count) {
    add_rows(c, w, w->tile, 0, batch, token, count);
}

/* y = x * scale, dropped out: one row of -0 serves every token. */
static void scale_slice(void *argument, int index) {
    const shared_call *c = argument;
    emit_nothing(c, c->e_dtype, 1, (posenc_row_target){.out = c->workers[index].tile});
    each_batch_row(c, index, scale_tokens);
}

/* ---- the door ---- */

static int64_t rows_of_tile(int64_t dim, size_t element, int64_t tokens) {
    int64_t rows = TILE_BYTES / (dim * (int64_t)element);
    if (rows < 1) rows = 1;
    return rows < tokens ? rows : tokens;
}

/* Looks at every position, where not all of them have a row, before anything is written. */
static posenc_status check_stored(shared_call *c, bool *past, posenc_error *error) {
    int64_t largest;
    if (c->stored.rows == 0) return POSENC_OK;
    posenc_status status = posenc_stored_rows_check(&c->stored, &c->positions, c->y.batch, &largest, error);
    if (status != POSENC_OK || largest < c->stored.rows) return status;
    *past = true;
    if (c->stored.outside != POSENC_OUTSIDE_RESIZED) return POSENC_OK;
    return posenc_resized_rows_open(&c->stored, c->e_dtype, c->y.dim, largest, &c->resized, error);
}

static posenc_status open_tensors(shared_call *c, posenc_error *error) {
    const posenc_row_call *call = c->call;
    int64_t dim = call->plan->rows.dim;
    posenc_status status = POSENC_OK;
    if (call->x) status = posenc_row_tensor_open(call->x, call->x_name, dim, &c->x, error);
    if (status == POSENC_OK) status = posenc_row_tensor_open(call->y, call->y_name, dim, &c->y, error);
    if (status != POSENC_OK) return status;
    if (!call->x) return posenc_row_tensor_check_output(call->y, call->y_name, error);
    return posenc_row_tensors_check_pair(call->x, &c->x, call->x_name, call->y, &c->y, call->y_name, error);
}

/* Stored rows. The whole batch at the same positions is served in the order of tokens; so is what fits the caches. */
static posenc_status run_table(shared_call *c, posenc_error *error) {
    const posenc_token_positions *p = &c->positions;
    size_t work = work_of(c);
    bool once = !p->shared || c->y.batch == 1, even = !p->ids && !p->resolved && !p->offsets;
    if (once && !even && work >= c->call->plan->stream_bytes)
        c->strips = posenc_strips_find(p, c->y.batch, c->tile_rows, posenc_slices(c->context, work));
    posenc_status status = run_slices(c, c->strips.n ? add_strips_slice : add_slice, error);
    posenc_strips_end(c->context, &c->strips);
    return status;
}

/* Picks the way through: straight into y, from tiles or a table, or without encodings. */
static posenc_status run_open(shared_call *c, bool *past, posenc_error *error) {
    const posenc_row_call *call = c->call;
    if (c->y.batch == 0 || c->y.tokens == 0) return POSENC_OK;
    c->e_dtype = c->y.dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    posenc_status status = check_stored(c, past, error);
    if (status != POSENC_OK) return status;
    if (!call->x) return run_slices(c, put_slice, error);
    bool once = c->y.batch == 1 || !c->positions.shared; /* no tile would serve twice */
    bool plain = !c->stored.data && !call->dropout.active && !c->positions.skips && c->x.packed && c->y.packed;
    if (call->adds && once && plain && posenc_rows_can_add(&call->plan->rows, c->y.dtype))
        return run_slices(c, put_slice, error);
    c->tile_rows = rows_of_tile(c->y.dim, posenc_dtype_bytes(c->e_dtype), c->y.tokens);
    if (c->stored.data && c->resized.rows == 0) return run_table(c, error);
    return run_slices(c, call->adds ? add_slice : scale_slice, error);
}

/* A plan of first values has as many rows as its table will have. */
static posenc_stored_rows stored_rows_of(const posenc_row_call *call) {
    int64_t length = call->plan->rows.length;
    if (call->stored.rows > 0 || length == 0 || (call->x && !call->adds)) return call->stored;
    return (posenc_stored_rows){.rows = length, .padding = -1, .outside = POSENC_OUTSIDE_REFUSED, .whole = true};
}

posenc_status posenc_row_call_run(const posenc_row_call *call, bool *went_past, posenc_error *error) {
    if (!call->plan) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "plan", "expected a plan, got NULL");
    posenc_status status = posenc_plan_must_add_rows(call->plan, error);
    if (status != POSENC_OK) return status;
    shared_call c = {.call = call,
                     .context = call->plan->context,
                     .kernels = call->plan->rows.engine.kernels,
                     .stored = stored_rows_of(call)};
    bool past = false;
    status = open_tensors(&c, error);
    if (status == POSENC_OK && !isfinite(call->scale))
        status = posenc_fail(error, POSENC_ERROR_ARGUMENT, "scale", "expected a finite number, got %g", call->scale);
    posenc_positions given;
    if (status == POSENC_OK) status = posenc_positions_read(call->positions, &given, error);
    if (status == POSENC_OK)
        status =
            posenc_positions_open(c.context, &given, call->padding_idx, c.y.batch, c.y.tokens, &c.positions, error);
    if (status != POSENC_OK) return status;
    status = posenc_positions_check_apart(&given, call->y, call->y_name, error);
    if (status == POSENC_OK) status = run_open(&c, &past, error);
    posenc_positions_close(&c.positions);
    if (status == POSENC_OK && went_past) *went_past = past;
    return status;
}
