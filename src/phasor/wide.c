#include "phasor/wide.h"

#include <math.h>
#include <string.h>

/* floor(2^192 x + 1/2) for x = 1 / (2 pi), 2 pi, ln(2 pi) and ln 2, from 400-bit arithmetic. */
const posenc_wide posenc_wide_inverse_turn = {{0x36D8A5664F10E410u, 0x7F09D5F47D4D3770u, 0x28BE60DB9391054Au, 0}};
const posenc_wide posenc_wide_turn = {{0x48127044533E63A0u, 0x2633145C06E0E689u, 0x487ED5110B4611A6u, 6}};
const posenc_wide posenc_wide_log_turn = {{0x9F611F1A268B169Cu, 0x2979200288324047u, 0xD67F1C864BEB4A69u, 1}};
const posenc_wide posenc_wide_one = {{0, 0, 0, 1}};
static const posenc_wide ln2 = {{0x40F343267298B62Eu, 0xC9E3B39803F2F6AFu, 0xB17217F7D1CF79ABu, 0}};

#ifdef __SIZEOF_INT128__
/* (high, low) / divisor for high < divisor. */
static uint64_t divide_words(uint64_t high, uint64_t low, uint64_t divisor, uint64_t *remainder) {
    posenc_two_words dividend = (posenc_two_words)high << 64 | low;
    *remainder = (uint64_t)(dividend % divisor);
    return (uint64_t)(dividend / divisor);
}
#else
/* Bit by bit: used only where a machine has no 128-bit type, and only while a plan is made. */
static uint64_t divide_words(uint64_t high, uint64_t low, uint64_t divisor, uint64_t *remainder) {
    uint64_t quotient = 0;
    for (int bit = 63; bit >= 0; bit--) {
        bool carry = high >> 63;
        high = high << 1 | (low >> bit & 1);
        quotient <<= 1;
        if (carry || high >= divisor) {
            high -= divisor;
            quotient |= 1;
        }
    }
    *remainder = high;
    return quotient;
}
#endif

/* row[0..n] += a * b[0..n-1], where row has n + 1 words here. */
static void multiply_add(uint64_t *row, uint64_t a, const uint64_t *b, int n) {
    uint64_t carry = 0;
    for (int j = 0; j < n; j++) {
        uint64_t low, high = posenc_multiply_words(a, b[j], &low);
        low += carry;
        high += low < carry;
        row[j] += low;
        carry = high + (row[j] < low);
    }
    row[n] += carry;
}

posenc_wide posenc_wide_multiply(const posenc_wide *a, const posenc_wide *b) {
    uint64_t product[2 * POSENC_WIDE_WORDS] = {0};
    for (int i = 0; i < POSENC_WIDE_WORDS; i++)
        if (a->w[i]) multiply_add(product + i, a->w[i], b->w, POSENC_WIDE_WORDS);
    posenc_wide out;
    memcpy(out.w, product + 3, sizeof out.w);
    return out;
}

posenc_wide posenc_wide_add(posenc_wide a, const posenc_wide *b) {
    uint64_t carry = 0;
    for (int i = 0; i < POSENC_WIDE_WORDS; i++) {
        uint64_t sum = a.w[i] + b->w[i];
        uint64_t over = sum < b->w[i];
        a.w[i] = sum + carry;
        carry = over | (a.w[i] < carry);
    }
    return a;
}

posenc_wide posenc_wide_subtract(posenc_wide a, const posenc_wide *b) {
    uint64_t borrow = 0;
    for (int i = 0; i < POSENC_WIDE_WORDS; i++) {
        uint64_t difference = a.w[i] - b->w[i];
        uint64_t under = a.w[i] < b->w[i];
        a.w[i] = difference - borrow;
        borrow = under | (difference < borrow);
    }
    return a;
}

static bool less(const posenc_wide *a, const posenc_wide *b) {
    for (int i = POSENC_WIDE_WORDS - 1; i > 0; i--)
        if (a->w[i] != b->w[i]) return a->w[i] < b->w[i];
    return a->w[0] < b->w[0];
}

static bool is_zero(const posenc_wide *a) { return !(a->w[0] | a->w[1] | a->w[2] | a->w[3]); }

static posenc_wide divide_small(posenc_wide a, uint64_t divisor) {
    uint64_t remainder = 0;
    for (int i = POSENC_WIDE_WORDS - 1; i >= 0; i--) a.w[i] = divide_words(remainder, a.w[i], divisor, &remainder);
    return a;
}

static posenc_wide multiply_small(const posenc_wide *a, uint64_t factor) {
    uint64_t product[POSENC_WIDE_WORDS + 1] = {0};
    multiply_add(product, factor, a->w, POSENC_WIDE_WORDS);
    posenc_wide out;
    memcpy(out.w, product, sizeof out.w);
    return out;
}

posenc_wide posenc_wide_times_ratio(const posenc_wide *a, uint64_t numerator, uint64_t denominator) {
    return divide_small(multiply_small(a, numerator), denominator);
}

bool posenc_wide_less(const posenc_wide *a, const posenc_wide *b) {
    posenc_wide difference = posenc_wide_subtract(*a, b);
    return posenc_wide_is_negative(&difference);
}

posenc_wide posenc_wide_negate(const posenc_wide *a) { return posenc_wide_subtract((posenc_wide){{0, 0, 0, 0}}, a); }

/* The bits of x from 2^63 down, 64 at a time. */
posenc_wide posenc_wide_of_double(double x) {
    posenc_wide out;
    for (int i = POSENC_WIDE_WORDS - 1; i >= 0; i--) {
        double whole = floor(x);
        out.w[i] = (uint64_t)whole;
        x = ldexp(x - whole, 64); /* at most 53 bits, so exact */
    }
    return out;
}

/* a * 2^k for -255 <= k <= 63. */
static posenc_wide scale(posenc_wide a, int k) {
    for (; k <= -64; k += 64) a = (posenc_wide){{a.w[1], a.w[2], a.w[3], 0}};
    if (k < 0) {
        for (int i = 0; i < POSENC_WIDE_WORDS; i++)
            a.w[i] = a.w[i] >> -k | (i + 1 < POSENC_WIDE_WORDS ? a.w[i + 1] << (64 + k) : 0);
    } else if (k > 0) {
        for (int i = POSENC_WIDE_WORDS - 1; i >= 0; i--) a.w[i] = a.w[i] << k | (i > 0 ? a.w[i - 1] >> (64 - k) : 0);
    }
    return a;
}

/* divisor = m 2^(k - 64) with 2^63 <= m < 2^64: the words of a, one of zeros behind them, are divided by m. */
posenc_wide posenc_wide_divide(const posenc_wide *a, double divisor) {
    int k;
    uint64_t m = (uint64_t)ldexp(frexp(divisor, &k), 53) << 11, remainder = 0;
    posenc_wide quotient = {{0, 0, 0, 0}};
    for (int i = POSENC_WIDE_WORDS - 1; i >= -1; i--) {
        uint64_t word = divide_words(remainder, i >= 0 ? a->w[i] : 0, m, &remainder);
        if (i + 1 < POSENC_WIDE_WORDS) quotient.w[i + 1] = word; /* the first is 0 below 2^63 */
    }
    return scale(quotient, -k);
}

/* Bit by bit. */
posenc_wide posenc_wide_ratio(const posenc_wide *a, const posenc_wide *b) {
    posenc_wide rest = *a, quotient = {{0, 0, 0, 0}};
    if (!less(a, b)) return posenc_wide_one;
    for (int bit = 191; bit >= 0; bit--) {
        rest = posenc_wide_add(rest, &rest);
        if (less(&rest, b)) continue;
        rest = posenc_wide_subtract(rest, b);
        quotient.w[bit / 64] |= (uint64_t)1 << bit % 64;
    }
    return quotient;
}

/* abs(ln base), and whether it is negative. base = m 2^k with m in [sqrt(1/2), sqrt 2); with z = (m - 1) / (m + 1),
 * ln m = 2 (z + z^3/3 + z^5/5 + ...), abs(z) < 0.1716, so 38 terms reach 2^-192. */
static posenc_wide logarithm(double base, bool *negative) {
    int k;
    double m = frexp(base, &k);
    if (m < 0x1.6a09e667f3bcdp-1) m *= 2, k--;
    bool below = m < 1;
    uint64_t scaled = (uint64_t)ldexp(m, 53), unit = (uint64_t)1 << 53;
    posenc_wide z = {{0, 0, 0, below ? unit - scaled : scaled - unit}};
    z = divide_small(z, scaled + unit);
    posenc_wide square = posenc_wide_multiply(&z, &z), power = z, sum = z;
    for (uint64_t n = 3; !is_zero(&power); n += 2) {
        power = posenc_wide_multiply(&power, &square);
        posenc_wide term = divide_small(power, n);
        sum = posenc_wide_add(sum, &term);
    }
    sum = posenc_wide_add(sum, &sum);
    posenc_wide octaves = multiply_small(&ln2, (uint64_t)(k < 0 ? -k : k));
    *negative = k < 0 || (k == 0 && below);
    if (k == 0) return sum;
    return below == (k < 0) ? posenc_wide_add(octaves, &sum) : posenc_wide_subtract(octaves, &sum);
}

/* e^x for 0 <= x <= ln 2: the series at x / 256, then eight squarings. */
static posenc_wide exponential(posenc_wide x) {
    x = scale(x, -8);
    posenc_wide sum = posenc_wide_add(posenc_wide_one, &x), term = x;
    for (uint64_t n = 2; !is_zero(&term); n++) {
        term = posenc_wide_multiply(&term, &x);
        term = divide_small(term, n);
        sum = posenc_wide_add(sum, &term);
    }
    for (int i = 0; i < 8; i++) sum = posenc_wide_multiply(&sum, &sum);
    return sum;
}

/* e^x, or e^-x where shrinks. */
static posenc_wide exponential_of_any(posenc_wide x, bool shrinks) {
    int k = 0;
    for (; !less(&x, &ln2); k++) x = posenc_wide_subtract(x, &ln2);
    if (!shrinks) return scale(exponential(x), k);
    if (is_zero(&x)) return scale(posenc_wide_one, -k);
    return scale(exponential(posenc_wide_subtract(ln2, &x)), -k - 1); /* e^-(x + k ln2) = e^(ln2 - x) / 2^(k+1) */
}

posenc_wide posenc_wide_power(double base, uint64_t numerator, uint64_t denominator) {
    bool below_one;
    posenc_wide x = logarithm(base, &below_one);
    return exponential_of_any(posenc_wide_times_ratio(&x, numerator, denominator), !below_one);
}

posenc_wide posenc_wide_growth(double base, uint64_t numerator, uint64_t denominator) {
    bool below_one;
    posenc_wide x = logarithm(base, &below_one);
    return exponential_of_any(posenc_wide_times_ratio(&x, numerator, denominator), below_one);
}

/* ln a for a >= 1: with x = m 2^k the 53 bits at its top, r = a / x - 1 is below 2^-52, and
 * ln(1 + r) = r - r^2/2 + r^3/3 - ..., whose fourth term is below 2^-209. */
static posenc_wide logarithm_of_wide(const posenc_wide *a) {
    double x = posenc_wide_to_double(a);
    posenc_wide whole = posenc_wide_of_double(x);
    bool above = posenc_wide_less(a, &whole), negative;
    posenc_wide rest = above ? posenc_wide_subtract(whole, a) : posenc_wide_subtract(*a, &whole);
    posenc_wide r = posenc_wide_divide(&rest, x), square = posenc_wide_multiply(&r, &r);
    posenc_wide cube = posenc_wide_multiply(&square, &r), sum = logarithm(x, &negative);
    square = divide_small(square, 2);
    cube = divide_small(cube, 3);
    posenc_wide odd = posenc_wide_add(r, &cube);
    sum = above ? posenc_wide_subtract(sum, &odd) : posenc_wide_add(sum, &odd);
    return posenc_wide_subtract(sum, &square);
}

posenc_wide posenc_wide_power_of_wide(const posenc_wide *base, uint64_t numerator, uint64_t denominator) {
    posenc_wide x = logarithm_of_wide(base);
    return exponential_of_any(posenc_wide_times_ratio(&x, numerator, denominator), true);
}

posenc_wide posenc_wide_exp(double x) { return exponential_of_any(posenc_wide_of_double(fabs(x)), x < 0); }

posenc_wide posenc_wide_signed_log(double x) {
    bool negative;
    posenc_wide size = logarithm(x, &negative);
    return negative ? posenc_wide_negate(&size) : size;
}

double posenc_wide_log(double base) {
    posenc_wide x = posenc_wide_signed_log(base);
    return posenc_wide_to_double(&x);
}

posenc_wide posenc_wide_minus_log(double x) {
    bool negative;
    return logarithm(x, &negative);
}

double posenc_wide_to_double(const posenc_wide *a) {
    double high, low;
    bool negative = posenc_wide_is_negative(a);
    posenc_wide size = negative ? posenc_wide_negate(a) : *a;
    posenc_words_to_pair(size.w, POSENC_WIDE_WORDS, &high, &low);
    return ldexp(negative ? -(high + low) : high + low, 64);
}
