/* Tables with something wrong are still recognised, so that check can tell what it is: broken rows, NaN, a column that
 * is dead, positions rounded or wrapped, a dtype coarser than the one they come in. And recognition itself is sound:
 * other strides, memory that fails, bases at the ends of their range. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match_makers.h"
#include "support/allocator.h"
#include "support/number.h"
#include "support/test.h"

static random_state source;

static plan_shape any_shape(void) {
    static const int64_t dims[] = {8, 16, 33, 64, 128, 512};
    static const double bases[] = {10000, 10000, 500000, 1e8, 100};
    return (plan_shape){.dim = dims[random_between(&source, 0, 5)],
                        .base = bases[random_between(&source, 0, 4)],
                        .layout = (posenc_layout)random_between(&source, 0, 2),
                        .cos_first = (int)random_between(&source, 0, 1),
                        .arithmetic = (posenc_arithmetic)random_between(&source, 0, 2)};
}

static posenc_dtype any_dtype(void) { return encoding_dtypes[random_between(&source, 0, 3)]; }

/* Must be the shape's formula; of a width of 8 halves and tensor2tensor may be each other with another base. */
static void must_be(const char *what, const made *m, const plan_shape *shape, int64_t start) {
    posenc_match match = must_match(m);
    check(match.scheme, "%s: %s, %s, %" PRId64 " rows: no formula", what, plan_text(shape),
          posenc_dtype_name(m->table.dtype), m->table.rows);
    check(match.cos_first == shape->cos_first && match.start == start, "%s: %s came as %s", what, plan_text(shape),
          match_text(&match));
    if (shape->dim == 8 && shape->layout != POSENC_LAYOUT_INTERLEAVED) return;
    check(match.layout == shape->layout && match.base == shape->base && match.base_is_known, "%s: %s, %s came as %s",
          what, plan_text(shape), posenc_dtype_name(m->table.dtype), match_text(&match));
}

/* ---- broken rows ---- */

typedef enum breakage { ONE_NAN, ALL_NAN, INFINITE, ZERO, CONSTANT, NOISE, HUGE, ANOTHER_ROW, N_BREAKAGES } breakage;

static void break_row(made *m, int64_t row, breakage kind) {
    int64_t other = random_between(&source, 0, m->table.rows - 1), at = random_between(&source, 0, m->table.dim - 1);
    for (int64_t c = 0; c < m->table.dim; c++) {
        double value = made_get(m, row, c);
        if (kind == ONE_NAN && c == at) value = (double)NAN;
        if (kind == ALL_NAN) value = (double)NAN;
        if (kind == INFINITE && c == at) value = -(double)INFINITY;
        if (kind == ZERO) value = 0;
        if (kind == CONSTANT) value = 0.25;
        if (kind == NOISE) value = 2 * random_unit(&source) - 1;
        if (kind == HUGE) value = 60000 * (random_unit(&source) - 0.5);
        if (kind == ANOTHER_ROW) value = made_get(m, other, c);
        made_put(m, row, c, value);
    }
}

static void test_broken_rows(void **state) {
    (void)state;
    static const int64_t lengths[] = {64, 100, 512, 5000};
    for (int k = 0; k < 160; k++) {
        plan_shape shape = any_shape();
        int64_t start = random_between(&source, 0, 2), rows = lengths[k / 8 % 4];
        made m = made_sinusoidal(&shape, start, rows, k % 3 ? POSENC_F32 : POSENC_F64);
        for (int64_t n = 0; n < rows / 20; n++)
            break_row(&m, random_between(&source, 0, rows - 1), (breakage)(k % N_BREAKAGES));
        must_be("broken rows", &m, &shape, start);
        made_free(&m);
    }
}

/* Everything but the first stretch is gone, or the first stretch is. */
static void test_broken_stretch(void **state) {
    (void)state;
    for (int k = 0; k < 60; k++) {
        plan_shape shape = any_shape();
        int64_t rows = 1000, first = k % 2 ? 0 : 64, last = k % 2 ? 400 : 999;
        made m = made_sinusoidal(&shape, k % 3, rows, POSENC_F32);
        for (int64_t r = first; r <= last; r++) break_row(&m, r, NOISE);
        must_be("a broken stretch", &m, &shape, k % 3);
        made_free(&m);
    }
}

static void test_padding_row(void **state) {
    (void)state;
    for (int k = 0; k < 60; k++) {
        plan_shape shape = any_shape();
        int64_t rows = k % 2 ? 514 : 64;
        made m = made_sinusoidal(&shape, k % 3, rows, k % 2 ? any_dtype() : POSENC_F32);
        break_row(&m, k / 3 % 3, ZERO);
        must_be("a padding row", &m, &shape, k % 3);
        made_free(&m);
    }
}

/* ---- broken columns ---- */

static void test_broken_column(void **state) {
    (void)state;
    for (int k = 0; k < 120; k++) {
        plan_shape shape = any_shape();
        if (shape.dim < 16) continue;
        made m = made_sinusoidal(&shape, k % 3, 300, POSENC_F32);
        int64_t column = k % 4 == 0 ? 0 : random_between(&source, 0, shape.dim - 1);
        for (int64_t r = 0; r < 300; r++) made_put(&m, r, column, k % 2 ? 0 : 1.1 * made_get(&m, r, column));
        must_be("a broken column", &m, &shape, k % 3);
        made_free(&m);
    }
}

/* ---- positions ---- */

static void test_wrapped_positions(void **state) {
    (void)state;
    int64_t positions[3000];
    for (int64_t r = 0; r < 3000; r++) positions[r] = r % 512;
    for (int k = 0; k < 60; k++) {
        plan_shape shape = any_shape();
        made m = made_at(&shape, positions, 3000, k % 2 ? POSENC_F32 : any_dtype());
        must_be("wrapped at 512", &m, &shape, 0);
        made_free(&m);
    }
}

static int64_t as_bf16(int64_t position) {
    return (int64_t)number_decode(POSENC_BF16, number_encode(POSENC_BF16, (double)position));
}

static void test_rounded_positions(void **state) {
    (void)state;
    int64_t positions[3000];
    for (int k = 0; k < 60; k++) {
        plan_shape shape = any_shape();
        for (int64_t r = 0; r < 3000; r++) positions[r] = as_bf16(r + k % 3);
        made m = made_at(&shape, positions, 3000, k % 2 ? POSENC_F32 : any_dtype());
        must_be("bf16 positions", &m, &shape, k % 3);
        made_free(&m);
    }
}

/* ---- a coarser dtype than the one it comes in ---- */

typedef struct recast {
    const made *from;
} recast;

static double make_recast(void *with, int64_t row, int64_t column) {
    return made_get(((const recast *)with)->from, row, column);
}

static void test_coarser_values(void **state) {
    (void)state;
    static const posenc_dtype from[] = {POSENC_BF16, POSENC_F16, POSENC_BF16, POSENC_F16, POSENC_F32};
    static const posenc_dtype to[] = {POSENC_F32, POSENC_F32, POSENC_F64, POSENC_F64, POSENC_F64};
    for (int k = 0; k < 100; k++) {
        plan_shape shape = any_shape();
        made coarse = made_sinusoidal(&shape, k % 3, 500, from[k % 5]);
        made m = made_by(make_recast, &(recast){&coarse}, 500, shape.dim, to[k % 5]);
        must_be("coarser values", &m, &shape, k % 3);
        made_free(&m);
        made_free(&coarse);
    }
}

/* ---- the answer's figures ---- */

static void test_errors_and_counts(void **state) {
    (void)state;
    plan_shape exact = {.dim = 64}, single = {.dim = 64, .arithmetic = POSENC_ARITHMETIC_FLOAT32};
    made m = made_sinusoidal(&exact, 0, 4000, POSENC_F32);
    posenc_match match = must_match(&m);
    check(match.rows == 4000 && match.rows_fit == 4000, "%s", match_text(&match));
    check(match.max_error > 0x1p-26 && match.max_error <= 0x1p-25 + 1e-15, "%s", match_text(&match));
    check(match.rms_error > 0x1p-28 && match.rms_error < 0x1p-25, "%s", match_text(&match));
    for (int64_t r = 1000; r < 1010; r++) break_row(&m, r, NOISE);
    match = must_match(&m);
    check(match.rows == 4000 && match.rows_fit == 3990 && match.max_error <= 0x1p-25 + 1e-15, "%s", match_text(&match));
    made_free(&m);
    m = made_sinusoidal(&single, 0, 4000, POSENC_F32);
    match = must_match(&m);
    check(match.max_error > 1e-5 && match.max_error < 1e-3 && match.arithmetic == POSENC_ARITHMETIC_FLOAT32, "%s",
          match_text(&match));
    made_free(&m);
}

/* All rows, at most some thousands of them, are compared; the sample reaches the end. */
static void test_long_table(void **state) {
    (void)state;
    plan_shape shape = {.dim = 8, .max_len = 1000000};
    made m = made_sinusoidal(&shape, 0, 1000000, POSENC_F32);
    posenc_match match = must_match(&m);
    check(match.rows == 4096 && match.rows_fit == 4096 && match.base == 10000, "%s", match_text(&match));
    break_row(&m, 999999, NOISE);
    match = must_match(&m);
    check(match.rows == 4096 && match.rows_fit == 4095, "%s", match_text(&match));
    made_free(&m);
}

/* ---- bases ---- */

static void test_ends_of_the_range(void **state) {
    (void)state;
    static const double bases[] = {1e30, 1e20, 1, 1.5, 0.5, 2, 9.99e29};
    for (int k = 0; k < 240; k++) {
        plan_shape shape = any_shape();
        shape.base = bases[k % 7];
        shape.dim = random_between(&source, 2, 70);
        made m = made_sinusoidal(&shape, k % 3, k % 5 == 0 ? 5 : 200, any_dtype());
        posenc_match match = must_match(&m);
        check(match.scheme || shape.base < 1, "%s, %s, %" PRId64 " rows from %d: no formula", plan_text(&shape),
              posenc_dtype_name(m.table.dtype), m.table.rows, k % 3);
        check(!match.scheme || makes_table(&match, &m), "%s came as %s", plan_text(&shape), match_text(&match));
        made_free(&m);
    }
}

/* Bases that nobody types are fitted: the closer the values are rounded, the closer. */
static void test_fitted_bases(void **state) {
    (void)state;
    static const double closeness[] = {
        [POSENC_F32] = 1e-6, [POSENC_F64] = 1e-11, [POSENC_F16] = 3e-5, [POSENC_BF16] = 3e-4};
    for (int k = 0; k < 200; k++) {
        plan_shape shape = any_shape();
        shape.base = exp(5 + 15 * random_unit(&source));
        shape.layout = k % 2 ? POSENC_LAYOUT_INTERLEAVED : POSENC_LAYOUT_HALVES;
        shape.arithmetic = POSENC_ARITHMETIC_EXACT;
        made m = made_sinusoidal(&shape, k % 3, 1000, any_dtype());
        posenc_match match = must_match(&m);
        check(match.layout == shape.layout || match.base_is_known, "%s came as %s", plan_text(&shape),
              match_text(&match));
        check(match.layout != shape.layout || fabs(match.base / shape.base - 1) < closeness[m.table.dtype],
              "%s, %s came as %s", plan_text(&shape), posenc_dtype_name(m.table.dtype), match_text(&match));
        match.base_is_known = 0; /* a short number in the neighbourhood is as good */
        check(makes_table(&match, &m), "%s came as %s", plan_text(&shape), match_text(&match));
        made_free(&m);
    }
}

static void test_a_base_that_cannot_be_seen(void **state) {
    (void)state;
    for (int k = 0; k < 12; k++) {
        plan_shape shape = {.dim = 1 + k % 2, .base = 123, .cos_first = k / 2 % 2};
        made m = made_sinusoidal(&shape, k / 4, 100, POSENC_F32);
        posenc_match match = must_match(&m);
        check(match.scheme && match.base == 10000 && !match.base_is_known, "%s came as %s", plan_text(&shape),
              match_text(&match));
        made_free(&m);
    }
    made zeros = made_sinusoidal(&(plan_shape){.dim = 1, .layout = POSENC_LAYOUT_HALVES}, 0, 9, POSENC_F32);
    posenc_match match = must_match(&zeros);
    check(match.scheme && match.layout == POSENC_LAYOUT_HALVES && !match.base_is_known && match.rows_fit == 9, "%s",
          match_text(&match));
    made_free(&zeros);
}

/* ---- odd tables ---- */

static void test_strides(void **state) {
    (void)state;
    plan_shape shape = {.dim = 40, .layout = POSENC_LAYOUT_HALVES};
    made m = made_sinusoidal(&shape, 1, 200, POSENC_F16);
    /* The same rows with gaps, and the same table standing on its side and read from its end. */
    made wide = made_empty(200, 47, POSENC_F16), tall = made_empty(40, 200, POSENC_F16);
    for (int64_t r = 0; r < 200; r++)
        for (int64_t c = 0; c < 40; c++) {
            made_put(&wide, r, c, made_get(&m, r, c));
            made_put(&tall, 39 - c, 199 - r, made_get(&m, r, c));
        }
    wide.table.dim = 40;
    tall.table = (posenc_table){tall.memory + 2 * (40 * 200 - 1), POSENC_F16, 200, 40, -1, -200};
    posenc_match match = must_match(&m), gaps = must_match(&wide), backward = must_match(&tall);
    check(match.scheme && gaps.scheme && backward.scheme && match.start == 1, "%s", match_text(&match));
    check(memcmp(&gaps.base, &match.base, sizeof match.base) == 0 && gaps.rows_fit == 200, "%s", match_text(&gaps));
    check(memcmp(&backward.base, &match.base, sizeof match.base) == 0 && backward.rows_fit == 200, "%s",
          match_text(&backward));
    made_free(&m);
    made_free(&wide);
    made_free(&tall);
}

static void test_empty_tables(void **state) {
    (void)state;
    posenc_match match;
    const posenc_table tables[] = {{NULL, POSENC_F32, 0, 4, 4, 1}, {NULL, POSENC_F32, 4, 0, 0, 1}};
    for (int k = 0; k < 2; k++) {
        memset(&match, 0x5A, sizeof match);
        assert_int_equal(posenc_match_table(NULL, &tables[k], &match, NULL), POSENC_OK);
        check(!match.scheme && match.rows == 0 && match.rows_fit == 0, "%s", match_text(&match));
    }
}

/* ---- memory ---- */

static bool one_failure(allocator *memory, const posenc_context *context, const made *m, long k, bool from_there_on) {
    posenc_match match, untouched;
    posenc_error error = {0};
    memset(&match, 0x5A, sizeof match);
    memcpy(&untouched, &match, sizeof match);
    long live = atomic_load(&memory->live);
    allocator_fail(memory, k, from_there_on);
    posenc_status status = posenc_match_table(context, &m->table, &match, &error);
    bool refused = allocator_refused(memory);
    allocator_fail(memory, -1, false);
    check(atomic_load(&memory->live) == live, "allocation %ld: blocks leak", k);
    check((status == POSENC_ERROR_MEMORY) == refused && (refused || status == POSENC_OK), "allocation %ld: %s", k,
          posenc_status_name(status));
    if (!refused) return false;
    check(memcmp(&match, &untouched, sizeof match) == 0, "allocation %ld: the answer was written", k);
    check(error.status == POSENC_ERROR_MEMORY, "allocation %ld: no detail", k);
    return true;
}

static void test_every_allocation_fails(void **state) {
    (void)state;
    allocator memory;
    posenc_context *context = allocator_context(&memory);
    for (int on = 0; on < 2; on++) {
        plan_shape shape = {.dim = 24, .arithmetic = POSENC_ARITHMETIC_FLOAT32_EXP, .layout = (posenc_layout)(on + 1)};
        made m = made_sinusoidal(&shape, 0, 300, POSENC_F32);
        if (on) break_row(&m, 20, NOISE); /* several readings are tried */
        long k = 0;
        while (one_failure(&memory, context, &m, k, on)) k++;
        check(k >= 10, "only %ld allocations", k);
        made_free(&m);
    }
    allocator_context_end(&memory, context);
}

static void test_plan_of_a_match(void **state) {
    (void)state;
    static const posenc_arithmetic arithmetics[] = {POSENC_ARITHMETIC_EXACT, POSENC_ARITHMETIC_FLOAT32_EXP};
    for (int k = 0; k < 2; k++) {
        plan_shape shape = {
            .dim = 33, .base = 500, .layout = POSENC_LAYOUT_INTERLEAVED, .cos_first = 1, .arithmetic = arithmetics[k]};
        made m = made_sinusoidal(&shape, 2, 3000, POSENC_F32), again = made_empty(3000, 33, POSENC_F32);
        posenc_match match = must_match(&m);
        posenc_plan *plan;
        check(match.scheme && match.arithmetic == arithmetics[k], "%s", match_text(&match));
        assert_int_equal(posenc_match_plan(NULL, &match, 33, match.arithmetic, &plan, NULL), POSENC_OK);
        must_write(plan, match.start, 3000, POSENC_F32, again.memory);
        must_equal("the plan of a match", POSENC_F32, m.memory, again.memory, 3000 * 33);
        posenc_plan_destroy(plan);
        made_free(&m);
        made_free(&again);
    }
}

static int start_source(void **state) {
    (void)state;
    source = random_start("match damage");
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_rows),
        cmocka_unit_test(test_broken_stretch),
        cmocka_unit_test(test_padding_row),
        cmocka_unit_test(test_broken_column),
        cmocka_unit_test(test_wrapped_positions),
        cmocka_unit_test(test_rounded_positions),
        cmocka_unit_test(test_coarser_values),
        cmocka_unit_test(test_errors_and_counts),
        cmocka_unit_test(test_long_table),
        cmocka_unit_test(test_ends_of_the_range),
        cmocka_unit_test(test_fitted_bases),
        cmocka_unit_test(test_a_base_that_cannot_be_seen),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_empty_tables),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_plan_of_a_match),
    };
    test_announce_seed();
    return cmocka_run_group_tests(tests, start_source, NULL);
}
