/* Grids: from what a scheme says of each slice to the rows of a plan. */
#include "schemes/axes.h"

#include <posenc/axes.h>

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "phasor/spectrum.h"

posenc_status posenc_axes_check_count(const posenc_value *grid, int n, const char *words, posenc_error *error) {
    char text[POSENC_EXTENTS_TEXT];
    if (grid->integer == n) return POSENC_OK;
    posenc_extents_print(grid->extents, grid->integer, text);
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "grid", "expected %s, %d axes, got %s", words, n, text);
}

/* 1 / divisor = 2^e / m, m odd; as far as 192 bits behind the point hold it. */
static posenc_wide inverse_of(double divisor) {
    int exponent;
    uint64_t m = (uint64_t)ldexp(frexp(divisor, &exponent), 53);
    exponent -= 53;
    for (; m % 2 == 0; m /= 2) exponent++;
    const posenc_wide one = {{0, 0, 0, 1}};
    return exponent < 0 ? posenc_wide_times_ratio(&one, UINT64_C(1) << -exponent, m)
                        : posenc_wide_times_ratio(&one, 1, m << exponent);
}

posenc_wide posenc_axes_turn(uint64_t numerator, uint64_t denominator, double divisor) {
    posenc_wide inverse = inverse_of(divisor), turn = posenc_wide_multiply(&posenc_wide_inverse_turn, &inverse);
    return posenc_wide_times_ratio(&turn, numerator, denominator);
}

/* Below so many positions an engine makes rows one by one; a longer reach costs next to nothing. */
enum { SHORTEST_REACH = POSENC_RADIX };

static posenc_status make_slice(posenc_plan *plan, const posenc_axis_part *part, double base, int64_t extent,
                                posenc_axis_slice *slice, posenc_error *error) {
    int64_t last = part->first + extent - 1;
    size_t second = (size_t)part->width / 2, first = (size_t)part->width - second;
    slice->axis = part->axis;
    slice->first = part->first;
    slice->rows = (posenc_rows){.dim = part->width, .n_first = first, .n_second = second, .planar = part->planar};
    posenc_engine *engine = &slice->rows.engine;
    posenc_status status =
        posenc_engine_create(engine, plan->context, first, last < SHORTEST_REACH ? SHORTEST_REACH : last, error);
    if (status != POSENC_OK) return status;
    posenc_spectrum_geometric_from(engine->turns, first, &part->turn, base, part->step, part->denominator);
    status = posenc_engine_prepare(engine, error);
    if (status != POSENC_OK) posenc_engine_destroy(engine);
    return status;
}

static posenc_status make_slices(posenc_plan *plan, const posenc_grid_places *places, const posenc_axis_part *parts,
                                 int n, posenc_grid *axes, posenc_error *error) {
    int64_t dim = plan->values[places->dim].integer;
    for (int i = 0; i < n && axes->used < dim; i++) {
        posenc_axis_part part = parts[i];
        if (part.width > dim - axes->used) part.width = dim - axes->used;
        if (part.width == 0) continue;
        posenc_axis_slice *slice = &axes->slices[axes->n_slices];
        slice->column = axes->used;
        posenc_status status =
            make_slice(plan, &part, plan->values[places->base].real, axes->extents[part.axis], slice, error);
        if (status != POSENC_OK) return status;
        axes->n_slices++;
        axes->used += part.width;
    }
    return POSENC_OK;
}

/* Gives max-len its value: so many tokens have a row. */
static posenc_status count_tokens(posenc_plan *plan, const posenc_grid_places *places, posenc_error *error) {
    const posenc_value *grid = &plan->values[places->grid];
    posenc_value *max_len = &plan->values[places->max_len];
    int64_t prefix = plan->values[places->prefix].integer, cells = 0;
    posenc_extents_product(grid->extents, grid->integer, &cells);
    if (max_len->integer != 0 && max_len->integer != prefix + cells)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "max-len",
                           "expected 0 or %lld, a prefix of %lld and %lld cells, got %lld", (long long)(prefix + cells),
                           (long long)prefix, (long long)cells, (long long)max_len->integer);
    max_len->integer = prefix + cells;
    return POSENC_OK;
}

posenc_status posenc_axes_make(posenc_plan *plan, const posenc_grid_places *places, const posenc_axis_part *parts,
                               int n, posenc_error *error) {
    const posenc_value *grid = &plan->values[places->grid];
    posenc_status status = count_tokens(plan, places, error);
    if (status != POSENC_OK) return status;
    posenc_grid *axes = posenc_allocate(plan->context, sizeof *axes);
    if (!axes) return posenc_fail_memory(error, "plan", sizeof *axes);
    *axes = (posenc_grid){.n = (int)grid->integer, .prefix = plan->values[places->prefix].integer};
    memcpy(axes->extents, grid->extents, sizeof axes->extents);
    status = make_slices(plan, places, parts, n, axes, error);
    if (status != POSENC_OK) {
        posenc_axes_destroy(plan->context, axes);
        return status;
    }
    plan->rows = (posenc_rows){
        .dim = plan->values[places->dim].integer, .length = plan->values[places->max_len].integer, .axes = axes};
    plan->rows.engine.context = plan->context;
    plan->rows.engine.kernels = posenc_kernels_of(posenc_context_isa_index(plan->context));
    return POSENC_OK;
}

void posenc_axes_destroy(const posenc_context *context, posenc_grid *axes) {
    if (!axes) return;
    for (int i = 0; i < axes->n_slices; i++) posenc_engine_destroy(&axes->slices[i].rows.engine);
    posenc_release(context, axes);
}

size_t posenc_axes_bytes(const posenc_grid *axes) {
    size_t bytes = axes ? sizeof *axes : 0;
    for (int i = 0; axes && i < axes->n_slices; i++) bytes += axes->slices[i].rows.engine.memory_bytes;
    return bytes;
}

bool posenc_axes_cell(const posenc_grid *axes, int64_t position, int64_t *cell) {
    int64_t rest = position - axes->prefix;
    if (rest < 0) return false;
    for (int i = axes->n - 1; i >= 0; i--) {
        cell[i] = rest % axes->extents[i];
        rest /= axes->extents[i];
    }
    return true;
}

double posenc_axes_wave(const posenc_value *base, long double u, long double exponent, bool cosine) {
    long double angle = u * powl((long double)base->real, -exponent);
    return (double)(cosine ? cosl(angle) : sinl(angle));
}

int64_t posenc_plan_tokens(const posenc_plan *plan) { return plan->rows.axes ? plan->rows.length : 0; }
