/* Pairs: sin^2 + cos^2 is 1, for every pair of a row, up to rounding. */
#include "diagnose/look.h"

static const double broken = 1e-2;

/* One wrong value breaks its pair; what is said of its precision says more. */
static bool is_one_value(const posenc_row_facts *r) {
    return r->pairs.n == 1 && r->alone.odd.n == 1 && r->pairs.first == r->alone.odd.first;
}

void posenc_look_pairs(posenc_checkup *c) {
    const posenc_row_facts *r = &c->rows;
    if (!c->formula.sinusoidal || c->formula.other) return;
    c->report.looked_at |= 1u << POSENC_LOOK_PAIRS;
    if (r->pairs.n == 0 || is_one_value(r)) return;
    posenc_found(c, POSENC_FINDING_NOT_UNIT_PAIRS, r->pair_error > broken ? POSENC_LEVEL_ERROR : POSENC_LEVEL_WARNING,
                 (posenc_place){r->pairs.first, r->pair_column}, r->pair_error,
                 "%s position %lld, channel %lld%s sin^2 + cos^2 differs from 1 by up to %.3g, at %lld %s in all: two "
                 "channels are not of one angle, so that a shift of position is no rotation there",
                 r->pairs.n == 1 ? "at" : "from", (long long)r->pairs.first, (long long)r->pair_column,
                 r->pairs.n == 1 ? "" : " on", r->pair_error, (long long)r->pairs.n,
                 posenc_plural(r->pairs.n, "position", "positions"));
}
