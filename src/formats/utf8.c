/* UTF-8 as RFC 3629 has it. */
#include "formats/utf8.h"

#include <stdbool.h>
#include <string.h>

size_t posenc_utf8_wide(const uint8_t *bytes, size_t n, uint32_t *code) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = bytes[0] < 0xC2 ? 0 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : bytes[0] < 0xF5 ? 4 : 0;
    if (length == 0 || length > n) return 0;
    *code = bytes[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) return 0;
        *code = *code << 6 | (bytes[i] & 0x3Fu);
    }
    bool surrogate = *code >= 0xD800 && *code <= 0xDFFF;
    return *code < least[length] || *code > 0x10FFFF || surrogate ? 0 : length;
}

/* Most text is ASCII: eight bytes in one look. */
static bool eight_ascii(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return (word & UINT64_C(0x8080808080808080)) == 0;
}

size_t posenc_utf8_prefix(const void *bytes, size_t n) {
    const uint8_t *from = bytes;
    uint32_t code;
    for (size_t i = 0; i < n;) {
        size_t length = n - i >= 8 && eight_ascii(from + i) ? 8
                        : from[i] < 0x80                    ? 1
                                                            : posenc_utf8_wide(from + i, n - i, &code);
        if (length == 0) return i;
        i += length;
    }
    return n;
}
