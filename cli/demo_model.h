/* The whole small model: words become vectors, positions are added by posenc, the encoder reads them. */
#ifndef POSENC_DEMO_MODEL_H
#define POSENC_DEMO_MODEL_H

#include <posenc/posenc.h>

#include "demo_encoder.h"
#include "demo_words.h"

typedef struct posenc_demo_model {
    uint64_t seed; /* of the words' vectors and of the encoder's weights */
    posenc_demo_encoder *encoder;
    posenc_plan *positions; /* sinusoidal, dim channels */
} posenc_demo_model;

/* False when memory is out; posenc_demo_model_end is due in any case. */
bool posenc_demo_model_begin(posenc_demo_model *model, uint64_t seed);
void posenc_demo_model_end(posenc_demo_model *model);

/* out (n, dim) = the encoder's output for the words, with or without their positions 0..n-1. A word's vector is normal,
 * mean 0, standard deviation 1, drawn from the model's seed and the word's letters alone. False when memory is out. */
bool posenc_demo_model_read(const posenc_demo_model *model, const posenc_demo_word *words, int n, bool with_positions,
                            double *out);

/* pooled (dim) = mean of out (n, dim) over the words */
void posenc_demo_pool(const double *out, int n, double *pooled);

/* 1 - cosine of the angle between a and b. Computed as half the squared distance of the two directions: taking the
 * cosine from 1 would lose what is below its rounding. */
double posenc_demo_distance(const double *a, const double *b, int n);

#endif
