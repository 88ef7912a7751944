/* The ways of others beside memset, with their worst error. Where a whole table would take seconds, only each 16th row
 * is made, positions spread as in the whole, and the time multiplied; --full makes all of it. */
#include "baselines.h"

#include "floors.h"
#include "pages.h"
#include "works.h"

enum { SLICE = 16 };

/* Elements from which on the slow loops are sliced. */
static const int64_t LARGE = 10000000;

static void multiply(posenc_bench_samples *samples, double factor) {
    for (int r = 0; r < samples->rounds; r++) samples->seconds[0][r] *= factor;
}

void posenc_bench_baseline(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                           posenc_bench_result *result) {
    int64_t length = shape[0], dim = shape[1];
    size_t bytes = posenc_bench_work_bytes(work, shape), scratch_bytes = (size_t)(2 * dim) * sizeof(double);
    bool whole = session->options->size == POSENC_BENCH_FULL || length * dim < LARGE;
    float *table = posenc_bench_buffer(bytes, result);
    double *scratch = table ? posenc_bench_buffer(scratch_bytes, result) : NULL;
    if (scratch) {
        posenc_bench_samples samples;
        posenc_bench_effort effort = {session->effort.seconds, 3}; /* slow loops are steady, three rounds tell */
        result->every = whole || work->baseline == posenc_bench_float32 ? 1 : SLICE;
        posenc_bench_rows rows = {0, result->every, (length + result->every - 1) / result->every, dim, table, scratch};
        posenc_bench_bytes floor = {table, NULL, bytes, 1};
        posenc_bench_contender contenders[] = {{work->baseline, &rows, 0, 0}, {posenc_bench_memset, &floor, 0, 0}};
        posenc_bench_measure(contenders, 2, effort, &samples);
        multiply(&samples, (double)result->every);
        result->floor = "memset";
        result->threads = 1;
        posenc_bench_file_samples(&samples, result);
        work->baseline(&rows);
        posenc_bench_file_error(session, shape, table, work->dtype, result->every, result);
    }
    posenc_bench_unmap(scratch, scratch_bytes);
    posenc_bench_unmap(table, bytes);
}
