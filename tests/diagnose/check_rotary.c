/* Check of cosines and sines, (length, pairs, 2): sound tables of every scaling are healthy with a plan and without,
 * pairs off their circle, repeated rows and swapped axes are found, and a batch of narrow tables is not taken for one. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "check_tables.h"
#include "support/refusal.h"
#include "support/tensors.h"

enum { PAIRS = 32, ROWS = 400 };

/* ---- tables ---- */

static posenc_plan *plan_of(const char *scaling, const char *factor) {
    posenc_plan *plan = NULL;
    const posenc_parameter p[] = {
        {"head-dim", "64"}, {"scaling", scaling}, {"factor", factor}, {"original-length", "128"}};
    assert_int_equal(posenc_plan_create(NULL, "rotary", p, 4, &plan, NULL), POSENC_OK);
    return plan;
}

static table turns_of_plan(const posenc_plan *plan, int64_t start, int64_t rows, posenc_dtype dtype) {
    table t = table_make(rows, 2 * PAIRS, dtype);
    posenc_view views[2];
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = start;
    const int64_t shape[] = {rows, PAIRS}, strides[] = {2 * PAIRS, 2};
    DLTensor *cosines = posenc_view_make(&views[0], t.data, dtype, 2, shape, strides);
    DLTensor *sines = posenc_view_make(&views[1], t.data + posenc_dtype_bytes(dtype), dtype, 2, shape, strides);
    assert_int_equal(posenc_rotary_cos_sin(plan, &positions, NULL, POSENC_ROTARY_TABLE_PAIRS, cosines, sines, NULL),
                     POSENC_OK);
    return t;
}

/* Straight from the paper, by the C library. */
static table turns_of_equation(double base, int64_t rows, posenc_dtype dtype) {
    table t = table_make(rows, 2 * PAIRS, dtype);
    for (int64_t p = 0; p < rows; p++)
        for (int64_t i = 0; i < PAIRS; i++) {
            double angle = (double)p * pow(base, -(double)i / PAIRS);
            table_set(&t, p, 2 * i, cos(angle));
            table_set(&t, p, 2 * i + 1, sin(angle));
        }
    return t;
}

static posenc_check_report check_turns(const table *t, const posenc_plan *plan) {
    posenc_view view;
    posenc_check_options options;
    posenc_check_default(&options, sizeof options);
    options.plan = plan;
    const int64_t shape[] = {t->rows, t->dim / 2, 2};
    return check_tensor(NULL, &options, posenc_view_make(&view, t->data, t->dtype, 3, shape, NULL));
}

/* ---- sound ones ---- */

static void the_paper_s_tables_are_recognised(void **state) {
    (void)state;
    const double bases[] = {10000, 500000, 1e6};
    for (int i = 0; i < 12; i++) {
        table t = turns_of_equation(bases[i / 4], ROWS, encoding_dtypes[i % 4]);
        posenc_check_report report = check_turns(&t, NULL);
        check(report.healthy, "%s", findings_text(&report));
        check(report.match.scheme && strcmp(report.match.scheme, "rotary") == 0, "taken for %s",
              report.match.scheme ? report.match.scheme : "none");
        check(report.match.base == bases[i / 4] && report.match.base_is_known, "base %g", report.match.base);
        check(report.amplitude == 1 && report.rows == ROWS && report.dim == 2 * PAIRS, "amplitude %g",
              report.amplitude);
        check(report.looked_at & 1u << POSENC_LOOK_PAIRS && report.looked_at & 1u << POSENC_LOOK_PRECISION, "not seen");
        table_free(&t);
    }
}

typedef struct scaling {
    const char *name, *factor;
    bool one_base; /* as a plain spectrum has */
} scaling;

static const scaling scalings[] = {{"default", "1", true}, {"linear", "4", false},  {"ntk", "4", true},
                                   {"yarn", "4", false},   {"yarn", "1000", false}, {"llama3", "8", false}};
enum { N_SCALINGS = sizeof scalings / sizeof *scalings };

static double amplitude_of(const posenc_plan *plan) {
    posenc_rotary_info info = {.size = sizeof info};
    assert_int_equal(posenc_rotary_describe(plan, 0, &info, NULL, NULL, NULL), POSENC_OK);
    return info.amplitude;
}

/* A plan tells all; without one the circle and its amplitude are seen, and a base where there is one. */
static void every_scaling_is_healthy(void **state) {
    (void)state;
    for (int i = 0; i < 4 * N_SCALINGS; i++) {
        const scaling *s = &scalings[i / 4];
        posenc_plan *plan = plan_of(s->name, s->factor);
        table t = turns_of_plan(plan, 0, ROWS, encoding_dtypes[i % 4]);
        double amplitude = amplitude_of(plan);
        posenc_check_report beside = check_turns(&t, plan), alone = check_turns(&t, NULL);
        check(beside.healthy && beside.n_findings == 0, "%s: %s", s->name, findings_text(&beside));
        check(beside.amplitude == amplitude && strcmp(beside.match.scheme, "rotary") == 0, "%s", s->name);
        check(beside.match.rows_fit == ROWS, "%s: %lld rows fit", s->name, (long long)beside.match.rows_fit);
        check((i < 4) == (strstr(beside.parameters, s->name) == NULL), "%s: \"%s\"", s->name, beside.parameters);
        check(alone.healthy, "%s: %s", s->name, findings_text(&alone));
        check((alone.match.scheme != NULL) == s->one_base, "%s", s->name);
        check(fabs(alone.amplitude - amplitude) < 2e-3 * amplitude, "%s: amplitude %g", s->name, alone.amplitude);
        check(alone.looked_at & 1u << POSENC_LOOK_PAIRS, "%s: pairs not seen", s->name);
        check(!(alone.looked_at & 1u << POSENC_LOOK_TRAINING), "%s: taken for a learned one", s->name);
        table_free(&t);
        posenc_plan_destroy(plan);
    }
}

/* (length, 2 pairs), as a .csv file has them; positions from anywhere. */
static void a_flat_table_goes_with_a_plan(void **state) {
    (void)state;
    posenc_plan *plan = plan_of("yarn", "4");
    table t = turns_of_plan(plan, 100000, 50, POSENC_F32);
    posenc_check_options options;
    posenc_check_default(&options, sizeof options);
    options.plan = plan;
    options.start = 100000;
    posenc_check_report report = check_table(&t, &options);
    check(report.healthy && report.n_findings == 0 && report.match.start == 100000, "%s", findings_text(&report));
    options.start = 0;
    report = check_table(&t, &options);
    check(has_finding(&report, POSENC_FINDING_OTHER_SCHEME), "%s", findings_text(&report));
    table_free(&t);
    posenc_plan_destroy(plan);
}

static void another_spectrum_is_said_to_be_one(void **state) {
    (void)state;
    posenc_plan *plan = plan_of("yarn", "4");
    table t = turns_of_equation(10000, ROWS, POSENC_F32);
    posenc_check_report report = check_turns(&t, plan);
    const posenc_finding *f = find(&report, POSENC_FINDING_OTHER_SCHEME);
    check(f && strstr(f->why, "it fits rotary, base 10000"), "%s", findings_text(&report));
    table_free(&t);
    posenc_plan_destroy(plan);
}

/* ---- broken ones ---- */

static void a_pair_off_its_circle_is_found(void **state) {
    (void)state;
    for (int i = 0; i < 4 * N_SCALINGS; i++) {
        const scaling *s = &scalings[i / 4];
        posenc_plan *plan = plan_of(s->name, s->factor);
        double square = amplitude_of(plan) * amplitude_of(plan);
        table t = turns_of_plan(plan, 0, ROWS, encoding_dtypes[i % 4]);
        for (int64_t p = 70; p < 80; p++) {
            table_set(&t, p, 4, 0.75 * table_get(&t, p, 4));
            table_set(&t, p, 5, 0.75 * table_get(&t, p, 5));
        }
        for (int with = 0; with < 2; with++) {
            posenc_check_report report = check_turns(&t, with ? plan : NULL);
            const posenc_finding *f = find(&report, POSENC_FINDING_NOT_UNIT_PAIRS);
            check(f && f->level == POSENC_LEVEL_ERROR && f->position == 70 && f->channel == 4, "%s: %s", s->name,
                  findings_text(&report));
            check(fabs(f->amount - square * (1 - 0.75 * 0.75)) < 0.02 * square, "%s: %g", s->name, f->amount);
        }
        table_free(&t);
        posenc_plan_destroy(plan);
    }
}

static void values_off_are_found_by_a_plan(void **state) {
    (void)state;
    posenc_plan *plan = plan_of("llama3", "8");
    table t = turns_of_plan(plan, 0, ROWS, POSENC_F32);
    for (int64_t p = 300; p < ROWS; p++) { /* the angle of one pair runs away: still on its circle */
        double angle = atan2(table_get(&t, p, 21), table_get(&t, p, 20)) + 0.01;
        table_set(&t, p, 20, cos(angle));
        table_set(&t, p, 21, sin(angle));
    }
    posenc_check_report report = check_turns(&t, plan);
    const posenc_finding *f = find(&report, POSENC_FINDING_PRECISION);
    check(f && f->position == 300, "%s", findings_text(&report));
    check(report.first_imprecise == 300, "first %lld", (long long)report.first_imprecise);
    table_free(&t);
    posenc_plan_destroy(plan);
}

static void repeated_rows_are_found(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        posenc_plan *plan = plan_of("yarn", "4");
        table t = turns_of_plan(plan, 0, ROWS, POSENC_F32);
        for (int64_t p = 256; p < ROWS; p++) table_copy_row(&t, p - 256, p);
        posenc_check_report report = check_turns(&t, i ? plan : NULL);
        must_find(&report, POSENC_FINDING_REPEATED_ROWS, POSENC_LEVEL_ERROR, 256, -1, ROWS - 256);
        table_free(&t);
        posenc_plan_destroy(plan);
    }
}

static void a_table_that_stands_still_is_found(void **state) {
    (void)state;
    posenc_plan *plan = plan_of("yarn", "4");
    table t = turns_of_plan(plan, 7, ROWS, POSENC_F32);
    for (int64_t p = 1; p < ROWS; p++) table_copy_row(&t, 0, p);
    posenc_check_report report = check_turns(&t, plan);
    check(has_finding(&report, POSENC_FINDING_POSITION_AXIS) && !report.healthy, "%s", findings_text(&report));
    table_free(&t);
    posenc_plan_destroy(plan);
}

/* (pairs, length, 2). */
static void swapped_axes_are_found(void **state) {
    (void)state;
    for (int i = 0; i < 4 * N_SCALINGS; i++) {
        posenc_plan *plan = plan_of(scalings[i / 4].name, scalings[i / 4].factor);
        table t = turns_of_plan(plan, i % 2 ? 5000 : 0, ROWS, encoding_dtypes[i % 4]);
        table turned = table_make(PAIRS, 2 * ROWS, t.dtype);
        for (int64_t p = 0; p < ROWS; p++)
            for (int64_t k = 0; k < 2 * PAIRS; k++) table_set(&turned, k / 2, 2 * p + k % 2, table_get(&t, p, k));
        posenc_check_report report = check_turns(&turned, NULL);
        must_find(&report, POSENC_FINDING_POSITION_AXIS, POSENC_LEVEL_ERROR, -1, -1, PAIRS);
        must_be_alone(&report, POSENC_FINDING_POSITION_AXIS);
        table_free(&turned);
        table_free(&t);
        posenc_plan_destroy(plan);
    }
}

static void a_value_that_is_no_number_is_found(void **state) {
    (void)state;
    table t = turns_of_equation(10000, ROWS, POSENC_F32);
    table_set(&t, 17, 9, (double)NAN);
    posenc_check_report report = check_turns(&t, NULL);
    must_find(&report, POSENC_FINDING_NAN, POSENC_LEVEL_ERROR, 17, 9, 1);
    check(report.amplitude == 1, "amplitude %g", report.amplitude);
    table_free(&t);
}

/* ---- what is none ---- */

/* One table of width 2 in all of a batch, or one row in all of a sequence: as before, and no rotary. */
static void batches_stay_batches(void **state) {
    (void)state;
    table t = sinusoidal_table(50, 2, POSENC_F32);
    posenc_view view;
    const int64_t batch[] = {3, 50, 2}, batch_strides[] = {0, 2, 1}, swapped[] = {50, 3, 2}, strides[] = {2, 0, 1};
    posenc_check_report report =
        check_tensor(NULL, NULL, posenc_view_make(&view, t.data, t.dtype, 3, batch, batch_strides));
    check(isnan(report.amplitude) && report.rows == 50 && report.dim == 2, "%s", findings_text(&report));
    check(report.match.scheme && strcmp(report.match.scheme, "sinusoidal") == 0, "another formula");
    report = check_tensor(NULL, NULL, posenc_view_make(&view, t.data, t.dtype, 3, swapped, strides));
    check(isnan(report.amplitude), "%s", findings_text(&report));
    must_find(&report, POSENC_FINDING_POSITION_AXIS, POSENC_LEVEL_ERROR, -1, -1, 3);
    table_free(&t);
}

static void random_numbers_are_none(void **state) {
    (void)state;
    posenc_error error = error_blank();
    posenc_check_report report = {.size = sizeof report};
    posenc_view view;
    table t = learned_table(40, 60, POSENC_F32, "rotary");
    DLTensor *tensor = posenc_view_make(&view, t.data, t.dtype, 3, (int64_t[]){40, 30, 2}, NULL);
    must_refuse("random", posenc_check(NULL, NULL, tensor, &report, &error), POSENC_ERROR_SHAPE, &error, "table");
    table_free(&t);
}

/* ---- the door ---- */

static void refuse(const char *what, const posenc_plan *plan, DLTensor *tensor, posenc_status wanted,
                   const char *argument) {
    posenc_error error = error_blank();
    posenc_check_report report = {.size = sizeof report}, before = report;
    posenc_check_options options;
    posenc_check_default(&options, sizeof options);
    options.plan = plan;
    must_refuse(what, posenc_check(NULL, &options, tensor, &report, &error), wanted, &error, argument);
    assert_memory_equal(&report, &before, sizeof report);
}

static void refusals(void **state) {
    (void)state;
    posenc_plan *plan = plan_of("default", "1"), *dynamic = plan_of("dynamic", "4"), *bias = NULL;
    table t = turns_of_plan(plan, 0, 20, POSENC_F32);
    posenc_view view;
    const int64_t apart[] = {1, 20, 640};
    const posenc_parameter heads = {"heads", "8"};
    DLTensor *tensor = posenc_view_make(&view, t.data, t.dtype, 3, (int64_t[]){20, 16, 2}, NULL);
    refuse("fewer pairs", plan, tensor, POSENC_ERROR_SHAPE, "table");
    tensor = posenc_view_make(&view, t.data, t.dtype, 3, (int64_t[]){20, 2, PAIRS}, NULL);
    refuse("no pairs", plan, tensor, POSENC_ERROR_SHAPE, "table");
    tensor = posenc_view_make(&view, t.data, t.dtype, 3, (int64_t[]){20, PAIRS, 2}, apart);
    refuse("pairs that lie apart", plan, tensor, POSENC_ERROR_SHAPE, "table");
    tensor = posenc_view_make(&view, t.data, POSENC_U8, 3, (int64_t[]){20, PAIRS, 2}, NULL);
    refuse("bytes", plan, tensor, POSENC_ERROR_DTYPE, "table");
    tensor = posenc_view_make(&view, NULL, t.dtype, 3, (int64_t[]){0, INT64_MAX / 2 + 1, 2}, NULL);
    refuse("too many pairs", plan, tensor, POSENC_ERROR_SHAPE, "table");
    tensor = posenc_view_make(&view, t.data, t.dtype, 3, (int64_t[]){20, PAIRS, 2}, NULL);
    refuse("frequencies by length", dynamic, tensor, POSENC_ERROR_ARGUMENT, "plan");
    assert_int_equal(posenc_plan_create(NULL, "alibi", &heads, 1, &bias, NULL), POSENC_OK);
    refuse("a bias", bias, tensor, POSENC_ERROR_ARGUMENT, "plan");
    table_free(&t);
    posenc_plan_destroy(plan);
    posenc_plan_destroy(dynamic);
    posenc_plan_destroy(bias);
}

static void edges(void **state) {
    (void)state;
    posenc_plan *plan = plan_of("yarn", "4");
    table t = turns_of_plan(plan, 0, 1, POSENC_F32);
    posenc_view view;
    posenc_check_options options;
    posenc_check_default(&options, sizeof options);
    options.plan = plan;
    posenc_check_report report = check_turns(&t, plan);
    check(report.healthy && report.match.rows_fit == 1, "%s", findings_text(&report));
    DLTensor *empty = posenc_view_make(&view, NULL, POSENC_F32, 3, (int64_t[]){0, PAIRS, 2}, NULL);
    report = check_tensor(NULL, &options, empty);
    check(report.healthy && report.looked_at == 0, "%s", findings_text(&report));
    table_free(&t);
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_paper_s_tables_are_recognised),
                                       cmocka_unit_test(every_scaling_is_healthy),
                                       cmocka_unit_test(a_flat_table_goes_with_a_plan),
                                       cmocka_unit_test(another_spectrum_is_said_to_be_one),
                                       cmocka_unit_test(a_pair_off_its_circle_is_found),
                                       cmocka_unit_test(values_off_are_found_by_a_plan),
                                       cmocka_unit_test(repeated_rows_are_found),
                                       cmocka_unit_test(a_table_that_stands_still_is_found),
                                       cmocka_unit_test(swapped_axes_are_found),
                                       cmocka_unit_test(a_value_that_is_no_number_is_found),
                                       cmocka_unit_test(batches_stay_batches),
                                       cmocka_unit_test(random_numbers_are_none),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(edges)};
    return TEST_RUN(tests);
}
