/* Match: which sinusoidal formula made a table. Four arrangements of columns are tried, the most promising first; each
 * yields readings of the table, and the one whose rows agree with most of the table's is the answer. */
#include "diagnose/match.h"

#include <math.h>
#include <string.h>

#include "base/fpenv.h"
#include "diagnose/match_parts.h"

enum { N_ARRANGEMENTS = 4, WIDEST = 16777216 /* what a plan takes */ };

static const double doubled_base = 1e8; /* 10000 squared */

posenc_match posenc_reading_match(const posenc_reading *reading) {
    return (posenc_match){
        .scheme = "sinusoidal",
        .layout = reading->layout,
        .cos_first = reading->cos_first,
        .base = reading->base,
        .base_is_known = reading->base_is_known,
        .start = reading->start,
        .doubled_exponent = reading->base_is_known && reading->base == doubled_base,
    };
}

/* The positions that a plan has in store, as many as a few ten MB hold. Those beyond are slower. */
static int64_t prepared_for(int64_t dim) { return dim <= 8192 ? 100000 : dim <= 65536 ? 4000 : 64; }

posenc_status posenc_match_plan(const posenc_context *context, const posenc_match *match, int64_t dim,
                                posenc_arithmetic arithmetic, posenc_plan **out, posenc_error *error) {
    posenc_sinusoidal_options options;
    posenc_sinusoidal_default(&options, sizeof options);
    options.dim = dim;
    options.base = match->base;
    options.layout = match->layout;
    options.cos_first = match->cos_first;
    options.arithmetic = arithmetic;
    options.max_len = prepared_for(dim);
    return posenc_sinusoidal_create_with(context, &options, out, error);
}

typedef struct arrangement {
    posenc_columns columns;
    int start;         /* -1: impossible */
    int64_t agreement; /* values of frequency 0 in their place */
} arrangement;

/* Writes the possible ones, most agreement first; of equals, in the order in which the layouts are listed. */
static int arrange(posenc_sample *sample, arrangement *found) {
    int n = 0;
    for (int k = 0; k < N_ARRANGEMENTS; k++) {
        arrangement a = {.columns = posenc_columns_of(sample->table->dim, k / 2, k % 2)};
        a.start = posenc_match_start(sample, &a.columns, &a.agreement);
        if (a.start < 0) continue;
        int at = n++;
        for (; at > 0 && found[at - 1].agreement < a.agreement; at--) found[at] = found[at - 1];
        found[at] = a;
    }
    return n;
}

static posenc_decay decay_of(posenc_sample *sample, const arrangement *a) {
    posenc_waves waves = {.n = 0};
    int64_t agreement;
    posenc_match_start(sample, &a->columns, &agreement); /* marks the good rows of this arrangement */
    if (a->columns.pairs > 1)
        posenc_waves_of_pairs(sample, &a->columns, a->start, &waves);
    else if (a->columns.pairs == 1 && a->columns.lone)
        posenc_waves_of_lone(sample, &a->columns, a->start, &waves);
    return posenc_decay_of(sample, &a->columns, a->start, &waves);
}

/* The best explanation so far: of those that fit, the one that fits most rows. */
typedef struct best {
    bool any;
    posenc_reading reading;
    posenc_residual residual;
} best;

/* So good that no other arrangement can be better. */
static bool is_settled(const posenc_sample *sample, const best *b) {
    return b->any && 10 * b->residual.rows_fit >= 9 * sample->n;
}

static double rms_of(const posenc_residual *residual) {
    return residual->values > 0 ? sqrt(residual->sum_squares / (double)residual->values) : 0;
}

/* Whether errors are no larger than rounding to the dtype makes them: half an ulp over the square root of 3. */
static bool is_to_the_bit(const posenc_sample *sample, double rms) {
    return rms <= 0.7 * posenc_dtype_half_ulp(sample->grain);
}

/* A later reading has a longer base: it must explain more rows, or the same ones to the bit where the shorter base,
 * hit by chance, was visibly off. */
static bool is_better(const posenc_sample *sample, const posenc_residual *old, const posenc_residual *now) {
    if (now->rows_fit != old->rows_fit) return now->rows_fit > old->rows_fit;
    return is_to_the_bit(sample, rms_of(now)) && rms_of(old) > 4 * rms_of(now);
}

/* Nothing can be better than that. */
static bool is_perfect(const posenc_sample *sample, const best *b) {
    return b->any && b->residual.rows_fit == sample->n && is_to_the_bit(sample, rms_of(&b->residual));
}

/* Tries the readings of one arrangement. */
static posenc_status read_as(posenc_sample *sample, const arrangement *a, best *b, posenc_error *error) {
    posenc_reading readings[POSENC_MATCH_READINGS];
    posenc_decay decay = decay_of(sample, a);
    int n = posenc_match_readings(&a->columns, a->start, &decay, readings);
    for (int k = 0; k < n && !is_perfect(sample, b); k++) {
        posenc_residual residual;
        int64_t to_beat = b->any ? b->residual.rows_fit - 1 : -1;
        posenc_status status = posenc_match_residual(sample, &readings[k], to_beat, &residual, error);
        if (status != POSENC_OK) return status;
        if (!residual.fits || (b->any && !is_better(sample, &b->residual, &residual))) continue;
        *b = (best){true, readings[k], residual};
        memcpy(sample->kept, sample->fits, (size_t)sample->n);
    }
    return POSENC_OK;
}

/* Completes the answer. */
static posenc_status accept(const posenc_sample *sample, const best *b, posenc_match *match, posenc_error *error) {
    *match = posenc_reading_match(&b->reading);
    match->max_error = b->residual.max_error;
    match->rms_error = rms_of(&b->residual);
    match->rows = sample->n;
    match->rows_fit = b->residual.rows_fit;
    return posenc_match_arithmetic(sample, &b->reading, &match->arithmetic, error);
}

/* A column of zeros is what the halves of a width of 1 are. */
static bool is_zero_column(posenc_sample *sample) {
    if (sample->table->dim != 1 || sample->n == 0) return false;
    for (int64_t k = 0; k < sample->n; k++) {
        posenc_table_row(sample->table, sample->rows[k], sample->values);
        if (sample->values[0] != 0) return false;
    }
    return true;
}

static posenc_match zero_column(const posenc_sample *sample) {
    posenc_reading reading = {.layout = POSENC_LAYOUT_HALVES, .base = 10000};
    posenc_match match = posenc_reading_match(&reading);
    match.rows = match.rows_fit = sample->n;
    return match;
}

static posenc_status search(posenc_sample *sample, posenc_match *match, posenc_error *error) {
    arrangement found[N_ARRANGEMENTS];
    match->rows = sample->n;
    if (is_zero_column(sample)) {
        *match = zero_column(sample);
        return POSENC_OK;
    }
    best b = {.any = false};
    int n = arrange(sample, found);
    for (int k = 0; k < n && !is_settled(sample, &b); k++) {
        posenc_status status = read_as(sample, &found[k], &b, error);
        if (status != POSENC_OK) return status;
    }
    return b.any ? accept(sample, &b, match, error) : POSENC_OK;
}

posenc_status posenc_match_table(const posenc_context *context, const posenc_table *table, posenc_match *match,
                                 posenc_error *error) {
    posenc_match found;
    memset(&found, 0, sizeof found);
    if (table->rows > 0 && table->dim > 0 && table->dim <= WIDEST) {
        posenc_sample sample;
        posenc_fpenv saved = posenc_fpenv_enter();
        posenc_status status = posenc_sample_create(&sample, context, table, error);
        if (status == POSENC_OK) {
            status = search(&sample, &found, error);
            posenc_sample_destroy(&sample);
        }
        posenc_fpenv_leave(saved);
        if (status != POSENC_OK) return status;
    }
    *match = found;
    return POSENC_OK;
}
