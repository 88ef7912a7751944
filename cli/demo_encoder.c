/* The encoder, layer by layer, as in the paper (Vaswani et al. 2017, section 3, with the norm before each part):
 *     x = x + attention(norm(x))
 *     x = x + feed_forward(norm(x))
 * and one last norm. Slow and plain on purpose. */
#include "demo_encoder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "demo_random.h"

enum { DIM = POSENC_DEMO_DIM, HEADS = POSENC_DEMO_HEADS, HEAD_DIM = DIM / HEADS, HIDDEN = POSENC_DEMO_HIDDEN };

/* Weights are (outputs, inputs). Biases are zero and norms have gain 1, as before training; so neither is kept. */
typedef struct layer {
    double query[DIM * DIM], key[DIM * DIM], value[DIM * DIM], output[DIM * DIM];
    double up[HIDDEN * DIM], down[DIM * HIDDEN];
} layer;

struct posenc_demo_encoder {
    layer layers[POSENC_DEMO_LAYERS];
};

static void draw(posenc_demo_random *random, double *weight, int outputs, int inputs) {
    for (int i = 0; i < outputs * inputs; i++) weight[i] = posenc_demo_normal(random) / sqrt(inputs);
}

posenc_demo_encoder *posenc_demo_encoder_create(uint64_t seed) {
    posenc_demo_random random = {seed};
    posenc_demo_encoder *encoder = malloc(sizeof *encoder);
    if (!encoder) return NULL;
    for (int l = 0; l < POSENC_DEMO_LAYERS; l++) {
        layer *w = &encoder->layers[l];
        draw(&random, w->query, DIM, DIM);
        draw(&random, w->key, DIM, DIM);
        draw(&random, w->value, DIM, DIM);
        draw(&random, w->output, DIM, DIM);
        draw(&random, w->up, HIDDEN, DIM);
        draw(&random, w->down, DIM, HIDDEN);
    }
    return encoder;
}

void posenc_demo_encoder_destroy(posenc_demo_encoder *encoder) { free(encoder); }

/* y (outputs) = weight (outputs, inputs) x (inputs) */
static void linear_forward(const double *weight, int outputs, int inputs, const double *x, double *y) {
    for (int o = 0; o < outputs; o++) {
        double sum = 0;
        for (int i = 0; i < inputs; i++) sum += weight[o * inputs + i] * x[i];
        y[o] = sum;
    }
}

/* y (dim) = x (dim) with mean 0 and variance 1 */
static void norm_forward(const double *x, double *y) {
    double mean = 0, variance = 0;
    for (int c = 0; c < DIM; c++) mean += x[c] / DIM;
    for (int c = 0; c < DIM; c++) variance += (x[c] - mean) * (x[c] - mean) / DIM;
    for (int c = 0; c < DIM; c++) y[c] = (x[c] - mean) / sqrt(variance + 1e-5);
}

/* weight (tokens) = softmax over tokens of query · key / sqrt(head_dim); keys (tokens, dim), one head of them */
static void weigh_forward(const double *query, const double *keys, int tokens, double *weight) {
    double most = -HUGE_VAL, sum = 0;
    for (int t = 0; t < tokens; t++) {
        linear_forward(keys + t * DIM, 1, HEAD_DIM, query, &weight[t]);
        weight[t] /= sqrt(HEAD_DIM);
        most = fmax(most, weight[t]);
    }
    for (int t = 0; t < tokens; t++) sum += weight[t] = exp(weight[t] - most);
    for (int t = 0; t < tokens; t++) weight[t] /= sum;
}

/* Room for one pass: a row for every token of each. */
typedef struct room {
    double *normed, *queries, *keys, *values; /* (tokens, dim) */
    double *weight;                           /* (tokens) */
} room;

/* mixed (dim) = for each head, the values of all tokens, weighted */
static void attend_forward(const room *r, int tokens, const double *query, double *mixed) {
    memset(mixed, 0, DIM * sizeof *mixed);
    for (int h = 0; h < DIM; h += HEAD_DIM) {
        weigh_forward(query + h, r->keys + h, tokens, r->weight);
        for (int t = 0; t < tokens; t++)
            for (int c = 0; c < HEAD_DIM; c++) mixed[h + c] += r->weight[t] * r->values[t * DIM + h + c];
    }
}

/* x (tokens, dim) += attention of x */
static void attention_forward(const layer *w, const room *r, int tokens, double *x) {
    double mixed[DIM], out[DIM];
    for (int t = 0; t < tokens; t++) {
        double *normed = r->normed + t * DIM;
        norm_forward(x + t * DIM, normed);
        linear_forward(w->query, DIM, DIM, normed, r->queries + t * DIM);
        linear_forward(w->key, DIM, DIM, normed, r->keys + t * DIM);
        linear_forward(w->value, DIM, DIM, normed, r->values + t * DIM);
    }
    for (int t = 0; t < tokens; t++) {
        attend_forward(r, tokens, r->queries + t * DIM, mixed);
        linear_forward(w->output, DIM, DIM, mixed, out);
        for (int c = 0; c < DIM; c++) x[t * DIM + c] += out[c];
    }
}

/* GELU (Hendrycks and Gimpel 2016), exact form */
static double gelu(double x) { return 0.5 * x * (1 + erf(x * 0.7071067811865476)); }

/* x (tokens, dim) += down gelu(up norm(x)), token by token */
static void feed_forward(const layer *w, int tokens, double *x) {
    double normed[DIM], hidden[HIDDEN], out[DIM];
    for (int t = 0; t < tokens; t++) {
        norm_forward(x + t * DIM, normed);
        linear_forward(w->up, HIDDEN, DIM, normed, hidden);
        for (int i = 0; i < HIDDEN; i++) hidden[i] = gelu(hidden[i]);
        linear_forward(w->down, DIM, HIDDEN, hidden, out);
        for (int c = 0; c < DIM; c++) x[t * DIM + c] += out[c];
    }
}

bool posenc_demo_encoder_forward(const posenc_demo_encoder *encoder, int tokens, const double *x, double *y) {
    size_t rows = (size_t)tokens * DIM;
    double *all = malloc((4 * rows + (size_t)tokens) * sizeof *all);
    if (!all) return false;
    room r = {all, all + rows, all + 2 * rows, all + 3 * rows, all + 4 * rows};
    memcpy(y, x, rows * sizeof *y);
    for (int l = 0; l < POSENC_DEMO_LAYERS; l++) {
        attention_forward(&encoder->layers[l], &r, tokens, y);
        feed_forward(&encoder->layers[l], tokens, y);
    }
    for (int t = 0; t < tokens; t++) {
        norm_forward(y + t * DIM, r.normed);
        memcpy(y + t * DIM, r.normed, DIM * sizeof *y);
    }
    free(all);
    return true;
}
