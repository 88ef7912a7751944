#include "phasor/spectrum.h"

/* One product a step: the error grows by 2^-180 of the value each time, and 2^24 steps leave it below 2^-150. */
void posenc_spectrum_geometric(posenc_wide *turns, size_t n, double base, uint64_t numerator, uint64_t denominator) {
    if (n == 0) return;
    turns[0] = posenc_wide_inverse_turn;
    if (n == 1) return;
    posenc_wide ratio = posenc_wide_power(base, numerator, denominator);
    for (size_t i = 1; i < n; i++) turns[i] = posenc_wide_multiply(&turns[i - 1], &ratio);
}
