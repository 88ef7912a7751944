/* Time steps of a diffusion sampler, from its published settings: a batch of real steps, every one exact. Ends with
 * what a wrong shift would have cost, a mistake that no shape and no error message shows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

enum { DIM = 320, STEPS = 5 };

static int fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    return EXIT_FAILURE;
}

/* rows (STEPS, DIM): the encodings of the steps. */
static posenc_status embed(double shift, const double *steps, float *rows, posenc_error *error) {
    posenc_timestep_options options;
    posenc_positions positions;
    posenc_view steps_view, rows_view;
    posenc_plan *plan = NULL;
    void *data = (void *)(uintptr_t)steps; /* DLTensor has no const; positions are only read */
    posenc_timestep_default(&options, sizeof options);
    options.dim = DIM;
    options.cos_first = 1; /* flip_sin_to_cos=True */
    options.shift = shift; /* freq_shift=0 */
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = posenc_view_make(&steps_view, data, POSENC_F64, 1, (int64_t[]){STEPS}, NULL);
    DLTensor *out = posenc_view_make(&rows_view, rows, POSENC_F32, 2, (int64_t[]){STEPS, DIM}, NULL);
    posenc_status status = posenc_timestep_create_with(NULL, &options, &plan, error);
    if (status == POSENC_OK) status = posenc_plan_write(plan, &positions, out, error);
    posenc_plan_destroy(plan);
    return status;
}

int main(void) {
    static const double steps[STEPS] = {999, 749.25, 499.5, 249.75, 0};
    static float right[STEPS * DIM], wrong[STEPS * DIM];
    posenc_error error;
    double most = 0, worst = 0;
    if (embed(0, steps, right, &error) || embed(1, steps, wrong, &error)) return fail(error.message);
    for (int r = 0; r < STEPS; r++)
        for (int i = 0; i < DIM / 2; i++) {
            double angle = steps[r] * pow(10000, -i / (DIM / 2.0));
            worst = fmax(worst, fabs((double)right[r * DIM + i] - cos(angle)));
            worst = fmax(worst, fabs((double)right[r * DIM + DIM / 2 + i] - sin(angle)));
            most = fmax(most, fabs((double)(right[r * DIM + i] - wrong[r * DIM + i])));
        }
    printf("step 749.25 begins %.6f %.6f %.6f\n", (double)right[DIM], (double)right[DIM + 1], (double)right[DIM + 2]);
    printf("largest error %.1e; with shift 1 by mistake %.2f\n", worst, most);
    return worst < 6e-8 && most > 0.5 ? EXIT_SUCCESS : fail("expected rounding errors only, and a mistake that shows");
}
