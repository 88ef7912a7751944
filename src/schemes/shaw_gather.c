/* Values of clipped relative positions, and gradients: each row of attention is gathered into one sum for each row of
 * the table, in double, and the sums of a block of queries are multiplied: with the table, and with the block's
 * vectors. The latter products are added up in double, block by block in their order, whatever thread made them. */
#include <string.h>

#include "base/checked.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/threads.h"
#include "schemes/shaw.h"

/* Keys read at a time; bytes of table gradients that wait to be added up, and the most of them, which long tables reach:
 * fewer threads work on those. */
enum { TILE_KEYS = 2048, WAITING = 4 << 20, MOST_WAITING = 16 << 20 };

typedef struct block {
    int64_t batch, head, query, n, position;
    int64_t index; /* in the wave */
    char *own;
} block;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static bool wants_table(const posenc_shaw_gather *g) { return g->call->table_gradient.data != NULL; }
static bool wants_vectors(const posenc_shaw_gather *g) { return g->call->out_vectors.data != NULL; }

static block block_at(const posenc_shaw_gather *g, int64_t index, char *own) {
    const posenc_shaw_call *call = g->call;
    int64_t all = g->first + index, line = all / g->blocks;
    block b = {.batch = line / call->heads,
               .head = line % call->heads,
               .query = all % g->blocks * call->block,
               .index = index,
               .own = own};
    b.n = least(call->block, call->queries - b.query);
    b.position = posenc_relative_offset(&call->offsets, b.batch) + b.query;
    return b;
}

/* One row of scores into sums, as reals where the row was read. */
static void sum_row(const posenc_shaw_gather *g, const block *b, int64_t i) {
    const posenc_shaw_call *call = g->call;
    const posenc_relative_work *work = &call->work;
    double *sums = (double *)(void *)(b->own + g->sums);
    const char *from = posenc_relative_at(&call->scores, b->batch, b->head, b->query + i);
    ptrdiff_t step = posenc_relative_step(&call->scores);
    memset(sums, 0, (size_t)call->n * sizeof *sums);
    for (int64_t key = 0; key < call->keys; key += TILE_KEYS) {
        int64_t n = least(TILE_KEYS, call->keys - key);
        posenc_shaw_run run = posenc_shaw_run_at(call, b->position + i, key, n);
        work->loops->load(work->kernels, call->scores.dtype, from + key * step, step, n, b->own + g->row);
        work->loops->gather(b->own + g->row, run.from - call->first, call->rows - 1 - call->first, run.before, run.end,
                            n, sums);
    }
    work->loops->narrow(sums, call->n, 1, b->own + g->row);
}

static void load_vector(const posenc_shaw_gather *g, const block *b, int64_t i) {
    const posenc_shaw_call *call = g->call;
    const char *from = posenc_relative_at(&call->vectors, b->batch, b->head, b->query + i);
    call->work.loops->load(call->work.kernels, call->vectors.dtype, from, posenc_relative_step(&call->vectors), call->d,
                           b->own + g->row);
}

static void sum_block(const posenc_shaw_gather *g, const block *b) {
    const posenc_shaw_call *call = g->call;
    const posenc_relative_loops *loops = call->work.loops;
    for (int64_t i = 0; i < b->n; i++) {
        sum_row(g, b, i);
        if (wants_vectors(g)) loops->pack_row(b->own + g->by_query, call->n, i, b->own + g->row, call->n);
        if (!wants_table(g)) continue;
        loops->pack_term(b->own + g->by_row, b->n, i, b->own + g->row, call->n);
        load_vector(g, b, i);
        loops->pack_term(b->own + g->vectors, b->n, i, b->own + g->row, call->d);
    }
}

/* out_vectors[i] (+)= scale sums[i] . table */
static void put_vectors(const posenc_shaw_gather *g, const block *b) {
    const posenc_shaw_call *call = g->call;
    const posenc_relative_work *work = &call->work;
    const posenc_relative_tensor *out = &call->out_vectors;
    char *product = b->own + g->product;
    work->loops->multiply(work->kernels, &(posenc_relative_product){.terms = call->n,
                                                                    .a = b->own + g->by_query,
                                                                    .b = g->memory + g->table,
                                                                    .a_rows = b->n,
                                                                    .b_rows = call->d,
                                                                    .c = product,
                                                                    .c_stride = call->d});
    if (call->scale != 1) work->loops->scale(product, b->n * call->d, call->scale);
    for (int64_t i = 0; i < b->n; i++)
        work->loops->store(work->kernels, out->dtype, product + (size_t)(i * call->d) * work->loops->bytes,
                           posenc_relative_at(out, b->batch, b->head, b->query + i), posenc_relative_step(out), call->d,
                           call->options.accumulate != 0, false);
}

/* The block's part of the table's gradient: sums^T . vectors. */
static void make_part(const posenc_shaw_gather *g, const block *b) {
    const posenc_shaw_call *call = g->call;
    size_t bytes = (size_t)(call->n * call->d) * call->work.loops->bytes;
    call->work.loops->multiply(call->work.kernels,
                               &(posenc_relative_product){.terms = b->n,
                                                          .a = b->own + g->by_row,
                                                          .b = b->own + g->vectors,
                                                          .a_rows = call->n,
                                                          .b_rows = call->d,
                                                          .c = g->memory + g->waiting + (size_t)b->index * bytes,
                                                          .c_stride = call->d});
}

static void gather_slice(void *argument, int index) {
    const posenc_shaw_gather *g = argument;
    char *own = g->memory + g->shared.bytes + (size_t)index * g->worker.bytes;
    int64_t at = posenc_i64_share(index, g->n, g->n_workers), end = posenc_i64_share(index + 1, g->n, g->n_workers);
    for (; at < end; at++) {
        block b = block_at(g, at, own);
        sum_block(g, &b);
        if (wants_vectors(g)) put_vectors(g, &b);
        if (wants_table(g)) make_part(g, &b);
    }
}

/* Each thread adds up some elements, of all parts in their order. */
static void add_slice(void *argument, int index) {
    const posenc_shaw_gather *g = argument;
    const posenc_relative_loops *loops = g->call->work.loops;
    int64_t all = g->call->n * g->call->d;
    int64_t at = posenc_i64_share(index, all, g->n_workers), end = posenc_i64_share(index + 1, all, g->n_workers);
    double *totals = (double *)(void *)(g->memory + g->totals);
    for (int64_t part = 0; part < g->n; part++)
        loops->widen(g->memory + g->waiting + (size_t)(part * all + at) * loops->bytes, end - at, totals + at);
}

/* The table as the second factor of sums . table: a term for each row. */
static void pack_table(const posenc_shaw_gather *g) {
    const posenc_shaw_call *call = g->call;
    const posenc_relative_work *work = &call->work;
    char *row = g->memory + g->shared.bytes + g->row;
    for (int64_t r = 0; r < call->n; r++) {
        const char *from = call->table.data + posenc_shaw_place(call, &call->table, call->first + r);
        work->loops->load(work->kernels, call->table.dtype, from, posenc_relative_step(&call->table), call->d, row);
        work->loops->pack_term(g->memory + g->table, call->n, r, row, call->d);
    }
}

/* Rows that no distance reaches have a gradient of zeros. */
static void put_table_gradient(const posenc_shaw_gather *g) {
    const posenc_shaw_call *call = g->call;
    const posenc_relative_tensor *out = &call->table_gradient;
    const double *totals = (const double *)(const void *)(g->memory + g->totals), zero = 0;
    for (int64_t row = 0; row < call->rows; row++) {
        char *to = out->data + posenc_shaw_place(call, out, row);
        bool reached = row >= call->first && row < call->first + call->n;
        for (int64_t l = 0; l < call->d; l++, to += posenc_relative_step(out))
            if (reached || !call->options.accumulate)
                posenc_relative_put(out, to, reached ? totals + (row - call->first) * call->d + l : &zero, 1,
                                    call->scale, call->options.accumulate != 0);
    }
}

static void plan_memory(posenc_shaw_gather *g) {
    const posenc_shaw_call *call = g->call;
    const posenc_relative_work *work = &call->work;
    int64_t n = call->n, d = call->d, longest = most(least(TILE_KEYS, call->keys), most(n, d));
    if (wants_vectors(g)) g->table = posenc_relative_take_panels(&g->shared, work, d, n);
    if (wants_table(g)) {
        g->totals = posenc_relative_take(&g->shared, n, d, sizeof(double));
        int64_t part = 0;
        g->waiting =
            posenc_i64_multiply(n, d, &part) ? posenc_relative_take(&g->shared, g->wave, part, work->loops->bytes) : 0;
        g->by_row = posenc_relative_take_panels(&g->worker, work, n, g->block_rows);
        g->vectors = posenc_relative_take_panels(&g->worker, work, d, g->block_rows);
    }
    if (wants_vectors(g)) {
        g->by_query = posenc_relative_take_panels(&g->worker, work, g->block_rows, n);
        g->product = posenc_relative_take(&g->worker, g->block_rows, d, work->loops->bytes);
    }
    g->sums = posenc_relative_take(&g->worker, 1, n, sizeof(double));
    g->row = posenc_relative_take(&g->worker, 1, longest, work->loops->bytes);
}

static void plan_work(posenc_shaw_gather *g) {
    const posenc_shaw_call *call = g->call;
    double rows = (double)call->batch * (double)call->heads * (double)call->queries;
    bool some = call->queries > 0 && (call->keys > 0 || wants_vectors(g)); /* without keys a table's gradient is 0 */
    g->blocks = some ? (call->queries - 1) / call->block + 1 : 0;
    g->block_rows = least(call->block, call->queries);
    g->n_workers = posenc_relative_slices(call->work.context, rows * (double)call->keys,
                                          2 * rows * (double)call->n * (double)call->d);
    double part = (double)call->n * (double)call->d * (double)call->work.loops->bytes;
    if (wants_table(g)) g->n_workers = (int)posenc_relative_clip((int64_t)(MOST_WAITING / (part + 1)), 1, g->n_workers);
    int64_t all = call->batch * call->heads * g->blocks;
    g->wave = wants_table(g) ? least(all, most(g->n_workers, (int64_t)(WAITING / (part + 1)))) : all;
}

static void do_waves(posenc_shaw_gather *g) {
    int64_t all = g->call->batch * g->call->heads * g->blocks;
    if (wants_vectors(g)) pack_table(g);
    for (g->first = 0; g->first < all; g->first += g->n) {
        g->n = least(g->wave, all - g->first);
        posenc_parallel(g->call->work.context, g->n_workers, gather_slice, g);
        if (wants_table(g)) posenc_parallel(g->call->work.context, g->n_workers, add_slice, g);
    }
}

posenc_status posenc_shaw_gather_ready(posenc_shaw_gather *g, const posenc_shaw_call *call, posenc_error *error) {
    *g = (posenc_shaw_gather){.call = call};
    if (call->d == 0 || (!wants_vectors(g) && !wants_table(g))) return POSENC_OK;
    plan_work(g);
    plan_memory(g);
    g->memory = posenc_relative_allocate(call->work.context, &g->shared, &g->worker, g->n_workers, error);
    return g->memory ? POSENC_OK : POSENC_ERROR_MEMORY;
}

void posenc_shaw_gather_run(posenc_shaw_gather *g) {
    if (!g->memory) return;
    posenc_fpenv saved = posenc_fpenv_enter();
    do_waves(g);
    if (wants_table(g)) put_table_gradient(g);
    posenc_fpenv_leave(saved);
    posenc_release(g->call->work.context, g->memory);
}
