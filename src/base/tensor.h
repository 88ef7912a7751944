/* Questions about DLPack tensors that every entry point asks at its door. */
#ifndef POSENC_BASE_TENSOR_H
#define POSENC_BASE_TENSOR_H

#include <posenc/tensor.h>
#include <stdbool.h>

/* The address of element 0; NULL where a tensor without elements has no memory. */
static inline char *posenc_tensor_data(const DLTensor *tensor) {
    return tensor->data ? (char *)tensor->data + tensor->byte_offset : NULL;
}

/* Stride of an axis in elements; derived from the shape when the tensor has none. */
int64_t posenc_tensor_stride(const DLTensor *tensor, int axis);

/* Bytes from index to index of an axis. 0 where there is no second index, whatever stride stands there: it may be one
 * that no memory has. */
ptrdiff_t posenc_tensor_step(const DLTensor *tensor, int axis);

/* Checks what any tensor must keep: pointers, CPU, rank, extents >= 0, a span that fits the address space, memory that
 * is aligned to its elements. */
posenc_status posenc_tensor_check(const DLTensor *tensor, const char *name, posenc_dtype *dtype, posenc_error *error);

/* The same, and its elements are f32, f64, f16 or bf16. */
posenc_status posenc_tensor_check_real(const DLTensor *tensor, const char *name, posenc_dtype *dtype,
                                       posenc_error *error);

/* First and one past the last byte that a checked tensor touches; both NULL when it has no elements. */
void posenc_tensor_span(const DLTensor *tensor, const char **first, const char **end);

/* Whether two checked tensors share a byte. Exact where they have the same strides, none of them 0, as views of one buffer
 * have; judged by their spans else. */
bool posenc_tensors_meet(const DLTensor *a, const DLTensor *b);

/* Whether two tensors of one shape and dtype are the same memory in the same order. */
bool posenc_tensors_same(const DLTensor *a, const DLTensor *b);

/* Whether two different indices of a checked tensor may name one element (a stride of 0, or axes that interleave). */
bool posenc_tensor_folds(const DLTensor *tensor);

/* Writes a shape as text, "(2, 3)". */
void posenc_shape_text(int rank, const int64_t *shape, char text[96]);

#endif
