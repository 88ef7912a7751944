/* Each allocation of each rotary call fails, alone and from there on: POSENC_ERROR_MEMORY, outputs as they were,
 * nothing leaks, and the plan stays usable. And the caller's floating-point settings do not show in the results. */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "support/allocator.h"
#include "support/refusal.h"
#include "support/rotations.h"
#include "support/tensors.h"
#include "support/test.h"

enum { BATCH = 3, TOKENS = 500, HEADS = 8, DIM = 64, N = BATCH * TOKENS * HEADS * DIM };

typedef struct world {
    allocator memory;
    posenc_context *context;
    posenc_plan *plan, *by_length;
    float *x, *y, *before, *want;
    double sums[DIM / 2];
    int64_t lengths_data[BATCH], ids[BATCH * TOKENS * 2];
    uint8_t mask_data[BATCH * TOKENS];
    posenc_view views[6];
    DLTensor *tx, *ty, *lengths;
    rotation_ids by_ids, by_mask;
} world;

typedef posenc_status act(world *w, posenc_error *error);

static const int64_t shape[4] = {BATCH, TOKENS, HEADS, DIM};

static world *world_make(void) {
    world *w = must_allocate(sizeof *w);
    spectra_case c;
    posenc_context_options options;
    random_state random = random_start("rotary memory");
    memset(w, 0, sizeof *w);
    allocator_init(&w->memory);
    posenc_context_default(&options, sizeof options);
    options.threads = 3;
    allocator_use(&w->memory, &options);
    assert_int_equal(posenc_context_create(&options, &w->context, NULL), POSENC_OK);
    spectra_start(&c, POSENC_SCALING_YARN, DIM, 0);
    c.options.axes = POSENC_AXES_SECTIONED;
    c.sections[0] = 20, c.sections[1] = 12;
    c.options.sections = c.sections, c.options.n_sections = 2;
    w->plan = must_rotary(w->context, &c);
    spectra_start(&c, POSENC_SCALING_DYNAMIC, DIM, 0);
    w->by_length = must_rotary(w->context, &c);
    w->x = must_allocate(N * sizeof(float)), w->y = must_allocate(N * sizeof(float));
    w->before = must_allocate(N * sizeof(float)), w->want = must_allocate(N * sizeof(float));
    random_fill_f32(&random, w->x, N);
    for (int i = 0; i < BATCH; i++) w->lengths_data[i] = 5000 + 1000 * i;
    for (int i = 0; i < BATCH * TOKENS * 2; i++) w->ids[i] = random_between(&random, -1000, 100000);
    for (int i = 0; i < BATCH * TOKENS; i++) w->mask_data[i] = (uint8_t)(i % TOKENS > i / TOKENS);
    w->tx = posenc_view_make(&w->views[0], w->x, POSENC_F32, 4, shape, NULL);
    w->ty = posenc_view_make(&w->views[1], w->y, POSENC_F32, 4, shape, NULL);
    w->lengths = posenc_view_make(&w->views[2], w->lengths_data, POSENC_I64, 1, shape, NULL);
    positions_of(&w->by_ids, POSENC_I64, w->ids, 3, (int64_t[]){BATCH, TOKENS, 2});
    rotation_positions(&w->by_mask, 0);
    w->by_mask.positions.mask = posenc_view_make(&w->views[3], w->mask_data, POSENC_U8, 2, shape, NULL);
    return w;
}

static void world_end(world *w) {
    posenc_plan_destroy(w->plan);
    posenc_plan_destroy(w->by_length);
    posenc_context_destroy(w->context);
    check(atomic_load(&w->memory.live) == 0, "%ld blocks leak", atomic_load(&w->memory.live));
    check(atomic_load(&w->memory.mistakes) == 0, "%ld blocks given back wrongly", atomic_load(&w->memory.mistakes));
    free(w->x);
    free(w->y);
    free(w->before);
    free(w->want);
    free(w);
}

/* ---- the calls ---- */

static posenc_status call_apply(world *w, posenc_error *error) {
    return posenc_rotary_apply(w->plan, POSENC_ROTARY_FORWARD, NULL, NULL, w->tx, NULL, w->ty, NULL, error);
}

static posenc_status call_backward_ids(world *w, posenc_error *error) {
    return posenc_rotary_apply(w->plan, POSENC_ROTARY_BACKWARD, &w->by_ids.positions, NULL, NULL, w->tx, NULL, w->ty,
                               error);
}

static posenc_status call_mask(world *w, posenc_error *error) {
    return posenc_rotary_apply(w->plan, POSENC_ROTARY_UNROTATE, &w->by_mask.positions, NULL, w->tx, NULL, w->ty, NULL,
                               error);
}

static posenc_status call_lengths(world *w, posenc_error *error) {
    return posenc_rotary_apply(w->by_length, POSENC_ROTARY_FORWARD, NULL, w->lengths, w->tx, NULL, w->ty, NULL, error);
}

static posenc_status call_rerotate(world *w, posenc_error *error) {
    return posenc_rotary_rerotate(w->plan, &w->by_ids.positions, NULL, w->plan, &w->by_mask.positions, NULL, w->tx,
                                  w->ty, error);
}

static posenc_status call_cos_sin(world *w, posenc_error *error) {
    const int64_t table[3] = {BATCH, TOKENS, DIM};
    DLTensor *cosines = posenc_view_make(&w->views[4], w->y, POSENC_F32, 3, table, NULL);
    DLTensor *sines = posenc_view_make(&w->views[5], w->y + BATCH * TOKENS * DIM, POSENC_F32, 3, table, NULL);
    return posenc_rotary_cos_sin(w->by_length, NULL, w->lengths, POSENC_ROTARY_TABLE_HALVES, cosines, sines, error);
}

static posenc_status call_gradient(world *w, posenc_error *error) {
    double sums[DIM / 2];
    posenc_status status =
        posenc_rotary_frequency_gradient(w->plan, &w->by_ids.positions, NULL, w->tx, w->tx, 1, 0, sums, error);
    if (status == POSENC_OK) memcpy(w->y, sums, sizeof sums);
    return status;
}

typedef struct case_row {
    const char *name;
    act *call;
    long at_least;
} case_row;

static const case_row cases[] = {{"apply", call_apply, 4},       {"backward with ids", call_backward_ids, 4},
                                 {"mask", call_mask, 5},         {"lengths", call_lengths, 10},
                                 {"rerotate", call_rerotate, 8}, {"cos_sin", call_cos_sin, 8},
                                 {"gradient", call_gradient, 4}};

enum { CASES = sizeof cases / sizeof *cases };

/* ---- failing ---- */

static bool one_failure(world *w, const case_row *c, long k, bool from_there_on) {
    long live = atomic_load(&w->memory.live);
    posenc_error error = error_blank();
    memcpy(w->y, w->before, N * sizeof(float));
    allocator_fail(&w->memory, k, from_there_on);
    posenc_status status = c->call(w, &error);
    bool refused = allocator_refused(&w->memory);
    allocator_fail(&w->memory, -1, false);
    check(atomic_load(&w->memory.live) == live, "%s, allocation %ld: %ld blocks leak", c->name, k,
          atomic_load(&w->memory.live) - live);
    if (!refused) {
        check(status == POSENC_OK, "%s: %s", c->name, error.message);
        must_equal(c->name, POSENC_F32, w->want, w->y, N);
        return false;
    }
    check(status == POSENC_ERROR_MEMORY, "%s, allocation %ld: status %s", c->name, k, posenc_status_name(status));
    must_refuse(c->name, status, POSENC_ERROR_MEMORY, &error, NULL);
    check(memcmp(w->y, w->before, N * sizeof(float)) == 0, "%s, allocation %ld: the output was written", c->name, k);
    return true;
}

static void test_every_allocation(void **state) {
    (void)state;
    for (int i = 0; i < CASES; i++) {
        world *w = world_make();
        memcpy(w->y, w->before, N * sizeof(float));
        assert_int_equal(cases[i].call(w, NULL), POSENC_OK);
        memcpy(w->want, w->y, N * sizeof(float));
        for (int on = 0; on < 2; on++) {
            long k = 0;
            while (one_failure(w, &cases[i], k, on)) k++;
            check(k >= cases[i].at_least, "%s asked for %ld blocks only", cases[i].name, k);
        }
        world_end(w);
    }
}

/* ---- the caller's rounding ---- */

static void test_rounding_of_the_caller(void **state) {
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < CASES; i++) {
        world *w = world_make();
        memcpy(w->y, w->before, N * sizeof(float));
        assert_int_equal(cases[i].call(w, NULL), POSENC_OK);
        memcpy(w->want, w->y, N * sizeof(float));
        for (int m = 0; m < 3; m++) {
            memcpy(w->y, w->before, N * sizeof(float));
            fesetround(modes[m]);
            posenc_status status = cases[i].call(w, NULL);
            int after = fegetround();
            fesetround(FE_TONEAREST);
            check(status == POSENC_OK && after == modes[m], "%s changed the rounding mode", cases[i].name);
            must_equal(cases[i].name, POSENC_F32, w->want, w->y, N);
        }
        world_end(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation),
                                       cmocka_unit_test(test_rounding_of_the_caller)};
    return TEST_RUN(tests);
}
