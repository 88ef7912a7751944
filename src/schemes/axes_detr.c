/* DETR's coordinates: cells are counted along each axis, and only valid ones count.
 *     y = number of valid cells of the column up to and including the row, x likewise along the row
 *     normalized: c / (c_last + 10^-6) scale, which is c 10^6 scale / (10^6 c_last + 1) */
#include <posenc/axes.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/tensor.h"

/* The axes before the last two are one batch. */
typedef struct image {
    const char *mask;
    posenc_dtype dtype;
    int64_t batch, height, width;
    int64_t batch_bytes, y_bytes, x_bytes;
    char *out;
    int64_t out_batch, out_cell, out_axis;
} image;

static bool is_valid(const image *m, int64_t batch, int64_t y, int64_t x) {
    static const char zeros[8] = {0};
    const char *at = m->mask + batch * m->batch_bytes + y * m->y_bytes + x * m->x_bytes;
    return memcmp(at, zeros, posenc_dtype_bytes(m->dtype)) != 0;
}

static char *place_of(const image *m, int64_t batch, int64_t y, int64_t x, int axis) {
    return m->out + batch * m->out_batch + (y * m->width + x) * m->out_cell + axis * m->out_axis;
}

/* One line of cells along an axis: counts, then what they are of the last. */
static void count_line(const image *m, int64_t batch, int64_t line, int axis, bool normalize, double scale) {
    int64_t n = axis == 0 ? m->height : m->width;
    double count = 0, last = 0;
    for (int64_t i = 0; i < n; i++) last += axis == 0 ? is_valid(m, batch, i, line) : is_valid(m, batch, line, i);
    for (int64_t i = 0; i < n; i++) {
        int64_t y = axis == 0 ? i : line, x = axis == 0 ? line : i;
        count += is_valid(m, batch, y, x);
        double value = normalize ? count * 1e6 * scale / (last * 1e6 + 1) : count;
        memcpy(place_of(m, batch, y, x, axis), &value, sizeof value);
    }
}

static posenc_status check_mask(const DLTensor *mask, image *m, posenc_error *error) {
    posenc_status status = posenc_tensor_check(mask, "mask", &m->dtype, error);
    if (status != POSENC_OK) return status;
    if (m->dtype != POSENC_BOOL && m->dtype != POSENC_U8 && m->dtype != POSENC_I32 && m->dtype != POSENC_I64)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "mask", "expected bool, u8, i32 or i64, got %s",
                           posenc_dtype_name(m->dtype));
    char shape[96];
    posenc_shape_text(mask->ndim, mask->shape, shape);
    int rank = mask->ndim;
    if (rank != 2 && rank != 3)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "mask",
                           "expected (height, width) or (batch, height, width), got %s", shape);
    m->mask = posenc_tensor_data(mask);
    m->batch = rank == 3 ? mask->shape[0] : 1, m->height = mask->shape[rank - 2], m->width = mask->shape[rank - 1];
    m->batch_bytes = rank == 3 ? posenc_tensor_step(mask, 0) : 0;
    m->y_bytes = posenc_tensor_step(mask, rank - 2), m->x_bytes = posenc_tensor_step(mask, rank - 1);
    return POSENC_OK;
}

static posenc_status check_out(const DLTensor *mask, DLTensor *out, image *m, posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = posenc_tensor_check(out, "out", &dtype, error);
    if (status != POSENC_OK) return status;
    if (dtype != POSENC_F64)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "out", "expected f64, got %s", posenc_dtype_name(dtype));
    int64_t wanted[] = {m->batch, -1, 2}; /* -1: more cells than any tensor has */
    posenc_i64_multiply(m->height, m->width, &wanted[1]);
    int rank = mask->ndim;
    char shape[96], wanted_text[96];
    posenc_shape_text(out->ndim, out->shape, shape);
    posenc_shape_text(rank, wanted + (3 - rank), wanted_text);
    if (out->ndim != rank || memcmp(out->shape, wanted + (3 - rank), (size_t)rank * sizeof *wanted) != 0)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "out", "expected %s, got %s", wanted_text, shape);
    if (posenc_tensor_folds(out))
        return posenc_fail(error, POSENC_ERROR_OVERLAP, "out",
                           "expected strides that keep elements apart, got some that meet");
    if (posenc_tensors_meet(mask, out))
        return posenc_fail(error, POSENC_ERROR_OVERLAP, "out", "expected memory apart from mask, got an overlap");
    m->out = posenc_tensor_data(out);
    m->out_batch = rank == 3 ? posenc_tensor_step(out, 0) : 0;
    m->out_cell = posenc_tensor_step(out, rank - 2), m->out_axis = posenc_tensor_step(out, rank - 1);
    return POSENC_OK;
}

posenc_status posenc_detr_coordinates(const DLTensor *mask, int normalize, double scale, DLTensor *out,
                                      posenc_error *error) {
    image m = {.batch = 0};
    posenc_status status = check_mask(mask, &m, error);
    if (status == POSENC_OK) status = check_out(mask, out, &m, error);
    if (status == POSENC_OK && normalize && !isfinite(scale))
        status = posenc_fail(error, POSENC_ERROR_ARGUMENT, "scale", "expected a finite number, got %g", scale);
    if (status != POSENC_OK) return status;
    posenc_fpenv saved = posenc_fpenv_enter();
    for (int64_t b = 0; b < m.batch; b++) {
        for (int64_t x = 0; x < m.width; x++) count_line(&m, b, x, 0, normalize != 0, scale);
        for (int64_t y = 0; y < m.height; y++) count_line(&m, b, y, 1, normalize != 0, scale);
    }
    posenc_fpenv_leave(saved);
    return POSENC_OK;
}
