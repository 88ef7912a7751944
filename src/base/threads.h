/* Parallel work without a pool: threads are started for the call and joined before it ends, so there is no state,
 * nothing to configure and nothing that a forked child could miss. */
#ifndef POSENC_BASE_THREADS_H
#define POSENC_BASE_THREADS_H

#include <posenc/context.h>

/* Number of slices worth making of a work of that many bytes: 1 when it is small, at most the context's threads. */
int posenc_slices(const posenc_context *context, size_t work_bytes);

/* Calls task(argument, i) for each i in 0..n-1 and returns when all are done. A thread that cannot be started costs
 * speed only: the calling thread does its share. Each call runs in the default floating-point environment. */
void posenc_parallel(const posenc_context *context, int n, posenc_task *task, void *argument);

/* What each slice of a call has for itself. create leaves nothing allocated where it fails. */
typedef struct posenc_worker_kind {
    size_t bytes;
    posenc_status (*create)(const void *call, void *worker, posenc_error *error);
    void (*destroy)(const void *call, void *worker);
} posenc_worker_kind;

typedef void posenc_worker_task(const void *call, void *worker, int index);

/* posenc_parallel with a worker for each slice. All are made before the first slice begins; where one cannot be, none
 * begins and nothing is left. */
posenc_status posenc_parallel_workers(const posenc_context *context, int n, const posenc_worker_kind *kind,
                                      posenc_worker_task *task, const void *call, posenc_error *error);

#endif
