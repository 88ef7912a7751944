/* A learned table of another length, or of another grid: each new row is a mixture of the old rows around its place.
 * One axis is a grid of one line. Whole new rows are shared out among threads, and nothing is summed across them. */
#include <posenc/resize.h>

#include "base/checked.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/threads.h"
#include "schemes/resize_weights.h"
#include "schemes/row_mix.h"

void posenc_resize_default(posenc_resize_options *options, size_t size) {
    posenc_resize_options all = {.size = size, .first = -1};
    posenc_options_write(options, size, &all, sizeof all);
}

typedef struct resize {
    const posenc_context *context;
    posenc_resize_options options; /* on one axis too, from and to are what they are on a grid */
    posenc_row_tensor old, out;    /* (1, rows, dim) */
    posenc_resize_axis axes[2];    /* vertical, horizontal; without new rows: none */
    int64_t first;                 /* row of the new table that out begins with */
    int64_t new_rows;              /* behind the prefix, of the whole new table */
    int64_t room[2];               /* weights for the taps of one index of each axis */
    int n_slices;
    double *weights; /* (n_slices, room[0] + room[1]) */
} resize;

/* ---- the door: options ---- */

static posenc_status check_grid(const int64_t grid[2], posenc_status status, const char *name, posenc_error *error) {
    if (grid[0] >= 0 && grid[1] >= 0 && grid[0] <= POSENC_RESIZE_MOST && grid[1] <= POSENC_RESIZE_MOST)
        return POSENC_OK;
    return posenc_fail(error, status, name, "expected a grid of 0..2^58 by 0..2^58, got %lld x %lld",
                       (long long)grid[0], (long long)grid[1]);
}

static bool has_grids(const posenc_resize_options *o) { return o->from[0] || o->from[1] || o->to[0] || o->to[1]; }

static posenc_status check_first(const posenc_resize_options *o, posenc_error *error) {
    if (o->first < -1)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "first", "expected a row, or -1 for all, got %lld",
                           (long long)o->first);
    if (o->first < 0 || has_grids(o)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "first", "expected from and to beside it, got neither");
}

static posenc_status check_options(const posenc_resize_options *o, posenc_error *error) {
    if (o->mode != POSENC_INTERPOLATION_LINEAR && o->mode != POSENC_INTERPOLATION_CUBIC)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "mode", "expected 0 or 1, got %d", (int)o->mode);
    if (o->antialias && o->align_corners)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "align_corners",
                           "expected either antialias or align_corners, got both");
    if (o->prefix < 0)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "prefix", "expected 0 or more rows, got %lld",
                           (long long)o->prefix);
    posenc_status status = check_grid(o->from, POSENC_ERROR_ARGUMENT, "from", error);
    if (status == POSENC_OK) status = check_grid(o->to, POSENC_ERROR_ARGUMENT, "to", error);
    return status == POSENC_OK ? check_first(o, error) : status;
}

/* ---- the door: tensors ---- */

static posenc_status check_pair(const DLTensor *table, const DLTensor *out, const resize *r, posenc_error *error) {
    char old_shape[96], out_shape[96];
    posenc_shape_text(table->ndim, table->shape, old_shape);
    posenc_shape_text(out->ndim, out->shape, out_shape);
    if (table->ndim != out->ndim || r->old.dim != r->out.dim)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "out", "expected the rank and dim of table %s, got %s", old_shape,
                           out_shape);
    if (r->old.dtype != r->out.dtype)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "out", "expected the dtype of table %s, got %s",
                           posenc_dtype_name(r->old.dtype), posenc_dtype_name(r->out.dtype));
    if (posenc_tensors_meet(table, out))
        return posenc_fail(error, POSENC_ERROR_OVERLAP, "out", "expected memory apart from table, got some of it");
    return posenc_row_tensor_check_output(out, "out", error);
}

/* ---- the door: rows ---- */

static posenc_status check_rows(const int64_t grid[2], int64_t prefix, int64_t rows, const char *name,
                                posenc_error *error) {
    int64_t expected;
    if (posenc_i64_multiply(grid[0], grid[1], &expected) && posenc_i64_add(expected, prefix, &expected) &&
        expected == rows)
        return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_SHAPE, name,
                       "expected the rows of a grid of %lld x %lld behind a prefix of %lld, got %lld rows",
                       (long long)grid[0], (long long)grid[1], (long long)prefix, (long long)rows);
}

/* out: all rows of the new table, or the part that begins with row first. */
static posenc_status check_new_rows(const resize *r, posenc_error *error) {
    const posenc_resize_options *o = &r->options;
    int64_t all;
    if (o->first < 0) return check_rows(o->to, o->prefix, r->out.tokens, "out", error);
    if (!posenc_i64_multiply(o->to[0], o->to[1], &all) || !posenc_i64_add(all, o->prefix, &all))
        return posenc_fail(error, POSENC_ERROR_SHAPE, "out", "expected a new table of below 2^63 rows, got %lld x %lld",
                           (long long)o->to[0], (long long)o->to[1]);
    if (o->first <= all && r->out.tokens <= all - o->first) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_SHAPE, "out",
                       "expected rows from %lld on of a new table of %lld rows, got %lld rows", (long long)o->first,
                       (long long)all, (long long)r->out.tokens);
}

static posenc_status check_prefix(const resize *r, posenc_error *error) {
    long long prefix = r->options.prefix;
    if (prefix > r->old.tokens)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "prefix", "expected at most the %lld rows of table, got %lld",
                           (long long)r->old.tokens, prefix);
    if (r->options.first < 0 && prefix > r->out.tokens)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "out", "expected at least the %lld rows of the prefix, got %lld",
                           prefix, (long long)r->out.tokens);
    return POSENC_OK;
}

/* from and to where they are not given: one axis. */
static posenc_status find_lines(resize *r, posenc_error *error) {
    posenc_resize_options *o = &r->options;
    o->from[0] = o->to[0] = 1;
    o->from[1] = r->old.tokens - o->prefix;
    o->to[1] = r->out.tokens - o->prefix;
    posenc_status status = check_grid(o->from, POSENC_ERROR_SHAPE, "table", error);
    return status == POSENC_OK ? check_grid(o->to, POSENC_ERROR_SHAPE, "out", error) : status;
}

static posenc_status find_grids(resize *r, posenc_error *error) {
    const posenc_resize_options *o = &r->options;
    posenc_status status = check_prefix(r, error);
    if (status != POSENC_OK) return status;
    if (!has_grids(o)) return find_lines(r, error);
    status = check_rows(o->from, o->prefix, r->old.tokens, "table", error);
    return status == POSENC_OK ? check_new_rows(r, error) : status;
}

static posenc_status find_axes(resize *r, posenc_error *error) {
    const posenc_resize_options *o = &r->options;
    r->first = o->first < 0 ? 0 : o->first;
    r->new_rows = o->to[0] * o->to[1]; /* checked before */
    if (r->new_rows == 0) return POSENC_OK;
    if (r->old.tokens == o->prefix)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "table",
                           "expected rows behind a prefix of %lld to make %lld new ones of, got none",
                           (long long)o->prefix, (long long)r->new_rows);
    for (int i = 0; i < 2; i++) {
        r->axes[i] = posenc_resize_axis_of(o, o->from[i], o->to[i]);
        r->room[i] = posenc_taps_most(&r->axes[i]);
    }
    return POSENC_OK;
}

static posenc_status open_resize(resize *r, const posenc_resize_options *options, const DLTensor *table, DLTensor *out,
                                 posenc_error *error) {
    posenc_resize_default(&r->options, sizeof r->options);
    posenc_status status = posenc_options_read(options, &r->options, sizeof r->options, "options.size", error);
    if (status == POSENC_OK) status = check_options(&r->options, error);
    if (status == POSENC_OK) status = posenc_row_tensor_open_table(table, "table", &r->old, error);
    if (status == POSENC_OK) status = posenc_row_tensor_open_table(out, "out", &r->out, error);
    if (status == POSENC_OK) status = check_pair(table, out, r, error);
    if (status == POSENC_OK) status = find_grids(r, error);
    return status == POSENC_OK ? find_axes(r, error) : status;
}

/* ---- the walk ---- */

static void resize_slice(void *argument, int index) {
    const resize *r = argument;
    const posenc_resize_options *o = &r->options;
    double *weights = r->weights + index * (r->room[0] + r->room[1]);
    posenc_mixture m = {.old = &r->old, .first_row = o->prefix, .width = o->from[1]};
    m.vertical.weights = weights;
    m.horizontal.weights = weights + r->room[0];
    int64_t out_row = posenc_i64_share(index, r->out.tokens, r->n_slices);
    int64_t end = posenc_i64_share(index + 1, r->out.tokens, r->n_slices);
    for (; out_row < end; out_row++) {
        int64_t row = r->first + out_row;
        if (row < o->prefix) {
            posenc_row_copy(&r->old, row, &r->out, out_row);
            continue;
        }
        posenc_taps_find(&r->axes[0], (row - o->prefix) / o->to[1], &m.vertical);
        posenc_taps_find(&r->axes[1], (row - o->prefix) % o->to[1], &m.horizontal);
        if (m.vertical.count == 1 && m.horizontal.count == 1)
            posenc_row_copy(&r->old, o->prefix + m.vertical.first * m.width + m.horizontal.first, &r->out, out_row);
        else
            posenc_row_mix(&m, &r->out, out_row);
    }
}

/* Bytes that the walk moves, or so: each tap of a new row is about as much work as writing one in double. */
static size_t work_of(const resize *r) {
    double taps = r->new_rows ? (double)r->room[0] * (double)r->room[1] : 1;
    double bytes = (double)r->out.tokens * (double)r->out.dim * sizeof(double) * taps;
    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX / 2;
}

static posenc_status allocate_weights(resize *r, posenc_error *error) {
    size_t bytes = SIZE_MAX;
    int64_t room = r->room[0] + r->room[1];
    r->n_slices = posenc_slices(r->context, work_of(r));
    if (r->n_slices > r->out.tokens) r->n_slices = (int)r->out.tokens;
    if (posenc_i64_multiply(room, r->n_slices, &room) && posenc_bytes_of(room, sizeof(double), &bytes))
        r->weights = posenc_allocate(r->context, bytes);
    return r->weights ? POSENC_OK : posenc_fail_memory(error, "weights", bytes);
}

posenc_status posenc_resize(const posenc_context *context, const posenc_resize_options *options, const DLTensor *table,
                            DLTensor *out, posenc_error *error) {
    resize r = {.context = context};
    posenc_status status = open_resize(&r, options, table, out, error);
    if (status != POSENC_OK || r.out.tokens == 0 || r.out.dim == 0) return status;
    status = allocate_weights(&r, error);
    if (status != POSENC_OK) return status;
    posenc_parallel(context, r.n_slices, resize_slice, &r);
    posenc_release(context, r.weights);
    return POSENC_OK;
}
