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

#endif
