/* A plan from a command line. */
#include "plan.h"

#include <inttypes.h>
#include <string.h>

#include "arguments.h"
#include "grid.h"
#include "options.h"

/* Kept within what the scheme takes. */
static int64_t max_len(const posenc_scheme_info *scheme, int64_t reach) {
    const posenc_parameter_info *parameter = posenc_cli_parameter_find(scheme, "max-len");
    if (!parameter) return reach;
    if (strcmp(scheme->name, "learned") == 0) return (int64_t)parameter->maximum; /* it costs nothing, and others end */
    if ((double)reach < parameter->minimum) return (int64_t)parameter->minimum;
    return (double)reach > parameter->maximum ? (int64_t)parameter->maximum : reach;
}

static bool is_wanted(const posenc_cli_arguments *arguments, const char *name) {
    return !posenc_cli_given(arguments, name) && posenc_cli_parameter_find(arguments->scheme, name);
}

int posenc_cli_plan_with(const posenc_cli_arguments *arguments, const posenc_cli_number *numbers, size_t n,
                         posenc_plan **plan) {
    posenc_parameter list[POSENC_CLI_MOST_OPTIONS + POSENC_CLI_MOST_NUMBERS];
    char texts[POSENC_CLI_MOST_NUMBERS][24];
    size_t used = arguments->n_parameters;
    posenc_error error;
    memcpy(list, arguments->parameters, used * sizeof *list);
    for (size_t i = 0; i < n; i++) {
        if (!is_wanted(arguments, numbers[i].name)) continue;
        snprintf(texts[i], sizeof texts[i], "%" PRId64, numbers[i].value);
        list[used++] = (posenc_parameter){numbers[i].name, texts[i]};
    }
    if (posenc_plan_create(arguments->context, arguments->scheme->name, list, used, plan, &error) == POSENC_OK)
        return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

int posenc_cli_plan(const posenc_cli_arguments *arguments, int64_t dim, int64_t reach, posenc_plan **plan) {
    posenc_cli_number numbers[2];
    size_t n = 0;
    const char *width = posenc_cli_parameter_find(arguments->scheme, "head-dim") ? "head-dim" : "dim";
    if (dim > 0) numbers[n++] = (posenc_cli_number){width, dim};
    if (!posenc_cli_has_grid(arguments)) /* which says so itself */
        numbers[n++] = (posenc_cli_number){"max-len", max_len(arguments->scheme, reach)};
    return posenc_cli_plan_with(arguments, numbers, n, plan);
}
