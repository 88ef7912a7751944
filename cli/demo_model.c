/* From words to the encoder's output, and how two outputs compare. */
#include "demo_model.h"

#include <math.h>
#include <stdlib.h>

#include "demo_random.h"

enum { DIM = POSENC_DEMO_DIM };

bool posenc_demo_model_begin(posenc_demo_model *model, uint64_t seed) {
    *model = (posenc_demo_model){.seed = seed, .encoder = posenc_demo_encoder_create(seed)};
    return model->encoder && posenc_sinusoidal_create(NULL, DIM, &model->positions, NULL) == POSENC_OK;
}

void posenc_demo_model_end(posenc_demo_model *model) {
    posenc_plan_destroy(model->positions);
    posenc_demo_encoder_destroy(model->encoder);
}

/* x (n, dim): the words' vectors */
static void embed(const posenc_demo_model *model, const posenc_demo_word *words, int n, float *x) {
    for (int t = 0; t < n; t++) {
        posenc_demo_random random = {posenc_demo_word_hash(words[t]) + model->seed * 0xD1342543DE82EF95u};
        for (int c = 0; c < DIM; c++) x[t * DIM + c] = (float)posenc_demo_normal(&random);
    }
}

bool posenc_demo_model_read(const posenc_demo_model *model, const posenc_demo_word *words, int n, bool with_positions,
                            double *out) {
    size_t values = (size_t)n * DIM;
    float *x = malloc(values * sizeof *x);
    double *wide = malloc(values * sizeof *wide);
    bool fine = x && wide;
    if (fine) {
        embed(model, words, n, x);
        if (with_positions) fine = posenc_plan_add_f32(model->positions, 0, 1, n, x, x) == POSENC_OK;
        for (size_t i = 0; i < values; i++) wide[i] = (double)x[i];
        fine = fine && posenc_demo_encoder_forward(model->encoder, n, wide, out);
    }
    free(wide);
    free(x);
    return fine;
}

void posenc_demo_pool(const double *out, int n, double *pooled) {
    for (int c = 0; c < DIM; c++) {
        pooled[c] = 0;
        for (int t = 0; t < n; t++) pooled[c] += out[t * DIM + c] / n;
    }
}

double posenc_demo_distance(const double *a, const double *b, int n) {
    double aa = 0, bb = 0, sum = 0;
    for (int c = 0; c < n; c++) {
        aa += a[c] * a[c];
        bb += b[c] * b[c];
    }
    for (int c = 0; c < n; c++) {
        double d = a[c] / sqrt(aa) - b[c] / sqrt(bb);
        sum += d * d;
    }
    return sum / 2;
}
