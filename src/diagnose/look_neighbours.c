/* Neighbours: whether rows vary along the position axis. If not, that axis is another one. */
#include <stdio.h>

#include "diagnose/formula.h"
#include "diagnose/match.h"

enum { FEWEST_TURNED = 4 }; /* rows and channels of a table that may be turned: with fewer anything fits */

static void find_still(posenc_checkup *c) {
    posenc_found(c, POSENC_FINDING_POSITION_AXIS, POSENC_LEVEL_ERROR, (posenc_place){1, -1}, (double)c->table.rows,
                 "all %lld rows are one: every position has the encoding of the first, so the position axis is another "
                 "one, or one row was broadcast",
                 (long long)c->table.rows);
}

static posenc_status find_turned(posenc_checkup *c, posenc_error *error) {
    posenc_match match;
    posenc_table turned = c->table;
    char text[128];
    turned.rows = c->table.dim, turned.dim = c->table.rows;
    turned.row_stride = c->table.column_stride, turned.column_stride = c->table.row_stride;
    posenc_status status = posenc_match_table(c->context, &turned, &match, error);
    if (status != POSENC_OK || !match.scheme || 2 * match.rows_fit < match.rows) return status;
    c->turned = true;
    posenc_match_text(c, &match, text, sizeof text);
    posenc_found(c, POSENC_FINDING_POSITION_AXIS, POSENC_LEVEL_ERROR, (posenc_place){-1, -1}, (double)c->table.rows,
                 "position axis and channel axis are swapped: with channels as rows it is %s; a model that takes row p "
                 "for position p reads the wave of one channel there",
                 text);
    return POSENC_OK;
}

static void find_swapped_turns(posenc_checkup *c) {
    if (!posenc_turns_are_swapped(&c->table)) return;
    c->turned = true;
    posenc_found(c, POSENC_FINDING_POSITION_AXIS, POSENC_LEVEL_ERROR, (posenc_place){-1, -1}, (double)c->table.rows,
                 "position axis and pair axis are swapped, (pairs, length, 2): along the second axis every pair turns "
                 "evenly, along the first one it does not; a model that takes row p for position p turns by other "
                 "angles");
}

posenc_status posenc_look_neighbours(posenc_checkup *c, posenc_error *error) {
    const posenc_table *t = &c->table;
    bool swapped_batch = c->report.n_findings > 0 && c->report.findings[0].kind == POSENC_FINDING_POSITION_AXIS;
    c->report.looked_at |= 1u << POSENC_LOOK_NEIGHBOURS;
    if (swapped_batch) return POSENC_OK;
    if (c->stands_still) find_still(c);
    if (c->stands_still || c->all_zero || c->formula.known) return POSENC_OK;
    if (c->turns.are) {
        find_swapped_turns(c);
        return POSENC_OK;
    }
    if (t->rows < FEWEST_TURNED || t->dim < FEWEST_TURNED) return POSENC_OK;
    return find_turned(c, error);
}
