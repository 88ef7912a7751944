/* Frames, ticks, grid, and the texts around them. Lines of the frame lie outside of what it frames. */
#include "report/cairo/canvas.h"

#include <math.h>

#include "report/colours.h"

static const uint32_t ink = 0x222222, grid_ink = 0xE2E2E2;

/* Where a line lies across, for a place between low and high: on whole pixels, and at the ends on the frame. */
static double snapped(double at, double low, double high, double line) {
    if (at < low + 0.5) return low - line / 2;
    if (at > high - 0.5) return high + line / 2;
    return floor(at - line / 2 + 0.5) + line / 2;
}

static void frame(const posenc_canvas *canvas, const posenc_box *box) {
    double line = canvas->layout->line;
    cairo_set_line_width(canvas->cairo, line);
    cairo_rectangle(canvas->cairo, box->x - line / 2, box->y - line / 2, box->width + line, box->height + line);
    cairo_stroke(canvas->cairo);
}

static void line(cairo_t *cairo, double x0, double y0, double x1, double y1) {
    cairo_move_to(cairo, x0, y0);
    cairo_line_to(cairo, x1, y1);
}

/* Where a value of an axis lies, between the frame's ends. */
static double along(const posenc_axis *axis, double value, double begin, double length) {
    posenc_scale scale = posenc_scale_of(axis);
    return begin + fmin(fmax(posenc_scale_at(&scale, value), 0), 1) * length;
}

static double x_of(const posenc_canvas *canvas, double value) {
    const posenc_figure_layout *l = canvas->layout;
    double begin = l->frame.x, length = l->frame.width;
    return snapped(along(&l->x_axis, value, begin, length), begin, begin + length, l->line);
}

static double y_of(const posenc_canvas *canvas, const posenc_axis *axis, const posenc_box *box, double value) {
    double begin = box->y + box->height;
    return snapped(along(axis, value, begin, -box->height), box->y, begin, canvas->layout->line);
}

static void x_ticks(const posenc_canvas *canvas) {
    const posenc_figure_layout *l = canvas->layout;
    double from = l->frame.y + l->frame.height + l->line, to = from + l->tick_length;
    for (int i = 0; i < l->x.n_minor; i++) {
        double x = x_of(canvas, l->x.minor[i]);
        line(canvas->cairo, x, from, x, from + 0.6 * l->tick_length);
    }
    for (int i = 0; i < l->x.n; i++) {
        double x = x_of(canvas, l->x.ticks[i].value);
        line(canvas->cairo, x, from, x, to);
    }
    cairo_stroke(canvas->cairo);
    for (int i = 0; i < l->x.n; i++)
        posenc_canvas_tick(canvas->cairo, &l->x.ticks[i], x_of(canvas, l->x.ticks[i].value),
                           to + l->tick_gap + 0.74 * l->tick_size, l->tick_size, POSENC_ALIGN_CENTRE);
}

/* side: -1 for ticks to the left of the box, 1 to the right. */
static void upright_ticks(const posenc_canvas *canvas, const posenc_axis *axis, const posenc_ticks *ticks,
                          const posenc_box *box, int side) {
    const posenc_figure_layout *l = canvas->layout;
    double from = side < 0 ? box->x - l->line : box->x + box->width + l->line, to = from + side * l->tick_length;
    for (int i = 0; i < ticks->n_minor; i++) {
        double y = y_of(canvas, axis, box, ticks->minor[i]);
        line(canvas->cairo, from, y, from + 0.6 * (to - from), y);
    }
    for (int i = 0; i < ticks->n; i++) {
        double y = y_of(canvas, axis, box, ticks->ticks[i].value);
        line(canvas->cairo, from, y, to, y);
    }
    cairo_stroke(canvas->cairo);
    for (int i = 0; i < ticks->n; i++)
        posenc_canvas_tick(canvas->cairo, &ticks->ticks[i], to + side * l->tick_gap,
                           y_of(canvas, axis, box, ticks->ticks[i].value) + 0.36 * l->tick_size, l->tick_size,
                           side < 0 ? POSENC_ALIGN_RIGHT : POSENC_ALIGN_LEFT);
}

void posenc_canvas_grid(const posenc_canvas *canvas) {
    const posenc_figure_layout *l = canvas->layout;
    posenc_canvas_colour(canvas->cairo, grid_ink);
    cairo_set_line_width(canvas->cairo, l->line);
    for (int i = 0; i < l->x.n; i++) {
        double x = x_of(canvas, l->x.ticks[i].value);
        line(canvas->cairo, x, l->frame.y, x, l->frame.y + l->frame.height);
    }
    for (int i = 0; i < l->y.n; i++) {
        double y = y_of(canvas, &l->y_axis, &l->frame, l->y.ticks[i].value);
        line(canvas->cairo, l->frame.x, y, l->frame.x + l->frame.width, y);
    }
    cairo_stroke(canvas->cairo);
}

static void sample_of_missing(const posenc_canvas *canvas) {
    const posenc_box *box = &canvas->layout->missing;
    posenc_canvas_colour(canvas->cairo, POSENC_COLOUR_MISSING);
    cairo_rectangle(canvas->cairo, box->x, box->y, box->width, box->height);
    cairo_fill(canvas->cairo);
    posenc_canvas_colour(canvas->cairo, ink);
    frame(canvas, box);
}

void posenc_canvas_axes(const posenc_canvas *canvas) {
    const posenc_figure_layout *l = canvas->layout;
    if (l->missing.width > 0) sample_of_missing(canvas);
    posenc_canvas_colour(canvas->cairo, ink);
    frame(canvas, &l->frame);
    x_ticks(canvas);
    upright_ticks(canvas, &l->y_axis, &l->y, &l->frame, -1);
    if (l->bar.width > 0) {
        frame(canvas, &l->bar);
        upright_ticks(canvas, &l->bar_axis, &l->bar_ticks, &l->bar, 1);
    }
    for (int i = 0; i < l->n_labels; i++) posenc_canvas_text(canvas->cairo, &l->labels[i]);
}
