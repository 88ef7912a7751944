/* What explains the distance of a value from the exact one. */
#include <math.h>

#include "diagnose/look.h"

/* Rounding once makes half a unit at most; twice that leaves room for a sine that is not rounded correctly. */
double posenc_rounding_limit(posenc_dtype dtype) {
    return dtype == POSENC_F64 ? 8e-15 : 2 * posenc_dtype_half_ulp(dtype) + 1e-15;
}

/* A half more for the second rounding, where values went through a narrower dtype first. */
double posenc_held_limit(posenc_dtype held) { return 3 * posenc_dtype_half_ulp(held) + 8e-15; }

/* Float32 code rounds the frequency (a power and a division, or a product of logarithms and an exponential) and then
 * the angle: some 4 times 2^-24 of the angle. Twice that is granted. */
double posenc_float32_limit(double angle) { return 8 * 0x1p-24 * (fabs(angle) + 1); }

/* Frequencies base^(-x), 0 <= x <= 1. Above 1 an exponential loses up to 14 units, the logarithm of 1e6, not 4. */
double posenc_fastest_of(const posenc_match *match) { return match->base > 0 && match->base < 1 ? 4 / match->base : 1; }

double posenc_angle_of(const posenc_formula *formula, int64_t row) {
    return (double)(formula->start + row) * formula->fastest;
}

bool posenc_angle_is_lost(const posenc_formula *formula, int64_t row) {
    return formula->fastest > 1 && posenc_float32_limit(posenc_angle_of(formula, row)) > 2;
}
