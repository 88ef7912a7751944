#include "schemes/rows.h"

#include <string.h>

#include "base/error.h"
#include "base/half.h"
#include "base/memory.h"
#include "phasor/float32.h"
#include "schemes/axes.h"

/* One row in double, and one in float behind it. */
static posenc_status create_makers_scratch(posenc_row_scratch *scratch, posenc_error *error) {
    const posenc_rows *rows = scratch->rows;
    size_t bytes = (size_t)rows->dim * (sizeof(double) + sizeof(float));
    scratch->doubles = posenc_allocate(rows->engine.context, bytes);
    if (!scratch->doubles) return posenc_fail_memory(error, "scratch", bytes);
    scratch->floats = (float *)(void *)(scratch->doubles + rows->dim);
    return POSENC_OK;
}

posenc_status posenc_row_scratch_create(posenc_row_scratch *scratch, const posenc_rows *rows, posenc_error *error) {
    *scratch = (posenc_row_scratch){.rows = rows};
    if (rows->maker) return create_makers_scratch(scratch, error);
    if (rows->axes) return posenc_axes_scratch_create(&scratch->axes, rows, error);
    posenc_status status = posenc_phasor_scratch_create(&scratch->phasors, &rows->engine, error);
    if (status != POSENC_OK || !rows->inv_freq) return status;
    size_t bytes = (3 * rows->engine.padded + (size_t)rows->dim) * sizeof(float);
    scratch->floats = posenc_allocate(rows->engine.context, bytes);
    if (scratch->floats) return POSENC_OK;
    posenc_phasor_scratch_destroy(&scratch->phasors);
    return posenc_fail_memory(error, "scratch", bytes);
}

void posenc_row_scratch_destroy(posenc_row_scratch *scratch) {
    if (scratch->rows->maker) {
        posenc_release(scratch->rows->engine.context, scratch->doubles);
        return;
    }
    if (scratch->rows->axes) {
        posenc_axes_scratch_destroy(scratch->axes);
        return;
    }
    posenc_phasor_scratch_destroy(&scratch->phasors);
    posenc_release(scratch->rows->engine.context, scratch->floats);
}

static posenc_row_format format_of(const posenc_rows *rows, posenc_dtype dtype, bool stream) {
    posenc_row_format f = {dtype, POSENC_SIN_COS, rows->n_first, rows->n_second, 0, 0, stream};
    if (rows->planar) {
        ptrdiff_t second = (ptrdiff_t)(rows->n_first * posenc_dtype_bytes(dtype));
        f.order = POSENC_PLANAR;
        f.first_bytes = rows->cos_first ? second : 0; /* where the sines stand */
        f.second_bytes = rows->cos_first ? 0 : second;
    } else if (rows->cos_first) {
        f.order = POSENC_COS_SIN;
    }
    return f;
}

/* The columns past the last pair are zero. */
static void emit_zeros(const posenc_rows *rows, posenc_dtype dtype, int64_t count, posenc_row_target target) {
    size_t used = (rows->n_first + rows->n_second) * posenc_dtype_bytes(dtype);
    size_t bytes = (size_t)rows->dim * posenc_dtype_bytes(dtype) - used;
    if (bytes == 0) return;
    for (int64_t i = 0; i < count; i++) memset(target.out + i * target.row_bytes + used, 0, bytes);
}

/* One row in a float32 arithmetic. */
static void emit_float32(posenc_row_scratch *s, posenc_dtype dtype, float position, char *out) {
    const posenc_rows *rows = s->rows;
    const posenc_engine *e = &rows->engine;
    float *sines = s->floats + e->padded, *cosines = sines + e->padded, *row = cosines + e->padded;
    float factor = rows->angle_scale != 0 ? rows->angle_scale : 1;
    posenc_float32_phasors(e->kernels, rows->inv_freq, e->n, position, factor, sines, cosines, s->floats,
                           s->phasors.work);
    const float *first = rows->cos_first ? cosines : sines, *second = rows->cos_first ? sines : cosines;
    size_t step = rows->planar ? 1 : 2, second_at = rows->planar ? rows->n_first : 1;
    memset(row, 0, (size_t)rows->dim * sizeof *row);
    for (size_t i = 0; i < rows->n_first; i++) row[i * step] = first[i];
    for (size_t i = 0; i < rows->n_second; i++) row[second_at + i * step] = second[i];
    e->kernels->narrow[dtype](row, out, (size_t)rows->dim);
}

/* One row of a scheme's own values, each rounded once. */
static void emit_made(posenc_row_scratch *s, posenc_dtype dtype, int64_t position, char *out) {
    const posenc_rows *rows = s->rows;
    size_t n = (size_t)rows->dim;
    rows->maker(rows, position, s->doubles);
    if (dtype == POSENC_F64) {
        memcpy(out, s->doubles, n * sizeof *s->doubles);
        return;
    }
    for (size_t i = 0; i < n; i++)
        s->floats[i] = dtype == POSENC_F32 ? (float)s->doubles[i] : posenc_f32_odd_of_f64(s->doubles[i]);
    rows->engine.kernels->narrow[dtype](s->floats, out, n);
}

bool posenc_rows_can_add(const posenc_rows *rows, posenc_dtype dtype) {
    bool no_zeros = rows->n_first + rows->n_second == (size_t)rows->dim;
    return !rows->maker && !rows->axes && !rows->inv_freq && no_zeros && rows->engine.kernels->add_rows[dtype][0];
}

void posenc_rows_emit_run(posenc_row_scratch *s, posenc_dtype dtype, int64_t start, int64_t count,
                          posenc_row_target target, bool stream) {
    if (s->rows->maker) {
        for (int64_t i = 0; i < count; i++) emit_made(s, dtype, start + i, target.out + i * target.row_bytes);
        return;
    }
    if (s->rows->axes) {
        posenc_axes_emit_run(s->axes, dtype, start, count, target, stream);
        return;
    }
    if (s->rows->inv_freq) {
        for (int64_t i = 0; i < count; i++)
            emit_float32(s, dtype, (float)(start + i), target.out + i * target.row_bytes);
        return;
    }
    posenc_row_format format = format_of(s->rows, dtype, stream);
    posenc_emit_run(&s->phasors, &format, start, count, target);
    emit_zeros(s->rows, dtype, count, target);
}

void posenc_rows_emit_real(posenc_row_scratch *s, posenc_dtype dtype, double position, posenc_row_target target) {
    if (s->rows->inv_freq) {
        emit_float32(s, dtype, (float)position, target.out);
        return;
    }
    posenc_row_format format = format_of(s->rows, dtype, false);
    posenc_emit_real(&s->phasors, &format, position, target);
    emit_zeros(s->rows, dtype, 1, target);
}
