/* Score biases beside their equations, element by element: written whole and in blocks, as a vector, as an index, added
 * to scores with masks, offsets and packed sequences, in tensors of any strides; and the laws that tie these together.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/biases.h"
#include "support/isa.h"
#include "support/number.h"
#include "support/strided.h"
#include "support/tensors.h"
#include "support/test.h"

enum { CALLS = 150 };

static uint64_t expected_value(const bias_call *c, posenc_dtype dtype, int64_t head, int64_t position, int64_t key) {
    return number_encode(dtype, bias_value(&c->facts, c->table, c->options.scale, head, position, key));
}

/* ---- written ---- */

static void check_write(const bias_call *c, random_state *random) {
    posenc_dtype dtype = encoding_dtypes[random_between(random, 0, 3)];
    const int64_t shape[] = {c->facts.heads, c->n_queries, c->n_keys};
    strided out;
    posenc_error error = {.message = ""};
    strided_make(&out, random, dtype, 3, shape, false);
    posenc_status status = posenc_bias_write(c->plan, &c->extent, c->table_tensor, out.tensor, &error);
    check(status == POSENC_OK, "%s: %s", bias_call_text(c), error.message);
    for (int64_t at = 0; at < strided_elements(&out); at++) {
        int64_t position, key, i = at / c->n_keys % c->n_queries, head = at / c->n_keys / c->n_queries;
        bias_call_sees(c, 0, i, at % c->n_keys, &position, &key);
        uint64_t want = expected_value(c, dtype, head, position, key), got = number_load(dtype, strided_at(&out, at));
        check(number_same(dtype, want, got), "%s: %s head %lld query %lld key %lld: expected %g, got %g",
              bias_call_text(c), posenc_dtype_name(dtype), (long long)head, (long long)i, (long long)(at % c->n_keys),
              number_decode(dtype, want), number_decode(dtype, got));
    }
    strided_check_gaps(&out, bias_call_text(c));
    strided_free(&out);
}

static void test_written(void **state) {
    (void)state;
    random_state random = random_start("bias written");
    for (int round = 0; round < CALLS; round++) {
        bias_call c;
        bias_call_make(&c, NULL, &random, false);
        check_write(&c, &random);
        bias_call_end(&c);
    }
}

/* ---- added ---- */

static void check_add(const bias_call *c, random_state *random) {
    posenc_dtype dtype = encoding_dtypes[random_between(random, 0, 3)],
                 e_dtype = dtype == POSENC_F64 ? dtype : POSENC_F32;
    const int64_t shape[] = {c->batch, c->facts.heads, c->n_queries, c->n_keys};
    bool batched = c->batch != 1 || random_between(random, 0, 1);
    strided x;
    posenc_error error = {.message = ""};
    strided_make(&x, random, dtype, batched ? 4 : 3, shape + !batched, false);
    int64_t n = strided_elements(&x);
    size_t bytes = posenc_dtype_bytes(dtype);
    char *before = must_allocate((size_t)n * bytes + 1);
    random_fill(random, dtype, before, n);
    strided_put(&x, before);
    posenc_status status = posenc_bias_add(c->plan, &c->extent, &c->options, c->table_tensor, x.tensor, &error);
    check(status == POSENC_OK, "%s: %s", bias_call_text(c), error.message);
    for (int64_t at = 0; at < n; at++) {
        int64_t position, key, i = at / c->n_keys % c->n_queries, line = at / c->n_keys / c->n_queries;
        bool sees = bias_call_sees(c, line / c->facts.heads, i, at % c->n_keys, &position, &key);
        uint64_t e = sees ? expected_value(c, e_dtype, line % c->facts.heads, position, key) : 0;
        uint64_t want = sees ? number_fused(dtype, number_load(dtype, before + (size_t)at * bytes), 1, e)
                             : number_with_sign(dtype, number_infinity(dtype), true);
        uint64_t got = number_load(dtype, strided_at(&x, at));
        check(number_same(dtype, want, got), "%s: %s line %lld query %lld key %lld: expected %g, got %g",
              bias_call_text(c), posenc_dtype_name(dtype), (long long)line, (long long)i, (long long)(at % c->n_keys),
              number_decode(dtype, want), number_decode(dtype, got));
    }
    strided_check_gaps(&x, bias_call_text(c));
    free(before);
    strided_free(&x);
}

static void test_added(void **state) {
    (void)state;
    random_state random = random_start("bias added");
    for (int round = 0; round < CALLS; round++) {
        bias_call c;
        bias_call_make(&c, NULL, &random, true);
        check_add(&c, &random);
        bias_call_end(&c);
    }
}

/* ---- the vector and its view ---- */

static void check_view(const bias_call *c, random_state *random) {
    posenc_dtype dtype = encoding_dtypes[random_between(random, 0, 3)];
    size_t bytes = posenc_dtype_bytes(dtype);
    int64_t q = c->n_queries, k = c->n_keys, length = q > 0 && k > 0 ? q + k - 1 : 0;
    char *vector = must_allocate((size_t)(c->facts.heads * length) * bytes + 1);
    char *whole = must_allocate((size_t)(c->facts.heads * q * k) * bytes + 1);
    posenc_view vector_view, whole_view;
    posenc_error error = {.message = ""};
    DLTensor *v = posenc_view_make(&vector_view, vector, dtype, 2, (int64_t[]){c->facts.heads, length}, NULL);
    DLTensor *w = posenc_view_make(&whole_view, whole, dtype, 3, (int64_t[]){c->facts.heads, q, k}, NULL);
    check(posenc_bias_vector(c->plan, &c->extent, c->table_tensor, v, &error) == POSENC_OK, "%s: %s", bias_call_text(c),
          error.message);
    assert_int_equal(posenc_bias_write(c->plan, &c->extent, c->table_tensor, w, NULL), POSENC_OK);
    for (int64_t h = 0; h < c->facts.heads; h++)
        for (int64_t i = 0; i < q; i++) /* strides (length, -1, 1) from element q - 1 */
            must_equal(bias_call_text(c), dtype, vector + (size_t)(h * length + q - 1 - i) * bytes,
                       whole + (size_t)((h * q + i) * k) * bytes, k);
    free(vector);
    free(whole);
}

static void test_vector_is_the_whole(void **state) {
    (void)state;
    random_state random = random_start("bias vector");
    for (int round = 0, checked = 0; checked < CALLS / 2; round++) {
        bias_call c;
        bias_call_make(&c, NULL, &random, false);
        if (!c.facts.key_form && c.facts.tokens == 0) check_view(&c, &random), checked++;
        bias_call_end(&c);
    }
}

/* ---- the index ---- */

static void check_index(const posenc_plan *plan, int64_t tokens, random_state *random) {
    int64_t q = tokens > 0 ? tokens : random_between(random, 0, 400),
            k = tokens > 0 ? tokens : random_between(random, 0, 60);
    posenc_dtype dtype = random_between(random, 0, 1) ? POSENC_I32 : POSENC_I64;
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = q, extent.keys = k;
    extent.offset = tokens > 0 ? 0 : random_between(random, -1000000, 1000000);
    bias_facts facts = bias_facts_of(plan);
    strided index;
    strided_make(&index, random, dtype, 2, (int64_t[]){q, k}, false);
    assert_int_equal(posenc_bias_index(plan, &extent, index.tensor, NULL), POSENC_OK);
    for (int64_t at = 0; at < q * k; at++) {
        int64_t wide, want = bias_row(&facts, at / k + extent.offset, at % k);
        int32_t narrow;
        memcpy(&narrow, strided_at(&index, at), sizeof narrow);
        if (dtype == POSENC_I64) memcpy(&wide, strided_at(&index, at), sizeof wide);
        int64_t got = dtype == POSENC_I64 ? wide : narrow;
        check(got == want, "%s: query %lld key %lld: expected row %lld, got %lld", posenc_plan_scheme(plan),
              (long long)(at / k), (long long)(at % k), (long long)want, (long long)got);
    }
    strided_check_gaps(&index, "index");
    strided_free(&index);
    bias_facts_end(&facts);
}

static void test_index(void **state) {
    (void)state;
    random_state random = random_start("bias index");
    static const char *const none[] = {"heads=1", NULL}, *const causal[] = {"heads=1", "bidirectional=false", NULL},
                             *const small[] = {"buckets=16", "max-distance=40", NULL}, *const usual[] = {NULL},
                             *const wide[] = {"heads=2", "window-height=3", "window-width=8", NULL};
    for (int round = 0; round < 4; round++) {
        posenc_plan *plans[] = {must_bias_plan(NULL, "t5", none), must_bias_plan(NULL, "t5", causal),
                                must_bias_plan(NULL, "deberta", small), must_bias_plan(NULL, "deberta", usual),
                                must_bias_plan(NULL, "swin", wide)};
        for (int i = 0; i < 5; i++) {
            check_index(plans[i], i == 4 ? 24 : 0, &random);
            posenc_plan_destroy(plans[i]);
        }
    }
}

/* Signed buckets go on without end: those that 32 bits do not hold are refused there, not cut short. */
static void test_index_that_needs_64_bits(void **state) {
    (void)state;
    static const char *const settings[] = {"buckets=65536", "max-distance=32770", NULL};
    posenc_plan *plan = must_bias_plan(NULL, "deberta", settings);
    int64_t wide[6], bucket;
    int32_t narrow[6];
    posenc_view view;
    posenc_error error = {.message = ""};
    posenc_bias_extent e;
    posenc_bias_extent_default(&e, sizeof e);
    e.queries = 2, e.keys = 3;
    DLTensor *i64 = posenc_view_make(&view, wide, POSENC_I64, 2, (int64_t[]){2, 3}, NULL);
    for (int side = 0; side < 2; side++) {
        e.offset = side ? 400000 : -400000;
        assert_int_equal(posenc_bias_index(plan, &e, i64, NULL), POSENC_OK);
        for (int i = 0; i < 6; i++) {
            assert_int_equal(posenc_bias_bucket(plan, i % 3 - (e.offset + i / 3), &bucket, NULL), POSENC_OK);
            assert_true(wide[i] == bucket && (bucket > INT32_MAX || bucket < INT32_MIN));
        }
        posenc_view narrow_view;
        for (int i = 0; i < 6; i++) narrow[i] = 77;
        DLTensor *i32 = posenc_view_make(&narrow_view, narrow, POSENC_I32, 2, (int64_t[]){2, 3}, NULL);
        assert_int_equal(posenc_bias_index(plan, &e, i32, &error), POSENC_ERROR_DTYPE);
        check(strcmp(error.argument, "index") == 0, "%s", error.message);
        for (int i = 0; i < 6; i++) assert_int_equal(narrow[i], 77);
    }
    posenc_plan_destroy(plan);
}

/* ---- blocks, heads, ranks ---- */

/* Blocks of a grid, each by a call of its own, give the bits of the whole. */
static void check_blocks(bias_call *c, random_state *random) {
    int64_t heads = c->facts.heads, q = c->extent.queries, k = c->extent.keys;
    size_t n = (size_t)(heads * q * k);
    float *whole = must_allocate((n + 1) * sizeof *whole), *blocks = must_allocate((n + 1) * sizeof *blocks);
    posenc_view view;
    posenc_bias_extent e = c->extent;
    e.first_query = e.first_key = 0, e.n_queries = e.n_keys = -1;
    DLTensor *out = posenc_view_make(&view, whole, POSENC_F32, 3, (int64_t[]){heads, q, k}, NULL);
    assert_int_equal(posenc_bias_write(c->plan, &e, c->table_tensor, out, NULL), POSENC_OK);
    int64_t rows = random_between(random, 1, q + 1), columns = random_between(random, 1, k + 1);
    e.n_heads = 1;
    for (e.first_head = 0; e.first_head < heads; e.first_head++)
        for (e.first_query = 0; e.first_query < q; e.first_query += rows)
            for (e.first_key = 0; e.first_key < k; e.first_key += columns) {
                e.n_queries = rows < q - e.first_query ? rows : q - e.first_query;
                e.n_keys = columns < k - e.first_key ? columns : k - e.first_key;
                out = posenc_view_make(&view, blocks + (e.first_head * q + e.first_query) * k + e.first_key, POSENC_F32,
                                       3, (int64_t[]){1, e.n_queries, e.n_keys}, (int64_t[]){q * k, k, 1});
                assert_int_equal(posenc_bias_write(c->plan, &e, c->table_tensor, out, NULL), POSENC_OK);
            }
    must_equal(bias_call_text(c), POSENC_F32, whole, blocks, (int64_t)n);
    free(whole);
    free(blocks);
}

static void test_blocks_are_the_whole(void **state) {
    (void)state;
    random_state random = random_start("bias blocks");
    for (int round = 0; round < CALLS / 3; round++) {
        bias_call c;
        bias_call_make(&c, NULL, &random, false);
        check_blocks(&c, &random);
        bias_call_end(&c);
    }
}

/* A rank that holds heads 3..7 of 12 writes slices 3..7 of what one that holds all of them writes. */
static void test_ranks_are_slices(void **state) {
    (void)state;
    enum { Q = 9, K = 13 };
    static const char *const all[] = {"heads=12", NULL};
    static const char *const rank[] = {"heads=5", "head-start=3", "all-heads=12", NULL};
    static const char *const own_all[] = {"heads=4", "slopes=1,0.5,-0.25,0.125", NULL};
    static const char *const own_rank[] = {"heads=2", "head-start=1", "all-heads=4", "slopes=1,0.5,-0.25,0.125", NULL};
    const char *const *const settings[] = {all, rank, own_all, own_rank};
    static double out[4][12 * Q * K];
    static const int64_t heads[] = {12, 5, 4, 2};
    for (int i = 0; i < 4; i++) {
        posenc_plan *plan = must_bias_plan(NULL, "alibi", settings[i]);
        posenc_bias_extent extent;
        posenc_view view;
        posenc_bias_extent_default(&extent, sizeof extent);
        extent.queries = Q, extent.keys = K;
        DLTensor *t = posenc_view_make(&view, out[i], POSENC_F64, 3, (int64_t[]){heads[i], Q, K}, NULL);
        assert_int_equal(posenc_bias_write(plan, &extent, NULL, t, NULL), POSENC_OK);
        posenc_plan_destroy(plan);
    }
    must_equal("rank of 12", POSENC_F64, out[0] + 3 * Q * K, out[1], 5 * Q * K);
    must_equal("rank of own", POSENC_F64, out[2] + Q * K, out[3], 2 * Q * K);
    assert_true(out[0][0] != out[0][Q * K]);
}

/* Packed sequences are what they are alone; what is between them is minus infinity. */
static void test_packed_is_alone(void **state) {
    (void)state;
    enum { N = 37 };
    static const int32_t lengths[] = {0, 0, 5, 6, 6, 37};
    static const char *const forms[][3] = {{"heads=2", "form=key", NULL}, {"heads=2", "form=symmetric", NULL}};
    for (int f = 0; f < 2; f++) {
        posenc_plan *plan = must_bias_plan(NULL, "alibi", forms[f]);
        static float packed[2 * N * N], alone[2 * N * N];
        posenc_view view, lengths_view;
        posenc_bias_extent extent;
        posenc_bias_options options;
        posenc_bias_extent_default(&extent, sizeof extent);
        posenc_bias_options_default(&options, sizeof options);
        int32_t kept[6];
        memcpy(kept, lengths, sizeof kept);
        options.cu_seqlens = posenc_view_make(&lengths_view, kept, POSENC_I32, 1, (int64_t[]){6}, NULL);
        memset(packed, 0, sizeof packed);
        for (int i = 0; i < 2 * N * N; i++) alone[i] = -INFINITY;
        extent.queries = extent.keys = N;
        DLTensor *t = posenc_view_make(&view, packed, POSENC_F32, 3, (int64_t[]){2, N, N}, NULL);
        assert_int_equal(posenc_bias_add(plan, &extent, &options, NULL, t, NULL), POSENC_OK);
        for (int s = 0; s < 5; s++) {
            int64_t n = lengths[s + 1] - lengths[s];
            extent.queries = extent.keys = n;
            t = posenc_view_make(&view, alone + lengths[s] * (N + 1), POSENC_F32, 3, (int64_t[]){2, n, n},
                                 (int64_t[]){N * N, N, 1});
            assert_int_equal(posenc_bias_write(plan, &extent, NULL, t, NULL), POSENC_OK);
        }
        must_equal("packed", POSENC_F32, alone, packed, 2 * N * N);
        posenc_plan_destroy(plan);
    }
}

/* Two keys are as far apart in every row: forms causal and key differ by a constant of the row. */
static void test_forms_are_equal_under_softmax(void **state) {
    (void)state;
    enum { N = 50 };
    static const char *const causal[] = {"heads=3", NULL}, *const key[] = {"heads=3", "form=key", NULL};
    static double a[3 * N * N], b[3 * N * N];
    posenc_plan *plans[] = {must_bias_plan(NULL, "alibi", causal), must_bias_plan(NULL, "alibi", key)};
    posenc_bias_extent extent;
    posenc_view view;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = extent.keys = N;
    for (int i = 0; i < 2; i++) {
        DLTensor *t = posenc_view_make(&view, i ? b : a, POSENC_F64, 3, (int64_t[]){3, N, N}, NULL);
        assert_int_equal(posenc_bias_write(plans[i], &extent, NULL, t, NULL), POSENC_OK);
        posenc_plan_destroy(plans[i]);
    }
    for (int row = 0; row < 3 * N; row++)
        for (int j = 1; j < N; j++) assert_true(a[row * N + j] - a[row * N] == b[row * N + j] - b[row * N]);
}

/* ---- what went wrong elsewhere ---- */

/* Layers have tables of their own: a plan keeps none, and each call adds the one it is given. */
static void test_each_layer_has_its_table(void **state) {
    (void)state;
    enum { N = 20 };
    posenc_plan *plan = must_bias_plan(NULL, "t5", (const char *const[]){"heads=1", NULL});
    float tables[2][32], out[2][N * N];
    posenc_view view, table_view;
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = extent.keys = N;
    for (int layer = 0; layer < 2; layer++) {
        for (int i = 0; i < 32; i++) tables[layer][i] = (float)(i + 100 * layer);
        DLTensor *t = posenc_view_make(&table_view, tables[layer], POSENC_F32, 2, (int64_t[]){32, 1}, NULL);
        DLTensor *o = posenc_view_make(&view, out[layer], POSENC_F32, 3, (int64_t[]){1, N, N}, NULL);
        assert_int_equal(posenc_bias_write(plan, &extent, t, o, NULL), POSENC_OK);
    }
    for (int i = 0; i < N * N; i++) assert_true(out[1][i] == out[0][i] + 100);
    posenc_plan_destroy(plan);
}

/* Distances past 2^15 and 2^31 are distances; past max-distance all read the last bucket, not one beyond the table. */
static void test_distances_of_many_bits(void **state) {
    (void)state;
    static const int64_t far[] = {32767, 32768, 65536, 100000, INT64_C(2147483648), INT64_C(4294967296) + 3};
    posenc_plan *alibi = must_bias_plan(NULL, "alibi", (const char *const[]){"heads=1", "form=symmetric", NULL});
    posenc_plan *t5 = must_bias_plan(NULL, "t5", (const char *const[]){"heads=1", "bidirectional=false", NULL});
    float table[32], out;
    for (int i = 0; i < 32; i++) table[i] = (float)i;
    posenc_view view, table_view;
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = extent.keys = 1;
    DLTensor *t = posenc_view_make(&table_view, table, POSENC_F32, 2, (int64_t[]){32, 1}, NULL);
    DLTensor *o = posenc_view_make(&view, &out, POSENC_F32, 3, (int64_t[]){1, 1, 1}, NULL);
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        extent.offset = far[i];
        assert_int_equal(posenc_bias_write(alibi, &extent, NULL, o, NULL), POSENC_OK);
        assert_true(out == (float)((double)far[i] * -0x1p-8));
        assert_int_equal(posenc_bias_write(t5, &extent, t, o, NULL), POSENC_OK);
        assert_true(out == 31);
    }
    posenc_plan_destroy(alibi);
    posenc_plan_destroy(t5);
}

/* Windows that are not square: down and right are told apart. */
static void test_windows_that_are_not_square(void **state) {
    (void)state;
    static const char *const tall[] = {"heads=1", "window-height=4", "window-width=2", NULL};
    static const char *const wide[] = {"heads=1", "window-height=2", "window-width=4", NULL};
    for (int w = 0; w < 2; w++) {
        posenc_plan *plan = must_bias_plan(NULL, "swin", w ? wide : tall);
        int height = w ? 2 : 4, width = w ? 4 : 2;
        float table[21], out[64];
        for (int row = 0; row < 21; row++) /* says how far down and right the query is from the key */
            table[row] = (float)(10 * (row / (2 * width - 1) - height + 1) + row % (2 * width - 1) - width + 1);
        posenc_view view, table_view;
        posenc_bias_extent extent;
        posenc_bias_extent_default(&extent, sizeof extent);
        extent.queries = extent.keys = 8;
        DLTensor *t = posenc_view_make(&table_view, table, POSENC_F32, 2, (int64_t[]){21, 1}, NULL);
        DLTensor *o = posenc_view_make(&view, out, POSENC_F32, 3, (int64_t[]){1, 8, 8}, NULL);
        assert_int_equal(posenc_bias_write(plan, &extent, t, o, NULL), POSENC_OK);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                assert_true(out[i * 8 + j] == (float)(10 * (i / width - j / width) + i % width - j % width));
        posenc_plan_destroy(plan);
    }
}

/* ---- the same bits everywhere ---- */

static void test_same_bits(void **state) {
    (void)state;
    random_state random = random_start("bias same bits");
    enum { HEADS = 3, Q = 700, K = 5000 };
    static const char *const alibi[] = {"heads=3", "slope-rule=geometric", NULL}, *const t5[] = {"heads=3", NULL};
    size_t n = (size_t)HEADS * Q * K;
    float table[32 * HEADS];
    random_fill_f32(&random, table, 32 * HEADS);
    posenc_view table_view, view;
    DLTensor *trained = posenc_view_make(&table_view, table, POSENC_F32, 2, (int64_t[]){32, HEADS}, NULL);
    for (int d = 0; d < 4; d++) {
        posenc_dtype dtype = encoding_dtypes[d];
        size_t bytes = n * posenc_dtype_bytes(dtype);
        char *x = must_allocate(bytes), *first = must_allocate(bytes), *y = must_allocate(bytes);
        for (size_t i = 0; i < n; i++)
            number_store(dtype, number_encode(dtype, (double)(i % 4093) / 1000), x + i * posenc_dtype_bytes(dtype));
        for (int scheme = 0; scheme < 2; scheme++)
            for (size_t isa = 0; isa < isa_count(); isa++)
                for (int threads = 1; threads <= 8; threads = threads == 1 ? 3 : threads + 5) {
                    posenc_context *context = isa_context(isa, threads);
                    posenc_plan *plan = must_bias_plan(context, scheme ? "t5" : "alibi", scheme ? t5 : alibi);
                    posenc_bias_extent extent;
                    posenc_bias_options options;
                    posenc_bias_extent_default(&extent, sizeof extent);
                    posenc_bias_options_default(&options, sizeof options);
                    extent.queries = Q, extent.keys = K, options.causal = 1, options.scale = 0.7;
                    memcpy(y, x, bytes);
                    DLTensor *t = posenc_view_make(&view, y, dtype, 3, (int64_t[]){HEADS, Q, K}, NULL);
                    assert_int_equal(posenc_bias_add(plan, &extent, &options, scheme ? trained : NULL, t, NULL),
                                     POSENC_OK);
                    if (isa == 0 && threads == 1)
                        memcpy(first, y, bytes);
                    else
                        check(memcmp(first, y, bytes) == 0, "%s %s threads %d: other bits", posenc_isa_name(isa),
                              posenc_dtype_name(dtype), threads);
                    posenc_plan_destroy(plan);
                    posenc_context_destroy(context);
                }
        free(x);
        free(first);
        free(y);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_added),
        cmocka_unit_test(test_vector_is_the_whole),
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_index_that_needs_64_bits),
        cmocka_unit_test(test_blocks_are_the_whole),
        cmocka_unit_test(test_ranks_are_slices),
        cmocka_unit_test(test_packed_is_alone),
        cmocka_unit_test(test_forms_are_equal_under_softmax),
        cmocka_unit_test(test_each_layer_has_its_table),
        cmocka_unit_test(test_distances_of_many_bits),
        cmocka_unit_test(test_windows_that_are_not_square),
        cmocka_unit_test(test_same_bits),
    };
    return TEST_RUN(tests);
}
