/* Reads no more than asked for, so that a huge file or an endless device costs nothing. */
#include "demo_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "demo_words.h"

static int check(const char *path, const posenc_demo_text *text) {
    size_t bad = posenc_demo_not_text(text->bytes, text->length, text->is_cut);
    if (bad == text->length) return POSENC_CLI_FINE;
    return posenc_cli_fail("text: %s: byte %zu: expected UTF-8 text, got byte 0x%02X", path, bad,
                           (unsigned char)text->bytes[bad]);
}

static int read_stream(FILE *file, const char *path, size_t most_bytes, posenc_demo_text *text) {
    text->length = fread(text->bytes, 1, most_bytes + 1, file); /* one more, to see whether the file goes on */
    if (ferror(file)) return posenc_cli_fail("text: %s: cannot be read: %s", path, strerror(errno));
    text->is_cut = text->length > most_bytes;
    if (text->is_cut) text->length = most_bytes;
    return check(path, text);
}

int posenc_demo_text_read(const char *path, size_t most_bytes, posenc_demo_text *text) {
    bool standard = strcmp(path, "-") == 0;
    *text = (posenc_demo_text){malloc(most_bytes + 1), 0, false};
    if (!text->bytes) return posenc_cli_no_memory("text", most_bytes + 1);
    FILE *file = standard ? stdin : fopen(path, "rb");
    int status = file ? read_stream(file, path, most_bytes, text)
                      : posenc_cli_fail("text: %s: cannot be opened: %s", path, strerror(errno));
    if (file && !standard) fclose(file);
    if (status == POSENC_CLI_FINE) return status;
    free(text->bytes);
    text->bytes = NULL;
    return status;
}
