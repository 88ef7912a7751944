/* Encodings made token by token, whether computed, read from a table made longer, or padding; and the slices that make
 * them straight into y. */
#include <math.h>
#include <string.h>

#include "base/elements.h"
#include "schemes/axes_points.h"
#include "schemes/row_call_work.h"

static bool turns_sign(const posenc_row_call *call) { return call->gain && signbit(*call->gain); }

/* Padding: rows of +0 where they are written, of what the gain makes -0 of where they will be added, since x + -0 is x,
 * bit for bit. */
void posenc_row_work_emit_nothing(const posenc_row_work *c, posenc_dtype dtype, int64_t count,
                                  posenc_row_target target) {
    bool plus = !c->call->x || turns_sign(c->call);
    for (int64_t i = 0; i < count; i++) {
        char *row = target.out + i * target.row_bytes;
        if (plus)
            memset(row, 0, (size_t)c->y.dim * posenc_dtype_bytes(dtype));
        else
            posenc_fill_minus_zero(dtype, c->y.dim, row);
    }
}

void posenc_row_work_emit_position(const posenc_row_work *c, posenc_row_worker *w, const posenc_position_run *run,
                                   posenc_dtype dtype, posenc_row_target target, bool stream) {
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
            posenc_row_work_emit_nothing(c, dtype, run->count, target);
            break;
    }
}

/* Rows of the table as the call sees it, made longer. */
static void emit_resized(const posenc_row_work *c, int64_t batch, int64_t token, int64_t count,
                         posenc_row_target target) {
    while (count > 0) {
        posenc_stored_run run = posenc_resized_run_at(&c->resized, &c->positions, batch, token, count);
        if (run.kind == POSENC_STORED_NONE)
            posenc_row_work_emit_nothing(c, c->e_dtype, run.count, target);
        else
            posenc_resized_rows_write(&c->resized, run.row, run.count, target.out);
        token += run.count, count -= run.count;
        target = posenc_target_after(target, run.count);
    }
}

void posenc_row_work_emit(const posenc_row_work *c, posenc_row_worker *w, int64_t batch, int64_t token, int64_t count,
                          posenc_dtype dtype, posenc_row_target target, bool stream) {
    if (c->resized.rows > 0) {
        emit_resized(c, batch, token, count, target);
        return;
    }
    while (count > 0) {
        posenc_position_run run = posenc_position_run_at(&c->positions, batch, token, count);
        posenc_row_work_emit_position(c, w, &run, dtype, target, stream);
        token += run.count, count -= run.count;
        target = posenc_target_after(target, run.count);
    }
}

/* Writes a row to each of a token's rows. */
static void put_row(const posenc_row_work *c, const char *row, int64_t batch, int64_t token) {
    size_t bytes = posenc_dtype_bytes(c->y.dtype);
    char *y = posenc_row_at(&c->y, batch, token);
    for (int64_t r = 0; r < c->y.repeat; r++, y += c->y.repeat_bytes) {
        if (c->y.packed)
            memcpy(y, row, (size_t)c->y.dim * bytes);
        else
            posenc_scatter_elements(row, y, c->y.channel_bytes, c->y.dim, bytes);
    }
}

/* Straight into y, with x added on the way where there is one. */
static void put_tokens(const posenc_row_work *c, posenc_row_worker *w, int64_t batch, int64_t token, int64_t count) {
    posenc_row_target target = {posenc_row_at(&c->y, batch, token), c->y.token_bytes, NULL, 0, c->call->scale};
    if (c->call->x) target.x = posenc_row_at(&c->x, batch, token), target.x_row_bytes = c->x.token_bytes;
    if (c->y.packed && c->y.repeat == 1) {
        posenc_row_work_emit(c, w, batch, token, count, c->y.dtype, target, c->stream);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        posenc_row_work_emit(c, w, batch, token + i, 1, c->y.dtype, (posenc_row_target){.out = w->y_row}, false);
        put_row(c, w->y_row, batch, token + i);
    }
}

void posenc_row_put_slice(const void *call, void *own, int index) {
    posenc_row_work_each(call, own, index, put_tokens);
}
