/* The pieces that every form of help is made of. */
#ifndef POSENC_CLI_DETAILS_H
#define POSENC_CLI_DETAILS_H

#include "cli.h"

/* "-o, --output FILE" */
void posenc_cli_option_left(const posenc_cli_option *option, char *text, size_t capacity);

/* The help sentence, and behind it in brackets the range or choices and the default, or "required". */
void posenc_cli_option_text(const posenc_cli_option *option, char *text, size_t capacity);

/* What follows "posenc NAME" in a usage line. */
void posenc_cli_usage(const posenc_cli_command *command, char *text, size_t capacity);

#endif
