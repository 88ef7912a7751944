/* list: every scheme, or all about one, as the library's descriptors tell it. */
#include <math.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "details.h"
#include "json.h"
#include "numbers.h"
#include "options.h"
#include "wrap.h"

/* ---- As text ---- */

enum { PARAMETER_COLUMN = 24 };

static void print_short(const posenc_scheme_info *scheme) {
    int column = printf("%-14s %-16s ", scheme->name, posenc_effect_name(scheme->effect));
    posenc_cli_wrap(stdout, scheme->summary, column, column);
}

static void print_field(const char *name, const char *text) {
    int column = printf("%-8s", name);
    posenc_cli_wrap(stdout, text, column, column);
}

static void print_parameter(const posenc_parameter_info *parameter) {
    char text[1024], left[80];
    posenc_cli_option option = posenc_cli_option_of(parameter);
    posenc_cli_option_left(&option, left, sizeof left);
    posenc_cli_option_text(&option, text, sizeof text);
    int column = printf("  %s", left);
    if (column >= PARAMETER_COLUMN) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", PARAMETER_COLUMN - column, "");
    posenc_cli_wrap(stdout, text, PARAMETER_COLUMN, PARAMETER_COLUMN);
}

static void print_long(const posenc_scheme_info *scheme) {
    const char *bold = posenc_cli_styled(stdout, POSENC_CLI_BOLD), *plain = posenc_cli_styled(stdout, POSENC_CLI_PLAIN);
    printf("%s%s%s\n", bold, scheme->name, plain);
    posenc_cli_wrap(stdout, scheme->summary, 0, 0);
    putchar('\n');
    print_field("Effect", posenc_effect_name(scheme->effect));
    print_field("Source", scheme->source);
    print_field("Laws", scheme->laws);
    puts("\nParameters:");
    for (size_t i = 0; i < scheme->n_parameters; i++) print_parameter(&scheme->parameters[i]);
}

/* ---- As JSON ---- */

/* A number of the parameter's kind: integers stay integers. */
static json_t *json_number(posenc_parameter_kind kind, double value) {
    bool integer = kind == POSENC_PARAMETER_INTEGER && fabs(value) < 0x1p62;
    return integer ? json_integer((json_int_t)value) : posenc_cli_json_real(value);
}

static json_t *json_default(const posenc_parameter_info *parameter) {
    int64_t integer;
    double real;
    const char *text = parameter->default_text;
    if (!text) return json_null();
    if (parameter->kind == POSENC_PARAMETER_LIST && !*text) return json_array();
    if (parameter->kind == POSENC_PARAMETER_FLAG) return json_boolean(strcmp(text, "true") == 0);
    if (parameter->kind == POSENC_PARAMETER_INTEGER && posenc_cli_parse_integer(text, &integer))
        return json_integer((json_int_t)integer);
    if (parameter->kind == POSENC_PARAMETER_REAL && posenc_cli_parse_real(text, &real))
        return posenc_cli_json_real(real);
    return json_string(text);
}

static json_t *json_choices(const char *const *choices) {
    json_t *list = json_array();
    for (size_t i = 0; choices[i]; i++) json_array_append_new(list, json_string(choices[i]));
    return list;
}

static json_t *json_parameter(const posenc_parameter_info *parameter) {
    static const char *const kinds[] = {"", "integer", "real", "choice", "flag", [POSENC_PARAMETER_LIST] = "list"};
    posenc_parameter_kind kind = parameter->kind;
    json_t *object = json_pack("{s:s, s:s, s:b, s:o}", "name", parameter->name, "kind", kinds[kind], "required",
                               !parameter->default_text, "default", json_default(parameter));
    if (kind == POSENC_PARAMETER_INTEGER || kind == POSENC_PARAMETER_REAL || kind == POSENC_PARAMETER_LIST) {
        json_object_set_new(object, "minimum", json_number(kind, parameter->minimum));
        json_object_set_new(object, "maximum", json_number(kind, parameter->maximum));
    }
    if (kind == POSENC_PARAMETER_CHOICE) json_object_set_new(object, "choices", json_choices(parameter->choices));
    json_object_set_new(object, "unit", json_string(parameter->unit));
    json_object_set_new(object, "help", json_string(parameter->help));
    return object;
}

static json_t *json_scheme(const posenc_scheme_info *scheme) {
    json_t *parameters = json_array();
    for (size_t i = 0; i < scheme->n_parameters; i++)
        json_array_append_new(parameters, json_parameter(&scheme->parameters[i]));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "name", scheme->name, "summary", scheme->summary, "source",
                     scheme->source, "effect", posenc_effect_name(scheme->effect), "laws", scheme->laws, "parameters",
                     parameters);
}

static int print_json(const posenc_scheme_info *only) {
    json_t *document = posenc_cli_json_document(), *schemes = json_array();
    for (size_t s = 0; s < posenc_scheme_count(); s++)
        if (!only || only == posenc_scheme_at(s)) json_array_append_new(schemes, json_scheme(posenc_scheme_at(s)));
    json_object_set_new(document, "schemes", schemes);
    return posenc_cli_json_print(document);
}

/* ---- The command ---- */

static int list(const posenc_cli_arguments *arguments) {
    const posenc_scheme_info *only = posenc_cli_scheme(arguments);
    if (posenc_cli_flag(arguments, "json")) return print_json(only);
    if (only) print_long(only);
    for (size_t s = 0; !only && s < posenc_scheme_count(); s++) print_short(posenc_scheme_at(s));
    return POSENC_CLI_FINE;
}

static const char *const examples[] = {"posenc list", "posenc list sinusoidal", "posenc list --json", NULL};

const posenc_cli_command posenc_cli_list = {
    .name = "list",
    .summary = "Name the schemes, or describe one",
    .description =
        "Prints each scheme with its effect: what it does to data. With SCHEME, prints all about it: its source, the "
        "laws "
        "that it keeps, its parameters with their ranges and defaults.",
    .usage = "[SCHEME] [--json]",
    .operands = "[SCHEME]",
    .most_operands = 1,
    .takes = POSENC_CLI_TAKES_JSON | POSENC_CLI_NAMES_SCHEME,
    .examples = examples,
    .run = list,
};
