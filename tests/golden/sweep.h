/* Rows of one plan in all four dtypes beside the MPFR oracle, and what came of it. */
#ifndef POSENC_TESTS_GOLDEN_SWEEP_H
#define POSENC_TESTS_GOLDEN_SWEEP_H

#include <stdint.h>

#include "support/oracle.h"
#include "support/tensors.h"

/* Per dtype, in the order of encoding_dtypes. */
typedef struct tally {
    int64_t values[4]; /* looked at */
    int64_t wrong[4];  /* not the correctly rounded one */
    double worst[4];   /* largest absolute error in f64, largest error in ulps else */
} tally;

/* Rows of n positions in every dtype. rows[d] holds n * dim elements of encoding_dtypes[d]. */
typedef struct sweep_rows {
    int64_t n, dim;
    void *rows[4];
} sweep_rows;

sweep_rows sweep_write(const posenc_plan *plan, posenc_dtype ids_dtype, const void *ids, int64_t n);
void sweep_free(sweep_rows *rows);

/* Holds one column of row r, in every dtype, against its value. Fails the test at the first value that breaks the
 * contract; what names the plan and position in the message. */
void sweep_value(tally *t, const sweep_rows *rows, int64_t r, int64_t column, mpfr_srcptr exact, const char *what);

/* Holds both columns of a frequency in row r against o->sine and o->cosine, the same way. */
void sweep_pair(tally *t, const oracle *o, const sweep_rows *rows, int64_t r, int64_t frequency, const char *what);

/* The last column of odd widths in the two layouts that end with zeros: plus zero in every dtype. */
void sweep_zero_column(const oracle *o, const sweep_rows *rows, int64_t r, const char *what);

/* One line per dtype on stderr. */
void tally_print(const char *title, const tally *t);

#endif
