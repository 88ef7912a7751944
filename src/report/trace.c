#include "report/trace.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double margin = 16;     /* of the box around the frame, in units: wider than any line */
static const double farthest = 1e12; /* pixels: beyond, doubles could not clip to a thousandth of one */

typedef struct point {
    double x, y;
} point;

/* A line on its way to the pen. */
typedef struct tracer {
    posenc_scale x_scale, y_scale;
    posenc_box frame, bounds;
    posenc_trace_to *to;
    void *user;

    /* The run of points that is being gathered. */
    double column, n_columns; /* their width; those in the frame */
    double at;                /* the run's column */
    int64_t n;                /* its points */
    point first, low, high, end;
    int64_t low_at, high_at; /* which of them */
    int64_t run, every;      /* the run's number; those that are drawn have a multiple of every */

    /* What was handed on. */
    bool down; /* the line has a last point */
    point last;
    bool drawn; /* the pen has come to it */
} tracer;

/* Where a value stands along length pixels. NaN for what has no place: not finite, or without a logarithm. */
static double place_along(const posenc_scale *scale, double value, double length) {
    double at = isfinite(value) ? posenc_scale_at(scale, value) * length : (double)NAN;
    return at < -farthest ? -farthest : at > farthest ? farthest : at;
}

static point place(const tracer *t, double x, double y) {
    return (point){t->frame.x + place_along(&t->x_scale, x, t->frame.width),
                   t->frame.y + t->frame.height - place_along(&t->y_scale, y, t->frame.height)};
}

static tracer tracer_of(const posenc_figure_layout *layout) {
    double reach = margin * layout->unit;
    posenc_box f = layout->frame;
    return (tracer){.x_scale = posenc_scale_of(&layout->x_axis),
                    .y_scale = posenc_scale_of(&layout->y_axis),
                    .frame = f,
                    .bounds = {f.x - reach, f.y - reach, f.width + 2 * reach, f.height + 2 * reach}};
}

/* ---- Clipping: Liang and Barsky, "A new concept and method for line clipping", 1984 ---- */

/* Narrows the part begin..end of a line to where from + t * by is within low..high. False: no part is. */
static bool narrow(double from, double by, double low, double high, double *begin, double *end) {
    if (by == 0) return from >= low && from <= high;
    double a = (low - from) / by, b = (high - from) / by;
    *begin = fmax(*begin, fmin(a, b));
    *end = fmin(*end, fmax(a, b));
    return *begin <= *end;
}

/* Draws the part of a line that is within the bounds. */
static void draw_line(tracer *t, point a, point b) {
    double begin = 0, end = 1, dx = b.x - a.x, dy = b.y - a.y;
    const posenc_box *box = &t->bounds;
    bool seen = narrow(a.x, dx, box->x, box->x + box->width, &begin, &end) &&
                narrow(a.y, dy, box->y, box->y + box->height, &begin, &end);
    if (seen && (begin > 0 || !t->drawn)) t->to(t->user, true, a.x + begin * dx, a.y + begin * dy);
    if (seen) t->to(t->user, false, end < 1 ? a.x + end * dx : b.x, end < 1 ? a.y + end * dy : b.y);
    t->drawn = seen && end == 1;
}

static void line_to(tracer *t, point p) {
    if (t->down && (p.x != t->last.x || p.y != t->last.y)) draw_line(t, t->last, p);
    t->down = true;
    t->last = p;
}

/* ---- Runs ---- */

/* All that is left of the frame is one column, and so is all on the right: nothing there is seen. */
static double column_of(const tracer *t, point p) {
    double column = floor((p.x - t->frame.x) / t->column);
    return column < 0 ? -1 : column < t->n_columns ? column : t->n_columns;
}

/* Hands on the points that stand for a run, in their order. */
static void end_run(tracer *t) {
    if (t->n > 0 && t->run % t->every == 0) {
        bool low_first = t->low_at < t->high_at;
        line_to(t, t->first);
        line_to(t, low_first ? t->low : t->high);
        line_to(t, low_first ? t->high : t->low);
        line_to(t, t->end);
    }
    t->run += t->n > 0;
    t->n = 0;
}

static void add_point(tracer *t, point p) {
    double at = column_of(t, p);
    if (t->n > 0 && at != t->at) end_run(t);
    if (t->n == 0) {
        t->at = at;
        t->first = t->low = t->high = p;
        t->low_at = t->high_at = 0;
    }
    if (p.y < t->low.y) {
        t->low = p;
        t->low_at = t->n;
    }
    if (p.y > t->high.y) {
        t->high = p;
        t->high_at = t->n;
    }
    t->end = p;
    t->n++;
}

/* A point between two gaps is a line from itself to itself: with round ends, a dot. */
static void end_line(tracer *t, int64_t points) {
    end_run(t);
    if (points == 1 && t->down) draw_line(t, t->last, t->last);
    t->down = t->drawn = false;
}

/* Walks the whole series. */
static void walk(tracer *t, const posenc_series *series) {
    int64_t points = 0; /* since the last gap */
    for (size_t i = 0; i < series->n; i++) {
        point p = place(t, series->x[i], series->y[i]);
        if (!isnan(p.x) && !isnan(p.y)) {
            add_point(t, p);
            points++;
        } else {
            end_line(t, points);
            points = 0;
        }
    }
    end_line(t, points);
}

void posenc_trace_line(const posenc_series *series, const posenc_figure_layout *layout, double column,
                       posenc_trace_to *to, void *user) {
    tracer t = tracer_of(layout);
    t.column = column;
    t.n_columns = ceil(t.frame.width / column);
    t.to = to;
    t.user = user;
    t.every = INT64_MAX; /* none: only counts them */
    t.run = 1;
    walk(&t, series);
    t.every = (t.run - 1 + POSENC_TRACE_MOST_RUNS - 1) / POSENC_TRACE_MOST_RUNS;
    t.run = 0;
    if (t.every > 0) walk(&t, series);
}

/* ---- Points ---- */

/* Cell of a point in a frame of columns x rows cells; -1 outside. */
static int64_t cell_of(const tracer *t, point p, double cell, int64_t columns, int64_t rows) {
    double x = floor((p.x - t->frame.x) / cell), y = floor((p.y - t->frame.y) / cell);
    bool inside = p.x >= t->frame.x && p.x <= t->frame.x + t->frame.width && p.y >= t->frame.y &&
                  p.y <= t->frame.y + t->frame.height;
    return inside && x < (double)columns && y < (double)rows ? (int64_t)y * columns + (int64_t)x : -1;
}

posenc_status posenc_trace_points(const posenc_context *context, const posenc_series *series,
                                  const posenc_figure_layout *layout, double cell, posenc_trace_to *to, void *user) {
    tracer t = tracer_of(layout);
    int64_t columns = (int64_t)(t.frame.width / cell) + 1, rows = (int64_t)(t.frame.height / cell) + 1;
    size_t bytes = (size_t)(columns * rows / 8 + 1);
    uint8_t *taken = posenc_allocate(context, bytes);
    if (!taken) return POSENC_ERROR_MEMORY;
    memset(taken, 0, bytes);
    for (size_t i = 0; i < series->n; i++) {
        point p = place(&t, series->x[i], series->y[i]);
        int64_t at = cell_of(&t, p, cell, columns, rows);
        if (at < 0 || (taken[at / 8] >> at % 8 & 1)) continue;
        taken[at / 8] |= (uint8_t)(1u << at % 8);
        to(user, true, p.x, p.y);
    }
    posenc_release(context, taken);
    return POSENC_OK;
}
