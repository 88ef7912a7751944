/* Starts n-1 threads, works along, joins. Without threads in the build, the parts run one after the other. */
#include "parallel.h"

#if !defined(POSENC_NO_THREADS)
#include <pthread.h>

typedef struct {
    void (*task)(void *, int);
    void *argument;
    int index;
    pthread_t thread;
    int started;
} part;

static void *start(void *argument) {
    part *mine = argument;
    mine->task(mine->argument, mine->index);
    return NULL;
}

void posenc_bench_parallel(int n, void (*task)(void *argument, int index), void *argument) {
    part parts[POSENC_BENCH_MOST_THREADS];
    for (int i = 1; i < n; i++) {
        parts[i] = (part){.task = task, .argument = argument, .index = i};
        parts[i].started = pthread_create(&parts[i].thread, NULL, start, &parts[i]) == 0;
    }
    task(argument, 0);
    for (int i = 1; i < n; i++) {
        if (parts[i].started)
            pthread_join(parts[i].thread, NULL);
        else
            task(argument, i);
    }
}

#else

void posenc_bench_parallel(int n, void (*task)(void *argument, int index), void *argument) {
    for (int i = 0; i < n; i++) task(argument, i);
}

#endif
