/* The caller rounds upwards, or flushes subnormals to zero: score biases and relative vectors have the same bits, and
 * the caller's settings are as they were afterwards. */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/biases.h"
#include "support/isa.h"
#include "support/tensors.h"
#include "support/test.h"

#if defined(__x86_64__) || defined(__SSE2__)
#include <xmmintrin.h>
static unsigned settings_get(void) { return _mm_getcsr() & ~0x3Fu; }
static void settings_flush(void) { _mm_setcsr(_mm_getcsr() | 0x8040); } /* to zero, and denormals are zero */
static void settings_plain(void) { _mm_setcsr(0x1F80); }
#else
static unsigned settings_get(void) { return 0; }
static void settings_flush(void) {}
static void settings_plain(void) {}
#endif

enum { H = 2, Q = 70, K = 90, D = 12, MODEL = 16, CLIP = 7, ROWS = 2 * CLIP + 1, BUCKETS = 32, N = H * Q * K };

/* Inputs: every seventh is subnormal, and would vanish. */
typedef struct inputs {
    float q[H * Q * D], k[H * K * D], u[H * D], v[H * D], w[H * D * MODEL], scores[N], table[ROWS * D];
    float trained[BUCKETS * H];
} inputs;

/* In bf16: subnormals that only large numbers bring to light. */
static uint16_t large[Q * D], tiny[ROWS * D];

/* All that the calls give. */
typedef struct results {
    float written[3][N], added[3][N], slopes[3][BUCKETS * H];
    uint16_t narrow[3][N];
    int32_t index[Q * K];
    float shaw_scores[N], dq[H * Q * D], dtable[ROWS * D], values[H * Q * D], dattention[N], dtable_of_values[ROWS * D];
    uint16_t scores_of_tiny[Q * K];
    float xl_scores[N], xl_dq[H * Q * D], xl_dk[H * K * D], xl_du[H * D], xl_dv[H * D], xl_dw[H * D * MODEL];
} results;

static posenc_view views[64];
static int n_views;

static DLTensor *tensor_of(void *data, posenc_dtype dtype, int rank, const int64_t *shape) {
    return posenc_view_make(&views[n_views++], data, dtype, rank, shape, NULL);
}
#define TENSOR(data, rank, ...) tensor_of(data, POSENC_F32, rank, (int64_t[]){__VA_ARGS__})

static void must(posenc_status status) { assert_int_equal(status, POSENC_OK); }

static void run_biases(const posenc_context *context, inputs *in, results *r) {
    static const char *const alibi[] = {"heads=2", "form=symmetric", "slopes=1e-40,0.3", NULL};
    static const char *const usual[] = {"heads=2", "slope-rule=geometric", "all-heads=5", NULL}, *const t5[] = {
                                                                                                     "heads=2", NULL};
    for (int i = 0; i < 3; i++) {
        posenc_plan *plan = must_bias_plan(context, i == 2 ? "t5" : "alibi", i == 0 ? alibi : i == 1 ? usual : t5);
        posenc_bias_extent e;
        posenc_bias_options o;
        posenc_bias_extent_default(&e, sizeof e);
        posenc_bias_options_default(&o, sizeof o);
        e.queries = Q, e.keys = K, o.scale = 0.3, o.causal = 1;
        DLTensor *table = i == 2 ? TENSOR(in->trained, 2, BUCKETS, H) : NULL;
        must(posenc_bias_write(plan, &e, table, TENSOR(r->written[i], 3, H, Q, K), NULL));
        must(posenc_bias_write(plan, &e, table, tensor_of(r->narrow[i], POSENC_F16, 3, (int64_t[]){H, Q, K}), NULL));
        memcpy(r->added[i], in->scores, sizeof in->scores);
        must(posenc_bias_add(plan, &e, &o, table, TENSOR(r->added[i], 3, H, Q, K), NULL));
        DLTensor *g = i == 2 ? TENSOR(r->slopes[i], 2, BUCKETS, H) : TENSOR(r->slopes[i], 1, H);
        must(posenc_bias_backward(plan, &e, &o, TENSOR(in->scores, 3, H, Q, K), g, 0, NULL));
        posenc_plan_destroy(plan);
    }
    posenc_plan *deberta = must_bias_plan(context, "deberta", (const char *const[]){"buckets=16", NULL});
    posenc_bias_extent e;
    posenc_bias_extent_default(&e, sizeof e);
    e.queries = Q, e.keys = K;
    must(posenc_bias_index(deberta, &e, tensor_of(r->index, POSENC_I32, 2, (int64_t[]){Q, K}), NULL));
    posenc_plan_destroy(deberta);
}

static void run_shaw(const posenc_context *context, inputs *in, results *r) {
    posenc_shaw_options o;
    posenc_shaw_default(&o, sizeof o);
    o.clip = CLIP, o.scale = 0.3;
    DLTensor *q = TENSOR(in->q, 4, 1, H, Q, D), *t = TENSOR(in->table, 2, ROWS, D);
    DLTensor *s = TENSOR(in->scores, 4, 1, H, Q, K);
    must(posenc_shaw_scores(context, &o, q, t, TENSOR(r->shaw_scores, 4, 1, H, Q, K), NULL));
    must(posenc_shaw_scores_backward(context, &o, q, t, s, TENSOR(r->dq, 4, 1, H, Q, D), TENSOR(r->dtable, 2, ROWS, D),
                                     NULL));
    must(posenc_shaw_values(context, &o, s, t, TENSOR(r->values, 4, 1, H, Q, D), NULL));
    must(posenc_shaw_values_backward(context, &o, s, t, q, TENSOR(r->dattention, 4, 1, H, Q, K),
                                     TENSOR(r->dtable_of_values, 2, ROWS, D), NULL));
    must(posenc_shaw_scores(context, &o, tensor_of(large, POSENC_BF16, 4, (int64_t[]){1, 1, Q, D}),
                            tensor_of(tiny, POSENC_BF16, 2, (int64_t[]){ROWS, D}),
                            tensor_of(r->scores_of_tiny, POSENC_BF16, 4, (int64_t[]){1, 1, Q, K}), NULL));
}

static void run_xl(const posenc_context *context, inputs *in, results *r) {
    posenc_xl_options o;
    posenc_xl_default(&o, sizeof o);
    o.scale = 0.3;
    DLTensor *q = TENSOR(in->q, 4, 1, H, Q, D), *k = TENSOR(in->k, 4, 1, H, K, D), *u = TENSOR(in->u, 2, H, D);
    DLTensor *v = TENSOR(in->v, 2, H, D), *w = TENSOR(in->w, 2, H * D, MODEL);
    must(posenc_xl_scores(context, &o, q, k, u, v, w, TENSOR(r->xl_scores, 4, 1, H, Q, K), NULL));
    posenc_xl_gradients g = {sizeof g,
                             TENSOR(r->xl_dq, 4, 1, H, Q, D),
                             TENSOR(r->xl_dk, 4, 1, H, K, D),
                             TENSOR(r->xl_du, 2, H, D),
                             TENSOR(r->xl_dv, 2, H, D),
                             TENSOR(r->xl_dw, 2, H * D, MODEL)};
    must(posenc_xl_scores_backward(context, &o, q, k, u, v, w, TENSOR(in->scores, 4, 1, H, Q, K), &g, NULL));
}

static void run(const posenc_context *context, inputs *in, results *r) {
    memset(r, 0, sizeof *r);
    n_views = 0;
    run_biases(context, in, r);
    run_shaw(context, in, r);
    run_xl(context, in, r);
}

static void test_any_environment(void **state) {
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    random_state random = random_start("relative environment");
    inputs *in = must_allocate(sizeof *in);
    results *want = must_allocate(sizeof *want), *got = must_allocate(sizeof *got);
    float *all = (float *)(void *)in;
    random_fill_f32(&random, all, (int64_t)(sizeof *in / sizeof *all));
    for (size_t i = 0; i < sizeof *in / sizeof *all; i += 7) all[i] *= 0x1p-130f;
    for (int i = 0; i < Q * D; i++) large[i] = (uint16_t)(0x7E00 - i % 70);   /* about 2^125 */
    for (int i = 0; i < ROWS * D; i++) tiny[i] = (uint16_t)(0x0010 + i % 90); /* about 2^-129 */
    for (int threads = 1; threads <= 3; threads += 2) {
        posenc_context *context = isa_context(isa_count() - 1, threads);
        if (threads == 1) run(context, in, want);
        for (int m = 0; m < 8; m++) {
            fesetround(modes[m / 2]);
            if (m % 2) settings_flush();
            unsigned before = settings_get();
            run(context, in, got);
            bool kept = fegetround() == modes[m / 2] && settings_get() == before;
            settings_plain();
            fesetround(FE_TONEAREST);
            check(kept, "case %d: the settings changed", m);
            const unsigned char *a = (const unsigned char *)want, *b = (const unsigned char *)got;
            for (size_t i = 0; i < sizeof *want; i++)
                check(a[i] == b[i], "%d threads, case %d: byte %zu of all results differs", threads, m, i);
        }
        posenc_context_destroy(context);
    }
    free(in), free(want), free(got);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_environment)};
    return TEST_RUN(tests);
}
