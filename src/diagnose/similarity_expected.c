/* What a plan's table should be like, from its frequencies alone. In a row of d channels each frequency w_i has a sine
 * and a cosine, so that every row has the length sqrt(d / 2), and
 *     cos(p, q) = (2/d) sum of (sin p w_i sin q w_i + cos p w_i cos q w_i) = (2/d) sum of cos((q - p) w_i)
 * depends on the distance alone: it is the mean of the cosine columns in the exact row of position q - p. */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "diagnose/similarity.h"
#include "schemes/scheme.h"

static const int64_t block_bytes = 256 << 10; /* stays in the second-level cache */

/* A plan of the same frequencies, exact, with each cosine before its sine: whatever the layout, row and plane begin
 * with a cosine. */
static posenc_status make_exact(const posenc_plan *plan, int64_t length, posenc_plan **out, posenc_error *error) {
    enum { OWN = 2, KEPT = 3 };
    static const char *const kept[KEPT] = {"dim", "base", "layout"};
    char max_len[32], texts[KEPT][64];
    posenc_parameter parameters[OWN + KEPT] = {{"cos-first", "true"}, {"max-len", max_len}};
    snprintf(max_len, sizeof max_len, "%lld", (long long)length);
    for (int i = 0; i < KEPT; i++) {
        posenc_plan_parameter(plan, kept[i], texts[i], sizeof texts[i]);
        parameters[OWN + i] = (posenc_parameter){kept[i], texts[i]};
    }
    return posenc_plan_create(plan->context, posenc_plan_scheme(plan), parameters, OWN + KEPT, out, error);
}

/* Compensated (Neumaier 1974), so that wide rows lose nothing: the terms are at most 1 in size. */
static double mean_of(const double *values, int64_t n, int64_t step) {
    double sum = 0, lost = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = values[i * step], next = sum + x;
        lost += (next < 0 ? -next : next) >= (x < 0 ? -x : x) ? (sum - next) + x : (x - next) + sum;
        sum = next;
    }
    return (sum + lost) / (double)n;
}

static posenc_status fill_curve(const posenc_plan *plan, int64_t length, int64_t block_rows, double *block,
                                double *curve, posenc_error *error) {
    int64_t dim = posenc_plan_dim(plan), step = plan->rows.planar ? 1 : 2;
    for (int64_t first = 0; first < length; first += block_rows) {
        posenc_view view;
        posenc_positions positions;
        posenc_positions_default(&positions, sizeof positions);
        positions.start = first;
        const int64_t shape[] = {length - first < block_rows ? length - first : block_rows, dim};
        DLTensor *rows = posenc_view_make(&view, block, POSENC_F64, 2, shape, NULL);
        posenc_status status = posenc_plan_write(plan, &positions, rows, error);
        if (status != POSENC_OK) return status;
        for (int64_t r = 0; r < shape[0]; r++) curve[first + r] = mean_of(block + r * dim, dim / 2, step);
    }
    return POSENC_OK;
}

/* Into memory of its own first, because writing rows may fail. */
static posenc_status make_curve(const posenc_plan *plan, int64_t length, double *out, posenc_error *error) {
    int64_t row_bytes = posenc_plan_dim(plan) * (int64_t)sizeof(double);
    int64_t block_rows = row_bytes < block_bytes ? block_bytes / row_bytes : 1;
    size_t curve_bytes = (size_t)length * sizeof(double), bytes = (size_t)(block_rows * row_bytes);
    double *curve = posenc_allocate(plan->context, curve_bytes);
    if (!curve) return posenc_fail_memory(error, "similarity", curve_bytes);
    double *block = posenc_allocate(plan->context, bytes);
    posenc_status status = block ? POSENC_OK : posenc_fail_memory(error, "similarity", bytes);
    posenc_plan *exact = NULL;
    if (status == POSENC_OK) status = make_exact(plan, length, &exact, error);
    posenc_fpenv saved = posenc_fpenv_enter();
    if (status == POSENC_OK) status = fill_curve(exact, length, block_rows, block, curve, error);
    posenc_fpenv_leave(saved);
    if (status == POSENC_OK) memcpy(out, curve, curve_bytes);
    posenc_plan_destroy(exact);
    posenc_release(plan->context, block);
    posenc_release(plan->context, curve);
    return status;
}

posenc_status posenc_similarity_expected(const posenc_plan *plan, int64_t length, double *out, posenc_error *error) {
    size_t bytes;
    if (!plan) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "plan", "expected a plan, got NULL");
    if (strcmp(posenc_plan_scheme(plan), "sinusoidal") != 0)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "plan", "expected a sinusoidal plan, got %s",
                           posenc_plan_scheme(plan));
    if (posenc_plan_dim(plan) % 2 != 0)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "plan", "expected an even dim, got %lld",
                           (long long)posenc_plan_dim(plan));
    if (length < 0 || !posenc_bytes_of(length, sizeof *out, &bytes))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "length", "expected 0 or more that fit into memory, got %lld",
                           (long long)length);
    if (length == 0) return POSENC_OK;
    if (!out) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "out", "expected a pointer, got NULL");
    return make_curve(plan, length, out, error);
}
