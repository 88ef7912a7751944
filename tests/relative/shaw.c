/* Clipped relative positions against their equations: every result, dtype, direction, offsets, any strides; the
 * explicit tensor; edges of size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shaw_calls.h"
#include "support/isa.h"
#include "support/number.h"
#include "support/strided.h"
#include "support/tensors.h"
#include "support/test.h"

enum { CASES = 60 };

/* A strided tensor of random elements, and their values. */
static double *random_tensor(strided *s, random_state *random, posenc_dtype dtype, int rank, const int64_t *shape,
                             bool may_share) {
    strided_make(s, random, dtype, rank, shape, may_share);
    int64_t n = strided_elements(s);
    char *data = must_allocate((size_t)n * posenc_dtype_bytes(dtype) + 1);
    random_fill(random, dtype, data, n);
    strided_put(s, data);
    double *values = must_allocate((size_t)n * sizeof *values + 1);
    for (int64_t i = 0; i < n; i++) values[i] = number_decode(dtype, number_load(dtype, strided_at(s, i)));
    free(data);
    return values;
}

static void check_result(const shaw_case *c, shaw_result result, random_state *random) {
    int64_t shape[4];
    int rank;
    strided vectors, table, scores, out;
    shaw_vectors(c, shape);
    double *v = random_tensor(&vectors, random, c->dtype, 4, shape, true);
    shaw_table(c, shape);
    double *t = random_tensor(&table, random, c->dtype, 2, shape, true);
    shaw_scores(c, shape);
    double *s = random_tensor(&scores, random, c->dtype, 4, shape, true);
    int64_t n = shaw_output(c, result, &rank, shape);
    posenc_dtype dtype = rank == 2 && random_between(random, 0, 1) && c->dtype != POSENC_F64 ? POSENC_F32 : c->dtype;
    double *before = random_tensor(&out, random, dtype, rank, shape, false);
    long double *want = must_allocate((size_t)n * sizeof *want), *sizes = must_allocate((size_t)n * sizeof *sizes);
    posenc_error error = {.message = ""};
    shaw_slow(c, result, v, t, s, want, sizes);
    check(shaw_run(NULL, c, result, vectors.tensor, table.tensor, scores.tensor, out.tensor, &error) == POSENC_OK,
          "%s of %s: %s", shaw_names[result], shaw_text(c), error.message);
    for (int64_t i = 0; i < n; i++) {
        double got = number_decode(dtype, number_load(dtype, strided_at(&out, i)));
        if (c->options.accumulate) want[i] += (long double)before[i], sizes[i] += fabsl((long double)before[i]);
        check(relative_accepts(c->dtype, dtype, got, want[i], sizes[i]),
              "%s of %s: element %lld: expected %.9Lg, got %.9g", shaw_names[result], shaw_text(c), (long long)i,
              want[i], got);
    }
    strided_check_gaps(&out, shaw_names[result]);
    strided_free(&vectors), strided_free(&table), strided_free(&scores), strided_free(&out);
    free(v), free(t), free(s), free(before), free(want), free(sizes);
}

static void test_equations(void **state) {
    (void)state;
    random_state random = random_start("shaw equations");
    for (int i = 0; i < CASES; i++) {
        shaw_case c;
        shaw_random(&c, &random);
        for (int result = 0; result < SHAW_RESULTS; result++) check_result(&c, (shaw_result)result, &random);
    }
}

/* ---- the explicit tensor ---- */

static void check_explicit(const shaw_case *c, random_state *random) {
    int64_t shape[4];
    strided table, out;
    shaw_table(c, shape);
    double *t = random_tensor(&table, random, c->dtype, 2, shape, true);
    const int64_t out_shape[] = {c->queries, c->keys, c->d};
    free(random_tensor(&out, random, c->dtype, 3, out_shape, false));
    posenc_error error = {.message = ""};
    check(posenc_shaw_write(NULL, &c->options, table.tensor, out.tensor, &error) == POSENC_OK, "%s: %s", shaw_text(c),
          error.message);
    for (int64_t at = 0; at < strided_elements(&out); at++) {
        int64_t l = at % c->d, j = at / c->d % c->keys, i = at / c->d / c->keys, clip = c->options.clip;
        int64_t distance = j - (c->options.offset + i);
        if (c->options.direction == POSENC_DIRECTION_QUERY_MINUS_KEY) distance = -distance;
        int64_t row = (distance > clip ? clip : distance < -clip ? -clip : distance) + clip;
        double got = number_decode(c->dtype, number_load(c->dtype, strided_at(&out, at)));
        check(got == t[row * c->d + l], "%s: query %lld key %lld: expected row %lld", shaw_text(c), (long long)i,
              (long long)j, (long long)row);
    }
    strided_check_gaps(&out, "explicit");
    strided_free(&table), strided_free(&out);
    free(t);
}

static void test_explicit(void **state) {
    (void)state;
    random_state random = random_start("shaw explicit");
    for (int i = 0; i < CASES; i++) {
        shaw_case c;
        shaw_random(&c, &random);
        c.options.accumulate = 0;
        check_explicit(&c, &random);
    }
}

/* The example of the paper's section 3.1: rows of w_{-K} .. w_K, for five tokens and K = 2. */
static void test_paper(void **state) {
    (void)state;
    static const float want[5][5] = {
        {0, 1, 2, 2, 2}, {-1, 0, 1, 2, 2}, {-2, -1, 0, 1, 2}, {-2, -2, -1, 0, 1}, {-2, -2, -2, -1, 0}};
    float table[5] = {-2, -1, 0, 1, 2}, out[5][5], scores[5][5], one[5] = {1, 1, 1, 1, 1};
    shaw_case c = shaw_sized(POSENC_F32, 1, 1, 5, 5, 1, 2);
    posenc_view t, o;
    assert_int_equal(
        posenc_shaw_write(NULL, &c.options, posenc_view_make(&t, table, POSENC_F32, 2, (int64_t[]){5, 1}, NULL),
                          posenc_view_make(&o, out, POSENC_F32, 3, (int64_t[]){5, 5, 1}, NULL), NULL),
        POSENC_OK);
    must_shaw(NULL, &c, SHAW_SCORES, one, table, NULL, scores);
    assert_memory_equal(out, want, sizeof want);
    assert_memory_equal(scores, want, sizeof want);
}

/* ---- edges ---- */

static void test_empty(void **state) {
    (void)state;
    float data[64] = {1, 2, 3};
    for (int zero = 0; zero < 5; zero++) {
        shaw_case c = shaw_sized(POSENC_F32, zero != 0, zero != 1, zero != 2, zero != 3, zero != 4, 2);
        for (int result = 0; result < SHAW_RESULTS; result++) {
            float out[16];
            int64_t shape[4];
            int rank;
            for (int i = 0; i < 16; i++) out[i] = 7;
            must_shaw(NULL, &c, (shaw_result)result, data, data + 16, data + 32, out);
            int64_t n = shaw_output(&c, (shaw_result)result, &rank, shape);
            for (int64_t i = 0; i < 16; i++)
                check(i < n ? out[i] == 0 : out[i] == 7, "%s, extent %d zero: element %lld is %g", shaw_names[result],
                      zero, (long long)i, (double)out[i]);
        }
    }
}

/* Positions far out, and clips that no table of a sequence reaches: only the rows in use are touched. */
static void test_far(void **state) {
    (void)state;
    float table[5] = {1, 2, 3, 4, 5}, q[2] = {1, 1}, scores[2][3];
    shaw_case c = shaw_sized(POSENC_F32, 1, 1, 2, 3, 1, 2);
    c.options.offset = INT64_C(1) << 60;
    must_shaw(NULL, &c, SHAW_SCORES, q, table, NULL, scores);
    for (int i = 0; i < 6; i++) assert_true(scores[i / 3][i % 3] == 1);
    c.options.offset = -(INT64_C(1) << 60);
    must_shaw(NULL, &c, SHAW_SCORES, q, table, NULL, scores);
    for (int i = 0; i < 6; i++) assert_true(scores[i / 3][i % 3] == 5);
}

/* Nothing to write, however many queries have no keys or no channels; and a table whose rows no key reaches. */
static void test_empty_and_long(void **state) {
    (void)state;
    const int64_t far = INT64_C(1) << 50;
    float cell[4] = {1, 2, 3, 4}, table[5] = {1, 2, 3, 4, 5}, gradient[5] = {7, 7, 7, 7, 7};
    posenc_view views[5];
    posenc_shaw_options o;
    posenc_shaw_default(&o, sizeof o);
    o.clip = 2;
    DLTensor *t = posenc_view_make(&views[0], table, POSENC_F32, 2, (int64_t[]){5, 1}, NULL);
    DLTensor *q = posenc_view_make(&views[1], cell, POSENC_F32, 4, (int64_t[]){1, 1, far, 1}, (int64_t[]){0, 0, 0, 1});
    DLTensor *s = posenc_view_make(&views[2], cell, POSENC_F32, 4, (int64_t[]){1, 1, far, 0}, (int64_t[]){0, 0, 0, 1});
    DLTensor *g = posenc_view_make(&views[3], gradient, POSENC_F32, 2, (int64_t[]){5, 1}, NULL);
    DLTensor *all = posenc_view_make(&views[4], NULL, POSENC_F32, 3, (int64_t[]){far, 0, 1}, (int64_t[]){1, 1, 1});
    assert_int_equal(posenc_shaw_write(NULL, &o, t, all, NULL), POSENC_OK);
    assert_int_equal(posenc_shaw_scores_backward(NULL, &o, q, t, s, NULL, g, NULL), POSENC_OK);
    for (int i = 0; i < 5; i++) assert_true(gradient[i] == 0);
    t->shape[1] = g->shape[1] = q->shape[3] = 0;
    s->shape[3] = 1, s->strides[3] = 0;
    assert_int_equal(posenc_shaw_scores_backward(NULL, &o, q, t, s, NULL, g, NULL), POSENC_OK);
    all->shape[1] = far, all->shape[2] = 0;
    assert_int_equal(posenc_shaw_write(NULL, &o, t, all, NULL), POSENC_OK);
}

/* No keys, far out, beside a clip that only a table of stride 0 has: no room is asked for rows that nobody reads. */
static void test_far_without_keys(void **state) {
    (void)state;
    float cell = 1, out[2] = {7, 7};
    posenc_view views[3];
    posenc_shaw_options o;
    posenc_shaw_default(&o, sizeof o);
    o.clip = INT64_C(1) << 40, o.offset = INT64_C(1) << 60;
    DLTensor *t = posenc_view_make(&views[0], &cell, POSENC_F32, 2, (int64_t[]){2 * o.clip + 1, 1}, (int64_t[]){0, 1});
    DLTensor *p = posenc_view_make(&views[1], NULL, POSENC_F32, 4, (int64_t[]){1, 1, 2, 0}, NULL);
    DLTensor *x = posenc_view_make(&views[2], out, POSENC_F32, 4, (int64_t[]){1, 1, 2, 1}, NULL);
    assert_int_equal(posenc_shaw_values(NULL, &o, p, t, x, NULL), POSENC_OK);
    assert_true(out[0] == 0 && out[1] == 0);
}

/* An axis of one element never steps, whatever stride stands there. */
static void test_axes_of_one(void **state) {
    (void)state;
    const int64_t far = INT64_C(1) << 62, ones[] = {1, 1, 1, 1}, strides[] = {far, -far, far, INT64_MAX};
    float q = 3, score = 0, dq = 0, dtable[3] = {7, 7, 7}, table[3] = {1, 2, 5};
    posenc_view views[5];
    posenc_shaw_options o;
    posenc_shaw_default(&o, sizeof o);
    o.clip = 1;
    DLTensor *x = posenc_view_make(&views[0], &q, POSENC_F32, 4, ones, strides);
    DLTensor *t = posenc_view_make(&views[1], table, POSENC_F32, 2, (int64_t[]){3, 1}, (int64_t[]){1, far});
    DLTensor *s = posenc_view_make(&views[2], &score, POSENC_F32, 4, ones, strides);
    DLTensor *dx = posenc_view_make(&views[3], &dq, POSENC_F32, 4, ones, strides);
    DLTensor *dt = posenc_view_make(&views[4], dtable, POSENC_F32, 2, (int64_t[]){3, 1}, (int64_t[]){1, far});
    assert_int_equal(posenc_shaw_scores(NULL, &o, x, t, s, NULL), POSENC_OK);
    assert_int_equal(posenc_shaw_scores_backward(NULL, &o, x, t, s, dx, dt, NULL), POSENC_OK);
    assert_true(score == 6 && dq == 12 && dtable[0] == 0 && dtable[1] == 18 && dtable[2] == 0);
}

/* Offsets as a view: i32 or i64, backwards, with gaps. */
static void test_offsets_of_any_kind(void **state) {
    (void)state;
    enum { B = 3, Q = 2, K = 9, CLIP = 4, ROWS = 2 * CLIP + 1 };
    float table[ROWS], q[B * Q], scores[B][Q][K];
    int32_t narrow[3 * B];
    int64_t wide[3 * B];
    static const int64_t offsets[B] = {5, -3, 2};
    for (int i = 0; i < ROWS; i++) table[i] = (float)i;
    for (int i = 0; i < B * Q; i++) q[i] = 1;
    for (int kind = 0; kind < 4; kind++) {
        posenc_view views[4];
        int64_t stride = kind % 2 ? -2 : 3, first = kind % 2 ? 2 * (B - 1) : 0;
        for (int i = 0; i < 3 * B; i++) narrow[i] = 1000, wide[i] = 1000;
        for (int b = 0; b < B; b++) wide[first + b * stride] = narrow[first + b * stride] = (int32_t)offsets[b];
        posenc_shaw_options o;
        posenc_shaw_default(&o, sizeof o);
        o.clip = CLIP;
        o.offsets = kind < 2 ? posenc_view_make(&views[0], wide + first, POSENC_I64, 1, (int64_t[]){B}, &stride)
                             : posenc_view_make(&views[0], narrow + first, POSENC_I32, 1, (int64_t[]){B}, &stride);
        DLTensor *x = posenc_view_make(&views[1], q, POSENC_F32, 4, (int64_t[]){B, 1, Q, 1}, NULL);
        DLTensor *t = posenc_view_make(&views[2], table, POSENC_F32, 2, (int64_t[]){ROWS, 1}, NULL);
        DLTensor *s = posenc_view_make(&views[3], scores, POSENC_F32, 4, (int64_t[]){B, 1, Q, K}, NULL);
        assert_int_equal(posenc_shaw_scores(NULL, &o, x, t, s, NULL), POSENC_OK);
        for (int b = 0; b < B; b++)
            for (int i = 0; i < Q; i++)
                for (int j = 0; j < K; j++) {
                    int64_t distance = j - (offsets[b] + i);
                    int64_t row = (distance < -CLIP ? -CLIP : distance > CLIP ? CLIP : distance) + CLIP;
                    check(scores[b][i][j] == (float)row, "kind %d, batch %d, query %d, key %d: expected row %lld", kind,
                          b, i, j, (long long)row);
                }
    }
}

/* A NaN or an infinity in a query or a gradient is not lost, on any instruction set. */
static void test_not_finite(void **state) {
    (void)state;
    float table[3] = {1, 2, 3}, q[2] = {NAN, INFINITY}, scores[4], dq[2];
    shaw_case c = shaw_sized(POSENC_F32, 1, 1, 2, 2, 1, 1);
    for (size_t isa = 0; isa < isa_count(); isa++) {
        posenc_context *context = isa_context(isa, 1);
        must_shaw(context, &c, SHAW_SCORES, q, table, NULL, scores);
        assert_true(isnan(scores[0]) && isnan(scores[1]) && isinf(scores[2]) && isinf(scores[3]));
        must_shaw(context, &c, SHAW_DQ, q, table, (float[]){1, 1, NAN, 1}, dq);
        assert_true(dq[0] == 5 && isnan(dq[1]));
        posenc_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equations),
        cmocka_unit_test(test_explicit),
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_empty_and_long),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_far_without_keys),
        cmocka_unit_test(test_axes_of_one),
        cmocka_unit_test(test_offsets_of_any_kind),
        cmocka_unit_test(test_not_finite),
    };
    return TEST_RUN(tests);
}
