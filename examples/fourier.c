/* Fourier features of the pixels of a picture: each row of a field network's input is [features of x | features of y],
 * written side by side by two calls, without a copy. The Gaussian frequencies come from a seed, and so they are the
 * same in training and wherever the network runs later. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

enum { HEIGHT = 6, WIDTH = 10, PIXELS = HEIGHT * WIDTH, DIM = 64 };

static int fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    return EXIT_FAILURE;
}

/* Features of one coordinate into the half of the rows that begins at column. */
static posenc_status write_half(const posenc_plan *plan, double *coordinates, float *rows, int column,
                                posenc_error *error) {
    posenc_positions positions;
    posenc_view ids, out;
    const int64_t shape[] = {PIXELS, DIM}, strides[] = {2 * DIM, 1};
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = posenc_view_make(&ids, coordinates, POSENC_F64, 1, shape, NULL);
    return posenc_plan_write(plan, &positions, posenc_view_make(&out, rows + column, POSENC_F32, 2, shape, strides),
                             error);
}

int main(void) {
    static double x[PIXELS], y[PIXELS];
    static float rows[PIXELS * 2 * DIM];
    posenc_fourier_options options;
    posenc_plan *across = NULL, *down = NULL;
    posenc_error error;
    for (int i = 0; i < PIXELS; i++) { /* centres of pixels, in [0, 1] */
        x[i] = (i % WIDTH + 0.5) / WIDTH;
        y[i] = (i / WIDTH + 0.5) / HEIGHT;
    }
    posenc_fourier_default(&options, sizeof options);
    options.dim = DIM;
    options.kind = POSENC_FOURIER_GAUSSIAN;
    options.sigma = 4;
    posenc_status status = posenc_fourier_create_with(NULL, &options, &across, &error);
    options.frequency_seed = 1; /* other frequencies for the other axis */
    if (status == POSENC_OK) status = posenc_fourier_create_with(NULL, &options, &down, &error);
    if (status == POSENC_OK) status = write_half(across, x, rows, 0, &error);
    if (status == POSENC_OK) status = write_half(down, y, rows, DIM, &error);
    posenc_plan_destroy(across);
    posenc_plan_destroy(down);
    if (status != POSENC_OK) return fail(error.message);

    const float *left = rows, *right = rows + (WIDTH - 1) * 2 * DIM; /* mirrored, so sines change sign, cosines stay */
    for (int i = 0; i < DIM; i++)
        if (fabsf(left[i] - (i < DIM / 2 ? -1.0f : 1.0f) * right[i]) > 1e-6f) return fail("expected mirrored columns");
    for (int i = DIM; i < 2 * DIM; i++)
        if (left[i] != right[i]) return fail("expected the same y along a line");
    printf("%d pixels, %d features each; the first begins %.6f %.6f %.6f\n", PIXELS, 2 * DIM, (double)rows[0],
           (double)rows[1], (double)rows[2]);
    return EXIT_SUCCESS;
}
