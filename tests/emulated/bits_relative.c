/* Relative encodings through vectors: all calls of clipped relative positions and of Transformer-XL, over widths that
 * end within a vector, a panel and a part of a product, and once over more queries, keys and rows than one block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"

static const posenc_dtype dtypes[] = {POSENC_F32, POSENC_F64, POSENC_F16, POSENC_BF16};

typedef struct size {
    int d, queries, keys;
    int batch, heads, clip;
    int step; /* elements from one to the next along the last axis */
} size;

/* Blocks are 192 queries of Shaw's and 120 by 480 of Transformer-XL's; a run of a product is 256 terms. The widest is
 * work for several threads. */
static const size sizes[] = {
    {1, 9, 9, 2, 2, 3, 1},     {8, 5, 40, 2, 2, 0, 1},      {20, 13, 21, 2, 2, 40, 2},
    {64, 30, 33, 1, 3, 10, 1}, {100, 110, 90, 2, 3, 60, 1}, {8, 200, 490, 1, 1, 180, 1},
};

/* The tensors of a case, one behind the other in one allocation. */
enum { MOST_TENSORS = 16, ROOM = 8 << 20 };

typedef struct tensors {
    const size *size;
    char *memory;
    size_t used;
    posenc_view views[MOST_TENSORS];
    int n;
} tensors;

/* How a number of each dtype is put together: bits of its fraction, exponent field of 1/2..1. */
static const struct {
    int fraction, half;
} formats[] = {[POSENC_F32] = {23, 126}, [POSENC_F64] = {52, 1022}, [POSENC_F16] = {10, 14}, [POSENC_BF16] = {7, 126}};

/* Most numbers lie between 1/256 and 1, so that every sum is rounded; one of eight has any exponent below. */
static void fill(void *data, size_t n, posenc_dtype dtype, uint64_t seed) {
    const size_t bytes = posenc_dtype_bytes(dtype);
    const int fraction = formats[dtype].fraction;
    bits_fill_random(data, n, dtype, seed);
    for (size_t i = 0; i < n; i++) {
        if (i % 8 == 5) continue;
        const uint64_t bits = bits_next_random(&seed), sign = bits >> 63 << (8 * bytes - 1);
        const uint64_t exponent = (uint64_t)formats[dtype].half - (bits >> 60 & 7);
        const uint64_t number = sign | exponent << fraction | (bits & ((UINT64_C(1) << fraction) - 1));
        char *at = (char *)data + i * bytes;
        if (bytes == 8) memcpy(at, &number, 8);
        if (bytes == 4) memcpy(at, &(uint32_t){(uint32_t)number}, 4);
        if (bytes == 2) memcpy(at, &(uint16_t){(uint16_t)number}, 2);
    }
}

static size_t count(const DLTensor *t) { return (size_t)(t->shape[0] * t->strides[0]); }

/* A tensor of numbers, as an input or as what an output holds before. */
static DLTensor *take(tensors *all, posenc_dtype dtype, int rank, const int64_t *shape) {
    int64_t strides[4], stride = all->size->step;
    for (int a = rank; a-- > 0; stride *= shape[a]) strides[a] = stride;
    const size_t bytes = (size_t)stride * posenc_dtype_bytes(dtype);
    if (all->n == MOST_TENSORS || bytes + 64 > ROOM - all->used) bits_stop("room for tensors", NULL);
    char *data = all->memory + all->used;
    fill(data, (size_t)stride, dtype, 71 + (uint64_t)all->n);
    all->used += (bytes + 63) / 64 * 64;
    return posenc_view_make(&all->views[all->n++], data, dtype, rank, shape, strides);
}

/* What was written, and the gaps between. */
static void hash(bits_bench *b, const DLTensor *t) {
    const size_t bytes = t->dtype.bits / 8;
    bits_hash_elements(&b->hash, t->data, count(t), bytes);
}

static tensors begin(bits_bench *b, const size *s) {
    tensors all = {.size = s, .memory = malloc(ROOM)};
    if (!all.memory) bits_stop("tensors", NULL);
    b->hash = BITS_HASH_START;
    return all;
}

static void end(bits_bench *b, tensors *all, const char *name, posenc_dtype dtype) {
    char kind[32];
    snprintf(kind, sizeof kind, "%dx%d", all->size->queries, all->size->keys);
    bits_print_line(name, kind, "exact", dtype, all->size->d, b->hash);
    free(all->memory);
}

/* Written as the paper counts distances, then added to with the other direction. */
static void run_shaw(bits_bench *b, const size *s, posenc_dtype dtype) {
    const int64_t vectors[] = {s->batch, s->heads, s->queries, s->d}, rows[] = {2 * s->clip + 1, s->d};
    const int64_t scores[] = {s->batch, s->heads, s->queries, s->keys};
    tensors all = begin(b, s);
    DLTensor *q = take(&all, dtype, 4, vectors), *table = take(&all, dtype, 2, rows);
    DLTensor *grown = take(&all, dtype, 4, scores); /* gradient of scores, and attention */
    DLTensor *written = take(&all, dtype, 4, scores), *out = take(&all, dtype, 4, vectors);
    DLTensor *dtable = take(&all, dtype == POSENC_BF16 ? POSENC_F32 : dtype, 2, rows);
    posenc_shaw_options o;
    posenc_error error;
    posenc_shaw_default(&o, sizeof o);
    o.clip = s->clip, o.scale = 0.37, o.offset = s->keys - s->queries;
    for (int way = 0; way < 2; way++) {
        o.direction = way ? POSENC_DIRECTION_QUERY_MINUS_KEY : POSENC_DIRECTION_KEY_MINUS_QUERY;
        o.accumulate = way;
        if (posenc_shaw_scores(b->context, &o, q, table, written, &error)) bits_stop("shaw scores", &error);
        hash(b, written);
        if (posenc_shaw_scores_backward(b->context, &o, q, table, grown, out, dtable, &error))
            bits_stop("shaw scores backward", &error);
        hash(b, out), hash(b, dtable);
        if (posenc_shaw_values(b->context, &o, grown, table, out, &error)) bits_stop("shaw values", &error);
        hash(b, out);
        if (posenc_shaw_values_backward(b->context, &o, grown, table, q, written, dtable, &error))
            bits_stop("shaw values backward", &error);
        hash(b, written), hash(b, dtable);
    }
    end(b, &all, "shaw", dtype);
}

/* Scores of keys ahead of their query stay as they were where it is causal; far distances count alike where not. */
static void run_xl(bits_bench *b, const size *s, posenc_dtype dtype, int bidirectional) {
    const int64_t queries[] = {s->batch, s->heads, s->queries, s->d}, keys[] = {s->batch, s->heads, s->keys, s->d};
    const int64_t heads[] = {s->heads, s->d}, weights[] = {s->heads * s->d, s->heads * s->d};
    const int64_t scores[] = {s->batch, s->heads, s->queries, s->keys};
    const posenc_dtype wide = dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    tensors all = begin(b, s);
    DLTensor *q = take(&all, dtype, 4, queries), *k = take(&all, dtype, 4, keys);
    DLTensor *u = take(&all, dtype, 2, heads), *v = take(&all, dtype, 2, heads), *w = take(&all, dtype, 2, weights);
    DLTensor *out = take(&all, dtype, 4, scores), *dscores = take(&all, dtype, 4, scores);
    const posenc_xl_gradients g = {sizeof g,
                                   take(&all, dtype, 4, queries),
                                   take(&all, dtype, 4, keys),
                                   take(&all, wide, 2, heads),
                                   take(&all, dtype, 2, heads),
                                   take(&all, dtype, 2, weights)};
    posenc_xl_options o;
    posenc_error error;
    posenc_xl_default(&o, sizeof o);
    o.scale = 0.37, o.bidirectional = bidirectional, o.clamp_len = bidirectional ? 17 : 0;
    if (posenc_xl_scores(b->context, &o, q, k, u, v, w, out, &error)) bits_stop("xl scores", &error);
    if (posenc_xl_scores_backward(b->context, &o, q, k, u, v, w, dscores, &g, &error)) bits_stop("xl backward", &error);
    hash(b, out), hash(b, g.dq), hash(b, g.dk), hash(b, g.du), hash(b, g.dv), hash(b, g.dw);
    end(b, &all, bidirectional ? "xl-both-ways" : "xl-causal", dtype);
}

void bits_run_relative(bits_bench *b) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int t = 0; t < 4 && sizes[s].d <= b->most_dim; t++) {
            run_shaw(b, &sizes[s], dtypes[t]);
            run_xl(b, &sizes[s], dtypes[t], 0);
            run_xl(b, &sizes[s], dtypes[t], 1);
        }
}
