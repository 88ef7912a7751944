/* How many dimensions a set of rows uses. */
#ifndef POSENC_DIAGNOSE_PRINCIPAL_H
#define POSENC_DIAGNOSE_PRINCIPAL_H

#include <posenc/context.h>
#include <posenc/tensor.h>

/* Rows, as a matrix whose longer side comes first: values[t * side + i]. */
typedef struct posenc_principal {
    int64_t length, side; /* length >= side */
    int sides_are_rows;   /* not 0: i counts the rows, t the channels; else the reverse */
    double *values;       /* changed: scaled */
    posenc_dtype dtype;   /* whose precision a rank is judged by */
    int64_t rank;         /* result */
    double effective;     /* result: (sum of variances)^2 / sum of their squares, over principal axes */
} posenc_principal;

/* Computes both. Returns POSENC_ERROR_MEMORY. Memory: two doubles for each square of side. */
posenc_status posenc_principal_find(const posenc_context *context, posenc_principal *p, posenc_error *error);

#endif
