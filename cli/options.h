/* The options of a command: its own, those that all share, and the parameters of schemes, seen as one list. */
#ifndef POSENC_CLI_OPTIONS_H
#define POSENC_CLI_OPTIONS_H

#include "cli.h"

/* Own options first, then the shared ones that the command takes. False past the last. */
bool posenc_cli_option_at(const posenc_cli_command *command, size_t index, const posenc_cli_option **out);

/* Whether index is past the command's own options, that is, a shared one. */
bool posenc_cli_option_shared(const posenc_cli_command *command, size_t index);

/* By long name or by letter (name NULL); NULL if the command has none such. */
const posenc_cli_option *posenc_cli_option_find(const posenc_cli_command *command, const char *name, char letter);

/* The option that names a scheme; NULL if the command has none. */
const posenc_cli_option *posenc_cli_option_for_scheme(const posenc_cli_command *command);

/* A scheme's parameter as an option. Valid as long as the library. */
posenc_cli_option posenc_cli_option_of(const posenc_parameter_info *parameter);

/* The parameter of that name; NULL if the scheme has none such. */
const posenc_parameter_info *posenc_cli_parameter_find(const posenc_scheme_info *scheme, const char *name);

/* The range of an option, for help: "0 or more", "1..256", "auto, always or never"; "" where there is nothing to say.
 */
void posenc_cli_option_range(const posenc_cli_option *option, char *text, size_t capacity);

/* What an option expects, for messages: "an integer of 0 or more", "1..256", "a finite number", "a file". */
void posenc_cli_option_expects(const posenc_cli_option *option, char *text, size_t capacity);

/* Checks a value as the user wrote it. Prints the error and returns false if it is not what the option expects. */
bool posenc_cli_option_check(const posenc_cli_option *option, const char *text);

#endif
