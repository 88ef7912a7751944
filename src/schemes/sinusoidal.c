/* Sinusoidal position encoding, Vaswani et al. 2017, "Attention is all you need", section 3.5:
 *     E(p, 2i) = sin(p / base^(2i/dim)),  E(p, 2i+1) = cos(same)
 * and the two other arrangements that models in use were trained with. All that distinguishes the layouts is a table:
 * how many frequencies, the exponent's step and denominator, and whether sines and cosines alternate. */
#include <posenc/sinusoidal.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "phasor/float32.h"
#include "phasor/spectrum.h"
#include "schemes/schemes.h"

enum { DIM, MAX_LEN, BASE, LAYOUT, COS_FIRST, ARITHMETIC, N_PARAMETERS };

static const char *const layouts[] = {"interleaved", "halves", "tensor2tensor", NULL};
static const char *const arithmetics[] = {"exact", "float32", "float32-exp", NULL};

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [DIM] = {"dim", POSENC_PARAMETER_INTEGER, NULL, 1, 16777216, NULL, "channels", "Width of a row (d_model)."},
    [MAX_LEN] = {"max-len", POSENC_PARAMETER_INTEGER, "5000", 0, 9223372036854774784.0, NULL, "tokens",
                 "Positions -max_len..max_len are prepared for; others work too, slower."},
    [BASE] = {"base", POSENC_PARAMETER_REAL, "10000", 1e-6, 1e30, NULL, "",
              "Base of the geometric series of wavelengths."},
    [LAYOUT] = {"layout", POSENC_PARAMETER_CHOICE, "interleaved", 0, 0, layouts, "",
                "Where sines and cosines stand in a row."},
    [COS_FIRST] = {"cos-first", POSENC_PARAMETER_FLAG, "false", 0, 0, NULL, "", "Each cosine before its sine."},
    [ARITHMETIC] = {"arithmetic", POSENC_PARAMETER_CHOICE, "exact", 0, 0, arithmetics, "",
                    "How angles are computed: exactly, or as float32 code does."},
};

/* The exponent of frequency i is step * i / denominator. */
typedef struct geometry {
    size_t n_first, n_second;
    uint64_t step, denominator;
    bool planar;
} geometry;

static geometry geometry_of(const posenc_value *values) {
    uint64_t d = (uint64_t)values[DIM].integer, h = d / 2;
    switch ((posenc_layout)values[LAYOUT].integer) {
        case POSENC_LAYOUT_HALVES:
            return (geometry){h, h, 1, h > 0 ? h : 1, true};
        case POSENC_LAYOUT_TENSOR2TENSOR:
            return (geometry){h, h, 1, h > 1 ? h - 1 : 1, true};
        case POSENC_LAYOUT_INTERLEAVED:
            break;
    }
    return (geometry){d - h, h, 2, d, false};
}

static posenc_status make_float32(posenc_plan *plan, const geometry *g, posenc_error *error) {
    posenc_rows *rows = &plan->rows;
    size_t bytes = rows->engine.padded * sizeof(float);
    rows->inv_freq = posenc_allocate(plan->context, bytes);
    if (!rows->inv_freq) return posenc_fail_memory(error, "plan", bytes);
    bool by_exp = plan->values[ARITHMETIC].integer == POSENC_ARITHMETIC_FLOAT32_EXP;
    posenc_float32_frequencies(rows->inv_freq, g->n_first, plan->values[BASE].real, g->step, g->denominator, by_exp);
    return POSENC_OK;
}

static posenc_status make_exact(posenc_plan *plan, const geometry *g, posenc_error *error) {
    posenc_engine *engine = &plan->rows.engine;
    posenc_spectrum_geometric(engine->turns, g->n_first, plan->values[BASE].real, g->step, g->denominator);
    return posenc_engine_prepare(engine, error);
}

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    geometry g = geometry_of(plan->values);
    posenc_rows *rows = &plan->rows;
    bool exact = plan->values[ARITHMETIC].integer == POSENC_ARITHMETIC_EXACT;
    *rows = (posenc_rows){
        .dim = plan->values[DIM].integer,
        .n_first = g.n_first,
        .n_second = g.n_second,
        .planar = g.planar,
        .cos_first = plan->values[COS_FIRST].integer != 0,
    };
    int64_t max_len = exact ? plan->values[MAX_LEN].integer : 0;
    posenc_status status = posenc_engine_create(&rows->engine, plan->context, g.n_first, max_len, error);
    if (status != POSENC_OK) return status;
    status = exact ? make_exact(plan, &g, error) : make_float32(plan, &g, error);
    if (status != POSENC_OK) posenc_engine_destroy(&rows->engine);
    return status;
}

static double equation(const posenc_plan *plan, double position, int64_t column) {
    geometry g = geometry_of(plan->values);
    int64_t n_first = (int64_t)g.n_first, n_second = (int64_t)g.n_second;
    if (column >= n_first + n_second) return 0;
    int64_t i = g.planar ? column % n_first : column / 2;
    bool second = g.planar ? column >= n_first : column % 2 != 0;
    long double exponent = (long double)g.step * (long double)i / (long double)g.denominator;
    long double angle = (long double)position * powl((long double)plan->values[BASE].real, -exponent);
    return (double)(second == (plan->values[COS_FIRST].integer != 0) ? sinl(angle) : cosl(angle));
}

const posenc_scheme posenc_scheme_sinusoidal = {
    .info = {"sinusoidal", "Adds sines and cosines of geometrically spaced frequencies.",
             "Vaswani et al. 2017, Attention is all you need, section 3.5", POSENC_EFFECT_ADDS_ROWS,
             "values in [-1, 1]; even widths: a shift by k is one fixed rotation of every pair, norm sqrt(dim/2)",
             parameters, N_PARAMETERS},
    .make = make,
    .equation = equation,
};

void posenc_sinusoidal_default(posenc_sinusoidal_options *options, size_t size) {
    posenc_sinusoidal_options all = {.size = size, .max_len = 5000, .base = 10000};
    posenc_options_write(options, size, &all, sizeof all);
}

posenc_status posenc_sinusoidal_create_with(const posenc_context *context, const posenc_sinusoidal_options *options,
                                            posenc_plan **out, posenc_error *error) {
    posenc_sinusoidal_options all;
    posenc_sinusoidal_default(&all, sizeof all);
    posenc_status status = posenc_options_need(options, &all, sizeof all, error);
    if (status != POSENC_OK) return status;
    posenc_value values[POSENC_MOST_PARAMETERS] = {
        [DIM] = {.integer = all.dim},
        [MAX_LEN] = {.integer = all.max_len},
        [BASE] = {.real = all.base},
        [LAYOUT] = {.integer = all.layout},
        [COS_FIRST] = {.integer = all.cos_first != 0},
        [ARITHMETIC] = {.integer = all.arithmetic},
    };
    return posenc_plan_from_values(context, &posenc_scheme_sinusoidal, values, out, error);
}

posenc_status posenc_sinusoidal_create(const posenc_context *context, int64_t dim, posenc_plan **out,
                                       posenc_error *error) {
    posenc_sinusoidal_options options;
    posenc_sinusoidal_default(&options, sizeof options);
    options.dim = dim;
    return posenc_sinusoidal_create_with(context, &options, out, error);
}
