/* Ten thousand of everything: nothing grows, nothing is left. */
#include <posenc/posenc.h>

#include "support/allocator.h"
#include "support/tensors.h"
#include "support/test.h"

enum { TIMES = 10000 };

static void use_once(posenc_context *context, int i) {
    plan_shape shape = {.dim = 1 + i % 40,
                        .layout = (posenc_layout)(i % 3),
                        .arithmetic = (posenc_arithmetic)(i / 3 % 3),
                        .max_len = 1 + i % 100};
    posenc_plan *plan = must_plan(context, &shape);
    posenc_cursor *cursor;
    float row[64];
    assert_int_equal(posenc_cursor_create(plan, &cursor, NULL), POSENC_OK);
    assert_int_equal(posenc_cursor_write_f32(cursor, i, row), POSENC_OK);
    assert_int_equal(posenc_plan_write_f32(plan, -i, 1, row), POSENC_OK);
    posenc_cursor_destroy(cursor);
    posenc_plan_destroy(plan);
}

static void test_create_and_destroy(void **state) {
    (void)state;
    allocator memory;
    allocator_init(&memory);
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    allocator_use(&memory, &options);
    size_t peak = 0;
    for (int i = 0; i < TIMES; i++) {
        posenc_context *context;
        assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
        use_once(context, i);
        posenc_context_destroy(context);
        if (i == TIMES / 10) peak = atomic_load(&memory.peak_bytes);
        check(atomic_load(&memory.live) == 0, "round %d: %ld blocks are left", i, atomic_load(&memory.live));
    }
    check(atomic_load(&memory.peak_bytes) == peak, "the peak grew from %zu to %zu bytes", peak,
          atomic_load(&memory.peak_bytes));
    assert_int_equal(atomic_load(&memory.mistakes), 0);
}

/* A cursor lives for a whole sequence: a million tokens take no memory. */
static void test_a_long_sequence(void **state) {
    (void)state;
    allocator memory;
    allocator_init(&memory);
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    allocator_use(&memory, &options);
    posenc_context *context;
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    posenc_plan *plan = must_plan(context, &(plan_shape){.dim = 16, .max_len = 100});
    posenc_cursor *cursor;
    float row[16];
    assert_int_equal(posenc_cursor_create(plan, &cursor, NULL), POSENC_OK);
    size_t before = atomic_load(&memory.live_bytes), bytes = posenc_plan_bytes(plan);
    for (int64_t t = 0; t < 1000000; t++) assert_int_equal(posenc_cursor_write_f32(cursor, t, row), POSENC_OK);
    assert_int_equal(atomic_load(&memory.live_bytes), before);
    assert_int_equal(posenc_plan_bytes(plan), bytes); /* a plan does not change */
    posenc_cursor_destroy(cursor);
    posenc_plan_destroy(plan);
    posenc_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_create_and_destroy),
                                       cmocka_unit_test(test_a_long_sequence)};
    return TEST_RUN(tests);
}
