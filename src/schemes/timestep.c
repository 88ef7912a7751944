/* Diffusion time steps, Ho et al. 2020, "Denoising diffusion probabilistic models": with h = floor(dim / 2)
 *     f_i = max_period^(-i / (h - shift)), i < h;  E(t) = [cos(t f_i angle_scale) | sin(same)]
 * with sines first in the original, whose shift is 1; ADM, DiT and latent diffusion put cosines first and have shift 0.
 * It is the sinusoidal encoding in halves for shift 0, in tensor2tensor's layout for shift 1. */
#include <posenc/timestep.h>

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "phasor/float32.h"
#include "phasor/spectrum.h"
#include "schemes/schemes.h"

enum { DIM, MAX_LEN, MAX_PERIOD, SHIFT, COS_FIRST, ANGLE_SCALE, ARITHMETIC, N_PARAMETERS };

static const char *const arithmetics[] = {"exact", "float32", "float32-exp", NULL};

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [DIM] = {"dim", POSENC_PARAMETER_INTEGER, NULL, 2, 16777216, NULL, "channels", "Width of a row."},
    [MAX_LEN] = {"max-len", POSENC_PARAMETER_INTEGER, "1000", 0, 9223372036854774784.0, NULL, "steps",
                 "Whole time steps -max_len..max_len are prepared for; others work too, slower."},
    [MAX_PERIOD] = {"max-period", POSENC_PARAMETER_REAL, "10000", 1e-6, 1e30, NULL, "",
                    "Base of the geometric series of wavelengths."},
    [SHIFT] = {"shift", POSENC_PARAMETER_REAL, "0", 0, 1, NULL, "",
               "Frequency i is max_period^(-i/(floor(dim/2) - shift)): a multiple of 2^-20, 0 and 1 are in use "
               "(diffusers: downscale_freq_shift, freq_shift)."},
    [COS_FIRST] = {"cos-first", POSENC_PARAMETER_FLAG, "true", 0, 0, NULL, "",
                   "Cosines before sines (diffusers: flip_sin_to_cos)."},
    [ANGLE_SCALE] = {"angle-scale", POSENC_PARAMETER_REAL, "1", 1e-9, 1e9, NULL, "",
                     "Factor of the angle (diffusers: scale)."},
    [ARITHMETIC] = {"arithmetic", POSENC_PARAMETER_CHOICE, "exact", 0, 0, arithmetics, "",
                    "How angles are computed: exactly, or as float32 code does; diffusers is float32-exp."},
};

/* shift is kept as a whole number of these, so that exponents are exact ratios. */
static const uint64_t unit = (uint64_t)1 << 20;

static uint64_t half_of(const posenc_value *values) { return (uint64_t)values[DIM].integer / 2; }

/* h - shift, in units. */
static uint64_t span_of(const posenc_value *values) {
    return half_of(values) * unit - (uint64_t)(values[SHIFT].real * (double)unit);
}

static posenc_status check(const posenc_value *values, posenc_error *error) {
    double shift = values[SHIFT].real, units = shift * (double)unit;
    if (units != floor(units))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "shift",
                           "expected a multiple of 2^-20 (0 and 1 are in use), "
                           "got %.17g",
                           shift);
    if (shift < (double)half_of(values)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "shift",
                       "expected less than floor(dim / 2), which is %lld for dim %lld, got %g",
                       (long long)half_of(values), (long long)values[DIM].integer, shift);
}

static posenc_status make_float32(posenc_plan *plan, posenc_error *error) {
    posenc_rows *rows = &plan->rows;
    const posenc_value *values = plan->values;
    size_t bytes = rows->engine.padded * sizeof(float);
    rows->inv_freq = posenc_allocate(plan->context, bytes);
    if (!rows->inv_freq) return posenc_fail_memory(error, "plan", bytes);
    rows->angle_scale = (float)values[ANGLE_SCALE].real;
    double span = (double)half_of(values) - values[SHIFT].real;
    if (values[ARITHMETIC].integer == POSENC_ARITHMETIC_FLOAT32_EXP)
        posenc_float32_timestep_frequencies(rows->inv_freq, rows->n_first, values[MAX_PERIOD].real, span);
    else
        posenc_float32_frequencies(rows->inv_freq, rows->n_first, values[MAX_PERIOD].real, unit, span_of(values),
                                   false);
    return POSENC_OK;
}

static posenc_status make_exact(posenc_plan *plan, posenc_error *error) {
    posenc_engine *engine = &plan->rows.engine;
    const posenc_value *values = plan->values;
    posenc_spectrum_geometric(engine->turns, engine->n, values[MAX_PERIOD].real, unit, span_of(values));
    if (values[ANGLE_SCALE].real != 1) posenc_spectrum_scale(engine->turns, engine->n, values[ANGLE_SCALE].real);
    return posenc_engine_prepare(engine, error);
}

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    posenc_status status = check(plan->values, error);
    if (status != POSENC_OK) return status;
    size_t h = (size_t)half_of(plan->values);
    posenc_rows *rows = &plan->rows;
    bool exact = plan->values[ARITHMETIC].integer == POSENC_ARITHMETIC_EXACT;
    *rows = (posenc_rows){
        .dim = plan->values[DIM].integer,
        .n_first = h,
        .n_second = h,
        .planar = true,
        .cos_first = plan->values[COS_FIRST].integer != 0,
    };
    int64_t max_len = exact ? plan->values[MAX_LEN].integer : 0;
    status = posenc_engine_create(&rows->engine, plan->context, h, max_len, error);
    if (status != POSENC_OK) return status;
    status = exact ? make_exact(plan, error) : make_float32(plan, error);
    if (status != POSENC_OK) posenc_engine_destroy(&rows->engine);
    return status;
}

static double equation(const posenc_plan *plan, double position, int64_t column) {
    const posenc_value *values = plan->values;
    int64_t h = (int64_t)half_of(values), i = column % h;
    if (column >= 2 * h) return 0;
    long double exponent = (long double)i / ((long double)h - (long double)values[SHIFT].real);
    long double frequency = powl((long double)values[MAX_PERIOD].real, -exponent);
    long double angle = (long double)position * frequency * (long double)values[ANGLE_SCALE].real;
    return (double)((column < h) == (values[COS_FIRST].integer != 0) ? cosl(angle) : sinl(angle));
}

const posenc_scheme posenc_scheme_timestep = {
    .info = {"timestep", "Adds cosines and sines of a diffusion time step, whole or real.",
             "Ho et al. 2020, Denoising diffusion probabilistic models; Dhariwal and Nichol 2021 (ADM)",
             POSENC_EFFECT_ADDS_ROWS,
             "values in [-1, 1]; a shift by k is one fixed rotation of every pair, norm sqrt(floor(dim/2))", parameters,
             N_PARAMETERS},
    .make = make,
    .equation = equation,
};

void posenc_timestep_default(posenc_timestep_options *options, size_t size) {
    posenc_timestep_options all = {
        .size = size, .max_len = 1000, .max_period = 10000, .cos_first = 1, .angle_scale = 1};
    posenc_options_write(options, size, &all, sizeof all);
}

posenc_status posenc_timestep_create_with(const posenc_context *context, const posenc_timestep_options *options,
                                          posenc_plan **out, posenc_error *error) {
    posenc_timestep_options all;
    posenc_timestep_default(&all, sizeof all);
    posenc_status status = posenc_options_need(options, &all, sizeof all, error);
    if (status != POSENC_OK) return status;
    posenc_value values[POSENC_MOST_PARAMETERS] = {
        [DIM] = {.integer = all.dim},
        [MAX_LEN] = {.integer = all.max_len},
        [MAX_PERIOD] = {.real = all.max_period},
        [SHIFT] = {.real = all.shift},
        [COS_FIRST] = {.integer = all.cos_first != 0},
        [ANGLE_SCALE] = {.real = all.angle_scale},
        [ARITHMETIC] = {.integer = all.arithmetic},
    };
    return posenc_plan_from_values(context, &posenc_scheme_timestep, values, out, error);
}
