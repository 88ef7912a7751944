/* Scores of clipped relative positions: a block of queries times the rows of the table, then each row of scores copied
 * out of its row of products. What a row needs is made in the cache and written once. */
#include "base/checked.h"
#include "base/cpu.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/threads.h"
#include "schemes/shaw.h"

/* Keys that are laid out at a time: a few rows of them stay in the first-level cache. */
enum { TILE_KEYS = 2048 };

/* One block of queries, and the rows of the table that its distances reach. */
typedef struct block {
    int64_t batch, head, query, n;
    int64_t position; /* of its first query */
    int64_t first, columns;
    char *own; /* the worker's memory */
} block;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static block block_at(const posenc_shaw_spread *s, int64_t index, char *own) {
    const posenc_shaw_call *call = s->call;
    int64_t line = index / s->blocks;
    block b = {
        .batch = line / call->heads, .head = line % call->heads, .query = index % s->blocks * call->block, .own = own};
    b.n = least(call->block, call->queries - b.query);
    b.position = posenc_relative_offset(&call->offsets, b.batch) + b.query;
    b.first = posenc_shaw_row(call, -(b.position + b.n - 1));
    b.first = call->first + (b.first - call->first) / POSENC_PANEL * POSENC_PANEL; /* where a panel begins */
    b.columns = posenc_shaw_row(call, call->keys - 1 - b.position) + 1 - b.first;
    return b;
}

/* products[i, r - first] = scale vectors[i] . table[r] */
static void multiply(const posenc_shaw_spread *s, const block *b) {
    const posenc_shaw_call *call = s->call;
    const posenc_relative_work *work = &call->work;
    for (int64_t i = 0; i < b->n; i++) {
        const char *from = posenc_relative_at(&call->vectors, b->batch, b->head, b->query + i);
        work->loops->load(work->kernels, call->vectors.dtype, from, posenc_relative_step(&call->vectors), call->d,
                          b->own + s->row);
        work->loops->pack_row(b->own + s->vectors, call->d, i, b->own + s->row, call->d);
    }
    size_t begin = (size_t)((b->first - call->first) * call->d) * work->loops->bytes;
    work->loops->multiply(work->kernels, &(posenc_relative_product){.terms = call->d,
                                                                    .a = b->own + s->vectors,
                                                                    .b = s->memory + begin,
                                                                    .a_rows = b->n,
                                                                    .b_rows = b->columns,
                                                                    .c = b->own + s->products,
                                                                    .c_stride = s->columns});
    if (call->scale != 1) work->loops->scale(b->own + s->products, b->n * s->columns, call->scale);
}

static void lay_out(const posenc_shaw_spread *s, const block *b, int64_t i) {
    const posenc_shaw_call *call = s->call;
    const posenc_relative_loops *loops = call->work.loops;
    const char *products = b->own + s->products + (size_t)(i * s->columns) * loops->bytes;
    char *to = posenc_relative_at(&call->scores, b->batch, b->head, b->query + i);
    ptrdiff_t step = posenc_relative_step(&call->scores);
    for (int64_t key = 0; key < call->keys; key += TILE_KEYS) {
        int64_t n = least(TILE_KEYS, call->keys - key);
        posenc_shaw_run run = posenc_shaw_run_at(call, b->position + i, key, n);
        loops->spread(products, run.from - b->first, call->rows - 1 - b->first, run.before, run.end, n,
                      b->own + s->row);
        loops->store(call->work.kernels, call->scores.dtype, b->own + s->row, to + key * step, step, n,
                     call->options.accumulate != 0, s->stream);
    }
}

static void spread_slice(void *argument, int index) {
    const posenc_shaw_spread *s = argument;
    char *own = s->memory + s->shared.bytes + (size_t)index * s->worker.bytes;
    int64_t blocks = s->call->batch * s->call->heads * s->blocks;
    int64_t at = posenc_i64_share(index, blocks, s->n_workers), end = posenc_i64_share(index + 1, blocks, s->n_workers);
    for (; at < end; at++) {
        block b = block_at(s, at, own);
        multiply(s, &b);
        for (int64_t i = 0; i < b.n; i++) lay_out(s, &b, i);
    }
}

static void pack_table(const posenc_shaw_spread *s) {
    const posenc_shaw_call *call = s->call;
    const posenc_relative_work *work = &call->work;
    char *row = s->memory + s->shared.bytes + s->row;
    for (int64_t r = 0; r < call->n; r++) {
        const char *from = call->table.data + posenc_shaw_place(call, &call->table, call->first + r);
        work->loops->load(work->kernels, call->table.dtype, from, posenc_relative_step(&call->table), call->d, row);
        work->loops->pack_row(s->memory, call->d, r, row, call->d);
    }
}

static void plan_work(posenc_shaw_spread *s) {
    const posenc_shaw_call *call = s->call;
    double elements = (double)call->batch * (double)call->heads * (double)call->queries;
    s->blocks = (call->queries - 1) / call->block + 1;
    s->columns = least(call->n, least(call->block, call->queries) + call->keys + POSENC_PANEL);
    s->n_workers = posenc_relative_slices(call->work.context, elements * (double)call->keys,
                                          elements * (double)s->columns * (double)call->d);
    s->stream = elements * (double)call->keys * (double)call->work.loops->bytes >= (double)posenc_cache_bytes() / 2;
}

posenc_status posenc_shaw_spread_ready(posenc_shaw_spread *s, const posenc_shaw_call *call, posenc_error *error) {
    const posenc_relative_work *work = &call->work;
    *s = (posenc_shaw_spread){.call = call};
    if (call->batch == 0 || call->heads == 0 || call->queries == 0 || call->keys == 0) return POSENC_OK;
    plan_work(s);
    int64_t queries = least(call->block, call->queries), tile = least(TILE_KEYS, call->keys);
    posenc_relative_take_panels(&s->shared, work, call->n, call->d);
    s->vectors = posenc_relative_take_panels(&s->worker, work, queries, call->d);
    s->products = posenc_relative_take(&s->worker, queries, s->columns, work->loops->bytes);
    s->row = posenc_relative_take(&s->worker, 1, tile > call->d ? tile : call->d, work->loops->bytes);
    s->memory = posenc_relative_allocate(work->context, &s->shared, &s->worker, s->n_workers, error);
    return s->memory ? POSENC_OK : POSENC_ERROR_MEMORY;
}

void posenc_shaw_spread_run(posenc_shaw_spread *s) {
    if (!s->memory) return;
    posenc_fpenv saved = posenc_fpenv_enter();
    pack_table(s);
    posenc_fpenv_leave(saved);
    posenc_parallel(s->call->work.context, s->n_workers, spread_slice, s);
    posenc_release(s->call->work.context, s->memory);
}
