#include "diagnose/row_facts.h"

#include <float.h>
#include <math.h>

#include "diagnose/row_set.h"

static bool is_still(const posenc_row_eye *eye, int64_t column) {
    return eye->pass_still && posenc_channel_is_still(eye->survey, column);
}

static void see_shape(posenc_row_fact *f, const double *values, int64_t dim) {
    int odd = 0, different = 0;
    for (int64_t c = 0; c < dim; c++) {
        odd |= !(fabs(values[c]) <= DBL_MAX);
        different |= values[c] != values[0];
    }
    f->finite = !odd;
    f->zero = !different && values[0] == 0;
    f->constant = !different && values[0] != 0;
}

static void see_range(posenc_row_fact *f, const posenc_row_eye *eye, const double *values, int64_t dim) {
    for (int64_t c = 0; c < dim; c++) {
        if (!(fabs(values[c]) > eye->range)) continue;
        if (f->n_outside++ == 0) f->outside_column = c;
        f->largest = fmax(f->largest, fabs(values[c]));
    }
}

static void see_error(posenc_row_fact *f, const posenc_row_eye *eye, const double *values, const double *exact,
                      int64_t dim) {
    for (int64_t c = 0; c < dim; c++) {
        double error = fabs(values[c] - exact[c]);
        if (is_still(eye, c)) continue;
        f->squares += error * error;
        if (error > f->error) f->error = error, f->error_column = c;
    }
}

static void see_pairs(posenc_row_fact *f, const posenc_row_eye *eye, const double *values) {
    for (int64_t i = 0; i < eye->pairs; i++) {
        int64_t first = i * eye->pair_step, second = first + eye->pair_distance;
        double a = values[first], b = values[second], distance = fabs(a * a + b * b - eye->square);
        if (!(distance > f->pair_error) || is_still(eye, first) || is_still(eye, second)) continue;
        f->pair_error = distance, f->pair_column = first;
    }
}

posenc_row_fact posenc_row_fact_of(const posenc_row_eye *eye, const double *values, const double *exact, int64_t dim) {
    posenc_row_fact f = {.finite = false};
    see_shape(&f, values, dim);
    if (!f.finite) return f;
    if (exact) see_error(&f, eye, values, exact, dim);
    if (f.zero) return f;
    f.hash = posenc_row_hash(values, dim, eye->mask);
    if (eye->pairs == 0 && !exact) return f;
    see_range(&f, eye, values, dim);
    see_pairs(&f, eye, values);
    return f;
}
