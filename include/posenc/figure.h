/* Figure: one drawing model for every picture. Arrays, axes and a scale, and no drawing library in sight;
 * posenc_figure_draw makes PNG, SVG or PDF of it. */
#ifndef POSENC_FIGURE_H
#define POSENC_FIGURE_H

#include <posenc/files.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One axis. Ticks are found by themselves: round numbers, or powers of ten on a logarithmic axis. They are whole
 * numbers where things are counted: beside an image when both ends are at a half (0 is the cell from -0.5 to 0.5), and
 * below series that have whole numbers for x only. */
typedef struct posenc_axis {
    const char *label;  /* with its unit: "position (tokens)". UTF-8 */
    double first, last; /* values at the two ends, left to right and bottom to top; first > last runs the other way.
                         * Different, and within +-1e300 */
    int logarithmic;    /* both ends > 0 */
} posenc_axis;

/* How numbers become colours. Both are perceptually uniform, and grow from dark to light, so that they survive a grey
 * printer. */
typedef enum posenc_colours {
    POSENC_COLOURS_SEQUENTIAL = 0, /* dark blue to light yellow */
    POSENC_COLOURS_DIVERGING = 1   /* dark blue over grey to light orange: for values around 0 */
} posenc_colours;

/* A rectangle of numbers that fills the plot. Row 0 lies at the y axis's first end, column 0 at the x axis's first. */
typedef struct posenc_image {
    const float *values; /* (rows, columns), contiguous; NaN: missing, drawn in a colour of its own */
    int64_t rows, columns;
    double low, high; /* of the colour bar; values beyond take its ends */
    posenc_colours colours;
    const char *label;   /* of the colour bar: "cosine similarity" */
    const char *missing; /* what NaN stands for, in the legend; NULL: "not a number" */
} posenc_image;

/* How a series is drawn. */
typedef enum posenc_stroke { POSENC_STROKE_LINE = 0, POSENC_STROKE_DASHED = 1, POSENC_STROKE_POINTS = 2 } posenc_stroke;

/* A curve or points. Values that are not finite and, on a logarithmic axis, values <= 0 leave a gap. Any number may be
 * drawn: of points that fall on one pixel one is kept, of a curve what covers the same pixels; only a curve that
 * crosses pixel columns more than 65536 times, running to and fro, is thinned to that. */
typedef struct posenc_series {
    const char *name; /* in the legend; NULL: not there */
    const double *x, *y;
    size_t n;
    posenc_stroke stroke;
} posenc_series;

typedef struct posenc_figure {
    size_t size;       /* sizeof(posenc_figure), as written by posenc_figure_default */
    const char *title; /* UTF-8, any text of any origin; NULL: none */
    const char *note;  /* small, below: what was reduced, what is marked. NULL: none */
    posenc_axis x, y;
    const posenc_image *image; /* below the series; NULL: none */
    const posenc_series *series;
    size_t n_series;
    int width, height; /* pixels (PNG) or points (SVG, PDF): 160..16384, the product up to 2^26. Default 800 x 600 */
} posenc_figure;

/* Writes every default into *figure. size is sizeof(*figure) as the caller compiled it, and is stored there. */
POSENC_API void posenc_figure_default(posenc_figure *figure, size_t size);

typedef enum posenc_picture { POSENC_PICTURE_PNG = 0, POSENC_PICTURE_SVG = 1, POSENC_PICTURE_PDF = 2 } posenc_picture;

/* The form that a file name asks for by its ending, ".png", ".svg" or ".pdf". POSENC_ERROR_UNKNOWN leaves *out
 * untouched. */
POSENC_API posenc_status posenc_picture_of(const char *path, posenc_picture *out);

/* Draws a figure.
 * context: NULL for defaults. The drawing library's own memory is not from it.
 * figure: read only; nothing is kept.
 * output: receives the picture; the caller commits or discards it.
 * Returns POSENC_ERROR_ARGUMENT (a size, an axis that is not finite or empty, logarithmic ends <= 0, an image without
 * a scale), POSENC_ERROR_UNSUPPORTED (a build without cairo), POSENC_ERROR_IO, POSENC_ERROR_MEMORY. After a failure the
 * output can only be discarded.
 * Edge cases: no image and no series draw empty axes; an image of one value is one rectangle; low == high is widened.
 * Cells that are smaller than a pixel are averaged; one missing value among them still shows. Texts are drawn with what
 * is no UTF-8 or would act (control characters, marks of direction) as \xHH, and cut to the room there is.
 * The same input, cairo version and fonts give the same bytes (PDF without a date).
 * Cost: a pass over the values, and time and memory of the order of the pixels. */
POSENC_API posenc_status posenc_figure_draw(const posenc_context *context, const posenc_figure *figure,
                                            posenc_picture picture, posenc_output *output, posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
