#include "schemes/rotary_call_positions.h"

#include <stdio.h>

#include "base/error.h"
#include "base/tensor.h"

static bool has_shape(const DLTensor *t, int rank, const int64_t *shape) {
    if (t->ndim != rank) return false;
    for (int i = 0; i < rank; i++)
        if (t->shape[i] != shape[i]) return false;
    return true;
}

static posenc_status refuse_ids(const DLTensor *ids, const int64_t shape[3], posenc_error *error) {
    char got[96], one[96], row[96], all[96];
    posenc_shape_text(ids->ndim, ids->shape, got);
    posenc_shape_text(1, shape + 1, one);
    posenc_shape_text(2, shape, row);
    posenc_shape_text(3, shape, all);
    return posenc_fail(error, POSENC_ERROR_SHAPE, "position_ids", "expected %s, %s, (%lld, %lld) or %s, got %s", one,
                       row, (long long)shape[1], (long long)shape[2], all, got);
}

/* Whether ids have an axis of coordinates. shape: (batch, tokens, axes). */
static posenc_status find_form(const DLTensor *ids, const int64_t shape[3], bool *split, posenc_error *error) {
    bool plain = has_shape(ids, 1, shape + 1) || has_shape(ids, 2, shape), one_row = has_shape(ids, 2, shape + 1);
    *split = has_shape(ids, 3, shape) || one_row;
    if (!plain && !*split) return refuse_ids(ids, shape, error);
    if (!plain || !one_row) return POSENC_OK;
    *split = shape[2] > 1;
    if (!*split) return POSENC_OK;
    char text[96];
    posenc_shape_text(2, ids->shape, text);
    return posenc_fail(error, POSENC_ERROR_SHAPE, "position_ids",
                       "expected (batch, tokens, axes), got %s, which may be (batch, tokens) or (tokens, axes)", text);
}

/* Opens one coordinate: a view without the last axis. */
static posenc_status open_axis(const posenc_context *context, const posenc_positions *given, int axis, int64_t batch,
                               int64_t tokens, posenc_token_positions *out, posenc_error *error) {
    posenc_positions part = *given;
    DLTensor view = *given->ids;
    int64_t strides[POSENC_MAX_RANK], bytes = view.dtype.bits / 8;
    for (int i = 0; i < view.ndim; i++) strides[i] = posenc_tensor_stride(given->ids, i);
    char *first = posenc_tensor_data(given->ids);
    view.ndim--;
    view.strides = strides;
    view.data = first ? first + axis * strides[view.ndim] * bytes : NULL;
    view.byte_offset = 0;
    part.ids = &view;
    return posenc_positions_open(context, &part, -1, batch, tokens, out, error);
}

posenc_status posenc_axis_positions_open(const posenc_context *context, const posenc_positions *given, int axes,
                                         int64_t batch, int64_t tokens, posenc_axis_positions *out,
                                         posenc_error *error) {
    bool split = false;
    posenc_dtype dtype;
    *out = (posenc_axis_positions){.n = 0};
    posenc_status status = given->ids ? posenc_tensor_check(given->ids, "position_ids", &dtype, error) : POSENC_OK;
    if (status == POSENC_OK && given->ids)
        status = find_form(given->ids, (int64_t[]){batch, tokens, axes}, &split, error);
    if (status != POSENC_OK) return status;
    if (!split) {
        status = posenc_positions_open(context, given, -1, batch, tokens, &out->axis[0], error);
        out->n = status == POSENC_OK;
        return status;
    }
    for (; out->n < axes && status == POSENC_OK; out->n += status == POSENC_OK)
        status = open_axis(context, given, out->n, batch, tokens, &out->axis[out->n], error);
    if (status != POSENC_OK) posenc_axis_positions_close(out);
    return status;
}

void posenc_axis_positions_close(posenc_axis_positions *positions) {
    for (int i = 0; i < positions->n; i++) posenc_positions_close(&positions->axis[i]);
    positions->n = 0;
}
