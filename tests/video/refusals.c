/* Rows that share encodings: every refusal, with the output as it was and a message that names the argument; sizes of
 * zero; strides as large as they go; callers of an older version. */
#include <stdlib.h>
#include <string.h>

#include "encoder/encoders.h"
#include "support/refusal.h"
#include "support/test.h"

enum { BATCH = 2, FRAMES = 3, HEIGHT = 2, WIDTH = 3, CHANNELS = 4, N = BATCH * FRAMES * HEIGHT * WIDTH * CHANNELS };

/* A good call in the broadcast form, which each test spoils in one place. */
typedef struct good {
    posenc_plan *plan;
    posenc_video form;
    double stamps[BATCH * FRAMES];
    float x_data[N + 64], y_data[N + 64], before[N + 64]; /* aligned for doubles too */
    unsigned char mask[BATCH * FRAMES];
    int64_t numbers[4];
    posenc_view x_view, y_view, more_view;
    DLTensor *x, *y;
    posenc_positions positions;
} good;

static good *good_make(posenc_video form) {
    static const int64_t shape[] = {BATCH, FRAMES, HEIGHT, WIDTH, CHANNELS};
    good *g = must_allocate(sizeof *g);
    g->form = form;
    g->plan =
        must_plan(NULL, &(plan_shape){.dim = form == POSENC_VIDEO_FLATTENED ? HEIGHT * WIDTH * CHANNELS : CHANNELS});
    memcpy(g->before, g->y_data, sizeof g->before);
    for (int i = 0; i < N + 64; i++) g->x_data[i] = (float)i;
    for (int i = 0; i < BATCH * FRAMES; i++) g->stamps[i] = i / 3.0, g->mask[i] = 1;
    g->x = posenc_view_make(&g->x_view, g->x_data, POSENC_F32, 5, shape, NULL);
    g->y = posenc_view_make(&g->y_view, g->y_data, POSENC_F32, 5, shape, NULL);
    g->positions = positions_from(0);
    return g;
}

static posenc_status call(good *g, posenc_error *error) {
    return posenc_video_add(g->plan, g->form, &g->positions, g->x, 1, g->y, error);
}

static void end(good *g) {
    posenc_plan_destroy(g->plan);
    free(g);
}

/* Both with and without an error detail; ends the good call. words: part of the message, or NULL. */
static void refuse(good *g, const char *what, posenc_status expected, const char *argument, const char *words) {
    posenc_error error = error_blank();
    must_refuse(what, call(g, &error), expected, &error, argument);
    check(!words || strstr(error.message, words), "%s: message is \"%s\"", what, error.message);
    check(call(g, NULL) == expected, "%s without an error detail", what);
    check(memcmp(g->y_data, g->before, sizeof g->before) == 0, "%s: the output was written", what);
    end(g);
}

static const posenc_video forms[] = {POSENC_VIDEO_FLATTENED, POSENC_VIDEO_BROADCAST};

static void test_the_good_call_is_good(void **state) {
    (void)state;
    for (int f = 0; f < 2; f++) {
        good *g = good_make(forms[f]);
        posenc_error error = error_blank(), before = error;
        assert_int_equal(call(g, &error), POSENC_OK);
        assert_memory_equal(&error, &before, sizeof error);
        assert_memory_equal(g->y_data + N, g->before + N, 64 * sizeof(float));
        end(g);
    }
}

static void test_ranks_and_shapes(void **state) {
    (void)state;
    for (int f = 0; f < 2; f++) {
        for (int rank = 0; rank <= 8; rank++) {
            static const int64_t ones[8] = {1, 1, 1, 1, 4, 1, 1, 1};
            if (rank == 5) continue;
            good *g = good_make(forms[f]);
            g->x = posenc_view_make(&g->x_view, g->x_data, POSENC_F32, rank, ones, NULL);
            refuse(g, "rank of x", POSENC_ERROR_SHAPE, "x", "(batch, frames, height, width, channels)");
            g = good_make(forms[f]);
            g->y = posenc_view_make(&g->y_view, g->y_data, POSENC_F32, rank, ones, NULL);
            refuse(g, "rank of y", POSENC_ERROR_SHAPE, "y", NULL);
        }
        for (int axis = 0; axis < 5; axis++) {
            good *g = good_make(forms[f]);
            g->y_view.shape[axis] = 1;
            refuse(g, "shape of y", POSENC_ERROR_SHAPE, "y", "the shape of x (2, 3, 2, 3, 4)");
        }
        good *g = good_make(forms[f]);
        g->x_view.shape[4] = g->y_view.shape[4] = 3;
        refuse(g, "width", POSENC_ERROR_SHAPE, "x", f ? "channels of dim 4" : "height * width * channels of dim 24");
        g = good_make(forms[f]);
        g->x_view.shape[2] = -1;
        refuse(g, "negative extent", POSENC_ERROR_SHAPE, "x", NULL);
        g = good_make(forms[f]);
        g->x = posenc_view_make(&g->x_view, g->x_data, POSENC_F64, 5, g->y_view.shape, NULL);
        refuse(g, "dtypes", POSENC_ERROR_DTYPE, "y", NULL);
        g = good_make(forms[f]);
        g->x->device.device_type = kDLCUDA;
        refuse(g, "device", POSENC_ERROR_DEVICE, "x", NULL);
        g = good_make(forms[f]);
        g->x = NULL;
        refuse(g, "x NULL", POSENC_ERROR_ARGUMENT, "x", NULL);
        g = good_make(forms[f]);
        g->y = NULL;
        refuse(g, "y NULL", POSENC_ERROR_ARGUMENT, "y", NULL);
    }
    for (int form = -1; form <= 2; form += 3) {
        good *g = good_make(POSENC_VIDEO_FLATTENED);
        g->form = (posenc_video)form;
        refuse(g, "form", POSENC_ERROR_ARGUMENT, "form", NULL);
    }
    posenc_error error = error_blank();
    must_refuse("no plan", posenc_video_add(NULL, POSENC_VIDEO_FLATTENED, NULL, NULL, 1, NULL, &error),
                POSENC_ERROR_ARGUMENT, &error, "plan");
}

/* Channels first do not flatten; a cut-out of a larger frame serves neither form; a batch cut out does. */
static void test_layouts(void **state) {
    (void)state;
    static const int64_t channels_first[] = {FRAMES * CHANNELS * HEIGHT * WIDTH, CHANNELS * HEIGHT * WIDTH, WIDTH, 1,
                                             HEIGHT * WIDTH};
    static const int64_t cut_out[] = {FRAMES * HEIGHT * WIDTH * CHANNELS, HEIGHT * WIDTH * CHANNELS,
                                      (WIDTH + 1) * CHANNELS, CHANNELS, 1};
    static const int64_t columns_first[] = {FRAMES * HEIGHT * WIDTH * CHANNELS, HEIGHT * WIDTH * CHANNELS, CHANNELS,
                                            HEIGHT * CHANNELS, 1};
    good *g = good_make(POSENC_VIDEO_FLATTENED);
    memcpy(g->x_view.strides, channels_first, sizeof channels_first);
    g->x->strides = g->x_view.strides;
    refuse(g, "channels first, flattened", POSENC_ERROR_SHAPE, "x",
           "height, width and channels that merge into one axis, got strides (72, 24, 3, 1, 6)");
    g = good_make(POSENC_VIDEO_BROADCAST);
    memcpy(g->x_view.strides, channels_first, sizeof channels_first);
    g->x->strides = g->x_view.strides;
    assert_int_equal(call(g, NULL), POSENC_OK);
    end(g);
    for (int f = 0; f < 2; f++)
        for (int which = 0; which < 4; which++) {
            g = good_make(forms[f]);
            DLTensor *t = which % 2 ? g->x : g->y;
            posenc_view *view = which % 2 ? &g->x_view : &g->y_view;
            memcpy(view->strides, which / 2 ? cut_out : columns_first, sizeof cut_out);
            t->strides = view->strides;
            refuse(g, "axes that do not merge", POSENC_ERROR_SHAPE, which % 2 ? "x" : "y", "that merge into one axis");
        }
}

static void test_overlap(void **state) {
    (void)state;
    for (int f = 0; f < 2; f++) {
        good *g = good_make(forms[f]);
        g->y->data = g->x_data + 1;
        refuse(g, "partial overlap", POSENC_ERROR_OVERLAP, "y", NULL);
        g = good_make(forms[f]);
        static const int64_t batch_strides[] = {0, HEIGHT * WIDTH * CHANNELS, WIDTH * CHANNELS, CHANNELS, 1};
        memcpy(g->y_view.strides, batch_strides, sizeof batch_strides);
        g->y->strides = g->y_view.strides;
        refuse(g, "an output that folds", POSENC_ERROR_OVERLAP, "y", NULL);
        g = good_make(forms[f]);
        int64_t shape[] = {FRAMES};
        g->positions.ids = posenc_view_make(&g->more_view, g->y_data, POSENC_F64, 1, shape, NULL);
        memset(g->y_data, 0, sizeof g->y_data);
        memset(g->before, 0, sizeof g->before);
        refuse(g, "time stamps in y", POSENC_ERROR_OVERLAP, "y", NULL);
    }
    /* one buffer of twice the channels: the first half is x, the second y */
    good *g = good_make(POSENC_VIDEO_BROADCAST);
    static float both[2 * N];
    static const int64_t halves[] = {2 * FRAMES * HEIGHT * WIDTH * CHANNELS, 2 * HEIGHT * WIDTH * CHANNELS,
                                     2 * WIDTH * CHANNELS, 2 * CHANNELS, 1};
    memcpy(g->x_view.strides, halves, sizeof halves), memcpy(g->y_view.strides, halves, sizeof halves);
    g->x->strides = g->x_view.strides, g->y->strides = g->y_view.strides;
    g->x->data = both, g->y->data = both + CHANNELS;
    assert_int_equal(call(g, NULL), POSENC_OK);
    for (int i = 0; i < 2 * N; i++) check((both[i] != 0) >= (i / CHANNELS % 2 && i % 2), "element %d", i);
    end(g);
}

static void test_positions(void **state) {
    (void)state;
    int64_t wrong[] = {BATCH, FRAMES + 1};
    good *g = good_make(POSENC_VIDEO_BROADCAST);
    g->positions.ids = posenc_view_make(&g->more_view, g->stamps, POSENC_F64, 2, wrong, NULL);
    refuse(g, "ids of another shape", POSENC_ERROR_SHAPE, "position_ids", "(3,) or (2, 3), got (2, 4)");
    g = good_make(POSENC_VIDEO_FLATTENED);
    g->positions.mask = posenc_view_make(&g->more_view, g->mask, POSENC_BOOL, 1, wrong, NULL);
    refuse(g, "mask of another shape", POSENC_ERROR_SHAPE, "mask", NULL);
    g = good_make(POSENC_VIDEO_FLATTENED);
    g->numbers[0] = 0, g->numbers[1] = 3;
    g->positions.cu_seqlens = posenc_view_make(&g->more_view, g->numbers, POSENC_I64, 1, (int64_t[]){2}, NULL);
    refuse(g, "packed clips in a batch", POSENC_ERROR_SHAPE, "cu_seqlens", NULL);
    for (int64_t repeat = -1; repeat <= 4; repeat++) {
        if (repeat == 1 || repeat == 3) continue;
        g = good_make(POSENC_VIDEO_BROADCAST);
        g->positions.repeat = repeat;
        refuse(g, "repeat", repeat < 1 ? POSENC_ERROR_ARGUMENT : POSENC_ERROR_SHAPE, "repeat", NULL);
    }
    /* frames first: they do not merge with the pixels in them, so none can be grouped */
    static const int64_t frames_first[] = {HEIGHT * WIDTH * CHANNELS, BATCH * HEIGHT * WIDTH * CHANNELS,
                                           WIDTH * CHANNELS, CHANNELS, 1};
    g = good_make(POSENC_VIDEO_BROADCAST);
    memcpy(g->x_view.strides, frames_first, sizeof frames_first);
    g->x->strides = g->x_view.strides;
    g->positions.repeat = 3;
    refuse(g, "repeat of what does not merge", POSENC_ERROR_SHAPE, "repeat", "do not merge");
    /* the same frames, flattened, are rows that can be grouped */
    g = good_make(POSENC_VIDEO_FLATTENED);
    memcpy(g->x_view.strides, frames_first, sizeof frames_first);
    g->x->strides = g->x_view.strides;
    g->positions.repeat = 3;
    assert_int_equal(call(g, NULL), POSENC_OK);
    end(g);
}

/* repeat beside every verb that takes positions. */
static void test_repeat_of_tokens(void **state) {
    (void)state;
    enum { TOKENS = 6, DIM = 4 };
    float x[TOKENS * DIM] = {0}, y[TOKENS * DIM], before[TOKENS * DIM], gradient[5 * DIM] = {7};
    posenc_view u, v, w;
    const int64_t shape[] = {TOKENS, DIM};
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    posenc_encoder *encoder = NULL;
    posenc_parameter parameters[] = {{"dim", "4"}, {"max-len", "5"}};
    check(posenc_encoder_create(NULL, "learned", parameters, 2, NULL, &encoder, NULL) == POSENC_OK, "no encoder");
    DLTensor *tx = posenc_view_make(&u, x, POSENC_F32, 2, shape, NULL),
             *ty = posenc_view_make(&v, y, POSENC_F32, 2, shape, NULL);
    DLTensor *dtable = posenc_view_make(&w, gradient, POSENC_F32, 2, (int64_t[]){5, DIM}, NULL);
    memset(y, 0x5A, sizeof y);
    memcpy(before, y, sizeof y);
    static const int64_t bad[] = {INT64_MIN, -1, 0, 4, 5, 7, 12, INT64_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int verb = 0; verb < 4; verb++) {
            posenc_error error = error_blank();
            posenc_positions positions = positions_from(0);
            positions.repeat = bad[i];
            posenc_status status =
                verb == 0   ? posenc_plan_write(plan, &positions, ty, &error)
                : verb == 1 ? posenc_plan_add(plan, &positions, tx, 1, ty, &error)
                : verb == 2 ? posenc_encoder_forward(encoder, &positions, NULL, tx, ty, &error)
                            : posenc_encoder_backward_table(encoder, &positions, NULL, tx, dtable, 0, &error);
            must_refuse("repeat", status, bad[i] < 1 ? POSENC_ERROR_ARGUMENT : POSENC_ERROR_SHAPE, &error, "repeat");
            check(memcmp(y, before, sizeof y) == 0 && gradient[0] == 7, "repeat: an output was written");
        }
    /* six tokens need six rows of five; two a position, three */
    posenc_error error = error_blank();
    must_refuse("past the table", posenc_encoder_forward(encoder, NULL, NULL, tx, ty, &error), POSENC_ERROR_POSITION,
                &error, "positions");
    posenc_positions positions = positions_from(0);
    positions.repeat = 2;
    assert_int_equal(posenc_encoder_forward(encoder, &positions, NULL, tx, ty, NULL), POSENC_OK);
    posenc_encoder_destroy(encoder);
    posenc_plan_destroy(plan);
}

/* A caller compiled before repeat was there gives a smaller struct, which means 1. */
static void test_older_callers(void **state) {
    (void)state;
    good *g = good_make(POSENC_VIDEO_BROADCAST);
    memset(&g->positions, 0x77, sizeof g->positions);
    posenc_positions_default(&g->positions, offsetof(posenc_positions, repeat));
    assert_int_equal(g->positions.size, offsetof(posenc_positions, repeat));
    check(g->positions.repeat == INT64_C(0x7777777777777777), "repeat was written beyond the caller's struct");
    assert_int_equal(call(g, NULL), POSENC_OK);
    end(g);
}

/* No batch, frames, pixels: fine, whatever the strides; nothing is written. */
static void test_nothing(void **state) {
    (void)state;
    for (int f = 0; f < 2; f++)
        for (int axis = 0; axis < (f ? 4 : 2); axis++)
            for (int wild = 0; wild < 2; wild++) {
                good *g = good_make(forms[f]);
                static const int64_t huge[] = {INT64_MAX, INT64_MIN, INT64_MAX / 2, INT64_MAX / 3, INT64_MAX};
                for (int i = 0; i < 5; i++) g->x_view.strides[i] = g->y_view.strides[i] = huge[i];
                if (wild) g->x->strides = g->x_view.strides, g->y->strides = g->y_view.strides;
                g->x_view.shape[axis] = g->y_view.shape[axis] = 0;
                g->x->data = g->y->data = NULL;
                posenc_error error = error_blank();
                check(call(g, &error) == POSENC_OK, "axis %d: %s", axis, error.message);
                check(memcmp(g->y_data, g->before, sizeof g->before) == 0, "nothing was written");
                end(g);
            }
    /* extents whose product does not fit beside an empty batch */
    good *g = good_make(POSENC_VIDEO_BROADCAST);
    for (int i = 0; i < 4; i++) g->x_view.shape[i] = g->y_view.shape[i] = i ? INT64_MAX / 2 : 0;
    g->x->data = g->y->data = NULL;
    posenc_error error = error_blank();
    check(call(g, &error) == POSENC_OK, "%s", error.message);
    end(g);
    g = good_make(POSENC_VIDEO_FLATTENED);
    for (int i = 0; i < 4; i++) g->x_view.shape[i] = g->y_view.shape[i] = i ? INT64_MAX / 2 : 0;
    refuse(g, "a frame that does not fit", POSENC_ERROR_SHAPE, "x", "height * width * channels");
}

/* Elements as far apart as memory allows, single ones at any distance, and too far. */
static void test_huge_strides(void **state) {
    (void)state;
    for (int f = 0; f < 2; f++) {
        good *g = good_make(forms[f]);
        int64_t near[] = {N, 1, 12, 4, 1};
        for (int axis = 0; axis < 2; axis++) { /* an axis of one frame or one batch never steps */
            near[axis] = axis ? INT64_MAX : INT64_MIN + 1;
            g->x_view.shape[axis] = g->y_view.shape[axis] = 1;
        }
        memcpy(g->x_view.strides, near, sizeof near), memcpy(g->y_view.strides, near, sizeof near);
        g->x->strides = g->x_view.strides, g->y->strides = g->y_view.strides;
        posenc_error error = error_blank();
        check(call(g, &error) == POSENC_OK, "one frame: %s", error.message);
        end(g);
        for (int axis = 0; axis < 5; axis++) {
            static const int64_t packed[] = {FRAMES * HEIGHT * WIDTH * CHANNELS, HEIGHT * WIDTH * CHANNELS,
                                             WIDTH * CHANNELS, CHANNELS, 1};
            g = good_make(forms[f]);
            memcpy(g->y_view.strides, packed, sizeof packed);
            g->y->strides = g->y_view.strides;
            g->y_view.strides[axis] = INT64_MAX / 4;
            refuse(g, "a span beyond memory", POSENC_ERROR_SHAPE, "y", NULL);
        }
    }
}

/* Strides of 0 make a frame of a few values as large as one likes: more pixels than 64 bits count. */
static void test_more_pixels_than_fit(void **state) {
    (void)state;
    static const int64_t broadcast[] = {0, 0, 0, 0, 1};
    good *g = good_make(POSENC_VIDEO_BROADCAST);
    posenc_parameter parameters[] = {{"dim", "4"}, {"max-len", "3"}};
    float gradient[3 * CHANNELS] = {7};
    posenc_view view;
    posenc_encoder *encoder = NULL;
    check(posenc_encoder_create(NULL, "learned", parameters, 2, NULL, &encoder, NULL) == POSENC_OK, "no encoder");
    g->x_view.shape[2] = g->x_view.shape[3] = g->y_view.shape[2] = g->y_view.shape[3] = INT64_C(1) << 32;
    memcpy(g->x_view.strides, broadcast, sizeof broadcast);
    g->x->strides = g->x_view.strides;
    posenc_error error = error_blank();
    must_refuse("dy",
                posenc_video_backward_table(
                    encoder, g->form, NULL, NULL, g->x,
                    posenc_view_make(&view, gradient, POSENC_F32, 2, (int64_t[]){3, CHANNELS}, NULL), 0, &error),
                POSENC_ERROR_SHAPE, &error, "dy");
    check(gradient[0] == 7, "the gradient was written");
    posenc_encoder_destroy(encoder);
    refuse(g, "x", POSENC_ERROR_SHAPE, "x", "height and width that merge into one axis, got strides (0, 0, 0, 0, 1)");
}

/* Doors of the encoder's verbs. */
static void test_encoder_doors(void **state) {
    (void)state;
    static const int64_t shape[] = {BATCH, FRAMES, HEIGHT, WIDTH, CHANNELS};
    float x[N] = {0}, y[N], before[N];
    posenc_view u, v;
    posenc_encoder_options options = encoder_options(POSENC_F32);
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = CHANNELS, .max_len = 9}, &options);
    DLTensor *tx = posenc_view_make(&u, x, POSENC_F32, 5, shape, NULL),
             *ty = posenc_view_make(&v, y, POSENC_F32, 5, shape, NULL);
    posenc_video form = POSENC_VIDEO_BROADCAST;
    memset(y, 0x5A, sizeof y);
    memcpy(before, y, sizeof y);
    posenc_error e = error_blank();
    must_refuse("forward", posenc_video_forward(NULL, form, NULL, NULL, tx, ty, &e), POSENC_ERROR_ARGUMENT, &e,
                "encoder");
    e = error_blank();
    must_refuse("backward", posenc_video_backward(NULL, form, NULL, tx, ty, &e), POSENC_ERROR_ARGUMENT, &e, "encoder");
    e = error_blank();
    must_refuse("table", posenc_video_backward_table(NULL, form, NULL, NULL, tx, ty, 0, &e), POSENC_ERROR_ARGUMENT, &e,
                "encoder");
    e = error_blank();
    must_refuse("no parameters", posenc_video_backward_table(encoder, form, NULL, NULL, tx, ty, 0, &e),
                POSENC_ERROR_UNSUPPORTED, &e, NULL);
    e = error_blank();
    must_refuse("dy", posenc_video_backward(encoder, form, NULL, NULL, ty, &e), POSENC_ERROR_ARGUMENT, &e, "dy");
    e = error_blank();
    must_refuse("dx", posenc_video_backward(encoder, form, NULL, tx, NULL, &e), POSENC_ERROR_ARGUMENT, &e, "dx");
    e = error_blank();
    must_refuse("form", posenc_video_backward_table(encoder, (posenc_video)9, NULL, NULL, tx, ty, 0, &e),
                POSENC_ERROR_ARGUMENT, &e, "form");
    e = error_blank();
    must_refuse("width", posenc_video_forward(encoder, POSENC_VIDEO_FLATTENED, NULL, NULL, tx, ty, &e),
                POSENC_ERROR_SHAPE, &e, "x");
    double dgain = 7;
    e = error_blank();
    must_refuse("gain", posenc_video_backward_gain(NULL, form, NULL, NULL, tx, &dgain, &e), POSENC_ERROR_ARGUMENT, &e,
                "encoder");
    e = error_blank();
    must_refuse("gain of nothing", posenc_video_backward_gain(encoder, form, NULL, NULL, NULL, &dgain, &e),
                POSENC_ERROR_ARGUMENT, &e, "dy");
    e = error_blank();
    must_refuse("gain for nobody", posenc_video_backward_gain(encoder, form, NULL, NULL, tx, NULL, &e),
                POSENC_ERROR_ARGUMENT, &e, "dgain");
    e = error_blank();
    must_refuse("gain of a form", posenc_video_backward_gain(encoder, (posenc_video)9, NULL, NULL, tx, &dgain, &e),
                POSENC_ERROR_ARGUMENT, &e, "form");
    e = error_blank();
    must_refuse("gain of a width",
                posenc_video_backward_gain(encoder, POSENC_VIDEO_FLATTENED, NULL, NULL, tx, &dgain, &e),
                POSENC_ERROR_SHAPE, &e, "dy");
    check(dgain == 7, "the gradient was written");
    const int64_t nothing[] = {BATCH, 0, HEIGHT, WIDTH, CHANNELS};
    DLTensor *none = posenc_view_make(&v, y, POSENC_F32, 5, nothing, NULL);
    assert_int_equal(posenc_video_backward_gain(encoder, form, NULL, NULL, none, &dgain, NULL), POSENC_OK);
    check(dgain == 0, "no frames give %g", dgain);
    posenc_view_make(&v, y, POSENC_F32, 5, shape, NULL);
    assert_memory_equal(y, before, sizeof y);
    assert_int_equal(posenc_video_forward(encoder, form, NULL, NULL, tx, ty, NULL), POSENC_OK);
    posenc_encoder_destroy(encoder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_good_call_is_good),
                                       cmocka_unit_test(test_ranks_and_shapes),
                                       cmocka_unit_test(test_layouts),
                                       cmocka_unit_test(test_overlap),
                                       cmocka_unit_test(test_positions),
                                       cmocka_unit_test(test_repeat_of_tokens),
                                       cmocka_unit_test(test_older_callers),
                                       cmocka_unit_test(test_nothing),
                                       cmocka_unit_test(test_huge_strides),
                                       cmocka_unit_test(test_more_pixels_than_fit),
                                       cmocka_unit_test(test_encoder_doors)};
    return TEST_RUN(tests);
}
