/* Grids straight from the formulas, in MPFR at 256 bits. H(u, m) = [sin(u base^(-i/(m/2))) | cos(same)], i < m/2.
 *
 *   mae            [H(x, d/2) | H(y, d/2)], coordinates times base_size / size / interpolation_scale
 *   detr           [y | x], channel j of F = d/2: sin, cos, sin, ... of c base^(-2 floor(j/2)/F); c counts from 1;
 *                  normalized c / (n + 10^-6) 2 pi
 *   cogvideox      [H(frame, d/4) | H(x, 3d/8) | H(y, 3d/8)], divided by the interpolation scales
 *   tensor2tensor  n = floor(d/(2 axes)): [sin(u base^(-i/(n-1))) | cos] of each axis, zeros
 *   multidim       m = 2 ceil(d/(2 axes)): sin, cos, ... of u base^(-2i/m) of each axis, cut at d */
#ifndef POSENC_TESTS_GOLDEN_GRID_ORACLE_H
#define POSENC_TESTS_GOLDEN_GRID_ORACLE_H

#include <stdbool.h>

#include <mpfr.h>

#include <posenc/posenc.h>

#include "support/random.h"

typedef enum grid_convention { GRID_MAE, GRID_DETR, GRID_COGVIDEOX, GRID_TENSOR2TENSOR, GRID_MULTIDIM } grid_convention;

typedef struct grid_case {
    grid_convention convention;
    int64_t dim, axes, extents[8], prefix, base_size;
    double base, scale, temporal; /* interpolation scales */
    bool normalize;
} grid_case;

/* Random options that go together, for a grid of at most a few hundred cells. */
grid_case grid_random(random_state *random, grid_convention convention);

/* Its plan, by names. */
posenc_plan *grid_plan(const posenc_context *context, const grid_case *c);
const char *grid_text(const grid_case *c);

/* The value of a column of a token, and of a column at a point (a coordinate for each axis). */
void grid_value(const grid_case *c, int64_t token, int64_t column, mpfr_t out);
void grid_point_value(const grid_case *c, const double *point, int64_t column, mpfr_t out);

#endif
