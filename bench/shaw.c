/* Clipped relative positions, K = 128: scores beside the product Q A^T and memset of the scores, values beside the same
 * product and reading the attention; gradients beside two such products, reading, and memset where scores have one of
 * their own; scores by the explicit tensor of queries x keys x d, the usual way, in their place. */
#include <math.h>
#include <stdlib.h>

#include "floors.h"
#include "pages.h"
#include "product.h"
#include "random_bits.h"
#include "works.h"

enum { CLIP = 128, ROWS = 2 * CLIP + 1 };

typedef struct {
    const posenc_context *context;
    posenc_shaw_options options;
    DLTensor *q, *table, *scores, *explicit_rows;
    DLTensor *dq, *dtable, *dattention; /* backward */
    posenc_status status;
} call;

static void run_scores(void *state) {
    call *c = state;
    c->status = posenc_shaw_scores(c->context, &c->options, c->q, c->table, c->scores, NULL);
}

static void run_values(void *state) {
    call *c = state;
    c->status = posenc_shaw_values(c->context, &c->options, c->scores, c->table, c->q, NULL);
}

static void run_scores_backward(void *state) {
    call *c = state;
    c->status = posenc_shaw_scores_backward(c->context, &c->options, c->q, c->table, c->scores, c->dq, c->dtable, NULL);
}

static void run_values_backward(void *state) {
    call *c = state;
    c->status =
        posenc_shaw_values_backward(c->context, &c->options, c->scores, c->table, c->q, c->dattention, c->dtable, NULL);
}

/* Each score is the product of its query with its own row; eight sums, so that the compiler may use vectors. */
static void multiply_explicit(const float *q, const float *rows, float *scores, int64_t length, int64_t d) {
    for (int64_t i = 0; i < length; i++)
        for (int64_t j = 0; j < length; j++, rows += d) {
            float sums[8] = {0};
            for (int64_t l = 0; l + 8 <= d; l += 8)
                for (int k = 0; k < 8; k++) sums[k] += q[i * d + l + k] * rows[l + k];
            scores[i * length + j] =
                ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
        }
}

static void run_explicit(void *state) {
    call *c = state;
    c->status = posenc_shaw_write(c->context, &c->options, c->table, c->explicit_rows, NULL);
    multiply_explicit(c->q->data, c->explicit_rows->data, c->scores->data, c->q->shape[2], c->q->shape[3]);
}

/* ---- the floor, on one thread ---- */

typedef struct {
    posenc_bench_product product;
    int products;
    posenc_bench_bytes set; /* bytes 0: nothing is written */
    const void *read;       /* NULL: nothing is read */
    size_t read_bytes;
    uint64_t sum;
} floor_work;

static void run_floor(void *state) {
    floor_work *f = state;
    for (int i = 0; i < f->products; i++) posenc_bench_product_run(&f->product);
    if (f->set.bytes > 0) posenc_bench_memset(&f->set);
    if (!f->read) return;
    const uint64_t *words = f->read;
    uint64_t sums[8] = {0};
    for (size_t i = 0; i + 8 <= f->read_bytes / sizeof *words; i += 8)
        for (size_t k = 0; k < 8; k++) sums[k] += words[i + k];
    for (int k = 0; k < 8; k++) f->sum += sums[k];
}

/* ---- measuring ---- */

/* The worst of some thousand scores. */
static double worst_error(const call *c) {
    int64_t length = c->q->shape[2], d = c->q->shape[3];
    const float *q = c->q->data, *table = c->table->data, *scores = c->scores->data;
    double worst = 0;
    for (int64_t at = 0; at < length * length; at += length * length / 4000 | 1) {
        int64_t distance = at % length - at / length;
        int64_t row = (distance > CLIP ? CLIP : distance < -CLIP ? -CLIP : distance) + CLIP;
        double want = 0;
        for (int64_t l = 0; l < d; l++) want += (double)q[at / length * d + l] * (double)table[row * d + l];
        worst = fmax(worst, fabs((double)scores[at] - want));
    }
    return worst;
}

static double worst_dq(const call *c) {
    int64_t length = c->q->shape[2], d = c->q->shape[3];
    const float *dq = c->dq->data, *table = c->table->data, *scores = c->scores->data;
    double worst = 0;
    for (int64_t at = 0; at < length * d; at += length * d / 400 | 1) {
        double want = 0;
        for (int64_t j = 0; j < length; j++) {
            int64_t distance = j - at / d;
            int64_t row = (distance > CLIP ? CLIP : distance < -CLIP ? -CLIP : distance) + CLIP;
            want += (double)scores[at / d * length + j] * (double)table[row * d + at % d];
        }
        worst = fmax(worst, fabs((double)dq[at] - want));
    }
    return worst;
}

/* The work, its floor, and the floor's name; whole numbers of products of the size of Q A^T. */
static posenc_bench_contender choose(const posenc_bench_work *work, call *ours, floor_work *floor, size_t bytes,
                                     posenc_bench_result *result) {
    bool values = work->flags & POSENC_BENCH_VALUES, backward = work->flags & POSENC_BENCH_BACKWARD;
    bool writes = !values && !backward;
    floor->products = backward ? 2 : 1;
    floor->set = (posenc_bench_bytes){NULL, NULL, 0, 1};
    if (writes) floor->set = (posenc_bench_bytes){ours->scores->data, NULL, bytes, 1};
    if (values && backward) floor->set = (posenc_bench_bytes){ours->dattention->data, NULL, bytes, 1};
    floor->read = writes ? NULL : ours->scores->data;
    floor->read_bytes = bytes;
    result->floor = writes ? "sgemm, memset" : values && backward ? "sgemm, reading, memset" : "sgemm, reading";
    if (backward) return (posenc_bench_contender){values ? run_values_backward : run_scores_backward, ours, 0, 0};
    return (posenc_bench_contender){values ? run_values : run_scores, ours, 0, 0};
}

static void measure(posenc_bench_session *session, const posenc_bench_work *work, call *ours, const float *factors,
                    float *product, posenc_bench_result *result) {
    posenc_bench_samples samples;
    bool beside_explicit = ours->explicit_rows != NULL;
    bool values = work->flags & POSENC_BENCH_VALUES, backward = work->flags & POSENC_BENCH_BACKWARD;
    int64_t length = ours->q->shape[2], d = ours->q->shape[3];
    size_t bytes = (size_t)(length * length) * posenc_dtype_bytes(work->dtype);
    floor_work floor = {
        .product = {.length = length, .dim = d, .a = factors, .c = product, .b = factors, .columns = ROWS}};
    const char *missing = beside_explicit ? NULL : posenc_bench_product_load(&floor.product);
    if (missing) {
        posenc_bench_skip(result, missing);
        return;
    }
    posenc_bench_contender contenders[] = {choose(work, ours, &floor, bytes, result), {run_floor, &floor, 0, 0}};
    if (beside_explicit) contenders[1] = (posenc_bench_contender){run_explicit, ours, 0, 0};
    if (beside_explicit) result->floor = "explicit";
    posenc_bench_file(session->effort, contenders, 2, result, &samples);
    contenders[0].run(ours);
    if (!values && work->dtype == POSENC_F32) result->max_error = backward ? worst_dq(ours) : worst_error(ours);
    if (ours->status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(ours->status));
    if (floor.sum == 1) result->seconds.runs++; /* so that the reading is not left out */
    if (!beside_explicit) posenc_bench_product_unload(&floor.product);
}

/* Two threads beside one; memset of the scores as the yardstick. */
static void measure_two_threads(posenc_bench_session *session, const posenc_bench_work *work, call *ours, size_t bytes,
                                posenc_bench_result *result) {
    call two = *ours;
    posenc_context *context_one = posenc_bench_context(session->isa, 1);
    posenc_context *context_two = posenc_bench_context(session->isa, 2);
    void (*run)(void *) = work->flags & POSENC_BENCH_BACKWARD ? run_scores_backward : run_scores;
    ours->context = context_one, two.context = context_two;
    if (context_one && context_two)
        posenc_bench_file_two_threads(session, (posenc_bench_contender){run, ours, 0, 0},
                                      (posenc_bench_contender){run, &two, 0, 0}, ours->scores->data, bytes, result);
    else
        posenc_bench_skip(result, "out of memory");
    if (ours->status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(ours->status));
    posenc_context_destroy(context_two);
    posenc_context_destroy(context_one);
}

void posenc_bench_shaw(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                       posenc_bench_result *result) {
    int64_t length = shape[0], d = shape[1];
    size_t element = posenc_dtype_bytes(work->dtype), square = (size_t)(length * length) * element;
    size_t some = (size_t)((length + ROWS) * d) * element, small = 2 * some, cube = square * (size_t)d;
    size_t floors = (size_t)(length * (d + ROWS)) * sizeof(float);
    bool beside_explicit = work->group->kind == POSENC_BENCH_FASTER;
    bool both = (work->flags & POSENC_BENCH_VALUES) && (work->flags & POSENC_BENCH_BACKWARD);
    posenc_view views[7];
    call ours = {.context = session->context};
    char *vectors = posenc_bench_buffer(small, result), *all = NULL;
    void *scores = vectors ? posenc_bench_buffer(square, result) : NULL;
    void *more = scores && both ? posenc_bench_buffer(square, result) : NULL;
    float *factors = scores && (more || !both) ? posenc_bench_buffer(floors, result) : NULL;
    result->scheme = "shaw";
    result->state = square + (both ? square : 0) > session->cache_bytes ? "memory" : "in cache";
    posenc_shaw_default(&ours.options, sizeof ours.options);
    ours.options.clip = CLIP;
    if (factors && beside_explicit) all = posenc_bench_buffer(cube, result);
    if (factors && (all || !beside_explicit)) {
        posenc_bench_ordinary(vectors, work->dtype, small / element);
        posenc_bench_ordinary(scores, work->dtype, square / element);
        posenc_bench_ordinary(factors, POSENC_F32, floors / sizeof *factors);
        ours.q = posenc_view_make(&views[0], vectors, work->dtype, 4, (int64_t[]){1, 1, length, d}, NULL);
        ours.table = posenc_view_make(&views[1], vectors + (size_t)(length * d) * element, work->dtype, 2,
                                      (int64_t[]){ROWS, d}, NULL);
        ours.scores = posenc_view_make(&views[2], scores, work->dtype, 4, (int64_t[]){1, 1, length, length}, NULL);
        ours.dq = posenc_view_make(&views[4], vectors + some, work->dtype, 4, (int64_t[]){1, 1, length, d}, NULL);
        ours.dtable = posenc_view_make(&views[5], vectors + some + (size_t)(length * d) * element, work->dtype, 2,
                                       (int64_t[]){ROWS, d}, NULL);
        if (more)
            ours.dattention =
                posenc_view_make(&views[6], more, work->dtype, 4, (int64_t[]){1, 1, length, length}, NULL);
        if (all)
            ours.explicit_rows = posenc_view_make(&views[3], all, work->dtype, 3, (int64_t[]){length, length, d}, NULL);
        if (work->group->kind == POSENC_BENCH_SPEED_UP)
            measure_two_threads(session, work, &ours, square, result);
        else
            measure(session, work, &ours, factors, factors + length * d, result);
    }
    posenc_bench_unmap(all, cube);
    posenc_bench_unmap(factors, floors);
    posenc_bench_unmap(more, square);
    posenc_bench_unmap(scores, square);
    posenc_bench_unmap(vectors, small);
}
