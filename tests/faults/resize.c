/* Resizing where memory fails, or the caller's floating-point settings are odd; and how little memory it takes. */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "support/allocator.h"
#include "support/guard.h"
#include "support/refusal.h"
#include "support/resizes.h"
#include "support/tensors.h"
#include "support/test.h"

enum { DIM = 96 };

static const resize_case way = {
    .mode = POSENC_INTERPOLATION_CUBIC, .antialias = 1, .prefix = 1, .from = {60, 50}, .to = {40, 70}};

static posenc_status resize(const posenc_context *context, const float *table, float *out, posenc_error *error) {
    posenc_view a, b;
    void *data;
    memcpy(&data, &table, sizeof data);
    posenc_resize_options options = resize_options(&way);
    DLTensor *old = posenc_view_make(&a, data, POSENC_F32, 2, (int64_t[]){resize_old_rows(&way), DIM}, NULL);
    DLTensor *new = posenc_view_make(&b, out, POSENC_F32, 2, (int64_t[]){resize_new_rows(&way), DIM}, NULL);
    return posenc_resize(context, &options, old, new, error);
}

static float *random_table(int64_t n) {
    random_state random = random_start("resize faults");
    float *table = must_allocate((size_t)n * sizeof *table);
    random_fill_f32(&random, table, n);
    return table;
}

static void test_every_allocation_fails(void **state) {
    (void)state;
    int64_t n_old = resize_old_rows(&way) * DIM, n_new = resize_new_rows(&way) * DIM;
    size_t bytes = (size_t)n_new * sizeof(float);
    float *table = random_table(n_old), *out = must_allocate(bytes), *before = must_allocate(bytes);
    allocator a;
    posenc_context_options options;
    posenc_context *context;
    allocator_init(&a);
    posenc_context_default(&options, sizeof options);
    options.threads = 3;
    allocator_use(&a, &options);
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    for (int on = 0; on < 2; on++) {
        long k = 0;
        for (;; k++) {
            posenc_error error = error_blank();
            memcpy(out, before, bytes);
            allocator_fail(&a, k, on);
            posenc_status status = resize(context, table, out, &error);
            bool refused = allocator_refused(&a);
            allocator_fail(&a, -1, false);
            check(atomic_load(&a.live) == 1, "allocation %ld: %ld blocks leak", k, atomic_load(&a.live) - 1);
            if (!refused) break;
            must_refuse("resize", status, POSENC_ERROR_MEMORY, &error, "weights");
            assert_memory_equal(out, before, bytes);
        }
        check(k >= 1, "resize asked for %ld blocks only", k);
    }
    posenc_context_destroy(context);
    assert_int_equal(atomic_load(&a.live), 0);
    assert_int_equal(atomic_load(&a.mistakes), 0);
    free(table);
    free(out);
    free(before);
}

/* Weights of one index each are all that is held: below 1 % of any table that is worth the word. */
static void test_little_memory(void **state) {
    (void)state;
    static const resize_case cases[] = {
        {POSENC_INTERPOLATION_CUBIC, 1, 0, 0, {1, 4000}, {1, 100}},
        {POSENC_INTERPOLATION_CUBIC, 1, 0, 0, {1, 4000}, {1, 8000}},
        {POSENC_INTERPOLATION_LINEAR, 0, 1, 0, {1, 4000}, {1, 8000}},
        {POSENC_INTERPOLATION_CUBIC, 1, 0, 1, {64, 64}, {16, 128}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const resize_case *c = &cases[i];
        allocator a;
        allocator_init(&a);
        posenc_context *context = allocator_context(&a);
        size_t held = atomic_load(&a.live_bytes), bytes = (size_t)resize_old_rows(c) * DIM * sizeof(float);
        float *table = random_table(resize_old_rows(c) * DIM);
        float *out = must_allocate((size_t)resize_new_rows(c) * DIM * sizeof *out);
        must_resize(context, c, POSENC_F32, DIM, table, out);
        size_t peak = atomic_load(&a.peak_bytes) - held;
        check(peak < bytes / 100, "%s: %zu bytes for a table of %zu", resize_text(c), peak, bytes);
        allocator_context_end(&a, context);
        free(table);
        free(out);
    }
}

static void test_rounding_mode_of_the_caller(void **state) {
    (void)state;
    int64_t n_old = resize_old_rows(&way) * DIM, n_new = resize_new_rows(&way) * DIM;
    float *table = random_table(n_old), *want = must_allocate((size_t)n_new * sizeof *want);
    float *got = must_allocate((size_t)n_new * sizeof *got);
    assert_int_equal(resize(NULL, table, want, NULL), POSENC_OK);
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; i++) {
        fesetround(modes[i]);
        posenc_status status = resize(NULL, table, got, NULL);
        int mode = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(status, POSENC_OK);
        assert_int_equal(mode, modes[i]);
        must_equal("rounding mode", POSENC_F32, want, got, n_new);
    }
    free(table);
    free(want);
    free(got);
}

/* Not a byte beside the table is read, nor one beside the output written. */
static void test_guard_pages(void **state) {
    (void)state;
    random_state random = random_start("resize guards");
    for (int round = 0; round < 400; round++) {
        guard_side side = round % 2 ? GUARD_BEFORE : GUARD_BEHIND;
        posenc_dtype dtype = encoding_dtypes[round / 2 % 4];
        resize_case c =
            resize_way((int)random_between(&random, 0, RESIZE_WAYS - 1), random_between(&random, 1, 6),
                       random_between(&random, 1, 6), random_between(&random, 1, 6), random_between(&random, 1, 6));
        int64_t dim = random_between(&random, 1, 300);
        size_t bytes = posenc_dtype_bytes(dtype);
        guard table = guard_make((size_t)(resize_old_rows(&c) * dim) * bytes, side);
        guard out = guard_make((size_t)(resize_new_rows(&c) * dim) * bytes, side);
        random_fill(&random, dtype, table.data, resize_old_rows(&c) * dim);
        guard_read_only(&table);
        must_resize(NULL, &c, dtype, dim, table.data, out.data);
        guard_end(&table);
        guard_end(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_rounding_mode_of_the_caller),
        cmocka_unit_test(test_guard_pages),
    };
    return TEST_RUN(tests);
}
