/* Adds sinusoidal positions to a batch of embeddings, in place: three lines in their context. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

int main(void) {
    enum { BATCH = 8, TOKENS = 128, DIM = 512 };
    float *x =
        calloc((size_t)BATCH * TOKENS * DIM, sizeof *x); /* (batch, tokens, dim): what the embedding layer gives */
    if (!x) return EXIT_FAILURE;

    posenc_plan *plan = NULL;
    posenc_error error;
    if (posenc_sinusoidal_create(NULL, DIM, &plan, &error)) {
        fprintf(stderr, "%s\n", error.message);
        free(x);
        return EXIT_FAILURE;
    }
    const posenc_status status = posenc_plan_add_f32(plan, 0, BATCH, TOKENS, x, x); /* x = x + E(0), E(1), ... */
    posenc_plan_destroy(plan);

    /* The embeddings were zero, so x now holds the encoding itself: position 1 begins with sin 1, cos 1. */
    const float *row = x + DIM;
    printf("%s: position 1 begins %.9g %.9g %.9g %.9g\n", posenc_status_name(status), (double)row[0], (double)row[1],
           (double)row[2], (double)row[3]);
    const int right = status == POSENC_OK && row[0] == (float)sin(1.0) && row[1] == (float)cos(1.0);
    free(x);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
