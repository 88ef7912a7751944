/* Filling a table: posenc_plan_write beside memset on the same buffer, and beside the naive loop. */
#include "baselines.h"
#include "floors.h"
#include "pages.h"
#include "works.h"

typedef struct {
    const posenc_plan *plan;
    DLTensor *out;
} fill;

static void write_table(void *state) {
    fill *f = state;
    posenc_plan_write(f->plan, NULL, f->out, NULL);
}

void posenc_bench_fill(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                       posenc_bench_result *result) {
    size_t bytes = posenc_bench_work_bytes(work, shape);
    posenc_plan *plan = posenc_bench_plan(session->context, shape[1], shape[0], result);
    void *table = plan ? posenc_bench_buffer(bytes, result) : NULL;
    if (table) {
        posenc_view view;
        posenc_bench_samples samples;
        fill ours = {plan, posenc_view_make(&view, table, work->dtype, 2, shape, NULL)};
        posenc_bench_bytes floor = {table, NULL, bytes, session->options->threads};
        posenc_bench_contender contenders[] = {{write_table, &ours, 0, 0}, {posenc_bench_memset, &floor, 0, 0}};
        result->floor = "memset";
        posenc_bench_file(session->effort, contenders, 2, result, &samples);
        write_table(&ours);
        posenc_bench_file_error(session, shape, table, work->dtype, 1, result);
    }
    posenc_bench_unmap(table, bytes);
    posenc_plan_destroy(plan);
}

/* The same, told as so many times faster than the naive loop. Both write the same buffer. */
void posenc_bench_fill_naive(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                             posenc_bench_result *result) {
    size_t bytes = posenc_bench_work_bytes(work, shape);
    posenc_plan *plan = posenc_bench_plan(session->context, shape[1], shape[0], result);
    void *table = plan ? posenc_bench_buffer(bytes, result) : NULL;
    if (table) {
        posenc_view view;
        posenc_bench_samples samples;
        fill ours = {plan, posenc_view_make(&view, table, work->dtype, 2, shape, NULL)};
        posenc_bench_rows naive = {0, 1, shape[0], shape[1], table, NULL};
        posenc_bench_contender contenders[] = {{write_table, &ours, 0, 0}, {posenc_bench_naive, &naive, 0, 0}};
        posenc_bench_effort effort = session->effort;
        if (effort.least_rounds < 5) effort.least_rounds = 5; /* a quick run has time for few rounds of the slow loop */
        result->floor = "naive loop";
        posenc_bench_file(effort, contenders, 2, result, &samples);
    }
    posenc_bench_unmap(table, bytes);
    posenc_plan_destroy(plan);
}
