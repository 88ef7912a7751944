/* Position ids of random sequences of text, images and video, against the published rule once more: written token by
 * token, where a part begins one past the largest id among all those before it. */
#include <stdlib.h>
#include <string.h>

#include <posenc/position_ids.h>

#include "support/refusal.h"
#include "support/strided.h"
#include "support/tensors.h"
#include "support/test.h"

enum { MOST_SEGMENTS = 12, MOST_TOKENS = 40000 };
enum { IMAGE = 7, VIDEO = 8, START = 9, END = 10, WORD = 11 };

typedef struct sequence {
    posenc_segment segments[MOST_SEGMENTS];
    size_t n;
    int64_t tokens;
    int64_t (*ids)[3]; /* as they must be */
    int64_t *words;    /* token ids */
    int64_t delta;
} sequence;

static int64_t largest(const sequence *s) {
    int64_t most = -1;
    for (int64_t i = 0; i < s->tokens; i++)
        for (int a = 0; a < 3; a++)
            if (s->ids[i][a] > most) most = s->ids[i][a];
    return most;
}

static void add(sequence *s, int64_t word, int64_t t, int64_t h, int64_t w) {
    assert_true(s->tokens < MOST_TOKENS);
    s->words[s->tokens] = word;
    s->ids[s->tokens][0] = t, s->ids[s->tokens][1] = h, s->ids[s->tokens][2] = w;
    s->tokens++;
}

static void derive_text(sequence *s, const posenc_segment *part, bool ends_in_start) {
    int64_t start = largest(s) + 1;
    for (int64_t i = 0; i < part->tokens; i++)
        add(s, ends_in_start && i == part->tokens - 1 ? START : WORD, start + i, start + i, start + i);
}

static void derive_grid(sequence *s, const posenc_position_ids_options *o, const posenc_segment *part) {
    int64_t start = largest(s) + 1, m = o->spatial_merge_size;
    for (int64_t t = 0; t < part->t; t++) {
        int64_t time = t;
        if (part->kind == POSENC_SEGMENT_VIDEO && o->rule == POSENC_VISION_QWEN2_5_VL) {
            float seconds = (float)t * (float)part->seconds_per_grid, ticks = seconds * (float)o->tokens_per_second;
            time = (int64_t)ticks;
        }
        for (int64_t h = 0; h < part->h / m; h++)
            for (int64_t w = 0; w < part->w / m; w++)
                add(s, part->kind == POSENC_SEGMENT_IMAGE ? IMAGE : VIDEO, start + time, start + h, start + w);
    }
}

static posenc_segment random_part(random_state *r, const posenc_position_ids_options *o, bool text) {
    int64_t m = o->spatial_merge_size;
    if (text) return (posenc_segment){.tokens = random_between(r, 1, 9)};
    posenc_segment part = {.kind = random_between(r, 0, 1) ? POSENC_SEGMENT_IMAGE : POSENC_SEGMENT_VIDEO,
                           .t = 1,
                           .h = m * random_between(r, 1, 6),
                           .w = m * random_between(r, 1, 6)};
    static const double rates[] = {0.5, 1, 2, 1.0 / 3, 2.0 / 30, 0.7, 4.25, 0.1};
    part.seconds_per_grid = rates[random_between(r, 0, 7)];
    if (part.kind == POSENC_SEGMENT_VIDEO && o->rule != POSENC_VISION_QWEN3_VL) part.t = random_between(r, 1, 20);
    return part;
}

/* Text and grids by turns, since vision_start stands before each grid. */
static void sequence_make(sequence *s, random_state *r, const posenc_position_ids_options *o) {
    *s = (sequence){.ids = must_allocate(MOST_TOKENS * sizeof *s->ids),
                    .words = must_allocate(MOST_TOKENS * sizeof *s->words)};
    s->n = (size_t)random_between(r, 0, MOST_SEGMENTS);
    for (size_t i = 0; i < s->n; i++) {
        s->segments[i] = random_part(r, o, i % 2 == 0);
        if (i % 2)
            derive_grid(s, o, &s->segments[i]);
        else
            derive_text(s, &s->segments[i], i + 1 < s->n);
    }
    s->delta = largest(s) + 1 - s->tokens;
}

static void sequence_free(sequence *s) {
    free(s->ids);
    free(s->words);
}

static posenc_position_ids_options random_options(random_state *r) {
    posenc_position_ids_options o;
    posenc_position_ids_default(&o, sizeof o);
    o.rule = (posenc_vision_rule)random_between(r, 0, 2);
    o.spatial_merge_size = random_between(r, 1, 3);
    o.tokens_per_second = (double)random_between(r, 0, 25);
    o.image_token_id = IMAGE, o.video_token_id = VIDEO;
    o.vision_start_token_id = random_between(r, 0, 3) ? START : -1;
    o.padding_id = random_between(r, -1, 1);
    return o;
}

static void test_segments(void **state) {
    (void)state;
    random_state r = random_start("position ids segments");
    for (int round = 0; round < 200; round++) {
        posenc_position_ids_options o = random_options(&r);
        sequence s;
        sequence_make(&s, &r, &o);
        int64_t tokens = -1, delta = -1;
        posenc_error error = error_blank();
        check(posenc_position_ids_count(&o, s.segments, s.n, &tokens, &error) == POSENC_OK, "%s", error.message);
        assert_int_equal(tokens, s.tokens);
        strided ids;
        strided_make(&ids, &r, POSENC_I64, 2, (int64_t[]){tokens, 3}, false);
        check(posenc_position_ids_of_segments(&o, s.segments, s.n, ids.tensor, &delta, &error) == POSENC_OK, "%s",
              error.message);
        int64_t(*got)[3] = must_allocate((size_t)tokens * sizeof *got + 1);
        strided_get(&ids, got);
        for (int64_t i = 0; i < tokens; i++)
            for (int a = 0; a < 3; a++)
                check(got[i][a] == s.ids[i][a], "round %d, token %lld, axis %d: expected %lld, got %lld", round,
                      (long long)i, a, (long long)s.ids[i][a], (long long)got[i][a]);
        assert_int_equal(delta, s.delta);
        strided_check_gaps(&ids, "ids");
        strided_free(&ids);
        free(got);
        sequence_free(&s);
    }
}

/* ---- a batch of token ids ---- */

enum { MOST_ROWS = 4 };

typedef struct batch {
    posenc_position_ids_options options;
    sequence rows[MOST_ROWS];
    int64_t n, tokens, first[MOST_ROWS]; /* where the real tokens of a row begin; padding on both sides */
    int64_t images[MOST_ROWS * MOST_SEGMENTS][3], videos[MOST_ROWS * MOST_SEGMENTS * 20][3];
    double seconds[MOST_ROWS * MOST_SEGMENTS];
    int64_t n_images, n_videos;
} batch;

/* Videos of Qwen3-VL are given whole: frames of one size that follow one another in a row are one video of t frames. */
static void list_grid(batch *b, const posenc_segment *part, bool joins) {
    if (part->kind == POSENC_SEGMENT_TEXT) return;
    bool image = part->kind == POSENC_SEGMENT_IMAGE;
    int64_t *last = image || b->n_videos == 0 ? NULL : b->videos[b->n_videos - 1];
    if (last && joins && b->options.rule == POSENC_VISION_QWEN3_VL && last[1] == part->h && last[2] == part->w) {
        last[0]++;
        return;
    }
    if (!image) b->seconds[b->n_videos] = part->seconds_per_grid;
    int64_t *grid = image ? b->images[b->n_images++] : b->videos[b->n_videos++];
    grid[0] = part->t, grid[1] = part->h, grid[2] = part->w;
}

static void batch_make(batch *b, random_state *r) {
    *b = (batch){.options = random_options(r), .n = random_between(r, 1, MOST_ROWS)};
    for (int64_t i = 0; i < b->n; i++) {
        sequence_make(&b->rows[i], r, &b->options);
        if (b->rows[i].tokens > b->tokens) b->tokens = b->rows[i].tokens;
        for (size_t k = 0; k < b->rows[i].n; k++) list_grid(b, &b->rows[i].segments[k], random_between(r, 0, 1));
    }
    b->tokens += random_between(r, 0, 3);
    for (int64_t i = 0; i < b->n; i++) b->first[i] = random_between(r, 0, b->tokens - b->rows[i].tokens);
}

static bool is_real(const batch *b, int64_t i, int64_t t) {
    return t >= b->first[i] && t < b->first[i] + b->rows[i].tokens;
}

static void fill_inputs(const batch *b, random_state *r, strided *words, strided *mask) {
    for (int64_t i = 0; i < b->n; i++)
        for (int64_t t = 0; t < b->tokens; t++) {
            bool real = is_real(b, i, t);
            int64_t word = real ? b->rows[i].words[t - b->first[i]] : random_between(r, IMAGE, WORD);
            int32_t narrow = (int32_t)word;
            void *at = strided_at(words, i * b->tokens + t);
            if (words->dtype == POSENC_I64)
                memcpy(at, &word, sizeof word);
            else
                memcpy(at, &narrow, sizeof narrow);
            *(unsigned char *)strided_at(mask, i * b->tokens + t) = real ? 255 : 0;
        }
}

static void check_row(const batch *b, int64_t i, const int64_t (*got)[3], int64_t delta) {
    const sequence *s = &b->rows[i];
    for (int64_t t = 0; t < b->tokens; t++)
        for (int a = 0; a < 3; a++) {
            int64_t want = is_real(b, i, t) ? s->ids[t - b->first[i]][a] : b->options.padding_id;
            check(got[t][a] == want, "row %lld, token %lld, axis %d: expected %lld, got %lld", (long long)i,
                  (long long)t, a, (long long)want, (long long)got[t][a]);
        }
    assert_int_equal(delta, s->delta + s->tokens - b->tokens);
}

static void check_batch(batch *b, random_state *r) {
    strided words, mask, ids, deltas;
    int64_t shape[] = {b->n, b->tokens, 3};
    posenc_dtype kind = random_between(r, 0, 1) ? POSENC_I32 : POSENC_I64;
    strided_make(&words, r, kind, 2, shape, false);
    strided_make(&mask, r, random_between(r, 0, 1) ? POSENC_U8 : POSENC_BOOL, 2, shape, false);
    strided_make(&ids, r, POSENC_I64, 3, shape, false);
    strided_make(&deltas, r, POSENC_I64, 1, shape, false);
    fill_inputs(b, r, &words, &mask);
    posenc_view images, videos, seconds;
    posenc_vision_tokens tokens;
    posenc_error error = error_blank();
    posenc_vision_tokens_default(&tokens, sizeof tokens);
    tokens.input_ids = words.tensor;
    tokens.attention_mask = mask.tensor;
    tokens.image_grid_thw = posenc_view_make(&images, b->images, POSENC_I64, 2, (int64_t[]){b->n_images, 3}, NULL);
    tokens.video_grid_thw = posenc_view_make(&videos, b->videos, POSENC_I64, 2, (int64_t[]){b->n_videos, 3}, NULL);
    if (b->options.rule == POSENC_VISION_QWEN2_5_VL)
        tokens.second_per_grid_ts =
            posenc_view_make(&seconds, b->seconds, POSENC_F64, 1, (int64_t[]){b->n_videos}, NULL);
    check(posenc_position_ids_of_tokens(&b->options, &tokens, ids.tensor, deltas.tensor, &error) == POSENC_OK, "%s",
          error.message);
    int64_t(*got)[3] = must_allocate((size_t)(b->n * b->tokens) * sizeof *got + 1), delta[MOST_ROWS];
    strided_get(&ids, got);
    strided_get(&deltas, delta);
    for (int64_t i = 0; i < b->n; i++) check_row(b, i, (const int64_t(*)[3])got + i * b->tokens, delta[i]);
    strided_check_gaps(&ids, "ids");
    strided_check_gaps(&deltas, "deltas");
    free(got);
    strided_free(&words);
    strided_free(&mask);
    strided_free(&ids);
    strided_free(&deltas);
}

static void test_token_ids(void **state) {
    (void)state;
    random_state r = random_start("position ids tokens");
    batch *b = must_allocate(sizeof *b);
    for (int round = 0; round < 200; round++) {
        batch_make(b, &r);
        check_batch(b, &r);
        for (int64_t i = 0; i < b->n; i++) sequence_free(&b->rows[i]);
    }
    free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_token_ids),
    };
    return TEST_RUN(tests);
}
