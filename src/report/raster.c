#include "report/raster.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "report/colours.h"

bool posenc_raster_has_missing(const posenc_image *image) {
    for (int64_t i = 0; i < image->rows * image->columns; i++)
        if (isnan(image->values[i])) return true;
    return false;
}

/* The cells first..end-1 in pixel i: those that begin in it, or the one at its middle when cells are larger. */
static void cells_of(int64_t i, int64_t n, int64_t pixels, int64_t *first, int64_t *end) {
    if (n <= pixels) {
        *first = (2 * i + 1) * n / (2 * pixels);
        *end = *first + 1;
    } else {
        *first = posenc_i64_share(i, n, pixels);
        *end = posenc_i64_share(i + 1, n, pixels);
    }
}

/* Adds one row of cells to the sums of the pixels. */
static void add_row(const float *values, int64_t columns, double *sums, int width) {
    for (int x = 0; x < width; x++) {
        int64_t first, end;
        cells_of(x, columns, width, &first, &end);
        for (int64_t j = first; j < end; j++) sums[x] += (double)values[j];
    }
}

/* Row y of the pixels, counted from below. */
static void fill_row(const posenc_image *image, double low, double high, const uint32_t *map, int64_t y, int64_t height,
                     double *sums, uint32_t *pixels, int width) {
    int64_t first, end, left, right;
    cells_of(y, image->rows, height, &first, &end);
    memset(sums, 0, (size_t)width * sizeof *sums);
    for (int64_t i = first; i < end; i++) add_row(image->values + i * image->columns, image->columns, sums, width);
    for (int x = 0; x < width; x++) {
        cells_of(x, image->columns, width, &left, &right);
        double cells = (double)(end - first) * (double)(right - left);
        pixels[x] = posenc_colours_at(map, low, high, sums[x] / cells);
    }
}

/* ---- Small missing cells are widened ---- */

/* Spreads the missing ones in a line of pixels by reach to both sides. Each is seen, ahead of the writing, before it
 * could have been overwritten. */
static void spread(uint32_t *pixels, size_t step, int n, int reach) {
    int until = -1; /* where the reach of the last missing one that was seen ends */
    for (int i = 0, seen = 0; i < n; i++) {
        for (; seen < n && seen <= i + reach; seen++)
            if (pixels[(size_t)seen * step] == POSENC_COLOUR_MISSING) until = seen + reach;
        if (i <= until) pixels[(size_t)i * step] = POSENC_COLOUR_MISSING;
    }
}

/* How far to spread so that a cell of that many pixels has least of them. */
static int reach_of(int64_t cells, int pixels, int least) {
    double side = fmax(1, (double)pixels / (double)cells);
    return side >= least ? 0 : (int)ceil((least - side) / 2);
}

posenc_status posenc_raster_fill(const posenc_context *context, const posenc_image *image, double low, double high,
                                 uint32_t *pixels, int width, int height, size_t stride, int least_missing) {
    uint32_t map[POSENC_COLOUR_STEPS];
    double *sums = posenc_allocate(context, (size_t)width * sizeof *sums);
    if (!sums) return POSENC_ERROR_MEMORY;
    posenc_colours_map(image->colours, map);
    for (int y = 0; y < height; y++)
        fill_row(image, low, high, map, height - 1 - y, height, sums, pixels + (size_t)y * stride, width);
    posenc_release(context, sums);
    int along = reach_of(image->columns, width, least_missing), up = reach_of(image->rows, height, least_missing);
    for (int y = 0; y < height && along > 0; y++) spread(pixels + (size_t)y * stride, 1, width, along);
    for (int x = 0; x < width && up > 0; x++) spread(pixels + x, stride, height, up);
    return POSENC_OK;
}
