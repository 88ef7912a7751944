/* Sums of gradients by distance. A sum belongs to one unit, so to one thread, and takes batch rows and queries one
 * after the other: no thread changes its bits. */
#include "schemes/bias_sums.h"

#include <string.h>

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* sums += gradients of keys key..key+n-1 of a query. */
static void sum_keys(const posenc_bias_unit *u, int64_t batch, int64_t query, int64_t key, int64_t n, double *sums) {
    const posenc_bias_scores *s = &u->b->call->scores;
    size_t bytes = posenc_dtype_bytes(s->dtype);
    const char *from =
        s->data + batch * s->batch_bytes + u->head * s->head_bytes + query * s->query_bytes + key * s->key_bytes;
    if (!s->packed) {
        for (int64_t i = 0; i < n; i++) memcpy(u->row + (size_t)i * bytes, from + i * s->key_bytes, bytes);
        from = u->row;
    }
    posenc_sum_job job = {.n = (size_t)n, .rows = {.rows = 1, .x = {from}}, .sums = sums};
    job.next = &job.rows;
    u->b->kernels->sum[s->dtype](&job);
}

/* Row by row: the keys whose distances are the unit's, as far as the masks leave them. */
static void sum_distances(const posenc_bias_unit *u, int64_t batch) {
    const posenc_bias_call *call = u->b->call;
    const posenc_bias_scores *s = &call->scores;
    bool alike = posenc_bias_rows_alike(u->b);
    int64_t end = u->first + u->n, last = s->queries - 1;
    int64_t query = alike ? 0 : most(0, last - (end - 1)), end_query = s->queries;
    if (!alike) end_query = least(s->queries, last - u->first + s->keys);
    for (; query < end_query; query++) {
        int64_t origin = alike ? 0 : last - query; /* the sum that key 0 belongs to */
        posenc_bias_part part = posenc_bias_part_at(call, batch, u->head, query, 1, 0, s->keys);
        int64_t key = most(u->first - origin, part.first_key);
        int64_t end_key = least(end - origin, part.first_key + posenc_bias_seen(&part, 0));
        if (key < end_key) sum_keys(u, batch, query, key, end_key - key, u->sums + (origin + key - u->first));
    }
}

/* A unit is one line of the table, so one difference of heights; each query adds one line of its keys. */
static void sum_window(const posenc_bias_unit *u, int64_t batch) {
    const posenc_bias_call *call = u->b->call;
    const posenc_bias_extent *e = &call->extent;
    int64_t height = call->bias->window[0], width = call->bias->window[1];
    int64_t down = u->first / (2 * width - 1) - (height - 1);
    for (int64_t query = e->first_query; query < e->first_query + e->n_queries; query++) {
        int64_t h = query / width + down, w = query % width;
        if (h < 0 || h >= height) continue;
        int64_t key = most(h * width, e->first_key), end_key = least((h + 1) * width, e->first_key + e->n_keys);
        if (key < end_key)
            sum_keys(u, batch, query - e->first_query, key - e->first_key, end_key - key,
                     u->sums + (width - 1 - w) + (key - h * width));
    }
}

posenc_bias_unit posenc_bias_unit_at(const posenc_bias_sums *b, int64_t i) {
    int64_t first = (b->first_unit + i) % b->blocks * b->block;
    return (posenc_bias_unit){.b = b,
                              .head = (b->first_unit + i) / b->blocks,
                              .first = first,
                              .n = least(b->block, b->length - first),
                              .sums = b->sums + i * b->block};
}

void posenc_bias_sum_units(void *sums, int index) {
    const posenc_bias_sums *b = sums;
    for (int64_t i = index; i < b->n_units; i += b->n_workers) {
        posenc_bias_unit u = posenc_bias_unit_at(b, i);
        u.row = b->rows + (size_t)index * (size_t)b->block * sizeof(double);
        memset(u.sums, 0, (size_t)u.n * sizeof *u.sums);
        for (int64_t batch = b->first_batch; batch < b->end_batch; batch++)
            (posenc_bias_is_window(b) ? sum_window : sum_distances)(&u, batch);
    }
}
