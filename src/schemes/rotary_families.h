/* The families of rotary frequencies. A family is a descriptor in a file of its own group; what the door, the making of
 * spectra and the slow equation ask of it is here. */
#ifndef POSENC_SCHEMES_ROTARY_FAMILIES_H
#define POSENC_SCHEMES_ROTARY_FAMILIES_H

#include "phasor/wide.h"
#include "schemes/rotary_parameters.h"

/* One series of frequencies: n pairs of a width d = 2 n. */
typedef struct posenc_rotary_series {
    const posenc_value *values;
    size_t n;
    size_t first;   /* its first pair among all pairs: where its elements of lists begin */
    int64_t length; /* of the sequence */
} posenc_rotary_series;

/* Pairs as they were, between, divided by factor. */
typedef struct posenc_rotary_counts {
    int64_t kept, blended, divided;
} posenc_rotary_counts;

typedef struct posenc_rotary_family {
    const char *name;

    /* What it needs of its parameters, which are within their ranges; NULL: nothing. */
    posenc_status (*check)(const posenc_value *values, posenc_error *error);

    /* Turns per position, error below 2^-120 of max(1, value). */
    void (*exact)(const posenc_rotary_series *series, posenc_wide *turns, posenc_rotary_counts *counts);

    /* Radians per position as float32 code makes them, each step rounded. */
    void (*float32)(const posenc_rotary_series *series, float *inv_freq, posenc_rotary_counts *counts);

    /* Radians per position of pair i of the series, straight from the paper. */
    long double (*equation)(const posenc_rotary_series *series, size_t i);

    /* NULL: 1. */
    double (*amplitude)(const posenc_value *values);
    double (*softmax_factor)(const posenc_value *values);

    /* Whether two sequence lengths have the same frequencies; NULL: always. */
    bool (*same_length)(const posenc_value *values, int64_t a, int64_t b);

    /* A length that cannot be served: refuses it; NULL: there is none. */
    posenc_status (*check_length)(const posenc_value *values, int64_t length, posenc_error *error);
} posenc_rotary_family;

extern const posenc_rotary_family posenc_rotary_default_family, posenc_rotary_linear, posenc_rotary_ntk,
    posenc_rotary_dynamic, posenc_rotary_yarn, posenc_rotary_longrope, posenc_rotary_llama3, posenc_rotary_proportional,
    posenc_rotary_custom;

/* The family of a plan's values. */
const posenc_rotary_family *posenc_rotary_family_of(const posenc_value *values);

/* base^(-2i/d) / (2 pi), the base of the values; and the same in radians, in long double; and in float32. */
void posenc_rotary_plain_turns(const posenc_rotary_series *series, posenc_wide *turns);
long double posenc_rotary_plain_omega(const posenc_rotary_series *series, size_t i);
void posenc_rotary_plain_float32(const posenc_rotary_series *series, float *inv_freq);

/* turns (1 - share) + turns / factor share, for share from 0 to 1; counted by where share lies. */
posenc_wide posenc_rotary_blend(const posenc_wide *turns, double factor, const posenc_wide *share,
                                posenc_rotary_counts *counts);

/* Refuses a value that is 0, or next to it, where the family needs one. */
posenc_status posenc_rotary_need_factor(const posenc_value *values, const char *family, posenc_error *error);
posenc_status posenc_rotary_need_original(const posenc_value *values, const char *family, posenc_error *error);

#endif
