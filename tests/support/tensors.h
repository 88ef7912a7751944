/* Tensors and plans in one line each, for tests. Whatever goes wrong fails the running test. */
#ifndef POSENC_TESTS_SUPPORT_TENSORS_H
#define POSENC_TESTS_SUPPORT_TENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <posenc/posenc.h>

/* Memory that ends the process rather than give NULL, filled with the byte 0x5A. */
void *must_allocate(size_t bytes);

/* A sinusoidal plan. */
typedef struct plan_shape {
    int64_t dim;
    double base; /* 0: 10000 */
    posenc_layout layout;
    int cos_first;
    posenc_arithmetic arithmetic;
    int64_t max_len; /* 0: 5000 */
} plan_shape;

posenc_plan *must_plan(const posenc_context *context, const plan_shape *shape);

/* Text of a shape, for failure messages. Static, overwritten by the next call. */
const char *plan_text(const plan_shape *shape);

/* Rows start, start + 1, ... into contiguous memory of any dtype. */
void must_write(const posenc_plan *plan, int64_t start, int64_t tokens, posenc_dtype dtype, void *out);

/* Rows for the given positions; ids are contiguous. */
void must_write_ids(const posenc_plan *plan, posenc_dtype ids_dtype, const void *ids, int64_t tokens,
                    posenc_dtype dtype, void *out);

/* y = x * scale + E(start + t) on contiguous (batch, tokens, dim). */
void must_add(const posenc_plan *plan, int64_t start, int64_t batch, int64_t tokens, posenc_dtype dtype, const void *x,
              double scale, void *y);

/* The four dtypes that encodings are made in. */
extern const posenc_dtype encoding_dtypes[4];

/* Random elements between -4 and 4 in any of them. */
struct random_state;
void random_fill(struct random_state *state, posenc_dtype dtype, void *out, int64_t n);

/* Fails with the index of the first element that differs (NaNs count as equal). what names the comparison. */
void must_equal(const char *what, posenc_dtype dtype, const void *a, const void *b, int64_t n);

#endif
