/* Rank and effective dimension from the matrix of inner products of the shorter side. Its eigenvalues are the squares
 * of the singular values, and only sums of them are needed: their sum is the trace, the sum of their squares the
 * squared norm. The rank is the number of pivots that a Cholesky factorisation finds above rounding. */
#include "diagnose/principal.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "diagnose/table.h"

/* Inner products in double are off by some 1024 units of 2^-53 of the largest. */
static const double products_noise = 4e-13;

/* To numbers whose squares are in range. */
static void scale(posenc_principal *p) {
    double largest = 0;
    int64_t n = p->length * p->side;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(p->values[i]));
    for (int64_t i = 0; i < n && largest > 0; i++) p->values[i] /= largest;
}

/* Gives all channels one length: rounding is relative to a value, so one large channel must not hide the others.
 * lengths: (side). */
static void equalise(posenc_principal *p, double *lengths) {
    int64_t n = p->side;
    if (p->sides_are_rows) {
        for (int64_t t = 0; t < p->length; t++) {
            double *channel = p->values + t * n, sum = 0;
            for (int64_t i = 0; i < n; i++) sum += channel[i] * channel[i];
            for (int64_t i = 0; i < n && sum > 0; i++) channel[i] /= sqrt(sum);
        }
        return;
    }
    memset(lengths, 0, (size_t)n * sizeof *lengths);
    for (int64_t t = 0; t < p->length; t++)
        for (int64_t i = 0; i < n; i++) lengths[i] += p->values[t * n + i] * p->values[t * n + i];
    for (int64_t t = 0; t < p->length; t++)
        for (int64_t i = 0; i < n; i++)
            if (lengths[i] > 0) p->values[t * n + i] /= sqrt(lengths[i]);
}

/* products[i, j] = sum over t of values[t, i] * values[t, j], for j <= i, four t at a time. */
static void multiply(const posenc_principal *p, double *products) {
    int64_t n = p->side;
    memset(products, 0, (size_t)(n * n) * sizeof *products);
    for (int64_t t = 0; t < p->length; t += 4) {
        const double *x[4];
        static const double none = 0;
        for (int k = 0; k < 4; k++) x[k] = t + k < p->length ? p->values + (t + k) * n : p->values + t * n;
        for (int64_t i = 0; i < n; i++) {
            double a[4], *row = products + i * n;
            for (int k = 0; k < 4; k++) a[k] = t + k < p->length ? x[k][i] : none;
            for (int64_t j = 0; j <= i; j++)
                row[j] += a[0] * x[0][j] + a[1] * x[1][j] + a[2] * x[2][j] + a[3] * x[3][j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) products[j * n + i] = products[i * n + j];
}

/* Left-looking Cholesky with the largest pivot first. factor: (side, side), one row for each pivot; rest: (side). */
static int64_t count_pivots(const double *products, int64_t n, double tolerance, double *factor, double *rest) {
    double largest = 0;
    int64_t rank = 0;
    for (int64_t i = 0; i < n; i++) {
        rest[i] = products[i * n + i];
        largest = fmax(largest, rest[i]);
    }
    for (; rank < n; rank++) {
        double *column = factor + rank * n;
        int64_t pivot = 0;
        for (int64_t i = 1; i < n; i++)
            if (rest[i] > rest[pivot]) pivot = i;
        if (!(rest[pivot] > tolerance * largest)) break;
        memcpy(column, products + pivot * n, (size_t)n * sizeof *column);
        for (int64_t s = 0; s < rank; s++) {
            const double *before = factor + s * n;
            double share = before[pivot];
            for (int64_t i = 0; i < n; i++) column[i] -= share * before[i];
        }
        double root = sqrt(rest[pivot]);
        for (int64_t i = 0; i < n; i++) {
            column[i] /= root;
            rest[i] -= column[i] * column[i];
        }
        rest[pivot] = 0;
    }
    return rank;
}

/* Subtracts the mean row: from products of channels directly, from products of rows on both sides. */
static void centre(const posenc_principal *p, double *products, double *mean) {
    int64_t n = p->side;
    double all = 0;
    memset(mean, 0, (size_t)n * sizeof *mean);
    if (!p->sides_are_rows) {
        for (int64_t t = 0; t < p->length; t++)
            for (int64_t i = 0; i < n; i++) mean[i] += p->values[t * n + i] / (double)p->length;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) products[i * n + j] -= (double)p->length * mean[i] * mean[j];
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) mean[i] += products[i * n + j] / (double)n;
        all += mean[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) products[i * n + j] += all - mean[i] - mean[j];
}

static double trace_of(const double *products, int64_t n) {
    double trace = 0;
    for (int64_t i = 0; i < n; i++) trace += products[i * n + i];
    return trace;
}

/* No variance: no dimension. */
static double effective_dimension(const double *products, int64_t n, double before) {
    double trace = trace_of(products, n), squares = 0;
    for (int64_t i = 0; i < n * n; i++) squares += products[i] * products[i];
    return trace > products_noise * before && squares > 0 ? trace * trace / squares : 0;
}

posenc_status posenc_principal_find(const posenc_context *context, posenc_principal *p, posenc_error *error) {
    size_t square = (size_t)p->side * (size_t)p->side, bytes;
    double half_ulp = posenc_dtype_half_ulp(p->dtype);
    if (!posenc_bytes_of((int64_t)(2 * square) + p->side, sizeof(double), &bytes))
        return posenc_fail_memory(error, "table", SIZE_MAX);
    double *products = posenc_allocate(context, bytes);
    if (!products) return posenc_fail_memory(error, "table", bytes);
    double *factor = products + square, *rest = factor + square;
    scale(p);
    multiply(p, products);
    double before = trace_of(products, p->side);
    centre(p, products, rest);
    p->effective = effective_dimension(products, p->side, before);
    equalise(p, rest);
    multiply(p, products);
    p->rank = count_pivots(products, p->side, fmax(16 * half_ulp * half_ulp, products_noise), factor, rest);
    posenc_release(context, products);
    return POSENC_OK;
}
