/* No healthy table has a finding of level error: every layout, width, base, dtype, start, exact and float32; found out
 * and compared with the plan that made it. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "check_tables.h"
#include "support/tensors.h"

static const int64_t dims[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 31, 33, 64, 100, 127, 128, 256, 511, 512, 768, 1024};
static const int64_t lengths[] = {1, 2, 3, 4, 5, 8, 16, 17, 33, 64, 100, 128, 257, 512, 1000, 2050, 5000};
static const double bases[] = {10000, 10000, 100, 500000, 1e6, 2, 1, 20, 5e5, 1e8, 1e-6, 1e30, 12345.678};
static const int64_t starts[] = {0, 0, 0, 1, 2, 5, 4096, 1000000, -300};

enum { MOST_VALUES = 1 << 18 };

#define COUNT(list) ((int64_t)(sizeof(list) / sizeof *(list)))

/* What a failing table was. */
static const char *table_text(const plan_shape *shape, int64_t length, int64_t start, posenc_dtype dtype) {
    static char text[256];
    snprintf(text, sizeof text, "%s, arithmetic %d, %lld rows from %lld in %s", plan_text(shape),
             (int)shape->arithmetic, (long long)length, (long long)start, posenc_dtype_name(dtype));
    return text;
}

static void must_be_healthy(const posenc_check_report *report, const char *how, const char *what) {
    for (size_t i = 0; i < report->n_findings; i++)
        check(report->findings[i].level < POSENC_LEVEL_ERROR, "%s, %s: %s", what, how, report->findings[i].why);
    check(report->healthy, "%s, %s", what, how);
}

/* With base 1 all pairs are one wave, for which 710 positions are nearly 113 turns. From a position where no formula is
 * looked for, that cannot be told from an index that wraps. */
static bool is_one_wave(const plan_shape *shape, int64_t start) { return shape->base == 1 && (start < 0 || start > 2); }

static void check_both(const plan_shape *shape, int64_t length, int64_t start, posenc_dtype dtype) {
    const char *what = table_text(shape, length, start, dtype);
    posenc_plan *plan = must_plan(NULL, shape);
    table t = table_of_plan(plan, start, length, dtype);
    posenc_check_options options;
    posenc_check_report report = check_table(&t, NULL);
    if (!is_one_wave(shape, start)) must_be_healthy(&report, "found out", what);
    posenc_check_default(&options, sizeof options);
    options.plan = plan, options.start = start;
    report = check_table(&t, &options);
    must_be_healthy(&report, "beside its plan", what);
    check(!has_finding(&report, POSENC_FINDING_OTHER_SCHEME), "%s", what);
    table_free(&t);
    posenc_plan_destroy(plan);
}

/* Every layout, order, width and dtype once, and so on around the lists. */
static void every_kind_is_healthy(void **state) {
    (void)state;
    int64_t n = 0;
    for (int layout = 0; layout < 3; layout++)
        for (int64_t d = 0; d < COUNT(dims); d++)
            for (int dtype = 0; dtype < 4; dtype++, n++) {
                plan_shape shape = {.dim = dims[d],
                                    .base = bases[n % COUNT(bases)],
                                    .layout = (posenc_layout)layout,
                                    .cos_first = n % 2 != 0,
                                    .arithmetic = (posenc_arithmetic)(n / 5 % 3)};
                int64_t length = lengths[n % COUNT(lengths)];
                while (length > 1 && length * dims[d] > MOST_VALUES) length /= 2;
                check_both(&shape, length, 0, encoding_dtypes[dtype]);
            }
}

static void any_table_is_healthy(void **state) {
    (void)state;
    random_state random = random_start("healthy");
    int tables = TEST_UNDER_ASAN || TEST_UNDER_TSAN ? 60 : 600;
    for (int i = 0; i < tables; i++) {
        plan_shape shape = {.dim = dims[random_between(&random, 0, COUNT(dims) - 1)],
                            .base = bases[random_between(&random, 0, COUNT(bases) - 1)],
                            .layout = (posenc_layout)random_between(&random, 0, 2),
                            .cos_first = (int)random_between(&random, 0, 1),
                            .arithmetic = (posenc_arithmetic)random_between(&random, 0, 2)};
        int64_t length = lengths[random_between(&random, 0, COUNT(lengths) - 1)];
        while (length > 1 && length * shape.dim > MOST_VALUES) length /= 2;
        check_both(&shape, length, starts[random_between(&random, 0, COUNT(starts) - 1)],
                   encoding_dtypes[random_between(&random, 0, 3)]);
    }
}

/* Float32 code earns its note where it has lost bits that the dtype could hold, and only there. */
static void float32_earns_its_note(void **state) {
    (void)state;
    static const struct {
        posenc_dtype dtype;
        posenc_arithmetic arithmetic;
        int64_t length;
        int level; /* of the precision finding; 0: none */
    } cases[] = {
        {POSENC_F32, POSENC_ARITHMETIC_EXACT, 5000, 0},
        {POSENC_F32, POSENC_ARITHMETIC_FLOAT32, 2, 0},
        {POSENC_F32, POSENC_ARITHMETIC_FLOAT32, 5000, POSENC_LEVEL_NOTE},
        {POSENC_F32, POSENC_ARITHMETIC_FLOAT32_EXP, 5000, POSENC_LEVEL_NOTE},
        {POSENC_F32, POSENC_ARITHMETIC_FLOAT32, 40000, POSENC_LEVEL_WARNING},
        {POSENC_F64, POSENC_ARITHMETIC_FLOAT32, 100, POSENC_LEVEL_NOTE},
        {POSENC_F64, POSENC_ARITHMETIC_EXACT, 40000, 0},
        {POSENC_F16, POSENC_ARITHMETIC_FLOAT32, 2000, 0},
        {POSENC_BF16, POSENC_ARITHMETIC_FLOAT32, 5000, 0},
    };
    for (int64_t i = 0; i < COUNT(cases); i++) {
        plan_shape shape = {.dim = 64, .arithmetic = cases[i].arithmetic};
        posenc_plan *plan = must_plan(NULL, &shape);
        table t = table_of_plan(plan, 0, cases[i].length, cases[i].dtype);
        posenc_check_report report = check_table(&t, NULL);
        const posenc_finding *f = find(&report, POSENC_FINDING_PRECISION);
        check((f ? (int)f->level : 0) == cases[i].level, "case %lld: %s", (long long)i, f ? f->why : "no finding");
        check((report.first_imprecise >= 0) == (f != NULL), "case %lld: %lld", (long long)i,
              (long long)report.first_imprecise);
        if (f) check(f->position == report.first_imprecise && f->amount > 0, "case %lld", (long long)i);
        table_free(&t);
        posenc_plan_destroy(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_healthy),
        cmocka_unit_test(any_table_is_healthy),
        cmocka_unit_test(float32_earns_its_note),
    };
    return TEST_RUN(tests);
}
