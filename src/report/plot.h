/* How a table becomes a figure. Each kind of plot is one builder: it fills a sheet, the figure and the memory behind
 * it, and knows nothing of drawing. posenc_plot makes a sheet, draws its figure, and ends it. */
#ifndef POSENC_REPORT_PLOT_H
#define POSENC_REPORT_PLOT_H

#include <posenc/plot.h>
#include <stdbool.h>

#include "base/error.h"
#include "diagnose/match.h"
#include "diagnose/table.h"
#include "diagnose/turns.h"

enum {
    POSENC_PLOT_MOST_CELLS = 1024, /* of an image, each way: more than a picture has pixels, few enough to hold */
    POSENC_PLOT_MOST_SERIES = 6    /* colours that are told apart at a glance */
};

/* What is plotted, checked at the door: the table has a row and a column at least. Must stay in place. */
typedef struct posenc_plot_source {
    const posenc_context *context;
    const DLTensor *tensor;
    posenc_view slice; /* of a batch: the tensor of its first sequence; of cosines and sines: side by side */
    bool turns;        /* the table is cosines and sines of a rotary scheme */
    posenc_table table;
    int64_t start; /* position of row 0; start + rows is within +-2^53, where doubles count exactly */
} posenc_plot_source;

/* A figure and all that it points to. Must stay in place. */
typedef struct posenc_plot_sheet {
    const posenc_context *context;
    posenc_figure figure;
    posenc_image image;
    posenc_series series[POSENC_PLOT_MOST_SERIES];
    char *title;
    char note[768];
    char names[POSENC_PLOT_MOST_SERIES][64];
    float *cells;    /* of the image */
    double *numbers; /* of the series */
} posenc_plot_sheet;

/* Fills in a sheet that posenc_plot_sheet_begin began. */
typedef posenc_status posenc_plot_builder(const posenc_plot_source *source, posenc_plot_sheet *sheet,
                                          posenc_error *error);

posenc_plot_builder posenc_plot_heatmap;    /* plot_heatmap.c */
posenc_plot_builder posenc_plot_similarity; /* plot_similarity.c */
posenc_plot_builder posenc_plot_curves;     /* plot_curves.c */
posenc_plot_builder posenc_plot_spectrum;   /* plot_spectrum.c */

/* plot.c: the sheet of a table. After a failure there is nothing to end. */
posenc_status posenc_plot_make(const posenc_context *context, const DLTensor *table, posenc_plot_kind kind,
                               const posenc_plot_options *options, posenc_plot_sheet *sheet, posenc_error *error);

/* ---- sheet.c ---- */

/* An empty figure, 800 x 600. */
void posenc_plot_sheet_begin(const posenc_context *context, posenc_plot_sheet *sheet);

/* Gives its memory back. */
void posenc_plot_sheet_end(posenc_plot_sheet *sheet);

/* Room for an image of rows x columns, and the image there, without a scale. */
posenc_status posenc_plot_sheet_image(posenc_plot_sheet *sheet, int64_t rows, int64_t columns, posenc_error *error);

/* Row 0 of an image lies at the bottom; positions run down. Turns the rows around. */
void posenc_plot_sheet_turn(posenc_plot_sheet *sheet);

/* Axes of whole things, each as wide as its cell: 0 spans -0.5..0.5, so that a tick is in the middle. */
posenc_axis posenc_plot_axis_across(const char *label, int64_t start, int64_t n);
posenc_axis posenc_plot_axis_down(const char *label, int64_t start, int64_t n);

/* Appends a sentence to the note. What does not fit is cut. */
void posenc_plot_sheet_note(posenc_plot_sheet *sheet, const char *format, ...) POSENC_PRINTF(2, 3);

/* A number for a sentence, with so many digits, or more if it is that large: "4.883", "62831". A point in every locale.
 */
const char *posenc_plot_number(double value, int digits, char text[32]);

/* ---- cells.c: many values become one ---- */

/* Cells that n things are cut into: all of them, or POSENC_PLOT_MOST_CELLS. Cell i begins at posenc_i64_share. */
int64_t posenc_plot_cells(int64_t n);

/* The nearest number of at least value > 0 that is short, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 or 10 times a power of ten. A
 * thousandth above counts as the number itself. */
double posenc_plot_round_up(double value);

/* What a float can hold; not finite stays so. */
double posenc_plot_clamp(double value);

/* ---- formula.c: wavelengths of a table that a formula made ---- */

/* Tokens in which a column swings once; NaN for a column of zeros. */
double posenc_plot_wavelength(const posenc_match *match, int64_t dim, int64_t column);

/* Whether it is a sine, the other half of a pair being a cosine. */
bool posenc_plot_is_sine(const posenc_match *match, int64_t dim, int64_t column);

/* ---- power.c: the energy of one channel by frequency ---- */

typedef struct posenc_power posenc_power;

/* Of n values. NULL: no memory. */
posenc_power *posenc_power_create(const posenc_context *context, int64_t n);
void posenc_power_destroy(posenc_power *power);

/* Takes n values, finite: removes their mean, tapers their ends (Hann's window), and keeps the energy by frequency.
 * False: all values are one. */
bool posenc_power_measure(posenc_power *power, const double *values);

/* The share, 0..1, of the energy between two frequencies in turns per position, 0 <= low <= high <= 1/2. */
double posenc_power_share(const posenc_power *power, double low, double high);

#endif
