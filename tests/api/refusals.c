/* write, add and the cursor: every refusal, with the outputs as they were. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

enum { BATCH = 2, TOKENS = 3, DIM = 4, N = BATCH * TOKENS * DIM };

/* A good call, which each test spoils in one place. */
typedef struct good {
    posenc_plan *plan;
    float x_data[N + 8], y_data[N + 8], before[N + 8];
    int64_t ids_data[BATCH * TOKENS];
    posenc_view x_view, y_view, ids_view;
    DLTensor *x, *y, *ids;
    posenc_positions positions;
    double scale;
} good;

static good *good_make(void) {
    good *g = must_allocate(sizeof *g);
    const int64_t shape[3] = {BATCH, TOKENS, DIM};
    g->plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    memcpy(g->before, g->y_data, sizeof g->before);
    for (int i = 0; i < BATCH * TOKENS; i++) g->ids_data[i] = i;
    for (int i = 0; i < N + 8; i++) g->x_data[i] = (float)i;
    g->x = posenc_view_make(&g->x_view, g->x_data, POSENC_F32, 3, shape, NULL);
    g->y = posenc_view_make(&g->y_view, g->y_data, POSENC_F32, 3, shape, NULL);
    g->ids = posenc_view_make(&g->ids_view, g->ids_data, POSENC_I64, 2, shape, NULL);
    posenc_positions_default(&g->positions, sizeof g->positions);
    g->positions.ids = g->ids;
    g->scale = 1;
    return g;
}

static void good_end(good *g) {
    posenc_plan_destroy(g->plan);
    free(g);
}

static posenc_status call_write(good *g, posenc_error *error) {
    return posenc_plan_write(g->plan, &g->positions, g->y, error);
}

static posenc_status call_add(good *g, posenc_error *error) {
    return posenc_plan_add(g->plan, &g->positions, g->x, g->scale, g->y, error);
}

typedef posenc_status verb(good *g, posenc_error *error);

/* Both with and without an error detail; ends the good call. */
static void refuse(verb *call, good *g, const char *what, posenc_status expected, const char *argument) {
    posenc_error error = error_blank();
    must_refuse(what, call(g, &error), expected, &error, argument);
    check(call(g, NULL) == expected, "%s without an error detail", what);
    check(memcmp(g->y_data, g->before, sizeof g->before) == 0, "%s: the output was written", what);
    good_end(g);
}

static verb *const verbs[2] = {call_write, call_add};
static const char *const output_names[2] = {"out", "y"};

static void test_the_good_call_is_good(void **state) {
    (void)state;
    for (int v = 0; v < 2; v++) {
        good *g = good_make();
        posenc_error error = error_blank(), before = error;
        assert_int_equal(verbs[v](g, &error), POSENC_OK);
        assert_memory_equal(&error, &before, sizeof error);
        assert_memory_not_equal(g->y_data, g->before, sizeof g->before);
        good_end(g);
    }
}

static void test_shapes(void **state) {
    (void)state;
    static int64_t shapes[][4] = {{BATCH, TOKENS, DIM + 1},    {BATCH, TOKENS, DIM - 1}, {BATCH, TOKENS, 0},
                                  {BATCH, DIM, TOKENS},        {BATCH, -1, DIM},         {-1, TOKENS, DIM},
                                  {INT64_MAX, INT64_MAX, DIM}, {INT64_MAX, 1, DIM}};
    for (int v = 0; v < 2; v++) {
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            good *g = good_make();
            g->y->shape = shapes[i];
            refuse(verbs[v], g, "shape of the output", POSENC_ERROR_SHAPE, output_names[v]);
        }
        for (int rank = 0; rank <= 9; rank++) {
            static int64_t long_shape[9] = {1, 1, 1, 1, 1, 1, BATCH, TOKENS, DIM};
            if (rank >= 2 && rank <= 4) continue;
            good *g = good_make();
            g->y->shape = long_shape + 9 - rank;
            g->y->ndim = rank;
            refuse(verbs[v], g, "rank of the output", POSENC_ERROR_SHAPE, output_names[v]);
        }
        good *g = good_make();
        g->y->ndim = -1;
        refuse(verbs[v], g, "rank -1", POSENC_ERROR_SHAPE, output_names[v]);
        g = good_make();
        g->y->shape = NULL;
        refuse(verbs[v], g, "no shape", POSENC_ERROR_SHAPE, output_names[v]);
    }
    static int64_t other[][3] = {{BATCH + 1, TOKENS, DIM}, {BATCH, TOKENS + 1, DIM}, {TOKENS, BATCH, DIM}};
    for (size_t i = 0; i < 3; i++) {
        good *g = good_make();
        g->x->shape = other[i];
        refuse(call_add, g, "x and y of different shapes", POSENC_ERROR_SHAPE, NULL);
    }
    static int64_t two[2] = {TOKENS, DIM};
    good *g = good_make();
    g->x->shape = two;
    g->x->ndim = 2;
    refuse(call_add, g, "x and y of different ranks", POSENC_ERROR_SHAPE, NULL);
}

static void test_dtypes(void **state) {
    (void)state;
    const DLDataType bad[] = {{kDLInt, 32, 1},     {kDLUInt, 8, 1},    {kDLInt, 64, 1},
                              {kDLFloat, 32, 4},   {kDLFloat, 8, 1},   {kDLFloat, 128, 1},
                              {kDLComplex, 64, 1}, {kDLBfloat, 32, 1}, {99, 32, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (int v = 0; v < 2; v++) {
            good *g = good_make();
            g->y->dtype = bad[i];
            refuse(verbs[v], g, "dtype of the output", POSENC_ERROR_DTYPE, output_names[v]);
        }
        good *g = good_make();
        g->x->dtype = bad[i];
        refuse(call_add, g, "dtype of x", POSENC_ERROR_DTYPE, "x");
    }
    good *g = good_make();
    g->x->dtype = (DLDataType){kDLFloat, 16, 1};
    refuse(call_add, g, "x and y of different dtypes", POSENC_ERROR_DTYPE, NULL);
    const DLDataType bad_ids[] = {{kDLFloat, 32, 1}, {kDLInt, 16, 1}, {kDLUInt, 64, 1},
                                  {kDLUInt, 32, 1},  {kDLInt, 64, 2}, {kDLBfloat, 16, 1}};
    for (size_t i = 0; i < sizeof bad_ids / sizeof *bad_ids; i++)
        for (int v = 0; v < 2; v++) {
            g = good_make();
            g->ids->dtype = bad_ids[i];
            refuse(verbs[v], g, "dtype of the ids", POSENC_ERROR_DTYPE, "position_ids");
        }
}

static void test_devices(void **state) {
    (void)state;
    const DLDeviceType devices[] = {kDLCUDA, kDLOpenCL, kDLVulkan, kDLMetal, kDLROCM};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        for (int v = 0; v < 2; v++) {
            good *g = good_make();
            g->y->device.device_type = devices[i];
            refuse(verbs[v], g, "device of the output", POSENC_ERROR_DEVICE, output_names[v]);
            g = good_make();
            g->ids->device.device_type = devices[i];
            refuse(verbs[v], g, "device of the ids", POSENC_ERROR_DEVICE, "position_ids");
        }
        good *g = good_make();
        g->x->device.device_type = devices[i];
        refuse(call_add, g, "device of x", POSENC_ERROR_DEVICE, "x");
    }
}

static void test_ids(void **state) {
    (void)state;
    static int64_t shapes[][3] = {{BATCH, TOKENS + 1}, {BATCH + 1, TOKENS}, {TOKENS, BATCH},
                                  {1, TOKENS},         {BATCH, 1},          {BATCH, -3}};
    for (int v = 0; v < 2; v++) {
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            good *g = good_make();
            g->ids->shape = shapes[i];
            refuse(verbs[v], g, "shape of the ids", POSENC_ERROR_SHAPE, "position_ids");
        }
        static int64_t one[1] = {TOKENS + 1}, three[3] = {1, BATCH, TOKENS}, two[2] = {BATCH, TOKENS};
        good *g = good_make();
        g->ids->shape = one, g->ids->ndim = 1;
        refuse(verbs[v], g, "(tokens + 1) ids", POSENC_ERROR_SHAPE, "position_ids");
        g = good_make();
        g->ids->shape = three, g->ids->ndim = 3;
        refuse(verbs[v], g, "ids of rank 3", POSENC_ERROR_SHAPE, "position_ids");
        g = good_make();
        g->ids->ndim = 0;
        refuse(verbs[v], g, "ids of rank 0", POSENC_ERROR_SHAPE, "position_ids");
        g = good_make();
        g->positions.size = 0;
        refuse(verbs[v], g, "positions of size 0", POSENC_ERROR_ARGUMENT, NULL);
        g = good_make();
        g->positions.size = sizeof g->positions + 1;
        refuse(verbs[v], g, "positions of a later version", POSENC_ERROR_ARGUMENT, NULL);
        g = good_make();
        g->ids->data = NULL;
        refuse(verbs[v], g, "ids without memory", POSENC_ERROR_ARGUMENT, "position_ids");
        (void)two;
    }
}

/* (batch, tokens) ids need a batch in the output: two tokens of dim 4 are no batch. */
static void test_batched_ids_need_a_batch(void **state) {
    (void)state;
    static int64_t rows[2] = {TOKENS, DIM};
    good *g = good_make();
    g->y->ndim = 2;
    g->y->shape = rows;
    refuse(call_write, g, "(batch, tokens) ids for (tokens, dim)", POSENC_ERROR_SHAPE, "position_ids");
}

static void test_positions(void **state) {
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 0x1.0000000000001p53, -1e300};
    for (int v = 0; v < 2; v++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            for (int where = 0; where < BATCH * TOKENS; where++) {
                good *g = good_make();
                double reals[BATCH * TOKENS] = {0};
                reals[where] = bad[i];
                memcpy(g->ids_data, reals, sizeof reals);
                g->ids->dtype = (DLDataType){kDLFloat, 64, 1};
                refuse(verbs[v], g, "bad position", POSENC_ERROR_POSITION, "position_ids");
            }
        const int64_t starts[] = {INT64_MAX, INT64_MAX - TOKENS + 2};
        for (int i = 0; i < 2; i++) {
            good *g = good_make();
            g->positions.ids = NULL;
            g->positions.start = starts[i];
            refuse(verbs[v], g, "start whose last position passes the end", POSENC_ERROR_POSITION, "start");
        }
    }
}

static void test_overlaps(void **state) {
    (void)state;
    for (int v = 0; v < 2; v++) {
        good *g = good_make();
        static int64_t zero_batch[3] = {0, DIM, 1}, zero_token[3] = {TOKENS * DIM, 0, 1},
                       zero_channel[3] = {TOKENS * DIM, DIM, 0}, close[3] = {TOKENS * DIM, DIM - 1, 1},
                       crossing[3] = {DIM, DIM, 1};
        int64_t *strides[] = {zero_batch, zero_token, zero_channel, close, crossing};
        for (size_t i = 0; i < 5; i++) {
            good *h = good_make();
            h->y->strides = strides[i];
            refuse(verbs[v], h, "output whose elements meet", POSENC_ERROR_OVERLAP, output_names[v]);
        }
        g->ids->data = g->y_data;
        refuse(verbs[v], g, "ids inside the output", POSENC_ERROR_OVERLAP, NULL);
        g = good_make();
        g->ids->data = (char *)g->y_data + (N - 2) * 4;
        refuse(verbs[v], g, "ids that begin in the output", POSENC_ERROR_OVERLAP, NULL);
    }
    for (int shift = -(N - 1); shift < N; shift += 1) {
        if (shift == 0) continue;
        good *g = good_make();
        float *room = must_allocate(3 * N * sizeof *room), *copy = must_allocate(3 * N * sizeof *copy);
        memcpy(copy, room, 3 * N * sizeof *room);
        g->y->data = room + N;
        g->x->data = room + N + shift;
        posenc_error error = error_blank();
        must_refuse("partial overlap", call_add(g, &error), POSENC_ERROR_OVERLAP, &error, NULL);
        assert_memory_equal(room, copy, 3 * N * sizeof *room);
        check(posenc_plan_add_f32(g->plan, 0, BATCH, TOKENS, room + N + shift, room + N) == POSENC_ERROR_OVERLAP,
              "shift %d", shift);
        assert_memory_equal(room, copy, 3 * N * sizeof *room);
        free(room);
        free(copy);
        good_end(g);
    }
}

/* The same memory in another order is an overlap, not in place. */
static void test_same_memory_in_another_order(void **state) {
    (void)state;
    static int64_t square[2] = {DIM, DIM}, turned[2] = {1, DIM}, straight[2] = {DIM, 1};
    good *g = good_make();
    g->positions.ids = NULL;
    g->x->ndim = g->y->ndim = 2;
    g->x->shape = g->y->shape = square;
    g->x->data = g->y->data;
    g->x->strides = turned;
    g->y->strides = straight;
    refuse(call_add, g, "x is y transposed", POSENC_ERROR_OVERLAP, NULL);
}

static void test_missing_things(void **state) {
    (void)state;
    for (int v = 0; v < 2; v++) {
        good *g = good_make();
        posenc_plan *plan = g->plan;
        g->plan = NULL;
        posenc_error error = error_blank();
        must_refuse("no plan", verbs[v](g, &error), POSENC_ERROR_ARGUMENT, &error, "plan");
        g->plan = plan;
        g->y = NULL;
        must_refuse("no output", verbs[v](g, &error), POSENC_ERROR_ARGUMENT, &error, output_names[v]);
        good_end(g);
        g = good_make();
        g->y->data = NULL;
        refuse(verbs[v], g, "output without memory", POSENC_ERROR_ARGUMENT, output_names[v]);
    }
    good *g = good_make();
    g->x = NULL;
    refuse(call_add, g, "no x", POSENC_ERROR_ARGUMENT, "x");
    const double scales[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 3; i++) {
        g = good_make();
        g->scale = scales[i];
        refuse(call_add, g, "scale", POSENC_ERROR_ARGUMENT, "scale");
    }
}

static void test_plain_pointer_calls(void **state) {
    (void)state;
    good *g = good_make();
    float *x = g->x_data, *y = g->y_data;
    assert_int_equal(posenc_plan_write_f32(NULL, 0, 1, y), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_write_f32(g->plan, 0, 1, NULL), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_write_f32(g->plan, 0, -1, y), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_write_f32(g->plan, INT64_MAX, 2, y), POSENC_ERROR_POSITION);
    assert_int_not_equal(posenc_plan_write_f32(g->plan, 0, INT64_MAX, y), POSENC_OK);
    assert_int_not_equal(posenc_plan_write_f32(g->plan, 0, INT64_MAX / DIM / 4 + 1, y), POSENC_OK);
    assert_int_equal(posenc_plan_add_f32(NULL, 0, 1, 1, x, y), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_add_f32(g->plan, 0, 1, 1, NULL, y), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_add_f32(g->plan, 0, 1, 1, x, NULL), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_add_f32(g->plan, 0, -1, 1, x, y), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_add_f32(g->plan, 0, 1, -1, x, y), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_add_f32(g->plan, INT64_MAX, 1, 2, x, y), POSENC_ERROR_POSITION);
    assert_int_not_equal(posenc_plan_add_f32(g->plan, 0, INT64_MAX, INT64_MAX, x, y), POSENC_OK);
    assert_memory_equal(y, g->before, sizeof g->before);
    good_end(g);
}

static void test_cursor(void **state) {
    (void)state;
    good *g = good_make();
    static char somewhere;
    posenc_cursor *untouched = (posenc_cursor *)(void *)&somewhere, *cursor = untouched;
    posenc_error error = error_blank();
    must_refuse("no plan", posenc_cursor_create(NULL, &cursor, &error), POSENC_ERROR_ARGUMENT, &error, "plan");
    assert_ptr_equal(cursor, untouched);
    must_refuse("no out", posenc_cursor_create(g->plan, NULL, &error), POSENC_ERROR_ARGUMENT, &error, "out");
    assert_int_equal(posenc_cursor_create(g->plan, &cursor, NULL), POSENC_OK);
    assert_int_equal(posenc_cursor_write_f32(NULL, 0, g->y_data), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_cursor_write_f32(cursor, 0, NULL), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_cursor_add_f32(NULL, 0, g->x_data, g->y_data), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_cursor_add_f32(cursor, 0, NULL, g->y_data), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_cursor_add_f32(cursor, 0, g->x_data, NULL), POSENC_ERROR_ARGUMENT);
    assert_memory_equal(g->y_data, g->before, sizeof g->before);
    posenc_cursor_destroy(cursor);
    good_end(g);
}

static void test_equation(void **state) {
    (void)state;
    good *g = good_make();
    double value = 7;
    assert_int_equal(posenc_plan_equation(g->plan, (double)NAN, 0, &value), POSENC_ERROR_POSITION);
    assert_int_equal(posenc_plan_equation(g->plan, (double)INFINITY, 0, &value), POSENC_ERROR_POSITION);
    assert_int_equal(posenc_plan_equation(g->plan, 1, -1, &value), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_equation(g->plan, 1, DIM, &value), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_equation(NULL, 1, 0, &value), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_equation(g->plan, 1, 0, NULL), POSENC_ERROR_ARGUMENT);
    assert_true(value == 7);
    assert_int_equal(posenc_plan_equation(g->plan, 0.5, 0, &value), POSENC_OK);
    assert_true(fabs(value - sin(0.5)) < 1e-15);
    good_end(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_good_call_is_good),
                                       cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_dtypes),
                                       cmocka_unit_test(test_devices),
                                       cmocka_unit_test(test_ids),
                                       cmocka_unit_test(test_batched_ids_need_a_batch),
                                       cmocka_unit_test(test_positions),
                                       cmocka_unit_test(test_overlaps),
                                       cmocka_unit_test(test_same_memory_in_another_order),
                                       cmocka_unit_test(test_missing_things),
                                       cmocka_unit_test(test_plain_pointer_calls),
                                       cmocka_unit_test(test_cursor),
                                       cmocka_unit_test(test_equation)};
    return TEST_RUN(tests);
}
