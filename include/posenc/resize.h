/* Resize: a learned table of another length, or of another grid. */
#ifndef POSENC_RESIZE_H
#define POSENC_RESIZE_H

#include <posenc/context.h>
#include <posenc/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Between which old positions a new one lies, and how their rows are mixed. */
typedef enum posenc_interpolation {
    POSENC_INTERPOLATION_LINEAR = 0, /* two taps an axis; bilinear on a grid */
    POSENC_INTERPOLATION_CUBIC = 1   /* four taps an axis (Keys), a = -0.75, -0.5 with antialias; bicubic on a grid */
} posenc_interpolation;

typedef struct posenc_resize_options {
    size_t size;               /* sizeof(posenc_resize_options), as written by posenc_resize_default */
    posenc_interpolation mode; /* default linear */
    int antialias;          /* not 0: when shrinking, the kernel is stretched so that every old row counts. Default 0 */
    int align_corners;      /* not 0: first and last rows stay where they are; not with antialias. Default 0 */
    int64_t prefix;         /* rows in front that are copied as they are: class tokens. Default 0 */
    int64_t from[2], to[2]; /* height and width of the grids, row-major; {0, 0}: one axis. Default {0, 0} */
    int64_t first;          /* 0 or more: out is a part of the new table, its rows first, first + 1, ..., so that a
                               large one can be made piece by piece; from and to must say the whole, {1, n} for one
                               axis. -1: out is all of it. Default -1 */
} posenc_resize_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_resize_default(posenc_resize_options *options, size_t size);

/* Writes out[o] = sum over i of w[o, i] table[i], with the weights of the mode; an axis is resized to the exact extent.
 * New index o lies at (o + 1/2) in / out - 1/2 of the old ones, with align_corners at o (in - 1) / (out - 1). Taps
 * outside take the border row (plain), or are dropped and the others scaled to sum to 1 (antialias).
 * context: NULL for defaults.
 * options: NULL for defaults.
 * table: (rows, dim), (1, rows, dim) or (rows, 1, dim), f32, f64, f16 or bf16, any strides.
 *        rows = prefix + from[0] * from[1], or any number above prefix on one axis.
 * out: of the same rank and dtype, its rows the new number: prefix + to[0] * to[1], or any number >= prefix; with
 *      first, any number that the new table has from there on. It must not share memory with table.
 * Returns POSENC_ERROR_ARGUMENT (mode, prefix, align_corners with antialias, first without from and to), _SHAPE (rows
 * that are not the grid's, an axis without old rows), _DTYPE, _DEVICE, _OVERLAP, _MEMORY; out is untouched then.
 * Edge cases: the same extent copies to the bit. Rows of weight 0 do not count, NaN or not. No new rows succeed.
 * Accuracy: sums in double, rounded once to the dtype. The same bits for every number of threads, and in every split
 * into parts.
 * Source: the weights of PyTorch's interpolate. */
POSENC_API posenc_status posenc_resize(const posenc_context *context, const posenc_resize_options *options,
                                       const DLTensor *table, DLTensor *out, posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
