/* Extents of a grid, outermost first, as one text: "14x14", "8x30x45". */
#ifndef POSENC_SCHEMES_EXTENTS_H
#define POSENC_SCHEMES_EXTENTS_H

#include <posenc/plan.h>
#include <stdbool.h>
#include <stdint.h>

/* Cells of a grid are at most 2^39, so that the text of one has at most 12 + 2 * 7 digits and crosses. */
enum { POSENC_MOST_CELL_BITS = 39, POSENC_EXTENTS_TEXT = 64 };

/* Reads 1..POSENC_MOST_AXES whole numbers parted by x. False, with the outputs untouched, for anything else. */
bool posenc_extents_parse(const char *text, int64_t extents[POSENC_MOST_AXES], int64_t *n);

/* Writes what posenc_extents_parse reads. Extents that are no grid's are cut off where the text is full. */
void posenc_extents_print(const int64_t *extents, int64_t n, char text[POSENC_EXTENTS_TEXT]);

/* Their product, for n extents of 1 or more. False, with *cells untouched, above 2^POSENC_MOST_CELL_BITS. */
bool posenc_extents_product(const int64_t *extents, int64_t n, int64_t *cells);

#endif
