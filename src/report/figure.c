/* The door of figures: defaults, the form of a picture, and every check before anything is drawn. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/options.h"
#include "report/drawing.h"
#include "report/ticks.h"

enum { LEAST_SIDE = 160, MOST_SIDE = 16384, MOST_PIXELS = 1 << 26 };

void posenc_figure_default(posenc_figure *figure, size_t size) {
    posenc_figure all = {
        .size = size, .x = {.first = 0, .last = 1}, .y = {.first = 0, .last = 1}, .width = 800, .height = 600};
    posenc_options_write(figure, size, &all, sizeof all);
}

static char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter; }

static bool ends_with(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    if (n <= m) return false;
    for (size_t i = 0; i < m; i++)
        if (lower(path[n - m + i]) != ending[i]) return false;
    return true;
}

posenc_status posenc_picture_of(const char *path, posenc_picture *out) {
    static const char *const endings[] = {".png", ".svg", ".pdf"};
    if (!path || !out) return POSENC_ERROR_ARGUMENT;
    for (int i = POSENC_PICTURE_PNG; i <= POSENC_PICTURE_PDF; i++)
        if (ends_with(path, endings[i])) {
            *out = (posenc_picture)i;
            return POSENC_OK;
        }
    return POSENC_ERROR_UNKNOWN;
}

/* ---- Checks ---- */

static posenc_status check_side(const char *name, int pixels, posenc_error *error) {
    if (pixels >= LEAST_SIDE && pixels <= MOST_SIDE) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected %d..%d, got %d", LEAST_SIDE, MOST_SIDE, pixels);
}

static posenc_status check_size(const posenc_figure *figure, posenc_error *error) {
    posenc_status status = check_side("width", figure->width, error);
    if (status == POSENC_OK) status = check_side("height", figure->height, error);
    if (status != POSENC_OK || figure->width <= MOST_PIXELS / figure->height) return status;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "height", "expected at most %d for a width of %d, got %d",
                       MOST_PIXELS / figure->width, figure->width, figure->height);
}

static posenc_status check_end(const posenc_axis *axis, const char *name, double end, posenc_error *error) {
    if (!(fabs(end) <= POSENC_AXIS_MOST))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected a number within +-1e300, got %g", end);
    if (axis->logarithmic && end < POSENC_AXIS_LEAST)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected more than 0 on a logarithmic axis, got %g",
                           end);
    return POSENC_OK;
}

/* names: of both ends. */
static posenc_status check_axis(const posenc_axis *axis, const char *const names[2], posenc_error *error) {
    posenc_status status = check_end(axis, names[0], axis->first, error);
    if (status == POSENC_OK) status = check_end(axis, names[1], axis->last, error);
    if (status != POSENC_OK || fabs(axis->last - axis->first) >= POSENC_AXIS_LEAST) return status;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, names[1], "expected another value than at the first end, got %g",
                       axis->last);
}

static posenc_status check_cells(const posenc_image *image, posenc_error *error) {
    int64_t cells;
    size_t bytes;
    if (image->rows < 1 || image->columns < 1 || !posenc_i64_multiply(image->rows, image->columns, &cells) ||
        !posenc_bytes_of(cells, sizeof *image->values, &bytes))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "image", "expected at least one cell, got %lld x %lld",
                           (long long)image->rows, (long long)image->columns);
    if (!image->values)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "image.values", "expected a pointer, got NULL");
    return POSENC_OK;
}

static posenc_status check_image(const posenc_image *image, posenc_error *error) {
    static const char *const names[] = {"image.low", "image.high"};
    const posenc_axis scale = {.first = image->low, .last = image->high};
    posenc_status status = check_cells(image, error);
    for (int i = 0; i < 2 && status == POSENC_OK; i++)
        status = check_end(&scale, names[i], i == 0 ? scale.first : scale.last, error);
    if (status != POSENC_OK) return status;
    if (image->low > image->high)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "image.high", "expected at least image.low, %g, got %g",
                           image->low, image->high);
    if (image->colours != POSENC_COLOURS_SEQUENTIAL && image->colours != POSENC_COLOURS_DIVERGING)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "image.colours", "expected one of posenc_colours, got %d",
                           (int)image->colours);
    return POSENC_OK;
}

static posenc_status check_series(const posenc_figure *figure, posenc_error *error) {
    if (figure->n_series > 0 && !figure->series)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "series", "expected a pointer, got NULL");
    for (size_t i = 0; i < figure->n_series; i++) {
        const posenc_series *series = &figure->series[i];
        if (series->n > 0 && (!series->x || !series->y))
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, "series", "expected x and y of series %zu, got NULL", i);
        if (series->stroke < POSENC_STROKE_LINE || series->stroke > POSENC_STROKE_POINTS)
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, "series",
                               "expected one of posenc_stroke for series %zu, got %d", i, (int)series->stroke);
    }
    return POSENC_OK;
}

static posenc_status check_figure(const posenc_figure *figure, posenc_error *error) {
    static const char *const x_names[] = {"x.first", "x.last"}, *const y_names[] = {"y.first", "y.last"};
    posenc_status status = check_size(figure, error);
    if (status == POSENC_OK) status = check_axis(&figure->x, x_names, error);
    if (status == POSENC_OK) status = check_axis(&figure->y, y_names, error);
    if (status == POSENC_OK && figure->image) status = check_image(figure->image, error);
    if (status == POSENC_OK) status = check_series(figure, error);
    return status;
}

static posenc_status check_call(const posenc_figure *figure, posenc_picture picture, const posenc_output *output,
                                posenc_error *error) {
    if (!figure || !output)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, figure ? "output" : "figure", "expected a pointer, got NULL");
    if (picture < POSENC_PICTURE_PNG || picture > POSENC_PICTURE_PDF)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "picture", "expected one of posenc_picture, got %d",
                           (int)picture);
    return POSENC_OK;
}

#ifndef POSENC_HAVE_CAIRO
posenc_status posenc_cairo_draw(const posenc_context *context, const posenc_figure *figure, posenc_picture picture,
                                posenc_output *output, posenc_error *error) {
    (void)context, (void)figure, (void)picture, (void)output;
    return posenc_fail(error, POSENC_ERROR_UNSUPPORTED, "figure", "expected a build with cairo, got one without");
}
#endif

posenc_status posenc_figure_draw(const posenc_context *context, const posenc_figure *figure, posenc_picture picture,
                                 posenc_output *output, posenc_error *error) {
    posenc_figure all;
    posenc_figure_default(&all, sizeof all);
    posenc_status status = check_call(figure, picture, output, error);
    if (status == POSENC_OK) status = posenc_options_read(figure, &all, sizeof all, "figure.size", error);
    if (status != POSENC_OK) return status;
    posenc_fpenv saved = posenc_fpenv_enter();
    status = check_figure(&all, error);
    if (status == POSENC_OK) status = posenc_cairo_draw(context, &all, picture, output, error);
    posenc_fpenv_leave(saved);
    return status;
}
