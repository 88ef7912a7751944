/* Large calls walk through offsets and packed sequences position by position, so that the table is fetched once. Every
 * token has its turn once, and the bits are those of the order of tokens. Large is what outgrows half the last-level
 * cache; here the border is moved instead. */
#include <stdlib.h>
#include <string.h>

#include "encoder/encoder.h"
#include "encoders.h"
#include "schemes/scheme.h"
#include "schemes/strips.h"
#include "support/test.h"

enum { BATCH = 6, TOKENS = 1500, DIM = 64, PLACES = BATCH * TOKENS, N = PLACES * DIM };

/* A call's positions, in one of the forms that may be walked so. */
typedef enum form { OFFSETS, MASK, MOSTLY_PADDING, PACKED, IDS_IN_RUNS, SCATTERED_IDS, FAR_OFFSETS, FORMS } form;

typedef struct scene {
    int64_t numbers[PLACES + 1];
    unsigned char mask[PLACES];
    posenc_view view;
    posenc_positions positions;
    int64_t batch, tokens;
} scene;

static void fill_ids(random_state *random, scene *s, bool runs) {
    int64_t next = 0;
    for (int i = 0; i < PLACES; i++) {
        if (!runs || random_between(random, 0, 60) == 0) next = random_between(random, -100, 2500);
        s->numbers[i] = next++;
    }
}

static void fill_lengths(random_state *random, scene *s, int64_t *n) {
    s->numbers[0] = 0;
    for (*n = 1; s->numbers[*n - 1] < PLACES; (*n)++) {
        int64_t end = s->numbers[*n - 1] + random_between(random, 0, 900);
        s->numbers[*n] = end < PLACES ? end : PLACES;
    }
}

static void scene_make(random_state *random, scene *s, form kind) {
    const int64_t shape[2] = {BATCH, TOKENS};
    int64_t n;
    s->batch = kind == PACKED ? 1 : BATCH;
    s->tokens = kind == PACKED ? PLACES : TOKENS;
    s->positions = positions_from(0);
    switch (kind) {
        case OFFSETS:
        case FAR_OFFSETS:
            for (int b = 0; b < BATCH; b++) s->numbers[b] = random_between(random, -500, 1200);
            if (kind == FAR_OFFSETS) s->numbers[1] = INT64_MAX - TOKENS, s->numbers[2] = INT64_MIN;
            s->positions.offsets = posenc_view_make(&s->view, s->numbers, POSENC_I64, 1, shape, NULL);
            break;
        case MASK:
            for (int i = 0; i < PLACES; i++) s->mask[i] = i % TOKENS >= i / TOKENS * 200; /* left padding */
            s->positions.mask = posenc_view_make(&s->view, s->mask, POSENC_BOOL, 2, shape, NULL);
            break;
        case MOSTLY_PADDING: /* runs of it are longer than the table's part that is read */
            for (int i = 0; i < PLACES; i++) s->mask[i] = i % TOKENS < 150 + i / TOKENS * 10;
            s->positions.mask = posenc_view_make(&s->view, s->mask, POSENC_BOOL, 2, shape, NULL);
            break;
        case PACKED:
            fill_lengths(random, s, &n);
            s->positions.cu_seqlens = posenc_view_make(&s->view, s->numbers, POSENC_I64, 1, &n, NULL);
            break;
        default:
            fill_ids(random, s, kind == IDS_IN_RUNS);
            s->positions.ids = posenc_view_make(&s->view, s->numbers, POSENC_I64, 2, shape, NULL);
            break;
    }
}

/* Every token in exactly one part of one tile, and never two positions in one place. */
static void check_turns(const posenc_strips *strips, int64_t batch, int64_t tokens, int64_t tile_rows) {
    unsigned char *turns = calloc((size_t)(batch * tokens), 1);
    for (int64_t tile = 0; tile < strips->tiles; tile++)
        for (int64_t i = 0; i < strips->n; i++) {
            int64_t token, count = posenc_strip_part(&strips->at[i], tile, tile_rows, &token);
            check(count >= 0 && count <= tile_rows && (count == 0 || token + count <= tokens), "%lld tokens from %lld",
                  (long long)count, (long long)token);
            for (int64_t t = token; t < token + count; t++) turns[strips->at[i].batch * tokens + t]++;
        }
    for (int64_t i = 0; i < batch * tokens; i++)
        check(turns[i] == 1, "token %lld has %d turns", (long long)i, turns[i]);
    free(turns);
}

static void test_every_token_has_one_turn(void **state) {
    (void)state;
    random_state random = random_start("turns");
    scene *s = must_allocate(sizeof *s);
    int walked[FORMS] = {0};
    for (int round = 0; round < 20 * FORMS; round++) {
        form kind = (form)(round % FORMS);
        posenc_token_positions positions;
        int64_t tile_rows = random_between(&random, 1, 64);
        scene_make(&random, s, kind);
        assert_int_equal(posenc_positions_open(NULL, &s->positions, -1, s->batch, s->tokens, &positions, NULL),
                         POSENC_OK);
        posenc_strips strips = posenc_strips_find(&positions, s->batch, tile_rows, 2);
        if (strips.n) check_turns(&strips, s->batch, s->tokens, tile_rows);
        walked[kind] += strips.n > 0;
        posenc_strips_end(NULL, &strips);
        posenc_positions_close(&positions);
    }
    for (int kind = 0; kind < FORMS; kind++) /* where it pays, and only there */
        check((walked[kind] > 0) == (kind <= IDS_IN_RUNS), "form %d was walked %d times", kind, walked[kind]);
    free(s);
}

/* The library's own border, or none. */
static void forward_from(posenc_encoder *encoder, size_t large, const scene *s, const posenc_step *step,
                         posenc_dtype dtype, const void *x, void *y) {
    size_t kept = encoder->plan->stream_bytes;
    encoder->plan->stream_bytes = large;
    must_forward(encoder, &s->positions, step, dtype, s->batch, s->tokens, x, y);
    encoder->plan->stream_bytes = kept;
}

static void test_the_order_does_not_show(void **state) {
    (void)state;
    random_state random = random_start("order");
    scene *s = must_allocate(sizeof *s);
    char *x = must_allocate(N * 8), *y = must_allocate(N * 8), *want = must_allocate(N * 8);
    for (int round = 0; round < 24; round++) {
        posenc_dtype dtype = encoding_dtypes[round % 4];
        warnings heard = {0};
        posenc_context *context = warned_context(&heard, 1 + round % 3);
        posenc_encoder_options options = encoder_options(dtype);
        options.dropout = round & 1 ? 0.2 : 0;
        posenc_encoder *encoder = must_encoder(context, &(plan_shape){.dim = DIM, .max_len = 2000}, &options);
        posenc_step step = training_step(1, 2, 3);
        random_fill(&random, dtype, x, N);
        for (int kind = 0; kind < FORMS; kind++) {
            scene_make(&random, s, (form)kind);
            forward_from(encoder, SIZE_MAX, s, &step, dtype, x, want);
            forward_from(encoder, 0, s, &step, dtype, x, y);
            must_equal("position by position", dtype, want, y, N);
            memcpy(y, x, N * posenc_dtype_bytes(dtype));
            forward_from(encoder, 0, s, &step, dtype, y, y);
            must_equal("position by position, in place", dtype, want, y, N);
        }
        posenc_encoder_destroy(encoder);
        posenc_context_destroy(context);
    }
    free(s);
    free(x);
    free(y);
    free(want);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_token_has_one_turn),
                                       cmocka_unit_test(test_the_order_does_not_show)};
    return TEST_RUN(tests);
}
