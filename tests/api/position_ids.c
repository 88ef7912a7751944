/* Position ids of text, images and video: published examples, and every refusal with the outputs as they were. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include <posenc/position_ids.h>

#include "support/refusal.h"
#include "support/test.h"

/* ---- values from outside ---- */

static const posenc_segment picture[] = {
    {.tokens = 3}, {.kind = POSENC_SEGMENT_IMAGE, .t = 1, .h = 4, .w = 4}, {.tokens = 2}};

/* The batch dimension last, as models have it: (3, tokens) is strides. */
static void test_picture(void **state) {
    (void)state;
    static const int64_t want[3][9] = {
        {0, 1, 2, 3, 3, 3, 3, 5, 6}, {0, 1, 2, 3, 3, 4, 4, 5, 6}, {0, 1, 2, 3, 4, 3, 4, 5, 6}};
    int64_t got[3][9], delta = 0;
    posenc_view view;
    DLTensor *ids = posenc_view_make(&view, got, POSENC_I64, 2, (int64_t[]){9, 3}, (int64_t[]){1, 9});
    assert_int_equal(posenc_position_ids_of_segments(NULL, picture, 3, ids, &delta, NULL), POSENC_OK);
    assert_memory_equal(got, want, sizeof want);
    assert_int_equal(delta, -2);
    assert_int_equal(posenc_position_ids_of_segments(NULL, picture, 3, ids, NULL, NULL), POSENC_OK);
}

/* The example in the documentation of transformers' get_rope_index: a video of 3 x 2 x 2 before 5 tokens of text. */
static void test_video(void **state) {
    (void)state;
    static const int64_t times[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 6, 7};
    static const int64_t heights[] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 3, 4, 5, 6, 7};
    static const int64_t widths[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 3, 4, 5, 6, 7};
    const posenc_segment video[] = {{.kind = POSENC_SEGMENT_VIDEO, .t = 3, .h = 4, .w = 4, .seconds_per_grid = 2},
                                    {.tokens = 5}};
    int64_t got[17][3], delta;
    posenc_view view;
    DLTensor *ids = posenc_view_make(&view, got, POSENC_I64, 2, (int64_t[]){17, 3}, NULL);
    assert_int_equal(posenc_position_ids_of_segments(NULL, video, 2, ids, &delta, NULL), POSENC_OK);
    for (int i = 0; i < 17; i++) {
        assert_int_equal(got[i][0], times[i]);
        assert_int_equal(got[i][1], heights[i]);
        assert_int_equal(got[i][2], widths[i]);
    }
    assert_int_equal(delta, 8 - 17);
}

/* The same of Qwen2.5-VL: 25 ids a second, 1 frame a second, patches of 2 frames: 50 from frame to frame. */
static void test_timed_video(void **state) {
    (void)state;
    const posenc_segment video[] = {{.kind = POSENC_SEGMENT_VIDEO, .t = 3, .h = 4, .w = 4, .seconds_per_grid = 2},
                                    {.tokens = 1}};
    int64_t got[13][3], delta;
    posenc_view view;
    DLTensor *ids = posenc_view_make(&view, got, POSENC_I64, 2, (int64_t[]){13, 3}, NULL);
    posenc_position_ids_options o;
    posenc_position_ids_default(&o, sizeof o);
    o.rule = POSENC_VISION_QWEN2_5_VL;
    o.tokens_per_second = 25;
    assert_int_equal(posenc_position_ids_of_segments(&o, video, 2, ids, &delta, NULL), POSENC_OK);
    for (int i = 0; i < 12; i++) assert_int_equal(got[i][0], i / 4 * 50);
    assert_int_equal(got[12][0], 101);
    assert_int_equal(got[12][1], 101);
    assert_int_equal(delta, 102 - 13);
}

/* Half a second from frame to frame is no whole number: it must not be cut to 0 before it is multiplied. */
static void test_parts_of_a_second(void **state) {
    (void)state;
    const posenc_segment video = {.kind = POSENC_SEGMENT_VIDEO, .t = 5, .h = 2, .w = 2, .seconds_per_grid = 0.5};
    int64_t got[5][3];
    posenc_view view;
    DLTensor *ids = posenc_view_make(&view, got, POSENC_I64, 2, (int64_t[]){5, 3}, NULL);
    posenc_position_ids_options o;
    posenc_position_ids_default(&o, sizeof o);
    o.rule = POSENC_VISION_QWEN2_5_VL;
    o.tokens_per_second = 3;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    for (int m = 0; m < 4; m++) {
        fesetround(modes[m]);
        posenc_status status = posenc_position_ids_of_segments(&o, &video, 1, ids, NULL, NULL);
        int mode = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(status, POSENC_OK);
        assert_int_equal(mode, modes[m]);
        static const int64_t want[] = {0, 1, 3, 4, 6};
        for (int i = 0; i < 5; i++) assert_int_equal(got[i][0], want[i]);
    }
}

/* Height and width are not each other's: only a grid that is no square tells. */
static void test_oblong(void **state) {
    (void)state;
    const posenc_segment image = {.kind = POSENC_SEGMENT_IMAGE, .t = 1, .h = 4, .w = 6};
    static const int64_t want[6][3] = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 0}, {0, 1, 1}, {0, 1, 2}};
    int64_t got[6][3], delta;
    posenc_view view;
    DLTensor *ids = posenc_view_make(&view, got, POSENC_I64, 2, (int64_t[]){6, 3}, NULL);
    assert_int_equal(posenc_position_ids_of_segments(NULL, &image, 1, ids, &delta, NULL), POSENC_OK);
    assert_memory_equal(got, want, sizeof want);
    assert_int_equal(delta, 3 - 6);
}

static void test_nothing(void **state) {
    (void)state;
    int64_t delta = 9, tokens = 9;
    posenc_view view;
    DLTensor *ids = posenc_view_make(&view, NULL, POSENC_I64, 2, (int64_t[]){0, 3}, NULL);
    assert_int_equal(posenc_position_ids_count(NULL, NULL, 0, &tokens, NULL), POSENC_OK);
    assert_int_equal(tokens, 0);
    assert_int_equal(posenc_position_ids_of_segments(NULL, NULL, 0, ids, &delta, NULL), POSENC_OK);
    assert_int_equal(delta, 0);
}

/* ---- refusals of segments ---- */

static void refuse_segments(const char *what, const posenc_position_ids_options *o, const posenc_segment *s, size_t n,
                            DLTensor *ids, posenc_status status, const char *argument) {
    posenc_error error = error_blank();
    int64_t delta = 77;
    unsigned char before[4096];
    size_t bytes = ids && ids->data ? 9 * 3 * sizeof(int64_t) : 0;
    if (bytes) memcpy(before, ids->data, bytes);
    must_refuse(what, posenc_position_ids_of_segments(o, s, n, ids, &delta, &error), status, &error, argument);
    assert_int_equal(posenc_position_ids_of_segments(o, s, n, ids, &delta, NULL), status);
    assert_int_equal(delta, 77);
    if (bytes) assert_memory_equal(ids->data, before, bytes);
}

static void test_bad_segments(void **state) {
    (void)state;
    static const struct {
        posenc_segment segment;
        posenc_vision_rule rule;
        const char *argument;
    } cases[] = {
        {{.tokens = -1}, POSENC_VISION_QWEN2_VL, "segments[1].tokens"},
        {{.kind = (posenc_segment_kind)3}, POSENC_VISION_QWEN2_VL, "segments[1].kind"},
        {{POSENC_SEGMENT_IMAGE, 0, 0, 4, 4, 0}, POSENC_VISION_QWEN2_VL, "segments[1].t"},
        {{POSENC_SEGMENT_IMAGE, 0, 1, 0, 4, 0}, POSENC_VISION_QWEN2_VL, "segments[1].h"},
        {{POSENC_SEGMENT_IMAGE, 0, 1, 5, 4, 0}, POSENC_VISION_QWEN2_VL, "segments[1].h"},
        {{POSENC_SEGMENT_IMAGE, 0, 1, 4, 3, 0}, POSENC_VISION_QWEN2_VL, "segments[1].w"},
        {{POSENC_SEGMENT_IMAGE, 0, 1, -4, 4, 0}, POSENC_VISION_QWEN2_VL, "segments[1].h"},
        {{POSENC_SEGMENT_VIDEO, 0, 2, 4, 4, 0}, POSENC_VISION_QWEN3_VL, "segments[1].t"},
        {{POSENC_SEGMENT_VIDEO, 0, 2, 4, 4, 0}, POSENC_VISION_QWEN2_5_VL, "segments[1].seconds_per_grid"},
        {{POSENC_SEGMENT_VIDEO, 0, 2, 4, 4, -1}, POSENC_VISION_QWEN2_5_VL, "segments[1].seconds_per_grid"},
        {{POSENC_SEGMENT_VIDEO, 0, 2, 4, 4, (double)NAN}, POSENC_VISION_QWEN2_5_VL, "segments[1].seconds_per_grid"},
        {{POSENC_SEGMENT_VIDEO, 0, 2, 4, 4, (double)INFINITY},
         POSENC_VISION_QWEN2_5_VL,
         "segments[1].seconds_per_grid"},
        {{POSENC_SEGMENT_IMAGE, 0, INT64_MAX, 4, 4, 0}, POSENC_VISION_QWEN2_VL, "segments[1]"},
        {{POSENC_SEGMENT_IMAGE, 0, INT64_C(1) << 62, 2, 2, 0}, POSENC_VISION_QWEN2_VL, "segments[2]"},
        {{.tokens = INT64_MAX}, POSENC_VISION_QWEN2_VL, "segments[2]"},
    };
    int64_t memory[9 * 3] = {5};
    posenc_view view;
    DLTensor *ids = posenc_view_make(&view, memory, POSENC_I64, 2, (int64_t[]){9, 3}, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        posenc_segment s[3] = {{.tokens = 0}, cases[i].segment, {.tokens = INT64_C(1) << 62}};
        posenc_position_ids_options o;
        posenc_position_ids_default(&o, sizeof o);
        o.rule = cases[i].rule;
        refuse_segments("segment", &o, s, 3, ids, POSENC_ERROR_ARGUMENT, cases[i].argument);
        int64_t tokens = 55;
        posenc_error error = error_blank();
        must_refuse("count", posenc_position_ids_count(&o, s, 3, &tokens, &error), POSENC_ERROR_ARGUMENT, &error,
                    cases[i].argument);
        assert_int_equal(tokens, 55);
    }
    refuse_segments("no segments", NULL, NULL, 3, ids, POSENC_ERROR_ARGUMENT, "segments");
    const posenc_segment late[] = {{POSENC_SEGMENT_VIDEO, 0, 3, 2, 2, 1e30}};
    posenc_position_ids_options o;
    posenc_position_ids_default(&o, sizeof o);
    o.rule = POSENC_VISION_QWEN2_5_VL;
    refuse_segments("late", &o, late, 1, ids, POSENC_ERROR_POSITION, "segments[0]");
    posenc_segment five[5];
    for (int i = 0; i < 5; i++) five[i] = (posenc_segment){POSENC_SEGMENT_VIDEO, 0, 2, 2, 2, 0x1p60};
    o.tokens_per_second = 1.9;
    refuse_segments("sum of times", &o, five, 5, ids, POSENC_ERROR_POSITION, "segments[4]");
}

static void test_bad_options(void **state) {
    (void)state;
    int64_t memory[9 * 3] = {5};
    posenc_view view;
    DLTensor *ids = posenc_view_make(&view, memory, POSENC_I64, 2, (int64_t[]){9, 3}, NULL);
    posenc_position_ids_options good, o;
    posenc_position_ids_default(&good, sizeof good);
    o = good, o.rule = (posenc_vision_rule)3;
    refuse_segments("rule", &o, picture, 3, ids, POSENC_ERROR_ARGUMENT, "rule");
    o = good, o.spatial_merge_size = 0;
    refuse_segments("merge 0", &o, picture, 3, ids, POSENC_ERROR_ARGUMENT, "spatial_merge_size");
    o = good, o.spatial_merge_size = INT64_MAX;
    refuse_segments("merge large", &o, picture, 3, ids, POSENC_ERROR_ARGUMENT, "spatial_merge_size");
    o = good, o.tokens_per_second = -1;
    refuse_segments("rate", &o, picture, 3, ids, POSENC_ERROR_ARGUMENT, "tokens_per_second");
    o = good, o.tokens_per_second = (double)NAN;
    refuse_segments("rate NaN", &o, picture, 3, ids, POSENC_ERROR_ARGUMENT, "tokens_per_second");
    o = good, o.video_token_id = o.image_token_id;
    refuse_segments("one id", &o, picture, 3, ids, POSENC_ERROR_ARGUMENT, "video_token_id");
    o = good, o.size++;
    refuse_segments("size", &o, picture, 3, ids, POSENC_ERROR_ARGUMENT, "options.size");
}

static void test_bad_ids(void **state) {
    (void)state;
    int64_t memory[9 * 3] = {5};
    posenc_view view;
    refuse_segments("NULL", NULL, picture, 3, NULL, POSENC_ERROR_ARGUMENT, "ids");
    refuse_segments("8 tokens", NULL, picture, 3,
                    posenc_view_make(&view, memory, POSENC_I64, 2, (int64_t[]){8, 3}, NULL), POSENC_ERROR_SHAPE, "ids");
    refuse_segments("2 axes", NULL, picture, 3, posenc_view_make(&view, memory, POSENC_I64, 2, (int64_t[]){9, 2}, NULL),
                    POSENC_ERROR_SHAPE, "ids");
    refuse_segments("rank 3", NULL, picture, 3,
                    posenc_view_make(&view, memory, POSENC_I64, 3, (int64_t[]){1, 9, 3}, NULL), POSENC_ERROR_SHAPE,
                    "ids");
    refuse_segments("i32", NULL, picture, 3, posenc_view_make(&view, memory, POSENC_I32, 2, (int64_t[]){9, 3}, NULL),
                    POSENC_ERROR_DTYPE, "ids");
    refuse_segments("one place", NULL, picture, 3,
                    posenc_view_make(&view, memory, POSENC_I64, 2, (int64_t[]){9, 3}, (int64_t[]){3, 0}),
                    POSENC_ERROR_OVERLAP, "ids");
    DLTensor *far = posenc_view_make(&view, memory, POSENC_I64, 2, (int64_t[]){9, 3}, NULL);
    far->device.device_type = kDLCUDA;
    refuse_segments("device", NULL, picture, 3, far, POSENC_ERROR_DEVICE, "ids");
    posenc_error error = error_blank();
    must_refuse("count", posenc_position_ids_count(NULL, picture, 3, NULL, &error), POSENC_ERROR_ARGUMENT, &error,
                "tokens");
}

/* ---- refusals of token ids ---- */

enum { S = 151652, I = 151655, V = 151656, ROWS = 2, TOKENS = 8 };

typedef struct good {
    int64_t words[ROWS * TOKENS], image_grid[3 * 3], video_grid[2 * 3], ids[ROWS * TOKENS * 3], deltas[ROWS];
    int64_t shape[2];
    uint8_t mask[ROWS * TOKENS];
    double seconds[2];
    posenc_view words_view, mask_view, image_view, video_view, seconds_view, ids_view, deltas_view;
    posenc_vision_tokens tokens;
    posenc_position_ids_options options;
    DLTensor *out, *delta;
} good;

/* Row 0: an image of 1 x 2 tokens and one of 1 x 1; row 1: padding, then a video of 2 frames of one token. */
static void good_make(good *g) {
    static const int64_t words[ROWS * TOKENS] = {1, S, I, I, 2, S, I, 3, 0, 0, 0, S, V, V, 4, 5};
    static const int64_t images[] = {1, 2, 4, 1, 2, 2, 1, 2, 2}, videos[] = {2, 2, 2, 1, 2, 2};
    memset(g, 0, sizeof *g);
    memcpy(g->words, words, sizeof words);
    memcpy(g->image_grid, images, sizeof images);
    memcpy(g->video_grid, videos, sizeof videos);
    for (int i = 0; i < ROWS * TOKENS; i++) g->mask[i] = i < 8 || i > 10;
    g->seconds[0] = g->seconds[1] = 1.5;
    int64_t shape[] = {ROWS, TOKENS, 3};
    posenc_position_ids_default(&g->options, sizeof g->options);
    g->options.rule = POSENC_VISION_QWEN2_5_VL;
    posenc_vision_tokens_default(&g->tokens, sizeof g->tokens);
    g->tokens.input_ids = posenc_view_make(&g->words_view, g->words, POSENC_I64, 2, shape, NULL);
    g->tokens.attention_mask = posenc_view_make(&g->mask_view, g->mask, POSENC_U8, 2, shape, NULL);
    g->tokens.image_grid_thw = posenc_view_make(&g->image_view, g->image_grid, POSENC_I64, 2, (int64_t[]){2, 3}, NULL);
    g->tokens.video_grid_thw = posenc_view_make(&g->video_view, g->video_grid, POSENC_I64, 2, (int64_t[]){1, 3}, NULL);
    g->tokens.second_per_grid_ts = posenc_view_make(&g->seconds_view, g->seconds, POSENC_F64, 1, (int64_t[]){1}, NULL);
    g->out = posenc_view_make(&g->ids_view, g->ids, POSENC_I64, 3, shape, NULL);
    g->delta = posenc_view_make(&g->deltas_view, g->deltas, POSENC_I64, 1, shape, NULL);
}

static void refuse(good *g, const char *what, posenc_status status, const char *argument) {
    static const int64_t zero[ROWS * TOKENS * 3];
    posenc_error error = error_blank();
    must_refuse(what, posenc_position_ids_of_tokens(&g->options, &g->tokens, g->out, g->delta, &error), status, &error,
                argument);
    assert_int_equal(posenc_position_ids_of_tokens(&g->options, &g->tokens, g->out, g->delta, NULL), status);
    assert_memory_equal(g->ids, zero, sizeof zero);
    assert_memory_equal(g->deltas, zero, sizeof g->deltas);
    good_make(g);
}

static void test_the_good_call_is_good(void **state) {
    (void)state;
    static const int64_t want[ROWS * TOKENS][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {2, 2, 3}, {4, 4, 4}, {5, 5, 5},
                                                   {6, 6, 6}, {7, 7, 7}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0},
                                                   {1, 1, 1}, {4, 1, 1}, {5, 5, 5}, {6, 6, 6}};
    good g;
    good_make(&g);
    posenc_error error = error_blank();
    check(posenc_position_ids_of_tokens(&g.options, &g.tokens, g.out, g.delta, &error) == POSENC_OK, "%s",
          error.message);
    assert_memory_equal(g.ids, want, sizeof want);
    assert_int_equal(g.deltas[0], 0);
    assert_int_equal(g.deltas[1], 7 - 8);
    assert_int_equal(posenc_position_ids_of_tokens(&g.options, &g.tokens, g.out, NULL, NULL), POSENC_OK);
}

static void test_counts_that_disagree(void **state) {
    (void)state;
    good g;
    good_make(&g);
    g.words[3] = 6; /* an image token too few */
    refuse(&g, "short image", POSENC_ERROR_ARGUMENT, "input_ids");
    g.words[7] = I; /* one too many */
    refuse(&g, "long image", POSENC_ERROR_ARGUMENT, "input_ids");
    g.words[1] = 6;
    refuse(&g, "no vision_start", POSENC_ERROR_ARGUMENT, "input_ids");
    g.words[0] = I;
    refuse(&g, "nothing before it", POSENC_ERROR_ARGUMENT, "input_ids");
    g.image_view.shape[0] = 1;
    refuse(&g, "a grid too few", POSENC_ERROR_ARGUMENT, "image_grid_thw");
    g.image_view.shape[0] = 3;
    refuse(&g, "a grid too many", POSENC_ERROR_ARGUMENT, "input_ids");
    g.tokens.image_grid_thw = NULL;
    refuse(&g, "no grids", POSENC_ERROR_ARGUMENT, "image_grid_thw");
    g.mask[13] = 0; /* in the middle of the video */
    refuse(&g, "masked video", POSENC_ERROR_ARGUMENT, "input_ids");
    g.options.rule = POSENC_VISION_QWEN3_VL; /* the second frame has no vision_start */
    g.tokens.second_per_grid_ts = NULL;
    refuse(&g, "frames of Qwen3-VL", POSENC_ERROR_ARGUMENT, "input_ids");
    g.options.rule = POSENC_VISION_QWEN3_VL;
    g.tokens.second_per_grid_ts = NULL;
    g.words[13] = 6; /* one frame of two */
    refuse(&g, "half a video", POSENC_ERROR_ARGUMENT, "input_ids");
    g.image_grid[4] = 3;
    refuse(&g, "odd grid", POSENC_ERROR_ARGUMENT, "image_grid_thw[1].h");
    g.video_grid[0] = 0;
    refuse(&g, "no frames", POSENC_ERROR_ARGUMENT, "video_grid_thw[0].t");
    g.video_grid[1] = INT64_MAX - 1, g.video_grid[2] = INT64_MAX - 1;
    refuse(&g, "huge grid", POSENC_ERROR_ARGUMENT, "video_grid_thw[0]");
    g.seconds[0] = 0;
    refuse(&g, "no time", POSENC_ERROR_ARGUMENT, "video_grid_thw[0].seconds_per_grid");
    g.seconds[0] = 1e300;
    refuse(&g, "much time", POSENC_ERROR_POSITION, "video_grid_thw[0]");
}

static void test_bad_tensors(void **state) {
    (void)state;
    good g;
    good_make(&g);
    g.tokens.input_ids = NULL;
    refuse(&g, "no input_ids", POSENC_ERROR_ARGUMENT, "input_ids");
    g.words_view.tensor.dtype.code = kDLFloat;
    refuse(&g, "real input_ids", POSENC_ERROR_DTYPE, "input_ids");
    g.words_view.tensor.ndim = 0;
    refuse(&g, "rank 0", POSENC_ERROR_SHAPE, "input_ids");
    g.mask_view.shape[1]--;
    refuse(&g, "short mask", POSENC_ERROR_SHAPE, "attention_mask");
    g.mask_view.tensor.dtype.code = kDLInt;
    refuse(&g, "i8 mask", POSENC_ERROR_DTYPE, "attention_mask");
    g.image_view.shape[1] = 2;
    refuse(&g, "two extents", POSENC_ERROR_SHAPE, "image_grid_thw");
    g.video_view.tensor.ndim = 1;
    refuse(&g, "rank 1", POSENC_ERROR_SHAPE, "video_grid_thw");
    g.seconds_view.shape[0] = 2;
    refuse(&g, "two times", POSENC_ERROR_SHAPE, "second_per_grid_ts");
    g.seconds_view.tensor.dtype.code = kDLInt;
    refuse(&g, "whole times", POSENC_ERROR_DTYPE, "second_per_grid_ts");
    g.options.rule = POSENC_VISION_QWEN2_VL;
    refuse(&g, "times for Qwen2-VL", POSENC_ERROR_ARGUMENT, "second_per_grid_ts");
    g.ids_view.shape[1]--;
    refuse(&g, "short ids", POSENC_ERROR_SHAPE, "ids");
    g.ids_view.tensor.dtype.bits = 32;
    refuse(&g, "i32 ids", POSENC_ERROR_DTYPE, "ids");
    g.deltas_view.shape[0] = 1;
    refuse(&g, "one delta", POSENC_ERROR_SHAPE, "deltas");
    g.delta->data = g.ids;
    refuse(&g, "deltas in ids", POSENC_ERROR_OVERLAP, "deltas");
    g.words_view.tensor.data = g.ids;
    refuse(&g, "ids in input_ids", POSENC_ERROR_OVERLAP, "ids");
    g.video_view.tensor.data = g.deltas;
    refuse(&g, "deltas in grids", POSENC_ERROR_OVERLAP, "deltas");
    g.tokens.size++;
    refuse(&g, "size", POSENC_ERROR_ARGUMENT, "tokens.size");
    g.options.rule = (posenc_vision_rule)-1;
    refuse(&g, "rule", POSENC_ERROR_ARGUMENT, "rule");
    posenc_error error = error_blank();
    must_refuse("NULL tokens", posenc_position_ids_of_tokens(NULL, NULL, g.out, NULL, &error), POSENC_ERROR_ARGUMENT,
                &error, "tokens");
}

/* A row that is all padding counts nothing, and an empty batch is fine. */
static void test_empty(void **state) {
    (void)state;
    good g;
    good_make(&g);
    memset(g.mask, 0, sizeof g.mask);
    g.tokens.image_grid_thw = g.tokens.video_grid_thw = g.tokens.second_per_grid_ts = NULL;
    assert_int_equal(posenc_position_ids_of_tokens(&g.options, &g.tokens, g.out, g.delta, NULL), POSENC_OK);
    for (int i = 0; i < ROWS * TOKENS * 3; i++) assert_int_equal(g.ids[i], 1);
    assert_int_equal(g.deltas[0], -TOKENS);
    g.words_view.shape[0] = g.ids_view.shape[0] = g.mask_view.shape[0] = g.deltas_view.shape[0] = 0;
    assert_int_equal(posenc_position_ids_of_tokens(&g.options, &g.tokens, g.out, g.delta, NULL), POSENC_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_video),
        cmocka_unit_test(test_timed_video),
        cmocka_unit_test(test_parts_of_a_second),
        cmocka_unit_test(test_oblong),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_bad_segments),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_bad_ids),
        cmocka_unit_test(test_the_good_call_is_good),
        cmocka_unit_test(test_counts_that_disagree),
        cmocka_unit_test(test_bad_tensors),
        cmocka_unit_test(test_empty),
    };
    return TEST_RUN(tests);
}
