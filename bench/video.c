/* Video by frame, in both forms: frames of 56 x 56 pixels of 64 channels, beside memcpy of the same bytes. */
#include "floors.h"
#include "pages.h"
#include "random_bits.h"
#include "works.h"

enum { HEIGHT = 56, WIDTH = 56 };

typedef struct {
    const posenc_plan *plan;
    posenc_video form;
    DLTensor *x, *y;
    posenc_status status;
} addition;

static void add_video(void *state) {
    addition *a = state;
    a->status = posenc_video_add(a->plan, a->form, NULL, a->x, 1, a->y, NULL);
}

/* shape: batch, frames, values of a frame. */
static void measure(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                    const posenc_plan *plan, void *x, void *y, posenc_bench_result *result) {
    posenc_view view_x, view_y;
    posenc_bench_samples samples;
    const int64_t extents[] = {shape[0], shape[1], HEIGHT, WIDTH, shape[2] / (HEIGHT * WIDTH)};
    void *out = work->flags & POSENC_BENCH_IN_PLACE ? x : y;
    addition ours = {plan, work->flags & POSENC_BENCH_FLATTENED ? POSENC_VIDEO_FLATTENED : POSENC_VIDEO_BROADCAST,
                     posenc_view_make(&view_x, x, work->dtype, 5, extents, NULL),
                     posenc_view_make(&view_y, out, work->dtype, 5, extents, NULL), POSENC_OK};
    posenc_bench_bytes floor = {y, x, posenc_bench_work_bytes(work, shape), session->options->threads};
    posenc_bench_contender contenders[] = {
        {add_video, &ours, 0, 0}, {posenc_bench_memcpy, &floor, 0, 0}, {posenc_bench_stream_copy, &floor, 0, 0}};
    result->floor = "memcpy";
    result->beside = posenc_bench_streams() ? "streaming copy" : NULL;
    posenc_bench_file(session->effort, contenders, result->beside ? 3 : 2, result, &samples);
    if (ours.status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(ours.status));
}

void posenc_bench_video(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                        posenc_bench_result *result) {
    size_t bytes = posenc_bench_work_bytes(work, shape);
    int64_t dim = work->flags & POSENC_BENCH_FLATTENED ? shape[2] : shape[2] / (HEIGHT * WIDTH);
    posenc_plan *plan = posenc_bench_plan(session->context, dim, shape[1], result);
    void *x = plan ? posenc_bench_buffer(bytes, result) : NULL;
    void *y = x ? posenc_bench_buffer(bytes, result) : NULL;
    if (y) {
        posenc_bench_ordinary(x, work->dtype, bytes / posenc_dtype_bytes(work->dtype));
        measure(session, work, shape, plan, x, y, result);
    }
    posenc_bench_unmap(y, bytes);
    posenc_bench_unmap(x, bytes);
    posenc_plan_destroy(plan);
}
