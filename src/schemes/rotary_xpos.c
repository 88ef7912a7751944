/* xPos, Sun et al. 2022, "A length-extrapolatable transformer": powers of zeta_i = (2i + 0.4 d)/(1.4 d), which is
 * (10 i + 2 d)/(7 d), so a ratio of whole numbers. The logarithms are known to 106 bits; the exponential is the series
 * below, so the bits depend on no library. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "phasor/wide.h"
#include "schemes/rotary_parts.h"

/* ln of the largest f32: a power beyond it, or its inverse, is none. */
static const double most_exponent = 88.72283905206835;

posenc_status posenc_rotary_prepare_xpos(posenc_rotary *rotary, const posenc_context *context, posenc_error *error) {
    size_t bytes = 2 * rotary->pairs * sizeof(double);
    if (rotary->xpos_scale_base == 0) return POSENC_OK;
    double *logs = rotary->log_zeta = posenc_allocate(context, bytes);
    if (!logs) return posenc_fail_memory(error, "plan", bytes);
    rotary->bytes += bytes;
    posenc_wide whole = posenc_wide_signed_log(7 * (double)rotary->dim);
    for (size_t i = 0; i < rotary->pairs; i++) {
        posenc_wide part = posenc_wide_signed_log((double)(10 * i) + 2 * (double)rotary->dim);
        part = posenc_wide_subtract(whole, &part); /* -ln zeta, above 0 */
        posenc_words_to_pair(part.w, POSENC_WIDE_WORDS, &logs[i], &logs[rotary->pairs + i]);
        logs[i] = -ldexp(logs[i], 64);
        logs[rotary->pairs + i] = -ldexp(logs[rotary->pairs + i], 64);
    }
    return POSENC_OK;
}

/* 2^k for a normal result. */
static double power_of_two(int k) {
    uint64_t bits = (uint64_t)(1023 + k) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* e^(high + low) for abs(high) < 90: 2^k e^r with abs(r) <= ln(2)/2 + tiny; 1/n! from n = 13 down reaches 2^-58. */
static double exponential(double high, double low) {
    static const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45; /* 42 bits, the next 53 */
    double k = rint(high * 0x1.71547652b82fep+0);
    double r = (high - k * ln2_high), rest = low - k * ln2_low, sum = 0;
    r += rest; /* the part lost here is below 2^-54 */
    for (int n = 14; n >= 3; n--) sum = (sum + 1) * r / n;
    return ((sum + 1) * (r * r) / 2 + r + 1) * power_of_two((int)k);
}

/* a times b as a sum of two doubles, by halves (Dekker 1971). */
static double product(double a, double b, double *low) {
    double wide_a = a * 0x1p27 + a, wide_b = b * 0x1p27 + b;
    double a1 = wide_a - (wide_a - a), a2 = a - a1, b1 = wide_b - (wide_b - b), b2 = b - b1, high = a * b;
    *low = a2 * b2 - (((high - a1 * b1) - a2 * b1) - a1 * b2);
    return high;
}

posenc_status posenc_rotary_xpos(const posenc_rotary *rotary, double position, double *powers, posenc_error *error) {
    const double *logs = rotary->log_zeta, *lacks = logs + rotary->pairs;
    double n = (position - rotary->xpos_centre) / rotary->xpos_scale_base;
    if (!(fabs(n * logs[0]) < most_exponent))
        return posenc_fail(
            error, POSENC_ERROR_POSITION, "positions",
            "expected at most %.0f from xpos-centre %g, where the powers of xpos-scale-base %g leave the "
            "range of f32, got %.17g",
            floor(most_exponent / -logs[0] * rotary->xpos_scale_base), rotary->xpos_centre, rotary->xpos_scale_base,
            position);
    for (size_t i = 0; i < rotary->pairs; i++) {
        double low, high = product(n, logs[i], &low);
        powers[i] = exponential(high, low + n * lacks[i]);
    }
    return POSENC_OK;
}
