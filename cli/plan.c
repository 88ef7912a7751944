/* A plan from a command line. */
#include "plan.h"

#include <inttypes.h>
#include <string.h>

#include "arguments.h"
#include "grid.h"
#include "options.h"

typedef struct parameters {
    posenc_parameter list[POSENC_CLI_MOST_OPTIONS + 2];
    size_t n;
    char texts[2][24];
} parameters;

/* Adds a number of the command's own, unless the scheme has no such parameter or the user decided. */
static void add(parameters *p, const posenc_cli_arguments *arguments, const char *name, int64_t value, char text[24]) {
    if (posenc_cli_given(arguments, name) || !posenc_cli_parameter_find(arguments->scheme, name)) return;
    snprintf(text, 24, "%" PRId64, value);
    p->list[p->n++] = (posenc_parameter){name, text};
}

/* Kept within what the scheme takes. */
static int64_t max_len(const posenc_scheme_info *scheme, int64_t reach) {
    const posenc_parameter_info *parameter = posenc_cli_parameter_find(scheme, "max-len");
    if (!parameter) return reach;
    if (strcmp(scheme->name, "learned") == 0) return (int64_t)parameter->maximum; /* it costs nothing, and others end */
    if ((double)reach < parameter->minimum) return (int64_t)parameter->minimum;
    return (double)reach > parameter->maximum ? (int64_t)parameter->maximum : reach;
}

int posenc_cli_plan(const posenc_cli_arguments *arguments, int64_t dim, int64_t reach, posenc_plan **plan) {
    parameters p = {.n = arguments->n_parameters};
    posenc_error error;
    memcpy(p.list, arguments->parameters, arguments->n_parameters * sizeof *p.list);
    const char *width = posenc_cli_parameter_find(arguments->scheme, "head-dim") ? "head-dim" : "dim";
    if (dim > 0) add(&p, arguments, width, dim, p.texts[0]);
    if (!posenc_cli_has_grid(arguments)) /* which says so itself */
        add(&p, arguments, "max-len", max_len(arguments->scheme, reach), p.texts[1]);
    if (posenc_plan_create(arguments->context, arguments->scheme->name, p.list, p.n, plan, &error) == POSENC_OK)
        return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}
