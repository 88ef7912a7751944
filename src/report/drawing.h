/* What a figure is drawn by, behind one call. */
#ifndef POSENC_REPORT_DRAWING_H
#define POSENC_REPORT_DRAWING_H

#include <posenc/figure.h>

/* Draws a figure that was checked, in the fixed floating-point environment. cairo/draw.c, where the build has cairo. */
posenc_status posenc_cairo_draw(const posenc_context *context, const posenc_figure *figure, posenc_picture picture,
                                posenc_output *output, posenc_error *error);

#endif
