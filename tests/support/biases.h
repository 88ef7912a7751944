/* Score biases once more, slowly, one value at a time from the schemes' equations, and random calls of all kinds. */
#ifndef POSENC_TESTS_SUPPORT_BIASES_H
#define POSENC_TESTS_SUPPORT_BIASES_H

#include <stdbool.h>
#include <stdint.h>

#include <posenc/bias.h>

#include "support/random.h"

/* A plan of a scheme that biases scores, from "name=value" texts, NULL at the end. Fails the running test. */
posenc_plan *must_bias_plan(const posenc_context *context, const char *scheme, const char *const *settings);

/* What a plan knows, asked once. */
typedef struct bias_facts {
    const posenc_plan *plan;
    int64_t heads;
    int64_t table_rows; /* 0: no table */
    int64_t tokens;     /* of a window; 0: any number */
    bool key_form, symmetric, causal;
    double *slopes; /* as the plan rounds them, from its f64 vector */
} bias_facts;

bias_facts bias_facts_of(const posenc_plan *plan);
void bias_facts_end(bias_facts *facts);

/* The table row of query i (at position i + offset) and key j. */
int64_t bias_row(const bias_facts *facts, int64_t position, int64_t key);

/* scale B[head, query at position, key]; table: (rows, heads) or NULL. */
double bias_value(const bias_facts *facts, const double *table, double scale, int64_t head, int64_t position,
                  int64_t key);

/* One random call on scores (batch, heads, queries, keys), and the plan it is made with. */
typedef struct bias_call {
    posenc_plan *plan;
    bias_facts facts;
    posenc_dtype table_dtype;
    void *table_memory; /* NULL: no table */
    double *table;      /* its values */
    posenc_view table_view;
    DLTensor *table_tensor;
    posenc_bias_extent extent;
    posenc_bias_options options;
    int64_t batch, n_queries, n_keys, first_query, first_key;
    int64_t *offsets; /* batch */
    int64_t *lengths; /* cu_seqlens */
    posenc_view offsets_view, lengths_view;
} bias_call;

/* masks: offsets, causal cuts and packed sequences too. */
void bias_call_make(bias_call *c, const posenc_context *context, random_state *random, bool masks);
void bias_call_end(bias_call *c);

/* Whether query i of a batch row sees key j (both in the block), and where they stand. */
bool bias_call_sees(const bias_call *c, int64_t batch, int64_t i, int64_t j, int64_t *position, int64_t *key);

/* "t5 heads 3 queries 5 .."; static, overwritten by the next call. */
const char *bias_call_text(const bias_call *c);

#endif
