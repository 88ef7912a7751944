/* How a report on a table begins: what was read. */
#ifndef POSENC_CLI_TABLE_HEAD_H
#define POSENC_CLI_TABLE_HEAD_H

#include "json.h"
#include "read_table.h"

/* For people, without an end of line: "pe.npy: 5000 x 512, f32". */
void posenc_cli_table_head(const posenc_cli_input_table *table);

/* A new document with file, tensor, shape and dtype. */
json_t *posenc_cli_json_table(const posenc_cli_input_table *table);

#endif
