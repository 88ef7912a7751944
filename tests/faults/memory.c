/* Each allocation of each public call fails: the k-th alone, and the k-th and all later ones, for every k. The status
 * must be POSENC_ERROR_MEMORY with outputs as they were, or the call must have done without and be right. Nothing
 * leaks, and the objects involved stay as they were and usable. */
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/allocator.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

enum { BATCH = 2, TOKENS = 3000, DIM = 200, N = BATCH * TOKENS * DIM };

/* Everything that a call may use, made with the failing allocator. 3000 x 200 floats are work for several threads. */
typedef struct world {
    allocator memory;
    posenc_context_options options;
    posenc_context *context;
    posenc_plan *plan, *float32_plan;
    posenc_cursor *cursor;
    float *x, *y, *before, *want;
    int64_t *ids;
} world;

typedef posenc_status act(world *w, posenc_error *error);

static world *world_make(void) {
    world *w = must_allocate(sizeof *w);
    allocator_init(&w->memory);
    posenc_context_default(&w->options, sizeof w->options);
    w->options.threads = 3;
    allocator_use(&w->memory, &w->options);
    assert_int_equal(posenc_context_create(&w->options, &w->context, NULL), POSENC_OK);
    w->plan = must_plan(w->context, &(plan_shape){.dim = DIM});
    w->float32_plan = must_plan(w->context, &(plan_shape){.dim = DIM, .arithmetic = POSENC_ARITHMETIC_FLOAT32});
    assert_int_equal(posenc_cursor_create(w->plan, &w->cursor, NULL), POSENC_OK);
    random_state random = random_start("memory faults");
    w->x = must_allocate(N * sizeof(float));
    w->y = must_allocate(N * sizeof(float));
    w->before = must_allocate(N * sizeof(float));
    w->want = must_allocate(N * sizeof(float));
    w->ids = must_allocate(BATCH * TOKENS * sizeof(int64_t));
    random_fill_f32(&random, w->x, N);
    for (int i = 0; i < BATCH * TOKENS; i++) w->ids[i] = random_position(&random);
    return w;
}

static void world_end(world *w) {
    allocator_fail(&w->memory, -1, false);
    posenc_cursor_destroy(w->cursor);
    posenc_plan_destroy(w->float32_plan);
    posenc_plan_destroy(w->plan);
    posenc_context_destroy(w->context);
    check(atomic_load(&w->memory.live) == 0, "%ld blocks leak", atomic_load(&w->memory.live));
    check(atomic_load(&w->memory.mistakes) == 0, "%ld blocks given back wrongly", atomic_load(&w->memory.mistakes));
    free(w->x);
    free(w->y);
    free(w->before);
    free(w->want);
    free(w->ids);
    free(w);
}

/* One call with allocation k refused. Returns whether it was asked for at all. */
static bool one_failure(world *w, act *call, const char *name, long k, bool from_there_on) {
    long live = atomic_load(&w->memory.live);
    memcpy(w->y, w->before, N * sizeof(float));
    posenc_error error = error_blank(), untouched = error;
    allocator_fail(&w->memory, k, from_there_on);
    posenc_status status = call(w, &error);
    bool refused = allocator_refused(&w->memory);
    allocator_fail(&w->memory, -1, false);
    check(atomic_load(&w->memory.live) == live, "%s, allocation %ld: %ld blocks leak", name, k,
          atomic_load(&w->memory.live) - live);
    if (status == POSENC_OK) {
        must_equal(name, POSENC_F32, w->want, w->y, N);
        check(memcmp(&error, &untouched, sizeof error) == 0, "%s wrote the error detail of a success", name);
        return refused;
    }
    check(status == POSENC_ERROR_MEMORY && refused, "%s, allocation %ld: status %s", name, k,
          posenc_status_name(status));
    check(memcmp(w->y, w->before, N * sizeof(float)) == 0, "%s, allocation %ld: the output was written", name, k);
    if (error.status != POSENC_OK) must_refuse(name, status, POSENC_ERROR_MEMORY, &error, NULL);
    return true;
}

/* First once without any failure, to know what is right; then for every k; then without failure again. */
static void fail_each(act *call, const char *name, long at_least) {
    world *w = world_make();
    memcpy(w->y, w->before, N * sizeof(float));
    assert_int_equal(call(w, NULL), POSENC_OK);
    memcpy(w->want, w->y, N * sizeof(float));
    for (int on = 0; on < 2; on++) {
        long k = 0;
        while (one_failure(w, call, name, k, on)) k++;
        check(k >= at_least, "%s asked for %ld blocks only", name, k);
    }
    one_failure(w, call, name, -1, false);
    world_end(w);
}

/* ---- the calls ---- */

static posenc_status call_context(world *w, posenc_error *error) {
    posenc_context *context = NULL;
    posenc_status status = posenc_context_create(&w->options, &context, error);
    check((status == POSENC_OK) == (context != NULL), "context and status differ");
    posenc_context_destroy(context);
    return status;
}

static posenc_status finish_plan(posenc_status status, posenc_plan *plan) {
    check((status == POSENC_OK) == (plan != NULL), "plan and status differ");
    posenc_plan_destroy(plan);
    return status;
}

static posenc_status call_named(world *w, posenc_error *error) {
    posenc_plan *plan = NULL;
    const posenc_parameter parameters[] = {{"dim", "32"}, {"layout", "halves"}};
    posenc_status status = posenc_plan_create(w->context, "sinusoidal", parameters, 2, &plan, error);
    return finish_plan(status, plan);
}

static posenc_status call_typed(world *w, posenc_error *error) {
    posenc_plan *plan = NULL;
    posenc_status status = posenc_sinusoidal_create(w->context, 32, &plan, error);
    return finish_plan(status, plan);
}

static posenc_status call_float32(world *w, posenc_error *error) {
    posenc_plan *plan = NULL;
    posenc_sinusoidal_options o;
    posenc_sinusoidal_default(&o, sizeof o);
    o.dim = 32;
    o.arithmetic = POSENC_ARITHMETIC_FLOAT32_EXP;
    posenc_status status = posenc_sinusoidal_create_with(w->context, &o, &plan, error);
    return finish_plan(status, plan);
}

static posenc_status write_rows(world *w, const posenc_plan *plan, int64_t start, bool ids, const int64_t *strides,
                                posenc_error *error) {
    posenc_view v, u;
    const int64_t shape[3] = {BATCH, TOKENS, DIM};
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = start;
    if (ids) positions.ids = posenc_view_make(&u, w->ids, POSENC_I64, 2, shape, NULL);
    return posenc_plan_write(plan, &positions, posenc_view_make(&v, w->y, POSENC_F32, 3, shape, strides), error);
}

static posenc_status call_write(world *w, posenc_error *error) {
    return write_rows(w, w->plan, -7, false, NULL, error);
}

static posenc_status call_write_far(world *w, posenc_error *error) {
    return write_rows(w, w->plan, INT64_MAX - TOKENS, false, NULL, error);
}

static posenc_status call_write_ids(world *w, posenc_error *error) {
    return write_rows(w, w->plan, 0, true, NULL, error);
}

static posenc_status call_write_float32(world *w, posenc_error *error) {
    return write_rows(w, w->float32_plan, 5, false, NULL, error);
}

static posenc_status call_write_strided(world *w, posenc_error *error) {
    return write_rows(w, w->plan, 5, false, (int64_t[]){1, BATCH, BATCH * TOKENS}, error);
}

static posenc_status add_rows(world *w, const int64_t *strides, const float *x, posenc_error *error) {
    posenc_view v, u;
    const int64_t shape[3] = {BATCH, TOKENS, DIM};
    void *data;
    memcpy(&data, &x, sizeof data);
    DLTensor *tx = posenc_view_make(&u, data, POSENC_F32, 3, shape, strides);
    return posenc_plan_add(w->plan, NULL, tx, 3, posenc_view_make(&v, w->y, POSENC_F32, 3, shape, NULL), error);
}

static posenc_status call_add(world *w, posenc_error *error) { return add_rows(w, NULL, w->x, error); }

static posenc_status call_add_in_place(world *w, posenc_error *error) { return add_rows(w, NULL, w->y, error); }

static posenc_status call_add_strided(world *w, posenc_error *error) {
    return add_rows(w, (int64_t[]){1, BATCH, BATCH * TOKENS}, w->x, error);
}

static posenc_status call_write_f32(world *w, posenc_error *error) {
    (void)error;
    return posenc_plan_write_f32(w->plan, 100000, TOKENS, w->y);
}

static posenc_status call_add_f32(world *w, posenc_error *error) {
    (void)error;
    return posenc_plan_add_f32(w->plan, 100000, BATCH, TOKENS, w->x, w->y);
}

static posenc_status call_cursor(world *w, posenc_error *error) {
    posenc_cursor *cursor = NULL;
    posenc_status status = posenc_cursor_create(w->plan, &cursor, error);
    check((status == POSENC_OK) == (cursor != NULL), "cursor and status differ");
    posenc_cursor_destroy(cursor);
    return status;
}

static posenc_status call_cursor_write(world *w, posenc_error *error) {
    (void)error;
    return posenc_cursor_write_f32(w->cursor, INT64_C(1) << 60, w->y);
}

static posenc_status call_cursor_add(world *w, posenc_error *error) {
    (void)error;
    return posenc_cursor_add_f32(w->cursor, -(INT64_C(1) << 60), w->x, w->y);
}

typedef struct case_row {
    const char *name;
    act *call;
    long at_least; /* allocations that the call is known to need */
} case_row;

static const case_row cases[] = {
    {"context_create", call_context, 1},
    {"plan_create", call_named, 2},
    {"sinusoidal_create", call_typed, 2},
    {"sinusoidal_create_with float32-exp", call_float32, 2},
    {"write", call_write, 1},
    {"write far", call_write_far, 1},
    {"write ids", call_write_ids, 1},
    {"write float32", call_write_float32, 1},
    {"write strided", call_write_strided, 1},
    {"add", call_add, 1},
    {"add in place", call_add_in_place, 1},
    {"add strided", call_add_strided, 1},
    {"write_f32", call_write_f32, 1},
    {"add_f32", call_add_f32, 1},
    {"cursor_create", call_cursor, 1},
    {"cursor_write_f32", call_cursor_write, 0},
    {"cursor_add_f32", call_cursor_add, 0},
};

static void test_every_allocation_of_every_call(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        fail_each(cases[i].call, cases[i].name, cases[i].at_least);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_of_every_call)};
    return TEST_RUN(tests);
}
