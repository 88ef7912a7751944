/* Score biases: written whole and as vectors beside memset, added to scores in place beside reading and writing them,
 * the gradient of slopes or table beside reading that of the scores. */
#include <stdio.h>
#include <stdlib.h>

#include "floors.h"
#include "pages.h"
#include "random_bits.h"
#include "works.h"

typedef struct {
    posenc_plan *plan;
    posenc_bias_extent extent;
    DLTensor *table, *scores, *gradient;
    posenc_status status;
} call;

static void run_write(void *state) {
    call *c = state;
    c->status = posenc_bias_write(c->plan, &c->extent, c->table, c->scores, NULL);
}

static void run_vector(void *state) {
    call *c = state;
    c->status = posenc_bias_vector(c->plan, &c->extent, c->table, c->scores, NULL);
}

static void run_add(void *state) {
    call *c = state;
    c->status = posenc_bias_add(c->plan, &c->extent, NULL, c->table, c->scores, NULL);
}

static void run_backward(void *state) {
    call *c = state;
    c->status = posenc_bias_backward(c->plan, &c->extent, NULL, c->scores, c->gradient, 0, NULL);
}

/* ---- floors, on one thread ---- */

typedef struct {
    uint64_t *words;
    size_t n;
    uint64_t sum;
} words;

static void read_modify_write(void *state) {
    words *w = state;
    for (size_t i = 0; i < w->n; i++) w->words[i] ^= 1;
}

/* In eight sums, so that none waits for another. */
static void read_all(void *state) {
    words *w = state;
    uint64_t sums[8] = {0};
    for (size_t i = 0; i + 8 <= w->n; i += 8)
        for (size_t k = 0; k < 8; k++) sums[k] += w->words[i + k];
    for (int k = 0; k < 8; k++) w->sum += sums[k];
}

/* ---- measuring ---- */

static void measure(posenc_bench_session *session, const posenc_bench_work *work, call *ours, void *data, size_t bytes,
                    posenc_bench_result *result) {
    posenc_bench_samples samples;
    posenc_bench_bytes set = {data, NULL, bytes, session->options->threads};
    words all = {data, bytes / sizeof(uint64_t), 0};
    posenc_bench_contender whole[] = {{work->rank == 2 ? run_vector : run_write, ours, 0, 0},
                                      {posenc_bench_memset, &set, 0, 0}};
    posenc_bench_contender added[] = {{run_add, ours, 0, 0}, {read_modify_write, &all, 0, 0}};
    posenc_bench_contender summed[] = {{run_backward, ours, 0, 0}, {read_all, &all, 0, 0}};
    bool in_place = work->flags & POSENC_BENCH_IN_PLACE, backward = work->flags & POSENC_BENCH_BACKWARD;
    result->floor = in_place ? "read-modify-write" : backward ? "reading" : "memset";
    posenc_bench_file(session->effort, in_place ? added : backward ? summed : whole, 2, result, &samples);
    if ((in_place || backward) && session->options->threads > 1)
        snprintf(result->note, sizeof result->note, "%s on one thread", result->floor);
    if (ours->status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(ours->status));
    if (all.sum == 1) result->seconds.runs++; /* so that the reading is not left out */
}

static posenc_plan *plan_of(posenc_bench_session *session, const posenc_bench_work *work, int64_t heads,
                            posenc_bench_result *result) {
    char text[24];
    bool t5 = work->flags & POSENC_BENCH_BUCKETS;
    const char *slopes = work->flags & POSENC_BENCH_ANY_SLOPE ? "0.70710678118654757" : ""; /* of one head */
    snprintf(text, sizeof text, "%lld", (long long)heads);
    posenc_plan *plan = NULL;
    posenc_error error;
    result->scheme = t5 ? "t5" : "alibi";
    if (posenc_plan_create(session->context, result->scheme, (posenc_parameter[]){{"heads", text}, {"slopes", slopes}},
                           t5 ? 1 : 2, &plan, &error) != POSENC_OK)
        posenc_bench_skip(result, error.message);
    return plan;
}

void posenc_bench_bias(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                       posenc_bench_result *result) {
    enum { BUCKETS = 32 };
    bool t5 = work->flags & POSENC_BENCH_BUCKETS;
    size_t bytes = posenc_bench_work_bytes(work, shape);
    const int64_t table_shape[] = {BUCKETS, shape[0]};
    posenc_view views[3];
    call ours = {.plan = plan_of(session, work, shape[0], result)};
    float *table = ours.plan ? malloc((size_t)(BUCKETS * shape[0]) * sizeof *table) : NULL;
    float *gradient = table ? malloc((size_t)(BUCKETS * shape[0]) * sizeof *gradient) : NULL;
    void *data = gradient ? posenc_bench_buffer(bytes, result) : NULL;
    if (data) {
        posenc_bench_ordinary(table, POSENC_F32, (size_t)(BUCKETS * shape[0]));
        posenc_bench_ordinary(data, work->dtype, bytes / posenc_dtype_bytes(work->dtype));
        posenc_bias_extent_default(&ours.extent, sizeof ours.extent);
        ours.extent.queries = work->rank == 2 ? 1 : shape[1];
        ours.extent.keys = work->rank == 2 ? shape[1] : shape[2];
        ours.table = t5 ? posenc_view_make(&views[0], table, POSENC_F32, 2, table_shape, NULL) : NULL;
        ours.scores = posenc_view_make(&views[1], data, work->dtype, work->rank, shape, NULL);
        ours.gradient = posenc_view_make(&views[2], gradient, POSENC_F32, t5 ? 2 : 1, t5 ? table_shape : shape, NULL);
        measure(session, work, &ours, data, bytes, result);
    } else if (ours.plan && !gradient) {
        posenc_bench_skip(result, "out of memory");
    }
    posenc_bench_unmap(data, bytes);
    free(gradient);
    free(table);
    posenc_plan_destroy(ours.plan);
}
