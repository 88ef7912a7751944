/* help: what the program can do, for people, for man, for bash and for the documentation. */
#include "help.h"

#include <string.h>

#include "arguments.h"
#include "commands.h"

static int help(const posenc_cli_arguments *arguments) {
    const char *name = posenc_cli_operand(arguments, 0), *format = posenc_cli_text(arguments, "format");
    if (name && strcmp(format, "text") != 0)
        return posenc_cli_fail("format: expected text with a command's name, got %s", format);
    if (strcmp(format, "man") == 0) return posenc_cli_help_man();
    if (strcmp(format, "bash") == 0) return posenc_cli_help_bash();
    if (strcmp(format, "markdown") == 0) return posenc_cli_help_markdown();
    const posenc_cli_command *command = name ? posenc_cli_command_find(name) : NULL;
    if (name && !command) return posenc_cli_unknown_command(name);
    return posenc_cli_help_text(command);
}

static const char *const formats[] = {"text", "man", "bash", "markdown", NULL};

static const posenc_cli_option options[] = {
    {.name = "format",
     .kind = POSENC_CLI_CHOICE,
     .value = "FORM",
     .default_text = "text",
     .choices = formats,
     .help = "Form of the help; all but text cover every command"},
};

static const char *const examples[] = {
    "posenc help table",
    "posenc help --format man > posenc.1",
    "posenc help --format bash > ~/.local/share/bash-completion/completions/posenc",
    NULL,
};

const posenc_cli_command posenc_cli_help = {
    .name = "help",
    .summary = "Say what the program or one command does",
    .description =
        "Prints the list of commands, or all about one of them.\n\n"
        "The manual page, the completion script for bash and the page of options in the documentation come from the "
        "same "
        "tables: --format man, bash and markdown print them.",
    .usage = "[COMMAND] [--format text|man|bash|markdown]",
    .operands = "[COMMAND]",
    .most_operands = 1,
    .takes = POSENC_CLI_NAMES_COMMAND,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = help,
};
