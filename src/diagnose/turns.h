/* Cosines and sines of a rotary scheme, (length, pairs, 2): to a check they are a table of 2 pairs channels, each cosine
 * with its sine behind it. */
#ifndef POSENC_DIAGNOSE_TURNS_H
#define POSENC_DIAGNOSE_TURNS_H

#include <stdbool.h>

#include "diagnose/table.h"

typedef struct posenc_turns {
    bool are;      /* the table is one of cosines and sines */
    double square; /* cos^2 + sin^2 of its pairs, the square of the amplitude */
} posenc_turns;

/* Reads a tensor as cosines and sines.
 * must: it is meant to be, (length, pairs, 2) or already (length, 2 pairs); refused with POSENC_ERROR_SHAPE if it has
 * no such shape. Else only what is (length, pairs, 2) and has its pairs on one circle is taken for that; a batch of one
 * table of width 2, or of one row, is not. turns->are says which; *table is set then. */
posenc_status posenc_turns_open(const DLTensor *tensor, const char *name, bool must, posenc_table *table,
                                posenc_turns *turns, posenc_error *error);

/* turns_axis.c: whether it is the second axis along which pairs turn evenly, (pairs, length, 2), and not the first. */
bool posenc_turns_are_swapped(const posenc_table *table);

#endif
