/* Wraps text for the terminal. */
#include "wrap.h"

#include <string.h>

enum { COLUMNS = 79 };

static int width(const char *word, size_t bytes) {
    int n = 0;
    for (size_t i = 0; i < bytes; i++) n += ((unsigned char)word[i] & 0xC0) != 0x80;
    return n;
}

/* Up to the next blank; what stands in brackets stays together. */
static size_t word_bytes(const char *text) {
    size_t inside = *text == '[' ? strcspn(text, "]\n") : 0;
    return inside + strcspn(text + inside, " \n");
}

void posenc_cli_wrap(FILE *stream, const char *text, int column, int indent) {
    const char *gap = ""; /* what stands before the next word */
    while (*text) {
        size_t blanks = strspn(text, " \n"), bytes;
        if (strncmp(text, "\n\n", 2) == 0) {
            fprintf(stream, "\n\n%*s", indent, "");
            column = indent;
            gap = "";
        }
        text += blanks;
        bytes = word_bytes(text);
        int word = width(text, bytes);
        if (*gap && column + 1 + word > COLUMNS) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
            gap = "";
        }
        fprintf(stream, "%s%.*s", gap, (int)bytes, text);
        column += (int)strlen(gap) + word;
        gap = " ";
        text += bytes;
    }
    fputc('\n', stream);
}
