/* Forward without dropout: the bits of posenc_plan_add, whether rows are stored or computed, in every dtype, layout and
 * place; and the encodings in it are those of the equation, by MPFR. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/isa.h"
#include "support/number.h"
#include "support/oracle.h"
#include "support/strided.h"
#include "support/test.h"

static const plan_shape shapes[] = {
    {.dim = 1, .max_len = 1},
    {.dim = 2, .max_len = 3},
    {.dim = 7, .max_len = 64},
    {.dim = 64, .max_len = 100},
    {.dim = 512},
    {.dim = 33, .layout = POSENC_LAYOUT_HALVES, .max_len = 70},
    {.dim = 96, .layout = POSENC_LAYOUT_HALVES, .cos_first = 1, .max_len = 70},
    {.dim = 31, .layout = POSENC_LAYOUT_TENSOR2TENSOR, .max_len = 70},
    {.dim = 31, .cos_first = 1, .max_len = 129},
    {.dim = 50, .arithmetic = POSENC_ARITHMETIC_FLOAT32, .max_len = 70},
    {.dim = 51, .arithmetic = POSENC_ARITHMETIC_FLOAT32_EXP, .max_len = 70},
    {.dim = 20, .base = 500000, .max_len = 70},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, BATCH = 3, TOKENS = 150 };

static void check_adds(const plan_shape *shape, const posenc_context *context, posenc_dtype dtype, double scale,
                       int64_t start) {
    int64_t n = BATCH * TOKENS * shape->dim;
    size_t bytes = (size_t)n * posenc_dtype_bytes(dtype);
    char *x = must_allocate(bytes), *y = must_allocate(bytes), *want = must_allocate(bytes);
    random_state random = random_start("forward");
    random_fill(&random, dtype, x, n);
    posenc_encoder_options options = encoder_options(dtype);
    options.scale = scale;
    posenc_encoder *encoder = must_encoder(context, shape, &options);
    posenc_positions positions = positions_from(start);
    must_add(posenc_encoder_plan(encoder), start, BATCH, TOKENS, dtype, x, scale, want);
    must_forward(encoder, &positions, NULL, dtype, BATCH, TOKENS, x, y);
    must_equal(plan_text(shape), dtype, want, y, n);
    must_forward(encoder, &positions, NULL, dtype, BATCH, TOKENS, x, x);
    must_equal("in place", dtype, want, x, n);
    posenc_encoder_destroy(encoder);
    free(x);
    free(y);
    free(want);
}

/* Starts within the table, across its end and its beginning, and far from it. */
static void test_forward_is_plan_add(void **state) {
    (void)state;
    const int64_t starts[] = {0, 5, -7, -200, 4900, 100000, INT64_C(1) << 40, INT64_MIN, INT64_MAX - TOKENS + 1};
    for (int s = 0; s < SHAPES; s++)
        for (size_t p = 0; p < sizeof starts / sizeof *starts; p++)
            for (int d = 0; d < 4; d++)
                check_adds(&shapes[s], NULL, encoding_dtypes[d], p % 2 ? 1 : sqrt((double)shapes[s].dim), starts[p]);
}

static void test_every_instruction_set_and_thread_count(void **state) {
    (void)state;
    for (size_t isa = 0; isa < isa_count(); isa++)
        for (int threads = 1; threads <= 3; threads += 2) {
            posenc_context *context = isa_context(isa, threads);
            for (int d = 0; d < 4; d++) {
                check_adds(&(plan_shape){.dim = 2048, .max_len = 100}, context, encoding_dtypes[d], 1, 0);
                check_adds(&(plan_shape){.dim = 515, .max_len = 100}, context, encoding_dtypes[d], 3, 40);
            }
            posenc_context_destroy(context);
        }
}

/* The table is what the plan writes, and a row has the same bits from the table and from nowhere. */
static void test_stored_rows_are_computed_rows(void **state) {
    (void)state;
    for (int s = 0; s < SHAPES; s++)
        for (int d = 0; d < 2; d++) {
            posenc_dtype dtype = encoding_dtypes[d];
            posenc_encoder_options options = encoder_options(dtype);
            plan_shape one_row = shapes[s], many_rows = shapes[s];
            one_row.max_len = 1;
            many_rows.max_len = 300;
            posenc_encoder *computes = must_encoder(NULL, &one_row, &options),
                           *stores = must_encoder(NULL, &many_rows, &options);
            const DLTensor *table = posenc_encoder_table(stores);
            int64_t n = 300 * shapes[s].dim;
            assert_true(table->ndim == 2 && table->shape[0] == 300 && table->shape[1] == shapes[s].dim &&
                        !table->strides);
            char *rows = must_allocate((size_t)n * 8), *zero = calloc((size_t)n, 8), *y = must_allocate((size_t)n * 8);
            must_write(posenc_encoder_plan(stores), 0, 300, dtype, rows);
            must_equal("table", dtype, rows, table->data, n);
            must_forward(stores, NULL, NULL, dtype, 1, 300, zero, rows);
            must_forward(computes, NULL, NULL, dtype, 1, 300, zero, y);
            must_equal("stored and computed", dtype, rows, y, n);
            posenc_encoder_destroy(computes);
            posenc_encoder_destroy(stores);
            free(rows);
            free(zero);
            free(y);
        }
}

/* The contract of x * scale + E, with E from the equation at 256 bits. */
static void test_sums_follow_the_equation(void **state) {
    (void)state;
    random_state random = random_start("equation");
    for (int s = 0; s < 9; s++) {
        oracle o;
        oracle_init(&o, shapes[s].dim, 10000, shapes[s].layout, shapes[s].cos_first);
        for (int d = 0; d < 4; d++) {
            posenc_dtype dtype = encoding_dtypes[d], e_dtype = dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
            posenc_encoder_options options = encoder_options(dtype);
            options.scale = 1.75;
            posenc_encoder *encoder = must_encoder(NULL, &shapes[s], &options);
            int64_t position = random_between(&random, -5000, 5000);
            size_t bytes = posenc_dtype_bytes(dtype);
            char *x = must_allocate((size_t)shapes[s].dim * bytes), *y = must_allocate((size_t)shapes[s].dim * bytes);
            random_fill(&random, dtype, x, shapes[s].dim);
            posenc_positions positions = positions_from(position);
            must_forward(encoder, &positions, NULL, dtype, 1, 1, x, y);
            for (int64_t i = 0; i < shapes[s].dim; i++) {
                uint64_t xe = number_load(dtype, x + (size_t)i * bytes),
                         got = number_load(dtype, y + (size_t)i * bytes);
                uint64_t e = oracle_round(e_dtype, oracle_value(&o, position, i));
                /* f64 encodings are within 4e-15, not rounded right */
                bool right = dtype == POSENC_F64 ? fabs(number_decode(dtype, got) -
                                                        number_decode(dtype, number_fused(dtype, xe, 1.75, e))) < 6e-15
                                                 : number_same(dtype, got, number_fused(dtype, xe, 1.75, e));
                check(right, "%s %s position %" PRId64 " column %" PRId64 " is %.17g", plan_text(&shapes[s]),
                      posenc_dtype_name(dtype), position, i, number_decode(dtype, got));
            }
            free(x);
            free(y);
            posenc_encoder_destroy(encoder);
        }
        oracle_clear(&o);
    }
    mpfr_free_cache();
}

/* Any strides of x and y, ranks 2 and 3, and any strides in place. */
static void test_strides(void **state) {
    (void)state;
    random_state random = random_start("forward strides");
    for (int round = 0; round < 200; round++) {
        plan_shape shape = shapes[random_between(&random, 0, SHAPES - 1)];
        posenc_dtype dtype = encoding_dtypes[round % 4];
        int rank = round % 3 ? 3 : 2;
        const int64_t extents[3] = {random_between(&random, 1, 4), random_between(&random, 1, 20), shape.dim};
        int64_t batch = rank == 3 ? extents[0] : 1, n = batch * extents[1] * shape.dim;
        char *x = must_allocate((size_t)n * 8), *want = must_allocate((size_t)n * 8),
             *got = must_allocate((size_t)n * 8);
        random_fill(&random, dtype, x, n);
        posenc_encoder_options options = encoder_options(dtype);
        posenc_encoder *encoder = must_encoder(NULL, &shape, &options);
        must_add(posenc_encoder_plan(encoder), 9, batch, extents[1], dtype, x, 1, want);
        strided sx, sy;
        strided_make(&sx, &random, dtype, rank, extents + 3 - rank, false);
        strided_make(&sy, &random, dtype, rank, extents + 3 - rank, false);
        strided_put(&sx, x);
        posenc_positions positions = positions_from(9);
        strided *out = round % 2 ? &sy : &sx;
        assert_int_equal(posenc_encoder_forward(encoder, &positions, NULL, sx.tensor, out->tensor, NULL), POSENC_OK);
        strided_get(out, got);
        must_equal(plan_text(&shape), dtype, want, got, n);
        strided_check_gaps(&sx, "x");
        strided_check_gaps(&sy, "y");
        strided_free(&sx);
        strided_free(&sy);
        posenc_encoder_destroy(encoder);
        free(x);
        free(want);
        free(got);
    }
}

/* Sequence-first memory, (tokens, batch, dim), is nothing but strides. */
static void test_sequence_first(void **state) {
    (void)state;
    enum { DIM = 40 };
    static float x[TOKENS][BATCH][DIM], y[TOKENS][BATCH][DIM], row[DIM];
    random_state random = random_start("sequence first");
    random_fill_f32(&random, &x[0][0][0], TOKENS * BATCH * DIM);
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = DIM}, NULL);
    const int64_t shape[3] = {BATCH, TOKENS, DIM}, strides[3] = {DIM, BATCH * DIM, 1};
    posenc_view u, v;
    DLTensor *tx = posenc_view_make(&u, x, POSENC_F32, 3, shape, strides);
    assert_int_equal(
        posenc_encoder_forward(encoder, NULL, NULL, tx, posenc_view_make(&v, y, POSENC_F32, 3, shape, strides), NULL),
        POSENC_OK);
    for (int t = 0; t < TOKENS; t++)
        for (int b = 0; b < BATCH; b++) {
            must_add(posenc_encoder_plan(encoder), t, 1, 1, POSENC_F32, x[t][b], 1, row);
            must_equal("sequence first", POSENC_F32, row, y[t][b], DIM);
        }
    posenc_encoder_destroy(encoder);
}

/* Nothing to do is done: also where positions would lie past the table. */
static void test_zero_sizes(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{0, 10}, {3, 0}, {0, 0}, {0, 6000}};
    for (int policy = 0; policy < 2; policy++) {
        warnings heard = {0};
        posenc_context *context = warned_context(&heard, 1);
        posenc_encoder_options options = encoder_options(POSENC_F32);
        options.past_end = (posenc_past_end)policy;
        options.dropout = 0.5;
        posenc_encoder *encoder = must_encoder(context, &(plan_shape){.dim = 8}, &options);
        posenc_step step = training_step(1, 1, 0);
        float y[8] = {3, 1, 4, 1, 5, 9, 2, 6}, before[8];
        memcpy(before, y, sizeof y);
        for (int i = 0; i < 4; i++) {
            must_forward(encoder, NULL, NULL, POSENC_F32, sizes[i][0], sizes[i][1], NULL, NULL);
            must_forward(encoder, NULL, &step, POSENC_F32, sizes[i][0], sizes[i][1], y, y);
            must_backward(encoder, &step, POSENC_F32, sizes[i][0], sizes[i][1], y, y);
        }
        assert_memory_equal(y, before, sizeof y);
        assert_int_equal(heard.n, 0);
        posenc_encoder_destroy(encoder);
        posenc_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forward_is_plan_add),
                                       cmocka_unit_test(test_every_instruction_set_and_thread_count),
                                       cmocka_unit_test(test_stored_rows_are_computed_rows),
                                       cmocka_unit_test(test_sums_follow_the_equation),
                                       cmocka_unit_test(test_strides),
                                       cmocka_unit_test(test_sequence_first),
                                       cmocka_unit_test(test_zero_sizes)};
    return TEST_RUN(tests);
}
