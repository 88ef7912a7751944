/* Tables put together from the published records of vectors.json, which were computed at 50 digits by a program that
 * shares nothing with posenc. Rows between the records are unknown, so they are NaN here, and passed over. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../golden/records.h"
#include "match_makers.h"
#include "support/test.h"

enum { N_ROWS = 4098 };

static record *records;
static int n_records;

static int read_records(void **state) {
    (void)state;
    int n_all;
    n_records = records_read(POSENC_VECTORS, &records, &n_all);
    return n_records > 0 ? 0 : -1;
}

static int free_records(void **state) {
    (void)state;
    free(records);
    return 0;
}

static double make_nan(void *with, int64_t row, int64_t column) {
    (void)with, (void)row, (void)column;
    return (double)NAN;
}

/* The records of one layout and width as rows start, start + 1, ... Returns how many rows are known. */
static int fill(made *m, posenc_layout layout, int64_t start) {
    int n = 0;
    for (int i = 0; i < n_records; i++) {
        const record *r = &records[i];
        int64_t row = r->position - start;
        if (r->layout != layout || r->dim != m->table.dim || row < 0 || row >= m->table.rows) continue;
        if (r->n_columns != r->dim) continue;
        for (int c = 0; c < r->n_columns; c++) made_put(m, row, r->columns[c], strtod(r->values[c], NULL));
        n++;
    }
    return n;
}

/* Every column of every known row, as the reported formula has it. */
static void check_values(const posenc_match *match, const made *m, const char *what) {
    static const double closeness[] = {
        [POSENC_F32] = 0x1p-24, [POSENC_F64] = 1e-11, [POSENC_F16] = 0x1p-11, [POSENC_BF16] = 0x1p-8};
    for (int64_t r = 0; r < m->table.rows; r++)
        for (int64_t c = 0; c < m->table.dim; c++) {
            double value = made_get(m, r, c), formula = formula_value(match, m->table.dim, r + match->start, c);
            check(value != value || fabs(value - formula) <= closeness[m->table.dtype],
                  "%s came as %s: row %" PRId64 " column %" PRId64 " is %.17g, not %.17g", what, match_text(match), r,
                  c, value, formula);
        }
}

static void one_table(posenc_layout layout, int64_t dim, int64_t start, posenc_dtype dtype) {
    char what[96];
    made m = made_by(make_nan, NULL, N_ROWS, dim, dtype);
    int known = fill(&m, layout, start);
    posenc_match match = must_match(&m);
    snprintf(what, sizeof what, "layout %d, width %" PRId64 ", from %" PRId64 " in %s", layout, dim, start,
             posenc_dtype_name(dtype));
    check(known == 9 - start, "%s: %d records", what, known);
    check(match.scheme && match.rows_fit == match.rows && match.rows == known, "%s came as %s", what,
          match_text(&match));
    check(match.base == 10000 && match.base_is_known == (dim > 3 || (dim == 3 && layout == POSENC_LAYOUT_INTERLEAVED)),
          "%s came as %s", what, match_text(&match));
    check(match.start == start && (dim < 3 || match.layout == layout || !match.base_is_known), "%s came as %s", what,
          match_text(&match));
    check_values(&match, &m, what);
    made_free(&m);
}

static void test_records(void **state) {
    (void)state;
    static const int64_t dims[] = {2, 3, 7, 8};
    for (int layout = 0; layout < 3; layout++)
        for (int d = 0; d < 4; d++)
            for (int64_t start = 0; start < 3; start++)
                for (int t = 0; t < 4; t++) one_table((posenc_layout)layout, dims[d], start, encoding_dtypes[t]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_records)};
    test_announce_seed();
    return cmocka_run_group_tests(tests, read_records, free_records);
}
