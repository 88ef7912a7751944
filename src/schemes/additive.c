/* The verbs of additive schemes: write rows, add rows to x. Everything is checked and allocated before the first output
 * byte is written; then slices of the work run on threads, none of which can fail. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/tensor.h"
#include "base/threads.h"
#include "schemes/positions.h"
#include "schemes/scheme.h"

/* A tensor of rows, (batch, tokens, dim), in bytes. */
typedef struct row_tensor {
    char *data;
    posenc_dtype dtype;
    int64_t batch, tokens;
    ptrdiff_t batch_bytes, token_bytes, channel_bytes;
    bool packed; /* the elements of a row are contiguous */
} row_tensor;

static posenc_status open_rows(const posenc_plan *plan, const DLTensor *tensor, const char *name, row_tensor *out,
                               posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = posenc_tensor_check(tensor, name, &dtype, error);
    if (status != POSENC_OK) return status;
    if (dtype > POSENC_BF16)
        return posenc_fail(error, POSENC_ERROR_DTYPE, name, "expected f32, f64, f16 or bf16, got %s", posenc_dtype_name(dtype));
    int rank = tensor->ndim;
    char shape[96];
    posenc_shape_text(rank, tensor->shape, shape);
    if (rank != 2 && rank != 3)
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected (tokens, dim) or (batch, tokens, dim), got %s", shape);
    if (tensor->shape[rank - 1] != plan->rows.dim)
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected a last axis of dim %lld, got %s",
                           (long long)plan->rows.dim, shape);
    ptrdiff_t bytes = (ptrdiff_t)posenc_dtype_bytes(dtype);
    *out = (row_tensor){
        .data = posenc_tensor_data(tensor),
        .dtype = dtype,
        .batch = rank == 3 ? tensor->shape[0] : 1,
        .tokens = tensor->shape[rank - 2],
        .batch_bytes = rank == 3 ? (ptrdiff_t)posenc_tensor_stride(tensor, 0) * bytes : 0,
        .token_bytes = (ptrdiff_t)posenc_tensor_stride(tensor, rank - 2) * bytes,
        .channel_bytes = (ptrdiff_t)posenc_tensor_stride(tensor, rank - 1) * bytes,
    };
    out->packed = out->channel_bytes == bytes || plan->rows.dim == 1;
    return POSENC_OK;
}

/* ---- slices ---- */

/* Rows of encodings are made in tiles of this many bytes, which stay in the second-level cache while they are added. */
enum { TILE_BYTES = 64 << 10 };

/* One thread's part: its scratch and its buffers. */
typedef struct worker {
    posenc_row_scratch scratch;
    char *tile;       /* encodings to be added: f32, or f64 for f64 tensors */
    char *x_row, *y_row; /* one row each, for strided tensors */
} worker;

/* A call: what its slices share. */
typedef struct call {
    const posenc_plan *plan;
    posenc_token_positions positions;
    row_tensor x, y; /* write: y alone */
    double scale;
    posenc_dtype e_dtype;
    int64_t tile_rows;
    bool stream;
    int n_workers;
    worker *workers;
} call;

static void destroy_workers(call *c, int made) {
    for (int i = 0; i < made; i++) {
        posenc_release(c->plan->context, c->workers[i].tile);
        posenc_row_scratch_destroy(&c->workers[i].scratch);
    }
    posenc_release(c->plan->context, c->workers);
}

/* A worker's buffers are one block: a tile, then a row of x and one of y. */
static posenc_status create_worker(const call *c, worker *w, posenc_error *error) {
    posenc_status status = posenc_row_scratch_create(&w->scratch, &c->plan->rows, error);
    if (status != POSENC_OK) return status;
    size_t row = (size_t)c->plan->rows.dim * posenc_dtype_bytes(c->y.dtype);
    size_t tile = (size_t)c->tile_rows * (size_t)c->plan->rows.dim * posenc_dtype_bytes(c->e_dtype);
    size_t bytes = tile + 2 * row;
    w->tile = posenc_allocate(c->plan->context, bytes);
    w->x_row = w->tile ? w->tile + tile : NULL;
    w->y_row = w->tile ? w->x_row + row : NULL;
    if (w->tile) return POSENC_OK;
    posenc_row_scratch_destroy(&w->scratch);
    return posenc_fail_memory(error, "scratch", bytes);
}

static posenc_status create_workers(call *c, posenc_error *error) {
    size_t work = (size_t)c->y.batch * (size_t)c->y.tokens * (size_t)c->plan->rows.dim * posenc_dtype_bytes(c->y.dtype);
    c->stream = work >= c->plan->rows.stream_bytes && c->x.data != c->y.data; /* in place, a line is in the cache already */
    c->n_workers = posenc_slices(c->plan->context, work);
    c->workers = posenc_allocate(c->plan->context, (size_t)c->n_workers * sizeof *c->workers);
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

static posenc_status run(call *c, posenc_task *task, posenc_error *error) {
    if (c->y.batch == 0 || c->y.tokens == 0) return POSENC_OK;
    posenc_status status = create_workers(c, error);
    if (status != POSENC_OK) return status;
    posenc_parallel(c->plan->context, c->n_workers, task, c);
    destroy_workers(c, c->n_workers);
    return POSENC_OK;
}

/* ---- write ---- */

static void scatter(const char *row, char *out, ptrdiff_t step, int64_t n, size_t bytes) {
    for (int64_t i = 0; i < n; i++) memcpy(out + i * step, row + (size_t)i * bytes, bytes);
}

static void gather(const char *in, ptrdiff_t step, char *row, int64_t n, size_t bytes) {
    for (int64_t i = 0; i < n; i++) memcpy(row + (size_t)i * bytes, in + i * step, bytes);
}

/* Encodings of count tokens from (batch, token) on. */
static void emit_tokens(const call *c, worker *w, int64_t batch, int64_t token, int64_t count, posenc_dtype dtype,
                        posenc_row_target target, bool stream) {
    while (count > 0) {
        posenc_position p = posenc_position_at(&c->positions, batch, token);
        int64_t n = posenc_position_run(&c->positions, batch, token, count);
        if (p.is_real)
            posenc_rows_emit_real(&w->scratch, dtype, p.value, target);
        else
            posenc_rows_emit_run(&w->scratch, dtype, p.whole, n, target, stream);
        token += n, count -= n;
        target = posenc_target_after(target, n);
    }
}

/* Straight into y, with x added on the way where there is one. */
static void put_tokens(const call *c, worker *w, int64_t batch, int64_t token, int64_t count) {
    posenc_row_target target = {.out = c->y.data + batch * c->y.batch_bytes + token * c->y.token_bytes,
                                .row_bytes = c->y.token_bytes,
                                .scale = c->scale};
    if (c->x.data) {
        target.x = c->x.data + batch * c->x.batch_bytes + token * c->x.token_bytes;
        target.x_row_bytes = c->x.token_bytes;
    }
    if (c->y.packed) {
        emit_tokens(c, w, batch, token, count, c->y.dtype, target, c->stream);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        emit_tokens(c, w, batch, token + i, 1, c->y.dtype, (posenc_row_target){.out = w->y_row}, false);
        scatter(w->y_row, target.out + i * c->y.token_bytes, c->y.channel_bytes, c->plan->rows.dim,
                posenc_dtype_bytes(c->y.dtype));
    }
}

/* Slices cut the rows, batch row by batch row. */
static void put_slice(void *argument, int index) {
    const call *c = argument;
    int64_t total = c->y.batch * c->y.tokens;
    int64_t row = part_start(total, c->n_workers, index), end = part_start(total, c->n_workers, index + 1);
    while (row < end) {
        int64_t batch = row / c->y.tokens, token = row % c->y.tokens, count = c->y.tokens - token;
        if (count > end - row) count = end - row;
        put_tokens(c, &c->workers[index], batch, token, count);
        row += count;
    }
}

static posenc_status check_plan(const posenc_plan *plan, posenc_error *error) {
    if (!plan) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "plan", "expected a plan, got NULL");
    return POSENC_OK;
}

/* Nothing may be read from memory that is being written. */
static posenc_status check_ids_apart(const posenc_positions *positions, const DLTensor *out, const char *name,
                                     posenc_error *error) {
    if (positions && positions->ids && posenc_tensors_meet(positions->ids, out))
        return posenc_fail(error, POSENC_ERROR_OVERLAP, name, "expected memory apart from position_ids, got an overlap");
    return POSENC_OK;
}

static posenc_status check_folds(const DLTensor *out, const char *name, posenc_error *error) {
    if (!posenc_tensor_folds(out)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, name, "expected strides that keep elements apart, got some that meet");
}

posenc_status posenc_plan_write(const posenc_plan *plan, const posenc_positions *positions, DLTensor *out,
                                posenc_error *error) {
    call c = {.plan = plan, .tile_rows = 0, .e_dtype = POSENC_F32};
    posenc_status status = check_plan(plan, error);
    if (status == POSENC_OK) status = open_rows(plan, out, "out", &c.y, error);
    if (status == POSENC_OK) status = posenc_positions_open(positions, c.y.batch, c.y.tokens, &c.positions, error);
    if (status == POSENC_OK) status = check_folds(out, "out", error);
    if (status == POSENC_OK) status = check_ids_apart(positions, out, "out", error);
    return status == POSENC_OK ? run(&c, put_slice, error) : status;
}

/* ---- add ---- */

static void add_rows(const call *c, worker *w, const char *tile, int64_t batch, int64_t token, int64_t count) {
    int64_t dim = c->plan->rows.dim;
    size_t e_row = (size_t)dim * posenc_dtype_bytes(c->e_dtype), bytes = posenc_dtype_bytes(c->y.dtype);
    const char *x = c->x.data + batch * c->x.batch_bytes + token * c->x.token_bytes;
    char *y = c->y.data + batch * c->y.batch_bytes + token * c->y.token_bytes;
    posenc_add_job job = {(size_t)count, (size_t)dim, x, tile, y, c->x.token_bytes, (ptrdiff_t)e_row, c->y.token_bytes,
                          c->scale, c->stream};
    void (*kernel)(const posenc_add_job *) = c->plan->rows.engine.kernels->add[c->y.dtype];
    if (c->x.packed && c->y.packed) {
        kernel(&job);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const char *x_row = x + i * c->x.token_bytes;
        char *y_row = y + i * c->y.token_bytes;
        if (!c->x.packed) gather(x_row, c->x.channel_bytes, w->x_row, dim, bytes);
        job = (posenc_add_job){1, (size_t)dim, c->x.packed ? x_row : w->x_row, tile + (size_t)i * e_row,
                               c->y.packed ? y_row : w->y_row, 0, 0, 0, c->scale, false};
        kernel(&job);
        if (!c->y.packed) scatter(w->y_row, y_row, c->y.channel_bytes, dim, bytes);
    }
}

/* A unit of work is one tile of tokens of one batch row. Where the batch shares its positions, the batch is the inner
 * loop, and a tile is made once for all of its rows. */
static void add_slice(void *argument, int index) {
    const call *c = argument;
    worker *w = &c->workers[index];
    int64_t tiles = (c->y.tokens + c->tile_rows - 1) / c->tile_rows, units = tiles * c->y.batch;
    int64_t unit = part_start(units, c->n_workers, index), end = part_start(units, c->n_workers, index + 1), held = -1;
    for (; unit < end; unit++) {
        int64_t tile = c->positions.shared ? unit / c->y.batch : unit % tiles;
        int64_t batch = c->positions.shared ? unit % c->y.batch : unit / tiles;
        int64_t token = tile * c->tile_rows, count = c->y.tokens - token;
        if (count > c->tile_rows) count = c->tile_rows;
        posenc_row_target target = {
            .out = w->tile, .row_bytes = (ptrdiff_t)((size_t)c->plan->rows.dim * posenc_dtype_bytes(c->e_dtype))};
        if (!c->positions.shared || held != tile) emit_tokens(c, w, batch, token, count, c->e_dtype, target, false);
        held = tile;
        add_rows(c, w, w->tile, batch, token, count);
    }
}

static int64_t rows_of_tile(int64_t dim, size_t element, int64_t tokens) {
    int64_t rows = TILE_BYTES / (dim * (int64_t)element);
    if (rows < 1) rows = 1;
    return rows < tokens ? rows : tokens;
}

/* Views of one buffer, as the q, k and v of a packed projection are: the same strides, rows that pass each other. */
static bool rows_pass(const DLTensor *x, const DLTensor *y, int64_t dim) {
    int64_t pitch = 0, bytes = x->dtype.bits / 8;
    for (int i = 0; i < x->ndim; i++) {
        int64_t stride = posenc_tensor_stride(x, i);
        if (stride != posenc_tensor_stride(y, i) || stride < 0) return false;
        if (i == x->ndim - 1) continue;
        if (pitch == 0 || stride < pitch) pitch = stride;
    }
    for (int i = 0; i < x->ndim - 1; i++)
        if (pitch == 0 || posenc_tensor_stride(x, i) % pitch != 0) return false;
    if (posenc_tensor_stride(x, x->ndim - 1) != 1 || pitch < dim) return false;
    int64_t gap = posenc_tensor_data(y) - posenc_tensor_data(x);
    gap = (gap % (pitch * bytes) + pitch * bytes) % (pitch * bytes);
    return gap >= dim * bytes && gap <= (pitch - dim) * bytes;
}

static posenc_status check_pair(const DLTensor *x, const DLTensor *y, const row_tensor *xr, const row_tensor *yr,
                                int64_t dim, posenc_error *error) {
    char xs[96], ys[96];
    posenc_shape_text(x->ndim, x->shape, xs);
    posenc_shape_text(y->ndim, y->shape, ys);
    if (x->ndim != y->ndim || xr->batch != yr->batch || xr->tokens != yr->tokens)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "y", "expected the shape of x %s, got %s", xs, ys);
    if (xr->dtype != yr->dtype)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "y", "expected the dtype of x %s, got %s", posenc_dtype_name(xr->dtype),
                           posenc_dtype_name(yr->dtype));
    if (posenc_tensors_meet(x, y) && !posenc_tensors_same(x, y) && !rows_pass(x, y, dim))
        return posenc_fail(error, POSENC_ERROR_OVERLAP, "y", "expected x itself or memory apart from it, got a partial overlap");
    return check_folds(y, "y", error);
}

posenc_status posenc_plan_add(const posenc_plan *plan, const posenc_positions *positions, const DLTensor *x, double scale,
                              DLTensor *y, posenc_error *error) {
    call c = {.plan = plan, .scale = scale};
    posenc_status status = check_plan(plan, error);
    if (status == POSENC_OK) status = open_rows(plan, x, "x", &c.x, error);
    if (status == POSENC_OK) status = open_rows(plan, y, "y", &c.y, error);
    if (status == POSENC_OK) status = check_pair(x, y, &c.x, &c.y, plan->rows.dim, error);
    if (status == POSENC_OK && !isfinite(scale))
        status = posenc_fail(error, POSENC_ERROR_ARGUMENT, "scale", "expected a finite number, got %g", scale);
    if (status == POSENC_OK) status = posenc_positions_open(positions, c.y.batch, c.y.tokens, &c.positions, error);
    if (status == POSENC_OK) status = check_ids_apart(positions, y, "y", error);
    if (status != POSENC_OK) return status;
    /* Where no tile would serve twice, rows are added as they are made. */
    bool once = c.y.batch == 1 || !c.positions.shared;
    if (once && c.x.packed && c.y.packed && posenc_rows_can_add(&plan->rows, c.y.dtype)) return run(&c, put_slice, error);
    c.e_dtype = c.y.dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    c.tile_rows = rows_of_tile(plan->rows.dim, posenc_dtype_bytes(c.e_dtype), c.y.tokens);
    return run(&c, add_slice, error);
}

/* ---- plain pointers ---- */

posenc_status posenc_plan_write_f32(const posenc_plan *plan, int64_t start, int64_t tokens, float *out) {
    if (!plan || tokens < 0 || (!out && tokens > 0)) return POSENC_ERROR_ARGUMENT;
    posenc_view view;
    posenc_positions positions = {.size = sizeof positions, .start = start};
    return posenc_plan_write(plan, &positions, posenc_view_make(&view, out, POSENC_F32, 2, (int64_t[]){tokens, plan->rows.dim}, NULL),
                             NULL);
}

posenc_status posenc_plan_add_f32(const posenc_plan *plan, int64_t start, int64_t batch, int64_t tokens, const float *x,
                                  float *y) {
    if (!plan || tokens < 0 || batch < 0 || ((!x || !y) && tokens > 0 && batch > 0)) return POSENC_ERROR_ARGUMENT;
    posenc_view in, out;
    int64_t shape[] = {batch, tokens, plan->rows.dim};
    posenc_positions positions = {.size = sizeof positions, .start = start};
    union {
        const float *input;
        void *data;
    } unqualified = {x}; /* DLTensor has no const; x is only read */
    return posenc_plan_add(plan, &positions, posenc_view_make(&in, unqualified.data, POSENC_F32, 3, shape, NULL), 1,
                           posenc_view_make(&out, y, POSENC_F32, 3, shape, NULL), NULL);
}
