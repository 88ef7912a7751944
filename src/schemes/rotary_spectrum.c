/* The frequencies of a rotary plan at one sequence length: the families' series, handed out to one phasor engine an
 * axis. */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "phasor/spectrum.h"
#include "schemes/rotary_parts.h"

/* ---- families ---- */

const posenc_rotary_family *posenc_rotary_family_of(const posenc_value *values) {
    static const posenc_rotary_family *const families[] = {
        [POSENC_SCALING_DEFAULT] = &posenc_rotary_default_family,
        [POSENC_SCALING_LINEAR] = &posenc_rotary_linear,
        [POSENC_SCALING_NTK] = &posenc_rotary_ntk,
        [POSENC_SCALING_DYNAMIC] = &posenc_rotary_dynamic,
        [POSENC_SCALING_YARN] = &posenc_rotary_yarn,
        [POSENC_SCALING_LONGROPE] = &posenc_rotary_longrope,
        [POSENC_SCALING_LLAMA3] = &posenc_rotary_llama3,
        [POSENC_SCALING_PROPORTIONAL] = &posenc_rotary_proportional,
        [POSENC_SCALING_CUSTOM] = &posenc_rotary_custom,
    };
    return families[values[POSENC_ROTARY_SCALING].integer];
}

posenc_wide posenc_rotary_blend(const posenc_wide *turns, double factor, const posenc_wide *share,
                                posenc_rotary_counts *counts) {
    posenc_wide divided = posenc_wide_divide(turns, factor), zero = {{0, 0, 0, 0}};
    if (!posenc_wide_less(&zero, share)) {
        counts->kept++;
        return *turns;
    }
    if (!posenc_wide_less(share, &posenc_wide_one)) {
        counts->divided++;
        return divided;
    }
    counts->blended++;
    posenc_wide rest = posenc_wide_subtract(posenc_wide_one, share);
    rest = posenc_wide_multiply(&rest, turns);
    divided = posenc_wide_multiply(&divided, share);
    return posenc_wide_add(rest, &divided);
}

/* ---- series ---- */

posenc_rotary_series posenc_rotary_series_of(const posenc_value *values, size_t i, int64_t length) {
    posenc_rotary_series series = {.values = values, .length = length};
    series.n = (size_t)posenc_rotary_dim_of(values) / 2;
    if (values[POSENC_ROTARY_AXES].integer != POSENC_AXES_AXIAL) return series;
    const double *section = values[POSENC_ROTARY_SECTIONS].list.reals;
    while (i >= series.first + (size_t)*section) series.first += (size_t)*section++;
    series.n = (size_t)*section;
    return series;
}

int64_t posenc_rotary_own_length(const posenc_value *values) {
    int64_t pinned = values[POSENC_ROTARY_SEQUENCE_LENGTH].integer;
    return pinned ? pinned : values[POSENC_ROTARY_ORIGINAL_LENGTH].integer;
}

/* ---- making a spectrum ---- */

/* All frequencies in order of pairs, while a spectrum is made: one of the two. */
typedef struct frequencies {
    posenc_wide *turns;
    float *floats;
} frequencies;

static bool is_exact(const posenc_value *values) {
    return values[POSENC_ROTARY_ARITHMETIC].integer == POSENC_ARITHMETIC_EXACT;
}

/* Series by series; *counts adds up. */
static void make_frequencies(const posenc_value *values, size_t pairs, int64_t length, const frequencies *f,
                             posenc_rotary_counts *counts) {
    const posenc_rotary_family *family = posenc_rotary_family_of(values);
    for (size_t i = 0; i < pairs;) {
        posenc_rotary_series series = posenc_rotary_series_of(values, i, length);
        if (f->turns)
            family->exact(&series, f->turns + series.first, counts);
        else
            family->float32(&series, f->floats + series.first, counts);
        i = series.first + series.n;
    }
}

static size_t place(const posenc_rotary_block *block, size_t k) { return block->at ? block->at[k] : block->first + k; }

static posenc_status give_exact(posenc_rotary_block *block, const posenc_wide *turns, posenc_error *error) {
    for (size_t k = 0; k < block->n; k++) block->rows.engine.turns[k] = turns[place(block, k)];
    return posenc_engine_prepare(&block->rows.engine, error);
}

static posenc_status give_float32(posenc_rotary_block *block, const float *floats, posenc_error *error) {
    size_t bytes = block->rows.engine.padded * sizeof(float);
    float *inv_freq = block->rows.inv_freq = posenc_allocate(block->rows.engine.context, bytes);
    if (!inv_freq) return posenc_fail_memory(error, "plan", bytes);
    for (size_t k = 0; k < block->n; k++) inv_freq[k] = floats[place(block, k)];
    return POSENC_OK;
}

/* One axis: its rows, and their engine. On failure nothing is left of them. */
static posenc_status make_block(const posenc_plan *plan, posenc_rotary_block *block, const frequencies *f,
                                posenc_error *error) {
    posenc_rows *rows = &block->rows;
    int64_t max_len = f->turns ? plan->values[POSENC_ROTARY_MAX_LEN].integer : 0;
    *rows = (posenc_rows){.dim = 2 * (int64_t)block->n, .n_first = block->n, .n_second = block->n, .planar = true};
    posenc_status status = posenc_engine_create(&rows->engine, plan->context, block->n, max_len, error);
    if (status != POSENC_OK) return status;
    status = f->turns ? give_exact(block, f->turns, error) : give_float32(block, f->floats, error);
    if (status != POSENC_OK) posenc_engine_destroy(&rows->engine);
    return status;
}

static void describe(const posenc_plan *plan, const posenc_rotary *rotary, const posenc_rotary_counts *counts,
                     posenc_rotary_spectrum *s) {
    const posenc_rotary_family *family = posenc_rotary_family_of(plan->values);
    bool counted = counts->kept + counts->blended + counts->divided > 0;
    s->amplitude = family->amplitude ? family->amplitude(plan->values) : 1;
    s->info = (posenc_rotary_info){
        .size = sizeof s->info,
        .pairs = (int64_t)rotary->pairs,
        .axes = rotary->axes,
        .amplitude = s->amplitude,
        .softmax_factor = family->softmax_factor ? family->softmax_factor(plan->values) : 1,
        .kept = counted ? counts->kept : (int64_t)rotary->pairs,
        .blended = counts->blended,
        .divided = counts->divided,
        .depends_on_length = rotary->by_length,
    };
}

/* Engines from frequencies that are there. */
static posenc_status fill(const posenc_plan *plan, const posenc_rotary *rotary, const frequencies *f,
                          posenc_rotary_spectrum *s, posenc_error *error) {
    for (size_t i = 0; i < rotary->pairs; i++)
        s->omega[i] = f->turns ? posenc_spectrum_omega(&f->turns[i]) : (double)f->floats[i];
    for (int b = 0; b < rotary->n_blocks; b++) {
        s->blocks[b] = rotary->layout[b];
        posenc_status status = make_block(plan, &s->blocks[b], f, error);
        if (status != POSENC_OK) return status;
        s->n_blocks++;
    }
    return POSENC_OK;
}

posenc_status posenc_rotary_spectrum_make(const posenc_plan *plan, const posenc_rotary *rotary, int64_t length,
                                          posenc_rotary_spectrum *out, posenc_error *error) {
    const posenc_rotary_family *family = posenc_rotary_family_of(plan->values);
    if (family->check_length) {
        posenc_status status = family->check_length(plan->values, length, error);
        if (status != POSENC_OK) return status;
    }
    bool exact = is_exact(plan->values);
    size_t bytes = rotary->pairs * (exact ? sizeof(posenc_wide) : sizeof(float));
    posenc_rotary_spectrum s = {.omega = posenc_allocate(plan->context, rotary->pairs * sizeof(double))};
    void *memory = s.omega ? posenc_allocate(plan->context, bytes) : NULL;
    frequencies f = {.turns = exact ? memory : NULL, .floats = exact ? NULL : memory};
    posenc_rotary_counts counts = {0, 0, 0};
    posenc_status status = POSENC_OK;
    if (!memory) status = posenc_fail_memory(error, "plan", bytes);
    if (memory) make_frequencies(plan->values, rotary->pairs, length, &f, &counts);
    if (memory) status = fill(plan, rotary, &f, &s, error);
    posenc_release(plan->context, memory);
    if (status != POSENC_OK) {
        posenc_rotary_spectrum_destroy(plan, &s);
        return status;
    }
    describe(plan, rotary, &counts, &s);
    *out = s;
    return POSENC_OK;
}

/* ---- what calls ask ---- */

posenc_status posenc_rotary_spectrum_at(const posenc_plan *plan, int64_t length, posenc_rotary_spectrum *out,
                                        posenc_error *error) {
    const posenc_rotary *rotary = plan->rotary;
    if (!rotary->by_length || length == 0) length = posenc_rotary_own_length(plan->values);
    posenc_fpenv saved = posenc_fpenv_enter();
    posenc_status status = posenc_rotary_spectrum_make(plan, rotary, length, out, error);
    posenc_fpenv_leave(saved);
    return status;
}

void posenc_rotary_spectrum_destroy(const posenc_plan *plan, posenc_rotary_spectrum *spectrum) {
    for (int b = 0; b < spectrum->n_blocks; b++) {
        posenc_release(plan->context, spectrum->blocks[b].rows.inv_freq);
        posenc_engine_destroy(&spectrum->blocks[b].rows.engine);
    }
    posenc_release(plan->context, spectrum->omega);
    *spectrum = (posenc_rotary_spectrum){.n_blocks = 0};
}

bool posenc_rotary_same_length(const posenc_plan *plan, int64_t a, int64_t b) {
    const posenc_rotary_family *family = posenc_rotary_family_of(plan->values);
    return !plan->rotary->by_length || !family->same_length || family->same_length(plan->values, a, b);
}

size_t posenc_rotary_spectrum_bytes(const posenc_rotary_spectrum *spectrum) {
    size_t bytes = (size_t)spectrum->info.pairs * sizeof(double);
    for (int b = 0; b < spectrum->n_blocks; b++) {
        const posenc_rows *rows = &spectrum->blocks[b].rows;
        bytes += rows->engine.memory_bytes + (rows->inv_freq ? rows->engine.padded * sizeof(float) : 0);
    }
    return bytes;
}

/* ---- describing ---- */

static posenc_status check_description(const posenc_plan *plan, int64_t length, const posenc_rotary_info *info,
                                       posenc_error *error) {
    if (!plan || !plan->rotary)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "plan", "expected a rotary plan, got %s",
                           plan ? plan->scheme->info.name : "NULL");
    if (length < 0)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "length", "expected 0 and more, got %lld", (long long)length);
    if (!info || info->size < sizeof info->size || info->size > sizeof *info)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, info ? "info.size" : "info", "expected at most %zu, got %zu",
                           sizeof *info, info ? info->size : 0);
    return POSENC_OK;
}

static void write_description(const posenc_rotary *rotary, const posenc_rotary_spectrum *spectrum,
                              posenc_rotary_info *info, double *omega, int64_t *axis) {
    size_t size = info->size;
    memcpy(info, &spectrum->info, size);
    info->size = size;
    if (omega) memcpy(omega, spectrum->omega, rotary->pairs * sizeof *omega);
    for (int b = 0; axis && b < rotary->n_blocks; b++)
        for (size_t k = 0; k < rotary->layout[b].n; k++) axis[place(&rotary->layout[b], k)] = rotary->layout[b].axis;
}

posenc_status posenc_rotary_describe(const posenc_plan *plan, int64_t length, posenc_rotary_info *info, double *omega,
                                     int64_t *axis, posenc_error *error) {
    posenc_status status = check_description(plan, length, info, error);
    if (status != POSENC_OK) return status;
    const posenc_rotary *rotary = plan->rotary;
    if (!rotary->by_length || length == 0 ||
        posenc_rotary_same_length(plan, length, posenc_rotary_own_length(plan->values))) {
        write_description(rotary, &rotary->spectrum, info, omega, axis);
        return POSENC_OK;
    }
    posenc_rotary_spectrum other;
    status = posenc_rotary_spectrum_at(plan, length, &other, error);
    if (status != POSENC_OK) return status;
    write_description(rotary, &other, info, omega, axis);
    posenc_rotary_spectrum_destroy(plan, &other);
    return POSENC_OK;
}
