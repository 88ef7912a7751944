/* Buckets and biases of T5, DeBERTa and Swin beside what published implementations gave (scripts/golden/biases.py says
 * which): every bucket of every distance below 10^5, every index and every bias, without tolerance. */
#include <stdio.h>
#include <stdlib.h>

#include "bias_published_file.h"
#include "support/tensors.h"
#include "support/test.h"

enum { NEAR = 100000, ALL = 2 * NEAR - 1 };

/* ---- buckets ---- */

/* What posenc_bias_index writes for one query in the middle of the keys. */
static int32_t *index_row(const posenc_plan *plan) {
    int32_t *row = must_allocate(ALL * sizeof *row);
    posenc_error error = {.message = ""};
    posenc_view view;
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = 1, extent.keys = ALL, extent.offset = NEAR - 1;
    check(posenc_bias_index(plan, &extent, posenc_view_make(&view, row, POSENC_I32, 2, (int64_t[]){1, ALL}, NULL),
                            &error) == POSENC_OK,
          "%s", error.message);
    return row;
}

static void check_runs(bias_file *f, const char *scheme) {
    const DLTensor *begin = bias_file_tensor(f, "begin"), *bucket = bias_file_tensor(f, "bucket");
    posenc_plan *plan = bias_file_plan(f, scheme, NULL);
    int32_t *row = index_row(plan);
    int64_t distance = 1 - NEAR, n = bias_file_elements(begin);
    assert_true(bias_file_elements(bucket) == n && bias_file_integer(begin, 0) == distance);
    for (int64_t run = 0; run < n; run++) {
        int64_t end = run + 1 < n ? bias_file_integer(begin, run + 1) : NEAR, want = bias_file_integer(bucket, run);
        for (; distance < end; distance++) {
            int64_t got = INT64_MIN;
            assert_int_equal(posenc_bias_bucket(plan, distance, &got, NULL), POSENC_OK);
            check(got == want && row[distance + NEAR - 1] == want,
                  "%s %s, distance %lld: expected bucket %lld, got %lld, and %d from posenc_bias_index", scheme,
                  f->name, (long long)distance, (long long)want, (long long)got, (int)row[distance + NEAR - 1]);
        }
    }
    assert_int_equal(distance, NEAR);
    free(row);
    posenc_plan_destroy(plan);
}

static void check_file_of_runs(const char *scheme, int cases) {
    bias_file file;
    int found = 0;
    for (bias_file_open(&file, scheme); bias_file_next(&file);)
        if (bias_file_has(&file, "begin")) check_runs(&file, scheme), found++;
    assert_int_equal(found, cases);
    bias_file_close(&file);
}

static void test_t5_buckets(void **state) {
    (void)state;
    check_file_of_runs("t5", 16);
}

static void test_deberta_buckets(void **state) {
    (void)state;
    check_file_of_runs("deberta", 5);
}

/* ---- biases of a table ---- */

static posenc_bias_extent extent_of(int64_t queries, int64_t keys, int64_t offset) {
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = queries, extent.keys = keys, extent.offset = offset;
    return extent;
}

/* Where element at of (heads, queries, keys) stands. */
static const char *place(const DLTensor *t, int64_t at) {
    static char text[96];
    int64_t queries = t->shape[1], keys = t->shape[2];
    snprintf(text, sizeof text, "head %lld, query %lld, key %lld", (long long)(at / (queries * keys)),
             (long long)(at / keys % queries), (long long)(at % keys));
    return text;
}

static void check_same(const bias_file *f, const DLTensor *bias, const float *got) {
    for (int64_t at = 0; at < bias_file_elements(bias); at++)
        check(got[at] == bias_file_floats(bias)[at], "%s, %s: expected %.9g, got %.9g", f->name, place(bias, at),
              (double)bias_file_floats(bias)[at], (double)got[at]);
}

static void check_written(bias_file *f, const posenc_plan *plan, const posenc_bias_extent *extent,
                          const DLTensor *table, const DLTensor *bias) {
    float *got = must_allocate((size_t)bias_file_elements(bias) * sizeof *got);
    posenc_view view;
    posenc_error error = {.message = ""};
    DLTensor *out = posenc_view_make(&view, got, POSENC_F32, 3, bias->shape, NULL);
    check(posenc_bias_write(plan, extent, table, out, &error) == POSENC_OK, "%s: %s", f->name, error.message);
    check_same(f, bias, got);
    free(got);
}

/* Row i of head h is a window into the vector of that head. */
static void check_vector(bias_file *f, const posenc_plan *plan, const posenc_bias_extent *extent, const DLTensor *table,
                         const DLTensor *bias) {
    int64_t heads = bias->shape[0], queries = bias->shape[1], keys = bias->shape[2], length = queries + keys - 1;
    float *vector = must_allocate((size_t)(heads * length) * sizeof *vector);
    float *got = must_allocate((size_t)(heads * queries * keys) * sizeof *got);
    posenc_view view;
    posenc_error error = {.message = ""};
    DLTensor *out = posenc_view_make(&view, vector, POSENC_F32, 2, (int64_t[]){heads, length}, NULL);
    check(posenc_bias_vector(plan, extent, table, out, &error) == POSENC_OK, "%s: %s", f->name, error.message);
    for (int64_t at = 0; at < heads * queries * keys; at++)
        got[at] = vector[at / (queries * keys) * length + queries - 1 - at / keys % queries + at % keys];
    check_same(f, bias, got);
    free(got);
    free(vector);
}

static void test_t5_biases(void **state) {
    (void)state;
    bias_file file;
    int found = 0;
    for (bias_file_open(&file, "t5"); bias_file_next(&file);) {
        if (!bias_file_has(&file, "bias")) continue;
        const DLTensor *table = bias_file_tensor(&file, "table"), *bias = bias_file_tensor(&file, "bias");
        posenc_plan *plan = bias_file_plan(&file, "t5", NULL);
        posenc_bias_extent extent = extent_of(bias->shape[1], bias->shape[2], bias_file_number(&file, "offset"));
        check_written(&file, plan, &extent, table, bias);
        check_vector(&file, plan, &extent, table, bias);
        posenc_plan_destroy(plan);
        found++;
    }
    assert_int_equal(found, 5);
    bias_file_close(&file);
}

/* ---- windows ---- */

static void check_window(bias_file *f, const posenc_plan *plan) {
    const DLTensor *index = bias_file_tensor(f, "index");
    int64_t tokens = index->shape[0];
    int32_t *got = must_allocate((size_t)(tokens * tokens) * sizeof *got);
    posenc_view view;
    posenc_error error = {.message = ""};
    posenc_bias_extent extent = extent_of(tokens, tokens, POSENC_BIAS_OFFSET_AUTO);
    DLTensor *out = posenc_view_make(&view, got, POSENC_I32, 2, index->shape, NULL);
    check(posenc_bias_index(plan, &extent, out, &error) == POSENC_OK, "%s: %s", f->name, error.message);
    for (int64_t at = 0; at < tokens * tokens; at++)
        check(got[at] == bias_file_integer(index, at), "window %s, tokens %lld and %lld: expected row %lld, got %d",
              f->name, (long long)(at / tokens), (long long)(at % tokens), (long long)bias_file_integer(index, at),
              (int)got[at]);
    free(got);
    if (bias_file_has(f, "bias"))
        check_written(f, plan, &extent, bias_file_tensor(f, "table"), bias_file_tensor(f, "bias"));
}

static void test_swin(void **state) {
    (void)state;
    bias_file file;
    int found = 0, with_bias = 0;
    for (bias_file_open(&file, "swin"); bias_file_next(&file); found++) {
        posenc_plan *plan = bias_file_plan(&file, "swin", NULL);
        check_window(&file, plan);
        with_bias += bias_file_has(&file, "bias");
        posenc_plan_destroy(plan);
    }
    assert_true(found == 7 && with_bias == 6);
    bias_file_close(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t5_buckets),
        cmocka_unit_test(test_deberta_buckets),
        cmocka_unit_test(test_t5_biases),
        cmocka_unit_test(test_swin),
    };
    return TEST_RUN(tests);
}
