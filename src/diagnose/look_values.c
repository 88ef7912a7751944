/* Values: not a number, infinite, and far from all others. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "diagnose/look.h"
#include "diagnose/survey.h"

enum { SAMPLE_SIDE = 256 }; /* rows and channels whose sizes make the median */

static const double spike_ratio = 1e3;   /* of a spike to the median size */
static const double lonely_ratio = 50;   /* of a spike to what the rest of its channel may reach */
static const double lonely_share = 0.02; /* of the channel, that may reach further */

static void find_nan(posenc_checkup *c) {
    const posenc_survey *s = &c->survey;
    if (s->n_nan == 0) return;
    posenc_found(c, POSENC_FINDING_NAN, POSENC_LEVEL_ERROR, s->first_nan, (double)s->n_nan,
                 "%lld %s not a number, first at position %lld, channel %lld: whatever is added to one is lost, and "
                 "attention carries it to every other token",
                 (long long)s->n_nan, posenc_plural(s->n_nan, "value is", "values are"), (long long)s->first_nan.row,
                 (long long)s->first_nan.column);
}

static void find_infinite(posenc_checkup *c) {
    const posenc_survey *s = &c->survey;
    if (s->n_infinite == 0) return;
    posenc_found(
        c, POSENC_FINDING_INFINITE, POSENC_LEVEL_ERROR, s->first_infinite, (double)s->n_infinite,
        "%lld %s infinite, first at position %lld, channel %lld: the token there becomes infinite and then NaN "
        "in the next normalisation",
        (long long)s->n_infinite, posenc_plural(s->n_infinite, "value is", "values are"),
        (long long)s->first_infinite.row, (long long)s->first_infinite.column);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One channel as a table of its own. */
static posenc_table channel_of(const posenc_table *table, int64_t channel) {
    posenc_table one = *table;
    one.data = posenc_table_element(table, 0, channel);
    one.dim = 1;
    return one;
}

/* Sizes of evenly spread values that are finite and not 0. Returns how many. */
static size_t sample_sizes(const posenc_table *table, double *sizes) {
    int64_t rows = table->rows < SAMPLE_SIDE ? table->rows : SAMPLE_SIDE;
    int64_t channels = table->dim < SAMPLE_SIDE ? table->dim : SAMPLE_SIDE;
    size_t n = 0;
    for (int64_t k = 0; k < channels; k++) {
        posenc_table one = channel_of(table, k * (table->dim / channels));
        for (int64_t i = 0; i < rows; i++) {
            double value;
            posenc_table_row(&one, i * (table->rows / rows), &value);
            if (fabs(value) <= DBL_MAX && value != 0) sizes[n++] = fabs(value);
        }
    }
    return n;
}

/* 0: nothing to compare with. */
static posenc_status median_size(const posenc_checkup *c, double *median, posenc_error *error) {
    size_t bytes = SAMPLE_SIDE * SAMPLE_SIDE * sizeof(double);
    double *sizes = posenc_allocate(c->context, bytes);
    if (!sizes) return posenc_fail_memory(error, "table", bytes);
    size_t n = sample_sizes(&c->table, sizes);
    qsort(sizes, n, sizeof *sizes, by_size);
    *median = n > 0 ? sizes[n / 2] : 0;
    posenc_release(c->context, sizes);
    return POSENC_OK;
}

static double largest_of(const posenc_survey *s, int64_t channel) {
    return s->lowest[channel] > s->highest[channel] ? 0 : fmax(fabs(s->lowest[channel]), fabs(s->highest[channel]));
}

/* Whether a channel's largest value stands alone in it, and where. A channel that is large throughout is none. */
static bool is_lonely(const posenc_checkup *c, int64_t channel, double largest, posenc_place *at) {
    posenc_table one = channel_of(&c->table, channel);
    int64_t n = 0;
    *at = (posenc_place){-1, channel};
    for (int64_t i = 0; i < one.rows; i++) {
        double value;
        posenc_table_row(&one, i, &value);
        if (!(fabs(value) <= DBL_MAX)) continue;
        if (fabs(value) == largest && at->row < 0) at->row = i;
        n += fabs(value) > largest / lonely_ratio;
    }
    return n == 1 || (double)n < lonely_share * (double)one.rows;
}

static posenc_status find_spike(posenc_checkup *c, posenc_error *error) {
    double median = 0, largest = 0;
    posenc_place at = {-1, -1}, here;
    posenc_status status = median_size(c, &median, error);
    if (status != POSENC_OK || median == 0 || c->table.rows < 2) return status;
    for (int64_t k = 0; k < c->table.dim; k++) {
        double size = largest_of(&c->survey, k);
        if (size > spike_ratio * median && size > largest && is_lonely(c, k, size, &here)) largest = size, at = here;
    }
    if (largest == 0) return POSENC_OK;
    posenc_found(c, POSENC_FINDING_OUT_OF_RANGE, POSENC_LEVEL_WARNING, at, largest,
                 "the value at position %lld, channel %lld is %.3g in size, %.0f times the median of %.3g: it drowns "
                 "what the other channels say of that position",
                 (long long)at.row, (long long)at.column, largest, largest / median, median);
    return POSENC_OK;
}

/* Values beyond a formula's range are found with its rows. */
posenc_status posenc_look_values(posenc_checkup *c, posenc_error *error) {
    bool any = c->survey.minimum <= c->survey.maximum;
    c->report.looked_at |= 1u << POSENC_LOOK_VALUES;
    c->report.minimum = any ? c->survey.minimum : (double)NAN;
    c->report.maximum = any ? c->survey.maximum : (double)NAN;
    find_nan(c);
    find_infinite(c);
    return c->formula.known ? POSENC_OK : find_spike(c, error);
}
