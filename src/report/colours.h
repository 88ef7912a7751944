/* Colours: the two maps of numbers, the missing one, and those of series. sRGB as 0xRRGGBB. */
#ifndef POSENC_REPORT_COLOURS_H
#define POSENC_REPORT_COLOURS_H

#include <posenc/figure.h>

#define POSENC_COLOUR_MISSING UINT32_C(0xE8388F) /* a pink that neither map comes near */

enum { POSENC_COLOUR_STEPS = 256, POSENC_SERIES_COLOURS = 8 };

/* Writes a map, darkest first. */
void posenc_colours_map(posenc_colours colours, uint32_t map[POSENC_COLOUR_STEPS]);

/* The colour of a value on a scale low < high: values beyond take the ends, NaN the missing colour. */
uint32_t posenc_colours_at(const uint32_t map[POSENC_COLOUR_STEPS], double low, double high, double value);

/* The colour of a series, and its line's width in units: two widths, each in four well separated steps of lightness, so
 * that a grey print tells them apart. They come round after POSENC_SERIES_COLOURS. */
uint32_t posenc_colours_series(size_t index);
double posenc_colours_series_width(size_t index);

#endif
