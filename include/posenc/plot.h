/* Plot: pictures of a table of encodings. */
#ifndef POSENC_PLOT_H
#define POSENC_PLOT_H

#include <posenc/figure.h>
#include <posenc/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum posenc_plot_kind {
    POSENC_PLOT_HEATMAP = 0,    /* every value: channel across, position down */
    POSENC_PLOT_SIMILARITY = 1, /* cosine of every pair of positions */
    POSENC_PLOT_CURVES = 2,     /* some channels, from the fastest to the slowest, along the positions */
    POSENC_PLOT_SPECTRUM = 3    /* how much of each channel swings at which wavelength */
} posenc_plot_kind;

typedef struct posenc_plot_options {
    size_t size;       /* sizeof(posenc_plot_options), as written by posenc_plot_default */
    int width, height; /* default 800 x 600 */
    const char *title; /* what the table is called, "pe.npy"; NULL: none */
    int64_t start;     /* position of row 0. Default 0 */
} posenc_plot_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_plot_default(posenc_plot_options *options, size_t size);

/* Draws a table.
 * context: NULL for defaults.
 * table: (length, dim), (1, length, dim) or (length, 1, dim), any strides; f32, f64, f16 or bf16. Of (batch, length,
 *        dim) the first sequence is drawn, and the note says so. Cosines and sines of a rotary scheme, (length, pairs,
 *        2), are recognised by their pairs, all of one length, and drawn side by side as 2 pairs channels.
 * options: NULL for defaults.
 * output: receives the picture; the caller commits or discards it.
 * Returns POSENC_ERROR_SHAPE (also a table without values), _DTYPE, _DEVICE, and what posenc_figure_draw returns.
 * Edge cases: values that are not finite are marked as missing; one row, one column, one value and all equal draw.
 * What is larger than the picture is reduced, and the note below says how: cells of the mean for heatmap and
 * similarity, the first rows for the spectrum, and for curves until the fastest has swung 20 times. Cost: a pass over
 * the table; similarity no more than 1024 x 1024 products; never length^2 memory. */
POSENC_API posenc_status posenc_plot(const posenc_context *context, const DLTensor *table, posenc_plot_kind kind,
                                     const posenc_plot_options *options, posenc_picture picture, posenc_output *output,
                                     posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
