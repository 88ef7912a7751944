/* Tensors are DLPack's DLTensor. This header names the dtypes that posenc knows and makes views of plain memory.
 * Strides count elements; NULL strides mean contiguous, last axis fastest. */
#ifndef POSENC_TENSOR_H
#define POSENC_TENSOR_H

#include <dlpack/dlpack.h>
#include <posenc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POSENC_MAX_RANK 8

typedef enum posenc_dtype {
    POSENC_F32 = 0,
    POSENC_F64 = 1,
    POSENC_F16 = 2,
    POSENC_BF16 = 3,
    /* Below: files and position ids hold them; encodings are never made in them. */
    POSENC_I8 = 4,
    POSENC_I16 = 5,
    POSENC_I32 = 6,
    POSENC_I64 = 7,
    POSENC_U8 = 8,
    POSENC_U16 = 9,
    POSENC_U32 = 10,
    POSENC_U64 = 11,
    POSENC_BOOL = 12,
    POSENC_DTYPE_COUNT = 13
} posenc_dtype;

/* Lower-case name, "f32", "bf16", "i64", "bool"; "unknown" for another value. The text is static. */
POSENC_API const char *posenc_dtype_name(posenc_dtype dtype);

/* Bytes of one element; 0 for another value. */
POSENC_API size_t posenc_dtype_bytes(posenc_dtype dtype);

/* The dtype with that name. POSENC_ERROR_UNKNOWN leaves *out untouched. */
POSENC_API posenc_status posenc_dtype_parse(const char *name, posenc_dtype *out);

/* The dtype of a DLPack tensor. POSENC_ERROR_DTYPE (vectors, complex, a width posenc does not know) leaves *out
 * untouched. */
POSENC_API posenc_status posenc_dtype_of(const DLTensor *tensor, posenc_dtype *out);

/* A view and the room that its shape and strides need. view.tensor is a DLTensor for as long as the view stays in
 * place. */
typedef struct posenc_view {
    DLTensor tensor;
    int64_t shape[POSENC_MAX_RANK];
    int64_t strides[POSENC_MAX_RANK];
} posenc_view;

/* Describes memory on the CPU as a tensor.
 * view: written; its pointers point into itself, so do not copy it by value.
 * data: not copied and not owned; may be NULL when an extent is 0.
 * rank 0..8, shape[rank] each >= 0; strides[rank] in elements, or NULL for contiguous.
 * Returns &view->tensor, or NULL for a rank or dtype outside its range.
 * Example: posenc_view v; DLTensor *x = posenc_view_make(&v, data, POSENC_F32, 3, (int64_t[]){8, 128, 512}, NULL); */
POSENC_API DLTensor *posenc_view_make(posenc_view *view, void *data, posenc_dtype dtype, int rank, const int64_t *shape,
                                      const int64_t *strides);

#ifdef __cplusplus
}
#endif

#endif
