/* Video by frame. A video is a tensor of rows in disguise: FLATTENED, its frames are long tokens; BROADCAST, its pixels
 * are heads of its frames. So one view of it serves every verb, and no kernel knows of video. */
#include "schemes/video.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/tensor.h"

enum { BATCH, FRAMES, HEIGHT, WIDTH, CHANNELS, RANK };

/* An axis, or several that step evenly through memory together. */
typedef struct merged {
    int64_t extent, stride;
} merged;

/* Axes first..last as one. An axis of extent 1 never steps. Where strides are 0 the whole may not fit into 64 bits. */
static bool merge(const DLTensor *t, int first, int last, merged *out) {
    bool merges = true;
    *out = (merged){1, 1};
    for (int i = last; i >= first; i--) {
        int64_t extent = t->shape[i], stride = posenc_tensor_stride(t, i);
        if (extent == 1) continue;
        if (out->extent == 1)
            out->stride = stride;
        else if (stride % out->extent != 0 || stride / out->extent != out->stride)
            merges = false;
        merges = posenc_i64_multiply(out->extent, extent, &out->extent) && merges;
    }
    return merges;
}

static bool is_empty(const DLTensor *t) {
    for (int i = 0; i < t->ndim; i++)
        if (t->shape[i] == 0) return true;
    return false;
}

/* Where there is no element, strides may be anything. */
static int64_t stride_of(const DLTensor *t, int axis) { return is_empty(t) ? 0 : posenc_tensor_stride(t, axis); }

/* Height, width and channels become one axis, or height and width. */
static posenc_status merge_space(const DLTensor *t, const char *name, posenc_video form, merged *out,
                                 posenc_error *error) {
    bool flattened = form == POSENC_VIDEO_FLATTENED;
    if (is_empty(t) || merge(t, HEIGHT, flattened ? CHANNELS : WIDTH, out)) return POSENC_OK;
    int64_t strides[RANK];
    char text[96];
    for (int i = 0; i < RANK; i++) strides[i] = posenc_tensor_stride(t, i);
    posenc_shape_text(RANK, strides, text);
    return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected %s that merge into one axis, got strides %s",
                       flattened ? "height, width and channels" : "height and width", text);
}

static posenc_status check_width(const DLTensor *t, const char *name, posenc_video form, int64_t dim,
                                 posenc_error *error) {
    bool flattened = form == POSENC_VIDEO_FLATTENED;
    int64_t pixels, values;
    bool fits = posenc_i64_multiply(t->shape[HEIGHT], t->shape[WIDTH], &pixels) &&
                posenc_i64_multiply(pixels, t->shape[CHANNELS], &values);
    if (flattened ? fits && values == dim : t->shape[CHANNELS] == dim) return POSENC_OK;
    char shape[96];
    posenc_shape_text(RANK, t->shape, shape);
    return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected %s of dim %lld, got %s",
                       flattened ? "height * width * channels" : "channels", (long long)dim, shape);
}

posenc_status posenc_video_view(const DLTensor *video, const char *name, posenc_video form, int64_t dim,
                                posenc_view *view, posenc_error *error) {
    posenc_dtype dtype;
    if (form != POSENC_VIDEO_FLATTENED && form != POSENC_VIDEO_BROADCAST)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "form", "expected 0 (flattened) or 1 (broadcast), got %d",
                           (int)form);
    posenc_status status = posenc_tensor_check(video, name, &dtype, error);
    if (status != POSENC_OK) return status;
    if (video->ndim != RANK) {
        char shape[96];
        posenc_shape_text(video->ndim, video->shape, shape);
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected (batch, frames, height, width, channels), got %s",
                           shape);
    }
    status = check_width(video, name, form, dim, error);
    merged space = {0, 0};
    if (status == POSENC_OK) status = merge_space(video, name, form, &space, error);
    if (status != POSENC_OK) return status;
    bool flattened = form == POSENC_VIDEO_FLATTENED;
    const int64_t shape[] = {video->shape[BATCH], video->shape[FRAMES], flattened ? dim : space.extent, dim};
    const int64_t strides[] = {stride_of(video, BATCH), stride_of(video, FRAMES), space.stride,
                               stride_of(video, CHANNELS)};
    DLTensor *rows = posenc_view_make(view, video->data, dtype, flattened ? 3 : 4, shape, strides);
    rows->byte_offset = video->byte_offset;
    rows->device = video->device;
    return POSENC_OK;
}

posenc_status posenc_video_views(const DLTensor *x, const char *x_name, const DLTensor *y, const char *y_name,
                                 posenc_video form, int64_t dim, posenc_view views[2], posenc_error *error) {
    posenc_status status = posenc_video_view(x, x_name, form, dim, &views[0], error);
    if (status != POSENC_OK) return status;
    posenc_dtype dtype;
    status = posenc_tensor_check(y, y_name, &dtype, error);
    if (status != POSENC_OK) return status;
    bool same = y->ndim == x->ndim;
    for (int i = 0; same && i < RANK; i++) same = x->shape[i] == y->shape[i];
    if (same) return posenc_video_view(y, y_name, form, dim, &views[1], error);
    char xs[96], ys[96];
    posenc_shape_text(x->ndim, x->shape, xs);
    posenc_shape_text(y->ndim, y->shape, ys);
    return posenc_fail(error, POSENC_ERROR_SHAPE, y_name, "expected the shape of %s %s, got %s", x_name, xs, ys);
}

posenc_status posenc_video_add(const posenc_plan *plan, posenc_video form, const posenc_positions *positions,
                               const DLTensor *x, double scale, DLTensor *y, posenc_error *error) {
    posenc_view views[2];
    if (!plan) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "plan", "expected a plan, got NULL");
    posenc_status status = posenc_video_views(x, "x", y, "y", form, posenc_plan_dim(plan), views, error);
    if (status != POSENC_OK) return status;
    return posenc_plan_add(plan, positions, &views[0].tensor, scale, &views[1].tensor, error);
}
