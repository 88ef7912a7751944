/* Sheets in one line, for tests of the plots. */
#ifndef POSENC_TESTS_REPORT_SHEETS_H
#define POSENC_TESTS_REPORT_SHEETS_H

#include "report/plot.h"

/* Makes a sheet or fails the running test; the caller ends it. options NULL: defaults. */
void must_sheet(const DLTensor *table, posenc_plot_kind kind, const posenc_plot_options *options,
                posenc_plot_sheet *sheet);

/* The same from contiguous f32, (rows, dim). */
void must_sheet_of(const float *values, int64_t rows, int64_t dim, posenc_plot_kind kind, posenc_plot_sheet *sheet);

/* The cell in which a position (counted in cells from the top) and a column meet. */
double sheet_cell(const posenc_plot_sheet *sheet, int64_t from_top, int64_t column);

/* Fails unless the note holds a text. */
void must_note(const posenc_plot_sheet *sheet, const char *text);

#endif
