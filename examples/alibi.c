/* Attention in blocks, with biases made on demand: the scores of 16 queries and 32 keys at a time, a running softmax,
 * and never the whole (queries, keys) square. The result is that of the plain way, and the bias the same in every bit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

enum { HEADS = 6, QUERIES = 100, KEYS = 230, DIM = 16, QUERY_BLOCK = 16, KEY_BLOCK = 32 };

static float q[HEADS][QUERIES][DIM], k[HEADS][KEYS][DIM], v[HEADS][KEYS][DIM];
static double dense[HEADS][QUERIES][DIM], blocked[HEADS][QUERIES][DIM];
static float scores[HEADS][QUERIES][KEYS]; /* of the plain way only */

static double dot(const float *a, const float *b) {
    double sum = 0;
    for (int i = 0; i < DIM; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static void fill(float *out, size_t n, unsigned seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        out[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
    }
}

/* Scaled scores of n_queries x n_keys of one head, (QUERY_BLOCK, KEY_BLOCK) or the whole row by row. */
static void score(int head, int query, int key, int n_queries, int n_keys, float *out, int row) {
    for (int i = 0; i < n_queries; i++)
        for (int j = 0; j < n_keys; j++)
            out[i * row + j] = (float)(dot(q[head][query + i], k[head][key + j]) / sqrt(DIM));
}

/* The plain way: all scores, the bias and the causal mask added in one call, softmax, values. */
static int attend_densely(const posenc_plan *plan) {
    posenc_bias_extent extent;
    posenc_bias_options options;
    posenc_error error;
    posenc_view view;
    posenc_bias_extent_default(&extent, sizeof extent);
    posenc_bias_options_default(&options, sizeof options);
    extent.queries = QUERIES, extent.keys = KEYS; /* the last query stands at the last key */
    options.causal = 1;
    for (int h = 0; h < HEADS; h++) score(h, 0, 0, QUERIES, KEYS, (float *)scores[h], KEYS);
    DLTensor *s = posenc_view_make(&view, scores, POSENC_F32, 3, (int64_t[]){HEADS, QUERIES, KEYS}, NULL);
    if (posenc_bias_add(plan, &extent, &options, NULL, s, &error) != POSENC_OK) return puts(error.message), 1;
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < QUERIES; i++) {
            double sum = 0;
            for (int j = 0; j < KEYS; j++) {
                double weight = exp((double)scores[h][i][j]); /* small enough here to need no maximum */
                sum += weight;
                for (int d = 0; d < DIM; d++) dense[h][i][d] += weight * (double)v[h][j][d];
            }
            for (int d = 0; d < DIM; d++) dense[h][i][d] /= sum;
        }
    return 0;
}

/* What a row of queries has seen so far: the largest score, and sums of weights relative to it. */
typedef struct {
    double most, sum, values[DIM];
} running;

static void take(running *r, double s, const float *value) {
    if (isinf(s)) return; /* masked */
    if (s > r->most) {
        double shrink = exp(r->most - s); /* 0 at first */
        r->most = s;
        r->sum *= shrink;
        for (int d = 0; d < DIM; d++) r->values[d] *= shrink;
    }
    double weight = exp(s - r->most);
    r->sum += weight;
    for (int d = 0; d < DIM; d++) r->values[d] += weight * (double)value[d];
}

/* Blocks: each asks for its part of the bias, one head's, by where it stands. */
static int attend_block(const posenc_plan *plan, int head, int query, int key, running *rows) {
    static float block[QUERY_BLOCK * KEY_BLOCK];
    posenc_bias_extent extent;
    posenc_bias_options options;
    posenc_error error;
    posenc_view view;
    posenc_bias_extent_default(&extent, sizeof extent);
    posenc_bias_options_default(&options, sizeof options);
    int n_queries = QUERIES - query < QUERY_BLOCK ? QUERIES - query : QUERY_BLOCK;
    int n_keys = KEYS - key < KEY_BLOCK ? KEYS - key : KEY_BLOCK;
    extent.queries = QUERIES, extent.keys = KEYS;
    extent.first_query = query, extent.n_queries = n_queries;
    extent.first_key = key, extent.n_keys = n_keys;
    extent.first_head = head, extent.n_heads = 1;
    options.causal = 1;
    score(head, query, key, n_queries, n_keys, block, KEY_BLOCK);
    DLTensor *s = posenc_view_make(&view, block, POSENC_F32, 3, (int64_t[]){1, n_queries, n_keys},
                                   (int64_t[]){QUERY_BLOCK * KEY_BLOCK, KEY_BLOCK, 1});
    if (posenc_bias_add(plan, &extent, &options, NULL, s, &error) != POSENC_OK) return puts(error.message), 1;
    for (int i = 0; i < n_queries; i++)
        for (int j = 0; j < n_keys; j++) {
            if (memcmp(&block[i * KEY_BLOCK + j], &scores[head][query + i][key + j], sizeof(float)) != 0) return 1;
            take(&rows[i], (double)block[i * KEY_BLOCK + j], v[head][key + j]);
        }
    return 0;
}

static int attend_in_blocks(const posenc_plan *plan) {
    for (int h = 0; h < HEADS; h++)
        for (int query = 0; query < QUERIES; query += QUERY_BLOCK) {
            running rows[QUERY_BLOCK];
            for (int i = 0; i < QUERY_BLOCK; i++) rows[i] = (running){.most = -HUGE_VAL};
            for (int key = 0; key < KEYS; key += KEY_BLOCK)
                if (attend_block(plan, h, query, key, rows) != 0) return 1;
            for (int i = 0; i < QUERY_BLOCK && query + i < QUERIES; i++)
                for (int d = 0; d < DIM; d++) blocked[h][query + i][d] = rows[i].values[d] / rows[i].sum;
        }
    return 0;
}

int main(void) {
    posenc_plan *plan = NULL;
    posenc_error error;
    posenc_parameter heads = {"heads", "6"}; /* no power of two */
    if (posenc_plan_create(NULL, "alibi", &heads, 1, &plan, &error) != POSENC_OK) return puts(error.message), 1;
    fill((float *)q, sizeof q / sizeof(float), 1);
    fill((float *)k, sizeof k / sizeof(float), 2);
    fill((float *)v, sizeof v / sizeof(float), 3);
    int failed = attend_densely(plan) || attend_in_blocks(plan);
    double worst = 0;
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < QUERIES; i++)
            for (int d = 0; d < DIM; d++) worst = fmax(worst, fabs(dense[h][i][d] - blocked[h][i][d]));
    posenc_plan_destroy(plan);
    if (failed) return puts("the blocks differ from the whole"), 1;
    printf("%d heads, %d x %d in blocks of %d x %d: the largest difference is %.1e\n", HEADS, QUERIES, KEYS,
           QUERY_BLOCK, KEY_BLOCK, worst);
    return worst < 1e-12 ? 0 : 1;
}
