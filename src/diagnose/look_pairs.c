/* Pairs: sin^2 + cos^2 is 1, for every pair of a row, up to rounding; in a rotary table the square of its amplitude. */
#include <stdio.h>

#include "diagnose/look.h"

static const double broken = 1e-2;

/* One wrong value breaks its pair; what is said of its precision says more. */
static bool is_one_value(const posenc_row_facts *r) {
    return r->pairs.n == 1 && r->alone.odd.n == 1 && r->pairs.first == r->alone.odd.first;
}

void posenc_look_pairs(posenc_checkup *c) {
    const posenc_row_facts *r = &c->rows;
    char meant[32];
    if ((!c->formula.sinusoidal && !c->turns.are) || c->formula.other || c->turned) return;
    c->report.looked_at |= 1u << POSENC_LOOK_PAIRS;
    if (r->pairs.n == 0 || is_one_value(r)) return;
    snprintf(meant, sizeof meant, "%.5g", c->turns.square);
    posenc_found(c, POSENC_FINDING_NOT_UNIT_PAIRS, r->pair_error > broken ? POSENC_LEVEL_ERROR : POSENC_LEVEL_WARNING,
                 (posenc_place){r->pairs.first, r->pair_column}, r->pair_error,
                 "%s position %lld, channel %lld%s sin^2 + cos^2 differs from %s by up to %.3g, at %lld %s in all: two "
                 "channels are not of one angle, so that a shift of position is no rotation there%s",
                 r->pairs.n == 1 ? "at" : "from", (long long)r->pairs.first, (long long)r->pair_column,
                 r->pairs.n == 1 ? "" : " on", meant, r->pair_error, (long long)r->pairs.n,
                 posenc_plural(r->pairs.n, "position", "positions"),
                 c->turns.are ? ", and queries and keys change their length" : "");
}
