/* One decoded sequence: the scratch of a call, kept from token to token. */
#include <posenc/cursor.h>

#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "schemes/scheme.h"

struct posenc_cursor {
    const posenc_plan *plan;
    posenc_row_scratch scratch;
    float *row;
};

posenc_status posenc_cursor_create(const posenc_plan *plan, posenc_cursor **out, posenc_error *error) {
    if (!plan || !out)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, plan ? "out" : "plan", "expected a pointer, got NULL");
    posenc_status status = posenc_plan_must_add_rows(plan, error);
    if (status != POSENC_OK) return status;
    size_t bytes = sizeof(posenc_cursor) + (size_t)plan->rows.dim * sizeof(float);
    posenc_cursor *cursor = posenc_allocate(plan->context, bytes);
    if (!cursor) return posenc_fail_memory(error, "cursor", bytes);
    cursor->plan = plan;
    cursor->row = (float *)(void *)(cursor + 1);
    status = posenc_row_scratch_create(&cursor->scratch, &plan->rows, error);
    if (status != POSENC_OK) {
        posenc_release(plan->context, cursor);
        return status;
    }
    *out = cursor;
    return POSENC_OK;
}

void posenc_cursor_destroy(posenc_cursor *cursor) {
    if (!cursor) return;
    posenc_row_scratch_destroy(&cursor->scratch);
    posenc_release(cursor->plan->context, cursor);
}

static bool has_row(const posenc_cursor *cursor, int64_t position) {
    int64_t length = cursor->plan->rows.length;
    return length == 0 || (position >= 0 && position < length);
}

posenc_status posenc_cursor_write_f32(posenc_cursor *cursor, int64_t position, float *out) {
    if (!cursor || !out) return POSENC_ERROR_ARGUMENT;
    if (!has_row(cursor, position)) return POSENC_ERROR_POSITION;
    posenc_fpenv saved = posenc_fpenv_enter();
    posenc_rows_emit_run(&cursor->scratch, POSENC_F32, position, 1, (posenc_row_target){.out = (char *)out}, false);
    posenc_fpenv_leave(saved);
    return POSENC_OK;
}

posenc_status posenc_cursor_add_f32(posenc_cursor *cursor, int64_t position, const float *x, float *y) {
    if (!cursor || !x || !y) return POSENC_ERROR_ARGUMENT;
    if (!has_row(cursor, position)) return POSENC_ERROR_POSITION;
    posenc_fpenv saved = posenc_fpenv_enter();
    posenc_rows_emit_run(&cursor->scratch, POSENC_F32, position, 1, (posenc_row_target){.out = (char *)cursor->row},
                         false);
    posenc_add_job job = {.rows = 1, .n = (size_t)cursor->plan->rows.dim, .x = x, .e = cursor->row, .y = y, .scale = 1};
    cursor->plan->rows.engine.kernels->add[POSENC_F32](&job);
    posenc_fpenv_leave(saved);
    return POSENC_OK;
}
