/* The matrix of cosines beside a plain double loop, and the laws that it keeps. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "diagnose/cosines.h"
#include "support/isa.h"
#include "support/strided.h"
#include "support/tensors.h"
#include "support/test.h"

static void check_near(const char *what, int64_t i, int64_t j, double want, double got) {
    check(isnan(want) ? isnan(got) : fabs(want - got) <= 1e-6, "%s: cosine of %lld and %lld: expected %.9g, got %.9g",
          what, (long long)i, (long long)j, want, got);
}

/* Every property of the matrix of a table. */
static void check_matrix(const char *what, const double *table, int64_t length, int64_t dim, const float *matrix) {
    for (int64_t i = 0; i < length; i++)
        for (int64_t j = 0; j < length; j++) {
            float got = matrix[i * length + j], mirrored = matrix[j * length + i];
            check_near(what, i, j, plain_cosine(table + i * dim, table + j * dim, dim), (double)got);
            check(isnan(got) || (got >= -1 && got <= 1), "%s: %.9g at %lld, %lld", what, (double)got, (long long)i,
                  (long long)j);
            check(isnan(got) || got == mirrored, "%s: not symmetric at %lld, %lld", what, (long long)i, (long long)j);
            check(i != j || isnan(got) || got == 1, "%s: %.9g on the diagonal", what, (double)got);
        }
}

static void test_every_length(void **state) {
    (void)state;
    enum { DIM = 37 };
    for (int n = 0; n < n_cosine_lengths; n++) {
        int64_t length = cosine_lengths[n];
        float *table = random_table("similarity, lengths", length, DIM);
        double *doubles = doubles_of(POSENC_F32, table, length * DIM);
        posenc_similarity *similarity = must_similarity(NULL, POSENC_F32, table, length, DIM);
        float *matrix = must_matrix(similarity);
        char what[40];
        snprintf(what, sizeof what, "length %lld", (long long)length);
        check_matrix(what, doubles, length, DIM, matrix);
        free(matrix);
        posenc_similarity_destroy(similarity);
        free(doubles);
        free(table);
    }
}

static void test_every_width_and_isa(void **state) {
    (void)state;
    enum { LENGTH = 50 };
    static const int64_t dims[] = {1, 2, 3, 16, 127, 128, 129, 512, 1000, 4096};
    for (size_t isa = 0; isa < isa_count(); isa++) {
        posenc_context *context = isa_context(isa, 1);
        for (size_t n = 0; n < sizeof dims / sizeof *dims; n++) {
            float *table = random_table("similarity, widths", LENGTH, dims[n]);
            double *doubles = doubles_of(POSENC_F32, table, LENGTH * dims[n]);
            posenc_similarity *similarity = must_similarity(context, POSENC_F32, table, LENGTH, dims[n]);
            float *matrix = must_matrix(similarity);
            check_matrix(posenc_isa_name(isa), doubles, LENGTH, dims[n], matrix);
            free(matrix);
            posenc_similarity_destroy(similarity);
            free(doubles);
            free(table);
        }
        posenc_context_destroy(context);
    }
}

static void test_every_isa_gives_the_same_bits(void **state) {
    (void)state;
    enum { LENGTH = 257, DIM = 700 };
    float *table = random_table("similarity, instruction sets", LENGTH, DIM), *want = NULL;
    posenc_similarity_report first, report;
    for (size_t isa = 0; isa < isa_count(); isa++) {
        posenc_context *context = isa_context(isa, 1);
        posenc_similarity *similarity = must_similarity(context, POSENC_F32, table, LENGTH, DIM);
        float *matrix = must_matrix(similarity);
        memset(&report, 0, sizeof report);
        report.size = sizeof report;
        assert_int_equal(posenc_similarity_summary(similarity, NULL, &report, NULL), POSENC_OK);
        if (!want) want = matrix, first = report;
        must_equal(posenc_isa_name(isa), POSENC_F32, want, matrix, LENGTH * LENGTH);
        check(memcmp(&first, &report, sizeof first) == 0, "%s: another report", posenc_isa_name(isa));
        if (matrix != want) free(matrix);
        posenc_similarity_destroy(similarity);
        posenc_context_destroy(context);
    }
    free(want);
    free(table);
}

/* The errors of rows whose terms are all alike do not cancel: these are the worst. */
static void test_rows_that_are_all_alike(void **state) {
    (void)state;
    enum { LENGTH = 20 };
    for (int64_t dim = 1; dim <= 4200; dim += dim < 300 ? 13 : 131) {
        float *table = must_allocate((size_t)(LENGTH * dim) * sizeof *table);
        for (int64_t i = 0; i < LENGTH * dim; i++) table[i] = (float)(1 + i / dim);
        posenc_similarity *similarity = must_similarity(NULL, POSENC_F32, table, LENGTH, dim);
        float *matrix = must_matrix(similarity);
        for (int i = 0; i < LENGTH * LENGTH; i++) check_near("alike", i / LENGTH, i % LENGTH, 1, (double)matrix[i]);
        free(matrix);
        posenc_similarity_destroy(similarity);
        free(table);
    }
}

/* As a model of any dtype hands it out: in each of the three shapes, with any strides. */
static void test_dtypes_shapes_and_strides(void **state) {
    (void)state;
    enum { LENGTH = 33, DIM = 20, ROUNDS = 120 };
    random_state random = random_start("similarity, strides");
    static const int64_t shapes[3][3] = {{LENGTH, DIM}, {1, LENGTH, DIM}, {LENGTH, 1, DIM}};
    for (int round = 0; round < ROUNDS; round++) {
        posenc_dtype dtype = encoding_dtypes[round % 4];
        int form = round / 4 % 3;
        strided s;
        strided_make(&s, &random, dtype, form == 0 ? 2 : 3, shapes[form], true);
        void *values = must_allocate(LENGTH * DIM * sizeof(double));
        random_fill(&random, dtype, values, LENGTH * DIM);
        strided_put(&s, values);
        strided_get(&s, values);
        double *doubles = doubles_of(dtype, values, LENGTH * DIM);
        posenc_similarity *similarity = NULL;
        assert_int_equal(posenc_similarity_create(NULL, s.tensor, &similarity, NULL), POSENC_OK);
        strided_free(&s); /* it is not needed after */
        float *matrix = must_matrix(similarity);
        check_matrix(posenc_dtype_name(dtype), doubles, LENGTH, DIM, matrix);
        free(matrix);
        posenc_similarity_destroy(similarity);
        free(doubles);
        free(values);
    }
}

/* Rows of zeros, with NaN or infinity have no direction; those of the largest and the smallest numbers have one. */
static void test_odd_rows(void **state) {
    (void)state;
    enum { LENGTH = 300, DIM = 6 };
    double table[LENGTH * DIM], scaled[LENGTH * DIM];
    random_state random = random_start("similarity, odd rows");
    for (int i = 0; i < LENGTH * DIM; i++) scaled[i] = table[i] = random_unit(&random) - 0.5;
    static const double factors[] = {0x1p-1050, 0x1p-700, 1e300, 0x1p1023, -1e-200};
    for (int i = 0; i < LENGTH * DIM; i++) scaled[i] *= factors[i / DIM % 5];
    for (int i = 0; i < LENGTH; i += 50) {
        for (int c = 0; c < DIM; c++) table[i * DIM + c] = scaled[i * DIM + c] = 0;
        table[(i + 7) * DIM + 2] = scaled[(i + 7) * DIM + 2] = (double)NAN;
        table[(i + 9) * DIM + 5] = scaled[(i + 9) * DIM + 5] = (double)-INFINITY;
    }
    for (int i = 4; i < LENGTH; i += 5)
        for (int c = 0; c < DIM; c++) table[i * DIM + c] *= -1; /* as its factor does */
    posenc_similarity *similarity = must_similarity(NULL, POSENC_F64, scaled, LENGTH, DIM);
    float *matrix = must_matrix(similarity);
    check_matrix("odd rows", table, LENGTH, DIM, matrix);
    check(isnan(matrix[0]) && isnan(matrix[7]) && isnan(matrix[LENGTH * 7 + 1]), "no NaN where no direction is");
    check(!isnan(matrix[LENGTH * 249 + 251]), "NaN beside a row without direction");
    free(matrix);
    posenc_similarity_destroy(similarity);
}

static void test_a_table_without_channels(void **state) {
    (void)state;
    posenc_similarity *similarity = must_similarity(NULL, POSENC_F32, NULL, 5, 0);
    float *matrix = must_matrix(similarity);
    for (int i = 0; i < 25; i++) check(isnan(matrix[i]), "%g without a channel", (double)matrix[i]);
    free(matrix);
    posenc_similarity_destroy(similarity);
}

static void test_a_table_without_rows(void **state) {
    (void)state;
    posenc_similarity *similarity = must_similarity(NULL, POSENC_F32, NULL, 0, 8);
    must_cosines(similarity, 0, 0, NULL);
    posenc_similarity_destroy(similarity);
}

/* Powers of two change no bit, and a permutation of the rows permutes the matrix, to the bit. */
static void test_scaling_and_permuting_rows(void **state) {
    (void)state;
    enum { LENGTH = 250, DIM = 40, STEP = 77 }; /* STEP has no divisor in common with LENGTH */
    float *table = random_table("similarity, laws", LENGTH, DIM), *other = must_allocate(LENGTH * DIM * sizeof *other);
    for (int i = 0; i < LENGTH; i++)
        for (int c = 0; c < DIM; c++) other[i * STEP % LENGTH * DIM + c] = ldexpf(table[i * DIM + c], i % 100 - 50);
    posenc_similarity *a = must_similarity(NULL, POSENC_F32, table, LENGTH, DIM);
    posenc_similarity *b = must_similarity(NULL, POSENC_F32, other, LENGTH, DIM);
    float *of_a = must_matrix(a), *of_b = must_matrix(b);
    for (int i = 0; i < LENGTH; i++)
        for (int j = 0; j < LENGTH; j++)
            check(of_a[i * LENGTH + j] == of_b[i * STEP % LENGTH * LENGTH + j * STEP % LENGTH], "rows %d and %d", i, j);
    posenc_similarity_destroy(a);
    posenc_similarity_destroy(b);
    free(of_a);
    free(of_b);
    free(table);
    free(other);
}

/* However rows are asked for, and by however many threads: the same bits. */
static void test_parts_and_threads_give_the_same_bits(void **state) {
    (void)state;
    enum { LENGTH = 1000, DIM = 130 };
    random_state random = random_start("similarity, parts");
    float *table = random_table("similarity, threads", LENGTH, DIM);
    float *part = must_allocate(LENGTH * LENGTH * sizeof *part), *want = NULL;
    table[500 * DIM] = NAN;
    for (int threads = 1; threads <= 8; threads++) {
        posenc_context_options options;
        posenc_context *context = NULL;
        posenc_context_default(&options, sizeof options);
        options.threads = threads;
        assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
        posenc_similarity *similarity = must_similarity(context, POSENC_F32, table, LENGTH, DIM);
        float *matrix = must_matrix(similarity);
        if (!want) want = matrix;
        must_equal("threads", POSENC_F32, want, matrix, LENGTH * LENGTH);
        for (int64_t first = 0, rows; first < LENGTH; first += rows) {
            rows = random_between(&random, 0, LENGTH - first < 300 ? LENGTH - first : 300);
            must_cosines(similarity, first, rows, part);
            must_equal("part", POSENC_F32, want + first * LENGTH, part, rows * LENGTH);
        }
        posenc_similarity_destroy(similarity);
        posenc_context_destroy(context);
        if (matrix != want) free(matrix);
    }
    free(want);
    free(part);
    free(table);
}

/* Whatever the caller's rounding mode, which stays as it was. */
static void test_the_callers_rounding_does_not_matter(void **state) {
    (void)state;
    enum { LENGTH = 60, DIM = 50, SIDE = 7 };
    float *table = random_table("similarity, rounding", LENGTH, DIM), *matrix[2], *reduced[2];
    posenc_similarity_report reports[2];
    memset(reports, 0, sizeof reports);
    for (int i = 0; i < 2; i++) {
        if (i == 1 && fesetround(FE_UPWARD) != 0) skip();
        reports[i].size = sizeof reports[i];
        posenc_similarity *similarity = must_similarity(NULL, POSENC_F32, table, LENGTH, DIM);
        matrix[i] = must_matrix(similarity);
        reduced[i] = must_reduced(similarity, SIDE);
        assert_int_equal(posenc_similarity_summary(similarity, NULL, &reports[i], NULL), POSENC_OK);
        posenc_similarity_destroy(similarity);
        assert_int_equal(fegetround(), i == 0 ? FE_TONEAREST : FE_UPWARD);
    }
    fesetround(FE_TONEAREST);
    must_equal("rounding, matrix", POSENC_F32, matrix[0], matrix[1], LENGTH * LENGTH);
    must_equal("rounding, reduced", POSENC_F32, reduced[0], reduced[1], SIDE * SIDE);
    assert_memory_equal(&reports[0], &reports[1], sizeof reports[0]);
    for (int i = 0; i < 2; i++) free(matrix[i]), free(reduced[i]);
    free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_length),
        cmocka_unit_test(test_every_width_and_isa),
        cmocka_unit_test(test_every_isa_gives_the_same_bits),
        cmocka_unit_test(test_rows_that_are_all_alike),
        cmocka_unit_test(test_dtypes_shapes_and_strides),
        cmocka_unit_test(test_odd_rows),
        cmocka_unit_test(test_a_table_without_channels),
        cmocka_unit_test(test_a_table_without_rows),
        cmocka_unit_test(test_scaling_and_permuting_rows),
        cmocka_unit_test(test_parts_and_threads_give_the_same_bits),
        cmocka_unit_test(test_the_callers_rounding_does_not_matter),
    };
    return TEST_RUN(tests);
}
