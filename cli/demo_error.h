/* How wrong a row becomes far out, by the way its angle is made. */
#ifndef POSENC_DEMO_ERROR_H
#define POSENC_DEMO_ERROR_H

#include <stdbool.h>
#include <stddef.h>

enum {
    POSENC_DEMO_ERROR_PLACES = 80,   /* at most; positions 1..10^7, evenly spread on a logarithmic axis */
    POSENC_DEMO_ERROR_WINDOW = 1000, /* positions looked at up to each place, or all since the place before */
    POSENC_DEMO_ERROR_DIM = 128
};

/* From the worst to the best. */
typedef enum posenc_demo_way {
    POSENC_DEMO_BF16,        /* positions rounded to bfloat16, all else exact */
    POSENC_DEMO_FLOAT32,     /* float32 position times float32 inverse frequency */
    POSENC_DEMO_FLOAT32_EXP, /* the same with exp(-2i log(base) / dim) in float32, as in tutorials */
    POSENC_DEMO_EXACT,       /* posenc's own rows in f32 */
    POSENC_DEMO_WAYS
} posenc_demo_way;

typedef struct posenc_demo_errors {
    size_t n;
    double position[POSENC_DEMO_ERROR_PLACES];
    double largest[POSENC_DEMO_WAYS][POSENC_DEMO_ERROR_PLACES]; /* over all channels and the positions of the place */
} posenc_demo_errors;

/* Measures against the exact values in f64. False when memory is out. */
bool posenc_demo_errors_measure(posenc_demo_errors *errors);

#endif
