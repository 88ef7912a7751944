/* Similarity: the cosine of every pair of positions, or of the mean of many, as a colour. */
#include <math.h>

#include <posenc/similarity.h>

#include "report/plot.h"

/* Rows that have no direction: zero, or with a value that is not finite. */
typedef struct tally {
    int64_t n, first;
} tally;

static bool has_direction(const posenc_table *table, int64_t row) {
    enum { PIECE = 512 };
    double piece[PIECE];
    bool zero = true;
    posenc_table part = *table;
    for (int64_t begin = 0; begin < table->dim; begin += PIECE) {
        part.data = posenc_table_element(table, 0, begin);
        part.dim = table->dim - begin < PIECE ? table->dim - begin : PIECE;
        posenc_table_row(&part, row, piece);
        for (int64_t i = 0; i < part.dim; i++) {
            if (!isfinite(piece[i])) return false;
            zero = zero && piece[i] == 0;
        }
    }
    return !zero;
}

static tally count_without(const posenc_table *table) {
    tally without = {0, -1};
    for (int64_t r = 0; r < table->rows; r++)
        if (!has_direction(table, r) && without.n++ == 0) without.first = r;
    return without;
}

/* From the least cosine, rounded down to a tenth, to 1. Deep negative ones get the whole range. Where cells are means
 * the largest may be far below 1: then the range ends a tenth above it at most. */
static void set_scale(posenc_image *image) {
    double least = 1, most = -1;
    for (int64_t i = 0; i < image->rows * image->columns; i++) {
        if (isnan(image->values[i])) continue;
        least = fmin(least, (double)image->values[i]);
        most = fmax(most, (double)image->values[i]);
    }
    image->low = least < -0.5 || most < least ? -1 : fmin(floor(least * 10 + 1e-3) / 10, 0.9);
    image->high = most > 0.5 || most < least ? 1 : floor(most * 10 + 1e-3) / 10 + 0.1;
    image->colours = POSENC_COLOURS_SEQUENTIAL;
    image->label = "cosine similarity";
}

static void write_note(posenc_plot_sheet *sheet, const posenc_plot_source *source, tally without) {
    char run[32];
    int64_t rows = source->table.rows, side = sheet->image.rows;
    posenc_plot_number((double)rows / (double)side, 4, run);
    if (side < rows) posenc_plot_sheet_note(sheet, "Each cell is the mean over %s × %s positions.", run, run);
    if (without.n == rows)
        posenc_plot_sheet_note(sheet, "No position has a direction: all rows are zero or not finite.");
    else if (without.n > 0)
        posenc_plot_sheet_note(
            sheet, "%lld of %lld positions %s no direction (zero or not finite) and %s %s, the first at %lld.",
            (long long)without.n, (long long)rows, without.n == 1 ? "has" : "have", without.n == 1 ? "is" : "are",
            side < rows ? "left out" : "marked as missing", (long long)(source->start + without.first));
}

static posenc_status fill(const posenc_plot_source *source, posenc_plot_sheet *sheet, posenc_error *error) {
    posenc_similarity *similarity;
    posenc_view view;
    const int64_t shape[] = {sheet->image.rows, sheet->image.columns};
    DLTensor *out = posenc_view_make(&view, sheet->cells, POSENC_F32, 2, shape, NULL);
    posenc_status status = posenc_similarity_create(source->context, source->tensor, &similarity, error);
    if (status != POSENC_OK) return status;
    status = posenc_similarity_reduced(similarity, out, error);
    posenc_similarity_destroy(similarity);
    return status;
}

posenc_status posenc_plot_similarity(const posenc_plot_source *source, posenc_plot_sheet *sheet, posenc_error *error) {
    int64_t rows = source->table.rows, side = posenc_plot_cells(rows);
    posenc_status status = posenc_plot_sheet_image(sheet, side, side, error);
    if (status == POSENC_OK) status = fill(source, sheet, error);
    if (status != POSENC_OK) return status;
    posenc_plot_sheet_turn(sheet);
    sheet->figure.x = posenc_plot_axis_across("position (tokens)", source->start, rows);
    sheet->figure.y = posenc_plot_axis_down("position (tokens)", source->start, rows);
    set_scale(&sheet->image);
    write_note(sheet, source, count_without(&source->table));
    return POSENC_OK;
}
