/* The yardstick of accuracy: rows in long double, from the paper's equation, independent of posenc.
 * The frequency of a pair is computed once by powl; the angle is position * frequency, and sinl reduces it exactly.
 * Power and product each round once, so the angle is off by two parts in 2^64 of itself at most where long double has
 * the 64-bit mantissa of x86: 2e-12 at ten million, and a float's rounding is 3e-8. */
#ifndef POSENC_BENCH_REFERENCE_H
#define POSENC_BENCH_REFERENCE_H

#include <posenc/tensor.h>
#include <stdbool.h>

/* Chosen rows of a table (dim even, interleaved, base 10000) as doubles. */
typedef struct posenc_bench_reference {
    int64_t start, length, dim;
    int64_t n_rows;
    int64_t *row;   /* (n_rows): which rows of the table, 0..length-1, ascending */
    double *values; /* (n_rows, dim) */
} posenc_bench_reference;

/* Computes at most most_rows rows of the table (length, dim) that begins at position start: its first, its last (where
 * float32 is at its worst), and others spread evenly. False when memory is out. */
bool posenc_bench_reference_make(posenc_bench_reference *reference, int64_t start, int64_t length, int64_t dim,
                                 int64_t most_rows);

/* Ends a reference; one that is all zero is fine. */
void posenc_bench_reference_free(posenc_bench_reference *reference);

/* Largest abs(table - reference) over the rows of the reference that the table holds; NaN where the table has one.
 * table: (ceil(length / step), dim) of dtype f32, f64, f16 or bf16, holding rows 0, step, 2 step, ... */
double posenc_bench_worst_error(const posenc_bench_reference *reference, const void *table, posenc_dtype dtype,
                                int64_t step);

/* Bound on the reference's own error at a position. */
double posenc_bench_reference_bound(double position);

/* "long double, 64-bit mantissa": what the reference was computed in. The text is static. */
const char *posenc_bench_reference_type(void);

#endif
