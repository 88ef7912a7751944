/* Untrusted bytes made safe to show. A unit is what is kept or escaped as a whole: one byte, or one UTF-8 character. */
#include "formats/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "formats/utf8.h"

/* Characters that act instead of being seen: C1 controls, direction marks, zero widths, line ends, tags. */
static bool acts(uint32_t code) {
    static const uint32_t ranges[][2] = {{0x80, 0x9F},     {0xAD, 0xAD},      {0x61C, 0x61C},   {0x180E, 0x180E},
                                         {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F}, {0xFEFF, 0xFEFF},
                                         {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1]) return true;
    return false;
}

/* Writes the unit at the front as text and returns how many bytes it took. */
static size_t unit(const uint8_t *bytes, size_t n, bool utf8, char text[POSENC_SHOWN_CHARACTER]) {
    uint32_t code = 0;
    size_t length = utf8 ? posenc_utf8_wide(bytes, n, &code) : 0;
    if (length > 0 && !acts(code)) {
        memcpy(text, bytes, length);
        text[length] = '\0';
        return length;
    }
    if (length == 0) length = 1;
    if (bytes[0] >= 0x20 && bytes[0] < 0x7F) {
        size_t copies = bytes[0] == '\\' ? 2 : 1;
        memset(text, bytes[0], copies);
        text[copies] = '\0';
        return 1;
    }
    for (size_t i = 0; i < length; i++) snprintf(text + 4 * i, POSENC_SHOWN_CHARACTER - 4 * i, "\\x%02x", bytes[i]);
    return length;
}

size_t posenc_escape_character(const void *bytes, size_t n, char text[POSENC_SHOWN_CHARACTER]) {
    return unit(bytes, n, true, text);
}

char *posenc_escape(const void *bytes, size_t n, char *text, size_t capacity) {
    const uint8_t *from = bytes;
    size_t used = 0, last_good = 0; /* text[0..last_good] leaves room for "..." */
    for (size_t i = 0; i < n;) {
        char piece[POSENC_SHOWN_CHARACTER];
        i += unit(from + i, n - i, false, piece);
        size_t length = strlen(piece);
        if (used + length >= capacity) {
            memcpy(text + last_good, "...", 4);
            return text;
        }
        memcpy(text + used, piece, length);
        used += length;
        if (used + 3 < capacity) last_good = used;
    }
    text[used] = '\0';
    return text;
}

char *posenc_escape_path(const char *path, char text[POSENC_SHOWN_PATH]) {
    const uint8_t *from = (const uint8_t *)path;
    size_t n = strlen(path), total = 0, used = 0, i = 0;
    char piece[POSENC_SHOWN_CHARACTER];
    while (i < n) {
        i += unit(from + i, n - i, true, piece);
        total += strlen(piece);
    }
    i = 0;
    if (total >= POSENC_SHOWN_PATH) {
        for (; total + 3 >= POSENC_SHOWN_PATH; total -= strlen(piece)) i += unit(from + i, n - i, true, piece);
        memcpy(text, "...", 3);
        used = 3;
    }
    while (i < n) {
        i += unit(from + i, n - i, true, piece);
        memcpy(text + used, piece, strlen(piece));
        used += strlen(piece);
    }
    text[used] = '\0';
    return text;
}
