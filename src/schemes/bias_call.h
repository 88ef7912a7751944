/* One call about score biases: checked at the door, then walked in tiles of queries and keys. A tile needs one line,
 * the values of all its distances; each of its rows is a window into that line. Lines are short, so that no call needs
 * memory of the size of its scores, and their values depend on the distance alone, so that no tile shows in the bits.
 */
#ifndef POSENC_SCHEMES_BIAS_CALL_H
#define POSENC_SCHEMES_BIAS_CALL_H

#include "base/tensor.h"
#include "schemes/bias.h"

/* A tensor (batch, heads, queries, keys) in bytes; axes that it lacks have extent 1. */
typedef struct posenc_bias_scores {
    char *data;
    posenc_dtype dtype;
    int64_t batch, heads, queries, keys;
    ptrdiff_t batch_bytes, head_bytes, query_bytes, key_bytes;
    bool packed; /* keys are contiguous */
} posenc_bias_scores;

/* A trained table (rows, heads) in bytes. data NULL: none. */
typedef struct posenc_bias_table {
    const char *data;
    posenc_dtype dtype;
    ptrdiff_t row_bytes, head_bytes;
} posenc_bias_table;

typedef struct posenc_bias_call {
    const posenc_plan *plan;
    const posenc_bias *bias;
    posenc_bias_extent extent; /* complete: counts and offset are numbers */
    posenc_bias_options options;
    posenc_bias_table table;
    posenc_bias_scores scores;
    posenc_dtype line_dtype; /* of the values in lines; i32 and i64 for an index */
    double scale;
} posenc_bias_call;

/* ---- the door (bias_door.c, bias_scores.c) ---- */

/* Completes and checks plan and extent. index: schemes that have buckets only; else those with a bias. */
posenc_status posenc_bias_open(posenc_bias_call *call, const posenc_plan *plan, const posenc_bias_extent *extent,
                               bool index, posenc_error *error);

/* Completes and checks the options, for scores that are open. */
posenc_status posenc_bias_open_options(posenc_bias_call *call, const posenc_bias_options *options, posenc_error *error);

/* Checks a trained table, or that there is none where none is wanted. */
posenc_status posenc_bias_open_table(posenc_bias_call *call, const DLTensor *table, posenc_error *error);

/* Checks scores of the block. batched: (batch, heads, queries, keys) is fine too; flat: (queries, keys). */
typedef enum posenc_bias_rank { POSENC_BIAS_FLAT, POSENC_BIAS_HEADS, POSENC_BIAS_BATCHED } posenc_bias_rank;
posenc_status posenc_bias_open_scores(posenc_bias_call *call, const DLTensor *scores, const char *name,
                                      posenc_bias_rank rank, posenc_error *error);

/* Refuses an output whose elements meet, or that shares memory with an input, which may be NULL. */
posenc_status posenc_bias_check_output(const DLTensor *out, const char *name, const DLTensor *input,
                                       const char *input_name, posenc_error *error);

/* ---- places ---- */

/* Position of query 0 of the sequence in a batch row. */
int64_t posenc_bias_offset_of(const posenc_bias_call *call, int64_t batch);

/* The packed sequence that a query is in, as tokens begin..end-1; without packing, all queries and keys. */
void posenc_bias_sequence_at(const posenc_bias_call *call, int64_t query, int64_t *begin, int64_t *end);

/* Queries of the block in one sequence, and the keys of the block that they may see, causality left aside; keys that
 * they do not see stand in front of first_key and from end_key on. */
typedef struct posenc_bias_part {
    int64_t batch, head;
    int64_t first_query, n_queries; /* in the block */
    int64_t first_key, end_key;     /* in the block */
    int64_t distance;               /* of the part's first query and first key; form key: that key's position */
    int64_t key_step;               /* what a query's windows move by: 1, or 0 where all rows are alike */
    int64_t behind;                 /* causal: keys from first_key on that the first query sees; each later one sees one
                                       more. Else INT64_MAX / 2 */
} posenc_bias_part;

/* The part that begins at a query, of at most n_queries, with keys first_key..end_key-1 or fewer. */
posenc_bias_part posenc_bias_part_at(const posenc_bias_call *call, int64_t batch, int64_t head, int64_t query,
                                     int64_t n_queries, int64_t first_key, int64_t end_key);

/* Keys that query i of a part sees, from its first key on. */
static inline int64_t posenc_bias_seen(const posenc_bias_part *part, int64_t i) {
    int64_t n = part->end_key - part->first_key, seen = part->behind + i;
    return seen < 0 ? 0 : seen < n ? seen : n;
}

/* ---- lines (bias_line.c) ---- */

/* Writes the values of n distances from first on, in call->line_dtype. */
void posenc_bias_line(const posenc_bias_call *call, int64_t head, int64_t first, int64_t n, char *out);

/* Writes a head's table backwards: where a window's rows are windows into. table_rows elements of call->line_dtype. */
void posenc_bias_window_line(const posenc_bias_call *call, int64_t head, char *out);

/* ---- the walk (bias_walk.c) ---- */

/* Rows of scores that follow each other, some keys of each. */
typedef struct posenc_bias_rows {
    int64_t rows, n;
    char *scores;       /* of the first row and key */
    int64_t shrink;     /* masked keys: each later row has so many fewer, and begins so many further on */
    const char *values; /* of the first row, contiguous; NULL: the keys are masked */
    ptrdiff_t values_bytes;
} posenc_bias_rows;

/* What a thread has beside its line. */
typedef struct posenc_bias_scratch {
    char *masked; /* minus infinities in the dtype of the scores, as many as any row has keys; scores in floats only */
    char *row;    /* room for as many elements */
    bool stream;  /* the scores outgrow the caches */
} posenc_bias_scratch;

typedef void posenc_bias_work(const posenc_bias_call *call, const posenc_bias_rows *rows,
                              const posenc_bias_scratch *scratch);

/* Does work on all rows of the block, whichever way they are cut. */
posenc_status posenc_bias_walk(const posenc_bias_call *call, posenc_bias_work *work, posenc_error *error);

#endif
