/* Images. In a PNG, pixel by pixel. A PDF or SVG holds few cells as rectangles, sharp at any size, and many as pixels
 * of half a point. */
#include "report/cairo/canvas.h"

#include <math.h>

#include "report/colours.h"
#include "report/raster.h"

enum {
    MOST_SIDE = 32767,         /* of cairo's images */
    LEAST_MISSING = 5,         /* pixels of a figure of 800 x 600 */
    MOST_RECTANGLES = 4096,    /* of them a file stays small and quick to show */
    MOST_FINE_PIXELS = 1 << 24 /* from there on a point is a pixel */
};

/* Rectangles side by side would let the background shine through where their smoothed edges meet. So each reaches over
 * what the next ones will cover: to the right, and up. */
static void draw_cells(const posenc_canvas *canvas, const posenc_image *image, const posenc_axis *scale,
                       const posenc_box *box) {
    uint32_t map[POSENC_COLOUR_STEPS];
    double width = box->width / (double)image->columns, height = box->height / (double)image->rows;
    posenc_colours_map(image->colours, map);
    for (int64_t i = 0; i < image->rows; i++)
        for (int64_t j = 0; j < image->columns; j++) {
            double x = box->x + (double)j * width, over_x = j + 1 < image->columns ? width / 2 : 0;
            double y = box->y + box->height - (double)(i + 1) * height, over_y = i + 1 < image->rows ? height / 2 : 0;
            double value = (double)image->values[i * image->columns + j];
            posenc_canvas_colour(canvas->cairo, posenc_colours_at(map, scale->first, scale->last, value));
            cairo_rectangle(canvas->cairo, x, y - over_y, width + over_x, height + over_y);
            cairo_fill(canvas->cairo);
        }
}

static posenc_status fill_surface(const posenc_canvas *canvas, const posenc_image *image, const posenc_axis *scale,
                                  int fine, cairo_surface_t *surface) {
    int width = cairo_image_surface_get_width(surface), height = cairo_image_surface_get_height(surface);
    if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) return POSENC_ERROR_MEMORY;
    cairo_surface_flush(surface);
    /* Rows of this format are whole pixels of 32 bits. */
    void *pixels = cairo_image_surface_get_data(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface) / sizeof(uint32_t);
    int least = (int)(LEAST_MISSING * fine * canvas->layout->unit);
    posenc_status status =
        posenc_raster_fill(canvas->context, image, scale->first, scale->last, pixels, width, height, stride, least);
    cairo_surface_mark_dirty(surface);
    return status;
}

static void paint(cairo_t *cairo, cairo_surface_t *surface, const posenc_box *box, int fine) {
    cairo_save(cairo);
    cairo_translate(cairo, box->x, box->y);
    cairo_scale(cairo, 1.0 / fine, 1.0 / fine);
    cairo_set_source_surface(cairo, surface, 0, 0);
    if (fine == 1) cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cairo, 0, 0, box->width * fine, box->height * fine);
    cairo_fill(cairo);
    cairo_restore(cairo);
}

/* Sides of boxes are whole numbers. */
static posenc_status draw_pixels(const posenc_canvas *canvas, const posenc_image *image, const posenc_axis *scale,
                                 const posenc_box *box) {
    bool large = box->width * box->height > MOST_FINE_PIXELS || 2 * fmax(box->width, box->height) > MOST_SIDE;
    int fine = canvas->pixels || large ? 1 : 2;
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)box->width * fine, (int)box->height * fine);
    posenc_status status = fill_surface(canvas, image, scale, fine, surface);
    if (status == POSENC_OK) paint(canvas->cairo, surface, box, fine);
    cairo_surface_destroy(surface);
    return status;
}

static posenc_status draw_image(const posenc_canvas *canvas, const posenc_image *image, const posenc_axis *scale,
                                const posenc_box *box) {
    bool few = image->rows <= MOST_RECTANGLES && image->columns <= MOST_RECTANGLES / image->rows;
    if (canvas->pixels || !few) return draw_pixels(canvas, image, scale, box);
    draw_cells(canvas, image, scale, box);
    return POSENC_OK;
}

posenc_status posenc_canvas_image(const posenc_canvas *canvas) {
    return draw_image(canvas, canvas->figure->image, &canvas->layout->bar_axis, &canvas->layout->frame);
}

/* The bar is an image too, of one cell for each colour. */
posenc_status posenc_canvas_bar(const posenc_canvas *canvas) {
    float values[POSENC_COLOUR_STEPS];
    for (int i = 0; i < POSENC_COLOUR_STEPS; i++) values[i] = (float)i + 0.5F;
    const posenc_axis scale = {.first = 0, .last = POSENC_COLOUR_STEPS};
    const posenc_image bar = {
        .values = values, .rows = POSENC_COLOUR_STEPS, .columns = 1, .colours = canvas->figure->image->colours};
    return draw_image(canvas, &bar, &scale, &canvas->layout->bar);
}
