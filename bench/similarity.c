/* The cosines of all pairs of positions, from the table on, beside the matrix product alone: that of the rows as they
 * are, neither scaled to length 1 nor held within [-1, 1]. */
#include <math.h>
#include <stdio.h>

#include "pages.h"
#include "product.h"
#include "works.h"

typedef struct {
    const posenc_context *context;
    DLTensor *table, *matrix; /* matrix NULL: the summary */
} all_pairs;

static void compare_all(void *state) {
    all_pairs *all = state;
    posenc_similarity *similarity;
    posenc_similarity_report report = {.size = sizeof report};
    if (posenc_similarity_create(all->context, all->table, &similarity, NULL) != POSENC_OK) return;
    if (all->matrix)
        posenc_similarity_rows(similarity, 0, all->matrix, NULL);
    else
        posenc_similarity_summary(similarity, NULL, &report, NULL);
    posenc_similarity_destroy(similarity);
}

static double plain_cosine(const float *a, const float *b, int64_t dim) {
    long double aa = 0, bb = 0, ab = 0;
    for (int64_t i = 0; i < dim; i++) {
        aa += (long double)a[i] * (long double)a[i];
        bb += (long double)b[i] * (long double)b[i];
        ab += (long double)a[i] * (long double)b[i];
    }
    return (double)(ab / sqrtl(aa) / sqrtl(bb));
}

/* The worst of some thousand pairs, spread over the matrix. */
static double worst_error(const float *table, const float *matrix, int64_t length, int64_t dim) {
    const int64_t pairs = length * length, step = pairs / 4000 | 1;
    double worst = 0;
    for (int64_t at = 0; at < pairs; at += step) {
        double want = plain_cosine(table + at / length * dim, table + at % length * dim, dim);
        worst = fmax(worst, fabs((double)matrix[at] - want));
    }
    return worst;
}

static void measure(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape, float *table,
                    float *matrix, posenc_bench_result *result) {
    bool whole = !(work->flags & POSENC_BENCH_SUMMARY);
    posenc_view table_view, matrix_view;
    posenc_bench_samples samples;
    posenc_bench_product floor = {.length = shape[0], .dim = shape[1], .a = table, .c = matrix};
    const int64_t square[] = {shape[0], shape[0]};
    all_pairs ours = {session->context, posenc_view_make(&table_view, table, POSENC_F32, 2, shape, NULL),
                      whole ? posenc_view_make(&matrix_view, matrix, POSENC_F32, 2, square, NULL) : NULL};
    const char *missing = posenc_bench_product_load(&floor);
    if (missing) {
        posenc_bench_skip(result, missing);
        return;
    }
    posenc_bench_contender contenders[] = {{compare_all, &ours, 0, 0}, {posenc_bench_product_run, &floor, 0, 0}};
    result->floor = "sgemm";
    if (session->options->threads > 1) snprintf(result->note, sizeof result->note, "sgemm on one thread");
    posenc_bench_file(session->effort, contenders, 2, result, &samples);
    compare_all(&ours);
    if (whole) result->max_error = worst_error(table, matrix, shape[0], shape[1]);
    posenc_bench_product_unload(&floor);
}

void posenc_bench_similarity(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                             posenc_bench_result *result) {
    size_t bytes = posenc_bench_work_bytes(work, shape), matrix_bytes = (size_t)(shape[0] * shape[0]) * sizeof(float);
    posenc_plan *plan = posenc_bench_plan(session->context, shape[1], shape[0], result);
    float *table = plan ? posenc_bench_buffer(bytes, result) : NULL;
    float *matrix = table ? posenc_bench_buffer(matrix_bytes, result) : NULL;
    if (matrix) {
        posenc_plan_write_f32(plan, 0, shape[0], table);
        measure(session, work, shape, table, matrix, result);
    }
    posenc_bench_unmap(matrix, matrix_bytes);
    posenc_bench_unmap(table, bytes);
    posenc_plan_destroy(plan);
}
