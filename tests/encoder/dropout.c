/* Dropout as it is promised: the mask is a function of (seed, stream, element index) alone. Not of threads, instruction
 * sets, strides, splits, or whether y is x. Evaluation drops nothing. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/isa.h"
#include "support/number.h"
#include "support/philox.h"
#include "support/strided.h"
#include "support/test.h"

/* An odd width, so that rows begin inside Philox blocks; work for several threads in every dtype. */
enum { BATCH = 2, TOKENS = 1100, DIM = 513, N = BATCH * TOKENS * DIM };

static const double P = 0.3;
static const posenc_step STEP = {sizeof(posenc_step), 1, UINT64_C(0xDEADBEEFCAFEF00D), UINT64_C(0x123456789ABC), 7};

typedef struct scene {
    posenc_dtype dtype;
    size_t bytes; /* of one element */
    char *x, *want, *y;
    posenc_encoder_options options;
} scene;

static posenc_encoder *scene_encoder(const scene *s, const posenc_context *context) {
    return must_encoder(context, &(plan_shape){.dim = DIM, .max_len = TOKENS}, &s->options);
}

/* want: element by element with the tests' own Philox. */
static void scene_make(scene *s, posenc_dtype dtype) {
    random_state random = random_start("dropout scene");
    s->dtype = dtype;
    s->bytes = posenc_dtype_bytes(dtype);
    s->options = encoder_options(dtype);
    s->options.dropout = P;
    s->options.scale = 3;
    s->x = must_allocate(N * s->bytes);
    s->y = must_allocate(N * s->bytes);
    s->want = must_allocate(N * s->bytes);
    random_fill(&random, dtype, s->x, N);
    posenc_encoder *encoder = scene_encoder(s, NULL);
    const char *table = posenc_encoder_table(encoder)->data;
    posenc_dtype e_dtype = s->options.dtype;
    for (size_t i = 0; i < N; i++) {
        uint64_t e = number_load(e_dtype, table + i % (TOKENS * DIM) * posenc_dtype_bytes(e_dtype));
        uint64_t bits = drop_slowly(dtype, number_load(dtype, s->x + i * s->bytes), 3, e, &STEP, i, P, 1 / (1 - P));
        number_store(dtype, bits, s->want + i * s->bytes);
    }
    posenc_encoder_destroy(encoder);
}

static void scene_end(scene *s) {
    free(s->x);
    free(s->y);
    free(s->want);
}

static void test_threads_and_instruction_sets(void **state) {
    (void)state;
    for (int d = 0; d < 4; d++) {
        scene s;
        scene_make(&s, encoding_dtypes[d]);
        for (size_t isa = 0; isa < isa_count(); isa++)
            for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
                posenc_context *context = isa_context(isa, threads);
                posenc_encoder *encoder = scene_encoder(&s, context);
                must_forward(encoder, NULL, &STEP, s.dtype, BATCH, TOKENS, s.x, s.y);
                must_equal("out of place", s.dtype, s.want, s.y, N);
                memcpy(s.y, s.x, N * s.bytes);
                must_forward(encoder, NULL, &STEP, s.dtype, BATCH, TOKENS, s.y, s.y);
                must_equal("in place", s.dtype, s.want, s.y, N);
                posenc_encoder_destroy(encoder);
                posenc_context_destroy(context);
            }
        scene_end(&s);
    }
}

/* Each part says where its first element stands in the whole. */
static void forward_part(const scene *s, const posenc_encoder *encoder, int64_t batch, int64_t token, int64_t count) {
    size_t at = (size_t)(batch * TOKENS + token) * DIM;
    posenc_positions positions = positions_from(token);
    posenc_step step = STEP;
    step.first_element += at;
    must_forward(encoder, &positions, &step, s->dtype, 1, count, s->x + at * s->bytes, s->y + at * s->bytes);
}

static void test_splits(void **state) {
    (void)state;
    random_state random = random_start("dropout splits");
    for (int d = 0; d < 4; d++) {
        scene s;
        scene_make(&s, encoding_dtypes[d]);
        posenc_encoder *encoder = scene_encoder(&s, NULL);
        for (int64_t b = 0; b < BATCH; b++) forward_part(&s, encoder, b, 0, TOKENS);
        must_equal("batch rows one by one", s.dtype, s.want, s.y, N);
        memset(s.y, 0x5A, N * s.bytes);
        for (int64_t b = 0; b < BATCH; b++)
            for (int64_t t = 0, n; t < TOKENS; t += n) {
                n = random_between(&random, 1, 90);
                if (n > TOKENS - t) n = TOKENS - t;
                forward_part(&s, encoder, b, t, n);
            }
        must_equal("random pieces", s.dtype, s.want, s.y, N);
        posenc_encoder_destroy(encoder);
        scene_end(&s);
    }
}

/* The index counts elements in the order of (batch, tokens, dim), wherever they lie in memory. */
static void test_strides(void **state) {
    (void)state;
    random_state random = random_start("dropout strides");
    const int64_t shape[3] = {BATCH, 40, DIM};
    for (int round = 0; round < 24; round++) {
        scene s;
        posenc_dtype dtype = encoding_dtypes[round % 4];
        int64_t n = BATCH * 40 * DIM;
        size_t bytes = posenc_dtype_bytes(dtype);
        char *x = must_allocate((size_t)n * bytes), *want = must_allocate((size_t)n * bytes),
             *y = must_allocate((size_t)n * bytes);
        random_fill(&random, dtype, x, n);
        s.options = encoder_options(dtype);
        s.options.dropout = P;
        posenc_encoder *encoder = scene_encoder(&s, NULL);
        must_forward(encoder, NULL, &STEP, dtype, BATCH, 40, x, want);
        strided sx, sy;
        strided_make(&sx, &random, dtype, 3, shape, false);
        strided_make(&sy, &random, dtype, 3, shape, false);
        strided_put(&sx, x);
        DLTensor *out = round % 3 ? sy.tensor : sx.tensor;
        assert_int_equal(posenc_encoder_forward(encoder, NULL, &STEP, sx.tensor, out, NULL), POSENC_OK);
        strided_get(round % 3 ? &sy : &sx, y);
        must_equal(round % 3 ? "strided" : "strided in place", dtype, want, y, n);
        strided_check_gaps(&sx, "x");
        strided_check_gaps(&sy, "y");
        strided_free(&sx);
        strided_free(&sy);
        posenc_encoder_destroy(encoder);
        free(x);
        free(y);
        free(want);
    }
}

/* Past 2^31, 2^34 (where the block index carries) and up to 2^64. */
static void test_far_elements(void **state) {
    (void)state;
    static const uint64_t firsts[] = {(UINT64_C(1) << 31) - 20, (UINT64_C(1) << 34) - 21, (UINT64_C(1) << 34) - 3,
                                      (UINT64_C(1) << 62) + 1, UINT64_MAX - 64};
    float x[60], y[60];
    posenc_encoder_options options = encoder_options(POSENC_F32);
    options.dropout = 0.5;
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 15}, &options);
    for (int i = 0; i < 60; i++) x[i] = 5;
    for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
        posenc_step step = training_step(99, 3, firsts[f]);
        must_forward(encoder, NULL, &step, POSENC_F32, 1, 4, x, y);
        for (uint64_t i = 0; i < 60; i++)
            check((y[i] != 0) == philox_keeps(99, 3, firsts[f] + i, 0.5), "element %" PRIu64 " + %" PRIu64, firsts[f],
                  i);
    }
    posenc_encoder_destroy(encoder);
}

static void test_evaluation_drops_nothing(void **state) {
    (void)state;
    for (int d = 0; d < 4; d++) {
        scene s;
        scene_make(&s, encoding_dtypes[d]);
        posenc_encoder *encoder = scene_encoder(&s, NULL);
        must_add(posenc_encoder_plan(encoder), 0, BATCH, TOKENS, s.dtype, s.x, 3, s.want);
        must_forward(encoder, NULL, NULL, s.dtype, BATCH, TOKENS, s.x, s.y);
        must_equal("no step", s.dtype, s.want, s.y, N);
        posenc_step step = STEP;
        step.training = 0;
        memset(s.y, 0, N * s.bytes);
        must_forward(encoder, NULL, &step, s.dtype, BATCH, TOKENS, s.x, s.y);
        must_equal("training 0", s.dtype, s.want, s.y, N);
        posenc_encoder_destroy(encoder);
        s.options.dropout = 0;
        encoder = scene_encoder(&s, NULL);
        memset(s.y, 0, N * s.bytes);
        must_forward(encoder, NULL, &STEP, s.dtype, BATCH, TOKENS, s.x, s.y);
        must_equal("dropout 0 in training", s.dtype, s.want, s.y, N);
        posenc_encoder_destroy(encoder);
        scene_end(&s);
    }
}

/* Zero times NaN would be NaN. */
static void test_what_is_dropped_is_zero(void **state) {
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int d = 0; d < 4; d++)
        for (int b = 0; b < 3; b++) {
            posenc_dtype dtype = encoding_dtypes[d];
            size_t bytes = posenc_dtype_bytes(dtype);
            char x[330 * 8], y[330 * 8];
            for (size_t i = 0; i < 330; i++) number_store(dtype, number_encode(dtype, bad[b]), x + i * bytes);
            posenc_encoder_options options = encoder_options(dtype);
            options.dropout = 0.5;
            posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 33}, &options);
            posenc_step step = training_step(1, 2, 0);
            must_forward(encoder, NULL, &step, dtype, 1, 10, x, y);
            for (size_t i = 0; i < 330; i++) {
                uint64_t got = number_load(dtype, y + i * bytes);
                bool kept = philox_keeps(1, 2, i, 0.5);
                check(kept ? !isfinite(number_decode(dtype, got)) : got == 0, "%s element %zu of %g is %" PRIx64,
                      posenc_dtype_name(dtype), i, bad[b], got);
            }
            posenc_encoder_destroy(encoder);
        }
}

/* So near to 1 that no 32-bit word is kept: all zero. So small that none is dropped: as without. */
static void test_ends_of_the_range(void **state) {
    (void)state;
    static float x[5000], y[5000], want[5000], zero[5000];
    for (int i = 0; i < 5000; i++) x[i] = (float)NAN;
    posenc_encoder_options options = encoder_options(POSENC_F32);
    options.dropout = 1 - 0x1p-53;
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 50}, &options);
    must_forward(encoder, NULL, &STEP, POSENC_F32, 2, 50, x, y);
    assert_memory_equal(y, zero, sizeof y);
    must_backward(encoder, &STEP, POSENC_F32, 2, 50, x, x);
    assert_memory_equal(x, zero, sizeof x);
    posenc_encoder_destroy(encoder);
    options.dropout = 1e-12;
    encoder = must_encoder(NULL, &(plan_shape){.dim = 50}, &options);
    must_forward(encoder, NULL, &STEP, POSENC_F32, 2, 50, x, y);
    must_forward(encoder, NULL, NULL, POSENC_F32, 2, 50, x, want);
    must_equal("dropout 1e-12", POSENC_F32, want, y, 5000);
    posenc_encoder_destroy(encoder);
}

/* How many of n elements two steps keep both or drop both. */
static int64_t agreement(const posenc_step *a, const posenc_step *b, double p, int64_t n, int64_t *kept) {
    posenc_encoder_options options = encoder_options(POSENC_F32);
    options.dropout = p;
    float *x = must_allocate((size_t)n * sizeof *x), *y = must_allocate((size_t)n * sizeof *y);
    for (int64_t i = 0; i < n; i++) x[i] = 1;
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 64, .max_len = 1}, &options);
    must_backward(encoder, a, POSENC_F32, 1, n / 64, x, y);
    must_backward(encoder, b, POSENC_F32, 1, n / 64, x, x);
    int64_t agree = 0;
    *kept = 0;
    for (int64_t i = 0; i < n; i++) agree += (x[i] != 0) == (y[i] != 0), *kept += y[i] != 0;
    posenc_encoder_destroy(encoder);
    free(x);
    free(y);
    return agree;
}

static void within_six_sigma(const char *what, int64_t count, int64_t n, double share) {
    double sigma = sqrt((double)n * share * (1 - share)), off = fabs((double)count - (double)n * share);
    check(off <= 6 * sigma, "%s: %" PRId64 " of %" PRId64 ", expected a share of %g", what, count, n, share);
}

/* The share that is kept, and masks of other steps, layers and seeds that know nothing of each other. */
static void test_masks_are_random(void **state) {
    (void)state;
    enum { MANY = 1 << 20 };
    const double p = 0.1;
    posenc_step first = training_step(1, 1, 0), other_stream = training_step(1, 2, 0),
                other_seed = training_step(2, 1, 0), high_seed = training_step(1 + (UINT64_C(1) << 32), 1, 0),
                high_stream = training_step(1, 1 + (UINT64_C(1) << 32), 0), shifted = training_step(1, 1, 4);
    const posenc_step *others[] = {&other_stream, &other_seed, &high_seed, &high_stream, &shifted};
    const char *const names[] = {"stream", "seed", "high half of the seed", "high half of the stream", "first element"};
    for (int i = 0; i < 5; i++) {
        int64_t kept, agree = agreement(&first, others[i], p, MANY, &kept);
        within_six_sigma("kept", kept, MANY, 1 - p);
        within_six_sigma(names[i], agree, MANY, p * p + (1 - p) * (1 - p));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_and_instruction_sets),
                                       cmocka_unit_test(test_splits),
                                       cmocka_unit_test(test_strides),
                                       cmocka_unit_test(test_far_elements),
                                       cmocka_unit_test(test_evaluation_drops_nothing),
                                       cmocka_unit_test(test_what_is_dropped_is_zero),
                                       cmocka_unit_test(test_ends_of_the_range),
                                       cmocka_unit_test(test_masks_are_random)};
    return TEST_RUN(tests);
}
