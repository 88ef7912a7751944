/* One position has one row of bits: in a table, as a single token, from ids of any type, from a cursor, in any shard,
 * with any max_len, number of threads, executor and instruction set. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/isa.h"
#include "support/tensors.h"
#include "support/test.h"

static const plan_shape shapes[] = {
    {.dim = 1},
    {.dim = 2, .cos_first = 1},
    {.dim = 3, .layout = POSENC_LAYOUT_HALVES},
    {.dim = 7},
    {.dim = 8, .layout = POSENC_LAYOUT_TENSOR2TENSOR},
    {.dim = 33, .cos_first = 1},
    {.dim = 64, .base = 500},
    {.dim = 127, .layout = POSENC_LAYOUT_HALVES, .cos_first = 1},
    {.dim = 128, .layout = POSENC_LAYOUT_TENSOR2TENSOR, .max_len = 1},
    {.dim = 512},
    {.dim = 514, .cos_first = 1, .max_len = 1000000},
    {.dim = 64, .arithmetic = POSENC_ARITHMETIC_FLOAT32},
    {.dim = 65, .arithmetic = POSENC_ARITHMETIC_FLOAT32_EXP, .cos_first = 1},
    {.dim = 130, .layout = POSENC_LAYOUT_HALVES, .arithmetic = POSENC_ARITHMETIC_FLOAT32},
    {.dim = 96, .layout = POSENC_LAYOUT_TENSOR2TENSOR, .arithmetic = POSENC_ARITHMETIC_FLOAT32_EXP},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, ROWS = 150 };

static const int64_t starts[] = {
    0,        -75, 2000, 4090, -2100, 262100, (INT64_C(1) << 31) - 70, -(INT64_C(1) << 53) - 9, INT64_MAX - ROWS + 1,
    INT64_MIN};
enum { STARTS = sizeof starts / sizeof *starts };

/* A table from the baseline kernels with one thread: what all others must equal. */
static char *reference(const plan_shape *shape, int64_t start, int64_t rows, posenc_dtype dtype) {
    posenc_context *context = isa_context(0, 1);
    posenc_plan *plan = must_plan(context, shape);
    char *table = must_allocate((size_t)(rows * shape->dim) * posenc_dtype_bytes(dtype));
    must_write(plan, start, rows, dtype, table);
    posenc_plan_destroy(plan);
    posenc_context_destroy(context);
    return table;
}

static void check_single_tokens(const posenc_plan *plan, const plan_shape *shape, int64_t start, posenc_dtype dtype,
                                const char *table, char *row) {
    size_t row_bytes = (size_t)shape->dim * posenc_dtype_bytes(dtype);
    for (int64_t t = 0; t < ROWS; t += 7) {
        must_write(plan, start + t, 1, dtype, row);
        must_equal("single token", dtype, table + (size_t)t * row_bytes, row, shape->dim);
    }
}

static void check_shards(const posenc_plan *plan, const plan_shape *shape, int64_t start, posenc_dtype dtype,
                         const char *table, char *rows, random_state *random) {
    size_t row_bytes = (size_t)shape->dim * posenc_dtype_bytes(dtype);
    for (int64_t t = 0, n; t < ROWS; t += n) {
        n = random_between(random, 1, ROWS - t < 70 ? ROWS - t : 70);
        must_write(plan, start + t, n, dtype, rows + (size_t)t * row_bytes);
    }
    must_equal("shards", dtype, table, rows, ROWS * shape->dim);
}

/* The rows backwards, by ids. */
static void check_ids(const posenc_plan *plan, const plan_shape *shape, int64_t start, posenc_dtype dtype,
                      const char *table, char *rows) {
    size_t row_bytes = (size_t)shape->dim * posenc_dtype_bytes(dtype);
    int64_t ids[ROWS];
    for (int64_t t = 0; t < ROWS; t++) ids[t] = start + ROWS - 1 - t;
    must_write_ids(plan, POSENC_I64, ids, ROWS, dtype, rows);
    for (int64_t t = 0; t < ROWS; t++)
        must_equal("ids", dtype, table + (size_t)(ROWS - 1 - t) * row_bytes, rows + (size_t)t * row_bytes, shape->dim);
}

static void test_every_way_to_ask(void **state) {
    (void)state;
    random_state random = random_start("ways to ask");
    for (int s = 0; s < SHAPES; s++)
        for (int k = 0; k < STARTS; k++)
            for (int d = 0; d < 4; d++) {
                posenc_dtype dtype = encoding_dtypes[d];
                char *table = reference(&shapes[s], starts[k], ROWS, dtype);
                char *rows = must_allocate((size_t)(ROWS * shapes[s].dim) * 8);
                for (size_t isa = 0; isa < isa_count(); isa++) {
                    posenc_context *context = isa_context(isa, 1);
                    plan_shape shape = shapes[s];
                    shape.max_len = (int64_t)1 << random_between(&random, 0, 24);
                    posenc_plan *plan = must_plan(context, &shape);
                    must_write(plan, starts[k], ROWS, dtype, rows);
                    must_equal(plan_text(&shape), dtype, table, rows, ROWS * shape.dim);
                    check_single_tokens(plan, &shape, starts[k], dtype, table, rows);
                    check_shards(plan, &shape, starts[k], dtype, table, rows, &random);
                    check_ids(plan, &shape, starts[k], dtype, table, rows);
                    posenc_plan_destroy(plan);
                    posenc_context_destroy(context);
                }
                free(table);
                free(rows);
            }
}

static void check_cursor(posenc_cursor *cursor, int64_t position, const float *want, float *row, int64_t dim) {
    check(posenc_cursor_write_f32(cursor, position, row) == POSENC_OK, "cursor at %" PRId64, position);
    must_equal("cursor", POSENC_F32, want, row, dim);
    float *sum = must_allocate((size_t)dim * 2 * sizeof *sum), *x = sum + dim;
    for (int64_t i = 0; i < dim; i++) x[i] = (float)i / 7 - 3;
    check(posenc_cursor_add_f32(cursor, position, x, sum) == POSENC_OK, "cursor at %" PRId64, position);
    for (int64_t i = 0; i < dim; i++) row[i] = x[i] + want[i];
    must_equal("cursor add", POSENC_F32, row, sum, dim);
    check(posenc_cursor_add_f32(cursor, position, x, x) == POSENC_OK, "cursor in place at %" PRId64, position);
    must_equal("cursor add in place", POSENC_F32, row, x, dim);
    free(sum);
}

/* Forwards, backwards and jumping: the remembered digits never show. */
static void test_cursor(void **state) {
    (void)state;
    random_state random = random_start("cursor");
    for (int s = 0; s < SHAPES; s++)
        for (size_t isa = 0; isa < isa_count(); isa++) {
            posenc_context *context = isa_context(isa, 1);
            posenc_plan *plan = must_plan(context, &shapes[s]);
            posenc_cursor *cursor;
            assert_int_equal(posenc_cursor_create(plan, &cursor, NULL), POSENC_OK);
            float *row = must_allocate((size_t)shapes[s].dim * sizeof *row);
            for (int k = 0; k < STARTS; k++) {
                float *table = (float *)(void *)reference(&shapes[s], starts[k], ROWS, POSENC_F32);
                for (int64_t t = 0; t < ROWS; t++) {
                    int64_t at = k % 3 == 0 ? t : k % 3 == 1 ? ROWS - 1 - t : random_between(&random, 0, ROWS - 1);
                    check_cursor(cursor, starts[k] + at, table + at * shapes[s].dim, row, shapes[s].dim);
                }
                free(table);
            }
            free(row);
            posenc_cursor_destroy(cursor);
            posenc_plan_destroy(plan);
            posenc_context_destroy(context);
        }
}

/* Tables large enough that several threads are worth it, streaming stores too. */
static void test_threads(void **state) {
    (void)state;
    const plan_shape large[] = {{.dim = 512},
                                {.dim = 127, .layout = POSENC_LAYOUT_HALVES},
                                {.dim = 1024, .cos_first = 1},
                                {.dim = 64, .arithmetic = POSENC_ARITHMETIC_FLOAT32}};
    for (size_t s = 0; s < sizeof large / sizeof *large; s++)
        for (int d = 0; d < 4; d++) {
            int64_t rows = (int64_t)(6 << 20) / (large[s].dim * (int64_t)posenc_dtype_bytes(encoding_dtypes[d])) + 13;
            int64_t n = rows * large[s].dim;
            char *table = reference(&large[s], -1000, rows, encoding_dtypes[d]);
            char *mine = must_allocate((size_t)n * posenc_dtype_bytes(encoding_dtypes[d]));
            for (int threads = 1; threads <= 8; threads++) {
                posenc_context *context = isa_context((size_t)threads % isa_count(), threads);
                posenc_plan *plan = must_plan(context, &large[s]);
                memset(mine, 0x5A, (size_t)n * posenc_dtype_bytes(encoding_dtypes[d]));
                must_write(plan, -1000, rows, encoding_dtypes[d], mine);
                must_equal("threads", encoding_dtypes[d], table, mine, n);
                posenc_plan_destroy(plan);
                posenc_context_destroy(context);
            }
            free(table);
            free(mine);
        }
}

static void test_plain_pointer_call(void **state) {
    (void)state;
    for (int s = 0; s < SHAPES; s++) {
        char *table = reference(&shapes[s], -70, ROWS, POSENC_F32);
        float *mine = must_allocate((size_t)(ROWS * shapes[s].dim) * sizeof *mine);
        posenc_plan *plan = must_plan(NULL, &shapes[s]);
        assert_int_equal(posenc_plan_write_f32(plan, -70, ROWS, mine), POSENC_OK);
        must_equal("write_f32", POSENC_F32, table, mine, ROWS * shapes[s].dim);
        free(table);
        free(mine);
        posenc_plan_destroy(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_way_to_ask), cmocka_unit_test(test_cursor),
                                       cmocka_unit_test(test_threads), cmocka_unit_test(test_plain_pointer_call)};
    return TEST_RUN(tests);
}
