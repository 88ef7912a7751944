/* Laws of the demo's encoder, and of the random numbers that it is made from. */
#include "demo_encoder.h"

#include <math.h>
#include <string.h>

#include "demo_random.h"
#include "support/test.h"

enum { DIM = POSENC_DEMO_DIM, MOST_TOKENS = 33 };

static void draw_tokens(posenc_demo_random *random, int tokens, double *x) {
    for (int i = 0; i < tokens * DIM; i++) x[i] = posenc_demo_normal(random);
}

static void permute(posenc_demo_random *random, int n, int *order) {
    for (int t = 0; t < n; t++) order[t] = t;
    for (int t = n - 1; t > 0; t--) {
        int other = (int)posenc_demo_below(random, (size_t)t + 1), kept = order[t];
        order[t] = order[other];
        order[other] = kept;
    }
}

static double largest_difference(const double *a, const double *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* The law that the whole demo rests on: without positions, permuted tokens give permuted outputs. Only the order of
 * sums changes, hence the rounding. */
static void permuted_tokens_give_permuted_outputs(void **unused) {
    static double x[MOST_TOKENS * DIM], permuted[MOST_TOKENS * DIM], y[MOST_TOKENS * DIM], z[MOST_TOKENS * DIM];
    static const int sizes[] = {1, 2, 3, 4, 17, MOST_TOKENS};
    posenc_demo_random random = {test_seed()};
    posenc_demo_encoder *encoder = posenc_demo_encoder_create(posenc_demo_bits(&random));
    (void)unused;
    assert_non_null(encoder);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s], order[MOST_TOKENS];
        draw_tokens(&random, n, x);
        permute(&random, n, order);
        for (int t = 0; t < n; t++) memcpy(permuted + t * DIM, x + order[t] * DIM, DIM * sizeof *x);
        assert_true(posenc_demo_encoder_forward(encoder, n, x, y));
        assert_true(posenc_demo_encoder_forward(encoder, n, permuted, z));
        for (int t = 0; t < n; t++) {
            double difference = largest_difference(z + t * DIM, y + order[t] * DIM, DIM);
            check(difference < 1e-12, "%d tokens, token %d: differs by %g", n, t, difference);
        }
    }
    posenc_demo_encoder_destroy(encoder);
}

/* Else the law above would hold for an encoder that looks at each token alone. */
static void every_token_sees_every_other(void **unused) {
    static double x[4 * DIM], y[4 * DIM], z[4 * DIM];
    posenc_demo_random random = {test_seed()};
    posenc_demo_encoder *encoder = posenc_demo_encoder_create(posenc_demo_bits(&random));
    (void)unused;
    assert_non_null(encoder);
    draw_tokens(&random, 4, x);
    assert_true(posenc_demo_encoder_forward(encoder, 4, x, y));
    for (int changed = 0; changed < 4; changed++) {
        double kept = x[changed * DIM];
        x[changed * DIM] += 1;
        assert_true(posenc_demo_encoder_forward(encoder, 4, x, z));
        x[changed * DIM] = kept;
        for (int t = 0; t < 4; t++) {
            double difference = largest_difference(y + t * DIM, z + t * DIM, DIM);
            check(difference > 1e-4, "token %d changed, the output of token %d moved by %g", changed, t, difference);
        }
    }
    posenc_demo_encoder_destroy(encoder);
}

/* Attention weights sum to 1: among equal tokens each reads what it would read alone. */
static void equal_tokens_are_as_one(void **unused) {
    static double x[7 * DIM], y[7 * DIM], alone[DIM];
    posenc_demo_random random = {test_seed()};
    posenc_demo_encoder *encoder = posenc_demo_encoder_create(posenc_demo_bits(&random));
    (void)unused;
    assert_non_null(encoder);
    draw_tokens(&random, 1, x);
    for (int t = 1; t < 7; t++) memcpy(x + t * DIM, x, DIM * sizeof *x);
    assert_true(posenc_demo_encoder_forward(encoder, 1, x, alone));
    assert_true(posenc_demo_encoder_forward(encoder, 7, x, y));
    for (int t = 0; t < 7; t++) {
        double difference = largest_difference(y + t * DIM, alone, DIM);
        check(difference < 1e-12, "token %d differs by %g", t, difference);
    }
    posenc_demo_encoder_destroy(encoder);
}

/* The last norm: mean 0, variance 1. */
static void outputs_are_normed(void **unused) {
    static double x[5 * DIM], y[5 * DIM];
    posenc_demo_random random = {test_seed()};
    posenc_demo_encoder *encoder = posenc_demo_encoder_create(posenc_demo_bits(&random));
    (void)unused;
    assert_non_null(encoder);
    draw_tokens(&random, 5, x);
    assert_true(posenc_demo_encoder_forward(encoder, 5, x, y));
    for (int t = 0; t < 5; t++) {
        double mean = 0, square = 0;
        for (int c = 0; c < DIM; c++) mean += y[t * DIM + c] / DIM;
        for (int c = 0; c < DIM; c++) square += y[t * DIM + c] * y[t * DIM + c] / DIM;
        check(fabs(mean) < 1e-12 && fabs(square - 1) < 1e-3, "token %d: mean %g, mean square %g", t, mean, square);
    }
    posenc_demo_encoder_destroy(encoder);
}

static void equal_seeds_give_equal_encoders(void **unused) {
    static double x[3 * DIM], y[3][3 * DIM];
    posenc_demo_random random = {test_seed()};
    (void)unused;
    draw_tokens(&random, 3, x);
    for (int i = 0; i < 3; i++) {
        posenc_demo_encoder *encoder = posenc_demo_encoder_create(i < 2 ? 5 : 6);
        assert_non_null(encoder);
        assert_true(posenc_demo_encoder_forward(encoder, 3, x, y[i]));
        posenc_demo_encoder_destroy(encoder);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_true(largest_difference(y[0], y[2], 3 * DIM) > 0.01);
}

/* First numbers of splitmix64 from seed 1234567, as published with its reference code. */
static void bits_are_splitmix64(void **unused) {
    static const uint64_t known[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                     4593380528125082431u, 16408922859458223821u};
    posenc_demo_random random = {1234567};
    (void)unused;
    for (int i = 0; i < 5; i++) assert_true(posenc_demo_bits(&random) == known[i]);
}

/* Mean 0, variance 1, fourth moment 3. The seed is fixed: a bound of five standard errors would fail now and then. */
static void normals_are_normal(void **unused) {
    enum { N = 200000 };
    double first = 0, second = 0, fourth = 0;
    posenc_demo_random random = {1};
    (void)unused;
    for (int i = 0; i < N; i++) {
        double x = posenc_demo_normal(&random);
        first += x / N;
        second += x * x / N;
        fourth += x * x * x * x / N;
    }
    check(fabs(first) < 0.01 && fabs(second - 1) < 0.015 && fabs(fourth - 3) < 0.1, "moments %g, %g, %g", first, second,
          fourth);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(permuted_tokens_give_permuted_outputs),
                                       cmocka_unit_test(every_token_sees_every_other),
                                       cmocka_unit_test(equal_tokens_are_as_one),
                                       cmocka_unit_test(outputs_are_normed),
                                       cmocka_unit_test(equal_seeds_give_equal_encoders),
                                       cmocka_unit_test(bits_are_splitmix64),
                                       cmocka_unit_test(normals_are_normal)};
    return TEST_RUN(tests);
}
