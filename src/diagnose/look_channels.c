/* Channels that do not move: dead ones are 0 at every position, constant ones another value. Beside a formula only
 * those that should move count: slow sines hardly do, in 16 bits. */
#include <stdio.h>

#include "diagnose/look.h"

/* Where an index wraps, slow channels never come to move; the rows say so already. */
static bool many_rows_repeat(const posenc_checkup *c) { return 8 * c->rows.repeated.n > c->rows.others; }

static void count(const posenc_checkup *c, bool dead, int64_t *n, int64_t *first) {
    *n = 0, *first = -1;
    if (!dead && c->formula.known && many_rows_repeat(c)) return;
    for (int64_t k = 0; k < c->table.dim; k++) {
        if (!posenc_channel_is_still(&c->survey, k) || (c->survey.lowest[k] == 0) != dead) continue;
        if (c->formula.known && !c->bad_channels[k]) continue;
        if (*n == 0) *first = k;
        ++*n;
    }
}

static void find(posenc_checkup *c, bool dead) {
    int64_t n, first;
    count(c, dead, &n, &first);
    if (n == 0) return;
    char value[40] = "0";
    if (!dead) snprintf(value, sizeof value, "%.6g", c->survey.lowest[first]);
    posenc_finding_kind kind = dead ? POSENC_FINDING_DEAD_CHANNEL : POSENC_FINDING_CONSTANT_CHANNEL;
    posenc_level level = c->formula.known ? POSENC_LEVEL_ERROR : POSENC_LEVEL_WARNING;
    if (c->turns.are && !c->formula.known) level = POSENC_LEVEL_NOTE; /* a pair that does not turn may be meant */
    posenc_found(c, kind, level, (posenc_place){-1, first}, (double)n,
                 "%lld of %lld channels %s %s at every position, first channel %lld%s%s: %s of position%s",
                 (long long)n, (long long)c->table.dim, posenc_plural(n, "is", "are"), dead ? "0" : "constant",
                 (long long)first, dead ? "" : ", which is ", dead ? "" : value,
                 posenc_plural(n, "it says nothing", "they say nothing"),
                 c->formula.known ? ", where the formula has a wave" : "");
}

/* A formula that was scaled has its slow sines too, and a table that lies on its side has no channels there. */
posenc_status posenc_look_channels(posenc_checkup *c, posenc_error *error) {
    (void)error;
    if (c->turned) return POSENC_OK;
    c->report.looked_at |= 1u << POSENC_LOOK_CHANNELS;
    if (c->survey.whole < 2 || c->all_zero || c->stands_still || c->scaled) return POSENC_OK;
    find(c, true);
    find(c, false);
    return POSENC_OK;
}
