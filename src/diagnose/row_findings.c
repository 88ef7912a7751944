/* What rows tell, in sentences. */
#include <math.h>
#include <stdio.h>

#include "diagnose/look_rows.h"

enum { MOST_PADDING_ROW = 3 }; /* padding stands at the beginning: 0 or 1 in nearly all vocabularies */

static posenc_place row_at(int64_t row) { return (posenc_place){row, -1}; }

/* One zero row at the beginning is what a padding row looks like; a learned table may have it anywhere. */
static bool may_be_padding(const posenc_checkup *c) {
    const posenc_rows_like *zero = &c->rows.zero;
    if (zero->n != 1 || c->options.padding_idx >= 0 || c->rows.others == 0) return false;
    return !c->formula.known || zero->first <= MOST_PADDING_ROW;
}

static posenc_level zero_level(const posenc_checkup *c) {
    if (c->formula.known) return POSENC_LEVEL_ERROR;
    if (c->table.dim == 1) return POSENC_LEVEL_WARNING; /* the one channel of the planar layouts is 0 by rule */
    return c->rows.zero.n > c->rows.others ? POSENC_LEVEL_ERROR : POSENC_LEVEL_WARNING;
}

static void find_zero(posenc_checkup *c) {
    const posenc_rows_like *zero = &c->rows.zero;
    if (zero->n == 0) return;
    if (may_be_padding(c)) {
        posenc_found(c, POSENC_FINDING_ZERO_ROWS, POSENC_LEVEL_NOTE, row_at(zero->first), 1,
                     "position %lld is all zeros, as a padding row is; if it is one, say so with padding_idx %lld",
                     (long long)zero->first, (long long)zero->first);
        return;
    }
    posenc_found(c, POSENC_FINDING_ZERO_ROWS, zero_level(c), row_at(zero->first), (double)zero->n,
                 "%lld of %lld positions %s all zeros, the first is %lld: nothing marks a token there",
                 (long long)zero->n, (long long)c->table.rows, posenc_plural(zero->n, "is", "are"),
                 (long long)zero->first);
}

/* The row that the caller says is padding, and is not zero. */
static void find_padding(posenc_checkup *c) {
    posenc_table one = c->table;
    int64_t row = c->options.padding_idx;
    if (row < 0 || c->rows.zero.n > 0) return;
    one.dim = 1;
    for (int64_t k = 0; k < c->table.dim; k++) {
        double value;
        one.data = posenc_table_element(&c->table, 0, k);
        posenc_table_row(&one, row, &value);
        if (value == 0) continue;
        posenc_found(c, POSENC_FINDING_ZERO_ROWS, POSENC_LEVEL_WARNING, (posenc_place){row, k}, 0,
                     "position %lld is meant for padding and is not zero, channel %lld is %.3g: padding will carry a "
                     "position",
                     (long long)row, (long long)k, value);
        return;
    }
}

static void find_constant(posenc_checkup *c) {
    const posenc_rows_like *constant = &c->rows.constant;
    if (constant->n == 0) return;
    posenc_found(c, POSENC_FINDING_CONSTANT_ROWS, c->formula.known ? POSENC_LEVEL_ERROR : POSENC_LEVEL_WARNING,
                 row_at(constant->first), (double)constant->n,
                 "%lld of %lld positions %s one value in all channels, the first is %lld: the next layer "
                 "normalisation makes nothing of it",
                 (long long)constant->n, (long long)c->table.rows, posenc_plural(constant->n, "has", "have"),
                 (long long)constant->first);
}

/* What the way in which rows repeat looks like. */
static void guess_cause(const posenc_checkup *c, char *text, size_t capacity) {
    const posenc_row_facts *r = &c->rows;
    bool to_the_end = 10 * r->repeated.n >= 9 * (c->table.rows - r->repeated.first);
    if (r->period == 1 && 4 * r->next_door >= r->others)
        snprintf(text, capacity, "as in a table flattened from (length, batch)");
    else if (to_the_end && r->repeated.n > 1 && r->repeated.first == r->period)
        snprintf(text, capacity, "as if the index wrapped at %lld", (long long)r->period);
    else
        snprintf(text, capacity, "the shortest distance of two equal ones is %lld", (long long)r->period);
}

static void find_repeated(posenc_checkup *c, bool crowded) {
    const posenc_row_facts *r = &c->rows;
    char cause[96];
    guess_cause(c, cause, sizeof cause);
    if (crowded)
        snprintf(cause, sizeof cause, "%lld moving %s in %s cannot tell so many apart",
                 (long long)(c->table.dim - c->survey.still),
                 posenc_plural(c->table.dim - c->survey.still, "channel", "channels"),
                 posenc_dtype_name(c->survey.held));
    posenc_finding *f = posenc_found(
        c, POSENC_FINDING_REPEATED_ROWS, crowded ? POSENC_LEVEL_WARNING : POSENC_LEVEL_ERROR, row_at(r->repeated.first),
        (double)r->repeated.n,
        "position %lld has the encoding of position %lld, and %lld of %lld positions repeat an earlier one (%s): a "
        "model "
        "cannot tell them apart",
        (long long)r->repeated.first, (long long)r->twin, (long long)r->repeated.n, (long long)c->table.rows, cause);
    f->twin = r->twin;
    f->period = r->period;
}

static void find_outside(posenc_checkup *c) {
    const posenc_row_facts *r = &c->rows;
    double most = sqrt(c->turns.square);
    if (r->outside.n == 0) return;
    posenc_found(
        c, POSENC_FINDING_OUT_OF_RANGE, POSENC_LEVEL_ERROR, (posenc_place){r->outside.first, r->outside_column},
        r->largest,
        "%lld %s outside of %.6g to %.6g, first at position %lld, channel %lld, up to %.6g in size: no sine and "
        "no cosine is",
        (long long)r->outside.n, posenc_plural(r->outside.n, "value is", "values are"), -most, most,
        (long long)r->outside.first, (long long)r->outside_column, r->largest);
}

posenc_status posenc_row_findings(posenc_checkup *c, posenc_error *error) {
    bool crowded = false;
    posenc_status status = POSENC_OK;
    find_zero(c);
    find_padding(c);
    if (c->stands_still) return status; /* a look of its own says so */
    find_constant(c);
    find_outside(c);
    if (c->rows.repeated.n == 0) return status;
    if (!c->formula.known) status = posenc_rows_are_crowded(c, &crowded, error);
    if (status == POSENC_OK) find_repeated(c, crowded);
    return status;
}
