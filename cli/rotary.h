/* What table and apply share about rotary schemes. */
#ifndef POSENC_CLI_ROTARY_H
#define POSENC_CLI_ROTARY_H

#include "cli.h"

/* Whether the scheme turns pairs instead of adding rows. */
bool posenc_cli_rotates(const posenc_cli_arguments *arguments);

/* Describes a rotary plan. Prints the error and returns POSENC_CLI_TROUBLE where its frequencies depend on the length of
 * the sequence and none was given. */
int posenc_cli_rotary_facts(const posenc_cli_arguments *arguments, const posenc_plan *plan, posenc_rotary_info *info);

/* Writes rows of cosines and sines, (rows, pairs, 2). */
posenc_status posenc_cli_rotary_rows(const posenc_plan *plan, const posenc_positions *positions, posenc_dtype dtype,
                                     int64_t rows, int64_t pairs, void *out, posenc_error *error);

#endif
