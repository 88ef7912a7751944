/* Packed sequences: each begins anew, whatever stands before it, and the whole is what the sequences would be alone. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/strided.h"
#include "support/test.h"

enum { MOST = 400, DIM = 22, SEQUENCES = 24 };

static const plan_shape SHAPE = {.dim = DIM, .max_len = 50};

typedef struct packed {
    int64_t ends[SEQUENCES + 1]; /* cu_seqlens */
    int64_t offsets[SEQUENCES];
    int n;
} packed;

/* Empty sequences, one-token documents, long ones, in any order. */
static packed draw(random_state *random) {
    packed p = {.n = (int)random_between(random, 0, SEQUENCES)};
    for (int s = 0; s < p.n; s++) {
        int64_t length = random_between(random, 0, 2);
        if (length == 2) length = random_between(random, 1, 60);
        if (p.ends[s] + length > MOST) length = 0;
        p.ends[s + 1] = p.ends[s] + length;
        p.offsets[s] = random_between(random, -20, 80);
    }
    return p;
}

/* A strided tensor of integers. */
static void integers(strided *s, random_state *random, posenc_dtype dtype, const int64_t *values, int64_t n) {
    strided_make(s, random, dtype, 1, &n, false);
    for (int64_t i = 0; i < n; i++) {
        int32_t narrow = (int32_t)values[i];
        if (dtype == POSENC_I32)
            memcpy(strided_at(s, i), &narrow, sizeof narrow);
        else
            memcpy(strided_at(s, i), &values[i], sizeof values[i]);
    }
}

static void forward_packed(const posenc_encoder *encoder, const posenc_positions *positions, const posenc_step *step,
                           posenc_dtype dtype, int rank, int64_t tokens, void *x, void *y) {
    posenc_view u, v;
    const int64_t shape[3] = {1, tokens, DIM};
    posenc_error error = {0};
    DLTensor *tx = posenc_view_make(&u, x, dtype, rank, shape + 3 - rank, NULL);
    DLTensor *ty = posenc_view_make(&v, y, dtype, rank, shape + 3 - rank, NULL);
    check(posenc_encoder_forward(encoder, positions, step, tx, ty, &error) == POSENC_OK, "packed: %s", error.message);
}

static void check_packed(random_state *random, posenc_dtype dtype, posenc_dtype kind, bool offsets, bool training) {
    packed p = draw(random);
    int64_t tokens = p.ends[p.n], start = random_between(random, -5, 5);
    static char x[MOST * DIM * 8], y[MOST * DIM * 8], want[MOST * DIM * 8];
    size_t row = DIM * posenc_dtype_bytes(dtype);
    posenc_encoder_options options = encoder_options(dtype);
    options.dropout = 0.25;
    posenc_encoder *encoder = must_encoder(NULL, &SHAPE, &options);
    posenc_step step = training_step(11, 12, 13);
    step.training = training;
    random_fill(random, dtype, x, tokens * DIM);
    for (int s = 0; s < p.n; s++) { /* each sequence alone */
        posenc_positions alone = positions_from(start + (offsets ? p.offsets[s] : 0));
        posenc_step own = step;
        own.first_element += (uint64_t)(p.ends[s] * DIM);
        must_forward(encoder, &alone, &own, dtype, 1, p.ends[s + 1] - p.ends[s], x + (size_t)p.ends[s] * row,
                     want + (size_t)p.ends[s] * row);
    }
    strided lengths, begins;
    integers(&lengths, random, kind, p.ends, p.n + 1);
    integers(&begins, random, kind, p.offsets, p.n);
    posenc_positions positions = positions_from(start);
    positions.cu_seqlens = lengths.tensor;
    if (offsets) positions.offsets = begins.tensor;
    forward_packed(encoder, &positions, &step, dtype, tokens % 2 ? 2 : 3, tokens, x, y);
    must_equal("packed", dtype, want, y, tokens * DIM);
    forward_packed(encoder, &positions, &step, dtype, 2, tokens, x, x);
    must_equal("packed in place", dtype, want, x, tokens * DIM);
    strided_free(&lengths);
    strided_free(&begins);
    posenc_encoder_destroy(encoder);
}

static void test_packed_is_separate(void **state) {
    (void)state;
    random_state random = random_start("packed");
    for (int round = 0; round < 240; round++)
        check_packed(&random, encoding_dtypes[round % 4], round & 4 ? POSENC_I32 : POSENC_I64, round & 8, round & 16);
}

/* Documents of one token each: every token stands at start. */
static void test_one_token_documents(void **state) {
    (void)state;
    int32_t lengths[11];
    float x[10 * DIM] = {0}, y[10 * DIM], row[DIM];
    for (int i = 0; i <= 10; i++) lengths[i] = i;
    posenc_encoder *encoder = must_encoder(NULL, &SHAPE, NULL);
    posenc_view view;
    posenc_positions positions = positions_from(0);
    positions.cu_seqlens = posenc_view_make(&view, lengths, POSENC_I32, 1, (int64_t[]){11}, NULL);
    must_forward(encoder, &positions, NULL, POSENC_F32, 1, 10, x, y);
    must_write(posenc_encoder_plan(encoder), 0, 1, POSENC_F32, row);
    for (int i = 0; i < 10; i++) must_equal("one-token document", POSENC_F32, row, y + i * DIM, DIM);
    posenc_encoder_destroy(encoder);
}

/* No sequences at all, and only empty ones: fine with no tokens. */
static void test_nothing_packed(void **state) {
    (void)state;
    int64_t lengths[4] = {0, 0, 0, 0};
    float y[1] = {7};
    posenc_encoder *encoder = must_encoder(NULL, &SHAPE, NULL);
    for (int64_t n = 1; n <= 4; n++) {
        posenc_view view;
        posenc_positions positions = positions_from(0);
        positions.cu_seqlens = posenc_view_make(&view, lengths, POSENC_I64, 1, &n, NULL);
        must_forward(encoder, &positions, NULL, POSENC_F32, 1, 0, y, y);
    }
    assert_true(y[0] == 7);
    posenc_encoder_destroy(encoder);
}

/* Work for several threads: sequences cut by their slices. */
static void test_large_packed(void **state) {
    (void)state;
    enum { LONG = 3000, WIDE = 512, COUNT = 7 };
    int64_t lengths[COUNT + 1] = {0, 1, 700, 700, 1400, 1401, 2999, LONG};
    size_t bytes = (size_t)LONG * WIDE * sizeof(float);
    float *x = must_allocate(bytes), *y = must_allocate(bytes), *want = must_allocate(bytes);
    random_state random = random_start("large packed");
    random_fill_f32(&random, x, (int64_t)LONG * WIDE);
    for (int threads = 1; threads <= 4; threads++) {
        warnings heard = {0};
        posenc_context *context = warned_context(&heard, threads);
        posenc_encoder *encoder = must_encoder(context, &(plan_shape){.dim = WIDE, .max_len = 1000}, NULL);
        posenc_view view;
        posenc_positions positions = positions_from(0);
        for (int s = 0; s < COUNT; s++)
            must_forward(encoder, NULL, NULL, POSENC_F32, 1, lengths[s + 1] - lengths[s], x + lengths[s] * WIDE,
                         want + lengths[s] * WIDE);
        positions.cu_seqlens = posenc_view_make(&view, lengths, POSENC_I64, 1, (int64_t[]){COUNT + 1}, NULL);
        must_forward(encoder, &positions, NULL, POSENC_F32, 1, LONG, x, y);
        must_equal("large packed", POSENC_F32, want, y, (int64_t)LONG * WIDE);
        posenc_encoder_destroy(encoder);
        posenc_context_destroy(context);
    }
    free(x);
    free(y);
    free(want);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packed_is_separate),
                                       cmocka_unit_test(test_one_token_documents),
                                       cmocka_unit_test(test_nothing_packed), cmocka_unit_test(test_large_packed)};
    return TEST_RUN(tests);
}
