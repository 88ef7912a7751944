/* Score biases where memory fails, is guarded, is huge, or the caller's floating-point settings are odd. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/allocator.h"
#include "support/biases.h"
#include "support/guard.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

enum { HEADS = 3, Q = 600, K = 1100, SCORES = HEADS * Q * K, ROWS = 32 };

static const char *const plain[] = {"heads=3", NULL};

/* ---- memory ---- */

static posenc_context *counting_context(allocator *a, int threads) {
    posenc_context_options options;
    posenc_context *context;
    allocator_init(a);
    posenc_context_default(&options, sizeof options);
    options.threads = threads;
    allocator_use(a, &options);
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    return context;
}

/* Making a plan, with each of its allocations failing. */
static void test_plans_without_memory(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        posenc_parameter parameters[2];
        size_t n;
    } plans[] = {{"alibi", {{"heads", "2"}, {"slopes", "1,2"}}, 2},
                 {"t5", {{"heads", "2"}}, 1},
                 {"deberta", {{"buckets", "16"}}, 1},
                 {"swin", {{"heads", "2"}}, 1}};
    allocator a;
    posenc_context *context = counting_context(&a, 1);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        for (int on = 0; on < 2; on++) {
            long k = 0;
            for (;; k++) {
                posenc_plan *plan = NULL;
                posenc_error error = error_blank();
                allocator_fail(&a, k, on);
                posenc_status status =
                    posenc_plan_create(context, plans[i].scheme, plans[i].parameters, plans[i].n, &plan, &error);
                bool refused = allocator_refused(&a);
                allocator_fail(&a, -1, false);
                if (!refused) {
                    posenc_plan_destroy(plan);
                    break;
                }
                must_refuse(plans[i].scheme, status, POSENC_ERROR_MEMORY, &error, "plan");
                assert_null(plan);
                check(atomic_load(&a.live) == 1, "%s: allocation %ld leaks", plans[i].scheme, k);
            }
            check(k >= 2, "%s asked for %ld blocks only", plans[i].scheme, k);
        }
    posenc_context_destroy(context);
    assert_int_equal(atomic_load(&a.live), 0);
    assert_int_equal(atomic_load(&a.mistakes), 0);
}

/* Calls likewise; scores stay as they are. */
static void test_calls_without_memory(void **state) {
    (void)state;
    float *scores = must_allocate(SCORES * sizeof *scores), *before = must_allocate(SCORES * sizeof *before);
    int32_t *index = must_allocate(Q * K * sizeof *index);
    double gradient[ROWS * HEADS];
    float table[ROWS * HEADS] = {0};
    for (int i = 0; i < SCORES; i++) before[i] = 1;
    allocator a;
    posenc_context *context = counting_context(&a, 3);
    posenc_plan *plan = must_bias_plan(context, "t5", plain);
    long kept = atomic_load(&a.live);
    posenc_bias_extent e;
    posenc_bias_options o;
    posenc_view views[5];
    int64_t lengths[] = {0, 100, Q};
    posenc_bias_extent_default(&e, sizeof e);
    posenc_bias_options_default(&o, sizeof o);
    DLTensor *t = posenc_view_make(&views[0], table, POSENC_F32, 2, (int64_t[]){ROWS, HEADS}, NULL);
    DLTensor *g = posenc_view_make(&views[2], gradient, POSENC_F64, 2, (int64_t[]){ROWS, HEADS}, NULL);
    DLTensor *i = posenc_view_make(&views[3], index, POSENC_I32, 2, (int64_t[]){Q, Q}, NULL);
    o.cu_seqlens = posenc_view_make(&views[4], lengths, POSENC_I64, 1, (int64_t[]){3}, NULL);
    for (int verb = 0; verb < 4; verb++) {
        e.queries = e.keys = Q;
        DLTensor *s = posenc_view_make(&views[1], scores, POSENC_F32, 3, (int64_t[]){HEADS, Q, Q}, NULL);
        long k = 0;
        for (;; k++) {
            posenc_error error = error_blank();
            memcpy(scores, before, SCORES * sizeof *scores);
            memset(gradient, 0x5A, sizeof gradient);
            allocator_fail(&a, k, false);
            posenc_status status = verb == 0   ? posenc_bias_write(plan, &e, t, s, &error)
                                   : verb == 1 ? posenc_bias_add(plan, &e, &o, t, s, &error)
                                   : verb == 2 ? posenc_bias_backward(plan, &e, &o, s, g, 0, &error)
                                               : posenc_bias_index(plan, &e, i, &error);
            bool refused = allocator_refused(&a);
            allocator_fail(&a, -1, false);
            check(atomic_load(&a.live) == kept, "verb %d: allocation %ld leaks", verb, k);
            if (!refused) break;
            must_refuse("call", status, POSENC_ERROR_MEMORY, &error, NULL);
            assert_memory_equal(scores, before, SCORES * sizeof *scores);
            for (size_t byte = 0; byte < sizeof gradient; byte++)
                assert_int_equal(((unsigned char *)gradient)[byte], 0x5A);
        }
        check(k >= 1, "verb %d asked for %ld blocks only", verb, k);
    }
    posenc_plan_destroy(plan);
    posenc_context_destroy(context);
    assert_int_equal(atomic_load(&a.live), 0);
    free(scores);
    free(before);
    free(index);
}

/* 16384 queries and keys: a call holds at most 64 MB. Only some rows are asked for, so that it takes no second. */
static void test_little_memory(void **state) {
    (void)state;
    enum { L = 16384, N = 16, H = 128 };
    const char *const settings[] = {"heads=128", NULL};
    allocator a;
    posenc_context *context = counting_context(&a, 8);
    posenc_plan *plan = must_bias_plan(context, "t5", settings);
    size_t held = atomic_load(&a.live_bytes), n = (size_t)H * N * L;
    uint16_t *scores = must_allocate(n * sizeof *scores);
    float *table = must_allocate(ROWS * H * sizeof *table), *gradient = must_allocate(ROWS * H * sizeof *gradient);
    memset(scores, 0, n * sizeof *scores);
    random_state random = random_start("bias memory");
    random_fill_f32(&random, table, ROWS * H);
    posenc_bias_extent e;
    posenc_view views[3];
    posenc_bias_extent_default(&e, sizeof e);
    e.queries = e.keys = L, e.first_query = 777, e.n_queries = N;
    DLTensor *t = posenc_view_make(&views[0], table, POSENC_F32, 2, (int64_t[]){ROWS, H}, NULL);
    DLTensor *s = posenc_view_make(&views[1], scores, POSENC_BF16, 3, (int64_t[]){H, N, L}, NULL);
    DLTensor *g = posenc_view_make(&views[2], gradient, POSENC_F32, 2, (int64_t[]){ROWS, H}, NULL);
    assert_int_equal(posenc_bias_add(plan, &e, NULL, t, s, NULL), POSENC_OK);
    assert_int_equal(posenc_bias_write(plan, &e, t, s, NULL), POSENC_OK);
    assert_int_equal(posenc_bias_backward(plan, &e, NULL, s, g, 0, NULL), POSENC_OK);
    /* of a whole square, whose scores are one element over and over, backward has the most to hold */
    e.first_query = 0, e.n_queries = 2 * L, e.queries = 2 * L;
    s = posenc_view_make(&views[1], scores, POSENC_BF16, 3, (int64_t[]){H, 2 * L, 1}, (int64_t[]){0, 0, 0});
    e.keys = L, e.n_keys = 1;
    assert_int_equal(posenc_bias_backward(plan, &e, NULL, s, g, 0, NULL), POSENC_OK);
    size_t peak = atomic_load(&a.peak_bytes) - held;
    check(peak <= (size_t)64 << 20, "%zu bytes", peak);
    check(peak >= (size_t)1 << 20, "%zu bytes: nothing was held", peak);
    free(scores);
    free(table);
    free(gradient);
    posenc_plan_destroy(plan);
    posenc_context_destroy(context);
}

/* ---- sizes beyond 2^31 ---- */

/* Memory that takes none until it is written. NULL where there is no address space for it. */
static void *sparse(size_t bytes) {
    if (sizeof(size_t) < 8) return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* 46342^2 exceeds 2^31: the last element of the last row, in strides that pass it. */
static void test_products_beyond_31_bits(void **state) {
    (void)state;
    const int64_t length = 46342, all = length * length;
    size_t bytes = (size_t)all * sizeof(uint16_t);
    uint16_t *scores = sparse(bytes);
    if (!scores) skip();
    posenc_plan *plan = must_bias_plan(NULL, "alibi", (const char *const[]){"heads=1", "form=symmetric", NULL});
    posenc_bias_extent e;
    posenc_view view, gradient_view;
    double gradient = 0;
    posenc_bias_extent_default(&e, sizeof e);
    e.queries = e.keys = length;
    /* rows 0 and 46341 of the whole, as a block with the strides of the whole: written, then read in place */
    for (int64_t row = 0; row < length; row += length - 1) {
        e.first_query = row, e.n_queries = 1;
        DLTensor *s = posenc_view_make(&view, scores + row * length, POSENC_BF16, 3, (int64_t[]){1, 1, length}, NULL);
        assert_int_equal(posenc_bias_add(plan, &e, NULL, NULL, s, NULL), POSENC_OK);
    }
    assert_int_equal(scores[0], 0);
    assert_int_equal(scores[all - 1], 0);
    assert_int_equal(scores[all - 2], 0xBB80); /* -2^-8 */
    assert_int_equal(scores[1], 0xBB80);
    assert_int_equal(scores[all - length], scores[length - 1]);
    /* two rows that are 2^31 + elements apart are one tensor */
    int64_t stride = all - length;
    e.first_query = 0, e.queries = 2, e.n_queries = 2, e.offset = 0;
    DLTensor *two =
        posenc_view_make(&view, scores, POSENC_BF16, 3, (int64_t[]){1, 2, length}, (int64_t[]){0, stride, 1});
    assert_int_equal(posenc_bias_write(plan, &e, NULL, two, NULL), POSENC_OK);
    assert_int_equal(scores[stride + 1], 0);
    assert_int_equal(scores[stride], 0xBB80);
    /* backward over the whole, where all is 0 but the corners */
    memset(scores, 0, (size_t)length * sizeof *scores);
    memset(scores + stride, 0, (size_t)length * sizeof *scores);
    scores[length - 1] = 0x3F80, scores[stride] = 0x4000;
    e.queries = length, e.n_queries = -1;
    DLTensor *whole = posenc_view_make(&view, scores, POSENC_BF16, 3, (int64_t[]){1, length, length}, NULL);
    DLTensor *g = posenc_view_make(&gradient_view, &gradient, POSENC_F64, 1, (int64_t[]){1}, NULL);
    if (!TEST_UNDER_ASAN && !TEST_UNDER_TSAN) {
        assert_int_equal(posenc_bias_backward(plan, &e, NULL, whole, g, 0, NULL), POSENC_OK);
        assert_true(gradient == -3.0 * (double)(length - 1));
    }
    posenc_plan_destroy(plan);
    munmap(scores, bytes);
}

/* ---- the caller's floating-point settings ---- */

static void test_rounding_mode_of_the_caller(void **state) {
    (void)state;
    random_state random = random_start("bias rounding");
    float *x = must_allocate(SCORES * sizeof *x), *y = must_allocate(SCORES * sizeof *y),
          *z = must_allocate(SCORES * sizeof *z);
    random_fill_f32(&random, x, SCORES);
    const char *const settings[] = {"heads=3", "slope-rule=geometric", NULL};
    posenc_bias_extent e;
    posenc_bias_options o;
    posenc_view view, gradient;
    posenc_bias_extent_default(&e, sizeof e);
    posenc_bias_options_default(&o, sizeof o);
    e.queries = Q, e.keys = K, o.scale = 0.3;
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    double slopes[2][HEADS];
    int64_t buckets[2];
    for (int i = 0; i < 4; i++) {
        float *to = i ? z : y;
        memcpy(to, x, SCORES * sizeof *x);
        DLTensor *t = posenc_view_make(&view, to, POSENC_F32, 3, (int64_t[]){HEADS, Q, K}, NULL);
        DLTensor *g = posenc_view_make(&gradient, slopes[i > 0], POSENC_F64, 1, (int64_t[]){HEADS}, NULL);
        fesetround(modes[i]);
        posenc_plan *plan = must_bias_plan(NULL, "alibi", settings);
        posenc_plan *t5 =
            must_bias_plan(NULL, "deberta", (const char *const[]){"buckets=4", "max-distance=1000", NULL});
        posenc_status status = posenc_bias_add(plan, &e, &o, NULL, t, NULL);
        if (status == POSENC_OK) status = posenc_bias_backward(plan, &e, &o, t, g, 0, NULL);
        if (status == POSENC_OK) status = posenc_bias_bucket(t5, INT64_C(123456789012), &buckets[i > 0], NULL);
        int mode = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(status, POSENC_OK);
        assert_int_equal(mode, modes[i]);
        must_equal("rounding mode", POSENC_F32, y, to, SCORES);
        if (i) assert_memory_equal(slopes[0], slopes[1], sizeof slopes[0]);
        if (i) assert_int_equal(buckets[0], buckets[1]);
        posenc_plan_destroy(plan);
        posenc_plan_destroy(t5);
    }
    free(x);
    free(y);
    free(z);
}

/* ---- guard pages ---- */

static void test_guard_pages(void **state) {
    (void)state;
    random_state random = random_start("bias guards");
    for (int round = 0; round < 300; round++) {
        bias_call c;
        bias_call_make(&c, NULL, &random, true);
        posenc_dtype dtype = encoding_dtypes[random_between(&random, 0, 3)];
        size_t n = (size_t)(c.batch * c.facts.heads * c.n_queries * c.n_keys), bytes = n * posenc_dtype_bytes(dtype);
        size_t table_bytes = (size_t)(c.facts.table_rows * c.facts.heads) * posenc_dtype_bytes(c.table_dtype);
        size_t rows = (size_t)(c.facts.table_rows > 0 ? c.facts.table_rows : 1);
        guard_side side = round % 2 ? GUARD_BEFORE : GUARD_BEHIND;
        guard scores = guard_make(bytes, side), table = guard_make(table_bytes, side);
        guard gradient = guard_make(rows * (size_t)c.facts.heads * sizeof(float), side);
        posenc_view views[2];
        if (c.table_tensor) {
            memcpy(table.data, c.table_memory, table_bytes);
            c.table_tensor->data = table.data;
            guard_read_only(&table);
        }
        random_fill(&random, dtype, scores.data, (int64_t)n);
        const int64_t shape[] = {c.batch, c.facts.heads, c.n_queries, c.n_keys};
        const int64_t table_shape[] = {c.facts.table_rows, c.facts.heads};
        int rank = c.facts.table_rows > 0 ? 2 : 1;
        DLTensor *s = posenc_view_make(&views[0], scores.data, dtype, 4, shape, NULL);
        DLTensor *g = posenc_view_make(&views[1], gradient.data, POSENC_F32, rank, table_shape + (2 - rank), NULL);
        assert_int_equal(posenc_bias_add(c.plan, &c.extent, &c.options, c.table_tensor, s, NULL), POSENC_OK);
        guard_read_only(&scores);
        assert_int_equal(posenc_bias_backward(c.plan, &c.extent, &c.options, s, g, 0, NULL), POSENC_OK);
        guard_end(&scores);
        guard_end(&table);
        guard_end(&gradient);
        bias_call_end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans_without_memory),
        cmocka_unit_test(test_calls_without_memory),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_products_beyond_31_bits),
        cmocka_unit_test(test_rounding_mode_of_the_caller),
        cmocka_unit_test(test_guard_pages),
    };
    return TEST_RUN(tests);
}
