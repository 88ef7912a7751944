/* Rotary frequencies straight from the papers, in MPFR at 384 bits, and random options for every family. Written
 * without a look at the library's wide numbers, which are checked against these. */
#ifndef POSENC_TESTS_SUPPORT_SPECTRA_H
#define POSENC_TESTS_SUPPORT_SPECTRA_H

#include <mpfr.h>

#include <posenc/rotary.h>

#include "support/random.h"

enum { SPECTRA_BITS = 384, SPECTRA_SCALINGS = 9, SPECTRA_MOST_PAIRS = 160 };

/* Options with room for their lists. */
typedef struct spectra_case {
    posenc_rotary_options options;
    int64_t length; /* of the sequence, for families that depend on it */
    int64_t sections[POSENC_MOST_AXES], map[SPECTRA_MOST_PAIRS];
    double lists[2][SPECTRA_MOST_PAIRS];
} spectra_case;

/* The defaults of a family with what it needs, and frequencies over dim of head_dim channels. */
void spectra_start(spectra_case *c, posenc_scaling scaling, int64_t head_dim, int64_t dim);

/* Random parameters of a family, exact arithmetic, any axes. */
void spectra_random(spectra_case *c, posenc_scaling scaling, random_state *random);

/* A case of its own, whose options point at its own lists: an assignment would not do. */
void spectra_copy(spectra_case *to, const spectra_case *from);

/* The same with one axis. */
void spectra_random_single(spectra_case *c, posenc_scaling scaling, random_state *random);

/* All that matters of it in one line. Static, overwritten by the next call. */
const char *spectra_text(const spectra_case *c);

/* The plan; fails the running test where there is none. */
posenc_plan *must_rotary(const posenc_context *context, const spectra_case *c);

/* Radians per position of pair i; out has SPECTRA_BITS. */
void spectra_omega(const spectra_case *c, int64_t i, mpfr_t out);

/* Axis of pair i, from the options. */
int64_t spectra_axis(const spectra_case *c, int64_t i);

/* The amplitude, and the factor of the softmax scale. */
double spectra_amplitude(const spectra_case *c);
double spectra_softmax_factor(const spectra_case *c);

#endif
