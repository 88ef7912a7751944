/* Relative encodings through vectors whose checksums are published: scores, values and gradients of Shaw's and of
 * Transformer-XL. What is hashed is everything that a call reads and writes. All tensors begin as the numbers of
 * posenc_cli_put_numbers. */
#include <stdio.h>

#include "selftest_parts.h"

typedef enum relative_call { SHAW_SCORES, SHAW_VALUES, XL_SCORES } relative_call;

typedef struct relative {
    relative_call call;
    bool backward;
    posenc_dtype dtype;
    int batch, heads, queries, keys, d;
    int clip;    /* clip; clamp-len */
    int reverse; /* shaw: query minus key; transformer-xl: bidirectional */
} relative;

static const relative all[] = {
    /* call, backward, dtype, batch, heads, queries, keys, d, clip, reverse */
    {SHAW_SCORES, false, POSENC_F32, 2, 2, 13, 21, 20, 4, 0},
    {SHAW_SCORES, false, POSENC_F32, 1, 2, 200, 210, 64, 150, 0}, /* over blocks, and threads */
    {SHAW_SCORES, false, POSENC_F64, 2, 2, 13, 21, 20, 4, 1},
    {SHAW_SCORES, false, POSENC_F16, 2, 2, 13, 21, 20, 40, 0},
    {SHAW_SCORES, false, POSENC_BF16, 2, 2, 13, 21, 20, 40, 1},
    {SHAW_SCORES, true, POSENC_F32, 1, 2, 200, 210, 64, 150, 0},
    {SHAW_SCORES, true, POSENC_F64, 2, 2, 13, 21, 20, 4, 1},
    {SHAW_VALUES, false, POSENC_F32, 1, 2, 60, 70, 33, 50, 1},
    {SHAW_VALUES, false, POSENC_BF16, 2, 2, 13, 21, 20, 4, 0},
    {SHAW_VALUES, true, POSENC_F32, 2, 2, 13, 21, 20, 4, 0},
    {SHAW_VALUES, true, POSENC_F16, 2, 2, 13, 21, 20, 4, 1},
    {XL_SCORES, false, POSENC_F32, 2, 2, 13, 21, 20, 0, 0},
    {XL_SCORES, false, POSENC_F32, 1, 2, 130, 170, 64, 50, 1},
    {XL_SCORES, false, POSENC_F64, 2, 2, 13, 21, 20, 0, 0},
    {XL_SCORES, false, POSENC_F16, 2, 2, 13, 21, 20, 0, 1},
    {XL_SCORES, false, POSENC_BF16, 2, 2, 13, 21, 20, 7, 0},
    {XL_SCORES, true, POSENC_F32, 1, 2, 130, 170, 64, 0, 0},
    {XL_SCORES, true, POSENC_F32, 2, 2, 13, 21, 20, 7, 1},
    {XL_SCORES, true, POSENC_F64, 2, 2, 13, 21, 20, 0, 1},
    {XL_SCORES, true, POSENC_BF16, 2, 2, 13, 21, 20, 0, 0},
};

size_t posenc_cli_relative_count(void) { return sizeof all / sizeof *all; }

/* ---- tensors, one behind the other ---- */

enum { MOST_TENSORS = 12 };

typedef struct tensors {
    posenc_dtype dtype;
    char *memory; /* NULL: they are only counted */
    int64_t elements;
    posenc_view views[MOST_TENSORS];
    int n;
} tensors;

static DLTensor *take(tensors *t, int rank, const int64_t *shape) {
    char *at = t->memory ? t->memory + (size_t)t->elements * posenc_dtype_bytes(t->dtype) : NULL;
    int64_t n = 1;
    for (int a = 0; a < rank; a++) n *= shape[a];
    t->elements += n;
    return posenc_view_make(&t->views[t->n++], at, t->dtype, rank, shape, NULL);
}

/* Queries and keys, of d channels and of one another, are called by their tensor's shape: (batch, heads, rows, columns). */
static DLTensor *take_heads(tensors *t, const relative *r, int64_t rows, int64_t columns) {
    return take(t, 4, (int64_t[]){r->batch, r->heads, rows, columns});
}

typedef struct shaw_tensors {
    DLTensor *vectors, *table, *scores;     /* q or the gradient of values; a^K or a^V; scores or attention */
    DLTensor *dvectors, *dtable, *gradient; /* what comes out of the backward */
} shaw_tensors;

static shaw_tensors take_shaw(tensors *t, const relative *r) {
    const int64_t rows[] = {2 * r->clip + 1, r->d};
    shaw_tensors s = {.vectors = take_heads(t, r, r->queries, r->d)};
    s.table = take(t, 2, rows);
    s.scores = take_heads(t, r, r->queries, r->keys);
    if (!r->backward) return s;
    s.dtable = take(t, 2, rows);
    if (r->call == SHAW_SCORES)
        s.dvectors = take_heads(t, r, r->queries, r->d);
    else
        s.gradient = take_heads(t, r, r->queries, r->keys);
    return s;
}

typedef struct xl_tensors {
    DLTensor *q, *k, *u, *v, *w, *scores;
    posenc_xl_gradients gradients;
} xl_tensors;

static xl_tensors take_xl(tensors *t, const relative *r) {
    const int64_t heads[] = {r->heads, r->d}, weights[] = {r->heads * r->d, r->heads * r->d};
    xl_tensors x = {.q = take_heads(t, r, r->queries, r->d), .gradients = {.size = sizeof x.gradients}};
    x.k = take_heads(t, r, r->keys, r->d);
    x.u = take(t, 2, heads);
    x.v = take(t, 2, heads);
    x.w = take(t, 2, weights);
    x.scores = take_heads(t, r, r->queries, r->keys);
    if (!r->backward) return x;
    x.gradients.dq = take_heads(t, r, r->queries, r->d);
    x.gradients.dk = take_heads(t, r, r->keys, r->d);
    x.gradients.du = take(t, 2, heads);
    x.gradients.dv = take(t, 2, heads);
    x.gradients.dw = take(t, 2, weights);
    return x;
}

static int64_t elements_of(const relative *r) {
    tensors t = {.dtype = r->dtype};
    if (r->call == XL_SCORES)
        take_xl(&t, r);
    else
        take_shaw(&t, r);
    return t.elements;
}

/* ---- calls ---- */

static posenc_status run_shaw(const relative *r, const posenc_context *context, const shaw_tensors *s,
                              posenc_error *error) {
    posenc_shaw_options o;
    posenc_shaw_default(&o, sizeof o);
    o.clip = r->clip;
    o.scale = 0.37;
    o.offset = r->keys - r->queries;
    o.direction = r->reverse ? POSENC_DIRECTION_QUERY_MINUS_KEY : POSENC_DIRECTION_KEY_MINUS_QUERY;
    o.accumulate = r->reverse;
    if (r->call == SHAW_SCORES && !r->backward)
        return posenc_shaw_scores(context, &o, s->vectors, s->table, s->scores, error);
    if (r->call == SHAW_SCORES)
        return posenc_shaw_scores_backward(context, &o, s->vectors, s->table, s->scores, s->dvectors, s->dtable, error);
    if (!r->backward) return posenc_shaw_values(context, &o, s->scores, s->table, s->vectors, error);
    return posenc_shaw_values_backward(context, &o, s->scores, s->table, s->vectors, s->gradient, s->dtable, error);
}

static posenc_status run_xl(const relative *r, const posenc_context *context, const xl_tensors *x,
                            posenc_error *error) {
    posenc_xl_options o;
    posenc_xl_default(&o, sizeof o);
    o.scale = 0.37;
    o.clamp_len = r->clip;
    o.bidirectional = r->reverse;
    if (!r->backward) return posenc_xl_scores(context, &o, x->q, x->k, x->u, x->v, x->w, x->scores, error);
    return posenc_xl_scores_backward(context, &o, x->q, x->k, x->u, x->v, x->w, x->scores, &x->gradients, error);
}

static posenc_status make(const posenc_cli_configuration *configuration, const posenc_context *context, void *table,
                          posenc_error *error) {
    const relative *r = configuration->own;
    tensors t = {.dtype = r->dtype, .memory = table};
    posenc_cli_put_numbers(table, configuration->rows, r->dtype);
    if (r->call == XL_SCORES) {
        xl_tensors x = take_xl(&t, r);
        return run_xl(r, context, &x, error);
    }
    shaw_tensors s = take_shaw(&t, r);
    return run_shaw(r, context, &s, error);
}

void posenc_cli_relative_at(size_t index, posenc_cli_configuration *out) {
    static const char *const calls[] = {"shaw scores", "shaw values", "transformer-xl scores"};
    static const char *const reverse[] = {"query minus key, added", "query minus key, added", "bidirectional"};
    const relative *r = &all[index];
    *out = (posenc_cli_configuration){.dtype = r->dtype, .rows = elements_of(r), .dim = 1, .make = make, .own = r};
    snprintf(out->name, sizeof out->name, "%s%s %s %d x %d x %d x %d of %d, %s %d%s%s", calls[r->call],
             r->backward ? " gradient" : "", posenc_dtype_name(r->dtype), r->batch, r->heads, r->queries, r->keys, r->d,
             r->call == XL_SCORES ? "clamp-len" : "clip", r->clip, r->reverse ? ", " : "",
             r->reverse ? reverse[r->call] : "");
}
