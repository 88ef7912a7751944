/* What calls about relative vectors share: tensors checked and seen in bytes, one allocation, and the arithmetic.
 * Tensors of f32, f16 and bf16 are worked on in f32, those of f64 in double: the loops are written once and compiled
 * for both (relative_loops.inc). Products go through panels, as kernels.h has them. */
#ifndef POSENC_SCHEMES_RELATIVE_H
#define POSENC_SCHEMES_RELATIVE_H

#include <posenc/relative.h>
#include <stdbool.h>

#include "kernels/kernels.h"

/* ---- arithmetic (relative_loops.inc) ---- */

/* A matrix product of panels, c[i, j] = sum over l of a[a_first + i, l] * b[j, l]; all reals. Strides as in
 * posenc_product_job. */
typedef struct posenc_relative_product {
    int64_t terms;
    const void *a, *b;
    int64_t a_first, a_rows, b_rows;
    int64_t a_row, a_term, b_panel;
    void *c;
    int64_t c_stride;
} posenc_relative_product;

/* Loops over "reals": floats, or doubles where the tensors are f64. */
typedef struct posenc_relative_loops {
    size_t bytes; /* of a real */

    /* Reads n elements, step bytes apart. */
    void (*load)(const posenc_kernels *kernels, posenc_dtype dtype, const char *from, ptrdiff_t step, int64_t n,
                 void *out);

    /* Writes or adds n reals to elements, each rounded once. stream: around the caches. */
    void (*store)(const posenc_kernels *kernels, posenc_dtype dtype, const void *values, char *to, ptrdiff_t step,
                  int64_t n, bool accumulate, bool stream);

    /* Puts values[n] into panels as the terms 0..n-1 of a row, or as one term of the rows 0..n-1. */
    void (*pack_row)(void *panels, int64_t terms, int64_t row, const void *values, int64_t n);
    void (*pack_term)(void *panels, int64_t terms, int64_t term, const void *values, int64_t n);

    void (*multiply)(const posenc_kernels *kernels, const posenc_relative_product *job);

    /* out[0..n-1]: values[0] up to before, values[from] and its successors, values[last] from end on. */
    void (*spread)(const void *values, int64_t from, int64_t last, int64_t before, int64_t end, int64_t n, void *out);

    /* The adjoint: sums[0], sums[from ..] and sums[last] grow by the three parts of row[0..n-1]. */
    void (*gather)(const void *row, int64_t from, int64_t last, int64_t before, int64_t end, int64_t n, double *sums);

    void (*scale)(void *values, int64_t n, double factor);
    void (*add)(const void *a, const void *b, int64_t n, void *out);                 /* out = a + b */
    void (*blend)(const void *a, const void *b, int64_t n, double scale, void *out); /* out = scale (a + b) */
    void (*widen)(const void *values, int64_t n, double *sums);                      /* sums += values */
    void (*narrow)(const double *sums, int64_t n, double factor, void *out);         /* out = factor sums */
} posenc_relative_loops;

extern const posenc_relative_loops posenc_relative_f32, posenc_relative_f64;

/* How a call computes. */
typedef struct posenc_relative_work {
    const posenc_context *context;
    const posenc_kernels *kernels;
    const posenc_relative_loops *loops;
    posenc_dtype dtype; /* of the tensors */
    bool open;          /* the dtype is known */
} posenc_relative_work;

/* ---- tensors (relative_door.c) ---- */

/* A tensor in bytes. data NULL: there is none. */
typedef struct posenc_relative_tensor {
    char *data;
    posenc_dtype dtype;
    int rank;
    ptrdiff_t bytes[4]; /* from index to index of each axis */
} posenc_relative_tensor;

/* Where a row begins: one index for each axis but the last. */
static inline char *posenc_relative_at(const posenc_relative_tensor *t, int64_t i, int64_t j, int64_t k) {
    return t->rank == 4 ? t->data + i * t->bytes[0] + j * t->bytes[1] + k * t->bytes[2] : t->data + k * t->bytes[0];
}
static inline ptrdiff_t posenc_relative_step(const posenc_relative_tensor *t) { return t->bytes[t->rank - 1]; }

/* What a tensor's axes must be: names as a message has them, extents that are known, or -1 and taken from it. */
typedef struct posenc_relative_shape {
    const char *axes; /* "(batch, heads, queries, d)" */
    int rank;
    int64_t *extent[4];
} posenc_relative_shape;

/* Checks a tensor. Its dtype is that of the others; the first one's sets it. f32_too: f32 is fine in any case. */
posenc_status posenc_relative_open(posenc_relative_work *work, const DLTensor *tensor, const char *name,
                                   const posenc_relative_shape *shape, bool f32_too, posenc_relative_tensor *out,
                                   posenc_error *error);

/* A tensor and its name, for messages. tensor NULL: skipped. */
typedef struct posenc_relative_named {
    const DLTensor *tensor;
    const char *name;
} posenc_relative_named;

/* Refuses an output whose elements meet, or that shares memory with one of the others. NULL is fine. */
posenc_status posenc_relative_check_output(const DLTensor *out, const char *name, const posenc_relative_named *others,
                                           int n, posenc_error *error);

/* Where query 0 of each batch row stands: at `one`, or as the vector (batch) says if there is one. */
typedef struct posenc_relative_offsets {
    const DLTensor *vector; /* i32 or i64; NULL: none */
    int64_t one;
    int64_t lowest, highest; /* over the batch */
} posenc_relative_offsets;

/* Checks the vector and finds the lowest and the highest. name: of the vector. */
posenc_status posenc_relative_open_offsets(posenc_relative_offsets *offsets, const char *name, int64_t batch,
                                           posenc_error *error);
int64_t posenc_relative_offset(const posenc_relative_offsets *offsets, int64_t batch);

/* Rows of doubles, written or added to a tensor of any dtype, each rounded once. */
void posenc_relative_put(const posenc_relative_tensor *t, char *to, const double *values, int64_t n, double factor,
                         bool accumulate);

/* Beyond this size no offset goes, so that positions and distances never wrap. */
#define POSENC_RELATIVE_MOST (INT64_C(1) << 60)

/* ---- memory and threads ---- */

/* Pieces of one allocation, each aligned to a cache line. Where they do not fit, bytes is SIZE_MAX. */
typedef struct posenc_relative_room {
    size_t bytes;
} posenc_relative_room;

/* Room for rows x columns elements; returns where it begins. */
size_t posenc_relative_take(posenc_relative_room *room, int64_t rows, int64_t columns, size_t element_bytes);

/* Room for panels of so many rows. */
size_t posenc_relative_take_panels(posenc_relative_room *room, const posenc_relative_work *work, int64_t rows,
                                   int64_t terms);

/* How many slices work on so many elements and products is worth. */
int posenc_relative_slices(const posenc_context *context, double elements, double products);

/* One allocation, filled with zeros: a shared part, behind it one for each of n workers. NULL, with the error written,
 * where there is too little memory. */
char *posenc_relative_allocate(const posenc_context *context, const posenc_relative_room *shared,
                               const posenc_relative_room *worker, int n, posenc_error *error);

static inline int64_t posenc_relative_clip(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

#endif
