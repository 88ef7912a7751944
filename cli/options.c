/* The options of a command as one list, and what each of them expects. */
#include "options.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "numbers.h"

static const char *const color_choices[] = {"auto", "always", "never", NULL};
static const char *const isa_choices[] = {"baseline", "avx2", "avx512", "neon", NULL};

/* Shared options; .takes of the command says which. 0: every command. */
static const struct {
    unsigned takes;
    posenc_cli_option option;
} shared[] = {
    {POSENC_CLI_TAKES_JSON,
     {.name = "json", .kind = POSENC_CLI_FLAG, .help = "Report as one JSON document on standard output"}},
    {POSENC_CLI_TAKES_CONTEXT,
     {.name = "threads",
      .kind = POSENC_CLI_INTEGER,
      .value = "N",
      .default_text = "1",
      .minimum = 1,
      .maximum = 256,
      .help = "Most threads to use; the result never depends on it"}},
    {POSENC_CLI_TAKES_CONTEXT,
     {.name = "isa",
      .kind = POSENC_CLI_CHOICE,
      .value = "NAME",
      .choices = isa_choices,
      .help = "Instruction set to use instead of this machine's best; the result never depends on it"}},
    {0,
     {.name = "color",
      .kind = POSENC_CLI_CHOICE,
      .value = "WHEN",
      .default_text = "auto",
      .choices = color_choices,
      .help = "Colours in messages and help; auto: on a terminal, unless NO_COLOR is set"}},
    {0, {.name = "help", .letter = 'h', .kind = POSENC_CLI_FLAG, .help = "Print this help"}},
};

bool posenc_cli_option_shared(const posenc_cli_command *command, size_t index) { return index >= command->n_options; }

bool posenc_cli_option_at(const posenc_cli_command *command, size_t index, const posenc_cli_option **out) {
    if (index < command->n_options) {
        *out = &command->options[index];
        return true;
    }
    index -= command->n_options;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        if (shared[i].takes && !(command->takes & shared[i].takes)) continue;
        if (index-- > 0) continue;
        *out = &shared[i].option;
        return true;
    }
    return false;
}

const posenc_cli_option *posenc_cli_option_find(const posenc_cli_command *command, const char *name, char letter) {
    const posenc_cli_option *option;
    for (size_t i = 0; posenc_cli_option_at(command, i, &option); i++) {
        if (name ? strcmp(option->name, name) == 0 : option->letter == letter) return option;
    }
    return NULL;
}

const posenc_cli_option *posenc_cli_option_for_scheme(const posenc_cli_command *command) {
    for (size_t i = 0; i < command->n_options; i++)
        if (command->options[i].kind == POSENC_CLI_SCHEME) return &command->options[i];
    return NULL;
}

posenc_cli_option posenc_cli_option_of(const posenc_parameter_info *parameter) {
    static const struct {
        posenc_parameter_kind from;
        posenc_cli_kind kind;
        const char *value;
    } kinds[] = {
        {POSENC_PARAMETER_INTEGER, POSENC_CLI_INTEGER, "N"},  {POSENC_PARAMETER_REAL, POSENC_CLI_REAL, "X"},
        {POSENC_PARAMETER_CHOICE, POSENC_CLI_CHOICE, "NAME"}, {POSENC_PARAMETER_FLAG, POSENC_CLI_FLAG, NULL},
        {POSENC_PARAMETER_EXTENTS, POSENC_CLI_TEXT, "HxW"},   {POSENC_PARAMETER_LIST, POSENC_CLI_TEXT, "LIST"}};
    posenc_cli_option option = {.name = parameter->name,
                                .kind = POSENC_CLI_TEXT,
                                .value = "VALUE",
                                .required = !parameter->default_text,
                                .default_text = parameter->default_text,
                                .minimum = parameter->minimum,
                                .maximum = parameter->maximum,
                                .choices = parameter->choices,
                                .help = parameter->help};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].from != parameter->kind) continue;
        option.kind = kinds[i].kind;
        option.value = kinds[i].value;
    }
    return option;
}

const posenc_parameter_info *posenc_cli_parameter_find(const posenc_scheme_info *scheme, const char *name) {
    for (size_t i = 0; i < scheme->n_parameters; i++)
        if (strcmp(scheme->parameters[i].name, name) == 0) return &scheme->parameters[i];
    return NULL;
}

/* "a, b or c" */
static void join_choices(const char *const *choices, char *text, size_t capacity) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; choices[i] && used < capacity; i++) {
        const char *mark = i == 0 ? "" : choices[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", mark, choices[i]);
    }
}

/* 1e-06 is written 1e-6, 1e+30 is written 1e30. */
static void number_text(double value, char text[32]) {
    snprintf(text, 32, "%.15g", value);
    char *exponent = strchr(text, 'e');
    if (!exponent) return;
    char *digits = exponent + 2 + strspn(exponent + 2, "0");
    char *to = exponent + 1 + (exponent[1] == '-');
    memmove(to, digits, strlen(digits) + 1);
}

void posenc_cli_option_range(const posenc_cli_option *option, char *text, size_t capacity) {
    double unlimited = option->kind == POSENC_CLI_INTEGER ? 0x1p60 : DBL_MAX; /* from here on a bound says nothing */
    char low[32], high[32];
    text[0] = '\0';
    if (option->kind == POSENC_CLI_CHOICE) join_choices(option->choices, text, capacity);
    if (option->kind != POSENC_CLI_INTEGER && option->kind != POSENC_CLI_REAL) return;
    if ((option->minimum == 0 && option->maximum == 0) || option->minimum <= -unlimited) return;
    number_text(option->minimum, low);
    number_text(option->maximum, high);
    if (option->maximum >= unlimited)
        snprintf(text, capacity, "%s or more", low);
    else
        snprintf(text, capacity, "%s..%s", low, high);
}

void posenc_cli_option_expects(const posenc_cli_option *option, char *text, size_t capacity) {
    static const char *const kinds[] = {
        [POSENC_CLI_INTEGER] = "an integer", [POSENC_CLI_REAL] = "a finite number", [POSENC_CLI_CHOICE] = "",
        [POSENC_CLI_FLAG] = "true or false", [POSENC_CLI_FILE] = "a file",          [POSENC_CLI_SCHEME] = "a scheme",
        [POSENC_CLI_TEXT] = "a text"};
    char range[256];
    posenc_cli_option_range(option, range, sizeof range);
    bool open = strstr(range, " or more") != NULL && option->kind != POSENC_CLI_CHOICE;
    if (!*range)
        snprintf(text, capacity, "%s", kinds[option->kind]);
    else
        snprintf(text, capacity, "%s%s%s", open ? kinds[option->kind] : "", open ? " of " : "", range);
}

static bool is_choice(const char *const *choices, const char *text) {
    for (size_t i = 0; choices[i]; i++)
        if (strcmp(choices[i], text) == 0) return true;
    return false;
}

static bool in_range(const posenc_cli_option *option, double value) {
    if (!isfinite(value)) return false;
    return (option->minimum == 0 && option->maximum == 0) || (value >= option->minimum && value <= option->maximum);
}

static bool fits(const posenc_cli_option *option, const char *text) {
    int64_t integer;
    double real;
    switch (option->kind) {
        case POSENC_CLI_INTEGER:
            return posenc_cli_parse_integer(text, &integer) && in_range(option, (double)integer);
        case POSENC_CLI_REAL:
            return posenc_cli_parse_real(text, &real) && in_range(option, real);
        case POSENC_CLI_CHOICE:
            return is_choice(option->choices, text);
        case POSENC_CLI_FLAG:
            return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
        case POSENC_CLI_FILE:
            return text[0] != '\0';
        case POSENC_CLI_SCHEME: /* an unknown one is refused with the nearest name */
        case POSENC_CLI_TEXT:
            return true;
    }
    return false;
}

bool posenc_cli_option_check(const posenc_cli_option *option, const char *text) {
    if (fits(option, text)) return true;
    char expected[256];
    posenc_cli_option_expects(option, expected, sizeof expected);
    double number;
    bool quoted = !posenc_cli_parse_real(text, &number);
    posenc_cli_fail(quoted ? "%s: expected %s, got \"%s\"" : "%s: expected %s, got %s", option->name, expected, text);
    return false;
}
