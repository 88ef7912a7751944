/* Many values become one cell, and ranges get ends that are short to read. */
#include <float.h>
#include <math.h>

#include "report/plot.h"

int64_t posenc_plot_cells(int64_t n) { return n < POSENC_PLOT_MOST_CELLS ? n : POSENC_PLOT_MOST_CELLS; }

double posenc_plot_round_up(double value) {
    static const double shorts[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    double ten = pow(10, floor(log10(value)));
    for (int i = 0; i < 9; i++)
        if (value <= shorts[i] * ten * 1.001) return shorts[i] * ten;
    return 10 * ten;
}

double posenc_plot_clamp(double value) {
    if (!isfinite(value)) return value;
    return fmin(fmax(value, -(double)FLT_MAX), (double)FLT_MAX);
}
