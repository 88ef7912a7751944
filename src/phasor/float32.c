#include "phasor/float32.h"

#include <math.h>
#include <string.h>

#include "phasor/digits.h"
#include "phasor/wide.h"

/* high + low, abs(low) at most half an ulp of high, rounded once to float: an even high moves to its odd neighbour on
 * low's side first, so that the second rounding sees on which side of a tie the sum lies. */
static float round_pair(double high, double low) {
    uint64_t bits;
    memcpy(&bits, &high, sizeof bits);
    if (low != 0 && high != 0 && !(bits & 1)) bits += (low > 0) == (high > 0) ? 1 : (uint64_t)-1;
    memcpy(&high, &bits, sizeof bits);
    return (float)high;
}

static float round_wide(const posenc_wide *a) {
    double high, low;
    posenc_words_to_pair(a->w, POSENC_WIDE_WORDS, &high, &low);
    return round_pair(ldexp(high, 64), ldexp(low, 64));
}

/* 1 / a, rounded once. */
static float round_reciprocal(const posenc_wide *a) {
    double high, low;
    posenc_words_to_pair(a->w, POSENC_WIDE_WORDS, &high, &low);
    high = ldexp(high, 64), low = ldexp(low, 64);
    double q = 1 / high, rest = fma(-q, low, fma(-q, high, 1)) * q;
    return round_pair(q + rest, rest - ((q + rest) - q));
}

/* base^exponent for a float exponent in [0, 1]: exponent = m / 2^k exactly, and base^-(m / 2^k) is known widely. */
static float power(double base, float exponent) {
    int k;
    if (exponent == 0) return 1;
    uint64_t m = (uint64_t)ldexp(frexp((double)exponent, &k), 24);
    posenc_wide inverse = posenc_wide_power(base, m, (uint64_t)1 << (24 - k));
    return round_reciprocal(&inverse);
}

void posenc_float32_powers(float *powers, size_t n, double base, uint64_t step, uint64_t denominator) {
    for (size_t i = 0; i < n; i++) {
        float numerator = (float)(step * i);
        powers[i] = power((double)(float)base, numerator / (float)denominator);
    }
}

void posenc_float32_frequencies(float *inv_freq, size_t n, double base, uint64_t step, uint64_t denominator,
                                bool by_exp) {
    if (!by_exp) {
        posenc_float32_powers(inv_freq, n, base, step, denominator);
        for (size_t i = 0; i < n; i++) inv_freq[i] = 1 / inv_freq[i];
        return;
    }
    float rate = (float)(-posenc_wide_log(base) / (double)denominator);
    for (size_t i = 0; i < n; i++) {
        float exponent = (float)(step * i) * rate; /* assigned, so that it is rounded where floats are doubles */
        posenc_wide value = posenc_wide_exp((double)exponent);
        inv_freq[i] = round_wide(&value);
    }
}

void posenc_float32_timestep_frequencies(float *inv_freq, size_t n, double base, double span) {
    float rate = (float)-posenc_wide_log(base);
    for (size_t i = 0; i < n; i++) {
        float exponent = rate * (float)i; /* assigned step by step, as above */
        exponent = exponent / (float)span;
        posenc_wide value = posenc_wide_exp((double)exponent);
        inv_freq[i] = round_wide(&value);
    }
}

void posenc_float32_phasors(const posenc_kernels *kernels, const float *inv_freq, size_t n, float position,
                            float factor, float *sines, float *cosines, float *angles, double *work) {
    size_t p = posenc_padded_pairs(n);
    for (size_t i = 0; i < n; i++) angles[i] = position * inv_freq[i];
    for (size_t i = 0; i < n; i++) angles[i] = angles[i] * factor;
    posenc_angle_phasors(kernels, angles, n, work);
    for (size_t i = 0; i < n; i++) {
        sines[i] = round_pair(work[i], work[2 * p + i]);
        cosines[i] = round_pair(work[p + i], work[3 * p + i]);
    }
}
