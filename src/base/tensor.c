#include "base/tensor.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"

typedef struct dtype_row {
    const char *name;
    uint8_t code, bits;
} dtype_row;

/* DLPack 0.6 has no boolean code: kDLUInt with 8 bits is how it travels, and a file's "bool" keeps its own name here.
 */
static const dtype_row dtypes[POSENC_DTYPE_COUNT] = {
    {"f32", kDLFloat, 32}, {"f64", kDLFloat, 64}, {"f16", kDLFloat, 16}, {"bf16", kDLBfloat, 16}, {"i8", kDLInt, 8},
    {"i16", kDLInt, 16},   {"i32", kDLInt, 32},   {"i64", kDLInt, 64},   {"u8", kDLUInt, 8},      {"u16", kDLUInt, 16},
    {"u32", kDLUInt, 32},  {"u64", kDLUInt, 64},  {"bool", 6, 8},
};

const char *posenc_dtype_name(posenc_dtype dtype) {
    return (unsigned)dtype < POSENC_DTYPE_COUNT ? dtypes[dtype].name : "unknown";
}

size_t posenc_dtype_bytes(posenc_dtype dtype) {
    return (unsigned)dtype < POSENC_DTYPE_COUNT ? dtypes[dtype].bits / 8u : 0;
}

posenc_status posenc_dtype_parse(const char *name, posenc_dtype *out) {
    for (int i = 0; name && i < POSENC_DTYPE_COUNT; i++) {
        if (strcmp(name, dtypes[i].name) != 0) continue;
        *out = (posenc_dtype)i;
        return POSENC_OK;
    }
    return POSENC_ERROR_UNKNOWN;
}

posenc_status posenc_dtype_of(const DLTensor *tensor, posenc_dtype *out) {
    for (int i = 0; i < POSENC_DTYPE_COUNT; i++) {
        if (tensor->dtype.code != dtypes[i].code || tensor->dtype.bits != dtypes[i].bits || tensor->dtype.lanes != 1)
            continue;
        *out = (posenc_dtype)i;
        return POSENC_OK;
    }
    return POSENC_ERROR_DTYPE;
}

DLTensor *posenc_view_make(posenc_view *view, void *data, posenc_dtype dtype, int rank, const int64_t *shape,
                           const int64_t *strides) {
    if (rank < 0 || rank > POSENC_MAX_RANK || (unsigned)dtype >= POSENC_DTYPE_COUNT) return NULL;
    if (rank > 0) memcpy(view->shape, shape, (size_t)rank * sizeof *shape);
    if (rank > 0 && strides) memcpy(view->strides, strides, (size_t)rank * sizeof *strides);
    view->tensor = (DLTensor){
        .data = data,
        .device = {kDLCPU, 0},
        .ndim = rank,
        .dtype = {dtypes[dtype].code, dtypes[dtype].bits, 1},
        .shape = view->shape,
        .strides = strides ? view->strides : NULL,
    };
    return &view->tensor;
}

int64_t posenc_tensor_stride(const DLTensor *tensor, int axis) {
    if (tensor->strides) return tensor->strides[axis];
    int64_t stride = 1;
    for (int i = tensor->ndim - 1; i > axis; i--) stride *= tensor->shape[i];
    return stride;
}

ptrdiff_t posenc_tensor_step(const DLTensor *tensor, int axis) {
    for (int i = 0; i < tensor->ndim; i++)
        if (tensor->shape[i] == 0) return 0;
    if (tensor->shape[axis] == 1) return 0;
    return (ptrdiff_t)posenc_tensor_stride(tensor, axis) * (tensor->dtype.bits / 8);
}

void posenc_shape_text(int rank, const int64_t *shape, char text[96]) {
    size_t used = (size_t)snprintf(text, 96, "(");
    for (int i = 0; i < rank && used < 70; i++)
        used += (size_t)snprintf(text + used, 96 - used, i ? ", %lld" : "%lld", (long long)shape[i]);
    snprintf(text + used, 96 - used, rank == 1 ? ",)" : ")");
}

/* Offsets of the lowest and highest element from element 0, in elements. False when they do not fit. */
static bool reach(const DLTensor *tensor, int64_t *low, int64_t *high) {
    *low = *high = 0;
    int64_t elements = 1;
    for (int i = 0; i < tensor->ndim; i++)
        if (tensor->shape[i] == 0) *high = -1;
    if (*high < 0) return true;
    for (int i = 0; i < tensor->ndim && !tensor->strides; i++)
        if (!posenc_i64_multiply(elements, tensor->shape[i], &elements)) return false;
    for (int i = 0; i < tensor->ndim; i++) {
        int64_t stride = posenc_tensor_stride(tensor, i), span;
        if (stride == INT64_MIN || !posenc_i64_multiply(tensor->shape[i] - 1, stride < 0 ? -stride : stride, &span))
            return false;
        if (!posenc_i64_add(*high, stride < 0 ? 0 : span, high) || !posenc_i64_add(*low, stride < 0 ? -span : 0, low))
            return false;
    }
    return true;
}

posenc_status posenc_tensor_check(const DLTensor *tensor, const char *name, posenc_dtype *dtype, posenc_error *error) {
    if (!tensor) return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected a tensor, got NULL");
    if (tensor->device.device_type != kDLCPU && tensor->device.device_type != kDLCUDAHost)
        return posenc_fail(error, POSENC_ERROR_DEVICE, name, "expected a tensor on the CPU, got device type %d",
                           (int)tensor->device.device_type);
    if (tensor->ndim < 0 || tensor->ndim > POSENC_MAX_RANK || (tensor->ndim > 0 && !tensor->shape))
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected a rank of 0..8, got %d", tensor->ndim);
    if (posenc_dtype_of(tensor, dtype) != POSENC_OK)
        return posenc_fail(error, POSENC_ERROR_DTYPE, name,
                           "expected a known dtype, got code %d with %d bits and %d lanes", tensor->dtype.code,
                           tensor->dtype.bits, tensor->dtype.lanes);
    for (int i = 0; i < tensor->ndim; i++)
        if (tensor->shape[i] < 0)
            return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected extents of 0 or more, got %lld on axis %d",
                               (long long)tensor->shape[i], i);
    int64_t low, high, most = PTRDIFF_MAX / (int64_t)posenc_dtype_bytes(*dtype);
    if (!reach(tensor, &low, &high) || high >= most || low <= -most)
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected a span that fits into memory, got a larger one");
    if (high < 0) return POSENC_OK; /* no elements, so no memory */
    if (!tensor->data)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected memory, got a NULL data pointer");
    if ((uintptr_t)posenc_tensor_data(tensor) % posenc_dtype_bytes(*dtype) != 0)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, name,
                           "expected memory aligned to its elements, got an odd address");
    return POSENC_OK;
}

posenc_status posenc_tensor_check_real(const DLTensor *tensor, const char *name, posenc_dtype *dtype,
                                       posenc_error *error) {
    posenc_status status = posenc_tensor_check(tensor, name, dtype, error);
    if (status != POSENC_OK || *dtype <= POSENC_BF16) return status;
    return posenc_fail(error, POSENC_ERROR_DTYPE, name, "expected f32, f64, f16 or bf16, got %s",
                       posenc_dtype_name(*dtype));
}

void posenc_tensor_span(const DLTensor *tensor, const char **first, const char **end) {
    int64_t low, high;
    *first = *end = NULL;
    if (!reach(tensor, &low, &high) || high < 0) return;
    int64_t bytes = tensor->dtype.bits / 8;
    *first = posenc_tensor_data(tensor) + low * bytes;
    *end = posenc_tensor_data(tensor) + (high + 1) * bytes;
}
