/* Goes through the table of works: chooses, names, runs, hands over. */
#include <stdio.h>
#include <string.h>

#include "claims.h"
#include "clock.h"
#include "machine.h"
#include "works.h"

/* Seconds for each work, and rounds it gets at least. */
static const posenc_bench_effort efforts[] = {{0.2, 3}, {0.7, 5}, {3.0, 9}};

/* The shape of a work in this size of run; rank 3 grows until one tensor is twice the last-level cache. */
static void shape_of(const posenc_bench_work *work, posenc_bench_size size, size_t cache_bytes, int64_t shape[3]) {
    shape[0] = work->first[size];
    for (int axis = 1; axis < work->rank; axis++) shape[axis] = work->rest[axis - 1];
    if (work->rank == 3 && shape[0] > 0)
        while (posenc_bench_work_bytes(work, shape) < 2 * cache_bytes) shape[0] *= 2;
}

static void print_shape(const int64_t *shape, int rank, char *text, size_t capacity) {
    size_t used = 0;
    text[0] = 0;
    for (int axis = 0; axis < rank; axis++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%lld", axis ? "x" : "", (long long)shape[axis]);
}

static void print_line(const posenc_bench_work *work, const int64_t *shape, char line[POSENC_BENCH_LINE]) {
    char extents[48];
    print_shape(shape, work->rank, extents, sizeof extents);
    snprintf(line, POSENC_BENCH_LINE, "%s %s %s", work->name, extents, posenc_dtype_name(work->dtype));
}

bool posenc_bench_line(size_t index, posenc_bench_size size, char line[POSENC_BENCH_LINE]) {
    const posenc_bench_work *work = posenc_bench_work_at(index);
    int64_t shape[3];
    if (!work) return false;
    shape_of(work, size, posenc_bench_cache_bytes(), shape);
    line[0] = 0;
    if (shape[0] > 0) print_line(work, shape, line);
    return true;
}

/* The goal on the instruction set in use. Goals are for one thread, except where the work is about two. */
static double goal_of(const posenc_bench_session *session, const posenc_bench_work *work, bool in_cache) {
    if ((work->flags & POSENC_BENCH_IN_CACHE) && !in_cache) return 0;
    if (session->options->threads > 1 && work->group->kind != POSENC_BENCH_SPEED_UP) return 0;
    if (strcmp(session->isa, "avx512") == 0) return work->goal[0];
    if (strcmp(session->isa, "avx2") == 0) return work->goal[1];
    return 0;
}

/* Everything about a result that is known before it is measured. */
static posenc_bench_result name_result(const posenc_bench_session *session, const posenc_bench_work *work,
                                       const int64_t *shape) {
    bool fits = posenc_bench_work_bytes(work, shape) <= session->cache_bytes;
    posenc_bench_result result = {.heading = work->group->heading,
                                  .work = work->name,
                                  .scheme = "sinusoidal",
                                  .dtype = posenc_dtype_name(work->dtype),
                                  .isa = work->baseline ? "libm" : session->isa,
                                  .state = fits ? "in cache" : "memory",
                                  .threads = session->options->threads,
                                  .floor = "",
                                  .kind = work->group->kind,
                                  .goal = goal_of(session, work, fits),
                                  .max_error = -1,
                                  .baseline = work->baseline != NULL,
                                  .every = 1};
    if (work->flags & POSENC_BENCH_FRESH) result.state = "fresh";
    print_shape(shape, work->rank, result.shape, sizeof result.shape);
    return result;
}

static bool chosen(const posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape) {
    char line[POSENC_BENCH_LINE];
    if (shape[0] == 0) return false;
    print_line(work, shape, line);
    return !session->options->filter || strstr(line, session->options->filter);
}

static int run_works(posenc_bench_session *session, posenc_bench_sink *sink, void *user, posenc_bench_times *times) {
    const posenc_bench_work *work;
    int n_done = 0;
    for (size_t i = 0; (work = posenc_bench_work_at(i)) != NULL; i++) {
        int64_t shape[3];
        shape_of(work, session->options->size, session->cache_bytes, shape);
        if (!chosen(session, work, shape)) continue;
        posenc_bench_result result = name_result(session, work, shape);
        work->group->run(session, work, shape, &result);
        posenc_bench_claims_note(times, work, &result);
        sink(user, &result);
        n_done++;
    }
    return n_done;
}

posenc_status posenc_bench_run(const posenc_bench_options *options, posenc_bench_sink *sink, void *user, int *n_done,
                               posenc_bench_claims *claims, posenc_error *error) {
    posenc_context *context = NULL;
    posenc_context_options wanted;
    posenc_context_default(&wanted, sizeof wanted);
    wanted.isa = options->isa;
    wanted.threads = options->threads;
    posenc_status status = posenc_context_create(&wanted, &context, error);
    if (status != POSENC_OK) return status;
    posenc_bench_times times = {.ratio = {{0}}};
    posenc_bench_session session = {.options = options,
                                    .context = context,
                                    .isa = posenc_context_isa(context),
                                    .cache_bytes = posenc_bench_cache_bytes(),
                                    .effort = efforts[options->size]};
    if (options->threads == 1) posenc_bench_pin();
    *n_done = run_works(&session, sink, user, &times);
    posenc_bench_unpin();
    posenc_bench_claims_make(&times, claims);
    posenc_bench_reference_free(&session.reference);
    posenc_context_destroy(context);
    return POSENC_OK;
}
