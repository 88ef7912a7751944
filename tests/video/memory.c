/* What a video costs beside itself: at most 1 % of it where rows are stored or few; and each allocation that fails is
 * reported, with the output as it was. */
#include <stdlib.h>
#include <string.h>

#include "encoder/encoders.h"
#include "support/allocator.h"
#include "support/refusal.h"
#include "support/test.h"

enum { BATCH = 8, FRAMES = 16, HEIGHT = 56, WIDTH = 56, CHANNELS = 64 };

typedef struct world {
    allocator memory;
    posenc_context *context;
    int64_t n;
    float *x, *y;
    int64_t shape[5];
} world;

static world *world_make(int64_t batch, int64_t frames, int threads) {
    world *w = must_allocate(sizeof *w);
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    allocator_init(&w->memory);
    allocator_use(&w->memory, &options);
    options.threads = threads;
    check(posenc_context_create(&options, &w->context, NULL) == POSENC_OK, "no context");
    const int64_t shape[] = {batch, frames, HEIGHT, WIDTH, CHANNELS};
    memcpy(w->shape, shape, sizeof shape);
    w->n = batch * frames * HEIGHT * WIDTH * CHANNELS;
    w->x = calloc((size_t)w->n, sizeof *w->x);
    w->y = must_allocate((size_t)w->n * sizeof *w->y);
    check(w->x != NULL, "no memory");
    return w;
}

static void world_end(world *w) {
    free(w->x), free(w->y);
    allocator_context_end(&w->memory, w->context);
    free(w);
}

static posenc_status add(world *w, const posenc_plan *plan, posenc_video form, posenc_error *error) {
    posenc_view u, v;
    posenc_positions positions = positions_from(3);
    return posenc_video_add(plan, form, &positions, posenc_view_make(&u, w->x, POSENC_F32, 5, w->shape, NULL), 1,
                            posenc_view_make(&v, w->y, POSENC_F32, 5, w->shape, NULL), error);
}

/* 103 MB of x and as much of y. What is held: the plan, a thread's scratch, a row. */
static void test_broadcast_needs_little(void **state) {
    (void)state;
    world *w = world_make(BATCH, FRAMES, 2);
    posenc_plan *plan = must_plan(w->context, &(plan_shape){.dim = CHANNELS, .max_len = 32});
    assert_int_equal(add(w, plan, POSENC_VIDEO_BROADCAST, NULL), POSENC_OK);
    size_t peak = atomic_load(&w->memory.peak_bytes), video = (size_t)w->n * sizeof(float);
    check(peak * 100 <= video, "%zu bytes beside a video of %zu", peak, video);
    print_message("broadcast: %zu KiB beside %zu MiB\n", peak >> 10, video >> 20);
    posenc_plan_destroy(plan);
    world_end(w);
}

/* A frame of 200704 values has as many columns, and the plan their frequencies: what is held does not grow with the
 * video, and a call itself holds a scratch of twelve rows for each thread. */
static void test_flattened_does_not_grow(void **state) {
    (void)state;
    size_t peaks[2], plan_bytes = 0;
    for (int i = 0; i < 2; i++) {
        world *w = world_make(i ? 6 : 2, 4, 1);
        posenc_plan *plan = must_plan(w->context, &(plan_shape){.dim = HEIGHT * WIDTH * CHANNELS, .max_len = 1});
        plan_bytes = atomic_load(&w->memory.live_bytes);
        assert_int_equal(add(w, plan, POSENC_VIDEO_FLATTENED, NULL), POSENC_OK);
        peaks[i] = atomic_load(&w->memory.peak_bytes);
        posenc_plan_destroy(plan);
        world_end(w);
    }
    const size_t row = (size_t)HEIGHT * WIDTH * CHANNELS * sizeof(float);
    check(peaks[0] == peaks[1], "%zu bytes, then %zu", peaks[0], peaks[1]);
    check(peaks[0] - plan_bytes <= 14 * row, "%zu bytes in a call, rows of %zu", peaks[0] - plan_bytes, row);
    print_message("flattened: plan %zu KiB, call %zu KiB, a row is %zu KiB\n", plan_bytes >> 10,
                  (peaks[0] - plan_bytes) >> 10, row >> 10);
}

static void test_every_allocation(void **state) {
    (void)state;
    world *w = world_make(1, 5, 3);
    posenc_plan *plan = must_plan(w->context, &(plan_shape){.dim = CHANNELS, .max_len = 32});
    float *want = must_allocate((size_t)w->n * sizeof *want), *before = must_allocate((size_t)w->n * sizeof *before);
    assert_int_equal(add(w, plan, POSENC_VIDEO_BROADCAST, NULL), POSENC_OK);
    memcpy(want, w->y, (size_t)w->n * sizeof *want);
    for (int on = 0; on < 2; on++) {
        long k = 0;
        for (bool refused = true; refused; k++) {
            memset(w->y, 0x5A, (size_t)w->n * sizeof *w->y);
            posenc_error error = error_blank();
            allocator_fail(&w->memory, k, on);
            posenc_status status = add(w, plan, POSENC_VIDEO_BROADCAST, &error);
            refused = allocator_refused(&w->memory);
            allocator_fail(&w->memory, -1, false);
            if (refused) must_refuse("video", status, POSENC_ERROR_MEMORY, &error, NULL);
            check(memcmp(w->y, status == POSENC_OK ? want : before, (size_t)w->n * sizeof *want) == 0,
                  "allocation %ld: the output", k);
        }
        check(k > 2, "only %ld allocations", k);
    }
    free(want), free(before);
    posenc_plan_destroy(plan);
    world_end(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_broadcast_needs_little),
                                       cmocka_unit_test(test_flattened_does_not_grow),
                                       cmocka_unit_test(test_every_allocation)};
    return TEST_RUN(tests);
}
