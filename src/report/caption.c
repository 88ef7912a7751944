#include "report/caption.h"

#include <stdio.h>
#include <string.h>

#include "formats/escape.h"

static const char ellipsis[] = "\xE2\x80\xA6";

void posenc_caption(const char *text, char out[POSENC_CAPTION]) {
    char piece[POSENC_SHOWN_CHARACTER];
    size_t used = 0, n = text ? strlen(text) : 0;
    for (size_t i = 0; i < n;) {
        i += posenc_escape_character(text + i, n - i, piece);
        size_t length = strlen(piece);
        if (used + length + sizeof ellipsis > POSENC_CAPTION) {
            memcpy(out + used, ellipsis, sizeof ellipsis);
            return;
        }
        memcpy(out + used, piece, length);
        used += length;
    }
    out[used] = '\0';
}

/* Ends a text before its last character, or before the blanks there. */
static void drop_last(char *text) {
    size_t n = strlen(text);
    while (n > 0 && ((unsigned char)text[n - 1] & 0xC0) == 0x80) n--; /* continuation bytes */
    if (n > 0) n--;
    while (n > 0 && text[n - 1] == ' ') n--;
    text[n] = '\0';
}

bool posenc_caption_shorten(char text[POSENC_CAPTION], double room, double size, bool bold,
                            const posenc_measure *measure) {
    if (measure->width(measure->user, text, size, bold) <= room) return false;
    char tried[POSENC_CAPTION];
    do {
        drop_last(text);
        snprintf(tried, sizeof tried, "%s%s", text, ellipsis);
    } while (text[0] && measure->width(measure->user, tried, size, bold) > room);
    if (text[0]) strcpy(text, tried);
    return true;
}

/* Bytes of the first line: up to the last blank before which all fits; 0 if not even a word does. */
static size_t break_at(const char *text, double room, double size, const posenc_measure *measure) {
    char head[POSENC_CAPTION];
    size_t best = 0;
    for (const char *blank = strchr(text, ' '); blank; blank = strchr(blank + 1, ' ')) {
        size_t n = (size_t)(blank - text);
        memcpy(head, text, n);
        head[n] = '\0';
        if (measure->width(measure->user, head, size, false) > room) break;
        best = n;
    }
    return best;
}

int posenc_caption_wrap(const char text[POSENC_CAPTION], double room, double size, const posenc_measure *measure,
                        char lines[2][POSENC_CAPTION]) {
    if (!text[0]) return 0;
    strcpy(lines[0], text);
    if (measure->width(measure->user, text, size, false) <= room) return 1;
    size_t first = break_at(text, room, size, measure);
    if (first > 0) {
        lines[0][first] = '\0';
        strcpy(lines[1], text + first + 1);
        posenc_caption_shorten(lines[1], room, size, false, measure);
        return 2;
    }
    posenc_caption_shorten(lines[0], room, size, false, measure);
    return 1;
}
