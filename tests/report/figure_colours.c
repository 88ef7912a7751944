/* Colours, measured by formulas of their own: CIE 1976 lightness, and the colour difference CIEDE2000, itself checked
 * with published pairs. */
#include <math.h>

#include "report/colours.h"
#include "support/test.h"

typedef struct lab {
    double l, a, b;
} lab;

static double linear(uint32_t rgb, int shift) {
    double c = (rgb >> shift & 0xFF) / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t rgb) {
    return 0.2126 * linear(rgb, 16) + 0.7152 * linear(rgb, 8) + 0.0722 * linear(rgb, 0);
}

static double lightness(uint32_t rgb) {
    double y = luminance(rgb);
    return y > 216.0 / 24389 ? 116 * cbrt(y) - 16 : y * 24389 / 27;
}

static double f(double t) { return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116; }

static lab lab_of(uint32_t rgb) {
    double r = linear(rgb, 16), g = linear(rgb, 8), b = linear(rgb, 0);
    double x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
    double z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
    return (lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static double degrees(double radians) { return radians * 57.295779513082320877; }
static double radians(double d) { return d / 57.295779513082320877; }
static double hue(double b, double a) { return a == 0 && b == 0 ? 0 : fmod(degrees(atan2(b, a)) + 360, 360); }
static double seventh(double c) { return sqrt(pow(c, 7) / (pow(c, 7) + pow(25, 7))); }

/* Sharma, Wu, Dalal, "The CIEDE2000 color-difference formula", 2005, equations 2 to 22. */
static double ciede2000(lab p, lab q) {
    double g = 0.5 * (1 - seventh((hypot(p.a, p.b) + hypot(q.a, q.b)) / 2));
    double a1 = (1 + g) * p.a, a2 = (1 + g) * q.a, c1 = hypot(a1, p.b), c2 = hypot(a2, q.b);
    double h1 = hue(p.b, a1), h2 = hue(q.b, a2), dh = h2 - h1, h = h1 + h2;
    if (c1 * c2 == 0) {
        dh = 0;
    } else {
        if (fabs(h1 - h2) > 180) h += h < 360 ? 360 : -360;
        dh += dh > 180 ? -360 : dh < -180 ? 360 : 0;
        h /= 2;
    }
    double dl = q.l - p.l, dc = c2 - c1, dH = 2 * sqrt(c1 * c2) * sin(radians(dh / 2));
    double l = (p.l + q.l) / 2 - 50, c = (c1 + c2) / 2;
    double t = 1 - 0.17 * cos(radians(h - 30)) + 0.24 * cos(radians(2 * h)) + 0.32 * cos(radians(3 * h + 6)) -
               0.20 * cos(radians(4 * h - 63));
    double sl = 1 + 0.015 * l * l / sqrt(20 + l * l), sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t;
    double rt = -2 * seventh(c) * sin(radians(60 * exp(-pow((h - 275) / 25, 2))));
    dl /= sl;
    dc /= sc;
    dH /= sh;
    return sqrt(dl * dl + dc * dc + dH * dH + rt * dc * dH);
}

/* From table 1 of that paper. */
static void the_measure_is_right(void **state) {
    (void)state;
    static const struct {
        lab p, q;
        double difference;
    } pairs[] = {{{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
                 {{50, -1.3802, -84.2814}, {50, 0, -82.7485}, 1.0000},
                 {{50, 0, 0}, {50, -1, 2}, 2.3669},
                 {{50, 2.4900, -0.0010}, {50, -2.4900, 0.0011}, 7.2195},
                 {{50, 2.5, 0}, {73, 25, -18}, 27.1492},
                 {{50, 2.5, 0}, {58, 24, 15}, 19.4535},
                 {{60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}, 1.2644},
                 {{2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}, 0.9082}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double got = ciede2000(pairs[i].p, pairs[i].q);
        check(fabs(got - pairs[i].difference) < 6e-5, "pair %zu: expected %.4f, got %.4f", i, pairs[i].difference, got);
    }
    check(fabs(lightness(0xFFFFFF) - 100) < 1e-9 && lightness(0) == 0, "black or white");
    check(fabs(lightness(0x777777) - 50.03) < 0.01, "grey %.4f", lightness(0x777777));
}

static const posenc_colours maps[] = {POSENC_COLOURS_SEQUENTIAL, POSENC_COLOURS_DIVERGING};

/* In grey the order stays, at every step of 8 bits, over most of what paper can show. */
static void lightness_always_rises(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        uint32_t map[POSENC_COLOUR_STEPS];
        posenc_colours_map(maps[m], map);
        for (int i = 1; i < POSENC_COLOUR_STEPS; i++)
            check(lightness(map[i]) > lightness(map[i - 1]), "map %d: %.3f after %.3f at %d", m, lightness(map[i]),
                  lightness(map[i - 1]), i);
        check(lightness(map[0]) < 20 && lightness(map[POSENC_COLOUR_STEPS - 1]) > 85, "map %d: %.1f..%.1f", m,
              lightness(map[0]), lightness(map[POSENC_COLOUR_STEPS - 1]));
    }
}

/* Over eight steps at a time, which rounding to 8 bits does not blur. */
static void equal_steps_look_equal(void **state) {
    (void)state;
    enum { STRIDE = 8, N = POSENC_COLOUR_STEPS / STRIDE - 1 };
    for (int m = 0; m < 2; m++) {
        uint32_t map[POSENC_COLOUR_STEPS];
        double steps[N], mean = 0;
        posenc_colours_map(maps[m], map);
        for (int i = 0; i < N; i++) {
            steps[i] = ciede2000(lab_of(map[i * STRIDE]), lab_of(map[(i + 1) * STRIDE]));
            mean += steps[i] / N;
        }
        for (int i = 0; i < N; i++)
            check(steps[i] > mean / 1.4 && steps[i] < 1.4 * mean, "map %d: step %d is %.3f, the mean %.3f", m, i,
                  steps[i], mean);
    }
}

/* The diverging map tells the sign by hue: grey in the middle, blue below, warm above. */
static void hue_tells_the_sign(void **state) {
    (void)state;
    uint32_t map[POSENC_COLOUR_STEPS];
    posenc_colours_map(POSENC_COLOURS_DIVERGING, map);
    lab middle = lab_of(map[POSENC_COLOUR_STEPS / 2]);
    check(hypot(middle.a, middle.b) < 3 && middle.l > 45 && middle.l < 65, "middle: %.1f %.1f %.1f", middle.l, middle.a,
          middle.b);
    for (int i = 0; i < POSENC_COLOUR_STEPS; i++) {
        lab c = lab_of(map[i]);
        if (i < POSENC_COLOUR_STEPS / 2 - 16) check(c.b < -4, "colour %d is not blue: b = %.1f", i, c.b);
        if (i > POSENC_COLOUR_STEPS / 2 + 16) check(c.b > 4, "colour %d is not warm: b = %.1f", i, c.b);
    }
}

static void the_missing_colour_is_like_no_other(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        uint32_t map[POSENC_COLOUR_STEPS];
        posenc_colours_map(maps[m], map);
        for (int i = 0; i < POSENC_COLOUR_STEPS; i++) {
            double far = ciede2000(lab_of(map[i]), lab_of(POSENC_COLOUR_MISSING));
            check(far > 25, "map %d, colour %d: only %.1f away", m, i, far);
        }
    }
}

static void values_find_their_colours(void **state) {
    (void)state;
    uint32_t map[POSENC_COLOUR_STEPS];
    for (uint32_t i = 0; i < POSENC_COLOUR_STEPS; i++) map[i] = i;
    assert_int_equal(posenc_colours_at(map, -1, 1, -1), 0);
    assert_int_equal(posenc_colours_at(map, -1, 1, 1), 255);
    assert_int_equal(posenc_colours_at(map, -1, 1, 0), 128);
    assert_int_equal(posenc_colours_at(map, 0, 256, 17.5), 17);
    assert_int_equal(posenc_colours_at(map, 0, 256, 17), 17);
    assert_int_equal(posenc_colours_at(map, 0, 1, -(double)INFINITY), 0);
    assert_int_equal(posenc_colours_at(map, 0, 1, (double)INFINITY), 255);
    assert_int_equal(posenc_colours_at(map, -1e300, 1e300, 1e308), 255);
    assert_int_equal(posenc_colours_at(map, 0, 1, (double)NAN), POSENC_COLOUR_MISSING);
}

/* On white, all series are seen (contrast as in WCAG 2.1), and any two are told apart: by colour well, and in grey by
 * lightness or by width. */
static void series_are_told_apart(void **state) {
    (void)state;
    for (size_t i = 0; i < POSENC_SERIES_COLOURS; i++) {
        uint32_t a = posenc_colours_series(i);
        double contrast = 1.05 / (luminance(a) + 0.05);
        check(contrast > 2.3, "series %zu, %06x: contrast %.2f", i, (unsigned)a, contrast);
        for (size_t j = 0; j < i; j++) {
            uint32_t b = posenc_colours_series(j);
            check(ciede2000(lab_of(a), lab_of(b)) > 16, "series %zu and %zu: %.1f", i, j,
                  ciede2000(lab_of(a), lab_of(b)));
            bool width = posenc_colours_series_width(i) != posenc_colours_series_width(j);
            check(width || fabs(lightness(a) - lightness(b)) > 8, "series %zu and %zu in grey: %.1f and %.1f", i, j,
                  lightness(a), lightness(b));
        }
        assert_int_equal(posenc_colours_series(i + POSENC_SERIES_COLOURS), a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_measure_is_right),
        cmocka_unit_test(lightness_always_rises),
        cmocka_unit_test(equal_steps_look_equal),
        cmocka_unit_test(hue_tells_the_sign),
        cmocka_unit_test(the_missing_colour_is_like_no_other),
        cmocka_unit_test(values_find_their_colours),
        cmocka_unit_test(series_are_told_apart),
    };
    return TEST_RUN(tests);
}
