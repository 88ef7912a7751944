/* The plan that a file's metadata speak of, where they are those that posenc writes. */
#ifndef POSENC_CLI_SAVED_PLAN_H
#define POSENC_CLI_SAVED_PLAN_H

#include "read_table.h"

/* Makes it: metadata posenc.scheme and one posenc.<parameter> each, as an encoder saves them. *plan: NULL where there are none of a formula, or
 * where the tensor is not the one that they belong to. What makes no plan of the table's shape is left aside with a
 * warning. The caller destroys the plan.
 * Returns POSENC_CLI_FINE, or prints the error and returns _TROUBLE. */
int posenc_cli_saved_plan(const posenc_context *context, const posenc_cli_input_table *table, posenc_plan **plan);

#endif
