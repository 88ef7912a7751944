/* A few threads for one call, so that a floor can be timed on as many threads as the work beside it. */
#ifndef POSENC_BENCH_PARALLEL_H
#define POSENC_BENCH_PARALLEL_H

#define POSENC_BENCH_MOST_THREADS 256

/* Calls task(argument, i) for each i in 0..n-1, one thread each, and returns when all are done. n = 1 starts none. */
void posenc_bench_parallel(int n, void (*task)(void *argument, int index), void *argument);

#endif
