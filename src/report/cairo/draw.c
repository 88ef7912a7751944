/* Draws a figure into a PNG, SVG or PDF. What cairo writes goes straight to the output; the first failure there stops
 * it and is what the caller hears. */
#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/cairo/canvas.h"
#include "report/cairo/svg_numbers.h"
#include "report/drawing.h"
#include "report/raster.h"

/* Where cairo's bytes go. */
typedef struct sink {
    posenc_output *output;
    posenc_error *error;
    posenc_status status;
    bool svg;
    posenc_svg_numbers numbers;
} sink;

static cairo_status_t take(void *closure, const unsigned char *bytes, unsigned n) {
    sink *s = closure;
    if (s->status == POSENC_OK)
        s->status = s->svg ? posenc_svg_write(&s->numbers, s->output, bytes, n, s->error)
                           : posenc_output_write(s->output, bytes, n, s->error);
    return s->status == POSENC_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *make_surface(const posenc_figure *figure, posenc_picture picture, sink *s) {
    double width = figure->width, height = figure->height;
    if (picture == POSENC_PICTURE_PNG)
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, figure->width, figure->height);
    if (picture == POSENC_PICTURE_SVG) return cairo_svg_surface_create_for_stream(take, s, width, height);
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(take, s, width, height);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, ""); /* none: the same bytes every day */
    return surface;
}

/* Edges and letters are smoothed in grey, whatever the desktop is set to. */
static void set_up(cairo_t *cairo) {
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
}

static posenc_status draw_layers(const posenc_canvas *canvas) {
    posenc_status status = POSENC_OK;
    if (canvas->figure->image) {
        status = posenc_canvas_image(canvas);
        if (status == POSENC_OK && canvas->layout->bar.width > 0) status = posenc_canvas_bar(canvas);
    } else {
        posenc_canvas_grid(canvas);
    }
    if (status == POSENC_OK) status = posenc_canvas_series(canvas);
    posenc_canvas_axes(canvas);
    posenc_canvas_legend(canvas);
    return status;
}

/* said: what cairo made of it. */
static posenc_status draw_all(const posenc_context *context, const posenc_figure *figure, bool pixels,
                              cairo_surface_t *surface, cairo_status_t *said) {
    posenc_figure_layout *layout = posenc_allocate(context, sizeof *layout);
    if (!layout) return POSENC_ERROR_MEMORY;
    cairo_t *cairo = cairo_create(surface);
    posenc_measure measure = posenc_canvas_measure(cairo);
    const posenc_canvas canvas = {
        .context = context, .cairo = cairo, .pixels = pixels, .figure = figure, .layout = layout};
    set_up(cairo);
    posenc_layout_make(figure, figure->image && posenc_raster_has_missing(figure->image), &measure, layout);
    posenc_status status = draw_layers(&canvas);
    *said = cairo_status(cairo);
    cairo_destroy(cairo);
    posenc_release(context, layout);
    return status;
}

static cairo_status_t finish(cairo_surface_t *surface, posenc_picture picture, sink *s) {
    if (picture == POSENC_PICTURE_PNG) return cairo_surface_write_to_png_stream(surface, take, s);
    cairo_surface_finish(surface);
    return cairo_surface_status(surface);
}

/* What came out of all. The output's own failure has its own message already. */
static posenc_status judge(posenc_status drawn, cairo_status_t said, const sink *s, const posenc_figure *figure,
                           posenc_error *error) {
    if (s->status != POSENC_OK) return s->status;
    if (drawn == POSENC_ERROR_MEMORY || said == CAIRO_STATUS_NO_MEMORY)
        return posenc_fail_memory(error, "figure", (size_t)figure->width * (size_t)figure->height * 4);
    if (said == CAIRO_STATUS_SUCCESS) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_UNSUPPORTED, "figure", "expected cairo to draw it, got \"%s\"",
                       cairo_status_to_string(said));
}

posenc_status posenc_cairo_draw(const posenc_context *context, const posenc_figure *figure, posenc_picture picture,
                                posenc_output *output, posenc_error *error) {
    sink s = {.output = output, .error = error, .svg = picture == POSENC_PICTURE_SVG};
    cairo_surface_t *surface = make_surface(figure, picture, &s);
    cairo_status_t said = cairo_surface_status(surface);
    posenc_status drawn = POSENC_OK;
    if (said == CAIRO_STATUS_SUCCESS) drawn = draw_all(context, figure, picture == POSENC_PICTURE_PNG, surface, &said);
    if (said == CAIRO_STATUS_SUCCESS && drawn == POSENC_OK) said = finish(surface, picture, &s);
    cairo_surface_destroy(surface);
    return judge(drawn, said, &s, figure, error);
}
