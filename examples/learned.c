/* Trains a learned table by plain gradient descent: targets are given, and the loss is the mean of (y - target)^2 / 2,
 * so that the gradient of y is y - target. Ends with a table that adds the targets. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

enum { BATCH = 2, TOKENS = 16, DIM = 8, ROWS = 16, STEPS = 60 };

static int fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    return EXIT_FAILURE;
}

int main(void) {
    static float x[BATCH * TOKENS * DIM], y[BATCH * TOKENS * DIM], dy[BATCH * TOKENS * DIM], gradient[ROWS * DIM];
    const posenc_parameter parameters[] = {{"dim", "8"}, {"max-len", "16"}, {"init", "normal"}, {"init-seed", "3"}};
    posenc_encoder *encoder;
    posenc_error error;
    if (posenc_encoder_create(NULL, "learned", parameters, 4, NULL, &encoder, &error)) return fail(error.message);

    int64_t shape[] = {BATCH, TOKENS, DIM}, table_shape[] = {ROWS, DIM};
    posenc_view x_view, y_view, dy_view, gradient_view;
    DLTensor *tx = posenc_view_make(&x_view, x, POSENC_F32, 3, shape, NULL);
    DLTensor *ty = posenc_view_make(&y_view, y, POSENC_F32, 3, shape, NULL);
    DLTensor *tdy = posenc_view_make(&dy_view, dy, POSENC_F32, 3, shape, NULL);
    DLTensor *tgradient = posenc_view_make(&gradient_view, gradient, POSENC_F32, 2, table_shape, NULL), *table;
    if (posenc_encoder_parameters(encoder, &table, &error)) return fail(error.message);

    double loss = 0;
    for (int step = 0; step < STEPS; step++) {
        if (posenc_encoder_forward(encoder, NULL, NULL, tx, ty, &error)) return fail(error.message);
        loss = 0;
        for (int i = 0; i < BATCH * TOKENS * DIM; i++) {
            dy[i] = y[i] - (float)(i / DIM % TOKENS) / TOKENS; /* the target of a token is its place in the text */
            loss += (double)dy[i] * (double)dy[i] / 2 / (BATCH * TOKENS * DIM);
        }
        if (step % 20 == 0) printf("step %2d: loss %.6f\n", step, loss);
        if (posenc_encoder_backward_table(encoder, NULL, NULL, tdy, tgradient, 0, &error)) return fail(error.message);
        for (int i = 0; i < ROWS * DIM; i++) ((float *)table->data)[i] -= 0.1f * gradient[i];
    }
    printf("at the end: loss %.6f\n", loss);
    posenc_encoder_destroy(encoder);
    return loss < 1e-6 ? EXIT_SUCCESS : fail("it has not learned");
}
