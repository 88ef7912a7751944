/* Pictures of a table. The door: whatever can be refused is refused here; then the builder of the kind makes a sheet,
 * and the sheet's figure is drawn. */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/tensor.h"
#include "report/plot.h"

/* Every kind of plot: what its title says and who builds it. */
static const struct {
    const char *title;
    posenc_plot_builder *build;
} kinds[] = {
    [POSENC_PLOT_HEATMAP] = {"values", posenc_plot_heatmap},
    [POSENC_PLOT_SIMILARITY] = {"similarity of positions", posenc_plot_similarity},
    [POSENC_PLOT_CURVES] = {"channels along the positions", posenc_plot_curves},
    [POSENC_PLOT_SPECTRUM] = {"spectrum of the channels", posenc_plot_spectrum},
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

void posenc_plot_default(posenc_plot_options *options, size_t size) {
    posenc_plot_options all = {.size = size, .width = 800, .height = 600};
    posenc_options_write(options, size, &all, sizeof all);
}

/* Positions are numbers on an axis: doubles, which count exactly to 2^53. */
static posenc_status check_start(int64_t start, int64_t rows, posenc_error *error) {
    const int64_t most = INT64_C(1) << 53;
    if (start >= -most && rows <= most && start <= most - rows) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "start",
                       "expected positions within +-2^53, got %lld for %lld rows", (long long)start, (long long)rows);
}

/* Asked before the tensor is checked: it may be anything. */
static bool is_batch(const DLTensor *table) {
    return table && table->ndim == 3 && table->shape && table->shape[0] > 1 && table->shape[1] > 1;
}

/* Of (batch, length, dim) the first sequence is drawn: where it shows one row at all positions, the others do too. */
static posenc_status take_first(posenc_plot_source *source, posenc_error *error) {
    const DLTensor *batch = source->tensor;
    posenc_dtype dtype = POSENC_F32;
    posenc_status status = posenc_tensor_check(batch, "table", &dtype, error);
    if (status != POSENC_OK) return status;
    const int64_t strides[] = {posenc_tensor_stride(batch, 1), posenc_tensor_stride(batch, 2)};
    source->tensor = posenc_view_make(&source->slice, posenc_tensor_data(batch), dtype, 2, batch->shape + 1, strides);
    return POSENC_OK;
}

/* Cosines and sines, (length, pairs, 2), side by side as (length, 2 pairs). */
static posenc_status take_turns(posenc_plot_source *source, posenc_error *error) {
    posenc_turns turns;
    posenc_table *t = &source->table;
    posenc_status status = posenc_turns_open(source->tensor, "table", false, t, &turns, error);
    source->turns = status == POSENC_OK && turns.are;
    if (!source->turns) return status;
    const int64_t shape[] = {t->rows, t->dim}, strides[] = {t->row_stride, t->column_stride};
    source->tensor = posenc_view_make(&source->slice, (char *)(uintptr_t)t->data, t->dtype, 2, shape, strides);
    return POSENC_OK;
}

static posenc_status open_source(const posenc_context *context, const DLTensor *table, int64_t start,
                                 posenc_plot_source *source, posenc_error *error) {
    *source = (posenc_plot_source){.context = context, .tensor = table, .start = start};
    posenc_status status = take_turns(source, error);
    if (status == POSENC_OK && !source->turns && is_batch(table)) status = take_first(source, error);
    if (status == POSENC_OK) status = posenc_table_of(source->tensor, "table", &source->table, error);
    if (status != POSENC_OK) return status;
    if (source->table.rows < 1 || source->table.dim < 1) {
        char shape[96];
        posenc_shape_text(table->ndim, table->shape, shape);
        return posenc_fail(error, POSENC_ERROR_SHAPE, "table", "expected at least one value, got %s", shape);
    }
    return check_start(start, source->table.rows, error);
}

/* "pe.npy: values", or "Values". */
static posenc_status set_title(posenc_plot_sheet *sheet, const char *name, const char *what, posenc_error *error) {
    size_t bytes = (name ? strlen(name) : 0) + strlen(what) + 3;
    sheet->title = posenc_allocate(sheet->context, bytes);
    if (!sheet->title) return posenc_fail_memory(error, "title", bytes);
    snprintf(sheet->title, bytes, "%s%s%s", name ? name : "", name ? ": " : "", what);
    if (!name) sheet->title[0] = (char)(sheet->title[0] - 'a' + 'A');
    sheet->figure.title = sheet->title;
    return POSENC_OK;
}

posenc_status posenc_plot_make(const posenc_context *context, const DLTensor *table, posenc_plot_kind kind,
                               const posenc_plot_options *options, posenc_plot_sheet *sheet, posenc_error *error) {
    posenc_plot_options all;
    posenc_plot_source source;
    posenc_plot_default(&all, sizeof all);
    posenc_status status = posenc_options_read(options, &all, sizeof all, "options.size", error);
    if (status != POSENC_OK) return status;
    if ((unsigned)kind >= N_KINDS)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "kind", "expected 0..%d, got %d", N_KINDS - 1, (int)kind);
    status = open_source(context, table, all.start, &source, error);
    if (status != POSENC_OK) return status;
    posenc_plot_sheet_begin(context, sheet);
    sheet->figure.width = all.width;
    sheet->figure.height = all.height;
    if (source.turns)
        posenc_plot_sheet_note(sheet, "Channels 2i and 2i + 1 are the cosine and the sine of pair i.");
    else if (is_batch(table))
        posenc_plot_sheet_note(sheet, "Sequence 0 of %lld.", (long long)table->shape[0]);
    status = set_title(sheet, all.title, kinds[kind].title, error);
    if (status == POSENC_OK) status = kinds[kind].build(&source, sheet, error);
    if (status != POSENC_OK) posenc_plot_sheet_end(sheet);
    return status;
}

static posenc_status plot(const posenc_context *context, const DLTensor *table, posenc_plot_kind kind,
                          const posenc_plot_options *options, posenc_picture picture, posenc_output *output,
                          posenc_error *error) {
    posenc_plot_sheet sheet;
    posenc_status status = posenc_plot_make(context, table, kind, options, &sheet, error);
    if (status != POSENC_OK) return status;
    status = posenc_figure_draw(context, &sheet.figure, picture, output, error);
    posenc_plot_sheet_end(&sheet);
    return status;
}

posenc_status posenc_plot(const posenc_context *context, const DLTensor *table, posenc_plot_kind kind,
                          const posenc_plot_options *options, posenc_picture picture, posenc_output *output,
                          posenc_error *error) {
    if (!output) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "output", "expected a pointer, got NULL");
    posenc_fpenv saved = posenc_fpenv_enter();
    posenc_status status = plot(context, table, kind, options, picture, output, error);
    posenc_fpenv_leave(saved);
    return status;
}
