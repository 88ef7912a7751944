/* Raster: the cells of an image as pixels. */
#ifndef POSENC_REPORT_RASTER_H
#define POSENC_REPORT_RASTER_H

#include <posenc/figure.h>
#include <stdbool.h>

/* Fills width x height pixels 0x00RRGGBB, the upper row first, stride pixels apart. A pixel shows the mean of the cells
 * in it, and a cell larger than a pixel has exact edges. One missing cell among many still shows: it is at least
 * least_missing pixels wide and high.
 * low < high: the scale. Returns POSENC_ERROR_MEMORY. */
posenc_status posenc_raster_fill(const posenc_context *context, const posenc_image *image, double low, double high,
                                 uint32_t *pixels, int width, int height, size_t stride, int least_missing);

/* Whether a cell is missing. */
bool posenc_raster_has_missing(const posenc_image *image);

#endif
