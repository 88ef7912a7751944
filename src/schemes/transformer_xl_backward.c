/* Gradients of the scores of Transformer-XL, with G = scale dS where scores were written, else 0:
 *     dq_i = sum_j G_ij (k_j + W r_{i-j}),   du = sum_i of the first part, dv = of the second
 *     dk_j = sum_i G_ij (q_i + u)
 *     dW   = sum_e dR_e r_e^T,   dR_e = sum over i - j = e of G_ij (q_i + v)
 * Each is a walk of its own over the scores. A sum belongs to one thread and runs in a fixed order in double, in
 * products of blocks; du and dv are added up from blocks of queries, waves of them at a time. */
#include <string.h>

#include "base/checked.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/options.h"
#include "schemes/transformer_xl_backward.h"

enum {
    QUERIES = POSENC_XL_QUERIES,
    KEYS = POSENC_XL_KEYS,
    SINES = POSENC_XL_SINES,
    PART = POSENC_XL_PART,
    ROWS = POSENC_XL_ROWS,
    WAVE = POSENC_XL_WAVE,
    AHEAD = 4 /* rows of gradients */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- what the walks share ---- */

posenc_xl_place posenc_xl_place_at(const posenc_xl_backward *b, int64_t batch, int64_t g, int64_t block, char *own) {
    const posenc_xl_call *call = b->pass.call;
    posenc_xl_place p = {batch, g, b->pass.head + g, block * QUERIES, 0, 0, own};
    p.n = least(QUERIES, call->queries - p.query);
    p.position = posenc_xl_position(call, p.batch, p.query);
    return p;
}

/* Asks for the rows that follow. They lie far apart, and each is short: left to itself, the processor would wait for
 * memory at every one of them. */
static void fetch_ahead(const posenc_xl_call *call, const char *from, int64_t n) {
#if defined(__GNUC__)
    const char *row = from + AHEAD * call->scores.bytes[2];
    int64_t bytes = n * posenc_relative_step(&call->scores);
    for (int64_t line = 0; line < bytes; line += 64) __builtin_prefetch(row + line);
#else
    (void)call, (void)from, (void)n;
#endif
}

void posenc_xl_load_gradients(const posenc_xl_backward *b, const posenc_xl_place *p, int64_t i, int64_t key, int64_t n,
                              char *to) {
    const posenc_xl_call *call = b->pass.call;
    int64_t seen = posenc_xl_seen(call, p->position + i, key, n);
    const char *from = posenc_relative_at(&call->scores, p->batch, p->head, p->query + i);
    from += key * posenc_relative_step(&call->scores);
    if (i + AHEAD < p->n) fetch_ahead(call, from, seen);
    posenc_xl_load(call, &call->scores, from, seen, to);
    memset(to + posenc_xl_bytes(&b->pass, seen), 0, posenc_xl_bytes(&b->pass, n - seen));
}

void posenc_xl_pack_queries(const posenc_xl_backward *b, const posenc_relative_tensor *bias, int64_t batch,
                            int64_t head, char *own) {
    const posenc_xl_call *call = b->pass.call;
    for (int64_t i = 0; i < call->queries; i++) {
        posenc_xl_load_query(call, bias, batch, head, i, own + b->row);
        call->work.loops->pack_term(own + b->queries, call->queries, i, own + b->row, call->d);
    }
}

void posenc_xl_add_product(const posenc_xl_backward *b, const posenc_xl_place *p, posenc_relative_product product,
                           size_t sums) {
    const posenc_xl_call *call = b->pass.call;
    product.b_rows = product.c_stride = call->d;
    product.c = p->own + b->product;
    call->work.loops->multiply(call->work.kernels, &product);
    call->work.loops->widen(product.c, product.a_rows * call->d, (double *)(void *)(p->own + sums));
}

void posenc_xl_add_strip(const posenc_xl_backward *b, const posenc_xl_place *p, int64_t rows) {
    posenc_relative_product product = {.terms = p->n,
                                       .a = p->own + b->strip,
                                       .b = p->own + b->queries + posenc_xl_bytes(&b->pass, p->query * POSENC_PANEL),
                                       .a_rows = rows,
                                       .a_row = 1,
                                       .a_term = b->strip_row,
                                       .b_panel = b->pass.call->queries * POSENC_PANEL};
    posenc_xl_add_product(b, p, product, b->sums);
}

/* ---- the whole ---- */

static bool wants_queries(const posenc_xl_call *call) { return call->dq.data || call->du.data || call->dv.data; }

/* dq, du, dv: gradients and their zeros, keys of a tile, W r, and what waits to be added up. */
static void take_queries(posenc_xl_backward *b) {
    const posenc_xl_call *call = b->pass.call;
    posenc_relative_room *shared = &b->pass.shared, *own = &b->pass.worker;
    size_t bytes = call->work.loops->bytes;
    int64_t queries = least(QUERIES, call->queries), units = most(1, call->batch * b->pass.group * b->pass.blocks);
    b->zeros = most(queries - 1, 0);
    b->gradients_row = least(KEYS, call->keys) + 2 * b->zeros;
    b->gradients = posenc_relative_take(own, queries, b->gradients_row, bytes);
    b->keys = posenc_relative_take_panels(own, &call->work, call->d, least(KEYS, call->keys));
    b->more_sums = posenc_relative_take(own, queries, call->d, sizeof(double));
    posenc_xl_take_positions(&b->pass, POSENC_XL_BY_CHANNEL);
    b->parts = posenc_relative_take(shared, 2 * least(WAVE, units), call->d, sizeof(double));
    b->bias_sums = posenc_relative_take(shared, 2 * b->pass.group, call->d, sizeof(double));
}

/* dW: dR, its panels beside those of sines, and sums. */
static void take_weights(posenc_xl_backward *b) {
    const posenc_xl_call *call = b->pass.call;
    posenc_relative_room *shared = &b->pass.shared;
    int64_t sines = least(SINES, call->rows), per_head = 0, panels = 0;
    if (!posenc_i64_multiply(call->rows, call->d, &per_head)) per_head = INT64_MAX;
    if (!posenc_i64_multiply(posenc_xl_padded(call->d), sines, &panels)) panels = INT64_MAX;
    b->distance_rows = posenc_relative_take(shared, b->pass.group, per_head, call->work.loops->bytes);
    b->sine_terms = posenc_relative_take_panels(shared, &call->work, call->model, sines);
    b->distance_terms = posenc_relative_take(shared, b->pass.group, panels, call->work.loops->bytes);
    if (!posenc_i64_multiply(call->d, call->model, &per_head)) per_head = INT64_MAX;
    b->weight_sums = posenc_relative_take(shared, b->pass.group, per_head, sizeof(double));
}

static void take_memory(posenc_xl_backward *b) {
    const posenc_xl_call *call = b->pass.call;
    posenc_relative_room *own = &b->pass.worker;
    size_t bytes = call->work.loops->bytes;
    int64_t queries = least(QUERIES, call->queries), rows = least(ROWS, most(call->keys, call->rows));
    int64_t most_rows = most(queries, rows);
    b->product = posenc_relative_take(own, call->d, most(most_rows, least(PART, call->model)), bytes);
    b->sums = posenc_relative_take(own, most_rows, call->d, sizeof(double));
    b->row = posenc_relative_take(own, 2, call->d, bytes);
    if (wants_queries(call)) take_queries(b);
    if (call->dk.data || call->dw.data) {
        b->strip_row = rows + POSENC_PANEL; /* no power of two, so that its columns are in many sets of the cache */
        b->strip = posenc_relative_take(own, queries, b->strip_row, bytes);
        b->queries = posenc_relative_take_panels(own, &call->work, call->d, call->queries);
    }
    if (call->dw.data) take_weights(b);
}

/* Heads whose scores stay in the last-level cache from walk to walk; one for each thread at least. */
static int64_t heads_at_a_time(const posenc_xl_backward *b) {
    const posenc_xl_call *call = b->pass.call;
    double bytes = (double)posenc_dtype_bytes(call->scores.dtype) * (double)call->batch * (double)call->queries;
    double fit = (double)posenc_cache_bytes() / 2 / (bytes * (double)call->keys + 1);
    return posenc_relative_clip((int64_t)fit, least(b->pass.n_workers, b->pass.n_heads), b->pass.n_heads);
}

static void walk_scores(posenc_xl_backward *b) {
    const posenc_xl_call *call = b->pass.call;
    int64_t some = heads_at_a_time(b);
    for (b->g_first = 0; b->g_first < b->pass.n_heads; b->g_first += some) {
        b->g_n = least(some, b->pass.n_heads - b->g_first);
        if (wants_queries(call)) posenc_xl_do_queries(b);
        if (call->dk.data) posenc_xl_do_keys(b);
        if (call->dw.data) posenc_xl_do_distances(b);
    }
}

static void run(posenc_xl_backward *b) {
    const posenc_xl_call *call = b->pass.call;
    posenc_fpenv saved = posenc_fpenv_enter();
    for (b->pass.head = 0; b->pass.head < call->heads; b->pass.head += b->pass.n_heads) {
        b->pass.n_heads = least(b->pass.group, call->heads - b->pass.head);
        if (wants_queries(call)) posenc_xl_make_positions(&b->pass);
        walk_scores(b);
        if (call->dw.data) posenc_xl_do_weights(b);
    }
    posenc_fpenv_leave(saved);
}

static posenc_status open_gradients(posenc_xl_call *call, const posenc_xl_gradients *g, posenc_error *error) {
    int64_t width = call->heads * call->d; /* as w has it */
    const struct {
        const DLTensor *tensor;
        const char *name;
        posenc_relative_shape shape;
        posenc_relative_tensor *out;
    } all[] = {
        {g->dq,
         "dq",
         {"(batch, heads, queries, d)", 4, {&call->batch, &call->heads, &call->queries, &call->d}},
         &call->dq},
        {g->dk, "dk", {"(batch, heads, keys, d)", 4, {&call->batch, &call->heads, &call->keys, &call->d}}, &call->dk},
        {g->du, "du", {"(heads, d)", 2, {&call->heads, &call->d}}, &call->du},
        {g->dv, "dv", {"(heads, d)", 2, {&call->heads, &call->d}}, &call->dv},
        {g->dw, "dw", {"(heads d, model)", 2, {&width, &call->model}}, &call->dw}};
    posenc_status status = POSENC_OK;
    for (int i = 0; status == POSENC_OK && i < 5; i++)
        if (all[i].tensor)
            status =
                posenc_relative_open(&call->work, all[i].tensor, all[i].name, &all[i].shape, i >= 2, all[i].out, error);
    return status;
}

/* Each gradient lies apart from all inputs and all other gradients. */
static posenc_status check_apart(const posenc_relative_named inputs[7], const posenc_xl_gradients *g,
                                 posenc_error *error) {
    posenc_relative_named all[12] = {{g->dq, "dq"}, {g->dk, "dk"}, {g->du, "du"}, {g->dv, "dv"}, {g->dw, "dw"}};
    memcpy(all + 5, inputs, 7 * sizeof *inputs);
    posenc_status status = POSENC_OK;
    for (int i = 0; status == POSENC_OK && i < 5; i++)
        status = posenc_relative_check_output(all[i].tensor, all[i].name, all + i + 1, 11 - i, error);
    return status;
}

posenc_status posenc_xl_scores_backward(const posenc_context *context, const posenc_xl_options *options,
                                        const DLTensor *q, const DLTensor *k, const DLTensor *u, const DLTensor *v,
                                        const DLTensor *w, const DLTensor *dscores,
                                        const posenc_xl_gradients *gradients, posenc_error *error) {
    posenc_relative_named tensors[7] = {
        {q, "q"}, {k, "k"}, {u, "u"}, {v, "v"}, {w, "w"}, {NULL, NULL}, {dscores, "dscores"}};
    posenc_xl_gradients g = {.size = sizeof g};
    posenc_xl_call call;
    posenc_xl_backward b = {.first = 0};
    if (!gradients) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "gradients", "expected a pointer, got NULL");
    posenc_status status = posenc_options_read(gradients, &g, sizeof g, "gradients.size", error);
    if (status == POSENC_OK) status = posenc_xl_open(&call, context, options, tensors, error);
    if (status == POSENC_OK) status = open_gradients(&call, &g, error);
    if (status == POSENC_OK) status = check_apart(tensors, &g, error);
    if (status == POSENC_OK) status = posenc_xl_pass_begin(&b.pass, &call, QUERIES, error);
    if (status != POSENC_OK) return status;
    take_memory(&b);
    status = posenc_xl_pass_allocate(&b.pass, error);
    if (status != POSENC_OK) return status;
    run(&b);
    posenc_xl_pass_end(&b.pass);
    return POSENC_OK;
}
