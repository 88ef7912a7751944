/* Colour maps. A map is a smooth path in Oklab, whose hues stay put when only the lightness changes (B. Ottosson, "A
 * perceptual color space for image processing", 2020): one or two Bezier curves with lightness rising all the way. It
 * is walked in steps of equal colour difference, CIE94 in CIELAB (CIE 116-1995), so that equal differences of numbers
 * look equal. Lightness alone tells all values apart, so a grey printer keeps the order. */
#include "report/colours.h"

#include <math.h>

enum { MOST_POINTS = 4, FINE = 1024 }; /* FINE: pieces that a curve's length is measured in */

typedef struct triple {
    double x, y, z;
} triple;

/* Lightness 0..1, chroma, hue in degrees. */
typedef struct lch {
    double lightness, chroma, hue;
} lch;

/* The control points of a Bezier curve. */
typedef struct curve {
    int n;
    lch points[MOST_POINTS];
} curve;

/* Control points were chosen so that the whole path can be shown (it leaves sRGB by less than a step of 8 bits, but for
 * the light end of the second, which is clipped in red) and so that lightness rises at every step of 8 bits.
 * Dark blue, teal, green, light yellow. */
static const curve sequential = {4, {{0.26, 0.12, 268}, {0.46, 0.15, 250}, {0.78, 0.18, 145}, {0.96, 0.11, 103}}};

/* Dark blue to grey and grey to light yellow, over orange. Both ends dark, as is usual, would look alike in grey. */
static const curve diverging[2] = {{3, {{0.28, 0.14, 265}, {0.39, 0.14, 256}, {0.60, 0, 0}}},
                                   {3, {{0.60, 0, 0}, {0.82, 0.15, 58}, {0.92, 0.13, 90}}}};

static triple oklab_of(lch c) {
    const double radians = c.hue * (3.14159265358979323846 / 180);
    return (triple){c.lightness, c.chroma * cos(radians), c.chroma * sin(radians)};
}

static double unit_interval(double value) { return value < 0 ? 0 : value > 1 ? 1 : value; }

/* Linear sRGB, clipped. Ottosson's matrices. */
static triple linear_of(triple lab) {
    double l = lab.x + 0.3963377774 * lab.y + 0.2158037573 * lab.z;
    double m = lab.x - 0.1055613458 * lab.y - 0.0638541728 * lab.z;
    double s = lab.x - 0.0894841775 * lab.y - 1.2914855480 * lab.z;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return (triple){unit_interval(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                    unit_interval(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                    unit_interval(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/* IEC 61966-2-1. */
static uint32_t encode(double linear) {
    double value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (uint32_t)(255 * value + 0.5);
}

static uint32_t rgb_of(triple oklab) {
    triple linear = linear_of(oklab);
    return encode(linear.x) << 16 | encode(linear.y) << 8 | encode(linear.z);
}

static double cie_root(double t) { return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116; }

/* CIELAB under D65. */
static triple cielab_of(triple oklab) {
    triple c = linear_of(oklab);
    double x = cie_root((0.4124564 * c.x + 0.3575761 * c.y + 0.1804375 * c.z) / 0.95047);
    double y = cie_root(0.2126729 * c.x + 0.7151522 * c.y + 0.0721750 * c.z);
    double z = cie_root((0.0193339 * c.x + 0.1191920 * c.y + 0.9503041 * c.z) / 1.08883);
    return (triple){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/* CIE94: a difference in chroma or hue counts less between colours that have much. */
static double difference(triple p, triple q) {
    double a = q.y - p.y, b = q.z - p.z;
    double chroma_p = hypot(p.y, p.z), chroma_q = hypot(q.y, q.z), chroma = (chroma_p + chroma_q) / 2;
    double along = chroma_q - chroma_p, across = fmax(0, a * a + b * b - along * along);
    along /= 1 + 0.045 * chroma;
    across /= (1 + 0.015 * chroma) * (1 + 0.015 * chroma);
    return sqrt((q.x - p.x) * (q.x - p.x) + along * along + across);
}

/* De Casteljau. */
static triple curve_at(const curve *c, double t) {
    triple p[MOST_POINTS];
    for (int i = 0; i < c->n; i++) p[i] = oklab_of(c->points[i]);
    for (int n = c->n - 1; n > 0; n--)
        for (int i = 0; i < n; i++)
            p[i] = (triple){p[i].x + t * (p[i + 1].x - p[i].x), p[i].y + t * (p[i + 1].y - p[i].y),
                            p[i].z + t * (p[i + 1].z - p[i].z)};
    return p[0];
}

/* Walks a curve: colour i lies at the fraction (first + i * step) of its length. */
static void walk(const curve *c, int n, double first, double step, uint32_t *colours) {
    double length[FINE + 1] = {0};
    triple last = cielab_of(curve_at(c, 0));
    for (int k = 1; k <= FINE; k++) {
        triple next = cielab_of(curve_at(c, (double)k / FINE));
        length[k] = length[k - 1] + difference(last, next);
        last = next;
    }
    for (int i = 0, k = 0; i < n; i++) {
        double at = (first + i * step) * length[FINE];
        while (k < FINE - 1 && length[k + 1] < at) k++;
        colours[i] = rgb_of(curve_at(c, (k + (at - length[k]) / (length[k + 1] - length[k])) / FINE));
    }
}

void posenc_colours_map(posenc_colours colours, uint32_t map[POSENC_COLOUR_STEPS]) {
    enum { HALF = POSENC_COLOUR_STEPS / 2 };
    const double step = 1.0 / (POSENC_COLOUR_STEPS - 1);
    if (colours == POSENC_COLOURS_SEQUENTIAL) {
        walk(&sequential, POSENC_COLOUR_STEPS, 0, step, map);
        return;
    }
    walk(&diverging[0], HALF, 0, 2 * step, map);
    walk(&diverging[1], HALF, step, 2 * step, map + HALF);
}

uint32_t posenc_colours_at(const uint32_t map[POSENC_COLOUR_STEPS], double low, double high, double value) {
    double step = (value - low) / (high - low) * POSENC_COLOUR_STEPS;
    if (step != step) return POSENC_COLOUR_MISSING;
    return map[step < 0 ? 0 : step >= POSENC_COLOUR_STEPS ? POSENC_COLOUR_STEPS - 1 : (int)step];
}

/* Thin and thick take turns, and so do dark and light. None is lighter than can be seen on white. */
uint32_t posenc_colours_series(size_t index) {
    static const lch series[POSENC_SERIES_COLOURS] = {
        {0.36, 0.15, 262}, {0.72, 0.15, 62}, {0.55, 0.12, 158}, {0.28, 0.12, 325},
        {0.72, 0.11, 220}, {0.48, 0.18, 28}, {0.45, 0.09, 115}, {0.62, 0.20, 350},
    };
    return rgb_of(oklab_of(series[index % POSENC_SERIES_COLOURS]));
}

double posenc_colours_series_width(size_t index) { return index % 2 == 0 ? 1.6 : 2.6; }
