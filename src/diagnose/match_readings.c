/* From a decay to bases. A base is the number that someone typed, so a short one within the uncertainty is the base,
 * unless so short a one would be found there by chance. Halves and tensor2tensor explain every table of each other with
 * another base: the shorter one tells. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "diagnose/match_parts.h"

enum { MOST_DIGITS = 9, UNKNOWN = 100 };

static const double least_base = 1e-6, most_base = 1e30, usual_base = 10000;

/* value rounded to so many significant digits; *mantissa: 1..10. */
static double rounded(double value, int digits, double *mantissa) {
    int power = (int)floor(log10(value));
    long double scaled = (long double)value * powl(10, (long double)(digits - 1 - power));
    int64_t whole = (int64_t)roundl(scaled);
    char text[48];
    double result = value;
    snprintf(text, sizeof text, "%" PRId64 "e%d", whole, power - digits + 1);
    posenc_parse_f64(text, &result);
    *mantissa = (double)whole * pow(10, 1 - digits);
    return result;
}

/* The shortest number within a relative distance, if its length is no accident: of the numbers with so many digits,
 * no more than the chance falls into such an interval. One or two digits are common enough to be believed at five times
 * that chance. Returns how many digits; 0: there is none. */
static int shortest(double value, double distance, double chance, double *result) {
    for (int digits = 1; digits <= MOST_DIGITS; digits++) {
        double mantissa, candidate = rounded(value, digits, &mantissa);
        double expected = mantissa * pow(10, digits - 1) * 2 * distance;
        if (expected > (digits <= 2 ? 5 * chance : chance)) return 0;
        if (fabs(candidate / value - 1) > distance) continue;
        *result = candidate;
        return digits;
    }
    return 0;
}

/* float32 code computes the base's logarithm, or the exponents, to 2^-24: the fitted base is off by as much as that is
 * worth. A scatter far below float32's says that no such code was here. */
static double float32_distance(const posenc_decay *decay, double log_base) {
    return (fabs(log_base) + 4) * 0x1p-24 * fmin(1, decay->scatter * 0x1p26);
}

/* The base of a layout as a short number; false: none is near. */
static bool read_short(posenc_reading *r, const posenc_decay *decay, double rungs) {
    double log_base = decay->value * rungs, fitted = exp(log_base);
    double narrow = 4 * decay->error * rungs, slack = float32_distance(decay, log_base), wide = narrow + slack;
    r->base_is_known = 1;
    if (!(log_base > log(least_base) - 1 && log_base < log(most_base) + 1)) return false;
    if (fabs(log_base - log(usual_base)) <= wide) {
        r->base = usual_base;
        r->base_is_known = wide < 0.5;
        r->digits = 0;
        return true;
    }
    r->digits = shortest(fitted, narrow, 0.01, &r->base);
    if (r->digits == 0 && slack > narrow) r->digits = shortest(fitted, wide, 0.05, &r->base);
    return r->digits > 0 && r->base >= least_base && r->base <= most_base;
}

/* The base as it comes; false: outside what a plan takes, by more than its own uncertainty. */
static bool read_fitted(posenc_reading *r, const posenc_decay *decay, double rungs) {
    double log_base = decay->value * rungs, distance = 4 * decay->error * rungs;
    if (!(log_base >= log(least_base) - distance && log_base <= log(most_base) + distance)) return false;
    r->base = fmin(fmax(exp(log_base), least_base), most_base);
    r->base_is_known = 0;
    r->fitted = true;
    r->digits = UNKNOWN;
    return true;
}

/* Any base will do, or any that is so large that nothing but frequency 0 moves: but one column of zeros is rather the
 * last one of an odd planar row. */
static int read_nothing(const posenc_columns *columns, const posenc_reading *plain, posenc_layout steepest,
                        posenc_reading *readings) {
    readings[0] = readings[1] = *plain;
    readings[0].base = usual_base;
    readings[1].base = most_base;
    readings[1].layout = steepest;
    return columns->pairs == 1 && !columns->cos_first ? 1 : 2;
}

/* The fewest digits first; of equals, the first stays first. */
static void sort(posenc_reading *readings, int n) {
    for (int k = 1; k < n; k++)
        for (int j = k; j > 0 && readings[j].digits < readings[j - 1].digits; j--) {
            posenc_reading swap = readings[j];
            readings[j] = readings[j - 1];
            readings[j - 1] = swap;
        }
}

int posenc_match_readings(const posenc_columns *columns, int start, const posenc_decay *decay,
                          posenc_reading readings[POSENC_MATCH_READINGS]) {
    posenc_layout first = columns->planar ? POSENC_LAYOUT_HALVES : POSENC_LAYOUT_INTERLEAVED;
    posenc_layout last = columns->planar ? POSENC_LAYOUT_TENSOR2TENSOR : POSENC_LAYOUT_INTERLEAVED;
    posenc_reading plain = {.layout = first, .cos_first = columns->cos_first, .start = start};
    int n = 0;
    if (!decay->seen) return read_nothing(columns, &plain, last, readings);
    bool is_fitted = false; /* one fitted base is enough, in the first layout that can have it */
    for (int layout = first; layout <= (int)last; layout++) {
        double rungs = posenc_layout_rungs((posenc_layout)layout, columns->dim);
        plain.layout = (posenc_layout)layout;
        readings[n] = plain;
        n += read_short(&readings[n], decay, rungs);
        readings[n] = plain;
        if (!is_fitted) n += is_fitted = read_fitted(&readings[n], decay, rungs);
    }
    sort(readings, n);
    return n;
}
