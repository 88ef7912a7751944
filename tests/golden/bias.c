/* The records of vectors.json about score biases: slopes for 1..16 heads, buckets, window indices. */
#include <stdlib.h>
#include <string.h>

#include "support/biases.h"
#include "support/tensors.h"
#include "support/test.h"
#include "vectors.h"

static json_int_t integer(const json_t *record, const char *name) {
    return json_integer_value(json_object_get(record, name));
}

/* Runs check_one on every record of a scheme; returns how many there are. */
static int each(const char *scheme, void (*check_one)(const json_t *record)) {
    json_t *root = vectors_load(POSENC_VECTORS);
    int n = 0;
    for (size_t i = 0; i < vectors_count(root); i++) {
        json_t *record = vectors_at(root, i, scheme);
        if (record) check_one(record), n++;
    }
    json_decref(root);
    return n;
}

/* Slopes to the last bit: the bias of distance 1, and that of -1000 rounded once more. */
static void check_slopes(const json_t *record) {
    const json_t *slopes = json_object_get(record, "slopes");
    char heads[32];
    snprintf(heads, sizeof heads, "heads=%d", (int)integer(record, "heads"));
    posenc_plan *plan = must_bias_plan(NULL, "alibi", (const char *const[]){heads, NULL});
    bias_facts facts = bias_facts_of(plan);
    assert_int_equal(json_array_size(slopes), facts.heads);
    for (int64_t h = 0; h < facts.heads; h++) {
        double want = strtod(json_string_value(json_array_get(slopes, (size_t)h)), NULL), slow;
        check(facts.slopes[h] == want, "%lld heads, head %lld: expected %.17g, got %.17g", (long long)facts.heads,
              (long long)h, want, facts.slopes[h]);
        assert_int_equal(posenc_plan_equation(plan, -1000, h, &slow), POSENC_OK);
        check(slow <= want * -999.9999999999999 && slow >= want * -1000.0000000000001, "equation of head %lld: %.17g",
              (long long)h, slow);
    }
    bias_facts_end(&facts);
    posenc_plan_destroy(plan);
}

static void test_slopes(void **state) {
    (void)state;
    assert_int_equal(each("alibi", check_slopes), 16);
}

static void check_buckets(const posenc_plan *plan, const json_t *record, int sign) {
    const json_t *buckets = json_object_get(record, "buckets");
    json_int_t from = integer(record, "from"), to = integer(record, "to");
    assert_int_equal(json_array_size(buckets), to - from + 1);
    for (json_int_t r = from; r <= to; r++) {
        int64_t want = json_integer_value(json_array_get(buckets, (size_t)(r - from))), got;
        double slow;
        assert_int_equal(posenc_bias_bucket(plan, sign * r, &got, NULL), POSENC_OK);
        assert_int_equal(posenc_plan_equation(plan, (double)(sign * r), 0, &slow), POSENC_OK);
        check(got == want && slow == (double)want, "%s at %lld: expected %lld, got %lld, and %g by the equation",
              posenc_plan_scheme(plan), (long long)r, (long long)want, (long long)got, slow);
    }
}

static void check_t5(const json_t *record) {
    bool causal = strstr(json_string_value(json_object_get(record, "id")), "causal");
    const char *way = causal ? "bidirectional=false" : "bidirectional=true";
    posenc_plan *plan = must_bias_plan(NULL, "t5", (const char *const[]){"heads=2", way, NULL});
    check_buckets(plan, record, 1);
    posenc_plan_destroy(plan);
}

static void check_deberta(const json_t *record) {
    posenc_plan *plan = must_bias_plan(NULL, "deberta", (const char *const[]){NULL});
    check_buckets(plan, record, -1); /* the record counts i - j */
    posenc_plan_destroy(plan);
}

static void test_buckets(void **state) {
    (void)state;
    assert_int_equal(each("t5", check_t5), 2);
    assert_int_equal(each("deberta", check_deberta), 1);
}

static void check_swin(const json_t *record) {
    const json_t *window = json_object_get(record, "window"), *index = json_object_get(record, "index");
    int height = (int)json_integer_value(json_array_get(window, 0)),
        width = (int)json_integer_value(json_array_get(window, 1));
    int64_t n = height * width, got[36] = {0};
    char texts[2][32];
    snprintf(texts[0], 32, "window-height=%d", height);
    snprintf(texts[1], 32, "window-width=%d", width);
    posenc_plan *plan = must_bias_plan(NULL, "swin", (const char *const[]){"heads=1", texts[0], texts[1], NULL});
    posenc_view view;
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = extent.keys = n;
    DLTensor *out = posenc_view_make(&view, got, POSENC_I64, 2, (int64_t[]){n, n}, NULL);
    assert_int_equal(posenc_bias_index(plan, &extent, out, NULL), POSENC_OK);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            json_int_t want = json_integer_value(json_array_get(json_array_get(index, (size_t)i), (size_t)j));
            check(got[i * n + j] == want, "%dx%d at %lld, %lld: expected %lld, got %lld", height, width, (long long)i,
                  (long long)j, (long long)want, (long long)got[i * n + j]);
        }
    posenc_plan_destroy(plan);
}

static void test_windows(void **state) {
    (void)state;
    assert_int_equal(each("swin", check_swin), 3);
}

/* A list of slopes goes in and out as text, and through head offsets. */
static void test_own_slopes(void **state) {
    (void)state;
    posenc_plan *plan =
        must_bias_plan(NULL, "alibi", (const char *const[]){"heads=3", "slopes=0.5,-1.25,3.0000000000000004", NULL});
    bias_facts facts = bias_facts_of(plan);
    char text[128];
    assert_true(facts.slopes[0] == 0.5 && facts.slopes[1] == -1.25 && facts.slopes[2] == 0x1.8000000000001p+1);
    assert_int_equal(posenc_plan_parameter(plan, "slopes", text, sizeof text), POSENC_OK);
    assert_string_equal(text, "0.5,-1.25,3.0000000000000004");
    bias_facts_end(&facts);
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_own_slopes),
    };
    return TEST_RUN(tests);
}
