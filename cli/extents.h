/* Extents of a line or a grid as a command line gives them: "196", "14x14". */
#ifndef POSENC_CLI_EXTENTS_H
#define POSENC_CLI_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct posenc_cli_extents {
    bool grid;
    int64_t height, width; /* a line: 1 and its length */
} posenc_cli_extents;

/* Reads N or HxW, each 0 or more. False, with *out untouched, for anything else. */
bool posenc_cli_parse_extents(const char *text, posenc_cli_extents *out);

/* height * width. False, with *out untouched, when it does not fit. */
bool posenc_cli_extents_product(const posenc_cli_extents *extents, int64_t *out);

#endif
