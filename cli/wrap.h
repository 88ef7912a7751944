/* Text in lines of at most 80 columns. */
#ifndef POSENC_CLI_WRAP_H
#define POSENC_CLI_WRAP_H

#include <stdio.h>

/* Prints words, starting at column, in lines of 79 columns at most; further lines begin at indent. Ends with a newline.
 * An empty line in the text parts paragraphs. Counts characters, not bytes. */
void posenc_cli_wrap(FILE *stream, const char *text, int column, int indent);

/* The same for a usage line: what stands in brackets stays together. */
void posenc_cli_wrap_usage(FILE *stream, const char *text, int column, int indent);

#endif
