/* The text that the demo reads: from a file, bounded, or the one that comes with the program. */
#ifndef POSENC_DEMO_TEXT_H
#define POSENC_DEMO_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct posenc_demo_text {
    char *bytes; /* NULL: nothing is held */
    size_t length;
    bool is_cut; /* the file goes on */
} posenc_demo_text;

/* Reads the first most_bytes of a file, or of standard input for "-", and checks that they are UTF-8 text. Returns an
 * exit status; the error has been printed then and nothing is held. */
int posenc_demo_text_read(const char *path, size_t most_bytes, posenc_demo_text *text);

#endif
