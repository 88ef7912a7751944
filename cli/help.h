/* The four forms of help, all made from the command table and the scheme descriptors, all on standard output. */
#ifndef POSENC_CLI_HELP_H
#define POSENC_CLI_HELP_H

#include "cli.h"

/* For a terminal of 80 columns; NULL: the list of commands. Returns POSENC_CLI_FINE. */
int posenc_cli_help_text(const posenc_cli_command *command);

/* The manual page, posenc(1). */
int posenc_cli_help_man(void);

/* The completion script for bash. */
int posenc_cli_help_bash(void);

/* The page of options for the documentation. */
int posenc_cli_help_markdown(void);

#endif
