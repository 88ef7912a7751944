/* Texts, by cairo's own simple calls: one face, shaped letter by letter. Metrics are not fitted to pixels, so that a
 * text is as wide in a PDF as it is in a PNG. */
#include "report/cairo/canvas.h"

static void set_font(cairo_t *cairo, double size, bool bold) {
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

static double width_of(cairo_t *cairo, const char *text, double size, bool bold) {
    cairo_text_extents_t extents;
    if (!text[0]) return 0;
    set_font(cairo, size, bold);
    cairo_text_extents(cairo, text, &extents);
    return extents.x_advance;
}

static double measure_width(void *user, const char *text, double size, bool bold) {
    return width_of(user, text, size, bold);
}

posenc_measure posenc_canvas_measure(cairo_t *cairo) { return (posenc_measure){measure_width, cairo}; }

void posenc_canvas_colour(cairo_t *cairo, uint32_t rgb) {
    cairo_set_source_rgb(cairo, (rgb >> 16 & 0xFF) / 255.0, (rgb >> 8 & 0xFF) / 255.0, (rgb & 0xFF) / 255.0);
}

/* What lies before x, as a share of the width. */
static double share_before(posenc_align align) {
    return align == POSENC_ALIGN_LEFT ? 0 : align == POSENC_ALIGN_CENTRE ? 0.5 : 1;
}

void posenc_canvas_text(cairo_t *cairo, const posenc_label *label) {
    double before = share_before(label->align) * width_of(cairo, label->text, label->size, label->bold);
    if (!label->text[0]) return;
    set_font(cairo, label->size, label->bold);
    cairo_save(cairo);
    cairo_translate(cairo, label->x, label->y);
    if (label->turned) cairo_rotate(cairo, -1.57079632679489661923);
    cairo_move_to(cairo, -before, 0);
    cairo_show_text(cairo, label->text);
    cairo_restore(cairo);
}

void posenc_canvas_tick(cairo_t *cairo, const posenc_tick *tick, double x, double baseline, double size,
                        posenc_align align) {
    double small = POSENC_RAISED_SIZE * size, width = width_of(cairo, tick->text, size, false);
    x -= share_before(align) * (width + width_of(cairo, tick->raised, small, false));
    set_font(cairo, size, false);
    cairo_move_to(cairo, x, baseline);
    cairo_show_text(cairo, tick->text);
    if (!tick->raised[0]) return;
    set_font(cairo, small, false);
    cairo_move_to(cairo, x + width, baseline - 0.42 * size);
    cairo_show_text(cairo, tick->raised);
}
