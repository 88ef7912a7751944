/* The position of row 0. Frequency 0 is 1 in every layout, and position times 1 is exact in float32 too, so its sine
 * and cosine are sin(row + start) and cos(row + start) to the last bit or two. Almost nothing else passes that. */
#include <math.h>

#include "diagnose/match_parts.h"

/* A table of one column. */
static posenc_table column_of(const posenc_table *table, int64_t column) {
    posenc_table one = *table;
    one.data = posenc_table_element(table, 0, column);
    one.dim = 1;
    return one;
}

static bool near(double value, double expected, posenc_grain grain, double position) {
    double angle_error = position < 0x1p24 ? 0x1p-50 : 0x1p-23; /* float32 holds the position, or rounds it */
    return fabs(value - expected) <= grain.relative * fabs(expected) + grain.smallest + angle_error * position;
}

/* 0, 1 or 2 values of frequency 0 that are those of a position. */
static int agreeing(const posenc_table *sine, const posenc_table *cosine, int64_t row, double position,
                    posenc_grain grain) {
    double value;
    int n = 0;
    if (sine->data) {
        posenc_table_row(sine, row, &value);
        n += near(value, sin(position), grain, position);
    }
    if (cosine->data) {
        posenc_table_row(cosine, row, &value);
        n += near(value, cos(position), grain, position);
    }
    return n;
}

typedef struct count {
    int64_t head, rows, values;
} count;

/* A row is good when one value agrees: the other's column may be broken. mark: note it in the sample. */
static count count_rows(posenc_sample *s, const posenc_columns *columns, int start, bool mark) {
    posenc_grain grain = posenc_grain_of(s->grain);
    int64_t sine_column = posenc_sine_column(columns, 0), cosine_column = posenc_cosine_column(columns, 0);
    posenc_table sine = {.data = NULL}, cosine = {.data = NULL};
    if (sine_column >= 0) sine = column_of(s->table, sine_column);
    if (cosine_column >= 0) cosine = column_of(s->table, cosine_column);
    count found = {0, 0, 0};
    for (int64_t k = 0; k < s->n; k++) {
        int n = agreeing(&sine, &cosine, s->rows[k], (double)(s->rows[k] + start), grain);
        if (mark) s->good[k] = n > 0;
        found.head += n > 0 && k < s->n_head;
        found.rows += n > 0;
        found.values += n;
    }
    return found;
}

int posenc_match_start(posenc_sample *sample, const posenc_columns *columns, int64_t *agreement) {
    int best = -1;
    *agreement = 0;
    for (int start = 0; start < POSENC_MATCH_STARTS; start++) {
        count found = count_rows(sample, columns, start, false);
        if (!posenc_sample_agrees(sample, found.head, found.rows, false) || found.values <= *agreement) continue;
        *agreement = found.values;
        best = start;
    }
    if (best >= 0) count_rows(sample, columns, best, true);
    return best;
}
