/* A vision transformer's input: an image in patches behind one class token. The same encoder serves a batch of whole
 * images; points serve what lies on no grid, here the centre of the image; and DETR's coordinates serve a batch whose
 * second image is smaller than the padded grid. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

enum { BATCH = 2, HEIGHT = 4, WIDTH = 6, CELLS = HEIGHT * WIDTH, TOKENS = 1 + CELLS, DIM = 16 };

static int fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    return EXIT_FAILURE;
}

/* y = x + E for whole images. */
static posenc_status add_to_images(const posenc_plan *plan, float *x, posenc_error *error) {
    posenc_view view;
    DLTensor *tensor = posenc_view_make(&view, x, POSENC_F32, 3, (int64_t[]){BATCH, TOKENS, DIM}, NULL);
    return posenc_plan_add(plan, NULL, tensor, 1, tensor, error);
}

/* The row between the four middle cells: coordinates (y, x) need not be whole. */
static posenc_status write_centre(const posenc_plan *plan, float *row, posenc_error *error) {
    double centre[] = {(HEIGHT - 1) / 2.0, (WIDTH - 1) / 2.0};
    posenc_view ids, out;
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = posenc_view_make(&ids, centre, POSENC_F64, 2, (int64_t[]){1, 2}, NULL);
    return posenc_plan_write(plan, &positions, posenc_view_make(&out, row, POSENC_F32, 2, (int64_t[]){1, DIM}, NULL),
                             error);
}

/* Rows of images of which mask says what is no padding. */
static posenc_status write_masked(const posenc_plan *detr, uint8_t *mask, float *rows, posenc_error *error) {
    static double points[BATCH * CELLS * 2];
    posenc_view in, ids, out;
    posenc_positions positions;
    DLTensor *tensor = posenc_view_make(&ids, points, POSENC_F64, 3, (int64_t[]){BATCH, CELLS, 2}, NULL);
    posenc_status status =
        posenc_detr_coordinates(posenc_view_make(&in, mask, POSENC_U8, 3, (int64_t[]){BATCH, HEIGHT, WIDTH}, NULL), 1,
                                8 * atan(1), tensor, error);
    if (status != POSENC_OK) return status;
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = tensor;
    DLTensor *to = posenc_view_make(&out, rows, POSENC_F32, 3, (int64_t[]){BATCH, CELLS, DIM}, NULL);
    return posenc_plan_write(detr, &positions, to, error);
}

int main(void) {
    static float x[BATCH * TOKENS * DIM], rows[BATCH * CELLS * DIM];
    float centre[DIM];
    posenc_plan *mae, *detr;
    posenc_error error;
    posenc_sinusoidal_2d_options options;
    posenc_sinusoidal_2d_default(&options, sizeof options);
    options.dim = DIM, options.height = HEIGHT, options.width = WIDTH, options.prefix = 1;
    if (posenc_sinusoidal_2d_create_with(NULL, &options, &mae, &error)) return fail(error.message);
    options.prefix = 0, options.convention = POSENC_2D_DETR;
    if (posenc_sinusoidal_2d_create_with(NULL, &options, &detr, &error)) return fail(error.message);

    uint8_t mask[BATCH * CELLS];
    for (int i = 0; i < BATCH * CELLS; i++) mask[i] = i < CELLS || i % WIDTH < 4; /* the second image is 4 wide */
    if (add_to_images(mae, x, &error)) return fail(error.message);
    if (write_centre(mae, centre, &error)) return fail(error.message);
    if (write_masked(detr, mask, rows, &error)) return fail(error.message);
    printf("%lld tokens; column 2 of row 1 adds %.4f %.4f; the centre has %.4f\n", (long long)posenc_plan_tokens(mae),
           (double)x[(1 + WIDTH + 2) * DIM], (double)x[(1 + WIDTH + 2) * DIM + DIM / 2], (double)centre[0]);

    /* the class token got nothing; x first, so sin 2 and sin 1; both images end at 2 pi wherever they end */
    const float *last = rows + (WIDTH - 1) * DIM, *other = rows + CELLS * DIM + 3 * DIM;
    int right = x[0] == 0 && x[DIM / 4] == 0 && fabs((double)x[(1 + WIDTH + 2) * DIM] - sin(2)) < 1e-7 &&
                fabs((double)x[(1 + WIDTH + 2) * DIM + DIM / 2] - sin(1)) < 1e-7 &&
                fabs((double)centre[0] - sin(2.5)) < 1e-7 &&
                fabs((double)last[DIM / 2] - (double)other[DIM / 2]) < 1e-5;
    posenc_plan_destroy(mae);
    posenc_plan_destroy(detr);
    return right ? EXIT_SUCCESS : fail("wrong rows");
}
