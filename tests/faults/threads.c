/* Sixty-four threads on one plan, each with its own positions, while others make and end plans. Run under
 * ThreadSanitizer too: no plan, context or table may be written by two. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/isa.h"
#include "support/tensors.h"
#include "support/test.h"

enum { THREADS = 64, DIM = 128, SPAN = 4000, ROUNDS = 25 };

typedef struct shared {
    const posenc_context *context;
    const posenc_plan *plan;
    const float *table; /* rows of positions 0..SPAN-1 */
    atomic_int wrong;
} shared;

typedef struct one {
    shared *with;
    int index;
} one;

/* Some rows of a random place, written, added, and by a cursor. cmocka's checks belong to the main thread: count only.
 */
static void use_plan(shared *s, random_state *random, float *rows) {
    int64_t start = random_between(random, 0, SPAN - 70), n = random_between(random, 1, 64);
    const float *want = s->table + start * DIM;
    size_t bytes = (size_t)(n * DIM) * sizeof *rows;
    if (posenc_plan_write_f32(s->plan, start, n, rows) != POSENC_OK || memcmp(rows, want, bytes) != 0)
        atomic_fetch_add(&s->wrong, 1);
    for (int64_t i = 0; i < n * DIM; i++) rows[i] = -want[i];
    if (posenc_plan_add_f32(s->plan, start, 1, n, rows, rows) != POSENC_OK) atomic_fetch_add(&s->wrong, 1);
    for (int64_t i = 0; i < n * DIM; i++)
        if (rows[i] != 0) atomic_fetch_add(&s->wrong, 1);
    posenc_cursor *cursor;
    if (posenc_cursor_create(s->plan, &cursor, NULL) != POSENC_OK) abort();
    for (int64_t t = 0; t < n; t++)
        if (posenc_cursor_write_f32(cursor, start + t, rows) != POSENC_OK ||
            memcmp(rows, want + t * DIM, DIM * sizeof *rows) != 0)
            atomic_fetch_add(&s->wrong, 1);
    posenc_cursor_destroy(cursor);
}

static void make_plans(shared *s, random_state *random, float *rows) {
    posenc_plan *plan;
    if (posenc_sinusoidal_create(s->context, DIM, &plan, NULL) != POSENC_OK) abort();
    int64_t at = random_between(random, 0, SPAN - 1);
    if (posenc_plan_write_f32(plan, at, 1, rows) != POSENC_OK ||
        memcmp(rows, s->table + at * DIM, DIM * sizeof *rows) != 0)
        atomic_fetch_add(&s->wrong, 1);
    posenc_plan_destroy(plan);
}

static void *live(void *argument) {
    one *o = argument;
    char name[32];
    float *rows = must_allocate(70 * DIM * sizeof *rows);
    snprintf(name, sizeof name, "thread %d", o->index);
    random_state random = random_start(name);
    for (int round = 0; round < ROUNDS; round++) (o->index % 8 ? use_plan : make_plans)(o->with, &random, rows);
    free(rows);
    return NULL;
}

static void test_one_plan_many_threads(void **state) {
    (void)state;
    for (int inner = 1; inner <= 2; inner++) {
        posenc_context *context = isa_context(isa_count() - 1, inner);
        posenc_plan *plan = must_plan(context, &(plan_shape){.dim = DIM});
        float *table = must_allocate(SPAN * DIM * sizeof *table);
        must_write(plan, 0, SPAN, POSENC_F32, table);
        shared s = {context, plan, table, 0};
        pthread_t threads[THREADS];
        one ones[THREADS];
        test_seed(); /* known before there are threads */
        for (int i = 0; i < THREADS; i++) {
            ones[i] = (one){&s, i};
            assert_int_equal(pthread_create(&threads[i], NULL, live, &ones[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        assert_int_equal(atomic_load(&s.wrong), 0);
        free(table);
        posenc_plan_destroy(plan);
        posenc_context_destroy(context);
    }
}

/* Large calls that start threads of their own, from several threads at once. */
static void *large(void *argument) {
    shared *s = argument;
    float *rows = must_allocate(SPAN * DIM * sizeof *rows);
    for (int round = 0; round < 3; round++)
        if (posenc_plan_write_f32(s->plan, 0, SPAN, rows) != POSENC_OK ||
            memcmp(rows, s->table, SPAN * DIM * sizeof *rows) != 0)
            atomic_fetch_add(&s->wrong, 1);
    free(rows);
    return NULL;
}

static void test_threads_within_threads(void **state) {
    (void)state;
    posenc_context *context = isa_context(isa_count() - 1, 2);
    posenc_plan *plan = must_plan(context, &(plan_shape){.dim = DIM});
    float *table = must_allocate(SPAN * DIM * sizeof *table);
    must_write(plan, 0, SPAN, POSENC_F32, table);
    shared s = {context, plan, table, 0};
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) assert_int_equal(pthread_create(&threads[i], NULL, large, &s), 0);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&s.wrong), 0);
    free(table);
    posenc_plan_destroy(plan);
    posenc_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_plan_many_threads),
                                       cmocka_unit_test(test_threads_within_threads)};
    return TEST_RUN(tests);
}
