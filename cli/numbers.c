/* Numbers from text, whole or not at all: no blanks, no hexadecimal, no trailing letters. */
#include "numbers.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool posenc_cli_parse_integer(const char *text, int64_t *out) {
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    if (!isdigit((unsigned char)digits[0])) return false;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (*end != '\0' || errno == ERANGE) return false;
    *out = value;
    return true;
}

bool posenc_cli_parse_real(const char *text, double *out) {
    if (text[0] == '\0' || isspace((unsigned char)text[0]) || strpbrk(text, "xX(")) return false;
    char *end;
    double value = strtod(text, &end);
    if (*end != '\0') return false;
    *out = value;
    return true;
}
