/* Spectrum: the energy of a channel against a slow Fourier sum, where a pure wave appears, what cannot be told. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "report/sheets.h"
#include "support/tensors.h"
#include "support/test.h"

static const double pi = 3.14159265358979323846;

/* ---- Energy ---- */

/* Energy at one frequency, by the definition. */
static double energy_at(const double *values, int64_t n, double frequency) {
    double mean = 0, weight = 0, re = 0, im = 0;
    for (int64_t t = 0; t < n; t++) {
        double window = pow(sin(pi * ((double)t + 0.5) / (double)n), 2);
        mean += window * values[t];
        weight += window;
    }
    for (int64_t t = 0; t < n; t++) {
        double window = pow(sin(pi * ((double)t + 0.5) / (double)n), 2);
        re += window * (values[t] - mean / weight) * cos(2 * pi * frequency * (double)t);
        im += window * (values[t] - mean / weight) * sin(2 * pi * frequency * (double)t);
    }
    return re * re + im * im;
}

/* Shares of bands between the middles of a transform's bins are sums of the definition over those bins. */
static void shares_are_those_of_a_slow_sum(void **state) {
    (void)state;
    static const int64_t lengths[] = {2, 3, 7, 64, 511, 513};
    random_state random = random_start("power");
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        int64_t n = lengths[k], points = 1024;
        while (points < 2 * n) points *= 2;
        double values[513], total = 0, largest = 0;
        for (int64_t t = 0; t < n; t++) values[t] = 2 * random_unit(&random) - 1 + 0.3 * cos(0.5 * (double)t);
        double *energy = must_allocate((size_t)(points / 2 + 1) * sizeof(double));
        for (int64_t j = 0; j <= points / 2; j++) {
            energy[j] = energy_at(values, n, (double)j / (double)points);
            total += j == 0 || j == points / 2 ? energy[j] / 2 : energy[j]; /* both ends are halves of a bin */
        }
        posenc_power *power = posenc_power_create(NULL, n);
        check(power && posenc_power_measure(power, values), "length %d: no power", (int)n);
        for (int64_t j = 1; j < points / 2; j++) {
            double low = ((double)j - 0.5) / (double)points, high = ((double)j + 0.5) / (double)points;
            largest = fmax(largest, fabs(posenc_power_share(power, low, high) - energy[j] / total));
        }
        check(largest <= 1e-12, "length %d: a share is off by %g", (int)n, largest);
        check(fabs(posenc_power_share(power, 0, 0.5) - 1) <= 1e-12, "length %d: all of it is %.17g", (int)n,
              posenc_power_share(power, 0, 0.5));
        posenc_power_destroy(power);
        free(energy);
    }
}

static void a_constant_has_no_energy(void **state) {
    (void)state;
    const double constant[] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, tiny[] = {0, 5e-324, 0}, large[] = {3e38, -3e38, 3e38};
    posenc_power *power = posenc_power_create(NULL, 3);
    check(!posenc_power_measure(power, constant), "a constant swings");
    check(posenc_power_measure(power, tiny) && posenc_power_share(power, 0, 0.5) == 1, "a tiny swing is lost");
    check(posenc_power_measure(power, large) && posenc_power_share(power, 0, 0.5) == 1, "a large swing is lost");
    posenc_power_destroy(power);
}

/* ---- Wavelengths of formulas ---- */

/* A column repeats after its wavelength, and not before: half of it turns the sign. Sines begin at 0. */
static void wavelengths_are_those_of_the_equation(void **state) {
    (void)state;
    static const int64_t dims[] = {1, 2, 3, 4, 5, 16, 33};
    random_state random = random_start("wavelengths");
    for (int round = 0; round < 300; round++) {
        plan_shape shape = {.dim = dims[random_between(&random, 0, 6)],
                            .base = pow(10, random_unit(&random) * 5),
                            .layout = (posenc_layout)random_between(&random, 0, 2),
                            .cos_first = (int)random_between(&random, 0, 1)};
        posenc_match match = {
            .scheme = "sinusoidal", .layout = shape.layout, .cos_first = shape.cos_first, .base = shape.base};
        posenc_plan *plan = must_plan(NULL, &shape);
        for (int64_t c = 0; c < shape.dim; c++) {
            double wavelength = posenc_plot_wavelength(&match, shape.dim, c), p = 1.25, at, half, whole, zero;
            posenc_plan_equation(plan, 0, c, &zero);
            posenc_plan_equation(plan, p, c, &at);
            if (isnan(wavelength)) { /* the column of zeros of an odd width */
                check(at == 0 && zero == 0, "%s, column %d has no wavelength", plan_text(&shape), (int)c);
                continue;
            }
            check(posenc_plot_is_sine(&match, shape.dim, c) == (zero == 0), "%s, column %d starts with %g",
                  plan_text(&shape), (int)c, zero);
            posenc_plan_equation(plan, p + wavelength / 2, c, &half);
            posenc_plan_equation(plan, p + wavelength, c, &whole);
            check(fabs(whole - at) < 1e-9 && fabs(half + at) < 1e-9, "%s, column %d, wavelength %g: %g, %g, %g",
                  plan_text(&shape), (int)c, wavelength, at, half, whole);
        }
        posenc_plan_destroy(plan);
    }
}

/* ---- The figure ---- */

static double wavelength_of_level(const posenc_plot_sheet *sheet, int64_t level) {
    const posenc_axis *y = &sheet->figure.y;
    return y->first * pow(y->last / y->first, ((double)level + 0.5) / (double)sheet->figure.image->rows);
}

static double share(const posenc_plot_sheet *sheet, int64_t level, int64_t column) {
    return (double)sheet->figure.image->values[level * sheet->figure.image->columns + column];
}

/* Waves of any wavelength up to a tenth of the table are bright within a sixth of an octave, and dark an octave off. */
static void a_wave_is_bright_at_its_wavelength(void **state) {
    (void)state;
    enum { ROWS = 1000, DIM = 24 };
    float *values = must_allocate(ROWS * DIM * sizeof(float));
    posenc_plot_sheet sheet;
    for (int c = 0; c < DIM; c++)
        for (int r = 0; r < ROWS; r++) values[r * DIM + c] = 7 + 3 * (float)cos(2 * pi * r / (2.1 * pow(1.18, c)) + c);
    must_sheet_of(values, ROWS, DIM, POSENC_PLOT_SPECTRUM, &sheet);
    check(sheet.figure.y.logarithmic && sheet.figure.y.first == 2 && sheet.figure.y.last == 2000, "wavelengths %g..%g",
          sheet.figure.y.first, sheet.figure.y.last);
    check(sheet.figure.image->low == 0 && sheet.figure.image->high == 1, "shares %g..%g", sheet.figure.image->low,
          sheet.figure.image->high);
    for (int c = 0; c < DIM; c++)
        for (int64_t level = 0; level < sheet.figure.image->rows; level++) {
            double octaves = fabs(log2(wavelength_of_level(&sheet, level) / (2.1 * pow(1.18, c))));
            double got = share(&sheet, level, c);
            check(octaves > 1.0 / 6 || got > 0.9, "channel %d: %g octaves from its wavelength the share is %g", c,
                  octaves, got);
            check(octaves < 1 || got < 0.01, "channel %d: %g octaves from its wavelength the share is %g", c, octaves,
                  got);
        }
    posenc_plot_sheet_end(&sheet);
    free(values);
}

static void what_cannot_be_told_is_missing_and_named(void **state) {
    (void)state;
    enum { ROWS = 100, DIM = 5 };
    float values[ROWS * DIM];
    posenc_plot_sheet sheet;
    random_state random = random_start("spectrum missing");
    random_fill_f32(&random, values, ROWS * DIM);
    for (int r = 0; r < ROWS; r++) values[r * DIM + 1] = 0.1f, values[r * DIM + 3] = NAN;
    values[17 * DIM] = INFINITY;
    must_sheet_of(values, ROWS, DIM, POSENC_PLOT_SPECTRUM, &sheet);
    must_note(&sheet, "1 channel does not vary and is marked as missing.");
    must_note(&sheet, "1 channel has no finite value and is marked as missing.");
    must_note(&sheet, "1 other value is not finite and taken as the channel's mean.");
    for (int c = 0; c < DIM; c++)
        for (int64_t level = 0; level < sheet.figure.image->rows; level++)
            check(isnan(share(&sheet, level, c)) == (c == 1 || c == 3), "channel %d: %g", c, share(&sheet, level, c));
    posenc_plot_sheet_end(&sheet);
    for (int i = 0; i < ROWS * DIM; i++) values[i] = NAN;
    must_sheet_of(values, ROWS, DIM, POSENC_PLOT_SPECTRUM, &sheet);
    must_note(&sheet, "No value is finite");
    posenc_plot_sheet_end(&sheet);
}

static void few_positions_still_make_a_figure(void **state) {
    (void)state;
    const float values[] = {0, 0.5f, 1, 0.25f, -1, 0.75f};
    posenc_plot_sheet sheet;
    for (int64_t rows = 1; rows <= 3; rows++) {
        must_sheet_of(values, rows, 2, POSENC_PLOT_SPECTRUM, &sheet);
        must_note(&sheet, rows == 1 ? "1 position is not enough" : "positions are not enough");
        check(sheet.figure.y.first < sheet.figure.y.last, "%d rows: an empty axis", (int)rows);
        check(isnan(share(&sheet, 80, 0)) == (rows == 1), "%d rows: %g", (int)rows, share(&sheet, 80, 0));
        posenc_plot_sheet_end(&sheet);
    }
}

static void large_tables_are_looked_at_in_part(void **state) {
    (void)state;
    enum { ROWS = 4500, DIM = 2000 };
    float *values = must_allocate((size_t)ROWS * DIM * sizeof(float));
    posenc_plot_sheet sheet;
    for (int r = 0; r < ROWS; r++) /* channel c swings in 4 + c / 100 tokens; behind row 4095 there is nothing */
        for (int c = 0; c < DIM; c++) values[r * DIM + c] = r < 4096 ? (float)sin(2 * pi * r / (4 + c / 100)) : NAN;
    must_sheet_of(values, ROWS, DIM, POSENC_PLOT_SPECTRUM, &sheet);
    check(sheet.figure.image->columns == 1024, "%d columns", (int)sheet.figure.image->columns);
    must_note(&sheet, "The first 4096 of 4500 positions.");
    must_note(&sheet, "1024 of 2000 channels, evenly spaced.");
    check(!strstr(sheet.note, "finite"), "note \"%s\"", sheet.note);
    for (int64_t j = 0; j < 1024; j += 31) {
        int64_t brightest = 0, channel = j * DIM / 1024;
        for (int64_t level = 0; level < sheet.figure.image->rows; level++)
            if (share(&sheet, level, j) > share(&sheet, brightest, j)) brightest = level;
        double octaves = fabs(log2(wavelength_of_level(&sheet, brightest) / (double)(4 + channel / 100)));
        check(octaves < 0.25, "channel %d is brightest at %g tokens", (int)channel,
              wavelength_of_level(&sheet, brightest));
    }
    posenc_plot_sheet_end(&sheet);
    free(values);
}

/* The formula lies over the table that it made, with a gap between two halves; its longest waves are named. */
static void the_formula_is_drawn_over(void **state) {
    (void)state;
    enum { ROWS = 300, DIM = 64 };
    float *values = must_allocate(ROWS * DIM * sizeof(float));
    for (int layout = 0; layout < 3; layout++) {
        plan_shape shape = {.dim = DIM, .layout = (posenc_layout)layout};
        posenc_plan *plan = must_plan(NULL, &shape);
        posenc_plot_sheet sheet;
        int gaps = 0;
        must_write(plan, 0, ROWS, POSENC_F32, values);
        must_sheet_of(values, ROWS, DIM, POSENC_PLOT_SPECTRUM, &sheet);
        check(sheet.figure.n_series == 1 && sheet.series[0].stroke == POSENC_STROKE_DASHED, "%s: no formula",
              plan_text(&shape));
        for (size_t i = 0; i < sheet.series[0].n; i++) {
            double wavelength = sheet.series[0].y[i];
            int64_t level = (int64_t)(160 * log(wavelength / 2) / log(300)), c = (int64_t)sheet.series[0].x[i];
            gaps += isnan(wavelength);
            if (isnan(wavelength) || wavelength > 30) continue;
            check(share(&sheet, level, c) > 0.9, "%s: on the line, channel %d, the share is %g", plan_text(&shape),
                  (int)c, share(&sheet, level, c));
        }
        check(gaps == (layout == POSENC_LAYOUT_INTERLEAVED ? 0 : 1), "%s: %d gaps", plan_text(&shape), gaps);
        must_note(&sheet, "channels swing slower than 300 positions can show");
        posenc_plot_sheet_end(&sheet);
        posenc_plan_destroy(plan);
    }
    free(values);
}

static void a_table_without_a_formula_has_no_line(void **state) {
    (void)state;
    float values[200 * 8];
    posenc_plot_sheet sheet;
    random_state random = random_start("spectrum of noise");
    random_fill_f32(&random, values, 200 * 8);
    must_sheet_of(values, 200, 8, POSENC_PLOT_SPECTRUM, &sheet);
    check(sheet.figure.n_series == 0 && !sheet.figure.note, "a line, or \"%s\"", sheet.note);
    posenc_plot_sheet_end(&sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_those_of_a_slow_sum),
        cmocka_unit_test(a_constant_has_no_energy),
        cmocka_unit_test(wavelengths_are_those_of_the_equation),
        cmocka_unit_test(a_wave_is_bright_at_its_wavelength),
        cmocka_unit_test(what_cannot_be_told_is_missing_and_named),
        cmocka_unit_test(few_positions_still_make_a_figure),
        cmocka_unit_test(large_tables_are_looked_at_in_part),
        cmocka_unit_test(the_formula_is_drawn_over),
        cmocka_unit_test(a_table_without_a_formula_has_no_line),
    };
    return TEST_RUN(tests);
}
