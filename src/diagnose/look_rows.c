/* Rows: zero, constant, repeated; and beside a formula all that a row says of range, pairs and precision. One pass over
 * the table; threads look at blocks of rows, row_fold.c puts together what they saw. */
#include "diagnose/look_rows.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

/* ---- what each thread sees ---- */

/* Channels that stand still where the formula moves beyond all that excuses it. */
static void see_still(const posenc_row_pass *pass, int slot, const posenc_block *block, int64_t i) {
    const posenc_survey *s = &pass->c->survey;
    char *bad = pass->slots_bad + slot * block->dim;
    const posenc_formula *formula = &pass->c->formula;
    double angles = posenc_float32_limit(posenc_angle_of(formula, block->first + i));
    double limit = formula->size * (posenc_held_limit(s->held) + fmin(angles, POSENC_MOST_EXCUSED));
    if (posenc_angle_is_lost(formula, block->first + i)) return;
    const double *values = block->values + i * block->dim, *exact = block->exact + i * block->dim;
    for (int64_t k = 0; k < block->dim; k++)
        if (posenc_channel_is_still(s, k) && fabs(values[k] - exact[k]) > limit) bad[k] = 1;
}

static void look_at_block(void *argument, int slot, const posenc_block *block) {
    const posenc_row_pass *pass = argument;
    posenc_row_fact *facts = block->facts;
    for (int64_t i = 0; i < block->rows; i++) {
        const double *exact = block->exact ? block->exact + i * block->dim : NULL;
        facts[i] = posenc_row_fact_of(&pass->eye, block->values + i * block->dim, exact, block->dim);
        if (pass->eye.pass_still) see_still(pass, slot, block, i);
    }
}

static void merge_still(posenc_row_pass *pass, int slots) {
    posenc_checkup *c = pass->c;
    for (int s = 0; s < slots; s++)
        for (int64_t k = 0; k < c->table.dim; k++) c->bad_channels[k] |= pass->slots_bad[s * c->table.dim + k];
}

/* ---- the pass ---- */

/* A pair's distance from 1 is at most 2 (|s| + |c|) times the error of each, which is rounding: float32 code rounds to
 * float32 first. */
static double pair_limit_of(posenc_dtype held) {
    return 12 * fmax(posenc_dtype_half_ulp(held), posenc_dtype_half_ulp(POSENC_F32));
}

static void open_eye(posenc_row_pass *pass) {
    const posenc_checkup *c = pass->c;
    const posenc_match *match = &c->report.match;
    bool planar = match->layout != POSENC_LAYOUT_INTERLEAVED;
    pass->eye = (posenc_row_eye){.survey = &c->survey, .mask = POSENC_ALL_BITS};
    pass->pair_limit = pair_limit_of(c->survey.held) * fmax(1, c->turns.square);
    pass->eye.square = c->turns.square;
    pass->eye.range = HUGE_VAL;
    if (c->formula.sinusoidal || c->turns.are) {
        pass->eye.range = sqrt(c->turns.square) * (1 + 4 * posenc_dtype_half_ulp(c->table.dtype));
        pass->eye.pairs = c->table.dim / 2;
        pass->eye.pair_step = planar && !c->turns.are ? 1 : 2;
        pass->eye.pair_distance = planar && !c->turns.are ? c->table.dim / 2 : 1;
    }
    if (!c->formula.known) return;
    pass->eye.pass_still = c->survey.still > 0 && c->table.rows > 1;
}

static posenc_status allocate(posenc_row_pass *pass, int slots, posenc_error *error) {
    posenc_checkup *c = pass->c;
    size_t rows = (size_t)(c->table.rows / 8 + 1), dim = (size_t)c->table.dim, marks;
    posenc_status status =
        posenc_row_set_create(&pass->set, c->context, &c->table, c->table.rows, pass->eye.mask, error);
    if (status != POSENC_OK || !c->formula.known) return status;
    if (!posenc_size_multiply(dim, (size_t)slots, &marks)) return posenc_fail_memory(error, "table", SIZE_MAX);
    pass->bad = posenc_allocate(c->context, rows);
    pass->slots_bad = posenc_allocate(c->context, marks);
    c->bad_channels = posenc_allocate(c->context, dim);
    if (!pass->bad || !pass->slots_bad || !c->bad_channels) return posenc_fail_memory(error, "table", marks);
    memset(pass->bad, 0, rows);
    memset(pass->slots_bad, 0, marks);
    memset(c->bad_channels, 0, dim);
    return POSENC_OK;
}

static posenc_status run(posenc_row_pass *pass, int slots, posenc_error *error) {
    posenc_checkup *c = pass->c;
    posenc_walk walk = {.context = c->context,
                        .table = &c->table,
                        .exact = c->formula.known ? c->formula.exact : NULL,
                        .start = c->formula.start,
                        .facts_bytes = sizeof(posenc_row_fact),
                        .argument = pass,
                        .look = look_at_block,
                        .fold = posenc_row_fold};
    posenc_status status = posenc_walk_run(&walk, error);
    if (status == POSENC_OK && pass->slots_bad) merge_still(pass, slots);
    return status;
}

posenc_status posenc_look_rows(posenc_checkup *c, posenc_error *error) {
    posenc_row_pass pass = {.c = c, .typical = HUGE_VAL};
    int slots = posenc_walk_slots(c->context, &c->table);
    if (c->turned) return POSENC_OK; /* what stands there are channels */
    c->rows = (posenc_row_facts){.all.largest_at = {-1, -1}, .alone.largest_at = {-1, -1}};
    c->report.looked_at |= 1u << POSENC_LOOK_ROWS;
    if (c->formula.known) posenc_error_bins_make(&c->report, c->table.rows);
    open_eye(&pass);
    posenc_status status = allocate(&pass, slots, error);
    if (status == POSENC_OK) status = run(&pass, slots, error);
    posenc_row_set_destroy(&pass.set);
    posenc_release(c->context, pass.bad);
    posenc_release(c->context, pass.slots_bad);
    if (status != POSENC_OK) return status;
    return posenc_row_findings(c, error);
}
