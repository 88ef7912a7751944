/* A reference attention: every loop in plain C, so that a reader sees where each positional scheme enters.
 *
 *     x            <- x + E                     additive: sinusoidal, learned
 *     q, k, v       = x Wq, x Wk, x Wv          of each head
 *     q, k         <- R(p) q, R(p) k            turned: rotary
 *     S_ij          = q_i . k_j / sqrt(d)       + q_i . a_{j-i} / sqrt(d)              vectors: shaw
 *                                               or ((q_i+u).k_j + (q_i+v).W r_{i-j}) / sqrt(d): transformer-xl
 *                                               or (q_i.k_j + q_i.K_{i-j} + k_j.Q_{j-i}) / sqrt(3 d), K and Q read
 *                                               by the bucket of the distance: deberta
 *     S             <- S + B                    score biases: alibi, t5, swin
 *     P             = softmax of each row of S
 *     o_i           = sum_j P_ij v_j            + sum_j P_ij a_{j-i}                    vectors: shaw
 *
 * Attention alone does not know the order of its input: swap two tokens, and what another one gets stays the same. That
 * is what the program shows, and that with each scheme it does not. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

enum { TOKENS = 24, HEADS = 4, D = 8, MODEL = HEADS * D, CLIP = 6, WINDOW_HEIGHT = 4, BUCKETS = 32, SPAN = 16 };

/* Weights, drawn once. In a model they are trained. */
typedef struct weights {
    float q[MODEL][MODEL], k[MODEL][MODEL], v[MODEL][MODEL]; /* (in, out) */
    float shaw_keys[2 * CLIP + 1][D], shaw_values[2 * CLIP + 1][D];
    float u[HEADS][D], bias[HEADS][D], positions[MODEL][MODEL];            /* transformer-xl: u, v, W */
    float near_keys[HEADS][2 * SPAN][D], near_queries[HEADS][2 * SPAN][D]; /* deberta: K and Q */
    float t5[BUCKETS][HEADS], swin[(2 * WINDOW_HEIGHT - 1) * (2 * (TOKENS / WINDOW_HEIGHT) - 1)][HEADS];
} weights;

/* What one attention computes, (head, token, ...). */
typedef struct attention {
    float x[TOKENS][MODEL];
    float q[HEADS][TOKENS][D], k[HEADS][TOKENS][D], v[HEADS][TOKENS][D];
    float scores[HEADS][TOKENS][TOKENS]; /* then the attention itself */
    float out[HEADS][TOKENS][D];
} attention;

typedef enum place { NOWHERE, INPUT, QUERIES_AND_KEYS, BIAS, SHAW, TRANSFORMER_XL, DEBERTA } place;

typedef struct scheme {
    const char *name, *where;
    place place;
    const char *parameter[3][2]; /* of its plan */
} scheme;

static const scheme schemes[] = {
    {"none", "nowhere", NOWHERE, {{NULL}}},
    {"sinusoidal", "added to the input", INPUT, {{"dim", "32"}}},
    {"learned", "added to the input", INPUT, {{"dim", "32"}, {"init-scale", "1"}}},
    {"rotary", "turns queries and keys", QUERIES_AND_KEYS, {{"head-dim", "8"}}},
    {"alibi", "added to the scores", BIAS, {{"heads", "4"}, {"form", "symmetric"}}},
    {"t5", "added to the scores", BIAS, {{"heads", "4"}}},
    {"swin", "added to the scores", BIAS, {{"heads", "4"}, {"window-height", "4"}, {"window-width", "6"}}},
    {"shaw", "vectors beside keys and values", SHAW, {{NULL}}},
    {"transformer-xl", "vectors beside keys", TRANSFORMER_XL, {{NULL}}},
    {"deberta", "vectors beside keys and queries", DEBERTA, {{"buckets", "16"}, {"max-distance", "64"}}},
};

static posenc_error error;

static void must(posenc_status status) {
    if (status == POSENC_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(EXIT_FAILURE);
}

/* -1..1, the same on every machine. */
static float draw(void) {
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (float)(1 << 23) - 1;
}

static void draw_all(float *to, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof *to; i++) to[i] = 0.5f * draw();
}

static DLTensor *view(posenc_view *v, void *data, int rank, const int64_t *shape) {
    return posenc_view_make(v, data, POSENC_F32, rank, shape, NULL);
}
static DLTensor *per_token(posenc_view *v, float (*data)[TOKENS][D]) {
    return view(v, data, 4, (int64_t[]){1, HEADS, TOKENS, D});
}
static DLTensor *per_pair(posenc_view *v, attention *a) {
    return view(v, a->scores, 4, (int64_t[]){1, HEADS, TOKENS, TOKENS});
}

/* ---- the steps ---- */

static void project(const attention *a, float w[MODEL][MODEL], float out[HEADS][TOKENS][D]) {
    for (int t = 0; t < TOKENS; t++)
        for (int c = 0; c < MODEL; c++) {
            float sum = 0;
            for (int m = 0; m < MODEL; m++) sum += a->x[t][m] * w[m][c];
            out[c / D][t][c % D] = sum;
        }
}

static float dot(const float *a, const float *b) {
    float sum = 0;
    for (int c = 0; c < D; c++) sum += a[c] * b[c];
    return sum;
}

static void score(attention *a) {
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < TOKENS; i++)
            for (int j = 0; j < TOKENS; j++) a->scores[h][i][j] = dot(a->q[h][i], a->k[h][j]) / sqrtf(D);
}

static void softmax(float *row, int n) {
    float most = row[0], sum = 0;
    for (int j = 1; j < n; j++) most = row[j] > most ? row[j] : most;
    for (int j = 0; j < n; j++) sum += row[j] = expf(row[j] - most);
    for (int j = 0; j < n; j++) row[j] /= sum;
}

static void take_values(attention *a) {
    memset(a->out, 0, sizeof a->out);
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < TOKENS; i++)
            for (int j = 0; j < TOKENS; j++)
                for (int c = 0; c < D; c++) a->out[h][i][c] += a->scores[h][i][j] * a->v[h][j][c];
}

/* ---- where the schemes enter ---- */

static posenc_plan *plan_of(const scheme *s) {
    posenc_plan *plan;
    posenc_parameter parameters[3];
    size_t n = 0;
    for (; n < 3 && s->parameter[n][0]; n++) parameters[n] = (posenc_parameter){s->parameter[n][0], s->parameter[n][1]};
    must(posenc_plan_create(NULL, s->name, parameters, n, &plan, &error));
    return plan;
}

static void add_to_input(const scheme *s, attention *a) {
    posenc_view v;
    posenc_plan *plan = plan_of(s);
    DLTensor *x = view(&v, a->x, 2, (int64_t[]){TOKENS, MODEL});
    must(posenc_plan_add(plan, NULL, x, 1, x, &error));
    posenc_plan_destroy(plan);
}

/* Heads first is strides. */
static DLTensor *tokens_first(posenc_view *v, float (*data)[TOKENS][D]) {
    const int64_t shape[] = {1, TOKENS, HEADS, D}, strides[] = {MODEL * TOKENS, D, TOKENS * D, 1};
    return posenc_view_make(v, data, POSENC_F32, 4, shape, strides);
}

static void turn(const scheme *s, attention *a) {
    posenc_view views[2];
    posenc_plan *plan = plan_of(s);
    DLTensor *q = tokens_first(&views[0], a->q), *k = tokens_first(&views[1], a->k);
    must(posenc_rotary_apply(plan, POSENC_ROTARY_FORWARD, NULL, NULL, q, k, q, k, &error));
    posenc_plan_destroy(plan);
}

static void add_to_scores(const scheme *s, weights *w, attention *a) {
    posenc_view v, t;
    posenc_plan *plan = plan_of(s);
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = extent.keys = TOKENS;
    DLTensor *table = NULL;
    if (strcmp(s->name, "t5") == 0) table = view(&t, w->t5, 2, (int64_t[]){BUCKETS, HEADS});
    if (strcmp(s->name, "swin") == 0)
        table = view(&t, w->swin, 2, (int64_t[]){(int64_t)(sizeof w->swin / sizeof *w->swin), HEADS});
    must(posenc_bias_add(plan, &extent, NULL, table, per_pair(&v, a), &error));
    posenc_plan_destroy(plan);
}

/* Beside what is there: accumulate. */
static posenc_shaw_options shaw_options(void) {
    posenc_shaw_options o;
    posenc_shaw_default(&o, sizeof o);
    o.clip = CLIP;
    o.scale = 1 / sqrt(D);
    o.accumulate = 1;
    return o;
}

static void add_shaw_keys(weights *w, attention *a) {
    posenc_view q, t, s;
    posenc_shaw_options o = shaw_options();
    must(posenc_shaw_scores(NULL, &o, per_token(&q, a->q), view(&t, w->shaw_keys, 2, (int64_t[]){2 * CLIP + 1, D}),
                            per_pair(&s, a), &error));
}

static void add_shaw_values(weights *w, attention *a) {
    posenc_view p, t, out;
    posenc_shaw_options o = shaw_options();
    must(posenc_shaw_values(NULL, &o, per_pair(&p, a), view(&t, w->shaw_values, 2, (int64_t[]){2 * CLIP + 1, D}),
                            per_token(&out, a->out), &error));
}

/* All of the scores: q . k is part of it. */
static void score_transformer_xl(weights *w, attention *a) {
    posenc_view views[6];
    posenc_xl_options o;
    posenc_xl_default(&o, sizeof o);
    o.scale = 1 / sqrt(D);
    o.bidirectional = 1;
    const int64_t per_head[] = {HEADS, D}, square[] = {MODEL, MODEL};
    must(posenc_xl_scores(NULL, &o, per_token(&views[0], a->q), per_token(&views[1], a->k),
                          view(&views[2], w->u, 2, per_head), view(&views[3], w->bias, 2, per_head),
                          view(&views[4], w->positions, 2, square), per_pair(&views[5], a), &error));
}

/* Buckets are signed; the table's rows are those from -SPAN on. */
static int row_of(int32_t bucket) {
    int row = (int)bucket + SPAN;
    return row < 0 ? 0 : row < 2 * SPAN ? row : 2 * SPAN - 1;
}

/* The distance enters beside queries and beside keys: bucket[i][j] is that of i - j. */
static void score_deberta(const scheme *s, const weights *w, attention *a) {
    static int32_t bucket[TOKENS][TOKENS];
    posenc_view v;
    posenc_plan *plan = plan_of(s);
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = extent.keys = TOKENS;
    DLTensor *index = posenc_view_make(&v, bucket, POSENC_I32, 2, (int64_t[]){TOKENS, TOKENS}, NULL);
    must(posenc_bias_index(plan, &extent, index, &error));
    posenc_plan_destroy(plan);
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < TOKENS; i++)
            for (int j = 0; j < TOKENS; j++) {
                const float *q = a->q[h][i], *k = a->k[h][j];
                float sum = dot(q, k) + dot(q, w->near_keys[h][row_of(bucket[i][j])]) +
                            dot(k, w->near_queries[h][row_of(bucket[j][i])]);
                a->scores[h][i][j] = sum / sqrtf(3 * D);
            }
}

static void attend(const scheme *s, weights *w, attention *a) {
    if (s->place == INPUT) add_to_input(s, a);
    project(a, w->q, a->q);
    project(a, w->k, a->k);
    project(a, w->v, a->v);
    if (s->place == QUERIES_AND_KEYS) turn(s, a);
    if (s->place == TRANSFORMER_XL)
        score_transformer_xl(w, a);
    else if (s->place == DEBERTA)
        score_deberta(s, w, a);
    else
        score(a);
    if (s->place == SHAW) add_shaw_keys(w, a);
    if (s->place == BIAS) add_to_scores(s, w, a);
    for (int row = 0; row < HEADS * TOKENS; row++) softmax(&a->scores[0][0][0] + row * TOKENS, TOKENS);
    take_values(a);
    if (s->place == SHAW) add_shaw_values(w, a);
}

/* ---- what they change ---- */

/* The most that the last token's output changes when tokens 10 and 20 are swapped. (Were both further away than CLIP,
 * shaw would not see it.) */
static double change(const scheme *s, weights *w, float x[TOKENS][MODEL]) {
    static attention a, b;
    double most = 0;
    memcpy(a.x, x, sizeof a.x);
    memcpy(b.x, x, sizeof b.x);
    memcpy(b.x[10], x[20], sizeof b.x[10]);
    memcpy(b.x[20], x[10], sizeof b.x[20]);
    attend(s, w, &a);
    attend(s, w, &b);
    for (int c = 0; c < MODEL; c++)
        most = fmax(most, fabs((double)a.out[c / D][TOKENS - 1][c % D] - (double)b.out[c / D][TOKENS - 1][c % D]));
    return most;
}

int main(void) {
    static weights w;
    static float x[TOKENS][MODEL];
    int mistakes = 0;
    draw_all(&w.q[0][0], sizeof w);
    draw_all(&x[0][0], sizeof x);
    printf("%-16s%-32s%s\n", "scheme", "enters", "change when two tokens are swapped");
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        double most = change(&schemes[i], &w, x);
        bool seen = most > 1e-4;
        printf("%-16s%-32s%.6f%s\n", schemes[i].name, schemes[i].where, most, seen ? "" : ": order is not seen");
        mistakes += seen != (schemes[i].place != NOWHERE);
    }
    return mistakes == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
