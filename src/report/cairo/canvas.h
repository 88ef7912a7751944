/* Canvas: what the files that draw share. */
#ifndef POSENC_REPORT_CAIRO_CANVAS_H
#define POSENC_REPORT_CAIRO_CANVAS_H

#include <cairo.h>

#include "report/layout.h"

typedef struct posenc_canvas {
    const posenc_context *context;
    cairo_t *cairo;
    bool pixels; /* PNG; else a form that may be enlarged */
    const posenc_figure *figure;
    const posenc_figure_layout *layout;
} posenc_canvas;

/* text.c. user of the measure: the cairo_t. */
posenc_measure posenc_canvas_measure(cairo_t *cairo);
void posenc_canvas_text(cairo_t *cairo, const posenc_label *label);

/* The text of a tick. x: its middle (x of the right end for POSENC_ALIGN_RIGHT, of the left for POSENC_ALIGN_LEFT). */
void posenc_canvas_tick(cairo_t *cairo, const posenc_tick *tick, double x, double baseline, double size,
                        posenc_align align);

void posenc_canvas_colour(cairo_t *cairo, uint32_t rgb);

/* image.c: the figure's image and its colour bar. Returns POSENC_ERROR_MEMORY. */
posenc_status posenc_canvas_image(const posenc_canvas *canvas);
posenc_status posenc_canvas_bar(const posenc_canvas *canvas);

/* axes.c */
void posenc_canvas_grid(const posenc_canvas *canvas);
void posenc_canvas_axes(const posenc_canvas *canvas);

/* series.c. Returns POSENC_ERROR_MEMORY. */
posenc_status posenc_canvas_series(const posenc_canvas *canvas);
void posenc_canvas_legend(const posenc_canvas *canvas);

#endif
