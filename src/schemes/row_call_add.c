/* Encodings added to x: from a tile that they were made in, or from a stored table. Also their inner products with x,
 * and x scaled without them. */
#include <string.h>

#include "base/checked.h"
#include "base/elements.h"
#include "schemes/row_call_work.h"

/* The job of row r of a token, and of those behind it. */
static posenc_add_job add_job(const posenc_row_work *c, int64_t batch, int64_t token, int64_t r) {
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
static void add_strided_row(const posenc_row_work *c, posenc_row_worker *w, const char *e, int64_t batch, int64_t token,
                            int64_t r) {
    size_t bytes = posenc_dtype_bytes(c->y.dtype);
    posenc_add_job job = add_job(c, batch, token, r);
    char *y = job.y;
    if (!c->x.packed) posenc_gather_elements(job.x, c->x.channel_bytes, w->x_row, c->y.dim, bytes);
    job.rows = 1, job.e = e, job.stream = false;
    if (!c->x.packed) job.x = w->x_row;
    if (!c->y.packed) job.y = w->y_row;
    c->kernels->add[c->y.dtype](&job);
    if (!c->y.packed) posenc_scatter_elements(w->y_row, y, c->y.channel_bytes, c->y.dim, bytes);
}

/* All rows of a token that lie in a line, as few long ones: the same sums, and the same elements of the mask. */
static int64_t add_wide(const posenc_row_work *c, posenc_row_worker *w, const char *e, int64_t batch, int64_t token) {
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
static void add_repeated(const posenc_row_work *c, posenc_row_worker *w, const char *e, int64_t batch, int64_t token) {
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
static void add_rows(const posenc_row_work *c, posenc_row_worker *w, const char *e, ptrdiff_t e_bytes, int64_t batch,
                     int64_t token, int64_t count) {
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

static ptrdiff_t e_row_bytes(const posenc_row_work *c) {
    return (ptrdiff_t)((size_t)c->y.dim * posenc_dtype_bytes(c->e_dtype));
}

enum { MOST_SCATTERED = 32 };

/* Stored rows from anywhere, for tokens that follow each other: one job, whose rows are fetched ahead. */
typedef struct scattered {
    const void *e_at[MOST_SCATTERED];
    int64_t batch, token, count;
} scattered;

static void add_scattered(const posenc_row_work *c, scattered *s) {
    if (s->count == 0) return;
    posenc_add_job job = add_job(c, s->batch, s->token, 0);
    job.rows = (size_t)s->count, job.e_at = s->e_at;
    job.x_bytes = c->x.token_bytes, job.y_bytes = c->y.token_bytes;
    c->kernels->add[c->y.dtype](&job);
    s->count = 0;
}

static bool may_scatter(const posenc_row_work *c) {
    return c->x.packed && c->y.packed && c->y.repeat == 1 && !c->dots.of_token;
}

static void take_scattered(const posenc_row_work *c, scattered *s, const char *e, int64_t batch, int64_t token) {
    if (s->count == 0) s->batch = batch, s->token = token;
    s->e_at[s->count++] = e;
    if (s->count == MOST_SCATTERED) add_scattered(c, s);
}

/* Run by run: stored rows where the table has them, else rows made in the tile. */
static void add_from_table(const posenc_row_work *c, posenc_row_worker *w, int64_t batch, int64_t token,
                           int64_t count) {
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
            posenc_row_work_emit_nothing(c, c->e_dtype, 1, (posenc_row_target){.out = w->tile}), step = 0;
        else
            posenc_row_work_emit_position(c, w, &run.position, c->e_dtype,
                                          (posenc_row_target){.out = w->tile, .row_bytes = row_bytes}, false);
        add_rows(c, w, e, step, batch, token, run.count);
        token += run.count, count -= run.count;
    }
    add_scattered(c, &alone);
}

/* A unit of work is one tile of tokens of one batch row. Where the batch shares its positions, or stored rows that lie
 * near each other, the batch is the inner loop, so that a tile is made, or a stored part fetched, once for all of it.
 */
void posenc_row_add_slice(const void *call, void *own, int index) {
    const posenc_row_work *c = call;
    posenc_row_worker *w = own;
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
        if (!c->positions.shared || held != tile)
            posenc_row_work_emit(c, w, batch, token, count, c->e_dtype, target, false);
        held = tile;
        add_rows(c, w, w->tile, e_row_bytes(c), batch, token, count);
    }
}

/* The same, position by position: threads take tiles of the table in turns. */
void posenc_row_add_strips_slice(const void *call, void *own, int index) {
    const posenc_row_work *c = call;
    for (int64_t tile = index; tile < c->strips.tiles; tile += c->n_workers)
        for (int64_t i = 0; i < c->strips.n; i++) {
            int64_t token, count = posenc_strip_part(&c->strips.at[i], tile, c->tile_rows, &token);
            if (count > 0) add_from_table(c, own, c->strips.at[i].batch, token, count);
        }
}

static void scale_tokens(const posenc_row_work *c, posenc_row_worker *w, int64_t batch, int64_t token, int64_t count) {
    add_rows(c, w, w->tile, 0, batch, token, count);
}

/* y = x * scale, dropped out: one row of -0 serves every token. */
void posenc_row_scale_slice(const void *call, void *own, int index) {
    const posenc_row_work *c = call;
    posenc_row_worker *w = own;
    posenc_row_work_emit_nothing(c, c->e_dtype, 1, (posenc_row_target){.out = w->tile});
    posenc_row_work_each(c, w, index, scale_tokens);
}
