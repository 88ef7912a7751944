/* The energy of one channel by frequency: a Fourier transform of the channel, tapered by Hann's window (Harris 1978,
 * "On the use of windows for harmonic analysis"), as a running sum, so that the share of any band is a difference.
 * Sampling the spectrum at some frequencies instead would miss lines: at a wavelength of 6 tokens in 4096 they are a
 * thousandth of the frequency wide. */
#include <math.h>

#include "base/memory.h"
#include "report/plot.h"

static const double pi = 3.14159265358979323846;

enum { FEWEST_POINTS = 1024 }; /* so that the bins are finer than a picture even for a table of some rows */

struct posenc_power {
    const posenc_context *context;
    int64_t n;      /* values */
    int64_t points; /* of the transform: a power of two, at least 2 n */
    double *window; /* [n] */
    double *roots;  /* [points / 2] pairs: exp(-2 pi i k / points) */
    double *work;   /* [points] pairs */
    double *energy; /* [points / 2 + 2]: below the middle between bins j - 1 and j */
};

static int64_t points_for(int64_t n) {
    int64_t points = FEWEST_POINTS;
    while (points < 2 * n) points *= 2;
    return points;
}

posenc_power *posenc_power_create(const posenc_context *context, int64_t n) {
    int64_t points = points_for(n);
    size_t doubles = (size_t)n + (size_t)points + 2 * (size_t)points + (size_t)points / 2 + 2;
    posenc_power *power = posenc_allocate(context, sizeof *power + doubles * sizeof(double));
    if (!power) return NULL;
    *power = (posenc_power){.context = context, .n = n, .points = points};
    power->window = (double *)(power + 1);
    power->roots = power->window + n;
    power->work = power->roots + points;
    power->energy = power->work + 2 * points;
    for (int64_t t = 0; t < n; t++) power->window[t] = 0.5 - 0.5 * cos(2 * pi * ((double)t + 0.5) / (double)n);
    for (int64_t k = 0; k < points / 2; k++) {
        power->roots[2 * k] = cos(2 * pi * (double)k / (double)points);
        power->roots[2 * k + 1] = -sin(2 * pi * (double)k / (double)points);
    }
    return power;
}

void posenc_power_destroy(posenc_power *power) {
    if (power) posenc_release(power->context, power);
}

/* ---- Cooley and Tukey's transform by halves, in place, with the input in bit-reversed order ---- */

static int64_t reverse(int64_t index, int64_t points) {
    int64_t out = 0;
    for (int64_t bit = 1; bit < points; bit *= 2, index /= 2) out = 2 * out + index % 2;
    return out;
}

/* Joins transforms of half `length` into ones of `length`. */
static void join(const posenc_power *power, int64_t length) {
    int64_t step = power->points / length, half = length / 2;
    for (int64_t begin = 0; begin < power->points; begin += length)
        for (int64_t k = 0; k < half; k++) {
            double *a = power->work + 2 * (begin + k), *b = a + 2 * half;
            const double *root = power->roots + 2 * k * step;
            double re = b[0] * root[0] - b[1] * root[1], im = b[0] * root[1] + b[1] * root[0];
            b[0] = a[0] - re;
            b[1] = a[1] - im;
            a[0] += re;
            a[1] += im;
        }
}

/* The values, without their mean as the window weighs it, so that nothing is left at frequency 0. scale: their size. */
static void load(posenc_power *power, const double *values, double scale) {
    double sum = 0, weight = 0;
    for (int64_t t = 0; t < power->n; t++) {
        sum += power->window[t] * (values[t] / scale);
        weight += power->window[t];
    }
    for (int64_t i = 0; i < 2 * power->points; i++) power->work[i] = 0;
    for (int64_t t = 0; t < power->n; t++)
        power->work[2 * reverse(t, power->points)] = power->window[t] * (values[t] / scale - sum / weight);
}

bool posenc_power_measure(posenc_power *power, const double *values) {
    double least = values[0], most = values[0];
    for (int64_t t = 1; t < power->n; t++) {
        least = fmin(least, values[t]);
        most = fmax(most, values[t]);
    }
    if (least == most) return false;
    load(power, values, fmax(fabs(least), fabs(most)));
    for (int64_t length = 2; length <= power->points; length *= 2) join(power, length);
    power->energy[0] = 0;
    for (int64_t j = 0; j <= power->points / 2; j++) {
        const double *bin = power->work + 2 * j;
        power->energy[j + 1] = power->energy[j] + bin[0] * bin[0] + bin[1] * bin[1];
    }
    return power->energy[power->points / 2 + 1] > 0; /* what differs by a rounding may be one value by now */
}

/* Bin j spans j - 1/2 .. j + 1/2, so of the first and the last one a half is within the spectrum. */
static double energy_below(const posenc_power *power, double frequency) {
    double place = frequency * (double)power->points + 0.5;
    int64_t bin = (int64_t)place;
    return power->energy[bin] + (place - (double)bin) * (power->energy[bin + 1] - power->energy[bin]);
}

double posenc_power_share(const posenc_power *power, double low, double high) {
    double all = energy_below(power, 0.5) - energy_below(power, 0);
    return (energy_below(power, high) - energy_below(power, low)) / all;
}
