/* What the encoding promises as mathematics: a shift is one rotation of every pair, rows have the norm sqrt(d / 2),
 * negative positions are conjugates, positions differ, and the layouts are permutations of each other. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/number.h"
#include "support/tensors.h"
#include "support/test.h"

static const int64_t even_dims[] = {2, 4, 6, 8, 64, 128, 512, 1024};
enum { EVEN_DIMS = sizeof even_dims / sizeof *even_dims };

static plan_shape random_even(random_state *random, int i) {
    static const double bases[] = {10000, 10000, 500, 500000, 2, 1e-6, 1e30};
    return (plan_shape){.dim = even_dims[i % EVEN_DIMS],
                        .base = bases[random_between(random, 0, 6)],
                        .layout = (posenc_layout)random_between(random, 0, 2),
                        .cos_first = (int)random_between(random, 0, 1)};
}

/* Columns of the sine and the cosine of pair i. */
static int64_t sine_column(const plan_shape *s, int64_t i) {
    if (s->layout == POSENC_LAYOUT_INTERLEAVED) return 2 * i + (s->cos_first != 0);
    return i + (s->cos_first ? s->dim / 2 : 0);
}

static int64_t cosine_column(const plan_shape *s, int64_t i) {
    if (s->layout == POSENC_LAYOUT_INTERLEAVED) return 2 * i + (s->cos_first == 0);
    return i + (s->cos_first ? 0 : s->dim / 2);
}

static double *row_f64(const posenc_plan *plan, int64_t position) {
    double *row = must_allocate((size_t)posenc_plan_dim(plan) * sizeof *row);
    must_write(plan, position, 1, POSENC_F64, row);
    return row;
}

/* E(p + k) = M_k E(p): the rotation by k, which E(k) itself holds, does not depend on p. */
static void test_a_shift_is_a_rotation(void **state) {
    (void)state;
    random_state random = random_start("shift law");
    for (int round = 0; round < 400; round++) {
        plan_shape shape = random_even(&random, round);
        posenc_plan *plan = must_plan(NULL, &shape);
        int64_t p = random_position(&random) / 4, k = random_position(&random) / 4;
        double *at_p = row_f64(plan, p), *at_k = row_f64(plan, k), *at_sum = row_f64(plan, p + k);
        for (int64_t i = 0; i < shape.dim / 2; i++) {
            int64_t s = sine_column(&shape, i), c = cosine_column(&shape, i);
            double sine = at_p[s] * at_k[c] + at_p[c] * at_k[s], cosine = at_p[c] * at_k[c] - at_p[s] * at_k[s];
            check(fabs(sine - at_sum[s]) < 1.5e-14 && fabs(cosine - at_sum[c]) < 1.5e-14,
                  "%s p %" PRId64 " k %" PRId64 " pair %" PRId64 ": off by %g, %g", plan_text(&shape), p, k, i,
                  sine - at_sum[s], cosine - at_sum[c]);
        }
        free(at_p);
        free(at_k);
        free(at_sum);
        posenc_plan_destroy(plan);
    }
}

static void test_norm_and_range(void **state) {
    (void)state;
    random_state random = random_start("norm");
    for (int round = 0; round < 400; round++) {
        plan_shape shape = random_even(&random, round);
        posenc_plan *plan = must_plan(NULL, &shape);
        double *row = row_f64(plan, random_position(&random)), sum = 0;
        for (int64_t i = 0; i < shape.dim; i++) {
            sum += row[i] * row[i];
            check(fabs(row[i]) <= 1 + 4e-15, "%s column %" PRId64 " is %.17g", plan_text(&shape), i, row[i]);
        }
        check(fabs(sqrt(sum) - sqrt((double)shape.dim / 2)) < 1e-13, "%s norm %.17g", plan_text(&shape), sqrt(sum));
        free(row);
        posenc_plan_destroy(plan);
    }
}

/* One dtype's rows of p and -p: sines negated, cosines kept, to the bit. */
static void check_conjugates(const posenc_plan *plan, const plan_shape *shape, int64_t p, posenc_dtype dtype) {
    size_t bytes = posenc_dtype_bytes(dtype);
    char *plus = must_allocate((size_t)shape->dim * 8), *minus = must_allocate((size_t)shape->dim * 8);
    must_write(plan, p, 1, dtype, plus);
    must_write(plan, -p, 1, dtype, minus);
    for (int64_t i = 0; i < shape->dim / 2; i++) {
        size_t s = (size_t)sine_column(shape, i) * bytes, c = (size_t)cosine_column(shape, i) * bytes;
        double a = number_decode(dtype, number_load(dtype, plus + s)),
               b = number_decode(dtype, number_load(dtype, minus + s));
        check(a == -b, "%s %s p %" PRId64 " pair %" PRId64 ": sines %.17g and %.17g", plan_text(shape),
              posenc_dtype_name(dtype), p, i, a, b);
        check(memcmp(plus + c, minus + c, bytes) == 0, "%s %s p %" PRId64 " pair %" PRId64 ": cosines differ",
              plan_text(shape), posenc_dtype_name(dtype), p, i);
    }
    free(plus);
    free(minus);
}

/* The digits of -p are those of p negated, so E(-p) is the conjugate of E(p) without any rounding in between. */
static void test_negative_positions_are_conjugates(void **state) {
    (void)state;
    random_state random = random_start("conjugates");
    for (int round = 0; round < 400; round++) {
        plan_shape shape = random_even(&random, round);
        posenc_plan *plan = must_plan(NULL, &shape);
        int64_t p = random_position(&random);
        for (int d = 0; d < 4; d++) check_conjugates(plan, &shape, p, encoding_dtypes[d]);
        posenc_plan_destroy(plan);
    }
}

static void test_position_zero(void **state) {
    (void)state;
    for (int64_t dim = 1; dim < 40; dim++)
        for (int layout = 0; layout < 3; layout++)
            for (int cos_first = 0; cos_first < 2; cos_first++) {
                plan_shape shape = {.dim = dim, .layout = (posenc_layout)layout, .cos_first = cos_first};
                posenc_plan *plan = must_plan(NULL, &shape);
                double *row = row_f64(plan, 0);
                int64_t ones = 0;
                for (int64_t i = 0; i < dim; i++) {
                    check((row[i] == 0 && !signbit(row[i])) || row[i] == 1, "%s column %" PRId64 " is %g",
                          plan_text(&shape), i, row[i]);
                    ones += row[i] == 1;
                }
                int64_t expected = layout == 0 && cos_first ? (dim + 1) / 2 : dim / 2;
                check(ones == expected, "%s: %" PRId64 " ones", plan_text(&shape), ones);
                free(row);
                posenc_plan_destroy(plan);
            }
}

/* The first pair alone, sin p and cos p, tells any two whole positions apart. */
static void test_positions_differ(void **state) {
    (void)state;
    enum { N = 5000 };
    static double rows[N][2];
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 2});
    must_write(plan, -N / 2, N, POSENC_F64, rows);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            check(memcmp(rows[i], rows[j], sizeof rows[i]) != 0, "rows %d and %d are equal", i, j);
    posenc_plan_destroy(plan);
}

typedef int64_t column_map(int64_t dim, int64_t column);

static int64_t halves_of_interleaved(int64_t dim, int64_t column) {
    return column < dim / 2 ? 2 * column : 2 * (column - dim / 2) + 1;
}

static int64_t other_of_pair(int64_t dim, int64_t column) {
    (void)dim;
    return column ^ 1;
}

static int64_t other_half(int64_t dim, int64_t column) {
    return column < dim / 2 ? column + dim / 2 : column - dim / 2;
}

/* Column j of plan a is column map(j) of plan b, to the bit, in every dtype. */
static void check_permutation(const plan_shape *a, const plan_shape *b, column_map *map, random_state *random) {
    posenc_plan *plan_a = must_plan(NULL, a), *plan_b = must_plan(NULL, b);
    for (int d = 0; d < 4; d++) {
        size_t bytes = posenc_dtype_bytes(encoding_dtypes[d]);
        char *rows_a = must_allocate(64 * (size_t)a->dim * bytes), *rows_b = must_allocate(64 * (size_t)b->dim * bytes);
        int64_t start = random_position(random) / 2;
        must_write(plan_a, start, 64, encoding_dtypes[d], rows_a);
        must_write(plan_b, start, 64, encoding_dtypes[d], rows_b);
        for (int64_t t = 0; t < 64; t++)
            for (int64_t j = 0; j < a->dim; j++)
                check(memcmp(rows_a + (size_t)(t * a->dim + j) * bytes,
                             rows_b + (size_t)(t * b->dim + map(a->dim, j)) * bytes, bytes) == 0,
                      "%s %s position %" PRId64 " column %" PRId64 " differs from its twin", plan_text(a),
                      posenc_dtype_name(encoding_dtypes[d]), start + t, j);
        free(rows_a);
        free(rows_b);
    }
    posenc_plan_destroy(plan_a);
    posenc_plan_destroy(plan_b);
}

static void test_layouts_are_permutations(void **state) {
    (void)state;
    random_state random = random_start("permutations");
    for (int i = 0; i < EVEN_DIMS; i++) {
        plan_shape inter = {.dim = even_dims[i]}, halves = {.dim = even_dims[i], .layout = POSENC_LAYOUT_HALVES};
        plan_shape t2t = {.dim = even_dims[i], .layout = POSENC_LAYOUT_TENSOR2TENSOR};
        check_permutation(&halves, &inter, halves_of_interleaved, &random);
        plan_shape turned = inter;
        turned.cos_first = 1;
        check_permutation(&turned, &inter, other_of_pair, &random);
        turned = halves;
        turned.cos_first = 1;
        check_permutation(&turned, &halves, other_half, &random);
        turned = t2t;
        turned.cos_first = 1;
        check_permutation(&turned, &t2t, other_half, &random);
    }
}

/* tensor2tensor of width d has the frequencies of halves of width d - 2, and base^-1 as its last. */
static int64_t t2t_of_halves(int64_t dim, int64_t column) { return column < dim / 2 ? column : column + 1; }

static void test_tensor2tensor_frequencies(void **state) {
    (void)state;
    random_state random = random_start("tensor2tensor");
    for (int64_t dim = 2; dim <= 128; dim += 6) {
        plan_shape halves = {.dim = dim, .layout = POSENC_LAYOUT_HALVES};
        plan_shape t2t = {.dim = dim + 2, .layout = POSENC_LAYOUT_TENSOR2TENSOR};
        check_permutation(&halves, &t2t, t2t_of_halves, &random);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_shift_is_a_rotation),
                                       cmocka_unit_test(test_norm_and_range),
                                       cmocka_unit_test(test_negative_positions_are_conjugates),
                                       cmocka_unit_test(test_position_zero),
                                       cmocka_unit_test(test_positions_differ),
                                       cmocka_unit_test(test_layouts_are_permutations),
                                       cmocka_unit_test(test_tensor2tensor_frequencies)};
    return TEST_RUN(tests);
}
