/* A plan from a command line: the scheme's parameters as given, and what the command knows itself. */
#ifndef POSENC_CLI_PLAN_H
#define POSENC_CLI_PLAN_H

#include "cli.h"

/* Makes a plan of the scheme that the line names.
 * dim: the width, where the data decide; 0: as the user says.
 * reach: positions -reach..reach are prepared for, unless the user gave max-len.
 * Returns POSENC_CLI_FINE, or prints the error and returns _TROUBLE. The caller destroys the plan. */
int posenc_cli_plan(const posenc_cli_arguments *arguments, int64_t dim, int64_t reach, posenc_plan **plan);

/* A parameter that the command knows, where the scheme has it and the user gave none. */
typedef struct posenc_cli_number {
    const char *name;
    int64_t value;
} posenc_cli_number;

enum { POSENC_CLI_MOST_NUMBERS = 4 };

/* The same from such numbers, n of them. */
int posenc_cli_plan_with(const posenc_cli_arguments *arguments, const posenc_cli_number *numbers, size_t n,
                         posenc_plan **plan);

#endif
