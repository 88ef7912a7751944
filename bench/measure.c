/* The harness: warm up, find out how often a short contender must be repeated, then time all in turns. */
#include "measure.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

/* A sample shorter than this drowns in the clock's own noise (about 50 ns) and in single interrupts. */
static const double SHORTEST_SAMPLE = 50e-6;

static double time_once(const posenc_bench_contender *contender, long repeats) {
    if (contender->before) contender->before(contender->state);
    double begin = posenc_bench_seconds();
    for (long i = 0; i < repeats; i++) contender->run(contender->state);
    double seconds = (posenc_bench_seconds() - begin) / (double)repeats;
    if (contender->after) contender->after(contender->state);
    return seconds;
}

/* How one contender is sampled. */
typedef struct {
    long repeats;
    double seconds; /* of a sample */
    bool warm_up;   /* an untimed run goes first */
} sampling;

/* Repeats that make a sample long enough. A contender that needs preparing each time cannot be repeated. */
static sampling sampling_of(const posenc_bench_contender *contender) {
    sampling s = {1, 0, false};
    time_once(contender, 1); /* code, page tables and caches */
    s.seconds = time_once(contender, 1);
    if (contender->before || contender->after) return s;
    while (s.seconds < SHORTEST_SAMPLE && s.repeats < 1L << 24) {
        s.repeats *= 2;
        s.seconds = time_once(contender, s.repeats) * (double)s.repeats;
    }
    return s;
}

/* After a contender that takes ten times as long (a naive loop), a short one would find its caches cold and be timed in
 * another state than on its own: it runs once before it is timed. */
static void choose_warm_ups(const posenc_bench_contender *contenders, int n, sampling *samplings) {
    double longest = 0;
    for (int c = 0; c < n; c++) longest = samplings[c].seconds > longest ? samplings[c].seconds : longest;
    for (int c = 0; c < n; c++) samplings[c].warm_up = !contenders[c].before && 10 * samplings[c].seconds < longest;
}

void posenc_bench_measure(const posenc_bench_contender *contenders, int n, posenc_bench_effort effort,
                          posenc_bench_samples *samples) {
    sampling samplings[POSENC_BENCH_MOST_CONTENDERS];
    double begin = posenc_bench_seconds();
    for (int c = 0; c < n; c++) samplings[c] = sampling_of(&contenders[c]);
    choose_warm_ups(contenders, n, samplings);
    samples->rounds = 0;
    for (int round = 0; round < POSENC_BENCH_MOST_ROUNDS; round++) {
        if (round >= effort.least_rounds && posenc_bench_seconds() - begin > effort.seconds) break;
        /* Each round starts with another contender: none always comes right after the same one. */
        for (int turn = 0; turn < n; turn++) {
            int c = (turn + round) % n;
            if (samplings[c].warm_up) contenders[c].run(contenders[c].state);
            samples->seconds[c][round] = time_once(&contenders[c], samplings[c].repeats);
        }
        samples->rounds = round + 1;
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

posenc_bench_spread posenc_bench_spread_sorted(double *values, int n) {
    qsort(values, (size_t)n, sizeof *values, by_value);
    double median = n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
    return (posenc_bench_spread){median, values[0], values[n - 1], n};
}

posenc_bench_spread posenc_bench_spread_of(const posenc_bench_samples *samples, int contender) {
    double values[POSENC_BENCH_MOST_ROUNDS];
    memcpy(values, samples->seconds[contender], sizeof *values * (size_t)samples->rounds);
    return posenc_bench_spread_sorted(values, samples->rounds);
}

posenc_bench_spread posenc_bench_ratio_of(const posenc_bench_samples *samples, int contender, int other) {
    double values[POSENC_BENCH_MOST_ROUNDS];
    for (int r = 0; r < samples->rounds; r++) values[r] = samples->seconds[contender][r] / samples->seconds[other][r];
    return posenc_bench_spread_sorted(values, samples->rounds);
}
