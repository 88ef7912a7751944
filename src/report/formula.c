/* Wavelengths of the sinusoidal layouts, Vaswani et al. 2017, section 3.5, as src/schemes/sinusoidal.c has them:
 * frequency i turns once in 2 pi base^(step i / denominator) tokens. */
#include <math.h>

#include "report/plot.h"

static const double pi = 3.14159265358979323846;

static bool planar(const posenc_match *match) { return match->layout != POSENC_LAYOUT_INTERLEAVED; }

double posenc_plot_wavelength(const posenc_match *match, int64_t dim, int64_t column) {
    int64_t half = dim / 2;
    if (!planar(match)) return 2 * pi * pow(match->base, 2.0 * (double)(column / 2) / (double)dim);
    if (column >= 2 * half) return (double)NAN;
    bool reaches_base = match->layout == POSENC_LAYOUT_TENSOR2TENSOR && half > 1;
    return 2 * pi * pow(match->base, (double)(column % half) / (double)(reaches_base ? half - 1 : half));
}

bool posenc_plot_is_sine(const posenc_match *match, int64_t dim, int64_t column) {
    bool second = planar(match) ? column >= dim / 2 : column % 2 != 0;
    return second == (match->cos_first != 0);
}
