/* The sinusoidal encoding straight from the formulas, in MPFR at 256 bits.
 *
 *   interleaved    E[2i] = sin(p theta^(-2i/d)), E[2i+1] = cos(same)
 *   halves         [sin(p theta^(-i/h)) | cos], i < h = floor(d/2)
 *   tensor2tensor  as halves with theta^(-i/(h-1)); theta^0 for h = 1
 *
 * Positions have up to 63 bits and frequencies up to 2^20 (theta = 1e-6), so that 256 bits leave more than 160 right
 * bits behind the point of an angle. Double positions down to 1e-300 are as good: the product is a floating one. */
#ifndef POSENC_TESTS_SUPPORT_ORACLE_H
#define POSENC_TESTS_SUPPORT_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <mpfr.h>

#include <posenc/sinusoidal.h>

enum { ORACLE_BITS = 256 };

typedef enum oracle_part { ORACLE_SINE, ORACLE_COSINE, ORACLE_ZERO } oracle_part;

typedef struct oracle {
    int64_t dim, n_frequencies;
    posenc_layout layout;
    bool cos_first;
    mpfr_t *omega; /* n_frequencies radians per position */
    mpfr_t position, angle, sine, cosine;
} oracle;

void oracle_init(oracle *o, int64_t dim, double base, posenc_layout layout, bool cos_first);
void oracle_clear(oracle *o);

/* What stands in a column, and of which frequency. */
oracle_part oracle_column(const oracle *o, int64_t column, int64_t *frequency);

/* Sets o->sine and o->cosine for one frequency. */
void oracle_pair(oracle *o, int64_t position, int64_t frequency);
void oracle_pair_f64(oracle *o, double position, int64_t frequency);

/* The value of one column, inside o until the next call. */
mpfr_srcptr oracle_value(oracle *o, int64_t position, int64_t column);
mpfr_srcptr oracle_value_f64(oracle *o, double position, int64_t column);

/* The bits of a value rounded once to a dtype, to nearest even. */
uint64_t oracle_round(posenc_dtype dtype, mpfr_srcptr exact);

/* Distance of an element from a value, absolute and in units of the last place of the value in the dtype. */
double oracle_error(posenc_dtype dtype, uint64_t bits, mpfr_srcptr exact, double *ulps);

/* The library's promise: f64 within 4e-15; the others within half an ulp + 1e-15. */
bool oracle_accepts(posenc_dtype dtype, uint64_t bits, mpfr_srcptr exact);

#endif
