/* The caller's plan made anew with exact arithmetic, by its parameters. */
#include <string.h>

#include <posenc/axes.h>

#include "diagnose/formula.h"
#include "schemes/rotary.h"

static posenc_value *value_of(const posenc_scheme *scheme, posenc_value *values, const char *name) {
    for (size_t i = 0; i < scheme->info.n_parameters; i++)
        if (strcmp(scheme->info.parameters[i].name, name) == 0) return &values[i];
    return NULL;
}

/* Parameters that say how to compute, and not what. Exact is the first arithmetic of every scheme. */
static void choose(const posenc_checkup *c, posenc_value *values) {
    const posenc_plan *plan = c->options.plan;
    posenc_value *arithmetic = value_of(plan->scheme, values, "arithmetic");
    posenc_value *max_len = value_of(plan->scheme, values, "max-len");
    bool grid = posenc_plan_tokens(plan) > 0; /* which says itself how long it is */
    if (arithmetic) arithmetic->integer = 0;
    if (max_len && !grid) max_len->integer = c->table.rows;
}

static void describe(const posenc_checkup *c, posenc_value *values, posenc_match *match) {
    const posenc_scheme *scheme = c->options.plan->scheme;
    *match = (posenc_match){.scheme = scheme->info.name, .start = c->options.start};
    if (!posenc_is_sinusoidal(match)) return;
    match->base_is_known = 1;
    match->layout = (posenc_layout)value_of(scheme, values, "layout")->integer;
    match->arithmetic = (posenc_arithmetic)value_of(scheme, values, "arithmetic")->integer;
    match->cos_first = value_of(scheme, values, "cos-first")->integer != 0;
    match->base = value_of(scheme, values, "base")->real;
}

posenc_status posenc_formula_of_plan(const posenc_checkup *c, posenc_plan **exact, posenc_match *match,
                                     posenc_error *error) {
    const posenc_plan *plan = c->options.plan;
    posenc_value values[POSENC_MOST_PARAMETERS];
    memcpy(values, plan->values, plan->scheme->info.n_parameters * sizeof *values);
    describe(c, values, match);
    choose(c, values);
    return posenc_plan_from_values(c->context, plan->scheme, values, exact, error);
}

bool posenc_is_sinusoidal(const posenc_match *match) {
    return match->scheme && strcmp(match->scheme, "sinusoidal") == 0;
}

double posenc_formula_fastest(const posenc_plan *exact, const posenc_match *match) {
    const posenc_rotary *rotary = posenc_rotary_of(exact);
    double fastest = rotary ? 0 : posenc_fastest_of(match);
    for (size_t i = 0; rotary && i < rotary->pairs; i++)
        if (rotary->spectrum.omega[i] > fastest) fastest = rotary->spectrum.omega[i];
    return fastest;
}

double posenc_formula_amplitude(const posenc_plan *exact) {
    const posenc_rotary *rotary = posenc_rotary_of(exact);
    return rotary ? rotary->spectrum.amplitude : 1;
}
