/* Sinusoidal encodings of grids: images, clips, volumes. Each axis has a slice of the channels, in which its own
 * coordinate is encoded. Five conventions are in use; they differ in the order of the slices, in the frequencies and in
 * how sines and cosines stand.
 *
 * Tokens are counted in row-major order, the last axis fastest, behind prefix tokens (a class token, say) whose rows
 * are zero: token prefix + y * width + x stands at (y, x). A plan of a grid works wherever a plan of a line works; its
 * positions are these indices, and only 0 .. posenc_plan_tokens - 1 have a row. posenc_positions.ids may also be
 * points: coordinates of shape (tokens, axes) or (batch, tokens, axes), the grid's first axis first, whole or not, in
 * the grid or not, doubles within 2^53. Coordinates are counted in cells: (2, 3) gives the row of the cell (2, 3),
 * (2.5, 3) what lies between two. DETR counts cells from 1: there (3, 4) gives the row of the cell (2, 3).
 * ids of shape (tokens, axes) that could as well be indices (batch, tokens) are refused: points of one more axis, or
 * indices (tokens), say what they are.
 */
#ifndef POSENC_AXES_H
#define POSENC_AXES_H

#include <posenc/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tokens of a plan's grid: prefix and cells. 0: the plan has no grid, and its positions no end. */
POSENC_API int64_t posenc_plan_tokens(const posenc_plan *plan);

/* ---- two axes ---- */

/* Arrangements of an image. H(u, m) = [sin(u base^(-i/(m/2))) | cos(same)], i < m/2. */
typedef enum posenc_2d_convention {
    POSENC_2D_MAE = 0, /* [H(x, dim/2) | H(y, dim/2)], the column first: ViT-MAE, DiT. dim a multiple of 4 */
    POSENC_2D_DETR = 1 /* [y | x], each interleaved: sin, cos, sin, ... of c base^(-2i/(dim/2)), and c counts from 1:
                          DETR. dim even */
} posenc_2d_convention;

typedef struct posenc_sinusoidal_2d_options {
    size_t size;                     /* sizeof(posenc_sinusoidal_2d_options), written by ..._default */
    int64_t dim;                     /* channels of a row; required */
    int64_t height, width;           /* cells, 1..2^24 each, product at most 2^39; required */
    int64_t prefix;                  /* tokens before the grid, whose rows are zero. Default 0 */
    posenc_2d_convention convention; /* default mae */
    double base;                     /* 1e-6..1e30, default 10000 (DETR: temperature) */
    int64_t base_size;               /* mae: coordinates are i * base_size / height, j * base_size / width; 0: i, j.
                                        0..2^24, default 0 */
    double interpolation_scale;      /* mae: coordinates are divided by it. 0.001..10^6, default 1 */
    int normalize;                   /* detr: not 0: coordinates are c / (c_last + 10^-6) * 2 pi. Default 0 */
} posenc_sinusoidal_2d_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_sinusoidal_2d_default(posenc_sinusoidal_2d_options *options, size_t size);

/* Makes a plan of an image. Returns and ownership as posenc_plan_create.
 * Source: He et al. 2022, Masked autoencoders are scalable vision learners; Carion et al. 2020, End-to-end object
 * detection with transformers.
 * Example: posenc_sinusoidal_2d_options o; posenc_sinusoidal_2d_default(&o, sizeof o);
 *          o.dim = 768; o.height = 14; o.width = 14; o.prefix = 1;
 *          posenc_sinusoidal_2d_create_with(NULL, &o, &plan, NULL);      // 197 tokens */
POSENC_API posenc_status posenc_sinusoidal_2d_create_with(const posenc_context *context,
                                                          const posenc_sinusoidal_2d_options *options,
                                                          posenc_plan **out, posenc_error *error);

/* Coordinates of an image of which only a part is valid, as DETR counts them: y is the number of valid cells of the
 * column up to and including this row, x that of the row up to and including this column; normalized, each is
 * c / (c_last + 10^-6) * scale with the last count of its column or row. They are points for a detr plan whose
 * normalize is 0 and whose grid may be any: out is then posenc_positions.ids.
 * mask: (height, width) or (batch, height, width); bool, u8, i32 or i64; not 0 means valid. Any strides.
 * normalize: 0: counts as they are. scale: finite, usually 2 pi; used with normalize.
 * out: (height * width, 2) or (batch, height * width, 2), f64, any strides that keep elements apart: (y, x) of each
 *      cell, also of those that are not valid. Apart from mask.
 * Returns POSENC_ERROR_ARGUMENT, _SHAPE, _DTYPE, _DEVICE, _OVERLAP; out is untouched then.
 * Accuracy: two roundings in double. */
POSENC_API posenc_status posenc_detr_coordinates(const DLTensor *mask, int normalize, double scale, DLTensor *out,
                                                 posenc_error *error);

/* ---- three axes ---- */

typedef struct posenc_sinusoidal_3d_options {
    size_t size;                         /* sizeof(posenc_sinusoidal_3d_options), written by ..._default */
    int64_t dim;                         /* channels of a row, a multiple of 16; required */
    int64_t frames, height, width;       /* cells, 1..2^24 each, product at most 2^39; required */
    int64_t prefix;                      /* tokens before the grid, whose rows are zero (of text, say). Default 0 */
    double base;                         /* 1e-6..1e30, default 10000 */
    double interpolation_scale;          /* x and y are divided by it. 0.001..10^6, default 1 */
    double temporal_interpolation_scale; /* and frames by this. Default 1 */
} posenc_sinusoidal_3d_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_sinusoidal_3d_default(posenc_sinusoidal_3d_options *options, size_t size);

/* Makes a plan of a clip as CogVideoX has it: [H(frame, dim/4) | H(x, 3 dim/8) | H(y, 3 dim/8)].
 * Returns and ownership as posenc_plan_create.
 * Source: Yang et al. 2024, CogVideoX. */
POSENC_API posenc_status posenc_sinusoidal_3d_create_with(const posenc_context *context,
                                                          const posenc_sinusoidal_3d_options *options,
                                                          posenc_plan **out, posenc_error *error);

/* ---- 1 to 8 axes ---- */

typedef enum posenc_nd_convention {
    POSENC_ND_TENSOR2TENSOR = 0, /* n = floor(dim / (2 axes)) frequencies base^(-i/(n-1)); the slices [sin | cos] of all
                                    axes side by side, zeros to dim */
    POSENC_ND_MULTIDIM = 1 /* each axis interleaved over 2 ceil(dim / (2 axes)) channels, side by side, cut at dim:
                              the package positional-encodings */
} posenc_nd_convention;

typedef struct posenc_sinusoidal_nd_options {
    size_t size;                       /* sizeof(posenc_sinusoidal_nd_options), written by ..._default */
    int64_t dim;                       /* channels of a row, any width; required */
    int64_t n_axes;                    /* 1..8; required */
    int64_t extents[POSENC_MOST_AXES]; /* cells, outermost axis first, 1..2^24 each, product at most 2^39; required */
    int64_t prefix;                    /* tokens before the grid, whose rows are zero. Default 0 */
    posenc_nd_convention convention;   /* default tensor2tensor */
    double base;                       /* 1e-6..1e30, default 10000 */
} posenc_sinusoidal_nd_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_sinusoidal_nd_default(posenc_sinusoidal_nd_options *options, size_t size);

/* Makes a plan of a grid of any number of axes. Returns and ownership as posenc_plan_create.
 * Narrow rows: tensor2tensor has no channel for any axis where dim < 2 axes, so its rows are zero; multidim has none
 * for the last axes where the first ones fill dim. */
POSENC_API posenc_status posenc_sinusoidal_nd_create_with(const posenc_context *context,
                                                          const posenc_sinusoidal_nd_options *options,
                                                          posenc_plan **out, posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
