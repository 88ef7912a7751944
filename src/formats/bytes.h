/* Bytes in files: numbers in little-endian order wherever they lie, and the byte order of this machine.
 * All go through memcpy, because fields of a file sit at odd offsets; compilers make one plain load or store of it. */
#ifndef POSENC_FORMATS_BYTES_H
#define POSENC_FORMATS_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool posenc_native_is_little(void) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static inline uint16_t posenc_swap_u16(uint16_t value) { return (uint16_t)(value << 8 | value >> 8); }

static inline uint32_t posenc_swap_u32(uint32_t value) {
    value = (value & 0x00FF00FFu) << 8 | (value >> 8 & 0x00FF00FFu);
    return value << 16 | value >> 16;
}

static inline uint64_t posenc_swap_u64(uint64_t value) {
    return (uint64_t)posenc_swap_u32((uint32_t)value) << 32 | posenc_swap_u32((uint32_t)(value >> 32));
}

static inline uint16_t posenc_load_le_u16(const void *bytes) {
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return posenc_native_is_little() ? value : posenc_swap_u16(value);
}

static inline uint32_t posenc_load_le_u32(const void *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return posenc_native_is_little() ? value : posenc_swap_u32(value);
}

static inline uint64_t posenc_load_le_u64(const void *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return posenc_native_is_little() ? value : posenc_swap_u64(value);
}

static inline void posenc_store_le_u16(void *bytes, uint16_t value) {
    if (!posenc_native_is_little()) value = posenc_swap_u16(value);
    memcpy(bytes, &value, sizeof value);
}

static inline void posenc_store_le_u32(void *bytes, uint32_t value) {
    if (!posenc_native_is_little()) value = posenc_swap_u32(value);
    memcpy(bytes, &value, sizeof value);
}

static inline void posenc_store_le_u64(void *bytes, uint64_t value) {
    if (!posenc_native_is_little()) value = posenc_swap_u64(value);
    memcpy(bytes, &value, sizeof value);
}

#endif
