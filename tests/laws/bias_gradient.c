/* Gradients of trained tables and of slopes: the sum that their definition says, the adjoint of what is added, finite
 * differences, and the same bits for every number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/biases.h"
#include "support/isa.h"
#include "support/number.h"
#include "support/strided.h"
#include "support/tensors.h"
#include "support/test.h"

enum { CALLS = 120 };

static int64_t gradient_elements(const bias_call *c) {
    return c->facts.heads * (c->facts.table_rows > 0 ? c->facts.table_rows : 1);
}

static DLTensor *gradient_view(const bias_call *c, posenc_view *view, void *data, posenc_dtype dtype) {
    const int64_t shape[] = {c->facts.table_rows, c->facts.heads};
    int rank = c->facts.table_rows > 0 ? 2 : 1;
    return posenc_view_make(view, data, dtype, rank, shape + (2 - rank), NULL);
}

/* What scores of a place mean for the gradient: element and factor. */
static int64_t share_of(const bias_call *c, int64_t head, int64_t position, int64_t key, long double *factor) {
    *factor = 1;
    if (c->facts.table_rows > 0) return bias_row(&c->facts, position, key) * c->facts.heads + head;
    int64_t distance = c->facts.key_form ? key : key - position;
    *factor = c->facts.symmetric ? -fabsl((long double)distance) : (long double)distance;
    return head;
}

/* The definition, in long double: sums, and the sums of sizes that rounding is measured by. */
static void slow_gradient(const bias_call *c, const strided *ds, long double *sums, long double *sizes) {
    for (int64_t at = 0; at < strided_elements(ds); at++) {
        int64_t position, key, line = at / c->n_keys / c->n_queries, head = line % c->facts.heads;
        if (!bias_call_sees(c, line / c->facts.heads, at / c->n_keys % c->n_queries, at % c->n_keys, &position, &key))
            continue;
        long double factor, value = (long double)number_decode(ds->dtype, number_load(ds->dtype, strided_at(ds, at)));
        int64_t e = share_of(c, head, position, key, &factor);
        sums[e] += value * factor;
        sizes[e] += fabsl(value * factor);
    }
}

static void check_gradient(const bias_call *c, random_state *random) {
    posenc_dtype dtype = encoding_dtypes[random_between(random, 0, 3)];
    const int64_t shape[] = {c->batch, c->facts.heads, c->n_queries, c->n_keys};
    int64_t n = gradient_elements(c);
    strided ds;
    strided_make(&ds, random, dtype, 4, shape, true);
    int64_t scores = strided_elements(&ds);
    char *values = must_allocate((size_t)scores * posenc_dtype_bytes(dtype) + 1);
    random_fill(random, dtype, values, scores);
    strided_put(&ds, values);
    long double *sums = calloc((size_t)n, sizeof *sums), *sizes = calloc((size_t)n, sizeof *sizes);
    slow_gradient(c, &ds, sums, sizes);
    for (int accumulate = 0; accumulate < 2; accumulate++) {
        double *wide = must_allocate((size_t)n * sizeof *wide);
        float *narrow = must_allocate((size_t)n * sizeof *narrow);
        for (int64_t i = 0; i < n; i++) wide[i] = 2.5, narrow[i] = 2.5f;
        posenc_view view;
        posenc_error error = {.message = ""};
        check(posenc_bias_backward(c->plan, &c->extent, &c->options, ds.tensor,
                                   gradient_view(c, &view, wide, POSENC_F64), accumulate, &error) == POSENC_OK,
              "%s: %s", bias_call_text(c), error.message);
        assert_int_equal(posenc_bias_backward(c->plan, &c->extent, &c->options, ds.tensor,
                                              gradient_view(c, &view, narrow, POSENC_F32), accumulate, NULL),
                         POSENC_OK);
        for (int64_t i = 0; i < n; i++) {
            long double scale = (long double)c->options.scale, want = scale * sums[i] + (accumulate ? 2.5L : 0);
            long double bound = scale * sizes[i] * 0x1p-52L * (long double)(scores + 4) + 0x1p-50L;
            check(fabsl((long double)wide[i] - want) <= bound, "%s: element %lld: expected %.17Lg, got %.17g",
                  bias_call_text(c), (long long)i, want, wide[i]);
            check(narrow[i] == (float)wide[i], "%s: element %lld: f64 %.17g, f32 %.9g", bias_call_text(c), (long long)i,
                  wide[i], (double)narrow[i]);
        }
        free(wide);
        free(narrow);
    }
    free(sums);
    free(sizes);
    free(values);
    strided_free(&ds);
}

static void test_definition(void **state) {
    (void)state;
    random_state random = random_start("bias gradient");
    for (int round = 0; round < CALLS; round++) {
        bias_call c;
        bias_call_make(&c, NULL, &random, true);
        check_gradient(&c, &random);
        bias_call_end(&c);
    }
}

/* ---- adjoint and finite differences, by the library's own forward ---- */

/* sum of dS * (what a table adds), in f64 without masks. */
static long double added(const bias_call *c, const double *table, const double *ds, int64_t n) {
    const int64_t shape[] = {c->batch, c->facts.heads, c->n_queries, c->n_keys};
    double *scores = calloc((size_t)n + 1, sizeof *scores);
    posenc_view view, table_view;
    void *data;
    memcpy(&data, &table, sizeof data);
    DLTensor *t =
        posenc_view_make(&table_view, data, POSENC_F64, 2, (int64_t[]){c->facts.table_rows, c->facts.heads}, NULL);
    DLTensor *s = posenc_view_make(&view, scores, POSENC_F64, 4, shape, NULL);
    assert_int_equal(posenc_bias_add(c->plan, &c->extent, &c->options, t, s, NULL), POSENC_OK);
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(scores[i])) sum += (long double)scores[i] * (long double)ds[i];
    free(scores);
    return sum;
}

/* The bias is linear in its table: <dS, B(T)> = <dT, T>, and one entry's difference is its gradient. */
static void check_adjoint(bias_call *c, random_state *random) {
    const int64_t shape[] = {c->batch, c->facts.heads, c->n_queries, c->n_keys};
    int64_t n = c->batch * c->facts.heads * c->n_queries * c->n_keys, rows = gradient_elements(c);
    double *ds = must_allocate((size_t)n * sizeof *ds + 1), *gradient = must_allocate((size_t)rows * sizeof *gradient);
    random_fill(random, POSENC_F64, ds, n);
    posenc_view view, gradient_memory;
    DLTensor *d = posenc_view_make(&view, ds, POSENC_F64, 4, shape, NULL);
    assert_int_equal(posenc_bias_backward(c->plan, &c->extent, &c->options, d,
                                          gradient_view(c, &gradient_memory, gradient, POSENC_F64), 0, NULL),
                     POSENC_OK);
    long double left = added(c, c->table, ds, n), right = 0, size = 1;
    for (int64_t i = 0; i < rows; i++) {
        right += (long double)gradient[i] * (long double)c->table[i];
        size += fabsl((long double)gradient[i] * (long double)c->table[i]);
    }
    size += 16 * (long double)n; /* no product is larger */
    check(fabsl(left - right) <= size * 1e-13L, "%s: %.17Lg and %.17Lg", bias_call_text(c), left, right);
    int64_t at = random_between(random, 0, rows - 1);
    double kept = c->table[at], step = 0x1p-10;
    c->table[at] = kept + step;
    long double up = added(c, c->table, ds, n);
    c->table[at] = kept - step;
    long double down = added(c, c->table, ds, n);
    c->table[at] = kept;
    check(fabsl((up - down) / (2 * (long double)step) - (long double)gradient[at]) <= size * 1e-10L,
          "%s: element %lld: difference %.17Lg, gradient %.17g", bias_call_text(c), (long long)at,
          (up - down) / (2 * (long double)step), gradient[at]);
    free(ds);
    free(gradient);
}

static void test_adjoint_and_differences(void **state) {
    (void)state;
    random_state random = random_start("bias adjoint");
    for (int checked = 0; checked < CALLS / 2;) {
        bias_call c;
        bias_call_make(&c, NULL, &random, true);
        if (c.facts.table_rows > 0) check_adjoint(&c, &random), checked++;
        bias_call_end(&c);
    }
}

/* Slopes as parameters: the plan with one slope moved. */
static void test_slope_differences(void **state) {
    (void)state;
    enum { Q = 40, K = 70 };
    random_state random = random_start("bias slope differences");
    static const char *const forms[] = {"form=causal", "form=key", "form=symmetric"};
    static const char *const slopes[] = {"slopes=0.75,0.25", "slopes=0.5,0.25", "slopes=0.25,0.25"};
    for (int f = 0; f < 3; f++) {
        static double ds[2 * Q * K], scores[2 * Q * K];
        double gradient[2] = {0, 0};
        long double sums[3] = {0, 0, 0};
        random_fill(&random, POSENC_F64, ds, 2 * Q * K);
        posenc_view view, out;
        posenc_bias_extent extent;
        posenc_bias_options options;
        posenc_bias_extent_default(&extent, sizeof extent);
        posenc_bias_options_default(&options, sizeof options);
        extent.queries = Q, extent.keys = K, options.scale = 3;
        DLTensor *d = posenc_view_make(&view, ds, POSENC_F64, 3, (int64_t[]){2, Q, K}, NULL);
        for (int s = 0; s < 3; s++) {
            posenc_plan *plan =
                must_bias_plan(NULL, "alibi", (const char *const[]){"heads=2", forms[f], slopes[s], NULL});
            posenc_view scores_view;
            memset(scores, 0, sizeof scores);
            DLTensor *t = posenc_view_make(&scores_view, scores, POSENC_F64, 3, (int64_t[]){2, Q, K}, NULL);
            assert_int_equal(posenc_bias_add(plan, &extent, &options, NULL, t, NULL), POSENC_OK);
            for (int i = 0; i < 2 * Q * K; i++) sums[s] += (long double)scores[i] * (long double)ds[i];
            DLTensor *g = posenc_view_make(&out, gradient, POSENC_F64, 1, (int64_t[]){2}, NULL);
            assert_int_equal(posenc_bias_backward(plan, &extent, &options, d, g, 0, NULL), POSENC_OK);
            posenc_plan_destroy(plan);
        }
        long double difference = (sums[0] - sums[2]) / 0.5L;
        check(fabsl(difference - (long double)gradient[0]) < 1e-7L, "%s: difference %.17Lg, gradient %.17g", forms[f],
              difference, gradient[0]);
    }
}

/* ---- heads one by one ---- */

static void check_heads(bias_call *c, random_state *random) {
    const int64_t heads = c->facts.heads, plane = c->n_queries * c->n_keys, rows = gradient_elements(c) / heads;
    double *ds = must_allocate((size_t)(heads * plane) * sizeof *ds + 1);
    double *whole = must_allocate((size_t)(rows * heads) * sizeof *whole),
           *one = must_allocate((size_t)rows * sizeof *one);
    random_fill(random, POSENC_F64, ds, heads * plane);
    posenc_view view, gradient;
    posenc_bias_extent e = c->extent;
    DLTensor *d = posenc_view_make(&view, ds, POSENC_F64, 3, (int64_t[]){heads, c->n_queries, c->n_keys}, NULL);
    assert_int_equal(
        posenc_bias_backward(c->plan, &e, &c->options, d, gradient_view(c, &gradient, whole, POSENC_F64), 0, NULL),
        POSENC_OK);
    e.n_heads = 1;
    for (e.first_head = 0; e.first_head < heads; e.first_head++) {
        const int64_t shape[] = {rows, 1};
        int rank = c->facts.table_rows > 0 ? 2 : 1;
        d = posenc_view_make(&view, ds + e.first_head * plane, POSENC_F64, 3, (int64_t[]){1, c->n_queries, c->n_keys},
                             NULL);
        DLTensor *g = posenc_view_make(&gradient, one, POSENC_F64, rank, shape + (2 - rank), NULL);
        assert_int_equal(posenc_bias_backward(c->plan, &e, &c->options, d, g, 0, NULL), POSENC_OK);
        for (int64_t r = 0; r < rows; r++) assert_true(one[r] == whole[r * heads + e.first_head]);
    }
    free(ds);
    free(whole);
    free(one);
}

static void test_heads_one_by_one(void **state) {
    (void)state;
    random_state random = random_start("bias gradient heads");
    for (int checked = 0; checked < CALLS / 4;) {
        bias_call c;
        bias_call_make(&c, NULL, &random, true);
        if (c.batch == 1) check_heads(&c, &random), checked++;
        bias_call_end(&c);
    }
}

/* More sums than are kept at a time: heads far down the list get theirs. */
static void test_many_heads(void **state) {
    (void)state;
    enum { HEADS = 2300, Q = 3, K = 4, ROWS = 32 };
    static const int64_t some[] = {0, 1, 1024, 2047, 2048, 2049, HEADS - 1};
    random_state random = random_start("bias gradient of many heads");
    posenc_plan *plan = must_bias_plan(NULL, "t5", (const char *const[]){"heads=2300", NULL});
    float *ds = must_allocate(HEADS * Q * K * sizeof *ds), *whole = must_allocate(ROWS * HEADS * sizeof *whole);
    float one[ROWS];
    posenc_view view, gradient;
    posenc_bias_extent e;
    posenc_bias_extent_default(&e, sizeof e);
    e.queries = Q, e.keys = K;
    random_fill_f32(&random, ds, HEADS * Q * K);
    DLTensor *d = posenc_view_make(&view, ds, POSENC_F32, 3, (int64_t[]){HEADS, Q, K}, NULL);
    DLTensor *g = posenc_view_make(&gradient, whole, POSENC_F32, 2, (int64_t[]){ROWS, HEADS}, NULL);
    assert_int_equal(posenc_bias_backward(plan, &e, NULL, d, g, 0, NULL), POSENC_OK);
    e.n_heads = 1;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        e.first_head = some[i];
        d = posenc_view_make(&view, ds + some[i] * Q * K, POSENC_F32, 3, (int64_t[]){1, Q, K}, NULL);
        g = posenc_view_make(&gradient, one, POSENC_F32, 2, (int64_t[]){ROWS, 1}, NULL);
        assert_int_equal(posenc_bias_backward(plan, &e, NULL, d, g, 0, NULL), POSENC_OK);
        for (int row = 0; row < ROWS; row++)
            check(one[row] == whole[row * HEADS + some[i]], "head %lld row %d: %g alone, %g among all",
                  (long long)some[i], row, (double)one[row], (double)whole[row * HEADS + some[i]]);
    }
    free(ds), free(whole);
    posenc_plan_destroy(plan);
}

/* ---- threads ---- */

static void test_threads(void **state) {
    (void)state;
    enum { BATCH = 2, HEADS = 3, Q = 500, K = 1500, N = BATCH * HEADS * Q * K };
    random_state random = random_start("bias gradient threads");
    float *ds = must_allocate(N * sizeof *ds);
    random_fill_f32(&random, ds, N);
    static const char *const alibi[] = {"heads=3", NULL}, *const t5[] = {"heads=3", NULL},
                             *const key[] = {"heads=3", "form=key", NULL};
    static const char *const *const settings[] = {alibi, t5, key};
    int64_t offsets[] = {7, -20};
    for (int scheme = 0; scheme < 6; scheme++) {
        double first[32 * HEADS], gradient[32 * HEADS];
        for (size_t isa = 0; isa < isa_count(); isa++)
            for (int threads = 1; threads <= 8; threads++) {
                posenc_context *context = isa_context(isa, threads);
                posenc_plan *plan = must_bias_plan(context, scheme % 3 == 1 ? "t5" : "alibi", settings[scheme % 3]);
                posenc_bias_extent extent;
                posenc_bias_options options;
                posenc_view view, g, o;
                posenc_bias_extent_default(&extent, sizeof extent);
                posenc_bias_options_default(&options, sizeof options);
                extent.queries = Q, extent.keys = K;
                options.causal = scheme % 2;
                if (scheme >= 3)
                    options.offsets = posenc_view_make(&o, offsets, POSENC_I64, 1, (int64_t[]){BATCH}, NULL);
                DLTensor *d = posenc_view_make(&view, ds, POSENC_F32, 4, (int64_t[]){BATCH, HEADS, Q, K}, NULL);
                memset(gradient, 0, sizeof gradient);
                int rank = scheme % 3 == 1 ? 2 : 1;
                const int64_t shape[] = {32, HEADS};
                DLTensor *out = posenc_view_make(&g, gradient, POSENC_F64, rank, shape + (2 - rank), NULL);
                assert_int_equal(posenc_bias_backward(plan, &extent, &options, d, out, 0, NULL), POSENC_OK);
                if (isa == 0 && threads == 1) memcpy(first, gradient, sizeof first);
                check(memcmp(first, gradient, sizeof first) == 0, "%s threads %d: other bits", posenc_isa_name(isa),
                      threads);
                posenc_plan_destroy(plan);
                posenc_context_destroy(context);
            }
    }
    free(ds);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),        cmocka_unit_test(test_adjoint_and_differences),
        cmocka_unit_test(test_slope_differences), cmocka_unit_test(test_heads_one_by_one),
        cmocka_unit_test(test_many_heads),        cmocka_unit_test(test_threads),
    };
    return TEST_RUN(tests);
}
