/* The words of a command line, parsed against the command's descriptor and the schemes'. */
#ifndef POSENC_CLI_ARGUMENTS_H
#define POSENC_CLI_ARGUMENTS_H

#include "cli.h"

#define POSENC_CLI_MOST_OPTIONS 64
#define POSENC_CLI_MOST_OPERANDS 4

struct posenc_cli_arguments {
    const posenc_cli_command *command;
    posenc_parameter options[POSENC_CLI_MOST_OPTIONS]; /* as given, each name once */
    size_t n_options;
    posenc_parameter parameters[POSENC_CLI_MOST_OPTIONS]; /* of the scheme, as given, each name once */
    size_t n_parameters;
    const char *operands[POSENC_CLI_MOST_OPERANDS];
    int n_operands;
    const posenc_scheme_info *scheme;
    posenc_context *context;
};

/* Parses the words after the command's name. Returns POSENC_CLI_FINE, or prints what is wrong and returns _TROUBLE.
 * Texts are not copied: words must outlive arguments. */
int posenc_cli_parse(const posenc_cli_command *command, int n_words, char *const *words,
                     posenc_cli_arguments *arguments);

/* Whether --help or -h stands among the words, before any "--". */
bool posenc_cli_wants_help(int n_words, char *const *words);

/* "expected a known one" with the nearest name: prints the error and returns _TROUBLE. */
int posenc_cli_unknown_scheme(const char *name);
int posenc_cli_unknown_command(const char *name);

#endif
