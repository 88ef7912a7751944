/* Scores of Transformer-XL, tile by tile: the products of a block of queries with some keys, and with the distances
 * between them; a row of the one and a window into a row of the other are added up. From one tile of a block to the
 * next, most of the distances are others, and the products with those that stay are kept. */
#include <string.h>

#include "base/checked.h"
#include "base/cpu.h"
#include "base/fpenv.h"
#include "base/threads.h"
#include "schemes/transformer_xl.h"

/* A tile's factors and products stay in the second-level cache, for d = 64. Keys are put into panels some tiles at a
 * time, for all blocks of a line. */
enum {
    QUERIES = 96,
    KEYS = 240,
    DISTANCES = QUERIES + KEYS + 2 * POSENC_PANEL, /* whole panels of them */
    SOME_KEYS = 16 * KEYS
};

typedef struct scores {
    posenc_xl_pass pass;
    size_t with_u, with_v, keys; /* panels */
    size_t content, position;    /* products */
    int64_t columns, distances;  /* of them */
    bool stream;
} scores;

/* Keys first..first+n-1 of a line, in panels. */
typedef struct some_keys {
    int64_t first, n;
} some_keys;

typedef struct tile {
    int64_t batch, g, head, query, n, key, n_keys;
    int64_t position; /* of the first query */
    /* distances whose products are there, counted from low; the first of a panel, and one past the last */
    int64_t first, end;
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

static void load_keys(const scores *s, const tile *line, const some_keys *keys) {
    const posenc_xl_call *call = s->pass.call;
    char *row = line->own + s->pass.own;
    for (int64_t j = 0; j < keys->n; j++) {
        const char *from = posenc_relative_at(&call->k, line->batch, line->head, keys->first + j);
        posenc_xl_load(call, &call->k, from, call->d, row);
        call->work.loops->pack_row(line->own + s->keys, call->d, j, row, call->d);
    }
}

/* Where the distances of the i-th query and the tile's first key are, counted from low. */
static int64_t distance_of(const scores *s, const tile *t, int64_t i) {
    return t->key - (t->position + i) - s->pass.call->low;
}

static void multiply_keys(const scores *s, const tile *t, const some_keys *keys) {
    const posenc_relative_work *work = &s->pass.call->work;
    int64_t d = s->pass.call->d;
    posenc_relative_product product = {.terms = d,
                                       .a = t->own + s->with_u,
                                       .b = t->own + s->keys + posenc_xl_bytes(&s->pass, (t->key - keys->first) * d),
                                       .a_rows = t->n,
                                       .b_rows = t->n_keys,
                                       .c = t->own + s->content,
                                       .c_stride = s->columns};
    work->loops->multiply(work->kernels, &product);
}

/* Moves products that the tile needs again to the front. */
static void keep_distances(const scores *s, tile *t) {
    int64_t first = distance_of(s, t, t->n - 1) / POSENC_PANEL * POSENC_PANEL, kept = t->end - first;
    if (kept <= 0) {
        t->first = t->end = first;
        return;
    }
    char *row = t->own + s->position;
    for (int64_t i = 0; i < t->n; i++, row += posenc_xl_bytes(&s->pass, s->distances))
        memmove(row, row + posenc_xl_bytes(&s->pass, first - t->first), posenc_xl_bytes(&s->pass, kept));
    t->first = first;
}

static void multiply_distances(const scores *s, tile *t) {
    const posenc_xl_call *call = s->pass.call;
    keep_distances(s, t);
    int64_t end = least(posenc_xl_padded(distance_of(s, t, 0) + t->n_keys), call->rows);
    if (end <= t->end) return;
    posenc_relative_product product = {.terms = call->d,
                                       .a = t->own + s->with_v,
                                       .b = posenc_xl_positions_at(&s->pass, t->g, t->end),
                                       .a_rows = t->n,
                                       .b_rows = end - t->end,
                                       .c = t->own + s->position + posenc_xl_bytes(&s->pass, t->end - t->first),
                                       .c_stride = s->distances};
    call->work.loops->multiply(call->work.kernels, &product);
    t->end = end;
}

/* Keys of the tile that the i-th query sees. */
static int64_t seen(const scores *s, const tile *t, int64_t i) {
    return posenc_xl_seen(s->pass.call, t->position + i, t->key, t->n_keys);
}

/* The scores, where content was. */
static void blend_rows(const scores *s, const tile *t) {
    const posenc_xl_call *call = s->pass.call;
    for (int64_t i = 0; i < t->n; i++) {
        char *row = t->own + s->content + posenc_xl_bytes(&s->pass, i * s->columns);
        int64_t from = i * s->distances + distance_of(s, t, i) - t->first; /* where its distances begin: the shift */
        call->work.loops->blend(row, t->own + s->position + posenc_xl_bytes(&s->pass, from), seen(s, t, i),
                                call->options.scale, row);
    }
}

static char *scores_at(const scores *s, const tile *t, int64_t i) {
    const posenc_relative_tensor *out = &s->pass.call->scores;
    return posenc_relative_at(out, t->batch, t->head, t->query + i) + t->key * posenc_relative_step(out);
}

static void store_rows(const scores *s, const tile *t) {
    const posenc_xl_call *call = s->pass.call;
    const posenc_relative_tensor *out = &call->scores;
    for (int64_t i = 0; i < t->n; i++)
        call->work.loops->store(call->work.kernels, out->dtype,
                                t->own + s->content + posenc_xl_bytes(&s->pass, i * s->columns), scores_at(s, t, i),
                                posenc_relative_step(out), seen(s, t, i), false, false);
}

/* All rows of a tile that is seen as a whole, around the caches. */
static void stream_rows(const scores *s, const tile *t) {
    const posenc_relative_tensor *out = &s->pass.call->scores;
    s->pass.call->work.kernels->windows(
        &(posenc_windows_job){.rows = (size_t)t->n,
                              .n = posenc_xl_bytes(&s->pass, t->n_keys),
                              .from = t->own + s->content,
                              .from_bytes = (ptrdiff_t)posenc_xl_bytes(&s->pass, s->columns),
                              .to = scores_at(s, t, 0),
                              .to_bytes = out->bytes[2],
                              .stream = true});
}

static void do_block(const scores *s, tile t, int64_t block, const some_keys *keys) {
    const posenc_xl_call *call = s->pass.call;
    t.query = block * QUERIES;
    t.n = least(QUERIES, call->queries - t.query);
    t.position = posenc_xl_position(call, t.batch, t.query);
    if (posenc_xl_seen(call, t.position + t.n - 1, keys->first, 1) == 0) return;
    load_queries(s, &t);
    for (t.key = keys->first; t.key < keys->first + keys->n; t.key += KEYS) {
        t.n_keys = posenc_xl_seen(call, t.position + t.n - 1, t.key, least(KEYS, keys->first + keys->n - t.key));
        if (t.n_keys == 0) break;
        multiply_keys(s, &t, keys);
        multiply_distances(s, &t);
        blend_rows(s, &t);
        (s->stream && seen(s, &t, 0) == t.n_keys ? stream_rows : store_rows)(s, &t);
    }
}

/* Blocks first..end-1 of a line: some keys after the others. */
static void do_line(const scores *s, int64_t line, int64_t first, int64_t end, char *own) {
    const posenc_xl_call *call = s->pass.call;
    tile t = {.batch = line / s->pass.n_heads, .g = line % s->pass.n_heads, .own = own};
    t.head = s->pass.head + t.g;
    int64_t last = posenc_xl_position(call, t.batch, least(end * QUERIES, call->queries) - 1); /* position */
    for (some_keys keys = {0, 0}; keys.first < call->keys; keys.first += SOME_KEYS) {
        keys.n = posenc_xl_seen(call, last, keys.first, least(SOME_KEYS, call->keys - keys.first));
        if (keys.n == 0) break;
        load_keys(s, &t, &keys);
        for (int64_t block = first; block < end; block++) do_block(s, t, block, &keys);
    }
}

static void score_slice(void *argument, int index) {
    const scores *s = argument;
    int64_t blocks = s->pass.blocks, units = s->pass.call->batch * s->pass.n_heads * blocks;
    int64_t at = posenc_i64_share(index, units, s->pass.n_workers);
    int64_t end = posenc_i64_share(index + 1, units, s->pass.n_workers);
    while (at < end) {
        int64_t line = at / blocks, line_end = least(end, (line + 1) * blocks);
        do_line(s, line, at - line * blocks, line_end - line * blocks, posenc_xl_own(&s->pass, index));
        at = line_end;
    }
}

static void take_memory(scores *s) {
    const posenc_xl_call *call = s->pass.call;
    const posenc_relative_work *work = &call->work;
    posenc_relative_room *own = &s->pass.worker;
    int64_t queries = least(QUERIES, call->queries);
    posenc_xl_take_positions(&s->pass, POSENC_XL_BY_DISTANCE);
    s->columns = least(KEYS, call->keys);
    s->distances = least(DISTANCES, posenc_xl_padded(call->rows));
    s->with_u = posenc_relative_take_panels(own, work, queries, call->d);
    s->with_v = posenc_relative_take_panels(own, work, queries, call->d);
    s->keys = posenc_relative_take_panels(own, work, least(SOME_KEYS, call->keys), call->d);
    s->content = posenc_relative_take(own, queries, s->columns, work->loops->bytes);
    s->position = posenc_relative_take(own, queries, s->distances, work->loops->bytes);
    s->pass.own = posenc_relative_take(own, 2, call->d, work->loops->bytes);
    size_t element = posenc_dtype_bytes(call->scores.dtype);
    double bytes =
        (double)call->batch * (double)call->heads * (double)call->queries * (double)call->keys * (double)element;
    s->stream = element == work->loops->bytes && posenc_relative_step(&call->scores) == (ptrdiff_t)element &&
                bytes >= (double)posenc_cache_bytes() / 2;
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
    posenc_relative_named tensors[7] = {{q, "q"}, {k, "k"},     {u, "u"},       {v, "v"},
                                        {w, "w"}, {NULL, NULL}, {out, "scores"}};
    posenc_xl_call call;
    scores s;
    posenc_status status = posenc_xl_open(&call, context, options, tensors, error);
    if (status == POSENC_OK) status = posenc_relative_check_output(out, "scores", tensors, 6, error);
    if (status != POSENC_OK || call.rows == 0 || call.batch == 0 || call.heads == 0) return status;
    status = posenc_xl_pass_begin(&s.pass, &call, QUERIES, error);
    if (status != POSENC_OK) return status;
    take_memory(&s);
    status = posenc_xl_pass_allocate(&s.pass, error);
    if (status != POSENC_OK) return status;
    run(&s);
    posenc_xl_pass_end(&s.pass);
    return POSENC_OK;
}
