/* Trace: a series as a path in pixels, of bounded length and within bounds. */
#ifndef POSENC_REPORT_TRACE_H
#define POSENC_REPORT_TRACE_H

#include "report/layout.h"

/* Takes the path: begin says that the pen is put down here, else a line runs here from where it was. */
typedef void posenc_trace_to(void *user, bool begin, double x, double y);

/* Traces a line. Points that follow each other in one column of the given width, in pixels, are a run; it is reduced to
 * its first, lowest, highest and last, between which the line covers the same pixels. A line that only goes on has no
 * more runs than the frame has columns. One that goes to and fro, or has gaps, may have any number: of more than
 * POSENC_TRACE_MOST_RUNS, evenly spread ones are taken. Lines are clipped to a box somewhat larger than the frame, so
 * that whatever their size they can be drawn. */
enum { POSENC_TRACE_MOST_RUNS = 1 << 16 };

void posenc_trace_line(const posenc_series *series, const posenc_figure_layout *layout, double column,
                       posenc_trace_to *to, void *user);

/* Traces points, each begin; those in the frame only, one in each cell of the given width. Returns
 * POSENC_ERROR_MEMORY. */
posenc_status posenc_trace_points(const posenc_context *context, const posenc_series *series,
                                  const posenc_figure_layout *layout, double cell, posenc_trace_to *to, void *user);

#endif
