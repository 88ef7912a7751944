#include "support/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "support/number.h"

/* The exponent of theta is -numerator * i / denominator. */
static void exponent_of(const oracle *o, int64_t *numerator, int64_t *denominator) {
    int64_t h = o->dim / 2;
    *numerator = o->layout == POSENC_LAYOUT_INTERLEAVED ? 2 : 1;
    *denominator = o->layout == POSENC_LAYOUT_INTERLEAVED ? o->dim : o->layout == POSENC_LAYOUT_HALVES ? h : h - 1;
    if (*denominator == 0) *denominator = 1;
}

static void set_omega(oracle *o, int64_t i, mpfr_srcptr log_base) {
    int64_t numerator, denominator;
    exponent_of(o, &numerator, &denominator);
    mpfr_init2(o->omega[i], ORACLE_BITS);
    mpfr_mul_si(o->omega[i], log_base, (long)(-numerator * i), MPFR_RNDN);
    mpfr_div_si(o->omega[i], o->omega[i], (long)denominator, MPFR_RNDN);
    mpfr_exp(o->omega[i], o->omega[i], MPFR_RNDN);
}

void oracle_init(oracle *o, int64_t dim, double base, posenc_layout layout, bool cos_first) {
    *o = (oracle){.dim = dim, .layout = layout, .cos_first = cos_first};
    o->n_frequencies = layout == POSENC_LAYOUT_INTERLEAVED ? (dim + 1) / 2 : dim / 2;
    o->omega = malloc((size_t)(o->n_frequencies + 1) * sizeof *o->omega);
    if (!o->omega) abort();
    mpfr_t log_base;
    mpfr_init2(log_base, ORACLE_BITS);
    mpfr_set_d(log_base, base, MPFR_RNDN);
    mpfr_log(log_base, log_base, MPFR_RNDN);
    for (int64_t i = 0; i < o->n_frequencies; i++) set_omega(o, i, log_base);
    mpfr_clear(log_base);
    mpfr_inits2(ORACLE_BITS, o->position, o->angle, o->sine, o->cosine, (mpfr_ptr)0);
}

void oracle_clear(oracle *o) {
    for (int64_t i = 0; i < o->n_frequencies; i++) mpfr_clear(o->omega[i]);
    free(o->omega);
    mpfr_clears(o->position, o->angle, o->sine, o->cosine, (mpfr_ptr)0);
}

oracle_part oracle_column(const oracle *o, int64_t column, int64_t *frequency) {
    int64_t h = o->dim / 2;
    bool second;
    if (o->layout == POSENC_LAYOUT_INTERLEAVED) {
        *frequency = column / 2;
        second = column % 2 != 0;
    } else {
        if (column == 2 * h) return ORACLE_ZERO;
        *frequency = column % h;
        second = column >= h;
    }
    return second != o->cos_first ? ORACLE_COSINE : ORACLE_SINE;
}

static void pair(oracle *o, int64_t frequency) {
    mpfr_mul(o->angle, o->position, o->omega[frequency], MPFR_RNDN);
    mpfr_sin_cos(o->sine, o->cosine, o->angle, MPFR_RNDN);
}

/* Two halves of 32 bits: mpfr_set_si takes a long, which has 32 on some machines. */
static void set_i64(mpfr_ptr x, int64_t value) {
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    mpfr_set_ui(x, (unsigned long)(size >> 32), MPFR_RNDN);
    mpfr_mul_2ui(x, x, 32, MPFR_RNDN);
    mpfr_add_ui(x, x, (unsigned long)(size & 0xFFFFFFFFu), MPFR_RNDN);
    if (value < 0) mpfr_neg(x, x, MPFR_RNDN);
}

void oracle_pair(oracle *o, int64_t position, int64_t frequency) {
    set_i64(o->position, position);
    pair(o, frequency);
}

void oracle_pair_f64(oracle *o, double position, int64_t frequency) {
    mpfr_set_d(o->position, position, MPFR_RNDN);
    pair(o, frequency);
}

static mpfr_srcptr value(oracle *o, int64_t column) {
    int64_t frequency;
    oracle_part part = oracle_column(o, column, &frequency);
    if (part == ORACLE_ZERO) {
        mpfr_set_zero(o->sine, 1);
        return o->sine;
    }
    pair(o, frequency);
    return part == ORACLE_SINE ? o->sine : o->cosine;
}

mpfr_srcptr oracle_value(oracle *o, int64_t position, int64_t column) {
    set_i64(o->position, position);
    return value(o, column);
}

mpfr_srcptr oracle_value_f64(oracle *o, double position, int64_t column) {
    mpfr_set_d(o->position, position, MPFR_RNDN);
    return value(o, column);
}

/* Exponent of a value in a format: subnormals share the smallest one. */
static int exponent_in(number_format f, mpfr_srcptr x) {
    int exponent = mpfr_zero_p(x) ? f.min_exponent : (int)mpfr_get_exp(x) - 1;
    return exponent < f.min_exponent ? f.min_exponent : exponent;
}

/* The smallest whole number of units in the last place that is nearest: at most 2^53, so a double holds it. */
uint64_t oracle_round(posenc_dtype dtype, mpfr_srcptr exact) {
    number_format f = number_format_of(dtype);
    int exponent = exponent_in(f, exact);
    uint64_t magnitude = number_infinity(dtype);
    if (exponent <= f.max_exponent) {
        mpfr_t units;
        mpfr_init2(units, mpfr_get_prec(exact));
        mpfr_mul_2si(units, exact, f.precision - 1 - exponent, MPFR_RNDN);
        mpfr_abs(units, units, MPFR_RNDN);
        mpfr_rint(units, units, MPFR_RNDN); /* ties to even */
        uint64_t significand = (uint64_t)mpfr_get_d(units, MPFR_RNDN);
        mpfr_clear(units);
        magnitude = ((uint64_t)(exponent - f.min_exponent) << (f.precision - 1)) + significand;
    }
    return number_with_sign(dtype, magnitude, mpfr_signbit(exact) != 0);
}

double oracle_error(posenc_dtype dtype, uint64_t bits, mpfr_srcptr exact, double *ulps) {
    number_format f = number_format_of(dtype);
    mpfr_t difference;
    mpfr_init2(difference, ORACLE_BITS);
    mpfr_set_d(difference, number_decode(dtype, bits), MPFR_RNDN);
    mpfr_sub(difference, difference, exact, MPFR_RNDN);
    mpfr_abs(difference, difference, MPFR_RNDN);
    double error = mpfr_get_d(difference, MPFR_RNDU);
    mpfr_mul_2si(difference, difference, f.precision - 1 - exponent_in(f, exact), MPFR_RNDN);
    if (ulps) *ulps = mpfr_get_d(difference, MPFR_RNDU);
    mpfr_clear(difference);
    return error;
}

bool oracle_accepts(posenc_dtype dtype, uint64_t bits, mpfr_srcptr exact) {
    if (bits == oracle_round(dtype, exact)) return true;
    number_format f = number_format_of(dtype);
    double error = oracle_error(dtype, bits, exact, NULL);
    if (dtype == POSENC_F64) return error <= 4e-15;
    return error <= ldexp(1.0, exponent_in(f, exact) - f.precision) + 1e-15;
}
