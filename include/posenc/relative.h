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

/* What the calls below have in common.
 * Dtypes: f32, f16, bf16 (sums in f32, of rows of attention in double) or f64 (all in double); all tensors of a call
 * alike, but the gradient of a table may be f32 beside f16 and bf16. Results are rounded once to their dtype.
 * Tensors: any strides; an output must keep its elements apart, and lie apart from all other tensors.
 * Returns POSENC_ERROR_ARGUMENT (an option, NULL), _POSITION (an offset beyond 2^60), _SHAPE, _DTYPE, _DEVICE,
 * _OVERLAP, _MEMORY; outputs are untouched then. Zero-sized tensors succeed: sums over nothing are 0.
 * Bits: the same on every instruction set and for every number of threads.
 *
 * The schemes "shaw" and "transformer-xl" name the options as parameters, for programs that show them: clip, direction,
 * scale, offset; dim (the model's width), scale, memory, clamp-len, bidirectional. A plan of theirs holds these values
 * and nothing that calls here read. posenc_plan_equation at position j - i, a whole number, gives the row of the table
 * of shaw (one column), and of transformer-xl channel `column` of r_{i-j}, within clamp-len. */

typedef struct posenc_shaw_options {
    size_t size;                /* sizeof(posenc_shaw_options), as written by posenc_shaw_default */
    int64_t clip;               /* K >= 0: the table has 2 K + 1 rows, row clip(distance, -K, K) + K. Required */
    posenc_direction direction; /* default j - i */
    double scale;               /* of the scores; 1/sqrt(d) in the paper. Default 1 */
    int64_t offset;             /* absolute position of query 0; key j stands at j. Default 0 */
    const DLTensor *offsets;    /* (batch), int32 or int64, instead of offset. Default NULL */
    int accumulate;             /* not 0: results are added to what outputs hold. Default 0 */
} posenc_shaw_options;

/* Writes every default into *options, and a clip that is refused. size is sizeof(*options) as the caller compiled it.
 */
POSENC_API void posenc_shaw_default(posenc_shaw_options *options, size_t size);

/* The explicit tensor: out (queries, keys, d) = table[row(i, j)], for inspection and small sizes. table (2K+1, d).
 * Neither offsets nor accumulate: POSENC_ERROR_UNSUPPORTED. */
POSENC_API posenc_status posenc_shaw_write(const posenc_context *context, const posenc_shaw_options *options,
                                           const DLTensor *table, DLTensor *out, posenc_error *error);

/* Scores: S[b, h, i, j] (+)= scale q[b, h, i] . table[row(i, j)]
 * q (batch, heads, queries, d), table (2K+1, d), scores (batch, heads, queries, keys).
 * Accuracy: 2e-6 of the sum of the sizes of the d terms, then the rounding to the dtype.
 * Bits: those of any other call that holds the same query, key and distance.
 * Cost: the product Q A^T, and writing the scores once. Memory: the table, no more of it than lies between the nearest
 * and the furthest distance, and up to 2 MiB of products for each thread. */
POSENC_API posenc_status posenc_shaw_scores(const posenc_context *context, const posenc_shaw_options *options,
                                            const DLTensor *q, const DLTensor *table, DLTensor *scores,
                                            posenc_error *error);

/* Backward of the scores: dq (batch, heads, queries, d) and dtable (2K+1, d), either may be NULL:
 *     dq[b, h, i] (+)= scale sum over j of dS[b, h, i, j] table[row(i, j)]
 *     dtable[r]   (+)= scale sum over (b, h, i, j) with row(i, j) = r of dS[b, h, i, j] q[b, h, i]
 * dtable is summed in double over blocks of queries, in their order.
 * Cost: reading dS once, and two products of the size of Q A^T. Edge cases: dS of masked scores must be 0, not NaN. */
POSENC_API posenc_status posenc_shaw_scores_backward(const posenc_context *context, const posenc_shaw_options *options,
                                                     const DLTensor *q, const DLTensor *table, const DLTensor *dscores,
                                                     DLTensor *dq, DLTensor *dtable, posenc_error *error);

/* Values: out[b, h, i] (+)= sum over j of attention[b, h, i, j] table[row(i, j)]; scale is not used.
 * attention (batch, heads, queries, keys), out (batch, heads, queries, d).
 * Each row of attention is summed up into 2K+1 numbers, which are then multiplied with the table: a NaN or an infinity
 * in the table may reach queries that never meet its row. Cost: reading the attention once, and a product. */
POSENC_API posenc_status posenc_shaw_values(const posenc_context *context, const posenc_shaw_options *options,
                                            const DLTensor *attention, const DLTensor *table, DLTensor *out,
                                            posenc_error *error);

/* Backward of the values: dattention (batch, heads, queries, keys) and dtable (2K+1, d), either may be NULL:
 *     dattention[b, h, i, j] (+)= dout[b, h, i] . table[row(i, j)]
 *     dtable[r]              (+)= sum over (b, h, i, j) with row(i, j) = r of attention[b, h, i, j] dout[b, h, i] */
POSENC_API posenc_status posenc_shaw_values_backward(const posenc_context *context, const posenc_shaw_options *options,
                                                     const DLTensor *attention, const DLTensor *table,
                                                     const DLTensor *dout, DLTensor *dattention, DLTensor *dtable,
                                                     posenc_error *error);

/* ---- Transformer-XL ---- */

typedef struct posenc_xl_options {
    size_t size;       /* sizeof(posenc_xl_options), as written by posenc_xl_default */
    double scale;      /* of the scores. Default 1 */
    int64_t memory;    /* keys of earlier segments: query i stands at memory + i, key j at j; below 0 where a block of
                       keys begins behind query 0. Within 2^60. Default POSENC_XL_MEMORY_AUTO */
    int64_t clamp_len; /* distances beyond clamp_len, or below -clamp_len, count as that; 0: none. Default 0 */
    int bidirectional; /* not 0: keys ahead of their query have scores too. Default 0: their scores are neither written
                          nor, by the backward, read */
    const DLTensor *memories; /* (batch), int32 or int64, instead of memory. Default NULL */
} posenc_xl_options;

/* keys - queries, or 0 where there are fewer keys. */
#define POSENC_XL_MEMORY_AUTO INT64_MIN

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_xl_default(posenc_xl_options *options, size_t size);

/* Scores: S[b, h, i, j] = scale ((q_i + u_h) . k_j + (q_i + v_h) . (W r_{i-j})_h)
 * options: NULL for defaults.
 * q (batch, heads, queries, d), k (batch, heads, keys, d), u, v (heads, d), w (heads d, model), scores (batch, heads,
 * queries, keys). r_n: the sinusoidal encoding of n in halves (sines, then cosines), of width model, base 10000.
 * The relative shift is an index, not a copy.
 * Cost: the products with k and with W r of the distances that a query sees; W r itself is made once for some heads at a
 * time. Memory: W r of all distances, at most keys + queries rows of d for a head, and as many more as memories lie
 * apart; as many heads as 16 MiB hold but at least one, and for each thread up to 3840 keys. */
POSENC_API posenc_status posenc_xl_scores(const posenc_context *context, const posenc_xl_options *options,
                                          const DLTensor *q, const DLTensor *k, const DLTensor *u, const DLTensor *v,
                                          const DLTensor *w, DLTensor *scores, posenc_error *error);

/* Gradients of all of them, of the shape of what they belong to; each may be NULL. Written, not added to. du, dv and dw
 * may be f32 beside f16 and bf16. size: sizeof(posenc_xl_gradients).
 * Cost: reading the gradients of the scores three times, and four products of the size of the scores' own. Memory: W r
 * as there, its gradient, and all queries of a head for each thread. */
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
