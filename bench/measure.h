/* One harness for every work. Contenders (the work, its floor, what stands beside) run in turns, round after round,
 * so that a neighbour's load falls on all of them. A ratio is the median of the ratios of single rounds: both of its
 * sides were timed within milliseconds of each other. */
#ifndef POSENC_BENCH_MEASURE_H
#define POSENC_BENCH_MEASURE_H

#include <stdbool.h>

#define POSENC_BENCH_MOST_CONTENDERS 4
#define POSENC_BENCH_MOST_ROUNDS 64

/* What is timed. before and after are not timed and may be NULL. */
typedef struct posenc_bench_contender {
    void (*run)(void *state);
    void *state;
    void (*before)(void *state);
    void (*after)(void *state);
} posenc_bench_contender;

/* How long to go on. */
typedef struct posenc_bench_effort {
    double seconds; /* no new round begins after this, once least_rounds are done */
    int least_rounds;
} posenc_bench_effort;

/* seconds[c][r]: one run of contender c in round r. */
typedef struct posenc_bench_samples {
    int rounds;
    double seconds[POSENC_BENCH_MOST_CONTENDERS][POSENC_BENCH_MOST_ROUNDS];
} posenc_bench_samples;

/* Median, least and most of some numbers. */
typedef struct posenc_bench_spread {
    double median, minimum, maximum;
    int runs;
} posenc_bench_spread;

/* Times contenders[0..n-1] in turns. A contender that takes less than the clock can tell is repeated within a round. */
void posenc_bench_measure(const posenc_bench_contender *contenders, int n, posenc_bench_effort effort,
                          posenc_bench_samples *samples);

/* Seconds of one contender. */
posenc_bench_spread posenc_bench_spread_of(const posenc_bench_samples *samples, int contender);

/* Paired ratios, seconds of one contender over seconds of another in the same round. */
posenc_bench_spread posenc_bench_ratio_of(const posenc_bench_samples *samples, int contender, int other);

/* Spread of values[0..n-1], which are sorted in place. */
posenc_bench_spread posenc_bench_spread_sorted(double *values, int n);

#endif
