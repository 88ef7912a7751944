/* table shaw: the explicit tensor of clipped relative positions. */
#ifndef POSENC_CLI_TABLE_SHAW_H
#define POSENC_CLI_TABLE_SHAW_H

#include "cli.h"

/* Whether the command line names the scheme. */
bool posenc_cli_is_shaw(const posenc_cli_arguments *arguments);

/* Writes --table, spread over --queries and --keys. Returns POSENC_CLI_FINE, or prints the error and returns _TROUBLE.
 */
int posenc_cli_table_shaw(const posenc_cli_arguments *arguments);

#endif
