/* Resizing in one line, and its weights once more: in long double, straight from the formulas, without a look at the
 * library's. */
#ifndef POSENC_TESTS_SUPPORT_RESIZES_H
#define POSENC_TESTS_SUPPORT_RESIZES_H

#include <stdint.h>

#include <posenc/resize.h>

typedef struct resize_case {
    posenc_interpolation mode;
    int antialias, align_corners;
    int64_t prefix;
    int64_t from[2], to[2]; /* one axis: {1, old} and {1, new} */
} resize_case;

/* Rows of the table and of the result. */
int64_t resize_old_rows(const resize_case *c);
int64_t resize_new_rows(const resize_case *c);

/* "cubic antialias 3x4 to 5x6 prefix 1". Static, overwritten by the next call. */
const char *resize_text(const resize_case *c);

/* The case as options; a grid of one line as one axis. */
posenc_resize_options resize_options(const resize_case *c);

/* Resizes contiguous memory. Fails the running test when the call does. */
void must_resize(const posenc_context *context, const resize_case *c, posenc_dtype dtype, int64_t dim,
                 const void *table, void *out);

/* The ways: linear and cubic, each plain, with antialias, with align_corners: 0..5. */
enum { RESIZE_WAYS = 6 };
resize_case resize_way(int way, int64_t from_height, int64_t from_width, int64_t to_height, int64_t to_width);

/* Weights of the old indices 0..in-1 of one axis for new index o. */
void resize_weights(const resize_case *c, int64_t in, int64_t out, int64_t o, long double *weights);

#endif
