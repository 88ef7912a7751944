/* Rotations straight from the equation, in MPFR: y_a = A z (x_a cos - x_b sin), y_b = A z (x_a sin + x_b cos) with z
 * the power of xPos; and calls in one line. */
#ifndef POSENC_TESTS_SUPPORT_ROTATIONS_H
#define POSENC_TESTS_SUPPORT_ROTATIONS_H

#include <stdbool.h>

#include "support/spectra.h"

typedef struct rotations {
    const spectra_case *c;
    int64_t pairs;
    double amplitude;
    mpfr_t omega[SPECTRA_MOST_PAIRS];
    mpfr_t angle, sine, cosine, gain, first, second, work;
} rotations;

/* A random case of any family, pairing, extent and map of axes; frequencies that depend on the length are pinned; xPos
 * now and then. */
void rotations_random(spectra_case *c, random_state *random);

/* (tokens, axes) coordinates, whole or not, of either sign and any size that the case can bear. */
void rotations_random_ids(const spectra_case *c, random_state *random, int64_t tokens, double *ids);

void rotations_start(rotations *r, const spectra_case *c);
void rotations_clear(rotations *r);

/* Sets r->sine and r->cosine of pair i, a coordinate for each axis; and r->gain, what they are multiplied by. */
void rotations_angle(rotations *r, posenc_rotary_direction direction, bool is_key, const double *position, int64_t i);

/* Sets r->first and r->second: members a and b of pair i, turned. */
void rotations_pair(rotations *r, posenc_rotary_direction direction, bool is_key, const double *position, int64_t i,
                    double a, double b);

/* Where a member of pair i stands in a head, on the side of x or of y. */
int64_t rotations_channel(const spectra_case *c, posenc_rotary_direction direction, bool in_y, int64_t i, bool second);

/* Coordinates that a token has. */
int rotations_axes(const spectra_case *c);

/* Whether an element is within the promise of posenc_rotary_apply for members of that size, gain included. */
bool rotations_accept(posenc_dtype dtype, uint64_t bits, mpfr_srcptr exact, double size);

/* One contiguous tensor (batch, tokens, heads, head_dim), forward or not, as q or as k. x may be y. */
typedef struct rotation {
    const posenc_plan *plan;
    posenc_rotary_direction direction;
    const posenc_positions *positions; /* NULL: from 0 */
    const DLTensor *lengths;
    bool is_key;
    posenc_dtype dtype;
    int64_t shape[4];
} rotation;

void must_turn(const rotation *r, const void *x, void *y);
int64_t rotation_elements(const rotation *r);

/* Positions from a start; or ids of that shape, contiguous int64. They point into *store. */
typedef struct rotation_ids {
    posenc_positions positions;
    posenc_view view;
} rotation_ids;
const posenc_positions *rotation_positions(rotation_ids *store, int64_t start);
const posenc_positions *positions_of(rotation_ids *store, posenc_dtype dtype, const void *ids, int rank,
                                     const int64_t *shape);

#endif
