/* What a learned table can have wrong: rows that were never trained, few dimensions in use. And what a sound one is
 * spared. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_tables.h"
#include "support/tensors.h"

static double normal(random_state *random) {
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += random_unit(random);
    return sum - 6;
}

/* Rows first..last as initialisation leaves them, uniform or nearly normal. */
static void draw_rows(table *t, int64_t first, int64_t last, bool uniform, double size, random_state *random) {
    for (int64_t r = first; r <= last; r++)
        for (int64_t c = 0; c < t->dim; c++)
            table_set(t, r, c, size * (uniform ? 2 * random_unit(random) - 1 : normal(random)));
}

static const posenc_finding *untrained(const posenc_check_report *report) {
    return find(report, POSENC_FINDING_UNTRAINED_ROWS);
}

static void a_sound_table_has_no_finding(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{512, 768}, {77, 64},  {1024, 32}, {20, 16},
                                        {2048, 8},  {10, 300}, {3, 4},     {1, 7}};
    for (int i = 0; i < 32; i++) {
        table t = learned_table(shapes[i / 4][0], shapes[i / 4][1], encoding_dtypes[i % 4], "sound");
        posenc_check_report report = check_table(&t, NULL);
        check(report.n_findings == 0 && report.healthy, "%lld x %lld in %s: %s", (long long)t.rows, (long long)t.dim,
              posenc_dtype_name(t.dtype), findings_text(&report));
        check(report.match.scheme == NULL && report.n_errors == 0 && report.first_imprecise == -1, "%d", i);
        check(report.looked_at & 1u << POSENC_LOOK_TRAINING, "%x", report.looked_at);
        check(report.extensions[0].length == 2 * t.rows && report.extensions[1].length == 10 * t.rows, "%d", i);
        check(report.extensions[1].repeated_rows == 0 && isnan(report.extensions[1].float32_error), "%d", i);
        table_free(&t);
    }
}

/* The tail, the beginning, and both kinds of initial values; in every dtype. */
static void an_untrained_part_is_found(void **state) {
    (void)state;
    random_state random = random_start("untrained");
    for (int i = 0; i < 48; i++) {
        static const int64_t tails[] = {24, 100, 250, 480, 505, 40};
        int64_t rows = 512, tail = tails[i % 6];
        bool at_end = i / 6 % 2 == 0;
        table t = learned_table(rows, 128, encoding_dtypes[i / 12], "trained");
        int64_t first = at_end ? rows - tail : 0, last = at_end ? rows - 1 : tail - 1;
        draw_rows(&t, first, last, i % 2 != 0, 0.02, &random);
        posenc_check_report report = check_table(&t, NULL);
        const posenc_finding *f = untrained(&report);
        check(f && f->level == POSENC_LEVEL_WARNING, "%lld rows from %lld: %s", (long long)tail, (long long)first,
              findings_text(&report));
        check(llabs(f->position - first) <= 1 && fabs(f->amount - (double)tail) <= 2, "%lld rows from %lld: %s",
              (long long)tail, (long long)first, findings_text(&report));
        must_be_alone(&report, POSENC_FINDING_UNTRAINED_ROWS);
        table_free(&t);
    }
}

static void an_untrained_table_is_found(void **state) {
    (void)state;
    random_state random = random_start("whole");
    static const int64_t shapes[][2] = {{512, 128}, {64, 64}, {2000, 16}, {40, 1000}};
    for (int i = 0; i < 32; i++) {
        table t = table_make(shapes[i / 8][0], shapes[i / 8][1], encoding_dtypes[i % 4]);
        draw_rows(&t, 0, t.rows - 1, i / 4 % 2 != 0, 0.02, &random);
        posenc_check_report report = check_table(&t, NULL);
        must_find(&report, POSENC_FINDING_UNTRAINED_ROWS, POSENC_LEVEL_WARNING, 0, -1, (double)t.rows);
        double deviation = atof(strstr(untrained(&report)->why, "deviation ") + strlen("deviation "));
        check(fabs(deviation / (i / 4 % 2 ? 0.02 / sqrt(3) : 0.02) - 1) < 0.05, "%s", untrained(&report)->why);
        must_be_alone(&report, POSENC_FINDING_UNTRAINED_ROWS);
        table_free(&t);
    }
}

/* Rows that are not like their neighbours but were not drawn: of different sizes, with a common direction, in blocks.
 */
static void other_noise_is_spared(void **state) {
    (void)state;
    random_state random = random_start("noise");
    for (int kind = 0; kind < 3; kind++) {
        table t = table_make(400, 64, POSENC_F32);
        for (int64_t r = 0; r < t.rows; r++) {
            double size = kind == 0 ? 0.02 + 0.1 * random_unit(&random) : 0.02;
            for (int64_t c = 0; c < t.dim; c++)
                table_set(&t, r, c, size * normal(&random) + (kind == 1 ? 0.02 * cos((double)c) : 0));
        }
        for (int64_t r = 1; kind == 2 && r < t.rows; r++) /* each row remembers the one before */
            for (int64_t c = 0; c < t.dim; c++)
                table_set(&t, r, c, table_get(&t, r, c) + 0.5 * table_get(&t, r - 1, c));
        posenc_check_report report = check_table(&t, NULL);
        check(!untrained(&report), "kind %d: %s", kind, findings_text(&report));
        table_free(&t);
    }
}

static void few_dimensions_are_found(void **state) {
    (void)state;
    random_state random = random_start("rank");
    for (int i = 0; i < 12; i++) {
        static const int64_t shapes[][2] = {{300, 128}, {100, 200}, {3000, 1500}};
        int64_t rows = shapes[i / 4][0], dim = shapes[i / 4][1], rank = 5;
        table t = table_make(rows, dim, encoding_dtypes[i % 4]), basis = learned_table(rank, dim, POSENC_F64, "basis");
        for (int64_t r = 0; r < rows; r++) {
            double weights[5];
            for (int64_t k = 0; k < rank; k++)
                weights[k] = cos(0.05 * (double)(k + 1) * (double)r) + 0.1 * normal(&random);
            for (int64_t c = 0; c < dim; c++) {
                double value = 0;
                for (int64_t k = 0; k < rank; k++) value += weights[k] * table_get(&basis, k, c);
                table_set(&t, r, c, value);
            }
        }
        posenc_check_report report = check_table(&t, NULL);
        const posenc_finding *f = find(&report, POSENC_FINDING_LOW_RANK);
        if (t.dtype == POSENC_F32 || t.dtype == POSENC_F64) {
            check(f && f->level == POSENC_LEVEL_WARNING && f->amount == (double)rank, "%lld x %lld: %s",
                  (long long)rows, (long long)dim, findings_text(&report));
            check(report.rank == rank && report.effective_dimension <= 5.01, "%lld %g", (long long)report.rank,
                  report.effective_dimension);
        }
        table_free(&t);
        table_free(&basis);
    }
}

/* The effective dimension from its definition, by a double loop over the covariance. */
static void the_effective_dimension_is_right(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{200, 20}, {20, 200}, {50, 50}, {2, 3}};
    for (int i = 0; i < 4; i++) {
        int64_t rows = shapes[i][0], dim = shapes[i][1];
        table t = learned_table(rows, dim, POSENC_F64, "effective");
        double trace = 0, squares = 0, mean[200] = {0};
        for (int64_t c = 0; c < dim; c++)
            for (int64_t r = 0; r < rows; r++) mean[c] += table_get(&t, r, c) / (double)rows;
        for (int64_t a = 0; a < dim; a++)
            for (int64_t b = 0; b < dim; b++) {
                double sum = 0;
                for (int64_t r = 0; r < rows; r++)
                    sum += (table_get(&t, r, a) - mean[a]) * (table_get(&t, r, b) - mean[b]);
                squares += sum * sum;
                if (a == b) trace += sum;
            }
        posenc_check_report report = check_table(&t, NULL);
        check(fabs(report.effective_dimension - trace * trace / squares) < 1e-9 * (double)dim, "%g, not %g",
              report.effective_dimension, trace * trace / squares);
        check(report.rank == (rows < dim ? rows : dim), "%lld", (long long)report.rank);
        table_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_table_has_no_finding), cmocka_unit_test(an_untrained_part_is_found),
        cmocka_unit_test(an_untrained_table_is_found),  cmocka_unit_test(other_noise_is_spared),
        cmocka_unit_test(few_dimensions_are_found),     cmocka_unit_test(the_effective_dimension_is_right),
    };
    return TEST_RUN(tests);
}
