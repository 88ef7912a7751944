/* Scores of Transformer-XL, tile by tile: the products of a block of queries with some keys, and with the distances
 * between them; a row of the one and a window into a row of the other are added up. */
#include "base/checked.h"
#include "base/fpenv.h"
#include "base/threads.h"
#include "schemes/transformer_xl.h"

enum { QUERIES = POSENC_XL_QUERIES, KEYS = POSENC_XL_KEYS, DISTANCES = QUERIES + KEYS };

typedef struct scores {
    posenc_xl_pass pass;
    size_t with_u, with_v, keys, distances; /* panels */
    size_t content, position;               /* products */
} scores;

typedef struct tile {
    int64_t batch, g, head, query, n, key, n_keys;
    int64_t position;              /* of the first query */
    int64_t distance, n_distances; /* between the last query and the first key, and on */
    char *own;
} tile;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void load_queries(const scores *s, const tile *t) {
    const posenc_xl_call *call = s->pass.call;
    char *row = t->own + s->pass.own;
    for (int64_t i = 0; i < t->n; i++) {
        posenc_xl_load_query(call, &call->u, t->batch, t->head, t->query + i, row);
        call->work.loops->pack_row(t->own + s->with_u, call->d, i, row, call->d);
        posenc_xl_load_query(call, &call->v, t->batch, t->head, t->query + i, row);
        call->work.loops->pack_row(t->own + s->with_v, call->d, i, row, call->d);
    }
}

static void load_tile(const scores *s, const tile *t) {
    const posenc_xl_call *call = s->pass.call;
    char *row = t->own + s->pass.own;
    for (int64_t j = 0; j < t->n_keys; j++) {
        posenc_xl_load(call, &call->k, posenc_relative_at(&call->k, t->batch, t->head, t->key + j), call->d, row);
        call->work.loops->pack_row(t->own + s->keys, call->d, j, row, call->d);
    }
    for (int64_t e = 0; e < t->n_distances; e++)
        call->work.loops->pack_row(t->own + s->distances, call->d, e,
                                   posenc_xl_position_row(&s->pass, t->g, t->distance + e), call->d);
}

static void multiply(const scores *s, const tile *t) {
    const posenc_relative_work *work = &s->pass.call->work;
    posenc_relative_product product = {.terms = s->pass.call->d,
                                       .a = t->own + s->with_u,
                                       .b = t->own + s->keys,
                                       .a_rows = t->n,
                                       .b_rows = t->n_keys,
                                       .c = t->own + s->content,
                                       .c_stride = KEYS};
    work->loops->multiply(work->kernels, &product);
    product.a = t->own + s->with_v;
    product.b = t->own + s->distances;
    product.b_rows = t->n_distances;
    product.c = t->own + s->position;
    product.c_stride = DISTANCES;
    work->loops->multiply(work->kernels, &product);
}

static void put_rows(const scores *s, const tile *t) {
    const posenc_xl_call *call = s->pass.call;
    const posenc_relative_loops *loops = call->work.loops;
    char *row = t->own + s->pass.own;
    ptrdiff_t step = posenc_relative_step(&call->scores);
    for (int64_t i = 0; i < t->n; i++) {
        int64_t position = t->position + i, n = posenc_xl_seen(call, position, t->key, t->n_keys);
        if (n == 0) continue;
        int64_t from = t->key - position - t->distance; /* where the row's distances begin: the shift */
        loops->blend(t->own + s->content + posenc_xl_bytes(&s->pass, i * KEYS),
                     t->own + s->position + posenc_xl_bytes(&s->pass, i * DISTANCES + from), n, call->options.scale,
                     row);
        loops->store(call->work.kernels, call->scores.dtype, row,
                     posenc_relative_at(&call->scores, t->batch, t->head, t->query + i) + t->key * step, step, n, false,
                     false);
    }
}

static void do_block(const scores *s, int64_t unit, char *own) {
    const posenc_xl_call *call = s->pass.call;
    int64_t line = unit / s->pass.blocks;
    tile t = {.batch = line / s->pass.n_heads, .g = line % s->pass.n_heads, .own = own};
    t.head = s->pass.head + t.g;
    t.query = unit % s->pass.blocks * QUERIES;
    t.n = least(QUERIES, call->queries - t.query);
    t.position = posenc_xl_position(call, t.query);
    load_queries(s, &t);
    for (; t.key < call->keys; t.key += KEYS) {
        t.n_keys = posenc_xl_seen(call, t.position + t.n - 1, t.key, least(KEYS, call->keys - t.key));
        if (t.n_keys == 0) break;
        t.distance = t.key - (t.position + t.n - 1);
        t.n_distances = least(t.n_keys + t.n - 1, call->low + call->rows - t.distance);
        load_tile(s, &t);
        multiply(s, &t);
        put_rows(s, &t);
    }
}

static void score_slice(void *argument, int index) {
    const scores *s = argument;
    int64_t units = s->pass.call->batch * s->pass.n_heads * s->pass.blocks;
    int64_t at = posenc_i64_share(index, units, s->pass.n_workers);
    int64_t end = posenc_i64_share(index + 1, units, s->pass.n_workers);
    for (; at < end; at++) do_block(s, at, posenc_xl_own(&s->pass, index));
}

static void take_memory(scores *s) {
    const posenc_xl_call *call = s->pass.call;
    const posenc_relative_work *work = &call->work;
    posenc_relative_room *own = &s->pass.worker;
    posenc_xl_take_positions(&s->pass);
    s->with_u = posenc_relative_take_panels(own, work, QUERIES, call->d);
    s->with_v = posenc_relative_take_panels(own, work, QUERIES, call->d);
    s->keys = posenc_relative_take_panels(own, work, KEYS, call->d);
    s->distances = posenc_relative_take_panels(own, work, DISTANCES, call->d);
    s->content = posenc_relative_take(own, QUERIES, KEYS, work->loops->bytes);
    s->position = posenc_relative_take(own, QUERIES, DISTANCES, work->loops->bytes);
    s->pass.own = posenc_relative_take(own, 2, call->d > KEYS ? call->d : KEYS, work->loops->bytes);
}

static void run(scores *s) {
    const posenc_xl_call *call = s->pass.call;
    posenc_fpenv saved = posenc_fpenv_enter();
    for (s->pass.head = 0; s->pass.head < call->heads; s->pass.head += s->pass.n_heads) {
        s->pass.n_heads = least(s->pass.group, call->heads - s->pass.head);
        posenc_xl_make_positions(&s->pass);
        posenc_parallel(call->work.context, s->pass.n_workers, score_slice, s);
    }
    posenc_fpenv_leave(saved);
}

posenc_status posenc_xl_scores(const posenc_context *context, const posenc_xl_options *options, const DLTensor *q,
                               const DLTensor *k, const DLTensor *u, const DLTensor *v, const DLTensor *w,
                               DLTensor *out, posenc_error *error) {
    const posenc_relative_named tensors[] = {{q, "q"}, {k, "k"}, {u, "u"}, {v, "v"}, {w, "w"}, {out, "scores"}};
    posenc_xl_call call;
    scores s;
    posenc_status status = posenc_xl_open(&call, context, options, tensors, error);
    if (status == POSENC_OK) status = posenc_relative_check_output(out, "scores", tensors, 5, error);
    if (status != POSENC_OK || call.rows == 0 || call.batch == 0 || call.heads == 0) return status;
    status = posenc_xl_pass_begin(&s.pass, &call, error);
    if (status != POSENC_OK) return status;
    take_memory(&s);
    status = posenc_xl_pass_allocate(&s.pass, error);
    if (status != POSENC_OK) return status;
    run(&s);
    posenc_xl_pass_end(&s.pass);
    return POSENC_OK;
}
