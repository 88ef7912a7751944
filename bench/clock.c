/* The system's clock and its scheduler. Linux pins a thread to a core; elsewhere the thread moves as it likes. */
#if defined(__linux__)
#define _GNU_SOURCE /* sched_setaffinity, CPU_SET */
#else
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#endif
#include "clock.h"

#include <time.h>

double posenc_bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double processor_seconds(void) { return (double)clock() / (double)CLOCKS_PER_SEC; }

posenc_bench_watch posenc_bench_watch_start(void) {
    return (posenc_bench_watch){posenc_bench_seconds(), processor_seconds()};
}

double posenc_bench_watch_share(const posenc_bench_watch *watch) {
    double wall = posenc_bench_seconds() - watch->wall;
    return wall > 0 ? (processor_seconds() - watch->processor) / wall : 1;
}

#if defined(__linux__)
#include <sched.h>

/* The cores that the process may use, as found by the first pin. Only the program's main thread touches it. */
static cpu_set_t allowed;
static bool pinned;

bool posenc_bench_pin(void) {
    if (pinned) return true;
    cpu_set_t one;
    int cpu = sched_getcpu();
    if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pinned = sched_setaffinity(0, sizeof one, &one) == 0;
    return pinned;
}

void posenc_bench_unpin(void) {
    if (pinned) sched_setaffinity(0, sizeof allowed, &allowed);
    pinned = false;
}

#else

bool posenc_bench_pin(void) { return false; }

void posenc_bench_unpin(void) {}

#endif
