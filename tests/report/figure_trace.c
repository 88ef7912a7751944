/* Traces: what is handed to the pen covers what the whole series would, and is short. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/trace.h"
#include "support/allocator.h"
#include "support/tensors.h"
#include "support/test.h"

enum { WIDTH = 100, HEIGHT = 80, MARGIN = 16 };

/* A frame at 10, 20. */
static posenc_figure_layout layout_of(posenc_axis x, posenc_axis y) {
    posenc_figure_layout layout;
    memset(&layout, 0, sizeof layout);
    layout.unit = 1;
    layout.frame = (posenc_box){10, 20, WIDTH, HEIGHT};
    layout.x_axis = x;
    layout.y_axis = y;
    return layout;
}

typedef struct path {
    int n, begins, capacity;
    struct step {
        bool begin;
        double x, y;
    } * steps;
} path;

static path path_make(void) { return (path){0, 0, 1 << 20, must_allocate((1 << 20) * sizeof(struct step))}; }

static void record(void *user, bool begin, double x, double y) {
    path *p = user;
    check(p->n < p->capacity, "the path is too long");
    check(begin || p->n > 0, "a line from nowhere");
    check(x >= 10 - MARGIN - 1e-3 && x <= 110 + MARGIN + 1e-3 && y >= 20 - MARGIN - 1e-3 && y <= 100 + MARGIN + 1e-3,
          "the path leaves its bounds at %g, %g", x, y);
    p->begins += begin;
    p->steps[p->n++] = (struct step){begin, x, y};
}

/* The columns' lowest and highest points that a polyline reaches, at their middles. */
typedef struct reach {
    double low[WIDTH], high[WIDTH];
} reach;

static void extend(reach *r, double x0, double y0, double x1, double y1) {
    for (int c = 0; c < WIDTH; c++) {
        double left = 10 + c, right = left + 1;
        if (fmax(x0, x1) < left || fmin(x0, x1) > right) continue;
        double a = x1 == x0 ? 0 : fmin(fmax((left - x0) / (x1 - x0), 0), 1);
        double b = x1 == x0 ? 1 : fmin(fmax((right - x0) / (x1 - x0), 0), 1);
        double ya = y0 + a * (y1 - y0), yb = y0 + b * (y1 - y0);
        r->low[c] = fmin(r->low[c], fmin(ya, yb));
        r->high[c] = fmax(r->high[c], fmax(ya, yb));
    }
}

static reach reach_make(void) {
    reach r;
    for (int c = 0; c < WIDTH; c++) {
        r.low[c] = (double)INFINITY;
        r.high[c] = -(double)INFINITY;
    }
    return r;
}

static void the_same_pixels_are_covered(void **state) {
    (void)state;
    enum { N = 50000 };
    random_state random = random_start("traces");
    double *x = must_allocate(N * sizeof *x), *y = must_allocate(N * sizeof *y);
    path p = path_make();
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = sin(i * 3e-4) * 0.6 + (random_unit(&random) - 0.5) * 0.3;
    }
    posenc_figure_layout layout =
        layout_of((posenc_axis){.first = 0, .last = N}, (posenc_axis){.first = -1, .last = 1});
    posenc_series series = {"s", x, y, N, POSENC_STROKE_LINE};
    posenc_trace_line(&series, &layout, 1, record, &p);
    check(p.n <= 4 * (WIDTH + 2) && p.n > WIDTH && p.begins == 1, "%d steps, %d begins", p.n, p.begins);
    reach want = reach_make(), got = reach_make();
    for (int i = 1; i < N; i++)
        extend(&want, 10 + x[i - 1] / N * WIDTH, 60 - y[i - 1] * 40, 10 + x[i] / N * WIDTH, 60 - y[i] * 40);
    for (int i = 1; i < p.n; i++) extend(&got, p.steps[i - 1].x, p.steps[i - 1].y, p.steps[i].x, p.steps[i].y);
    for (int c = 0; c < WIDTH; c++)
        check(fabs(want.low[c] - got.low[c]) < 1e-9 && fabs(want.high[c] - got.high[c]) < 1e-9,
              "column %d: %g..%g, expected %g..%g", c, got.low[c], got.high[c], want.low[c], want.high[c]);
    free(x);
    free(y);
    free(p.steps);
}

/* Few points come through as they are. */
static void few_points_are_kept(void **state) {
    (void)state;
    const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 1, 0, 1, 0.5};
    path p = path_make();
    posenc_figure_layout layout = layout_of((posenc_axis){.first = 0, .last = 4}, (posenc_axis){.first = 0, .last = 1});
    posenc_series series = {"s", x, y, 5, POSENC_STROKE_LINE};
    posenc_trace_line(&series, &layout, 1, record, &p);
    assert_int_equal(p.n, 5);
    for (int i = 0; i < 5; i++) {
        check(p.steps[i].begin == (i == 0), "begin at %d", i);
        check(fabs(p.steps[i].x - (10 + 25 * i)) < 1e-12 && fabs(p.steps[i].y - (100 - 80 * y[i])) < 1e-12,
              "step %d is %g, %g", i, p.steps[i].x, p.steps[i].y);
    }
    free(p.steps);
}

static void gaps_stay_open(void **state) {
    (void)state;
    const double x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
                 y[] = {1, 2, (double)NAN, 3, (double)INFINITY, 4, 5, (double)NAN, 6, 0};
    path p = path_make();
    posenc_series series = {"s", x, y, 10, POSENC_STROKE_LINE};
    posenc_figure_layout layout =
        layout_of((posenc_axis){.first = 0, .last = 10}, (posenc_axis){.first = 1, .last = 10, .logarithmic = 1});
    posenc_trace_line(&series, &layout, 1, record, &p);
    assert_int_equal(p.begins, 4); /* 0-1, the dots 3 and 8 (9 has no logarithm), 5-6 */
    assert_int_equal(p.n, 8);
    check(p.steps[2].x == p.steps[3].x && p.steps[2].y == p.steps[3].y, "a lone point is no dot");
    free(p.steps);
}

/* Lines to far away keep their direction in the frame; the frame is crossed where it should be. */
static void far_lines_are_clipped(void **state) {
    (void)state;
    static const double far[] = {1e3, 1e6, 1e9};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        const double x[] = {-far[i], far[i]}, y[] = {-far[i] + 0.25, far[i] + 0.25};
        path p = path_make();
        posenc_figure_layout layout =
            layout_of((posenc_axis){.first = 0, .last = 1}, (posenc_axis){.first = 0, .last = 1});
        posenc_series series = {"s", x, y, 2, POSENC_STROKE_LINE};
        posenc_trace_line(&series, &layout, 1, record, &p);
        assert_int_equal(p.n, 2);
        double slope = (p.steps[1].y - p.steps[0].y) / (p.steps[1].x - p.steps[0].x);
        check(fabs(slope + 0.8) < 1e-4, "slope %g", slope);
        double at_left = p.steps[0].y + slope * (10 - p.steps[0].x);
        check(fabs(at_left - 80) < 1e-3, "crosses the left edge at %g", at_left);
        free(p.steps);
    }
}

/* A swing between opposite ends of what doubles hold is an upright line; what never comes near leaves nothing. */
static void extreme_values_draw(void **state) {
    (void)state;
    const double x[] = {0.5, 0.5, 0.5}, y[] = {-1e308, 1e308, -1e308}, away[] = {5, 6, 5};
    path p = path_make();
    posenc_figure_layout layout = layout_of((posenc_axis){.first = 0, .last = 1}, (posenc_axis){.first = 0, .last = 1});
    posenc_series series = {"s", x, y, 3, POSENC_STROKE_LINE};
    posenc_trace_line(&series, &layout, 1, record, &p);
    check(p.n >= 2 && fabs(p.steps[0].y - p.steps[1].y) >= HEIGHT, "%d steps", p.n);
    p.n = 0;
    series.y = away;
    posenc_trace_line(&series, &layout, 1, record, &p);
    assert_int_equal(p.n, 0);
    free(p.steps);
}

/* A million points outside of what is shown, or running to and fro, do not make a path of millions. */
static void paths_are_bounded(void **state) {
    (void)state;
    enum { N = 1000000 };
    random_state random = random_start("bounded paths");
    double *x = must_allocate(N * sizeof *x), *y = must_allocate(N * sizeof *y);
    path p = path_make();
    posenc_figure_layout layout =
        layout_of((posenc_axis){.first = 500, .last = 510}, (posenc_axis){.first = 0, .last = 1});
    posenc_series series = {"s", x, y, N, POSENC_STROKE_LINE};
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = random_unit(&random);
    }
    posenc_trace_line(&series, &layout, 1, record, &p);
    check(p.n >= 11 && p.n < 30, "%d steps for 10 points in the frame", p.n);
    layout.x_axis = (posenc_axis){.first = 0, .last = N};
    for (int i = 0; i < N; i++) x[i] = random_unit(&random) * N;
    p.n = 0;
    posenc_trace_line(&series, &layout, 1, record, &p);
    check(p.n <= 4 * POSENC_TRACE_MOST_RUNS && p.n > POSENC_TRACE_MOST_RUNS / 4, "%d steps to and fro", p.n);
    for (int i = 0; i < N; i += 2) y[i] = (double)NAN;
    p.n = 0;
    posenc_trace_line(&series, &layout, 1, record, &p);
    check(p.n <= 4 * POSENC_TRACE_MOST_RUNS && p.n > 1000, "%d steps with gaps", p.n);
    free(x);
    free(y);
    free(p.steps);
}

/* One point a cell, those in the frame only. */
static void points_are_kept_once(void **state) {
    (void)state;
    enum { N = 200000 };
    random_state random = random_start("points");
    double *x = must_allocate(N * sizeof *x), *y = must_allocate(N * sizeof *y);
    bool seen[WIDTH + 1][HEIGHT + 1] = {{false}};
    path p = path_make();
    for (int i = 0; i < N; i++) {
        x[i] = random_unit(&random) * 3 - 1;
        y[i] = i % 100 == 0 ? (double)NAN : random_unit(&random) * 3 - 1;
    }
    posenc_figure_layout layout = layout_of((posenc_axis){.first = 0, .last = 1}, (posenc_axis){.first = 0, .last = 1});
    posenc_series series = {"s", x, y, N, POSENC_STROKE_POINTS};
    assert_int_equal(posenc_trace_points(NULL, &series, &layout, 1, record, &p), POSENC_OK);
    check(p.n > WIDTH * HEIGHT * 9 / 10 && p.n <= (WIDTH + 1) * (HEIGHT + 1), "%d points", p.n);
    for (int i = 0; i < p.n; i++) {
        int cx = (int)(p.steps[i].x - 10), cy = (int)(p.steps[i].y - 20);
        check(p.steps[i].x >= 10 && p.steps[i].x <= 110 && p.steps[i].y >= 20 && p.steps[i].y <= 100, "outside");
        check(!seen[cx][cy], "twice in %d, %d", cx, cy);
        seen[cx][cy] = true;
    }
    allocator memory;
    posenc_context *context = allocator_context(&memory);
    allocator_fail(&memory, 0, true);
    assert_int_equal(posenc_trace_points(context, &series, &layout, 1, record, &p), POSENC_ERROR_MEMORY);
    allocator_fail(&memory, -1, false);
    allocator_context_end(&memory, context);
    free(x);
    free(y);
    free(p.steps);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_pixels_are_covered),
        cmocka_unit_test(few_points_are_kept),
        cmocka_unit_test(gaps_stay_open),
        cmocka_unit_test(far_lines_are_clipped),
        cmocka_unit_test(extreme_values_draw),
        cmocka_unit_test(paths_are_bounded),
        cmocka_unit_test(points_are_kept_once),
    };
    return TEST_RUN(tests);
}
