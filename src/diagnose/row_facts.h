/* What one row tells, beside its exact one where a formula is known. */
#ifndef POSENC_DIAGNOSE_ROW_FACTS_H
#define POSENC_DIAGNOSE_ROW_FACTS_H

#include "diagnose/look.h"
#include "diagnose/walk.h"

typedef struct posenc_row_fact {
    bool finite, zero, constant;
    uint64_t hash;
    double error, squares; /* largest distance from the exact row, sum of the squares */
    int64_t error_column;
    double pair_error; /* largest distance of sin^2 + cos^2 from what it should be */
    int64_t pair_column;
    double largest; /* size of the largest value beyond the formula's range */
    int64_t n_outside, outside_column;
} posenc_row_fact;

/* How to look at a row. Channels that stand still are judged by themselves, and left out of errors and pairs: one dead
 * channel does not make every row wrong. */
typedef struct posenc_row_eye {
    const posenc_survey *survey;
    bool pass_still;                  /* there are channels to be left out */
    uint64_t mask;                    /* of the hash */
    double range;                     /* of the formula's values */
    double square;                    /* of a pair's length: 1, or the square of an amplitude */
    int64_t pairs;                    /* sines with a cosine; 0: not known */
    int64_t pair_step, pair_distance; /* pair i is channels i * step and i * step + distance */
} posenc_row_eye;

posenc_row_fact posenc_row_fact_of(const posenc_row_eye *eye, const double *values, const double *exact, int64_t dim);

#endif
