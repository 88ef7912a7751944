/* Score biases: what depends on the distance of a query and a key alone, added to the scaled scores of attention.
 * A bias by distance is a Toeplitz matrix: one vector per head holds it, and row i is a window into that vector. */
#ifndef POSENC_BIAS_H
#define POSENC_BIAS_H

#include <posenc/plan.h>
#include <posenc/resize.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Schemes with effect POSENC_EFFECT_BIASES_SCORES, made by posenc_plan_create from their parameters:
 *   alibi    a slope times the distance. heads; form (causal: m (j - i); key: m j; symmetric: -m |i - j|); slope-rule
 *            (published, geometric) or slopes (the caller's own list, one for each of all heads); head-start and
 *            all-heads (a rank that holds heads head-start .. head-start + heads - 1 of all-heads)
 *   t5       a trained table (buckets, heads) by the bucket of j - i. heads, buckets (32), max-distance (128),
 *            bidirectional (true)
 *   deberta  the signed buckets of DeBERTa-v2 alone, since its scores go through vectors: posenc_bias_bucket and
 *            posenc_bias_index serve it. buckets (256), max-distance (512)
 *   swin     a trained table ((2 Wh - 1)(2 Ww - 1), heads) for the Wh Ww tokens of a window. heads, window-height,
 *            window-width (7)
 * i is the absolute position of a query, j that of a key. posenc_plan_equation gives of alibi the bias of head `column`
 * at distance `position`; of t5 and deberta the bucket of distance `position`; of swin the table row of query
 * `position` and key `column`. */

/* Which part of which scores a call is about. */
typedef struct posenc_bias_extent {
    size_t size;     /* sizeof(posenc_bias_extent), as written by posenc_bias_extent_default */
    int64_t queries; /* all queries of the sequence; required, 0..2^60 */
    int64_t keys;    /* all keys; required, 0..2^60. swin: both are the tokens of the window */
    int64_t offset;  /* absolute position of query 0, within 2^60; key j stands at j. Default
                        POSENC_BIAS_OFFSET_AUTO */
    int64_t
        first_query;    /* the block that is asked for: queries first_query .. first_query + n_queries - 1. Default 0 */
    int64_t n_queries;  /* -1: all from first_query on. Default -1 */
    int64_t first_key;  /* keys likewise. Default 0 */
    int64_t n_keys;     /* default -1 */
    int64_t first_head; /* heads likewise, of those of the plan. Default 0 */
    int64_t n_heads;    /* default -1 */
} posenc_bias_extent;

/* keys - queries where the form is causal (alibi causal and key, t5 not bidirectional), else 0. */
#define POSENC_BIAS_OFFSET_AUTO INT64_MIN

/* Writes every default into *extent. size is sizeof(*extent) as the caller compiled it, and is stored there. */
POSENC_API void posenc_bias_extent_default(posenc_bias_extent *extent, size_t size);

/* Finds the row of the trained table (t5), or the signed bucket (deberta), of a distance j - i.
 * plan: of t5 or deberta. distance: any int64. bucket: receives the number.
 * Returns POSENC_ERROR_ARGUMENT (NULL, a scheme without buckets of distances); *bucket is untouched then.
 * Edge cases: deberta counts i - j, so its bucket of a key ahead is negative; it goes on past max-distance, and whoever
 * looks up a table clips it.
 * Accuracy: equal to the published code, whose float32 operations decide near a border, each correctly rounded. */
POSENC_API posenc_status posenc_bias_bucket(const posenc_plan *plan, int64_t distance, int64_t *bucket,
                                            posenc_error *error);

/* Writes the table row (t5, swin), or the signed bucket (deberta), of every query and key of the block.
 * index: (queries, keys), i32 or i64, any strides that keep elements apart. Of deberta with long distances i64:
 *        POSENC_ERROR_DTYPE where a bucket of the block does not fit into i32.
 * Returns POSENC_ERROR_ARGUMENT, _SHAPE, _DTYPE, _DEVICE, _POSITION, _OVERLAP, _MEMORY, _UNSUPPORTED (no such scheme);
 * index is untouched then. Cost: that of writing it. */
POSENC_API posenc_status posenc_bias_index(const posenc_plan *plan, const posenc_bias_extent *extent, DLTensor *index,
                                           posenc_error *error);

/* Writes the vector of each head: vector[h, queries - 1 + j - i] = B[h, i, j] for query i and key j of the block.
 * Row i of head h of the bias is then vector[h, queries - 1 - i ...]: as a view with strides (length, -1, 1) from
 * element queries - 1 it is the whole bias without a copy.
 * table: the trained table of t5 (buckets, heads), f32, f64, f16 or bf16, any strides; NULL for alibi.
 * vector: (heads, queries + keys - 1), f32, f64, f16 or bf16, contiguous along the last axis; (heads, 0) where there
 *         are no queries or no keys.
 * Returns POSENC_ERROR_ARGUMENT, _SHAPE, _DTYPE, _DEVICE, _POSITION, _OVERLAP, _UNSUPPORTED (swin and alibi's form key,
 * whose rows are no windows into one vector; deberta); vector is untouched then.
 * Accuracy: an entry of a table rounded once; a slope, itself the nearest double, times the distance, rounded to double
 * and then once. The same bits on every instruction set, for every number of threads and every block.
 * Source: Press et al. 2022; Raffel et al. 2020. */
POSENC_API posenc_status posenc_bias_vector(const posenc_plan *plan, const posenc_bias_extent *extent,
                                            const DLTensor *table, DLTensor *vector, posenc_error *error);

/* Writes the bias of a block: out (heads, queries, keys), f32, f64, f16 or bf16, any strides that keep elements apart.
 * table: as for posenc_bias_vector; swin's is ((2 Wh - 1)(2 Ww - 1), heads). It must not share memory with out.
 * Returns as posenc_bias_vector, and POSENC_ERROR_MEMORY; out is untouched then. Every scheme but deberta is served.
 * Edge cases: no queries, no keys, no heads succeed. Accuracy: that of posenc_bias_vector, the same bits.
 * Cost: that of writing it, in any blocks; memory for a few thousand distances a thread, of swin for a head's table. */
POSENC_API posenc_status posenc_bias_write(const posenc_plan *plan, const posenc_bias_extent *extent,
                                           const DLTensor *table, DLTensor *out, posenc_error *error);

/* What a call on scores does besides. */
typedef struct posenc_bias_options {
    size_t size;                /* sizeof(posenc_bias_options), as written by posenc_bias_options_default */
    double scale;               /* slopes or table are multiplied by it, in double. Finite. Default 1 */
    int causal;                 /* not 0: scores of keys ahead of their query, j > i, become -infinity. Default 0 */
    const DLTensor *offsets;    /* (batch), i32 or i64: position of query 0 of each batch row, instead of
                                   extent->offset. Default NULL */
    const DLTensor *cu_seqlens; /* (sequences + 1), i32 or i64: packed; batch 1, queries = keys; scores across sequences
                                   become -infinity and each sequence counts anew. Not with offsets. Default NULL */
} posenc_bias_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_bias_options_default(posenc_bias_options *options, size_t size);

/* Adds the bias to scores in place: s = round(s + V), with V = scale B rounded to f32 and a sum in f32 (f64 for f64).
 * options: NULL for defaults. swin takes a scale only.
 * table: as for posenc_bias_write.
 * scores: (batch, heads, queries, keys) or (heads, queries, keys) of the block, f32, f64, f16 or bf16, any strides that
 *         keep elements apart. It must not share memory with another tensor of the call.
 * Returns as posenc_bias_write, and POSENC_ERROR_ARGUMENT and _SHAPE for options; scores are untouched then.
 * Edge cases: what a mask covers becomes -infinity whatever it was, NaN too.
 * Accuracy: for f32 that of adding what posenc_bias_write gives in f32. The same bits everywhere.
 * Cost: that of reading and writing the scores. */
POSENC_API posenc_status posenc_bias_add(const posenc_plan *plan, const posenc_bias_extent *extent,
                                         const posenc_bias_options *options, const DLTensor *table, DLTensor *scores,
                                         posenc_error *error);

/* Writes the gradient of a trained table, or of alibi's slopes:
 *     dtable[r, h] (+)= scale sum over (batch, i, j) with row(i, j) = r of dS[batch, h, i, j]
 *     dslopes[h]   (+)= scale sum over (batch, i, j) of dS[batch, h, i, j] (j - i); form key j; symmetric -|i - j|
 * options: as for posenc_bias_add; entries that a mask covers take no part, NaN or not.
 * dscores: as scores of posenc_bias_add, any strides.
 * gradient: (rows of the table, heads), or (heads) for alibi; the heads of the block; f32 or f64, any strides that keep
 *           elements apart. It must not share memory with another tensor of the call.
 * accumulate: not 0: adds to what gradient holds.
 * Returns as posenc_bias_add; gradient is untouched then.
 * Accuracy: sums in double, in a fixed order: first over batch and queries for each distance, then over the distances
 * of a row. The same bits for every number of threads and on every instruction set. Cost: two to three times reading
 * dscores; memory up to 33 MiB (mostly 16) and a double for each element of gradient. */
POSENC_API posenc_status posenc_bias_backward(const posenc_plan *plan, const posenc_bias_extent *extent,
                                              const posenc_bias_options *options, const DLTensor *dscores,
                                              DLTensor *gradient, int accumulate, posenc_error *error);

/* Writes a swin table for another window: out's rows are those of window to, interpolated over the grid of differences
 * from (2 from - 1) to (2 to - 1) as posenc_resize does.
 * context: NULL for defaults. from, to: height and width of the windows, 1..1024 each.
 * mode: POSENC_INTERPOLATION_CUBIC is bicubic, as published; LINEAR is bilinear.
 * table, out: (rows, heads) of the same dtype, f32, f64, f16 or bf16, apart in memory.
 * Returns POSENC_ERROR_ARGUMENT (a window), and all that posenc_resize returns; out is untouched then.
 * Edge cases: the same window copies to the bit. */
POSENC_API posenc_status posenc_bias_resize_window(const posenc_context *context, const DLTensor *table,
                                                   const int64_t from[2], const int64_t to[2],
                                                   posenc_interpolation mode, DLTensor *out, posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
