/* Byte order and axis order.
 *
 * Reversing the axis order moves element (i_0 .. i_last) from sum i_k * prod(shape[..k-1]) to sum i_k *
 * prod(shape[k+1..]). For each choice of the middle indices this is the transpose of one plane: the first axis is
 * contiguous in the source, the last one in the target. Planes are walked in tiles, so that neither side leaves the
 * cache between two visits. */
#include "formats/order.h"

#include <posenc/tensor.h>

#include "formats/bytes.h"

enum { TILE = 32 }; /* 32 rows and 32 columns of 8 bytes touch 2 x 128 cache lines: well inside 32 KiB */

static void swap_2(uint8_t *at, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint16_t value;
        memcpy(&value, at + 2 * i, 2);
        value = posenc_swap_u16(value);
        memcpy(at + 2 * i, &value, 2);
    }
}

static void swap_4(uint8_t *at, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t value;
        memcpy(&value, at + 4 * i, 4);
        value = posenc_swap_u32(value);
        memcpy(at + 4 * i, &value, 4);
    }
}

static void swap_8(uint8_t *at, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t value;
        memcpy(&value, at + 8 * i, 8);
        value = posenc_swap_u64(value);
        memcpy(at + 8 * i, &value, 8);
    }
}

void posenc_swap_elements(void *data, size_t n, size_t element_bytes) {
    if (element_bytes == 2) swap_2(data, n);
    if (element_bytes == 4) swap_4(data, n);
    if (element_bytes == 8) swap_8(data, n);
}

/* One plane, or a tile of it: element (r, c) stands at from[r + c * pitch] and goes to to[r * row + c]. */
typedef struct plane {
    size_t rows, columns;
    size_t from_pitch, to_pitch; /* elements from one column, and one row, to the next */
} plane;

/* Inlined with element_bytes a constant, so that the copy is one load and one store. */
static inline void transpose(const uint8_t *from, uint8_t *to, plane p, size_t element_bytes) {
    for (size_t r = 0; r < p.rows; r++)
        for (size_t c = 0; c < p.columns; c++)
            memcpy(to + (r * p.to_pitch + c) * element_bytes, from + (c * p.from_pitch + r) * element_bytes,
                   element_bytes);
}

static void transpose_tile(const uint8_t *from, uint8_t *to, plane p, size_t element_bytes) {
    switch (element_bytes) {
        case 1:
            transpose(from, to, p, 1);
            break;
        case 2:
            transpose(from, to, p, 2);
            break;
        case 4:
            transpose(from, to, p, 4);
            break;
        default:
            transpose(from, to, p, 8);
            break;
    }
}

static void transpose_plane(const uint8_t *from, uint8_t *to, plane p, size_t element_bytes) {
    for (size_t r = 0; r < p.rows; r += TILE) {
        for (size_t c = 0; c < p.columns; c += TILE) {
            plane tile = p;
            tile.rows = p.rows - r < TILE ? p.rows - r : TILE;
            tile.columns = p.columns - c < TILE ? p.columns - c : TILE;
            transpose_tile(from + (c * p.from_pitch + r) * element_bytes, to + (r * p.to_pitch + c) * element_bytes,
                           tile, element_bytes);
        }
    }
}

/* Counts the middle indices up by one, the last of them fastest; false after the last choice. */
static bool next(size_t *index, int rank, const int64_t *shape) {
    for (int k = rank - 2; k >= 1; k--) {
        if (++index[k] < (size_t)shape[k]) return true;
        index[k] = 0;
    }
    return false;
}

void posenc_fortran_to_c(const void *from, void *to, size_t element_bytes, int rank, const int64_t *shape) {
    size_t from_stride[POSENC_MAX_RANK], to_stride[POSENC_MAX_RANK], index[POSENC_MAX_RANK] = {0};
    int last = rank - 1;
    from_stride[0] = to_stride[last] = 1;
    for (int k = 1; k < rank; k++) from_stride[k] = from_stride[k - 1] * (size_t)shape[k - 1];
    for (int k = last; k > 0; k--) to_stride[k - 1] = to_stride[k] * (size_t)shape[k];
    plane p = {(size_t)shape[0], (size_t)shape[last], from_stride[last], to_stride[0]};
    do {
        size_t source = 0, target = 0;
        for (int k = 1; k < last; k++) {
            source += index[k] * from_stride[k];
            target += index[k] * to_stride[k];
        }
        transpose_plane((const uint8_t *)from + source * element_bytes, (uint8_t *)to + target * element_bytes, p,
                        element_bytes);
    } while (next(index, rank, shape));
}
