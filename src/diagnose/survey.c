/* Each thread surveys its blocks alone; minima, counts and first places then merge to the same in any order. */
#include "diagnose/survey.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "diagnose/walk.h"

static void blank(posenc_survey *s, double *lowest, double *highest, int64_t dim) {
    *s = (posenc_survey){.first_nan = {-1, -1}, .first_infinite = {-1, -1}, .lowest = lowest, .highest = highest};
    s->minimum = HUGE_VAL, s->maximum = -HUGE_VAL;
    for (int64_t c = 0; c < dim; c++) lowest[c] = HUGE_VAL, highest[c] = -HUGE_VAL;
}

static bool comes_before(posenc_place a, posenc_place b) {
    return b.row < 0 || a.row < b.row || (a.row == b.row && a.column < b.column);
}

static void note(int64_t *n, posenc_place *first, posenc_place at) {
    if (comes_before(at, *first)) *first = at;
    ++*n;
}

static bool all_finite(const double *row, int64_t dim) {
    int odd = 0;
    for (int64_t c = 0; c < dim; c++) odd |= !(fabs(row[c]) <= DBL_MAX);
    return !odd;
}

/* -0 counts as 0, so that a channel of both stands still. */
static void take_value(posenc_survey *s, int64_t c, double value) {
    s->lowest[c] = value < s->lowest[c] ? value : s->lowest[c];
    s->highest[c] = value > s->highest[c] ? value : s->highest[c];
}

static void take_broken_row(posenc_survey *s, int64_t row, const double *values, int64_t dim) {
    for (int64_t c = 0; c < dim; c++) {
        if (isnan(values[c]))
            note(&s->n_nan, &s->first_nan, (posenc_place){row, c});
        else if (isinf(values[c]))
            note(&s->n_infinite, &s->first_infinite, (posenc_place){row, c});
        else
            take_value(s, c, values[c]);
    }
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void take_row(posenc_survey *s, const double *values, int64_t dim) {
    uint64_t bits = 0;
    for (int64_t c = 0; c < dim; c++) {
        take_value(s, c, values[c]);
        bits |= bits_of(values[c]);
    }
    s->bits |= bits;
    s->whole++;
}

static void take_block(void *argument, int slot, const posenc_block *block) {
    posenc_survey *s = (posenc_survey *)argument + slot;
    for (int64_t i = 0; i < block->rows; i++) {
        const double *values = block->values + i * block->dim;
        if (all_finite(values, block->dim))
            take_row(s, values, block->dim);
        else
            take_broken_row(s, block->first + i, values, block->dim);
    }
}

static void merge(posenc_survey *to, const posenc_survey *from, int64_t dim) {
    if (from->n_nan > 0 && comes_before(from->first_nan, to->first_nan)) to->first_nan = from->first_nan;
    if (from->n_infinite > 0 && comes_before(from->first_infinite, to->first_infinite))
        to->first_infinite = from->first_infinite;
    to->whole += from->whole;
    to->n_nan += from->n_nan;
    to->n_infinite += from->n_infinite;
    to->bits |= from->bits;
    for (int64_t c = 0; c < dim; c++) {
        take_value(to, c, from->lowest[c]);
        take_value(to, c, from->highest[c]);
    }
}

/* The narrowest dtype whose significand has all the bits that are in use. */
static posenc_dtype held_dtype(uint64_t bits, posenc_dtype own) {
    static const struct {
        posenc_dtype dtype;
        int significand;
    } narrow[] = {{POSENC_BF16, 7}, {POSENC_F16, 10}, {POSENC_F32, 23}};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow && narrow[i].dtype != own; i++) {
        if (own == POSENC_F16) continue; /* neither 16-bit dtype holds the other's values */
        if ((bits & ((UINT64_C(1) << (52 - narrow[i].significand)) - 1)) == 0) return narrow[i].dtype;
    }
    return own;
}

static void finish(posenc_survey *s, const posenc_table *table) {
    for (int64_t c = 0; c < table->dim; c++) {
        if (s->lowest[c] < s->minimum) s->minimum = s->lowest[c];
        if (s->highest[c] > s->maximum) s->maximum = s->highest[c];
        s->still += posenc_channel_is_still(s, c);
    }
    s->held = held_dtype(s->bits, table->dtype);
}

posenc_status posenc_survey_take(const posenc_context *context, const posenc_table *table, posenc_survey *survey,
                                 posenc_error *error) {
    int n = posenc_walk_slots(context, table);
    int64_t dim = table->dim;
    size_t row, all;
    if (!posenc_bytes_of(dim, 2 * sizeof(double), &row) || !posenc_size_multiply(row, (size_t)n, &all) ||
        !posenc_size_add(all, (size_t)n * sizeof(posenc_survey), &all))
        return posenc_fail_memory(error, "table", SIZE_MAX);
    double *extremes = posenc_allocate(context, all);
    if (!extremes) return posenc_fail_memory(error, "table", all);
    posenc_survey *slots = (posenc_survey *)(void *)(extremes + 2 * dim * n);
    for (int i = 0; i < n; i++) blank(&slots[i], extremes + 2 * dim * i, extremes + 2 * dim * i + dim, dim);
    posenc_walk walk = {.context = context, .table = table, .argument = slots, .look = take_block};
    posenc_status status = posenc_walk_run(&walk, error);
    if (status != POSENC_OK) {
        posenc_release(context, extremes);
        return status;
    }
    for (int i = 1; i < n; i++) merge(&slots[0], &slots[i], dim);
    *survey = slots[0];
    finish(survey, table);
    return POSENC_OK;
}

void posenc_survey_end(const posenc_context *context, posenc_survey *survey) {
    posenc_release(context, survey->lowest); /* the block's beginning */
}
