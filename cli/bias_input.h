/* What bias and apply share about schemes that bias scores: the trained table, and where the first query stands. */
#ifndef POSENC_CLI_BIAS_INPUT_H
#define POSENC_CLI_BIAS_INPUT_H

#include "cli.h"
#include "read_table.h"

/* Whether the scheme of the line biases scores; of deberta there are buckets alone. */
bool posenc_cli_biases(const posenc_cli_arguments *arguments);

/* Whether its bias is read from a trained table (rows, heads). */
bool posenc_cli_bias_is_trained(const posenc_scheme_info *scheme);

/* Whether it is about the tokens of a window. */
bool posenc_cli_bias_has_window(const posenc_scheme_info *scheme);

/* Reads the table of --table, (rows, heads), if the line has one. Returns POSENC_CLI_FINE, or prints the error and
 * returns _TROUBLE; *table is to be freed either way. */
int posenc_cli_bias_read_table(const posenc_cli_arguments *arguments, posenc_cli_input_table *table);

/* Puts --offset into *extent, if the line has one. Prints the error where it is out of range. */
int posenc_cli_bias_read_offset(const posenc_cli_arguments *arguments, posenc_bias_extent *extent);

/* Places of queries and keys lie within +- that. */
enum { POSENC_CLI_BIAS_PLACE_BITS = 60 };

#endif
