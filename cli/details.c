/* The pieces that every form of help is made of. */
#include "details.h"

#include <string.h>

#include "options.h"

void posenc_cli_option_left(const posenc_cli_option *option, char *text, size_t capacity) {
    char letter[8] = "";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(text, capacity, "%s--%s%s%s", letter, option->name, option->value ? " " : "",
             option->value ? option->value : "");
}

/* Whether what the option expects says more than its kind. */
static bool has_range(const posenc_cli_option *option) {
    return option->kind == POSENC_CLI_CHOICE || option->kind == POSENC_CLI_INTEGER || option->kind == POSENC_CLI_REAL;
}

void posenc_cli_option_text(const posenc_cli_option *option, char *text, size_t capacity) {
    char expects[256] = "", standard[96] = "";
    if (has_range(option)) posenc_cli_option_expects(option, expects, sizeof expects);
    if (option->required)
        snprintf(standard, sizeof standard, "required");
    else if (option->default_text && option->kind != POSENC_CLI_FLAG)
        snprintf(standard, sizeof standard, "default %s", option->default_text);
    const char *mark = *expects && *standard ? "; " : "";
    bool any = *expects || *standard;
    int bytes = (int)strlen(option->help);
    if (any && bytes > 0 && option->help[bytes - 1] == '.') bytes--; /* the library's sentences have a full stop */
    snprintf(text, capacity, "%.*s%s%s%s%s%s", bytes, option->help, any ? " (" : "", expects, mark, standard,
             any ? ")" : "");
}

void posenc_cli_usage(const posenc_cli_command *command, char *text, size_t capacity) {
    if (command->usage)
        snprintf(text, capacity, "%s", command->usage);
    else
        snprintf(text, capacity, "%s%s[options]", command->operands, command->operands[0] ? " " : "");
}
