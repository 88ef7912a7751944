#include "xl_calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/tensors.h"
#include "support/test.h"

const char *const xl_names[XL_TENSORS] = {"q", "k", "u", "v", "w", "scores"};

xl_case xl_sized(posenc_dtype dtype, int64_t batch, int64_t heads, int64_t queries, int64_t keys, int64_t d,
                 int64_t model) {
    xl_case c = {.batch = batch, .heads = heads, .queries = queries, .keys = keys, .d = d, .model = model};
    c.dtype = dtype;
    posenc_xl_default(&c.options, sizeof c.options);
    return c;
}

void xl_random(xl_case *c, random_state *random) {
    *c = xl_sized(encoding_dtypes[random_between(random, 0, 3)], random_between(random, 1, 2),
                  random_between(random, 1, 3), random_between(random, 1, 20), random_between(random, 1, 30),
                  random_between(random, 1, 9), random_between(random, 1, 20));
    if (random_between(random, 0, 7) == 0) c->queries = random_between(random, 115, 250);
    if (random_between(random, 0, 7) == 0) c->keys = random_between(random, 470, 500), c->batch = 1;
    c->options.scale = random_between(random, 0, 1) ? 1 : 0.3;
    c->options.memory = random_between(random, 0, 1) ? POSENC_XL_MEMORY_AUTO : random_between(random, -20, 40);
    c->by_row = random_between(random, 0, 2) == 0;
    for (int b = 0; b < XL_MOST_BATCH; b++) c->memories[b] = random_between(random, -20, 40);
    c->options.clamp_len = random_between(random, 0, 1) ? 0 : random_between(random, 1, 30);
    c->options.bidirectional = (int)random_between(random, 0, 1);
}

const char *xl_text(const xl_case *c) {
    static char text[200];
    snprintf(text, sizeof text,
             "%s (%lld, %lld, %lld, %lld) d %lld model %lld scale %g memory %lld%s clamp_len %lld "
             "bidirectional %d",
             posenc_dtype_name(c->dtype), (long long)c->batch, (long long)c->heads, (long long)c->queries,
             (long long)c->keys, (long long)c->d, (long long)c->model, c->options.scale,
             (long long)(c->by_row ? c->memories[0] : c->options.memory), c->by_row ? ", .." : "",
             (long long)c->options.clamp_len, c->options.bidirectional);
    return text;
}

int64_t xl_shape(const xl_case *c, int tensor, int *rank, int64_t shape[4]) {
    const int64_t shapes[XL_TENSORS][4] = {{c->batch, c->heads, c->queries, c->d},
                                           {c->batch, c->heads, c->keys, c->d},
                                           {c->heads, c->d, 1, 1},
                                           {c->heads, c->d, 1, 1},
                                           {c->heads * c->d, c->model, 1, 1},
                                           {c->batch, c->heads, c->queries, c->keys}};
    *rank = tensor == XL_U || tensor == XL_V || tensor == XL_W ? 2 : 4;
    memcpy(shape, shapes[tensor], sizeof shapes[tensor]);
    return shape[0] * shape[1] * shape[2] * shape[3];
}

static int64_t memory_of(const xl_case *c, int64_t batch) {
    if (c->by_row) return c->memories[batch];
    if (c->options.memory != POSENC_XL_MEMORY_AUTO) return c->options.memory;
    return c->keys > c->queries ? c->keys - c->queries : 0;
}

typedef struct memory_list {
    int64_t values[XL_MOST_BATCH];
    posenc_view view;
} memory_list;

/* The options of a call, with the memories in list where there are some. */
static posenc_xl_options options_of(const xl_case *c, memory_list *list) {
    posenc_xl_options o = c->options;
    memcpy(list->values, c->memories, sizeof list->values);
    if (c->by_row) o.memories = posenc_view_make(&list->view, list->values, POSENC_I64, 1, &c->batch, NULL);
    return o;
}

bool xl_sees(const xl_case *c, int64_t batch, int64_t i, int64_t j, int64_t *distance) {
    int64_t clamp = c->options.clamp_len;
    *distance = memory_of(c, batch) + i - j;
    if (*distance < 0 && !c->options.bidirectional) return false;
    if (clamp > 0 && *distance > clamp) *distance = clamp;
    if (clamp > 0 && *distance < -clamp) *distance = -clamp;
    return true;
}

DLTensor *xl_view(const xl_case *c, int tensor, posenc_view *view, void *data) {
    int64_t shape[4];
    int rank;
    xl_shape(c, tensor, &rank, shape);
    return data ? posenc_view_make(view, data, c->dtype, rank, shape, NULL) : NULL;
}

posenc_status xl_forward(const posenc_context *context, const xl_case *c, DLTensor *const *in, posenc_error *error) {
    memory_list memories;
    posenc_xl_options options = options_of(c, &memories);
    return posenc_xl_scores(context, &options, in[XL_Q], in[XL_K], in[XL_U], in[XL_V], in[XL_W], in[XL_SCORES], error);
}

posenc_status xl_backward(const posenc_context *context, const xl_case *c, DLTensor *const *in, DLTensor *const *out,
                          posenc_error *error) {
    const posenc_xl_gradients g = {sizeof g, out[XL_Q], out[XL_K], out[XL_U], out[XL_V], out[XL_W]};
    memory_list memories;
    posenc_xl_options options = options_of(c, &memories);
    return posenc_xl_scores_backward(context, &options, in[XL_Q], in[XL_K], in[XL_U], in[XL_V], in[XL_W], in[XL_SCORES],
                                     &g, error);
}

void must_xl_forward(const posenc_context *context, const xl_case *c, void *const *in) {
    posenc_view views[XL_TENSORS];
    DLTensor *tensors[XL_TENSORS];
    posenc_error error = {.message = ""};
    for (int t = 0; t < XL_TENSORS; t++) tensors[t] = xl_view(c, t, &views[t], in[t]);
    check(xl_forward(context, c, tensors, &error) == POSENC_OK, "%s: %s", xl_text(c), error.message);
}

void must_xl_backward(const posenc_context *context, const xl_case *c, void *const *in, void *const *out) {
    posenc_view views[XL_TENSORS], out_views[XL_INPUTS];
    DLTensor *tensors[XL_TENSORS], *out_tensors[XL_INPUTS];
    posenc_error error = {.message = ""};
    for (int t = 0; t < XL_TENSORS; t++) tensors[t] = xl_view(c, t, &views[t], in[t]);
    for (int t = 0; t < XL_INPUTS; t++) out_tensors[t] = xl_view(c, t, &out_views[t], out[t]);
    check(xl_backward(context, c, tensors, out_tensors, &error) == POSENC_OK, "%s: %s", xl_text(c), error.message);
}

/* ---- the equation ---- */

/* r_distance[column], in halves: sines, cosines, and a zero behind them where the width is odd. */
static long double sine_of(const xl_case *c, int64_t distance, int64_t column) {
    int64_t half = c->model / 2;
    if (column >= 2 * half) return 0;
    long double angle = (long double)distance * powl(10000, -(long double)(column % half) / (long double)half);
    return column < half ? sinl(angle) : cosl(angle);
}

/* (W r)_h of one distance, and the sizes of its terms. */
static void position_row(const xl_case *c, const double *w, int64_t head, const long double *sines, long double *row,
                         long double *sizes) {
    for (int64_t l = 0; l < c->d; l++) {
        row[l] = sizes[l] = 0;
        for (int64_t m = 0; m < c->model; m++) {
            long double term = (long double)w[(head * c->d + l) * c->model + m] * sines[m];
            row[l] += term;
            sizes[l] += fabsl(term);
        }
    }
}

/* The rows of every head for all distances from -keys - memory on, made once: [(head, distance)][d], sizes behind. */
typedef struct positions {
    int64_t low, n;
    long double *rows, *sizes, *sines; /* sines: (distance, model) */
} positions;

static positions make_positions(const xl_case *c, const double *w) {
    int64_t low = 0, high = 0; /* of the memories */
    for (int64_t b = 0; b < c->batch; b++) {
        if (memory_of(c, b) < low) low = memory_of(c, b);
        if (memory_of(c, b) > high) high = memory_of(c, b);
    }
    positions p = {.low = low - c->keys, .n = high - low + 2 * c->keys + c->queries + 1};
    p.rows = must_allocate((size_t)(c->heads * p.n * c->d) * sizeof *p.rows + 1);
    p.sizes = must_allocate((size_t)(c->heads * p.n * c->d) * sizeof *p.sizes + 1);
    p.sines = must_allocate((size_t)(p.n * c->model) * sizeof *p.sines + 1);
    for (int64_t i = 0; i < p.n * c->model; i++) p.sines[i] = sine_of(c, p.low + i / c->model, i % c->model);
    for (int64_t h = 0; h < c->heads; h++)
        for (int64_t e = 0; e < p.n; e++)
            position_row(c, w, h, p.sines + e * c->model, p.rows + (h * p.n + e) * c->d,
                         p.sizes + (h * p.n + e) * c->d);
    return p;
}

static void free_positions(positions *p) { free(p->rows), free(p->sizes), free(p->sines); }

void xl_slow_scores(const xl_case *c, double *const *in, long double *scores, long double *sizes) {
    positions p = make_positions(c, in[XL_W]);
    for (int64_t at = 0; at < c->batch * c->heads * c->queries * c->keys; at++) {
        int64_t j = at % c->keys, query = at / c->keys, i = query % c->queries, line = query / c->queries;
        int64_t h = line % c->heads, distance;
        scores[at] = sizes[at] = 0;
        if (!xl_sees(c, line / c->heads, i, j, &distance)) continue;
        for (int64_t l = 0; l < c->d; l++) {
            long double q = (long double)in[XL_Q][query * c->d + l];
            long double u = q + (long double)in[XL_U][h * c->d + l], v = q + (long double)in[XL_V][h * c->d + l];
            long double k = (long double)in[XL_K][(line * c->keys + j) * c->d + l];
            int64_t row = (h * p.n + distance - p.low) * c->d + l;
            scores[at] += (long double)c->options.scale * (u * k + v * p.rows[row]);
            sizes[at] += (long double)c->options.scale * (fabsl(u * k) + fabsl(v) * p.sizes[row]);
        }
    }
    free_positions(&p);
}

static void add_term(long double *out, long double *sizes, int64_t at, long double term, long double size) {
    out[at] += term;
    sizes[at] += fabsl(size);
}

void xl_slow_gradients(const xl_case *c, double *const *in, long double *const *out, long double *const *sizes) {
    positions p = make_positions(c, in[XL_W]);
    int64_t d = c->d, shape[4];
    int rank;
    for (int t = 0; t < XL_INPUTS; t++)
        for (int64_t i = 0; i < xl_shape(c, t, &rank, shape); i++) out[t][i] = sizes[t][i] = 0;
    for (int64_t at = 0; at < c->batch * c->heads * c->queries * c->keys; at++) {
        int64_t j = at % c->keys, query = at / c->keys, i = query % c->queries, line = query / c->queries;
        int64_t h = line % c->heads, distance;
        if (!xl_sees(c, line / c->heads, i, j, &distance)) continue;
        long double g = (long double)c->options.scale * (long double)in[XL_SCORES][at];
        for (int64_t l = 0; l < d; l++) {
            long double q = (long double)in[XL_Q][query * d + l];
            long double u = q + (long double)in[XL_U][h * d + l], v = q + (long double)in[XL_V][h * d + l];
            long double k = (long double)in[XL_K][(line * c->keys + j) * d + l];
            int64_t row = (h * p.n + distance - p.low) * d + l;
            long double r = p.rows[row], r_size = p.sizes[row];
            add_term(out[XL_Q], sizes[XL_Q], query * d + l, g * (k + r), fabsl(g) * (fabsl(k) + r_size));
            add_term(out[XL_K], sizes[XL_K], (line * c->keys + j) * d + l, g * u, g * u);
            add_term(out[XL_U], sizes[XL_U], h * d + l, g * k, g * k);
            add_term(out[XL_V], sizes[XL_V], h * d + l, g * r, g * r_size);
            for (int64_t m = 0; m < c->model; m++) {
                long double sine = p.sines[(distance - p.low) * c->model + m];
                add_term(out[XL_W], sizes[XL_W], (h * d + l) * c->model + m, g * v * sine, g * v);
            }
        }
    }
    free_positions(&p);
}
