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

/* Of an exact plan and its match: the highest frequency, or a bound of it; and the size of the largest values. */
double posenc_formula_fastest(const posenc_plan *exact, const posenc_match *match);
double posenc_formula_amplitude(const posenc_plan *exact);

/* formula_grid.c: looks for the plan of a grid that made the table; *found NULL: none. Returns POSENC_ERROR_MEMORY. */
posenc_status posenc_formula_grid(const posenc_checkup *c, posenc_plan **found, posenc_error *error);

/* ---- formula_text.c ---- */

/* "sinusoidal, halves, base 10000, cosine first, from position 2"; of a rotary table "rotary, base 10000"; what is
 * neither with its parameters, those of the report's match or of the caller's plan. */
void posenc_match_text(const posenc_checkup *c, const posenc_match *match, char *text, size_t capacity);

/* What a plan's parameters say beside its width, length and arithmetic, where it is no default: "convention detr, grid
 * 14x14". What does not fit is left out. */
void posenc_formula_parameters(const posenc_plan *plan, char *text, size_t capacity);

#endif
