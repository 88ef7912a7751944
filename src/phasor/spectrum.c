#include "phasor/spectrum.h"

#include <math.h>

static const posenc_wide half_turn = {{0, 0, (uint64_t)1 << 63, 0}};

/* One product a step: the error grows by 2^-180 of the value each time, and 2^24 steps leave it below 2^-150. */
static void multiply_up(posenc_wide *turns, size_t n, const posenc_wide *ratio) {
    for (size_t i = 1; i < n; i++) turns[i] = posenc_wide_multiply(&turns[i - 1], ratio);
}

void posenc_spectrum_geometric(posenc_wide *turns, size_t n, double base, uint64_t numerator, uint64_t denominator) {
    posenc_spectrum_geometric_from(turns, n, &posenc_wide_inverse_turn, base, numerator, denominator);
}

void posenc_spectrum_geometric_from(posenc_wide *turns, size_t n, const posenc_wide *first, double base,
                                    uint64_t numerator, uint64_t denominator) {
    if (n == 0) return;
    turns[0] = *first;
    if (n == 1) return;
    posenc_wide ratio = posenc_wide_power(base, numerator, denominator);
    multiply_up(turns, n, &ratio);
}

void posenc_spectrum_powers(posenc_wide *turns, size_t n, const posenc_wide *ratio) {
    if (n == 0) return;
    turns[0] = posenc_wide_inverse_turn;
    multiply_up(turns, n, ratio);
}

void posenc_spectrum_radians(posenc_wide *turns, size_t n, const double *omega) {
    for (size_t i = 0; i < n; i++) {
        posenc_wide size = posenc_wide_of_double(fabs(omega[i]));
        turns[i] = posenc_wide_multiply(&size, &posenc_wide_inverse_turn);
        if (omega[i] < 0) turns[i] = posenc_wide_negate(&turns[i]);
    }
}

double posenc_spectrum_omega(const posenc_wide *turns) {
    bool negative = posenc_wide_is_negative(turns);
    posenc_wide size = negative ? posenc_wide_negate(turns) : *turns;
    size = posenc_wide_multiply(&size, &posenc_wide_turn);
    double omega = posenc_wide_to_double(&size);
    return negative ? -omega : omega;
}

void posenc_spectrum_scale(posenc_wide *turns, size_t n, double factor) {
    posenc_wide wide = posenc_wide_of_double(factor);
    for (size_t i = 0; i < n; i++) turns[i] = posenc_wide_multiply(&turns[i], &wide);
}

/* Both ends in their share, divided last, so that what is a double comes out exactly. */
void posenc_spectrum_linear(posenc_wide *turns, size_t n, double half) {
    posenc_wide end = posenc_wide_of_double(half / 2);
    uint64_t last = n > 1 ? n - 1 : 1;
    for (uint64_t i = 0; i < n; i++) {
        posenc_wide of_end = posenc_wide_times_ratio(&end, i, 1);
        posenc_wide sum = posenc_wide_add(posenc_wide_times_ratio(&half_turn, last - i, 1), &of_end);
        turns[i] = posenc_wide_times_ratio(&sum, 1, last);
    }
}

void posenc_spectrum_logarithmic(posenc_wide *turns, size_t n, double half) {
    if (n == 0) return;
    turns[0] = half_turn;
    if (n == 1) return;
    posenc_wide ratio = posenc_wide_growth(half, 1, n - 1);
    multiply_up(turns, n, &ratio);
}
