/* Heatmap: where each value lies, how it is reduced, how its range is chosen, what is missing. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "base/half.h"
#include "report/sheets.h"
#include "support/allocator.h"
#include "support/strided.h"
#include "support/tensors.h"
#include "support/test.h"

static void every_value_has_its_cell(void **state) {
    (void)state;
    const float values[] = {0, 0.25f, -0.5f, 1, -1, 0.125f};
    posenc_plot_sheet sheet;
    must_sheet_of(values, 2, 3, POSENC_PLOT_HEATMAP, &sheet);
    const posenc_figure *figure = &sheet.figure;
    check(figure->image->rows == 2 && figure->image->columns == 3, "the image is another");
    for (int i = 0; i < 6; i++)
        check(sheet_cell(&sheet, i / 3, i % 3) == (double)values[i], "value %d: got %g", i,
              sheet_cell(&sheet, i / 3, i % 3));
    check(figure->image->low == -1 && figure->image->high == 1, "range %g..%g", figure->image->low,
          figure->image->high);
    check(figure->image->colours == POSENC_COLOURS_DIVERGING, "the colours do not part at 0");
    check(figure->x.first == -0.5 && figure->x.last == 2.5, "channels %g..%g", figure->x.first, figure->x.last);
    check(figure->y.first == 1.5 && figure->y.last == -0.5, "positions %g..%g", figure->y.first, figure->y.last);
    check(strcmp(figure->title, "Values") == 0, "title \"%s\"", figure->title);
    check(!figure->note, "note \"%s\"", figure->note);
    posenc_plot_sheet_end(&sheet);
}

static void options_reach_the_figure(void **state) {
    (void)state;
    float value = 1;
    posenc_view view;
    posenc_plot_sheet sheet;
    posenc_plot_options options;
    posenc_plot_default(&options, sizeof options);
    check(options.width == 800 && options.height == 600 && !options.title && options.start == 0, "other defaults");
    options.width = 300;
    options.height = 200;
    options.start = -7;
    options.title = "pe.npy";
    must_sheet(posenc_view_make(&view, &value, POSENC_F32, 2, (int64_t[]){1, 1}, NULL), POSENC_PLOT_HEATMAP, &options,
               &sheet);
    check(sheet.figure.width == 300 && sheet.figure.height == 200, "%d x %d", sheet.figure.width, sheet.figure.height);
    check(sheet.figure.y.last == -7.5 && sheet.figure.y.first == -6.5, "positions %g..%g", sheet.figure.y.first,
          sheet.figure.y.last);
    check(strcmp(sheet.figure.title, "pe.npy: values") == 0, "title \"%s\"", sheet.figure.title);
    posenc_plot_sheet_end(&sheet);
}

/* Cosines and sines, (length, pairs, 2), stand side by side, and the picture says so. */
static void pairs_stand_side_by_side(void **state) {
    (void)state;
    enum { ROWS = 9, PAIRS = 5 };
    float values[ROWS * PAIRS * 2];
    posenc_view view;
    posenc_plot_sheet sheet;
    for (int p = 0; p < ROWS; p++)
        for (int i = 0; i < PAIRS; i++) {
            double angle = p * pow(100, -(double)i / PAIRS);
            values[(p * PAIRS + i) * 2] = (float)(1.2 * cos(angle));
            values[(p * PAIRS + i) * 2 + 1] = (float)(1.2 * sin(angle));
        }
    DLTensor *tensor = posenc_view_make(&view, values, POSENC_F32, 3, (int64_t[]){ROWS, PAIRS, 2}, NULL);
    for (int kind = 0; kind < 4; kind++) {
        must_sheet(tensor, (posenc_plot_kind)kind, NULL, &sheet);
        must_note(&sheet, "Channels 2i and 2i + 1 are the cosine and the sine of pair i.");
        posenc_plot_sheet_end(&sheet);
    }
    must_sheet(tensor, POSENC_PLOT_HEATMAP, NULL, &sheet);
    check(sheet.figure.image->rows == ROWS && sheet.figure.image->columns == 2 * PAIRS, "the image is another");
    for (int i = 0; i < ROWS * PAIRS * 2; i++)
        check(sheet_cell(&sheet, i / (2 * PAIRS), i % (2 * PAIRS)) == (double)values[i], "value %d", i);
    check(strcmp(sheet.figure.x.label, "cosine and sine of each pair") == 0, "label \"%s\"", sheet.figure.x.label);
    posenc_plot_sheet_end(&sheet);
    for (int i = 0; i < ROWS * PAIRS * 2; i++) values[i] = (float)i; /* on no circle: a batch */
    must_sheet(tensor, POSENC_PLOT_HEATMAP, NULL, &sheet);
    must_note(&sheet, "Sequence 0 of 9.");
    posenc_plot_sheet_end(&sheet);
}

/* The same values in any place and dtype give the same cells. Small whole numbers are exact in all. */
static void layout_and_dtype_do_not_matter(void **state) {
    (void)state;
    enum { ROWS = 37, DIM = 23 };
    random_state random = random_start("heatmap strides");
    float values[ROWS * DIM];
    posenc_plot_sheet sheet;
    for (int i = 0; i < ROWS * DIM; i++) values[i] = (float)random_between(&random, -100, 100);
    for (int round = 0; round < 40; round++) {
        posenc_dtype dtype = encoding_dtypes[round % 4];
        uint64_t elements[ROWS * DIM];
        for (int i = 0; i < ROWS * DIM; i++) {
            if (dtype == POSENC_F64) ((double *)elements)[i] = (double)values[i];
            if (dtype == POSENC_F32) ((float *)elements)[i] = values[i];
            if (dtype == POSENC_F16) ((uint16_t *)elements)[i] = posenc_f16_of_f32(values[i]);
            if (dtype == POSENC_BF16) ((uint16_t *)elements)[i] = posenc_bf16_of_f32(values[i]);
        }
        const int64_t shapes[3][3] = {{ROWS, DIM}, {1, ROWS, DIM}, {ROWS, 1, DIM}};
        int form = round / 4 % 3;
        strided s;
        strided_make(&s, &random, dtype, form == 0 ? 2 : 3, shapes[form], false);
        strided_put(&s, elements);
        must_sheet(s.tensor, POSENC_PLOT_HEATMAP, NULL, &sheet);
        for (int i = 0; i < ROWS * DIM; i++)
            check(sheet_cell(&sheet, i / DIM, i % DIM) == (double)values[i], "round %d, value %d: expected %g, got %g",
                  round, i, (double)values[i], sheet_cell(&sheet, i / DIM, i % DIM));
        posenc_plot_sheet_end(&sheet);
        strided_free(&s);
    }
}

/* Of a batch the first sequence is drawn, wherever its rows lie, and the note says so. A batch, or a length, of one is
 * a table. */
static void a_batch_shows_its_first_sequence(void **state) {
    (void)state;
    enum { BATCH = 3, ROWS = 5, DIM = 4 };
    float values[ROWS * BATCH * DIM];
    posenc_view view;
    posenc_plot_sheet sheet;
    for (int i = 0; i < ROWS * BATCH * DIM; i++) values[i] = (float)i;
    DLTensor *time_first =
        posenc_view_make(&view, values, POSENC_F32, 3, (int64_t[]){BATCH, ROWS, DIM}, (int64_t[]){DIM, BATCH * DIM, 1});
    must_sheet(time_first, POSENC_PLOT_HEATMAP, NULL, &sheet);
    must_note(&sheet, "Sequence 0 of 3.");
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < DIM; c++)
            check(sheet_cell(&sheet, r, c) == (double)(r * BATCH * DIM + c), "row %d, channel %d: %g", r, c,
                  sheet_cell(&sheet, r, c));
    posenc_plot_sheet_end(&sheet);
    for (int axis = 0; axis < 2; axis++) {
        const int64_t shape[] = {axis == 0 ? 1 : ROWS, axis == 0 ? ROWS : 1, DIM};
        must_sheet(posenc_view_make(&view, values, POSENC_F32, 3, shape, NULL), POSENC_PLOT_HEATMAP, NULL, &sheet);
        check(!sheet.figure.note && sheet.figure.image->rows == ROWS, "note \"%s\"", sheet.note);
        posenc_plot_sheet_end(&sheet);
    }
}

/* The plain way: which run a thing falls into by asking each run. */
static double mean_of_cell(const double *values, int64_t rows, int64_t dim, int64_t i, int64_t j, int64_t side_i,
                           int64_t side_j) {
    double sum = 0;
    int64_t n = 0;
    for (int64_t r = i * rows / side_i; r < (i + 1) * rows / side_i; r++)
        for (int64_t c = j * dim / side_j; c < (j + 1) * dim / side_j; c++, n++) sum += values[r * dim + c];
    return sum / (double)n;
}

static void large_tables_become_means(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1024, 1024}, {1025, 3}, {2500, 1}, {5, 3001}, {1500, 2047}, {1, 1026}};
    random_state random = random_start("heatmap means");
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        int64_t rows = shapes[k][0], dim = shapes[k][1];
        int64_t side_i = rows < 1024 ? rows : 1024, side_j = dim < 1024 ? dim : 1024;
        double *values = must_allocate((size_t)(rows * dim) * sizeof(double));
        posenc_view view;
        posenc_plot_sheet sheet;
        for (int64_t i = 0; i < rows * dim; i++) values[i] = 2 * random_unit(&random) - 1;
        must_sheet(posenc_view_make(&view, values, POSENC_F64, 2, shapes[k], NULL), POSENC_PLOT_HEATMAP, NULL, &sheet);
        check(sheet.figure.image->rows == side_i && sheet.figure.image->columns == side_j, "table %zu: another image",
              k);
        for (int64_t i = 0; i < side_i; i++)
            for (int64_t j = 0; j < side_j; j++) {
                double want = mean_of_cell(values, rows, dim, i, j, side_i, side_j);
                check(fabs(sheet_cell(&sheet, i, j) - want) <= 1e-7, "table %zu, cell %d, %d: expected %.9g, got %.9g",
                      k, (int)i, (int)j, want, sheet_cell(&sheet, i, j));
            }
        bool reduced = side_i < rows || side_j < dim;
        check(reduced == (sheet.figure.note != NULL), "table %zu: note \"%s\"", k, sheet.note);
        posenc_plot_sheet_end(&sheet);
        free(values);
    }
}

/* Means of a swing are small: the scale fits them, and the note tells what the values are. */
static void means_of_swings_are_named(void **state) {
    (void)state;
    float *values = must_allocate(102400 * sizeof(float));
    posenc_plot_sheet sheet;
    for (int i = 0; i < 102400; i++) values[i] = i % 2 ? 1 : -0.98f;
    must_sheet_of(values, 102400, 1, POSENC_PLOT_HEATMAP, &sheet);
    must_note(&sheet, "Each cell is the mean of 100 positions. Single values reach ±1.");
    check(fabs(sheet.figure.image->high - 0.01) < 1e-9, "range %g", sheet.figure.image->high);
    posenc_plot_sheet_end(&sheet);
    free(values);
}

static void notes_name_the_reduction(void **state) {
    (void)state;
    float *values = must_allocate(3000 * 3000 * sizeof(float));
    posenc_plot_sheet sheet;
    for (int i = 0; i < 3000 * 3000; i++) values[i] = 0.5f;
    must_sheet_of(values, 5000, 3, POSENC_PLOT_HEATMAP, &sheet);
    must_note(&sheet, "Each cell is the mean of 4.883 positions.");
    posenc_plot_sheet_end(&sheet);
    must_sheet_of(values, 2, 4096, POSENC_PLOT_HEATMAP, &sheet);
    must_note(&sheet, "Each cell is the mean of 4 channels.");
    posenc_plot_sheet_end(&sheet);
    must_sheet_of(values, 3000, 3000, POSENC_PLOT_HEATMAP, &sheet);
    must_note(&sheet, "Each cell is the mean of 2.93 positions × 2.93 channels.");
    posenc_plot_sheet_end(&sheet);
    free(values);
}

/* One NaN among a million values is one missing cell, and named. */
static void a_value_that_is_not_finite_is_missing(void **state) {
    (void)state;
    enum { ROWS = 125000, DIM = 8 };
    const float bad[] = {NAN, INFINITY, -INFINITY};
    float *values = must_allocate(ROWS * DIM * sizeof(float));
    for (int i = 0; i < ROWS * DIM; i++) values[i] = 0.5f;
    for (int k = 0; k < 3; k++) {
        posenc_plot_sheet sheet;
        values[70000 * DIM + 5] = bad[k];
        must_sheet_of(values, ROWS, DIM, POSENC_PLOT_HEATMAP, &sheet);
        must_note(&sheet,
                  "1 of 1000000 values is not finite and marked as missing, the first at position 70000, "
                  "channel 5.");
        for (int64_t i = 0; i < 1024; i++)
            for (int64_t j = 0; j < DIM; j++) {
                bool missing = j == 5 && i * ROWS / 1024 <= 70000 && 70000 < (i + 1) * ROWS / 1024;
                check(isnan(sheet_cell(&sheet, i, j)) == missing && (missing || sheet_cell(&sheet, i, j) == 0.5),
                      "cell %d, %d: got %g", (int)i, (int)j, sheet_cell(&sheet, i, j));
            }
        posenc_plot_sheet_end(&sheet);
    }
    free(values);
}

static void nothing_finite_still_makes_a_figure(void **state) {
    (void)state;
    const float values[] = {NAN, INFINITY, -INFINITY, NAN};
    posenc_plot_sheet sheet;
    must_sheet_of(values, 2, 2, POSENC_PLOT_HEATMAP, &sheet);
    must_note(&sheet, "No value is finite");
    for (int i = 0; i < 4; i++) check(isnan(sheet.figure.image->values[i]), "value %d is there", i);
    check(sheet.figure.image->low < sheet.figure.image->high, "no range");
    posenc_plot_sheet_end(&sheet);
}

static void ranges_are_short_numbers_around_0(void **state) {
    (void)state;
    static const struct {
        float largest;
        double end;
    } cases[] = {{1, 1},         {-1, 1},   {0.9999f, 1}, {1.0004f, 1}, {1.01f, 1.5},    {0.07f, 0.08},
                 {-0.02f, 0.02}, {3.2f, 4}, {0, 1},       {256, 300},   {1e-20f, 1e-20}, {FLT_MAX, 4e38}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const float values[] = {cases[k].largest, 0};
        posenc_plot_sheet sheet;
        must_sheet_of(values, 1, 2, POSENC_PLOT_HEATMAP, &sheet);
        const posenc_image *image = sheet.figure.image;
        check(fabs(image->high / cases[k].end - 1) < 1e-12 && image->low == -image->high,
              "largest %g: expected +-%g, got %g..%g", (double)cases[k].largest, cases[k].end, image->low, image->high);
        posenc_plot_sheet_end(&sheet);
    }
}

/* A wild value must not turn the rest pale; without one the range ends at the largest. */
static void outliers_do_not_set_the_range(void **state) {
    (void)state;
    float values[64 * 32];
    posenc_plot_sheet sheet;
    random_state random = random_start("heatmap outliers");
    for (int i = 0; i < 64 * 32; i++) values[i] = (float)(2 * random_unit(&random) - 1);
    values[700] = -1e6f;
    must_sheet_of(values, 64, 32, POSENC_PLOT_HEATMAP, &sheet);
    check(sheet.figure.image->high == 1, "range %g", sheet.figure.image->high);
    must_note(&sheet, "1 cell is beyond the scale of ±1, the farthest, ±1000000, at position 21, channel 28.");
    posenc_plot_sheet_end(&sheet);
    for (int i = 0; i < 64 * 32; i++) values[i] = i == 700 ? 0.5f : 0; /* the one value that there is, is no outlier */
    must_sheet_of(values, 64, 32, POSENC_PLOT_HEATMAP, &sheet);
    check(sheet.figure.image->high == 0.5 && !sheet.figure.note, "range %g", sheet.figure.image->high);
    posenc_plot_sheet_end(&sheet);
}

static void doubles_beyond_f32_are_drawn_at_its_end(void **state) {
    (void)state;
    double values[] = {1e308, -1e308};
    posenc_view view;
    posenc_plot_sheet sheet;
    must_sheet(posenc_view_make(&view, values, POSENC_F64, 2, (int64_t[]){1, 2}, NULL), POSENC_PLOT_HEATMAP, NULL,
               &sheet);
    check(sheet.figure.image->values[0] == FLT_MAX && sheet.figure.image->values[1] == -FLT_MAX, "lost");
    posenc_plot_sheet_end(&sheet);
}

/* A table is never copied: the memory is that of the cells, whatever its length. A stride of 0 makes it long. */
static void memory_is_that_of_the_cells(void **state) {
    (void)state;
    float row[8] = {0.5f};
    posenc_view view;
    posenc_plot_sheet sheet;
    allocator memory;
    posenc_context *context = allocator_context(&memory);
    DLTensor *table = posenc_view_make(&view, row, POSENC_F32, 2, (int64_t[]){1000000, 8}, (int64_t[]){0, 1});
    atomic_store(&memory.peak_bytes, 0);
    assert_int_equal(posenc_plot_make(context, table, POSENC_PLOT_HEATMAP, NULL, &sheet, NULL), POSENC_OK);
    check(memory.peak_bytes < 1024 * 8 * sizeof(float) + 4096, "%zu bytes", (size_t)memory.peak_bytes);
    posenc_plot_sheet_end(&sheet);
    allocator_context_end(&memory, context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_has_its_cell),
        cmocka_unit_test(options_reach_the_figure),
        cmocka_unit_test(pairs_stand_side_by_side),
        cmocka_unit_test(layout_and_dtype_do_not_matter),
        cmocka_unit_test(a_batch_shows_its_first_sequence),
        cmocka_unit_test(large_tables_become_means),
        cmocka_unit_test(means_of_swings_are_named),
        cmocka_unit_test(notes_name_the_reduction),
        cmocka_unit_test(a_value_that_is_not_finite_is_missing),
        cmocka_unit_test(nothing_finite_still_makes_a_figure),
        cmocka_unit_test(ranges_are_short_numbers_around_0),
        cmocka_unit_test(outliers_do_not_set_the_range),
        cmocka_unit_test(doubles_beyond_f32_are_drawn_at_its_end),
        cmocka_unit_test(memory_is_that_of_the_cells),
    };
    return TEST_RUN(tests);
}
