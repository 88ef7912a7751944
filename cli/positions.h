/* Files of positions: .npy of int32, int64 or float64, or .csv of one column. */
#ifndef POSENC_CLI_POSITIONS_H
#define POSENC_CLI_POSITIONS_H

#include "cli.h"

typedef struct posenc_cli_positions {
    const DLTensor *ids; /* contiguous; NULL: no file was read */
    int64_t reach;       /* positions -reach..reach are worth preparing a plan for; others work too, slower */
    posenc_array *array; /* what the ids live in: a .npy file's content, ... */
    void *column;        /* ... or the numbers of a .csv file */
    posenc_view view;
} posenc_cli_positions;

/* Reads a file and checks every position: finite, and a real one within -2^53..2^53.
 * A path that ends in .csv is text, one number a line; the first line may be a header. Any other is .npy.
 * positions must stay in place. Returns POSENC_CLI_FINE, or prints the error and returns _TROUBLE. */
int posenc_cli_positions_read(const posenc_context *context, const char *path, posenc_cli_positions *positions);

/* Frees what was read; harmless on a zeroed struct. */
void posenc_cli_positions_free(posenc_cli_positions *positions);

/* The reach for start, start + 1, ..., start + length - 1. */
int64_t posenc_cli_reach(int64_t start, int64_t length);

/* Reads one column of numbers from a .csv file (positions_csv.c). *column receives n int64, or n double if any number
 * has a fraction or an exponent; the caller frees it. */
int posenc_cli_csv_read(const char *path, void **column, posenc_dtype *dtype, int64_t *n);

#endif
