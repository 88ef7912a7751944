/* Option structs whose first member is their size, so that callers and libraries of different versions get along: a
 * caller that knows fewer members gets the defaults of the rest, one that knows more is refused. */
#ifndef POSENC_BASE_OPTIONS_H
#define POSENC_BASE_OPTIONS_H

#include <posenc/status.h>

/* Writes the first size bytes of the defaults, of all_bytes bytes, to a caller's struct of that size. */
void posenc_options_write(void *options, size_t size, const void *defaults, size_t all_bytes);

/* Copies what a caller gave over the defaults in all, and sets the size there to all_bytes. given NULL: all stays.
 * name: of its size in messages, "options.size". On failure all stays as it was. */
posenc_status posenc_options_read(const void *given, void *all, size_t all_bytes, const char *name,
                                  posenc_error *error);

/* The same for options that a caller must give: NULL is refused as "options". */
posenc_status posenc_options_need(const void *given, void *all, size_t all_bytes, posenc_error *error);

#endif
