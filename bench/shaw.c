/* Clipped relative positions, K = 128: scores beside the product Q A^T and memset of the scores, values beside the same
 * product and reading the attention; scores by the explicit tensor of queries x keys x d, the usual way, in their
 * place.
 */
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
    posenc_bench_bytes scores;
    bool reads;
    uint64_t sum;
} floor_work;

static void run_floor(void *state) {
    floor_work *f = state;
    posenc_bench_product_run(&f->product);
    if (!f->reads) {
        posenc_bench_memset(&f->scores);
        return;
    }
    const uint64_t *words = f->scores.to;
    uint64_t sums[8] = {0};
    for (size_t i = 0; i + 8 <= f->scores.bytes / sizeof *words; i += 8)
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

static void measure(posenc_bench_session *session, const posenc_bench_work *work, call *ours, const float *factors,
                    float *product, posenc_bench_result *result) {
    posenc_bench_samples samples;
    bool values = work->flags & POSENC_BENCH_BACKWARD, beside_explicit = ours->explicit_rows != NULL;
    int64_t length = ours->q->shape[2], d = ours->q->shape[3];
    size_t bytes = (size_t)(length * length) * posenc_dtype_bytes(work->dtype);
    floor_work floor = {
        .product = {.length = length, .dim = d, .a = factors, .c = product, .b = factors, .columns = ROWS},
        .scores = {ours->scores->data, NULL, bytes, 1},
        .reads = values};
    const char *missing = beside_explicit ? NULL : posenc_bench_product_load(&floor.product);
    if (missing) {
        posenc_bench_skip(result, missing);
        return;
    }
    posenc_bench_contender contenders[] = {{values ? run_values : run_scores, ours, 0, 0}, {run_floor, &floor, 0, 0}};
    if (beside_explicit) contenders[1] = (posenc_bench_contender){run_explicit, ours, 0, 0};
    result->floor = beside_explicit ? "explicit" : values ? "sgemm, reading" : "sgemm, memset";
    posenc_bench_file(session->effort, contenders, 2, result, &samples);
    if (!values) run_scores(ours);
    if (!values && work->dtype == POSENC_F32) result->max_error = worst_error(ours);
    if (ours->status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(ours->status));
    if (floor.sum == 1) result->seconds.runs++; /* so that the reading is not left out */
    if (!beside_explicit) posenc_bench_product_unload(&floor.product);
}

void posenc_bench_shaw(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                       posenc_bench_result *result) {
    int64_t length = shape[0], d = shape[1];
    size_t element = posenc_dtype_bytes(work->dtype), square = (size_t)(length * length) * element;
    size_t small = (size_t)((length + ROWS) * d) * element, cube = square * (size_t)d;
    size_t floors = (size_t)(length * (d + ROWS)) * sizeof(float);
    bool beside_explicit = work->group->kind == POSENC_BENCH_FASTER;
    posenc_view views[4];
    call ours = {.context = session->context};
    char *vectors = posenc_bench_buffer(small, result), *all = NULL;
    void *scores = vectors ? posenc_bench_buffer(square, result) : NULL;
    float *factors = scores ? posenc_bench_buffer(floors, result) : NULL;
    result->scheme = "shaw";
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
        if (all)
            ours.explicit_rows = posenc_view_make(&views[3], all, work->dtype, 3, (int64_t[]){length, length, d}, NULL);
        measure(session, work, &ours, factors, factors + length * d, result);
    }
    posenc_bench_unmap(all, cube);
    posenc_bench_unmap(factors, floors);
    posenc_bench_unmap(scores, square);
    posenc_bench_unmap(vectors, small);
}
