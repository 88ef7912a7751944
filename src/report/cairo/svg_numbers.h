/* cairo numbers the parts of an SVG by a counter of the whole process, so that a second picture would have other bytes
 * than the first. A filter numbers them anew, in the order in which they come. */
#ifndef POSENC_REPORT_CAIRO_SVG_NUMBERS_H
#define POSENC_REPORT_CAIRO_SVG_NUMBERS_H

#include <posenc/files.h>
#include <stdbool.h>

enum { POSENC_SVG_MOST_NUMBERS = 64 };

/* All zero at first. */
typedef struct posenc_svg_numbers {
    uint64_t seen[POSENC_SVG_MOST_NUMBERS]; /* cairo's numbers; ours are 1, 2, ... in this order */
    int n_seen;
    bool naming, counting; /* within a name, within its number */
    char name[12];         /* its letters so far, without an end mark */
    int n_name;
    uint64_t number; /* so far */
} posenc_svg_numbers;

/* Passes bytes on to an output. The last byte of a document belongs to no number, so nothing is held then. */
posenc_status posenc_svg_write(posenc_svg_numbers *numbers, posenc_output *output, const unsigned char *bytes, size_t n,
                               posenc_error *error);

#endif
