/* Time, and a fixed core: what a measurement needs from the operating system. */
#ifndef POSENC_BENCH_CLOCK_H
#define POSENC_BENCH_CLOCK_H

#include <stdbool.h>

/* Seconds on a clock that never goes back. */
double posenc_bench_seconds(void);

/* Tells how busy the machine was while something ran. */
typedef struct posenc_bench_watch {
    double wall, processor;
} posenc_bench_watch;

posenc_bench_watch posenc_bench_watch_start(void);

/* Processor time of this process over wall time since the start. One thread that had its core to itself: near 1. */
double posenc_bench_watch_share(const posenc_bench_watch *watch);

/* Below this share of a core, times tell more about the neighbours than about the work. */
#define POSENC_BENCH_QUIET_SHARE 0.9

/* Keeps the calling thread on the core it runs on, so that its caches stay its own. False where the system cannot. */
bool posenc_bench_pin(void);

/* Undoes posenc_bench_pin, so that threads started from here on may spread. */
void posenc_bench_unpin(void);

#endif
