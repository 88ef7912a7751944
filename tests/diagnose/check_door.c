/* What check takes and refuses: shapes, strides, batches, sizes of structs, odd tables; and that the report is the same
 * for every form and number of threads. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_tables.h"
#include "support/refusal.h"
#include "support/strided.h"
#include "support/tensors.h"

/* Two reports say the same. Floating-point members may be NaN, so bytes are compared; both began as zeros. */
static void must_be_same(const char *what, const posenc_check_report *a, const posenc_check_report *b) {
    check(memcmp(a, b, sizeof *a) == 0, "%s: %s -- %s", what, findings_text(a), findings_text(b));
}

/* ---- tables of all kinds ---- */

/* One with all sorts of faults. */
static table faulty_table(posenc_dtype dtype) {
    table t = sinusoidal_table(3000, 40, dtype);
    table_set(&t, 1234, 7, (double)NAN);
    table_set(&t, 2000, 3, 7);
    table_set(&t, 2100, 5, -table_get(&t, 2100, 5));
    table_copy_row(&t, 15, 2222);
    for (int64_t c = 0; c < t.dim; c++) table_set(&t, 999, c, 0), table_set(&t, 1999, c, 0.5);
    return t;
}

static void strides_do_not_matter(void **state) {
    (void)state;
    random_state random = random_start("check strides");
    for (int i = 0; i < 24; i++) {
        table t = faulty_table(encoding_dtypes[i % 4]);
        posenc_check_report plain = check_table(&t, NULL);
        int rank = 2 + i / 4 % 3 % 2;
        const int64_t shapes[2][3] = {{t.rows, t.dim}, {i % 2 ? 1 : t.rows, i % 2 ? t.rows : 1, t.dim}};
        strided s;
        strided_make(&s, &random, t.dtype, rank, shapes[rank - 2], false);
        strided_put(&s, t.data);
        posenc_check_report report = check_tensor(NULL, NULL, s.tensor);
        check(plain.n_findings >= 5, "%s", findings_text(&plain));
        must_be_same("strided", &plain, &report);
        strided_free(&s);
        table_free(&t);
    }
}

static void threads_do_not_matter(void **state) {
    (void)state;
    for (int learned = 0; learned < 2; learned++) {
        table t = faulty_table(POSENC_F32), l = learned_table(30000, 48, POSENC_F16, "threads");
        if (learned) table_set(&l, 22222, 1, HUGE_VAL), table_copy_row(&l, 100, 29000);
        table *own = learned ? &l : &t;
        posenc_check_report plain = check_table(own, NULL);
        for (int threads = 2; threads <= 9; threads += 7) {
            posenc_context_options options;
            posenc_context *context;
            posenc_view view;
            const int64_t shape[] = {own->rows, own->dim};
            posenc_context_default(&options, sizeof options);
            options.threads = threads;
            assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
            posenc_check_report report =
                check_tensor(context, NULL, posenc_view_make(&view, own->data, own->dtype, 2, shape, NULL));
            must_be_same("threads", &plain, &report);
            posenc_context_destroy(context);
        }
        table_free(&t);
        table_free(&l);
    }
}

/* (batch, length, dim): one table in all of it is that table; one row in each slice is the finding. */
static void batches_are_seen_through(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        table t = faulty_table(encoding_dtypes[i]), b = table_make(3 * t.rows, t.dim, t.dtype);
        size_t bytes = (size_t)(t.rows * t.dim) * posenc_dtype_bytes(t.dtype);
        for (int k = 0; k < 3; k++) memcpy(b.data + (size_t)k * bytes, t.data, bytes);
        posenc_view view;
        const int64_t shape[] = {3, t.rows, t.dim}, swapped[] = {t.rows, 3, t.dim}, strides[] = {t.dim, 0, 1};
        posenc_check_report plain = check_table(&t, NULL);
        posenc_check_report report = check_tensor(NULL, NULL, posenc_view_make(&view, b.data, b.dtype, 3, shape, NULL));
        must_be_same("batch", &plain, &report);
        table_free(&t);
        t = sinusoidal_table(50, 40, b.dtype);
        const int64_t small[] = {50, 3, 40};
        report = check_tensor(NULL, NULL, posenc_view_make(&view, t.data, t.dtype, 3, small, strides));
        must_find(&report, POSENC_FINDING_POSITION_AXIS, POSENC_LEVEL_ERROR, -1, -1, 3);
        must_be_alone(&report, POSENC_FINDING_POSITION_AXIS);
        check(report.match.scheme && report.rows == 50 && report.dim == 40, "%s", findings_text(&report));
        (void)swapped;
        table_free(&t);
        table_free(&b);
    }
}

static posenc_check_report check_shape(void *data, posenc_dtype dtype, int rank, const int64_t *shape) {
    posenc_view view;
    return check_tensor(NULL, NULL, posenc_view_make(&view, data, dtype, rank, shape, NULL));
}

static void empty_tables_are_healthy(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {{0, 5, 0}, {5, 0, 0}, {0, 0, 0}, {0, 4, 5},
                                        {3, 0, 5}, {3, 4, 0}, {1, 0, 5}, {0, 1, 5}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        posenc_check_report report = check_shape(NULL, POSENC_F32, i < 3 ? 2 : 3, shapes[i]);
        check(report.healthy && report.n_findings == 0 && report.looked_at == 0 && report.match.scheme == NULL, "%zu",
              i);
        check(isnan(report.minimum) && isnan(report.effective_dimension) && report.rank == -1, "%zu", i);
        check(report.extensions[0].length == 0 && report.n_errors == 0 && report.first_imprecise == -1, "%zu", i);
    }
}

/* One value, one row, one column, nothing but NaN, zeros, the largest numbers: all fine to ask about. */
static void odd_tables_are_fine(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 1}, {1, 100}, {100, 1}, {2, 2}, {2000, 1}, {1, 5000}};
    const double values[] = {(double)NAN, 0, -0.0, HUGE_VAL, 1, 65504, 1e-8, 1e300};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            for (int i = 0; i < 4; i++) {
                table t = table_make(shapes[s][0], shapes[s][1], encoding_dtypes[i]);
                for (int64_t r = 0; r < t.rows; r++)
                    for (int64_t c = 0; c < t.dim; c++) table_set(&t, r, c, values[v]);
                posenc_check_report report = check_table(&t, NULL);
                if (v == 0) must_find(&report, POSENC_FINDING_NAN, POSENC_LEVEL_ERROR, 0, 0, (double)(t.rows * t.dim));
                check(isnan(report.minimum) == !isfinite(table_get(&t, 0, 0)), "%g", report.minimum);
                table_free(&t);
            }
    table t = learned_table(40, 20, POSENC_F64, "large"); /* squares overflow */
    for (int64_t r = 0; r < t.rows; r++)
        for (int64_t c = 0; c < t.dim; c++) table_set(&t, r, c, 1e250 * table_get(&t, r, c));
    posenc_check_report report = check_table(&t, NULL);
    check(report.rank == 20 && report.effective_dimension > 1, "%lld", (long long)report.rank);
    table_free(&t);
}

/* ---- the door ---- */

typedef struct good {
    table t;
    posenc_view view;
    DLTensor *tensor;
    posenc_check_options options;
    posenc_check_report report, before;
} good;

static void good_make(good *g) {
    static const int64_t shape[] = {20, 8};
    memset(g, 0, sizeof *g);
    g->t = sinusoidal_table(20, 8, POSENC_F32);
    g->tensor = posenc_view_make(&g->view, g->t.data, POSENC_F32, 2, shape, NULL);
    posenc_check_default(&g->options, sizeof g->options);
    memset(&g->report, 0x5A, sizeof g->report);
    g->report.size = sizeof g->report;
}

static void refuse(good *g, const char *what, posenc_status expected, const char *argument) {
    posenc_error error = error_blank();
    g->before = g->report;
    must_refuse(what, posenc_check(NULL, &g->options, g->tensor, &g->report, &error), expected, &error, argument);
    check(memcmp(&g->before, &g->report, sizeof g->report) == 0, "%s: the report was written", what);
    assert_int_equal(posenc_check(NULL, &g->options, g->tensor, &g->report, NULL), expected);
    table_free(&g->t);
}

static void refusals(void **state) {
    (void)state;
    good g;
    good_make(&g), g.options.size = sizeof g.options + 8;
    refuse(&g, "options of a newer library", POSENC_ERROR_ARGUMENT, "options.size");
    good_make(&g), g.options.padding_idx = 20;
    refuse(&g, "padding behind the table", POSENC_ERROR_ARGUMENT, "padding_idx");
    good_make(&g), g.options.padding_idx = -2;
    refuse(&g, "padding before the table", POSENC_ERROR_ARGUMENT, "padding_idx");
    good_make(&g), g.report.size = sizeof g.report + 1;
    refuse(&g, "a report of a newer library", POSENC_ERROR_ARGUMENT, "report.size");
    good_make(&g), g.report.size = 3;
    refuse(&g, "a report without room for its size", POSENC_ERROR_ARGUMENT, "report.size");
    good_make(&g), g.tensor->dtype.bits = 8, g.tensor->dtype.code = kDLUInt;
    refuse(&g, "bytes", POSENC_ERROR_DTYPE, "table");
    good_make(&g), g.tensor->device.device_type = kDLCUDA;
    refuse(&g, "another device", POSENC_ERROR_DEVICE, "table");
    good_make(&g), g.tensor->ndim = 1;
    refuse(&g, "rank 1", POSENC_ERROR_SHAPE, "table");
    good_make(&g), g.tensor = NULL;
    refuse(&g, "no table", POSENC_ERROR_ARGUMENT, "table");
    posenc_error error = error_blank();
    good_make(&g);
    must_refuse("no report", posenc_check(NULL, NULL, g.tensor, NULL, &error), POSENC_ERROR_ARGUMENT, &error, "report");
    table_free(&g.t);
}

static void refusals_of_batches(void **state) {
    (void)state;
    good g;
    static const int64_t shape[] = {4, 5, 8}, bytes_shape[] = {4, 5, 32};
    good_make(&g), g.tensor = posenc_view_make(&g.view, g.t.data, POSENC_F32, 3, shape, NULL);
    refuse(&g, "a batch of different tables", POSENC_ERROR_SHAPE, "table");
    good_make(&g), g.tensor = posenc_view_make(&g.view, g.t.data, POSENC_U8, 3, bytes_shape, NULL);
    refuse(&g, "a batch of bytes", POSENC_ERROR_DTYPE, "table");
    good_make(&g), g.tensor = posenc_view_make(&g.view, g.t.data, POSENC_F32, 3, shape, NULL);
    g.tensor->device.device_type = kDLCUDA;
    refuse(&g, "a batch on another device", POSENC_ERROR_DEVICE, "table");
}

static void refusals_beside_a_plan(void **state) {
    (void)state;
    good g;
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 9}), *fits = must_plan(NULL, &(plan_shape){.dim = 8});
    good_make(&g), g.options.plan = plan;
    refuse(&g, "a plan of another width", POSENC_ERROR_SHAPE, "table");
    good_make(&g), g.options.plan = fits, g.options.start = INT64_MAX - 18;
    refuse(&g, "positions past the last", POSENC_ERROR_ARGUMENT, "start");
    good_make(&g), g.options.plan = fits, g.options.start = INT64_MAX - 19; /* the last one */
    g.report = check_table(&g.t, &g.options);
    check(has_finding(&g.report, POSENC_FINDING_OTHER_SCHEME), "%s", findings_text(&g.report));
    table_free(&g.t);
    posenc_plan_destroy(plan);
    posenc_plan_destroy(fits);
}

/* A caller that knows less of a report gets the beginning of it, and nothing behind. */
static void a_shorter_report_is_filled(void **state) {
    (void)state;
    table t = faulty_table(POSENC_F32);
    posenc_check_report all = check_table(&t, NULL);
    static const size_t sizes[] = {sizeof(size_t), offsetof(posenc_check_report, match),
                                   offsetof(posenc_check_report, n_findings)};
    for (int i = 0; i < 3; i++) {
        unsigned char bytes[sizeof all];
        posenc_check_report *report = (posenc_check_report *)(void *)bytes;
        posenc_view view;
        memset(bytes, 0xA5, sizeof bytes);
        memcpy(bytes, &sizes[i], sizeof sizes[i]);
        const int64_t shape[] = {t.rows, t.dim};
        DLTensor *tensor = posenc_view_make(&view, t.data, t.dtype, 2, shape, NULL);
        posenc_check_report known;
        memcpy(&known, bytes, sizeof known);
        assert_int_equal(posenc_check(NULL, NULL, tensor, report, NULL), POSENC_OK);
        assert_memory_equal(bytes, &sizes[i], sizeof sizes[i]);
        assert_memory_equal(bytes + sizeof(size_t), (unsigned char *)&all + sizeof(size_t), sizes[i] - sizeof(size_t));
        for (size_t k = sizes[i]; k < sizeof bytes; k++) check(bytes[k] == 0xA5, "byte %zu", k);
    }
    table_free(&t);
}

static void names_are_known(void **state) {
    (void)state;
    assert_string_equal(posenc_finding_name(POSENC_FINDING_NAN), "nan");
    assert_string_equal(posenc_finding_name(POSENC_FINDING_DOUBLED_EXPONENT), "doubled-exponent");
    assert_string_equal(posenc_finding_name(POSENC_FINDING_COUNT), "unknown");
    assert_string_equal(posenc_finding_name((posenc_finding_kind)-1), "unknown");
    assert_string_equal(posenc_level_name((posenc_level)0), "unknown");
    assert_string_equal(posenc_level_name((posenc_level)4), "unknown");
    assert_string_equal(posenc_level_name(POSENC_LEVEL_WARNING), "warning");
    assert_string_equal(posenc_look_name(POSENC_LOOK_COUNT), "unknown");
    for (int i = 0; i < POSENC_FINDING_COUNT; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(posenc_finding_name((posenc_finding_kind)i),
                                    posenc_finding_name((posenc_finding_kind)j));
    for (int i = 0; i < POSENC_LOOK_COUNT; i++) assert_string_not_equal(posenc_look_name((posenc_look)i), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_do_not_matter),      cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(batches_are_seen_through),   cmocka_unit_test(empty_tables_are_healthy),
        cmocka_unit_test(odd_tables_are_fine),        cmocka_unit_test(refusals),
        cmocka_unit_test(refusals_of_batches),        cmocka_unit_test(refusals_beside_a_plan),
        cmocka_unit_test(a_shorter_report_is_filled), cmocka_unit_test(names_are_known),
    };
    return TEST_RUN(tests);
}
