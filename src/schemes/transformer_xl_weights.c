/* dW of Transformer-XL: first dR, the gradient of W r for each distance, then its products with the sines. */
#include <string.h>

#include "base/checked.h"
#include "base/threads.h"
#include "schemes/transformer_xl_backward.h"

enum { ROWS = POSENC_XL_ROWS, SINES = POSENC_XL_SINES, PART = POSENC_XL_PART };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- dR ---- */

/* Gradients of distances e..e+n-1 of query i of a place, zeros where there is no such key. */
static void load_by_distance(const posenc_xl_backward *b, const posenc_xl_place *p, int64_t i, int64_t e, int64_t n,
                             char *to) {
    int64_t key = p->position + i + e, before = posenc_relative_clip(-key, 0, n);
    int64_t end = posenc_relative_clip(b->pass.call->keys - key, before, n);
    memset(to, 0, posenc_xl_bytes(&b->pass, before));
    if (before < end)
        posenc_xl_load_gradients(b, p, i, key + before, end - before, to + posenc_xl_bytes(&b->pass, before));
    memset(to + posenc_xl_bytes(&b->pass, end), 0, posenc_xl_bytes(&b->pass, n - end));
}

/* What a line adds to dR of the distances e..e+n-1. */
static void add_line(const posenc_xl_backward *b, int64_t batch, int64_t g, int64_t e, int64_t n, char *own) {
    const posenc_xl_call *call = b->pass.call;
    for (int64_t block = 0; block < b->pass.blocks; block++) {
        posenc_xl_place p = posenc_xl_place_at(b, batch, g, block, own);
        if (p.position + p.n - 1 + e + n - 1 < 0 || p.position + e >= call->keys) continue;
        for (int64_t i = 0; i < p.n; i++)
            load_by_distance(b, &p, i, e, n, own + b->strip + posenc_xl_bytes(&b->pass, i * b->strip_row));
        posenc_xl_add_strip(b, &p, n);
    }
}

/* line: the batch and head whose queries are in panels; -1: none. */
static void distance_block(const posenc_xl_backward *b, int64_t g, int64_t first, int64_t *line, char *own) {
    const posenc_xl_call *call = b->pass.call;
    int64_t n = least(ROWS, call->rows - first);
    memset(own + b->sums, 0, (size_t)(n * call->d) * sizeof(double));
    for (int64_t batch = 0; batch < call->batch; batch++) {
        int64_t wanted = batch * b->pass.n_heads + g;
        if (*line != wanted) posenc_xl_pack_queries(b, &call->v, batch, b->pass.head + g, own);
        *line = wanted;
        add_line(b, batch, g, call->low + first, n, own);
    }
    call->work.loops->narrow(
        (const double *)(const void *)(own + b->sums), n * call->d, 1,
        b->pass.memory + b->distance_rows + posenc_xl_bytes(&b->pass, (g * call->rows + first) * call->d));
}

static void distance_slice(void *argument, int index) {
    const posenc_xl_backward *b = argument;
    int64_t blocks = (b->pass.call->rows - 1) / ROWS + 1, units = b->g_n * blocks;
    int64_t at = posenc_i64_share(index, units, b->pass.n_workers);
    int64_t end = posenc_i64_share(index + 1, units, b->pass.n_workers);
    for (int64_t line = -1; at < end; at++)
        distance_block(b, b->g_first + at / blocks, at % blocks * ROWS, &line, posenc_xl_own(&b->pass, index));
}

void posenc_xl_do_distances(posenc_xl_backward *b) {
    if (b->pass.call->rows > 0) posenc_parallel(b->pass.call->work.context, b->pass.n_workers, distance_slice, b);
}

/* ---- dW ---- */

/* Some columns of some head's dW: what the rows of sines of now add. */
static void weight_slice(void *argument, int index) {
    const posenc_xl_backward *b = argument;
    const posenc_xl_call *call = b->pass.call;
    const posenc_relative_loops *loops = call->work.loops;
    int64_t parts = (call->model - 1) / PART + 1, units = parts * b->pass.n_heads, terms = b->pass.n;
    int64_t at = posenc_i64_share(index, units, b->pass.n_workers);
    int64_t end = posenc_i64_share(index + 1, units, b->pass.n_workers);
    char *product = posenc_xl_own(&b->pass, index) + b->product;
    for (; at < end; at++) {
        int64_t g = at / parts, column = at % parts * PART, n = least(PART, call->model - column);
        double *sums = (double *)(void *)(b->pass.memory + b->weight_sums) + g * call->d * call->model + column;
        loops->multiply(
            call->work.kernels,
            &(posenc_relative_product){.terms = terms,
                                       .a = b->pass.memory + b->distance_terms +
                                            posenc_xl_bytes(&b->pass, g * posenc_xl_padded(call->d) * terms),
                                       .b = b->pass.memory + b->sine_terms + posenc_xl_bytes(&b->pass, column * terms),
                                       .a_rows = call->d,
                                       .b_rows = n,
                                       .c = product,
                                       .c_stride = n});
        for (int64_t c = 0; c < call->d; c++)
            loops->widen(product + posenc_xl_bytes(&b->pass, c * n), n, sums + c * call->model);
    }
}

static void pack_distances(const posenc_xl_backward *b) {
    const posenc_xl_call *call = b->pass.call;
    const posenc_relative_loops *loops = call->work.loops;
    for (int64_t e = 0; e < b->pass.n; e++) {
        loops->pack_term(b->pass.memory + b->sine_terms, b->pass.n, e,
                         b->pass.memory + b->pass.sine_rows + posenc_xl_bytes(&b->pass, e * call->model), call->model);
        for (int64_t g = 0; g < b->pass.n_heads; g++) {
            int64_t row = g * call->rows + b->pass.first + e, panels = g * posenc_xl_padded(call->d) * b->pass.n;
            loops->pack_term(b->pass.memory + b->distance_terms + posenc_xl_bytes(&b->pass, panels), b->pass.n, e,
                             b->pass.memory + b->distance_rows + posenc_xl_bytes(&b->pass, row * call->d), call->d);
        }
    }
}

void posenc_xl_do_weights(posenc_xl_backward *b) {
    const posenc_xl_call *call = b->pass.call;
    const posenc_relative_tensor *dw = &call->dw;
    double *sums = (double *)(void *)(b->pass.memory + b->weight_sums);
    int64_t rows = b->pass.n_heads * call->d;
    memset(sums, 0, (size_t)(rows * call->model) * sizeof *sums);
    for (int64_t first = 0; first < call->rows; first += SINES) {
        posenc_xl_make_sines(&b->pass, first, least(SINES, call->rows - first));
        pack_distances(b);
        posenc_parallel(call->work.context, b->pass.n_workers, weight_slice, b);
    }
    for (int64_t r = 0; r < rows; r++)
        posenc_relative_put(dw, posenc_relative_at(dw, 0, 0, b->pass.head * call->d + r), sums + r * call->model,
                            call->model, call->options.scale, false);
}
