/* How fast the frequencies fall: frequency i is exp(-i decay), one unknown for the whole table.
 * A first value is the weighted median over pairs, which some broken columns do not move. Then the rows are walked from
 * small positions to large ones as a Kalman filter of one state walks them: each row's phases, beside those foretold,
 * correct the decay, and the better it is known, the further ahead a phase is foretold to within its turn. At the end
 * the decay is as good as the longest lever, the last position, makes it. */
#include <math.h>
#include <stdlib.h>

#include "diagnose/match_parts.h"

/* ---- first value ---- */

typedef struct vote {
    double decay, weight;
} vote;

static int by_decay(const void *a, const void *b) {
    double x = ((const vote *)a)->decay, y = ((const vote *)b)->decay;
    return (x > y) - (x < y);
}

/* The value that half of the weight does not exceed. */
static double median(vote *votes, int n) {
    double total = 0, sum = 0;
    qsort(votes, (size_t)n, sizeof *votes, by_decay);
    for (int k = 0; k < n; k++) total += votes[k].weight;
    for (int k = 0; k < n; k++) {
        sum += votes[k].weight;
        if (2 * sum >= total) return votes[k].decay;
    }
    return votes[n - 1].decay;
}

/* Each moving pair votes with -ln(step) / i. The error is the larger of the best vote's own and the votes' spread. */
static bool first_value(const posenc_waves *waves, double *decay, double *error) {
    vote votes[POSENC_MATCH_WAVES];
    double smallest = 1e300;
    int n = 0;
    for (int k = 0; k < waves->n; k++) {
        if (!(waves->step[k] > 0) || waves->error[k] > 0.5) continue;
        double index = (double)waves->index[k], own = waves->error[k] / index;
        votes[n++] = (vote){-log(waves->step[k]) / index, 1 / own};
        if (own < smallest) smallest = own;
    }
    if (n == 0) return false;
    *decay = median(votes, n);
    for (int k = 0; k < n; k++) votes[k].decay = fabs(votes[k].decay - *decay);
    *error = fmax(3 * median(votes, n), 4 * smallest);
    return true;
}

/* ---- the walk ---- */

typedef struct walk {
    double decay, information; /* information: 1 / variance */
    double chi, scatter;       /* sums of (residual / sigma)^2 and (residual / angle)^2 */
    int64_t n;
} walk;

/* A phase beside the one foretold, and its standard deviation; false: this value does not tell. */
typedef struct observation {
    double residual, sigma;
} observation;

/* The phase by which a pair is off, from both values as their rounding deserves: a small sine is known far better than
 * the cosine beside it, whose rounding next to 1 is no accident but a bias. First order, once the phase is near. */
static bool observe_pair(double sine, double cosine, double angle, posenc_grain grain, observation *seen) {
    double s = sin(angle), c = cos(angle);
    double sine_sigma = grain.relative * fabs(s) + grain.smallest;
    double cosine_sigma = grain.relative * fabs(c) + grain.smallest;
    double sine_weight = c / (sine_sigma * sine_sigma), cosine_weight = -s / (cosine_sigma * cosine_sigma);
    double information = c * sine_weight - s * cosine_weight;
    if (fabs(sine * sine + cosine * cosine - 1) > 0.05) return false;
    seen->residual = atan2(sine * c - cosine * s, cosine * c + sine * s);
    seen->sigma = 1 / sqrt(information);
    if (fabs(seen->residual) < 0.01)
        seen->residual = ((sine - s) * sine_weight + (cosine - c) * cosine_weight) / information;
    return true;
}

/* One value alone: first order, away from where the curve is flat. */
static bool observe_one(double value, double expected, double slope, double angle, posenc_grain grain,
                        observation *seen) {
    if (fabs(slope) < 0.3 * fmin(1, angle)) return false;
    seen->residual = (value - expected) / slope;
    seen->sigma = (grain.relative * fabs(expected) + grain.smallest) / fabs(slope);
    return true;
}

static bool observe(const posenc_columns *columns, const double *row, int64_t i, double angle, posenc_grain grain,
                    observation *seen) {
    int64_t sine = posenc_sine_column(columns, i), cosine = posenc_cosine_column(columns, i);
    if (sine < 0) return observe_one(row[cosine], cos(angle), -sin(angle), angle, grain, seen);
    if (cosine < 0) return observe_one(row[sine], sin(angle), cos(angle), angle, grain, seen);
    return observe_pair(row[sine], row[cosine], angle, grain, seen);
}

/* Corrects the decay by one row, unless most of its phases are far from where they should be. */
static void walk_row(walk *w, const posenc_columns *columns, const posenc_waves *waves, const double *row,
                     double position, posenc_grain grain) {
    double pull = 0, information = 0, chi = 0, scatter = 0, sigma_decay = 1 / sqrt(w->information);
    int64_t near = 0, far = 0;
    for (int k = 0; k < waves->n; k++) {
        double i = (double)waves->index[k], fall = i * w->decay, angle = position * exp(-fall), lever = angle * i;
        observation seen;
        if (lever * sigma_decay > 0.5 || !observe(columns, row, waves->index[k], angle, grain, &seen)) continue;
        seen.sigma += angle * 0x1p-24 * (1 + fabs(fall)); /* float32 frequencies and angles */
        if (fabs(seen.residual) > 6 * (seen.sigma + lever * sigma_decay)) {
            far++;
            continue;
        }
        near++;
        double weight = 1 / (seen.sigma * seen.sigma);
        pull -= lever * seen.residual * weight;
        information += lever * lever * weight;
        chi += seen.residual * seen.residual * weight;
        scatter += seen.residual * seen.residual / (angle * angle);
    }
    if (near <= far || !isfinite(information) || !isfinite(pull)) return;
    w->information += information;
    w->decay += pull / w->information;
    w->chi += chi;
    w->scatter += scatter;
    w->n += near;
}

/* Good rows: every one of the head, then each a sixteenth further on than the last. */
static void walk_rows(walk *w, const posenc_sample *s, const posenc_columns *columns, int start,
                      const posenc_waves *waves) {
    posenc_grain grain = posenc_grain_of(s->grain);
    int64_t next = 1;
    for (int64_t k = 0; k < s->n; k++) {
        int64_t position = s->rows[k] + start;
        if (!s->good[k] || position < next) continue;
        posenc_table_row(s->table, s->rows[k], s->values);
        walk_row(w, columns, waves, s->values, (double)position, grain);
        next = position + (position < POSENC_MATCH_HEAD ? 1 : position / 16);
    }
}

posenc_decay posenc_decay_of(const posenc_sample *sample, const posenc_columns *columns, int start,
                             const posenc_waves *waves) {
    double decay, error;
    if (!first_value(waves, &decay, &error)) return (posenc_decay){.seen = false};
    walk w = {.decay = decay, .information = 1 / (error * error)};
    walk_rows(&w, sample, columns, start, waves);
    /* Phases of positions p, 2p, 4p, ... are rounded alike, and some pairs are rounded alike: the rows know less than
     * their number says, by a factor of about 2. */
    double n = (double)w.n, fit = w.n < 16 ? 1 : fmin(1, fmax(sqrt(w.chi / n), 0x1p-24));
    return (posenc_decay){.seen = true,
                          .value = w.decay,
                          .error = 2 * fit / sqrt(w.information) + 0x1p-52 * fabs(w.decay),
                          .scatter = w.n > 0 ? sqrt(w.scatter / n) : 1};
}
