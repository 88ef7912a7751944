/* Formula: what the table should hold. The caller's plan, or what can be found out. */
#include <math.h>
#include <stdio.h>

#include "base/checked.h"
#include "diagnose/formula.h"
#include "diagnose/match.h"
#include "schemes/scheme.h"

/* What the table holds instead of the plan's rows. */
static void find_other(posenc_checkup *c, const posenc_match *wanted, const posenc_distance *d) {
    const posenc_match *found = &c->report.match;
    char is[160] = "no formula that was tried fits it", meant[160];
    if (found->scheme) posenc_match_text(c, found, is, sizeof is);
    posenc_match_text(c, wanted, meant, sizeof meant);
    posenc_found(c, POSENC_FINDING_OTHER_SCHEME, POSENC_LEVEL_ERROR, d->first, d->largest,
                 "not the table of %s: values differ by up to %.3g; %s%s%s", meant, d->largest,
                 found->scheme ? "it fits " : "", is,
                 found->scheme && found->doubled_exponent ? ", as the naive loop makes that doubles the exponent" : "");
}

static void take_formula(posenc_checkup *c, posenc_plan *exact, const posenc_match *match) {
    c->report.match = *match;
    c->formula.known = true;
    c->formula.sinusoidal = posenc_is_sinusoidal(match);
    c->formula.exact = exact;
    c->formula.start = match->start;
    c->formula.fastest = posenc_formula_fastest(exact, match);
    c->formula.size = fmax(1, posenc_formula_amplitude(exact));
}

/* A formula that nobody has named. One with a base that is no short number is believed where it holds throughout: the
 * table may be another one's that looks like it. */
static posenc_status find_match(posenc_checkup *c, posenc_error *error) {
    posenc_plan *exact = NULL;
    posenc_match match;
    bool about = false, throughout = false;
    if (c->turns.are && c->turns.square != 1) return POSENC_OK; /* yarn and longrope have no one base */
    posenc_status status = posenc_match_table(c->context, &c->table, &match, error);
    if (status != POSENC_OK || !match.scheme) return status;
    if (c->turns.are && match.layout != POSENC_LAYOUT_INTERLEAVED) return status;
    status = posenc_match_plan(c->context, &match, c->table.dim, POSENC_ARITHMETIC_EXACT, &exact, error);
    if (status == POSENC_OK) status = posenc_formula_agrees(c, exact, &match, &about, &throughout, error);
    if (status == POSENC_OK && about && (match.base_is_known || throughout))
        take_formula(c, exact, &match);
    else
        posenc_plan_destroy(exact);
    return status;
}

/* The grid of an image, where no line of positions fits. */
static posenc_status find_grid(posenc_checkup *c, posenc_error *error) {
    posenc_plan *exact = NULL;
    if (c->formula.known) return POSENC_OK;
    posenc_status status = posenc_formula_grid(c, &exact, error);
    if (status != POSENC_OK || !exact) return status;
    take_formula(c, exact, &(posenc_match){.scheme = posenc_plan_scheme(exact)});
    c->formula.given = true;
    return POSENC_OK;
}

static posenc_status find_any(posenc_checkup *c, posenc_error *error) {
    posenc_status status = find_match(c, error);
    return status == POSENC_OK ? find_grid(c, error) : status;
}

/* The same formula from a position nearby: off by one, or by rows of padding. */
static posenc_status find_shifted(const posenc_checkup *c, const posenc_plan *exact, posenc_match *match, bool *found,
                                  posenc_error *error) {
    static const int64_t shifts[] = {-1, 1, -2, 2};
    posenc_status status = POSENC_OK;
    int64_t start = match->start, last;
    bool about;
    *found = false;
    if (exact->rows.length > 0) return POSENC_OK; /* of a grid the rows have their places */
    for (int i = 0; i < 4 && status == POSENC_OK && !*found; i++)
        if (posenc_i64_add(start, shifts[i], &match->start) && posenc_i64_add(match->start, c->table.rows, &last))
            status = posenc_formula_agrees(c, exact, match, &about, found, error);
    return status;
}

/* The plan is not what the table holds: says so, and goes on with what is found instead. Takes the plan over. */
static posenc_status leave_plan(posenc_checkup *c, posenc_plan *exact, const posenc_match *wanted,
                                posenc_error *error) {
    posenc_distance distance;
    posenc_match match = *wanted;
    bool shifted = false;
    posenc_status status = posenc_formula_distance(c, exact, wanted, &distance, error);
    if (status == POSENC_OK) status = find_shifted(c, exact, &match, &shifted, error);
    if (status == POSENC_OK && shifted)
        take_formula(c, exact, &match);
    else
        posenc_plan_destroy(exact);
    if (status == POSENC_OK && !shifted) status = find_any(c, error);
    if (status != POSENC_OK) return status;
    c->formula.other = true;
    find_other(c, wanted, &distance);
    return POSENC_OK;
}

/* Whether a match says something else than the plan, and fits nearly everywhere. */
static bool is_better(const posenc_match *found, const posenc_match *wanted) {
    if (!found->scheme || !posenc_is_sinusoidal(wanted) || 10 * found->rows_fit < 9 * found->rows) return false;
    return found->layout != wanted->layout || found->cos_first != wanted->cos_first || found->start != wanted->start ||
           fabs(found->base / wanted->base - 1) > (found->base_is_known ? 1e-9 : 1e-3);
}

/* A table may agree with a plan at first sight and be another one: base 10001 for 10000. */
static posenc_status look_closer(posenc_checkup *c, const posenc_match *wanted, bool *agrees, posenc_error *error) {
    posenc_match found;
    posenc_status status = posenc_match_table(c->context, &c->table, &found, error);
    if (status == POSENC_OK) *agrees = !is_better(&found, wanted);
    return status;
}

static posenc_status take_plan(posenc_checkup *c, posenc_error *error) {
    posenc_plan *exact = NULL;
    posenc_match match;
    bool agrees = false, throughout = true;
    posenc_status status = posenc_formula_of_plan(c, &exact, &match, error);
    if (status == POSENC_OK) status = posenc_formula_agrees(c, exact, &match, &agrees, &throughout, error);
    if (status == POSENC_OK && agrees && !throughout) status = look_closer(c, &match, &agrees, error);
    if (status != POSENC_OK) {
        posenc_plan_destroy(exact);
        return status;
    }
    if (!agrees) return leave_plan(c, exact, &match, error);
    take_formula(c, exact, &match);
    c->turns.square = posenc_formula_amplitude(exact) * posenc_formula_amplitude(exact);
    c->formula.given = true;
    return POSENC_OK;
}

static void find_doubled(posenc_checkup *c) {
    const posenc_match *match = &c->report.match;
    if (!c->formula.known || c->formula.given || c->formula.other || !match->doubled_exponent) return;
    posenc_found(
        c, POSENC_FINDING_DOUBLED_EXPONENT, POSENC_LEVEL_WARNING, (posenc_place){-1, -1}, match->base,
        "base %.9g fits, so the frequencies are %.9g^(-4i/dim): a loop that steps i by two and still writes 2i "
        "makes them; half of the channels hardly move within any text",
        match->base, sqrt(match->base));
}

posenc_status posenc_look_formula(posenc_checkup *c, posenc_error *error) {
    c->report.looked_at |= 1u << POSENC_LOOK_FORMULA;
    posenc_status status = c->options.plan ? take_plan(c, error) : find_any(c, error);
    if (status == POSENC_OK) find_doubled(c);
    return status;
}
