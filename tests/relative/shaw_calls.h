/* Calls about clipped relative positions, and what they must give: the equations, element by element, in long double.
 */
#ifndef POSENC_TESTS_RELATIVE_SHAW_CALLS_H
#define POSENC_TESTS_RELATIVE_SHAW_CALLS_H

#include <posenc/posenc.h>
#include <stdbool.h>

#include "support/random.h"

/* The results. Each comes from two or three of: vectors (batch, heads, queries, d), the table (rows, d), scores (batch,
 * heads, queries, keys). */
typedef enum shaw_result {
    SHAW_SCORES,
    SHAW_DQ,
    SHAW_DTABLE,
    SHAW_VALUES,
    SHAW_DATTENTION,
    SHAW_DTABLE_OF_VALUES,
    SHAW_RESULTS
} shaw_result;

extern const char *const shaw_names[SHAW_RESULTS];

typedef struct shaw_case {
    posenc_shaw_options options;
    int64_t batch, heads, queries, keys, d;
    int64_t offsets[4];
    bool with_offsets;
    posenc_view offsets_view;
    posenc_dtype dtype;
} shaw_case;

/* A small case of any kind. */
void shaw_random(shaw_case *c, random_state *random);

/* One of that size with the defaults. */
shaw_case shaw_sized(posenc_dtype dtype, int64_t batch, int64_t heads, int64_t queries, int64_t keys, int64_t d,
                     int64_t clip);

/* Text for failure messages. Static, overwritten by the next call. */
const char *shaw_text(const shaw_case *c);

int64_t shaw_vectors(const shaw_case *c, int64_t shape[4]); /* elements, and the shape */
int64_t shaw_scores(const shaw_case *c, int64_t shape[4]);
int64_t shaw_table(const shaw_case *c, int64_t shape[2]);
int64_t shaw_output(const shaw_case *c, shaw_result result, int *rank, int64_t shape[4]);

/* The call of a result. */
posenc_status shaw_run(const posenc_context *context, const shaw_case *c, shaw_result result, const DLTensor *vectors,
                       const DLTensor *table, const DLTensor *scores, DLTensor *out, posenc_error *error);

/* The same on contiguous memory of the case's dtype; must succeed. */
void must_shaw(const posenc_context *context, const shaw_case *c, shaw_result result, const void *vectors,
               const void *table, const void *scores, void *out);

/* What must come, not accumulated, and the sum of the sizes of its terms. */
void shaw_slow(const shaw_case *c, shaw_result result, const double *vectors, const double *table, const double *scores,
               long double *out, long double *sizes);

/* Whether an element of dtype is what must come: sums of the dtype worked in may be off by a share of their terms'
 * size, and it is rounded once. Beyond the largest f16 there is infinity. */
bool relative_accepts(posenc_dtype worked, posenc_dtype dtype, double got, long double want, long double size);

#endif
