/* Transformer-XL: what a call knows and holds. Distances are counted as e = key - query position, upwards, so that a
 * row of scores is the sum of two rows that run the same way: content[j] + position[j - i]. */
#ifndef POSENC_SCHEMES_TRANSFORMER_XL_H
#define POSENC_SCHEMES_TRANSFORMER_XL_H

#include "schemes/relative.h"
#include "schemes/rows.h"

typedef struct posenc_xl_call {
    posenc_relative_work work;
    posenc_xl_options options; /* complete */
    posenc_relative_offsets memories;
    int64_t batch, heads, queries, keys, d, model;
    int64_t low, rows;                            /* distances low..low+rows-1 */
    posenc_relative_tensor q, k, u, v, w, scores; /* scores: read by the backward */
    posenc_relative_tensor dq, dk, du, dv, dw;    /* data NULL: not wanted */
} posenc_xl_call;

enum {
    POSENC_XL_QUERIES = 120, /* of a block of the backward */
    POSENC_XL_KEYS = 480,    /* of a tile of it */
    POSENC_XL_SINES = 256,   /* rows of sines made at a time: a run of the product kernel */
    POSENC_XL_PART = 64      /* rows or columns of a product that one thread does */
};

/* How W r is kept, for one head: as the second factor of a product over channels, a panel for each 16 distances; or of
 * one over distances, a panel for each 16 channels. */
typedef enum posenc_xl_form { POSENC_XL_BY_DISTANCE, POSENC_XL_BY_CHANNEL } posenc_xl_form;

/* A group of heads at a time: W r of each distance is kept for them. */
typedef struct posenc_xl_pass {
    const posenc_xl_call *call;
    posenc_plan *sines;
    posenc_row_scratch scratch;
    posenc_relative_room shared, worker;
    size_t row, sine_rows, sine_panels, weights, positions; /* in the shared memory */
    size_t own;                                             /* a row in a worker's */
    posenc_xl_form form;
    int64_t per_head;      /* reals of W r */
    int64_t group;         /* most heads of one */
    int64_t head, n_heads; /* now */
    int64_t first, n;      /* rows of sines now */
    int64_t blocks;        /* of queries */
    int n_workers;
    char *memory;
} posenc_xl_pass;

/* Position of a query: key j stands at j. */
static inline int64_t posenc_xl_position(const posenc_xl_call *call, int64_t batch, int64_t query) {
    return posenc_relative_offset(&call->memories, batch) + query;
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

/* Opens all tensors but the gradients: q, k, u, v, w, in the place of the sixth the memories, which are put there, and
 * scores. */
posenc_status posenc_xl_open(posenc_xl_call *call, const posenc_context *context, const posenc_xl_options *options,
                             posenc_relative_named tensors[7], posenc_error *error);

/* ---- rows of positions (transformer_xl_rows.c) ---- */

/* Begins a pass over blocks of so many queries: counts, sines, and room for some rows of them. On failure nothing is
 * left. */
posenc_status posenc_xl_pass_begin(posenc_xl_pass *pass, const posenc_xl_call *call, int64_t block,
                                   posenc_error *error);

/* Takes room for W r in that form. */
void posenc_xl_take_positions(posenc_xl_pass *pass, posenc_xl_form form);

/* Allocates what has been taken. Ends the pass on failure. */
posenc_status posenc_xl_pass_allocate(posenc_xl_pass *pass, posenc_error *error);
void posenc_xl_pass_end(posenc_xl_pass *pass);

/* Writes sines of the distances first..first+n-1, from low on, as rows of reals at sine_rows. */
void posenc_xl_make_sines(posenc_xl_pass *pass, int64_t first, int64_t n);

/* Computes W r of all distances for the heads of now. */
void posenc_xl_make_positions(posenc_xl_pass *pass);

/* Rows in whole panels. */
static inline int64_t posenc_xl_padded(int64_t rows) { return (rows + POSENC_PANEL - 1) / POSENC_PANEL * POSENC_PANEL; }

/* Where the panels of the g-th head of now begin, by the distance as counted from low: by distance, one where a panel
 * begins. From panel to panel by channel it is call->rows * POSENC_PANEL reals. */
static inline char *posenc_xl_positions_at(const posenc_xl_pass *pass, int64_t g, int64_t distance) {
    int64_t step = pass->form == POSENC_XL_BY_DISTANCE ? pass->call->d : POSENC_PANEL;
    return pass->memory + pass->positions + posenc_xl_bytes(pass, g * pass->per_head + distance * step);
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
