/* Rotary position encoding, Su et al. 2021, "RoFormer": pair i of the d rotated channels of a query or key at position
 * p turns by the angle p omega_i, and omega_i = base^(-2i/d) or what a scaling makes of it (rotary_families.h). What
 * stands here is the scheme: its parameters, the making of a plan, and one slow value of its spectrum:
 *     E(p, 2i) = A cos(p omega_i),  E(p, 2i+1) = A sin(p omega_i). */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/rotary_options.h"
#include "schemes/rotary_parts.h"
#include "schemes/schemes.h"

/* ---- parameters ---- */

static const char *const pairings[] = {"halves", "interleaved", "interleaved-in-halves-out", NULL};
static const char *const axes[] = {"single", "sectioned", "interleaved", "axial", "map", NULL};
static const char *const arithmetics[] = {"exact", "float32", NULL};
static const char *const scalings[] = {"default",  "linear", "ntk",          "dynamic", "yarn",
                                       "longrope", "llama3", "proportional", "custom",  NULL};

#define INTEGER(name, text, most, unit, help) \
    { name, POSENC_PARAMETER_INTEGER, text, 0, most, NULL, unit, help }
#define REAL(name, text, least, most, help) \
    { name, POSENC_PARAMETER_REAL, text, least, most, NULL, "", help }
#define CHOICE(name, text, choices, help) \
    { name, POSENC_PARAMETER_CHOICE, text, 0, 0, choices, "", help }
#define LIST(name, least, most, help) \
    { name, POSENC_PARAMETER_LIST, "", least, most, NULL, "", help }

static const posenc_parameter_info parameters[POSENC_ROTARY_N_PARAMETERS] = {
    [POSENC_ROTARY_HEAD_DIM] = INTEGER("head-dim", "0", 16777216, "channels", "Width of a head; 0: dim."),
    [POSENC_ROTARY_DIM] = INTEGER("dim", "0", 16777216, "channels", "Channels of it that turn, even; 0: head-dim."),
    [POSENC_ROTARY_START] = INTEGER("rotary-start", "0", 16777216, "channels", "The first channel that turns."),
    [POSENC_ROTARY_MAX_LEN] = INTEGER("max-len", "4096", 9223372036854774784.0, "tokens",
                                      "Positions -max_len..max_len are prepared for; others work too, slower."),
    [POSENC_ROTARY_PAIRING] = CHOICE("pairing", "halves", pairings,
                                     "Which channels are a pair: i and i + dim/2, or 2i and 2i + 1, or read as these "
                                     "and written as those."),
    [POSENC_ROTARY_AXES] = CHOICE("pair-axes", "single", axes, "Which coordinate of a token turns which pair."),
    [POSENC_ROTARY_SECTIONS] = LIST("sections", 0, 8388608, "Pairs of each axis; their sum is dim/2."),
    [POSENC_ROTARY_AXIS_MAP] = LIST("axis-map", 0, POSENC_MOST_AXES - 1, "Axis of each pair, for pair-axes map."),
    [POSENC_ROTARY_ARITHMETIC] =
        CHOICE("arithmetic", "exact", arithmetics, "How angles are computed: exactly, or as float32 code does."),
    [POSENC_ROTARY_SCALING] = CHOICE("scaling", "default", scalings, "How frequencies are made from the base."),
    [POSENC_ROTARY_BASE] =
        REAL("base", "10000", 1e-6, 1e30, "Base of the geometric series of wavelengths (rope_theta)."),
    [POSENC_ROTARY_FACTOR] = REAL("factor", "1", 0, 1e9,
                                  "How many times longer the context is made; 0, longrope only: "
                                  "max-position-embeddings / original-length."),
    [POSENC_ROTARY_ORIGINAL_LENGTH] = INTEGER("original-length", "0", 1099511627776.0, "tokens",
                                              "Context of the first training (original_max_position_embeddings; "
                                              "dynamic: max_position_embeddings)."),
    [POSENC_ROTARY_MAX_POSITION_EMBEDDINGS] =
        INTEGER("max-position-embeddings", "0", 1099511627776.0, "tokens",
                "Context of the scaled model: longrope's factor where none is given."),
    [POSENC_ROTARY_SEQUENCE_LENGTH] = INTEGER("sequence-length", "0", 1099511627776.0, "tokens",
                                              "dynamic, longrope: pins the length; 0: each call gives lengths."),
    [POSENC_ROTARY_BETA_FAST] =
        REAL("beta-fast", "32", 1e-6, 1e6, "yarn: pairs with more turns in original-length stay as they are."),
    [POSENC_ROTARY_BETA_SLOW] =
        REAL("beta-slow", "1", 1e-6, 1e6, "yarn: pairs with fewer turns in original-length are divided by factor."),
    [POSENC_ROTARY_TRUNCATE] = {"truncate", POSENC_PARAMETER_FLAG, "true", 0, 0, NULL, "",
                                "yarn: the ends of the ramp become whole pairs."},
    [POSENC_ROTARY_MSCALE] = REAL("mscale", "0", 0, 1e6, "yarn: of the amplitude; 0: not given."),
    [POSENC_ROTARY_MSCALE_ALL_DIM] =
        REAL("mscale-all-dim", "0", 0, 1e6, "yarn: of the amplitude and the softmax factor; 0: not given."),
    [POSENC_ROTARY_ATTENTION_FACTOR] =
        REAL("attention-factor", "0", 0, 1e6, "yarn, longrope: the amplitude itself; 0: not given."),
    [POSENC_ROTARY_LOW_FREQ_FACTOR] =
        REAL("low-freq-factor", "1", 1e-6, 1e6, "llama3: pairs with fewer turns are divided by factor."),
    [POSENC_ROTARY_HIGH_FREQ_FACTOR] =
        REAL("high-freq-factor", "4", 1e-6, 1e6, "llama3: pairs with more turns stay as they are."),
    [POSENC_ROTARY_FRACTION] = REAL("fraction", "1", 1e-9, 1, "proportional: the part of the head's pairs that turns."),
    [POSENC_ROTARY_SHORT_FACTOR] =
        LIST("short-factor", 1e-6, 1e9, "longrope: divisors of each pair up to original-length."),
    [POSENC_ROTARY_LONG_FACTOR] = LIST("long-factor", 1e-6, 1e9, "longrope: divisors of each pair past it."),
    [POSENC_ROTARY_INV_FREQ] = LIST("inv-freq", -1e9, 1e9, "custom: radians per position of each pair."),
    [POSENC_ROTARY_AMPLITUDE] = REAL("amplitude", "1", 1e-6, 1e6, "custom: multiplies cosines and sines."),
    [POSENC_ROTARY_XPOS_SCALE_BASE] =
        REAL("xpos-scale-base", "0", 0, 1e12, "xPos: positions for one power of zeta, 512 in the paper; 0: none."),
    [POSENC_ROTARY_XPOS_CENTRE] =
        REAL("xpos-centre", "0", -9007199254740992.0, 9007199254740992.0, "xPos: the position of power 0."),
};

/* ---- plans ---- */

static void end(posenc_plan *plan) {
    posenc_rotary *rotary = plan->rotary;
    if (!rotary) return;
    posenc_rotary_spectrum_destroy(plan, &rotary->spectrum);
    posenc_release(plan->context, rotary->log_zeta);
    posenc_release(plan->context, rotary->places);
    posenc_release(plan->context, rotary);
    plan->rotary = NULL;
}

static posenc_rotary rotary_of(const posenc_value *values) {
    bool by_length = posenc_rotary_family_of(values)->same_length != NULL;
    return (posenc_rotary){
        .head_dim = posenc_rotary_head_dim_of(values),
        .dim = posenc_rotary_dim_of(values),
        .start = values[POSENC_ROTARY_START].integer,
        .pairs = (size_t)posenc_rotary_dim_of(values) / 2,
        .pairing = (posenc_pairing)values[POSENC_ROTARY_PAIRING].integer,
        .by_length = by_length && values[POSENC_ROTARY_SEQUENCE_LENGTH].integer == 0,
        .xpos_scale_base = values[POSENC_ROTARY_XPOS_SCALE_BASE].real,
        .xpos_centre = values[POSENC_ROTARY_XPOS_CENTRE].real,
        .bytes = sizeof(posenc_rotary),
    };
}

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    posenc_status status = posenc_rotary_check(plan->values, error);
    if (status != POSENC_OK) return status;
    posenc_rotary *rotary = plan->rotary = posenc_allocate(plan->context, sizeof *rotary);
    if (!rotary) return posenc_fail_memory(error, "plan", sizeof *rotary);
    *rotary = rotary_of(plan->values);
    posenc_plan_without_rows(plan, plan->rotary->dim);
    status = posenc_rotary_lay_axes(rotary, plan, error);
    if (status == POSENC_OK) status = posenc_rotary_prepare_xpos(rotary, plan->context, error);
    if (status == POSENC_OK)
        status =
            posenc_rotary_spectrum_make(plan, rotary, posenc_rotary_own_length(plan->values), &rotary->spectrum, error);
    if (status != POSENC_OK) {
        end(plan);
        return status;
    }
    rotary->bytes += posenc_rotary_spectrum_bytes(&rotary->spectrum);
    return POSENC_OK;
}

const posenc_rotary *posenc_rotary_of(const posenc_plan *plan) { return plan->rotary; }

static double equation(const posenc_plan *plan, double position, int64_t column) {
    const posenc_rotary_family *family = posenc_rotary_family_of(plan->values);
    size_t i = (size_t)column / 2;
    posenc_rotary_series series = posenc_rotary_series_of(plan->values, i, posenc_rotary_own_length(plan->values));
    long double angle = (long double)position * family->equation(&series, i - series.first);
    long double amplitude = family->amplitude ? (long double)family->amplitude(plan->values) : 1;
    return (double)(amplitude * (column % 2 ? sinl(angle) : cosl(angle)));
}

const posenc_scheme posenc_scheme_rotary = {
    .info = {"rotary", "Turns pairs of channels of queries and keys by angles that grow with the position.",
             "Su et al. 2021, RoFormer: enhanced transformer with rotary position embedding, section 3.2",
             POSENC_EFFECT_ROTATES_PAIRS,
             "amplitude 1: norms stay, R(m) R(n) = R(m + n), and <R(m) q, R(n) k> depends on m - n only", parameters,
             POSENC_ROTARY_N_PARAMETERS},
    .make = make,
    .equation = equation,
    .end = end,
};

/* ---- typed options ---- */

void posenc_rotary_default(posenc_rotary_options *options, size_t size) {
    posenc_rotary_options all = posenc_rotary_usual_options(size);
    posenc_options_write(options, size, &all, sizeof all);
}

static posenc_list reals(const double *numbers, size_t n) { return (posenc_list){.n = n, .reals = numbers}; }
static posenc_list integers(const int64_t *numbers, size_t n) { return (posenc_list){.n = n, .integers = numbers}; }

posenc_status posenc_rotary_create(const posenc_context *context, const posenc_rotary_options *options,
                                   posenc_plan **out, posenc_error *error) {
    posenc_rotary_options o;
    posenc_rotary_default(&o, sizeof o);
    posenc_status status = posenc_options_need(options, &o, sizeof o, error);
    if (status != POSENC_OK) return status;
    if (o.head_dim == 0) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "head-dim", "expected 1..16777216, got 0");
    posenc_value values[POSENC_MOST_PARAMETERS] = {
        [POSENC_ROTARY_HEAD_DIM] = {.integer = o.head_dim},
        [POSENC_ROTARY_DIM] = {.integer = o.dim},
        [POSENC_ROTARY_START] = {.integer = o.rotary_start},
        [POSENC_ROTARY_MAX_LEN] = {.integer = o.max_len},
        [POSENC_ROTARY_PAIRING] = {.integer = o.pairing},
        [POSENC_ROTARY_AXES] = {.integer = o.axes},
        [POSENC_ROTARY_SECTIONS] = {.list = integers(o.sections, o.n_sections)},
        [POSENC_ROTARY_AXIS_MAP] = {.list = integers(o.axis_map, o.n_axis_map)},
        [POSENC_ROTARY_ARITHMETIC] = {.integer = o.arithmetic},
        [POSENC_ROTARY_SCALING] = {.integer = o.scaling},
        [POSENC_ROTARY_BASE] = {.real = o.base},
        [POSENC_ROTARY_FACTOR] = {.real = o.factor},
        [POSENC_ROTARY_ORIGINAL_LENGTH] = {.integer = o.original_length},
        [POSENC_ROTARY_MAX_POSITION_EMBEDDINGS] = {.integer = o.max_position_embeddings},
        [POSENC_ROTARY_SEQUENCE_LENGTH] = {.integer = o.sequence_length},
        [POSENC_ROTARY_BETA_FAST] = {.real = o.beta_fast},
        [POSENC_ROTARY_BETA_SLOW] = {.real = o.beta_slow},
        [POSENC_ROTARY_TRUNCATE] = {.integer = o.truncate != 0},
        [POSENC_ROTARY_MSCALE] = {.real = o.mscale},
        [POSENC_ROTARY_MSCALE_ALL_DIM] = {.real = o.mscale_all_dim},
        [POSENC_ROTARY_ATTENTION_FACTOR] = {.real = o.attention_factor},
        [POSENC_ROTARY_LOW_FREQ_FACTOR] = {.real = o.low_freq_factor},
        [POSENC_ROTARY_HIGH_FREQ_FACTOR] = {.real = o.high_freq_factor},
        [POSENC_ROTARY_FRACTION] = {.real = o.fraction},
        [POSENC_ROTARY_SHORT_FACTOR] = {.list = reals(o.short_factor, o.n_short_factor)},
        [POSENC_ROTARY_LONG_FACTOR] = {.list = reals(o.long_factor, o.n_long_factor)},
        [POSENC_ROTARY_INV_FREQ] = {.list = reals(o.inv_freq, o.n_inv_freq)},
        [POSENC_ROTARY_AMPLITUDE] = {.real = o.amplitude},
        [POSENC_ROTARY_XPOS_SCALE_BASE] = {.real = o.xpos_scale_base},
        [POSENC_ROTARY_XPOS_CENTRE] = {.real = o.xpos_centre},
    };
    return posenc_plan_from_values(context, &posenc_scheme_rotary, values, out, error);
}
