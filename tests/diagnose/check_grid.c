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

/* ---- found out ---- */

typedef struct grid {
    const char *scheme, *convention, *grid, *prefix, *normalize;
    int rows;
    const char *text; /* what the report says of it */
} grid;

static const grid grids[] = {
    {"sinusoidal-2d", "mae", "14x14", "0", "false", 196, "grid 14x14"},
    {"sinusoidal-2d", "mae", "5x7", "1", "false", 36, "grid 5x7, prefix 1"},
    {"sinusoidal-2d", "detr", "7x5", "0", "false", 35, "convention detr, grid 7x5"},
    {"sinusoidal-2d", "detr", "3x40", "0", "true", 120, "convention detr, grid 3x40, normalize true"},
    {"sinusoidal-nd", "tensor2tensor", "24x16", "0", NULL, 384, "grid 24x16"},
    {"sinusoidal-nd", "multidim", "16x24", "4", NULL, 388, "convention multidim, grid 16x24, prefix 4"},
};
enum { N_GRIDS = sizeof grids / sizeof *grids };

static posenc_plan *plan_of_grid(const grid *g, const char *base) {
    posenc_plan *plan = NULL;
    const posenc_parameter p[] = {{"dim", "64"},     {"convention", g->convention},
                                  {"grid", g->grid}, {"prefix", g->prefix},
                                  {"base", base},    {"normalize", g->normalize}};
    assert_int_equal(posenc_plan_create(NULL, g->scheme, p, g->normalize ? 6 : 5, &plan, NULL), POSENC_OK);
    return plan;
}

static void a_grid_is_recognised(void **state) {
    (void)state;
    for (int i = 0; i < 4 * N_GRIDS; i++) {
        const grid *g = &grids[i / 4];
        posenc_plan *plan = plan_of_grid(g, "10000");
        table t = table_of_plan(plan, 0, g->rows, encoding_dtypes[i % 4]);
        posenc_check_report report = check_table(&t, NULL);
        check(report.match.scheme && strcmp(report.match.scheme, g->scheme) == 0, "%s taken for %s", g->text,
              report.match.scheme ? report.match.scheme : "none");
        check(strcmp(report.parameters, g->text) == 0, "%s taken for %s", g->text, report.parameters);
        check(report.healthy && report.match.rows > 0 && report.match.rows_fit == report.match.rows, "%s: %s", g->text,
              findings_text(&report));
        check(!(report.looked_at & 1u << POSENC_LOOK_TRAINING), "%s: taken for a learned one", g->text);
        table_free(&t);
        posenc_plan_destroy(plan);
    }
}

static void a_broken_grid_is_recognised(void **state) {
    (void)state;
    for (int i = 0; i < N_GRIDS; i++) {
        posenc_plan *plan = plan_of_grid(&grids[i], "10000");
        table t = table_of_plan(plan, 0, grids[i].rows, POSENC_F32);
        table_set(&t, 20, 3, table_get(&t, 20, 3) / 2 + 0.3);
        posenc_check_report report = check_table(&t, NULL);
        check(strcmp(report.parameters, grids[i].text) == 0, "%s taken for %s", grids[i].text, report.parameters);
        must_find(&report, POSENC_FINDING_PRECISION, POSENC_LEVEL_ERROR, 20, 3,
                  report.n_findings ? report.findings[0].amount : 0);
        table_free(&t);
        posenc_plan_destroy(plan);
    }
}

/* A plan of another grid, or of another convention: the finding says what the table is instead, if that is known. */
static void another_plan_is_said_to_be_one(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const grid other = {"sinusoidal-2d", i ? "mae" : "detr", i ? "7x5" : "5x7", "0", "false", 35, ""};
        const grid held = {"sinusoidal-2d", "mae", "5x7", "0", "false", 35, "grid 5x7"};
        posenc_plan *plan = plan_of_grid(&other, "10000"), *own = plan_of_grid(&held, i ? "100" : "10000");
        table t = table_of_plan(own, 0, 35, POSENC_F32);
        posenc_check_options options = beside(plan);
        posenc_check_report report = check_table(&t, &options);
        const posenc_finding *f = find(&report, POSENC_FINDING_OTHER_SCHEME);
        check(f && strstr(f->why, i ? "not the table of sinusoidal-2d, grid 7x5"
                                    : "not the table of sinusoidal-2d, convention detr"),
              "%s", findings_text(&report));
        check(strstr(f->why, i ? "no formula that was tried fits it" : "it fits sinusoidal-2d, grid 5x7") != NULL, "%s",
              f->why);
        check(!report.healthy && (report.match.scheme == NULL) == (i == 1), "%s", findings_text(&report));
        table_free(&t);
        posenc_plan_destroy(own);
        posenc_plan_destroy(plan);
    }
}

/* Not one of those that are tried, and nothing is claimed: another base, a grid of another shape's rows, noise. */
static void nothing_else_is_taken_for_a_grid(void **state) {
    (void)state;
    for (int i = 0; i < 2 * N_GRIDS; i++) {
        posenc_plan *plan = plan_of_grid(&grids[i / 2], i % 2 ? "100" : "9990");
        table t = table_of_plan(plan, 0, grids[i / 2].rows, POSENC_F32);
        posenc_check_report report = check_table(&t, NULL);
        check(!report.match.scheme && !*report.parameters, "%s: taken for %s %s", grids[i / 2].text,
              report.match.scheme, report.parameters);
        table_free(&t);
        posenc_plan_destroy(plan);
    }
    random_state random = random_start("check grid");
    for (int i = 0; i < 8; i++) {
        table t = table_make(100, 32, encoding_dtypes[i % 4]);
        for (int64_t r = 0; r < t.rows; r++)
            for (int64_t c = 0; c < t.dim; c++)
                table_set(&t, r, c, r == 0 && c == 0 ? 1 : (double)random_between(&random, -1000, 1000) / 1000);
        posenc_check_report report = check_table(&t, NULL);
        check(!report.match.scheme, "noise taken for %s", report.match.scheme);
        table_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_table_is_healthy),       cmocka_unit_test(a_prefix_row_is_expected),
        cmocka_unit_test(a_wrong_value_is_found),         cmocka_unit_test(more_rows_than_tokens),
        cmocka_unit_test(a_grid_is_recognised),           cmocka_unit_test(a_broken_grid_is_recognised),
        cmocka_unit_test(another_plan_is_said_to_be_one), cmocka_unit_test(nothing_else_is_taken_for_a_grid)};
    return TEST_RUN(tests);
}
