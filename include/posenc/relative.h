/* Relative encodings through vectors: clipped relative positions (Shaw et al. 2018) and Transformer-XL (Dai et al.
 * 2019). Neither ever makes a tensor of queries x keys x channels, but for the explicit one that is asked for. */
#ifndef POSENC_RELATIVE_H
#define POSENC_RELATIVE_H

#include <posenc/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which way distances are counted. */
typedef enum posenc_direction {
    POSENC_DIRECTION_KEY_MINUS_QUERY = 0, /* clip(j - i): Shaw et al. */
    POSENC_DIRECTION_QUERY_MINUS_KEY = 1  /* clip(i - j) */
} posenc_direction;

typedef struct posenc_shaw_options {
    size_t size;                /* sizeof(posenc_shaw_options), as written by posenc_shaw_default */
    int64_t clip;               /* K >= 0: the table has 2 K + 1 rows, row clip(distance, -K, K) + K. Required */
    posenc_direction direction; /* default j - i */
    double scale;               /* of the scores; 1/sqrt(d) in the paper. Default 1 */
    int64_t offset;             /* absolute position of query 0; key j stands at j. Default 0 */
    const DLTensor *offsets;    /* (batch), instead of offset. Default NULL */
    int accumulate;             /* scores and values are added to the output instead of written. Default 0 */
} posenc_shaw_options;

POSENC_API void posenc_shaw_default(posenc_shaw_options *options, size_t size);

/* The explicit tensor: out (queries, keys, d) = table[row(i, j)], for inspection and small sizes. table (2K+1, d). */
POSENC_API posenc_status posenc_shaw_write(const posenc_context *context, const posenc_shaw_options *options,
                                           const DLTensor *table, DLTensor *out, posenc_error *error);

/* Scores: S[b, h, i, j] (+)= scale q[b, h, i] . table[row(i, j)]
 * q (batch, heads, queries, d), table (2K+1, d), scores (batch, heads, queries, keys), f32, f16 or bf16 alike; f32
 * sums. Cost: the product Q A^T, and writing the scores. Memory O(queries K). */
POSENC_API posenc_status posenc_shaw_scores(const posenc_context *context, const posenc_shaw_options *options,
                                            const DLTensor *q, const DLTensor *table, DLTensor *scores,
                                            posenc_error *error);

/* Backward of the scores: dq (batch, heads, queries, d) and dtable (2K+1, d), either may be NULL. accumulate as in the
 * options, for both. Deterministic. */
POSENC_API posenc_status posenc_shaw_scores_backward(const posenc_context *context, const posenc_shaw_options *options,
                                                     const DLTensor *q, const DLTensor *table, const DLTensor *dscores,
                                                     DLTensor *dq, DLTensor *dtable, posenc_error *error);

/* Values: out[b, h, i] (+)= sum over j of attention[b, h, i, j] table[row(i, j)]; scale is not used. */
POSENC_API posenc_status posenc_shaw_values(const posenc_context *context, const posenc_shaw_options *options,
                                            const DLTensor *attention, const DLTensor *table, DLTensor *out,
                                            posenc_error *error);

/* Backward of the values: dattention (batch, heads, queries, keys) and dtable, either may be NULL. */
POSENC_API posenc_status posenc_shaw_values_backward(const posenc_context *context, const posenc_shaw_options *options,
                                                     const DLTensor *attention, const DLTensor *table,
                                                     const DLTensor *dout, DLTensor *dattention, DLTensor *dtable,
                                                     posenc_error *error);

/* ---- Transformer-XL ---- */

typedef struct posenc_xl_options {
    size_t size;       /* sizeof(posenc_xl_options), as written by posenc_xl_default */
    double scale;      /* of the scores. Default 1 */
    int64_t memory;    /* keys of earlier segments: query i stands at memory + i, key j at j. Default keys - queries,
                          which -1 asks for */
    int64_t clamp_len; /* distances beyond it count as it; 0: none. Default 0 */
    int bidirectional; /* not 0: distances below 0 (keys ahead) have rows too. Default 0: r of 0 .. keys - 1 alone, and
                          scores of keys ahead are not written */
} posenc_xl_options;

POSENC_API void posenc_xl_default(posenc_xl_options *options, size_t size);

/* Scores: S[b, h, i, j] = scale ((q_i + u_h) . k_j + (q_i + v_h) . (W r_{i-j})_h)
 * q (batch, heads, queries, d), k (batch, heads, keys, d), u, v (heads, d), w (heads d, model), r from the sinusoidal
 * encoding in halves of width model (base 10000), scores (batch, heads, queries, keys). f32, f16, bf16; f32 sums. The
 * relative shift is an index, not a copy. */
POSENC_API posenc_status posenc_xl_scores(const posenc_context *context, const posenc_xl_options *options,
                                          const DLTensor *q, const DLTensor *k, const DLTensor *u, const DLTensor *v,
                                          const DLTensor *w, DLTensor *scores, posenc_error *error);

/* Gradients of all of them; each may be NULL. Written, not added to. Deterministic. */
typedef struct posenc_xl_gradients {
    size_t size;
    DLTensor *dq, *dk, *du, *dv, *dw;
} posenc_xl_gradients;

POSENC_API posenc_status posenc_xl_scores_backward(const posenc_context *context, const posenc_xl_options *options,
                                                   const DLTensor *q, const DLTensor *k, const DLTensor *u,
                                                   const DLTensor *v, const DLTensor *w, const DLTensor *dscores,
                                                   const posenc_xl_gradients *gradients, posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
