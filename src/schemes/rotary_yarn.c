/* YaRN, Peng et al. 2023: high frequencies stay, low ones are divided by factor, and in between a ramp over pairs:
 *     c(n)    = d ln(orig / (2 pi n)) / (2 ln theta)           the pair that makes n turns in orig positions
 *     low     = max(c(beta_fast), 0),  high = min(c(beta_slow), d - 1);  truncate: whole, outwards
 *     rho_i   = clip((i - low) / (high - low), 0, 1);  high = low: high += 0.001
 *     omega_i = theta^(-2i/d) (rho_i / factor + 1 - rho_i)
 *     A       = attention_factor, or g(factor, mscale) / g(factor, mscale_all_dim), or g(factor, 1)
 *     g(s, m) = 1 + m ln(s) / 10 for s > 1, else 1
 * Worked out in units of ln theta 2/d, in which pair i stands at u_i = 2i ln(theta)/d and c(n) at ln(orig/(2 pi n)):
 * so ends that are no whole pairs need no division. */
#include <math.h>

#include "base/error.h"
#include "phasor/float32.h"
#include "schemes/rotary_families.h"

static double real(const posenc_value *values, int parameter) { return values[parameter].real; }

/* ---- the door ---- */

static posenc_status check(const posenc_value *values, posenc_error *error) {
    double fast = real(values, POSENC_ROTARY_BETA_FAST), slow = real(values, POSENC_ROTARY_BETA_SLOW);
    posenc_status status = posenc_rotary_need_factor(values, "yarn", error);
    if (status == POSENC_OK) status = posenc_rotary_need_original(values, "yarn", error);
    if (status != POSENC_OK) return status;
    if (!(real(values, POSENC_ROTARY_BASE) > 1))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "base", "expected more than 1 for yarn, got %g",
                           real(values, POSENC_ROTARY_BASE));
    if (fast >= slow) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "beta-fast", "expected at least beta-slow %g, got %g", slow, fast);
}

/* ---- exact ---- */

/* The ramp in those units: from low to high, which need not be in order. */
typedef struct ramp {
    posenc_wide log_base, low, high;
    uint64_t d;
} ramp;

static posenc_wide place_of(const ramp *r, uint64_t pair) {
    return posenc_wide_times_ratio(&r->log_base, 2 * pair, r->d);
}

/* ln(orig / (2 pi n)), of either sign. */
static posenc_wide log_of_turns(const posenc_value *values, int beta) {
    posenc_wide orig = posenc_wide_signed_log((double)values[POSENC_ROTARY_ORIGINAL_LENGTH].integer);
    posenc_wide turns = posenc_wide_signed_log(real(values, beta));
    orig = posenc_wide_subtract(orig, &turns);
    return posenc_wide_subtract(orig, &posenc_wide_log_turn);
}

/* The place of the last whole pair at or below a place, or of the first at or above it; for places >= 0. Past all pairs
 * rounding changes nothing. */
static posenc_wide whole_place(const ramp *r, const posenc_wide *place, bool upwards) {
    double guess = posenc_wide_to_double(place) * (double)r->d / (2 * posenc_wide_to_double(&r->log_base));
    if (guess > 2 * (double)r->d) return *place;
    uint64_t pair = guess < 1 ? 0 : (uint64_t)guess;
    posenc_wide here = place_of(r, pair);
    while (posenc_wide_less(place, &here)) here = place_of(r, --pair);
    for (;;) {
        posenc_wide next = place_of(r, pair + 1);
        if (posenc_wide_less(place, &next)) break;
        here = next, pair++;
    }
    return upwards && posenc_wide_less(&here, place) ? place_of(r, pair + 1) : here;
}

/* An end rounded up to a whole pair; what stays below 0 stays as it is, since all pairs are kept then. */
static posenc_wide raised(const ramp *r, posenc_wide place) {
    posenc_wide step = place_of(r, 1), above = posenc_wide_add(place, &step);
    if (!posenc_wide_is_negative(&place)) return whole_place(r, &place, true);
    return posenc_wide_is_negative(&above) ? place : (posenc_wide){{0, 0, 0, 0}};
}

/* Clipping before or after rounding to whole pairs is the same. */
static ramp ramp_of(const posenc_rotary_series *series) {
    const posenc_value *values = series->values;
    ramp r = {.log_base = posenc_wide_signed_log(real(values, POSENC_ROTARY_BASE)), .d = 2 * series->n};
    bool whole = values[POSENC_ROTARY_TRUNCATE].integer != 0;
    posenc_wide last = place_of(&r, r.d - 1);
    r.low = log_of_turns(values, POSENC_ROTARY_BETA_FAST);
    r.high = log_of_turns(values, POSENC_ROTARY_BETA_SLOW);
    if (posenc_wide_is_negative(&r.low)) r.low = (posenc_wide){{0, 0, 0, 0}};
    if (whole) r.low = whole_place(&r, &r.low, false);
    if (whole) r.high = raised(&r, r.high);
    if (posenc_wide_less(&last, &r.high)) r.high = last;
    if (!posenc_wide_less(&r.low, &r.high) && !posenc_wide_less(&r.high, &r.low)) {
        posenc_wide step = posenc_wide_times_ratio(&r.log_base, 2, 1000 * r.d);
        r.high = posenc_wide_add(r.high, &step);
    }
    return r;
}

/* rho of pair i. Where high lies below low, both differences change their signs. */
static posenc_wide share_of(const ramp *r, uint64_t i) {
    posenc_wide place = place_of(r, i), along = posenc_wide_subtract(place, &r->low);
    posenc_wide whole = posenc_wide_subtract(r->high, &r->low);
    if (posenc_wide_is_negative(&whole)) whole = posenc_wide_negate(&whole), along = posenc_wide_negate(&along);
    if (posenc_wide_is_negative(&along)) return (posenc_wide){{0, 0, 0, 0}};
    return posenc_wide_ratio(&along, &whole);
}

static void exact(const posenc_rotary_series *series, posenc_wide *turns, posenc_rotary_counts *counts) {
    ramp r = ramp_of(series);
    posenc_rotary_plain_turns(series, turns);
    for (size_t i = 0; i < series->n; i++) {
        posenc_wide share = share_of(&r, i);
        turns[i] = posenc_rotary_blend(&turns[i], real(series->values, POSENC_ROTARY_FACTOR), &share, counts);
    }
}

/* ---- float32 ---- */

/* An end of the ramp in pairs, as code in double has it. */
static double pair_of(const posenc_rotary_series *series, int beta) {
    posenc_wide place = log_of_turns(series->values, beta);
    double log_base = posenc_wide_log(real(series->values, POSENC_ROTARY_BASE));
    return (double)(2 * series->n) * posenc_wide_to_double(&place) / (2 * log_base);
}

static void count(float share, posenc_rotary_counts *counts) {
    if (share <= 0)
        counts->kept++;
    else if (share >= 1)
        counts->divided++;
    else
        counts->blended++;
}

/* Each assignment rounds to float, where floats are computed in double too. */
static void float32(const posenc_rotary_series *series, float *inv_freq, posenc_rotary_counts *counts) {
    const posenc_value *values = series->values;
    size_t n = series->n;
    bool whole = values[POSENC_ROTARY_TRUNCATE].integer != 0;
    double low = pair_of(series, POSENC_ROTARY_BETA_FAST), high = pair_of(series, POSENC_ROTARY_BETA_SLOW);
    if (whole) low = floor(low), high = ceil(high);
    low = low > 0 ? low : 0;
    high = high < (double)(2 * n - 1) ? high : (double)(2 * n - 1);
    if (low == high) high += 0.001;
    float from = (float)low, over = (float)(high - low), factor = (float)real(values, POSENC_ROTARY_FACTOR);
    posenc_float32_powers(inv_freq, n, real(values, POSENC_ROTARY_BASE), 2, 2 * n);
    for (size_t i = 0; i < n; i++) {
        float kept = 1 / inv_freq[i], scaled = factor * inv_freq[i], share = (float)i - from;
        float divided = 1 / scaled;
        share = share / over;
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        count(share, counts);
        float rest = 1 - share, back = 1 - rest; /* code makes rho from 1 - rho */
        divided = divided * back;
        kept = kept * rest;
        inv_freq[i] = divided + kept;
    }
}

/* ---- the slow equation ---- */

static long double end_of(const posenc_rotary_series *series, int beta) {
    long double d = 2 * (long double)series->n, base = (long double)real(series->values, POSENC_ROTARY_BASE);
    long double orig = (long double)series->values[POSENC_ROTARY_ORIGINAL_LENGTH].integer;
    return d * logl(orig / (8 * atanl(1) * (long double)real(series->values, beta))) / (2 * logl(base));
}

static long double equation(const posenc_rotary_series *series, size_t i) {
    long double low = end_of(series, POSENC_ROTARY_BETA_FAST), high = end_of(series, POSENC_ROTARY_BETA_SLOW);
    if (series->values[POSENC_ROTARY_TRUNCATE].integer) low = floorl(low), high = ceill(high);
    low = fmaxl(low, 0);
    high = fminl(high, 2 * (long double)series->n - 1);
    if (low == high) high += 0.001L;
    long double rho = fminl(fmaxl(((long double)i - low) / (high - low), 0), 1);
    long double omega = posenc_rotary_plain_omega(series, i);
    return omega * rho / (long double)real(series->values, POSENC_ROTARY_FACTOR) + omega * (1 - rho);
}

/* ---- amplitude ---- */

/* g(s, m), rounded once. */
static double magnitude(double s, double m) {
    if (s <= 1) return 1;
    posenc_wide factor = posenc_wide_of_double(m), log = posenc_wide_signed_log(s);
    log = posenc_wide_multiply(&log, &factor);
    log = posenc_wide_times_ratio(&log, 1, 10);
    log = posenc_wide_add(log, &posenc_wide_one);
    return posenc_wide_to_double(&log);
}

static double amplitude(const posenc_value *values) {
    double given = real(values, POSENC_ROTARY_ATTENTION_FACTOR), factor = real(values, POSENC_ROTARY_FACTOR);
    double mscale = real(values, POSENC_ROTARY_MSCALE), all_dim = real(values, POSENC_ROTARY_MSCALE_ALL_DIM);
    if (given != 0) return given;
    if (mscale != 0 && all_dim != 0) return magnitude(factor, mscale) / magnitude(factor, all_dim);
    return magnitude(factor, 1);
}

static double softmax_factor(const posenc_value *values) {
    double all_dim = real(values, POSENC_ROTARY_MSCALE_ALL_DIM);
    double g = all_dim != 0 ? magnitude(real(values, POSENC_ROTARY_FACTOR), all_dim) : 1;
    return g * g;
}

const posenc_rotary_family posenc_rotary_yarn = {
    .name = "yarn",
    .check = check,
    .exact = exact,
    .float32 = float32,
    .equation = equation,
    .amplitude = amplitude,
    .softmax_factor = softmax_factor,
};
