/* Similarity: the cosine of every pair of positions, and its average by distance. */
#ifndef POSENC_SIMILARITY_H
#define POSENC_SIMILARITY_H

#include <posenc/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of a table, scaled to length 1, ready to be multiplied. Never changes once made; serves many threads. */
typedef struct posenc_similarity posenc_similarity;

/* Takes a table's rows.
 * context: NULL for defaults; else it must outlive the object.
 * table: (length, dim), (1, length, dim) or (length, 1, dim), any strides; f32, f64, f16 or bf16. Not needed after.
 * out: receives the object; the caller destroys it.
 * Returns POSENC_ERROR_SHAPE, _DTYPE, _DEVICE, _MEMORY; *out is untouched then.
 * Edge cases: a row of zeros, or with a value that is not finite, has no direction: its cosines are NaN.
 * Memory: 4 bytes an element. */
POSENC_API posenc_status posenc_similarity_create(const posenc_context *context, const DLTensor *table,
                                                  posenc_similarity **out, posenc_error *error);

/* Ends it. NULL is fine. */
POSENC_API void posenc_similarity_destroy(posenc_similarity *similarity);

/* Number of positions. */
POSENC_API int64_t posenc_similarity_length(const posenc_similarity *similarity);

/* Writes rows first..first+rows-1 of the matrix: out[r, c] = cosine of positions first + r and c.
 * out: (rows, length), f32, contiguous.
 * Returns POSENC_ERROR_ARGUMENT, POSENC_ERROR_SHAPE, _DTYPE, _DEVICE; out is untouched then.
 * Accuracy: 1e-6 absolute up to a width of 8192; never outside [-1, 1]; 1 on the diagonal. The same bits on every
 * instruction set, for every number of threads and every way to split the rows; symmetric.
 * Cost: that of the matrix product; half of it for the whole matrix. */
POSENC_API posenc_status posenc_similarity_rows(const posenc_similarity *similarity, int64_t first, DLTensor *out,
                                                posenc_error *error);

typedef struct posenc_similarity_report {
    size_t size; /* sizeof(posenc_similarity_report), set by the caller */
    int64_t length, dim;
    int64_t without_direction; /* rows whose cosines are NaN; they count in none of the figures below */
    double mean;               /* over all pairs of two positions; NaN without a pair, like all figures here */
    double minimum, maximum;   /* over the same */
    int64_t minimum_at[2], maximum_at[2]; /* the first pair, lower position first; -1, -1: none */
    double neighbours;                    /* mean over the pairs at distance 1 */
} posenc_similarity_report;

/* Goes through all pairs without holding them.
 * report: report->size as the caller compiled it; filled in.
 * by_distance: length doubles; [k] = mean cosine of the pairs (p, p + k), NaN where there is none; or NULL.
 * Returns POSENC_ERROR_ARGUMENT, POSENC_ERROR_MEMORY; nothing is written then.
 * Cost: half the matrix product and a pass over it in cache. Memory: 0.25 MB a thread and 16 bytes a position. */
POSENC_API posenc_status posenc_similarity_summary(const posenc_similarity *similarity, double *by_distance,
                                                   posenc_similarity_report *report, posenc_error *error);

/* Writes a reduced matrix: out[i, j] = mean cosine over cell i, j, where the positions are cut into side runs of nearly
 * equal length (run i begins at floor(i * length / side)); NaN for cells without a pair that has a cosine. Cells on the
 * diagonal count each position with itself too.
 * out: (side, side), f32, contiguous, side 1..length.
 * Returns as posenc_similarity_rows, and POSENC_ERROR_MEMORY.
 * Cost: side^2 * dim, for the mean cosine of a cell is the product of its two mean directions. */
POSENC_API posenc_status posenc_similarity_reduced(const posenc_similarity *similarity, DLTensor *out,
                                                   posenc_error *error);

/* The mean cosine by distance that a plan's exact table has, from its frequencies:
 *     curve[k] = (2 / dim) * sum over i of cos(k w_i), for an even width.
 * out: length doubles.
 * Returns POSENC_ERROR_ARGUMENT (a plan that is no sinusoidal one; an odd width, whose last column has no partner, so
 * that the curve depends on the positions too), POSENC_ERROR_MEMORY; out is untouched then.
 * Accuracy: 1e-14. */
POSENC_API posenc_status posenc_similarity_expected(const posenc_plan *plan, int64_t length, double *out,
                                                    posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
