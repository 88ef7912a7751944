/* Positions with a coordinate for each axis: of images and video, rotated or added. */
#include "points.h"

bool posenc_cli_points_fit(const DLTensor *ids, int64_t batch, int64_t tokens, int64_t axes, bool *by_batch,
                           bool *by_axis) {
    const int64_t *shape = ids->shape;
    bool row = ids->ndim == 2 && shape[0] == batch && shape[1] == tokens;
    bool points = ids->ndim == 2 && shape[0] == tokens && shape[1] == axes;
    if (row && points) points = axes > 1; /* and then it is not clear */
    bool all = ids->ndim == 3 && shape[0] == batch && shape[1] == tokens && shape[2] == axes;
    *by_batch = row || all;
    *by_axis = points || all;
    return (ids->ndim == 1 && shape[0] == tokens) || row != points || all;
}

const DLTensor *posenc_cli_points_view(const DLTensor *ids, bool by_batch, bool by_axis, int64_t all_tokens,
                                       const int64_t first[2], const int64_t shape[3], posenc_view *view) {
    posenc_dtype dtype = POSENC_I64;
    posenc_dtype_of(ids, &dtype);
    int64_t point = by_axis ? shape[2] : 1, row = by_batch ? all_tokens * point : 0;
    const int64_t strides[] = {row, point, by_axis ? 1 : 0};
    char *data = ids->data; /* NULL without tokens */
    if (data)
        data += (int64_t)ids->byte_offset + (first[0] * row + first[1] * point) * (int64_t)posenc_dtype_bytes(dtype);
    return posenc_view_make(view, data, dtype, 3, shape, strides);
}
