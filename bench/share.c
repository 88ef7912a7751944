/* What the runners share: plans, buffers, filing of times and errors. */
#include <stdio.h>
#include <string.h>

#include "machine.h"
#include "pages.h"
#include "works.h"

void posenc_bench_skip(posenc_bench_result *result, const char *why) {
    snprintf(result->skipped, sizeof result->skipped, "%s", why);
}

posenc_plan *posenc_bench_plan(const posenc_context *context, int64_t dim, int64_t max_len,
                               posenc_bench_result *result) {
    posenc_plan *plan = NULL;
    posenc_error error;
    posenc_sinusoidal_options options;
    posenc_sinusoidal_default(&options, sizeof options);
    options.dim = dim;
    options.max_len = max_len;
    if (posenc_sinusoidal_create_with(context, &options, &plan, &error) == POSENC_OK) return plan;
    posenc_bench_skip(result, error.message);
    return NULL;
}

/* The system hands out more than it has and ends the process later: ask first. */
void *posenc_bench_buffer(size_t bytes, posenc_bench_result *result) {
    void *memory = bytes < posenc_bench_free_bytes() / 5 * 4 ? posenc_bench_warm(bytes) : NULL;
    if (!memory)
        snprintf(result->skipped, sizeof result->skipped, "needs %zu MiB of memory more than is free", bytes >> 20);
    return memory;
}

static bool reaches(const posenc_bench_result *result) {
    return result->kind == POSENC_BENCH_RATIO ? result->value <= result->goal : result->value >= result->goal;
}

void posenc_bench_file_samples(const posenc_bench_samples *samples, posenc_bench_result *result) {
    result->seconds = posenc_bench_spread_of(samples, 0);
    result->floor_seconds = posenc_bench_spread_of(samples, 1);
    result->ratio = posenc_bench_ratio_of(samples, 0, 1);
    if (result->beside) result->beside_ratio = posenc_bench_ratio_of(samples, 2, 1).median;
    result->value = result->kind == POSENC_BENCH_FASTER ? 1 / result->ratio.median : result->ratio.median;
    result->goal_met = reaches(result);
}

void posenc_bench_file(posenc_bench_effort effort, const posenc_bench_contender *contenders, int n,
                       posenc_bench_result *result, posenc_bench_samples *samples) {
    posenc_bench_measure(contenders, n, effort, samples);
    posenc_bench_file_samples(samples, result);
}

/* Rows of a reference: enough to meet the worst columns at many positions, few enough to take a quarter of a second. */
static const int64_t REFERENCE_ROWS = 1024;

void posenc_bench_file_error(posenc_bench_session *session, const int64_t *shape, const void *table, posenc_dtype dtype,
                             int64_t step, posenc_bench_result *result) {
    posenc_bench_reference *kept = &session->reference;
    if (!kept->values || kept->length != shape[0] || kept->dim != shape[1]) {
        posenc_bench_reference_free(kept);
        if (!posenc_bench_reference_make(kept, 0, shape[0], shape[1], REFERENCE_ROWS)) return;
    }
    result->max_error = posenc_bench_worst_error(kept, table, dtype, step);
}
