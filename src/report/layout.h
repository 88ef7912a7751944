/* Where everything in a figure goes: boxes, ticks and texts, in pixels (points) from the upper left corner. Plain
 * numbers; whoever draws only follows them. */
#ifndef POSENC_REPORT_LAYOUT_H
#define POSENC_REPORT_LAYOUT_H

#include "report/caption.h"
#include "report/ticks.h"

enum { POSENC_MOST_LABELS = 10, POSENC_MOST_LEGEND = 32 };

typedef struct posenc_box {
    double x, y, width, height;
} posenc_box;

typedef enum posenc_align { POSENC_ALIGN_LEFT, POSENC_ALIGN_CENTRE, POSENC_ALIGN_RIGHT } posenc_align;

/* A text whose left end, middle or right end stands at x on the baseline y. turned: it runs upwards, y being its middle
 * and x its baseline. */
typedef struct posenc_label {
    double x, y, size;
    bool bold, turned;
    posenc_align align;
    char text[POSENC_CAPTION];
} posenc_label;

/* An entry in the legend; series is n_series for the last one when it only says how many are not there. */
typedef struct posenc_legend_entry {
    size_t series;
    char name[POSENC_CAPTION];
} posenc_legend_entry;

typedef struct posenc_figure_layout {
    double unit;      /* 1 for a figure of 800 x 600 */
    double line;      /* width of frame and ticks, a whole number */
    double tick_size; /* of the text beside ticks */
    double tick_length, tick_gap;
    posenc_box frame, bar, missing;       /* sides are whole; missing: its colour's sample; width 0: none */
    posenc_axis x_axis, y_axis, bar_axis; /* the last, with ends that differ */
    posenc_ticks x, y, bar_ticks;
    int n_labels;
    posenc_label labels[POSENC_MOST_LABELS];
    posenc_box sample; /* of the first entry in the legend; the others follow row_height apart */
    double row_height;
    int n_legend;
    posenc_legend_entry legend[POSENC_MOST_LEGEND];
} posenc_figure_layout;

/* Lays out a figure that was checked. has_missing: the image has a NaN. */
void posenc_layout_make(const posenc_figure *figure, bool has_missing, const posenc_measure *measure,
                        posenc_figure_layout *out);

/* Width of a tick's text, with its raised exponent, which is smaller by POSENC_RAISED_SIZE. */
#define POSENC_RAISED_SIZE 0.72
double posenc_tick_width(const posenc_tick *tick, double size, const posenc_measure *measure);

/* In units: an entry's sample in the legend, and the space between it and the name. */
#define POSENC_LEGEND_SAMPLE 26.0
#define POSENC_LEGEND_SPACE 6.0

#endif
