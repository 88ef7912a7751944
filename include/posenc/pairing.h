/* Weights of one rotary pairing for another: the rows of W_q and W_k that feed a pair of channels are put where the
 * other pairing looks for them. Scores, and everything behind them, stay as they were. W_v and W_o have no pairs. */
#ifndef POSENC_PAIRING_H
#define POSENC_PAIRING_H

#include <posenc/context.h>
#include <posenc/rotary.h>
#include <posenc/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct posenc_pairing_options {
    size_t size;             /* sizeof(posenc_pairing_options), as written by posenc_pairing_default */
    posenc_pairing from, to; /* default halves to interleaved. interleaved-in-halves-out reads as interleaved does, so
                                its weights are those */
    int64_t heads;           /* heads in this tensor: for W_k the number of key/value heads. 1..2^24; required */
    int64_t head_dim;        /* rows of a head. 0: the tensor's rows / heads. Default 0 */
    int64_t dim;             /* rotated rows of a head, even. 0: head_dim, less rotary_start. Default 0 */
    int64_t rotary_start;    /* the first rotated row of a head; what stands before and behind stays. Default 0 */
} posenc_pairing_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_pairing_default(posenc_pairing_options *options, size_t size);

/* Permutes the rows of each head: with d = dim, counted from rotary_start, interleaved to halves moves
 *     row 2j -> row j,  row 2j + 1 -> row j + d/2   (j = 0..d/2-1),
 * and halves to interleaved moves them back. Bytes are moved, never looked at.
 * context: NULL for defaults.
 * weights: (heads head_dim, columns), or (heads head_dim) for a bias; any dtype (types that posenc does not know, as
 *          integers of their width), any strides; transposed weights are strides.
 * out: the same shape and dtype. It may be weights itself; any other overlap is refused.
 * Returns POSENC_ERROR_ARGUMENT (odd dim; dim beyond the head; a pairing; heads), _SHAPE (rows that are not heads
 * head_dim, another shape of out), _DTYPE, _DEVICE, _OVERLAP, _MEMORY (in place only: at most 1 MiB a thread, or one
 * column of a head); out is untouched then.
 * Edge cases: the same pairing, or dim 2, copies. No rows or columns succeed.
 * Example: posenc_pairing_options o; posenc_pairing_default(&o, sizeof o); o.heads = 8;
 *          posenc_pairing_convert(NULL, &o, w_k, w_k, &error);   // in place, grouped heads: 8 of keys */
POSENC_API posenc_status posenc_pairing_convert(const posenc_context *context, const posenc_pairing_options *options,
                                                const DLTensor *weights, DLTensor *out, posenc_error *error);

/* Tries a conversion out: with x random, rotates W x in the pairing from and W' x in the pairing to, at positions 1,
 * 4097 and 1048575, both by posenc_rotary_apply, and compares the two channel by channel across the permutation.
 * weights, converted: as weights and out of posenc_pairing_convert; elements are read as numbers of their dtype.
 * seed: of x, one number a column, uniform in -1..1.
 * difference: receives the largest difference, relative to the length of its pair; 0 where the rows are where they
 *             belong, and infinity where a value is NaN on one side only. NaN on both sides agrees.
 * Returns as posenc_pairing_convert (_MEMORY: 8 numbers a row, and one a column); *difference is untouched then. */
POSENC_API posenc_status posenc_pairing_check(const posenc_context *context, const posenc_pairing_options *options,
                                              const DLTensor *weights, const DLTensor *converted, uint64_t seed,
                                              double *difference, posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
