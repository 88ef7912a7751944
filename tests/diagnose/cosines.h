/* What the similarity tests share: objects and outputs in one line each, and the slow, obvious cosine. */
#ifndef POSENC_TESTS_DIAGNOSE_COSINES_H
#define POSENC_TESTS_DIAGNOSE_COSINES_H

#include <posenc/posenc.h>

/* Lengths around the cells that the library works in (240), and its panels (16). */
extern const int64_t cosine_lengths[];
extern const int n_cosine_lengths;

/* An object of a contiguous table. */
posenc_similarity *must_similarity(const posenc_context *context, posenc_dtype dtype, const void *table, int64_t length,
                                   int64_t dim);

/* Rows first..first+rows-1. The whole matrix, in new memory that the caller frees. */
void must_cosines(const posenc_similarity *similarity, int64_t first, int64_t rows, float *out);
float *must_matrix(const posenc_similarity *similarity);

/* The reduced matrix, in new memory. */
float *must_reduced(const posenc_similarity *similarity, int64_t side);

/* The cosine of two rows by a plain loop in long double; NaN if one has no direction. */
double plain_cosine(const double *a, const double *b, int64_t dim);

/* Doubles of a contiguous table of any dtype, in new memory. */
double *doubles_of(posenc_dtype dtype, const void *table, int64_t n);

/* A table of random numbers between -4 and 4, in new memory. */
float *random_table(const char *name, int64_t length, int64_t dim);

#endif
