#include "schemes/row_call.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/context.h"
#include "base/elements.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/threads.h"
#include "schemes/axes_points.h"
#include "schemes/resized_rows.h"
#include "schemes/row_dots.h"
#include "schemes/strips.h"

/* Rows of encodings are made in tiles of this many bytes, which stay in the second-level cache while they are added. */
enum { TILE_BYTES = 64 << 10 };

/* Where a row serves many, a tile's tokens are no more than this many bytes of y, so that threads have tiles to share.
 */
enum { SHARED_BYTES = 1 << 20 };

/* A row that is added to many rows in a line is laid out again and again over this many channels at most, so that the
 * kernel goes through long rows. */
enum { WIDE = 4096 };

/* One thread's part: its scratch and its buffers. */
typedef struct worker {
    posenc_row_scratch scratch;
    char *tile;          /* encodings to be added: f32, or f64 for f64 tensors */
    char *x_row, *y_row; /* one row each, for strided tensors */
    char *wide;          /* one encoding, again and again */
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
    int64_t wide_rows;    /* copies of an encoding that are added as one row; 0: each row by itself */
    posenc_strips strips; /* tables only, and where they pay */
    posenc_row_dots dots; /* instead of sums, where the call asks for them */
    bool stream;
    int n_workers;
} shared_call;

/* ---- workers ---- */

/* A worker's buffers are one block: a tile, a row of x and one of y, copies of an encoding. */
static posenc_status create_worker(const void *call, void *made, posenc_error *error) {
    const shared_call *c = call;
    worker *w = made;
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
    worker *w = made;
    posenc_release(((const shared_call *)call)->context, w->tile);
    posenc_row_scratch_destroy(&w->scratch);
}

static size_t work_of(const shared_call *c) {
    return (size_t)c->y.batch * (size_t)c->y.tokens * (size_t)c->y.repeat * (size_t)c->y.dim *
           posenc_dtype_bytes(c->y.dtype);
}

static posenc_status run_slices(shared_call *c, posenc_worker_task *task, posenc_error *error) {
    static const posenc_worker_kind kind = {sizeof(worker), create_worker, destroy_worker};
    size_t work = work_of(c);
    /* in place, a line is in the cache already when it is written */
    c->stream = work >= c->call->plan->stream_bytes && c->x.data != c->y.data;
    c->n_workers = posenc_slices(c->context, work);
    return posenc_parallel_workers(c->context, c->n_workers, &kind, task, c, error);
}

/* ---- rows straight into y ---- */

static void scatter(const char *row, char *out, ptrdiff_t step, int64_t n, size_t bytes) {
    for (int64_t i = 0; i < n; i++) memcpy(out + i * step, row + (size_t)i * bytes, bytes);
}

static void gather(const char *in, ptrdiff_t step, char *row, int64_t n, size_t bytes) {
    for (int64_t i = 0; i < n; i++) memcpy(row + (size_t)i * bytes, in + i * step, bytes);
}

static bool turns_sign(const posenc_row_call *call) { return call->gain && signbit(*call->gain); }

/* Padding: rows of +0 where they are written, of what the gain makes -0 of where they will be added, since x + -0 is x,
 * bit for bit. */
static void emit_nothing(const shared_call *c, posenc_dtype dtype, int64_t count, posenc_row_target target) {
    bool plus = !c->call->x || turns_sign(c->call);
    for (int64_t i = 0; i < count; i++) {
        char *row = target.out + i * target.row_bytes;
        if (plus)
            memset(row, 0, (size_t)c->y.dim * posenc_dtype_bytes(dtype));
        else
            posenc_fill_minus_zero(dtype, c->y.dim, row);
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
        case POSENC_POSITION_POINT:
            posenc_points_emit(&w->scratch, dtype, &c->positions, run->point, target);
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

/* Writes a row to each of a token's rows. */
static void put_row(const shared_call *c, const char *row, int64_t batch, int64_t token) {
    size_t bytes = posenc_dtype_bytes(c->y.dtype);
    char *y = posenc_row_at(&c->y, batch, token);
    for (int64_t r = 0; r < c->y.repeat; r++, y += c->y.repeat_bytes) {
        if (c->y.packed)
            memcpy(y, row, (size_t)c->y.dim * bytes);
        else
            scatter(row, y, c->y.channel_bytes, c->y.dim, bytes);
    }
}

/* Straight into y, with x added on the way where there is one. */
static void put_tokens(const shared_call *c, worker *w, int64_t batch, int64_t token, int64_t count) {
    posenc_row_target target = {posenc_row_at(&c->y, batch, token), c->y.token_bytes, NULL, 0, c->call->scale};
    if (c->call->x) target.x = posenc_row_at(&c->x, batch, token), target.x_row_bytes = c->x.token_bytes;
    if (c->y.packed && c->y.repeat == 1) {
        emit_tokens(c, w, batch, token, count, c->y.dtype, target, c->stream);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        emit_tokens(c, w, batch, token + i, 1, c->y.dtype, (posenc_row_target){.out = w->y_row}, false);
        put_row(c, w->y_row, batch, token + i);
    }
}

/* What is done with count tokens from (batch, token) on. */
typedef void token_work(const shared_call *c, worker *w, int64_t batch, int64_t token, int64_t count);

/* Slices cut the rows, batch row by batch row. */
static void each_batch_row(const shared_call *c, worker *w, int index, token_work *work) {
    int64_t total = c->y.batch * c->y.tokens;
    int64_t row = posenc_i64_share(index, total, c->n_workers), end = posenc_i64_share(index + 1, total, c->n_workers);
    while (row < end) {
        int64_t batch = row / c->y.tokens, token = row % c->y.tokens, count = c->y.tokens - token;
        if (count > end - row) count = end - row;
        work(c, w, batch, token, count);
        row += count;
    }
}

static void put_slice(const void *call, void *own, int index) { each_batch_row(call, own, index, put_tokens); }

/* ---- rows from a tile or a stored table, added to x ---- */

/* The job of row r of a token, and of those behind it. */
static posenc_add_job add_job(const shared_call *c, int64_t batch, int64_t token, int64_t r) {
    uint64_t index = (uint64_t)batch * (uint64_t)c->y.tokens + (uint64_t)token;
    uint64_t row = index * (uint64_t)c->y.repeat + (uint64_t)r;
    return (posenc_add_job){.n = (size_t)c->y.dim,
                            .x = posenc_row_at(&c->x, batch, token) + r * c->x.repeat_bytes,
                            .y = posenc_row_at(&c->y, batch, token) + r * c->y.repeat_bytes,
                            .scale = c->call->scale,
                            .gain = c->call->gain,
                            .stream = c->stream,
                            .dropout = c->call->dropout,
                            .element = c->call->first_element + row * (uint64_t)c->y.dim};
}

/* Strided rows go through buffers, one by one. */
static void add_strided_row(const shared_call *c, worker *w, const char *e, int64_t batch, int64_t token, int64_t r) {
    size_t bytes = posenc_dtype_bytes(c->y.dtype);
    posenc_add_job job = add_job(c, batch, token, r);
    char *y = job.y;
    if (!c->x.packed) gather(job.x, c->x.channel_bytes, w->x_row, c->y.dim, bytes);
    job.rows = 1, job.e = e, job.stream = false;
    if (!c->x.packed) job.x = w->x_row;
    if (!c->y.packed) job.y = w->y_row;
    c->kernels->add[c->y.dtype](&job);
    if (!c->y.packed) scatter(w->y_row, y, c->y.channel_bytes, c->y.dim, bytes);
}

/* All rows of a token that lie in a line, as few long ones: the same sums, and the same elements of the mask. */
static int64_t add_wide(const shared_call *c, worker *w, const char *e, int64_t batch, int64_t token) {
    size_t e_bytes = (size_t)c->y.dim * posenc_dtype_bytes(c->e_dtype);
    int64_t done = c->y.repeat / c->wide_rows * c->wide_rows;
    posenc_add_job job = add_job(c, batch, token, 0);
    for (int64_t i = 0; i < c->wide_rows; i++) memcpy(w->wide + (size_t)i * e_bytes, e, e_bytes);
    job.rows = (size_t)(c->y.repeat / c->wide_rows), job.e = w->wide;
    job.n *= (size_t)c->wide_rows;
    job.x_bytes = c->x.repeat_bytes * c->wide_rows, job.y_bytes = c->y.repeat_bytes * c->wide_rows;
    c->kernels->add[c->y.dtype](&job);
    return done;
}

/* One encoding to each of a token's rows. */
static void add_repeated(const shared_call *c, worker *w, const char *e, int64_t batch, int64_t token) {
    bool packed = c->x.packed && c->y.packed;
    int64_t r = packed && c->wide_rows > 0 ? add_wide(c, w, e, batch, token) : 0;
    if (packed && r < c->y.repeat) {
        posenc_add_job job = add_job(c, batch, token, r);
        job.rows = (size_t)(c->y.repeat - r), job.e = e;
        job.x_bytes = c->x.repeat_bytes, job.y_bytes = c->y.repeat_bytes;
        c->kernels->add[c->y.dtype](&job);
        return;
    }
    for (; r < c->y.repeat; r++) add_strided_row(c, w, e, batch, token, r);
}

/* e: count rows that follow each other, or (e_bytes 0) one for all. */
static void add_rows(const shared_call *c, worker *w, const char *e, ptrdiff_t e_bytes, int64_t batch, int64_t token,
                     int64_t count) {
    if (c->dots.of_token) {
        posenc_row_dots_take(&c->dots, e, e_bytes, batch, token, count, w->x_row);
        return;
    }
    if (c->x.packed && c->y.packed && c->y.repeat == 1) {
        posenc_add_job job = add_job(c, batch, token, 0);
        job.rows = (size_t)count, job.e = e, job.e_bytes = e_bytes;
        job.x_bytes = c->x.token_bytes, job.y_bytes = c->y.token_bytes;
        c->kernels->add[c->y.dtype](&job);
        return;
    }
    for (int64_t i = 0; i < count; i++) add_repeated(c, w, e + i * e_bytes, batch, token + i);
}

static ptrdiff_t e_row_bytes(const shared_call *c) {
    return (ptrdiff_t)((size_t)c->y.dim * posenc_dtype_bytes(c->e_dtype));
}

enum { MOST_SCATTERED = 32 };

/* Stored rows from anywhere, for tokens that follow each other: one job, whose rows are fetched ahead. */
typedef struct scattered {
    const void *e_at[MOST_SCATTERED];
    int64_t batch, token, count;
} scattered;

static void add_scattered(const shared_call *c, scattered *s) {
    if (s->count == 0) return;
    posenc_add_job job = add_job(c, s->batch, s->token, 0);
    job.rows = (size_t)s->count, job.e_at = s->e_at;
    job.x_bytes = c->x.token_bytes, job.y_bytes = c->y.token_bytes;
    c->kernels->add[c->y.dtype](&job);
    s->count = 0;
}

static bool may_scatter(const shared_call *c) {
    return c->x.packed && c->y.packed && c->y.repeat == 1 && !c->dots.of_token;
}

static void take_scattered(const shared_call *c, scattered *s, const char *e, int64_t batch, int64_t token) {
    if (s->count == 0) s->batch = batch, s->token = token;
    s->e_at[s->count++] = e;
    if (s->count == MOST_SCATTERED) add_scattered(c, s);
}

/* Run by run: stored rows where the table has them, else rows made in the tile. */
static void add_from_table(const shared_call *c, worker *w, int64_t batch, int64_t token, int64_t count) {
    ptrdiff_t row_bytes = e_row_bytes(c);
    scattered alone = {.count = 0};
    while (count > 0) {
        posenc_stored_run run = posenc_stored_run_at(&c->stored, &c->positions, batch, token, count);
        ptrdiff_t step = row_bytes;
        const char *e = w->tile;
        if (run.kind == POSENC_STORED_ROWS && run.count == 1 && may_scatter(c)) {
            take_scattered(c, &alone, c->stored.data + run.row * row_bytes, batch, token);
            token++, count--;
            continue;
        }
        add_scattered(c, &alone);
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
    add_scattered(c, &alone);
}

/* A unit of work is one tile of tokens of one batch row. Where the batch shares its positions, or stored rows that lie
 * near each other, the batch is the inner loop, so that a tile is made, or a stored part fetched, once for all of it.
 */
static void add_slice(const void *call, void *own, int index) {
    const shared_call *c = call;
    worker *w = own;
    int64_t tiles = (c->y.tokens + c->tile_rows - 1) / c->tile_rows, units = tiles * c->y.batch, held = -1;
    int64_t unit = posenc_i64_share(index, units, c->n_workers), end = posenc_i64_share(index + 1, units, c->n_workers);
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
static void add_strips_slice(const void *call, void *own, int index) {
    const shared_call *c = call;
    for (int64_t tile = index; tile < c->strips.tiles; tile += c->n_workers)
        for (int64_t i = 0; i < c->strips.n; i++) {
            int64_t token, count = posenc_strip_part(&c->strips.at[i], tile, c->tile_rows, &token);
            if (count > 0) add_from_table(c, own, c->strips.at[i].batch, token, count);
        }
}

static void scale_tokens(const shared_call *c, worker *w, int64_t batch, int64_t token, int64_t count) {
    add_rows(c, w, w->tile, 0, batch, token, count);
}

/* y = x * scale, dropped out: one row of -0 serves every token. */
static void scale_slice(const void *call, void *own, int index) {
    const shared_call *c = call;
    worker *w = own;
    emit_nothing(c, c->e_dtype, 1, (posenc_row_target){.out = w->tile});
    each_batch_row(c, w, index, scale_tokens);
}

/* ---- the door ---- */

static int64_t rows_of_tile(const shared_call *c) {
    int64_t row_bytes = c->y.dim * (int64_t)posenc_dtype_bytes(c->e_dtype), rows = TILE_BYTES / row_bytes;
    int64_t shared = SHARED_BYTES / row_bytes / c->y.repeat;
    if (c->y.repeat > 1 && rows > shared) rows = shared;
    if (rows < 1) rows = 1;
    return rows < c->y.tokens ? rows : c->y.tokens;
}

/* Laying an encoding out pays where it is used a few times. */
static int64_t wide_rows_of(const shared_call *c) {
    ptrdiff_t row_bytes = (ptrdiff_t)c->y.dim * (ptrdiff_t)posenc_dtype_bytes(c->y.dtype);
    int64_t rows = WIDE / c->y.dim;
    bool in_line = c->x.packed && c->y.packed && c->x.repeat_bytes == row_bytes && c->y.repeat_bytes == row_bytes;
    if (rows > c->y.repeat / 4) rows = c->y.repeat / 4;
    return in_line && rows > 1 ? rows : 0;
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
    if (call->dot) {
        c->y = c->x;
        return status;
    }
    if (status == POSENC_OK) status = posenc_row_tensor_open(call->y, call->y_name, dim, &c->y, error);
    if (status != POSENC_OK) return status;
    if (!call->x) return posenc_row_tensor_check_output(call->y, call->y_name, error);
    return posenc_row_tensors_check_pair(call->x, &c->x, call->x_name, call->y, &c->y, call->y_name, error);
}

/* Tokens at one position become rows of one token. */
static posenc_status group_tokens(shared_call *c, int64_t repeat, posenc_error *error) {
    const posenc_row_call *call = c->call;
    posenc_status status = posenc_row_tensor_group(&c->y, call->y_name, repeat, error);
    return status == POSENC_OK && call->x ? posenc_row_tensor_group(&c->x, call->x_name, repeat, error) : status;
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

static bool in_line(const posenc_row_tensor *t) { return t->token_bytes == t->repeat * t->repeat_bytes; }

/* Without encodings a row is a row, whatever token it belongs to. */
static void ungroup(posenc_row_tensor *t) {
    t->tokens *= t->repeat;
    t->token_bytes = t->repeat_bytes;
    t->repeat = 1;
}

static posenc_status run_scale(shared_call *c, posenc_error *error) {
    if (c->y.repeat > 1 && (c->y.tokens == 1 || (in_line(&c->x) && in_line(&c->y)))) {
        ungroup(&c->x);
        ungroup(&c->y);
    }
    return run_slices(c, scale_slice, error);
}

/* Picks the way through: straight into y, from tiles or a table, or without encodings. */
static posenc_status run_open(shared_call *c, bool *past, posenc_error *error) {
    const posenc_row_call *call = c->call;
    if (c->y.batch == 0 || c->y.tokens == 0 || c->y.repeat == 0) return POSENC_OK;
    c->e_dtype = c->y.dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    posenc_status status = check_stored(c, past, error);
    if (status != POSENC_OK) return status;
    if (!call->x) return run_slices(c, put_slice, error);
    bool once = c->y.repeat == 1 && (c->y.batch == 1 || !c->positions.shared); /* no row would serve twice */
    bool plain = !c->stored.data && !call->dropout.active && !c->positions.skips && c->x.packed && c->y.packed &&
                 !call->gain && !call->dot;
    if (call->adds && once && plain && posenc_rows_can_add(&call->plan->rows, c->y.dtype))
        return run_slices(c, put_slice, error);
    c->tile_rows = rows_of_tile(c);
    c->wide_rows = wide_rows_of(c);
    if (c->stored.data && c->resized.rows == 0) return run_table(c, error);
    return call->adds ? run_slices(c, add_slice, error) : run_scale(c, error);
}

/* Inner products are made token by token as sums are, and added up at the end. */
static posenc_status run_dots(shared_call *c, bool *past, posenc_error *error) {
    c->dots = (posenc_row_dots){.context = c->context,
                                .kernels = c->kernels,
                                .x = c->x,
                                .dropout = c->call->dropout,
                                .first_element = c->call->first_element};
    bool empty = c->x.batch == 0 || c->x.tokens == 0 || c->x.repeat == 0;
    posenc_status status = empty ? POSENC_OK : posenc_row_dots_create(&c->dots, error);
    if (status == POSENC_OK) status = run_open(c, past, error);
    if (status == POSENC_OK && empty) *c->call->dot = 0;
    if (status == POSENC_OK && !empty) {
        const posenc_stored_rows *rows = c->resized.rows > 0 ? &c->resized.as_if : &c->stored;
        posenc_fpenv saved = posenc_fpenv_enter();
        *c->call->dot = posenc_row_dots_sum(&c->dots, rows, &c->positions);
        posenc_fpenv_leave(saved);
    }
    posenc_row_dots_destroy(&c->dots);
    return status;
}

/* A plan of first values has as many rows as its table will have. */
static posenc_stored_rows stored_rows_of(const posenc_row_call *call) {
    int64_t length = call->plan->rows.length;
    if (call->stored.rows > 0 || length == 0 || (call->x && !call->adds)) return call->stored;
    return (posenc_stored_rows){.rows = length,
                                .padding = -1,
                                .outside = POSENC_OUTSIDE_REFUSED,
                                .whole = true,
                                .grid = call->plan->rows.axes != NULL};
}

static posenc_status open_positions(shared_call *c, const posenc_positions *given, posenc_error *error) {
    const posenc_grid *axes = c->call->plan->rows.axes;
    bool points;
    posenc_status status = posenc_points_given(axes, given, c->y.batch, c->y.tokens, &points, error);
    if (status != POSENC_OK) return status;
    if (points) return posenc_points_open(c->context, axes, given, c->y.batch, c->y.tokens, &c->positions, error);
    return posenc_positions_open(c->context, given, c->call->padding_idx, c->y.batch, c->y.tokens, &c->positions,
                                 error);
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
    if (status == POSENC_OK) status = group_tokens(&c, given.repeat, error);
    if (status == POSENC_OK) status = open_positions(&c, &given, error);
    if (status != POSENC_OK) return status;
    if (!call->dot) status = posenc_positions_check_apart(&given, call->y, call->y_name, error);
    if (status == POSENC_OK) status = (call->dot ? run_dots : run_open)(&c, &past, error);
    posenc_positions_close(&c.positions);
    if (status == POSENC_OK && went_past) *went_past = past;
    return status;
}
