/* Elements on their way into a file, in little-endian order on every machine. */
#include "base/error.h"
#include "formats/bytes.h"
#include "formats/order.h"
#include "formats/safetensors.h"

posenc_status posenc_output_write_swapped(posenc_output *output, const void *data, posenc_dtype dtype, int64_t elements,
                                          bool swapped, posenc_error *error) {
    enum { ROOM = 4096 };
    uint64_t room[ROOM / sizeof(uint64_t)];
    size_t element_bytes = posenc_dtype_bytes(dtype), left = (size_t)elements * element_bytes;
    if (!swapped || element_bytes == 1) return posenc_output_write(output, data, left, error);
    posenc_status status = POSENC_OK;
    for (const char *from = data; status == POSENC_OK && left > 0;) {
        size_t piece = left < ROOM ? left : ROOM;
        memcpy(room, from, piece);
        posenc_swap_elements(room, piece / element_bytes, element_bytes);
        status = posenc_output_write(output, room, piece, error);
        from += piece;
        left -= piece;
    }
    return status;
}

posenc_status posenc_output_write_elements(posenc_output *output, const void *data, posenc_dtype dtype,
                                           int64_t elements, posenc_error *error) {
    size_t element_bytes = posenc_dtype_bytes(dtype);
    if (!output || (!data && elements > 0))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, output ? "data" : "output", "expected a pointer, got NULL");
    if (element_bytes == 0)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "dtype", "expected a dtype, got %d", (int)dtype);
    if (elements < 0 || (uint64_t)elements > (uint64_t)PTRDIFF_MAX / element_bytes)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "elements",
                           "expected 0 or more that fit into memory, got %lld", (long long)elements);
    return posenc_output_write_swapped(output, data, dtype, elements, !posenc_native_is_little(), error);
}
