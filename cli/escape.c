/* Names from outside (file names, tensor names, words of the command line) must not act on a terminal. */
#include <stdint.h>

#include "cli.h"

/* Decodes one UTF-8 character. Returns its bytes, or 0 if the text does not start with a valid one. */
static int decode(const unsigned char *text, uint32_t *character) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    int bytes = text[0] < 0x80 ? 1 : text[0] >= 0xF0 && text[0] < 0xF5 ? 4 : text[0] >= 0xE0 && text[0] < 0xF0 ? 3 : 2;
    if (bytes == 2 && (text[0] < 0xC2 || text[0] > 0xDF)) return 0;
    uint32_t value = bytes == 1 ? text[0] : text[0] & (0xFFu >> (bytes + 1));
    for (int i = 1; i < bytes; i++) {
        if ((text[i] & 0xC0) != 0x80) return 0; /* the end mark too */
        value = value << 6 | (text[i] & 0x3F);
    }
    if (value < smallest[bytes] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return 0;
    *character = value;
    return bytes;
}

/* Control characters, line separators, marks that turn the reading direction, invisible characters. */
static bool may_act(uint32_t c) {
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x61C, 0x61C},   {0x200B, 0x200B}, {0x200E, 0x200F},
                  {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i].first && c <= ranges[i].last) return true;
    return false;
}

void posenc_cli_escape(FILE *stream, const char *text) {
    const unsigned char *rest = (const unsigned char *)text;
    while (*rest) {
        uint32_t character = 0;
        int bytes = decode(rest, &character);
        if (bytes == 0 || (bytes == 1 && may_act(character))) {
            fprintf(stream, "\\x%02x", *rest);
            bytes = 1;
        } else if (may_act(character)) {
            fprintf(stream, "\\u{%04lx}", (unsigned long)character);
        } else {
            fwrite(rest, 1, (size_t)bytes, stream);
        }
        rest += bytes;
    }
}
