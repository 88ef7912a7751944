/* Ticks of a linear axis: multiples of 1, 2 or 5 times a power of ten. A tick is kept as digits * 10^exponent, two
 * integers, from which both its value and its text come without noise. */
#include "report/ticks.h"

#include <math.h>

enum { FEWEST = 4, MORE = 2 };

/* digits * 10^exponent */
typedef struct step {
    int digits, exponent;
} step;

/* Powers of ten up to 10^22 are doubles, so that a product or quotient with one rounds once. */
static double scaled(double digits, int exponent) {
    return exponent < 0 ? digits / pow(10, -exponent) : digits * pow(10, exponent);
}

static double size_of(step s) { return scaled(s.digits, s.exponent); }

static step larger(step s) {
    static const int next[] = {[1] = 2, [2] = 5, [5] = 1};
    return (step){next[s.digits], s.exponent + (s.digits == 5)};
}

static step smaller(step s) {
    static const int next[] = {[1] = 5, [2] = 1, [5] = 2};
    return (step){next[s.digits], s.exponent - (s.digits == 1)};
}

/* Multiples of a step from the first to the last within low..high; an end that misses one by rounding only has it. */
typedef struct range {
    double first, last, count;
} range;

static range multiples(double low, double high, step s) {
    double size = size_of(s), slack = 1e-9 * fmin(1, (high - low) / size);
    range r = {ceil(low / size - slack), floor(high / size + slack), 0};
    r.count = r.last - r.first + 1;
    return r;
}

/* The smallest step that doubles near the ends can take, and that the counted things can. */
static step smallest(double low, double high, bool whole) {
    double grain = fmax(fabs(low), fabs(high)) * 0x1p-52, least = fmax(grain, (high - low) / 1000);
    const step one = {1, 0};
    step s = {1, (int)floor(log10(least))};
    while (size_of(s) < least) s = larger(s);
    return whole && s.exponent < 0 && multiples(low, high, one).count > 0 ? one : s;
}

/* The smallest step of at most most ticks; a smaller one if these were few. */
static step choose(double low, double high, int most, bool whole) {
    step least = smallest(low, high, whole), s = least;
    while (multiples(low, high, s).count > most) s = larger(s);
    bool can_be_smaller = size_of(s) > size_of(least);
    if (multiples(low, high, s).count < FEWEST && can_be_smaller &&
        multiples(low, high, smaller(s)).count <= most + MORE)
        s = smaller(s);
    return s;
}

void posenc_ticks_linear(double low, double high, int most, bool whole, posenc_ticks *out) {
    step s = choose(low, high, most, whole);
    range r = multiples(low, high, s);
    int64_t from = (int64_t)r.first, to = (int64_t)r.last, largest = from < 0 && -from > to ? from : to;
    bool powers = posenc_ticks_want_powers(largest * s.digits, s.exponent);
    /* Where the ends are a few doubles apart, multiples may lie beyond them, or on one another. */
    double slack = 1e-6 * (high - low);
    for (int64_t k = from; k <= to && out->n < POSENC_MOST_TICKS; k++) {
        posenc_tick *tick = &out->ticks[out->n];
        tick->value = scaled((double)(k * s.digits), s.exponent);
        if (tick->value < low - slack || tick->value > high + slack) continue;
        if (out->n > 0 && tick->value == tick[-1].value) continue;
        out->n++;
        posenc_ticks_text(k * s.digits, s.exponent, powers, tick);
    }
}

void posenc_ticks_find(const posenc_axis *axis, int most, bool whole, posenc_ticks *out) {
    double low = fmin(axis->first, axis->last), high = fmax(axis->first, axis->last);
    out->n = out->n_minor = 0;
    if (axis->logarithmic)
        posenc_ticks_logarithmic(low, high, most, out);
    else
        posenc_ticks_linear(low, high, most, whole, out);
}

posenc_scale posenc_scale_of(const posenc_axis *axis) {
    if (!axis->logarithmic) return (posenc_scale){axis->first, axis->last - axis->first, false};
    return (posenc_scale){log10(axis->first), log10(axis->last) - log10(axis->first), true};
}

double posenc_scale_at(const posenc_scale *scale, double value) {
    if (scale->logarithmic) value = value > 0 ? log10(value) : (double)NAN;
    return (value - scale->first) / scale->span;
}
