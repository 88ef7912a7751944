#include "schemes/axes_points.h"

#include <math.h>
#include <stdio.h>

#include "base/elements.h"
#include "base/error.h"
#include "base/tensor.h"

/* ---- the door ---- */

static bool is_2d(const DLTensor *t, int64_t rows, int64_t columns) {
    return t->ndim == 2 && t->shape[0] == rows && t->shape[1] == columns;
}

posenc_status posenc_points_given(const posenc_grid *axes, const posenc_positions *given, int64_t batch, int64_t tokens,
                                  bool *points, posenc_error *error) {
    const DLTensor *ids = given->ids;
    *points = false;
    if (!axes || !ids || !ids->shape) return POSENC_OK;
    *points = ids->ndim == 3 || is_2d(ids, tokens, axes->n);
    if (ids->ndim == 3 || !*points || !is_2d(ids, batch, tokens)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_SHAPE, "position_ids",
                       "expected a shape that says what they are, got (%lld, %lld), which is (batch, tokens) and "
                       "(tokens, axes): give points as (batch, tokens, axes), indices as (tokens)",
                       (long long)tokens, (long long)axes->n);
}

static posenc_status check_shape(const DLTensor *ids, const posenc_grid *axes, int64_t batch, int64_t tokens,
                                 posenc_error *error) {
    if (is_2d(ids, tokens, axes->n)) return POSENC_OK;
    if (ids->ndim == 3 && ids->shape[0] == batch && ids->shape[1] == tokens && ids->shape[2] == axes->n)
        return POSENC_OK;
    char shape[96];
    posenc_shape_text(ids->ndim, ids->shape, shape);
    return posenc_fail(error, POSENC_ERROR_SHAPE, "position_ids",
                       "expected points (%lld, %d) or (%lld, %lld, %d), got %s", (long long)tokens, axes->n,
                       (long long)batch, (long long)tokens, axes->n, shape);
}

static const char *point_at(const posenc_token_positions *p, int64_t batch, int64_t token) {
    return p->ids + batch * p->batch_bytes + token * p->token_bytes;
}

static posenc_status check_point(const posenc_token_positions *p, int64_t batch, int64_t token, posenc_error *error) {
    for (int a = 0; a < p->axes; a++) {
        double value = posenc_real_element(POSENC_F64, point_at(p, batch, token) + a * p->axis_bytes);
        if (!(fabs(value) <= 0x1p53))
            return posenc_fail(error, POSENC_ERROR_POSITION, "position_ids",
                               "expected finite coordinates within 2^53, got %g at batch %lld, token %lld, axis %d",
                               value, (long long)batch, (long long)token, a);
    }
    return POSENC_OK;
}

static posenc_status check_reals(const posenc_token_positions *p, int64_t batch, posenc_error *error) {
    posenc_status status = POSENC_OK;
    for (int64_t b = 0; b < (p->shared ? 1 : batch); b++)
        for (int64_t t = 0; t < p->tokens && status == POSENC_OK; t++) status = check_point(p, b, t, error);
    return status;
}

posenc_status posenc_points_open(const posenc_context *context, const posenc_grid *axes, const posenc_positions *given,
                                 int64_t batch, int64_t tokens, posenc_token_positions *out, posenc_error *error) {
    const DLTensor *ids = given->ids;
    posenc_dtype dtype;
    if (given->mask || given->cu_seqlens)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "positions",
                           "expected one of ids, mask and cu_seqlens, got %d",
                           1 + (given->mask != NULL) + (given->cu_seqlens != NULL));
    posenc_status status = posenc_tensor_check(ids, "position_ids", &dtype, error);
    if (status == POSENC_OK && dtype != POSENC_I32 && dtype != POSENC_I64 && dtype != POSENC_F64)
        status = posenc_fail(error, POSENC_ERROR_DTYPE, "position_ids", "expected i32, i64 or f64, got %s",
                             posenc_dtype_name(dtype));
    if (status == POSENC_OK) status = check_shape(ids, axes, batch, tokens, error);
    if (status != POSENC_OK) return status;
    posenc_token_positions p = {.context = context,
                                .tokens = tokens,
                                .ids = posenc_tensor_data(ids),
                                .dtype = dtype,
                                .batch_bytes = ids->ndim == 3 ? posenc_tensor_step(ids, 0) : 0,
                                .token_bytes = posenc_tensor_step(ids, ids->ndim - 2),
                                .axis_bytes = posenc_tensor_step(ids, ids->ndim - 1),
                                .padding_idx = -1,
                                .shared = ids->ndim == 2,
                                .axes = axes->n};
    if (dtype == POSENC_F64) status = check_reals(&p, batch, error);
    if (status == POSENC_OK) *out = p;
    return status;
}

/* ---- reading ---- */

posenc_position_run posenc_point_run(const posenc_token_positions *p, int64_t batch, int64_t token) {
    return (posenc_position_run){.kind = POSENC_POSITION_POINT, .count = 1, .point = point_at(p, batch, token)};
}

/* A whole double is the same coordinate as the integer. */
static posenc_coordinate coordinate_at(const char *at, posenc_dtype dtype) {
    posenc_coordinate c = {.is_real = false};
    if (dtype != POSENC_F64) {
        c.whole = posenc_integer_element(dtype, at);
        return c;
    }
    c.real = posenc_real_element(dtype, at);
    c.is_real = c.real != floor(c.real);
    if (!c.is_real) c.whole = (int64_t)c.real;
    return c;
}

void posenc_points_emit(posenc_row_scratch *scratch, posenc_dtype dtype, const posenc_token_positions *p,
                        const char *point, posenc_row_target target) {
    posenc_coordinate coordinates[POSENC_MOST_AXES];
    for (int a = 0; a < p->axes; a++) coordinates[a] = coordinate_at(point + a * p->axis_bytes, p->dtype);
    posenc_axes_emit_point(scratch->axes, dtype, coordinates, target);
}
