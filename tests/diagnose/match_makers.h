/* Tables for the tests of match, and what is asked of an answer. */
#ifndef POSENC_TESTS_DIAGNOSE_MATCH_MAKERS_H
#define POSENC_TESTS_DIAGNOSE_MATCH_MAKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "diagnose/match.h"
#include "support/random.h"
#include "support/tensors.h"

/* A table in memory of its own, contiguous. */
typedef struct made {
    posenc_table table;
    char *memory;
} made;

made made_empty(int64_t rows, int64_t dim, posenc_dtype dtype);
void made_free(made *m);

/* The rows of positions start, start + 1, ... of a plan. */
made made_sinusoidal(const plan_shape *shape, int64_t start, int64_t rows, posenc_dtype dtype);

/* The rows of the given positions. */
made made_at(const plan_shape *shape, const int64_t *positions, int64_t rows, posenc_dtype dtype);

double made_get(const made *m, int64_t row, int64_t column);
void made_put(made *m, int64_t row, int64_t column, double value);

/* Every value by a function of the row and the column. */
typedef double maker(void *with, int64_t row, int64_t column);
made made_by(maker *make, void *with, int64_t rows, int64_t dim, posenc_dtype dtype);

/* The answer, which must come, be complete, and come again to the same bits. */
posenc_match must_match(const made *m);

/* The value of a reported formula, from the textbook in doubles. */
double formula_value(const posenc_match *match, int64_t dim, int64_t position, int64_t column);

/* Whether the reported formula makes this table, within the rounding of the dtype and of float32 angles: judged on the
 * first rows, and on some spread over all. */
bool makes_table(const posenc_match *match, const made *m);

/* Text of an answer, for failure messages. Static, overwritten by the next call. */
const char *match_text(const posenc_match *match);

#endif
