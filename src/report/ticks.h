/* Ticks: where an axis is marked, and with what text. */
#ifndef POSENC_REPORT_TICKS_H
#define POSENC_REPORT_TICKS_H

#include <posenc/figure.h>
#include <stdbool.h>

enum { POSENC_MOST_TICKS = 12, POSENC_MOST_MINOR_TICKS = 80, POSENC_TICK_TEXT = 48 };

/* A marked value. raised: the exponent that stands above the end of text, "7" of 10^7; "" for none. UTF-8. */
typedef struct posenc_tick {
    double value;
    char text[POSENC_TICK_TEXT], raised[16];
} posenc_tick;

/* In rising order of their values, whichever way the axis runs. */
typedef struct posenc_ticks {
    int n, n_minor;
    posenc_tick ticks[POSENC_MOST_TICKS];
    double minor[POSENC_MOST_MINOR_TICKS]; /* without text */
} posenc_ticks;

/* What an axis may span: numbers that a step between ticks still has room beside. */
#define POSENC_AXIS_MOST 1e300
#define POSENC_AXIS_LEAST 1e-290

/* Finds at most most ticks, 2..8 (two more where fewer would leave under four). The axis was checked: finite ends that
 * differ, within the limits above. whole: what is counted has no halves. */
void posenc_ticks_find(const posenc_axis *axis, int most, bool whole, posenc_ticks *out);

/* The pieces of it. ticks.c: at n * 10^e steps of 1, 2 or 5 times a power of ten. ticks_log.c: at powers of ten. */
void posenc_ticks_linear(double low, double high, int most, bool whole, posenc_ticks *out);
void posenc_ticks_logarithmic(double low, double high, int most, posenc_ticks *out);

/* ticks_text.c: writes the number digits * 10^exponent, exactly. powers: as 2 x 10^7, with the 7 raised. */
void posenc_ticks_text(int64_t digits, int exponent, bool powers, posenc_tick *out);

/* Whether numbers digits * 10^exponent are long enough in plain figures to be better read as powers. */
bool posenc_ticks_want_powers(int64_t digits, int exponent);

/* Where a value stands on an axis: 0 at its first end, 1 at its last. NaN where it has no place. */
typedef struct posenc_scale {
    double first, span;
    bool logarithmic;
} posenc_scale;

posenc_scale posenc_scale_of(const posenc_axis *axis);
double posenc_scale_at(const posenc_scale *scale, double value);

#endif
