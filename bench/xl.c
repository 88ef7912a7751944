/* Transformer-XL, 8 heads, as many keys of earlier segments as queries: scores beside the products that they consist of
 * and memset of those that are written; gradients beside their products and reading those of the scores; scores made
 * the usual way in their place. */
#include "xl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "floors.h"
#include "pages.h"
#include "random_bits.h"
#include "works.h"

enum { HEADS = POSENC_BENCH_XL_HEADS, BLOCK = 128 /* queries of a product of the floor */ };

typedef struct {
    posenc_bench_xl x;
    const posenc_context *context;
    posenc_xl_options options;
    DLTensor *q, *k, *u, *v, *w, *scores;
    posenc_xl_gradients gradients;
    posenc_view views[11];
    posenc_status status;
} call;

static void run_scores(void *state) {
    call *c = state;
    c->status = posenc_xl_scores(c->context, &c->options, c->q, c->k, c->u, c->v, c->w, c->scores, NULL);
}

static void run_backward(void *state) {
    call *c = state;
    c->status = posenc_xl_scores_backward(c->context, &c->options, c->q, c->k, c->u, c->v, c->w, c->scores,
                                          &c->gradients, NULL);
}

/* ---- floors, on one thread ---- */

typedef struct {
    posenc_bench_xl *x;
    bool bidirectional;
    float *a, *c; /* factors large enough for any product here, and room for one */
    uint64_t sum;
} floor_work;

static void multiply(const floor_work *f, int64_t rows, int64_t terms, int64_t columns) {
    posenc_bench_product p = f->x->product;
    p.length = rows, p.dim = terms, p.a = p.b = f->a, p.columns = columns, p.c = f->c;
    posenc_bench_product_run(&p);
}

/* Keys that a block of queries sees, or its middle query if that is meant. */
static int64_t seen(const floor_work *f, int64_t query) {
    int64_t n = f->x->keys - f->x->queries + query + 1;
    return f->bidirectional || n > f->x->keys ? f->x->keys : n;
}

/* W r of all distances. */
static void run_positions(const floor_work *f) {
    int64_t distances = f->x->keys + (f->bidirectional ? f->x->queries - 1 : 0);
    for (int64_t h = 0; h < HEADS; h++) multiply(f, distances, f->x->model, f->x->d);
}

static void run_scores_floor(void *state) {
    floor_work *f = state;
    const posenc_bench_xl *x = f->x;
    run_positions(f);
    for (int64_t h = 0; h < HEADS; h++)
        for (int64_t i = 0; i < x->queries; i += BLOCK) {
            multiply(f, BLOCK, x->d, seen(f, i + BLOCK - 1));
            multiply(f, BLOCK, x->d, seen(f, i + BLOCK - 1));
            for (int64_t r = i; r < i + BLOCK; r++)
                memset(x->scores + (h * x->queries + r) * x->keys, 1, (size_t)seen(f, r) * sizeof *x->scores);
        }
}

/* Numbers in eight sums, so that none waits for another. */
static uint64_t sum_of(const float *values, int64_t n) {
    uint64_t sums[8] = {0}, words[8], sum = 0;
    for (int64_t i = 0; i + 16 <= n; i += 16) {
        memcpy(words, values + i, sizeof words);
        for (int k = 0; k < 8; k++) sums[k] += words[k];
    }
    for (int k = 0; k < 8; k++) sum += sums[k];
    return sum;
}

/* G K and G W r, G^T q and dR of as many terms, W r again and dW. */
static void run_backward_floor(void *state) {
    floor_work *f = state;
    const posenc_bench_xl *x = f->x;
    run_positions(f);
    run_positions(f);
    for (int64_t h = 0; h < HEADS; h++)
        for (int64_t i = 0; i < x->queries; i += BLOCK) {
            for (int n = 0; n < 4; n++) multiply(f, BLOCK, seen(f, i + BLOCK - 1), x->d);
            for (int64_t r = i; r < i + BLOCK; r++)
                f->sum += sum_of(x->scores + (h * x->queries + r) * x->keys, seen(f, r));
        }
}

/* ---- W r in long double, for the errors and, rounded, for the usual way ---- */

/* out (model) = sines, then cosines. */
static void sines_of(int64_t distance, int64_t half, const long double *frequencies, double *out) {
    for (int64_t c = 0; c < half; c++) {
        out[c] = (double)sinl((long double)distance * frequencies[c]);
        out[half + c] = (double)cosl((long double)distance * frequencies[c]);
    }
}

/* out (heads, n, d): W r of the distances i - j = first, first - 1, ... Some heads only. False: memory is out. */
static bool make_positions(const posenc_bench_xl *x, int64_t heads, int64_t first, int64_t n, float *out) {
    int64_t half = x->model / 2;
    long double *frequencies = malloc((size_t)half * sizeof *frequencies);
    double *r = frequencies ? malloc((size_t)x->model * sizeof *r) : NULL;
    for (int64_t c = 0; r && c < half; c++) frequencies[c] = powl(10000.0L, -(long double)c / (long double)half);
    for (int64_t e = 0; r && e < n; e++) {
        sines_of(first - e, half, frequencies, r);
        for (int64_t row = 0; row < heads * x->d; row++) {
            double sum = 0;
            for (int64_t m = 0; m < x->model; m++) sum += (double)x->w[row * x->model + m] * r[m];
            out[(row / x->d * n + e) * x->d + row % x->d] = (float)sum;
        }
    }
    bool made = r != NULL;
    free(r);
    free(frequencies);
    return made;
}

/* What a query of head 0 has at a key: the score, or what that adds to channel c of dq. */
static double score_of(const posenc_bench_xl *x, const float *wr, int64_t i, int64_t j) {
    const float *q = x->q + i * x->d, *k = x->k + j * x->d, *r = wr + (j - i + x->queries - 1) * x->d;
    double sum = 0;
    for (int64_t c = 0; c < x->d; c++)
        sum += ((double)q[c] + (double)x->u[c]) * (double)k[c] + ((double)q[c] + (double)x->v[c]) * (double)r[c];
    return sum * x->scale;
}

static double worst_score(const posenc_bench_xl *x, const float *wr, bool bidirectional) {
    double worst = 0;
    for (int64_t at = 0; at < x->queries * x->keys; at += x->queries * x->keys / 4000 | 1) {
        int64_t i = at / x->keys, j = at % x->keys;
        if (j - i > x->keys - x->queries && !bidirectional) continue;
        worst = fmax(worst, fabs((double)x->scores[at] - score_of(x, wr, i, j)));
    }
    return worst;
}

static double worst_dq(const posenc_bench_xl *x, const float *wr, bool bidirectional) {
    double worst = 0;
    for (int64_t at = 0; at < x->queries * x->d; at += x->queries * x->d / 400 | 1) {
        int64_t i = at / x->d, c = at % x->d, n = bidirectional ? x->keys : x->keys - x->queries + i + 1;
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += (double)x->scores[i * x->keys + j] *
                   ((double)x->k[j * x->d + c] + (double)wr[(j - i + x->queries - 1) * x->d + c]);
        worst = fmax(worst, fabs((double)x->dq[at] - sum * x->scale));
    }
    return worst;
}

/* Distances from the last query and the first key on. */
static void file_error(call *c, bool backward, posenc_bench_result *result) {
    const posenc_bench_xl *x = &c->x;
    int64_t n = x->keys + x->queries - 1;
    float *wr = malloc((size_t)(n * x->d) * sizeof *wr);
    if (wr && make_positions(x, 1, x->keys - 1, n, wr)) {
        bool both = c->options.bidirectional != 0;
        result->max_error = backward ? worst_dq(x, wr, both) : worst_score(x, wr, both);
    }
    free(wr);
}

/* ---- measuring ---- */

static void measure(posenc_bench_session *session, const posenc_bench_work *work, call *c, float *factors,
                    posenc_bench_result *result) {
    posenc_bench_samples samples;
    bool backward = work->flags & POSENC_BENCH_BACKWARD, usual = work->group->kind == POSENC_BENCH_FASTER;
    posenc_bench_xl *x = &c->x;
    floor_work floor = {x, c->options.bidirectional != 0, factors, factors + 4 * x->keys * x->model, 0};
    posenc_bench_contender contenders[] = {{backward ? run_backward : run_scores, c, 0, 0},
                                           {backward ? run_backward_floor : run_scores_floor, &floor, 0, 0}};
    if (usual) contenders[1] = (posenc_bench_contender){posenc_bench_xl_usual, x, 0, 0};
    result->floor = usual ? "pad and reshape" : backward ? "sgemm, reading" : "sgemm, memset";
    posenc_bench_file(session->effort, contenders, 2, result, &samples);
    contenders[0].run(c);
    file_error(c, backward, result);
    if (c->status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(c->status));
    if (floor.sum == 1) result->seconds.runs++; /* so that the reading is not left out */
}

/* Two threads beside one; memset of the scores as the yardstick. */
static void measure_two_threads(posenc_bench_session *session, const posenc_bench_work *work, call *c,
                                posenc_bench_result *result) {
    call two = *c;
    posenc_context *context_one = posenc_bench_context(session->isa, 1);
    posenc_context *context_two = posenc_bench_context(session->isa, 2);
    void (*run)(void *) = work->flags & POSENC_BENCH_BACKWARD ? run_backward : run_scores;
    c->context = context_one, two.context = context_two;
    size_t bytes = (size_t)(HEADS * c->x.queries * c->x.keys) * sizeof *c->x.scores;
    if (context_one && context_two)
        posenc_bench_file_two_threads(session, (posenc_bench_contender){run, c, 0, 0},
                                      (posenc_bench_contender){run, &two, 0, 0}, c->x.scores, bytes, result);
    else
        posenc_bench_skip(result, "out of memory");
    if (c->status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(c->status));
    posenc_context_destroy(context_two);
    posenc_context_destroy(context_one);
}

/* Takes n floats of what is left. */
static float *take(float **left, int64_t n) {
    float *from = *left;
    *left += n;
    return from;
}

static DLTensor *view(call *c, int index, float *data, int64_t heads, int64_t rows, int64_t columns) {
    const int64_t four[] = {1, heads, rows, columns}, two[] = {rows, columns};
    return posenc_view_make(&c->views[index], data, POSENC_F32, heads ? 4 : 2, heads ? four : two, NULL);
}

/* Floats of all tensors but the scores, and the tensors out of one buffer. */
static int64_t floats_of(const posenc_bench_xl *x) { return 2 * HEADS * x->d * (x->queries + x->keys + 2 + x->model); }

static void lay_out(posenc_bench_xl *x, float *left) {
    int64_t vectors = HEADS * x->d;
    x->q = take(&left, vectors * x->queries), x->dq = take(&left, vectors * x->queries);
    x->k = take(&left, vectors * x->keys), x->dk = take(&left, vectors * x->keys);
    x->u = take(&left, vectors), x->du = take(&left, vectors);
    x->v = take(&left, vectors), x->dv = take(&left, vectors);
    x->w = take(&left, vectors * x->model), x->dw = take(&left, vectors * x->model);
}

static void make_views(call *c) {
    posenc_bench_xl *x = &c->x;
    c->q = view(c, 0, x->q, HEADS, x->queries, x->d);
    c->k = view(c, 1, x->k, HEADS, x->keys, x->d);
    c->u = view(c, 2, x->u, 0, HEADS, x->d);
    c->v = view(c, 3, x->v, 0, HEADS, x->d);
    c->w = view(c, 4, x->w, 0, HEADS * x->d, x->model);
    c->scores = view(c, 5, x->scores, HEADS, x->queries, x->keys);
    c->gradients = (posenc_xl_gradients){.size = sizeof c->gradients,
                                         .dq = view(c, 6, x->dq, HEADS, x->queries, x->d),
                                         .dk = view(c, 7, x->dk, HEADS, x->keys, x->d),
                                         .du = view(c, 8, x->du, 0, HEADS, x->d),
                                         .dv = view(c, 9, x->dv, 0, HEADS, x->d),
                                         .dw = view(c, 10, x->dw, 0, HEADS * x->d, x->model)};
}

/* W r and room for rows of all positions, where the usual way is measured. */
static bool make_usual(posenc_bench_xl *x, bool bidirectional, float **memory) {
    x->positions = x->keys + (bidirectional ? x->queries : 0);
    int64_t rows = x->queries * (x->positions + 1), wr = HEADS * x->positions * x->d, bias = x->queries * x->d;
    float *left = *memory = malloc((size_t)(3 * rows + wr + bias) * sizeof *left);
    if (!left) return false;
    x->wr = take(&left, wr), x->with_bias = take(&left, bias);
    x->all = take(&left, rows), x->padded = take(&left, rows), x->shifted = take(&left, rows);
    return make_positions(x, HEADS, x->keys - 1, x->positions, x->wr);
}

static void measure_beside(posenc_bench_session *session, const posenc_bench_work *work, call *c, float *factors,
                           posenc_bench_result *result) {
    bool usual = work->group->kind == POSENC_BENCH_FASTER;
    float *memory = NULL;
    const char *missing = posenc_bench_product_load(&c->x.product);
    if (!missing && usual && !make_usual(&c->x, c->options.bidirectional != 0, &memory)) missing = "out of memory";
    if (missing)
        posenc_bench_skip(result, missing);
    else
        measure(session, work, c, factors, result);
    free(memory);
    posenc_bench_product_unload(&c->x.product);
}

void posenc_bench_transformer_xl(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                                 posenc_bench_result *result) {
    call c = {.x = {.queries = shape[0], .keys = 2 * shape[0], .d = shape[1], .model = HEADS * shape[1]},
              .context = session->context};
    posenc_bench_xl *x = &c.x;
    size_t vectors = (size_t)floats_of(x) * sizeof(float);
    size_t square = (size_t)(HEADS * x->queries * x->keys) * sizeof(float);
    size_t floors = (size_t)(8 * x->keys * x->model) * sizeof(float);
    float *memory = posenc_bench_buffer(vectors, result), *factors = NULL;
    x->scores = memory ? posenc_bench_buffer(square, result) : NULL;
    factors = x->scores ? posenc_bench_buffer(floors, result) : NULL;
    result->scheme = "transformer-xl";
    result->state = square > session->cache_bytes ? "memory" : "in cache";
    posenc_xl_default(&c.options, sizeof c.options);
    c.options.scale = x->scale = 1 / sqrt((double)x->d);
    c.options.bidirectional = (work->flags & POSENC_BENCH_BOTH_WAYS) != 0;
    if (factors) {
        posenc_bench_ordinary(memory, POSENC_F32, vectors / sizeof *memory);
        posenc_bench_ordinary(x->scores, POSENC_F32, square / sizeof *memory);
        posenc_bench_ordinary(factors, POSENC_F32, floors / sizeof *memory);
        lay_out(x, memory);
        make_views(&c);
        if (work->group->kind == POSENC_BENCH_SPEED_UP)
            measure_two_threads(session, work, &c, result);
        else
            measure_beside(session, work, &c, factors, result);
    }
    posenc_bench_unmap(factors, floors);
    posenc_bench_unmap(x->scores, square);
    posenc_bench_unmap(memory, vectors);
}
