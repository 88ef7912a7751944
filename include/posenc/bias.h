/* Score biases: what depends on the distance of a query and a key alone, added to the scaled scores of attention.
 * A bias by distance is a Toeplitz matrix: one vector per head holds it, and row i is a window into that vector. */
#ifndef POSENC_BIAS_H
#define POSENC_BIAS_H

#include <posenc/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Schemes with effect POSENC_EFFECT_BIASES_SCORES, made by posenc_plan_create from their parameters:
 *   alibi    slopes times distance. heads, form (causal: m (j - i); key: m j; symmetric: -m |i - j|), slopes
 * (published, geometric, or the caller's own list), head-start and all-heads (a rank that holds heads head-start ..
 *            head-start + heads - 1 of all-heads)
 *   t5       a trained table (buckets, heads) by bucket of j - i. heads, buckets (32), max-distance (128),
 *            bidirectional
 *   deberta  the buckets of DeBERTa-v2 alone (its scores go through vectors). buckets (256), max-distance (512)
 *   swin     a trained table ((2 Wh - 1)(2 Ww - 1), heads) for the tokens of a window Wh x Ww. heads, window
 */

/* Which part of which scores a call is about. */
typedef struct posenc_bias_extent {
    size_t size;         /* sizeof(posenc_bias_extent), as written by posenc_bias_extent_default */
    int64_t queries;     /* all queries of the sequence; required */
    int64_t keys;        /* all keys; required */
    int64_t offset;      /* the absolute position of query 0; key j stands at j. Default POSENC_BIAS_OFFSET_AUTO */
    int64_t first_query; /* the block that is asked for: queries first_query .. first_query + n_queries - 1 */
    int64_t n_queries;   /* 0 for all from first_query on is not a value: -1 means all the rest. Default -1 */
    int64_t first_key;
    int64_t n_keys; /* default -1 */
} posenc_bias_extent;

/* keys - queries where the form is causal (alibi causal and key, t5 not bidirectional), else 0. */
#define POSENC_BIAS_OFFSET_AUTO INT64_MIN

/* Writes every default into *extent. size is sizeof(*extent) as the caller compiled it, and is stored there. */
POSENC_API void posenc_bias_extent_default(posenc_bias_extent *extent, size_t size);

/* The row of the trained table (t5, swin), or the signed bucket (deberta), for a distance j - i.
 * swin: of query and key numbers in the window, see posenc_bias_index. Integers, exact for every int64 distance.
 * Returns POSENC_ERROR_ARGUMENT (not a scheme with buckets); *bucket is untouched then. */
POSENC_API posenc_status posenc_bias_bucket(const posenc_plan *plan, int64_t distance, int64_t *bucket,
                                            posenc_error *error);

/* Writes the table row of every (query, key): index (queries, keys), int32 or int64, any strides. t5, deberta, swin. */
POSENC_API posenc_status posenc_bias_index(const posenc_plan *plan, const posenc_bias_extent *extent, DLTensor *index,
                                           posenc_error *error);

/* Writes the vector of each head: vector[h, q - 1 + j - i] = B[h, i, j], length queries + keys - 1 (of the block).
 * Row i of head h of the bias is then vector[h, q - 1 - i ...]: as a view with strides (length, -1, 1) from element
 * q - 1 it is the whole bias without a copy.
 * table: the trained table of t5 (buckets, heads), f32, f64, f16 or bf16; NULL for alibi. swin and alibi's key form
 * have no such vector: POSENC_ERROR_UNSUPPORTED.
 * vector: (heads, queries + keys - 1), f32, f64, f16 or bf16, contiguous along the last axis. Rounded once. */
POSENC_API posenc_status posenc_bias_vector(const posenc_plan *plan, const posenc_bias_extent *extent,
                                            const DLTensor *table, DLTensor *vector, posenc_error *error);

/* Writes the bias of a block: out (heads, queries, keys) of the block, any strides that keep elements apart. The same
 * bits as that block of the whole. Cost: that of writing it. */
POSENC_API posenc_status posenc_bias_write(const posenc_plan *plan, const posenc_bias_extent *extent,
                                           const DLTensor *table, DLTensor *out, posenc_error *error);

/* What a call on scores does besides. */
typedef struct posenc_bias_options {
    size_t size;                /* sizeof(posenc_bias_options), as written by posenc_bias_options_default */
    double scale;               /* B is multiplied by it before it is added. Default 1 */
    int causal;                 /* not 0: scores of keys behind their query become -infinity. Default 0 */
    const DLTensor *offsets;    /* (batch), int32 or int64: position of query 0 of each batch row, instead of
                                   extent->offset. Default NULL */
    const DLTensor *cu_seqlens; /* (sequences + 1): packed; batch 1, queries = keys; scores across sequences become
                                   -infinity and each sequence counts anew. Default NULL */
} posenc_bias_options;

POSENC_API void posenc_bias_options_default(posenc_bias_options *options, size_t size);

/* Adds the bias to scores in place: s = round(s + scale B), in f32 for f32, f16 and bf16.
 * scores: (batch, heads, queries, keys) or (heads, queries, keys) of the block, any strides that keep elements apart.
 * Returns as posenc_bias_write; scores are untouched then. */
POSENC_API posenc_status posenc_bias_add(const posenc_plan *plan, const posenc_bias_extent *extent,
                                         const posenc_bias_options *options, const DLTensor *table, DLTensor *scores,
                                         posenc_error *error);

/* Gradient of a trained table, or of alibi's slopes:
 *     dtable[r, h] (+)= scale sum over (batch, i, j) with row(i, j) = r of dS[batch, h, i, j]
 *     dslopes[h]   (+)= scale sum over (batch, i, j) of dS (j - i), or as the form has it
 * dscores: as scores of posenc_bias_add; entries that the mask covers take no part.
 * gradient: the table's shape, or (heads); f32 or f64. accumulate: not 0: adds to what it holds. Sums run in double in
 * a fixed order: the same bits for every number of threads. */
POSENC_API posenc_status posenc_bias_backward(const posenc_plan *plan, const posenc_bias_extent *extent,
                                              const posenc_bias_options *options, const DLTensor *dscores,
                                              DLTensor *gradient, int accumulate, posenc_error *error);

/* A swin table for another window: bicubic or bilinear over the grid of differences, exact size, as posenc_resize. */
POSENC_API posenc_status posenc_bias_resize_window(const DLTensor *table, const int64_t from[2], const int64_t to[2],
                                                   DLTensor *out, posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
