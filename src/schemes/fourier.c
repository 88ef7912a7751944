/* Fourier features of one real coordinate x. n = dim / 2 frequencies, R the resolution:
 *     bands     [sin(pi x f_k) | cos(same)], f_k = 1 + (R/2 - 1) k / (n - 1)     Jaegle et al. 2021, Perceiver, 3.2
 *     log       the same with f_k = (R/2)^(k / (n - 1))                          Mildenhall et al. 2020, NeRF, 5.1
 *     gaussian  [sin(2 pi u G_k) | cos(same)], u = 2x - 1, G_k ~ N(0, sigma^2)   Tancik et al. 2020, 6
 * with f_0 = 1 where n is 1. A gaussian angle is 2 G_k (x - 1/2) turns: frequencies 2 G_k, counted from an origin of
 * 1/2. */
#include <posenc/fourier.h>

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "phasor/normal.h"
#include "phasor/spectrum.h"
#include "schemes/schemes.h"

enum { DIM, MAX_LEN, KIND, RESOLUTION, SIGMA, FREQUENCY_SEED, N_PARAMETERS };

static const char *const kinds[] = {"bands", "log", "gaussian", NULL};

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [DIM] = {"dim", POSENC_PARAMETER_INTEGER, NULL, 2, 16777216, NULL, "channels",
             "Width of a row, even: twice the number of frequencies."},
    [MAX_LEN] = {"max-len", POSENC_PARAMETER_INTEGER, "1", 0, 9223372036854774784.0, NULL, "",
                 "Whole coordinates -max_len..max_len are prepared for; others work too, slower."},
    [KIND] = {"kind", POSENC_PARAMETER_CHOICE, "bands", 0, 0, kinds, "",
              "Frequencies: evenly spaced bands, equal ratios, or random ones."},
    [RESOLUTION] = {"resolution", POSENC_PARAMETER_REAL, "64", 1e-6, 1e9, NULL, "samples",
                    "Of bands and log: the highest frequency is half of it."},
    [SIGMA] = {"sigma", POSENC_PARAMETER_REAL, "1", 1e-6, 1e6, NULL, "",
               "Of gaussian: standard deviation of the frequencies."},
    [FREQUENCY_SEED] = {"frequency-seed", POSENC_PARAMETER_INTEGER, "0", 0, 9223372036854774784.0, NULL, "",
                        "Of gaussian: which random frequencies."},
};

/* Philox's stream, so that the words are not those of a dropout with the same seed: "freq". */
enum { STREAM = 0x66726571 };

/* G_first .. G_(first + n - 1), first even. */
static void gaussians(const posenc_plan *plan, size_t first, size_t n, double *out) {
    uint64_t seed = (uint64_t)plan->values[FREQUENCY_SEED].integer;
    posenc_normals(plan->rows.engine.kernels, seed, STREAM, first / 2, n, out);
    for (size_t k = 0; k < n; k++) out[k] *= plan->values[SIGMA].real;
}

/* 2 G_k turns, exactly. */
static void gaussian_turns(const posenc_plan *plan, posenc_wide *turns, size_t n) {
    double g[64];
    for (size_t k = 0; k < n; k++) {
        if (k % 64 == 0) gaussians(plan, k, n - k < 64 ? n - k : 64, g);
        turns[k] = posenc_wide_of_double(2 * fabs(g[k % 64]));
        if (g[k % 64] < 0) turns[k] = posenc_wide_negate(&turns[k]);
    }
}

static posenc_status prepare(posenc_plan *plan, posenc_error *error) {
    posenc_engine *engine = &plan->rows.engine;
    double half = plan->values[RESOLUTION].real / 2;
    switch ((posenc_fourier_kind)plan->values[KIND].integer) {
        case POSENC_FOURIER_BANDS:
            posenc_spectrum_linear(engine->turns, engine->n, half);
            break;
        case POSENC_FOURIER_LOG:
            posenc_spectrum_logarithmic(engine->turns, engine->n, half);
            break;
        case POSENC_FOURIER_GAUSSIAN:
            gaussian_turns(plan, engine->turns, engine->n);
            break;
    }
    posenc_status status = posenc_engine_prepare(engine, error);
    if (status != POSENC_OK || plan->values[KIND].integer != POSENC_FOURIER_GAUSSIAN) return status;
    return posenc_engine_set_origin(engine, 0.5, error);
}

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    int64_t dim = plan->values[DIM].integer;
    if (dim % 2 != 0)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "dim",
                           "expected an even width, twice the number of frequencies, got %lld", (long long)dim);
    size_t n = (size_t)dim / 2;
    posenc_rows *rows = &plan->rows;
    *rows = (posenc_rows){.dim = dim, .n_first = n, .n_second = n, .planar = true};
    posenc_status status = posenc_engine_create(&rows->engine, plan->context, n, plan->values[MAX_LEN].integer, error);
    if (status != POSENC_OK) return status;
    status = prepare(plan, error);
    if (status != POSENC_OK) posenc_engine_destroy(&rows->engine);
    return status;
}

/* Turns of frequency k at x. */
static long double angle_of(const posenc_plan *plan, double x, int64_t k) {
    int64_t last = plan->values[DIM].integer / 2 - 1;
    long double half = (long double)plan->values[RESOLUTION].real / 2, share = last > 0 ? (long double)k / last : 0;
    double g[2];
    switch ((posenc_fourier_kind)plan->values[KIND].integer) {
        case POSENC_FOURIER_BANDS:
            return (long double)x * (1 + (half - 1) * share) / 2;
        case POSENC_FOURIER_LOG:
            return (long double)x * powl(half, share) / 2;
        case POSENC_FOURIER_GAUSSIAN:
            break;
    }
    gaussians(plan, (size_t)k / 2 * 2, 2, g);
    return (2 * (long double)x - 1) * (long double)g[k % 2];
}

static double equation(const posenc_plan *plan, double position, int64_t column) {
    int64_t n = plan->values[DIM].integer / 2;
    long double turns = angle_of(plan, position, column % n), angle = 8 * atanl(1) * (turns - rintl(turns));
    return (double)(column < n ? sinl(angle) : cosl(angle));
}

const posenc_scheme posenc_scheme_fourier = {
    .info = {"fourier",
             "Adds sines and cosines of one real coordinate at evenly spaced, growing or random frequencies.",
             "Tancik et al. 2020, Fourier features let networks learn high frequency functions; Jaegle et al. 2021, "
             "Perceiver, section 3.2",
             POSENC_EFFECT_ADDS_ROWS,
             "values in [-1, 1]; a shift by k is one fixed rotation of every pair, norm sqrt(dim/2)", parameters,
             N_PARAMETERS},
    .make = make,
    .equation = equation,
};

void posenc_fourier_default(posenc_fourier_options *options, size_t size) {
    posenc_fourier_options all = {.size = size, .max_len = 1, .resolution = 64, .sigma = 1};
    posenc_options_write(options, size, &all, sizeof all);
}

posenc_status posenc_fourier_create_with(const posenc_context *context, const posenc_fourier_options *options,
                                         posenc_plan **out, posenc_error *error) {
    posenc_fourier_options all;
    posenc_fourier_default(&all, sizeof all);
    posenc_status status = posenc_options_need(options, &all, sizeof all, error);
    if (status != POSENC_OK) return status;
    posenc_value values[POSENC_MOST_PARAMETERS] = {
        [DIM] = {.integer = all.dim},   [MAX_LEN] = {.integer = all.max_len},
        [KIND] = {.integer = all.kind}, [RESOLUTION] = {.real = all.resolution},
        [SIGMA] = {.real = all.sigma},  [FREQUENCY_SEED] = {.integer = all.frequency_seed},
    };
    return posenc_plan_from_values(context, &posenc_scheme_fourier, values, out, error);
}
