/* What stands on the right of the frame: next to it the colour bar, then the legend. The bar is measured first and
 * placed last, as both are placed from the figure's edge inwards. */
#include <math.h>
#include <stdio.h>

#include "report/layout_draft.h"

typedef posenc_layout_draft draft;

/* ---- The legend ---- */

static size_t count_names(const posenc_figure *figure) {
    size_t n = 0;
    for (size_t i = 0; i < figure->n_series; i++) n += posenc_layout_has_text(figure->series[i].name);
    return n;
}

/* The names that fit into the height; the last row then says how many do not. */
static void fill_legend(draft *d, double room) {
    posenc_figure_layout *out = d->out;
    size_t n = count_names(d->figure), taken = 0, rows = (size_t)fmax(1, out->frame.height / out->row_height);
    if (rows > POSENC_MOST_LEGEND) rows = POSENC_MOST_LEGEND;
    size_t names = n <= rows ? n : rows - 1;
    for (size_t i = 0; taken < names; i++) {
        if (!posenc_layout_has_text(d->figure->series[i].name)) continue;
        posenc_legend_entry *entry = &out->legend[taken++];
        entry->series = i;
        posenc_caption(d->figure->series[i].name, entry->name);
        posenc_caption_shorten(entry->name, room, out->tick_size, false, d->measure);
    }
    if (names < n) {
        out->legend[taken].series = d->figure->n_series;
        snprintf(out->legend[taken++].name, POSENC_CAPTION, "%zu more", n - names);
    }
    out->n_legend = (int)taken;
}

/* None where it and the bar, of that width, would leave less than a third to the frame. */
static void place_legend(draft *d, double bar) {
    posenc_figure_layout *out = d->out;
    if (count_names(d->figure) == 0) return;
    out->row_height = 1.6 * out->tick_size;
    fill_legend(d, 0.3 * d->figure->width);
    double width = 0, sample = POSENC_LEGEND_SAMPLE * out->unit, space = POSENC_LEGEND_SPACE * out->unit;
    for (int i = 0; i < out->n_legend; i++)
        width = fmax(width, posenc_layout_text_width(d, out->legend[i].name, out->tick_size, false));
    double x = d->right - (width + space + sample), right = x - 14 * out->unit;
    if (right - bar - d->left < d->figure->width / 3.0) {
        out->n_legend = 0;
        return;
    }
    out->sample = (posenc_box){x, d->top, sample, out->row_height};
    d->right = right;
}

/* ---- The colour bar ---- */

/* A scale without length is given some. */
static posenc_axis bar_axis(const posenc_image *image) {
    posenc_axis axis = {.first = image->low, .last = image->high};
    if (axis.first == axis.last) {
        double half = axis.first == 0 ? 0.5 : fabs(axis.first) / 2;
        axis.first -= half;
        axis.last += half;
    }
    return axis;
}

static const char *missing_text(const draft *d) {
    const char *text = d->figure->image->missing;
    return text ? text : "not a number";
}

static double missing_side(const draft *d) { return round(12 * d->out->unit); }
static double missing_space(const draft *d) { return 5 * d->out->unit; } /* between the sample and its text */

static double missing_width(const draft *d) {
    return missing_side(d) + missing_space(d) + posenc_layout_text_width(d, missing_text(d), d->out->tick_size, false);
}

/* The colour of what is missing is explained below the bar. */
static void place_missing(draft *d, double x) {
    posenc_figure_layout *out = d->out;
    double side = missing_side(d);
    out->missing = (posenc_box){x, d->bottom - side, side, side};
    posenc_layout_label(d, missing_text(d), out->tick_size, x + side + missing_space(d),
                        d->bottom - 0.5 * side + 0.36 * out->tick_size)
        ->align = POSENC_ALIGN_LEFT;
}

/* Widths of the bar's parts, from left to right. */
typedef struct bar_parts {
    double space; /* between it and the frame */
    double bar, ticks, name;
    double all;
    double height; /* of the bar */
} bar_parts;

static bar_parts bar_with(const draft *d, bool has_missing, bool has_name) {
    double unit = d->out->unit;
    bar_parts p = {.space = 18 * unit, .bar = round(16 * unit), .height = d->out->frame.height};
    if (has_missing) p.height = fmax(p.height - missing_side(d) - round(14 * unit), 1);
    p.ticks = posenc_layout_upright_width(d, &d->out->bar_ticks);
    p.name = has_name ? 1.3 * d->label_size + 2 * unit : 0;
    p.all = p.bar + p.ticks + p.name;
    if (has_missing) p.all = fmax(p.all, missing_width(d));
    p.all = ceil(p.space + p.all);
    return p;
}

/* In a small figure the bar loses its name, or is left out, rather than leave less than a quarter to the frame. */
static bar_parts measure_bar(draft *d, bool has_missing) {
    posenc_figure_layout *out = d->out;
    double most = d->right - d->left - d->figure->width / 4.0;
    bool has_name = posenc_layout_has_text(d->figure->image->label);
    out->bar_axis = bar_axis(d->figure->image);
    posenc_ticks_find(&out->bar_axis, posenc_layout_upright_ticks(d, bar_with(d, has_missing, false).height), false,
                      &out->bar_ticks);
    bar_parts p = bar_with(d, has_missing, has_name);
    if (p.all > most) p = bar_with(d, has_missing, false);
    return p.all > most ? (bar_parts){0} : p;
}

static void place_bar(draft *d, const bar_parts *p, bool has_missing) {
    posenc_figure_layout *out = d->out;
    double left = floor(d->right - p->all), x = left + ceil(p->space), baseline = x + p->bar + p->ticks + p->name;
    out->bar = (posenc_box){x, d->top, p->bar, p->height};
    if (has_missing) place_missing(d, x);
    if (p->name > 0)
        posenc_layout_turned(d, d->figure->image->label, baseline - 0.3 * d->label_size, d->top + p->height / 2,
                             p->height);
    d->right = left;
}

void posenc_layout_right(draft *d, bool has_missing) {
    bar_parts bar = {0};
    if (d->figure->image) bar = measure_bar(d, has_missing);
    place_legend(d, bar.all);
    if (bar.all > 0) place_bar(d, &bar, has_missing);
}
