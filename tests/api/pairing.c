/* posenc_pairing_convert and _check: every refusal with the outputs as they were, and memory that fails. */
#include <stdlib.h>
#include <string.h>

#include <posenc/pairing.h>

#include "support/allocator.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

enum { HEADS = 2, HEAD_DIM = 8, ROWS = HEADS * HEAD_DIM, COLUMNS = 3, N = ROWS * COLUMNS };

/* A good call, which each test spoils in one place. */
typedef struct good {
    float in[2 * N], out[N], before[N];
    posenc_view in_view, out_view;
    DLTensor *weights, *converted;
    posenc_pairing_options options;
} good;

static void good_make(good *g) {
    for (int i = 0; i < 2 * N; i++) g->in[i] = (float)i;
    for (int i = 0; i < N; i++) g->out[i] = g->before[i] = -7;
    posenc_pairing_default(&g->options, sizeof g->options);
    g->options.heads = HEADS;
    g->weights =
        posenc_view_make(&g->in_view, g->in, POSENC_F32, 2, (int64_t[]){ROWS, COLUMNS}, (int64_t[]){COLUMNS, 1});
    g->converted =
        posenc_view_make(&g->out_view, g->out, POSENC_F32, 2, (int64_t[]){ROWS, COLUMNS}, (int64_t[]){COLUMNS, 1});
}

/* convert and check refuse alike, but for memory that overlaps, which check may read. name: of the second tensor. */
static void refuse(good *g, const char *what, posenc_status status, const char *argument) {
    double difference = 5;
    posenc_error error = error_blank();
    must_refuse(what, posenc_pairing_convert(NULL, &g->options, g->weights, g->converted, &error), status, &error,
                argument);
    assert_int_equal(posenc_pairing_convert(NULL, &g->options, g->weights, g->converted, NULL), status);
    if (status != POSENC_ERROR_OVERLAP) {
        error = error_blank();
        must_refuse(what, posenc_pairing_check(NULL, &g->options, g->weights, g->converted, 1, &difference, &error),
                    status, &error, strcmp(argument, "out") == 0 ? "converted" : argument);
        assert_true(difference == 5);
    }
    assert_memory_equal(g->out, g->before, sizeof g->out);
    for (int i = 0; i < 2 * N; i++) assert_true(g->in[i] == (float)i);
    good_make(g);
}

static void test_the_good_call_is_good(void **state) {
    (void)state;
    good g;
    good_make(&g);
    posenc_error error = error_blank();
    check(posenc_pairing_convert(NULL, &g.options, g.weights, g.converted, &error) == POSENC_OK, "%s", error.message);
    static const int from[] = {0, 4, 1, 5, 2, 6, 3, 7};
    for (int i = 0; i < ROWS; i++) assert_true(g.out[i * COLUMNS] == (float)((i / 8 * 8 + from[i % 8]) * COLUMNS));
}

static void test_bad_options(void **state) {
    (void)state;
    good g;
    good_make(&g);
    g.options.from = (posenc_pairing)3;
    refuse(&g, "from", POSENC_ERROR_ARGUMENT, "from");
    g.options.to = (posenc_pairing)-1;
    refuse(&g, "to", POSENC_ERROR_ARGUMENT, "to");
    static const int64_t heads[] = {0, -1, (INT64_C(1) << 24) + 1, INT64_MIN};
    for (int i = 0; i < 4; i++) {
        g.options.heads = heads[i];
        refuse(&g, "heads", POSENC_ERROR_ARGUMENT, "heads");
    }
    g.options.head_dim = -1;
    refuse(&g, "head_dim", POSENC_ERROR_ARGUMENT, "head_dim");
    g.options.head_dim = INT64_MAX;
    refuse(&g, "head_dim", POSENC_ERROR_ARGUMENT, "head_dim");
    g.options.head_dim = 4;
    refuse(&g, "rows of another head_dim", POSENC_ERROR_SHAPE, "weights");
    g.options.heads = 3;
    refuse(&g, "heads that do not divide", POSENC_ERROR_SHAPE, "weights");
    g.options.dim = 5;
    refuse(&g, "odd", POSENC_ERROR_ARGUMENT, "dim");
    g.options.dim = 10;
    refuse(&g, "beyond the head", POSENC_ERROR_ARGUMENT, "dim");
    g.options.dim = -2;
    refuse(&g, "negative", POSENC_ERROR_ARGUMENT, "dim");
    g.options.dim = 4, g.options.rotary_start = 5;
    refuse(&g, "beyond the head from start on", POSENC_ERROR_ARGUMENT, "dim");
    g.options.rotary_start = 3;
    refuse(&g, "odd rest", POSENC_ERROR_ARGUMENT, "dim");
    g.options.rotary_start = 9;
    refuse(&g, "start", POSENC_ERROR_ARGUMENT, "rotary_start");
    g.options.rotary_start = -1;
    refuse(&g, "start", POSENC_ERROR_ARGUMENT, "rotary_start");
    g.options.size++;
    refuse(&g, "size", POSENC_ERROR_ARGUMENT, "options.size");
    posenc_error error = error_blank();
    must_refuse("NULL", posenc_pairing_convert(NULL, NULL, g.weights, g.converted, &error), POSENC_ERROR_ARGUMENT,
                &error, "options");
}

static void test_bad_tensors(void **state) {
    (void)state;
    good g;
    good_make(&g);
    g.weights = NULL;
    refuse(&g, "no weights", POSENC_ERROR_ARGUMENT, "weights");
    g.converted = NULL;
    refuse(&g, "no out", POSENC_ERROR_ARGUMENT, "out");
    g.in_view.tensor.ndim = 0;
    refuse(&g, "rank 0", POSENC_ERROR_SHAPE, "weights");
    g.out_view.tensor.ndim = 1;
    refuse(&g, "other rank", POSENC_ERROR_SHAPE, "out");
    g.out_view.shape[1] = 2;
    refuse(&g, "other columns", POSENC_ERROR_SHAPE, "out");
    g.out_view.tensor.dtype.code = kDLInt;
    refuse(&g, "other dtype", POSENC_ERROR_DTYPE, "out");
    g.in_view.tensor.dtype.lanes = 2;
    refuse(&g, "vectors", POSENC_ERROR_DTYPE, "weights");
    g.in_view.tensor.device.device_type = kDLCUDA;
    refuse(&g, "device", POSENC_ERROR_DEVICE, "weights");
    g.out_view.strides[1] = 0;
    refuse(&g, "one place", POSENC_ERROR_OVERLAP, "out");
    g.out_view.tensor.data = g.in + COLUMNS;
    refuse(&g, "one row down", POSENC_ERROR_OVERLAP, "out");
    g.out_view.tensor.data = g.in;
    g.out_view.strides[0] = 1, g.out_view.strides[1] = ROWS;
    refuse(&g, "the same memory in another order", POSENC_ERROR_OVERLAP, "out");
    posenc_error error = error_blank();
    must_refuse("NULL", posenc_pairing_check(NULL, &g.options, g.weights, g.converted, 1, NULL, &error),
                POSENC_ERROR_ARGUMENT, &error, "difference");
}

static void test_nothing(void **state) {
    (void)state;
    good g;
    good_make(&g);
    g.in_view.shape[0] = g.out_view.shape[0] = 0;
    double difference = 5;
    assert_int_equal(posenc_pairing_convert(NULL, &g.options, g.weights, g.converted, NULL), POSENC_OK);
    assert_int_equal(posenc_pairing_check(NULL, &g.options, g.weights, g.converted, 1, &difference, NULL), POSENC_OK);
    assert_true(difference == 0);
    g.in_view.shape[0] = g.out_view.shape[0] = ROWS;
    g.in_view.shape[1] = g.out_view.shape[1] = 0;
    assert_int_equal(posenc_pairing_convert(NULL, &g.options, g.weights, g.converted, NULL), POSENC_OK);
    assert_int_equal(posenc_pairing_check(NULL, &g.options, g.weights, g.converted, 1, &difference, NULL), POSENC_OK);
    assert_memory_equal(g.out, g.before, sizeof g.out);
    good_make(&g);
    g.options.rotary_start = HEAD_DIM; /* no rotated rows: a copy */
    assert_int_equal(posenc_pairing_convert(NULL, &g.options, g.weights, g.converted, NULL), POSENC_OK);
    assert_memory_equal(g.out, g.in, sizeof g.out);
    assert_int_equal(posenc_pairing_check(NULL, &g.options, g.weights, g.converted, 1, &difference, NULL), POSENC_OK);
    assert_true(difference == 0);
}

/* Each allocation fails in turn, once and from there on. */
static void test_memory(void **state) {
    (void)state;
    good g;
    good_make(&g);
    allocator a;
    allocator_init(&a);
    posenc_context *context = allocator_context(&a);
    long held = atomic_load(&a.live), tried = 0;
    for (int way = 0; way < 4; way++)
        for (long k = 0;; k++, tried++) {
            good_make(&g);
            posenc_error error = error_blank();
            double difference = 5;
            allocator_fail(&a, k, way & 1);
            posenc_status status =
                way < 2 ? posenc_pairing_convert(context, &g.options, g.weights, g.weights, &error)
                        : posenc_pairing_check(context, &g.options, g.weights, g.converted, 1, &difference, &error);
            bool refused = allocator_refused(&a);
            allocator_fail(&a, -1, false);
            assert_int_equal(atomic_load(&a.live), held);
            if (!refused) {
                assert_int_equal(status, POSENC_OK);
                break;
            }
            if (status == POSENC_OK) continue; /* it did without */
            must_refuse("memory", status, POSENC_ERROR_MEMORY, &error, NULL);
            assert_true(difference == 5);
            for (int i = 0; i < 2 * N; i++) assert_true(g.in[i] == (float)i);
        }
    check(tried >= 6, "%ld allocations only", tried);
    allocator_context_end(&a, context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_good_call_is_good),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_bad_tensors),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_memory),
    };
    return TEST_RUN(tests);
}
