/* The summary of all pairs beside the whole matrix, whose elements other tests hold. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "diagnose/cosines.h"
#include "support/allocator.h"
#include "support/tensors.h"
#include "support/test.h"

/* What the matrix says, in the obvious order: the first pair is met first. */
static posenc_similarity_report plain_report(const float *matrix, int64_t length, int64_t dim, double *by_distance) {
    posenc_similarity_report r = {.length = length,
                                  .dim = dim,
                                  .minimum = HUGE_VAL,
                                  .maximum = -HUGE_VAL,
                                  .minimum_at = {-1, -1},
                                  .maximum_at = {-1, -1}};
    int64_t pairs = 0;
    for (int64_t i = 0; i < length; i++) r.without_direction += isnan(matrix[i * length + i]);
    for (int64_t i = 0; i < length; i++)
        for (int64_t j = i + 1; j < length; j++) {
            double x = (double)matrix[i * length + j];
            if (isnan(x)) continue;
            r.mean += x;
            pairs++;
            if (x < r.minimum) r.minimum = x, r.minimum_at[0] = i, r.minimum_at[1] = j;
            if (x > r.maximum) r.maximum = x, r.maximum_at[0] = i, r.maximum_at[1] = j;
        }
    r.mean /= (double)pairs;
    if (pairs == 0) r.mean = r.minimum = r.maximum = (double)NAN;
    for (int64_t k = 0; k < length; k++) {
        double sum = 0, n = 0;
        for (int64_t i = 0; i + k < length; i++)
            if (!isnan(matrix[i * length + i + k])) sum += (double)matrix[i * length + i + k], n++;
        by_distance[k] = n > 0 ? sum / n : (double)NAN;
    }
    r.neighbours = length > 1 ? by_distance[1] : (double)NAN;
    return r;
}

static bool near(double a, double b) { return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-12; }

static void check_summary(const char *what, const posenc_similarity *similarity, int64_t dim) {
    int64_t length = posenc_similarity_length(similarity);
    double *curve = must_allocate((size_t)length * sizeof *curve), *want_curve = must_allocate((size_t)length * 8);
    float *matrix = must_matrix(similarity);
    posenc_similarity_report want = plain_report(matrix, length, dim, want_curve), got = {.size = sizeof got}, alone;
    posenc_error error = {0};
    check(posenc_similarity_summary(similarity, curve, &got, &error) == POSENC_OK, "%s", error.message);
    check(got.size == sizeof got && got.length == length && got.dim == dim, "%s: %lld x %lld", what,
          (long long)got.length, (long long)got.dim);
    check(got.without_direction == want.without_direction, "%s: %lld rows without direction, expected %lld", what,
          (long long)got.without_direction, (long long)want.without_direction);
    check(near(want.mean, got.mean), "%s: mean %.17g, expected %.17g", what, got.mean, want.mean);
    check(near(want.neighbours, got.neighbours), "%s: neighbours %.17g, expected %.17g", what, got.neighbours,
          want.neighbours);
    check(isnan(want.minimum) ? isnan(got.minimum) : want.minimum == got.minimum, "%s: minimum %.9g, expected %.9g",
          what, got.minimum, want.minimum);
    check(isnan(want.maximum) ? isnan(got.maximum) : want.maximum == got.maximum, "%s: maximum %.9g, expected %.9g",
          what, got.maximum, want.maximum);
    for (int i = 0; i < 2; i++)
        check(got.minimum_at[i] == want.minimum_at[i] && got.maximum_at[i] == want.maximum_at[i],
              "%s: minimum at %lld, %lld, maximum at %lld, %lld; expected %lld, %lld and %lld, %lld", what,
              (long long)got.minimum_at[0], (long long)got.minimum_at[1], (long long)got.maximum_at[0],
              (long long)got.maximum_at[1], (long long)want.minimum_at[0], (long long)want.minimum_at[1],
              (long long)want.maximum_at[0], (long long)want.maximum_at[1]);
    for (int64_t k = 0; k < length; k++)
        check(near(want_curve[k], curve[k]), "%s: mean %.17g at distance %lld, expected %.17g", what, curve[k],
              (long long)k, want_curve[k]);
    memset(&alone, 0x5A, sizeof alone);
    alone.size = sizeof alone;
    assert_int_equal(posenc_similarity_summary(similarity, NULL, &alone, NULL), POSENC_OK);
    check(memcmp(&alone, &got, sizeof got) == 0, "%s: another report without a curve", what);
    free(matrix);
    free(want_curve);
    free(curve);
}

static void check_table(const char *what, const float *table, int64_t length, int64_t dim) {
    posenc_similarity *similarity = must_similarity(NULL, POSENC_F32, table, length, dim);
    check_summary(what, similarity, dim);
    posenc_similarity_destroy(similarity);
}

static void test_every_length(void **state) {
    (void)state;
    for (int n = 0; n < n_cosine_lengths; n++) {
        float *table = random_table("summary, lengths", cosine_lengths[n], 19);
        check_table("random", table, cosine_lengths[n], 19);
        free(table);
    }
}

/* Rows without direction in every place: none, a few, whole runs, all but one, all. */
static void test_rows_without_direction(void **state) {
    (void)state;
    enum { LENGTH = 730, DIM = 8 };
    random_state random = random_start("summary, missing");
    static const double shares[] = {0.003, 0.1, 0.5, 0.99, 1};
    for (int kind = 0; kind < 10; kind++) {
        float *table = random_table("summary, missing rows", LENGTH, DIM);
        for (int64_t row = 0; row < LENGTH; row++) {
            bool missing = kind < 5 ? random_unit(&random) < shares[kind] : row / 130 % 2 == kind % 2;
            if (missing) table[row * DIM] = NAN;
            if (missing && row % 2) memset(table + row * DIM, 0, DIM * sizeof *table);
        }
        check_table("missing", table, LENGTH, DIM);
        free(table);
    }
}

/* Minima and maxima that are everywhere: the first pair counts, whatever the order of the work. */
static void test_ties(void **state) {
    (void)state;
    enum { LENGTH = 700 };
    float *table = must_allocate(LENGTH * 2 * sizeof *table);
    for (int period = 1; period <= 401; period += 80) {
        for (int64_t row = 0; row < LENGTH; row++) {
            table[2 * row] = row % period == period - 1 ? -1.0f : 1.0f;
            table[2 * row + 1] = row % period == period / 2 ? 1.0f : 0.0f;
        }
        check_table("ties", table, LENGTH, 2);
    }
    for (int64_t row = 0; row < LENGTH; row++) table[2 * row] = table[2 * row + 1] = 3;
    check_table("all alike", table, LENGTH, 2);
    free(table);
}

static void test_no_rows(void **state) {
    (void)state;
    posenc_similarity *similarity = must_similarity(NULL, POSENC_F32, NULL, 0, 4);
    posenc_similarity_report r = {.size = sizeof r};
    assert_int_equal(posenc_similarity_summary(similarity, NULL, &r, NULL), POSENC_OK);
    assert_true(r.length == 0 && r.dim == 4 && isnan(r.mean) && isnan(r.minimum) && r.maximum_at[1] == -1);
    posenc_similarity_destroy(similarity);
    check_table("no channels", NULL, 300, 0);
}

/* A caller of an older version knows fewer members: no byte behind them is written. */
static void test_a_shorter_report(void **state) {
    (void)state;
    float *table = random_table("summary, short", 20, 3);
    posenc_similarity *similarity = must_similarity(NULL, POSENC_F32, table, 20, 3);
    posenc_similarity_report whole = {.size = sizeof whole}, part;
    memset(&part, 0x5A, sizeof part);
    part.size = offsetof(posenc_similarity_report, maximum);
    assert_int_equal(posenc_similarity_summary(similarity, NULL, &whole, NULL), POSENC_OK);
    assert_int_equal(posenc_similarity_summary(similarity, NULL, &part, NULL), POSENC_OK);
    assert_true(part.size == offsetof(posenc_similarity_report, maximum) && part.mean == whole.mean);
    for (size_t i = part.size; i < sizeof part; i++) assert_int_equal(((unsigned char *)&part)[i], 0x5A);
    posenc_similarity_destroy(similarity);
    free(table);
}

static posenc_context *context_of(int threads) {
    posenc_context_options options;
    posenc_context *context = NULL;
    posenc_context_default(&options, sizeof options);
    options.threads = threads;
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    return context;
}

static void test_threads_give_the_same_bits(void **state) {
    (void)state;
    enum { LENGTH = 1900, DIM = 64 };
    static double want[LENGTH], got[LENGTH];
    float *table = random_table("summary, threads", LENGTH, DIM);
    posenc_similarity_report first;
    for (int threads = 1; threads <= 8; threads++) {
        posenc_context *context = context_of(threads);
        posenc_similarity *similarity = must_similarity(context, POSENC_F32, table, LENGTH, DIM);
        posenc_similarity_report r;
        memset(&r, 0, sizeof r);
        r.size = sizeof r;
        assert_int_equal(posenc_similarity_summary(similarity, threads == 1 ? want : got, &r, NULL), POSENC_OK);
        if (threads == 1) first = r;
        check(memcmp(&first, &r, sizeof r) == 0, "another report from %d threads", threads);
        if (threads > 1) must_equal("threads", POSENC_F64, want, got, LENGTH);
        posenc_similarity_destroy(similarity);
        posenc_context_destroy(context);
    }
    free(table);
}

/* Memory for all pairs would be 100 MB here. */
static void test_memory_grows_with_the_length(void **state) {
    (void)state;
    enum { LENGTH = 5000, DIM = 16 };
    float *table = random_table("summary, memory", LENGTH, DIM);
    allocator memory;
    posenc_context *context = allocator_context(&memory);
    posenc_similarity *similarity = must_similarity(context, POSENC_F32, table, LENGTH, DIM);
    posenc_similarity_report r = {.size = sizeof r};
    assert_int_equal(posenc_similarity_summary(similarity, NULL, &r, NULL), POSENC_OK);
    size_t most = LENGTH * (DIM * 4 + 17) + ((size_t)3 << 20);
    check(atomic_load(&memory.peak_bytes) < most, "%zu bytes", atomic_load(&memory.peak_bytes));
    posenc_similarity_destroy(similarity);
    allocator_context_end(&memory, context);
    free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_length),
        cmocka_unit_test(test_rows_without_direction),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_a_shorter_report),
        cmocka_unit_test(test_threads_give_the_same_bits),
        cmocka_unit_test(test_memory_grows_with_the_length),
    };
    return TEST_RUN(tests);
}
