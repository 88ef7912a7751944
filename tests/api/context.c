/* Contexts: options, refusals, instruction sets, executor, allocator, warnings. */
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/allocator.h"
#include "support/isa.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

static posenc_context_options defaults(void) {
    posenc_context_options options;
    memset(&options, 0xEE, sizeof options);
    posenc_context_default(&options, sizeof options);
    return options;
}

static void test_defaults(void **state) {
    (void)state;
    posenc_context_options o = defaults();
    assert_int_equal(o.size, sizeof o);
    assert_int_equal(o.threads, 1);
    assert_null(o.isa);
    assert_true(!o.allocate && !o.release && !o.execute && !o.warn);
    assert_true(!o.allocator_user && !o.executor_user && !o.warn_user);
}

/* The context must not be made, nor *out written. */
static void refuse(const char *what, const posenc_context_options *o, posenc_status expected, const char *argument) {
    static char somewhere;
    posenc_context *const untouched = (posenc_context *)(void *)&somewhere;
    posenc_context *context = untouched;
    posenc_error error = error_blank();
    must_refuse(what, posenc_context_create(o, &context, &error), expected, &error, argument);
    assert_ptr_equal(context, untouched);
    assert_int_equal(posenc_context_create(o, &context, NULL), expected);
    assert_ptr_equal(context, untouched);
}

static void test_refused_options(void **state) {
    (void)state;
    const int threads[] = {0, -1, 257, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        posenc_context_options o = defaults();
        o.threads = threads[i];
        refuse("threads", &o, POSENC_ERROR_ARGUMENT, "threads");
    }
    const char *const names[] = {"sse9", "", "AVX2", "avx", "baseline "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        posenc_context_options o = defaults();
        o.isa = names[i];
        refuse("unknown isa", &o, POSENC_ERROR_UNKNOWN, "isa");
    }
    posenc_context_options o = defaults();
    o.size = 0;
    refuse("size 0", &o, POSENC_ERROR_ARGUMENT, NULL);
    o.size = sizeof o + 8;
    refuse("size of a later version", &o, POSENC_ERROR_ARGUMENT, NULL);
    allocator a;
    allocator_init(&a);
    o = defaults();
    allocator_use(&a, &o);
    o.release = NULL;
    refuse("allocate without release", &o, POSENC_ERROR_ARGUMENT, NULL);
    o = defaults();
    allocator_use(&a, &o);
    o.allocate = NULL;
    refuse("release without allocate", &o, POSENC_ERROR_ARGUMENT, NULL);
    posenc_error error = error_blank();
    must_refuse("no out", posenc_context_create(NULL, NULL, &error), POSENC_ERROR_ARGUMENT, &error, "out");
}

static bool runs_here(const char *name) {
    for (size_t i = 0; posenc_isa_name(i); i++)
        if (strcmp(posenc_isa_name(i), name) == 0) return true;
    return false;
}

/* Each of the four names either runs, and is then listed, or is refused as unsupported. */
static void test_instruction_sets(void **state) {
    (void)state;
    static const char *const all[] = {"baseline", "avx2", "avx512", "neon"};
    assert_string_equal(posenc_isa_name(0), "baseline");
    assert_null(posenc_isa_name(isa_count()));
    assert_null(posenc_isa_name(SIZE_MAX));
    assert_string_equal(posenc_context_isa(NULL), posenc_isa_name(isa_count() - 1));
    for (size_t i = 0; i < 4; i++) {
        posenc_context_options o = defaults();
        char name[16];
        strcpy(name, all[i]);
        o.isa = name;
        if (!runs_here(all[i])) {
            refuse(all[i], &o, POSENC_ERROR_UNSUPPORTED, "isa");
            continue;
        }
        posenc_context *context;
        assert_int_equal(posenc_context_create(&o, &context, NULL), POSENC_OK);
        memset(name, 'x', sizeof name); /* the caller's text need not live on */
        assert_string_equal(posenc_context_isa(context), all[i]);
        posenc_plan *plan = must_plan(context, &(plan_shape){.dim = 4});
        assert_string_equal(posenc_plan_isa(plan), all[i]);
        posenc_plan_destroy(plan);
        posenc_context_destroy(context);
    }
}

/* A caller compiled against an older header passes fewer options: the rest are the defaults. */
static void test_smaller_size(void **state) {
    (void)state;
    posenc_context_options o;
    memset(&o, 0xEE, sizeof o);
    posenc_context_default(&o, offsetof(posenc_context_options, isa));
    assert_int_equal(o.size, offsetof(posenc_context_options, isa));
    unsigned char *behind = (unsigned char *)&o + offsetof(posenc_context_options, isa);
    for (size_t i = 0; i < sizeof o - o.size; i++) assert_int_equal(behind[i], 0xEE);
    o.threads = 3;
    posenc_context *context;
    assert_int_equal(posenc_context_create(&o, &context, NULL), POSENC_OK);
    assert_string_equal(posenc_context_isa(context), posenc_context_isa(NULL));
    posenc_context_destroy(context);
}

static void test_null_context_and_destroy(void **state) {
    (void)state;
    posenc_context *context = NULL;
    posenc_error error = error_blank(), before = error;
    assert_int_equal(posenc_context_create(NULL, &context, &error), POSENC_OK);
    assert_memory_equal(&error, &before, sizeof error); /* not written on success */
    posenc_context_destroy(context);
    posenc_context_destroy(NULL);
    posenc_plan_destroy(NULL);
    posenc_cursor_destroy(NULL);
}

typedef struct executor {
    int calls, tasks;
    bool backwards;
} executor;

static void execute(void *user, posenc_task *task, void *argument, int n_tasks) {
    executor *e = user;
    e->calls++;
    e->tasks += n_tasks;
    for (int i = 0; i < n_tasks; i++) task(argument, e->backwards ? n_tasks - 1 - i : i);
}

/* Large work goes through the caller's executor, in any order, with the same bits; small work need not. */
static void test_executor(void **state) {
    (void)state;
    enum { ROWS = 9000, DIM = 256 };
    float *want = must_allocate(sizeof(float) * ROWS * DIM), *got = must_allocate(sizeof(float) * ROWS * DIM);
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    must_write(plan, -100, ROWS, POSENC_F32, want);
    posenc_plan_destroy(plan);
    for (int backwards = 0; backwards < 2; backwards++) {
        executor e = {0, 0, backwards};
        posenc_context_options o = defaults();
        o.threads = 5;
        o.execute = execute;
        o.executor_user = &e;
        posenc_context *context;
        assert_int_equal(posenc_context_create(&o, &context, NULL), POSENC_OK);
        plan = must_plan(context, &(plan_shape){.dim = DIM});
        must_write(plan, -100, ROWS, POSENC_F32, got);
        must_equal("executor", POSENC_F32, want, got, ROWS * DIM);
        check(e.calls == 1 && e.tasks >= 2 && e.tasks <= 5, "%d calls, %d tasks", e.calls, e.tasks);
        must_add(plan, -100, 1, ROWS, POSENC_F32, got, 0, got);
        must_equal("executor add", POSENC_F32, want, got, ROWS * DIM);
        check(e.calls == 2, "%d calls", e.calls);
        posenc_plan_destroy(plan);
        posenc_context_destroy(context);
    }
    free(want);
    free(got);
}

/* All memory comes from the context's allocator and goes back to it. */
static void test_allocator(void **state) {
    (void)state;
    allocator a;
    allocator_init(&a);
    posenc_context_options o = defaults();
    allocator_use(&a, &o);
    posenc_context *context;
    assert_int_equal(posenc_context_create(&o, &context, NULL), POSENC_OK);
    posenc_plan *plan = must_plan(context, &(plan_shape){.dim = 128});
    size_t live = atomic_load(&a.live_bytes), says = posenc_plan_bytes(plan);
    check(live >= says && live <= says + says / 8 + 4096, "%zu bytes live, the plan says %zu", live, says);
    posenc_cursor *cursor;
    assert_int_equal(posenc_cursor_create(plan, &cursor, NULL), POSENC_OK);
    float row[128];
    must_write(plan, INT64_MAX, 1, POSENC_F32, row);
    assert_int_equal(posenc_cursor_write_f32(cursor, INT64_MIN, row), POSENC_OK);
    posenc_cursor_destroy(cursor);
    posenc_plan_destroy(plan);
    posenc_context_destroy(context);
    assert_int_equal(atomic_load(&a.live), 0);
    assert_int_equal(atomic_load(&a.live_bytes), 0);
    assert_int_equal(atomic_load(&a.mistakes), 0);
}

static void count_warning(void *user, const char *message) {
    (void)message;
    ++*(int *)user;
}

/* Nothing about sinusoidal encodings deserves a warning: beyond max_len they go on. */
static void test_no_warnings(void **state) {
    (void)state;
    int warnings = 0;
    posenc_context_options o = defaults();
    o.warn = count_warning;
    o.warn_user = &warnings;
    posenc_context *context;
    assert_int_equal(posenc_context_create(&o, &context, NULL), POSENC_OK);
    posenc_plan *plan = must_plan(context, &(plan_shape){.dim = 8, .max_len = 4});
    float rows[8 * 8];
    must_write(plan, 0, 8, POSENC_F32, rows);
    assert_int_equal(warnings, 0);
    posenc_plan_destroy(plan);
    posenc_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults),
                                       cmocka_unit_test(test_refused_options),
                                       cmocka_unit_test(test_instruction_sets),
                                       cmocka_unit_test(test_smaller_size),
                                       cmocka_unit_test(test_null_context_and_destroy),
                                       cmocka_unit_test(test_executor),
                                       cmocka_unit_test(test_allocator),
                                       cmocka_unit_test(test_no_warnings)};
    return TEST_RUN(tests);
}
