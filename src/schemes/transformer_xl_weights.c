/* dW of Transformer-XL: first dR, the gradient of W r for each distance, then its products with the sines. */
#include <string.h>

#include "base/checked.h"
#include "base/threads.h"
#include "schemes/transformer_xl_backward.h"

enum { ROWS = POSENC_XL_ROWS, SINES = POSENC_XL_SINES, PART = POSENC_XL_PART };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- dR ---- */

/* Gradients of distances e..e+n-1 of query i of a place, zeros where there is no such key. */
static void load_by_distance(const posenc_xl_backward *b, const posenc_xl_place *p, int64_t i, int64_t e, int64_t n,
                             char *to) {
    const posenc_xl_call *call = b->pass.call;
    int64_t key = most(0, p->position + i + e), end = least(call->keys, p->position + i + e + n);
    memset(to, 0, posenc_xl_bytes(&b->pass, n));
    if (key < end)
        posenc_xl_load_gradients(b, p, i, key, end - key, to + posenc_xl_bytes(&b->pass, key - (p->position + i + e)));
}

static void distance_block(const posenc_xl_backward *b, int64_t g, int64_t first, char *own) {
    const posenc_xl_call *call = b->pass.call;
    const posenc_relative_loops *loops = call->work.loops;
    int64_t n = least(ROWS, call->rows - first), e = call->low + first;
    char *row = own + b->row;
    memset(own + b->sums, 0, (size_t)(n * call->d) * sizeof(double));
    for (int64_t batch = 0; batch < call->batch; batch++)
        for (int64_t block = 0; block < b->pass.blocks; block++) {
            posenc_xl_place p = posenc_xl_place_at(b, batch, g, block, own);
            if (p.position + p.n - 1 + e + n - 1 < 0 || p.position + e >= call->keys) continue;
            for (int64_t i = 0; i < p.n; i++) {
                load_by_distance(b, &p, i, e, n, row);
                loops->pack_term(own + b->left, p.n, i, row, n);
                posenc_xl_load_query(call, &call->v, batch, p.head, p.query + i, row);
                loops->pack_term(own + b->right, p.n, i, row, call->d);
            }
            posenc_xl_add_product(b, &p, b->left, b->right, n, p.n, b->sums);
        }
    loops->narrow((const double *)(const void *)(own + b->sums), n * call->d, 1,
                  b->pass.memory + b->distance_rows + posenc_xl_bytes(&b->pass, (g * call->rows + first) * call->d));
}

static void distance_slice(void *argument, int index) {
    const posenc_xl_backward *b = argument;
    int64_t blocks = (b->pass.call->rows - 1) / ROWS + 1, units = b->pass.n_heads * blocks;
    int64_t at = posenc_i64_share(index, units, b->pass.n_workers);
    int64_t end = posenc_i64_share(index + 1, units, b->pass.n_workers);
    for (; at < end; at++) distance_block(b, at / blocks, at % blocks * ROWS, posenc_xl_own(&b->pass, index));
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
    if (call->rows > 0) posenc_parallel(call->work.context, b->pass.n_workers, distance_slice, b);
    for (int64_t first = 0; first < call->rows; first += SINES) {
        posenc_xl_make_sines(&b->pass, first, least(SINES, call->rows - first));
        pack_distances(b);
        posenc_parallel(call->work.context, b->pass.n_workers, weight_slice, b);
    }
    for (int64_t r = 0; r < rows; r++)
        posenc_relative_put(dw, posenc_relative_at(dw, 0, 0, b->pass.head * call->d + r), sums + r * call->model,
                            call->model, call->options.scale, false);
}
