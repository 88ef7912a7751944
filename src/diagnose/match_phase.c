/* How far each pair turns from row to row. With z = cos + i sin of a pair, the mean of z[p+1] conj(z[p]) points along
 * the step; the sum telescopes, so n rows know the step n times better than two. Position 0, whose z is 1, stands
 * before the first row where the table itself begins later. */
#include <math.h>

#include "diagnose/match_parts.h"

enum { MOST_STEPS = 256 };

/* Frequencies 1..n_frequencies, or as many as there is room for, spread evenly. */
static void choose(posenc_waves *waves, int64_t n_frequencies) {
    waves->n = n_frequencies < POSENC_MATCH_WAVES ? (int)n_frequencies : POSENC_MATCH_WAVES;
    for (int k = 0; k < waves->n; k++) {
        waves->index[k] = 1 + (n_frequencies - 1) * k / (waves->n > 1 ? waves->n - 1 : 1);
        waves->step[k] = waves->error[k] = 0;
    }
}

/* The smallest distance between good neighbours: 1, but in the strangest tables. 0: there are no two. */
static int64_t shortest_gap(const posenc_sample *s, int start) {
    int64_t last = 0, gap = 0;
    for (int64_t k = 0; k < s->n; k++) {
        int64_t position = s->rows[k] + start;
        if (!s->good[k] || position == 0) continue;
        if (gap == 0 || position - last < gap) gap = position - last;
        last = position;
    }
    return gap;
}

typedef struct turn {
    double last_sin, last_cos, sin_sum, cos_sum;
} turn;

static bool is_unit(double sine, double cosine) { return fabs(sine * sine + cosine * cosine - 1) < 0.05; }

/* Adds the turn from the last row to this one, if add; pairs that are off the circle tell nothing. */
static void take_row(const posenc_sample *s, const posenc_columns *columns, const posenc_waves *waves, bool add,
                     turn *turns) {
    for (int k = 0; k < waves->n; k++) {
        turn *t = &turns[k];
        double sine = s->values[posenc_sine_column(columns, waves->index[k])];
        double cosine = s->values[posenc_cosine_column(columns, waves->index[k])];
        if (add && is_unit(sine, cosine) && is_unit(t->last_sin, t->last_cos)) {
            t->sin_sum += sine * t->last_cos - cosine * t->last_sin;
            t->cos_sum += cosine * t->last_cos + sine * t->last_sin;
        }
        t->last_sin = sine;
        t->last_cos = cosine;
    }
}

/* What the sums are made of. Within a run of neighbours all roundings but the first and the last cancel. */
typedef struct extent {
    double steps, runs, last; /* last: the largest position */
} extent;

static extent take_rows(const posenc_sample *s, const posenc_columns *columns, int start, int64_t gap,
                        const posenc_waves *waves, turn *turns) {
    extent e = {0, 0, 0};
    int64_t last = 0;
    bool running = false;
    for (int64_t k = 0; k < s->n && e.steps < MOST_STEPS; k++) {
        int64_t position = s->rows[k] + start;
        if (!s->good[k]) continue;
        bool add = position - last == gap;
        posenc_table_row(s->table, s->rows[k], s->values);
        take_row(s, columns, waves, add, turns);
        e.steps += add;
        e.runs += add && !running;
        running = add;
        last = position;
    }
    e.last = (double)last;
    return e;
}

/* Relative error of a step: that of the ends of the runs, as rounding makes them, beside the distance turned. */
static double error_of(double step, int64_t gap, extent e, posenc_grain grain) {
    double turned = fabs(step) * (double)gap * e.steps, largest = fmin(1, fabs(step) * e.last);
    return grain.relative + 2 * (grain.relative * largest * sqrt(e.runs) + grain.smallest) / turned;
}

void posenc_waves_of_pairs(const posenc_sample *sample, const posenc_columns *columns, int start, posenc_waves *waves) {
    turn turns[POSENC_MATCH_WAVES];
    posenc_grain grain = posenc_grain_of(sample->grain);
    choose(waves, columns->pairs - 1);
    for (int k = 0; k < waves->n; k++) turns[k] = (turn){.last_cos = 1};
    int64_t gap = shortest_gap(sample, start);
    if (gap == 0) return;
    extent e = take_rows(sample, columns, start, gap, waves, turns);
    for (int k = 0; k < waves->n; k++) {
        if (turns[k].sin_sum == 0 && turns[k].cos_sum == 0) continue;
        waves->step[k] = atan2(turns[k].sin_sum, turns[k].cos_sum) / (double)gap;
        waves->error[k] = error_of(waves->step[k], gap, e, grain);
    }
}
