/* The bench: works beside the floors of the machine, timed in one run. What the program needs to run and to print them.
 */
#ifndef POSENC_BENCH_H
#define POSENC_BENCH_H

#include <posenc/posenc.h>
#include <stdbool.h>

#include "measure.h"

/* How much to run. */
typedef enum posenc_bench_size {
    POSENC_BENCH_QUICK = 0, /* below ten seconds: fewer works, smaller ones */
    POSENC_BENCH_USUAL = 1, /* below a minute */
    POSENC_BENCH_FULL = 2   /* the sizes of the published goals, more rounds */
} posenc_bench_size;

typedef struct posenc_bench_options {
    posenc_bench_size size;
    const char *filter; /* only works whose line, "fill 5000x512 f32", holds this text; NULL: all */
    const char *isa;    /* NULL: the best */
    int threads;        /* of posenc and of its floors */
} posenc_bench_options;

/* How a result is told. */
typedef enum posenc_bench_kind {
    POSENC_BENCH_RATIO,   /* multiple of the floor; the goal is a most */
    POSENC_BENCH_FASTER,  /* so many times faster than what stands in the floor's place; the goal is a least */
    POSENC_BENCH_SPEED_UP /* two threads: speed-up as a share of the floor's own; the goal is a least */
} posenc_bench_kind;

typedef struct posenc_bench_result {
    const char *heading, *work, *scheme, *dtype, *isa;
    const char *state; /* "in cache", "memory" (larger than the last-level cache), "fresh" (page faults included) */
    char shape[48];    /* "5000x512" */
    int threads;
    posenc_bench_spread seconds;
    const char *floor; /* "memset", "memcpy", "row copy", "naive loop" */
    posenc_bench_spread floor_seconds;
    posenc_bench_spread ratio; /* paired: work over floor */
    const char *beside;        /* NULL, or what else was timed: "streaming copy" */
    double beside_ratio;       /* that over the floor */
    posenc_bench_kind kind;
    double value;      /* what the goal is about, by kind */
    double goal;       /* 0: none on this instruction set */
    bool goal_met;     /* if there is one */
    double max_error;  /* largest distance from the reference; below 0: not measured */
    bool baseline;     /* not posenc: one of the ways of others */
    int64_t every;     /* 1, or n: only each n-th row was made, and its seconds multiplied by n */
    char note[120];    /* "", or a remark */
    char skipped[320]; /* "", or why it was not run; the numbers mean nothing then */
} posenc_bench_result;

/* Gets each result as soon as it is there. */
typedef void posenc_bench_sink(void *user, const posenc_bench_result *result);

/* What became of the article's two figures on this machine, in sentences. */
typedef struct posenc_bench_claims {
    int n;
    char sentence[4][480];
} posenc_bench_claims;

/* Runs the works that the options choose. claims->n is 0 where the filter left out what they need.
 * *n_done counts the works run or skipped; 0: the filter fits nothing.
 * Returns a status of posenc_context_create. */
posenc_status posenc_bench_run(const posenc_bench_options *options, posenc_bench_sink *sink, void *user, int *n_done,
                               posenc_bench_claims *claims, posenc_error *error);

/* Bytes of the line of a work. */
enum { POSENC_BENCH_LINE = 96 };

/* The line of a work by index 0, 1, ..., as a filter sees it: "fill 5000x512 f32". False past the last. */
bool posenc_bench_line(size_t index, posenc_bench_size size, char line[POSENC_BENCH_LINE]);

#endif
