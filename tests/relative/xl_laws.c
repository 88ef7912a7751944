/* Laws of Transformer-XL: gradients are finite differences, the same bits for every number of threads and every
 * instruction set, and scores of a block of queries are those of the whole. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/isa.h"
#include "support/tensors.h"
#include "support/test.h"
#include "xl_calls.h"

enum { CASES = 40 };

typedef struct data {
    int64_t n[XL_TENSORS];
    void *in[XL_TENSORS], *out[XL_INPUTS];
} data;

static data make_data(const xl_case *c, random_state *random) {
    data d;
    for (int t = 0; t < XL_TENSORS; t++) {
        int64_t shape[4];
        int rank;
        d.n[t] = xl_shape(c, t, &rank, shape);
        size_t bytes = (size_t)d.n[t] * posenc_dtype_bytes(c->dtype);
        d.in[t] = must_allocate(bytes);
        random_fill(random, c->dtype, d.in[t], d.n[t]);
        if (t < XL_INPUTS) d.out[t] = must_allocate(bytes);
    }
    return d;
}

static void free_data(data *d) {
    for (int t = 0; t < XL_TENSORS; t++) {
        free(d->in[t]);
        if (t < XL_INPUTS) free(d->out[t]);
    }
}

/* <dS, S> where scores are written, and the size of its terms. */
static long double loss(const xl_case *c, data *d, const double *weights, long double *size) {
    long double sum = 0;
    double *kept = d->in[XL_SCORES], *scores = must_allocate((size_t)d->n[XL_SCORES] * sizeof *scores);
    d->in[XL_SCORES] = scores;
    must_xl_forward(NULL, c, d->in);
    d->in[XL_SCORES] = kept;
    for (int64_t at = 0; at < d->n[XL_SCORES]; at++) {
        int64_t distance;
        if (!xl_sees(c, at / c->keys / c->queries / c->heads, at / c->keys % c->queries, at % c->keys, &distance))
            continue;
        sum += (long double)scores[at] * (long double)weights[at];
        *size += fabsl((long double)scores[at] * (long double)weights[at]) + 1;
    }
    free(scores);
    return sum;
}

/* Scores are a polynomial of degree two in each pair of inputs, and linear in each alone: half steps are exact. */
static void test_differences(void **state) {
    (void)state;
    random_state random = random_start("xl differences");
    for (int round = 0; round < CASES; round++) {
        xl_case c;
        xl_random(&c, &random);
        c.dtype = POSENC_F64;
        data d = make_data(&c, &random);
        must_xl_backward(NULL, &c, d.in, d.out);
        for (int t = 0; t < XL_INPUTS; t++) {
            int64_t at = random_between(&random, 0, d.n[t] - 1);
            double *x = (double *)d.in[t] + at, kept = *x;
            long double size = 1, ends[2];
            for (int i = 0; i < 2; i++) {
                *x = i ? kept - 0.5 : kept + 0.5;
                ends[i] = loss(&c, &d, d.in[XL_SCORES], &size);
            }
            *x = kept;
            long double got = (long double)((double *)d.out[t])[at];
            check(fabsl(ends[0] - ends[1] - got) <= size * 1e-12L, "%s: d%s: difference %.17Lg, gradient %.17Lg",
                  xl_text(&c), xl_names[t], ends[0] - ends[1], got);
        }
        free_data(&d);
    }
}

/* ---- bits ---- */

static void check_bits(posenc_dtype dtype, int bidirectional, random_state *random) {
    xl_case c = xl_sized(dtype, 2, 2, 500, 800, 20, 40);
    c.options.bidirectional = bidirectional;
    data d = make_data(&c, random), other = make_data(&c, random);
    size_t bytes = posenc_dtype_bytes(dtype), scores = (size_t)d.n[XL_SCORES] * bytes;
    must_xl_backward(NULL, &c, d.in, d.out);
    char *gradient = must_allocate(scores), *want = must_allocate(scores);
    memcpy(gradient, d.in[XL_SCORES], scores);
    must_xl_forward(NULL, &c, d.in);
    memcpy(want, d.in[XL_SCORES], scores);
    for (size_t isa = 0; isa < isa_count(); isa++)
        for (int threads = 1; threads <= 8; threads += isa + 1 < isa_count() ? 7 : 2) {
            posenc_context *context = isa_context(isa, threads);
            memcpy(d.in[XL_SCORES], gradient, scores);
            must_xl_backward(context, &c, d.in, other.out);
            for (int t = 0; t < XL_INPUTS; t++)
                check(memcmp(d.out[t], other.out[t], (size_t)d.n[t] * bytes) == 0,
                      "%s: d%s: %s with %d threads gives other bits", xl_text(&c), xl_names[t], posenc_isa_name(isa),
                      threads);
            must_xl_forward(context, &c, d.in);
            check(memcmp(d.in[XL_SCORES], want, scores) == 0, "%s: scores: %s with %d threads gives other bits",
                  xl_text(&c), posenc_isa_name(isa), threads);
            posenc_context_destroy(context);
        }
    free(gradient), free(want);
    free_data(&d), free_data(&other);
}

static void test_same_bits(void **state) {
    (void)state;
    random_state random = random_start("xl bits");
    check_bits(POSENC_F32, 0, &random);
    check_bits(POSENC_BF16, 1, &random);
    check_bits(POSENC_F16, 0, &random);
    check_bits(POSENC_F64, 1, &random);
}

/* A segment at a time: queries from i on stand at memory + i. */
static void test_segments(void **state) {
    (void)state;
    random_state random = random_start("xl segments");
    xl_case c = xl_sized(POSENC_F32, 1, 1, 300, 520, 16, 24);
    c.options.memory = 220;
    data d = make_data(&c, &random);
    float *scores = must_allocate((size_t)d.n[XL_SCORES] * sizeof *scores);
    memcpy(scores, d.in[XL_SCORES], (size_t)d.n[XL_SCORES] * sizeof *scores);
    must_xl_forward(NULL, &c, d.in);
    for (int64_t i = 0, some; i < c.queries; i += some) {
        some = random_between(&random, 1, 70);
        if (some > c.queries - i) some = c.queries - i;
        xl_case part = c;
        part.queries = some;
        part.options.memory = c.options.memory + i;
        must_xl_forward(NULL, &part,
                        (void *[]){(float *)d.in[XL_Q] + i * c.d, d.in[XL_K], d.in[XL_U], d.in[XL_V], d.in[XL_W],
                                   scores + i * c.keys});
    }
    must_equal("segments", POSENC_F32, d.in[XL_SCORES], scores, d.n[XL_SCORES]);
    free(scores);
    free_data(&d);
}

/* q and k, dq and dk between each other in one buffer (batch, tokens, 3, heads, d), as a projection leaves them; what is
 * there for v stays. */
static void test_packed_projection(void **state) {
    (void)state;
    enum { B = 2, N = 130, H = 3, D = 8, ALL = B * N * 3 * H * D };
    random_state random = random_start("xl packed projection");
    xl_case c = xl_sized(POSENC_F32, B, H, N, N, D, 6);
    data d = make_data(&c, &random);
    must_xl_backward(NULL, &c, d.in, d.out);
    const int64_t shape[] = {B, H, N, D}, strides[] = {N * 3 * H * D, D, 3 * H * D, 1};
    float *given = must_allocate(ALL * sizeof *given), *got = must_allocate(ALL * sizeof *got);
    for (int i = 0; i < ALL; i++) got[i] = 7;
    posenc_view views[XL_TENSORS], out_views[XL_INPUTS];
    DLTensor *in[XL_TENSORS], *out[XL_INPUTS];
    for (int t = 0; t < XL_TENSORS; t++) in[t] = xl_view(&c, t, &views[t], d.in[t]);
    for (int t = 0; t < XL_INPUTS; t++) out[t] = xl_view(&c, t, &out_views[t], d.out[t]);
    for (int t = XL_Q; t <= XL_K; t++) {
        in[t] = posenc_view_make(&views[t], given + t * H * D, POSENC_F32, 4, shape, strides);
        out[t] = posenc_view_make(&out_views[t], got + t * H * D, POSENC_F32, 4, shape, strides);
    }
    for (int i = 0; i < ALL; i++) { /* (batch, tokens, 3, heads, d) */
        int channel = i % D, h = i / D % H, t = i / (D * H) % 3, n = i / (D * H * 3) % N, b = i / (D * H * 3 * N);
        given[i] = t == 2 ? 0 : ((float *)d.in[t])[((b * H + h) * N + n) * D + channel];
    }
    posenc_error error = {.message = ""};
    check(xl_backward(NULL, &c, in, out, &error) == POSENC_OK, "%s", error.message);
    for (int i = 0; i < ALL; i++) {
        int channel = i % D, h = i / D % H, t = i / (D * H) % 3, n = i / (D * H * 3) % N, b = i / (D * H * 3 * N);
        float want = t == 2 ? 7 : ((float *)d.out[t])[((b * H + h) * N + n) * D + channel];
        check(got[i] == want, "element %d: expected %.9g, got %.9g", i, (double)want, (double)got[i]);
    }
    free(given);
    free(got);
    free_data(&d);
}

/* More heads and distances than are kept at a time: heads go in groups, and a head alone gives what it gives among
 * others. */
static void test_groups(void **state) {
    (void)state;
    random_state random = random_start("xl groups");
    xl_case c = xl_sized(POSENC_F32, 1, 5, 40, 16000, 64, 8);
    data d = make_data(&c, &random);
    must_xl_backward(NULL, &c, d.in, d.out);
    must_xl_forward(NULL, &c, d.in);
    xl_case one = c;
    one.heads = 1;
    float *scores = must_allocate((size_t)(c.queries * c.keys) * sizeof *scores);
    for (int64_t h = 0; h < c.heads; h++) {
        void *in[XL_TENSORS];
        for (int t = 0; t < XL_SCORES; t++) in[t] = (float *)d.in[t] + h * (d.n[t] / c.heads);
        in[XL_SCORES] = scores;
        memcpy(scores, (float *)d.in[XL_SCORES] + h * c.queries * c.keys,
               (size_t)(c.queries * c.keys) * sizeof *scores);
        must_xl_forward(NULL, &one, in);
        must_equal("one head", POSENC_F32, (float *)d.in[XL_SCORES] + h * c.queries * c.keys, scores,
                   c.queries * c.keys);
    }
    free(scores);
    free_data(&d);
}

/* Gradients of heads in groups: those of each head alone, to the bit. */
static void test_groups_backward(void **state) {
    (void)state;
    random_state random = random_start("xl groups backward");
    xl_case c = xl_sized(POSENC_F32, 1, 3, 2, 22000, 64, 2), one = c;
    one.heads = 1;
    data d = make_data(&c, &random), alone = make_data(&one, &random);
    must_xl_backward(NULL, &c, d.in, d.out);
    for (int64_t h = 0; h < c.heads; h++) {
        void *in[XL_TENSORS];
        for (int t = 0; t < XL_TENSORS; t++) in[t] = (float *)d.in[t] + h * alone.n[t];
        must_xl_backward(NULL, &one, in, alone.out);
        for (int t = 0; t < XL_INPUTS; t++)
            must_equal(xl_names[t], POSENC_F32, (float *)d.out[t] + h * alone.n[t], alone.out[t], alone.n[t]);
    }
    free_data(&d), free_data(&alone);
}

/* More blocks of queries than a wave of them has: the gradients of u and v are the sums of those of the two halves of
 * the batch. Whole numbers make the former exact. */
static void test_waves(void **state) {
    (void)state;
    enum { BATCH = 600, HEADS = 3, N = HEADS * 2 };
    random_state random = random_start("xl waves");
    xl_case c = xl_sized(POSENC_F64, BATCH, HEADS, 3, 4, 2, 2), half = c;
    half.batch = BATCH / 2;
    data d = make_data(&c, &random), part = make_data(&half, &random);
    double *k = d.in[XL_K], *scores = d.in[XL_SCORES], u[2][N] = {{0}}, v[2][N] = {{0}};
    for (int64_t i = 0; i < d.n[XL_K]; i++) k[i] = floor(k[i]);
    for (int64_t i = 0; i < d.n[XL_SCORES]; i++) scores[i] = floor(scores[i]);
    must_xl_backward(NULL, &c, d.in, d.out);
    for (int h = 0; h < 2; h++) {
        void *in[XL_TENSORS];
        for (int t = 0; t < XL_TENSORS; t++) {
            bool batched = t == XL_Q || t == XL_K || t == XL_SCORES;
            in[t] = (double *)d.in[t] + (batched ? h * part.n[t] : 0);
        }
        must_xl_backward(NULL, &half, in, part.out);
        memcpy(u[h], part.out[XL_U], sizeof u[h]);
        memcpy(v[h], part.out[XL_V], sizeof v[h]);
    }
    for (int i = 0; i < N; i++) {
        double du = ((double *)d.out[XL_U])[i], dv = ((double *)d.out[XL_V])[i];
        check(du == u[0][i] + u[1][i], "du %d: %.17g, by halves %.17g", i, du, u[0][i] + u[1][i]);
        check(fabs(dv - (v[0][i] + v[1][i])) < 1e-8, "dv %d: %.17g, by halves %.17g", i, dv, v[0][i] + v[1][i]);
    }
    free_data(&d), free_data(&part);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_backward),   cmocka_unit_test(test_waves),    cmocka_unit_test(test_differences),
        cmocka_unit_test(test_same_bits),         cmocka_unit_test(test_segments), cmocka_unit_test(test_groups),
        cmocka_unit_test(test_packed_projection),
    };
    return TEST_RUN(tests);
}
