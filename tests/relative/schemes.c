/* The schemes shaw and transformer-xl: parameters that are refused, what their plans are not for, and their slow values
 * beside the calls that do the work: the explicit tensor, and the sinusoidal scheme. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/biases.h"
#include "support/refusal.h"
#include "support/test.h"

static posenc_status create(const char *scheme, const posenc_parameter *parameters, size_t n, posenc_error *error) {
    posenc_plan *plan = NULL;
    posenc_status status = posenc_plan_create(NULL, scheme, parameters, n, &plan, error);
    assert_true((status == POSENC_OK) == (plan != NULL));
    posenc_plan_destroy(plan);
    return status;
}

static void test_parameters(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        posenc_parameter parameters[2];
        size_t n;
        posenc_status status;
        const char *argument;
    } bad[] = {
        {"shaw", {{"clip", ""}}, 0, POSENC_ERROR_ARGUMENT, "clip"},
        {"shaw", {{"clip", "-1"}}, 1, POSENC_ERROR_ARGUMENT, "clip"},
        {"shaw", {{"clip", "1152921504606846976"}}, 1, POSENC_ERROR_ARGUMENT, "clip"},
        {"shaw", {{"clip", "2"}, {"direction", "both"}}, 2, POSENC_ERROR_ARGUMENT, "direction"},
        {"shaw", {{"clip", "2"}, {"scale", "nan"}}, 2, POSENC_ERROR_ARGUMENT, "scale"},
        {"shaw", {{"clip", "2"}, {"offset", "1152921504606846977"}}, 2, POSENC_ERROR_POSITION, "offset"},
        {"shaw", {{"clip", "2"}, {"offset", "-1152921504606846977"}}, 2, POSENC_ERROR_POSITION, "offset"},
        {"transformer-xl", {{"dim", ""}}, 0, POSENC_ERROR_ARGUMENT, "dim"},
        {"transformer-xl", {{"dim", "0"}}, 1, POSENC_ERROR_ARGUMENT, "dim"},
        {"transformer-xl", {{"dim", "8"}, {"memory", "-1152921504606846977"}}, 2, POSENC_ERROR_ARGUMENT, "memory"},
        {"transformer-xl", {{"dim", "8"}, {"memory", "1152921504606846977"}}, 2, POSENC_ERROR_ARGUMENT, "memory"},
        {"transformer-xl", {{"dim", "8"}, {"clamp-len", "-1"}}, 2, POSENC_ERROR_ARGUMENT, "clamp-len"},
        {"transformer-xl", {{"dim", "8"}, {"bidirectional", "2"}}, 2, POSENC_ERROR_ARGUMENT, "bidirectional"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        posenc_error error = error_blank();
        posenc_status status = create(bad[i].scheme, bad[i].parameters, bad[i].n, &error);
        must_refuse(bad[i].scheme, status, bad[i].status, &error, bad[i].argument);
    }
}

/* Rows are refused, with the name of what serves the scheme; so are biases and turns. */
static void check_no_rows(const posenc_plan *plan, const char *instead) {
    float row[8] = {7};
    int64_t bucket = 7;
    posenc_view view;
    posenc_positions positions;
    posenc_cursor *cursor = NULL;
    posenc_error error = error_blank();
    posenc_rotary_info info = {.size = sizeof info};
    posenc_positions_default(&positions, sizeof positions);
    const int64_t shape[] = {1, posenc_plan_dim(plan)};
    DLTensor *out = posenc_view_make(&view, row, POSENC_F32, 2, shape, NULL);
    must_refuse("rows", posenc_plan_write(plan, &positions, out, &error), POSENC_ERROR_UNSUPPORTED, &error, "plan");
    check(strstr(error.message, instead), "expected %s in \"%s\"", instead, error.message);
    error = error_blank();
    must_refuse("cursor", posenc_cursor_create(plan, &cursor, &error), POSENC_ERROR_UNSUPPORTED, &error, "plan");
    assert_null(cursor);
    assert_int_equal(posenc_bias_bucket(plan, 1, &bucket, NULL), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_rotary_describe(plan, 0, &info, NULL, NULL, NULL), POSENC_ERROR_ARGUMENT);
    assert_true(row[0] == 7 && bucket == 7);
    assert_true(strlen(posenc_plan_isa(plan)) > 0 && posenc_plan_bytes(plan) > 0);
}

static void check_positions(const posenc_plan *plan) {
    double value = 7;
    assert_int_equal(posenc_plan_equation(plan, 0.5, 0, &value), POSENC_ERROR_POSITION);
    assert_int_equal(posenc_plan_equation(plan, 0, posenc_plan_dim(plan), &value), POSENC_ERROR_ARGUMENT);
    assert_true(value == 7);
}

static void test_no_rows(void **state) {
    (void)state;
    posenc_plan *shaw = must_bias_plan(NULL, "shaw", (const char *const[]){"clip=2", NULL});
    posenc_plan *xl = must_bias_plan(NULL, "transformer-xl", (const char *const[]){"dim=8", NULL});
    check_no_rows(shaw, "posenc_shaw_scores");
    check_no_rows(xl, "posenc_xl_scores");
    check_positions(shaw);
    check_positions(xl);
    posenc_plan_destroy(shaw);
    posenc_plan_destroy(xl);
}

/* A table whose rows hold their own numbers shows which row a query and a key read. */
static void check_shaw(int64_t clip, posenc_direction direction, int64_t offset) {
    enum { QUERIES = 5, KEYS = 9 };
    char texts[2][64];
    double table[31], out[QUERIES * KEYS];
    posenc_view rows, all;
    posenc_shaw_options options;
    posenc_shaw_default(&options, sizeof options);
    options.clip = clip, options.direction = direction, options.offset = offset;
    for (int64_t r = 0; r < 2 * clip + 1; r++) table[r] = (double)r;
    const int64_t table_shape[] = {2 * clip + 1, 1}, shape[] = {QUERIES, KEYS, 1};
    DLTensor *tensor = posenc_view_make(&all, out, POSENC_F64, 3, shape, NULL);
    assert_int_equal(posenc_shaw_write(NULL, &options, posenc_view_make(&rows, table, POSENC_F64, 2, table_shape, NULL),
                                       tensor, NULL),
                     POSENC_OK);
    snprintf(texts[0], sizeof texts[0], "clip=%" PRId64, clip);
    snprintf(texts[1], sizeof texts[1], "direction=%s", direction ? "query-minus-key" : "key-minus-query");
    posenc_plan *plan = must_bias_plan(NULL, "shaw", (const char *const[]){texts[0], texts[1], NULL});
    for (int64_t i = 0; i < QUERIES; i++)
        for (int64_t j = 0; j < KEYS; j++) {
            double row;
            assert_int_equal(posenc_plan_equation(plan, (double)(j - offset - i), 0, &row), POSENC_OK);
            check(row == out[i * KEYS + j], "%s %s: query %" PRId64 " key %" PRId64 ": row %g, the equation %g",
                  texts[0], texts[1], offset + i, j, out[i * KEYS + j], row);
        }
    posenc_plan_destroy(plan);
}

static void test_shaw_equation(void **state) {
    (void)state;
    for (int64_t clip = 0; clip <= 15; clip++)
        for (int64_t offset = -3; offset <= 12; offset += 5) {
            check_shaw(clip, POSENC_DIRECTION_KEY_MINUS_QUERY, offset);
            check_shaw(clip, POSENC_DIRECTION_QUERY_MINUS_KEY, offset);
        }
}

static void check_xl(int64_t dim, int64_t clamp_len) {
    char texts[2][64];
    posenc_error error;
    posenc_sinusoidal_options options;
    posenc_plan *sines = NULL;
    posenc_sinusoidal_default(&options, sizeof options);
    options.dim = dim, options.layout = POSENC_LAYOUT_HALVES;
    assert_int_equal(posenc_sinusoidal_create_with(NULL, &options, &sines, &error), POSENC_OK);
    snprintf(texts[0], sizeof texts[0], "dim=%" PRId64, dim);
    snprintf(texts[1], sizeof texts[1], "clamp-len=%" PRId64, clamp_len);
    posenc_plan *plan = must_bias_plan(NULL, "transformer-xl", (const char *const[]){texts[0], texts[1], NULL});
    for (int64_t distance = -20; distance <= 20; distance++) { /* i - j */
        int64_t clamped = clamp_len == 0 ? distance : distance > clamp_len ? clamp_len : distance;
        if (clamp_len > 0 && clamped < -clamp_len) clamped = -clamp_len;
        for (int64_t c = 0; c < dim; c++) {
            double want, got;
            assert_int_equal(posenc_plan_equation(sines, (double)clamped, c, &want), POSENC_OK);
            assert_int_equal(posenc_plan_equation(plan, (double)-distance, c, &got), POSENC_OK);
            check(want - got < 1e-15 && got - want < 1e-15, "%s %s: distance %" PRId64 " channel %" PRId64, texts[0],
                  texts[1], distance, c);
        }
    }
    posenc_plan_destroy(plan);
    posenc_plan_destroy(sines);
}

static void test_xl_equation(void **state) {
    (void)state;
    for (int64_t dim = 1; dim <= 9; dim++)
        for (int64_t clamp_len = 0; clamp_len <= 21; clamp_len += 7) check_xl(dim, clamp_len);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parameters), cmocka_unit_test(test_no_rows),
                                       cmocka_unit_test(test_shaw_equation), cmocka_unit_test(test_xl_equation)};
    return TEST_RUN(tests);
}
