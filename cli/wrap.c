/* Wraps text for the terminal. */
#include "wrap.h"

#include <stdbool.h>
#include <string.h>

enum { COLUMNS = 79 };

static int width(const char *word, size_t bytes) {
    int n = 0;
    for (size_t i = 0; i < bytes; i++) n += ((unsigned char)word[i] & 0xC0) != 0x80;
    return n;
}

/* Up to the next blank, or to the next one behind the brackets. */
static size_t word_bytes(const char *text, bool keep_brackets) {
    size_t inside = keep_brackets && *text == '[' ? strcspn(text, "]\n") : 0;
    return inside + strcspn(text + inside, " \n");
}

static void wrap(FILE *stream, const char *text, int column, int indent, bool keep_brackets) {
    const char *gap = ""; /* what stands before the next word */
    while (*text) {
        size_t blanks = strspn(text, " \n"), bytes;
        if (strncmp(text, "\n\n", 2) == 0) {
            fprintf(stream, "\n\n%*s", indent, "");
            column = indent;
            gap = "";
        }
        text += blanks;
        bytes = word_bytes(text, keep_brackets);
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

void posenc_cli_wrap(FILE *stream, const char *text, int column, int indent) {
    wrap(stream, text, column, indent, false);
}

void posenc_cli_wrap_usage(FILE *stream, const char *text, int column, int indent) {
    wrap(stream, text, column, indent, true);
}
