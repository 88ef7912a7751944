/* Grids on a command line: how many tokens there are follows from --grid and --prefix. */
#ifndef POSENC_CLI_GRID_H
#define POSENC_CLI_GRID_H

#include "cli.h"

/* Whether the scheme of the line has a grid. */
bool posenc_cli_has_grid(const posenc_cli_arguments *arguments);

/* How many axes the plan's grid has; 0: it has no grid. */
int64_t posenc_cli_grid_axes(const posenc_plan *plan);

/* The rows from start to the end of the plan's grid. Prints the error where start lies behind it. */
int posenc_cli_grid_length(const posenc_plan *plan, int64_t start, int64_t *length);

/* Refuses a tensor that has another number of tokens than the plan's grid, unless the line says where its tokens stand.
 * plan NULL, or of no grid: fine. name: of the tensor. */
int posenc_cli_check_grid(const posenc_cli_arguments *arguments, const posenc_plan *plan, const char *name,
                          int64_t tokens);

#endif
