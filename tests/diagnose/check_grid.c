/* Check beside a plan of a grid: a sound table is healthy, a wrong value is found, and the table ends with the grid. */
#include "support/test.h"

#include <string.h>

#include "check_tables.h"
#include "support/tensors.h"

static posenc_plan *plan_of(const char *prefix) {
    posenc_plan *plan = NULL;
    const posenc_parameter p[] = {{"dim", "64"}, {"grid", "5x7"}, {"prefix", prefix}};
    assert_int_equal(posenc_plan_create(NULL, "sinusoidal-2d", p, 3, &plan, NULL), POSENC_OK);
    return plan;
}

static posenc_check_options beside(const posenc_plan *plan) {
    posenc_check_options options;
    posenc_check_default(&options, sizeof options);
    options.plan = plan;
    return options;
}

static void a_sound_table_is_healthy(void **state) {
    (void)state;
    for (int rows = 20; rows <= 35; rows += 15)
        for (int d = 0; d < 4; d++) {
            posenc_plan *plan = plan_of("0");
            table t = table_of_plan(plan, 0, rows, encoding_dtypes[d]);
            posenc_check_options options = beside(plan);
            posenc_check_report report = check_table(&t, &options);
            check(report.healthy, "%d rows: %s", rows, findings_text(&report));
            check(strstr(report.extensions[0].sentence, "the table has no row") != NULL, "%s",
                  report.extensions[0].sentence);
            table_free(&t);
            posenc_plan_destroy(plan);
        }
}

static void a_prefix_row_is_expected(void **state) {
    (void)state;
    posenc_plan *plan = plan_of("1");
    table t = table_of_plan(plan, 0, 36, POSENC_F32);
    posenc_check_options options = beside(plan);
    options.padding_idx = 0;
    posenc_check_report report = check_table(&t, &options);
    check(report.healthy, "%s", findings_text(&report));
    table_free(&t);
    posenc_plan_destroy(plan);
}

static void a_wrong_value_is_found(void **state) {
    (void)state;
    posenc_plan *plan = plan_of("0");
    table t = table_of_plan(plan, 0, 35, POSENC_F32);
    posenc_check_options options = beside(plan);
    table_set(&t, 17, 3, table_get(&t, 17, 3) + 0.25);
    posenc_check_report report = check_table(&t, &options);
    check(report.n_findings > 0, "nothing found");
    table_free(&t);
    posenc_plan_destroy(plan);
}

static void more_rows_than_tokens(void **state) {
    (void)state;
    posenc_plan *plan = plan_of("0");
    table t = table_make(36, 64, POSENC_F32);
    posenc_view view;
    posenc_error error;
    posenc_check_options options = beside(plan);
    posenc_check_report report = {.size = sizeof report};
    DLTensor *tensor = posenc_view_make(&view, t.data, POSENC_F32, 2, (int64_t[]){36, 64}, NULL);
    assert_int_equal(posenc_check(NULL, &options, tensor, &report, &error), POSENC_ERROR_POSITION);
    assert_non_null(strstr(error.message, "the 35 tokens of the grid"));
    table_free(&t);
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_table_is_healthy), cmocka_unit_test(a_prefix_row_is_expected),
        cmocka_unit_test(a_wrong_value_is_found), cmocka_unit_test(more_rows_than_tokens)};
    return TEST_RUN(tests);
}
