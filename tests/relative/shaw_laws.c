/* Laws of clipped relative positions: scores and values are adjoint, gradients are finite differences, the explicit
 * tensor gives the same scores; the same bits for every number of threads, every instruction set, and for part of the
 * queries as for all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shaw_calls.h"
#include "support/isa.h"
#include "support/tensors.h"
#include "support/test.h"

enum { CASES = 60 };

typedef struct data {
    int64_t n_vectors, n_table, n_scores;
    char *vectors, *table, *scores;
} data;

static data make_data(const shaw_case *c, random_state *random) {
    int64_t shape[4];
    size_t bytes = posenc_dtype_bytes(c->dtype);
    data d = {.n_vectors = shaw_vectors(c, shape), .n_table = shaw_table(c, shape), .n_scores = shaw_scores(c, shape)};
    d.vectors = must_allocate((size_t)d.n_vectors * bytes);
    d.table = must_allocate((size_t)d.n_table * bytes);
    d.scores = must_allocate((size_t)d.n_scores * bytes);
    random_fill(random, c->dtype, d.vectors, d.n_vectors);
    random_fill(random, c->dtype, d.table, d.n_table);
    random_fill(random, c->dtype, d.scores, d.n_scores);
    return d;
}

static void free_data(data *d) { free(d->vectors), free(d->table), free(d->scores); }

static long double dot(const void *a, const void *b, int64_t n, long double *size) {
    const double *x = a, *y = b;
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (long double)x[i] * (long double)y[i];
        *size += fabsl((long double)x[i] * (long double)y[i]);
    }
    return sum;
}

static double *result_of(const shaw_case *c, shaw_result result, const data *d) {
    int64_t shape[4];
    int rank;
    double *out = must_allocate((size_t)shaw_output(c, result, &rank, shape) * sizeof *out);
    must_shaw(NULL, c, result, d->vectors, d->table, d->scores, out);
    return out;
}

/* <dS, S(q, A)> = <dq, q> = <dA, A>, and <dO, O(P, A)> = <dP, P> = <dA, A>. */
static void test_adjoint(void **state) {
    (void)state;
    random_state random = random_start("shaw adjoint");
    for (int round = 0; round < CASES; round++) {
        shaw_case c;
        shaw_random(&c, &random);
        c.dtype = POSENC_F64;
        c.options.accumulate = 0;
        data d = make_data(&c, &random);
        double *out[SHAW_RESULTS];
        for (int i = 0; i < SHAW_RESULTS; i++) out[i] = result_of(&c, (shaw_result)i, &d);
        long double size = 0;
        const long double sums[] = {dot(d.scores, out[SHAW_SCORES], d.n_scores, &size),
                                    dot(d.vectors, out[SHAW_DQ], d.n_vectors, &size),
                                    dot(d.table, out[SHAW_DTABLE], d.n_table, &size),
                                    dot(d.vectors, out[SHAW_VALUES], d.n_vectors, &size),
                                    dot(d.scores, out[SHAW_DATTENTION], d.n_scores, &size),
                                    dot(d.table, out[SHAW_DTABLE_OF_VALUES], d.n_table, &size)};
        for (int i = 0; i < 6; i++)
            check(fabsl(sums[i] - sums[i / 3 * 3]) <= size * 1e-13L, "%s: %s: %.17Lg and %.17Lg", shaw_text(&c),
                  shaw_names[i], sums[i], sums[i / 3 * 3]);
        for (int i = 0; i < SHAW_RESULTS; i++) free(out[i]);
        free_data(&d);
    }
}

/* L = <w, forward>, one input moved: the difference is the gradient. Forward is linear in each input. */
static void check_difference(const shaw_case *c, data *d, shaw_result forward, shaw_result gradient, char *moved,
                             int64_t n, const char *weights, int64_t n_out, random_state *random) {
    double *g = result_of(c, gradient, d), *at = (double *)(void *)moved + random_between(random, 0, n - 1);
    double kept = *at;
    long double ends[2], size = 0;
    for (int i = 0; i < 2; i++) {
        *at = i ? kept - 0.5 : kept + 0.5;
        double *out = result_of(c, forward, d);
        ends[i] = dot(weights, out, n_out, &size);
        free(out);
    }
    *at = kept;
    long double got = (long double)g[at - (double *)(void *)moved];
    check(fabsl(ends[0] - ends[1] - got) <= size * 1e-13L, "%s: %s: difference %.17Lg, gradient %.17Lg", shaw_text(c),
          shaw_names[gradient], ends[0] - ends[1], got);
    free(g);
}

static void test_differences(void **state) {
    (void)state;
    random_state random = random_start("shaw differences");
    for (int round = 0; round < CASES; round++) {
        shaw_case c;
        shaw_random(&c, &random);
        c.dtype = POSENC_F64;
        c.options.accumulate = 0;
        data d = make_data(&c, &random);
        check_difference(&c, &d, SHAW_SCORES, SHAW_DQ, d.vectors, d.n_vectors, d.scores, d.n_scores, &random);
        check_difference(&c, &d, SHAW_SCORES, SHAW_DTABLE, d.table, d.n_table, d.scores, d.n_scores, &random);
        check_difference(&c, &d, SHAW_VALUES, SHAW_DATTENTION, d.scores, d.n_scores, d.vectors, d.n_vectors, &random);
        check_difference(&c, &d, SHAW_VALUES, SHAW_DTABLE_OF_VALUES, d.table, d.n_table, d.vectors, d.n_vectors,
                         &random);
        free_data(&d);
    }
}

/* Scores are the products of queries with the explicit tensor. */
static void test_explicit(void **state) {
    (void)state;
    random_state random = random_start("shaw explicit scores");
    for (int round = 0; round < CASES; round++) {
        shaw_case c;
        shaw_random(&c, &random);
        c.dtype = POSENC_F64, c.batch = c.heads = 1, c.with_offsets = false, c.options.accumulate = 0;
        data d = make_data(&c, &random);
        double *scores = result_of(&c, SHAW_SCORES, &d), *all = must_allocate((size_t)(d.n_scores * c.d) * sizeof *all);
        posenc_view t, o;
        DLTensor *table = posenc_view_make(&t, d.table, POSENC_F64, 2, (int64_t[]){2 * c.options.clip + 1, c.d}, NULL);
        DLTensor *out = posenc_view_make(&o, all, POSENC_F64, 3, (int64_t[]){c.queries, c.keys, c.d}, NULL);
        assert_int_equal(posenc_shaw_write(NULL, &c.options, table, out, NULL), POSENC_OK);
        for (int64_t i = 0; i < d.n_scores; i++) {
            long double size = 0;
            const double *q = (const double *)(const void *)d.vectors + i / c.keys * c.d;
            long double want = (long double)c.options.scale * dot(q, all + i * c.d, c.d, &size);
            check(fabsl(want - (long double)scores[i]) <= size * 1e-14L, "%s: element %lld: %.17Lg and %.17g",
                  shaw_text(&c), (long long)i, want, scores[i]);
        }
        free(scores), free(all);
        free_data(&d);
    }
}

/* ---- bits ---- */

static void check_bits(posenc_dtype dtype, random_state *random) {
    shaw_case c = shaw_sized(dtype, 2, 3, 450, 900, 24, 70);
    c.options.scale = 0.2;
    c.options.offset = c.keys - c.queries;
    data d = make_data(&c, random);
    for (int result = 0; result < SHAW_RESULTS; result++) {
        int64_t shape[4];
        int rank;
        int64_t n = shaw_output(&c, (shaw_result)result, &rank, shape);
        size_t bytes = (size_t)n * posenc_dtype_bytes(dtype);
        char *want = must_allocate(bytes), *got = must_allocate(bytes);
        must_shaw(NULL, &c, (shaw_result)result, d.vectors, d.table, d.scores, want);
        for (size_t isa = 0; isa < isa_count(); isa++)
            for (int threads = 1; threads <= 8; threads += isa + 1 < isa_count() ? 7 : 1) {
                posenc_context *context = isa_context(isa, threads);
                must_shaw(context, &c, (shaw_result)result, d.vectors, d.table, d.scores, got);
                check(memcmp(want, got, bytes) == 0, "%s of %s: %s with %d threads gives other bits",
                      shaw_names[result], shaw_text(&c), posenc_isa_name(isa), threads);
                posenc_context_destroy(context);
            }
        free(want), free(got);
    }
    free_data(&d);
}

static void test_same_bits(void **state) {
    (void)state;
    random_state random = random_start("shaw bits");
    for (int i = 0; i < 4; i++) check_bits(encoding_dtypes[i], &random);
}

/* One query at a time, as decoding does, and a caller's blocks: the bits of the whole. Scores, values and their
 * gradients; the table is reached in other parts by each block. */
static void test_parts(void **state) {
    (void)state;
    random_state random = random_start("shaw parts");
    static const shaw_result results[] = {SHAW_SCORES, SHAW_DQ, SHAW_VALUES, SHAW_DATTENTION};
    shaw_case c = shaw_sized(POSENC_F32, 1, 1, 600, 700, 20, 400);
    c.options.offset = 100;
    data d = make_data(&c, &random);
    for (int r = 0; r < 4; r++) {
        int64_t shape[4];
        int rank;
        int64_t n = shaw_output(&c, results[r], &rank, shape), row = n / c.queries;
        float *want = must_allocate((size_t)n * sizeof *want), *got = must_allocate((size_t)n * sizeof *got);
        must_shaw(NULL, &c, results[r], d.vectors, d.table, d.scores, want);
        for (int64_t i = 0, some; i < c.queries; i += some) {
            some = random_between(&random, 1, 50);
            if (some > c.queries - i) some = c.queries - i;
            shaw_case part = c;
            part.queries = some;
            part.options.offset = c.options.offset + i;
            must_shaw(NULL, &part, results[r], (float *)(void *)d.vectors + i * c.d, d.table,
                      (float *)(void *)d.scores + i * c.keys, got + i * row);
        }
        must_equal(shaw_names[results[r]], POSENC_F32, want, got, n);
        free(want), free(got);
    }
    free_data(&d);
}

/* More blocks of queries than wait to be added up at a time: a table's gradient is the sum of those of the heads. All
 * numbers are small and whole, so that sums are exact. */
static void test_waves(void **state) {
    (void)state;
    random_state random = random_start("shaw waves");
    shaw_case c = shaw_sized(POSENC_F64, 3, 20, 12, 130, 64, 100), one = c;
    one.batch = one.heads = 1;
    data d = make_data(&c, &random);
    double *vectors = (double *)(void *)d.vectors, *scores = (double *)(void *)d.scores;
    for (int64_t i = 0; i < d.n_vectors; i++) vectors[i] = floor(vectors[i]);
    for (int64_t i = 0; i < d.n_scores; i++) scores[i] = floor(scores[i]);
    for (int values = 0; values < 2; values++) {
        shaw_result result = values ? SHAW_DTABLE_OF_VALUES : SHAW_DTABLE;
        double *whole = result_of(&c, result, &d), *sum = must_allocate((size_t)d.n_table * sizeof *sum);
        for (int64_t i = 0; i < d.n_table; i++) sum[i] = 0;
        for (int64_t line = 0; line < c.batch * c.heads; line++) {
            data part = d;
            part.vectors = (char *)(vectors + line * c.queries * c.d);
            part.scores = (char *)(scores + line * c.queries * c.keys);
            double *its = result_of(&one, result, &part);
            for (int64_t i = 0; i < d.n_table; i++) sum[i] += its[i];
            free(its);
        }
        for (int64_t i = 0; i < d.n_table; i++)
            check(whole[i] == sum[i], "%s: element %lld: %.17g, by heads %.17g", shaw_names[result], (long long)i,
                  whole[i], sum[i]);
        free(whole), free(sum);
    }
    free_data(&d);
}

/* So many rows of the table that fewer queries than usual are worked on together: all of them at once, and sixty at a
 * time. Numbers are small and whole, so that sums are exact. */
static void test_long_table(void **state) {
    (void)state;
    enum { Q = 300, SOME = 60 };
    random_state random = random_start("shaw long table");
    shaw_case c = shaw_sized(POSENC_F64, 1, 1, Q, 1500, 2, 1600);
    c.options.offset = 700;
    data d = make_data(&c, &random);
    double *vectors = (double *)(void *)d.vectors, *table = (double *)(void *)d.table,
           *scores = (double *)(void *)d.scores;
    for (int64_t i = 0; i < d.n_vectors; i++) vectors[i] = floor(vectors[i]);
    for (int64_t i = 0; i < d.n_table; i++) table[i] = floor(table[i]);
    for (int64_t i = 0; i < d.n_scores; i++) scores[i] = floor(scores[i]);
    for (int r = 0; r < SHAW_RESULTS; r++) {
        int64_t shape[4];
        int rank;
        int64_t n = shaw_output(&c, (shaw_result)r, &rank, shape), row = rank == 2 ? 0 : n / Q;
        double *whole = result_of(&c, (shaw_result)r, &d), *parts = must_allocate((size_t)n * sizeof *parts);
        for (int64_t i = 0; i < n; i++) parts[i] = 0;
        for (int64_t first = 0; first < Q; first += SOME) {
            shaw_case some = c;
            data part = d;
            some.queries = SOME, some.options.offset += first;
            part.vectors = (char *)(vectors + first * c.d);
            part.scores = (char *)(scores + first * c.keys);
            double *its = result_of(&some, (shaw_result)r, &part);
            for (int64_t i = 0; i < (rank == 2 ? n : SOME * row); i++) parts[first * row + i] += its[i];
            free(its);
        }
        must_equal(shaw_names[r], POSENC_F64, whole, parts, n);
        free(whole), free(parts);
    }
    free_data(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adjoint),    cmocka_unit_test(test_differences), cmocka_unit_test(test_explicit),
        cmocka_unit_test(test_same_bits),  cmocka_unit_test(test_parts),       cmocka_unit_test(test_waves),
        cmocka_unit_test(test_long_table),
    };
    return TEST_RUN(tests);
}
