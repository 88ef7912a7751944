/* Past the stored table: one warning per encoder and exact values, or an error that names position and rows before
 * anything is written. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/number.h"
#include "support/oracle.h"
#include "support/refusal.h"
#include "support/test.h"

enum { ROWS = 100, DIM = 24 };

static const plan_shape SHAPE = {.dim = DIM, .max_len = ROWS};

static posenc_status forward_at(const posenc_encoder *encoder, int64_t start, int64_t tokens, float *y) {
    posenc_positions positions = positions_from(start);
    for (int64_t i = 0; i < tokens * DIM; i++) y[i] = 0;
    return try_forward(encoder, &positions, NULL, POSENC_F32, 1, tokens, y, y, NULL);
}

/* Many calls, one warning; none before the first position that is past. */
static void test_one_warning(void **state) {
    (void)state;
    static float y[2 * ROWS * DIM];
    warnings heard = {0};
    posenc_context *context = warned_context(&heard, 2);
    posenc_encoder *encoder = must_encoder(context, &SHAPE, NULL), *other = must_encoder(context, &SHAPE, NULL);
    assert_int_equal(forward_at(encoder, 0, ROWS, y), POSENC_OK);
    assert_int_equal(forward_at(encoder, -50, 100, y), POSENC_OK); /* before the table is not past its end */
    assert_int_equal(heard.n, 0);
    assert_int_equal(forward_at(encoder, 0, ROWS + 1, y), POSENC_OK);
    assert_int_equal(heard.n, 1);
    check(strstr(heard.last, "max-len") && !strchr(heard.last, '\n'), "the warning is \"%s\"", heard.last);
    for (int i = 0; i < 50; i++) assert_int_equal(forward_at(encoder, ROWS + i, 20, y), POSENC_OK);
    assert_int_equal(heard.n, 1);
    assert_int_equal(forward_at(other, ROWS, 1, y), POSENC_OK); /* each encoder has its own */
    assert_int_equal(heard.n, 2);
    posenc_encoder_destroy(encoder);
    posenc_encoder_destroy(other);
    posenc_context_destroy(context);
}

/* A call that is refused for another reason says nothing. */
static void test_no_warning_for_a_refused_call(void **state) {
    (void)state;
    warnings heard = {0};
    posenc_context *context = warned_context(&heard, 1);
    posenc_encoder *encoder = must_encoder(context, &SHAPE, NULL);
    posenc_view u, v;
    float x[2 * DIM], y[2 * DIM];
    posenc_positions positions = positions_from(10 * ROWS);
    DLTensor *tx = posenc_view_make(&u, x, POSENC_F32, 2, (int64_t[]){2, DIM}, NULL);
    DLTensor *ty = posenc_view_make(&v, y, POSENC_F32, 2, (int64_t[]){1, DIM}, NULL);
    assert_int_equal(posenc_encoder_forward(encoder, &positions, NULL, tx, ty, NULL), POSENC_ERROR_SHAPE);
    assert_int_equal(heard.n, 0);
    posenc_encoder_destroy(encoder);
    posenc_context_destroy(context);
}

static void test_values_are_exact(void **state) {
    (void)state;
    static const int64_t starts[] = {ROWS - 3, ROWS, 5000, 1000000, INT64_C(2147483647), INT64_C(1) << 52};
    oracle o;
    oracle_init(&o, DIM, 10000, POSENC_LAYOUT_INTERLEAVED, false);
    posenc_encoder *encoder = must_encoder(NULL, &SHAPE, NULL);
    float y[6 * DIM];
    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
        assert_int_equal(forward_at(encoder, starts[s], 6, y), POSENC_OK);
        for (int i = 0; i < 6 * DIM; i++)
            check(oracle_accepts(POSENC_F32, number_load(POSENC_F32, &y[i]),
                                 oracle_value(&o, starts[s] + i / DIM, i % DIM)),
                  "position %" PRId64 " column %d is %.9g", starts[s] + i / DIM, i % DIM, (double)y[i]);
    }
    posenc_encoder_destroy(encoder);
    oracle_clear(&o);
    mpfr_free_cache();
}

/* ---- the error policy ---- */

static posenc_encoder *strict_encoder(const posenc_context *context) {
    posenc_encoder_options options = encoder_options(POSENC_F32);
    options.past_end = POSENC_PAST_END_ERROR;
    return must_encoder(context, &SHAPE, &options);
}

/* Two batch rows of six tokens at the given ids; the message must hold the words. */
static void refuse_ids(const posenc_encoder *encoder, posenc_dtype dtype, void *ids, const char *words) {
    posenc_view view;
    float x[12 * DIM] = {0}, y[12 * DIM], before[12 * DIM];
    posenc_positions positions = positions_from(0);
    posenc_error error = error_blank();
    positions.ids = posenc_view_make(&view, ids, dtype, 2, (int64_t[]){2, 6}, NULL);
    memset(y, 0x77, sizeof y);
    memcpy(before, y, sizeof y);
    posenc_status status = try_forward(encoder, &positions, NULL, POSENC_F32, 2, 6, x, y, &error);
    must_refuse("position past the table", status, POSENC_ERROR_POSITION, &error, "positions");
    check(strstr(error.message, words) && strstr(error.message, "100 rows"), "expected \"%s\" and 100 rows in \"%s\"",
          words, error.message);
    assert_memory_equal(y, before, sizeof y);
}

static void test_error_names_position_and_rows(void **state) {
    (void)state;
    static const int64_t outside[] = {ROWS, ROWS + 1, -1, -100, INT64_MAX, INT64_MIN};
    posenc_encoder *encoder = strict_encoder(NULL);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        for (int where = 0; where < 12; where++) {
            int64_t ids[12];
            char words[80];
            for (int k = 0; k < 12; k++) ids[k] = 60 + 3 * k; /* no two consecutive: each token is a run */
            ids[where] = outside[i];
            snprintf(words, sizeof words, "got %" PRId64 " at batch %d, token %d;", outside[i], where / 6, where % 6);
            refuse_ids(encoder, POSENC_I64, ids, words);
        }
    posenc_encoder_destroy(encoder);
}

/* The position named is the first one outside, also in the middle of a run. */
static void test_error_within_a_run(void **state) {
    (void)state;
    int32_t ids[12] = {0, 1, 2, 3, 4, 5, 97, 98, 99, 100, 101, 102};
    posenc_encoder *encoder = strict_encoder(NULL);
    refuse_ids(encoder, POSENC_I32, ids, "got 100 at batch 1, token 3;");
    int32_t before[12] = {0, 1, 2, 3, 4, 5, -2, -1, 0, 1, 2, 3};
    refuse_ids(encoder, POSENC_I32, before, "got -2 at batch 1, token 0;");
    posenc_encoder_destroy(encoder);
}

/* Between two rows is computed; between the last row and the next, or below the first, is outside. */
static void test_error_for_fractions(void **state) {
    (void)state;
    posenc_encoder *encoder = strict_encoder(NULL);
    for (int i = 0; i < 3; i++) {
        const double outside[] = {99.5, -0.5, 100.25};
        const char *const words[] = {"got 100 at batch 1, token 4;", "got -1 at batch 1, token 4;",
                                     "got 100 at batch 1, token 4;"};
        double ids[12] = {0, 0.5, 1, 98.75, 99, 3, 4, 5, 6, 7, outside[i], 8};
        refuse_ids(encoder, POSENC_F64, ids, words[i]);
    }
    posenc_encoder_destroy(encoder);
}

/* Exactly max_len rows fit, by a start, an offset, ids, a mask, packed lengths. One more does not. */
static void test_exactly_the_table(void **state) {
    (void)state;
    static float x[(ROWS + 1) * DIM], y[(ROWS + 1) * DIM], before[(ROWS + 1) * DIM];
    posenc_encoder *encoder = strict_encoder(NULL);
    memset(y, 0x66, sizeof y);
    memcpy(before, y, sizeof y);
    for (int64_t start = 0; start <= ROWS; start += 25) {
        posenc_positions positions = positions_from(start);
        posenc_error error = error_blank();
        posenc_status status = try_forward(encoder, &positions, NULL, POSENC_F32, 1, ROWS - start + 1, x, y, &error);
        must_refuse("one too many", status, POSENC_ERROR_POSITION, &error, "positions");
        assert_memory_equal(y, before, sizeof y);
    }
    for (int64_t start = 0; start <= ROWS; start += 25) {
        posenc_positions positions = positions_from(start);
        must_forward(encoder, &positions, NULL, POSENC_F32, 1, ROWS - start, x, y);
    }
    unsigned char mask[ROWS + 1];
    memset(mask, 1, sizeof mask);
    posenc_view view;
    posenc_positions positions = positions_from(0);
    positions.mask = posenc_view_make(&view, mask, POSENC_U8, 1, (int64_t[]){ROWS + 1}, NULL);
    assert_int_equal(try_forward(encoder, &positions, NULL, POSENC_F32, 1, ROWS + 1, x, y, NULL),
                     POSENC_ERROR_POSITION);
    mask[3] = 0; /* one padding token fewer to place */
    must_forward(encoder, &positions, NULL, POSENC_F32, 1, ROWS + 1, x, y);
    int32_t lengths[3] = {0, 1, ROWS + 1};
    positions.mask = NULL;
    positions.cu_seqlens = posenc_view_make(&view, lengths, POSENC_I32, 1, (int64_t[]){3}, NULL);
    must_forward(encoder, &positions, NULL, POSENC_F32, 1, ROWS + 1, x, y);
    lengths[1] = 0;
    assert_int_equal(try_forward(encoder, &positions, NULL, POSENC_F32, 1, ROWS + 1, x, y, NULL),
                     POSENC_ERROR_POSITION);
    posenc_encoder_destroy(encoder);
}

/* An error is no occasion for the warning. */
static void test_error_does_not_warn(void **state) {
    (void)state;
    float y[DIM];
    warnings heard = {0};
    posenc_context *context = warned_context(&heard, 1);
    posenc_encoder *encoder = strict_encoder(context);
    assert_int_equal(forward_at(encoder, ROWS, 1, y), POSENC_ERROR_POSITION);
    assert_int_equal(heard.n, 0);
    posenc_encoder_destroy(encoder);
    posenc_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_warning),        cmocka_unit_test(test_no_warning_for_a_refused_call),
        cmocka_unit_test(test_values_are_exact),   cmocka_unit_test(test_error_names_position_and_rows),
        cmocka_unit_test(test_error_within_a_run), cmocka_unit_test(test_error_for_fractions),
        cmocka_unit_test(test_exactly_the_table),  cmocka_unit_test(test_error_does_not_warn)};
    return TEST_RUN(tests);
}
