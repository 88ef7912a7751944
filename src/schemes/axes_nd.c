/* Grids of 1 to 8 axes, each with as many channels as the others:
 *     tensor2tensor  n = floor(dim / (2 axes)); [sin(u base^(-i/(n-1))) | cos(same)], i < n, of each axis in turn, then
 *                    zeros                     Vaswani et al. 2018, Tensor2Tensor, add_timing_signal_nd
 *     multidim       m = 2 ceil(dim / (2 axes)); sin, cos, sin, ... (u base^(-2i/m)) of each axis in turn, cut at dim
 *                                              the package positional-encodings */
#include <posenc/axes.h>

#include <string.h>

#include "base/options.h"
#include "schemes/axes.h"
#include "schemes/schemes.h"

enum { DIM, MAX_LEN, CONVENTION, GRID, PREFIX, BASE, N_PARAMETERS };

static const posenc_grid_places places = {DIM, MAX_LEN, BASE, GRID, PREFIX};

static const char *const conventions[] = {"tensor2tensor", "multidim", NULL};

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [DIM] = POSENC_GRID_DIM("Width of a row; channels that are no whole share of the axes are zero (tensor2tensor), or "
                            "the last axis lacks them (multidim)."),
    [MAX_LEN] = POSENC_GRID_MAX_LEN,
    [CONVENTION] = {"convention", POSENC_PARAMETER_CHOICE, "tensor2tensor", 0, 0, conventions, "",
                    "For each axis sines then cosines (tensor2tensor), or both in turn (multidim)."},
    [GRID] = POSENC_GRID_EXTENTS("Extents of 1 to 8 axes in tokens, outermost first, D1xD2x..."),
    [PREFIX] = POSENC_GRID_PREFIX,
    [BASE] = POSENC_GRID_BASE,
};

/* Channels of one axis, before anything is cut. */
static int64_t width_of(const posenc_value *v) {
    int64_t dim = v[DIM].integer, two = 2 * v[GRID].integer;
    return 2 * (v[CONVENTION].integer == POSENC_ND_MULTIDIM ? (dim + two - 1) / two : dim / two);
}

static posenc_axis_part part_of(const posenc_value *v, int axis) {
    uint64_t width = (uint64_t)width_of(v), n = width / 2;
    posenc_axis_part part = {
        .axis = axis, .width = (int64_t)width, .step = 2, .denominator = width, .turn = posenc_wide_inverse_turn};
    if (v[CONVENTION].integer == POSENC_ND_MULTIDIM) return part;
    part.planar = true;
    part.step = 1;
    part.denominator = n > 1 ? n - 1 : 1;
    return part;
}

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    const posenc_value *v = plan->values;
    posenc_axis_part parts[POSENC_MOST_AXES];
    int n = (int)v[GRID].integer;
    for (int axis = 0; axis < n; axis++) parts[axis] = part_of(v, axis);
    return posenc_axes_make(plan, &places, parts, n, error);
}

static double equation(const posenc_plan *plan, double position, int64_t column) {
    const posenc_value *v = plan->values;
    int64_t cell[POSENC_MOST_AXES], axes = v[GRID].integer, m = width_of(v), n = m / 2;
    if (!posenc_axes_cell(plan->rows.axes, (int64_t)position, cell) || m == 0 || column >= axes * m) return 0;
    int64_t j = column % m;
    long double u = (long double)cell[column / m];
    if (v[CONVENTION].integer == POSENC_ND_MULTIDIM)
        return posenc_axes_wave(&v[BASE], u, (long double)(j - j % 2) / (long double)m, j % 2 != 0);
    return posenc_axes_wave(&v[BASE], u, n > 1 ? (long double)(j % n) / (long double)(n - 1) : 0, j >= n);
}

const posenc_scheme posenc_scheme_sinusoidal_nd = {
    .info = {"sinusoidal-nd", "Adds the sines and cosines of a token's place on each of 1 to 8 axes.",
             "Vaswani et al. 2018, Tensor2Tensor for neural machine translation; the package positional-encodings",
             POSENC_EFFECT_ADDS_ROWS,
             "values in [-1, 1]; each slice of a row depends on one coordinate alone, and all slices are alike; prefix "
             "rows are zero",
             parameters, N_PARAMETERS},
    .make = make,
    .equation = equation,
};

void posenc_sinusoidal_nd_default(posenc_sinusoidal_nd_options *options, size_t size) {
    posenc_sinusoidal_nd_options all = {.size = size, .base = 10000};
    posenc_options_write(options, size, &all, sizeof all);
}

posenc_status posenc_sinusoidal_nd_create_with(const posenc_context *context,
                                               const posenc_sinusoidal_nd_options *options, posenc_plan **out,
                                               posenc_error *error) {
    posenc_sinusoidal_nd_options all;
    posenc_sinusoidal_nd_default(&all, sizeof all);
    posenc_status status = posenc_options_need(options, &all, sizeof all, error);
    if (status != POSENC_OK) return status;
    posenc_value values[POSENC_MOST_PARAMETERS] = {
        [DIM] = {.integer = all.dim},     [CONVENTION] = {.integer = all.convention},
        [GRID] = {.integer = all.n_axes}, [PREFIX] = {.integer = all.prefix},
        [BASE] = {.real = all.base},
    };
    memcpy(values[GRID].extents, all.extents, sizeof all.extents);
    return posenc_plan_from_values(context, &posenc_scheme_sinusoidal_nd, values, out, error);
}
