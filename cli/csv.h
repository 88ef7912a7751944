/* Numbers in text: a scanner for lines of fields that are parted by commas. It knows where it is, so that every error
 * names line, column and byte. */
#ifndef POSENC_CLI_CSV_H
#define POSENC_CLI_CSV_H

#include "cli.h"

enum { POSENC_CLI_CSV_FIELD_BYTES = 256 };

/* The field that was read last. */
typedef struct posenc_cli_csv {
    const char *path;
    FILE *file;
    int64_t line, column;                  /* from 1 */
    int64_t offset;                        /* of the byte in the file where it begins */
    bool ends_line;                        /* no comma follows */
    bool ended;                            /* there was no field left */
    char text[POSENC_CLI_CSV_FIELD_BYTES]; /* without blanks around it */
    int64_t next;                          /* offset of the byte that is read next */
} posenc_cli_csv;

/* Opens a file. Returns POSENC_CLI_FINE, or prints the error and returns _TROUBLE. */
int posenc_cli_csv_open(const char *path, posenc_cli_csv *csv);

/* Reads the next field, or sets csv->ended. Lines end in \n or \r\n, the last one also without. A byte order mark is
 * skipped. Empty lines may stand at the end only; elsewhere, like zero bytes, over-long fields and what the system
 * cannot read, they are an error, printed. */
int posenc_cli_csv_next(posenc_cli_csv *csv);

/* Prints "FILE: line 3, column 2 (byte 57): expected EXPECTED, got GOT". got: NULL for the field itself.
 * Returns POSENC_CLI_TROUBLE. */
int posenc_cli_csv_refuse(const posenc_cli_csv *csv, const char *expected, const char *got);

/* Whether the field could be a name in a first line, and could not be meant as a number. */
bool posenc_cli_csv_is_name(const posenc_cli_csv *csv);

/* Harmless on a zeroed struct. */
void posenc_cli_csv_close(posenc_cli_csv *csv);

#endif
