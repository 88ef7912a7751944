/* Consecutive positions with offsets, and position ids: every form gives each token what it would get alone. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/number.h"
#include "support/strided.h"
#include "support/test.h"

enum { BATCH = 4, TOKENS = 37, DIM = 26, PLACES = BATCH * TOKENS, N = PLACES * DIM };

static const plan_shape SHAPE = {.dim = DIM, .max_len = 300};

typedef struct scene {
    posenc_dtype dtype;
    posenc_encoder *encoder;
    token_place places[PLACES];
    char x[N * 8], y[N * 8], want[N * 8];
} scene;

static scene *scene_make(random_state *random, posenc_dtype dtype, double scale) {
    scene *s = must_allocate(sizeof *s);
    posenc_encoder_options options = encoder_options(dtype);
    options.scale = scale;
    s->dtype = dtype;
    s->encoder = must_encoder(NULL, &SHAPE, &options);
    random_fill(random, dtype, s->x, N);
    return s;
}

static void scene_end(scene *s) {
    posenc_encoder_destroy(s->encoder);
    free(s);
}

/* The call against one token at a time. */
static void check_places(scene *s, const posenc_positions *positions, const char *what) {
    forward_slowly(s->encoder, s->dtype, PLACES, s->places, s->x, s->want);
    must_forward(s->encoder, positions, NULL, s->dtype, BATCH, TOKENS, s->x, s->y);
    must_equal(what, s->dtype, s->want, s->y, N);
}

static void store_integer(posenc_dtype dtype, int64_t value, void *at) {
    int32_t narrow = (int32_t)value;
    if (dtype == POSENC_I32)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &value, sizeof value);
}

/* (batch) offsets, as tokens already in each row's cache; they add to start. */
static void test_offsets(void **state) {
    (void)state;
    random_state random = random_start("offsets");
    for (int round = 0; round < 40; round++) {
        posenc_dtype dtype = encoding_dtypes[round % 4], kind = round % 2 ? POSENC_I32 : POSENC_I64;
        scene *s = scene_make(&random, dtype, round % 3 ? 1 : 5);
        int64_t start = random_between(&random, -3, 3) * 100, rows = BATCH;
        char packed[BATCH * 8];
        strided offsets;
        strided_make(&offsets, &random, kind, 1, &rows, false);
        for (int b = 0; b < BATCH; b++) {
            int64_t offset = random_between(&random, -100, 400);
            store_integer(kind, offset, packed + (size_t)b * posenc_dtype_bytes(kind));
            for (int t = 0; t < TOKENS; t++) s->places[b * TOKENS + t] = (token_place){true, start + offset + t};
        }
        strided_put(&offsets, packed);
        posenc_positions positions = positions_from(start);
        positions.offsets = offsets.tensor;
        check_places(s, &positions, "offsets");
        strided_free(&offsets);
        scene_end(s);
    }
}

/* ids of shape (batch, tokens) and (tokens), in three dtypes, any strides, shared rows (stride 0) included. */
static void test_ids(void **state) {
    (void)state;
    static const posenc_dtype kinds[] = {POSENC_I32, POSENC_I64, POSENC_F64};
    random_state random = random_start("ids");
    for (int round = 0; round < 120; round++) {
        posenc_dtype dtype = encoding_dtypes[round % 4], kind = kinds[round % 3];
        scene *s = scene_make(&random, dtype, 1);
        int rank = round % 5 < 2 ? 1 : 2;
        const int64_t shape[2] = {BATCH, TOKENS};
        strided ids;
        strided_make(&ids, &random, kind, rank, shape + 2 - rank, true);
        int64_t run = 0;
        for (int64_t i = 0; i < strided_elements(&ids); i++) { /* some runs, some jumps */
            run = random_between(&random, 0, 3) ? run + 1 : random_between(&random, -50, 350);
            double real = (double)run;
            if (kind == POSENC_F64)
                memcpy(strided_at(&ids, i), &real, sizeof real);
            else
                store_integer(kind, run, strided_at(&ids, i));
        }
        for (int64_t i = 0; i < PLACES; i++) { /* read back: shared elements were written more than once */
            const void *at = strided_at(&ids, rank == 2 ? i : i % TOKENS);
            int64_t position;
            double real;
            int32_t narrow;
            if (kind == POSENC_F64)
                memcpy(&real, at, sizeof real), position = (int64_t)real;
            else if (kind == POSENC_I32)
                memcpy(&narrow, at, sizeof narrow), position = narrow;
            else
                memcpy(&position, at, sizeof position);
            s->places[i] = (token_place){true, position};
        }
        posenc_positions positions = positions_from(12345); /* start is not used beside ids */
        positions.ids = ids.tensor;
        check_places(s, &positions, "ids");
        strided_free(&ids);
        scene_end(s);
    }
}

/* Any int64, in any order. */
static void test_ids_of_every_size(void **state) {
    (void)state;
    random_state random = random_start("far ids");
    for (int d = 0; d < 4; d++) {
        scene *s = scene_make(&random, encoding_dtypes[d], 1);
        int64_t ids[PLACES];
        for (int i = 0; i < PLACES; i++) ids[i] = random_position(&random);
        ids[5] = INT64_MAX, ids[6] = INT64_MIN, ids[7] = INT64_MIN + 1;
        for (int i = 0; i < PLACES; i++) s->places[i] = (token_place){true, ids[i]};
        posenc_view view;
        posenc_positions positions = positions_from(0);
        positions.ids = posenc_view_make(&view, ids, POSENC_I64, 2, (int64_t[]){BATCH, TOKENS}, NULL);
        check_places(s, &positions, "far ids");
        scene_end(s);
    }
}

/* Fractional positions: as the plan has them; in the dtype of x by one rounding of the sum. */
static void test_fractions(void **state) {
    (void)state;
    random_state random = random_start("fractions");
    for (int d = 0; d < 4; d++) {
        posenc_dtype dtype = encoding_dtypes[d], e_dtype = dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
        scene *s = scene_make(&random, dtype, 2);
        double ids[TOKENS];
        char e[TOKENS * DIM * 8];
        for (int t = 0; t < TOKENS; t++) ids[t] = 400 * random_unit(&random) - 50 + (double)(t % 2) * 1e6;
        ids[4] = 17, ids[5] = 17.5, ids[6] = -0.0;
        must_write_ids(posenc_encoder_plan(s->encoder), POSENC_F64, ids, TOKENS, e_dtype, e);
        posenc_view view;
        posenc_positions positions = positions_from(0);
        positions.ids = posenc_view_make(&view, ids, POSENC_F64, 1, (int64_t[]){TOKENS}, NULL);
        must_forward(s->encoder, &positions, NULL, dtype, BATCH, TOKENS, s->x, s->y);
        size_t bytes = posenc_dtype_bytes(dtype), e_bytes = posenc_dtype_bytes(e_dtype);
        for (size_t i = 0; i < N; i++) {
            uint64_t ee = number_load(e_dtype, e + i % (TOKENS * DIM) * e_bytes);
            number_store(dtype, number_fused(dtype, number_load(dtype, s->x + i * bytes), 2, ee), s->want + i * bytes);
        }
        must_equal("fractions", dtype, s->want, s->y, N);
        scene_end(s);
    }
}

/* Changing one batch row's positions changes no other row's bits. */
static void test_rows_do_not_influence_each_other(void **state) {
    (void)state;
    random_state random = random_start("influence");
    scene *s = scene_make(&random, POSENC_F32, 1);
    int64_t ids[PLACES], offsets[BATCH] = {3, 1000, 0, 70};
    unsigned char mask[PLACES];
    posenc_view view;
    for (int form = 0; form < 3; form++) {
        for (int i = 0; i < PLACES; i++) ids[i] = random_between(&random, 0, 400), mask[i] = random_u64(&random) & 1;
        posenc_positions positions = positions_from(0);
        if (form == 0) positions.ids = posenc_view_make(&view, ids, POSENC_I64, 2, (int64_t[]){BATCH, TOKENS}, NULL);
        if (form == 1) positions.offsets = posenc_view_make(&view, offsets, POSENC_I64, 1, (int64_t[]){BATCH}, NULL);
        if (form == 2) positions.mask = posenc_view_make(&view, mask, POSENC_U8, 2, (int64_t[]){BATCH, TOKENS}, NULL);
        must_forward(s->encoder, &positions, NULL, POSENC_F32, BATCH, TOKENS, s->x, s->want);
        for (int changed = 0; changed < BATCH; changed++) {
            for (int t = 0; t < TOKENS; t++) ids[changed * TOKENS + t] ^= 1, mask[changed * TOKENS + t] ^= 1;
            offsets[changed]++;
            must_forward(s->encoder, &positions, NULL, POSENC_F32, BATCH, TOKENS, s->x, s->y);
            for (int b = 0; b < BATCH; b++) {
                const char *want = s->want + (size_t)b * TOKENS * DIM * 4, *got = s->y + (size_t)b * TOKENS * DIM * 4;
                check((memcmp(want, got, (size_t)TOKENS * DIM * 4) != 0) == (b == changed),
                      "form %d: row %d, while row %d changed", form, b, changed);
            }
            for (int t = 0; t < TOKENS; t++) ids[changed * TOKENS + t] ^= 1, mask[changed * TOKENS + t] ^= 1;
            offsets[changed]--;
        }
    }
    scene_end(s);
}

/* A prompt at once, then token by token with a growing offset: the bits of the whole. */
static void test_prefill_and_decode(void **state) {
    (void)state;
    enum { PROMPT = 20 };
    random_state random = random_start("decode");
    for (int d = 0; d < 4; d++) {
        posenc_dtype dtype = encoding_dtypes[d];
        scene *s = scene_make(&random, dtype, 1);
        size_t row = DIM * posenc_dtype_bytes(dtype);
        must_forward(s->encoder, NULL, NULL, dtype, 1, TOKENS, s->x, s->want);
        must_forward(s->encoder, NULL, NULL, dtype, 1, PROMPT, s->x, s->y);
        for (int64_t t = PROMPT; t < TOKENS; t++) {
            posenc_view view;
            posenc_positions positions = positions_from(0);
            positions.offsets = posenc_view_make(&view, &t, POSENC_I64, 1, (int64_t[]){1}, NULL);
            if (t % 2) positions = positions_from(t);
            must_forward(s->encoder, &positions, NULL, dtype, 1, 1, s->x + (size_t)t * row, s->y + (size_t)t * row);
        }
        must_equal("decoded", dtype, s->want, s->y, TOKENS * DIM);
        scene_end(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_offsets),
                                       cmocka_unit_test(test_ids),
                                       cmocka_unit_test(test_ids_of_every_size),
                                       cmocka_unit_test(test_fractions),
                                       cmocka_unit_test(test_rows_do_not_influence_each_other),
                                       cmocka_unit_test(test_prefill_and_decode)};
    return TEST_RUN(tests);
}
