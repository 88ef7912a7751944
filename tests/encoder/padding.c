/* Padding masks, left, right or anywhere: only real tokens count, padding adds nothing, not even a bit. And the
 * padding_idx rule of fairseq and RoBERTa, with masks and with ids. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/number.h"
#include "support/strided.h"
#include "support/test.h"

enum { BATCH = 5, TOKENS = 23, DIM = 18, PLACES = BATCH * TOKENS, N = PLACES * DIM };

static const plan_shape SHAPE = {.dim = DIM, .max_len = 60};
static const posenc_dtype mask_dtypes[] = {POSENC_BOOL, POSENC_U8, POSENC_I32, POSENC_I64};

/* Not 0 means real: values whose low byte is 0 too. */
static void store_mark(posenc_dtype dtype, bool real, random_state *random, void *at) {
    const int64_t wide[] = {1, -1, INT64_C(256), INT64_C(1) << 40};
    int64_t value = real ? wide[random_between(random, 0, 3)] : 0;
    int32_t narrow = (int32_t)(value == wide[3] ? 65536 : value);
    unsigned char byte = dtype == POSENC_BOOL || real == false ? real : (unsigned char)random_between(random, 1, 255);
    if (dtype == POSENC_I64)
        memcpy(at, &value, sizeof value);
    else if (dtype == POSENC_I32)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &byte, sizeof byte);
}

typedef enum pattern { LEFT, RIGHT, BOTH_SIDES, SCATTERED, NOTHING_REAL, ALL_REAL, PATTERNS } pattern;

static void draw(random_state *random, pattern kind, bool real[TOKENS]) {
    int64_t a = random_between(random, 0, TOKENS), b = random_between(random, a, TOKENS);
    for (int t = 0; t < TOKENS; t++) {
        switch (kind) {
            case LEFT:
                real[t] = t >= a;
                break;
            case RIGHT:
                real[t] = t < a;
                break;
            case BOTH_SIDES:
                real[t] = t >= a && t < b;
                break;
            case SCATTERED:
                real[t] = random_u64(random) & 1;
                break;
            case NOTHING_REAL:
                real[t] = false;
                break;
            default:
                real[t] = true;
                break;
        }
    }
}

typedef struct scene {
    token_place places[PLACES];
    char x[N * 8], y[N * 8], want[N * 8];
} scene;

/* One call with everything that may stand beside a mask. */
static void check_mask(random_state *random, posenc_dtype dtype, posenc_dtype mask_dtype, int rank, bool offsets,
                       int64_t padding_idx) {
    scene *s = must_allocate(sizeof *s);
    posenc_encoder_options options = encoder_options(dtype);
    options.padding_idx = padding_idx;
    options.scale = random_u64(random) & 1 ? 1 : 4.2426406871192848;
    posenc_encoder *encoder = must_encoder(NULL, &SHAPE, &options);
    const int64_t shape[2] = {BATCH, TOKENS};
    int64_t starts[BATCH], start = random_between(random, -20, 20);
    strided mask;
    posenc_view view;
    strided_make(&mask, random, mask_dtype, rank, shape + 2 - rank, false);
    bool real[TOKENS];
    for (int b = 0; b < BATCH; b++) {
        starts[b] = random_between(random, -10, 100);
        if (b == 0 || rank == 2) draw(random, (pattern)random_between(random, 0, PATTERNS - 1), real);
        int64_t next = start + (offsets ? starts[b] : 0) + (padding_idx >= 0 ? padding_idx + 1 : 0);
        for (int t = 0; t < TOKENS; t++) {
            if (b == 0 || rank == 2)
                store_mark(mask_dtype, real[t], random, strided_at(&mask, (rank == 2 ? b * TOKENS : 0) + t));
            s->places[b * TOKENS + t] = (token_place){real[t], real[t] ? next++ : 0};
        }
    }
    posenc_positions positions = positions_from(start);
    positions.mask = mask.tensor;
    if (offsets) positions.offsets = posenc_view_make(&view, starts, POSENC_I64, 1, (int64_t[]){BATCH}, NULL);
    random_fill(random, dtype, s->x, N);
    forward_slowly(encoder, dtype, PLACES, s->places, s->x, s->want);
    must_forward(encoder, &positions, NULL, dtype, BATCH, TOKENS, s->x, s->y);
    must_equal("mask", dtype, s->want, s->y, N);
    must_forward(encoder, &positions, NULL, dtype, BATCH, TOKENS, s->x, s->x);
    must_equal("mask, in place", dtype, s->want, s->x, N);
    strided_free(&mask);
    posenc_encoder_destroy(encoder);
    free(s);
}

static void test_masks(void **state) {
    (void)state;
    random_state random = random_start("masks");
    for (int round = 0; round < 256; round++)
        check_mask(&random, encoding_dtypes[round % 4], mask_dtypes[round / 4 % 4], round & 16 ? 1 : 2, round & 32,
                   round & 64 ? random_between(&random, 0, 5) : -1);
}

/* The values of a causal model with left padding: positions are cumsum(mask) - 1. */
static void test_left_padding_counts_real_tokens(void **state) {
    (void)state;
    const unsigned char mask[2 * 5] = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int64_t places[2 * 5] = {-1, -1, 0, 1, 2, 0, 1, 2, 3, 4};
    unsigned char own[2 * 5];
    float x[10 * DIM] = {0}, y[10 * DIM], want[DIM];
    posenc_view view;
    memcpy(own, mask, sizeof own);
    posenc_encoder *encoder = must_encoder(NULL, &SHAPE, NULL);
    posenc_positions positions = positions_from(0);
    positions.mask = posenc_view_make(&view, own, POSENC_BOOL, 2, (int64_t[]){2, 5}, NULL);
    must_forward(encoder, &positions, NULL, POSENC_F32, 2, 5, x, y);
    for (int i = 0; i < 10; i++) {
        memset(want, 0, sizeof want);
        if (places[i] >= 0) must_write(posenc_encoder_plan(encoder), places[i], 1, POSENC_F32, want);
        must_equal("left padding", POSENC_F32, want, y + i * DIM, DIM);
    }
    posenc_encoder_destroy(encoder);
}

/* "Adds nothing" is meant to the bit: x + 0 would make +0 of -0. Quiet NaNs keep even their payload. */
static void test_padding_keeps_every_bit(void **state) {
    (void)state;
    random_state random = random_start("bits");
    for (int d = 0; d < 4; d++) {
        posenc_dtype dtype = encoding_dtypes[d];
        size_t bytes = posenc_dtype_bytes(dtype);
        uint64_t infinity = number_infinity(dtype),
                 quiet = infinity | (UINT64_C(1) << (number_format_of(dtype).precision - 2));
        const uint64_t odd[] = {0,
                                number_with_sign(dtype, 0, true),
                                infinity,
                                number_with_sign(dtype, infinity, true),
                                quiet,
                                quiet + 5,
                                number_with_sign(dtype, quiet + 9, true),
                                1,
                                number_with_sign(dtype, 3, true)};
        char x[N * 8], y[N * 8];
        for (size_t i = 0; i < N; i++)
            number_store(dtype, i % 3 ? odd[random_between(&random, 0, 8)] : number_encode(dtype, random_unit(&random)),
                         x + i * bytes);
        unsigned char mask[PLACES] = {0};
        posenc_view view;
        posenc_encoder_options options = encoder_options(dtype);
        posenc_encoder *encoder = must_encoder(NULL, &SHAPE, &options);
        posenc_positions positions = positions_from(0);
        positions.mask = posenc_view_make(&view, mask, POSENC_BOOL, 2, (int64_t[]){BATCH, TOKENS}, NULL);
        must_forward(encoder, &positions, NULL, dtype, BATCH, TOKENS, x, y);
        for (size_t i = 0; i < N; i++) {
            uint64_t want = number_load(dtype, x + i * bytes), got = number_load(dtype, y + i * bytes);
            check(want == got, "%s element %zu: %" PRIx64 " became %" PRIx64, posenc_dtype_name(dtype), i, want, got);
        }
        posenc_encoder_destroy(encoder);
    }
}

/* A mask that hides nothing is no mask. */
static void test_a_full_mask_is_none(void **state) {
    (void)state;
    random_state random = random_start("full");
    static char x[N * 8], y[N * 8], want[N * 8];
    unsigned char mask[TOKENS];
    memset(mask, 1, sizeof mask);
    posenc_encoder *encoder = must_encoder(NULL, &SHAPE, NULL);
    posenc_view view;
    random_fill(&random, POSENC_F32, x, N);
    posenc_positions positions = positions_from(50);
    must_forward(encoder, &positions, NULL, POSENC_F32, BATCH, TOKENS, x, want);
    positions.mask = posenc_view_make(&view, mask, POSENC_BOOL, 1, (int64_t[]){TOKENS}, NULL);
    must_forward(encoder, &positions, NULL, POSENC_F32, BATCH, TOKENS, x, y);
    must_equal("full mask", POSENC_F32, want, y, N);
    posenc_encoder_destroy(encoder);
}

/* Ids equal to padding_idx add nothing, in every dtype of ids; a fraction next to it does. */
static void test_padding_idx_with_ids(void **state) {
    (void)state;
    random_state random = random_start("padding ids");
    for (int d = 0; d < 4; d++)
        for (int kind = 0; kind < 3; kind++) {
            posenc_dtype dtype = encoding_dtypes[d];
            scene *s = must_allocate(sizeof *s);
            posenc_encoder_options options = encoder_options(dtype);
            options.padding_idx = random_between(&random, 0, 3);
            posenc_encoder *encoder = must_encoder(NULL, &SHAPE, &options);
            int32_t narrow[PLACES];
            int64_t wide[PLACES];
            double real[PLACES];
            for (int i = 0; i < PLACES; i++) {
                int64_t id = random_between(&random, -1, 5);
                narrow[i] = (int32_t)id, wide[i] = id, real[i] = (double)id;
                s->places[i] = (token_place){id != options.padding_idx, id};
            }
            posenc_view view;
            posenc_positions positions = positions_from(0);
            void *const ids[] = {narrow, wide, real};
            const posenc_dtype kinds[] = {POSENC_I32, POSENC_I64, POSENC_F64};
            positions.ids = posenc_view_make(&view, ids[kind], kinds[kind], 2, (int64_t[]){BATCH, TOKENS}, NULL);
            random_fill(&random, dtype, s->x, N);
            forward_slowly(encoder, dtype, PLACES, s->places, s->x, s->want);
            must_forward(encoder, &positions, NULL, dtype, BATCH, TOKENS, s->x, s->y);
            must_equal("padding_idx", dtype, s->want, s->y, N);
            posenc_encoder_destroy(encoder);
            free(s);
        }
}

/* 514 rows with padding 1 serve 512 tokens, 514 with padding 3 serve 510: RoBERTa's table. */
static void test_padding_idx_takes_rows(void **state) {
    (void)state;
    static const int64_t serves[][2] = {{1, 512}, {3, 510}, {0, 513}};
    static float x[514 * 4], y[514 * 4];
    unsigned char mask[514];
    memset(mask, 1, sizeof mask);
    for (int i = 0; i < 3; i++) {
        posenc_encoder_options options = encoder_options(POSENC_F32);
        options.padding_idx = serves[i][0];
        options.past_end = POSENC_PAST_END_ERROR;
        posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 4, .max_len = 514}, &options);
        posenc_view view;
        posenc_positions positions = positions_from(0);
        positions.mask = posenc_view_make(&view, mask, POSENC_U8, 1, (int64_t[]){serves[i][1]}, NULL);
        must_forward(encoder, &positions, NULL, POSENC_F32, 1, serves[i][1], x, y);
        float first[4];
        must_write(posenc_encoder_plan(encoder), serves[i][0] + 1, 1, POSENC_F32, first);
        must_equal("first real token", POSENC_F32, first, y, 4);
        positions.mask = posenc_view_make(&view, mask, POSENC_U8, 1, (int64_t[]){serves[i][1] + 1}, NULL);
        assert_int_equal(try_forward(encoder, &positions, NULL, POSENC_F32, 1, serves[i][1] + 1, x, y, NULL),
                         POSENC_ERROR_POSITION);
        posenc_encoder_destroy(encoder);
    }
}

/* Padding is dropped out like everything else: the mask of dropout knows elements only. */
static void test_padding_and_dropout(void **state) {
    (void)state;
    random_state random = random_start("padding and dropout");
    posenc_encoder_options options = encoder_options(POSENC_F32);
    options.dropout = 0.4;
    posenc_encoder *encoder = must_encoder(NULL, &SHAPE, &options);
    float x[N], y[N];
    unsigned char mask[PLACES];
    for (int i = 0; i < PLACES; i++) mask[i] = random_u64(&random) & 1;
    random_fill_f32(&random, x, N);
    posenc_view view;
    posenc_positions positions = positions_from(0);
    positions.mask = posenc_view_make(&view, mask, POSENC_BOOL, 2, (int64_t[]){BATCH, TOKENS}, NULL);
    posenc_step step = training_step(5, 6, 0);
    must_forward(encoder, &positions, &step, POSENC_F32, BATCH, TOKENS, x, y);
    for (size_t i = 0; i < N; i++) {
        if (mask[i / DIM]) continue;
        uint64_t want = drop_slowly(POSENC_F32, number_load(POSENC_F32, &x[i]), 1,
                                    number_with_sign(POSENC_F32, 0, true), &step, i, 0.4, 1 / (1 - 0.4));
        check(number_same(POSENC_F32, want, number_load(POSENC_F32, &y[i])), "element %zu is %.9g", i, (double)y[i]);
    }
    posenc_encoder_destroy(encoder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_masks),
                                       cmocka_unit_test(test_left_padding_counts_real_tokens),
                                       cmocka_unit_test(test_padding_keeps_every_bit),
                                       cmocka_unit_test(test_a_full_mask_is_none),
                                       cmocka_unit_test(test_padding_idx_with_ids),
                                       cmocka_unit_test(test_padding_idx_takes_rows),
                                       cmocka_unit_test(test_padding_and_dropout)};
    return TEST_RUN(tests);
}
