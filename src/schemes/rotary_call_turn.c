#include <string.h>

#include "base/checked.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "schemes/rotary_call.h"

/* Rows are made in tiles of this many bytes, which stay in the second-level cache while heads are turned. */
enum { TILE_BYTES = 64 << 10 };

/* One thread's part. */
typedef struct worker {
    posenc_rotary_maker maker, from;
    char *memory;
    char *tile[2];       /* rows for each tensor; the same one where they agree */
    double *wide, *back; /* rows before they are multiplied; rows of the rotation that is taken back */
    double *powers;
    char *head; /* the pairs of a head that changes its order in place */
} worker;

/* What the slices of a call share. */
typedef struct shared_call {
    const posenc_rotary_call *call;
    const posenc_rotary *rotary;
    const posenc_context *context;
    const posenc_kernels *kernels;
    const posenc_heads *shape; /* of the first tensor: batch, tokens, dtype */
    posenc_dtype angle;        /* of rows: f64 for f32 and f64, else f32 */
    posenc_pair_order in, out;
    bool plain;    /* rows as they are: forward, amplitude 1 */
    bool two_rows; /* xPos: q and k differ */
    bool shared;   /* every batch row has the same rows */
    bool stream[2];
    size_t row_bytes;
    int64_t tile_rows;
    int n_workers;
} shared_call;

/* ---- workers ---- */

/* Sizes of a worker's buffers, in the order that they stand in memory; all multiples of a cache line. */
typedef struct sizes {
    size_t tile, wide, powers, head, all;
} sizes;

static sizes sizes_of(const shared_call *c) {
    size_t rows = (size_t)c->tile_rows, slack = POSENC_PAIR_PAD * sizeof(double);
    sizes s = {.tile = rows * c->row_bytes + slack};
    if (!c->plain) s.wide = rows * posenc_rotary_row_bytes(c->rotary, POSENC_F64);
    if (c->two_rows) s.powers = posenc_padded_pairs(c->rotary->pairs) * sizeof(double);
    if (c->in != c->out) s.head = (2 * c->rotary->pairs * posenc_dtype_bytes(c->shape->dtype) + 63) / 64 * 64;
    s.all = s.tile * (c->two_rows ? 2 : 1) + s.wide * (c->call->from ? 2 : 1) + s.powers * 2 + s.head;
    return s;
}

static void lay_out(const shared_call *c, worker *w, const sizes *s) {
    char *next = w->memory;
    w->tile[0] = w->tile[1] = next, next += s->tile;
    if (c->two_rows) w->tile[1] = next, next += s->tile;
    w->wide = (double *)(void *)next, next += s->wide;
    if (c->call->from) w->back = (double *)(void *)next, next += s->wide;
    w->powers = (double *)(void *)next, next += 2 * s->powers;
    w->head = next;
}

static posenc_status create_worker(const void *call, void *made, posenc_error *error) {
    const shared_call *c = call;
    worker *w = made;
    sizes s = sizes_of(c);
    *w = (worker){.memory = posenc_allocate(c->context, s.all)};
    if (!w->memory) return posenc_fail_memory(error, "scratch", s.all);
    memset(w->memory, 0, s.all); /* the padding of rows takes part in operations, and must be no slow number */
    lay_out(c, w, &s);
    posenc_status status = posenc_rotary_maker_create(&w->maker, &c->call->source, error);
    if (status == POSENC_OK && c->call->from) {
        status = posenc_rotary_maker_create(&w->from, c->call->from, error);
        if (status != POSENC_OK) posenc_rotary_maker_destroy(&w->maker);
    }
    if (status != POSENC_OK) posenc_release(c->context, w->memory);
    return status;
}

static void destroy_worker(const void *call, void *made) {
    const shared_call *c = call;
    worker *w = made;
    if (c->call->from) posenc_rotary_maker_destroy(&w->from);
    posenc_rotary_maker_destroy(&w->maker);
    posenc_release(c->context, w->memory);
}

/* ---- rows of a tile ---- */

static double amplitude_of(const posenc_rotary_source *source, int64_t batch, int64_t token) {
    int64_t shared;
    return posenc_rotary_spectrum_of(&source->spectra, batch, token, 1, &shared)->amplitude;
}

static double factor_of(const posenc_rotary_call *call, int64_t batch, int64_t token) {
    double amplitude = amplitude_of(&call->source, batch, token);
    if (call->from) return amplitude / amplitude_of(call->from, batch, token);
    return call->direction == POSENC_ROTARY_UNROTATE ? 1 / amplitude : amplitude;
}

/* xPos: q gets zeta^n and k its inverse; un-rotation takes them back. */
static const double *powers_of(const shared_call *c, worker *w, int which, int64_t batch, int64_t token) {
    const posenc_rotary_call *call = c->call;
    bool inverse = call->tensor[which].is_key != (call->direction == POSENC_ROTARY_UNROTATE);
    if (c->rotary->xpos_scale_base == 0) return NULL;
    posenc_rotary_powers(&w->maker, batch, token, inverse, w->powers);
    if (!call->from || call->from->rotary->xpos_scale_base == 0) return w->powers;
    double *back = w->powers + w->maker.plane;
    posenc_rotary_powers(&w->from, batch, token, !inverse, back);
    for (size_t i = 0; i < w->maker.plane; i++) w->powers[i] *= back[i];
    return w->powers;
}

static void finish_rows(const shared_call *c, worker *w, int which, int64_t batch, int64_t token, int64_t count) {
    for (int64_t t = 0; t < count; t++) {
        posenc_rotary_factor factor = {factor_of(c->call, batch, token + t),
                                       c->call->direction != POSENC_ROTARY_FORWARD,
                                       powers_of(c, w, which, batch, token + t)};
        posenc_rotary_row_finish(&w->maker, w->wide + (size_t)t * 2 * w->maker.plane, &factor, c->angle,
                                 w->tile[which] + (size_t)t * c->row_bytes);
    }
}

/* The angle from one position to the other: R_to(p) R_from(p')^-1. */
static void take_back(worker *w, int64_t batch, int64_t token, int64_t count) {
    size_t plane = w->maker.plane;
    posenc_rotary_rows_write(&w->from, POSENC_F64, batch, token, count, (char *)w->back);
    for (size_t t = 0; t < (size_t)count; t++) {
        double *row = w->wide + t * 2 * plane, *back = w->back + t * 2 * plane;
        w->maker.kernels->turn(row, row + plane, back, back + plane, -1, plane);
    }
}

static void make_rows(const shared_call *c, worker *w, int64_t batch, int64_t token, int64_t count) {
    if (c->plain) {
        posenc_rotary_rows_write(&w->maker, c->angle, batch, token, count, w->tile[0]);
        return;
    }
    posenc_rotary_rows_write(&w->maker, POSENC_F64, batch, token, count, (char *)w->wide);
    if (c->call->from) take_back(w, batch, token, count);
    for (int i = 0; i < 2; i++)
        if (c->call->tensor[i].given && (i == 0 || c->two_rows || !c->call->tensor[0].given))
            finish_rows(c, w, i, batch, token, count);
}

/* ---- heads ---- */

/* All but where x and y begin and how often: loops are filled in by the caller. */
static posenc_rotate_job job_of(const shared_call *c, const worker *w, int which, int64_t row) {
    const char *sines = w->tile[which] + (size_t)row * c->row_bytes;
    size_t behind = (size_t)(c->rotary->head_dim - c->rotary->start - c->rotary->dim);
    return (posenc_rotate_job){.pairs = c->rotary->pairs,
                               .sines = sines,
                               .cosines = sines + c->row_bytes / 2,
                               .before = (size_t)c->rotary->start,
                               .behind = behind,
                               .stream = c->stream[which]};
}

/* In place, from one order to the other: each head by way of a buffer. */
static void reorder_tokens(const shared_call *c, worker *w, int which, int64_t batch, int64_t token, int64_t row,
                           int64_t count) {
    const posenc_heads *y = &c->call->tensor[which].y;
    size_t bytes = posenc_dtype_bytes(y->dtype);
    for (int64_t t = 0; t < count; t++)
        for (int64_t h = 0; h < y->heads; h++) {
            posenc_rotate_job job = job_of(c, w, which, row + t);
            job.before = job.behind = 0;
            job.outer = job.inner = (posenc_rotate_loop){1, 0, 0, 0};
            job.y = posenc_heads_at(y, batch, token + t) + h * y->head_bytes + (size_t)c->rotary->start * bytes;
            job.x = memcpy(w->head, job.y, 2 * job.pairs * bytes);
            c->kernels->rotate[y->dtype][c->in][c->out](&job);
        }
}

static ptrdiff_t size_of(ptrdiff_t stride) { return stride < 0 ? -stride : stride; }

/* count tokens from (batch, token) on, whose rows begin at one of the tile. Padding is copied. The inner loop is the
 * one that steps least, so that memory is walked in its order. */
static void turn_tokens(const shared_call *c, worker *w, int which, int64_t batch, int64_t token, int64_t row,
                        int64_t count, bool padding) {
    const posenc_heads *x = &c->call->tensor[which].x, *y = &c->call->tensor[which].y;
    bool in_place = x->data == y->data;
    if (in_place && padding) return;
    if (in_place && c->in != c->out) {
        reorder_tokens(c, w, which, batch, token, row, count);
        return;
    }
    posenc_rotate_job job = job_of(c, w, which, row);
    if (padding) job.before = (size_t)c->rotary->head_dim, job.pairs = job.behind = 0;
    posenc_rotate_loop tokens = {(size_t)count, x->token_bytes, y->token_bytes, (ptrdiff_t)c->row_bytes};
    posenc_rotate_loop heads = {(size_t)y->heads, x->head_bytes, y->head_bytes, 0};
    bool heads_inside = size_of(y->head_bytes) <= size_of(y->token_bytes);
    job.outer = heads_inside ? tokens : heads, job.inner = heads_inside ? heads : tokens;
    job.x = posenc_heads_at(x, batch, token), job.y = posenc_heads_at(y, batch, token);
    c->kernels->rotate[y->dtype][c->in][c->out](&job);
}

/* Padding, of either side of a re-rotation, is not turned. */
static bool is_padding(const posenc_rotary_call *call, int64_t batch, int64_t token, int64_t count, int64_t *alike) {
    bool padding = posenc_rotary_is_padding(&call->source, batch, token, count, alike);
    return call->from ? posenc_rotary_is_padding(call->from, batch, token, *alike, alike) || padding : padding;
}

static void turn_tile(const shared_call *c, worker *w, int64_t batch, int64_t token, int64_t count) {
    for (int i = 0; i < 2; i++)
        for (int64_t done = 0, alike; c->call->tensor[i].given && done < count; done += alike) {
            bool padding = is_padding(c->call, batch, token + done, count - done, &alike);
            turn_tokens(c, w, i, batch, token + done, done, alike, padding);
        }
}

/* ---- slices ---- */

/* A unit of work is one tile of tokens of one batch row. Where the batch shares its rows it is the inner loop. */
static void turn_slice(const void *call, void *own, int index) {
    const shared_call *c = call;
    worker *w = own;
    int64_t tokens = c->shape->tokens, batch = c->shape->batch, held = -1;
    int64_t tiles = (tokens + c->tile_rows - 1) / c->tile_rows, units = tiles * batch;
    int64_t unit = posenc_i64_share(index, units, c->n_workers), end = posenc_i64_share(index + 1, units, c->n_workers);
    for (; unit < end; unit++) {
        int64_t tile = c->shared ? unit / batch : unit % tiles, b = c->shared ? unit % batch : unit / tiles;
        int64_t token = tile * c->tile_rows, count = tokens - token;
        if (count > c->tile_rows) count = c->tile_rows;
        if (!c->shared || held != tile) make_rows(c, w, b, token, count);
        held = tile;
        turn_tile(c, w, b, token, count);
    }
}

/* ---- the call ---- */

static bool all_amplitudes_are_1(const posenc_rotary_spectra *s) {
    for (size_t k = 0; k < s->n; k++)
        if (s->at[k]->amplitude != 1) return false;
    return s->only->amplitude == 1;
}

static void choose_orders(shared_call *c) {
    bool forward = c->call->direction == POSENC_ROTARY_FORWARD;
    c->in = c->out = POSENC_PAIRS_HALVES;
    if (c->rotary->pairing == POSENC_PAIRING_HALVES) return;
    c->in = c->out = POSENC_PAIRS_INTERLEAVED;
    if (c->rotary->pairing == POSENC_PAIRING_INTERLEAVED) return;
    if (forward)
        c->out = POSENC_PAIRS_HALVES;
    else
        c->in = POSENC_PAIRS_HALVES;
}

/* Both bounds on a tile: what the cache likes, and that every worker has some. */
static void choose_tiles(shared_call *c, double bytes) {
    int64_t tokens = c->shape->tokens, rows = TILE_BYTES / (int64_t)c->row_bytes;
    c->n_workers = posenc_slices(c->context, bytes < 0x1p62 ? (size_t)bytes : (size_t)1 << 62);
    double all = (double)tokens * (double)c->shape->batch;
    if ((double)c->n_workers > all) c->n_workers = (int)all;
    if ((double)rows * c->n_workers > all) rows = (int64_t)(all / c->n_workers);
    if (rows < 1) rows = 1;
    c->tile_rows = rows < tokens ? rows : tokens;
}

posenc_status posenc_rotary_call_run(const posenc_rotary_call *call, posenc_error *error) {
    const posenc_plan *plan = call->source.plan;
    shared_call c = {.call = call, .rotary = plan->rotary, .context = plan->context};
    c.shape = &call->tensor[call->tensor[0].given ? 0 : 1].y;
    if (c.shape->batch == 0 || c.shape->tokens == 0) return POSENC_OK;
    c.kernels = c.rotary->spectrum.blocks[0].rows.engine.kernels;
    c.angle = c.shape->dtype == POSENC_F32 || c.shape->dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    c.row_bytes = posenc_rotary_row_bytes(c.rotary, c.angle);
    c.two_rows = c.rotary->xpos_scale_base != 0;
    c.shared = posenc_rotary_source_shared(&call->source) && (!call->from || posenc_rotary_source_shared(call->from));
    c.plain = !call->from && call->direction == POSENC_ROTARY_FORWARD && !c.two_rows &&
              all_amplitudes_are_1(&call->source.spectra);
    choose_orders(&c);
    double bytes = 0;
    for (int i = 0; i < 2; i++)
        if (call->tensor[i].given) bytes += posenc_heads_bytes(&call->tensor[i].y, c.rotary->head_dim);
    for (int i = 0; i < 2; i++) /* in place, a line is in the cache already when it is written */
        c.stream[i] = bytes >= (double)plan->stream_bytes && call->tensor[i].x.data != call->tensor[i].y.data;
    choose_tiles(&c, bytes);
    static const posenc_worker_kind kind = {sizeof(worker), create_worker, destroy_worker};
    return posenc_parallel_workers(c.context, c.n_workers, &kind, turn_slice, &c, error);
}
