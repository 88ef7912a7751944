/* A table of encodings as the diagnoses read it: (length, dim) of any float dtype and strides, row by row as doubles.
 */
#ifndef POSENC_DIAGNOSE_TABLE_H
#define POSENC_DIAGNOSE_TABLE_H

#include <posenc/tensor.h>

typedef struct posenc_table {
    const char *data;
    posenc_dtype dtype;
    int64_t rows, dim;
    int64_t row_stride, column_stride; /* elements */
} posenc_table;

/* Checks a tensor at the door: (length, dim), (1, length, dim) or (length, 1, dim) of f32, f64, f16 or bf16.
 * name: what messages call it. */
posenc_status posenc_table_of(const DLTensor *tensor, const char *name, posenc_table *table, posenc_error *error);

/* The table tensor[index] (axis 0) or tensor[:, index] (axis 1) of a checked tensor of rank 3. */
posenc_table posenc_table_slice(const DLTensor *tensor, int axis, int64_t index);

/* Copies a row, exactly: out[dim]. */
void posenc_table_row(const posenc_table *table, int64_t row, double *out);

/* The bytes of an element. */
const void *posenc_table_element(const posenc_table *table, int64_t row, int64_t column);

/* Half a unit in the last place of 1 from below: the largest error that rounding a value of size at most 1 to the
 * dtype makes. f32: 2^-25, f64: 2^-54, f16: 2^-12, bf16: 2^-9. */
double posenc_dtype_half_ulp(posenc_dtype dtype);

#endif
