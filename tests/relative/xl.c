/* Transformer-XL against its equation: scores and every gradient, each dtype, memory, clamp_len, both directions, any
 * strides; and against the appendix's padding and reshaping. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shaw_calls.h"
#include "support/number.h"
#include "support/strided.h"
#include "support/tensors.h"
#include "support/test.h"
#include "xl_calls.h"

enum { CASES = 40 };

typedef struct world {
    strided in[XL_TENSORS], out[XL_INPUTS];
    DLTensor *tensors[XL_TENSORS], *out_tensors[XL_INPUTS];
    double *values[XL_TENSORS], *before;
    long double *want[XL_TENSORS], *sizes[XL_TENSORS];
} world;

static void *room(int64_t n, size_t bytes) { return must_allocate((size_t)n * bytes + 1); }

static void fill(strided *s, random_state *random, int64_t n) {
    char *data = room(n, posenc_dtype_bytes(s->dtype));
    random_fill(random, s->dtype, data, n);
    strided_put(s, data);
    free(data);
}

static void open_world(world *w, const xl_case *c, random_state *random) {
    for (int t = 0; t < XL_TENSORS; t++) {
        int64_t shape[4];
        int rank;
        int64_t n = xl_shape(c, t, &rank, shape);
        strided_make(&w->in[t], random, c->dtype, rank, shape, t != XL_SCORES);
        fill(&w->in[t], random, n);
        w->tensors[t] = w->in[t].tensor;
        w->values[t] = room(n, sizeof(double));
        for (int64_t i = 0; i < n; i++)
            w->values[t][i] = number_decode(c->dtype, number_load(c->dtype, strided_at(&w->in[t], i)));
        w->want[t] = room(n, sizeof(long double));
        w->sizes[t] = room(n, sizeof(long double));
        if (t == XL_SCORES) continue;
        bool wide = rank == 2 && c->dtype != POSENC_F64 && random_between(random, 0, 1);
        strided_make(&w->out[t], random, wide ? POSENC_F32 : c->dtype, rank, shape, false);
        w->out_tensors[t] = random_between(random, 0, 5) ? w->out[t].tensor : NULL;
    }
}

static void close_world(world *w) {
    for (int t = 0; t < XL_TENSORS; t++) {
        if (t < XL_INPUTS) strided_free(&w->out[t]);
        strided_free(&w->in[t]);
        free(w->values[t]), free(w->want[t]), free(w->sizes[t]);
    }
}

static void check_element(const xl_case *c, const char *what, posenc_dtype dtype, const strided *s, int64_t i,
                          long double want, long double size) {
    double got = number_decode(dtype, number_load(dtype, strided_at(s, i)));
    check(relative_accepts(c->dtype, dtype, got, want, size), "%s of %s: element %lld: expected %.9Lg, got %.9g", what,
          xl_text(c), (long long)i, want, got);
}

static void check_scores(const xl_case *c, world *w) {
    posenc_error error = {.message = ""};
    xl_slow_scores(c, w->values, w->want[XL_SCORES], w->sizes[XL_SCORES]);
    check(xl_forward(NULL, c, w->tensors, &error) == POSENC_OK, "%s: %s", xl_text(c), error.message);
    for (int64_t at = 0; at < strided_elements(&w->in[XL_SCORES]); at++) {
        int64_t distance;
        bool sees =
            xl_sees(c, at / c->keys / c->queries / c->heads, at / c->keys % c->queries, at % c->keys, &distance);
        long double want = sees ? w->want[XL_SCORES][at] : (long double)w->values[XL_SCORES][at];
        check_element(c, "scores", c->dtype, &w->in[XL_SCORES], at, want, sees ? w->sizes[XL_SCORES][at] : 0);
    }
    strided_check_gaps(&w->in[XL_SCORES], "scores");
}

static void check_gradients(const xl_case *c, world *w) {
    posenc_error error = {.message = ""};
    xl_slow_gradients(c, w->values, w->want, w->sizes);
    check(xl_backward(NULL, c, w->tensors, w->out_tensors, &error) == POSENC_OK, "%s: %s", xl_text(c), error.message);
    for (int t = 0; t < XL_INPUTS; t++)
        for (int64_t i = 0; w->out_tensors[t] && i < strided_elements(&w->out[t]); i++)
            check_element(c, xl_names[t], w->out[t].dtype, &w->out[t], i, w->want[t][i], w->sizes[t][i]);
    for (int t = 0; t < XL_INPUTS; t++) strided_check_gaps(&w->out[t], xl_names[t]);
}

/* Blocks and tiles with little in them come first: a causal tile of two keys that most queries do not see. */
static void test_equation(void **state) {
    (void)state;
    random_state random = random_start("xl equation");
    for (int round = 0; round < CASES; round++) {
        xl_case c;
        world w;
        xl_random(&c, &random);
        if (round < 8) {
            c = xl_sized(encoding_dtypes[round % 4], 1, 1, 248, 482, 3, 9);
            c.options.bidirectional = round >= 4;
            c.options.clamp_len = 17 * (round % 2);
        }
        if (round == 8) { /* 193 distances: the last block of them has one, which one query and one key have */
            c = xl_sized(POSENC_F64, 1, 1, 3, 191, 2, 4);
            c.options.bidirectional = 1;
        }
        open_world(&w, &c, &random);
        check_gradients(&c, &w);
        check_scores(&c, &w);
        close_world(&w);
    }
}

/* ---- appendix B ---- */

/* Position scores for distances keys-1 .. 0 of each query, a zero in front of each row, all seen as rows one longer the
 * other way round, the first dropped: then row i, column j is what belongs there, for keys not ahead. */
static void shift(const double *rows, int64_t queries, int64_t keys, double *out) {
    double *padded = must_allocate((size_t)(queries * (keys + 1)) * sizeof *padded);
    for (int64_t i = 0; i < queries; i++) {
        padded[i * (keys + 1)] = 0;
        memcpy(padded + i * (keys + 1) + 1, rows + i * keys, (size_t)keys * sizeof *padded);
    }
    memcpy(out, padded + queries,
           (size_t)(queries * keys) * sizeof *out); /* (keys + 1, queries) without its first row */
    free(padded);
}

/* With q and v alone: u = 0, k = 0, W the identity, so that W r is r. */
static void test_appendix(void **state) {
    (void)state;
    enum { Q = 7, K = 19, D = 8 };
    random_state random = random_start("xl appendix");
    static double q[Q * D], k[K * D], u[D], v[D], w[D * D], scores[Q * K], rows[Q * K], want[Q * K];
    random_fill(&random, POSENC_F64, q, Q * D);
    random_fill(&random, POSENC_F64, v, D);
    for (int i = 0; i < D; i++) w[i * D + i] = 1;
    for (int i = 0; i < Q * K; i++) {
        int distance = K - 1 - i % K;
        for (int l = 0; l < D; l++) {
            double angle = distance * pow(10000, -(l % (D / 2)) / (double)(D / 2));
            rows[i] += (q[i / K * D + l] + v[l]) * (l < D / 2 ? sin(angle) : cos(angle));
        }
    }
    shift(rows, Q, K, want);
    xl_case c = xl_sized(POSENC_F64, 1, 1, Q, K, D, D);
    must_xl_forward(NULL, &c, (void *[]){q, k, u, v, w, scores});
    for (int i = 0; i < Q * K; i++)
        if (i % K <= K - Q + i / K)
            check(fabs(scores[i] - want[i]) < 1e-12, "query %d key %d: expected %.17g, got %.17g", i / K, i % K,
                  want[i], scores[i]);
}

/* ---- edges ---- */

static void test_empty(void **state) {
    (void)state;
    for (int zero = 0; zero < 5; zero++)
        for (int both = 0; both < 2; both++) {
            static float data[XL_TENSORS][64], out[XL_INPUTS][64];
            xl_case c = xl_sized(POSENC_F32, zero != 0, zero != 1, zero != 2, zero != 3, zero != 4, 2);
            c.options.bidirectional = both;
            void *in[XL_TENSORS], *to[XL_INPUTS];
            for (int t = 0; t < XL_TENSORS; t++) in[t] = data[t];
            for (int t = 0; t < XL_INPUTS; t++) to[t] = out[t];
            for (int i = 0; i < 64; i++) data[XL_SCORES][i] = 7, out[XL_U][i] = out[XL_W][i] = out[XL_Q][i] = 7;
            must_xl_forward(NULL, &c, in);
            check(data[XL_SCORES][0] == (zero == 4 ? 0.0f : 7.0f), "extent %d zero: %g", zero,
                  (double)data[XL_SCORES][0]);
            must_xl_backward(NULL, &c, in, to);
            for (int t = 0; t < XL_INPUTS; t++) {
                int64_t shape[4];
                int rank;
                int64_t n = xl_shape(&c, t, &rank, shape);
                for (int64_t i = 0; i < n; i++)
                    check(out[t][i] == 0, "extent %d zero: %s is %g", zero, xl_names[t], (double)out[t][i]);
            }
        }
}

/* Positions far out are exact: a memory of 2^40 with one key. */
static void test_far(void **state) {
    (void)state;
    double q[2] = {1, 0}, k[2] = {0, 0}, zero[2] = {0, 0}, w[4] = {1, 0, 0, 1}, score;
    xl_case c = xl_sized(POSENC_F64, 1, 1, 1, 1, 2, 2);
    c.options.memory = INT64_C(1) << 40;
    must_xl_forward(NULL, &c, (void *[]){q, k, zero, zero, w, &score});
    check(fabs(score - (double)sinl(0x1p40L)) < 1e-14, "expected %.17Lg, got %.17g", sinl(0x1p40L), score);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equation),
        cmocka_unit_test(test_appendix),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_far),
    };
    return TEST_RUN(tests);
}
