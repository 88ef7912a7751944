/* Making and asking a plan. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/context.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "schemes/axes.h"
#include "schemes/bias.h"
#include "schemes/rotary.h"

/* Copies the elements of all lists into one block, and points the plan's values at it. */
static posenc_status copy_lists(posenc_plan *plan, posenc_error *error) {
    size_t total = 0, bytes;
    for (size_t i = 0; i < plan->scheme->info.n_parameters; i++)
        if (!posenc_size_add(total, plan->values[i].list.n, &total)) total = SIZE_MAX;
    if (total == 0) return POSENC_OK;
    if (!posenc_size_multiply(total, sizeof(double), &bytes)) bytes = SIZE_MAX;
    double *next = plan->lists = posenc_allocate(plan->context, bytes);
    if (!next) return posenc_fail_memory(error, "plan", bytes);
    for (size_t i = 0; i < plan->scheme->info.n_parameters; i++) {
        posenc_list *list = &plan->values[i].list;
        posenc_list_read(list, next);
        *list = (posenc_list){.n = list->n, .reals = list->n > 0 ? next : NULL};
        next += list->n;
    }
    return POSENC_OK;
}

posenc_status posenc_plan_from_values(const posenc_context *context, const posenc_scheme *scheme,
                                      const posenc_value *values, posenc_plan **out, posenc_error *error) {
    posenc_status status = posenc_values_check(scheme, values, error);
    if (status != POSENC_OK) return status;
    if (!out) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "out", "expected a pointer, got NULL");
    posenc_plan *plan = posenc_allocate(context, sizeof *plan);
    if (!plan) return posenc_fail_memory(error, "plan", sizeof *plan);
    memset(plan, 0, sizeof *plan);
    plan->context = context;
    plan->scheme = scheme;
    plan->stream_bytes = posenc_cache_bytes() / 2;
    memcpy(plan->values, values, scheme->info.n_parameters * sizeof *values);
    posenc_fpenv saved = posenc_fpenv_enter();
    status = copy_lists(plan, error);
    if (status == POSENC_OK) status = scheme->make(plan, error);
    posenc_fpenv_leave(saved);
    if (status != POSENC_OK) {
        posenc_release(context, plan->lists);
        posenc_release(context, plan);
        return status;
    }
    *out = plan;
    return POSENC_OK;
}

void posenc_plan_without_rows(posenc_plan *plan, int64_t dim) {
    plan->rows = (posenc_rows){.dim = dim};
    plan->rows.engine.context = plan->context;
    plan->rows.engine.kernels = posenc_kernels_of(posenc_context_isa_index(plan->context));
}

static posenc_status refuse_scheme(const char *name, posenc_error *error) {
    const char *names[64];
    size_t n = posenc_scheme_count();
    for (size_t i = 0; i < n && i < 64; i++) names[i] = posenc_scheme_at(i)->name;
    const char *near = posenc_nearest_name(name, names, n < 64 ? n : 64);
    if (!name) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "scheme", "expected a name, got NULL");
    if (near)
        return posenc_fail(error, POSENC_ERROR_UNKNOWN, "scheme",
                           "expected a known scheme, got \"%.40s\"; did you mean \"%s\"?", name, near);
    return posenc_fail(error, POSENC_ERROR_UNKNOWN, "scheme", "expected a known scheme, got \"%.40s\"", name);
}

posenc_status posenc_plan_create(const posenc_context *context, const char *scheme, const posenc_parameter *parameters,
                                 size_t n_parameters, posenc_plan **out, posenc_error *error) {
    const posenc_scheme *found = posenc_scheme_inside(scheme);
    if (!found) return refuse_scheme(scheme, error);
    if (n_parameters > 0 && !parameters)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "parameters", "expected a pointer, got NULL");
    posenc_value values[POSENC_MOST_PARAMETERS];
    posenc_status status = posenc_values_default(found, values, error);
    if (status == POSENC_OK) status = posenc_values_parse(found, parameters, n_parameters, values, error);
    return status == POSENC_OK ? posenc_plan_from_values(context, found, values, out, error) : status;
}

void posenc_plan_destroy(posenc_plan *plan) {
    if (!plan) return;
    if (plan->scheme->end) plan->scheme->end(plan);
    posenc_release(plan->context, plan->lists);
    posenc_release(plan->context, plan->rows.inv_freq);
    posenc_engine_destroy(&plan->rows.engine);
    posenc_axes_destroy(plan->context, plan->rows.axes);
    posenc_release(plan->context, plan);
}

const char *posenc_plan_scheme(const posenc_plan *plan) { return plan->scheme->info.name; }

int64_t posenc_plan_dim(const posenc_plan *plan) { return plan->rows.dim; }

const char *posenc_plan_isa(const posenc_plan *plan) { return posenc_isa_text(plan->rows.engine.kernels->isa); }

size_t posenc_plan_bytes(const posenc_plan *plan) {
    size_t floats = plan->rows.inv_freq ? plan->rows.engine.padded * sizeof(float) : 0;
    size_t lists = 0, rotary = plan->rotary ? plan->rotary->bytes : 0;
    size_t bias = plan->bias ? plan->bias->bytes : 0;
    for (size_t i = 0; i < plan->scheme->info.n_parameters; i++) lists += plan->values[i].list.n * sizeof(double);
    return sizeof *plan + plan->rows.engine.memory_bytes + floats + lists + rotary + bias +
           posenc_axes_bytes(plan->rows.axes);
}

/* What a caller who wanted rows may have looked for. */
static const char *instead_of(const posenc_scheme_info *info) {
    switch (info->effect) {
        case POSENC_EFFECT_ROTATES_PAIRS:
            return "; posenc_rotary_apply is for it";
        case POSENC_EFFECT_BIASES_SCORES:
            return "; posenc_bias_add is for it";
        case POSENC_EFFECT_RELATES_VECTORS:
            return strcmp(info->name, "shaw") == 0 ? "; posenc_shaw_scores is for it" : "; posenc_xl_scores is for it";
        default:
            return "";
    }
}

posenc_status posenc_plan_must_add_rows(const posenc_plan *plan, posenc_error *error) {
    const posenc_scheme_info *info = &plan->scheme->info;
    if (info->effect == POSENC_EFFECT_ADDS_ROWS) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_UNSUPPORTED, "plan", "expected a scheme that adds rows, got %s, which %s%s",
                       info->name, posenc_effect_name(info->effect), instead_of(info));
}

static bool has_row(const posenc_rows *rows, double position) {
    return rows->length == 0 || (position == floor(position) && position >= 0 && position < (double)rows->length);
}

posenc_status posenc_plan_equation(const posenc_plan *plan, double position, int64_t column, double *value) {
    if (!plan || !value || column < 0 || column >= plan->rows.dim) return POSENC_ERROR_ARGUMENT;
    if (!isfinite(position) || !has_row(&plan->rows, position)) return POSENC_ERROR_POSITION;
    posenc_effect effect = plan->scheme->info.effect;
    bool distances = effect == POSENC_EFFECT_BIASES_SCORES || effect == POSENC_EFFECT_RELATES_VECTORS;
    if (distances && position != floor(position)) return POSENC_ERROR_POSITION; /* distances are whole */
    posenc_fpenv saved = posenc_fpenv_enter();
    *value = plan->scheme->equation(plan, position, column);
    posenc_fpenv_leave(saved);
    return POSENC_OK;
}
