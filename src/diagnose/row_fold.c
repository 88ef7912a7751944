/* One row after the other: whether a row repeats depends on those before it. Counts zero, constant and repeated rows,
 * and beside a formula all that rows say of range, pairs and precision.
 *
 * A row that agrees with the exact one within rounding and float32 angles has no fault, whatever it looks like: if 16
 * bits make two exact rows equal, they are. */
#include "diagnose/look_rows.h"

#include <math.h>

/* ---- what explains an error: the typical one of the block ---- */

/* Float32 angles make all rows of a neighbourhood wrong by much the same. So the largest error that they excuse is tied
 * to the median of the block, besides to the position; up to a size that does no harm. */
static const double harmless = 5e-4, over_typical = 16;

enum { EXPONENTS = 128, ENOUGH_ROWS = 8, AHEAD = 16 };

/* The median of the rows' errors, rounded up to a power of two. */
static double median_error(const posenc_block *block, double before) {
    int64_t counts[EXPONENTS] = {0}, n = 0, below = 0;
    const posenc_row_fact *facts = block->facts;
    for (int64_t i = 0; i < block->rows; i++) {
        int exponent;
        if (!facts[i].finite || facts[i].zero) continue;
        frexp(facts[i].error, &exponent);
        if (facts[i].error == 0 || exponent <= -EXPONENTS / 2) exponent = 1 - EXPONENTS / 2;
        counts[(exponent < EXPONENTS / 2 ? exponent : EXPONENTS / 2 - 1) + EXPONENTS / 2]++;
        n++;
    }
    if (n < ENOUGH_ROWS) return before;
    for (int e = 0; e < EXPONENTS; e++)
        if (2 * (below += counts[e]) >= n) return ldexp(1, e - EXPONENTS / 2);
    return before;
}

/* A base that was fitted, and not recognised, makes errors that grow with the position too. */
static double limit_of(const posenc_row_pass *pass, int64_t row, double most) {
    const posenc_checkup *c = pass->c;
    bool fitted = c->formula.sinusoidal && !c->report.match.base_is_known;
    double angles = fitted ? HUGE_VAL : posenc_float32_limit(posenc_angle_of(&c->formula, row));
    if (posenc_angle_is_lost(&c->formula, row)) return HUGE_VAL;
    return c->formula.size *
           (posenc_held_limit(c->survey.held) + fmin(fmin(angles, most), fmax(harmless, over_typical * pass->typical)));
}

/* ---- one row after the other ---- */

static void note(posenc_rows_like *like, int64_t row) {
    if (like->n++ == 0) like->first = row;
}

static bool was_bad(const posenc_row_pass *pass, int64_t row) {
    return pass->bad && (pass->bad[row / 8] >> row % 8 & 1);
}

static void keep_bad(posenc_row_pass *pass, int64_t row) { pass->bad[row / 8] |= (unsigned char)(1u << row % 8); }

/* Whether the row repeats an earlier one and one of the two is at fault. */
static bool take_repeated(posenc_row_pass *pass, int64_t row, const posenc_row_fact *f) {
    posenc_row_facts *all = &pass->c->rows;
    int64_t twin = posenc_row_set_put(&pass->set, f->hash, row);
    if (twin < 0 || (pass->bad && !was_bad(pass, row) && !was_bad(pass, twin))) return false;
    if (all->repeated.n == 0) all->twin = twin;
    note(&all->repeated, row);
    if (all->repeated.n == 1 || row - twin < all->period) all->period = row - twin;
    all->next_door += row - twin == 1;
    return true;
}

static void take_error(const posenc_row_pass *pass, posenc_errors *e, int64_t row, const posenc_row_fact *f) {
    posenc_dtype held = pass->c->survey.held;
    if (f->error > e->largest) e->largest = f->error, e->largest_at = (posenc_place){row, f->error_column};
    if (f->error <= posenc_rounding_limit(pass->c->table.dtype) * pass->c->formula.size) return;
    if (e->imprecise.n == 0) e->imprecise_column = f->error_column;
    note(&e->imprecise, row);
    e->float32_seen |= f->error > posenc_held_limit(held) * pass->c->formula.size;
    if (f->error <= limit_of(pass, row, HUGE_VAL)) return;
    if (e->odd.n == 0) e->odd_column = f->error_column;
    note(&e->odd, row);
    e->odd_largest = fmax(e->odd_largest, f->error);
}

static void take_errors(posenc_row_pass *pass, int64_t row, const posenc_row_fact *f, bool repeated) {
    posenc_row_facts *all = &pass->c->rows;
    all->compared++;
    all->squares += f->squares;
    posenc_error_bins_take(&pass->c->report, row, f->error);
    take_error(pass, &all->all, row, f);
    if (!repeated) take_error(pass, &all->alone, row, f);
}

static void take_pair(posenc_row_pass *pass, int64_t row, const posenc_row_fact *f) {
    posenc_row_facts *all = &pass->c->rows;
    if (f->pair_error <= pass->pair_limit) return;
    if (all->pairs.n == 0) all->pair_column = f->pair_column;
    note(&all->pairs, row);
    all->pair_error = fmax(all->pair_error, f->pair_error);
}

static void take_outside(posenc_row_pass *pass, int64_t row, const posenc_row_fact *f) {
    posenc_row_facts *all = &pass->c->rows;
    if (f->n_outside == 0) return;
    if (all->outside.n == 0) all->outside.first = row, all->outside_column = f->outside_column;
    all->outside.n += f->n_outside;
    all->largest = fmax(all->largest, f->largest);
}

/* A row that is said to be wrong in one way is not said to be wrong in the next. */
static void take_row(posenc_row_pass *pass, int64_t row, const posenc_row_fact *f) {
    posenc_checkup *c = pass->c;
    bool formula = c->formula.known, bad = formula && f->finite && f->error > limit_of(pass, row, POSENC_MOST_EXCUSED);
    if (bad) keep_bad(pass, row);
    if (!f->finite || (row == c->options.padding_idx && f->zero)) return;
    if (f->zero) {
        if (bad || !formula) note(&c->rows.zero, row);
        return;
    }
    c->rows.others++;
    bool constant = f->constant && (formula ? bad && c->table.dim > 1 : c->table.dim > 2);
    if (constant) note(&c->rows.constant, row);
    bool repeated = row != c->options.padding_idx && take_repeated(pass, row, f);
    if (!formula && !c->turns.are) return;
    take_outside(pass, row, f);
    if (constant || f->n_outside > 0 || row == c->options.padding_idx) return;
    if (formula) take_errors(pass, row, f, repeated && bad);
    take_pair(pass, row, f);
}

void posenc_row_fold(void *argument, const posenc_block *block) {
    posenc_row_pass *pass = argument;
    const posenc_row_fact *facts = block->facts;
    if (pass->c->formula.known) pass->typical = median_error(block, pass->typical);
    for (int64_t i = 0; i < block->rows; i++) {
        if (i + AHEAD < block->rows) posenc_row_set_expect(&pass->set, facts[i + AHEAD].hash);
        take_row(pass, block->first + i, &facts[i]);
    }
}
