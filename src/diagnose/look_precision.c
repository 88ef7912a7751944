/* Precision: distance from the exact values by position, and what explains it. */
#include <math.h>
#include <stdio.h>

#include "diagnose/look.h"

static const double small = 1e-3;  /* that float32 angles make without a warning */
static const double broken = 0.05; /* that nothing explains, and no reader of the table will overlook */

/* "a dtype counts up to that": the position behind the last one that it holds. */
static const char *dtype_that_ends_at(int64_t position) {
    if (position == 257) return "bf16, which counts to 256 only";
    if (position == 2049) return "f16, which counts to 2048 only";
    if (position == 16777217) return "f32, which counts to 16777216 only";
    return NULL;
}

/* Rows that nothing explains. */
static void find_odd(posenc_checkup *c, const posenc_errors *e) {
    const char *dtype = e->odd.n > 1 ? dtype_that_ends_at(c->formula.start + e->odd.first) : NULL;
    char where[160];
    long long first = (long long)e->odd.first, column = (long long)e->odd_column;
    if (e->odd.n == 1)
        snprintf(where, sizeof where, "position %lld differs in channel %lld from the exact value by %.3g", first,
                 column, e->odd_largest);
    else
        snprintf(where, sizeof where, "from position %lld on %lld positions differ from the exact ones by up to %.3g",
                 first, (long long)e->odd.n, e->odd_largest);
    posenc_found(c, POSENC_FINDING_PRECISION, e->odd_largest < broken ? POSENC_LEVEL_WARNING : POSENC_LEVEL_ERROR,
                 (posenc_place){e->odd.first, e->odd_column}, e->odd_largest, "%s%s%s: %s", where,
                 dtype ? ", as if positions were kept in " : "", dtype ? dtype : "",
                 "far more than rounding or float32 angles make, so a model reads other positions there");
}

/* Where two positions blur: float32 angles are off by some units of 2^-24 for each position. */
static void find_float32(posenc_checkup *c, const posenc_errors *e) {
    posenc_level level = e->largest < small ? POSENC_LEVEL_NOTE : POSENC_LEVEL_WARNING;
    posenc_found(c, POSENC_FINDING_PRECISION, level, (posenc_place){e->imprecise.first, e->imprecise_column},
                 e->largest,
                 "from position %lld on values differ from the exact ones by more than %s rounding, by up to %.2g at "
                 "position %lld: that is what angles in float32 make, and it grows with the position%s",
                 (long long)e->imprecise.first, posenc_dtype_name(c->table.dtype), e->largest,
                 (long long)e->largest_at.row, level == POSENC_LEVEL_NOTE ? "; it does no harm yet" : "");
}

static void find_narrow(posenc_checkup *c, const posenc_errors *e) {
    posenc_level level = e->largest < small ? POSENC_LEVEL_NOTE : POSENC_LEVEL_WARNING;
    posenc_found(
        c, POSENC_FINDING_PRECISION, level, (posenc_place){e->imprecise.first, e->imprecise_column}, e->largest,
        "every value is one that %s holds, though the table is %s: it has been rounded on the way, and is off by "
        "up to %.2g",
        posenc_dtype_name(c->survey.held), posenc_dtype_name(c->table.dtype), e->largest);
}

/* Rows that repeat an earlier one are said to do so; only when others are wrong too is it a matter of precision. */
void posenc_look_precision(posenc_checkup *c) {
    if (!c->formula.known || c->formula.other) return;
    const posenc_errors *e = c->rows.alone.odd.n > 0 ? &c->rows.all : &c->rows.alone;
    c->report.looked_at |= 1u << POSENC_LOOK_PRECISION;
    c->report.first_imprecise = c->rows.all.imprecise.n > 0 ? c->rows.all.imprecise.first : -1;
    if (e->odd.n > 0)
        find_odd(c, e);
    else if (c->formula.sinusoidal && !c->report.match.base_is_known)
        return; /* the base was fitted: errors are those of the fit */
    else if (e->imprecise.n > 0 && c->survey.held != c->table.dtype && !e->float32_seen)
        find_narrow(c, e);
    else if (e->imprecise.n > 0)
        find_float32(c, e);
}
