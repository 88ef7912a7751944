/* Transformer-XL at length: the memory that calls take, far from and close to nothing; and that the bits of a score do
 * not tell which other keys the call had. */
#include <stdlib.h>
#include <string.h>

#include "support/allocator.h"
#include "support/tensors.h"
#include "support/test.h"
#include "xl_calls.h"

/* An executor that leaves the work out: what a call takes does not depend on it. */
static void do_nothing(void *user, posenc_task *task, void *argument, int n_tasks) {
    (void)user, (void)task, (void)argument, (void)n_tasks;
}

static posenc_context *counting_context(allocator *memory, bool works) {
    posenc_context_options options;
    posenc_context *context;
    allocator_init(memory);
    posenc_context_default(&options, sizeof options);
    options.threads = 8;
    if (!works) options.execute = do_nothing;
    allocator_use(memory, &options);
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    return context;
}

/* The most that a forward and a backward take. All tensors are one cell behind strides of 0, but the outputs. */
static void check_peak(const xl_case *c, bool works, size_t most) {
    static const char *const names[] = {"scores", "backward"};
    const int64_t zeros[4] = {0, 0, 0, 0};
    float cell = 0.5f;
    for (int backward = 0; backward < 2; backward++) {
        posenc_view in_views[XL_TENSORS], out_views[XL_INPUTS];
        DLTensor *in[XL_TENSORS], *out[XL_INPUTS];
        void *memory_of[XL_TENSORS] = {NULL};
        for (int t = 0; t < XL_TENSORS; t++) {
            int rank;
            int64_t shape[4], n = xl_shape(c, t, &rank, shape);
            bool written = backward ? t < XL_INPUTS : t == XL_SCORES;
            in[t] = posenc_view_make(&in_views[t], &cell, POSENC_F32, rank, shape, zeros);
            if (written) memory_of[t] = must_allocate((size_t)n * sizeof(float));
            if (written && backward) out[t] = xl_view(c, t, &out_views[t], memory_of[t]);
            if (written && !backward) in[t] = xl_view(c, t, &in_views[t], memory_of[t]);
        }
        allocator memory;
        posenc_context *context = counting_context(&memory, works);
        posenc_status status = backward ? xl_backward(context, c, in, out, NULL) : xl_forward(context, c, in, NULL);
        assert_int_equal(status, POSENC_OK);
        size_t peak = atomic_load(&memory.peak_bytes);
        check(peak <= most, "%s, %s: expected at most %zu bytes, got %zu", xl_text(c), names[backward], most, peak);
        check(works || peak > 1 << 20, "%s, %s: %zu bytes can hold nothing", xl_text(c), names[backward], peak);
        allocator_context_end(&memory, context);
        for (int t = 0; t < XL_TENSORS; t++) free(memory_of[t]);
    }
}

/* One head of 16384 queries and keys, on eight threads. Their scores are never touched: addresses are enough. */
static void test_long(void **state) {
    (void)state;
    xl_case c = xl_sized(POSENC_F32, 1, 1, 16384, 16384, 64, 512);
    if (sizeof(size_t) < 8 || TEST_UNDER_ASAN || TEST_UNDER_TSAN) skip();
    check_peak(&c, false, 64 << 20);
    c.options.bidirectional = 1;
    check_peak(&c, false, 64 << 20);
}

/* A single score, and a decoded token. */
static void test_tiny(void **state) {
    (void)state;
    xl_case one = xl_sized(POSENC_F32, 1, 8, 1, 1, 64, 512), token = xl_sized(POSENC_F32, 1, 8, 1, 100, 64, 512);
    check_peak(&one, true, 1 << 20);
    check_peak(&token, true, 2 << 20);
}

/* Some of the keys, wherever tiles and blocks of them end: the bits of the whole. */
static void test_part_of_the_keys(void **state) {
    (void)state;
    random_state random = random_start("xl part of the keys");
    for (int round = 0; round < 6; round++) {
        xl_case c =
            xl_sized(POSENC_F32, 1, 1, random_between(&random, 90, 130), 4200, random_between(&random, 1, 20), 6);
        c.options.memory = random_between(&random, 3600, 4200);
        c.options.scale = round % 2 ? 0.3 : 0.25;
        c.options.bidirectional = round / 2 % 2;
        xl_case part = c;
        int64_t first = random_between(&random, 3300, 3800);
        part.keys = random_between(&random, 60, 4200 - first);
        part.options.memory -= first;
        float *in[XL_TENSORS];
        for (int t = 0; t < XL_TENSORS; t++) {
            int rank;
            int64_t shape[4], n = xl_shape(&c, t, &rank, shape);
            in[t] = must_allocate((size_t)n * sizeof(float));
            random_fill_f32(&random, in[t], n);
        }
        float *some = must_allocate((size_t)(c.queries * part.keys) * sizeof *some);
        memset(some, 0, (size_t)(c.queries * part.keys) * sizeof *some);
        must_xl_forward(NULL, &c, (void *const *)in);
        must_xl_forward(NULL, &part,
                        (void *const[]){in[XL_Q], in[XL_K] + first * c.d, in[XL_U], in[XL_V], in[XL_W], some});
        for (int64_t i = 0; i < c.queries; i++)
            for (int64_t j = 0, distance; j < part.keys; j++)
                check(!xl_sees(&part, 0, i, j, &distance) ||
                          memcmp(&in[XL_SCORES][i * c.keys + first + j], &some[i * part.keys + j], sizeof *some) == 0,
                      "%s: query %lld, key %lld + %lld", xl_text(&c), (long long)i, (long long)first, (long long)j);
        for (int t = 0; t < XL_TENSORS; t++) free(in[t]);
        free(some);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_long), cmocka_unit_test(test_tiny),
                                       cmocka_unit_test(test_part_of_the_keys)};
    return TEST_RUN(tests);
}
