#include "sweep.h"

#include <inttypes.h>
#include <stdlib.h>

#include "support/number.h"
#include "support/test.h"

sweep_rows sweep_write(const posenc_plan *plan, posenc_dtype ids_dtype, const void *ids, int64_t n) {
    sweep_rows rows = {.n = n, .dim = posenc_plan_dim(plan)};
    for (int d = 0; d < 4; d++) {
        rows.rows[d] = must_allocate((size_t)(n * rows.dim) * posenc_dtype_bytes(encoding_dtypes[d]));
        must_write_ids(plan, ids_dtype, ids, n, encoding_dtypes[d], rows.rows[d]);
    }
    return rows;
}

void sweep_free(sweep_rows *rows) {
    for (int d = 0; d < 4; d++) free(rows->rows[d]);
}

static uint64_t element(const sweep_rows *rows, int d, int64_t r, int64_t column) {
    size_t bytes = posenc_dtype_bytes(encoding_dtypes[d]);
    return number_load(encoding_dtypes[d], (const char *)rows->rows[d] + (size_t)(r * rows->dim + column) * bytes);
}

void sweep_value(tally *t, const sweep_rows *rows, int64_t r, int64_t column, mpfr_srcptr exact, const char *what) {
    for (int d = 0; d < 4; d++) {
        posenc_dtype dtype = encoding_dtypes[d];
        uint64_t bits = element(rows, d, r, column);
        bool rounded = number_decode(dtype, bits) == number_decode(dtype, oracle_round(dtype, exact)); /* +0 is -0 */
        t->values[d]++;
        t->wrong[d] += !rounded;
        if (rounded && dtype != POSENC_F32 && dtype != POSENC_F64) continue; /* saves time */
        double ulps, error = oracle_error(dtype, bits, exact, &ulps), size = dtype == POSENC_F64 ? error : ulps;
        if (size > t->worst[d]) t->worst[d] = size;
        check(oracle_accepts(dtype, bits, exact), "%s %s column %" PRId64 ": got %.17g, off by %.3g (%.6f ulp)", what,
              posenc_dtype_name(dtype), column, number_decode(dtype, bits), error, ulps);
    }
}

void sweep_pair(tally *t, const oracle *o, const sweep_rows *rows, int64_t r, int64_t frequency, const char *what) {
    int64_t h = o->dim / 2;
    bool interleaved = o->layout == POSENC_LAYOUT_INTERLEAVED;
    int64_t columns[2] = {interleaved ? 2 * frequency : frequency, interleaved ? 2 * frequency + 1 : h + frequency};
    for (int k = 0; k < 2; k++) {
        int64_t same;
        if (columns[k] >= o->dim) continue;
        bool is_sine = oracle_column(o, columns[k], &same) == ORACLE_SINE;
        sweep_value(t, rows, r, columns[k], is_sine ? o->sine : o->cosine, what);
    }
}

void sweep_zero_column(const oracle *o, const sweep_rows *rows, int64_t r, const char *what) {
    int64_t frequency;
    if (oracle_column(o, o->dim - 1, &frequency) != ORACLE_ZERO) return;
    for (int d = 0; d < 4; d++)
        check(element(rows, d, r, o->dim - 1) == 0, "%s %s: last column is not +0", what,
              posenc_dtype_name(encoding_dtypes[d]));
}

void tally_print(const char *title, const tally *t) {
    for (int d = 0; d < 4; d++)
        fprintf(stderr, "%s %s: %" PRId64 " values, %" PRId64 " not correctly rounded, worst %.6g %s\n", title,
                posenc_dtype_name(encoding_dtypes[d]), t->values[d], t->wrong[d], t->worst[d],
                encoding_dtypes[d] == POSENC_F64 ? "absolute" : "ulp");
}
