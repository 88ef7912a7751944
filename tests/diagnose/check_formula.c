/* What a table can have wrong beside the formula that it follows: precision, pairs, axes, another scheme. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "check_tables.h"
#include "support/number.h"
#include "support/tensors.h"

/* A table of the paper's formula at positions of the caller's making. */
typedef double position_of(int64_t row);
static table table_at(position_of *position, int64_t rows, int64_t dim, posenc_dtype dtype) {
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = dim});
    table t = table_make(rows, dim, dtype);
    for (int64_t r = 0; r < rows; r++) {
        double id = position(r);
        must_write_ids(plan, POSENC_F64, &id, 1, dtype, t.data + (size_t)(r * dim) * posenc_dtype_bytes(dtype));
    }
    posenc_plan_destroy(plan);
    return t;
}

static double rounded(posenc_dtype dtype, int64_t row) {
    return number_decode(dtype, number_encode(dtype, (double)row));
}
static double in_bf16(int64_t row) { return rounded(POSENC_BF16, row); }
static double in_f16(int64_t row) { return rounded(POSENC_F16, row); }
static double beside(int64_t row) { return (double)row + 0.001; }

static posenc_check_report check_beside(const table *t, const posenc_plan *plan, int64_t start) {
    posenc_check_options options;
    posenc_check_default(&options, sizeof options);
    options.plan = plan, options.start = start;
    return check_table(t, &options);
}

/* ---- precision ---- */

static void rounded_positions_are_found(void **state) {
    (void)state;
    static const struct {
        position_of *position;
        int64_t rows, first;
    } cases[] = {{in_bf16, 700, 257}, {in_f16, 2500, 2049}};
    for (int i = 0; i < 8; i++) {
        posenc_dtype dtype = encoding_dtypes[i / 2];
        table t = table_at(cases[i % 2].position, cases[i % 2].rows, 64, dtype);
        posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 64});
        for (int given = 0; given < 2; given++) {
            posenc_check_report report = given ? check_beside(&t, plan, 0) : check_table(&t, NULL);
            int64_t first = cases[i % 2].first;
            const posenc_finding *f = find(&report, POSENC_FINDING_PRECISION);
            check(f && f->level == POSENC_LEVEL_ERROR && f->position == first, "%s", findings_text(&report));
            check(f->amount > 0.8 && f->amount < 2 && strstr(f->why, i % 2 ? "kept in f16" : "kept in bf16"), "%s",
                  f->why);
            check(report.first_imprecise == first, "%lld", (long long)report.first_imprecise);
            f = must_find(&report, POSENC_FINDING_REPEATED_ROWS, POSENC_LEVEL_ERROR, first, -1,
                          find(&report, POSENC_FINDING_REPEATED_ROWS)->amount);
            check(f->twin == first - 1 && f->period == 1, "%lld", (long long)f->twin);
            check(!has_finding(&report, POSENC_FINDING_OTHER_SCHEME), "%s", findings_text(&report));
        }
        posenc_plan_destroy(plan);
        table_free(&t);
    }
}

static void one_wrong_value_is_found(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        table t = sinusoidal_table(400, 48, encoding_dtypes[i]);
        double exact = table_get(&t, 123, 20), wrong = exact > 0 ? exact - 0.5 : exact + 0.5;
        table_set(&t, 123, 20, wrong);
        posenc_check_report report = check_table(&t, NULL);
        must_find(&report, POSENC_FINDING_PRECISION, POSENC_LEVEL_ERROR, 123, 20, 0.5);
        check(report.errors[0].max_error < 0.01, "%g", report.errors[0].max_error);
        double most = 0;
        for (size_t b = 0; b < report.n_errors; b++)
            if (report.errors[b].first <= 123 && report.errors[b].last >= 123) most = report.errors[b].max_error;
        check(fabs(most - 0.5) < 0.01, "%g", most);
        table_free(&t);
    }
}

/* Wrong, but by less than a reader would see: a warning with the place. */
static void a_small_error_is_a_warning(void **state) {
    (void)state;
    table t = sinusoidal_table(400, 48, POSENC_F32);
    table_set(&t, 200, 31, table_get(&t, 200, 31) - 0.01);
    posenc_check_report report = check_table(&t, NULL);
    must_find(&report, POSENC_FINDING_PRECISION, POSENC_LEVEL_WARNING, 200, 31, 0.01);
    table_free(&t);
    t = table_at(beside, 400, 48, POSENC_F32); /* positions are off by a thousandth */
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 48});
    report = check_beside(&t, plan, 0);
    const posenc_finding *f = find(&report, POSENC_FINDING_PRECISION);
    check(f && f->level == POSENC_LEVEL_WARNING && f->position == 0 && f->amount < 1.01e-3, "%s",
          findings_text(&report));
    posenc_plan_destroy(plan);
    table_free(&t);
}

/* A far value that is wrong stands out among float32 errors, too. */
static void a_wrong_value_stands_out_among_float32_errors(void **state) {
    (void)state;
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 16, .arithmetic = POSENC_ARITHMETIC_FLOAT32});
    table t = table_of_plan(plan, 0, 50000, POSENC_F32);
    double exact = table_get(&t, 45678, 5);
    table_set(&t, 45678, 5, exact > 0 ? exact - 0.3 : exact + 0.3);
    posenc_check_report report = check_table(&t, NULL);
    must_find(&report, POSENC_FINDING_PRECISION, POSENC_LEVEL_ERROR, 45678, 5, 0.3);
    check(report.first_imprecise < 100, "%lld", (long long)report.first_imprecise);
    table_free(&t);
    posenc_plan_destroy(plan);
}

/* Rounded to a narrower type on the way: named, with the type. */
static void narrower_values_are_named(void **state) {
    (void)state;
    static const struct {
        posenc_dtype held, kept;
        posenc_level level;
        double amount;
    } cases[] = {{POSENC_BF16, POSENC_F32, POSENC_LEVEL_WARNING, 0x1p-9},
                 {POSENC_F16, POSENC_F32, POSENC_LEVEL_NOTE, 0x1p-12},
                 {POSENC_F32, POSENC_F64, POSENC_LEVEL_NOTE, 0x1p-25},
                 {POSENC_F16, POSENC_F64, POSENC_LEVEL_NOTE, 0x1p-12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table narrow = sinusoidal_table(300, 40, cases[i].held), t = table_make(300, 40, cases[i].kept);
        for (int64_t r = 0; r < 300; r++)
            for (int64_t c = 0; c < 40; c++) table_set(&t, r, c, table_get(&narrow, r, c));
        posenc_check_report report = check_table(&t, NULL);
        const posenc_finding *f = find(&report, POSENC_FINDING_PRECISION);
        check(f && f->level == cases[i].level, "%s", findings_text(&report));
        check(f->amount > 0.8 * cases[i].amount && f->amount <= cases[i].amount, "%g", f->amount);
        check(strstr(f->why, posenc_dtype_name(cases[i].held)) != NULL, "%s", f->why);
        must_be_alone(&report, POSENC_FINDING_PRECISION);
        table_free(&narrow);
        table_free(&t);
    }
}

/* The bins cover all rows once, and hold what a loop finds. */
static void bins_hold_the_errors(void **state) {
    (void)state;
    static const int64_t lengths[] = {1, 2, 3, 63, 64, 65, 66, 1000, 5000, 100001};
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 4, .arithmetic = POSENC_ARITHMETIC_FLOAT32});
    posenc_plan *exact = must_plan(NULL, &(plan_shape){.dim = 4});
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        table t = table_of_plan(plan, 0, lengths[i], POSENC_F32), e = table_of_plan(exact, 0, lengths[i], POSENC_F64);
        posenc_check_report report = check_beside(&t, plan, 0);
        int64_t next = 0;
        check(report.n_errors >= 1 && report.n_errors <= POSENC_MOST_ERROR_BINS, "%zu", report.n_errors);
        for (size_t b = 0; b < report.n_errors; b++) {
            double most = 0;
            check(report.errors[b].first == next && report.errors[b].last >= next, "bin %zu of %lld", b,
                  (long long)lengths[i]);
            for (next = report.errors[b].first; next <= report.errors[b].last; next++)
                for (int64_t c = 0; c < 4; c++)
                    most = fmax(most, fabs(table_get(&t, next, c) - table_get(&e, next, c)));
            check(fabs(report.errors[b].max_error - most) < 1e-14, "bin %zu: %g, not %g", b, report.errors[b].max_error,
                  most);
        }
        check(next == lengths[i], "%lld rows of %lld", (long long)next, (long long)lengths[i]);
        table_free(&t);
        table_free(&e);
    }
    posenc_plan_destroy(plan);
    posenc_plan_destroy(exact);
}

/* ---- pairs ---- */

static void broken_pairs_are_found(void **state) {
    (void)state;
    for (int i = 0; i < 12; i++) {
        posenc_layout layout = (posenc_layout)(i % 3);
        posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 32, .layout = layout});
        table t = table_of_plan(plan, 0, 200, encoding_dtypes[i / 3]);
        int64_t first = layout == POSENC_LAYOUT_INTERLEAVED ? 4 : 2,
                second = layout == POSENC_LAYOUT_INTERLEAVED ? 5 : 18;
        for (int64_t r = 150; r < 200; r++) { /* half of its size from there on */
            table_set(&t, r, first, table_get(&t, r, first) / 2);
            table_set(&t, r, second, table_get(&t, r, second) / 2);
        }
        posenc_check_report report = check_table(&t, NULL);
        must_find(&report, POSENC_FINDING_NOT_UNIT_PAIRS, POSENC_LEVEL_ERROR, 150, first, 0.75);
        table_free(&t);
        posenc_plan_destroy(plan);
    }
}

/* A formula times a number has no match of its own, and is named. */
static void scaled_tables_are_named(void **state) {
    (void)state;
    for (int i = 0; i < 12; i++) {
        posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 64, .layout = (posenc_layout)(i % 3)});
        table t = table_of_plan(plan, 0, 300, encoding_dtypes[i / 3]);
        for (int64_t r = 0; r < t.rows; r++)
            for (int64_t c = 0; c < t.dim; c++) table_set(&t, r, c, 0.1 * table_get(&t, r, c));
        posenc_check_report report = check_table(&t, NULL);
        const posenc_finding *f = must_find(&report, POSENC_FINDING_NOT_UNIT_PAIRS, POSENC_LEVEL_WARNING, 0, 0, 0.99);
        bool wide = t.dtype == POSENC_F32 || t.dtype == POSENC_F64; /* rounded twice, 16 bits blur the base */
        check(strstr(f->why, "sinusoidal") && (!wide || strstr(f->why, "base 10000")), "%s", f->why);
        check(strstr(f->why, "times 0.1"), "%s", f->why);
        must_be_alone(&report, POSENC_FINDING_NOT_UNIT_PAIRS);
        table_free(&t);
        posenc_plan_destroy(plan);
    }
}

/* ---- axes ---- */

static void turned_tables_are_found(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        table t = sinusoidal_table(96, 48, encoding_dtypes[i]);
        posenc_view view;
        const int64_t shape[] = {48, 96}, strides[] = {1, 48};
        posenc_check_report report =
            check_tensor(NULL, NULL, posenc_view_make(&view, t.data, t.dtype, 2, shape, strides));
        must_find(&report, POSENC_FINDING_POSITION_AXIS, POSENC_LEVEL_ERROR, -1, -1, 48);
        check(!has_finding(&report, POSENC_FINDING_UNTRAINED_ROWS) && !has_finding(&report, POSENC_FINDING_LOW_RANK),
              "%s", findings_text(&report));
        check(report.match.scheme == NULL, "%s", report.match.scheme);
        table_free(&t);
    }
}

static void a_broadcast_row_is_found(void **state) {
    (void)state;
    for (int learned = 0; learned < 2; learned++)
        for (int i = 0; i < 4; i++) {
            table t = learned ? learned_table(50, 20, encoding_dtypes[i], "broadcast")
                              : sinusoidal_table(50, 20, encoding_dtypes[i]);
            for (int64_t r = 0; r < t.rows; r++) table_copy_row(&t, 7, r);
            posenc_check_report report = check_table(&t, NULL);
            must_find(&report, POSENC_FINDING_POSITION_AXIS, POSENC_LEVEL_ERROR, 1, -1, 50);
            must_be_alone(&report, POSENC_FINDING_POSITION_AXIS);
            table_free(&t);
        }
}

/* ---- another scheme ---- */

static void another_scheme_is_found(void **state) {
    (void)state;
    static const struct {
        plan_shape given, made;
        int64_t start, made_start;
        const char *says;
    } cases[] = {
        {{.dim = 64}, {.dim = 64, .layout = POSENC_LAYOUT_HALVES}, 0, 0, "fits sinusoidal, halves"},
        {{.dim = 64, .layout = POSENC_LAYOUT_HALVES},
         {.dim = 64, .layout = POSENC_LAYOUT_TENSOR2TENSOR},
         0,
         0,
         "fits sinusoidal, tensor2tensor"},
        {{.dim = 64}, {.dim = 64, .cos_first = 1}, 0, 0, "cosine first"},
        {{.dim = 64}, {.dim = 64, .base = 500000}, 0, 0, "base 500000"},
        {{.dim = 64}, {.dim = 64, .base = 1e8}, 0, 0, "doubles the exponent"},
        {{.dim = 64}, {.dim = 64}, 0, 1, "from position 1"},
        {{.dim = 64}, {.dim = 64}, 5, 2, "from position 2"},
        {{.dim = 64, .arithmetic = POSENC_ARITHMETIC_FLOAT32}, {.dim = 64, .base = 10001}, 0, 0, "base 10001"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int i = 0; i < (k == 7 ? 2 : 4); i++) { /* in 16 bits base 10001 is 10000 */
            posenc_plan *given = must_plan(NULL, &cases[k].given), *made = must_plan(NULL, &cases[k].made);
            table t = table_of_plan(made, cases[k].made_start, 3000, encoding_dtypes[i]);
            posenc_check_report report = check_beside(&t, given, cases[k].start);
            const posenc_finding *f = find(&report, POSENC_FINDING_OTHER_SCHEME);
            check(f && f->level == POSENC_LEVEL_ERROR && strstr(f->why, cases[k].says), "case %zu in %s: %s", k,
                  posenc_dtype_name(t.dtype), findings_text(&report));
            check(f->amount > 0.005 && f->amount <= 2.01 && f->position >= 0 && f->channel >= 0, "%g", f->amount);
            must_be_alone(&report, POSENC_FINDING_OTHER_SCHEME);
            table_free(&t);
            posenc_plan_destroy(given);
            posenc_plan_destroy(made);
        }
}

/* A learned table is not the table of a plan either, and is looked at as what it is. */
static void a_learned_table_is_another_scheme(void **state) {
    (void)state;
    table t = learned_table(300, 64, POSENC_F32, "other");
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 64});
    posenc_check_report report = check_beside(&t, plan, 0);
    const posenc_finding *f = find(&report, POSENC_FINDING_OTHER_SCHEME);
    check(f && strstr(f->why, "no formula that was tried fits"), "%s", findings_text(&report));
    must_be_alone(&report, POSENC_FINDING_OTHER_SCHEME);
    check((report.looked_at & 1u << POSENC_LOOK_TRAINING) && !(report.looked_at & 1u << POSENC_LOOK_PAIRS), "%x",
          report.looked_at);
    posenc_plan_destroy(plan);
    table_free(&t);
}

static void the_doubled_exponent_is_found(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 128, .base = 1e8});
        table t = table_of_plan(plan, 0, 1000, encoding_dtypes[i]);
        posenc_check_report report = check_table(&t, NULL);
        must_find(&report, POSENC_FINDING_DOUBLED_EXPONENT, POSENC_LEVEL_WARNING, -1, -1, 1e8);
        must_be_alone(&report, POSENC_FINDING_DOUBLED_EXPONENT);
        assert_true(report.healthy);
        report = check_beside(&t, plan, 0); /* meant */
        check(report.n_findings == 0, "%s", findings_text(&report));
        posenc_plan_destroy(plan);
        table_free(&t);
    }
}

/* ---- what the report says of a formula ---- */

static void the_match_is_reported(void **state) {
    (void)state;
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 30,
                                                      .base = 777,
                                                      .layout = POSENC_LAYOUT_HALVES,
                                                      .cos_first = 1,
                                                      .arithmetic = POSENC_ARITHMETIC_FLOAT32});
    table t = table_of_plan(plan, -40, 600, POSENC_F32);
    posenc_check_report report = check_beside(&t, plan, -40);
    const posenc_match *m = &report.match;
    assert_string_equal(m->scheme, "sinusoidal");
    assert_true(m->layout == POSENC_LAYOUT_HALVES && m->cos_first && m->base == 777 && m->base_is_known);
    assert_true(m->start == -40 && m->arithmetic == POSENC_ARITHMETIC_FLOAT32);
    assert_true(m->rows == 600 && m->rows_fit == 600);
    check(m->max_error > 1e-8 && m->max_error < 1e-4 && m->rms_error > 0 && m->rms_error < m->max_error, "%g %g",
          m->max_error, m->rms_error);
    assert_true(report.rows == 600 && report.dim == 30 && report.dtype == POSENC_F32);
    table_free(&t);
    posenc_plan_destroy(plan);
}

static void extension_says_what_happens(void **state) {
    (void)state;
    table t = sinusoidal_table(5000, 64, POSENC_F32);
    posenc_check_report report = check_table(&t, NULL);
    for (int i = 0; i < 2; i++) {
        const posenc_extension *e = &report.extensions[i];
        check(e->length == (i ? 50000 : 10000) && e->repeated_rows == 0, "%lld %lld", (long long)e->length,
              (long long)e->repeated_rows);
        check(e->float32_error > (i ? 1e-3 : 1e-4) && e->float32_error < (i ? 1e-2 : 2e-3), "%g", e->float32_error);
        check(strstr(e->sentence, i ? "50000" : "10000") != NULL, "%s", e->sentence);
    }
    table_free(&t);
    t = sinusoidal_table(200, 2, POSENC_BF16); /* counted here by a double loop */
    table longer = sinusoidal_table(2000, 2, POSENC_BF16);
    int64_t repeated[2] = {0, 0};
    for (int64_t r = 0; r < 2000; r++) {
        bool again = false;
        for (int64_t s = 0; s < r; s++)
            again |= table_get(&longer, r, 0) == table_get(&longer, s, 0) &&
                     table_get(&longer, r, 1) == table_get(&longer, s, 1);
        repeated[0] += again && r < 400, repeated[1] += again;
    }
    report = check_table(&t, NULL);
    for (int i = 0; i < 2; i++)
        check(report.extensions[i].repeated_rows == repeated[i], "%lld, not %lld",
              (long long)report.extensions[i].repeated_rows, (long long)repeated[i]);
    assert_true(repeated[1] > 0);
    table_free(&t);
    table_free(&longer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounded_positions_are_found),
        cmocka_unit_test(one_wrong_value_is_found),
        cmocka_unit_test(a_small_error_is_a_warning),
        cmocka_unit_test(a_wrong_value_stands_out_among_float32_errors),
        cmocka_unit_test(narrower_values_are_named),
        cmocka_unit_test(bins_hold_the_errors),
        cmocka_unit_test(broken_pairs_are_found),
        cmocka_unit_test(scaled_tables_are_named),
        cmocka_unit_test(turned_tables_are_found),
        cmocka_unit_test(a_broadcast_row_is_found),
        cmocka_unit_test(another_scheme_is_found),
        cmocka_unit_test(a_learned_table_is_another_scheme),
        cmocka_unit_test(the_doubled_exponent_is_found),
        cmocka_unit_test(the_match_is_reported),
        cmocka_unit_test(extension_says_what_happens),
    };
    return TEST_RUN(tests);
}
