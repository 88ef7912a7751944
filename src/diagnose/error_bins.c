/* Error by position, in at most 64 bins whose length grows with the position: an octave of rows is cut into as many
 * equal parts as fit. */
#include "diagnose/look_rows.h"

static int octaves_of(int64_t rows) {
    int octaves = 1;
    while (octaves < 62 && INT64_C(1) << octaves < rows) octaves++;
    return octaves;
}

/* First row of part j of octave o, 2^o (1 + j / parts). Row 0 stands before all octaves. */
static int64_t edge(int o, int j, int parts) {
    int64_t octave = INT64_C(1) << o;
    return octave + (octave / parts) * j + (octave % parts) * j / parts;
}

static void add_bin(posenc_check_report *report, int64_t first) {
    if (report->n_errors > 0) {
        posenc_error_bin *last = &report->errors[report->n_errors - 1];
        if (last->first == first) return;
        last->last = first - 1;
    }
    report->errors[report->n_errors++] = (posenc_error_bin){.first = first, .last = first};
}

void posenc_error_bins_make(posenc_check_report *report, int64_t rows) {
    int octaves = octaves_of(rows), parts = (POSENC_MOST_ERROR_BINS - 1) / octaves;
    report->n_errors = 0;
    if (rows == 0) return;
    add_bin(report, 0);
    for (int o = 0; o < octaves; o++)
        for (int j = 0; j < parts; j++)
            if (edge(o, j, parts) < rows) add_bin(report, edge(o, j, parts));
    report->errors[report->n_errors - 1].last = rows - 1;
}

/* Finds the bin by halving. */
void posenc_error_bins_take(posenc_check_report *report, int64_t row, double error) {
    size_t low = 0, high = report->n_errors;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (report->errors[middle].first <= row)
            low = middle;
        else
            high = middle;
    }
    if (error > report->errors[low].max_error) report->errors[low].max_error = error;
}
