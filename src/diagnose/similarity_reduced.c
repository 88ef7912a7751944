/* A smaller matrix of mean cosines. The positions are cut into runs; the mean over a cell of all ordered pairs of two
 * runs I and J is a product of means:
 *     1/(|I||J|) sum over p in I, q in J of <u_p, u_q>  =  < mean of u_p over I, mean of u_q over J >.
 * On the diagonal that counts each position with itself too, as the cell of the full matrix does. */
#include "base/checked.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/tensor.h"
#include "diagnose/similarity.h"

typedef struct run {
    int64_t first, end;
} run;

static run run_of(const posenc_directions *d, int64_t side, int64_t i) {
    return (run){posenc_i64_share(i, d->rows, side), posenc_i64_share(i + 1, d->rows, side)};
}

/* Adds the directions that are there to sum[dim], and returns their number. */
static int64_t add_run(const posenc_directions *d, run r, double *sum) {
    int64_t n = 0;
    for (int64_t row = r.first; row < r.end; row++) {
        if (!posenc_direction_present(d, row)) continue;
        posenc_directions_add(d, row, sum);
        n++;
    }
    return n;
}

static void take_means(const posenc_directions *d, posenc_directions *means, double *mean) {
    for (int64_t i = 0; i < means->rows; i++) {
        for (int64_t l = 0; l < d->dim; l++) mean[l] = 0;
        int64_t n = add_run(d, run_of(d, means->rows, i), mean);
        if (n == 0) continue;
        for (int64_t l = 0; l < d->dim; l++) mean[l] /= (double)n;
        posenc_directions_store(means, i, mean);
    }
}

/* A run of one direction is at cosine 1 with itself, exactly. */
static void set_ones(const posenc_directions *d, int64_t side, float *out) {
    for (int64_t i = 0; i < side; i++) {
        run r = run_of(d, side, i);
        int64_t n = 0;
        for (int64_t row = r.first; row < r.end; row++) n += posenc_direction_present(d, row);
        if (n == 1) out[i * side + i] = 1;
    }
}

static posenc_status reduce(const posenc_directions *d, int64_t side, float *out, posenc_error *error) {
    posenc_directions means;
    posenc_status status = posenc_directions_create(d->context, side, d->dim, &means, error);
    if (status != POSENC_OK) return status;
    size_t bytes = SIZE_MAX;
    double *mean = posenc_bytes_of(d->dim, sizeof *mean, &bytes) ? posenc_allocate(d->context, bytes) : NULL;
    if (!mean) {
        posenc_directions_destroy(&means);
        return posenc_fail_memory(error, "similarity", bytes);
    }
    posenc_fpenv saved = posenc_fpenv_enter();
    take_means(d, &means, mean);
    posenc_fpenv_leave(saved);
    posenc_directions_cosines(&means, 0, side, out);
    set_ones(d, side, out);
    posenc_release(d->context, mean);
    posenc_directions_destroy(&means);
    return POSENC_OK;
}

posenc_status posenc_similarity_reduced(const posenc_similarity *similarity, DLTensor *out, posenc_error *error) {
    if (!similarity) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "similarity", "expected an object, got NULL");
    const posenc_directions *d = &similarity->directions;
    posenc_status status = posenc_similarity_check_output(out, "(side, side)", error);
    if (status != POSENC_OK) return status;
    int64_t side = out->shape[0];
    if (side != out->shape[1] || side < 1 || side > d->rows) {
        char text[96];
        posenc_shape_text(2, out->shape, text);
        return posenc_fail(error, POSENC_ERROR_SHAPE, "out", "expected (side, side) with a side of 1..%lld, got %s",
                           (long long)d->rows, text);
    }
    return reduce(d, side, (float *)(void *)posenc_tensor_data(out), error);
}
