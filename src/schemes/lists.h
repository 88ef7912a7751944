/* Lists of numbers among a scheme's parameters: given as text with commas or as an array, kept by a plan as doubles. */
#ifndef POSENC_SCHEMES_LISTS_H
#define POSENC_SCHEMES_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n numbers in one of three forms: at most one pointer is not NULL. Borrowed. */
typedef struct posenc_list {
    size_t n;
    const double *reals;
    const int64_t *integers;
    const char *text;
} posenc_list;

/* A list over a text; false, with *out untouched, where that is no list of numbers. */
bool posenc_list_of_text(const char *text, posenc_list *out);

/* Writes the n numbers. */
void posenc_list_read(const posenc_list *list, double *out);

/* The first number that does not lie in lowest..highest, and its index; false where all do. */
bool posenc_list_outside(const posenc_list *list, double lowest, double highest, size_t *index, double *value);

/* Writes a list of reals as text with commas, doubles as %.17g; false, with text untouched, where capacity is too
 * small. */
bool posenc_list_print(const posenc_list *list, char *text, size_t capacity);

#endif
