/* The header of a .npy file that is about to be written: version 1.0, which every reader knows, padded to 64 bytes so
 * that the data begin on a cache line. Shapes that fit into 63 bits of bytes come to 128 bytes; any eight extents of 19
 * digits would to 256. */
#include <posenc/files.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "formats/bytes.h"

enum { PREFIX = 10, ALIGNMENT = 64, MOST = 256 };

/* NULL for what .npy cannot hold. */
static const char *kind_of(posenc_dtype dtype) {
    static const char *const kinds[POSENC_DTYPE_COUNT] = {
        [POSENC_F32] = "f4", [POSENC_F64] = "f8", [POSENC_F16] = "f2", [POSENC_I8] = "i1",
        [POSENC_I16] = "i2", [POSENC_I32] = "i4", [POSENC_I64] = "i8", [POSENC_U8] = "u1",
        [POSENC_U16] = "u2", [POSENC_U32] = "u4", [POSENC_U64] = "u8", [POSENC_BOOL] = "b1"};
    return posenc_dtype_bytes(dtype) > 0 ? kinds[dtype] : NULL;
}

static posenc_status check_shape(posenc_dtype dtype, int rank, const int64_t *shape, posenc_error *error) {
    if (rank < 0 || rank > POSENC_MAX_RANK)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "rank", "expected 0..%d, got %d", POSENC_MAX_RANK, rank);
    if (rank > 0 && !shape) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "shape", "expected extents, got NULL");
    int64_t bytes = (int64_t)posenc_dtype_bytes(dtype);
    for (int k = 0; k < rank; k++) {
        if (shape[k] < 0)
            return posenc_fail(error, POSENC_ERROR_SHAPE, "shape", "expected extents from 0 on, got %lld",
                               (long long)shape[k]);
        if (shape[k] > 0 && !posenc_i64_multiply(bytes, shape[k], &bytes))
            return posenc_fail(error, POSENC_ERROR_SHAPE, "shape", "expected at most 2^63-1 bytes, got more");
    }
    return POSENC_OK;
}

/* The dict without padding. Returns its length. */
static size_t write_dict(const char *kind, int rank, const int64_t *shape, char text[MOST]) {
    char order = kind[1] == '1' ? '|' : posenc_native_is_little() ? '<' : '>';
    int used = snprintf(text, MOST, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order, kind);
    for (int k = 0; k < rank; k++)
        used += snprintf(text + used, MOST - (size_t)used,
                         k == 0         ? "%lld,"
                         : k + 1 < rank ? " %lld,"
                                        : " %lld",
                         (long long)shape[k]);
    used += snprintf(text + used, MOST - (size_t)used, "), }");
    return (size_t)used;
}

posenc_status posenc_npy_header(posenc_dtype dtype, int rank, const int64_t *shape, char header[256],
                                size_t *header_bytes, posenc_error *error) {
    const char *kind = kind_of(dtype);
    if (!header || !header_bytes)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, header ? "header_bytes" : "header",
                           "expected a pointer, got NULL");
    if (!kind)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "dtype", "expected a type that .npy can hold, got %s%s",
                           posenc_dtype_name(dtype), dtype == POSENC_BF16 ? ": use .safetensors" : "");
    posenc_status status = check_shape(dtype, rank, shape, error);
    if (status != POSENC_OK) return status;

    char text[MOST];
    size_t length = write_dict(kind, rank, shape, text);
    size_t total = (PREFIX + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; /* + 1: the newline at the end */
    memset(header, ' ', total);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    posenc_store_le_u16(header + 8, (uint16_t)(total - PREFIX));
    memcpy(header + PREFIX, text, length);
    header[total - 1] = '\n';
    *header_bytes = total;
    return POSENC_OK;
}
