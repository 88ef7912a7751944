/* Ticks: what a reader may rely on for any axis, checked on many random ones; and examples. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/ticks.h"
#include "support/test.h"

/* Reads the text of a tick as a person does. */
static double read_tick(const posenc_tick *tick) {
    char plain[64] = "";
    size_t used = 0;
    double factor = 1;
    for (const char *p = tick->text; *p;) {
        if (strncmp(p, "\xE2\x88\x92", 3) == 0) { /* minus */
            plain[used++] = '-';
            p += 3;
        } else if (strncmp(p, "\xE2\x80\x89", 3) == 0) { /* thin space */
            p += 3;
        } else if (strncmp(p, "\xC3\x97", 2) == 0) { /* times: 10 follows */
            check(strcmp(p + 2, "10") == 0 && tick->raised[0], "\"%s\"", tick->text);
            factor = 10;
            break;
        } else {
            check(strchr("0123456789.", *p) != NULL, "\"%s\"", tick->text);
            plain[used++] = *p++;
        }
    }
    plain[used] = '\0';
    if (!tick->raised[0]) return atof(plain);
    bool negative = strncmp(tick->raised, "\xE2\x88\x92", 3) == 0;
    char number[96];
    snprintf(number, sizeof number, "%se%s%s",
             factor == 10      ? plain
             : plain[0] == '-' ? "-1"
                               : "1",
             negative ? "-" : "", tick->raised + (negative ? 3 : 0));
    return atof(number);
}

static const char *axis_text(const posenc_axis *axis) {
    static char text[80];
    snprintf(text, sizeof text, "%s axis %.17g..%.17g", axis->logarithmic ? "logarithmic" : "linear", axis->first,
             axis->last);
    return text;
}

/* In order, on the axis, and with texts that say the value and differ. */
static void check_ticks(const posenc_axis *axis, const posenc_ticks *ticks) {
    double low = fmin(axis->first, axis->last), high = fmax(axis->first, axis->last);
    double slack = axis->logarithmic ? 1e-8 * high : 1e-8 * (high - low);
    for (int i = 0; i < ticks->n; i++) {
        const posenc_tick *tick = &ticks->ticks[i];
        check(tick->value >= low - slack && tick->value <= high + slack, "%s: tick %.17g", axis_text(axis),
              tick->value);
        double read = read_tick(tick);
        check(fabs(read - tick->value) <= 4e-16 * fabs(tick->value), "%s: tick %.17g says %s^%s, %.17g",
              axis_text(axis), tick->value, tick->text, tick->raised, read);
        if (i == 0) continue;
        check(tick->value > tick[-1].value, "%s: %g after %g", axis_text(axis), tick->value, tick[-1].value);
        check(strcmp(tick->text, tick[-1].text) != 0 || strcmp(tick->raised, tick[-1].raised) != 0, "%s: %s twice",
              axis_text(axis), tick->text);
    }
}

/* The ratio of the step to a power of ten. */
static double leading(double step) { return step / pow(10, floor(log10(step) + 1e-9)); }

static bool is_one_two_five(double step) {
    double digit = leading(step);
    return fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 || fabs(digit - 5) < 1e-6;
}

static void linear_axes_have_four_to_ten_round_ticks(void **state) {
    (void)state;
    random_state random = random_start("linear axes");
    for (int i = 0; i < 100000; i++) {
        double middle = (random_unit(&random) - 0.5) * pow(10, (double)random_between(&random, -12, 12));
        double half = random_unit(&random) * pow(10, (double)random_between(&random, -12, 12)) + 1e-12;
        posenc_axis axis = {.first = middle - half, .last = middle + half};
        if (i % 2) axis = (posenc_axis){.first = axis.last, .last = axis.first};
        if (half < 1e-11 * fabs(middle)) continue;
        posenc_ticks ticks;
        posenc_ticks_find(&axis, 8, false, &ticks);
        check_ticks(&axis, &ticks);
        check(ticks.n >= 4 && ticks.n <= 10, "%s: %d ticks", axis_text(&axis), ticks.n);
        double step = (ticks.ticks[ticks.n - 1].value - ticks.ticks[0].value) / (ticks.n - 1);
        if (half > 1e-7 * fabs(middle)) check(is_one_two_five(step), "%s: steps of %.17g", axis_text(&axis), step);
        for (int most = 1; most < 8; most++) {
            posenc_ticks_find(&axis, most, false, &ticks);
            check(ticks.n <= most + 2, "%s: %d ticks of %d", axis_text(&axis), ticks.n, most);
        }
    }
}

static void counted_things_have_whole_ticks(void **state) {
    (void)state;
    for (int n = 1; n < 3000; n++) {
        posenc_axis axis = {.first = -0.5, .last = n - 0.5};
        posenc_ticks ticks;
        posenc_ticks_find(&axis, 8, true, &ticks);
        check_ticks(&axis, &ticks);
        check(ticks.n >= (n < 4 ? n : 3), "%d things: %d ticks", n, ticks.n);
        for (int i = 0; i < ticks.n; i++)
            check(!strchr(ticks.ticks[i].text, '.'), "%d things: tick %s", n, ticks.ticks[i].text);
    }
}

/* Where doubles are far apart, beside the limits of an axis, and where digits end: no endless loop, no wrong text. */
static void extreme_axes_have_true_ticks(void **state) {
    (void)state;
    static const double ends[][2] = {{9007199254740990, 9007199254740992},
                                     {-9007199254740992, -9007199254740000},
                                     {1, 1 + 0x1p-52},
                                     {1, 1 + 0x1p-45},
                                     {1e300, 9.99e299},
                                     {-1e300, 1e300},
                                     {1e22, 1e22 + 0x1p22},
                                     {0, 1e-290},
                                     {-1e-290, 3e-290},
                                     {1e-200, 1},
                                     {-5e-324, 1e-290},
                                     {123456789, 123456790},
                                     {9999999, 10000001},
                                     {1e7, 1e8},
                                     {0.00012, 0.00013}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (int most = 1; most <= 8; most++) {
            posenc_axis axis = {.first = ends[i][0], .last = ends[i][1]};
            posenc_ticks ticks;
            posenc_ticks_find(&axis, most, false, &ticks);
            check_ticks(&axis, &ticks);
            check(ticks.n > 0 || most < 3, "%s: no tick", axis_text(&axis));
        }
}

static void logarithmic_axes_are_marked(void **state) {
    (void)state;
    random_state random = random_start("logarithmic axes");
    for (int i = 0; i < 100000; i++) {
        double low = pow(10, random_unit(&random) * 500 - 250), factor = pow(10, pow(10, random_unit(&random) * 5 - 3));
        posenc_axis axis = {.first = low, .last = fmin(low * factor, 1e300), .logarithmic = 1};
        posenc_ticks ticks;
        posenc_ticks_find(&axis, 8, false, &ticks);
        check_ticks(&axis, &ticks);
        check(ticks.n >= 3 && ticks.n <= 10, "%s: %d ticks", axis_text(&axis), ticks.n);
        for (int k = 0; k < ticks.n_minor; k++)
            check(ticks.minor[k] >= low * (1 - 1e-8) && ticks.minor[k] <= axis.last * (1 + 1e-8), "%s: minor tick %g",
                  axis_text(&axis), ticks.minor[k]);
    }
}

/* All ticks of an axis in one line: "0 5 10^7". */
static const char *ticks_text(double first, double last, int logarithmic, bool whole) {
    static char text[512];
    posenc_axis axis = {.first = first, .last = last, .logarithmic = logarithmic};
    posenc_ticks ticks;
    posenc_ticks_find(&axis, 8, whole, &ticks);
    text[0] = '\0';
    for (int i = 0; i < ticks.n; i++) {
        const posenc_tick *tick = &ticks.ticks[i];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s%s%s", i ? " " : "", tick->text, tick->raised[0] ? "^" : "",
                 tick->raised);
    }
    return text;
}

#define MINUS "\xE2\x88\x92"
#define THIN "\xE2\x80\x89"
#define TIMES "\xC3\x97"

static void texts_are_those_that_a_person_would_write(void **state) {
    (void)state;
    assert_string_equal(ticks_text(0, 1, 0, false), "0.0 0.2 0.4 0.6 0.8 1.0");
    assert_string_equal(ticks_text(1, -1, 0, false), MINUS "1.0 " MINUS "0.5 0.0 0.5 1.0");
    assert_string_equal(ticks_text(-0.5, 511.5, 0, true), "0 100 200 300 400 500");
    assert_string_equal(ticks_text(-0.5, 0.5, 0, true), "0");
    assert_string_equal(ticks_text(-0.5, 1.5, 0, true), "0 1");
    assert_string_equal(ticks_text(0, 60000, 0, false),
                        "0 10" THIN "000 20" THIN "000 30" THIN "000 40" THIN "000 50" THIN "000 60" THIN "000");
    assert_string_equal(ticks_text(0, 5000, 0, false), "0 1000 2000 3000 4000 5000");
    assert_string_equal(ticks_text(0, 1e7, 0, false),
                        "0 2" TIMES "10^6 4" TIMES "10^6 6" TIMES "10^6 8" TIMES "10^6 10^7");
    assert_string_equal(ticks_text(0, 2e-7, 0, false),
                        "0 5" TIMES "10^" MINUS "8 10^" MINUS "7 1.5" TIMES "10^" MINUS "7 2" TIMES "10^" MINUS "7");
    assert_string_equal(ticks_text(1, 1000, 1, false), "1 10 100 1000");
    assert_string_equal(ticks_text(0.001, 1e4, 1, false), "0.001 0.01 0.1 1 10 100 1000 10" THIN "000");
    assert_string_equal(ticks_text(1, 1e6, 1, false), "10^0 10^1 10^2 10^3 10^4 10^5 10^6");
    assert_string_equal(ticks_text(3, 40, 1, false), "5 10 20");
    assert_string_equal(ticks_text(3, 4, 1, false), "3.0 3.2 3.4 3.6 3.8 4.0");
}

static void minor_ticks_stand_between_few_powers(void **state) {
    (void)state;
    posenc_axis axis = {.first = 1, .last = 1000, .logarithmic = 1};
    posenc_ticks ticks;
    posenc_ticks_find(&axis, 8, false, &ticks);
    assert_int_equal(ticks.n_minor, 24);
    assert_true(ticks.minor[0] == 2 && ticks.minor[23] == 900);
    axis.last = 1e12;
    posenc_ticks_find(&axis, 8, false, &ticks);
    assert_int_equal(ticks.n_minor, 0);
}

static void scales_run_from_0_to_1(void **state) {
    (void)state;
    static const posenc_axis axes[] = {{.first = 3, .last = 7},
                                       {.first = 7, .last = 3},
                                       {.first = 1e-200, .last = 1e200, .logarithmic = 1},
                                       {.first = 100, .last = 1, .logarithmic = 1}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        posenc_scale scale = posenc_scale_of(&axes[i]);
        check(fabs(posenc_scale_at(&scale, axes[i].first)) < 1e-15, "%s", axis_text(&axes[i]));
        check(fabs(posenc_scale_at(&scale, axes[i].last) - 1) < 1e-15, "%s", axis_text(&axes[i]));
        double middle = axes[i].logarithmic ? sqrt(axes[i].first) * sqrt(axes[i].last) : 5;
        check(fabs(posenc_scale_at(&scale, middle) - 0.5) < 1e-15, "%s", axis_text(&axes[i]));
        check(!axes[i].logarithmic || isnan(posenc_scale_at(&scale, 0)), "%s", axis_text(&axes[i]));
        check(!axes[i].logarithmic || isnan(posenc_scale_at(&scale, -1)), "%s", axis_text(&axes[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_axes_have_four_to_ten_round_ticks),
        cmocka_unit_test(counted_things_have_whole_ticks),
        cmocka_unit_test(extreme_axes_have_true_ticks),
        cmocka_unit_test(logarithmic_axes_are_marked),
        cmocka_unit_test(texts_are_those_that_a_person_would_write),
        cmocka_unit_test(minor_ticks_stand_between_few_powers),
        cmocka_unit_test(scales_run_from_0_to_1),
    };
    return TEST_RUN(tests);
}
