/* Series and their legend. */
#include "report/cairo/canvas.h"

#include <math.h>
#include <string.h>

#include "report/colours.h"
#include "report/trace.h"

static const uint32_t ink = 0x222222;
static const double dot_width = 4.4, halo = 2.4; /* in units */

enum { STROKE_EVERY = 512 }; /* parts of a path; a stroke's cost grows faster than its length */

/* A path on its way to cairo. */
typedef struct pen {
    cairo_t *cairo;
    int n;
    double dashes[2], walked; /* dashes go on from stroke to stroke: the length since the pen was put down */
    double x, y;
} pen;

static void stroke(pen *p) {
    cairo_stroke(p->cairo);
    p->n = 0;
}

static void restart_dashes(pen *p) {
    if (p->dashes[0] > 0) cairo_set_dash(p->cairo, p->dashes, 2, fmod(p->walked, p->dashes[0] + p->dashes[1]));
}

static void take_line(void *user, bool begin, double x, double y) {
    pen *p = user;
    if (begin) {
        if (p->n == STROKE_EVERY || (p->n > 0 && p->dashes[0] > 0)) stroke(p);
        p->walked = 0;
        restart_dashes(p);
        cairo_move_to(p->cairo, x, y);
    } else {
        if (p->n == STROKE_EVERY) {
            stroke(p);
            restart_dashes(p);
            cairo_move_to(p->cairo, p->x, p->y);
        }
        cairo_line_to(p->cairo, x, y);
        p->walked += hypot(x - p->x, y - p->y);
        p->n++;
    }
    p->x = x;
    p->y = y;
}

/* A line of no length with round ends is a dot, and the shortest way to write one; so are places in quarters. */
static void take_point(void *user, bool begin, double x, double y) {
    pen *p = user;
    (void)begin;
    x = nearbyint(4 * x) / 4;
    y = nearbyint(4 * y) / 4;
    cairo_move_to(p->cairo, x, y);
    cairo_line_to(p->cairo, x, y);
    if (++p->n == STROKE_EVERY) stroke(p);
}

/* Sets cairo to a series, and the pen to its dashes. */
static void choose(const posenc_canvas *canvas, size_t index, pen *p) {
    double unit = canvas->layout->unit;
    posenc_stroke kind = canvas->figure->series[index].stroke;
    *p = (pen){.cairo = canvas->cairo};
    posenc_canvas_colour(canvas->cairo, posenc_colours_series(index));
    cairo_set_line_width(canvas->cairo,
                         (kind == POSENC_STROKE_POINTS ? dot_width : posenc_colours_series_width(index)) * unit);
    cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(canvas->cairo, kind == POSENC_STROKE_DASHED ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    if (kind == POSENC_STROKE_DASHED) {
        p->dashes[0] = 6 * unit;
        p->dashes[1] = 4 * unit;
    }
}

/* On an image a line is seen against white, whatever colours it crosses. */
static void set_halo(const posenc_canvas *canvas) {
    cairo_set_line_width(canvas->cairo, cairo_get_line_width(canvas->cairo) + halo * canvas->layout->unit);
    cairo_set_source_rgb(canvas->cairo, 1, 1, 1);
}

static posenc_status draw(const posenc_canvas *canvas, size_t index, bool is_halo) {
    const posenc_series *series = &canvas->figure->series[index];
    double fine = canvas->pixels ? 1 : 0.5;
    posenc_status status = POSENC_OK;
    pen p;
    choose(canvas, index, &p);
    if (is_halo) set_halo(canvas);
    if (series->stroke == POSENC_STROKE_POINTS)
        status = posenc_trace_points(canvas->context, series, canvas->layout, 1, take_point, &p);
    else
        posenc_trace_line(series, canvas->layout, fine, take_line, &p);
    if (p.n > 0) stroke(&p);
    return status;
}

posenc_status posenc_canvas_series(const posenc_canvas *canvas) {
    const posenc_box *frame = &canvas->layout->frame;
    posenc_status status = POSENC_OK;
    cairo_save(canvas->cairo);
    cairo_rectangle(canvas->cairo, frame->x, frame->y, frame->width, frame->height);
    cairo_clip(canvas->cairo);
    for (size_t i = 0; i < canvas->figure->n_series && status == POSENC_OK; i++) {
        cairo_save(canvas->cairo);
        if (canvas->figure->image) status = draw(canvas, i, true);
        if (status == POSENC_OK) status = draw(canvas, i, false);
        cairo_restore(canvas->cairo);
    }
    cairo_restore(canvas->cairo);
    return status;
}

static void sample(const posenc_canvas *canvas, size_t index, double y) {
    const posenc_box *box = &canvas->layout->sample;
    posenc_stroke kind = canvas->figure->series[index].stroke;
    pen p;
    choose(canvas, index, &p);
    if (kind == POSENC_STROKE_POINTS) {
        take_point(&p, true, box->x + box->width / 2, y);
    } else {
        double inset = kind == POSENC_STROKE_DASHED ? 0 : canvas->layout->unit;
        take_line(&p, true, box->x + inset, y);
        take_line(&p, false, box->x + box->width - inset, y);
    }
    stroke(&p);
}

void posenc_canvas_legend(const posenc_canvas *canvas) {
    const posenc_figure_layout *l = canvas->layout;
    for (int i = 0; i < l->n_legend; i++) {
        double middle = l->sample.y + (i + 0.5) * l->row_height;
        cairo_save(canvas->cairo);
        if (l->legend[i].series < canvas->figure->n_series) sample(canvas, l->legend[i].series, middle);
        cairo_restore(canvas->cairo);
        posenc_label label = {.x = l->sample.x + l->sample.width + POSENC_LEGEND_SPACE * l->unit,
                              .y = middle + 0.36 * l->tick_size,
                              .size = l->tick_size};
        memcpy(label.text, l->legend[i].name, sizeof label.text);
        posenc_canvas_colour(canvas->cairo, ink);
        posenc_canvas_text(canvas->cairo, &label);
    }
}
