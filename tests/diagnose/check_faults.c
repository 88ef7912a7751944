/* Each allocation of a check fails, alone and from there on: the status is POSENC_ERROR_MEMORY with the report as it
 * was, or the report is right; nothing leaks. Odd floating-point settings change nothing. */
#include "support/test.h"

#include <fenv.h>
#include <string.h>

#include "check_tables.h"
#include "support/allocator.h"
#include "support/refusal.h"
#include "support/tensors.h"

/* A table, and what it is compared with. */
typedef struct kase {
    const char *name;
    table t;
    bool with_plan;
    plan_shape shape;
    bool pairs; /* as (rows, dim / 2, 2) */
} kase;

static posenc_status run(const posenc_context *context, const kase *k, const posenc_plan *plan,
                         posenc_check_report *report, posenc_error *error) {
    posenc_view view;
    posenc_check_options options;
    const int64_t shape[] = {k->t.rows, k->pairs ? k->t.dim / 2 : k->t.dim, 2};
    posenc_check_default(&options, sizeof options);
    options.plan = plan;
    return posenc_check(context, &options,
                        posenc_view_make(&view, k->t.data, k->t.dtype, k->pairs ? 3 : 2, shape, NULL), report, error);
}

static void fail_every_allocation(const kase *k) {
    allocator memory;
    posenc_context *context = allocator_context(&memory);
    posenc_plan *plan = k->with_plan ? must_plan(context, &k->shape) : NULL;
    posenc_check_report want = {.size = sizeof want};
    assert_int_equal(run(context, k, plan, &want, NULL), POSENC_OK);
    long live = atomic_load(&memory.live), n = 0;
    for (int from_there_on = 0; from_there_on < 2; from_there_on++) {
        bool refused = true;
        for (long at = 0; refused; at++) {
            posenc_check_report report, before;
            posenc_error error = error_blank();
            memset(&report, 0x5A, sizeof report);
            report.size = sizeof report;
            before = report;
            allocator_fail(&memory, at, from_there_on != 0);
            posenc_status status = run(context, k, plan, &report, &error);
            refused = allocator_refused(&memory);
            allocator_fail(&memory, -1, false);
            if (status == POSENC_OK) {
                check(memcmp(&report, &want, sizeof want) == 0, "%s, allocation %ld: another report", k->name, at);
            } else {
                must_refuse(k->name, status, POSENC_ERROR_MEMORY, &error, NULL);
                check(memcmp(&report, &before, sizeof report) == 0, "%s, allocation %ld: written", k->name, at);
            }
            check(atomic_load(&memory.live) == live, "%s, allocation %ld leaks", k->name, at);
            n += refused;
        }
    }
    check(n >= 10, "%s: %ld allocations", k->name, n);
    posenc_plan_destroy(plan);
    allocator_context_end(&memory, context);
}

static table broken(void) {
    table t = sinusoidal_table(300, 32, POSENC_F32);
    for (int64_t r = 150; r < 300; r++) table_copy_row(&t, r - 150, r);
    table_set(&t, 100, 5, 0.5);
    return t;
}

static table turned(void) {
    table t = sinusoidal_table(48, 32, POSENC_F32), other = table_make(32, 48, POSENC_F32);
    for (int64_t r = 0; r < 48; r++)
        for (int64_t c = 0; c < 32; c++) table_set(&other, c, r, table_get(&t, r, c));
    table_free(&t);
    return other;
}

static table scaled(void) {
    table t = sinusoidal_table(100, 32, POSENC_F32);
    for (int64_t r = 0; r < 100; r++)
        for (int64_t c = 0; c < 32; c++) table_set(&t, r, c, 3 * table_get(&t, r, c));
    return t;
}

static table crowded(void) {
    table t = learned_table(200, 8, POSENC_F32, "crowded");
    table_copy_row(&t, 4, 5);
    return t;
}

static table untrained(void) {
    random_state random = random_start("faults");
    table t = table_make(100, 64, POSENC_F32);
    for (int64_t r = 0; r < 100; r++)
        for (int64_t c = 0; c < 64; c++) table_set(&t, r, c, random_unit(&random) - 0.5);
    return t;
}

static table of_grid(void) {
    posenc_plan *plan = NULL;
    const posenc_parameter p[] = {{"dim", "32"}, {"grid", "7x5"}, {"convention", "detr"}};
    assert_int_equal(posenc_plan_create(NULL, "sinusoidal-2d", p, 3, &plan, NULL), POSENC_OK);
    table t = table_of_plan(plan, 0, 35, POSENC_F32);
    posenc_plan_destroy(plan);
    return t;
}

/* Interleaved with the cosine first is what cosines and sines of pairs are. */
static table of_turns(double factor) {
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 32, .cos_first = 1});
    table t = table_of_plan(plan, 0, 300, POSENC_F32);
    for (int64_t r = 0; r < t.rows; r++)
        for (int64_t c = 0; c < t.dim; c++) table_set(&t, r, c, factor * table_get(&t, r, c));
    posenc_plan_destroy(plan);
    return t;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    kase cases[] = {
        {"healthy", sinusoidal_table(300, 32, POSENC_F32), false, {.dim = 32}, false},
        {"beside its plan", sinusoidal_table(300, 32, POSENC_F32), true, {.dim = 32}, false},
        {"beside another plan", sinusoidal_table(300, 32, POSENC_F32), true, {.dim = 32, .base = 500}, false},
        {"beside a near plan", sinusoidal_table(300, 32, POSENC_F32), true, {.dim = 32, .base = 10001}, false},
        {"broken", broken(), false, {.dim = 32}, false},
        {"turned", turned(), false, {.dim = 32}, false},
        {"scaled", scaled(), false, {.dim = 32}, false},
        {"learned", crowded(), false, {.dim = 8}, false},
        {"untrained", untrained(), false, {.dim = 64}, false},
        {"of a grid", of_grid(), false, {.dim = 32}, false},
        {"cosines and sines", of_turns(1), false, {.dim = 32}, true},
        {"cosines and sines, louder", of_turns(1.25), false, {.dim = 32}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fail_every_allocation(&cases[i]);
        table_free(&cases[i].t);
    }
}

static void rounding_modes_do_not_matter(void **state) {
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    table tables[] = {broken(), untrained(), crowded()};
    for (int i = 0; i < 3; i++) {
        posenc_check_report want = check_table(&tables[i], NULL);
        for (int m = 0; m < 3; m++) {
            fesetround(modes[m]);
            posenc_check_report report = check_table(&tables[i], NULL);
            int mode = fegetround();
            fesetround(FE_TONEAREST);
            check(mode == modes[m] && memcmp(&report, &want, sizeof want) == 0, "table %d, mode %d", i, m);
        }
        table_free(&tables[i]);
    }
}

/* Memory is 16 bytes a row and some megabytes, not a copy of the table. */
static void memory_is_bounded(void **state) {
    (void)state;
    allocator memory;
    posenc_context *context = allocator_context(&memory);
    kase k = {"long", sinusoidal_table(400000, 32, POSENC_F32), false, {.dim = 32}, false};
    posenc_check_report report = {.size = sizeof report};
    assert_int_equal(run(context, &k, NULL, &report, NULL), POSENC_OK);
    size_t peak = atomic_load(&memory.peak_bytes), most = 400000 * 17 + ((size_t)16 << 20);
    check(peak < most, "%zu bytes", peak);
    check(report.n_findings == 0, "%s", findings_text(&report));
    table_free(&k.t);
    allocator_context_end(&memory, context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(rounding_modes_do_not_matter),
        cmocka_unit_test(memory_is_bounded),
    };
    return TEST_RUN(tests);
}
