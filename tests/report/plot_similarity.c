/* Similarity: each cell beside the cosines that it stands for, by the plain sum; what has no direction; the range. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "report/sheets.h"
#include "support/tensors.h"
#include "support/test.h"

static double cosine(const float *a, const float *b, int64_t dim) {
    double ab = 0, aa = 0, bb = 0;
    for (int64_t c = 0; c < dim; c++) {
        ab += (double)a[c] * (double)b[c];
        aa += (double)a[c] * (double)a[c];
        bb += (double)b[c] * (double)b[c];
    }
    return ab / sqrt(aa * bb);
}

static void cells_are_mean_cosines(void **state) {
    (void)state;
    static const int64_t lengths[] = {1, 2, 17, 1024, 1030, 2500};
    enum { DIM = 5 };
    random_state random = random_start("plot similarity");
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        int64_t rows = lengths[k], side = rows < 1024 ? rows : 1024;
        float *values = must_allocate((size_t)(rows * DIM) * sizeof(float));
        posenc_plot_sheet sheet;
        random_fill_f32(&random, values, rows * DIM);
        must_sheet_of(values, rows, DIM, POSENC_PLOT_SIMILARITY, &sheet);
        check(sheet.figure.image->rows == side && sheet.figure.image->columns == side, "%d rows: another image",
              (int)rows);
        for (int64_t i = 0; i < side; i += 1 + side / 40)
            for (int64_t j = 0; j < side; j++) {
                double sum = 0;
                int64_t n = 0;
                for (int64_t p = i * rows / side; p < (i + 1) * rows / side; p++)
                    for (int64_t q = j * rows / side; q < (j + 1) * rows / side; q++, n++)
                        sum += cosine(values + p * DIM, values + q * DIM, DIM);
                check(fabs(sheet_cell(&sheet, i, j) - sum / (double)n) <= 2e-6,
                      "%d rows, cell %d, %d: expected %.9g, got %.9g", (int)rows, (int)i, (int)j, sum / (double)n,
                      sheet_cell(&sheet, i, j));
            }
        check((side < rows) == (sheet.figure.note != NULL), "note \"%s\"", sheet.note);
        check(sheet.figure.x.first == -0.5 && sheet.figure.x.last == (double)rows - 0.5 &&
                  sheet.figure.y.first == sheet.figure.x.last && sheet.figure.y.last == sheet.figure.x.first,
              "axes %g..%g, %g..%g", sheet.figure.x.first, sheet.figure.x.last, sheet.figure.y.first,
              sheet.figure.y.last);
        posenc_plot_sheet_end(&sheet);
        free(values);
    }
}

static void rows_without_direction_are_missing_and_named(void **state) {
    (void)state;
    const float values[] = {1, 0, 0, 0, 1, NAN, 1, 1, 0, INFINITY};
    posenc_view view;
    posenc_plot_sheet sheet;
    posenc_plot_options options;
    float copy[10];
    posenc_plot_default(&options, sizeof options);
    options.start = 10;
    memcpy(copy, values, sizeof copy);
    must_sheet(posenc_view_make(&view, copy, POSENC_F32, 2, (int64_t[]){5, 2}, NULL), POSENC_PLOT_SIMILARITY, &options,
               &sheet);
    must_note(&sheet,
              "3 of 5 positions have no direction (zero or not finite) and are marked as missing, the first at "
              "11.");
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            bool there = (i == 0 || i == 3) && (j == 0 || j == 3);
            double want = i == j ? 1 : sqrt(0.5);
            check(there ? fabs(sheet_cell(&sheet, i, j) - want) < 1e-6 : isnan(sheet_cell(&sheet, i, j)),
                  "cell %d, %d: %g", i, j, sheet_cell(&sheet, i, j));
        }
    check(fabs(sheet.figure.image->low - 0.7) < 1e-12 && sheet.figure.image->high == 1, "range %g..%g",
          sheet.figure.image->low, sheet.figure.image->high);
    posenc_plot_sheet_end(&sheet);
    memset(copy, 0, sizeof copy);
    must_sheet(&view.tensor, POSENC_PLOT_SIMILARITY, &options, &sheet);
    must_note(&sheet, "No position has a direction");
    check(sheet.figure.image->low < sheet.figure.image->high, "no range");
    posenc_plot_sheet_end(&sheet);
}

static void ranges_begin_below_the_least_cosine(void **state) {
    (void)state;
    static const struct {
        float turn; /* of the second row, in cosines */
        double low;
    } cases[] = {{1, 0.9},       {0.93f, 0.9},   {0.55f, 0.5}, {0.01f, 0},
                 {-0.07f, -0.1}, {-0.45f, -0.5}, {-0.7f, -1},  {-1, -1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const float values[] = {1, 0, cases[k].turn, sqrtf(1 - cases[k].turn * cases[k].turn)};
        posenc_plot_sheet sheet;
        must_sheet_of(values, 2, 2, POSENC_PLOT_SIMILARITY, &sheet);
        check(fabs(sheet.figure.image->low - cases[k].low) < 1e-9 && sheet.figure.image->high == 1,
              "cosine %g: range %g..%g", (double)cases[k].turn, sheet.figure.image->low, sheet.figure.image->high);
        check(sheet.figure.image->colours == POSENC_COLOURS_SEQUENTIAL, "other colours");
        posenc_plot_sheet_end(&sheet);
    }
}

/* Means over many random directions come near 0: the range follows them. */
static void ranges_end_above_the_largest_mean(void **state) {
    (void)state;
    enum { ROWS = 20480, DIM = 64 };
    float *values = must_allocate(ROWS * DIM * sizeof(float));
    posenc_plot_sheet sheet;
    random_state random = random_start("plot similarity range");
    random_fill_f32(&random, values, ROWS * DIM);
    must_sheet_of(values, ROWS, DIM, POSENC_PLOT_SIMILARITY, &sheet);
    check(fabs(sheet.figure.image->low + 0.1) < 1e-9 && fabs(sheet.figure.image->high - 0.1) < 1e-9, "range %g..%g",
          sheet.figure.image->low, sheet.figure.image->high);
    must_note(&sheet, "Each cell is the mean over 20 × 20 positions.");
    posenc_plot_sheet_end(&sheet);
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_mean_cosines),
        cmocka_unit_test(rows_without_direction_are_missing_and_named),
        cmocka_unit_test(ranges_begin_below_the_least_cosine),
        cmocka_unit_test(ranges_end_above_the_largest_mean),
    };
    return TEST_RUN(tests);
}
