/* Reading a table of encodings, whatever its dtype and strides. */
#include "diagnose/table.h"

#include <string.h>

#include "base/elements.h"
#include "base/error.h"
#include "base/tensor.h"

posenc_table posenc_table_slice(const DLTensor *tensor, int axis, int64_t index) {
    posenc_table table = {.rows = tensor->shape[1 - axis],
                          .dim = tensor->shape[2],
                          .row_stride = posenc_tensor_stride(tensor, 1 - axis),
                          .column_stride = posenc_tensor_stride(tensor, 2)};
    posenc_dtype_of(tensor, &table.dtype);
    table.data = posenc_tensor_data(tensor);
    if (table.rows > 0 && table.dim > 0)
        table.data += index * posenc_tensor_stride(tensor, axis) * (int64_t)posenc_dtype_bytes(table.dtype);
    return table;
}

static posenc_table of_rank_2(const DLTensor *tensor, posenc_dtype dtype) {
    return (posenc_table){.data = posenc_tensor_data(tensor),
                          .dtype = dtype,
                          .rows = tensor->shape[0],
                          .dim = tensor->shape[1],
                          .row_stride = posenc_tensor_stride(tensor, 0),
                          .column_stride = posenc_tensor_stride(tensor, 1)};
}

posenc_status posenc_table_of(const DLTensor *tensor, const char *name, posenc_table *table, posenc_error *error) {
    posenc_dtype dtype = POSENC_F32;
    posenc_status status = posenc_tensor_check_real(tensor, name, &dtype, error);
    if (status != POSENC_OK) return status;
    if (tensor->ndim == 2) {
        *table = of_rank_2(tensor, dtype);
    } else if (tensor->ndim == 3 && tensor->shape[0] == 1) {
        *table = posenc_table_slice(tensor, 0, 0);
    } else if (tensor->ndim == 3 && tensor->shape[1] == 1) {
        *table = posenc_table_slice(tensor, 1, 0);
    } else {
        char shape[96];
        posenc_shape_text(tensor->ndim, tensor->shape, shape);
        return posenc_fail(error, POSENC_ERROR_SHAPE, name,
                           "expected a table (length, dim), (1, length, dim) or (length, 1, dim), got %s", shape);
    }
    return POSENC_OK;
}

const void *posenc_table_element(const posenc_table *table, int64_t row, int64_t column) {
    int64_t index = row * table->row_stride + column * table->column_stride;
    return table->data + index * (int64_t)posenc_dtype_bytes(table->dtype);
}

void posenc_table_row(const posenc_table *table, int64_t row, double *out) {
    const char *element = posenc_table_element(table, row, 0);
    int64_t step = table->column_stride * (int64_t)posenc_dtype_bytes(table->dtype);
    for (int64_t c = 0; c < table->dim; c++) out[c] = posenc_real_element(table->dtype, element + c * step);
}

double posenc_dtype_half_ulp(posenc_dtype dtype) {
    static const double half_ulp[] = {
        [POSENC_F32] = 0x1p-25, [POSENC_F64] = 0x1p-54, [POSENC_F16] = 0x1p-12, [POSENC_BF16] = 0x1p-9};
    return half_ulp[dtype];
}
