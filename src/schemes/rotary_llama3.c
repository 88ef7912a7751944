/* The scaling of Llama 3.1, by wavelength lambda = 2 pi / omega, so that orig / lambda is the number of turns that a
 * pair makes in orig positions:
 *     orig/lambda < low    omega / factor
 *     orig/lambda > high   omega
 *     else                 omega ((1 - s)/factor + s),  s = (orig/lambda - low) / (high - low)
 * low = high (Llama 4) leaves nothing between.
 * A frequency in turns per position is 1/lambda, so pi takes no part. */
#include <math.h>

#include "base/error.h"
#include "phasor/float32.h"
#include "schemes/rotary_families.h"

static double low_of(const posenc_value *values) { return values[POSENC_ROTARY_LOW_FREQ_FACTOR].real; }
static double high_of(const posenc_value *values) { return values[POSENC_ROTARY_HIGH_FREQ_FACTOR].real; }
static double factor_of(const posenc_value *values) { return values[POSENC_ROTARY_FACTOR].real; }
static int64_t original_of(const posenc_value *values) { return values[POSENC_ROTARY_ORIGINAL_LENGTH].integer; }

static posenc_status check(const posenc_value *values, posenc_error *error) {
    int64_t most = values[POSENC_ROTARY_MAX_POSITION_EMBEDDINGS].integer;
    posenc_status status = posenc_rotary_need_factor(values, "llama3", error);
    if (status == POSENC_OK) status = posenc_rotary_need_original(values, "llama3", error);
    if (status != POSENC_OK) return status;
    if (most > 0 && original_of(values) >= most)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "original-length",
                           "expected less than max-position-embeddings %lld for llama3, got %lld", (long long)most,
                           (long long)original_of(values));
    if (high_of(values) >= low_of(values)) return POSENC_OK; /* equal, as in Llama 4: nothing is blended */
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "high-freq-factor", "expected at least low-freq-factor %g, got %g",
                       low_of(values), high_of(values));
}

static void exact(const posenc_rotary_series *series, posenc_wide *turns, posenc_rotary_counts *counts) {
    const posenc_value *values = series->values;
    posenc_wide low = posenc_wide_of_double(low_of(values)), high = posenc_wide_of_double(high_of(values));
    posenc_wide span = posenc_wide_subtract(high, &low);
    posenc_rotary_plain_turns(series, turns);
    for (size_t i = 0; i < series->n; i++) {
        posenc_wide made = posenc_wide_times_ratio(&turns[i], (uint64_t)original_of(values), 1);
        posenc_wide missing = posenc_wide_subtract(high, &made), share = {{0, 0, 0, 0}};
        if (!posenc_wide_is_negative(&missing)) share = posenc_wide_ratio(&missing, &span);
        turns[i] = posenc_rotary_blend(&turns[i], factor_of(values), &share, counts);
    }
}

/* Code's steps; a number over a tensor is there the tensor's reciprocal times the number. Each assignment rounds to
 * float, where floats are computed in double too. */
static float blend(float inv_freq, float wavelength, const posenc_value *values) {
    float factor = (float)factor_of(values), low = (float)low_of(values);
    float made = 1 / wavelength, span = (float)(high_of(values) - low_of(values));
    made = made * (float)original_of(values);
    float smooth = made - low;
    smooth = smooth / span;
    float rest = 1 - smooth;
    float divided = rest * inv_freq;
    divided = divided / factor;
    float kept = smooth * inv_freq;
    return divided + kept;
}

static void float32(const posenc_rotary_series *series, float *inv_freq, posenc_rotary_counts *counts) {
    const posenc_value *values = series->values;
    double original = (double)original_of(values);
    float longest = (float)(original / low_of(values)), shortest = (float)(original / high_of(values));
    posenc_rotary_plain_float32(series, inv_freq);
    for (size_t i = 0; i < series->n; i++) {
        float wavelength = 1 / inv_freq[i];
        wavelength = wavelength * 0x1.921fb6p+2f;
        if (wavelength > longest) {
            inv_freq[i] = inv_freq[i] / (float)factor_of(values);
            counts->divided++;
        } else if (wavelength < shortest || longest == shortest) {
            counts->kept++;
        } else {
            inv_freq[i] = blend(inv_freq[i], wavelength, values);
            counts->blended++;
        }
    }
}

static long double equation(const posenc_rotary_series *series, size_t i) {
    const posenc_value *values = series->values;
    long double omega = posenc_rotary_plain_omega(series, i), wavelength = 8 * atanl(1) / omega;
    long double made = (long double)original_of(values) / wavelength, factor = (long double)factor_of(values);
    long double low = (long double)low_of(values), high = (long double)high_of(values);
    if (made < low) return omega / factor;
    if (made >= high) return omega;
    long double smooth = (made - low) / (high - low);
    return omega * ((1 - smooth) / factor + smooth);
}

const posenc_rotary_family posenc_rotary_llama3 = {
    .name = "llama3",
    .check = check,
    .exact = exact,
    .float32 = float32,
    .equation = equation,
};
