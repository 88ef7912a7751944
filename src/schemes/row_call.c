/* The door of a call on rows: everything is checked and allocated before the first output byte, then a way through is
 * picked. */
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "schemes/axes_points.h"
#include "schemes/row_call_work.h"

/* Rows of encodings are made in tiles of this many bytes, which stay in the second-level cache while they are added. */
enum { TILE_BYTES = 64 << 10 };

/* Where a row serves many, a tile's tokens are no more than this many bytes of y, so that threads have tiles to share.
 */
enum { SHARED_BYTES = 1 << 20 };

/* A row that is added to many rows in a line is laid out again and again over this many channels at most, so that the
 * kernel goes through long rows. */
enum { WIDE = 4096 };

static int64_t rows_of_tile(const posenc_row_work *c) {
    int64_t row_bytes = c->y.dim * (int64_t)posenc_dtype_bytes(c->e_dtype), rows = TILE_BYTES / row_bytes;
    int64_t shared = SHARED_BYTES / row_bytes / c->y.repeat;
    if (c->y.repeat > 1 && rows > shared) rows = shared;
    if (rows < 1) rows = 1;
    return rows < c->y.tokens ? rows : c->y.tokens;
}

/* Laying an encoding out pays where it is used a few times. */
static int64_t wide_rows_of(const posenc_row_work *c) {
    ptrdiff_t row_bytes = (ptrdiff_t)c->y.dim * (ptrdiff_t)posenc_dtype_bytes(c->y.dtype);
    int64_t rows = WIDE / c->y.dim;
    bool in_line = c->x.packed && c->y.packed && c->x.repeat_bytes == row_bytes && c->y.repeat_bytes == row_bytes;
    if (rows > c->y.repeat / 4) rows = c->y.repeat / 4;
    return in_line && rows > 1 ? rows : 0;
}

/* Looks at every position, where not all of them have a row, before anything is written. */
static posenc_status check_stored(posenc_row_work *c, bool *past, posenc_error *error) {
    int64_t largest;
    if (c->stored.rows == 0) return POSENC_OK;
    posenc_status status = posenc_stored_rows_check(&c->stored, &c->positions, c->y.batch, &largest, error);
    if (status != POSENC_OK || largest < c->stored.rows) return status;
    *past = true;
    if (c->stored.outside != POSENC_OUTSIDE_RESIZED) return POSENC_OK;
    return posenc_resized_rows_open(&c->stored, c->e_dtype, c->y.dim, largest, &c->resized, error);
}

static posenc_status open_tensors(posenc_row_work *c, posenc_error *error) {
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
static posenc_status group_tokens(posenc_row_work *c, int64_t repeat, posenc_error *error) {
    const posenc_row_call *call = c->call;
    posenc_status status = posenc_row_tensor_group(&c->y, call->y_name, repeat, error);
    return status == POSENC_OK && call->x ? posenc_row_tensor_group(&c->x, call->x_name, repeat, error) : status;
}

/* Stored rows. The whole batch at the same positions is served in the order of tokens; so is what fits the caches. */
static posenc_status run_table(posenc_row_work *c, posenc_error *error) {
    const posenc_token_positions *p = &c->positions;
    size_t work = posenc_row_work_bytes(c);
    bool once = !p->shared || c->y.batch == 1, even = !p->ids && !p->resolved && !p->offsets;
    if (once && !even && work >= c->call->plan->stream_bytes)
        c->strips = posenc_strips_find(p, c->y.batch, c->tile_rows, posenc_slices(c->context, work));
    posenc_status status =
        posenc_row_work_run(c, c->strips.n ? posenc_row_add_strips_slice : posenc_row_add_slice, error);
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

static posenc_status run_scale(posenc_row_work *c, posenc_error *error) {
    if (c->y.repeat > 1 && (c->y.tokens == 1 || (in_line(&c->x) && in_line(&c->y)))) {
        ungroup(&c->x);
        ungroup(&c->y);
    }
    return posenc_row_work_run(c, posenc_row_scale_slice, error);
}

/* Picks the way through: straight into y, from tiles or a table, or without encodings. */
static posenc_status run_open(posenc_row_work *c, bool *past, posenc_error *error) {
    const posenc_row_call *call = c->call;
    if (c->y.batch == 0 || c->y.tokens == 0 || c->y.repeat == 0) return POSENC_OK;
    c->e_dtype = c->y.dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    posenc_status status = check_stored(c, past, error);
    if (status != POSENC_OK) return status;
    if (!call->x) return posenc_row_work_run(c, posenc_row_put_slice, error);
    bool once = c->y.repeat == 1 && (c->y.batch == 1 || !c->positions.shared); /* no row would serve twice */
    bool plain = !c->stored.data && !call->dropout.active && !c->positions.skips && c->x.packed && c->y.packed &&
                 !call->gain && !call->dot;
    if (call->adds && once && plain && posenc_rows_can_add(&call->plan->rows, c->y.dtype))
        return posenc_row_work_run(c, posenc_row_put_slice, error);
    c->tile_rows = rows_of_tile(c);
    c->wide_rows = wide_rows_of(c);
    if (c->stored.data && c->resized.rows == 0) return run_table(c, error);
    return call->adds ? posenc_row_work_run(c, posenc_row_add_slice, error) : run_scale(c, error);
}

/* Inner products are made token by token as sums are, and added up at the end. */
static posenc_status run_dots(posenc_row_work *c, bool *past, posenc_error *error) {
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

static posenc_status open_positions(posenc_row_work *c, const posenc_positions *given, posenc_error *error) {
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
    posenc_row_work c = {.call = call,
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
