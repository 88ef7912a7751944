/* Images. With H(u, m) = [sin(u base^(-i/(m/2))) | cos(same)], i < m/2:
 *     mae   [H(x, dim/2) | H(y, dim/2)]                                   He et al. 2022, Masked autoencoders
 *     detr  [D(y, dim/2) | D(x, dim/2)], D(c, F)_j = sin, cos, sin, ... (c base^(-2 floor(j/2)/F))
 *                                                                         Carion et al. 2020, DETR, appendix A.4
 * mae's coordinates are i base_size / size / interpolation_scale; detr's count from 1, and normalized they are
 * c / (c_last + 10^-6) 2 pi, so that a cell is 10^6 / (10^6 c_last + 1) turns of the first frequency. */
#include <posenc/axes.h>

#include <math.h>

#include "base/error.h"
#include "base/options.h"
#include "schemes/axes.h"
#include "schemes/schemes.h"

enum { DIM, MAX_LEN, CONVENTION, GRID, PREFIX, BASE, BASE_SIZE, INTERPOLATION_SCALE, NORMALIZE, N_PARAMETERS };
enum { Y, X, N_AXES };

static const posenc_grid_places places = {DIM, MAX_LEN, BASE, GRID, PREFIX};

static const char *const conventions[] = {"mae", "detr", NULL};

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [DIM] = POSENC_GRID_DIM("Width of a row: a multiple of 4 for mae, even for detr."),
    [MAX_LEN] = POSENC_GRID_MAX_LEN,
    [CONVENTION] = {"convention", POSENC_PARAMETER_CHOICE, "mae", 0, 0, conventions, "",
                    "Column then row, sines then cosines (mae); row then column, counted from 1, sines and cosines in "
                    "turn (detr)."},
    [GRID] = POSENC_GRID_EXTENTS("Height and width of the image in tokens, HxW."),
    [PREFIX] = POSENC_GRID_PREFIX,
    [BASE] = POSENC_GRID_BASE,
    [BASE_SIZE] = {"base-size", POSENC_PARAMETER_INTEGER, "0", 0, 16777216, NULL, "cells",
                   "Of mae: coordinate i is i * base-size / size, so that a grid of any size spans the same; 0: i."},
    [INTERPOLATION_SCALE] = {"interpolation-scale", POSENC_PARAMETER_REAL, "1", 1e-3, 1e6, NULL, "",
                             "Of mae: coordinates are divided by it."},
    [NORMALIZE] = {"normalize", POSENC_PARAMETER_FLAG, "false", 0, 0, NULL, "",
                   "Of detr: the last coordinate of each axis becomes 2 pi."},
};

static posenc_status refuse_foreign(const char *name, const char *convention, const char *other, posenc_error *error) {
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, name,
                       "expected its default beside convention %s, got another; "
                       "it is for %s",
                       convention, other);
}

static posenc_status check(const posenc_value *v, posenc_error *error) {
    bool mae = v[CONVENTION].integer == POSENC_2D_MAE;
    int64_t multiple = mae ? 4 : 2;
    if (v[DIM].integer % multiple != 0)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "dim",
                           "expected a multiple of %lld for convention %s, got "
                           "%lld",
                           (long long)multiple, conventions[v[CONVENTION].integer], (long long)v[DIM].integer);
    if (mae && v[NORMALIZE].integer) return refuse_foreign("normalize", "mae", "detr", error);
    if (!mae && v[BASE_SIZE].integer != 0) return refuse_foreign("base-size", "detr", "mae", error);
    if (!mae && v[INTERPOLATION_SCALE].real != 1) return refuse_foreign("interpolation-scale", "detr", "mae", error);
    return posenc_axes_check_count(&v[GRID], N_AXES, "HxW", error);
}

static posenc_axis_part mae_part(const posenc_value *v, int axis) {
    uint64_t h = (uint64_t)v[DIM].integer / 4, size = (uint64_t)v[GRID].extents[axis];
    uint64_t base_size = v[BASE_SIZE].integer ? (uint64_t)v[BASE_SIZE].integer : size;
    return (posenc_axis_part){.axis = axis,
                              .width = (int64_t)(2 * h),
                              .planar = true,
                              .step = 1,
                              .denominator = h,
                              .turn = posenc_axes_turn(base_size, size, v[INTERPOLATION_SCALE].real)};
}

static posenc_axis_part detr_part(const posenc_value *v, int axis) {
    static const uint64_t million = 1000000;
    const posenc_wide one = {{0, 0, 0, 1}};
    uint64_t f = (uint64_t)v[DIM].integer / 2, last = (uint64_t)v[GRID].extents[axis];
    return (posenc_axis_part){.axis = axis,
                              .width = (int64_t)f,
                              .step = 2,
                              .denominator = f,
                              .first = 1,
                              .turn = v[NORMALIZE].integer ? posenc_wide_times_ratio(&one, million, last * million + 1)
                                                           : posenc_wide_inverse_turn};
}

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    const posenc_value *v = plan->values;
    posenc_status status = check(v, error);
    if (status != POSENC_OK) return status;
    bool mae = v[CONVENTION].integer == POSENC_2D_MAE;
    const posenc_axis_part parts[] = {mae ? mae_part(v, X) : detr_part(v, Y), mae ? mae_part(v, Y) : detr_part(v, X)};
    return posenc_axes_make(plan, &places, parts, N_AXES, error);
}

static double mae_value(const posenc_value *v, const int64_t *cell, int64_t column) {
    int64_t half = v[DIM].integer / 2, h = half / 2, j = column % half;
    int axis = column < half ? X : Y;
    long double u = (long double)cell[axis] / (long double)v[INTERPOLATION_SCALE].real;
    if (v[BASE_SIZE].integer) u = u * (long double)v[BASE_SIZE].integer / (long double)v[GRID].extents[axis];
    return posenc_axes_wave(&v[BASE], u, (long double)(j % h) / (long double)h, j >= h);
}

static double detr_value(const posenc_value *v, const int64_t *cell, int64_t column) {
    int64_t f = v[DIM].integer / 2, j = column % f;
    int axis = column < f ? Y : X;
    long double c = (long double)cell[axis] + 1, pi = 4 * atanl(1);
    if (v[NORMALIZE].integer) c = c / ((long double)v[GRID].extents[axis] + 1e-6L) * 2 * pi;
    return posenc_axes_wave(&v[BASE], c, (long double)(j - j % 2) / (long double)f, j % 2 != 0);
}

static double equation(const posenc_plan *plan, double position, int64_t column) {
    int64_t cell[POSENC_MOST_AXES];
    if (!posenc_axes_cell(plan->rows.axes, (int64_t)position, cell)) return 0;
    bool mae = plan->values[CONVENTION].integer == POSENC_2D_MAE;
    return (mae ? mae_value : detr_value)(plan->values, cell, column);
}

const posenc_scheme posenc_scheme_sinusoidal_2d = {
    .info = {"sinusoidal-2d", "Adds the sines and cosines of a token's row and column in an image.",
             "He et al. 2022, Masked autoencoders are scalable vision learners; Carion et al. 2020, End-to-end object "
             "detection with transformers",
             POSENC_EFFECT_ADDS_ROWS,
             "values in [-1, 1]; one half of a row depends on the cell's column alone, the other on its row; norm "
             "sqrt(dim/2) where dim is a multiple of 4; prefix rows are zero",
             parameters, N_PARAMETERS},
    .make = make,
    .equation = equation,
};

void posenc_sinusoidal_2d_default(posenc_sinusoidal_2d_options *options, size_t size) {
    posenc_sinusoidal_2d_options all = {.size = size, .base = 10000, .interpolation_scale = 1};
    posenc_options_write(options, size, &all, sizeof all);
}

posenc_status posenc_sinusoidal_2d_create_with(const posenc_context *context,
                                               const posenc_sinusoidal_2d_options *options, posenc_plan **out,
                                               posenc_error *error) {
    posenc_sinusoidal_2d_options all;
    posenc_sinusoidal_2d_default(&all, sizeof all);
    posenc_status status = posenc_options_need(options, &all, sizeof all, error);
    if (status != POSENC_OK) return status;
    posenc_value values[POSENC_MOST_PARAMETERS] = {
        [DIM] = {.integer = all.dim},
        [CONVENTION] = {.integer = all.convention},
        [GRID] = {.integer = N_AXES, .extents = {all.height, all.width}},
        [PREFIX] = {.integer = all.prefix},
        [BASE] = {.real = all.base},
        [BASE_SIZE] = {.integer = all.base_size},
        [INTERPOLATION_SCALE] = {.real = all.interpolation_scale},
        [NORMALIZE] = {.integer = all.normalize != 0},
    };
    return posenc_plan_from_values(context, &posenc_scheme_sinusoidal_2d, values, out, error);
}
