/* Rows of grids. Along the last axis rows follow each other like those of a line, and are made like them; what the
 * other axes add stays the same for all of such a run: made once, and copied row by row. */
#include <string.h>

#include "base/elements.h"
#include "base/error.h"
#include "base/memory.h"
#include "schemes/axes.h"

/* One slice's part: its scratch, and the coordinate whose values stand in the held row. */
typedef struct slice_scratch {
    posenc_row_scratch rows;
    bool holds;
    posenc_dtype dtype;
    posenc_coordinate held;
} slice_scratch;

struct posenc_axes_scratch {
    const posenc_rows *rows;
    char *row;     /* of every slice what it holds, in its place */
    char *nothing; /* a row of -0, once one is needed: x + -0 is x, bit for bit */
    posenc_dtype nothing_dtype;
    slice_scratch slices[POSENC_MOST_AXES];
};

static void destroy_slices(posenc_axes_scratch *scratch, int made) {
    for (int i = 0; i < made; i++) posenc_row_scratch_destroy(&scratch->slices[i].rows);
    posenc_release(scratch->rows->engine.context, scratch);
}

posenc_status posenc_axes_scratch_create(posenc_axes_scratch **out, const posenc_rows *rows, posenc_error *error) {
    size_t row = (size_t)rows->dim * sizeof(double), bytes = sizeof(posenc_axes_scratch) + 2 * row;
    posenc_axes_scratch *scratch = posenc_allocate(rows->engine.context, bytes);
    if (!scratch) return posenc_fail_memory(error, "scratch", bytes);
    memset(scratch, 0, sizeof *scratch);
    scratch->rows = rows;
    scratch->row = (char *)(scratch + 1);
    scratch->nothing = scratch->row + row;
    scratch->nothing_dtype = POSENC_DTYPE_COUNT;
    for (int i = 0; i < rows->axes->n_slices; i++) {
        posenc_status status = posenc_row_scratch_create(&scratch->slices[i].rows, &rows->axes->slices[i].rows, error);
        if (status == POSENC_OK) continue;
        destroy_slices(scratch, i);
        return status;
    }
    *out = scratch;
    return POSENC_OK;
}

void posenc_axes_scratch_destroy(posenc_axes_scratch *scratch) {
    if (scratch) destroy_slices(scratch, scratch->rows->axes->n_slices);
}

/* ---- copying ---- */

static const char *nothing_of(posenc_axes_scratch *scratch, posenc_dtype dtype) {
    if (scratch->nothing_dtype == dtype) return scratch->nothing;
    posenc_fill_minus_zero(dtype, scratch->rows->dim, scratch->nothing);
    scratch->nothing_dtype = dtype;
    return scratch->nothing;
}

/* n values to count rows. A fill that goes around the caches must do so with all of a row: with a plain copy of these
 * values it took 1.4 times a memcpy of the table, with this 0.9. So they go through the kernel that adds, and it adds
 * nothing. */
static void copy_values(posenc_axes_scratch *scratch, posenc_dtype dtype, const char *values, size_t n, int64_t count,
                        posenc_row_target target, bool stream) {
    if (!stream) {
        for (int64_t i = 0; i < count; i++)
            memcpy(target.out + i * target.row_bytes, values, n * posenc_dtype_bytes(dtype));
        return;
    }
    posenc_add_job job = {.rows = (size_t)count,
                          .n = n,
                          .x = values,
                          .e = nothing_of(scratch, dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32),
                          .y = target.out,
                          .y_bytes = target.row_bytes,
                          .scale = 1,
                          .stream = true};
    scratch->rows->engine.kernels->add[dtype](&job);
}

/* The target from a channel on. */
static posenc_row_target from_channel(posenc_row_target target, int64_t column, posenc_dtype dtype) {
    target.out += (size_t)column * posenc_dtype_bytes(dtype);
    return target;
}

/* The channels from column on are zero. */
static void emit_zeros(const posenc_rows *rows, int64_t column, posenc_dtype dtype, int64_t count,
                       posenc_row_target target) {
    size_t bytes = (size_t)(rows->dim - column) * posenc_dtype_bytes(dtype);
    if (bytes == 0) return;
    target = from_channel(target, column, dtype);
    for (int64_t i = 0; i < count; i++) memset(target.out + i * target.row_bytes, 0, bytes);
}

/* ---- one slice ---- */

static bool holds(const slice_scratch *s, posenc_dtype dtype, posenc_coordinate c) {
    if (!s->holds || s->dtype != dtype || s->held.is_real != c.is_real) return false;
    return c.is_real ? s->held.real == c.real : s->held.whole == c.whole;
}

/* The values of one coordinate, made unless they are held. */
static const char *hold(posenc_axes_scratch *scratch, int slice, posenc_dtype dtype, posenc_coordinate c) {
    slice_scratch *s = &scratch->slices[slice];
    char *at = scratch->row + (size_t)scratch->rows->axes->slices[slice].column * sizeof(double);
    posenc_row_target target = {.out = at};
    if (holds(s, dtype, c)) return at;
    if (c.is_real)
        posenc_rows_emit_real(&s->rows, dtype, c.real, target);
    else
        posenc_rows_emit_run(&s->rows, dtype, c.whole, 1, target, false);
    s->holds = true, s->dtype = dtype, s->held = c;
    return at;
}

/* The values of one coordinate in count rows, whose slice is the target. */
static void emit_coordinate(posenc_axes_scratch *scratch, int slice, posenc_dtype dtype, posenc_coordinate c,
                            int64_t count, posenc_row_target target, bool stream) {
    size_t n = (size_t)scratch->rows->axes->slices[slice].rows.dim;
    copy_values(scratch, dtype, hold(scratch, slice, dtype, c), n, count, target, stream);
}

/* ---- rows ---- */

/* Cells that follow each other on the last axis. */
static void emit_line(posenc_axes_scratch *scratch, posenc_dtype dtype, const int64_t *cell, int64_t count,
                      posenc_row_target target, bool stream) {
    const posenc_grid *axes = scratch->rows->axes;
    for (int i = 0; i < axes->n_slices; i++) {
        const posenc_axis_slice *a = &axes->slices[i];
        int64_t coordinate = cell[a->axis] + a->first;
        posenc_row_target part = from_channel(target, a->column, dtype);
        if (a->axis == axes->n - 1)
            posenc_rows_emit_run(&scratch->slices[i].rows, dtype, coordinate, count, part, stream);
        else
            emit_coordinate(scratch, i, dtype, (posenc_coordinate){.whole = coordinate}, count, part, stream);
    }
    emit_zeros(scratch->rows, axes->used, dtype, count, target);
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

void posenc_axes_emit_run(posenc_axes_scratch *scratch, posenc_dtype dtype, int64_t start, int64_t count,
                          posenc_row_target target, bool stream) {
    const posenc_grid *axes = scratch->rows->axes;
    int64_t cell[POSENC_MOST_AXES];
    while (count > 0) {
        int64_t here;
        if (!posenc_axes_cell(axes, start, cell)) {
            here = smaller(count, axes->prefix - start);
            emit_zeros(scratch->rows, 0, dtype, here, target);
        } else {
            here = smaller(count, axes->extents[axes->n - 1] - cell[axes->n - 1]);
            emit_line(scratch, dtype, cell, here, target, stream);
        }
        start += here, count -= here;
        target = posenc_target_after(target, here);
    }
}

void posenc_axes_emit_point(posenc_axes_scratch *scratch, posenc_dtype dtype, const posenc_coordinate *point,
                            posenc_row_target target) {
    const posenc_grid *axes = scratch->rows->axes;
    for (int i = 0; i < axes->n_slices; i++)
        emit_coordinate(scratch, i, dtype, point[axes->slices[i].axis], 1,
                        from_channel(target, axes->slices[i].column, dtype), false);
    emit_zeros(scratch->rows, axes->used, dtype, 1, target);
}
