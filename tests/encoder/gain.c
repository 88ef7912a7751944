/* The learned gain: what it multiplies, and what it leaves alone; its gradient is the derivative, the adjoint of the
 * gain's way into y, and the same bits however the work is split. Every form of positions stands in variable_length.c.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/allocator.h"
#include "support/isa.h"
#include "support/number.h"
#include "support/refusal.h"
#include "support/strided.h"
#include "support/test.h"

static const plan_shape SHAPE = {.dim = 22, .max_len = 30};
enum { DIM = 22, BATCH = 3, TOKENS = 20, N = BATCH * TOKENS * DIM };

static posenc_encoder *with_gain(const posenc_context *context, posenc_dtype dtype, double gain) {
    posenc_encoder_options o = encoder_options(dtype);
    o.gain = gain;
    return must_encoder(context, &SHAPE, &o);
}

static double gradient_of(const posenc_encoder *encoder, const posenc_positions *positions, const posenc_step *step,
                          const DLTensor *dy) {
    double dgain = (double)NAN;
    posenc_error error = {0};
    posenc_status status = posenc_encoder_backward_gain(encoder, positions, step, dy, &dgain, &error);
    check(status == POSENC_OK, "%s", error.message);
    return dgain;
}

/* Options of a program that was compiled before there was a gain: it is 1, whatever lies behind. */
static void test_older_options(void **state) {
    (void)state;
    posenc_encoder_options o = encoder_options(POSENC_F32);
    o.size = offsetof(posenc_encoder_options, gain);
    o.gain = (double)NAN;
    posenc_encoder *encoder = must_encoder(NULL, &SHAPE, &o);
    assert_true(posenc_encoder_options_of(encoder)->gain == 1);
    posenc_encoder_destroy(encoder);
}

/* A gain of 1, and of what rounds to it in f32, has the bits of a plan's sum; 0 leaves x; set is as created. */
static void test_values(void **state) {
    (void)state;
    random_state random = random_start("gain values");
    char x[N * 8], y[N * 8], want[N * 8];
    for (int d = 0; d < 4; d++) {
        posenc_dtype dtype = encoding_dtypes[d];
        random_fill(&random, dtype, x, N);
        posenc_encoder *encoder = with_gain(NULL, dtype, 1);
        must_add(posenc_encoder_plan(encoder), 0, BATCH, TOKENS, dtype, x, 1, want);
        for (int way = 0; way < 2; way++) {
            must_forward(encoder, NULL, NULL, dtype, BATCH, TOKENS, x, y);
            must_equal("gain 1", dtype, want, y, N);
            assert_int_equal(posenc_encoder_set_gain(encoder, dtype == POSENC_F64 ? 1 : 1 + 1e-12, NULL), POSENC_OK);
        }
        assert_int_equal(posenc_encoder_set_gain(encoder, 0, NULL), POSENC_OK);
        must_forward(encoder, NULL, NULL, dtype, BATCH, TOKENS, x, y);
        must_equal("gain 0", dtype, x, y, N);
        assert_int_equal(posenc_encoder_set_gain(encoder, -2.5, NULL), POSENC_OK);
        assert_true(posenc_encoder_options_of(encoder)->gain == -2.5);
        posenc_encoder *same = with_gain(NULL, dtype, -2.5);
        must_forward(encoder, NULL, NULL, dtype, BATCH, TOKENS, x, y);
        must_forward(same, NULL, NULL, dtype, BATCH, TOKENS, x, want);
        must_equal("set and created", dtype, want, y, N);
        posenc_encoder_destroy(same);
        posenc_encoder_destroy(encoder);
    }
}

/* Padding adds nothing, not even a bit: -0 stays -0 under every gain, past the table and with ids too. */
static void test_padding_keeps_minus_zero(void **state) {
    (void)state;
    static const double gains[] = {1, 2, 0, -0.0, -1, -3e30};
    float x[4 * DIM], y[4 * DIM];
    int64_t ids[4] = {5, 0, 900, 5};
    posenc_view view;
    for (size_t g = 0; g < sizeof gains / sizeof *gains; g++) {
        posenc_encoder_options o = encoder_options(POSENC_F32);
        o.gain = gains[g], o.padding_idx = 5;
        posenc_encoder *encoder = must_encoder(NULL, &SHAPE, &o);
        posenc_positions positions = positions_from(0);
        positions.ids = posenc_view_make(&view, ids, POSENC_I64, 1, (int64_t[]){4}, NULL);
        for (int i = 0; i < 4 * DIM; i++) x[i] = -0.0f;
        must_forward(encoder, &positions, NULL, POSENC_F32, 1, 4, x, y);
        must_equal("first", POSENC_F32, x, y, DIM);
        must_equal("last", POSENC_F32, x + 3 * DIM, y + 3 * DIM, DIM);
        posenc_encoder_destroy(encoder);
    }
}

/* The loss <y, dy> is linear in the gain: its difference over a step is the gradient, past the table too, with dropout,
 * resized, in f64 where rounding is small. And <y(gain) - y(0), dy> = gain * dgain. */
static void test_finite_differences(void **state) {
    (void)state;
    random_state random = random_start("gain differences");
    double *x = must_allocate(N * 8), *dy = must_allocate(N * 8), *y = must_allocate(N * 8);
    for (int round = 0; round < 40; round++) {
        posenc_view view;
        bool learned = round & 1, dropped = round & 2;
        posenc_encoder_options o = encoder_options(POSENC_F64);
        o.dropout = dropped ? 0.3 : 0, o.scale = 1.5,
        o.past_end = learned ? POSENC_PAST_END_RESIZE : POSENC_PAST_END_EXTEND;
        posenc_encoder *encoder = NULL;
        const posenc_parameter parameters[] = {{"dim", "22"}, {"max-len", "30"}};
        assert_int_equal(
            posenc_encoder_create(NULL, learned ? "learned" : "sinusoidal", parameters, 2, &o, &encoder, NULL),
            POSENC_OK);
        posenc_positions positions = positions_from(random_between(&random, 0, 40));
        posenc_step step = training_step(random_u64(&random), 1, 5);
        random_fill(&random, POSENC_F64, x, N);
        random_fill(&random, POSENC_F64, dy, N);
        DLTensor *tdy = posenc_view_make(&view, dy, POSENC_F64, 3, (int64_t[]){BATCH, TOKENS, DIM}, NULL);
        double gains[] = {random_unit(&random) + 0.5, 0}, loss[2] = {0, 0}, size = 0;
        for (int k = 0; k < 2; k++) {
            assert_int_equal(posenc_encoder_set_gain(encoder, gains[k], NULL), POSENC_OK);
            must_forward(encoder, &positions, &step, POSENC_F64, BATCH, TOKENS, x, y);
            for (int i = 0; i < N; i++) loss[k] += y[i] * dy[i], size += fabs(y[i] * dy[i]);
        }
        double got = gradient_of(encoder, &positions, &step, tdy), want = (loss[0] - loss[1]) / gains[0];
        check(fabs(got - want) <= 1e-13 * size, "round %d: expected %.17g, got %.17g", round, want, got);
        posenc_encoder_destroy(encoder);
    }
    free(x);
    free(dy);
    free(y);
}

/* Large enough for eight threads: the same bits for each of them, each instruction set, and strides. */
static void test_same_bits(void **state) {
    (void)state;
    enum { ROWS = 3, LENGTH = 700, WIDTH = 333 };
    static const plan_shape shape = {.dim = WIDTH, .max_len = 500};
    random_state random = random_start("gain bits");
    const int64_t extents[] = {ROWS, LENGTH, WIDTH};
    static int64_t ids[ROWS * LENGTH];
    for (int i = 0; i < ROWS * LENGTH; i++) ids[i] = random_between(&random, -3, 700);
    for (int way = 0; way < 12; way++) {
        posenc_dtype dtype = encoding_dtypes[way % 4];
        posenc_view u, v;
        strided dy;
        void *data = must_allocate((size_t)ROWS * LENGTH * WIDTH * 8);
        random_fill(&random, dtype, data, (int64_t)ROWS * LENGTH * WIDTH);
        DLTensor *plain = posenc_view_make(&u, data, dtype, 3, extents, NULL);
        strided_make(&dy, &random, dtype, 3, extents, false);
        strided_put(&dy, data);
        posenc_positions positions = positions_from(way / 4 == 2 ? 10 : 0);
        if (way / 4 == 1) positions.ids = posenc_view_make(&v, ids, POSENC_I64, 2, extents, NULL);
        posenc_step step = training_step(3, 4, 1);
        double first = 0;
        for (size_t isa = 0; isa < isa_count(); isa++)
            for (int threads = 1; threads <= 8; threads += isa + 1 < isa_count() ? 7 : threads < 3 ? 1 : 5) {
                posenc_context *context = isa_context(isa, threads);
                posenc_encoder_options o = encoder_options(dtype);
                o.dropout = way & 1 ? 0.1 : 0, o.gain = 0.7, o.padding_idx = 9;
                posenc_encoder *encoder = must_encoder(context, &shape, &o);
                double got = gradient_of(encoder, &positions, &step, plain);
                double again = gradient_of(encoder, &positions, &step, dy.tensor);
                if (isa == 0 && threads == 1) first = got;
                check(memcmp(&got, &first, sizeof got) == 0 && memcmp(&again, &first, sizeof got) == 0,
                      "way %d isa %zu threads %d: %.17g, %.17g strided, not %.17g", way, isa, threads, got, again,
                      first);
                posenc_encoder_destroy(encoder);
                posenc_context_destroy(context);
            }
        check(first != 0, "nothing was summed");
        strided_free(&dy);
        free(data);
    }
}

/* dy may be anything that is read: one row for all tokens, and NaN where padding is or dropout drops. */
static void test_what_does_not_count(void **state) {
    (void)state;
    float row[DIM], x[4 * DIM];
    unsigned char mask[4] = {0, 1, 0, 1};
    posenc_view u, v, w;
    posenc_encoder *encoder = with_gain(NULL, POSENC_F32, 2);
    for (int i = 0; i < DIM; i++) row[i] = (float)(i - 4);
    for (int i = 0; i < 4 * DIM; i++) x[i] = mask[i / DIM] ? row[i % DIM] : NAN;
    posenc_positions positions = positions_from(3);
    positions.mask = posenc_view_make(&u, mask, POSENC_BOOL, 1, (int64_t[]){4}, NULL);
    DLTensor *tx = posenc_view_make(&v, x, POSENC_F32, 2, (int64_t[]){4, DIM}, NULL);
    DLTensor *same = posenc_view_make(&w, row, POSENC_F32, 2, (int64_t[]){4, DIM}, (int64_t[]){0, 1});
    double got = gradient_of(encoder, &positions, NULL, tx);
    assert_true(isfinite(got) && got != 0 && got == gradient_of(encoder, &positions, NULL, same));
    DLTensor *none = posenc_view_make(&v, x, POSENC_F32, 3, (int64_t[]){2, 0, DIM}, NULL);
    assert_true(gradient_of(encoder, NULL, NULL, none) == 0);
    posenc_encoder_destroy(encoder);
}

static void test_refusals(void **state) {
    (void)state;
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e39};
    posenc_encoder *encoder = with_gain(NULL, POSENC_F32, 3), *wide = with_gain(NULL, POSENC_F64, 1e39), *none = NULL;
    float x[DIM] = {0};
    double dgain = 7;
    posenc_view u, v;
    for (int i = 0; i < 4; i++) {
        posenc_error error = error_blank();
        posenc_encoder_options o = encoder_options(POSENC_F32);
        o.gain = bad[i];
        must_refuse("set", posenc_encoder_set_gain(encoder, bad[i], &error), POSENC_ERROR_ARGUMENT, &error, "gain");
        assert_true(posenc_encoder_options_of(encoder)->gain == 3);
        const posenc_parameter dim = {"dim", "4"};
        error = error_blank();
        must_refuse("create", posenc_encoder_create(NULL, "sinusoidal", &dim, 1, &o, &none, &error),
                    POSENC_ERROR_ARGUMENT, &error, "gain");
        assert_null(none);
    }
    DLTensor *dy = posenc_view_make(&u, x, POSENC_F32, 2, (int64_t[]){1, DIM}, NULL);
    DLTensor *narrow = posenc_view_make(&v, x, POSENC_F32, 2, (int64_t[]){1, DIM - 1}, NULL);
    int64_t nowhere[2] = {0, 1};
    posenc_view w;
    posenc_positions positions = positions_from(0);
    positions.ids = posenc_view_make(&w, nowhere, POSENC_I64, 1, (int64_t[]){2}, NULL);
#define REFUSES(status, name, call_)                      \
    do {                                                  \
        posenc_error error = error_blank();               \
        must_refuse(#call_, call_, status, &error, name); \
        assert_true(dgain == 7);                          \
    } while (0)
    REFUSES(POSENC_ERROR_ARGUMENT, "encoder", posenc_encoder_set_gain(NULL, 1, &error));
    REFUSES(POSENC_ERROR_ARGUMENT, "encoder", posenc_encoder_backward_gain(NULL, NULL, NULL, dy, &dgain, &error));
    REFUSES(POSENC_ERROR_ARGUMENT, "dy", posenc_encoder_backward_gain(encoder, NULL, NULL, NULL, &dgain, &error));
    REFUSES(POSENC_ERROR_ARGUMENT, "dgain", posenc_encoder_backward_gain(encoder, NULL, NULL, dy, NULL, &error));
    REFUSES(POSENC_ERROR_SHAPE, "dy", posenc_encoder_backward_gain(encoder, NULL, NULL, narrow, &dgain, &error));
    REFUSES(POSENC_ERROR_DTYPE, "dy", posenc_encoder_backward_gain(wide, NULL, NULL, dy, &dgain, &error));
    REFUSES(POSENC_ERROR_SHAPE, "position_ids",
            posenc_encoder_backward_gain(encoder, &positions, NULL, dy, &dgain, &error));
#undef REFUSES
    posenc_encoder_destroy(encoder);
    posenc_encoder_destroy(wide);
}

/* Every allocation of the call may fail; nothing is left behind, *dgain stays. */
static void test_any_allocation_may_fail(void **state) {
    (void)state;
    allocator a;
    posenc_context *context = allocator_context(&a);
    posenc_encoder *encoder = with_gain(context, POSENC_F32, 3);
    static float x[40 * DIM];
    unsigned char mask[40] = {1, 1, 0, 1};
    posenc_view u, v;
    DLTensor *dy = posenc_view_make(&u, x, POSENC_F32, 2, (int64_t[]){40, DIM}, NULL);
    posenc_positions positions = positions_from(0);
    positions.mask = posenc_view_make(&v, mask, POSENC_BOOL, 1, (int64_t[]){40}, NULL);
    long k = 0;
    for (bool refused = true; refused; k++) {
        double dgain = 7;
        long live = a.live;
        allocator_fail(&a, k, false);
        posenc_status status = posenc_encoder_backward_gain(encoder, &positions, NULL, dy, &dgain, NULL);
        refused = allocator_refused(&a);
        allocator_fail(&a, -1, false);
        assert_int_equal(status, refused ? POSENC_ERROR_MEMORY : POSENC_OK);
        assert_true((dgain == 7) == refused && a.live == live);
    }
    check(k > 3, "%ld allocations", k);
    posenc_encoder_destroy(encoder);
    allocator_context_end(&a, context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_older_options),
                                       cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_padding_keeps_minus_zero),
                                       cmocka_unit_test(test_finite_differences),
                                       cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_what_does_not_count),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_any_allocation_may_fail)};
    return TEST_RUN(tests);
}
