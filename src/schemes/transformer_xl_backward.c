/* Gradients of the scores of Transformer-XL, with G = scale dS where scores were written, else 0:
 *     dq_i = sum_j G_ij (k_j + W r_{i-j}),   du = sum_i of the first part, dv = of the second
 *     dk_j = sum_i G_ij (q_i + u)
 *     dW   = sum_e dR_e r_e^T,   dR_e = sum over i - j = e of G_ij (q_i + v)
 * Each is a walk of its own over the scores. A sum belongs to one thread and runs in a fixed order in double, in
 * products of blocks; du and dv are added up from blocks of queries, waves of them at a time. */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/options.h"
#include "schemes/transformer_xl_backward.h"

enum {
    QUERIES = POSENC_XL_QUERIES,
    KEYS = POSENC_XL_KEYS,
    DISTANCES = POSENC_XL_DISTANCES,
    SINES = POSENC_XL_SINES,
    PART = POSENC_XL_PART,
    ROWS = POSENC_XL_ROWS,
    WAVE = POSENC_XL_WAVE
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- what the walks share ---- */

posenc_xl_place posenc_xl_place_at(const posenc_xl_backward *b, int64_t batch, int64_t g, int64_t block, char *own) {
    const posenc_xl_call *call = b->pass.call;
    posenc_xl_place p = {batch, g, b->pass.head + g, block * QUERIES, 0, 0, own};
    p.n = least(QUERIES, call->queries - p.query);
    p.position = posenc_xl_position(call, p.query);
    return p;
}

void posenc_xl_load_gradients(const posenc_xl_backward *b, const posenc_xl_place *p, int64_t i, int64_t key, int64_t n,
                              char *to) {
    const posenc_xl_call *call = b->pass.call;
    int64_t seen = posenc_xl_seen(call, p->position + i, key, n);
    const char *from = posenc_relative_at(&call->scores, p->batch, p->head, p->query + i);
    posenc_xl_load(call, &call->scores, from + key * posenc_relative_step(&call->scores), seen, to);
    memset(to + posenc_xl_bytes(&b->pass, seen), 0, posenc_xl_bytes(&b->pass, n - seen));
}

void posenc_xl_add_product(const posenc_xl_backward *b, const posenc_xl_place *p, size_t left, size_t right,
                           int64_t rows, int64_t terms, size_t sums) {
    const posenc_xl_call *call = b->pass.call;
    call->work.loops->multiply(call->work.kernels, &(posenc_relative_product){.terms = terms,
                                                                              .a = p->own + left,
                                                                              .b = p->own + right,
                                                                              .a_rows = rows,
                                                                              .b_rows = call->d,
                                                                              .c = p->own + b->product,
                                                                              .c_stride = call->d});
    call->work.loops->widen(p->own + b->product, rows * call->d, (double *)(void *)(p->own + sums));
}

/* ---- the whole ---- */

static bool wants_queries(const posenc_xl_call *call) { return call->dq.data || call->du.data || call->dv.data; }

static void take_memory(posenc_xl_backward *b) {
    const posenc_xl_call *call = b->pass.call;
    const posenc_relative_work *work = &call->work;
    posenc_relative_room *shared = &b->pass.shared, *own = &b->pass.worker;
    int64_t longest = most(2 * call->d, DISTANCES), terms = most(QUERIES, KEYS), per_head = 0, panels = 0;
    b->left = posenc_relative_take_panels(own, work, most(ROWS, QUERIES), terms);
    b->right = posenc_relative_take_panels(own, work, call->d, terms);
    b->left_shifted = posenc_relative_take_panels(own, work, QUERIES, DISTANCES);
    b->right_shifted = posenc_relative_take_panels(own, work, call->d, DISTANCES);
    b->product = posenc_relative_take(own, call->d, most(ROWS, PART), work->loops->bytes);
    b->sums = posenc_relative_take(own, ROWS, call->d, sizeof(double));
    b->more_sums = posenc_relative_take(own, QUERIES, call->d, sizeof(double));
    b->row = posenc_relative_take(own, 1, longest, work->loops->bytes);
    b->shifted = posenc_relative_take(own, 1, DISTANCES, work->loops->bytes);
    if (wants_queries(call)) {
        posenc_xl_take_positions(&b->pass);
        b->parts = posenc_relative_take(shared, 2 * WAVE, call->d, sizeof(double));
        b->bias_sums = posenc_relative_take(shared, 2 * b->pass.group, call->d, sizeof(double));
    }
    if (!call->dw.data) return;
    if (!posenc_i64_multiply(call->rows, call->d, &per_head)) per_head = INT64_MAX;
    if (!posenc_i64_multiply(posenc_xl_padded(call->d), SINES, &panels)) panels = INT64_MAX;
    b->distance_rows = posenc_relative_take(shared, b->pass.group, per_head, work->loops->bytes);
    b->sine_terms = posenc_relative_take_panels(shared, work, call->model, SINES);
    b->distance_terms = posenc_relative_take(shared, b->pass.group, panels, work->loops->bytes);
    if (!posenc_i64_multiply(call->d, call->model, &per_head)) per_head = INT64_MAX;
    b->weight_sums = posenc_relative_take(shared, b->pass.group, per_head, sizeof(double));
}

static void run(posenc_xl_backward *b) {
    const posenc_xl_call *call = b->pass.call;
    posenc_fpenv saved = posenc_fpenv_enter();
    for (b->pass.head = 0; b->pass.head < call->heads; b->pass.head += b->pass.n_heads) {
        b->pass.n_heads = least(b->pass.group, call->heads - b->pass.head);
        if (wants_queries(call)) {
            posenc_xl_make_positions(&b->pass);
            posenc_xl_do_queries(b);
        }
        if (call->dk.data) posenc_xl_do_keys(b);
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
static posenc_status check_apart(const posenc_relative_named inputs[6], const posenc_xl_gradients *g,
                                 posenc_error *error) {
    posenc_relative_named all[11] = {{g->dq, "dq"}, {g->dk, "dk"}, {g->du, "du"}, {g->dv, "dv"}, {g->dw, "dw"}};
    memcpy(all + 5, inputs, 6 * sizeof *inputs);
    posenc_status status = POSENC_OK;
    for (int i = 0; status == POSENC_OK && i < 5; i++)
        status = posenc_relative_check_output(all[i].tensor, all[i].name, all + i + 1, 10 - i, error);
    return status;
}

posenc_status posenc_xl_scores_backward(const posenc_context *context, const posenc_xl_options *options,
                                        const DLTensor *q, const DLTensor *k, const DLTensor *u, const DLTensor *v,
                                        const DLTensor *w, const DLTensor *dscores,
                                        const posenc_xl_gradients *gradients, posenc_error *error) {
    const posenc_relative_named tensors[] = {{q, "q"}, {k, "k"}, {u, "u"}, {v, "v"}, {w, "w"}, {dscores, "dscores"}};
    posenc_xl_gradients g = {.size = sizeof g};
    posenc_xl_call call;
    posenc_xl_backward b = {.first = 0};
    if (!gradients) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "gradients", "expected a pointer, got NULL");
    posenc_status status = posenc_options_read(gradients, &g, sizeof g, "gradients.size", error);
    if (status == POSENC_OK) status = posenc_xl_open(&call, context, options, tensors, error);
    if (status == POSENC_OK) status = open_gradients(&call, &g, error);
    if (status == POSENC_OK) status = check_apart(tensors, &g, error);
    if (status == POSENC_OK) status = posenc_xl_pass_begin(&b.pass, &call, error);
    if (status != POSENC_OK) return status;
    take_memory(&b);
    status = posenc_xl_pass_allocate(&b.pass, error);
    if (status != POSENC_OK) return status;
    run(&b);
    posenc_xl_pass_end(&b.pass);
    return POSENC_OK;
}
