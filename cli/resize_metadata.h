/* What of a file's metadata goes with a resized table. */
#ifndef POSENC_CLI_RESIZE_METADATA_H
#define POSENC_CLI_RESIZE_METADATA_H

#include "cli.h"

/* The pairs {key, value, key, ...} for a table that has n_rows rows now; the caller frees the list, not the texts,
 * which live as long as the container and rows_text. All that others noted goes on. What posenc noted holds for a
 * learned table, but for its rows; a formula's table has become another, and so that is left out. container: NULL for
 * none. n: receives the number of pairs. Returns NULL if memory is out. */
const char **posenc_cli_resized_metadata(const posenc_safetensors *container, int64_t n_rows, char rows_text[24],
                                         size_t *n);

#endif
