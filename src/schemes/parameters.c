/* Parameters by name: texts to values and back, checked against a scheme's table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "schemes/scheme.h"

static posenc_status refuse_text(const posenc_parameter_info *info, const char *text, posenc_error *error) {
    switch (info->kind) {
        case POSENC_PARAMETER_INTEGER:
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, info->name, "expected %.0f..%.0f, got \"%.40s\"",
                               info->minimum, info->maximum, text);
        case POSENC_PARAMETER_REAL:
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, info->name, "expected a number %g..%g, got \"%.40s\"",
                               info->minimum, info->maximum, text);
        case POSENC_PARAMETER_FLAG:
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, info->name, "expected true or false, got \"%.40s\"", text);
        case POSENC_PARAMETER_LIST:
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, info->name,
                               "expected numbers %g..%g with commas, got \"%.40s\"", info->minimum, info->maximum, text);
        case POSENC_PARAMETER_CHOICE:
            break;
    }
    char list[160] = "";
    for (size_t i = 0; info->choices[i]; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, i ? ", %s" : "%s", info->choices[i]);
    }
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, info->name, "expected one of %s, got \"%.40s\"", list, text);
}

static bool parse_choice(const posenc_parameter_info *info, const char *text, int64_t *out) {
    for (int64_t i = 0; info->choices[i]; i++) {
        if (strcmp(text, info->choices[i]) != 0) continue;
        *out = i;
        return true;
    }
    return false;
}

static bool parse_flag(const char *text, int64_t *out) {
    bool yes = strcmp(text, "true") == 0, no = strcmp(text, "false") == 0;
    if (yes || no) *out = yes;
    return yes || no;
}

static bool parse_value(const posenc_parameter_info *info, const char *text, posenc_value *value) {
    switch (info->kind) {
        case POSENC_PARAMETER_INTEGER:
            return posenc_parse_i64(text, &value->integer);
        case POSENC_PARAMETER_REAL:
            return posenc_parse_f64(text, &value->real);
        case POSENC_PARAMETER_CHOICE:
            return parse_choice(info, text, &value->integer);
        case POSENC_PARAMETER_FLAG:
            return parse_flag(text, &value->integer);
        case POSENC_PARAMETER_LIST:
            return posenc_list_of_text(text, &value->list);
    }
    return false;
}

static posenc_status check_list(const posenc_parameter_info *info, const posenc_list *list, posenc_error *error) {
    size_t index;
    double number;
    if (list->n > 0 && !list->reals && !list->integers && !list->text)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, info->name, "expected a pointer to %zu numbers, got NULL",
                           list->n);
    if (!posenc_list_outside(list, info->minimum, info->maximum, &index, &number)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, info->name, "expected numbers %g..%g, got %g at %zu",
                       info->minimum, info->maximum, number, index);
}

static posenc_status check_value(const posenc_parameter_info *info, const posenc_value *value, posenc_error *error) {
    if (info->kind == POSENC_PARAMETER_INTEGER &&
        !((double)value->integer >= info->minimum && (double)value->integer <= info->maximum))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, info->name, "expected %.0f..%.0f, got %lld", info->minimum,
                           info->maximum, (long long)value->integer);
    if (info->kind == POSENC_PARAMETER_REAL && !(value->real >= info->minimum && value->real <= info->maximum))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, info->name, "expected a number %g..%g, got %g", info->minimum,
                           info->maximum, value->real);
    if (info->kind == POSENC_PARAMETER_LIST) return check_list(info, &value->list, error);
    if (info->kind != POSENC_PARAMETER_CHOICE) return POSENC_OK;
    int64_t n = 0;
    while (info->choices[n]) n++;
    if (value->integer >= 0 && value->integer < n) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, info->name, "expected a choice 0..%lld, got %lld",
                       (long long)n - 1, (long long)value->integer);
}

posenc_status posenc_values_check(const posenc_scheme *scheme, const posenc_value *values, posenc_error *error) {
    posenc_status status = POSENC_OK;
    for (size_t i = 0; i < scheme->info.n_parameters && status == POSENC_OK; i++)
        status = check_value(&scheme->info.parameters[i], &values[i], error);
    return status;
}

/* Index of a parameter, or n_parameters. */
static size_t find_parameter(const posenc_scheme_info *info, const char *name) {
    size_t i = 0;
    while (i < info->n_parameters && strcmp(name, info->parameters[i].name) != 0) i++;
    return i;
}

static posenc_status refuse_name(const posenc_scheme_info *info, const char *name, posenc_error *error) {
    const char *names[POSENC_MOST_PARAMETERS];
    for (size_t i = 0; i < info->n_parameters; i++) names[i] = info->parameters[i].name;
    const char *near = posenc_nearest_name(name, names, info->n_parameters);
    if (near)
        return posenc_fail(error, POSENC_ERROR_UNKNOWN, info->name,
                           "expected a parameter of this scheme, got \"%.40s\"; "
                           "did you mean \"%s\"?",
                           name, near);
    return posenc_fail(error, POSENC_ERROR_UNKNOWN, info->name, "expected a parameter of this scheme, got \"%.40s\"",
                       name);
}

posenc_status posenc_values_default(const posenc_scheme *scheme, posenc_value *values, posenc_error *error) {
    for (size_t i = 0; i < scheme->info.n_parameters; i++) {
        const posenc_parameter_info *info = &scheme->info.parameters[i];
        values[i] = (posenc_value){.integer = 0};
        if (info->default_text && !parse_value(info, info->default_text, &values[i]))
            return refuse_text(info, info->default_text, error);
    }
    return POSENC_OK;
}

posenc_status posenc_values_parse(const posenc_scheme *scheme, const posenc_parameter *parameters, size_t n,
                                  posenc_value *values, posenc_error *error) {
    bool given[POSENC_MOST_PARAMETERS] = {false};
    const posenc_scheme_info *info = &scheme->info;
    for (size_t i = 0; i < n; i++) {
        if (!parameters[i].name || !parameters[i].text)
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, "parameters", "expected names and texts, got NULL at %zu",
                               i);
        size_t at = find_parameter(info, parameters[i].name);
        if (at == info->n_parameters) return refuse_name(info, parameters[i].name, error);
        if (given[at])
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, parameters[i].name, "expected once, got it twice");
        given[at] = true;
        if (!parse_value(&info->parameters[at], parameters[i].text, &values[at]))
            return refuse_text(&info->parameters[at], parameters[i].text, error);
    }
    for (size_t i = 0; i < info->n_parameters; i++)
        if (!given[i] && !info->parameters[i].default_text)
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, info->parameters[i].name, "expected a value, got none");
    return POSENC_OK;
}

posenc_status posenc_plan_parameter(const posenc_plan *plan, const char *name, char *text, size_t capacity) {
    const posenc_scheme_info *info = &plan->scheme->info;
    size_t at = name ? find_parameter(info, name) : info->n_parameters;
    if (at == info->n_parameters) return POSENC_ERROR_UNKNOWN;
    const posenc_value *value = &plan->values[at];
    char whole[64];
    switch (info->parameters[at].kind) {
        case POSENC_PARAMETER_INTEGER:
            snprintf(whole, sizeof whole, "%lld", (long long)value->integer);
            break;
        case POSENC_PARAMETER_REAL:
            posenc_print_f64(value->real, whole);
            break;
        case POSENC_PARAMETER_CHOICE:
            snprintf(whole, sizeof whole, "%s", info->parameters[at].choices[value->integer]);
            break;
        case POSENC_PARAMETER_FLAG:
            snprintf(whole, sizeof whole, "%s", value->integer ? "true" : "false");
            break;
        case POSENC_PARAMETER_LIST:
            return posenc_list_print(&value->list, text, capacity) ? POSENC_OK : POSENC_ERROR_ARGUMENT;
    }
    if (!text || strlen(whole) >= capacity) return POSENC_ERROR_ARGUMENT;
    memcpy(text, whole, strlen(whole) + 1);
    return POSENC_OK;
}
