/* The plain loops, as a reader of the paper would write them first. Kept simple on purpose: they are the yardstick.
 *     E[p, 2i] = sin(p / 10000^(2i / dim)),  E[p, 2i+1] = cos(the same)      (Vaswani et al. 2017, section 3.5) */
#include <math.h>

#include "baselines.h"

void posenc_bench_naive(void *state) {
    const posenc_bench_rows *t = state;
    for (int64_t r = 0; r < t->rows; r++) {
        double position = (double)(t->start + r * t->step);
        for (int64_t c = 0; c < t->dim; c++) {
            double exponent = (double)(c - c % 2) / (double)t->dim; /* c - c % 2 is the paper's 2i */
            double angle = position / pow(10000.0, exponent);
            t->out[r * t->dim + c] = (float)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
}

void posenc_bench_naive_doubled(void *state) {
    const posenc_bench_rows *t = state;
    for (int64_t r = 0; r < t->rows; r++) {
        double position = (double)(t->start + r * t->step);
        for (int64_t i = 0; i < t->dim; i += 2) {
            double exponent = (double)(2 * i) / (double)t->dim; /* i is the paper's 2i already: the mistake */
            t->out[r * t->dim + i] = (float)sin(position / pow(10000.0, exponent));
            t->out[r * t->dim + i + 1] = (float)cos(position / pow(10000.0, exponent));
        }
    }
}

void posenc_bench_hoisted(void *state) {
    const posenc_bench_rows *t = state;
    double *frequency = t->scratch;
    for (int64_t i = 0; i < t->dim / 2; i++) frequency[i] = pow(10000.0, -2.0 * (double)i / (double)t->dim);
    for (int64_t r = 0; r < t->rows; r++) {
        double position = (double)(t->start + r * t->step);
        float *row = t->out + r * t->dim;
        for (int64_t i = 0; i < t->dim / 2; i++) {
            double angle = position * frequency[i];
            row[2 * i] = (float)sin(angle); /* gcc and clang make one sincos of the two */
            row[2 * i + 1] = (float)cos(angle);
        }
    }
}
