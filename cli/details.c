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

void posenc_cli_option_text(const posenc_cli_option *option, char *text, size_t capacity) {
    char range[256], standard[96] = "";
    posenc_cli_option_range(option, range, sizeof range);
    if (option->required)
        snprintf(standard, sizeof standard, "required");
    else if (option->default_text && option->kind != POSENC_CLI_FLAG)
        snprintf(standard, sizeof standard, "default %s", *option->default_text ? option->default_text : "none");
    else if (option->default_text && strcmp(option->default_text, "true") == 0)
        snprintf(standard, sizeof standard, "default; --%s=false turns it off", option->name);
    const char *mark = *range && *standard ? "; " : "";
    bool any = *range || *standard;
    int bytes = (int)strlen(option->help);
    if (bytes > 0 && option->help[bytes - 1] == '.') bytes--; /* the library's sentences have a full stop */
    snprintf(text, capacity, "%.*s%s%s%s%s%s", bytes, option->help, any ? " [" : "", range, mark, standard,
             any ? "]" : "");
}

void posenc_cli_usage(const posenc_cli_command *command, char *text, size_t capacity) {
    if (command->usage)
        snprintf(text, capacity, "%s", command->usage);
    else
        snprintf(text, capacity, "%s%s[options]", command->operands, command->operands[0] ? " " : "");
}
