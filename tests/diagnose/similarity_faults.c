/* Each allocation of each similarity call fails: the k-th alone, and the k-th and all later ones, for every k. The
 * status must be POSENC_ERROR_MEMORY with outputs as they were, nothing leaks, and the object stays usable. */
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "diagnose/cosines.h"
#include "support/allocator.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

enum { LENGTH = 800, DIM = 12, SIDE = 30, FLOATS = LENGTH * LENGTH, DOUBLES = LENGTH };

/* Everything that a call may use, made with the failing allocator. 800 positions are work for several threads. */
typedef struct world {
    allocator memory;
    posenc_context *context;
    posenc_plan *plan;
    posenc_similarity *similarity;
    float *table, *floats;
    double *doubles;
    posenc_similarity_report report;
} world;

/* What calls may write. */
typedef struct outputs {
    float floats[FLOATS];
    double doubles[DOUBLES];
    posenc_similarity_report report;
} outputs;

typedef posenc_status act(world *w, posenc_error *error);

static world *world_make(void) {
    world *w = must_allocate(sizeof *w);
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    options.threads = 3;
    allocator_init(&w->memory);
    allocator_use(&w->memory, &options);
    assert_int_equal(posenc_context_create(&options, &w->context, NULL), POSENC_OK);
    w->plan = must_plan(w->context, &(plan_shape){.dim = DIM, .arithmetic = POSENC_ARITHMETIC_FLOAT32});
    w->table = random_table("similarity faults", LENGTH, DIM);
    w->table[100 * DIM] = 0.0f / 0.0f;
    w->similarity = must_similarity(w->context, POSENC_F32, w->table, LENGTH, DIM);
    w->floats = must_allocate(FLOATS * sizeof *w->floats);
    w->doubles = must_allocate(DOUBLES * sizeof *w->doubles);
    return w;
}

static void world_end(world *w) {
    posenc_similarity_destroy(w->similarity);
    posenc_plan_destroy(w->plan);
    allocator_context_end(&w->memory, w->context);
    free(w->table);
    free(w->floats);
    free(w->doubles);
    free(w);
}

static void clear(world *w) {
    memset(w->floats, 0x5A, FLOATS * sizeof *w->floats);
    memset(w->doubles, 0x5A, DOUBLES * sizeof *w->doubles);
    memset(&w->report, 0x5A, sizeof w->report);
    w->report.size = sizeof w->report;
}

static void keep(const world *w, outputs *out) {
    memcpy(out->floats, w->floats, sizeof out->floats);
    memcpy(out->doubles, w->doubles, sizeof out->doubles);
    memcpy(&out->report, &w->report, sizeof out->report);
}

static void must_be(const char *what, const world *w, const outputs *out) {
    check(memcmp(w->floats, out->floats, sizeof out->floats) == 0, "%s: another matrix", what);
    check(memcmp(w->doubles, out->doubles, sizeof out->doubles) == 0, "%s: another curve", what);
    check(memcmp(&w->report, &out->report, sizeof out->report) == 0, "%s: another report", what);
}

/* One call with allocation k refused. Returns whether it was asked for at all. */
static bool one_failure(world *w, act *call, const char *name, long k, bool from_there_on, const outputs *blank,
                        const outputs *want) {
    long live = atomic_load(&w->memory.live);
    posenc_error error = error_blank();
    clear(w);
    allocator_fail(&w->memory, k, from_there_on);
    posenc_status status = call(w, &error);
    bool refused = allocator_refused(&w->memory);
    allocator_fail(&w->memory, -1, false);
    check(atomic_load(&w->memory.live) == live, "%s, allocation %ld: %ld blocks leak", name, k,
          atomic_load(&w->memory.live) - live);
    must_be(name, w, status == POSENC_OK ? want : blank);
    check((status == POSENC_OK) == !refused, "%s, allocation %ld: status %s", name, k, posenc_status_name(status));
    if (status != POSENC_OK) must_refuse(name, status, POSENC_ERROR_MEMORY, &error, NULL);
    return refused;
}

static void fail_each(act *call, const char *name, long at_least) {
    world *w = world_make();
    outputs *blank = must_allocate(sizeof *blank), *want = must_allocate(sizeof *want);
    clear(w);
    keep(w, blank);
    assert_int_equal(call(w, NULL), POSENC_OK);
    keep(w, want);
    for (int on = 0; on < 2; on++) {
        long k = 0;
        while (one_failure(w, call, name, k, on, blank, want)) k++;
        check(k >= at_least, "%s asked for %ld blocks only", name, k);
    }
    free(want);
    free(blank);
    world_end(w);
}

/* ---- the calls ---- */

static posenc_status call_create(world *w, posenc_error *error) {
    posenc_view view;
    posenc_similarity *made = NULL;
    DLTensor *table = posenc_view_make(&view, w->table, POSENC_F32, 2, (int64_t[]){LENGTH, DIM}, NULL);
    posenc_status status = posenc_similarity_create(w->context, table, &made, error);
    check((status == POSENC_OK) == (made != NULL), "object and status differ");
    if (made) must_cosines(made, 0, 20, w->floats);
    posenc_similarity_destroy(made);
    return status;
}

static posenc_status call_rows(world *w, posenc_error *error) {
    posenc_view view;
    const int64_t shape[] = {LENGTH, LENGTH};
    return posenc_similarity_rows(w->similarity, 0, posenc_view_make(&view, w->floats, POSENC_F32, 2, shape, NULL),
                                  error);
}

static posenc_status call_reduced(world *w, posenc_error *error) {
    posenc_view view;
    const int64_t shape[] = {SIDE, SIDE};
    return posenc_similarity_reduced(w->similarity, posenc_view_make(&view, w->floats, POSENC_F32, 2, shape, NULL),
                                     error);
}

static posenc_status call_summary(world *w, posenc_error *error) {
    return posenc_similarity_summary(w->similarity, w->doubles, &w->report, error);
}

static posenc_status call_expected(world *w, posenc_error *error) {
    return posenc_similarity_expected(w->plan, DOUBLES, w->doubles, error);
}

static void test_every_allocation_of_every_call(void **state) {
    (void)state;
    fail_each(call_create, "create", 4);
    fail_each(call_rows, "rows", 0); /* it asks for none: its status list has no memory */
    fail_each(call_reduced, "reduced", 3);
    fail_each(call_summary, "summary", 2);
    fail_each(call_expected, "expected", 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_of_every_call)};
    return TEST_RUN(tests);
}
