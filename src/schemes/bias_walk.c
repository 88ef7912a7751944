/* The walk: scores are cut into tiles of queries and keys, tiles at packed sequences into parts, parts at the diagonal
 * of a causal mask into rows that see all, some or none of their keys. Threads share the tiles. */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "schemes/bias_call.h"

/* So many distances that a line in f32 stays in the first-level cache, and makes many times its size in scores. */
enum { TILE_QUERIES = 256, TILE_KEYS = 4096 };

/* Elements of the rows of a window that are made at a time: they stay in the second-level cache. */
enum { WINDOW_ELEMENTS = 1 << 15 };

typedef struct walk {
    const posenc_bias_call *call;
    posenc_bias_work *work;
    int64_t tile_queries, tile_keys; /* most of a tile */
    int64_t q_tiles, k_tiles;
    size_t line_bytes, row_bytes, worker_bytes;
    char *memory;
    bool stream;
    int n_workers;
} walk;

/* A thread's part. */
typedef struct worker {
    const walk *w;
    char *line;
    posenc_bias_scratch scratch;
    int64_t made; /* which rows of a window the line holds */
} worker;

static size_t score_bytes(const posenc_bias_call *call) { return posenc_dtype_bytes(call->scores.dtype); }

static char *scores_at(const posenc_bias_call *call, const posenc_bias_part *part, int64_t i, int64_t key) {
    const posenc_bias_scores *s = &call->scores;
    return s->data + part->batch * s->batch_bytes + part->head * s->head_bytes +
           (part->first_query + i) * s->query_bytes + key * s->key_bytes;
}

/* ---- rows ---- */

/* Keys key..end_key-1 of rows from i on; each later row begins shrink keys further on. */
static void mask_rows(const worker *w, const posenc_bias_part *part, int64_t i, int64_t rows, int64_t key,
                      int64_t end_key, int64_t shrink) {
    if (rows == 0 || key >= end_key) return;
    const posenc_bias_call *call = w->w->call;
    posenc_bias_rows masked = {
        .rows = rows, .n = end_key - key, .scores = scores_at(call, part, i, key), .shrink = shrink};
    w->w->work(call, &masked, &w->scratch);
}

static void do_rows(const worker *w, const posenc_bias_part *part, int64_t i, int64_t rows, int64_t n,
                    const char *values, ptrdiff_t values_bytes) {
    const posenc_bias_call *call = w->w->call;
    posenc_bias_rows seen = {.rows = rows,
                             .n = n,
                             .scores = scores_at(call, part, i, part->first_key),
                             .values = values,
                             .values_bytes = values_bytes};
    if (rows > 0) w->w->work(call, &seen, &w->scratch);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* A line serves all rows: that of row 0 begins at its end. The first rows see no key, or those at the diagonal one more
 * each, the last ones all. */
static void do_line(const worker *w, const posenc_bias_part *part) {
    const posenc_bias_call *call = w->w->call;
    ptrdiff_t step = (ptrdiff_t)posenc_dtype_bytes(call->line_dtype) * part->key_step;
    int64_t rows = part->n_queries, n = part->end_key - part->first_key, before = (rows - 1) * part->key_step;
    int64_t blind = least(most(1 - part->behind, 0), rows), whole = least(most(n - part->behind, blind), rows);
    posenc_bias_line(call, part->head, part->distance - before, before + n, w->line);
    mask_rows(w, part, 0, blind, part->first_key, part->end_key, 0);
    for (int64_t i = blind; i < whole; i++)
        do_rows(w, part, i, 1, posenc_bias_seen(part, i), w->line + (rows - 1 - i) * step, 0);
    mask_rows(w, part, blind, whole - blind, part->first_key + part->behind + blind, part->end_key, 1);
    do_rows(w, part, whole, rows - whole, n, w->line + (rows - 1 - whole) * step, -step);
}

/* The rows of a window, whole: each is a piece of the table for each of its lines. */
static void make_window(const worker *w, const posenc_bias_part *part) {
    const posenc_bias_call *call = w->w->call;
    const posenc_bias *bias = call->bias;
    size_t element = posenc_dtype_bytes(call->line_dtype), piece = (size_t)bias->window[1] * element;
    char *to = w->line + (size_t)bias->table_rows * element;
    posenc_bias_window_line(call, part->head, w->line);
    for (int64_t i = 0; i < part->n_queries; i++) {
        int64_t query = call->extent.first_query + part->first_query + i;
        for (int64_t hk = 0; hk < bias->window[0]; hk++, to += piece) {
            int64_t at = posenc_bias_window_row(bias, query / bias->window[1], query % bias->window[1], hk);
            memcpy(to, w->line + (size_t)(bias->table_rows - 1 - at) * element, piece);
        }
    }
}

static void do_window(const worker *w, const posenc_bias_part *part) {
    const posenc_bias_call *call = w->w->call;
    size_t element = posenc_dtype_bytes(call->line_dtype);
    const char *rows = w->line + (size_t)(call->bias->table_rows + call->extent.first_key) * element;
    do_rows(w, part, 0, part->n_queries, call->scores.keys, rows,
            (ptrdiff_t)(element * (size_t)posenc_bias_tokens(call->bias)));
}

/* ---- tiles ---- */

static void do_part(const worker *w, const posenc_bias_part *part, int64_t first_key, int64_t end_key) {
    mask_rows(w, part, 0, part->n_queries, first_key, part->first_key, 0);
    if (part->first_key < part->end_key) do_line(w, part);
    mask_rows(w, part, 0, part->n_queries, part->end_key, end_key, 0);
}

static void do_tile(worker *w, int64_t tile) {
    const walk *a = w->w;
    const posenc_bias_scores *s = &a->call->scores;
    int64_t k = tile % a->k_tiles * a->tile_keys, q = tile / a->k_tiles % a->q_tiles * a->tile_queries;
    int64_t line = tile / a->k_tiles / a->q_tiles, end_key = least(k + a->tile_keys, s->keys);
    int64_t end_query = least(q + a->tile_queries, s->queries);
    while (q < end_query) {
        posenc_bias_part part =
            posenc_bias_part_at(a->call, line / s->heads, line % s->heads, q, end_query - q, k, end_key);
        do_part(w, &part, k, end_key);
        q += part.n_queries;
    }
}

/* Of windows the batch comes last, so that the rows of a head are made once for all of it. */
static void do_window_tile(worker *w, int64_t tile) {
    const walk *a = w->w;
    const posenc_bias_scores *s = &a->call->scores;
    int64_t made = tile / s->batch, q = made % a->q_tiles * a->tile_queries;
    posenc_bias_part part = posenc_bias_part_at(a->call, tile % s->batch, made / a->q_tiles, q,
                                                least(a->tile_queries, s->queries - q), 0, s->keys);
    if (w->made != made) make_window(w, &part);
    w->made = made;
    do_window(w, &part);
}

/* ---- threads ---- */

static void fill_masked(const walk *w, char *masked) {
    static const uint64_t patterns[] = {[POSENC_F32] = 0xFF800000FF800000,
                                        [POSENC_F64] = 0xFFF0000000000000,
                                        [POSENC_F16] = 0xFC00FC00FC00FC00,
                                        [POSENC_BF16] = 0xFF80FF80FF80FF80};
    if (!w->call->options.causal && !w->call->options.cu_seqlens) return;
    const uint64_t *pattern = &patterns[w->call->scores.dtype];
    for (size_t i = 0; i < w->row_bytes; i += sizeof *pattern) memcpy(masked + i, pattern, sizeof *pattern);
}

static void walk_slice(void *argument, int index) {
    const walk *w = argument;
    char *memory = w->memory + (size_t)index * w->worker_bytes;
    worker own = {w, memory, {memory + w->line_bytes, memory + w->line_bytes + w->row_bytes, w->stream}, -1};
    const posenc_bias_scores *s = &w->call->scores;
    int64_t tiles = s->batch * s->heads * w->q_tiles * w->k_tiles;
    int64_t tile = posenc_i64_share(index, tiles, w->n_workers), end = posenc_i64_share(index + 1, tiles, w->n_workers);
    fill_masked(w, own.scratch.masked);
    bool window = w->call->bias->source == POSENC_BIAS_WINDOW;
    for (; tile < end; tile++) (window ? do_window_tile : do_tile)(&own, tile);
}

static size_t round_up(size_t bytes) { return (bytes + POSENC_ALIGNMENT - 1) / POSENC_ALIGNMENT * POSENC_ALIGNMENT; }

/* A line holds the distances of a tile; of a window the table and whole rows. */
static int64_t plan_line(walk *w) {
    const posenc_bias_call *call = w->call;
    const posenc_bias_scores *s = &call->scores;
    if (call->bias->source != POSENC_BIAS_WINDOW) {
        w->tile_queries = least(TILE_QUERIES, s->queries);
        w->tile_keys = least(TILE_KEYS, s->keys);
        return w->tile_queries + w->tile_keys;
    }
    int64_t tokens = posenc_bias_tokens(call->bias);
    w->tile_queries = least(most(WINDOW_ELEMENTS / tokens, 1), s->queries);
    w->tile_keys = s->keys;
    return call->bias->table_rows + w->tile_queries * tokens;
}

static void plan_tiles(walk *w) {
    const posenc_bias_call *call = w->call;
    const posenc_bias_scores *s = &call->scores;
    w->line_bytes = round_up((size_t)plan_line(w) * posenc_dtype_bytes(call->line_dtype));
    w->row_bytes = round_up((size_t)w->tile_keys * score_bytes(call));
    w->worker_bytes = w->line_bytes + 2 * w->row_bytes;
    w->q_tiles = (s->queries + w->tile_queries - 1) / w->tile_queries;
    w->k_tiles = (s->keys + w->tile_keys - 1) / w->tile_keys;
}

posenc_status posenc_bias_walk(const posenc_bias_call *call, posenc_bias_work *work, posenc_error *error) {
    const posenc_bias_scores *s = &call->scores;
    const posenc_context *context = call->plan->context;
    walk w = {.call = call, .work = work};
    if (s->batch == 0 || s->heads == 0 || s->queries == 0 || s->keys == 0) return POSENC_OK;
    plan_tiles(&w);
    double bytes =
        (double)s->batch * (double)s->heads * (double)s->queries * (double)s->keys * (double)score_bytes(call);
    size_t worth = bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX / 2, memory;
    w.stream = worth >= call->plan->stream_bytes;
    w.n_workers = posenc_slices(context, worth);
    if (!posenc_size_multiply((size_t)w.n_workers, w.worker_bytes, &memory)) memory = SIZE_MAX;
    w.memory = posenc_allocate(context, memory);
    if (!w.memory) return posenc_fail_memory(error, "scratch", memory);
    posenc_parallel(context, w.n_workers, walk_slice, &w);
    posenc_release(context, w.memory);
    return POSENC_OK;
}
