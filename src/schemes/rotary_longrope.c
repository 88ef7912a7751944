/* LongRoPE, Ding et al. 2024 (also called su): each pair has a divisor of its own, another one for long sequences.
 *     omega_i = 1 / (e_i theta^(2i/d)),  e = long_factor where length > orig, else short_factor
 *     A       = attention_factor, or 1 for factor <= 1, else sqrt(1 + ln(factor) / ln(orig))
 *     factor  = where none is given, max_position_embeddings / orig */
#include <math.h>

#include "base/error.h"
#include "phasor/float32.h"
#include "schemes/rotary_families.h"

static int64_t original_of(const posenc_value *values) { return values[POSENC_ROTARY_ORIGINAL_LENGTH].integer; }
static int64_t most_of(const posenc_value *values) { return values[POSENC_ROTARY_MAX_POSITION_EMBEDDINGS].integer; }

static posenc_status check_list(const posenc_value *values, int parameter, const char *name, posenc_error *error) {
    size_t pairs = (size_t)posenc_rotary_dim_of(values) / 2, n = values[parameter].list.n;
    if (n == pairs) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected %zu numbers, one a pair, got %zu", pairs, n);
}

static posenc_status check(const posenc_value *values, posenc_error *error) {
    posenc_status status = posenc_rotary_need_original(values, "longrope", error);
    if (status == POSENC_OK) status = check_list(values, POSENC_ROTARY_SHORT_FACTOR, "short-factor", error);
    if (status == POSENC_OK) status = check_list(values, POSENC_ROTARY_LONG_FACTOR, "long-factor", error);
    if (status != POSENC_OK) return status;
    if (original_of(values) < 2)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "original-length",
                           "expected at least 2 for longrope, got %lld", (long long)original_of(values));
    if (most_of(values) > 0 && original_of(values) > most_of(values))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "original-length",
                           "expected at most max-position-embeddings %lld for longrope, got %lld",
                           (long long)most_of(values), (long long)original_of(values));
    if (values[POSENC_ROTARY_FACTOR].real > 0 || values[POSENC_ROTARY_ATTENTION_FACTOR].real > 0 || most_of(values) > 0)
        return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "factor",
                       "expected factor, attention-factor or max-position-embeddings for longrope, got none");
}

static const double *divisors_of(const posenc_rotary_series *series) {
    bool is_long = series->length > original_of(series->values);
    int parameter = is_long ? POSENC_ROTARY_LONG_FACTOR : POSENC_ROTARY_SHORT_FACTOR;
    return series->values[parameter].list.reals + series->first;
}

static void exact(const posenc_rotary_series *series, posenc_wide *turns, posenc_rotary_counts *counts) {
    (void)counts;
    const double *divisors = divisors_of(series);
    posenc_rotary_plain_turns(series, turns);
    for (size_t i = 0; i < series->n; i++) turns[i] = posenc_wide_divide(&turns[i], divisors[i]);
}

/* The product is assigned, so that it is rounded where floats are computed in double. */
static void float32(const posenc_rotary_series *series, float *inv_freq, posenc_rotary_counts *counts) {
    (void)counts;
    const double *divisors = divisors_of(series);
    posenc_float32_powers(inv_freq, series->n, series->values[POSENC_ROTARY_BASE].real, 2, 2 * series->n);
    for (size_t i = 0; i < series->n; i++) {
        float product = (float)divisors[i] * inv_freq[i];
        inv_freq[i] = 1 / product;
    }
}

static long double equation(const posenc_rotary_series *series, size_t i) {
    return posenc_rotary_plain_omega(series, i) / (long double)divisors_of(series)[i];
}

static double amplitude(const posenc_value *values) {
    double given = values[POSENC_ROTARY_ATTENTION_FACTOR].real, factor = values[POSENC_ROTARY_FACTOR].real;
    if (given != 0) return given;
    if (factor == 0) factor = (double)most_of(values) / (double)original_of(values);
    if (factor <= 1) return 1;
    return sqrt(1 + posenc_wide_log(factor) / posenc_wide_log((double)original_of(values)));
}

static bool same_length(const posenc_value *values, int64_t a, int64_t b) {
    return (a > original_of(values)) == (b > original_of(values));
}

const posenc_rotary_family posenc_rotary_longrope = {
    .name = "longrope",
    .check = check,
    .exact = exact,
    .float32 = float32,
    .equation = equation,
    .amplitude = amplitude,
    .same_length = same_length,
};
