/* What a plan that biases scores holds, and what its scheme knows of one distance. The schemes fill it in, bias_*.c
 * work with it. */
#ifndef POSENC_SCHEMES_BIAS_H
#define POSENC_SCHEMES_BIAS_H

#include <posenc/bias.h>

#include "kernels/kernels.h"
#include "schemes/log_buckets.h"
#include "schemes/scheme.h"

/* What a bias is made of. */
typedef enum posenc_bias_source {
    POSENC_BIAS_SLOPES, /* a slope times a distance */
    POSENC_BIAS_TABLE,  /* a trained table, by the bucket of a distance */
    POSENC_BIAS_SIGNED, /* signed buckets alone */
    POSENC_BIAS_WINDOW  /* a trained table, by the place of two tokens in a window */
} posenc_bias_source;

/* Values of alibi's parameter "form". */
typedef enum posenc_bias_form {
    POSENC_BIAS_CAUSAL,   /* m (j - i) */
    POSENC_BIAS_KEY,      /* m j: rows are all alike, and no windows into one line */
    POSENC_BIAS_SYMMETRIC /* -m |i - j| */
} posenc_bias_form;

typedef struct posenc_bias {
    posenc_bias_source source;
    int64_t heads;
    bool causal;    /* query 0 stands at keys - queries unless the caller says where, else at 0 */
    bool two_sided; /* buckets: keys behind and ahead have buckets of their own */
    int64_t half;   /* buckets of one side */
    posenc_bias_form form;
    double *slopes; /* heads */
    posenc_log_buckets buckets;
    int64_t window[2];  /* height, width */
    int64_t table_rows; /* of the trained table; 0: there is none */
    size_t bytes;       /* of all that the plan holds for it */
} posenc_bias;

/* Gives the plan an empty posenc_bias for so many heads, and what else a plan needs. */
posenc_status posenc_bias_create(posenc_plan *plan, posenc_bias_source source, int64_t heads, posenc_error *error);

/* Finds the borders of plan->bias->buckets. On failure the plan has no bias any more. */
posenc_status posenc_bias_make_buckets(posenc_plan *plan, posenc_error *error);

/* Frees plan->bias. */
void posenc_bias_end(posenc_plan *plan);

/* The bucket of a distance j - i, and the last distance after it that is known to share it. Schemes of buckets only. */
int64_t posenc_bias_bucket_run(const posenc_bias *bias, int64_t distance, int64_t *last);

/* Tokens of a window. */
static inline int64_t posenc_bias_tokens(const posenc_bias *bias) { return bias->window[0] * bias->window[1]; }

/* Of a window: the table rows of a query at (h, w) and keys (hk, 0), (hk, 1), .. count down from this one. */
static inline int64_t posenc_bias_window_row(const posenc_bias *bias, int64_t h, int64_t w, int64_t hk) {
    return (h - hk + bias->window[0] - 1) * (2 * bias->window[1] - 1) + w + bias->window[1] - 1;
}

#endif
