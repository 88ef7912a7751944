/* Parses a command line: every check that needs no file happens here, before the command runs. */
#include "arguments.h"

#include <string.h>

#include "commands.h"
#include "numbers.h"
#include "options.h"

/* ---- Names that nobody knows ---- */

#define MOST_NAMES 256

static size_t option_names(const posenc_cli_command *command, const char **names) {
    size_t n = 0;
    const posenc_cli_option *option;
    for (size_t i = 0; n < MOST_NAMES && posenc_cli_option_at(command, i, &option); i++)
        if (!option->hidden) names[n++] = option->name;
    if (!(command->takes & POSENC_CLI_TAKES_PARAMETERS)) return n;
    for (size_t s = 0; s < posenc_scheme_count(); s++) {
        const posenc_scheme_info *scheme = posenc_scheme_at(s);
        for (size_t i = 0; n < MOST_NAMES && i < scheme->n_parameters; i++) names[n++] = scheme->parameters[i].name;
    }
    return n;
}

static int unknown_option(const posenc_cli_command *command, const char *word, const char *name) {
    const char *names[MOST_NAMES];
    const char *nearest = name ? posenc_nearest_name(name, names, option_names(command, names)) : NULL;
    if (nearest) return posenc_cli_fail("unknown option \"%s\", did you mean \"--%s\"?", word, nearest);
    return posenc_cli_fail("unknown option \"%s\", see \"posenc help %s\"", word, command->name);
}

int posenc_cli_unknown_scheme(const char *name) {
    const char *names[MOST_NAMES];
    size_t n = 0;
    for (; n < MOST_NAMES && n < posenc_scheme_count(); n++) names[n] = posenc_scheme_at(n)->name;
    const char *nearest = posenc_nearest_name(name, names, n);
    if (nearest) return posenc_cli_fail("unknown scheme \"%s\", did you mean \"%s\"?", name, nearest);
    return posenc_cli_fail("unknown scheme \"%s\", \"posenc list\" names them", name);
}

int posenc_cli_unknown_command(const char *name) {
    const char *names[MOST_NAMES];
    size_t n = 0;
    for (; n < MOST_NAMES && posenc_cli_command_at(n); n++) names[n] = posenc_cli_command_at(n)->name;
    const char *nearest = posenc_nearest_name(name, names, n);
    if (nearest) return posenc_cli_fail("unknown command \"%s\", did you mean \"%s\"?", name, nearest);
    return posenc_cli_fail("unknown command \"%s\", \"posenc help\" lists them", name);
}

/* ---- One option ---- */

/* A word "--name=value", "--name", "-o" or "-ovalue", taken apart. */
typedef struct option_word {
    char name[64]; /* "" for a letter */
    char letter;
    const char *value; /* what is attached, or NULL */
} option_word;

static bool take_apart(const char *word, option_word *out) {
    *out = (option_word){.letter = word[1]};
    if (word[1] != '-') {
        out->value = word[2] ? word + 2 : NULL;
        return true;
    }
    size_t n = strcspn(word + 2, "=");
    if (n == 0 || n >= sizeof out->name) return false;
    memcpy(out->name, word + 2, n);
    out->letter = '\0';
    out->value = word[2 + n] == '=' ? word + 2 + n + 1 : NULL;
    return true;
}

/* The parameter of any scheme that has this name: which scheme is meant may come later in the line. */
static const posenc_parameter_info *parameter_of_any_scheme(const char *name) {
    for (size_t s = 0; s < posenc_scheme_count(); s++) {
        const posenc_parameter_info *found = posenc_cli_parameter_find(posenc_scheme_at(s), name);
        if (found) return found;
    }
    return NULL;
}

static int remember(posenc_parameter *list, size_t *n, const char *name, const char *text) {
    for (size_t i = 0; i < *n; i++)
        if (strcmp(list[i].name, name) == 0) return posenc_cli_fail("%s: expected once, got it twice", name);
    if (*n == POSENC_CLI_MOST_OPTIONS)
        return posenc_cli_fail("%s: expected at most %d options", name, POSENC_CLI_MOST_OPTIONS);
    list[(*n)++] = (posenc_parameter){name, text};
    return POSENC_CLI_FINE;
}

/* Finds the option's value: attached, or the next word. Flags are "true". */
static int value_of(const posenc_cli_option *option, const option_word *word, const char *next, const char **value,
                    bool *used_next) {
    *used_next = false;
    *value = word->value ? word->value : "true";
    if (word->value || option->kind == POSENC_CLI_FLAG) return POSENC_CLI_FINE;
    if (!next) return posenc_cli_fail("%s: expected a value, got the end of the line", option->name);
    if (strncmp(next, "--", 2) == 0)
        return posenc_cli_fail("%s: expected a value, got the option \"%s\"", option->name, next);
    *value = next;
    *used_next = true;
    return POSENC_CLI_FINE;
}

static int parse_option(posenc_cli_arguments *arguments, const char *text, const char *next, bool *used_next) {
    option_word word;
    const posenc_cli_command *command = arguments->command;
    if (!take_apart(text, &word)) return unknown_option(command, text, NULL);
    const char *name = word.name[0] ? word.name : NULL, *value;
    const posenc_cli_option *own = posenc_cli_option_find(command, name, word.letter);
    const posenc_parameter_info *parameter = NULL;
    if (!own && name && (command->takes & POSENC_CLI_TAKES_PARAMETERS)) parameter = parameter_of_any_scheme(name);
    if (!own && !parameter) return unknown_option(command, text, name);
    posenc_cli_option option = own ? *own : posenc_cli_option_of(parameter);
    int status = value_of(&option, &word, next, &value, used_next);
    if (status != POSENC_CLI_FINE) return status;
    if (own && !posenc_cli_option_check(own, value)) return POSENC_CLI_TROUBLE;
    if (own) return remember(arguments->options, &arguments->n_options, own->name, value);
    return remember(arguments->parameters, &arguments->n_parameters, parameter->name, value);
}

/* ---- The whole line ---- */

static int parse_operand(posenc_cli_arguments *arguments, const char *word) {
    if (arguments->n_operands >= arguments->command->most_operands)
        return posenc_cli_fail("%s: unexpected argument \"%s\"", arguments->command->name, word);
    arguments->operands[arguments->n_operands++] = word;
    return POSENC_CLI_FINE;
}

static int parse_words(posenc_cli_arguments *arguments, int n_words, char *const *words) {
    bool options_ended = false;
    for (int i = 0; i < n_words; i++) {
        const char *word = words[i];
        int status;
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
            continue;
        }
        if (!options_ended && word[0] == '-' && word[1]) {
            bool used_next = false;
            status = parse_option(arguments, word, i + 1 < n_words ? words[i + 1] : NULL, &used_next);
            i += used_next;
        } else {
            status = parse_operand(arguments, word);
        }
        if (status != POSENC_CLI_FINE) return status;
    }
    return POSENC_CLI_FINE;
}

/* The name of the scheme, from its option or the first operand; NULL: none is given. */
static const char *scheme_name(const posenc_cli_arguments *arguments) {
    const posenc_cli_option *option = posenc_cli_option_for_scheme(arguments->command);
    unsigned takes = arguments->command->takes;
    if (option) return posenc_cli_text(arguments, option->name);
    if (!(takes & (POSENC_CLI_TAKES_PARAMETERS | POSENC_CLI_NAMES_SCHEME))) return NULL;
    return posenc_cli_operand(arguments, 0);
}

static int check_scheme(posenc_cli_arguments *arguments) {
    const posenc_cli_option *option = posenc_cli_option_for_scheme(arguments->command);
    const char *scheme = scheme_name(arguments);
    if (!scheme && option && arguments->n_parameters > 0)
        return posenc_cli_fail("%s: expected --%s NAME beside it, got none", arguments->parameters[0].name,
                               option->name);
    if (!scheme) return POSENC_CLI_FINE;
    arguments->scheme = posenc_scheme_find(scheme);
    if (!arguments->scheme) return posenc_cli_unknown_scheme(scheme);
    for (size_t i = 0; i < arguments->n_parameters; i++) {
        const char *name = arguments->parameters[i].name;
        if (!posenc_cli_parameter_find(arguments->scheme, name))
            return posenc_cli_fail("%s: %s has no such parameter, see \"posenc list %s\"", name,
                                   arguments->scheme->name, arguments->scheme->name);
    }
    return POSENC_CLI_FINE;
}

static int check_required(const posenc_cli_arguments *arguments) {
    const posenc_cli_command *command = arguments->command;
    const posenc_cli_option *option;
    if (arguments->n_operands < command->fewest_operands)
        return posenc_cli_fail("%s: expected %s, got nothing; see \"posenc help %s\"", command->name, command->operands,
                               command->name);
    for (size_t i = 0; posenc_cli_option_at(command, i, &option); i++)
        if (option->required && !posenc_cli_given(arguments, option->name))
            return posenc_cli_fail("%s: expected --%s %s, got nothing; see \"posenc help %s\"", option->name,
                                   option->name, option->value, command->name);
    return POSENC_CLI_FINE;
}

int posenc_cli_parse(const posenc_cli_command *command, int n_words, char *const *words,
                     posenc_cli_arguments *arguments) {
    *arguments = (posenc_cli_arguments){.command = command};
    int status = parse_words(arguments, n_words, words);
    if (status == POSENC_CLI_FINE) status = check_scheme(arguments);
    if (status == POSENC_CLI_FINE) status = check_required(arguments);
    return status;
}

bool posenc_cli_wants_help(int n_words, char *const *words) {
    for (int i = 0; i < n_words && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) return true;
    return false;
}

/* ---- What commands ask ---- */

/* What the user wrote for an option or a scheme's parameter, or NULL. */
static const char *given_text(const posenc_cli_arguments *arguments, const char *name) {
    for (size_t i = 0; i < arguments->n_options; i++)
        if (strcmp(arguments->options[i].name, name) == 0) return arguments->options[i].text;
    for (size_t i = 0; i < arguments->n_parameters; i++)
        if (strcmp(arguments->parameters[i].name, name) == 0) return arguments->parameters[i].text;
    return NULL;
}

bool posenc_cli_given(const posenc_cli_arguments *arguments, const char *option) {
    return given_text(arguments, option) != NULL;
}

const char *posenc_cli_text(const posenc_cli_arguments *arguments, const char *option) {
    const char *given = given_text(arguments, option);
    if (given) return given;
    const posenc_cli_option *known = posenc_cli_option_find(arguments->command, option, '\0');
    return known ? known->default_text : NULL;
}

int64_t posenc_cli_integer(const posenc_cli_arguments *arguments, const char *option) {
    int64_t value = 0;
    const char *text = posenc_cli_text(arguments, option);
    if (text) posenc_cli_parse_integer(text, &value);
    return value;
}

double posenc_cli_real(const posenc_cli_arguments *arguments, const char *option) {
    double value = 0;
    const char *text = posenc_cli_text(arguments, option);
    if (text) posenc_cli_parse_real(text, &value);
    return value;
}

bool posenc_cli_flag(const posenc_cli_arguments *arguments, const char *option) {
    const char *text = posenc_cli_text(arguments, option);
    return text && strcmp(text, "true") == 0;
}

const char *posenc_cli_operand(const posenc_cli_arguments *arguments, int index) {
    return index < arguments->n_operands ? arguments->operands[index] : NULL;
}

const posenc_scheme_info *posenc_cli_scheme(const posenc_cli_arguments *arguments) { return arguments->scheme; }

posenc_context *posenc_cli_context(const posenc_cli_arguments *arguments) { return arguments->context; }
