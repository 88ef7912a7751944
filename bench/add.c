/* x + encoding, computed on the fly: posenc_plan_add beside memcpy of the same bytes, a streaming copy printed along.
 */
#include <math.h>

#include "floors.h"
#include "pages.h"
#include "random_bits.h"
#include "works.h"

typedef struct {
    const posenc_plan *plan;
    DLTensor *x, *y;
    double scale;
    posenc_status status;
} addition;

static void add_encoding(void *state) {
    addition *a = state;
    a->status = posenc_plan_add(a->plan, NULL, a->x, a->scale, a->y, NULL);
}

/* x and y are two buffers for the floor also where the work is in place, so that both move the same bytes. */
static void measure_addition(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                             const posenc_plan *plan, void *x, void *y, size_t bytes, posenc_bench_result *result) {
    posenc_view view_x, view_y;
    posenc_bench_samples samples;
    bool in_place = work->flags & POSENC_BENCH_IN_PLACE, scaled = work->flags & POSENC_BENCH_SCALED;
    addition ours = {plan, posenc_view_make(&view_x, x, work->dtype, 3, shape, NULL),
                     posenc_view_make(&view_y, in_place ? x : y, work->dtype, 3, shape, NULL),
                     scaled ? sqrt((double)shape[2]) : 1.0, POSENC_OK};
    posenc_bench_bytes floor = {y, x, bytes, session->options->threads};
    posenc_bench_contender contenders[] = {
        {add_encoding, &ours, 0, 0}, {posenc_bench_memcpy, &floor, 0, 0}, {posenc_bench_stream_copy, &floor, 0, 0}};
    result->floor = "memcpy";
    result->beside = posenc_bench_streams() ? "streaming copy" : NULL;
    posenc_bench_file(session->effort, contenders, result->beside ? 3 : 2, result, &samples);
    if (ours.status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(ours.status));
}

void posenc_bench_add(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                      posenc_bench_result *result) {
    size_t bytes = posenc_bench_work_bytes(work, shape), n = bytes / posenc_dtype_bytes(work->dtype);
    posenc_plan *plan = posenc_bench_plan(session->context, shape[2], shape[1], result);
    void *x = plan ? posenc_bench_buffer(bytes, result) : NULL;
    void *y = x ? posenc_bench_buffer(bytes, result) : NULL;
    if (y) {
        posenc_bench_ordinary(x, work->dtype, n);
        measure_addition(session, work, shape, plan, x, y, bytes, result);
    }
    posenc_bench_unmap(y, bytes);
    posenc_bench_unmap(x, bytes);
    posenc_plan_destroy(plan);
}
