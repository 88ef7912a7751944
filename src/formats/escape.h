/* Untrusted bytes made safe to show: nothing that a file or a file's name holds may move a cursor, colour a terminal,
 * reverse a line or end it early. */
#ifndef POSENC_FORMATS_ESCAPE_H
#define POSENC_FORMATS_ESCAPE_H

#include <stddef.h>

/* Room for a path as messages show it; it leaves most of posenc_error.message to the sentence. */
#define POSENC_SHOWN_PATH 160

/* Room for one character as text. */
enum { POSENC_SHOWN_CHARACTER = 17 };

/* Writes the UTF-8 character at the front, or the byte that is none, as text: letters of all languages stay; control
 * characters, marks that change the direction or the width of text, and bytes that are no UTF-8 become \xHH, a
 * backslash becomes two. n >= 1. Returns how many bytes it took. */
size_t posenc_escape_character(const void *bytes, size_t n, char text[POSENC_SHOWN_CHARACTER]);

/* Writes n bytes as text: printable ASCII stays, a backslash becomes two, all else becomes \xHH.
 * What does not fit is cut and ends in "...". capacity >= 8. Returns text. */
char *posenc_escape(const void *bytes, size_t n, char *text, size_t capacity);

/* Writes a path as text, character by character. A long path keeps its end, after "...". Returns text. */
char *posenc_escape_path(const char *path, char text[POSENC_SHOWN_PATH]);

#endif
