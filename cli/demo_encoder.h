/* A Transformer encoder in plain C, small and fixed: what the demo feeds sentences to. Pre-norm (Xiong et al. 2020),
 * random weights, no training, all in double. Shapes stand outermost first. */
#ifndef POSENC_DEMO_ENCODER_H
#define POSENC_DEMO_ENCODER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    POSENC_DEMO_DIM = 64,   /* channels of a token */
    POSENC_DEMO_HEADS = 4,  /* of 16 channels each */
    POSENC_DEMO_LAYERS = 2, /* each: attention, then feed-forward */
    POSENC_DEMO_HIDDEN = 4 * POSENC_DEMO_DIM
};

typedef struct posenc_demo_encoder posenc_demo_encoder;

/* Draws all weights from a seed: normal, standard deviation 1 / sqrt(inputs). NULL when memory is out. */
posenc_demo_encoder *posenc_demo_encoder_create(uint64_t seed);

/* NULL is fine. */
void posenc_demo_encoder_destroy(posenc_demo_encoder *encoder);

/* y (tokens, dim) = encoder of x (tokens, dim). x and y do not overlap. Nothing in it knows the order of the tokens:
 * permuted tokens give permuted outputs. False, with y untouched, when memory is out. */
bool posenc_demo_encoder_forward(const posenc_demo_encoder *encoder, int tokens, const double *x, double *y);

#endif
