/* What a table should hold: the caller's plan, or the formula that was found. */
#ifndef POSENC_DIAGNOSE_FORMULA_H
#define POSENC_DIAGNOSE_FORMULA_H

#include "diagnose/look.h"

bool posenc_is_sinusoidal(const posenc_match *match);

/* The plan that was given, with exact arithmetic whatever its own is, and as a match, which has only the scheme's name
 * where it is no sinusoidal one. Returns POSENC_ERROR_MEMORY. */
posenc_status posenc_formula_of_plan(const posenc_checkup *c, posenc_plan **exact, posenc_match *match,
                                     posenc_error *error);

/* Whether a table is that of a match and its exact plan, though some of it may be broken.
 * about: three in four of its first rows agree, or half of those that are spread over it. A row agrees when nine in ten
 * of its values are within what bf16 and float32 angles make.
 * throughout: nine in ten of the rows that are spread over it agree within the dtype and float32 angles. */
posenc_status posenc_formula_agrees(const posenc_checkup *c, const posenc_plan *exact, const posenc_match *match,
                                    bool *about, bool *throughout, posenc_error *error);

/* The largest distance of a table from a plan, and the first place where they part. */
typedef struct posenc_distance {
    double largest;
    posenc_place first;
} posenc_distance;
posenc_status posenc_formula_distance(const posenc_checkup *c, const posenc_plan *exact, const posenc_match *match,
                                      posenc_distance *distance, posenc_error *error);

/* "sinusoidal, halves, base 10000, cosine first, from position 2". */
void posenc_match_text(const posenc_match *match, char *text, size_t capacity);

#endif
