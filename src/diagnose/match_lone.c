/* A row of width 3 in alternating order shows its second frequency in one column only, a sine (or a cosine): an angle
 * up to its mirror image. While the angle stays below a sixth of a turn there is no doubt, so the last row of that
 * first stretch gives the step. */
#include <math.h>

#include "diagnose/match_parts.h"

typedef struct lone {
    int64_t column;
    bool is_cosine;
} lone;

/* The angle of a value in 0..pi/2 (sine) or 0..pi (cosine); negative: there is none. */
static double angle_of(const lone *l, double value) {
    if (!(fabs(value) <= 1)) return -1;
    return l->is_cosine ? acos(value) : asin(value);
}

static double value_at(const lone *l, double angle) { return l->is_cosine ? cos(angle) : sin(angle); }

static double read_value(const posenc_sample *s, const lone *l, int64_t k) {
    posenc_table_row(s->table, s->rows[k], s->values);
    return s->values[l->column];
}

/* The last row up to which all angles rise, stay below pi / 3 and leave no gap in which they might have gone around;
 * the first moving row if there is none; -1 without any. */
static int64_t anchor_of(const posenc_sample *s, const lone *l, int start) {
    int64_t anchor = -1, last_position = 0;
    double last = 0;
    for (int64_t k = 0; k < s->n; k++) {
        int64_t position = s->rows[k] + start;
        if (!s->good[k] || position == 0) continue;
        if (anchor >= 0 && position > 4 * last_position) return anchor;
        double angle = angle_of(l, read_value(s, l, k));
        if (angle < last || angle > 1.0471975511965976) return anchor >= 0 ? anchor : k;
        anchor = k;
        last = angle;
        last_position = position;
    }
    return anchor;
}

/* A sine that begins beyond a sixth of a turn may stand for its mirror image: whichever the next good row agrees with.
 */
static double choose_step(const posenc_sample *s, const lone *l, int start, int64_t anchor, double angle) {
    double position = (double)(s->rows[anchor] + start), step = angle / position;
    double mirrored = (3.141592653589793 - angle) / position;
    if (l->is_cosine || angle < 1) return step;
    for (int64_t k = anchor + 1; k < s->n; k++) {
        if (!s->good[k]) continue;
        double value = read_value(s, l, k), next = (double)(s->rows[k] + start);
        return fabs(value - value_at(l, next * step)) <= fabs(value - value_at(l, next * mirrored)) ? step : mirrored;
    }
    return step;
}

/* Relative error of an angle whose sine or cosine was rounded. */
static double error_of(const lone *l, double angle, posenc_grain grain) {
    double slope = l->is_cosine ? sin(angle) : cos(angle), value = fabs(value_at(l, angle));
    return 2 * (grain.relative * value + grain.smallest) / (fmax(fabs(slope), 1e-3 * angle) * angle);
}

void posenc_waves_of_lone(const posenc_sample *sample, const posenc_columns *columns, int start, posenc_waves *waves) {
    lone l = {.column = 2, .is_cosine = columns->cos_first != 0};
    *waves = (posenc_waves){.n = 1, .index = {1}};
    int64_t anchor = anchor_of(sample, &l, start);
    if (anchor < 0) return;
    double angle = angle_of(&l, read_value(sample, &l, anchor));
    if (!(angle > 0)) return;
    waves->step[0] = choose_step(sample, &l, start, anchor, angle);
    waves->error[0] = fmin(0.5, error_of(&l, angle, posenc_grain_of(sample->grain)));
}
