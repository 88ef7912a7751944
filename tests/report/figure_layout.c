/* Layout: for figures of every size and kind, nothing leaves the picture, and no text lies on another or in the frame.
 * The measure is that of a plain sans-serif. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "support/tensors.h"
#include "support/test.h"

static double width(void *user, const char *text, double size, bool bold) {
    (void)user;
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n * size * (bold ? 0.68 : 0.6);
}

static const posenc_measure measure = {width, NULL};

/* What covers the picture: texts and boxes, with a name for messages. */
typedef struct thing {
    posenc_box box;
    char name[64];
} thing;

typedef struct things {
    int n;
    thing list[256];
} things;

static void add(things *t, posenc_box box, const char *kind, const char *text) {
    thing *next = &t->list[t->n++];
    check(t->n < 256, "too many things");
    next->box = box;
    snprintf(next->name, sizeof next->name, "%s %.40s", kind, text);
}

/* From the tops of capitals to below the line. */
static posenc_box text_box(double x, double baseline, double text_width, double size) {
    return (posenc_box){x, baseline - 0.74 * size, text_width, 0.94 * size};
}

static void add_label(things *t, const posenc_label *l) {
    double w = width(NULL, l->text, l->size, l->bold);
    double before = l->align == POSENC_ALIGN_LEFT ? 0 : l->align == POSENC_ALIGN_CENTRE ? w / 2 : w;
    if (l->turned)
        add(t, (posenc_box){l->x - 0.74 * l->size, l->y - w / 2, 0.94 * l->size, w}, "label", l->text);
    else
        add(t, text_box(l->x - before, l->y, w, l->size), "label", l->text);
}

static void add_ticks(things *t, const posenc_figure_layout *l) {
    posenc_scale x = posenc_scale_of(&l->x_axis), y = posenc_scale_of(&l->y_axis), bar = posenc_scale_of(&l->bar_axis);
    double out = l->line + l->tick_length + l->tick_gap, size = l->tick_size;
    for (int i = 0; i < l->x.n; i++) {
        double w = posenc_tick_width(&l->x.ticks[i], size, &measure);
        double middle = l->frame.x + posenc_scale_at(&x, l->x.ticks[i].value) * l->frame.width;
        add(t, text_box(middle - w / 2, l->frame.y + l->frame.height + out + 0.74 * size, w, size), "x tick",
            l->x.ticks[i].text);
    }
    for (int i = 0; i < l->y.n; i++) {
        double w = posenc_tick_width(&l->y.ticks[i], size, &measure);
        double at = l->frame.y + (1 - posenc_scale_at(&y, l->y.ticks[i].value)) * l->frame.height;
        add(t, text_box(l->frame.x - out - w, at + 0.36 * size, w, size), "y tick", l->y.ticks[i].text);
    }
    for (int i = 0; i < l->bar_ticks.n && l->bar.width > 0; i++) {
        double w = posenc_tick_width(&l->bar_ticks.ticks[i], size, &measure);
        double at = l->bar.y + (1 - posenc_scale_at(&bar, l->bar_ticks.ticks[i].value)) * l->bar.height;
        add(t, text_box(l->bar.x + l->bar.width + out, at + 0.36 * size, w, size), "bar tick",
            l->bar_ticks.ticks[i].text);
    }
}

static void add_legend(things *t, const posenc_figure_layout *l) {
    for (int i = 0; i < l->n_legend; i++) {
        double middle = l->sample.y + (i + 0.5) * l->row_height;
        double x = l->sample.x + l->sample.width + POSENC_LEGEND_SPACE * l->unit;
        add(t, (posenc_box){l->sample.x, middle - 2, l->sample.width, 4}, "sample", l->legend[i].name);
        add(t,
            text_box(x, middle + 0.36 * l->tick_size, width(NULL, l->legend[i].name, l->tick_size, false),
                     l->tick_size),
            "legend", l->legend[i].name);
    }
}

static bool overlap(const posenc_box *a, const posenc_box *b) {
    const double slack = 0.75;
    return a->x + a->width > b->x + slack && b->x + b->width > a->x + slack && a->y + a->height > b->y + slack &&
           b->y + b->height > a->y + slack;
}

static void check_layout(const posenc_figure *figure, const posenc_figure_layout *l, const char *what) {
    static things t;
    t.n = 0;
    add(&t, l->frame, "frame", "");
    if (l->bar.width > 0) add(&t, l->bar, "bar", "");
    if (l->missing.width > 0) add(&t, l->missing, "missing", "");
    for (int i = 0; i < l->n_labels; i++) add_label(&t, &l->labels[i]);
    add_ticks(&t, l);
    add_legend(&t, l);
    for (int i = 0; i < t.n; i++) {
        const posenc_box *b = &t.list[i].box;
        check(b->x >= -0.01 && b->y >= -0.01 && b->x + b->width <= figure->width + 0.01 &&
                  b->y + b->height <= figure->height + 0.01,
              "%s: %s at %g, %g, %g x %g leaves the picture", what, t.list[i].name, b->x, b->y, b->width, b->height);
        for (int j = 0; j < i; j++)
            check(!overlap(b, &t.list[j].box), "%s: %s (%g, %g, %g x %g) lies on %s (%g, %g, %g x %g)", what,
                  t.list[i].name, b->x, b->y, b->width, b->height, t.list[j].name, t.list[j].box.x, t.list[j].box.y,
                  t.list[j].box.width, t.list[j].box.height);
    }
    posenc_box f = l->frame;
    check(f.x == floor(f.x) && f.y == floor(f.y) && f.width == floor(f.width) && f.height == floor(f.height) &&
              f.width >= 8 && f.height >= 8,
          "%s: frame %g, %g, %g x %g", what, f.x, f.y, f.width, f.height);
}

static const char *const texts[] = {
    NULL,
    "",
    "value",
    "position (tokens)",
    "pe.npy: similarity of positions",
    "A text that goes on and on, as only file names with all their folders do, until it "
    "has no place in any picture of an ordinary size, and a few words beyond that."};

static const char *random_text(random_state *r) { return texts[random_between(r, 0, 5)]; }

static double random_end(random_state *r) { return (random_unit(r) - 0.5) * pow(10, (double)random_between(r, -9, 9)); }

static posenc_axis random_axis(random_state *r) {
    posenc_axis axis = {.label = random_text(r), .first = random_end(r), .last = random_end(r)};
    int64_t kind = random_between(r, 0, 3);
    if (kind == 0) {
        axis.logarithmic = 1;
        axis.first = fabs(axis.first);
        axis.last = fabs(axis.last);
    } else if (kind == 1) {
        axis.first = -0.5;
        axis.last = (double)random_between(r, 0, 1000000) + 0.5;
    }
    return axis;
}

static int random_side(random_state *r) {
    static const int sides[] = {160, 161, 240, 320, 600, 800, 1200, 3000, 16384};
    return sides[random_between(r, 0, 8)];
}

static void nothing_overlaps_or_is_cut(void **state) {
    (void)state;
    random_state random = random_start("layouts");
    posenc_figure_layout *layout = must_allocate(sizeof *layout);
    const double zero = 0;
    for (int i = 0; i < 20000; i++) {
        posenc_series series[12];
        float value = 0;
        posenc_image image = {
            .values = &value, .rows = 1, .columns = 1, .low = random_end(&random), .label = random_text(&random)};
        image.high = image.low + fabs(random_end(&random));
        posenc_figure figure;
        posenc_figure_default(&figure, sizeof figure);
        figure.title = random_text(&random);
        figure.note = random_text(&random);
        figure.x = random_axis(&random);
        figure.y = random_axis(&random);
        figure.width = random_side(&random);
        figure.height = random_side(&random);
        if (random_between(&random, 0, 1)) figure.image = &image;
        figure.n_series = (size_t)random_between(&random, 0, 12);
        figure.series = series;
        for (size_t k = 0; k < figure.n_series; k++)
            series[k] = (posenc_series){.name = random_text(&random), .x = &zero, .y = &zero, .n = 1};
        bool missing = figure.image && random_between(&random, 0, 1);
        char what[256];
        snprintf(what, sizeof what, "figure %d, %d x %d, x %.17g..%.17g, y %.17g..%.17g%s%s", i, figure.width,
                 figure.height, figure.x.first, figure.x.last, figure.y.first, figure.y.last,
                 figure.image ? ", image" : "", missing ? ", missing" : "");
        posenc_layout_make(&figure, missing, &measure, layout);
        check_layout(&figure, layout, what);
    }
    free(layout);
}

/* The ordinary figure gives most of its room to the frame, and sizes are as said. */
static void the_ordinary_figure(void **state) {
    (void)state;
    posenc_figure_layout *layout = must_allocate(sizeof *layout);
    float value = 0;
    posenc_image image = {.values = &value, .rows = 1, .columns = 1, .low = -1, .high = 1, .label = "value"};
    posenc_figure figure;
    posenc_figure_default(&figure, sizeof figure);
    figure.title = "pe.npy: values";
    figure.x.label = "channel";
    figure.y.label = "position (tokens)";
    figure.image = &image;
    posenc_layout_make(&figure, false, &measure, layout);
    check(layout->unit == 1 && layout->line == 1 && layout->tick_size >= 11, "sizes");
    check(layout->frame.width > 600 && layout->frame.height > 480, "%g x %g", layout->frame.width,
          layout->frame.height);
    check(layout->bar.height == layout->frame.height && layout->missing.width == 0, "bar");
    figure.width = 1600;
    figure.height = 1200;
    posenc_layout_make(&figure, false, &measure, layout);
    check(layout->unit == 2 && layout->line == 2, "twice as large is twice as large");
    free(layout);
}

static bool has_label(const posenc_figure_layout *l, const char *text) {
    for (int i = 0; i < l->n_labels; i++)
        if (strcmp(l->labels[i].text, text) == 0) return true;
    return false;
}

/* What is missing is called what the caller calls it. */
static void missing_has_a_name(void **state) {
    (void)state;
    posenc_figure_layout *layout = must_allocate(sizeof *layout);
    const float value = 0;
    posenc_image image = {.values = &value, .rows = 1, .columns = 1, .low = -1, .high = 1};
    posenc_figure figure;
    posenc_figure_default(&figure, sizeof figure);
    figure.image = &image;
    posenc_layout_make(&figure, true, &measure, layout);
    check(layout->missing.width > 0 && has_label(layout, "not a number"), "without a name");
    image.missing = "masked";
    posenc_layout_make(&figure, true, &measure, layout);
    check(has_label(layout, "masked") && !has_label(layout, "not a number"), "with a name");
    check_layout(&figure, layout, "a name for what is missing");
    free(layout);
}

/* Names that do not fit are counted in the last row. */
static void long_legends_end_in_a_count(void **state) {
    (void)state;
    enum { N = 1000 };
    posenc_figure_layout *layout = must_allocate(sizeof *layout);
    posenc_series *series = must_allocate(N * sizeof *series);
    for (int i = 0; i < N; i++) series[i] = (posenc_series){.name = i % 2 ? "name" : NULL};
    posenc_figure figure;
    posenc_figure_default(&figure, sizeof figure);
    figure.series = series;
    figure.n_series = N;
    posenc_layout_make(&figure, false, &measure, layout);
    check(layout->n_legend > 10 && layout->n_legend <= POSENC_MOST_LEGEND, "%d rows", layout->n_legend);
    char last[32];
    snprintf(last, sizeof last, "%d more", N / 2 - (layout->n_legend - 1));
    assert_string_equal(layout->legend[layout->n_legend - 1].name, last);
    assert_int_equal(layout->legend[layout->n_legend - 1].series, N);
    assert_int_equal(layout->legend[1].series, 3);
    check_layout(&figure, layout, "a long legend");
    free(series);
    free(layout);
}

static void check_whole(const posenc_figure *figure, bool x, bool y, const char *what) {
    posenc_figure_layout *layout = must_allocate(sizeof *layout);
    posenc_layout_make(figure, false, &measure, layout);
    check((strchr(layout->x.ticks[0].text, '.') == NULL) == x, "%s: x ticks begin with %s", what,
          layout->x.ticks[0].text);
    check((strchr(layout->y.ticks[0].text, '.') == NULL) == y, "%s: y ticks begin with %s", what,
          layout->y.ticks[0].text);
    free(layout);
}

static void what_is_counted_has_whole_ticks(void **state) {
    (void)state;
    float values[4] = {0};
    const double x[] = {0, 1, (double)NAN}, y[] = {0.5, 1, 2};
    posenc_image image = {.values = values, .rows = 2, .columns = 2, .low = 0, .high = 1};
    posenc_series series = {NULL, x, y, 3, POSENC_STROKE_LINE};
    posenc_figure figure;
    posenc_figure_default(&figure, sizeof figure);
    check_whole(&figure, false, false, "empty");
    figure.image = &image;
    check_whole(&figure, false, false, "an image of anything");
    figure.x.first = figure.y.first = -0.5;
    figure.x.last = figure.y.last = 1.5;
    check_whole(&figure, true, true, "an image of things");
    figure.image = NULL;
    figure.series = &series;
    figure.n_series = 1;
    check_whole(&figure, true, false, "a series over things");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_overlaps_or_is_cut),
        cmocka_unit_test(the_ordinary_figure),
        cmocka_unit_test(missing_has_a_name),
        cmocka_unit_test(long_legends_end_in_a_count),
        cmocka_unit_test(what_is_counted_has_whole_ticks),
    };
    return TEST_RUN(tests);
}
