/* A caller's tensor of rows, (tokens, dim), (batch, tokens, dim) or (batch, tokens, heads, dim), seen in bytes. */
#ifndef POSENC_SCHEMES_ROW_TENSOR_H
#define POSENC_SCHEMES_ROW_TENSOR_H

#include "base/tensor.h"

typedef struct posenc_row_tensor {
    char *data;
    posenc_dtype dtype;
    int64_t batch, tokens, dim;
    ptrdiff_t batch_bytes, token_bytes, channel_bytes;
    int64_t repeat; /* rows that share a token's encoding: heads, or tokens that were grouped */
    ptrdiff_t repeat_bytes;
    bool packed; /* the elements of a row are contiguous */
} posenc_row_tensor;

/* Checks a tensor for rows of dim channels in an encoding's dtype. */
posenc_status posenc_row_tensor_open(const DLTensor *tensor, const char *name, int64_t dim, posenc_row_tensor *out,
                                     posenc_error *error);

/* The same for a table, of any width, in one of three shapes: (rows, dim), (1, rows, dim), (rows, 1, dim). Its rows
 * become the tokens of a batch of 1. */
posenc_status posenc_row_tensor_open_table(const DLTensor *table, const char *name, posenc_row_tensor *out,
                                           posenc_error *error);

/* Sees each group of repeat tokens, which stand at one position, as one token with so many rows. */
posenc_status posenc_row_tensor_group(posenc_row_tensor *rows, const char *name, int64_t repeat, posenc_error *error);

/* Checks an output for strides that keep its elements apart. */
posenc_status posenc_row_tensor_check_output(const DLTensor *out, const char *name, posenc_error *error);

/* Checks an input and an output that go together: shapes, dtypes, and memory that is the same or apart. */
posenc_status posenc_row_tensors_check_pair(const DLTensor *x, const posenc_row_tensor *xr, const char *x_name,
                                            const DLTensor *y, const posenc_row_tensor *yr, const char *y_name,
                                            posenc_error *error);

/* Address of a token's first row. */
static inline char *posenc_row_at(const posenc_row_tensor *t, int64_t batch, int64_t token) {
    return t->data + batch * t->batch_bytes + token * t->token_bytes;
}

#endif
