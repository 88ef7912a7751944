/* Sheets: a figure with the memory behind it, its axes and its note. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/plot.h"

void posenc_plot_sheet_begin(const posenc_context *context, posenc_plot_sheet *sheet) {
    memset(sheet, 0, sizeof *sheet);
    sheet->context = context;
    posenc_figure_default(&sheet->figure, sizeof sheet->figure);
    sheet->figure.series = sheet->series;
}

void posenc_plot_sheet_end(posenc_plot_sheet *sheet) {
    posenc_release(sheet->context, sheet->title);
    posenc_release(sheet->context, sheet->cells);
    posenc_release(sheet->context, sheet->numbers);
}

posenc_status posenc_plot_sheet_image(posenc_plot_sheet *sheet, int64_t rows, int64_t columns, posenc_error *error) {
    size_t bytes = (size_t)rows * (size_t)columns * sizeof(float); /* both at most POSENC_PLOT_MOST_CELLS */
    sheet->cells = posenc_allocate(sheet->context, bytes);
    if (!sheet->cells) return posenc_fail_memory(error, "image", bytes);
    sheet->image = (posenc_image){.values = sheet->cells, .rows = rows, .columns = columns};
    sheet->figure.image = &sheet->image;
    return POSENC_OK;
}

void posenc_plot_sheet_turn(posenc_plot_sheet *sheet) {
    int64_t rows = sheet->image.rows, columns = sheet->image.columns;
    for (int64_t i = 0; i < rows / 2; i++) {
        float *upper = sheet->cells + i * columns, *lower = sheet->cells + (rows - 1 - i) * columns;
        for (int64_t j = 0; j < columns; j++) {
            float value = upper[j];
            upper[j] = lower[j];
            lower[j] = value;
        }
    }
}

posenc_axis posenc_plot_axis_across(const char *label, int64_t start, int64_t n) {
    return (posenc_axis){.label = label, .first = (double)start - 0.5, .last = (double)(start + n) - 0.5};
}

posenc_axis posenc_plot_axis_down(const char *label, int64_t start, int64_t n) {
    return (posenc_axis){.label = label, .first = (double)(start + n) - 0.5, .last = (double)start - 0.5};
}

void posenc_plot_sheet_note(posenc_plot_sheet *sheet, const char *format, ...) {
    size_t used = strlen(sheet->note);
    if (used > 0 && used + 1 < sizeof sheet->note) sheet->note[used++] = ' ';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sheet->note + used, sizeof sheet->note - used, format, arguments);
    va_end(arguments);
    sheet->figure.note = sheet->note;
}

const char *posenc_plot_number(double value, int digits, char text[32]) {
    bool whole = fabs(value) >= pow(10, digits) && fabs(value) < 1e15;
    if (whole)
        snprintf(text, 32, "%.0f", value);
    else
        posenc_print_digits(value, digits, text);
    return text;
}
