/* The gradient: dx = dy * scale / (1 - p) where the forward pass kept, 0 where it dropped. As the adjoint of forward,
 * as the limit of differences, and bit for bit. */
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

enum { BATCH = 3, TOKENS = 29, DIM = 31, N = BATCH * TOKENS * DIM };

static const plan_shape SHAPE = {.dim = DIM, .max_len = 40};

static posenc_encoder *encoder_of(posenc_dtype dtype, double dropout, double scale) {
    posenc_encoder_options options = encoder_options(dtype);
    options.dropout = dropout;
    options.scale = scale;
    return must_encoder(NULL, &SHAPE, &options);
}

static void fill_f64(random_state *random, double *out) {
    for (int i = 0; i < N; i++) out[i] = 2 * random_unit(random) - 1;
}

/* Forward is affine, L u + c. <L u, v> = <u, B v> for every u and v makes B its adjoint. */
static void test_backward_is_the_adjoint(void **state) {
    (void)state;
    random_state random = random_start("adjoint");
    const double dropouts[] = {0, 0.1, 0.5, 0.9}, scales[] = {1, 5.5677643628300215, -0.25, 0};
    static double u[N], v[N], fu[N], f0[N], bv[N], zero[N];
    for (int c = 0; c < 16; c++) {
        posenc_encoder *encoder = encoder_of(POSENC_F64, dropouts[c % 4], scales[c / 4]);
        posenc_step step = training_step(random_u64(&random), random_u64(&random), random_u64(&random));
        posenc_positions positions = positions_from(random_between(&random, -50, 50));
        fill_f64(&random, u);
        fill_f64(&random, v);
        must_forward(encoder, &positions, &step, POSENC_F64, BATCH, TOKENS, u, fu);
        must_forward(encoder, &positions, &step, POSENC_F64, BATCH, TOKENS, zero, f0);
        must_backward(encoder, &step, POSENC_F64, BATCH, TOKENS, v, bv);
        double left = 0, right = 0, size = 0;
        for (int i = 0; i < N; i++)
            left += (fu[i] - f0[i]) * v[i], right += u[i] * bv[i],
                size += fabs(fu[i]) + fabs(f0[i]) + fabs(u[i] * bv[i]);
        check(fabs(left - right) <= 1e-15 * (size + 1), "dropout %g scale %g: <L u, v> = %.17g, <u, B v> = %.17g",
              dropouts[c % 4], scales[c / 4], left, right);
        posenc_encoder_destroy(encoder);
    }
}

/* (f(x + h) - f(x - h)) / 2h of each element, summed against dy. */
static void test_backward_is_the_limit_of_differences(void **state) {
    (void)state;
    random_state random = random_start("differences");
    static double x[N], dy[N], dx[N], up[N], down[N];
    const double h = 0x1p-12;
    for (int c = 0; c < 6; c++) {
        double dropout = c % 2 ? 0.3 : 0, scale = c < 3 ? 1 : 5.5;
        posenc_encoder *encoder = encoder_of(POSENC_F64, dropout, scale);
        posenc_step step = training_step((uint64_t)c, 1, 0);
        fill_f64(&random, x);
        fill_f64(&random, dy);
        must_backward(encoder, &step, POSENC_F64, BATCH, TOKENS, dy, dx);
        for (int i = 0; i < N; i++) x[i] += h;
        must_forward(encoder, NULL, &step, POSENC_F64, BATCH, TOKENS, x, up);
        for (int i = 0; i < N; i++) x[i] -= 2 * h;
        must_forward(encoder, NULL, &step, POSENC_F64, BATCH, TOKENS, x, down);
        for (int i = 0; i < N; i++) {
            double slope = (up[i] - down[i]) / (2 * h) * dy[i]; /* each output depends on its own input only */
            check(fabs(slope - dx[i]) < 1e-10, "dropout %g scale %g element %d: difference %.15g, gradient %.15g",
                  dropout, scale, i, slope, dx[i]);
        }
        posenc_encoder_destroy(encoder);
    }
}

/* And no output depends on another input: change one, look at all. */
static void test_one_input_one_output(void **state) {
    (void)state;
    random_state random = random_start("one input");
    posenc_encoder *encoder = encoder_of(POSENC_F32, 0.3, 2);
    static float x[N], y[N], z[N];
    posenc_step step = training_step(3, 1, 0);
    random_fill_f32(&random, x, N);
    must_forward(encoder, NULL, &step, POSENC_F32, BATCH, TOKENS, x, y);
    for (int round = 0; round < 50; round++) {
        int64_t k = random_between(&random, 0, N - 1);
        x[k] += 1;
        must_forward(encoder, NULL, &step, POSENC_F32, BATCH, TOKENS, x, z);
        for (int i = 0; i < N; i++)
            check((y[i] != z[i]) == (i == k && philox_keeps(3, 1, (uint64_t)i, 0.3)), "input %" PRId64 ", output %d", k,
                  i);
        x[k] -= 1;
        memcpy(y, z, sizeof y);
        must_forward(encoder, NULL, &step, POSENC_F32, BATCH, TOKENS, x, y);
    }
    posenc_encoder_destroy(encoder);
}

/* What dx must be, bit for bit: one product. */
static uint64_t expected(posenc_dtype dtype, uint64_t dy, double dropout, double scale, const posenc_step *step,
                         uint64_t i) {
    posenc_dtype e_dtype = dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    uint64_t nothing = number_with_sign(e_dtype, 0, true);
    if (!step || !step->training || dropout == 0) return number_fused(dtype, dy, scale, nothing);
    return drop_slowly(dtype, dy, 1, nothing, step, i, dropout, scale / (1 - dropout));
}

static void test_every_bit(void **state) {
    (void)state;
    random_state random = random_start("backward bits");
    static char dy[N * 8], dx[N * 8], want[N * 8];
    for (int c = 0; c < 48; c++) {
        posenc_dtype dtype = encoding_dtypes[c % 4];
        double dropout = c & 4 ? 0.2 : 0, scale = c & 8 ? 1 : 22.627416997969522;
        size_t bytes = posenc_dtype_bytes(dtype);
        posenc_encoder *encoder = encoder_of(dtype, dropout, scale);
        posenc_step step = training_step(1, (uint64_t)c, 5);
        step.training = c < 32;
        random_fill(&random, dtype, dy, N);
        number_store(dtype, number_with_sign(dtype, 0, true), dy); /* -0 stays -0 */
        for (size_t i = 0; i < N; i++)
            number_store(dtype, expected(dtype, number_load(dtype, dy + i * bytes), dropout, scale, &step, i),
                         want + i * bytes);
        must_backward(encoder, &step, dtype, BATCH, TOKENS, dy, dx);
        must_equal("backward", dtype, want, dx, N);
        must_backward(encoder, &step, dtype, BATCH, TOKENS, dy, dy);
        must_equal("backward in place", dtype, want, dy, N);
        if (c == 0) must_backward(encoder, NULL, dtype, BATCH, TOKENS, dy, dx); /* no step: evaluation */
        posenc_encoder_destroy(encoder);
    }
}

/* Evaluation with scale 1 is the identity. */
static void test_evaluation_is_the_identity(void **state) {
    (void)state;
    random_state random = random_start("identity");
    static char dy[N * 8], dx[N * 8];
    for (int d = 0; d < 4; d++) {
        posenc_encoder *encoder = encoder_of(encoding_dtypes[d], 0.5, 1);
        random_fill(&random, encoding_dtypes[d], dy, N);
        must_backward(encoder, NULL, encoding_dtypes[d], BATCH, TOKENS, dy, dx);
        assert_memory_equal(dx, dy, N * posenc_dtype_bytes(encoding_dtypes[d]));
        posenc_encoder_destroy(encoder);
    }
}

static void test_strides(void **state) {
    (void)state;
    random_state random = random_start("backward strides");
    const int64_t shape[3] = {BATCH, TOKENS, DIM};
    static char dy[N * 8], want[N * 8], got[N * 8];
    for (int round = 0; round < 40; round++) {
        posenc_dtype dtype = encoding_dtypes[round % 4];
        posenc_encoder *encoder = encoder_of(dtype, round & 4 ? 0.3 : 0, 2);
        posenc_step step = training_step(1, 2, 3);
        random_fill(&random, dtype, dy, N);
        must_backward(encoder, &step, dtype, BATCH, TOKENS, dy, want);
        strided sdy, sdx;
        strided_make(&sdy, &random, dtype, 3, shape, false);
        strided_make(&sdx, &random, dtype, 3, shape, false);
        strided_put(&sdy, dy);
        strided *out = round % 3 ? &sdx : &sdy;
        assert_int_equal(posenc_encoder_backward(encoder, &step, sdy.tensor, out->tensor, NULL), POSENC_OK);
        strided_get(out, got);
        must_equal("strided backward", dtype, want, got, N);
        strided_check_gaps(&sdy, "dy");
        strided_check_gaps(&sdx, "dx");
        strided_free(&sdy);
        strided_free(&sdx);
        posenc_encoder_destroy(encoder);
    }
}

static void test_threads_and_instruction_sets(void **state) {
    (void)state;
    enum { LONG = 2000, WIDE = 513 };
    int64_t n = 2 * (int64_t)LONG * WIDE;
    random_state random = random_start("backward threads");
    char *dy = must_allocate((size_t)n * 8), *want = must_allocate((size_t)n * 8), *dx = must_allocate((size_t)n * 8);
    for (int d = 0; d < 4; d++) {
        posenc_dtype dtype = encoding_dtypes[d];
        posenc_step step = training_step(8, 9, 10);
        bool first = true;
        random_fill(&random, dtype, dy, n);
        for (size_t isa = 0; isa < isa_count(); isa++)
            for (int threads = 1; threads <= 4; threads += 3) {
                posenc_context *context = isa_context(isa, threads);
                posenc_encoder_options options = encoder_options(dtype);
                options.dropout = 0.1;
                options.scale = 3;
                posenc_encoder *encoder = must_encoder(context, &(plan_shape){.dim = WIDE, .max_len = 1}, &options);
                must_backward(encoder, &step, dtype, 2, LONG, dy, first ? want : dx);
                if (!first) must_equal("threads", dtype, want, dx, n);
                first = false;
                posenc_encoder_destroy(encoder);
                posenc_context_destroy(context);
            }
    }
    free(dy);
    free(want);
    free(dx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backward_is_the_adjoint),     cmocka_unit_test(test_backward_is_the_limit_of_differences),
        cmocka_unit_test(test_one_input_one_output),        cmocka_unit_test(test_every_bit),
        cmocka_unit_test(test_evaluation_is_the_identity),  cmocka_unit_test(test_strides),
        cmocka_unit_test(test_threads_and_instruction_sets)};
    return TEST_RUN(tests);
}
