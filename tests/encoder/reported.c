/* Faults that users have reported to other projects, by kind. Each test names its kind in one line and shows that it
 * cannot happen here. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS and MAP_NORESERVE, with -std=c11 */
#endif
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__unix__)
#include <sys/mman.h>
#endif

#include "encoders.h"
#include "support/guard.h"
#include "support/number.h"
#include "support/oracle.h"
#include "support/refusal.h"
#include "support/test.h"

/* What the encoding adds to zeros, contiguous f32. */
static void encode(const posenc_encoder *encoder, const posenc_positions *positions, int64_t batch, int64_t tokens,
                   float *e) {
    int64_t n = batch * tokens * posenc_plan_dim(posenc_encoder_plan(encoder));
    for (int64_t i = 0; i < n; i++) e[i] = 0;
    must_forward(encoder, positions, NULL, POSENC_F32, batch, tokens, e, e);
}

/* ---- odd and tiny widths ---- */

/* Kind: an odd width fails ([5000, 3] beside [5000, 4] for d_model 7). Here: even columns have all ceil(d/2)
 * frequencies. */
static void test_odd_width(void **state) {
    (void)state;
    static const float d7[] = {0.841470985f,   0.540302306f, 0.0719064568f,  0.99741138f,
                               0.00517945152f, 0.999986587f, 0.000372759363f};
    float e[2 * 7];
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 7, .max_len = 5000}, NULL);
    assert_true(posenc_encoder_table(encoder)->shape[0] == 5000 && posenc_encoder_table(encoder)->shape[1] == 7);
    encode(encoder, NULL, 1, 2, e);
    for (int i = 0; i < 7; i++) check(fabsf(e[7 + i] - d7[i]) < 1e-8f, "column %d is %.9g", i, (double)e[7 + i]);
    posenc_encoder_destroy(encoder);
}

/* Kind: a tiny width builds and dies in the first forward pass. */
static void test_tiny_widths(void **state) {
    (void)state;
    for (int64_t dim = 1; dim <= 5; dim++)
        for (int layout = 0; layout < 3; layout++) {
            float e[3 * 5];
            posenc_encoder *encoder =
                must_encoder(NULL, &(plan_shape){.dim = dim, .max_len = 2, .layout = (posenc_layout)layout}, NULL);
            encode(encoder, NULL, 1, 3, e);
            for (int64_t i = 0; i < 3 * dim; i++) check(fabsf(e[i]) <= 1, "dim %" PRId64 " element %" PRId64, dim, i);
            posenc_encoder_destroy(encoder);
        }
}

/* ---- the position axis ---- */

/* Kind: the table is indexed by batch item, so that all tokens of an item get one encoding. */
static void test_positions_run_along_tokens(void **state) {
    (void)state;
    enum { BATCH = 5, TOKENS = 5, DIM = 16 }; /* a square, so that no shape tells the axes apart */
    float x[BATCH][TOKENS][DIM], y[BATCH][TOKENS][DIM];
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = DIM}, NULL);
    for (int i = 0; i < BATCH * TOKENS * DIM; i++)
        x[i / (TOKENS * DIM)][i / DIM % TOKENS][i % DIM] = (float)(i / (TOKENS * DIM));
    must_forward(encoder, NULL, NULL, POSENC_F32, BATCH, TOKENS, x, y);
    for (int b = 0; b < BATCH; b++)
        for (int t = 0; t < TOKENS; t++)
            for (int i = 0; i < DIM; i++) {
                float here = y[b][t][i] - x[b][t][i], first = y[0][t][i] - x[0][t][i];
                check(fabsf(here - first) < 1e-6f, "batch row %d token %d has another encoding than row 0", b, t);
                check(b == 0 || t == 0 || i != 0 || fabsf(here - (y[b][0][0] - x[b][0][0])) > 0.1f,
                      "token %d is encoded as token 0", t);
            }
    posenc_encoder_destroy(encoder);
}

/* Kind: with one token and a batch above one, only batch row 0 was encoded. */
static void test_one_token_in_every_row(void **state) {
    (void)state;
    enum { DIM = 256 };
    static float y[16 * DIM], want[DIM];
    int32_t offsets[16];
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = DIM}, NULL);
    must_write(posenc_encoder_plan(encoder), 6, 1, POSENC_F32, want);
    for (int i = 0; i < DIM; i++) want[i] = 1 + want[i];
    for (int form = 0; form < 2; form++) {
        for (int i = 0; i < 16 * DIM; i++) y[i] = 1;
        for (int b = 0; b < 16; b++) offsets[b] = 6;
        posenc_view view;
        posenc_positions positions = positions_from(form ? 0 : 6);
        if (form) positions.offsets = posenc_view_make(&view, offsets, POSENC_I32, 1, (int64_t[]){16}, NULL);
        must_forward(encoder, &positions, NULL, POSENC_F32, 16, 1, y, y);
        for (int b = 0; b < 16; b++) must_equal("one token", POSENC_F32, want, y + b * DIM, DIM);
    }
    posenc_encoder_destroy(encoder);
}

/* Kind: offsets (batch) were broadcast against the sequence. A square batch would not tell. */
static void test_offsets_belong_to_rows(void **state) {
    (void)state;
    enum { SIDE = 4, DIM = 8 };
    int64_t offsets[SIDE] = {10, 20, 30, 40};
    float e[SIDE * SIDE * DIM], want[DIM];
    posenc_view view;
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = DIM}, NULL);
    posenc_positions positions = positions_from(0);
    positions.offsets = posenc_view_make(&view, offsets, POSENC_I64, 1, (int64_t[]){SIDE}, NULL);
    encode(encoder, &positions, SIDE, SIDE, e);
    for (int b = 0; b < SIDE; b++)
        for (int t = 0; t < SIDE; t++) {
            must_write(posenc_encoder_plan(encoder), offsets[b] + t, 1, POSENC_F32, want);
            must_equal("offsets", POSENC_F32, want, e + (b * SIDE + t) * DIM, DIM);
        }
    posenc_encoder_destroy(encoder);
}

/* Kind: only batch row 0 of the position ids was used. */
static void test_every_row_of_ids_counts(void **state) {
    (void)state;
    int64_t ids[3 * 2] = {0, 1, 7, 8, 1000, 3};
    float e[6 * 8], want[8];
    posenc_view view;
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 8}, NULL);
    posenc_positions positions = positions_from(0);
    positions.ids = posenc_view_make(&view, ids, POSENC_I64, 2, (int64_t[]){3, 2}, NULL);
    encode(encoder, &positions, 3, 2, e);
    for (int i = 0; i < 6; i++) {
        must_write(posenc_encoder_plan(encoder), ids[i], 1, POSENC_F32, want);
        must_equal("ids", POSENC_F32, want, e + i * 8, 8);
    }
    posenc_encoder_destroy(encoder);
}

/* ---- past the table ---- */

/* Kind: a position that is negative or too large reads beside the table, and what lies there comes out. Here the error
 * policy refuses it, and the other one computes it; no table is read (sanitizers watch). */
static void test_no_read_beside_the_table(void **state) {
    (void)state;
    static const int64_t outside[] = {-1, -2, -5000, 5000, 5001, 1 << 20, INT64_MAX, INT64_MIN};
    posenc_encoder_options strict = encoder_options(POSENC_F32);
    strict.past_end = POSENC_PAST_END_ERROR;
    posenc_encoder *refuses = must_encoder(NULL, &(plan_shape){.dim = 8}, &strict),
                   *extends = must_encoder(NULL, &(plan_shape){.dim = 8}, NULL);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        int64_t id = outside[i];
        float e[8] = {0}, want[8];
        posenc_view view;
        posenc_positions positions = positions_from(0);
        positions.ids = posenc_view_make(&view, &id, POSENC_I64, 1, (int64_t[]){1}, NULL);
        assert_int_equal(try_forward(refuses, &positions, NULL, POSENC_F32, 1, 1, e, e, NULL), POSENC_ERROR_POSITION);
        for (int k = 0; k < 8; k++) assert_true(e[k] == 0);
        encode(extends, &positions, 1, 1, e);
        must_write(posenc_encoder_plan(extends), id, 1, POSENC_F32, want);
        must_equal("outside", POSENC_F32, want, e, 8);
    }
    posenc_encoder_destroy(refuses);
    posenc_encoder_destroy(extends);
}

/* Kind: the table fails at exactly its last position, and is not grown for a cached length plus new tokens. */
static void test_cached_length_runs_past_the_end(void **state) {
    (void)state;
    enum { DIM = 8, ROWS = 64 };
    float e[ROWS * DIM], want[ROWS * DIM];
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = DIM, .max_len = ROWS}, NULL);
    for (int64_t cached = ROWS - 2; cached <= 3 * ROWS; cached++) {
        posenc_positions positions = positions_from(cached);
        encode(encoder, &positions, 1, 4, e);
        must_write(posenc_encoder_plan(encoder), cached, 4, POSENC_F32, want);
        must_equal("cached length", POSENC_F32, want, e, 4 * DIM);
    }
    posenc_encoder_destroy(encoder);
}

/* Kind: past its end the module breaks with a shape error although its docs promise growth. */
static void test_longer_than_the_table(void **state) {
    (void)state;
    static float e[200 * 8], want[200 * 8];
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 8, .max_len = 50}, NULL);
    encode(encoder, NULL, 1, 200, e);
    must_write(posenc_encoder_plan(encoder), 0, 200, POSENC_F32, want);
    must_equal("four times the table", POSENC_F32, want, e, 200 * 8);
    posenc_encoder_destroy(encoder);
}

/* ---- precision ---- */

/* Kind: positions kept in a narrow type. In bf16 15962 becomes 15936, in f16 2049 becomes 2048: neighbours collide.
 * Here ids are integers or doubles, and the narrow x only receives the sum. */
static void test_positions_are_never_narrow(void **state) {
    (void)state;
    enum { DIM = 64 };
    static const int64_t starts[] = {1857, 2048, 15962, 65536, 131071};
    oracle o;
    oracle_init(&o, DIM, 10000, POSENC_LAYOUT_INTERLEAVED, false);
    for (int d = 2; d < 4; d++) {
        posenc_dtype dtype = encoding_dtypes[d];
        posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = DIM}, NULL);
        for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
            uint16_t y[3 * DIM] = {0};
            posenc_positions positions = positions_from(starts[s]);
            must_forward(encoder, &positions, NULL, dtype, 1, 3, y, y);
            for (int i = 0; i < 3 * DIM; i++) {
                double exact = mpfr_get_d(oracle_value(&o, starts[s] + i / DIM, i % DIM), MPFR_RNDN);
                uint64_t want = number_encode(dtype, (double)(float)exact); /* E in f32, then rounded to the dtype */
                check(number_same(dtype, y[i], want), "%s position %" PRId64 " column %d", posenc_dtype_name(dtype),
                      starts[s] + i / DIM, i % DIM);
            }
            assert_memory_not_equal(y, y + DIM, DIM * sizeof *y);
            assert_memory_not_equal(y + DIM, y + 2 * DIM, DIM * sizeof *y);
        }
        posenc_encoder_destroy(encoder);
    }
    oracle_clear(&o);
    mpfr_free_cache();
}

/* Kind: f16 goes in and f32 comes out. Here y has the dtype of x or is refused. */
static void test_no_silent_upcast(void **state) {
    (void)state;
    posenc_view u, v;
    uint16_t x[8] = {0};
    float y[8] = {0};
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 8}, NULL);
    posenc_error error = error_blank();
    DLTensor *tx = posenc_view_make(&u, x, POSENC_F16, 2, (int64_t[]){1, 8}, NULL);
    DLTensor *ty = posenc_view_make(&v, y, POSENC_F32, 2, (int64_t[]){1, 8}, NULL);
    must_refuse("f16 in, f32 out", posenc_encoder_forward(encoder, NULL, NULL, tx, ty, &error), POSENC_ERROR_DTYPE,
                &error, "y");
    posenc_encoder_destroy(encoder);
}

/* Kind: an integer x gives an integer encoding, all 0 and 1. */
static void test_integers_are_refused(void **state) {
    (void)state;
    const posenc_dtype integers[] = {POSENC_I8, POSENC_I16, POSENC_I32, POSENC_I64, POSENC_U8, POSENC_BOOL};
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 8}, NULL);
    for (int i = 0; i < 6; i++) {
        int64_t x[8] = {0};
        posenc_error error = error_blank();
        must_refuse("integers", try_forward(encoder, NULL, NULL, integers[i], 1, 1, x, x, &error), POSENC_ERROR_DTYPE,
                    &error, "x");
    }
    posenc_encoder_destroy(encoder);
}

/* ---- state that should not be state ---- */

/* Kind: a cache whose key leaves the offset out, or that is rebuilt for every shorter sequence: a call depends on the
 * calls before it. Here calls in any order give the same bits. */
static void test_no_memory_of_earlier_calls(void **state) {
    (void)state;
    enum { DIM = 12, CALLS = 60 };
    float e[CALLS][20 * DIM], again[20 * DIM];
    int64_t start[CALLS], tokens[CALLS];
    random_state random = random_start("calls in any order");
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = DIM, .max_len = 40}, NULL);
    for (int i = 0; i < CALLS; i++) {
        start[i] = random_between(&random, -10, 60), tokens[i] = random_between(&random, 1, 20);
        posenc_positions positions = positions_from(start[i]);
        encode(encoder, &positions, 1, tokens[i], e[i]);
    }
    for (int i = CALLS - 1; i >= 0; i--) {
        posenc_positions positions = positions_from(start[i]);
        encode(encoder, &positions, 1, tokens[i], again);
        must_equal("the same call later", POSENC_F32, e[i], again, tokens[i] * DIM);
    }
    posenc_encoder_destroy(encoder);
}

/* Kind: the order of channels changed between versions. Here it is a named option, and its values are frozen. */
static void test_layouts_are_frozen(void **state) {
    (void)state;
    static const float frozen[3][8] = {
        {0.841470985f, 0.540302306f, 0.0998334166f, 0.995004165f, 0.00999983333f, 0.99995f, 0.000999999833f,
         0.9999995f},
        {0.841470985f, 0.0998334166f, 0.00999983333f, 0.000999999833f, 0.540302306f, 0.995004165f, 0.99995f,
         0.9999995f},
        {0.841470985f, 0.0463992235f, 0.00215443302f, 0.0001f, 0.540302306f, 0.998922976f, 0.999997679f, 0.999999995f}};
    for (int layout = 0; layout < 3; layout++) {
        float e[8];
        posenc_positions positions = positions_from(1);
        posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 8, .layout = (posenc_layout)layout}, NULL);
        encode(encoder, &positions, 1, 1, e);
        for (int i = 0; i < 8; i++)
            check(fabsf(e[i] - frozen[layout][i]) < 1e-7f, "layout %d column %d is %.9g", layout, i, (double)e[i]);
        posenc_encoder_destroy(encoder);
    }
}

/* ---- padding, packing, shifting ---- */

/* Kind: left padding gives negative or shifted ids. Here negative ids, -5 to 4, are positions like any other. */
static void test_negative_ids(void **state) {
    (void)state;
    int32_t ids[10];
    float e[10 * 8], want[10 * 8];
    for (int i = 0; i < 10; i++) ids[i] = i - 5;
    posenc_view view;
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 8}, NULL);
    posenc_positions positions = positions_from(0);
    positions.ids = posenc_view_make(&view, ids, POSENC_I32, 1, (int64_t[]){10}, NULL);
    encode(encoder, &positions, 1, 10, e);
    must_write(posenc_encoder_plan(encoder), -5, 10, POSENC_F32, want);
    must_equal("-5..4", POSENC_F32, want, e, 80);
    posenc_encoder_destroy(encoder);
}

/* Kind: a rank of a parallel run takes its slice of the sequence without its offset. Here a slice with its start and
 * its first element has the bits of the whole, dropout included. */
static void test_slices_of_a_sequence(void **state) {
    (void)state;
    enum { DIM = 20, TOKENS = 64, RANKS = 8, PART = TOKENS / RANKS };
    static float x[TOKENS * DIM], whole[TOKENS * DIM], parts[TOKENS * DIM];
    random_state random = random_start("slices");
    random_fill_f32(&random, x, TOKENS * DIM);
    posenc_encoder_options options = encoder_options(POSENC_F32);
    options.dropout = 0.1;
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = DIM, .max_len = 50}, &options);
    posenc_step step = training_step(1, 2, 0);
    must_forward(encoder, NULL, &step, POSENC_F32, 1, TOKENS, x, whole);
    for (int r = 0; r < RANKS; r++) {
        posenc_positions positions = positions_from(r * PART);
        step.first_element = (uint64_t)(r * PART * DIM);
        must_forward(encoder, &positions, &step, POSENC_F32, 1, PART, x + r * PART * DIM, parts + r * PART * DIM);
    }
    must_equal("slices", POSENC_F32, whole, parts, TOKENS * DIM);
    posenc_encoder_destroy(encoder);
}

/* ---- memory and aliasing ---- */

/* Kind: a vector load past the end of x, or a store past the end of y. Here between pages that fault. */
static void test_not_a_byte_past_the_end(void **state) {
    (void)state;
    for (int64_t dim = 1; dim <= 70; dim++)
        for (int d = 0; d < 4; d++)
            for (int side = 0; side < 2; side++) {
                posenc_dtype dtype = encoding_dtypes[d];
                size_t bytes = (size_t)(3 * dim) * posenc_dtype_bytes(dtype);
                posenc_encoder_options options = encoder_options(dtype);
                options.dropout = 0.5;
                posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = dim, .max_len = 2}, &options);
                guard x = guard_make(bytes, (guard_side)side), y = guard_make(bytes, (guard_side)side);
                memset(x.data, 0, bytes);
                guard_read_only(&x);
                posenc_step step = training_step(1, 1, (uint64_t)dim);
                must_forward(encoder, NULL, NULL, dtype, 1, 3, x.data, y.data);
                must_forward(encoder, NULL, &step, dtype, 1, 3, x.data, y.data);
                must_backward(encoder, &step, dtype, 1, 3, x.data, y.data);
                guard_end(&x);
                guard_end(&y);
                posenc_encoder_destroy(encoder);
            }
}

/* Kind: in place on activations that are still needed. Here in place happens only where y is x; out of place x stays.
 */
static void test_x_is_not_written(void **state) {
    (void)state;
    guard x = guard_make(40 * 64 * 4, GUARD_BEHIND), y = guard_make(40 * 64 * 4, GUARD_BEHIND);
    memset(x.data, 0x3F, x.bytes);
    guard_read_only(&x);
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 64}, NULL);
    must_forward(encoder, NULL, NULL, POSENC_F32, 4, 10, x.data, y.data);
    posenc_encoder_destroy(encoder);
    guard_end(&x);
    guard_end(&y);
}

/* Kind: offsets counted in 32 bits wrap beyond 2^31 elements. Here rows that lie 2^32 bytes and more apart, in memory
 * that is reserved and hardly touched. */
static void test_rows_far_apart(void **state) {
    (void)state;
#if defined(MAP_NORESERVE) && UINTPTR_MAX > UINT32_MAX
    enum { DIM = 32, TOKENS = 3 };
    const int64_t stride = (INT64_C(1) << 31) + 64; /* elements of two bytes */
    size_t bytes = ((size_t)(TOKENS - 1) * (size_t)stride + DIM) * 2;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) skip();
    posenc_view view;
    uint16_t close[TOKENS * DIM] = {0};
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = DIM}, NULL);
    DLTensor *far = posenc_view_make(&view, memory, POSENC_BF16, 2, (int64_t[]){TOKENS, DIM}, (int64_t[]){stride, 1});
    must_forward(encoder, NULL, NULL, POSENC_BF16, 1, TOKENS, close, close);
    assert_int_equal(posenc_encoder_forward(encoder, NULL, NULL, far, far, NULL), POSENC_OK);
    for (int t = 0; t < TOKENS; t++)
        assert_memory_equal(memory + (size_t)t * (size_t)stride * 2, close + t * DIM, DIM * 2);
    posenc_encoder_destroy(encoder);
    munmap(memory, bytes);
#else
    skip();
#endif
}

/* Kind: x that is not contiguous, as a slice of a wider projection is, was read as if it were. */
static void test_slices_of_a_wider_tensor(void **state) {
    (void)state;
    enum { TOKENS = 9, WIDE = 50, DIM = 16, AT = 7 };
    float wide[TOKENS][WIDE], before[TOKENS][WIDE], e[TOKENS * DIM];
    random_state random = random_start("wider");
    random_fill_f32(&random, &wide[0][0], TOKENS * WIDE);
    memcpy(before, wide, sizeof wide);
    posenc_view view;
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = DIM}, NULL);
    encode(encoder, NULL, 1, TOKENS, e);
    DLTensor *x = posenc_view_make(&view, &wide[0][AT], POSENC_F32, 2, (int64_t[]){TOKENS, DIM}, (int64_t[]){WIDE, 1});
    assert_int_equal(posenc_encoder_forward(encoder, NULL, NULL, x, x, NULL), POSENC_OK);
    for (int t = 0; t < TOKENS; t++)
        for (int i = 0; i < WIDE; i++) {
            bool within = i >= AT && i < AT + DIM;
            float want = within ? before[t][i] + e[t * DIM + i - AT] : before[t][i];
            check(wide[t][i] == want, "token %d column %d", t, i);
        }
    posenc_encoder_destroy(encoder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_odd_width),
                                       cmocka_unit_test(test_tiny_widths),
                                       cmocka_unit_test(test_positions_run_along_tokens),
                                       cmocka_unit_test(test_one_token_in_every_row),
                                       cmocka_unit_test(test_offsets_belong_to_rows),
                                       cmocka_unit_test(test_every_row_of_ids_counts),
                                       cmocka_unit_test(test_no_read_beside_the_table),
                                       cmocka_unit_test(test_cached_length_runs_past_the_end),
                                       cmocka_unit_test(test_longer_than_the_table),
                                       cmocka_unit_test(test_positions_are_never_narrow),
                                       cmocka_unit_test(test_no_silent_upcast),
                                       cmocka_unit_test(test_integers_are_refused),
                                       cmocka_unit_test(test_no_memory_of_earlier_calls),
                                       cmocka_unit_test(test_layouts_are_frozen),
                                       cmocka_unit_test(test_negative_ids),
                                       cmocka_unit_test(test_slices_of_a_sequence),
                                       cmocka_unit_test(test_not_a_byte_past_the_end),
                                       cmocka_unit_test(test_x_is_not_written),
                                       cmocka_unit_test(test_rows_far_apart),
                                       cmocka_unit_test(test_slices_of_a_wider_tensor)};
    return TEST_RUN(tests);
}
