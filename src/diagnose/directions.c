/* Rows scaled to length 1, and who has none. */
#include "diagnose/directions.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

/* Bytes of the panels. They may not fit: rows and width come from a tensor whose stride may be 0. */
static bool panel_bytes(int64_t rows, int64_t dim, size_t *bytes) {
    int64_t padded, elements;
    return posenc_i64_add(rows, POSENC_PANEL - 1, &padded) &&
           posenc_i64_multiply(padded / POSENC_PANEL * POSENC_PANEL, dim, &elements) &&
           posenc_bytes_of(elements, sizeof(float), bytes);
}

posenc_status posenc_directions_create(const posenc_context *context, int64_t rows, int64_t dim, posenc_directions *d,
                                       posenc_error *error) {
    size_t bytes, bit_bytes = (size_t)(rows / 64 + 1) * sizeof(uint64_t);
    if (!panel_bytes(rows, dim, &bytes)) return posenc_fail_memory(error, "similarity", SIZE_MAX);
    float *panels = posenc_allocate(context, bytes);
    if (!panels) return posenc_fail_memory(error, "similarity", bytes);
    uint64_t *present = posenc_allocate(context, bit_bytes);
    if (!present) {
        posenc_release(context, panels);
        return posenc_fail_memory(error, "similarity", bit_bytes);
    }
    memset(panels, 0, bytes);
    memset(present, 0, bit_bytes);
    *d = (posenc_directions){.context = context,
                             .kernels = posenc_kernels_of(posenc_context_isa_index(context)),
                             .rows = rows,
                             .dim = dim,
                             .panels = panels,
                             .present = present};
    return POSENC_OK;
}

void posenc_directions_destroy(posenc_directions *d) {
    posenc_release(d->context, d->present);
    posenc_release(d->context, d->panels);
}

/* Term 0 of a row; the others follow each POSENC_PANEL floats. */
static float *row_of(const posenc_directions *d, int64_t row) {
    return d->panels + row / POSENC_PANEL * d->dim * POSENC_PANEL + row % POSENC_PANEL;
}

void posenc_directions_store(posenc_directions *d, int64_t row, const double *values) {
    float *to = row_of(d, row);
    for (int64_t l = 0; l < d->dim; l++) to[l * POSENC_PANEL] = (float)values[l];
    d->present[row / 64] |= UINT64_C(1) << (row % 64);
    d->n_present++;
}

void posenc_directions_add(const posenc_directions *d, int64_t row, double *values) {
    const float *from = row_of(d, row);
    for (int64_t l = 0; l < d->dim; l++) values[l] += (double)from[l * POSENC_PANEL];
}

/* The largest size among them; infinity if one is not finite. */
static double largest_of(const double *values, int64_t n) {
    double largest = 0;
    for (int64_t l = 0; l < n; l++) {
        double size = fabs(values[l]);
        if (!(size <= DBL_MAX)) return HUGE_VAL;
        if (size > largest) largest = size;
    }
    return largest;
}

/* By a power of two first, so that the largest lies in 0.5..1 and no square overflows or vanishes. That power may be no
 * double itself, for subnormal values; its two halves are. */
bool posenc_direction_of(double *values, int64_t n) {
    double largest = largest_of(values, n), squares = 0;
    if (largest == 0 || largest > DBL_MAX) return false;
    int exponent;
    frexp(largest, &exponent);
    double half = ldexp(1, -exponent / 2), rest = ldexp(1, -exponent - -exponent / 2);
    for (int64_t l = 0; l < n; l++) {
        values[l] = values[l] * half * rest;
        squares += values[l] * values[l];
    }
    double factor = 1 / sqrt(squares);
    for (int64_t l = 0; l < n; l++) values[l] *= factor;
    return true;
}

static int64_t count_bits(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (int64_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

int64_t posenc_directions_pairs(const posenc_directions *d, int64_t distance) {
    if (distance >= d->rows) return 0;
    if (d->n_present == d->rows) return d->rows - distance;
    int64_t pairs = 0, words = d->rows / 64 + 1, step = distance / 64, shift = distance % 64;
    for (int64_t w = 0; w + step < words; w++) {
        uint64_t other = d->present[w + step] >> shift;
        if (shift > 0 && w + step + 1 < words) other |= d->present[w + step + 1] << (64 - shift);
        pairs += count_bits(d->present[w] & other);
    }
    return pairs;
}
