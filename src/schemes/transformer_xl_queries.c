/* dq, du and dv of Transformer-XL: blocks of queries, tile by tile of keys. */
#include <string.h>

#include "base/checked.h"
#include "base/threads.h"
#include "schemes/transformer_xl_backward.h"

enum { QUERIES = POSENC_XL_QUERIES, KEYS = POSENC_XL_KEYS, WAVE = POSENC_XL_WAVE };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Gradients of a tile of n keys, between zeros. */
static void load_gradients(const posenc_xl_backward *b, const posenc_xl_place *p, int64_t key, int64_t n) {
    int64_t most = b->gradients_row - 2 * b->zeros;
    for (int64_t i = 0; i < p->n; i++) {
        char *to = p->own + b->gradients + posenc_xl_bytes(&b->pass, i * b->gradients_row + b->zeros);
        posenc_xl_load_gradients(b, p, i, key, n, to);
        memset(to + posenc_xl_bytes(&b->pass, n), 0, posenc_xl_bytes(&b->pass, most - n));
    }
}

static void load_keys(const posenc_xl_backward *b, const posenc_xl_place *p, int64_t key, int64_t n) {
    const posenc_xl_call *call = b->pass.call;
    for (int64_t j = 0; j < n; j++) {
        const char *from = posenc_relative_at(&call->k, p->batch, p->head, key + j);
        posenc_xl_load(call, &call->k, from, call->d, p->own + b->row);
        call->work.loops->pack_term(p->own + b->keys, n, j, p->own + b->row, call->d);
    }
}

/* A tile of keys key..key+n-1: gradients beside keys, and gradients by distance beside W r. Row i of the latter begins
 * n - 1 - i zeros before the gradients. */
static void add_tile(const posenc_xl_backward *b, const posenc_xl_place *p, int64_t key, int64_t n) {
    const posenc_xl_call *call = b->pass.call;
    const char *gradients = p->own + b->gradients;
    int64_t distance = key - (p->position + p->n - 1) - call->low;
    load_gradients(b, p, key, n);
    load_keys(b, p, key, n);
    posenc_relative_product by_key = {.terms = n,
                                      .a = gradients + posenc_xl_bytes(&b->pass, b->zeros),
                                      .b = p->own + b->keys,
                                      .a_rows = p->n,
                                      .a_row = b->gradients_row,
                                      .a_term = 1};
    posenc_relative_product by_distance = {.terms = least(n + p->n - 1, call->rows - distance),
                                           .a = gradients + posenc_xl_bytes(&b->pass, b->zeros - (p->n - 1)),
                                           .b = posenc_xl_positions_at(&b->pass, p->g, distance),
                                           .a_rows = p->n,
                                           .a_row = b->gradients_row + 1,
                                           .a_term = 1,
                                           .b_panel = call->rows * POSENC_PANEL};
    posenc_xl_add_product(b, p, by_key, b->sums);
    posenc_xl_add_product(b, p, by_distance, b->more_sums);
}

/* dq of a block, and its part of du and dv. */
static void finish_block(const posenc_xl_backward *b, const posenc_xl_place *p, double *part) {
    const posenc_xl_call *call = b->pass.call;
    double *with_k = (double *)(void *)(p->own + b->sums), *with_r = (double *)(void *)(p->own + b->more_sums);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t c = 0; c < call->d; c++) {
            part[c] += with_k[i * call->d + c];
            part[call->d + c] += with_r[i * call->d + c];
            with_k[i * call->d + c] += with_r[i * call->d + c];
        }
    if (!call->dq.data) return;
    for (int64_t i = 0; i < p->n; i++) {
        call->work.loops->narrow(with_k + i * call->d, call->d, call->options.scale, p->own + b->row);
        call->work.loops->store(call->work.kernels, call->dq.dtype, p->own + b->row,
                                posenc_relative_at(&call->dq, p->batch, p->head, p->query + i),
                                posenc_relative_step(&call->dq), call->d, false, false);
    }
}

static void query_slice(void *argument, int index) {
    const posenc_xl_backward *b = argument;
    const posenc_xl_call *call = b->pass.call;
    int64_t at = posenc_i64_share(index, b->n, b->pass.n_workers);
    int64_t end = posenc_i64_share(index + 1, b->n, b->pass.n_workers);
    for (; at < end; at++) {
        int64_t unit = b->first + at, line = unit / b->pass.blocks;
        posenc_xl_place p = posenc_xl_place_at(b, line / b->g_n, b->g_first + line % b->g_n, unit % b->pass.blocks,
                                               posenc_xl_own(&b->pass, index));
        double *part = (double *)(void *)(b->pass.memory + b->parts) + at * 2 * call->d;
        memset(part, 0, (size_t)(2 * call->d) * sizeof *part);
        memset(p.own + b->sums, 0, (size_t)(p.n * call->d) * sizeof(double));
        memset(p.own + b->more_sums, 0, (size_t)(p.n * call->d) * sizeof(double));
        for (int64_t key = 0; key < call->keys; key += KEYS) {
            int64_t n = posenc_xl_seen(call, p.position + p.n - 1, key, least(KEYS, call->keys - key));
            if (n > 0) add_tile(b, &p, key, n);
        }
        finish_block(b, &p, part);
    }
}

void posenc_xl_do_queries(posenc_xl_backward *b) {
    const posenc_xl_call *call = b->pass.call;
    int64_t units = call->batch * b->g_n * b->pass.blocks, d = call->d;
    const double *parts = (const double *)(const void *)(b->pass.memory + b->parts);
    double *totals = (double *)(void *)(b->pass.memory + b->bias_sums);
    memset(totals, 0, (size_t)(b->g_n * 2 * d) * sizeof *totals);
    for (b->first = 0; b->first < units; b->first += b->n) {
        b->n = least(WAVE, units - b->first);
        posenc_parallel(call->work.context, b->pass.n_workers, query_slice, b);
        for (int64_t at = 0; at < b->n; at++) {
            double *total = totals + (b->first + at) / b->pass.blocks % b->g_n * 2 * d;
            for (int64_t c = 0; c < 2 * d; c++) total[c] += parts[at * 2 * d + c];
        }
    }
    for (int64_t g = 0; g < b->g_n; g++) {
        const posenc_relative_tensor *du = &call->du, *dv = &call->dv;
        int64_t head = b->pass.head + b->g_first + g;
        double *total = totals + g * 2 * d, scale = call->options.scale;
        if (du->data) posenc_relative_put(du, posenc_relative_at(du, 0, 0, head), total, d, scale, false);
        if (dv->data) posenc_relative_put(dv, posenc_relative_at(dv, 0, 0, head), total + d, d, scale, false);
    }
}
