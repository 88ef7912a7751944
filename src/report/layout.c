/* Layout goes once around the frame. What is above and below it is known first, so its height is, and with it the ticks
 * of the upright axes; their texts say what is left for its width, and with that come the ticks along it. */
#include "report/layout_draft.h"

#include <math.h>
#include <string.h>

typedef posenc_layout_draft draft;

bool posenc_layout_has_text(const char *text) { return text && text[0]; }

double posenc_layout_text_width(const draft *d, const char *text, double size, bool bold) {
    return d->measure->width(d->measure->user, text, size, bold);
}

double posenc_tick_width(const posenc_tick *tick, double size, const posenc_measure *measure) {
    return measure->width(measure->user, tick->text, size, false) +
           measure->width(measure->user, tick->raised, POSENC_RAISED_SIZE * size, false);
}

static double widest(const draft *d, const posenc_ticks *ticks) {
    double width = 0;
    for (int i = 0; i < ticks->n; i++)
        width = fmax(width, posenc_tick_width(&ticks->ticks[i], d->out->tick_size, d->measure));
    return width;
}

posenc_label *posenc_layout_label(draft *d, const char *text, double size, double x, double y) {
    posenc_label *label = &d->out->labels[d->out->n_labels++];
    *label = (posenc_label){.x = x, .y = y, .size = size, .align = POSENC_ALIGN_CENTRE};
    strcpy(label->text, text);
    return label;
}

/* Sizes follow the figure's area, but no more than its shorter side allows, down to what can still be read. */
static void set_sizes(draft *d) {
    posenc_figure_layout *out = d->out;
    double across = d->figure->width / 800.0, up = d->figure->height / 600.0;
    out->unit = fmax(0.75, fmin(sqrt(across * up), 2 * fmin(across, up)));
    out->line = fmax(1, round(out->unit));
    out->tick_size = 11.5 * out->unit;
    out->tick_length = round(5 * out->unit);
    out->tick_gap = 4 * out->unit;
    d->pad = 10 * out->unit;
    d->title_size = 15 * out->unit;
    d->label_size = 13 * out->unit;
    d->note_size = fmax(10.5 * out->unit, 8);
}

/* ---- Above and below ---- */

/* The middles of title and x label are set once the frame is known. */
static void place_top(draft *d) {
    char text[POSENC_CAPTION];
    d->top = d->pad;
    if (!posenc_layout_has_text(d->figure->title)) return;
    posenc_caption(d->figure->title, text);
    posenc_caption_shorten(text, d->figure->width - 2 * d->pad, d->title_size, true, d->measure);
    posenc_layout_label(d, text, d->title_size, 0, d->pad + 0.8 * d->title_size)->bold = true;
    d->top += 1.1 * d->title_size + 6 * d->out->unit;
}

static void place_note(draft *d) {
    char text[POSENC_CAPTION], lines[2][POSENC_CAPTION];
    posenc_caption(d->figure->note, text);
    int n = posenc_caption_wrap(text, d->figure->width - 2 * d->pad, d->note_size, d->measure, lines);
    double line_height = 1.3 * d->note_size;
    for (int i = 0; i < n; i++)
        posenc_layout_label(d, lines[i], d->note_size, d->pad,
                            d->bottom - (n - 1 - i) * line_height - 0.25 * d->note_size)
            ->align = POSENC_ALIGN_LEFT;
    if (n > 0) d->bottom -= n * line_height + 5 * d->out->unit;
}

static void place_x_label(draft *d) {
    char text[POSENC_CAPTION];
    if (!posenc_layout_has_text(d->figure->x.label)) return;
    posenc_caption(d->figure->x.label, text);
    posenc_caption_shorten(text, d->figure->width - 2 * d->pad, d->label_size, false, d->measure);
    posenc_layout_label(d, text, d->label_size, 0, d->bottom - 0.25 * d->label_size);
    d->bottom -= 1.25 * d->label_size + 2 * d->out->unit;
}

static void place_bottom(draft *d) {
    posenc_figure_layout *out = d->out;
    d->bottom = d->figure->height - d->pad;
    place_note(d);
    place_x_label(d);
    d->bottom -= 1.05 * out->tick_size + out->tick_gap + out->tick_length;
    d->top = ceil(d->top);
    d->bottom = fmax(floor(d->bottom), d->top + 8);
    out->frame.y = d->top;
    out->frame.height = d->bottom - d->top;
}

/* ---- Upright axes ---- */

int posenc_layout_upright_ticks(const draft *d, double height) {
    int most = (int)(height / (3 * d->out->tick_size));
    return most < 2 ? 2 : most > 8 ? 8 : most;
}

double posenc_layout_upright_width(const draft *d, const posenc_ticks *ticks) {
    return d->out->line + d->out->tick_length + d->out->tick_gap + widest(d, ticks);
}

/* A text along the frame's height; x is its baseline. */
void posenc_layout_turned(draft *d, const char *text, double x, double y, double room) {
    char caption[POSENC_CAPTION];
    posenc_caption(text, caption);
    posenc_caption_shorten(caption, room, d->label_size, false, d->measure);
    posenc_layout_label(d, caption, d->label_size, x, y)->turned = true;
}

static void place_left(draft *d) {
    posenc_figure_layout *out = d->out;
    d->left = d->pad;
    if (posenc_layout_has_text(d->figure->y.label)) {
        double middle = (d->top + d->bottom) / 2;
        posenc_layout_turned(d, d->figure->y.label, d->left + 0.8 * d->label_size, middle, out->frame.height);
        d->left += 1.3 * d->label_size + 2 * out->unit;
    }
    d->left = ceil(d->left + posenc_layout_upright_width(d, &out->y));
}

/* ---- Along ---- */

static bool overlap(const draft *d, const posenc_ticks *ticks, double width) {
    posenc_scale scale = posenc_scale_of(&d->figure->x);
    for (int i = 1; i < ticks->n; i++) {
        const posenc_tick *a = &ticks->ticks[i - 1], *b = &ticks->ticks[i];
        double distance = fabs(posenc_scale_at(&scale, b->value) - posenc_scale_at(&scale, a->value)) * width;
        double halves = (posenc_tick_width(a, d->out->tick_size, d->measure) +
                         posenc_tick_width(b, d->out->tick_size, d->measure)) /
                        2;
        if (distance < halves + d->out->tick_size) return true;
    }
    return false;
}

static void along_ticks(draft *d, bool whole) {
    for (int most = 8; most >= 1; most--) {
        posenc_ticks_find(&d->figure->x, most, whole, &d->out->x);
        if (!overlap(d, &d->out->x, d->right - d->left)) return;
    }
    d->out->x.n = d->out->x.n > 0; /* one is better than several on top of each other */
}

/* Moves the frame's ends inwards by what texts under them would leave the figure. True if it had to. */
static bool pull_in(draft *d) {
    posenc_scale scale = posenc_scale_of(&d->figure->x);
    double left = 0, right = 0, edge = d->pad / 2;
    for (int i = 0; i < d->out->x.n; i++) {
        const posenc_tick *tick = &d->out->x.ticks[i];
        double half = posenc_tick_width(tick, d->out->tick_size, d->measure) / 2;
        double middle = d->left + posenc_scale_at(&scale, tick->value) * (d->right - d->left);
        left = fmax(left, edge - (middle - half));
        right = fmax(right, middle + half - (d->figure->width - edge));
    }
    d->left += ceil(left);
    d->right = fmax(d->right - ceil(right), d->left + 8);
    return left > 0 || right > 0;
}

static void place_along(draft *d, bool whole) {
    d->right = fmax(floor(d->right), d->left + 8);
    along_ticks(d, whole);
    if (pull_in(d)) along_ticks(d, whole);
    d->out->frame.x = d->left;
    d->out->frame.width = d->right - d->left;
}

/* ---- Middles ---- */

/* x of the middle of a text that is centred on the frame as far as the figure's edges let it. */
static double middle_of(const draft *d, const posenc_label *label) {
    double half = posenc_layout_text_width(d, label->text, label->size, label->bold) / 2;
    double x = (d->left + d->right) / 2;
    x = fmin(x, d->figure->width - d->pad - half);
    return fmax(x, d->pad + half);
}

static void centre_labels(draft *d) {
    for (int i = 0; i < d->out->n_labels; i++) {
        posenc_label *label = &d->out->labels[i];
        if (label->align != POSENC_ALIGN_CENTRE || label->turned) continue;
        label->x = middle_of(d, label);
    }
}

/* ---- What is counted in whole things ---- */

static bool is_half(double value) { return fabs(fmod(value, 1)) == 0.5; }

static bool all_whole(const double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]) && values[i] != nearbyint(values[i])) return false;
    return true;
}

/* The cells of an image that ends at halves are things, each as wide as its cell; so is what the series of a figure
 * without one run over, when that is integers. */
static bool is_whole(const posenc_figure *figure, const posenc_axis *axis) {
    if (figure->image) return is_half(axis->first) && is_half(axis->last);
    if (axis == &figure->y || figure->n_series == 0) return false;
    for (size_t i = 0; i < figure->n_series; i++)
        if (!all_whole(figure->series[i].x, figure->series[i].n)) return false;
    return true;
}

void posenc_layout_make(const posenc_figure *figure, bool has_missing, const posenc_measure *measure,
                        posenc_figure_layout *out) {
    draft d = {.figure = figure, .measure = measure, .out = out};
    memset(out, 0, sizeof *out);
    out->x_axis = figure->x;
    out->y_axis = figure->y;
    set_sizes(&d);
    place_top(&d);
    place_bottom(&d);
    posenc_ticks_find(&figure->y, posenc_layout_upright_ticks(&d, out->frame.height), is_whole(figure, &figure->y),
                      &out->y);
    place_left(&d);
    d.right = figure->width - d.pad;
    posenc_layout_right(&d, has_missing);
    place_along(&d, is_whole(figure, &figure->x));
    centre_labels(&d);
}
