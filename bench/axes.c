/* Grids: rows written, added on the fly, and added from a stored table, each beside memcpy of the same bytes. */
#include <stdio.h>

#include "floors.h"
#include "pages.h"
#include "random_bits.h"
#include "works.h"

typedef struct {
    const posenc_plan *plan;
    const posenc_encoder *encoder; /* NULL: the plan adds */
    DLTensor *x, *y;               /* x NULL: rows are written */
    posenc_status status;
} call;

static void run_call(void *state) {
    call *c = state;
    if (!c->x)
        c->status = posenc_plan_write(c->plan, NULL, c->y, NULL);
    else if (c->encoder)
        c->status = posenc_encoder_forward(c->encoder, NULL, NULL, c->x, c->y, NULL);
    else
        c->status = posenc_plan_add(c->plan, NULL, c->x, 1, c->y, NULL);
}

/* A grid of so many tokens, 64 in a line. */
static posenc_encoder *encoder_of(const posenc_context *context, int64_t tokens, int64_t dim,
                                  posenc_bench_result *result) {
    char grid[48], width[24];
    snprintf(grid, sizeof grid, "%lldx64", (long long)(tokens / 64));
    snprintf(width, sizeof width, "%lld", (long long)dim);
    posenc_encoder *encoder = NULL;
    posenc_error error;
    if (posenc_encoder_create(context, "sinusoidal-2d", (posenc_parameter[]){{"dim", width}, {"grid", grid}}, 2, NULL,
                              &encoder, &error) != POSENC_OK)
        posenc_bench_skip(result, error.message);
    return encoder;
}

static void measure(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape, call ours,
                    void *x, void *y, posenc_bench_result *result) {
    posenc_bench_samples samples;
    posenc_view view_x, view_y;
    size_t bytes = posenc_bench_work_bytes(work, shape);
    posenc_bench_bytes floor = {y, x, bytes, session->options->threads};
    posenc_bench_contender contenders[] = {{run_call, &ours, 0, 0}, {posenc_bench_memcpy, &floor, 0, 0}};
    posenc_bench_ordinary(x, work->dtype, bytes / posenc_dtype_bytes(work->dtype));
    if (work->rank == 3) ours.x = posenc_view_make(&view_x, x, work->dtype, 3, shape, NULL);
    ours.y = posenc_view_make(&view_y, y, work->dtype, work->rank, shape, NULL);
    result->floor = "memcpy";
    posenc_bench_file(session->effort, contenders, 2, result, &samples);
    if (ours.status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(ours.status));
}

/* Rank 2: the rows of the grid are written; rank 3: they are added to a batch of images. */
void posenc_bench_grid(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                       posenc_bench_result *result) {
    size_t bytes = posenc_bench_work_bytes(work, shape);
    posenc_encoder *encoder = encoder_of(session->context, shape[work->rank - 2], shape[work->rank - 1], result);
    void *x = encoder ? posenc_bench_buffer(bytes, result) : NULL;
    void *y = x ? posenc_bench_buffer(bytes, result) : NULL;
    if (y) {
        call ours = {.plan = posenc_encoder_plan(encoder)};
        if (work->flags & POSENC_BENCH_STORED) ours.encoder = encoder;
        measure(session, work, shape, ours, x, y, result);
    }
    posenc_bench_unmap(y, bytes);
    posenc_bench_unmap(x, bytes);
    posenc_encoder_destroy(encoder);
}
