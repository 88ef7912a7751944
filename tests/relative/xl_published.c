/* Scores of published implementations of Transformer-XL and of its bidirectional form in XLNet: see
 * scripts/golden/transformer_xl.py, which made the numbers. They come from f32 arithmetic of their own. */
#include <math.h>
#include <string.h>

#include "support/tensors.h"
#include "support/test.h"

typedef struct published {
    int64_t batch, heads, queries, keys, d, clamp_len;
    int bidirectional;
    const float *q, *k, *u, *v, *w, *scores;
} published;

#include "xl_published.inc"

static DLTensor *view_of(posenc_view *view, const float *data, int rank, const int64_t *shape) {
    void *plain;
    memcpy(&plain, &data, sizeof data);
    return posenc_view_make(view, plain, POSENC_F32, rank, shape, NULL);
}

static void check_case(const published *p) {
    enum { MOST = 512 };
    float scores[MOST];
    int64_t model = p->heads * p->d, n = p->batch * p->heads * p->queries * p->keys;
    assert_true(n <= MOST);
    for (int i = 0; i < MOST; i++) scores[i] = 77;
    posenc_view views[6];
    posenc_error error = {.message = ""};
    posenc_xl_options o;
    posenc_xl_default(&o, sizeof o);
    o.scale = 1 / sqrt((double)p->d);
    o.clamp_len = p->clamp_len;
    o.bidirectional = p->bidirectional;
    const int64_t heads[] = {p->heads, p->d}, weights[] = {model, model};
    check(posenc_xl_scores(NULL, &o, view_of(&views[0], p->q, 4, (int64_t[]){p->batch, p->heads, p->queries, p->d}),
                           view_of(&views[1], p->k, 4, (int64_t[]){p->batch, p->heads, p->keys, p->d}),
                           view_of(&views[2], p->u, 2, heads), view_of(&views[3], p->v, 2, heads),
                           view_of(&views[4], p->w, 2, weights),
                           view_of(&views[5], scores, 4, (int64_t[]){p->batch, p->heads, p->queries, p->keys}),
                           &error) == POSENC_OK,
          "%s", error.message);
    for (int64_t at = 0; at < n; at++) {
        int64_t j = at % p->keys, position = p->keys - p->queries + at / p->keys % p->queries;
        bool ahead = !p->bidirectional && j > position;
        check(ahead ? scores[at] == 77 : fabsf(scores[at] - p->scores[at]) < 3e-6f,
              "clamp_len %lld bidirectional %d, element %lld: expected %.9g, got %.9g", (long long)p->clamp_len,
              p->bidirectional, (long long)at, ahead ? 77 : (double)p->scores[at], (double)scores[at]);
    }
}

static void test_published(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_case(&cases[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published)};
    return TEST_RUN(tests);
}
