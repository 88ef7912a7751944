/* Check: the door, and the order of looks. */
#include <posenc/check.h>

#include <math.h>
#include <string.h>

#include <posenc/scheme.h>

#include "base/fpenv.h"
#include "base/memory.h"
#include "base/options.h"
#include "diagnose/formula.h"
#include "diagnose/slices.h"
#include "diagnose/survey.h"
#include "schemes/rotary.h"

static const posenc_check_options defaults = {.size = sizeof(posenc_check_options), .padding_idx = -1};

void posenc_check_default(posenc_check_options *options, size_t size) {
    posenc_check_options own = defaults;
    own.size = size;
    posenc_options_write(options, size, &own, sizeof own);
}

/* ---- the door ---- */

static posenc_status check_scheme(const posenc_checkup *c, posenc_error *error) {
    const posenc_plan *plan = c->options.plan;
    if (!plan) return POSENC_OK;
    const posenc_scheme_info *scheme = posenc_scheme_find(posenc_plan_scheme(plan));
    if (scheme->effect != POSENC_EFFECT_ADDS_ROWS && scheme->effect != POSENC_EFFECT_ROTATES_PAIRS)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "plan",
                           "expected a scheme that adds rows or rotates pairs, got %s", scheme->name);
    if (posenc_rotary_of(plan) && posenc_rotary_of(plan)->by_length)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "plan",
                           "expected frequencies of one length, by sequence-length, got ones that depend on it");
    return POSENC_OK;
}

static posenc_status check_plan(const posenc_checkup *c, posenc_error *error) {
    const posenc_plan *plan = c->options.plan;
    if (!plan) return POSENC_OK;
    if (c->table.dim != posenc_plan_dim(plan))
        return posenc_fail(error, POSENC_ERROR_SHAPE, "table", "expected %lld channels, as the plan has, got %lld",
                           (long long)posenc_plan_dim(plan), (long long)c->table.dim);
    if (c->table.rows > 0 && c->options.start > INT64_MAX - (c->table.rows - 1))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "start", "expected at most %lld for %lld rows, got %lld",
                           (long long)(INT64_MAX - (c->table.rows - 1)), (long long)c->table.rows,
                           (long long)c->options.start);
    return POSENC_OK;
}

static posenc_status check_padding(const posenc_checkup *c, posenc_error *error) {
    int64_t row = c->options.padding_idx;
    if (row == -1 || (row >= 0 && row < c->table.rows)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "padding_idx",
                       "expected -1 for none, or a row of the table's %lld, got %lld", (long long)c->table.rows,
                       (long long)row);
}

/* Cosines and sines, by the plan or by what they look like; else a table, or a batch of one. */
static posenc_status open_table(posenc_checkup *c, const DLTensor *table, bool *swapped, posenc_error *error) {
    const posenc_plan *plan = c->options.plan;
    bool must = plan && posenc_rotary_of(plan);
    c->turns = (posenc_turns){.square = 1};
    posenc_status status = POSENC_OK;
    if (must || !plan) status = posenc_turns_open(table, "table", must, &c->table, &c->turns, error);
    if (status != POSENC_OK || c->turns.are) return status;
    return posenc_table_of_slices(table, "table", &c->table, swapped, error);
}

static posenc_status open_check(posenc_checkup *c, const posenc_check_options *options, const DLTensor *table,
                                bool *swapped, posenc_error *error) {
    c->options = defaults;
    posenc_status status = posenc_options_read(options, &c->options, sizeof c->options, "options.size", error);
    if (status == POSENC_OK) status = check_scheme(c, error);
    if (status == POSENC_OK) status = open_table(c, table, swapped, error);
    if (status == POSENC_OK) status = check_plan(c, error);
    if (status == POSENC_OK) status = check_padding(c, error);
    return status;
}

static posenc_status check_report(const posenc_check_report *report, posenc_error *error) {
    if (!report) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "report", "expected a report, got NULL");
    if (report->size >= sizeof report->size && report->size <= sizeof *report) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "report.size", "expected at most %zu, got %zu", sizeof *report,
                       report->size);
}

/* ---- the looks ---- */

static void blank_report(posenc_checkup *c) {
    posenc_check_report *r = &c->report;
    *r = (posenc_check_report){.rows = c->table.rows, .dim = c->table.dim, .dtype = c->table.dtype};
    r->minimum = r->maximum = r->effective_dimension = r->amplitude = (double)NAN;
    r->rank = r->first_imprecise = -1;
    for (int i = 0; i < 2; i++)
        r->extensions[i] = (posenc_extension){.repeated_rows = -1, .float32_error = (double)NAN};
}

/* A batch whose slices differ while the rows of each are one. */
static void find_swapped(posenc_checkup *c, const DLTensor *table) {
    posenc_found(
        c, POSENC_FINDING_POSITION_AXIS, POSENC_LEVEL_ERROR, (posenc_place){-1, -1}, (double)table->shape[1],
        "within each of the %lld sequences all %lld positions have one encoding, which differs from sequence to "
        "sequence: the encoding follows the batch axis, as when (length, batch, dim) is taken for (batch, "
        "length, dim)",
        (long long)table->shape[0], (long long)table->shape[1]);
}

static posenc_status take_survey(posenc_checkup *c, posenc_error *error) {
    posenc_status status = posenc_survey_take(c->context, &c->table, &c->survey, error);
    if (status != POSENC_OK) return status;
    const posenc_survey *s = &c->survey;
    c->all_zero = s->n_nan == 0 && s->n_infinite == 0 && s->minimum == 0 && s->maximum == 0;
    c->stands_still = s->whole > 1 && s->still == c->table.dim && !c->all_zero;
    return POSENC_OK;
}

static posenc_status look(posenc_checkup *c, posenc_error *error) {
    posenc_status status = take_survey(c, error);
    if (status == POSENC_OK) status = posenc_look_formula(c, error);
    if (status == POSENC_OK) status = posenc_look_neighbours(c, error);
    if (status == POSENC_OK) status = posenc_look_scaled(c, error);
    if (status == POSENC_OK) status = posenc_look_values(c, error);
    if (status == POSENC_OK) status = posenc_look_rows(c, error);
    if (status == POSENC_OK) status = posenc_look_channels(c, error);
    if (status != POSENC_OK) return status;
    posenc_look_pairs(c);
    posenc_look_precision(c);
    status = posenc_look_rank(c, error);
    if (status == POSENC_OK) status = posenc_look_training(c, error);
    if (status == POSENC_OK) status = posenc_look_extension(c, error);
    return status;
}

static void close_check(posenc_checkup *c) {
    posenc_survey_end(c->context, &c->survey);
    posenc_plan_destroy(c->formula.exact);
    posenc_release(c->context, c->bad_channels);
}

/* How a plan fits is known once its rows have been compared. A rotary formula was found as the sinusoidal one of its
 * cosines and sines. */
static void finish(posenc_checkup *c) {
    posenc_check_report *r = &c->report;
    const posenc_row_facts *rows = &c->rows;
    if (c->formula.given && rows->compared > 0) {
        r->match.max_error = rows->all.largest;
        r->match.rms_error = sqrt(rows->squares / ((double)rows->compared * (double)c->table.dim));
        r->match.rows = rows->compared;
        r->match.rows_fit = rows->compared - rows->all.odd.n;
    }
    if (c->formula.known && !c->formula.sinusoidal)
        posenc_formula_parameters(c->formula.exact, r->parameters, sizeof r->parameters);
    if (c->turns.are) r->amplitude = sqrt(c->turns.square);
    if (c->turns.are && c->formula.sinusoidal) r->match.scheme = "rotary";
    posenc_findings_sort(r);
    r->healthy = r->n_findings == 0 || r->findings[0].level < POSENC_LEVEL_ERROR;
}

/* As much as the caller knows of a report. */
static void hand_over(const posenc_checkup *c, posenc_check_report *report) {
    posenc_check_report all = c->report;
    all.size = report->size;
    memcpy(report, &all, all.size);
}

static posenc_status check(const posenc_context *context, const posenc_check_options *options, const DLTensor *table,
                           posenc_check_report *report, posenc_error *error) {
    posenc_checkup c = {.context = context};
    bool swapped = false;
    posenc_status status = check_report(report, error);
    if (status == POSENC_OK) status = open_check(&c, options, table, &swapped, error);
    if (status != POSENC_OK) return status;
    blank_report(&c);
    if (swapped) find_swapped(&c, table);
    if (c.table.rows > 0 && c.table.dim > 0) status = look(&c, error);
    if (status == POSENC_OK) finish(&c);
    close_check(&c);
    if (status != POSENC_OK) return status;
    hand_over(&c, report);
    return POSENC_OK;
}

posenc_status posenc_check(const posenc_context *context, const posenc_check_options *options, const DLTensor *table,
                           posenc_check_report *report, posenc_error *error) {
    posenc_fpenv saved = posenc_fpenv_enter();
    posenc_status status = check(context, options, table, report, error);
    posenc_fpenv_leave(saved);
    return status;
}
