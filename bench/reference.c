/* Long double rows, and the largest distance of a table from them. */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void one_row(long double position, const long double *frequency, int64_t dim, double *row) {
    for (int64_t c = 0; c < dim; c++) {
        long double angle = position * frequency[c / 2];
        row[c] = (double)(c % 2 == 0 ? sinl(angle) : cosl(angle));
    }
}

/* Rows 0 and length - 1, and others in equal steps: 1 where all rows may be taken, else a multiple of 16, so that a
 * table of every 16th row meets the reference. most_rows >= 2. */
static int64_t choose_rows(int64_t length, int64_t most_rows, int64_t *row) {
    int64_t n = 0, step = (length + most_rows - 3) / (most_rows - 1);
    if (step < 1) step = 1;
    if (step > 1) step = (step + 15) / 16 * 16;
    for (int64_t r = 0; r < length; r += step) row[n++] = r;
    if (n > 0 && row[n - 1] != length - 1) row[n++] = length - 1;
    return n;
}

bool posenc_bench_reference_make(posenc_bench_reference *reference, int64_t start, int64_t length, int64_t dim,
                                 int64_t most_rows) {
    int64_t pairs = (dim + 1) / 2, rows = length < most_rows ? length : most_rows;
    long double *frequency = malloc((size_t)pairs * sizeof *frequency);
    *reference = (posenc_bench_reference){.start = start, .length = length, .dim = dim};
    reference->row = malloc((size_t)(rows + 1) * sizeof *reference->row);
    reference->values = malloc((size_t)(rows + 1) * (size_t)dim * sizeof *reference->values);
    bool fine = frequency && reference->row && reference->values;
    if (fine) {
        for (int64_t i = 0; i < pairs; i++) frequency[i] = powl(10000.0L, -2.0L * (long double)i / (long double)dim);
        reference->n_rows = choose_rows(length, rows < 2 ? 2 : rows, reference->row);
        for (int64_t r = 0; r < reference->n_rows; r++)
            one_row((long double)(start + reference->row[r]), frequency, dim, reference->values + r * dim);
    } else {
        posenc_bench_reference_free(reference);
    }
    free(frequency);
    return fine;
}

void posenc_bench_reference_free(posenc_bench_reference *reference) {
    free(reference->row);
    free(reference->values);
    *reference = (posenc_bench_reference){0};
}

static double from_bf16(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return (double)value;
}

static double from_f16(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31) size = fraction ? (double)NAN : (double)INFINITY;
    return bits & 0x8000 ? -size : size;
}

static double value_at(const void *table, posenc_dtype dtype, int64_t index) {
    switch (dtype) {
        case POSENC_F64:
            return ((const double *)table)[index];
        case POSENC_F16:
            return from_f16(((const uint16_t *)table)[index]);
        case POSENC_BF16:
            return from_bf16(((const uint16_t *)table)[index]);
        default:
            return (double)((const float *)table)[index];
    }
}

double posenc_bench_worst_error(const posenc_bench_reference *reference, const void *table, posenc_dtype dtype,
                                int64_t step) {
    double worst = 0;
    for (int64_t r = 0; r < reference->n_rows; r++) {
        if (reference->row[r] % step != 0) continue;
        int64_t begin = reference->row[r] / step * reference->dim;
        for (int64_t c = 0; c < reference->dim; c++) {
            double error = fabs(value_at(table, dtype, begin + c) - reference->values[r * reference->dim + c]);
            if (isnan(error)) return error;
            if (error > worst) worst = error;
        }
    }
    return worst;
}

double posenc_bench_reference_bound(double position) { return (double)(2 * LDBL_EPSILON) * (fabs(position) + 1); }

const char *posenc_bench_reference_type(void) {
#if LDBL_MANT_DIG == 64
    return "long double, 64-bit mantissa";
#elif LDBL_MANT_DIG == 113
    return "long double, 113-bit mantissa";
#elif LDBL_MANT_DIG == 106
    return "long double, two doubles";
#else
    return "double, for want of a longer one";
#endif
}
