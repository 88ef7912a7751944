/* What the similarity calls refuse, in the library's one form, with outputs as they were. */
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "diagnose/cosines.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

enum { LENGTH = 6, DIM = 4, N = LENGTH * LENGTH };

static float table[LENGTH * DIM], before[N], out[N];
static posenc_similarity *object;

static int make_object(void **state) {
    (void)state;
    for (int i = 0; i < LENGTH * DIM; i++) table[i] = (float)(i * i % 7) - 2;
    memset(before, 0x5A, sizeof before);
    memcpy(out, before, sizeof out);
    object = must_similarity(NULL, POSENC_F32, table, LENGTH, DIM);
    return 0;
}

static int end_object(void **state) {
    (void)state;
    posenc_similarity_destroy(object);
    posenc_similarity_destroy(NULL);
    return 0;
}

static void check_untouched(const char *what) {
    check(memcmp(out, before, sizeof out) == 0, "%s: the output was written", what);
}

/* ---- create ---- */

static void refuse_table(const char *what, const DLTensor *tensor, posenc_status expected) {
    posenc_error error = error_blank();
    posenc_similarity *made = object;
    must_refuse(what, posenc_similarity_create(NULL, tensor, &made, &error), expected, &error, "table");
    check(made == object, "%s: *out was written", what);
    assert_int_equal(posenc_similarity_create(NULL, tensor, &made, NULL), expected);
}

static void refuse_shape(const char *what, int rank, const int64_t *shape, posenc_dtype dtype, posenc_status expected) {
    posenc_view view;
    refuse_table(what, posenc_view_make(&view, table, dtype, rank, shape, NULL), expected);
}

static void test_tables(void **state) {
    (void)state;
    posenc_view view;
    refuse_table("no table", NULL, POSENC_ERROR_ARGUMENT);
    refuse_shape("rank 0", 0, NULL, POSENC_F32, POSENC_ERROR_SHAPE);
    refuse_shape("rank 1", 1, (int64_t[]){4}, POSENC_F32, POSENC_ERROR_SHAPE);
    refuse_shape("a batch", 3, (int64_t[]){2, 3, 4}, POSENC_F32, POSENC_ERROR_SHAPE);
    refuse_shape("rank 4", 4, (int64_t[]){1, 1, 3, 4}, POSENC_F32, POSENC_ERROR_SHAPE);
    refuse_shape("integers", 2, (int64_t[]){2, 2}, POSENC_I32, POSENC_ERROR_DTYPE);
    refuse_shape("a negative extent", 2, (int64_t[]){-1, 2}, POSENC_F32, POSENC_ERROR_SHAPE);
    DLTensor *tensor = posenc_view_make(&view, table, POSENC_F32, 2, (int64_t[]){2, 2}, NULL);
    tensor->device.device_type = kDLCUDA;
    refuse_table("another device", tensor, POSENC_ERROR_DEVICE);
    tensor = posenc_view_make(&view, NULL, POSENC_F32, 2, (int64_t[]){2, 2}, NULL);
    refuse_table("no memory", tensor, POSENC_ERROR_ARGUMENT);
    posenc_error error = error_blank();
    tensor = posenc_view_make(&view, table, POSENC_F32, 2, (int64_t[]){2, 2}, NULL);
    must_refuse("no out", posenc_similarity_create(NULL, tensor, NULL, &error), POSENC_ERROR_ARGUMENT, &error, "out");
}

/* A machine of little memory: a real one's allocator, asked for too much, may end a sanitizer's run. */
static void *allocate_little(void *user, size_t bytes, size_t alignment) {
    (void)user;
    return bytes < (size_t)1 << 20 ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment) : NULL;
}

static void release_little(void *user, void *pointer, size_t bytes) {
    (void)user;
    (void)bytes;
    free(pointer);
}

static posenc_context *little_context(void) {
    posenc_context *context = NULL;
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    options.allocate = allocate_little;
    options.release = release_little;
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    return context;
}

/* A table of stride 0 has any size without memory; its rows would have none. */
static void test_tables_beyond_memory(void **state) {
    (void)state;
    posenc_view view;
    posenc_context *context = little_context();
    const int64_t shapes[][2] = {{INT64_MAX, 1}, {INT64_MAX / 4, 4}, {1, INT64_MAX}, {INT64_C(1) << 40, 1 << 20}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        posenc_error error = error_blank();
        posenc_similarity *made = object;
        DLTensor *tensor = posenc_view_make(&view, table, POSENC_F32, 2, shapes[i], (int64_t[]){0, 0});
        posenc_status status = posenc_similarity_create(context, tensor, &made, &error);
        must_refuse("a size beyond memory", status, POSENC_ERROR_MEMORY, &error, NULL);
        check(made == object, "*out was written");
    }
    posenc_context_destroy(context);
}

/* ---- rows and reduced ---- */

typedef posenc_status output_call(DLTensor *tensor, posenc_error *error);

static posenc_status call_rows(DLTensor *tensor, posenc_error *error) {
    return posenc_similarity_rows(object, 0, tensor, error);
}

static posenc_status call_reduced(DLTensor *tensor, posenc_error *error) {
    return posenc_similarity_reduced(object, tensor, error);
}

static void refuse_output(const char *what, output_call *call, DLTensor *tensor, posenc_status expected) {
    posenc_error error = error_blank();
    must_refuse(what, call(tensor, &error), expected, &error, "out");
    assert_int_equal(call(tensor, NULL), expected);
    check_untouched(what);
}

static void test_outputs(void **state) {
    (void)state;
    output_call *const calls[] = {call_rows, call_reduced};
    for (int i = 0; i < 2; i++) {
        posenc_view v;
        const int64_t whole[] = {LENGTH, LENGTH}, wide[] = {2, LENGTH + 1}, tall[] = {LENGTH + 1, LENGTH + 1};
        refuse_output("no output", calls[i], NULL, POSENC_ERROR_ARGUMENT);
        refuse_output("rank 1", calls[i], posenc_view_make(&v, out, POSENC_F32, 1, whole, NULL), POSENC_ERROR_SHAPE);
        refuse_output("f64", calls[i], posenc_view_make(&v, out, POSENC_F64, 2, (int64_t[]){2, 2}, NULL),
                      POSENC_ERROR_DTYPE);
        refuse_output("too wide", calls[i], posenc_view_make(&v, out, POSENC_F32, 2, wide, NULL), POSENC_ERROR_SHAPE);
        refuse_output("too large", calls[i], posenc_view_make(&v, out, POSENC_F32, 2, tall, NULL), POSENC_ERROR_SHAPE);
        refuse_output("strides", calls[i], posenc_view_make(&v, out, POSENC_F32, 2, whole, (int64_t[]){1, LENGTH}),
                      POSENC_ERROR_SHAPE);
        refuse_output("gaps", calls[i],
                      posenc_view_make(&v, out, POSENC_F32, 2, (int64_t[]){3, 3}, (int64_t[]){LENGTH + 1, 1}),
                      POSENC_ERROR_SHAPE);
        refuse_output("one element", calls[i], posenc_view_make(&v, out, POSENC_F32, 2, whole, (int64_t[]){0, 0}),
                      POSENC_ERROR_SHAPE);
        DLTensor *far = posenc_view_make(&v, out, POSENC_F32, 2, whole, NULL);
        far->device.device_type = kDLCUDA;
        refuse_output("another device", calls[i], far, POSENC_ERROR_DEVICE);
    }
}

static void test_rows(void **state) {
    (void)state;
    posenc_view v;
    const int64_t bad[] = {-1, 5, LENGTH, LENGTH + 1, INT64_MAX, INT64_MIN};
    DLTensor *two = posenc_view_make(&v, out, POSENC_F32, 2, (int64_t[]){2, LENGTH}, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        posenc_error error = error_blank();
        must_refuse("first", posenc_similarity_rows(object, bad[i], two, &error), POSENC_ERROR_ARGUMENT, &error,
                    "first");
        check_untouched("first");
    }
    posenc_error error = error_blank();
    posenc_status status = posenc_similarity_rows(NULL, 0, two, &error);
    must_refuse("no object", status, POSENC_ERROR_ARGUMENT, &error, "similarity");
    check_untouched("no object");
    two->shape[0] = 0; /* no rows at the very end are rows */
    assert_int_equal(posenc_similarity_rows(object, LENGTH, two, NULL), POSENC_OK);
    check_untouched("no rows");
}

static void test_sides(void **state) {
    (void)state;
    posenc_view v;
    const int64_t bad[][2] = {{0, 0}, {2, 3}, {3, 2}, {0, 1}, {LENGTH, LENGTH - 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse_output("side", call_reduced, posenc_view_make(&v, out, POSENC_F32, 2, bad[i], NULL), POSENC_ERROR_SHAPE);
    posenc_error error = error_blank();
    DLTensor *good = posenc_view_make(&v, out, POSENC_F32, 2, (int64_t[]){2, 2}, NULL);
    posenc_status status = posenc_similarity_reduced(NULL, good, &error);
    must_refuse("no object", status, POSENC_ERROR_ARGUMENT, &error, "similarity");
}

/* ---- summary ---- */

static void test_summary(void **state) {
    (void)state;
    double curve[LENGTH], kept[LENGTH];
    posenc_similarity_report report, report_before;
    const size_t sizes[] = {0, 1, sizeof(size_t) - 1, sizeof report + 1, SIZE_MAX};
    memset(curve, 0x5A, sizeof curve);
    memcpy(kept, curve, sizeof kept);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        posenc_error error = error_blank();
        memset(&report, 0x5A, sizeof report);
        report.size = sizes[i];
        report_before = report;
        posenc_status status = posenc_similarity_summary(object, curve, &report, &error);
        must_refuse("report.size", status, POSENC_ERROR_ARGUMENT, &error, "report.size");
        check(memcmp(&report, &report_before, sizeof report) == 0 && memcmp(curve, kept, sizeof kept) == 0, "written");
    }
    posenc_error error = error_blank();
    must_refuse("no report", posenc_similarity_summary(object, curve, NULL, &error), POSENC_ERROR_ARGUMENT, &error,
                "report");
    error = error_blank();
    report.size = sizeof report;
    must_refuse("no object", posenc_similarity_summary(NULL, curve, &report, &error), POSENC_ERROR_ARGUMENT, &error,
                "similarity");
    check(memcmp(curve, kept, sizeof kept) == 0, "the curve was written");
}

/* ---- expected ---- */

static void refuse_expected(const char *what, const posenc_plan *plan, int64_t length, double *curve,
                            posenc_status expected, const char *argument) {
    posenc_error error = error_blank();
    must_refuse(what, posenc_similarity_expected(plan, length, curve, &error), expected, &error, argument);
    assert_int_equal(posenc_similarity_expected(plan, length, curve, NULL), expected);
}

static void test_expected(void **state) {
    (void)state;
    double curve[3] = {7, 8, 9};
    posenc_context *context = little_context();
    posenc_plan *odd = must_plan(NULL, &(plan_shape){.dim = 7}), *even = must_plan(context, &(plan_shape){.dim = 8});
    refuse_expected("no plan", NULL, 3, curve, POSENC_ERROR_ARGUMENT, "plan");
    refuse_expected("an odd width", odd, 3, curve, POSENC_ERROR_ARGUMENT, "plan");
    refuse_expected("a negative length", even, -1, curve, POSENC_ERROR_ARGUMENT, "length");
    refuse_expected("a length that wraps", even, INT64_MAX, curve, POSENC_ERROR_ARGUMENT, "length");
    refuse_expected("a length beyond memory", even, INT64_C(1) << 50, curve, POSENC_ERROR_MEMORY, NULL);
    refuse_expected("no curve", even, 3, NULL, POSENC_ERROR_ARGUMENT, "out");
    check(curve[0] == 7 && curve[1] == 8 && curve[2] == 9, "the curve was written");
    posenc_plan_destroy(even);
    posenc_plan_destroy(odd);
    posenc_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),   cmocka_unit_test(test_tables_beyond_memory),
        cmocka_unit_test(test_outputs),  cmocka_unit_test(test_rows),
        cmocka_unit_test(test_sides),    cmocka_unit_test(test_summary),
        cmocka_unit_test(test_expected),
    };
    test_announce_seed();
    return cmocka_run_group_tests(tests, make_object, end_object);
}
