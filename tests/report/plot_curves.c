/* Curves: which channels and positions are chosen, what is drawn of them, how long tables are reduced. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "report/sheets.h"
#include "support/tensors.h"
#include "support/test.h"

static const double pi = 3.14159265358979323846;

static int64_t channel_of(const posenc_series *series) {
    long long channel = -1;
    check(series->name && sscanf(series->name, "channel %lld", &channel) == 1, "a series is called \"%s\"",
          series->name ? series->name : "");
    return channel;
}

/* The wavelength in a series' name, or 0. */
static double wavelength_of(const posenc_series *series) {
    const char *text = strstr(series->name, "(wavelength ");
    return text ? strtod(text + strlen("(wavelength "), NULL) : 0;
}

/* Every point is a value of the table. */
static void must_be_the_values(const posenc_plot_sheet *sheet, const float *values, int64_t rows, int64_t dim) {
    for (size_t k = 0; k < sheet->figure.n_series; k++) {
        const posenc_series *series = &sheet->series[k];
        check(series->n == (size_t)rows, "%zu points", series->n);
        for (size_t i = 0; i < series->n; i++)
            check(series->x[i] == (double)i && series->y[i] == (double)values[(int64_t)i * dim + channel_of(series)],
                  "%s, point %zu: %g, %g", series->name, i, series->x[i], series->y[i]);
    }
}

/* Sines of rising wavelength: the fastest and the slowest, and between them no two alike. */
static void formulas_show_sines_from_fast_to_slow(void **state) {
    (void)state;
    enum { ROWS = 5000, DIM = 512 };
    float *values = must_allocate((size_t)ROWS * DIM * sizeof(float));
    for (int layout = 0; layout < 3; layout++) {
        plan_shape shape = {.dim = DIM, .layout = (posenc_layout)layout, .cos_first = layout == 1};
        posenc_plan *plan = must_plan(NULL, &shape);
        posenc_match match = {
            .scheme = "sinusoidal", .layout = shape.layout, .cos_first = shape.cos_first, .base = 1e4};
        posenc_plot_sheet sheet;
        double slowest = 0;
        must_write(plan, 0, ROWS, POSENC_F32, values);
        must_sheet_of(values, ROWS, DIM, POSENC_PLOT_CURVES, &sheet);
        check(sheet.figure.n_series == 6, "%s: %zu series", plan_text(&shape), sheet.figure.n_series);
        must_be_the_values(&sheet, values, 128, DIM);
        must_note(&sheet, "6 of 512 channels, sines from the fastest to the slowest. The first 128 of 5000 positions.");
        for (int k = 0; k < 6; k++) {
            int64_t channel = channel_of(&sheet.series[k]);
            double wavelength = posenc_plot_wavelength(&match, DIM, channel);
            check(posenc_plot_is_sine(&match, DIM, channel), "%s: channel %d is no sine", plan_text(&shape),
                  (int)channel);
            check(fabs(wavelength_of(&sheet.series[k]) / wavelength - 1) < 0.005, "%s: \"%s\", not %g",
                  plan_text(&shape), sheet.series[k].name, wavelength);
            check(k == 0 || wavelength > 1.5 * posenc_plot_wavelength(&match, DIM, channel_of(&sheet.series[k - 1])),
                  "%s: series %d is like the one before", plan_text(&shape), k);
        }
        for (int64_t c = 0; c < DIM; c++) slowest = fmax(slowest, posenc_plot_wavelength(&match, DIM, c));
        check(fabs(wavelength_of(&sheet.series[0]) - 2 * pi) < 0.005, "the fastest is %s", sheet.series[0].name);
        check(fabs(wavelength_of(&sheet.series[5]) / slowest - 1) < 0.005, "the slowest is %s", sheet.series[5].name);
        posenc_plot_sheet_end(&sheet);
        posenc_plan_destroy(plan);
    }
    free(values);
}

static void short_tables_show_all_positions(void **state) {
    (void)state;
    float values[64 * 32];
    posenc_plot_sheet sheet;
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 32});
    must_write(plan, 0, 64, POSENC_F32, values);
    must_sheet_of(values, 64, 32, POSENC_PLOT_CURVES, &sheet);
    check(sheet.figure.n_series == 6, "%zu series", sheet.figure.n_series);
    must_be_the_values(&sheet, values, 64, 32);
    check(sheet.figure.x.first == 0 && sheet.figure.x.last == 63, "positions %g..%g", sheet.figure.x.first,
          sheet.figure.x.last);
    posenc_plot_sheet_end(&sheet);
    posenc_plan_destroy(plan);
}

/* Narrow tables show every channel, in its place; the wavelength is named where there is one. */
static void narrow_tables_show_all_channels(void **state) {
    (void)state;
    float values[50 * 6];
    posenc_plot_sheet sheet;
    for (int64_t dim = 1; dim <= 6; dim++) {
        posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = dim});
        must_write(plan, 0, 50, POSENC_F32, values);
        must_sheet_of(values, 50, dim, POSENC_PLOT_CURVES, &sheet);
        check(sheet.figure.n_series == (size_t)dim, "%d channels, %zu series", (int)dim, sheet.figure.n_series);
        must_be_the_values(&sheet, values, 50, dim);
        for (int k = 0; k < dim; k++) check(channel_of(&sheet.series[k]) == k, "series %d is %s", k, sheet.names[k]);
        posenc_plot_sheet_end(&sheet);
        posenc_plan_destroy(plan);
    }
}

/* Without a formula channels are spread evenly; as many positions are shown as the fastest needs for 20 swings. */
static void the_pace_decides_how_much_is_shown(void **state) {
    (void)state;
    enum { ROWS = 3000, DIM = 11 };
    static const struct {
        double wavelength;
        int64_t least, most;
    } cases[] = {{2.5, 128, 128}, {21.3, 415, 440}, {55, 1080, 1120}, {90, 3000, 3000}, {500, 3000, 3000}};
    float *values = must_allocate(ROWS * DIM * sizeof(float));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        posenc_plot_sheet sheet;
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < DIM; c++)
                values[r * DIM + c] = 5 + (float)sin(2 * pi * r / (cases[k].wavelength * (1 + c)) + 0.3 * c * c);
        must_sheet_of(values, ROWS, DIM, POSENC_PLOT_CURVES, &sheet);
        int64_t shown = (int64_t)sheet.series[0].n;
        check(cases[k].least <= shown && shown <= cases[k].most, "wavelength %g: %d positions", cases[k].wavelength,
              (int)shown);
        for (int i = 0; i < 6; i++) check(channel_of(&sheet.series[i]) == 2 * i, "series %d is %s", i, sheet.names[i]);
        must_be_the_values(&sheet, values, shown, DIM);
        must_note(&sheet, "6 of 11 channels, evenly spaced.");
        posenc_plot_sheet_end(&sheet);
    }
    free(values);
}

/* Half a million positions of a slow channel become runs; no extreme of a run is lost. */
static void runs_keep_their_extremes(void **state) {
    (void)state;
    enum { ROWS = 500000, RUNS = 4096 };
    float *values = must_allocate(ROWS * sizeof(float));
    posenc_plot_sheet sheet;
    random_state random = random_start("curves runs");
    for (int r = 0; r < ROWS; r++) values[r] = (float)r / ROWS + 0.001f * (float)random_unit(&random);
    values[123456] = -9;
    values[345678] = 9;
    values[400000] = NAN;
    must_sheet_of(values, ROWS, 1, POSENC_PLOT_CURVES, &sheet);
    must_note(&sheet, "Of each run of 122.1 positions the least and the greatest value are drawn.");
    must_note(&sheet, "1 value is not finite and left out.");
    check(sheet.series[0].n == 2 * RUNS, "%zu points", sheet.series[0].n);
    for (int64_t i = 0; i < RUNS; i++) {
        float least = INFINITY, most = -INFINITY;
        for (int64_t r = i * ROWS / RUNS; r < (i + 1) * ROWS / RUNS; r++) {
            least = fminf(least, values[r]);
            most = fmaxf(most, values[r]);
        }
        const double *x = sheet.series[0].x + 2 * i, *y = sheet.series[0].y + 2 * i;
        check(fmin(y[0], y[1]) == (double)least && fmax(y[0], y[1]) == (double)most, "run %d: %g, %g", (int)i, y[0],
              y[1]);
        check(x[0] <= x[1] && (double)values[(int64_t)x[0]] == y[0] && (double)values[(int64_t)x[1]] == y[1],
              "run %d: points at %g and %g", (int)i, x[0], x[1]);
    }
    check(sheet.figure.y.first < -9 && sheet.figure.y.last > 9, "values %g..%g", sheet.figure.y.first,
          sheet.figure.y.last);
    posenc_plot_sheet_end(&sheet);
    free(values);
}

static void gaps_stand_for_what_is_not_finite(void **state) {
    (void)state;
    const float values[] = {1, NAN, 3, INFINITY, -INFINITY, 6};
    const float none[] = {NAN, INFINITY};
    posenc_plot_sheet sheet;
    must_sheet_of(values, 6, 1, POSENC_PLOT_CURVES, &sheet);
    for (int i = 0; i < 6; i++)
        check(isnan(sheet.series[0].y[i]) == !isfinite(values[i]), "point %d: %g", i, sheet.series[0].y[i]);
    check(sheet.figure.y.first < 1 && sheet.figure.y.last > 6 && sheet.figure.y.last < 7, "values %g..%g",
          sheet.figure.y.first, sheet.figure.y.last);
    must_note(&sheet, "3 values are not finite and left out.");
    posenc_plot_sheet_end(&sheet);
    must_sheet_of(none, 2, 1, POSENC_PLOT_CURVES, &sheet);
    must_note(&sheet, "No value is finite");
    check(sheet.figure.y.first < sheet.figure.y.last, "an empty axis");
    posenc_plot_sheet_end(&sheet);
}

static void one_value_and_all_equal_have_axes(void **state) {
    (void)state;
    const float values[] = {0.25f, 0.25f, 0.25f, 0.25f};
    const float zeros[] = {0, 0, 0, 0};
    posenc_plot_sheet sheet;
    must_sheet_of(values, 1, 1, POSENC_PLOT_CURVES, &sheet);
    check(sheet.series[0].n == 1 && sheet.series[0].stroke == POSENC_STROKE_POINTS, "one value is no point");
    check(sheet.figure.x.first < 0 && sheet.figure.x.last > 0 && sheet.figure.y.first < 0.25 &&
              sheet.figure.y.last > 0.25,
          "the point is not within its axes");
    posenc_plot_sheet_end(&sheet);
    must_sheet_of(values, 2, 2, POSENC_PLOT_CURVES, &sheet);
    check(sheet.figure.y.first < 0.25 && sheet.figure.y.last > 0.25, "%g..%g", sheet.figure.y.first,
          sheet.figure.y.last);
    posenc_plot_sheet_end(&sheet);
    must_sheet_of(zeros, 2, 2, POSENC_PLOT_CURVES, &sheet);
    check(sheet.figure.y.first < 0 && sheet.figure.y.last > 0, "%g..%g", sheet.figure.y.first, sheet.figure.y.last);
    posenc_plot_sheet_end(&sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_show_sines_from_fast_to_slow),
        cmocka_unit_test(short_tables_show_all_positions),
        cmocka_unit_test(narrow_tables_show_all_channels),
        cmocka_unit_test(the_pace_decides_how_much_is_shown),
        cmocka_unit_test(runs_keep_their_extremes),
        cmocka_unit_test(gaps_stand_for_what_is_not_finite),
        cmocka_unit_test(one_value_and_all_equal_have_axes),
    };
    return TEST_RUN(tests);
}
