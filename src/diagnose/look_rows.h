/* The pass over rows and what it keeps. */
#ifndef POSENC_DIAGNOSE_LOOK_ROWS_H
#define POSENC_DIAGNOSE_LOOK_ROWS_H

#include "diagnose/row_facts.h"
#include "diagnose/row_set.h"

typedef struct posenc_row_pass {
    posenc_checkup *c;
    posenc_row_eye eye;
    posenc_row_set set;
    unsigned char *bad; /* a bit for each row that its exact row does not explain; NULL without a formula */
    char *slots_bad;    /* (slots, dim): channels that stand still and should not; NULL without a formula */
    double typical;     /* error of the rows of a block */
    double pair_limit;  /* of the distance of sin^2 + cos^2 from 1 */
} posenc_row_pass;

/* row_fold.c: takes the facts of a block's rows, in order. argument: a posenc_row_pass. */
void posenc_row_fold(void *argument, const posenc_block *block);

/* error_bins.c: error by position, in bins that grow with it. */
void posenc_error_bins_make(posenc_check_report *report, int64_t rows);
void posenc_error_bins_take(posenc_check_report *report, int64_t row, double error);

/* row_findings.c: zero, constant and repeated rows, and values out of range. */
posenc_status posenc_row_findings(posenc_checkup *c, posenc_error *error);

/* crowded_rows.c: whether rows repeat because there are more of them than the dtype tells apart, as their neighbours
 * show: with three bits less per value, many more rows would repeat. */
posenc_status posenc_rows_are_crowded(const posenc_checkup *c, bool *crowded, posenc_error *error);

#endif
