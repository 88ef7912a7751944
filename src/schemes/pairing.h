/* What the converter between rotary pairings and its check share. */
#ifndef POSENC_SCHEMES_PAIRING_H
#define POSENC_SCHEMES_PAIRING_H

#include <posenc/pairing.h>
#include <stdbool.h>

/* Weights seen as rows and columns, in bytes. A bias has one column. */
typedef struct posenc_weight_rows {
    char *data;
    posenc_dtype dtype;
    size_t element;
    int64_t rows, columns;
    ptrdiff_t row_bytes, column_bytes;
} posenc_weight_rows;

/* Options completed: head_dim and dim are given, and fit the tensor. */
typedef struct posenc_pairing_job {
    posenc_pairing_options options;
    posenc_weight_rows weights, out;
} posenc_pairing_job;

/* Checks options and both tensors, whose second is called out_name; overlap is not looked at. */
posenc_status posenc_pairing_open(const posenc_pairing_options *options, const DLTensor *weights, const DLTensor *out,
                                  const char *out_name, posenc_pairing_job *job, posenc_error *error);

/* Whether rows are moved at all. */
bool posenc_pairing_moves(const posenc_pairing_options *options);

/* The row of a head that row i of the converted head comes from. */
int64_t posenc_pairing_source(const posenc_pairing_options *options, int64_t i);

#endif
