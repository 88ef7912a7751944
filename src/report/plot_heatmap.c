/* Heatmap: every value of a table as a colour, channel across, position down. A table with more rows or columns than
 * an image is reduced while it is read, once, row by row: a cell is the mean of the values in it. A cell that holds a
 * value that is not finite is missing, so that one NaN among millions still shows. */
#include <math.h>

#include "base/checked.h"
#include "report/plot.h"

enum { PIECE = 1024 }; /* columns read at a time */

/* A table on its way into cells. */
typedef struct work {
    const posenc_table *table;
    int64_t cells, begins[POSENC_PLOT_MOST_CELLS + 1]; /* in a row; the channel that each begins with, and the end */
    double sums[POSENC_PLOT_MOST_CELLS];
    double largest; /* size of a finite value */
    int64_t missing, first_row, first_column;
} work;

static void add_value(work *w, int64_t row, int64_t column, int64_t cell, double value) {
    if (isfinite(value)) {
        w->largest = fmax(w->largest, fabs(value));
        w->sums[cell] += posenc_plot_clamp(value);
        return;
    }
    w->sums[cell] = (double)NAN; /* and stays so */
    if (w->missing++ > 0) return;
    w->first_row = row;
    w->first_column = column;
}

static void add_row(work *w, int64_t row) {
    double piece[PIECE];
    int64_t cell = 0, dim = w->table->dim;
    posenc_table part = *w->table;
    for (int64_t begin = 0; begin < dim; begin += PIECE) {
        part.data = posenc_table_element(w->table, 0, begin);
        part.dim = dim - begin < PIECE ? dim - begin : PIECE;
        posenc_table_row(&part, row, piece);
        for (int64_t i = 0; i < part.dim; i++) {
            cell += begin + i == w->begins[cell + 1];
            add_value(w, row, begin + i, cell, piece[i]);
        }
    }
}

/* One row of cells, from the table's rows begin..end-1. */
static void fill_band(work *w, int64_t begin, int64_t end, float *out) {
    for (int64_t j = 0; j < w->cells; j++) w->sums[j] = 0;
    for (int64_t r = begin; r < end; r++) add_row(w, r);
    for (int64_t j = 0; j < w->cells; j++)
        out[j] = (float)(w->sums[j] / ((double)(end - begin) * (double)(w->begins[j + 1] - w->begins[j])));
}

/* ---- The scale: symmetric, so that the middle colour is 0 ---- */

/* The power of two below which all but a thousandth of the finite cells lie, by counting their exponents; infinite
 * where nearly all are 0. */
static double usual_size(const posenc_image *image) {
    int64_t counts[300] = {0}, n = 0, beyond = 0; /* exponents of floats are -148..128 */
    for (int64_t i = 0; i < image->rows * image->columns; i++) {
        int exponent = -149;
        if (!isfinite(image->values[i])) continue;
        if (image->values[i] != 0) (void)frexp((double)image->values[i], &exponent);
        counts[exponent + 149]++;
        n++;
    }
    int top = 299;
    for (; top > 0 && (beyond += counts[top]) * 1000 <= n; top--) continue;
    return top > 0 ? ldexp(1, top - 149) : HUGE_VAL;
}

/* The largest size up to a limit. */
static double largest_size(const posenc_image *image, double limit) {
    double largest = 0;
    for (int64_t i = 0; i < image->rows * image->columns; i++) {
        double size = fabs((double)image->values[i]);
        if (size <= limit) largest = fmax(largest, size); /* a missing one is not */
    }
    return largest;
}

static void note_outliers(posenc_plot_sheet *sheet, const posenc_plot_source *source, double end, double largest) {
    const posenc_image *image = &sheet->image;
    int64_t beyond = 0, farthest = 0;
    char text[2][32];
    for (int64_t i = 0; i < image->rows * image->columns; i++) {
        double size = fabs((double)image->values[i]);
        beyond += size > end;
        if (size == largest) farthest = i;
    }
    int64_t row = image->rows - 1 - farthest / image->columns, column = farthest % image->columns;
    posenc_plot_sheet_note(sheet, "%lld %s beyond the scale of ±%s, the farthest, ±%s, at position %lld, channel %lld.",
                           (long long)beyond, beyond == 1 ? "cell is" : "cells are",
                           posenc_plot_number(end, 4, text[0]), posenc_plot_number(largest, 4, text[1]),
                           (long long)(source->start + posenc_i64_share(row, source->table.rows, image->rows)),
                           (long long)posenc_i64_share(column, source->table.dim, image->columns));
}

/* A few cells far beyond all others must not wash those out: they take the colours of the ends, and the note says so.
 */
static void set_scale(posenc_plot_sheet *sheet, const posenc_plot_source *source) {
    posenc_image *image = &sheet->image;
    double largest = largest_size(image, HUGE_VAL), usual = usual_size(image);
    bool outliers = largest > 16 * usual;
    double shown = outliers ? largest_size(image, usual) : largest, end = shown > 0 ? posenc_plot_round_up(shown) : 1;
    image->low = -end;
    image->high = end;
    image->colours = POSENC_COLOURS_DIVERGING;
    image->label = "value";
    if (outliers) note_outliers(sheet, source, end, largest);
}

/* ---- The note ---- */

/* Means of what swings are small: what the values reach is told too then. */
static void note_reduction(posenc_plot_sheet *sheet, const work *w) {
    char rows[32], columns[32], most[32];
    int64_t of_rows = w->table->rows, of_columns = w->table->dim;
    bool fewer_rows = sheet->image.rows < of_rows, fewer_columns = sheet->image.columns < of_columns;
    if (!fewer_rows && !fewer_columns) return;
    posenc_plot_number((double)of_rows / (double)sheet->image.rows, 4, rows);
    posenc_plot_number((double)of_columns / (double)sheet->image.columns, 4, columns);
    if (fewer_rows && fewer_columns)
        posenc_plot_sheet_note(sheet, "Each cell is the mean of %s positions × %s channels.", rows, columns);
    else
        posenc_plot_sheet_note(sheet, "Each cell is the mean of %s %s.", fewer_rows ? rows : columns,
                               fewer_rows ? "positions" : "channels");
    if (w->largest > 2 * largest_size(&sheet->image, HUGE_VAL))
        posenc_plot_sheet_note(sheet, "Single values reach ±%s.", posenc_plot_number(w->largest, 4, most));
}

static void note_missing(posenc_plot_sheet *sheet, const posenc_plot_source *source, const work *w) {
    double values = (double)w->table->rows * (double)w->table->dim;
    if (w->missing == 0) return;
    if ((double)w->missing == values)
        posenc_plot_sheet_note(sheet, "No value is finite: all are missing.");
    else
        posenc_plot_sheet_note(
            sheet, "%lld of %.0f values %s not finite and marked as missing, the first at position %lld, channel %lld.",
            (long long)w->missing, values, w->missing == 1 ? "is" : "are", (long long)(source->start + w->first_row),
            (long long)w->first_column);
}

posenc_status posenc_plot_heatmap(const posenc_plot_source *source, posenc_plot_sheet *sheet, posenc_error *error) {
    const posenc_table *table = &source->table;
    int64_t rows = posenc_plot_cells(table->rows);
    work w = {.table = table, .cells = posenc_plot_cells(table->dim)};
    posenc_status status = posenc_plot_sheet_image(sheet, rows, w.cells, error);
    if (status != POSENC_OK) return status;
    for (int64_t j = 0; j <= w.cells; j++) w.begins[j] = posenc_i64_share(j, table->dim, w.cells);
    for (int64_t i = 0; i < rows; i++)
        fill_band(&w, posenc_i64_share(i, table->rows, rows), posenc_i64_share(i + 1, table->rows, rows),
                  sheet->cells + i * w.cells);
    posenc_plot_sheet_turn(sheet);
    sheet->figure.x =
        posenc_plot_axis_across(source->turns ? "cosine and sine of each pair" : "channel", 0, table->dim);
    sheet->figure.y = posenc_plot_axis_down("position (tokens)", source->start, table->rows);
    note_reduction(sheet, &w);
    note_missing(sheet, source, &w);
    set_scale(sheet, source);
    return POSENC_OK;
}
