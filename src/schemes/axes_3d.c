/* Clips as CogVideoX has them (Yang et al. 2024): with H(u, m) = [sin(u base^(-i/(m/2))) | cos(same)], i < m/2,
 *     token (frame, y, x) = [H(frame, dim/4) | H(x, 3 dim/8) | H(y, 3 dim/8)]. */
#include <posenc/axes.h>

#include "base/error.h"
#include "base/options.h"
#include "schemes/axes.h"
#include "schemes/schemes.h"

enum { DIM, MAX_LEN, CONVENTION, GRID, PREFIX, BASE, INTERPOLATION_SCALE, TEMPORAL_SCALE, N_PARAMETERS };
enum { FRAME, Y, X, N_AXES };

static const posenc_grid_places places = {DIM, MAX_LEN, BASE, GRID, PREFIX};

static const char *const conventions[] = {"cogvideox", NULL};

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [DIM] = POSENC_GRID_DIM("Width of a row, a multiple of 16."),
    [MAX_LEN] = POSENC_GRID_MAX_LEN,
    [CONVENTION] = {"convention", POSENC_PARAMETER_CHOICE, "cogvideox", 0, 0, conventions, "",
                    "A quarter of the channels for the frame, then column and row as mae has them."},
    [GRID] = POSENC_GRID_EXTENTS("Frames, height and width of the clip in tokens, FxHxW."),
    [PREFIX] = POSENC_GRID_PREFIX,
    [BASE] = POSENC_GRID_BASE,
    [INTERPOLATION_SCALE] = {"interpolation-scale", POSENC_PARAMETER_REAL, "1", 1e-3, 1e6, NULL, "",
                             "Columns and rows are divided by it."},
    [TEMPORAL_SCALE] = {"temporal-interpolation-scale", POSENC_PARAMETER_REAL, "1", 1e-3, 1e6, NULL, "",
                        "Frames are divided by it."},
};

static int64_t width_of(const posenc_value *v, int axis) {
    return axis == FRAME ? v[DIM].integer / 4 : v[DIM].integer / 8 * 3;
}

static double divisor_of(const posenc_value *v, int axis) {
    return v[axis == FRAME ? TEMPORAL_SCALE : INTERPOLATION_SCALE].real;
}

static posenc_axis_part part_of(const posenc_value *v, int axis) {
    return (posenc_axis_part){.axis = axis,
                              .width = width_of(v, axis),
                              .planar = true,
                              .step = 1,
                              .denominator = (uint64_t)width_of(v, axis) / 2,
                              .turn = posenc_axes_turn(1, 1, divisor_of(v, axis))};
}

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    const posenc_value *v = plan->values;
    if (v[DIM].integer % 16 != 0)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "dim",
                           "expected a multiple of 16 for convention cogvideox, got %lld", (long long)v[DIM].integer);
    posenc_status status = posenc_axes_check_count(&v[GRID], N_AXES, "FxHxW", error);
    if (status != POSENC_OK) return status;
    const posenc_axis_part parts[N_AXES] = {part_of(v, FRAME), part_of(v, X), part_of(v, Y)};
    return posenc_axes_make(plan, &places, parts, N_AXES, error);
}

static double equation(const posenc_plan *plan, double position, int64_t column) {
    const posenc_value *v = plan->values;
    int64_t cell[POSENC_MOST_AXES], quarter = v[DIM].integer / 4, each = v[DIM].integer / 8 * 3;
    if (!posenc_axes_cell(plan->rows.axes, (int64_t)position, cell)) return 0;
    int axis = column < quarter ? FRAME : column < quarter + each ? X : Y;
    int64_t m = axis == FRAME ? quarter : each, j = axis == FRAME ? column : (column - quarter) % each;
    long double u = (long double)cell[axis] / (long double)divisor_of(v, axis);
    return posenc_axes_wave(&v[BASE], u, (long double)(j % (m / 2)) / (long double)(m / 2), j >= m / 2);
}

const posenc_scheme posenc_scheme_sinusoidal_3d = {
    .info = {"sinusoidal-3d", "Adds the sines and cosines of a token's frame, row and column in a clip.",
             "Yang et al. 2024, CogVideoX: text-to-video diffusion models with an expert transformer",
             POSENC_EFFECT_ADDS_ROWS,
             "values in [-1, 1]; a quarter of a row depends on the frame alone, the rest on column and row; norm "
             "sqrt(dim/2); prefix rows are zero",
             parameters, N_PARAMETERS},
    .make = make,
    .equation = equation,
};

void posenc_sinusoidal_3d_default(posenc_sinusoidal_3d_options *options, size_t size) {
    posenc_sinusoidal_3d_options all = {
        .size = size, .base = 10000, .interpolation_scale = 1, .temporal_interpolation_scale = 1};
    posenc_options_write(options, size, &all, sizeof all);
}

posenc_status posenc_sinusoidal_3d_create_with(const posenc_context *context,
                                               const posenc_sinusoidal_3d_options *options, posenc_plan **out,
                                               posenc_error *error) {
    posenc_sinusoidal_3d_options all;
    posenc_sinusoidal_3d_default(&all, sizeof all);
    posenc_status status = posenc_options_need(options, &all, sizeof all, error);
    if (status != POSENC_OK) return status;
    posenc_value values[POSENC_MOST_PARAMETERS] = {
        [DIM] = {.integer = all.dim},
        [GRID] = {.integer = N_AXES, .extents = {all.frames, all.height, all.width}},
        [PREFIX] = {.integer = all.prefix},
        [BASE] = {.real = all.base},
        [INTERPOLATION_SCALE] = {.real = all.interpolation_scale},
        [TEMPORAL_SCALE] = {.real = all.temporal_interpolation_scale},
    };
    return posenc_plan_from_values(context, &posenc_scheme_sinusoidal_3d, values, out, error);
}
