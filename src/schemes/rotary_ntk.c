/* The rotary families that change the base, so that the first frequency stays and the last is divided by s:
 *     omega_i = (theta s^(d/(d-2)))^(-2i/d) = theta^(-2i/d) s^(-2i/(d-2))
 *     ntk      s = factor
 *     dynamic  s = factor L/M - (factor - 1) = 1 + factor (L - M)/M,  L = max(length, M), M = original_length
 * The right-hand form has no exponent above 1 and no large base. */
#include <math.h>

#include "base/error.h"
#include "phasor/float32.h"
#include "phasor/spectrum.h"
#include "schemes/rotary_families.h"

static double factor_of(const posenc_value *values) { return values[POSENC_ROTARY_FACTOR].real; }
static double base_of(const posenc_value *values) { return values[POSENC_ROTARY_BASE].real; }
static int64_t original_of(const posenc_value *values) { return values[POSENC_ROTARY_ORIGINAL_LENGTH].integer; }

/* ---- ntk ---- */

static posenc_status check_width(const posenc_value *values, const char *family, posenc_error *error) {
    if (posenc_rotary_dim_of(values) >= 4) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "dim", "expected at least 4 for %s, got %lld", family,
                       (long long)posenc_rotary_dim_of(values));
}

/* theta s^(d/(d-2)), with the largest exponent that there is, is a base that powers are made of. */
static bool base_is_far(const posenc_value *values, double s) {
    double base = base_of(values) * s * s;
    return !(base >= 0x1p-40 && base <= 0x1p120);
}

static posenc_status check_ntk(const posenc_value *values, posenc_error *error) {
    posenc_status status = posenc_rotary_need_factor(values, "ntk", error);
    if (status == POSENC_OK) status = check_width(values, "ntk", error);
    if (status != POSENC_OK || !base_is_far(values, factor_of(values))) return status;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "factor", "expected base factor^2 from 2^-40 to 2^120, got %g",
                       base_of(values) * factor_of(values) * factor_of(values));
}

static void ntk_exact(const posenc_rotary_series *series, posenc_wide *turns, posenc_rotary_counts *counts) {
    (void)counts;
    posenc_wide ratio = posenc_wide_one;
    if (series->n > 1) {
        posenc_wide stretch = posenc_wide_power(factor_of(series->values), 1, series->n - 1);
        ratio = posenc_wide_power(base_of(series->values), 1, series->n);
        ratio = posenc_wide_multiply(&ratio, &stretch);
    }
    posenc_spectrum_powers(turns, series->n, &ratio);
}

/* theta s^(d/(d-2)) in double, as code has it. */
static void changed_base_float32(const posenc_rotary_series *series, double s, float *inv_freq) {
    size_t n = series->n;
    double base = base_of(series->values);
    if (n > 1) {
        posenc_wide growth = posenc_wide_growth(s, 1, n - 1);
        base *= s * posenc_wide_to_double(&growth);
    }
    posenc_float32_frequencies(inv_freq, n, base, 2, 2 * n, false);
}

static void ntk_float32(const posenc_rotary_series *series, float *inv_freq, posenc_rotary_counts *counts) {
    (void)counts;
    changed_base_float32(series, factor_of(series->values), inv_freq);
}

static long double changed_base_omega(const posenc_rotary_series *series, long double s, size_t i) {
    long double n = (long double)series->n, base = (long double)base_of(series->values);
    if (series->n > 1) base *= powl(s, n / (n - 1));
    return powl(base, -(long double)i / n);
}

static long double ntk_equation(const posenc_rotary_series *series, size_t i) {
    return changed_base_omega(series, (long double)factor_of(series->values), i);
}

const posenc_rotary_family posenc_rotary_ntk = {
    .name = "ntk",
    .check = check_ntk,
    .exact = ntk_exact,
    .float32 = ntk_float32,
    .equation = ntk_equation,
};

/* ---- dynamic ---- */

/* Tokens past M; 0 for shorter sequences. */
static int64_t excess(const posenc_value *values, int64_t length) {
    return length > original_of(values) ? length - original_of(values) : 0;
}

static posenc_status check_dynamic_length(const posenc_value *values, int64_t length, posenc_error *error) {
    double grown = factor_of(values) * (double)excess(values, length), s = 1 + grown / (double)original_of(values);
    if (grown < 0x1p62 && !base_is_far(values, s)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "length",
                       "expected factor %g times the length below 2^62, and a base below 2^120, got %lld",
                       factor_of(values), (long long)length);
}

static posenc_status check_dynamic(const posenc_value *values, posenc_error *error) {
    posenc_status status = posenc_rotary_need_factor(values, "dynamic", error);
    if (status == POSENC_OK) status = posenc_rotary_need_original(values, "dynamic", error);
    return status == POSENC_OK ? check_width(values, "dynamic", error) : status;
}

static void dynamic_exact(const posenc_rotary_series *series, posenc_wide *turns, posenc_rotary_counts *counts) {
    (void)counts;
    int64_t past = excess(series->values, series->length);
    if (past == 0 || series->n == 1) {
        posenc_rotary_plain_turns(series, turns);
        return;
    }
    posenc_wide factor = posenc_wide_of_double(factor_of(series->values));
    posenc_wide s = posenc_wide_times_ratio(&factor, (uint64_t)past, (uint64_t)original_of(series->values));
    s = posenc_wide_add(s, &posenc_wide_one);
    posenc_wide stretch = posenc_wide_power_of_wide(&s, 1, series->n - 1);
    posenc_wide ratio = posenc_wide_power(base_of(series->values), 1, series->n);
    ratio = posenc_wide_multiply(&ratio, &stretch);
    posenc_spectrum_powers(turns, series->n, &ratio);
}

static void dynamic_float32(const posenc_rotary_series *series, float *inv_freq, posenc_rotary_counts *counts) {
    (void)counts;
    int64_t past = excess(series->values, series->length);
    double factor = factor_of(series->values), original = (double)original_of(series->values);
    if (past == 0) {
        posenc_rotary_plain_float32(series, inv_freq);
        return;
    }
    double stretched = factor * (double)series->length; /* step by step, as written in code */
    stretched = stretched / original;
    changed_base_float32(series, stretched - (factor - 1), inv_freq);
}

static long double dynamic_equation(const posenc_rotary_series *series, size_t i) {
    long double factor = (long double)factor_of(series->values), m = (long double)original_of(series->values);
    long double past = (long double)excess(series->values, series->length);
    return changed_base_omega(series, 1 + factor * past / m, i); /* factor L/M - (factor - 1) without a loss */
}

static bool dynamic_same_length(const posenc_value *values, int64_t a, int64_t b) {
    return excess(values, a) == excess(values, b);
}

const posenc_rotary_family posenc_rotary_dynamic = {
    .name = "dynamic",
    .check = check_dynamic,
    .exact = dynamic_exact,
    .float32 = dynamic_float32,
    .equation = dynamic_equation,
    .same_length = dynamic_same_length,
    .check_length = check_dynamic_length,
};
