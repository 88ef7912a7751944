/* Numbers from text, whole or not at all. The program never sets a locale, so the decimal mark is the point. */
#ifndef POSENC_CLI_NUMBERS_H
#define POSENC_CLI_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a decimal int64. False, with *out untouched, for anything else. */
bool posenc_cli_parse_integer(const char *text, int64_t *out);

/* Reads a decimal or exponent number; "inf" and "nan" too: whether they make sense is the caller's question. */
bool posenc_cli_parse_real(const char *text, double *out);

#endif
