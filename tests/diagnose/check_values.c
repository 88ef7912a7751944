/* What single values, rows and channels can have wrong, each made by hand in every dtype, beside a formula and without.
 */
#include "support/test.h"

#include <math.h>

#include "check_tables.h"
#include "support/tensors.h"

typedef void with_dtype(posenc_dtype dtype);

static void in_every_dtype(with_dtype *body) {
    for (int i = 0; i < 4; i++) body(encoding_dtypes[i]);
}

/* ---- values ---- */

static void nan_in(posenc_dtype dtype) {
    table t = sinusoidal_table(200, 32, dtype);
    table_set(&t, 150, 9, (double)NAN);
    table_set(&t, 77, 30, (double)NAN);
    table_set(&t, 77, 31, (double)NAN);
    posenc_check_report report = check_table(&t, NULL);
    must_find(&report, POSENC_FINDING_NAN, POSENC_LEVEL_ERROR, 77, 30, 3);
    must_be_alone(&report, POSENC_FINDING_NAN);
    assert_true(report.match.scheme && report.maximum == 1);
    table_free(&t);
}

static void infinite_in(posenc_dtype dtype) {
    table t = learned_table(200, 32, dtype, "infinite");
    table_set(&t, 5, 3, -HUGE_VAL);
    table_set(&t, 6, 0, HUGE_VAL);
    posenc_check_report report = check_table(&t, NULL);
    must_find(&report, POSENC_FINDING_INFINITE, POSENC_LEVEL_ERROR, 5, 3, 2);
    must_be_alone(&report, POSENC_FINDING_INFINITE);
    assert_true(report.maximum < 1 && report.minimum > -1);
    table_free(&t);
}

static void outside_in(posenc_dtype dtype) {
    table t = sinusoidal_table(200, 32, dtype);
    table_set(&t, 100, 7, -1.5);
    table_set(&t, 120, 8, 4);
    posenc_check_report report = check_table(&t, NULL);
    must_find(&report, POSENC_FINDING_OUT_OF_RANGE, POSENC_LEVEL_ERROR, 100, 7, 4);
    must_be_alone(&report, POSENC_FINDING_OUT_OF_RANGE);
    table_free(&t);
}

/* A lone spike is found; a channel that is large throughout, as trained tables have some, is none. */
static void spike_in(posenc_dtype dtype) {
    table t = learned_table(300, 24, dtype, "spike");
    for (int64_t r = 0; r < t.rows; r++) table_set(&t, r, 5, 300 + 20 * sin((double)r));
    posenc_check_report report = check_table(&t, NULL);
    check(!has_finding(&report, POSENC_FINDING_OUT_OF_RANGE), "%s", findings_text(&report));
    table_set(&t, 210, 11, -500);
    report = check_table(&t, NULL);
    must_find(&report, POSENC_FINDING_OUT_OF_RANGE, POSENC_LEVEL_WARNING, 210, 11, 500);
    must_be_alone(&report, POSENC_FINDING_OUT_OF_RANGE);
    table_free(&t);
}

static void nan_is_found(void **state) { (void)state, in_every_dtype(nan_in); }
static void infinity_is_found(void **state) { (void)state, in_every_dtype(infinite_in); }
static void values_out_of_range_are_found(void **state) { (void)state, in_every_dtype(outside_in); }
static void a_lone_spike_is_found(void **state) { (void)state, in_every_dtype(spike_in); }

/* ---- rows ---- */

static void copied_row_in(posenc_dtype dtype) {
    for (int learned = 0; learned < 2; learned++) {
        table t = learned ? learned_table(200, 32, dtype, "copied") : sinusoidal_table(200, 32, dtype);
        table_copy_row(&t, 20, 61);
        table_copy_row(&t, 150, 153);
        posenc_check_report report = check_table(&t, NULL);
        const posenc_finding *f = must_find(&report, POSENC_FINDING_REPEATED_ROWS, POSENC_LEVEL_ERROR, 61, -1, 2);
        check(f->twin == 20 && f->period == 3, "twin %lld, period %lld", (long long)f->twin, (long long)f->period);
        must_be_alone(&report, POSENC_FINDING_REPEATED_ROWS);
        table_free(&t);
    }
}

/* The index wraps: every row from there on repeats. */
static void wrapped_index_in(posenc_dtype dtype) {
    table t = sinusoidal_table(300, 32, dtype);
    for (int64_t r = 100; r < t.rows; r++) table_copy_row(&t, r % 100, r);
    posenc_check_report report = check_table(&t, NULL);
    const posenc_finding *f = must_find(&report, POSENC_FINDING_REPEATED_ROWS, POSENC_LEVEL_ERROR, 100, -1, 200);
    check(f->twin == 0 && f->period == 100, "twin %lld, period %lld", (long long)f->twin, (long long)f->period);
    must_be_alone(&report, POSENC_FINDING_REPEATED_ROWS);
    table_free(&t);
}

/* Flattened from (length, batch, dim): each row stands there several times. */
static void flattened_batch_in(posenc_dtype dtype) {
    table t = learned_table(240, 32, dtype, "flattened");
    for (int64_t r = 0; r < t.rows; r++) table_copy_row(&t, r / 4 * 4, r);
    posenc_check_report report = check_table(&t, NULL);
    const posenc_finding *f = must_find(&report, POSENC_FINDING_REPEATED_ROWS, POSENC_LEVEL_ERROR, 1, -1, 180);
    check(f->twin == 0 && f->period == 1, "twin %lld, period %lld", (long long)f->twin, (long long)f->period);
    table_free(&t);
}

/* Zeros of either sign are equal, and rows with a NaN equal nothing. */
static void equal_rows_in(posenc_dtype dtype) {
    table t = learned_table(100, 8, dtype, "equal");
    table_set(&t, 10, 0, 0.0);
    table_copy_row(&t, 10, 20);
    table_set(&t, 20, 0, -0.0);
    table_set(&t, 50, 1, (double)NAN);
    table_copy_row(&t, 50, 51);
    posenc_check_report report = check_table(&t, NULL);
    const posenc_finding *f = must_find(&report, POSENC_FINDING_REPEATED_ROWS, POSENC_LEVEL_ERROR, 20, -1, 1);
    check(f->twin == 10 && f->period == 10, "twin %lld, period %lld", (long long)f->twin, (long long)f->period);
    table_free(&t);
}

static void constant_rows_in(posenc_dtype dtype) {
    for (int learned = 0; learned < 2; learned++) {
        table t = learned ? learned_table(100, 16, dtype, "constant") : sinusoidal_table(100, 16, dtype);
        for (int64_t c = 0; c < 16; c++) {
            table_set(&t, 40, c, 0.25);
            table_set(&t, 90, c, -0.5);
        }
        posenc_check_report report = check_table(&t, NULL);
        must_find(&report, POSENC_FINDING_CONSTANT_ROWS, learned ? POSENC_LEVEL_WARNING : POSENC_LEVEL_ERROR, 40, -1,
                  2);
        must_be_alone(&report, POSENC_FINDING_CONSTANT_ROWS);
        table_free(&t);
    }
}

static void zero_row(table *t, int64_t row) {
    for (int64_t c = 0; c < t->dim; c++) table_set(t, row, c, c % 2 ? -0.0 : 0.0);
}

static void zero_rows_in(posenc_dtype dtype) {
    for (int learned = 0; learned < 2; learned++) {
        table t = learned ? learned_table(100, 16, dtype, "zero") : sinusoidal_table(100, 16, dtype);
        zero_row(&t, 60);
        zero_row(&t, 61);
        posenc_check_report report = check_table(&t, NULL);
        must_find(&report, POSENC_FINDING_ZERO_ROWS, learned ? POSENC_LEVEL_WARNING : POSENC_LEVEL_ERROR, 60, -1, 2);
        must_be_alone(&report, POSENC_FINDING_ZERO_ROWS);
        for (int64_t r = 30; r < 90; r++) zero_row(&t, r);
        report = check_table(&t, NULL);
        must_find(&report, POSENC_FINDING_ZERO_ROWS, POSENC_LEVEL_ERROR, 30, -1, 60);
        table_free(&t);
    }
}

static void padding_row_in(posenc_dtype dtype) {
    posenc_check_options options;
    posenc_check_default(&options, sizeof options);
    for (int learned = 0; learned < 2; learned++) {
        table t = learned ? learned_table(100, 16, dtype, "padding") : sinusoidal_table(100, 16, dtype);
        zero_row(&t, 1);
        posenc_check_report report = check_table(&t, NULL);
        must_find(&report, POSENC_FINDING_ZERO_ROWS, POSENC_LEVEL_NOTE, 1, -1, 1);
        options.padding_idx = 1;
        report = check_table(&t, &options);
        check(report.n_findings == 0, "%s", findings_text(&report));
        options.padding_idx = 2; /* another one is meant: both rows are wrong, the zero one is the worse */
        report = check_table(&t, &options);
        must_find(&report, POSENC_FINDING_ZERO_ROWS, learned ? POSENC_LEVEL_WARNING : POSENC_LEVEL_ERROR, 1, -1, 1);
        table_free(&t);
    }
    table t = sinusoidal_table(100, 16, dtype);
    options.padding_idx = 3;
    posenc_check_report report = check_table(&t, &options);
    must_find(&report, POSENC_FINDING_ZERO_ROWS, POSENC_LEVEL_WARNING, 3, 0, 0);
    table_free(&t);
}

static void copied_rows_are_found(void **state) { (void)state, in_every_dtype(copied_row_in); }
static void a_wrapped_index_is_found(void **state) { (void)state, in_every_dtype(wrapped_index_in); }
static void a_flattened_batch_is_found(void **state) { (void)state, in_every_dtype(flattened_batch_in); }
static void equal_means_equal_values(void **state) { (void)state, in_every_dtype(equal_rows_in); }
static void constant_rows_are_found(void **state) { (void)state, in_every_dtype(constant_rows_in); }
static void zero_rows_are_found(void **state) { (void)state, in_every_dtype(zero_rows_in); }
static void padding_rows_are_known(void **state) { (void)state, in_every_dtype(padding_row_in); }

/* Rows that the dtype cannot tell apart are no fault beside the formula, and a warning without it. */
static void rows_repeat_by_themselves(void **state) {
    (void)state;
    table t = sinusoidal_table(5000, 2, POSENC_F16);
    posenc_check_report report = check_table(&t, NULL);
    check(report.n_findings == 0 && report.match.scheme, "%s", findings_text(&report));
    check(report.extensions[0].repeated_rows > 5000, "%lld", (long long)report.extensions[0].repeated_rows);
    table_free(&t);
    random_state random = random_start("crowded");
    t = table_make(20000, 4, POSENC_BF16);
    for (int64_t r = 0; r < t.rows; r++)
        for (int64_t c = 0; c < t.dim; c++) table_set(&t, r, c, 1 + random_unit(&random)); /* 128 values each */
    report = check_table(&t, NULL);
    const posenc_finding *f = find(&report, POSENC_FINDING_REPEATED_ROWS);
    check(!f || f->level == POSENC_LEVEL_WARNING, "%s", findings_text(&report));
    for (int64_t r = 10000; r < t.rows; r++) table_copy_row(&t, r - 10000, r);
    report = check_table(&t, NULL);
    f = find(&report, POSENC_FINDING_REPEATED_ROWS);
    check(f && f->level == POSENC_LEVEL_ERROR && f->amount >= 10000, "%s", findings_text(&report));
    table_free(&t);
}

/* ---- channels ---- */

static void still_channels_in(posenc_dtype dtype) {
    for (int learned = 0; learned < 2; learned++) {
        posenc_level level = learned ? POSENC_LEVEL_WARNING : POSENC_LEVEL_ERROR;
        table t = learned ? learned_table(500, 64, dtype, "still") : sinusoidal_table(500, 64, dtype);
        for (int64_t r = 0; r < t.rows; r++) {
            table_set(&t, r, 3, 0);
            table_set(&t, r, 9, 0.5);
            table_set(&t, r, 10, -0.5);
        }
        posenc_check_report report = check_table(&t, NULL);
        must_find(&report, POSENC_FINDING_DEAD_CHANNEL, level, -1, 3, 1);
        must_find(&report, POSENC_FINDING_CONSTANT_CHANNEL, level, -1, 9, 2);
        check(report.n_findings == 2, "%s", findings_text(&report));
        table_free(&t);
    }
}

static void still_channels_are_found(void **state) { (void)state, in_every_dtype(still_channels_in); }

/* A channel with one value that is finite is not one that stands still, and one such row is not all rows. */
static void few_finite_values_say_nothing(void **state) {
    (void)state;
    table t = table_make(2, 2, POSENC_F32);
    table_set(&t, 0, 0, (double)NAN), table_set(&t, 0, 1, 1), table_set(&t, 1, 0, 2), table_set(&t, 1, 1, HUGE_VAL);
    posenc_check_report report = check_table(&t, NULL);
    must_find(&report, POSENC_FINDING_NAN, POSENC_LEVEL_ERROR, 0, 0, 1);
    must_find(&report, POSENC_FINDING_INFINITE, POSENC_LEVEL_ERROR, 1, 1, 1);
    check(report.n_findings == 2 && report.minimum == 1 && report.maximum == 2, "%s", findings_text(&report));
    table_free(&t);
}

/* Slow cosines stand still in 16 bits, as they must. */
static void slow_channels_are_healthy(void **state) {
    (void)state;
    table t = sinusoidal_table(50, 128, POSENC_BF16);
    assert_true(table_get(&t, 0, 127) == table_get(&t, 49, 127));
    posenc_check_report report = check_table(&t, NULL);
    check(report.n_findings == 0, "%s", findings_text(&report));
    table_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_is_found),
        cmocka_unit_test(infinity_is_found),
        cmocka_unit_test(values_out_of_range_are_found),
        cmocka_unit_test(a_lone_spike_is_found),
        cmocka_unit_test(copied_rows_are_found),
        cmocka_unit_test(a_wrapped_index_is_found),
        cmocka_unit_test(a_flattened_batch_is_found),
        cmocka_unit_test(equal_means_equal_values),
        cmocka_unit_test(constant_rows_are_found),
        cmocka_unit_test(zero_rows_are_found),
        cmocka_unit_test(padding_rows_are_known),
        cmocka_unit_test(rows_repeat_by_themselves),
        cmocka_unit_test(still_channels_are_found),
        cmocka_unit_test(few_finite_values_say_nothing),
        cmocka_unit_test(slow_channels_are_healthy),
    };
    return TEST_RUN(tests);
}
