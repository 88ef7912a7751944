/* Two threads against one: the speed-up of a fill beside the speed-up of a memset that is split the same way. Where
 * neighbours use the memory too, both are small together; what counts is their quotient. */
#include <stdio.h>

#include "clock.h"
#include "floors.h"
#include "pages.h"
#include "works.h"

typedef struct {
    posenc_plan *plan;
    DLTensor *out;
} fill;

static void write_table(void *state) {
    fill *f = state;
    posenc_plan_write(f->plan, NULL, f->out, NULL);
}

posenc_context *posenc_bench_context(const char *isa, int threads) {
    posenc_context *context = NULL;
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    options.isa = isa;
    options.threads = threads;
    return posenc_context_create(&options, &context, NULL) == POSENC_OK ? context : NULL;
}

/* Contenders: 0 two threads, 1 memset on two, 2 one thread, 3 memset on one. */
static void file_speed_up(const posenc_bench_samples *samples, posenc_bench_result *result) {
    double share[POSENC_BENCH_MOST_ROUNDS];
    for (int r = 0; r < samples->rounds; r++) {
        double ours = samples->seconds[2][r] / samples->seconds[0][r];
        double floors = samples->seconds[3][r] / samples->seconds[1][r];
        share[r] = ours / floors;
    }
    result->value = posenc_bench_spread_sorted(share, samples->rounds).median;
    result->goal_met = result->value >= result->goal;
    snprintf(result->note, sizeof result->note, "%.2f x the speed of one thread; a two-thread memset %.2f x",
             posenc_bench_ratio_of(samples, 2, 0).median, posenc_bench_ratio_of(samples, 3, 1).median);
}

void posenc_bench_file_two_threads(posenc_bench_session *session, posenc_bench_contender one,
                                   posenc_bench_contender two, void *memory, size_t bytes,
                                   posenc_bench_result *result) {
    posenc_bench_samples samples;
    posenc_bench_bytes set_two = {memory, NULL, bytes, 2}, set_one = {memory, NULL, bytes, 1};
    posenc_bench_contender contenders[] = {
        two, {posenc_bench_memset, &set_two, 0, 0}, one, {posenc_bench_memset, &set_one, 0, 0}};
    result->floor = "memset";
    result->threads = 2;
    posenc_bench_unpin();
    posenc_bench_file(session->effort, contenders, 4, result, &samples);
    if (session->options->threads == 1) posenc_bench_pin();
    result->beside = NULL;
    file_speed_up(&samples, result);
}

static void measure_fills(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                          void *table, size_t bytes, fill *one, fill *two, posenc_bench_result *result) {
    posenc_view view;
    one->out = two->out = posenc_view_make(&view, table, work->dtype, 2, shape, NULL);
    posenc_bench_file_two_threads(session, (posenc_bench_contender){write_table, one, 0, 0},
                                  (posenc_bench_contender){write_table, two, 0, 0}, table, bytes, result);
}

void posenc_bench_two_threads(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                              posenc_bench_result *result) {
    size_t bytes = posenc_bench_work_bytes(work, shape);
    posenc_context *context_one = posenc_bench_context(session->isa, 1);
    posenc_context *context_two = posenc_bench_context(session->isa, 2);
    fill one = {posenc_bench_plan(context_one, shape[1], shape[0], result), NULL};
    fill two = {posenc_bench_plan(context_two, shape[1], shape[0], result), NULL};
    void *table = one.plan && two.plan ? posenc_bench_buffer(bytes, result) : NULL;
    if (table) measure_fills(session, work, shape, table, bytes, &one, &two, result);
    posenc_bench_unmap(table, bytes);
    posenc_plan_destroy(two.plan);
    posenc_plan_destroy(one.plan);
    posenc_context_destroy(context_two);
    posenc_context_destroy(context_one);
}
