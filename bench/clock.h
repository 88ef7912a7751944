/* Time, and a fixed core: what a measurement needs from the operating system. */
#ifndef POSENC_BENCH_CLOCK_H
#define POSENC_BENCH_CLOCK_H

#include <stdbool.h>

/* Seconds on a clock that never goes back. */
double posenc_bench_seconds(void);

/* Keeps the calling thread on the core it runs on, so that its caches stay its own. False where the system cannot. */
bool posenc_bench_pin(void);

/* Undoes posenc_bench_pin, so that threads started from here on may spread. */
void posenc_bench_unpin(void);

#endif
