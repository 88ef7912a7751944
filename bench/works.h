/* A work is one row of a table: what is measured, in which size and type, what it should reach. The bench's inside. */
#ifndef POSENC_BENCH_WORKS_H
#define POSENC_BENCH_WORKS_H

#include "bench.h"
#include "reference.h"

/* The run that works belong to. */
typedef struct posenc_bench_session {
    const posenc_bench_options *options;
    const posenc_context *context;
    const char *isa;
    size_t cache_bytes;
    posenc_bench_effort effort;
    posenc_bench_reference reference; /* of the table shape used last */
} posenc_bench_session;

typedef struct posenc_bench_work posenc_bench_work;

/* Measures one work and fills in the result; names, shape and goal are there already.
 * shape: the work's, as the size of the run and of the cache have made it, outermost first. */
typedef void posenc_bench_runner(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                                 posenc_bench_result *result);

/* Works that share a heading and a runner. */
typedef struct posenc_bench_group {
    const char *heading;
    posenc_bench_kind kind;
    posenc_bench_runner *run;
} posenc_bench_group;

/* What may differ between works of one group. */
enum {
    POSENC_BENCH_IN_PLACE = 1, /* y is x */
    POSENC_BENCH_SCALED = 2,   /* x * scale + E, scale = sqrt(dim) */
    POSENC_BENCH_IN_CACHE = 4, /* the goal holds only where the data fit the last-level cache */
    POSENC_BENCH_RANDOM = 8,   /* random positions */
    POSENC_BENCH_FRESH = 16,   /* page faults included */
    POSENC_BENCH_DROPOUT = 32, /* in training, one element in ten dropped */
    POSENC_BENCH_BACKWARD = 64,
    POSENC_BENCH_PACKED = 128,      /* sequences one behind the other; else per-row offsets */
    POSENC_BENCH_SUMMARY = 256,     /* statistics of all pairs; else their matrix */
    POSENC_BENCH_INTERLEAVED = 512, /* rotary: pairs (2i, 2i + 1); else halves */
    POSENC_BENCH_PARTIAL = 1024,    /* rotary: the first half of each head */
    POSENC_BENCH_SECTIONED = 2048,  /* rotary: three axes */
    POSENC_BENCH_STORED = 4096,     /* a stored table; else rows made on the fly */
    POSENC_BENCH_FLATTENED = 8192,  /* a frame is one token; else its pixels share a row */
    POSENC_BENCH_BUCKETS = 16384,   /* biases: those of t5; else of alibi */
    POSENC_BENCH_ANY_SLOPE = 32768, /* alibi: a slope that is no power of two */
    POSENC_BENCH_BOTH_WAYS = 65536, /* Transformer-XL: keys ahead too; else causal */
    POSENC_BENCH_VALUES = 131072    /* Shaw: values; else scores */
};

struct posenc_bench_work {
    const posenc_bench_group *group;
    const char *name;
    posenc_dtype dtype;
    int rank;
    int64_t first[3]; /* outermost extent in a quick, usual, full run; 0: not run. Rank 3: doubled beyond the cache */
    int64_t rest[2];  /* the other extents */
    unsigned flags;
    double goal[2];               /* AVX-512, AVX2; 0: none */
    void (*baseline)(void *rows); /* the ways of others only */
};

/* A work by index; NULL past the last. */
const posenc_bench_work *posenc_bench_work_at(size_t index);

/* Bytes of one tensor of a work in that shape. */
size_t posenc_bench_work_bytes(const posenc_bench_work *work, const int64_t *shape);

/* Runners. */
posenc_bench_runner posenc_bench_fill;               /* fill.c */
posenc_bench_runner posenc_bench_fill_naive;         /* fill.c */
posenc_bench_runner posenc_bench_cold;               /* cold.c */
posenc_bench_runner posenc_bench_cold_fresh;         /* cold.c */
posenc_bench_runner posenc_bench_add;                /* add.c */
posenc_bench_runner posenc_bench_encode;             /* encoder.c */
posenc_bench_runner posenc_bench_encode_rows;        /* encoder.c */
posenc_bench_runner posenc_bench_learned;            /* learned.c */
posenc_bench_runner posenc_bench_token;              /* token.c */
posenc_bench_runner posenc_bench_two_threads;        /* two_threads.c */
posenc_bench_runner posenc_bench_similarity;         /* similarity.c */
posenc_bench_runner posenc_bench_baseline;           /* baseline.c */
posenc_bench_runner posenc_bench_rotary;             /* rotary.c */
posenc_bench_runner posenc_bench_rotary_two_threads; /* rotary.c */
posenc_bench_runner posenc_bench_rotary_usual;       /* rotary.c */
posenc_bench_runner posenc_bench_grid;               /* axes.c */
posenc_bench_runner posenc_bench_real;               /* real.c */
posenc_bench_runner posenc_bench_video;              /* video.c */
posenc_bench_runner posenc_bench_bias;               /* bias.c */
posenc_bench_runner posenc_bench_shaw;               /* shaw.c */
posenc_bench_runner posenc_bench_transformer_xl;     /* xl.c */

/* ---- What runners share (share.c) ----------------------------------------------------------------------------------
 */

/* A sinusoidal plan with that width and prepared length; on failure the result is marked as skipped. */
posenc_plan *posenc_bench_plan(const posenc_context *context, int64_t dim, int64_t max_len,
                               posenc_bench_result *result);

/* Warm memory; NULL, with the result marked as skipped, where the machine has too little. */
void *posenc_bench_buffer(size_t bytes, posenc_bench_result *result);

/* Marks a result as skipped and says why. */
void posenc_bench_skip(posenc_bench_result *result, const char *why);

/* Measures and files: contender 0 is the work, 1 its floor, 2 (where result->beside names it) stands beside. */
void posenc_bench_file(posenc_bench_effort effort, const posenc_bench_contender *contenders, int n,
                       posenc_bench_result *result, posenc_bench_samples *samples);

/* A context with that instruction set and so many threads; NULL where memory is out. (two_threads.c) */
posenc_context *posenc_bench_context(const char *isa, int threads);

/* Measures one work on one thread and on two beside a memset of memory[bytes] on one and on two, and files the
 * speed-up. (two_threads.c) */
void posenc_bench_file_two_threads(posenc_bench_session *session, posenc_bench_contender one,
                                   posenc_bench_contender two, void *memory, size_t bytes, posenc_bench_result *result);

/* Files samples that are there. */
void posenc_bench_file_samples(const posenc_bench_samples *samples, posenc_bench_result *result);

/* Compares what a work has made, a table of rows 0, step, 2 step, ... of (length, dim), and files the worst error. */
void posenc_bench_file_error(posenc_bench_session *session, const int64_t *shape, const void *table, posenc_dtype dtype,
                             int64_t step, posenc_bench_result *result);

#endif
