/* The rotary frequencies of one formula for all pairs, omega_i = theta^(-2i/d):
 *     default       omega_i                                                     Su et al. 2021, RoFormer
 *     linear        omega_i / factor                                            Chen et al. 2023, position
 * interpolation ntk           (theta s^(d/(d-2)))^(-2i/d) = omega_i s^(-2i/(d-2))         s = factor dynamic       the
 * same with s = 1 + factor (L - M)/M, L = max(length, M), M = original_length proportional  theta^(-2i/h)/factor for i
 * < floor(fraction h / 2), else 0, h = head_dim        Gemma 4 custom        the caller's own */
#include <math.h>

#include "base/error.h"
#include "phasor/float32.h"
#include "phasor/spectrum.h"
#include "schemes/rotary_families.h"

static double factor_of(const posenc_value *values) { return values[POSENC_ROTARY_FACTOR].real; }
static double base_of(const posenc_value *values) { return values[POSENC_ROTARY_BASE].real; }

/* ---- what families share ---- */

void posenc_rotary_plain_turns(const posenc_rotary_series *series, posenc_wide *turns) {
    posenc_spectrum_geometric(turns, series->n, base_of(series->values), 2, 2 * series->n);
}

long double posenc_rotary_plain_omega(const posenc_rotary_series *series, size_t i) {
    return powl((long double)base_of(series->values), -(long double)i / (long double)series->n);
}

void posenc_rotary_plain_float32(const posenc_rotary_series *series, float *inv_freq) {
    posenc_float32_frequencies(inv_freq, series->n, base_of(series->values), 2, 2 * series->n, false);
}

posenc_status posenc_rotary_need_factor(const posenc_value *values, const char *family, posenc_error *error) {
    if (factor_of(values) >= 1e-9) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "factor", "expected 1e-09..1e+09 for %s, got %g", family,
                       factor_of(values));
}

posenc_status posenc_rotary_need_original(const posenc_value *values, const char *family, posenc_error *error) {
    if (values[POSENC_ROTARY_ORIGINAL_LENGTH].integer > 0) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "original-length", "expected a length for %s, got none", family);
}

static void divide_all(posenc_wide *turns, size_t n, double divisor) {
    for (size_t i = 0; i < n && divisor != 1; i++) turns[i] = posenc_wide_divide(&turns[i], divisor);
}

/* Assigned, so that it is rounded where floats are computed in double. */
static void divide_floats(float *inv_freq, size_t n, double divisor) {
    for (size_t i = 0; i < n; i++) inv_freq[i] = inv_freq[i] / (float)divisor;
}

/* ---- default ---- */

static posenc_status check_default(const posenc_value *values, posenc_error *error) {
    if (factor_of(values) == 1) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "factor", "expected 1 where the scaling has none, got %g",
                       factor_of(values));
}

static void default_exact(const posenc_rotary_series *series, posenc_wide *turns, posenc_rotary_counts *counts) {
    (void)counts;
    posenc_rotary_plain_turns(series, turns);
}

static void default_float32(const posenc_rotary_series *series, float *inv_freq, posenc_rotary_counts *counts) {
    (void)counts;
    posenc_rotary_plain_float32(series, inv_freq);
}

const posenc_rotary_family posenc_rotary_default_family = {
    .name = "default",
    .check = check_default,
    .exact = default_exact,
    .float32 = default_float32,
    .equation = posenc_rotary_plain_omega,
};

/* ---- linear ---- */

static posenc_status check_linear(const posenc_value *values, posenc_error *error) {
    return posenc_rotary_need_factor(values, "linear", error);
}

static void linear_exact(const posenc_rotary_series *series, posenc_wide *turns, posenc_rotary_counts *counts) {
    (void)counts;
    posenc_rotary_plain_turns(series, turns);
    divide_all(turns, series->n, factor_of(series->values));
}

static void linear_float32(const posenc_rotary_series *series, float *inv_freq, posenc_rotary_counts *counts) {
    (void)counts;
    posenc_rotary_plain_float32(series, inv_freq);
    divide_floats(inv_freq, series->n, factor_of(series->values));
}

static long double linear_equation(const posenc_rotary_series *series, size_t i) {
    return posenc_rotary_plain_omega(series, i) / (long double)factor_of(series->values);
}

const posenc_rotary_family posenc_rotary_linear = {
    .name = "linear",
    .check = check_linear,
    .exact = linear_exact,
    .float32 = linear_float32,
    .equation = linear_equation,
};

/* ---- proportional ---- */

static posenc_status check_proportional(const posenc_value *values, posenc_error *error) {
    int64_t head = posenc_rotary_head_dim_of(values), dim = posenc_rotary_dim_of(values);
    if (dim != head)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "dim",
                           "expected the whole head of %lld for proportional, got %lld", (long long)head,
                           (long long)dim);
    if (values[POSENC_ROTARY_AXES].integer == POSENC_AXES_AXIAL)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "pair-axes",
                           "expected one series of frequencies for proportional, got axial");
    return posenc_rotary_need_factor(values, "proportional", error);
}

/* Pairs that turn: the product in double, as code has it. */
static size_t turning_pairs(const posenc_rotary_series *series) {
    double share = series->values[POSENC_ROTARY_FRACTION].real * (double)(2 * series->n);
    size_t n = (size_t)floor(share / 2);
    return n < series->n ? n : series->n;
}

static void proportional_exact(const posenc_rotary_series *series, posenc_wide *turns, posenc_rotary_counts *counts) {
    (void)counts;
    size_t n = turning_pairs(series);
    posenc_spectrum_geometric(turns, n, base_of(series->values), 2, 2 * series->n);
    divide_all(turns, n, factor_of(series->values));
    for (size_t i = n; i < series->n; i++) turns[i] = (posenc_wide){{0, 0, 0, 0}};
}

static void proportional_float32(const posenc_rotary_series *series, float *inv_freq, posenc_rotary_counts *counts) {
    (void)counts;
    size_t n = turning_pairs(series);
    posenc_float32_frequencies(inv_freq, n, base_of(series->values), 2, 2 * series->n, false);
    for (size_t i = n; i < series->n; i++) inv_freq[i] = 0;
    divide_floats(inv_freq, n, factor_of(series->values));
}

static long double proportional_equation(const posenc_rotary_series *series, size_t i) {
    return i < turning_pairs(series) ? linear_equation(series, i) : 0;
}

const posenc_rotary_family posenc_rotary_proportional = {
    .name = "proportional",
    .check = check_proportional,
    .exact = proportional_exact,
    .float32 = proportional_float32,
    .equation = proportional_equation,
};

/* ---- custom ---- */

static const double *own_of(const posenc_rotary_series *series) {
    return series->values[POSENC_ROTARY_INV_FREQ].list.reals + series->first;
}

static posenc_status check_custom(const posenc_value *values, posenc_error *error) {
    size_t pairs = (size_t)posenc_rotary_dim_of(values) / 2, n = values[POSENC_ROTARY_INV_FREQ].list.n;
    if (n == pairs) return check_default(values, error);
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "inv-freq", "expected %zu numbers, one a pair, got %zu", pairs, n);
}

static void custom_exact(const posenc_rotary_series *series, posenc_wide *turns, posenc_rotary_counts *counts) {
    (void)counts;
    posenc_spectrum_radians(turns, series->n, own_of(series));
}

static void custom_float32(const posenc_rotary_series *series, float *inv_freq, posenc_rotary_counts *counts) {
    (void)counts;
    for (size_t i = 0; i < series->n; i++) inv_freq[i] = (float)own_of(series)[i];
}

static long double custom_equation(const posenc_rotary_series *series, size_t i) {
    return (long double)own_of(series)[i];
}

static double custom_amplitude(const posenc_value *values) { return values[POSENC_ROTARY_AMPLITUDE].real; }

const posenc_rotary_family posenc_rotary_custom = {
    .name = "custom",
    .check = check_custom,
    .exact = custom_exact,
    .float32 = custom_float32,
    .equation = custom_equation,
    .amplitude = custom_amplitude,
};
