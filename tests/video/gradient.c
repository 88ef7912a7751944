/* The gradient of a learned table where rows share encodings: beside a loop in the order (batch, position, row), to the
 * bit; and adjoint to the forward pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "support/number.h"
#include "support/test.h"

enum { ROUNDS = 240, ROWS = 70 };

typedef struct learned {
    posenc_encoder *encoder;
    DLTensor *table; /* (ROWS, dim), f32 or f64 */
    posenc_step step;
    double p;
} learned;

static learned learned_make(random_state *random, const scene *s, double p) {
    learned l = {.step = training_step(random_u64(random), 2, 99), .p = p};
    posenc_encoder_options options = encoder_options(s->dtype);
    options.dropout = p;
    posenc_view view;
    posenc_error error = {0};
    char *values = must_allocate((size_t)(ROWS * s->dim) * posenc_dtype_bytes(options.dtype));
    random_fill(random, options.dtype, values, ROWS * s->dim);
    DLTensor *table = posenc_view_make(&view, values, options.dtype, 2, (int64_t[]){ROWS, s->dim}, NULL);
    check(posenc_encoder_from_table(NULL, table, &options, &l.encoder, &error) == POSENC_OK, "%s", error.message);
    check(posenc_encoder_parameters(l.encoder, &l.table, &error) == POSENC_OK, "%s", error.message);
    free(values);
    return l;
}

/* 1 where the mask keeps, in double: what the forward pass does to an element of 1. */
static double kept(const learned *l, uint64_t index) {
    posenc_dtype f64 = POSENC_F64;
    uint64_t one = number_encode(f64, 1), e = number_encode(f64, 0);
    return number_decode(f64, drop_slowly(f64, one, 1, e, &l->step, index, l->p, 1));
}

/* sums[row, column], in the order of the contract. */
static double *sum_slowly(scene *s, const learned *l) {
    double *sums = calloc((size_t)(ROWS * s->dim), sizeof *sums);
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t t = 0; t < s->steps; t++)
            for (int64_t r = 0; r < s->rows; r++)
                for (int64_t c = 0; c < s->dim; c++) {
                    const scene_place *p = &s->places[b * s->steps + t];
                    double dy = number_decode(s->dtype, number_load(s->dtype, scene_at(s, s->x, b, t, r, c)));
                    if (p->real) sums[(int64_t)p->position * s->dim + c] += dy * kept(l, scene_index(s, b, t, r, c));
                }
    return sums;
}

static posenc_status backward_table(const learned *l, const scene *s, DLTensor *dtable, posenc_error *error) {
    posenc_video form = s->shape == SCENE_FLATTENED ? POSENC_VIDEO_FLATTENED : POSENC_VIDEO_BROADCAST;
    if (s->rank < 5) return posenc_encoder_backward_table(l->encoder, &s->positions, &l->step, s->tx, dtable, 0, error);
    return posenc_video_backward_table(l->encoder, form, &s->positions, &l->step, s->tx, dtable, 0, error);
}

static scene *scene_of_round(random_state *random, int round) {
    static const scene_form forms[] = {SCENE_START, SCENE_OFFSETS, SCENE_IDS, SCENE_MASK, SCENE_PACKED};
    return scene_make(random, (scene_shape)(round % SCENE_SHAPES), forms[round / 4 % 5],
                      encoding_dtypes[random_between(random, 0, 3)], true);
}

static void test_beside_the_loop(void **state) {
    (void)state;
    random_state random = random_start("shared gradient");
    for (int round = 0; round < ROUNDS; round++) {
        scene *s = scene_of_round(&random, round);
        learned l = learned_make(&random, s, round % 2 ? 0.4 : 0);
        posenc_dtype dtype = s->dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
        size_t element = posenc_dtype_bytes(dtype);
        char *got = must_allocate((size_t)(ROWS * s->dim) * element);
        posenc_view view;
        posenc_error error = {0};
        DLTensor *dtable = posenc_view_make(&view, got, dtype, 2, (int64_t[]){ROWS, s->dim}, NULL);
        check(backward_table(&l, s, dtable, &error) == POSENC_OK, "%s: %s", scene_text(s), error.message);
        double *sums = sum_slowly(s, &l), factor = l.p > 0 ? 1 / (1 - l.p) : 1;
        for (int64_t i = 0; i < ROWS * s->dim; i++)
            check(number_same(dtype, number_encode(dtype, sums[i] * factor),
                              number_load(dtype, got + (size_t)i * element)),
                  "%s: row %d, column %d", scene_text(s), (int)(i / s->dim), (int)(i % s->dim));
        free(sums);
        free(got);
        posenc_encoder_destroy(l.encoder);
        scene_end(s);
    }
}

/* With x = 0 the forward pass is linear in the table: <y, dy> = <table, dtable>. In f64, where only sums round. */
static void test_adjoint(void **state) {
    (void)state;
    random_state random = random_start("shared adjoint");
    for (int round = 0; round < ROUNDS; round++) {
        static const scene_form forms[] = {SCENE_START, SCENE_OFFSETS, SCENE_IDS, SCENE_MASK, SCENE_PACKED};
        scene *s = scene_make(&random, (scene_shape)(round % SCENE_SHAPES), forms[round / 4 % 5], POSENC_F64, true);
        learned l = learned_make(&random, s, round % 2 ? 0.4 : 0);
        double *dtable = must_allocate((size_t)(ROWS * s->dim) * 8), left = 0, right = 0, size = 0;
        posenc_view view;
        posenc_error error = {0};
        DLTensor *gradient = posenc_view_make(&view, dtable, POSENC_F64, 2, (int64_t[]){ROWS, s->dim}, NULL);
        check(backward_table(&l, s, gradient, &error) == POSENC_OK, "%s: %s", scene_text(s), error.message);
        char *dy = must_allocate(s->bytes);
        memcpy(dy, s->x, s->bytes);
        memset(s->x, 0, s->bytes);
        posenc_video form = s->shape == SCENE_FLATTENED ? POSENC_VIDEO_FLATTENED : POSENC_VIDEO_BROADCAST;
        posenc_status status = s->rank == 5
                                   ? posenc_video_forward(l.encoder, form, &s->positions, &l.step, s->tx, s->ty, &error)
                                   : posenc_encoder_forward(l.encoder, &s->positions, &l.step, s->tx, s->ty, &error);
        check(status == POSENC_OK, "%s: %s", scene_text(s), error.message);
        for (int64_t b = 0; b < s->batch; b++)
            for (int64_t t = 0; t < s->steps; t++)
                for (int64_t r = 0; r < s->rows; r++)
                    for (int64_t c = 0; c < s->dim; c++) {
                        double a = number_decode(POSENC_F64, number_load(POSENC_F64, scene_at(s, s->y, b, t, r, c)));
                        double g = number_decode(POSENC_F64, number_load(POSENC_F64, scene_at(s, dy, b, t, r, c)));
                        left += a * g, size += fabs(a * g);
                    }
        for (int64_t i = 0; i < ROWS * s->dim; i++) right += ((const double *)l.table->data)[i] * dtable[i];
        check(fabs(left - right) <= 1e-12 * (size + 1), "%s: %.17g and %.17g", scene_text(s), left, right);
        free(dy);
        free(dtable);
        posenc_encoder_destroy(l.encoder);
        scene_end(s);
    }
}

/* ---- the gain ---- */

static posenc_video form_of(const scene *s) {
    return s->shape == SCENE_FLATTENED ? POSENC_VIDEO_FLATTENED : POSENC_VIDEO_BROADCAST;
}

static double gain_gradient(const learned *l, const scene *s) {
    double dgain = (double)NAN;
    posenc_error error = {0};
    posenc_status status =
        s->rank < 5
            ? posenc_encoder_backward_gain(l->encoder, &s->positions, &l->step, s->tx, &dgain, &error)
            : posenc_video_backward_gain(l->encoder, form_of(s), &s->positions, &l->step, s->tx, &dgain, &error);
    check(status == POSENC_OK, "%s: %s", scene_text(s), error.message);
    return dgain;
}

/* <y, dy> of the forward pass of zeros under a gain; size: of its terms. */
static double loss_of(const learned *l, scene *s, char *dy, double gain, double *size) {
    double loss = 0;
    posenc_error error = {0};
    check(posenc_encoder_set_gain(l->encoder, gain, &error) == POSENC_OK, "%s", error.message);
    posenc_status status =
        s->rank == 5 ? posenc_video_forward(l->encoder, form_of(s), &s->positions, &l->step, s->tx, s->ty, &error)
                     : posenc_encoder_forward(l->encoder, &s->positions, &l->step, s->tx, s->ty, &error);
    check(status == POSENC_OK, "%s: %s", scene_text(s), error.message);
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t t = 0; t < s->steps; t++)
            for (int64_t r = 0; r < s->rows; r++)
                for (int64_t c = 0; c < s->dim; c++) {
                    double a = number_decode(s->dtype, number_load(s->dtype, scene_at(s, s->y, b, t, r, c)));
                    double g = number_decode(s->dtype, number_load(s->dtype, scene_at(s, dy, b, t, r, c)));
                    loss += a * g, *size += fabs(a * g);
                }
    return loss;
}

/* The loss is linear in the gain: its difference over any step is the gradient, and with x = 0 and gain 1 the loss
 * itself is. In f64, where only sums round. */
static void test_gain(void **state) {
    (void)state;
    random_state random = random_start("shared gain");
    for (int round = 0; round < ROUNDS; round++) {
        static const scene_form forms[] = {SCENE_START, SCENE_OFFSETS, SCENE_IDS, SCENE_MASK, SCENE_PACKED};
        scene *s = scene_make(&random, (scene_shape)(round % SCENE_SHAPES), forms[round / 4 % 5], POSENC_F64, true);
        learned l = learned_make(&random, s, round % 2 ? 0.4 : 0);
        double dgain = gain_gradient(&l, s), size = 1, step = 0.25 + random_unit(&random);
        char *dy = must_allocate(s->bytes);
        memcpy(dy, s->x, s->bytes);
        memset(s->x, 0, s->bytes);
        double one = loss_of(&l, s, dy, 1, &size), low = loss_of(&l, s, dy, 1 - step, &size),
               high = loss_of(&l, s, dy, 1 + step, &size);
        check(fabs(dgain - one) <= 1e-12 * size, "%s: %.17g and %.17g", scene_text(s), dgain, one);
        check(fabs(dgain - (high - low) / (2 * step)) <= 1e-11 * size, "%s: %.17g and a difference of %.17g",
              scene_text(s), dgain, (high - low) / (2 * step));
        free(dy);
        posenc_encoder_destroy(l.encoder);
        scene_end(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beside_the_loop), cmocka_unit_test(test_adjoint),
                                       cmocka_unit_test(test_gain)};
    return TEST_RUN(tests);
}
