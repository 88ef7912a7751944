/* x * scale + E where rows share encodings, beside a loop over single elements: every shape, form of positions, dtype
 * and number of threads, anywhere in memory, in place too, with dropout; and the backward pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "support/number.h"
#include "support/test.h"

enum { ROUNDS = 400 };

static posenc_context *context_of(random_state *random) {
    posenc_context_options options;
    posenc_context *context = NULL;
    posenc_context_default(&options, sizeof options);
    options.threads = (int)random_between(random, 1, 8);
    check(posenc_context_create(&options, &context, NULL) == POSENC_OK, "no context");
    return context;
}

/* The rows of all places, from the plan one by one. */
static char *encodings_of(const scene *s, const posenc_plan *plan, posenc_dtype e_dtype) {
    size_t row = (size_t)s->dim * posenc_dtype_bytes(e_dtype);
    char *e = must_allocate((size_t)(s->batch * s->steps) * row);
    for (int64_t i = 0; i < s->batch * s->steps; i++)
        if (s->places[i].real)
            must_write_ids(plan, POSENC_F64, &s->places[i].position, 1, e_dtype, e + (size_t)i * row);
    return e;
}

typedef uint64_t element_rule(const scene *s, const void *rule, uint64_t x, const char *e, uint64_t index);

/* want, element by element. e: NULL for padding. */
static void each_element(scene *s, const char *e, posenc_dtype e_dtype, element_rule *rule, const void *with) {
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t t = 0; t < s->steps; t++)
            for (int64_t r = 0; r < s->rows; r++)
                for (int64_t c = 0; c < s->dim; c++) {
                    int64_t place = b * s->steps + t;
                    const char *at = e + (size_t)(place * s->dim + c) * posenc_dtype_bytes(e_dtype);
                    uint64_t x = number_load(s->dtype, scene_at(s, s->x, b, t, r, c));
                    number_store(s->dtype,
                                 rule(s, with, x, s->places[place].real ? at : NULL, scene_index(s, b, t, r, c)),
                                 scene_at(s, s->want, b, t, r, c));
                }
}

static posenc_dtype e_dtype_of(const scene *s) { return s->dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32; }

/* The bits of E, of -0 for padding, which adds nothing. */
static uint64_t e_bits(const scene *s, const char *e) {
    posenc_dtype dtype = e_dtype_of(s);
    return e ? number_load(dtype, e) : number_with_sign(dtype, 0, true);
}

static uint64_t sum_rule(const scene *s, const void *scale, uint64_t x, const char *e, uint64_t index) {
    (void)index;
    return number_fused(s->dtype, x, *(const double *)scale, e_bits(s, e));
}

static void test_add(void **state) {
    (void)state;
    random_state random = random_start("video add");
    for (int round = 0; round < ROUNDS; round++) {
        scene *s = scene_make(&random, (scene_shape)(round % SCENE_SHAPES), (scene_form)(round / 4 % SCENE_FORMS),
                              encoding_dtypes[random_between(&random, 0, 3)], false);
        posenc_context *context = context_of(&random);
        posenc_plan *plan = must_plan(context, &(plan_shape){.dim = s->dim});
        char *e = encodings_of(s, plan, e_dtype_of(s));
        double scale = random_between(&random, 0, 1) ? 1 : -1.5;
        if (random_between(&random, 0, 2) == 0) scene_in_place(s);
        each_element(s, e, e_dtype_of(s), sum_rule, &scale);
        posenc_video form = s->shape == SCENE_FLATTENED ? POSENC_VIDEO_FLATTENED : POSENC_VIDEO_BROADCAST;
        posenc_error error = {0};
        posenc_status status = s->rank == 5 ? posenc_video_add(plan, form, &s->positions, s->tx, scale, s->ty, &error)
                                            : posenc_plan_add(plan, &s->positions, s->tx, scale, s->ty, &error);
        check(status == POSENC_OK, "%s: %s", scene_text(s), error.message);
        scene_check(s, "add");
        free(e);
        posenc_plan_destroy(plan);
        posenc_context_destroy(context);
        scene_end(s);
    }
}

static uint64_t write_rule(const scene *s, const void *none, uint64_t x, const char *e, uint64_t index) {
    (void)none, (void)x, (void)index;
    return e ? number_load(s->dtype, e) : 0;
}

static void test_write(void **state) {
    (void)state;
    random_state random = random_start("shared write");
    for (int round = 0; round < ROUNDS; round++) {
        scene *s = scene_make(&random, round % 2 ? SCENE_TOKENS : SCENE_HEADS, (scene_form)(round / 2 % SCENE_FORMS),
                              encoding_dtypes[random_between(&random, 0, 3)], false);
        posenc_context *context = context_of(&random);
        posenc_plan *plan = must_plan(context, &(plan_shape){.dim = s->dim});
        char *e = encodings_of(s, plan, s->dtype);
        each_element(s, e, s->dtype, write_rule, NULL);
        posenc_error error = {0};
        check(posenc_plan_write(plan, &s->positions, s->ty, &error) == POSENC_OK, "%s: %s", scene_text(s),
              error.message);
        scene_check(s, "write");
        free(e);
        posenc_plan_destroy(plan);
        posenc_context_destroy(context);
        scene_end(s);
    }
}

typedef struct drop {
    double scale, p;
    posenc_step step;
} drop;

static uint64_t drop_rule(const scene *s, const void *with, uint64_t x, const char *e, uint64_t index) {
    const drop *d = with;
    return drop_slowly(s->dtype, x, d->scale, e_bits(s, e), &d->step, index, d->p, 1 / (1 - d->p));
}

/* With scale and dropout one factor serves both. */
static uint64_t backward_rule(const scene *s, const void *with, uint64_t x, const char *e, uint64_t index) {
    const drop *d = with;
    (void)e;
    return drop_slowly(s->dtype, x, 1, e_bits(s, NULL), &d->step, index, d->p, d->scale / (1 - d->p));
}

static posenc_status forward(const posenc_encoder *encoder, const scene *s, const posenc_step *step,
                             posenc_error *error) {
    posenc_video form = s->shape == SCENE_FLATTENED ? POSENC_VIDEO_FLATTENED : POSENC_VIDEO_BROADCAST;
    if (s->rank == 5) return posenc_video_forward(encoder, form, &s->positions, step, s->tx, s->ty, error);
    return posenc_encoder_forward(encoder, &s->positions, step, s->tx, s->ty, error);
}

static posenc_status backward(const posenc_encoder *encoder, const scene *s, const posenc_step *step,
                              posenc_error *error) {
    posenc_video form = s->shape == SCENE_FLATTENED ? POSENC_VIDEO_FLATTENED : POSENC_VIDEO_BROADCAST;
    if (s->rank == 5) return posenc_video_backward(encoder, form, step, s->tx, s->ty, error);
    return posenc_encoder_backward(encoder, step, s->tx, s->ty, error);
}

/* A table of 40 rows, so that some positions lie past it, and dropout; forward and backward. */
static void test_encoder(void **state) {
    (void)state;
    random_state random = random_start("video encoder");
    for (int round = 0; round < ROUNDS; round++) {
        scene *s = scene_make(&random, (scene_shape)(round % SCENE_SHAPES), (scene_form)(round / 4 % SCENE_FORMS),
                              encoding_dtypes[random_between(&random, 0, 3)], false);
        posenc_context *context = context_of(&random);
        posenc_encoder_options options = encoder_options(s->dtype);
        drop d = {random_between(&random, 0, 1) ? 1 : 3, 0.3, training_step(random_u64(&random), 7, 1234567)};
        options.scale = d.scale, options.dropout = d.p;
        posenc_encoder *encoder = must_encoder(context, &(plan_shape){.dim = s->dim, .max_len = 40}, &options);
        char *e = encodings_of(s, posenc_encoder_plan(encoder), e_dtype_of(s));
        bool back = random_between(&random, 0, 2) == 0, trains = random_between(&random, 0, 3) > 0;
        d.step.training = trains;
        if (random_between(&random, 0, 2) == 0) scene_in_place(s);
        double plain = d.scale;
        if (trains)
            each_element(s, e, e_dtype_of(s), back ? backward_rule : drop_rule, &d);
        else if (back) {
            for (int64_t i = 0; i < s->batch * s->steps; i++) s->places[i].real = false;
            each_element(s, e, e_dtype_of(s), sum_rule, &plain);
        } else
            each_element(s, e, e_dtype_of(s), sum_rule, &plain);
        posenc_error error = {0};
        posenc_status status = back ? backward(encoder, s, &d.step, &error) : forward(encoder, s, &d.step, &error);
        check(status == POSENC_OK, "%s: %s", scene_text(s), error.message);
        scene_check(s, back ? "backward" : "forward");
        free(e);
        posenc_encoder_destroy(encoder);
        posenc_context_destroy(context);
        scene_end(s);
    }
}

/* From the equation alone: sin and cos of p / 10000^(2i/d), in long double. */
static void test_equation(void **state) {
    (void)state;
    enum { BATCH = 2, FRAMES = 3, HEIGHT = 4, WIDTH = 2, CHANNELS = 6, N = BATCH * FRAMES * HEIGHT * WIDTH * CHANNELS };
    static double x[N], y[N];
    const int64_t shape[] = {BATCH, FRAMES, HEIGHT, WIDTH, CHANNELS};
    for (int form = 0; form < 2; form++) {
        int64_t dim = form == POSENC_VIDEO_FLATTENED ? HEIGHT * WIDTH * CHANNELS : CHANNELS;
        posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = dim});
        posenc_view u, v, w;
        double stamps[FRAMES] = {0, 0.48, 1.1};
        posenc_positions positions = positions_from(0);
        positions.ids = posenc_view_make(&w, stamps, POSENC_F64, 1, (int64_t[]){FRAMES}, NULL);
        for (int i = 0; i < N; i++) x[i] = i;
        check(
            posenc_video_add(plan, (posenc_video)form, &positions, posenc_view_make(&u, x, POSENC_F64, 5, shape, NULL),
                             2, posenc_view_make(&v, y, POSENC_F64, 5, shape, NULL), NULL) == POSENC_OK,
            "form %d", form);
        for (int i = 0; i < N; i++) {
            int frame = i / (HEIGHT * WIDTH * CHANNELS) % FRAMES;
            int64_t column = form == POSENC_VIDEO_FLATTENED ? i % (HEIGHT * WIDTH * CHANNELS) : i % CHANNELS;
            long double angle =
                (long double)stamps[frame] * powl(10000, -(long double)(column / 2 * 2) / (long double)dim);
            long double want = 2 * (long double)i + (column % 2 ? cosl(angle) : sinl(angle));
            check(fabsl((long double)y[i] - want) < 1e-13L, "form %d, element %d: %.17g", form, i, y[i]);
        }
        posenc_plan_destroy(plan);
    }
}

/* Work for eight threads: the same bits as one thread's, whatever the share. */
static void test_threads(void **state) {
    (void)state;
    enum { BATCH = 2, FRAMES = 7, HEIGHT = 40, WIDTH = 41, CHANNELS = 37 };
    const int64_t shape[] = {BATCH, FRAMES, HEIGHT, WIDTH, CHANNELS}, n = BATCH * FRAMES * HEIGHT * WIDTH * CHANNELS;
    const int64_t first[] = {CHANNELS * HEIGHT * WIDTH, BATCH * CHANNELS * HEIGHT * WIDTH, WIDTH, 1, HEIGHT * WIDTH};
    random_state random = random_start("video threads");
    float *x = must_allocate((size_t)n * 4), *y = must_allocate((size_t)n * 4), *want = must_allocate((size_t)n * 4);
    random_fill_f32(&random, x, n);
    for (int way = 0; way < 6; way++)
        for (int threads = 1; threads <= 8; threads++) {
            posenc_context_options options;
            posenc_context *context = NULL;
            posenc_context_default(&options, sizeof options);
            options.threads = threads;
            check(posenc_context_create(&options, &context, NULL) == POSENC_OK, "no context");
            bool flattened = way % 2 == 0, channels_first = way == 5;
            posenc_video form = flattened ? POSENC_VIDEO_FLATTENED : POSENC_VIDEO_BROADCAST;
            posenc_encoder_options with = encoder_options(POSENC_F32);
            with.dropout = way / 2 == 1 ? 0.25 : 0;
            plan_shape plan = {.dim = flattened ? HEIGHT * WIDTH * CHANNELS : CHANNELS,
                               .max_len = way / 2 == 2 ? 3 : 8};
            posenc_encoder *encoder = must_encoder(context, &plan, &with);
            posenc_step step = training_step(3, 4, 5);
            posenc_view u, v;
            DLTensor *tx = posenc_view_make(&u, x, POSENC_F32, 5, shape, channels_first ? first : NULL);
            DLTensor *ty =
                posenc_view_make(&v, threads == 1 ? want : y, POSENC_F32, 5, shape, channels_first ? first : NULL);
            check(posenc_video_forward(encoder, form, NULL, &step, tx, ty, NULL) == POSENC_OK, "way %d", way);
            check(threads == 1 || memcmp(y, want, (size_t)n * 4) == 0, "way %d: other bits on %d threads", way,
                  threads);
            posenc_encoder_destroy(encoder);
            posenc_context_destroy(context);
        }
    free(x), free(y), free(want);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_add), cmocka_unit_test(test_write),
                                       cmocka_unit_test(test_encoder), cmocka_unit_test(test_equation),
                                       cmocka_unit_test(test_threads)};
    return TEST_RUN(tests);
}
