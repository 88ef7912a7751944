/* Match: which sinusoidal formula made a table, if one did. identify will grow from here. */
#ifndef POSENC_DIAGNOSE_MATCH_H
#define POSENC_DIAGNOSE_MATCH_H

#include <posenc/check.h>

#include "diagnose/table.h"

/* Looks for a formula. *match: scheme NULL where none fits; all its members are set either way.
 * A formula fits when nearly all of the first rows, or half of all that are compared, agree with it within the rounding
 * of the dtype and of float32 angles, so that a table with some broken rows, or with positions rounded to bf16, is
 * still recognised: the check then tells what is wrong with it. Rows that are zero or not finite are passed over.
 * Little to see: of up to four rows every value must agree, and with fewer than 18 bits in all (a value has those of
 * its dtype; 0 and 1 count for one) nothing is claimed. Zeros match nothing, but a width of 1 is the halves layout
 * then. A base that cannot be seen is 10000 and not known, or 1e30 where all but frequency 0 stand still. Returns
 * POSENC_ERROR_MEMORY; *match is untouched then. */
posenc_status posenc_match_table(const posenc_context *context, const posenc_table *table, posenc_match *match,
                                 posenc_error *error);

/* The plan of a match, in the arithmetic asked for. */
posenc_status posenc_match_plan(const posenc_context *context, const posenc_match *match, int64_t dim,
                                posenc_arithmetic arithmetic, posenc_plan **out, posenc_error *error);

#endif
