#include "report/sheets.h"

#include <string.h>

#include "support/test.h"

void must_sheet(const DLTensor *table, posenc_plot_kind kind, const posenc_plot_options *options,
                posenc_plot_sheet *sheet) {
    posenc_error error = {0};
    check(posenc_plot_make(NULL, table, kind, options, sheet, &error) == POSENC_OK, "kind %d: %s", (int)kind,
          error.message);
}

void must_sheet_of(const float *values, int64_t rows, int64_t dim, posenc_plot_kind kind, posenc_plot_sheet *sheet) {
    posenc_view view;
    const int64_t shape[] = {rows, dim};
    void *data;
    memcpy(&data, &values, sizeof data); /* DLTensor has no const; tables are only read */
    must_sheet(posenc_view_make(&view, data, POSENC_F32, 2, shape, NULL), kind, NULL, sheet);
}

double sheet_cell(const posenc_plot_sheet *sheet, int64_t from_top, int64_t column) {
    const posenc_image *image = sheet->figure.image;
    return (double)image->values[(image->rows - 1 - from_top) * image->columns + column];
}

void must_note(const posenc_plot_sheet *sheet, const char *text) {
    const char *note = sheet->figure.note;
    check(note && strstr(note, text), "expected a note with \"%s\", got \"%s\"", text, note ? note : "");
}
