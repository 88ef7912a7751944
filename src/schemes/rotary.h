/* Inside a rotary plan: what its spectrum gives to a call. */
#ifndef POSENC_SCHEMES_ROTARY_H
#define POSENC_SCHEMES_ROTARY_H

#include <posenc/rotary.h>

#include "schemes/scheme.h"

/* The pairs of one axis: phasors of their own, and where each stands among all pairs. */
typedef struct posenc_rotary_block {
    int axis;
    size_t n;         /* pairs; not 0 */
    size_t first;     /* pair k of the block is pair first + k ... */
    const size_t *at; /* ... or, where this is not NULL, pair at[k]; rising */
    posenc_rows rows; /* planar rows [n sines | n cosines], without amplitude */
} posenc_rotary_block;

/* The frequencies at one sequence length. Immutable once made; many threads read it. */
typedef struct posenc_rotary_spectrum {
    double amplitude;
    int n_blocks; /* 1..POSENC_MOST_AXES; an axis without pairs has none */
    posenc_rotary_block blocks[POSENC_MOST_AXES];
    posenc_rotary_info info;
    double *omega; /* [pairs] radians per position, rounded */
} posenc_rotary_spectrum;

/* What plan->rotary points to. */
typedef struct posenc_rotary {
    int64_t head_dim, dim, start;
    size_t pairs; /* dim / 2 */
    posenc_pairing pairing;
    int axes;                            /* coordinates of a token, 1..POSENC_MOST_AXES */
    bool by_length;                      /* dynamic or longrope, not pinned: calls must give lengths */
    posenc_rotary_spectrum spectrum;     /* at the pinned length, or where there is none at original_length */
    double xpos_scale_base, xpos_centre; /* scale_base 0: no xPos */
    int n_blocks;                        /* where pairs stand, for every spectrum: blocks without rows */
    posenc_rotary_block layout[POSENC_MOST_AXES];
    size_t *places;   /* memory of the blocks' at; NULL: none */
    double *log_zeta; /* [2 pairs] xPos: ln zeta_i, then what it lacks; NULL: no xPos */
    size_t bytes;     /* that all of it holds */
} posenc_rotary;

/* The rotary part of a plan; NULL where it is of another scheme. */
const posenc_rotary *posenc_rotary_of(const posenc_plan *plan);

/* A spectrum for another length: the caller destroys it. Two lengths with posenc_rotary_same_length share one. On
 * failure nothing is left allocated. */
posenc_status posenc_rotary_spectrum_at(const posenc_plan *plan, int64_t length, posenc_rotary_spectrum *out,
                                        posenc_error *error);
void posenc_rotary_spectrum_destroy(const posenc_plan *plan, posenc_rotary_spectrum *spectrum);

/* Whether two lengths have the same spectrum. */
bool posenc_rotary_same_length(const posenc_plan *plan, int64_t a, int64_t b);

/* xPos: powers[i] = zeta_i^((position - centre) / scale_base), pairs of them, each within 2 ulp. POSENC_ERROR_POSITION,
 * naming the limit, where a power or its inverse leaves the range of f32. */
posenc_status posenc_rotary_xpos(const posenc_rotary *rotary, double position, double *powers, posenc_error *error);

#endif
