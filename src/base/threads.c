#include "base/threads.h"

#include "base/context.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"

#ifndef POSENC_NO_THREADS
#include <pthread.h>
#endif

/* Below this many bytes a slice costs more to start than to do: a thread takes 20 to 50 microseconds. */
enum { SLICE_BYTES = 1 << 20 };

int posenc_slices(const posenc_context *context, size_t work_bytes) {
    size_t worth = work_bytes / SLICE_BYTES;
    int most = posenc_context_threads(context);
    if (worth < 1) return 1;
    return worth < (size_t)most ? (int)worth : most;
}

typedef struct slice {
    posenc_task *task;
    void *argument;
    int index;
} slice;

static void run_slice(const slice *s) {
    posenc_fpenv saved = posenc_fpenv_enter();
    s->task(s->argument, s->index);
    posenc_fpenv_leave(saved);
}

/* For a caller's executor: task and argument travel together. */
static void run_in_executor(void *argument, int index) {
    slice own = *(const slice *)argument;
    own.index = index;
    run_slice(&own);
}

#ifndef POSENC_NO_THREADS
static void *run_in_thread(void *argument) {
    run_slice(argument);
    return NULL;
}

/* Starts up to n threads for slices 1..n and does slice 0 and what could not be started itself. */
static void run_threads(int n, posenc_task *task, void *argument) {
    pthread_t threads[POSENC_MOST_THREADS];
    slice slices[POSENC_MOST_THREADS];
    int started = 0;
    for (; started < n - 1; started++) {
        slices[started] = (slice){task, argument, started + 1};
        if (pthread_create(&threads[started], NULL, run_in_thread, &slices[started]) != 0) break;
    }
    run_slice(&(slice){task, argument, 0});
    for (int i = started + 1; i < n; i++) run_slice(&(slice){task, argument, i});
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
}
#else
static void run_threads(int n, posenc_task *task, void *argument) {
    for (int i = 0; i < n; i++) run_slice(&(slice){task, argument, i});
}
#endif

void posenc_parallel(const posenc_context *context, int n, posenc_task *task, void *argument) {
    if (n == 1) {
        run_slice(&(slice){task, argument, 0});
        return;
    }
    if (context && context->options.execute) {
        slice shared = {task, argument, 0};
        context->options.execute(context->options.executor_user, run_in_executor, &shared, n);
        return;
    }
    run_threads(n, task, argument);
}

/* ---- workers ---- */

typedef struct workers {
    const posenc_worker_kind *kind;
    posenc_worker_task *task;
    const void *call;
    char *memory;
} workers;

static void *worker_at(const workers *w, int i) { return w->memory + (size_t)i * w->kind->bytes; }

static void destroy_workers(const workers *w, int made) {
    for (int i = 0; i < made; i++) w->kind->destroy(w->call, worker_at(w, i));
}

static posenc_status create_workers(const workers *w, int n, posenc_error *error) {
    for (int i = 0; i < n; i++) {
        posenc_status status = w->kind->create(w->call, worker_at(w, i), error);
        if (status == POSENC_OK) continue;
        destroy_workers(w, i);
        return status;
    }
    return POSENC_OK;
}

static void run_worker(void *argument, int index) {
    const workers *w = argument;
    w->task(w->call, worker_at(w, index), index);
}

posenc_status posenc_parallel_workers(const posenc_context *context, int n, const posenc_worker_kind *kind,
                                      posenc_worker_task *task, const void *call, posenc_error *error) {
    size_t bytes = (size_t)n * kind->bytes;
    workers w = {kind, task, call, posenc_allocate(context, bytes)};
    if (!w.memory) return posenc_fail_memory(error, "scratch", bytes);
    posenc_status status = create_workers(&w, n, error);
    if (status == POSENC_OK) {
        posenc_parallel(context, n, run_worker, &w);
        destroy_workers(&w, n);
    }
    posenc_release(context, w.memory);
    return status;
}
