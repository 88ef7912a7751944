/* Transformer-XL: what a call knows and holds. Distances are counted as e = key - query position, upwards, so that a
 * row of scores is the sum of two rows that run the same way: content[j] + position[j - i]. */
#ifndef POSENC_SCHEMES_TRANSFORMER_XL_H
#define POSENC_SCHEMES_TRANSFORMER_XL_H

#include "schemes/relative.h"
#include "schemes/rows.h"

typedef struct posenc_xl_call {
    posenc_relative_work work;
    posenc_xl_options options; /* complete */
    int64_t batch, heads, queries, keys, d, model;
    int64_t low, rows;                            /* distances low..low+rows-1 */
    posenc_relative_tensor q, k, u, v, w, scores; /* scores: read by the backward */
    posenc_relative_tensor dq, dk, du, dv, dw;    /* data NULL: not wanted */
} posenc_xl_call;

enum {
    POSENC_XL_QUERIES = 120, /* of a block */
    POSENC_XL_KEYS = 480,    /* of a tile */
    POSENC_XL_SINES = 256,   /* rows of sines made at a time: a run of the product kernel */
    POSENC_XL_PART = 64      /* rows or columns of a product that one thread does */
};

/* A group of heads at a time: the rows W r of each distance are kept for them, as reals (heads, rows, d). */
typedef struct posenc_xl_pass {
    const posenc_xl_call *call;
    posenc_plan *sines;
    posenc_row_scratch scratch;
    posenc_relative_room shared, worker;
    size_t row, sine_rows, sine_panels, weights, positions; /* in the shared memory */
    size_t own;                                             /* a row in a worker's */
    int64_t group;                                          /* most heads of one */
    int64_t head, n_heads;                                  /* now */
    int64_t first, n;                                       /* rows of sines now */
    int64_t blocks;                                         /* of queries */
    int n_workers;
    char *memory;
} posenc_xl_pass;

/* Position of query i: key j stands at j. */
static inline int64_t posenc_xl_position(const posenc_xl_call *call, int64_t query) {
    return call->options.memory + query;
}

/* Keys first_key..first_key+n-1 that a position sees, from the first on. */
static inline int64_t posenc_xl_seen(const posenc_xl_call *call, int64_t position, int64_t first_key, int64_t n) {
    return call->options.bidirectional ? n : posenc_relative_clip(position - first_key + 1, 0, n);
}

/* Bytes of n reals, and where a worker's memory begins. */
static inline size_t posenc_xl_bytes(const posenc_xl_pass *pass, int64_t n) {
    return (size_t)n * pass->call->work.loops->bytes;
}
static inline char *posenc_xl_own(const posenc_xl_pass *pass, int index) {
    return pass->memory + pass->shared.bytes + (size_t)index * pass->worker.bytes;
}

/* Opens all tensors but the gradients. */
posenc_status posenc_xl_open(posenc_xl_call *call, const posenc_context *context, const posenc_xl_options *options,
                             const posenc_relative_named tensors[6], posenc_error *error);

/* ---- rows of positions (transformer_xl_rows.c) ---- */

/* Begins a pass: counts, sines, and room for some rows of them. On failure nothing is left. */
posenc_status posenc_xl_pass_begin(posenc_xl_pass *pass, const posenc_xl_call *call, posenc_error *error);

/* Takes room for W r. */
void posenc_xl_take_positions(posenc_xl_pass *pass);

/* Allocates what has been taken. Ends the pass on failure. */
posenc_status posenc_xl_pass_allocate(posenc_xl_pass *pass, posenc_error *error);
void posenc_xl_pass_end(posenc_xl_pass *pass);

/* Writes sines of the distances first..first+n-1, from low on, as rows of reals at sine_rows. */
void posenc_xl_make_sines(posenc_xl_pass *pass, int64_t first, int64_t n);

/* Computes W r of all distances for the heads of now. */
void posenc_xl_make_positions(posenc_xl_pass *pass);

/* The row of a distance of the g-th head of now. */
static inline char *posenc_xl_position_row(const posenc_xl_pass *pass, int64_t g, int64_t distance) {
    const posenc_xl_call *call = pass->call;
    return pass->memory + pass->positions + posenc_xl_bytes(pass, (g * call->rows + distance - call->low) * call->d);
}

/* ---- vectors ---- */

/* Reads a row of a tensor into to. */
static inline void posenc_xl_load(const posenc_xl_call *call, const posenc_relative_tensor *t, const char *from,
                                  int64_t n, void *to) {
    call->work.loops->load(call->work.kernels, t->dtype, from, posenc_relative_step(t), n, to);
}

/* Reads q_i + u_h, or + v_h, into to; room for another row behind it. */
void posenc_xl_load_query(const posenc_xl_call *call, const posenc_relative_tensor *bias, int64_t batch, int64_t head,
                          int64_t query, char *to);

#endif
