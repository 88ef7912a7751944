/* Numbers to text and back, the same in every locale, and the nearest known name to a mistyped one. */
#ifndef POSENC_BASE_TEXT_H
#define POSENC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a whole decimal text. False, with *out untouched, for anything else (blanks, trailing letters, out of range).
 */
bool posenc_parse_i64(const char *text, int64_t *out);

/* Reads a whole decimal or exponent text, "inf" and "nan" too: whether they make sense is the caller's question. */
bool posenc_parse_f64(const char *text, double *out);

/* Writes a double with so many digits (%.*g), 1..17. */
void posenc_print_digits(double value, int digits, char text[32]);

/* The same with 17 digits, which read back to the same bits. */
void posenc_print_f64(double value, char text[32]);

#endif
