/* Forward and backward: every refusal, with the outputs as they were and a message that names the argument. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/refusal.h"
#include "support/test.h"

enum { BATCH = 2, TOKENS = 3, DIM = 4, PLACES = BATCH * TOKENS, N = PLACES * DIM };

/* A good call, which each test spoils in one place. dy and dx stand where x and y do. */
typedef struct good {
    posenc_encoder *encoder;
    float x_data[N + 8], y_data[N + 8], before[N + 8];
    int64_t numbers[PLACES]; /* of ids, offsets, masks or lengths */
    posenc_view x_view, y_view, more_view;
    DLTensor *x, *y, *more;
    posenc_positions positions;
    posenc_step step;
} good;

static good *good_make(void) {
    good *g = must_allocate(sizeof *g);
    const int64_t shape[3] = {BATCH, TOKENS, DIM};
    posenc_encoder_options options = encoder_options(POSENC_F32);
    options.dropout = 0.5;
    g->encoder = must_encoder(NULL, &(plan_shape){.dim = DIM, .max_len = 50}, &options);
    memcpy(g->before, g->y_data, sizeof g->before);
    for (int i = 0; i < N + 8; i++) g->x_data[i] = (float)i;
    for (int i = 0; i < PLACES; i++) g->numbers[i] = i;
    g->x = posenc_view_make(&g->x_view, g->x_data, POSENC_F32, 3, shape, NULL);
    g->y = posenc_view_make(&g->y_view, g->y_data, POSENC_F32, 3, shape, NULL);
    g->more = posenc_view_make(&g->more_view, g->numbers, POSENC_I64, 2, shape, NULL);
    g->positions = positions_from(0);
    g->step = training_step(1, 2, 0);
    return g;
}

static void good_end(good *g) {
    posenc_encoder_destroy(g->encoder);
    free(g);
}

typedef posenc_status verb(good *g, posenc_error *error);

static posenc_status call_forward(good *g, posenc_error *error) {
    return posenc_encoder_forward(g->encoder, &g->positions, &g->step, g->x, g->y, error);
}

static posenc_status call_backward(good *g, posenc_error *error) {
    return posenc_encoder_backward(g->encoder, &g->step, g->x, g->y, error);
}

static verb *const verbs[2] = {call_forward, call_backward};
static const char *const in_names[2] = {"x", "dy"}, *const out_names[2] = {"y", "dx"};

/* Both with and without an error detail; ends the good call. */
static void refuse(verb *call, good *g, const char *what, posenc_status expected, const char *argument) {
    posenc_error error = error_blank();
    must_refuse(what, call(g, &error), expected, &error, argument);
    check(call(g, NULL) == expected, "%s without an error detail", what);
    check(memcmp(g->y_data, g->before, sizeof g->before) == 0, "%s: the output was written", what);
    good_end(g);
}

static void test_the_good_call_is_good(void **state) {
    (void)state;
    for (int v = 0; v < 2; v++) {
        good *g = good_make();
        posenc_error error = error_blank(), before = error;
        assert_int_equal(verbs[v](g, &error), POSENC_OK);
        assert_memory_equal(&error, &before, sizeof error);
        assert_memory_not_equal(g->y_data, g->before, N * sizeof(float));
        assert_memory_equal(g->y_data + N, g->before + N, 8 * sizeof(float));
        good_end(g);
    }
}

static void test_missing_things(void **state) {
    (void)state;
    for (int v = 0; v < 2; v++) {
        good *g = good_make();
        posenc_encoder *encoder = g->encoder;
        posenc_error error = error_blank();
        g->encoder = NULL;
        must_refuse("no encoder", verbs[v](g, &error), POSENC_ERROR_ARGUMENT, &error, "encoder");
        g->encoder = encoder;
        g->x = NULL;
        refuse(verbs[v], g, "no input", POSENC_ERROR_ARGUMENT, in_names[v]);
        g = good_make();
        g->y = NULL;
        refuse(verbs[v], g, "no output", POSENC_ERROR_ARGUMENT, out_names[v]);
        g = good_make();
        g->x->data = NULL;
        refuse(verbs[v], g, "input without memory", POSENC_ERROR_ARGUMENT, in_names[v]);
        g = good_make();
        g->y->data = NULL;
        refuse(verbs[v], g, "output without memory", POSENC_ERROR_ARGUMENT, out_names[v]);
    }
}

static void test_shapes(void **state) {
    (void)state;
    static int64_t shapes[][3] = {{BATCH, TOKENS, DIM + 1}, {BATCH, TOKENS, DIM - 1}, {BATCH, TOKENS, 0},
                                  {BATCH, DIM, TOKENS},     {BATCH, -1, DIM},         {INT64_MAX, INT64_MAX, DIM}};
    static int64_t other[][3] = {{BATCH + 1, TOKENS, DIM}, {BATCH, TOKENS + 1, DIM}, {TOKENS, BATCH, DIM}};
    static int64_t rows[2] = {PLACES, DIM}, five[5] = {1, 1, BATCH, TOKENS, DIM};
    for (int v = 0; v < 2; v++) {
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            good *g = good_make();
            g->x->shape = g->y->shape = shapes[i];
            refuse(verbs[v], g, "shape", POSENC_ERROR_SHAPE, in_names[v]);
            g = good_make();
            g->y->shape = shapes[i];
            refuse(verbs[v], g, "shape of the output", POSENC_ERROR_SHAPE, out_names[v]);
        }
        for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
            good *g = good_make();
            g->x->shape = other[i];
            refuse(verbs[v], g, "different shapes", POSENC_ERROR_SHAPE, out_names[v]);
        }
        good *g = good_make();
        g->x->ndim = 2, g->x->shape = rows;
        refuse(verbs[v], g, "different ranks", POSENC_ERROR_SHAPE, NULL);
        g = good_make();
        g->x->ndim = g->y->ndim = 5, g->x->shape = g->y->shape = five;
        refuse(verbs[v], g, "rank 5", POSENC_ERROR_SHAPE, in_names[v]);
        g = good_make();
        g->x->ndim = g->y->ndim = 1;
        refuse(verbs[v], g, "rank 1", POSENC_ERROR_SHAPE, in_names[v]);
    }
}

/* A table of f32 serves f32, f16 and bf16; one of f64 serves f64. Integers are never encoded. */
static void test_dtypes(void **state) {
    (void)state;
    const DLDataType bad[] = {{kDLInt, 32, 1},   {kDLInt, 64, 1},     {kDLUInt, 8, 1},
                              {kDLFloat, 32, 4}, {kDLComplex, 64, 1}, {99, 32, 1}};
    const DLDataType f64 = {kDLFloat, 64, 1}, f16 = {kDLFloat, 16, 1}, bf16 = {kDLBfloat, 16, 1},
                     f32 = {kDLFloat, 32, 1};
    const DLDataType beside_f64[] = {f32, f16, bf16};
    for (int v = 0; v < 2; v++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            good *g = good_make();
            g->x->dtype = g->y->dtype = bad[i];
            refuse(verbs[v], g, "dtype", POSENC_ERROR_DTYPE, in_names[v]);
            g = good_make();
            g->y->dtype = bad[i];
            refuse(verbs[v], g, "dtype of the output", POSENC_ERROR_DTYPE, out_names[v]);
        }
        const DLDataType mixed[][2] = {{f32, f16}, {f16, f32}, {f16, bf16}, {bf16, f16}};
        for (int i = 0; i < 4; i++) {
            good *g = good_make();
            g->x->dtype = mixed[i][0], g->y->dtype = mixed[i][1];
            refuse(verbs[v], g, "mixed dtypes", POSENC_ERROR_DTYPE, out_names[v]);
        }
        good *g = good_make();
        g->x->dtype = g->y->dtype = f64;
        refuse(verbs[v], g, "f64 beside a table of f32", POSENC_ERROR_DTYPE, in_names[v]);
        for (int i = 0; i < 3; i++) {
            posenc_encoder_options options = encoder_options(POSENC_F64);
            g = good_make();
            posenc_encoder_destroy(g->encoder);
            g->encoder = must_encoder(NULL, &(plan_shape){.dim = DIM}, &options);
            g->x->dtype = g->y->dtype = beside_f64[i];
            refuse(verbs[v], g, "narrow beside a table of f64", POSENC_ERROR_DTYPE, in_names[v]);
        }
    }
}

static void test_devices(void **state) {
    (void)state;
    const DLDeviceType devices[] = {kDLCUDA, kDLOpenCL, kDLVulkan, kDLMetal, kDLROCM};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        for (int v = 0; v < 2; v++) {
            good *g = good_make();
            g->x->device.device_type = devices[i];
            refuse(verbs[v], g, "device of the input", POSENC_ERROR_DEVICE, in_names[v]);
            g = good_make();
            g->y->device.device_type = devices[i];
            refuse(verbs[v], g, "device of the output", POSENC_ERROR_DEVICE, out_names[v]);
        }
        for (int form = 0; form < 4; form++) {
            static const char *const names[] = {"position_ids", "offsets", "mask", "cu_seqlens"};
            good *g = good_make();
            g->more->device.device_type = devices[i];
            const DLTensor **slots[] = {&g->positions.ids, &g->positions.offsets, &g->positions.mask,
                                        &g->positions.cu_seqlens};
            *slots[form] = g->more;
            refuse(call_forward, g, "device of the positions", POSENC_ERROR_DEVICE, names[form]);
        }
    }
    posenc_error error;
    good *g = good_make();
    g->x->device.device_type = kDLCUDA;
    assert_int_equal(call_forward(g, &error), POSENC_ERROR_DEVICE);
    check(strstr(error.message, "CPU"), "the message is \"%s\"", error.message);
    good_end(g);
}

static void test_overlaps(void **state) {
    (void)state;
    for (int v = 0; v < 2; v++) {
        for (int shift = -(N - 1); shift < N; shift++) {
            if (shift == 0) continue;
            good *g = good_make();
            float *room = must_allocate(3 * N * sizeof *room), *copy = must_allocate(3 * N * sizeof *copy);
            g->y->data = room + N;
            g->x->data = room + N + shift;
            posenc_error error = error_blank();
            must_refuse("partial overlap", verbs[v](g, &error), POSENC_ERROR_OVERLAP, &error, out_names[v]);
            assert_memory_equal(room, copy, 3 * N * sizeof *room);
            free(room);
            free(copy);
            good_end(g);
        }
        static int64_t zero_batch[3] = {0, DIM, 1}, zero_token[3] = {TOKENS * DIM, 0, 1}, crossing[3] = {DIM, DIM, 1};
        int64_t *const strides[] = {zero_batch, zero_token, crossing};
        for (int i = 0; i < 3; i++) {
            good *g = good_make();
            g->y->strides = strides[i];
            refuse(verbs[v], g, "output whose elements meet", POSENC_ERROR_OVERLAP, out_names[v]);
        }
    }
    for (int form = 0; form < 3; form++) { /* tensors of positions inside the output */
        static int64_t vector[1] = {BATCH};
        good *g = good_make();
        memset(g->y_data, 0, sizeof g->y_data);
        memset(g->before, 0, sizeof g->before);
        g->more->data = g->y_data;
        const DLTensor **slots[] = {&g->positions.ids, &g->positions.offsets, &g->positions.mask};
        *slots[form] = g->more;
        if (form == 1) g->more->ndim = 1, g->more->shape = vector;
        refuse(call_forward, g, "positions inside the output", POSENC_ERROR_OVERLAP, "y");
    }
}

/* cu_seqlens inside y: {0, 3} as the first bytes of it. */
static void test_lengths_inside_the_output(void **state) {
    (void)state;
    good *g = good_make();
    static int64_t shape[3] = {1, TOKENS, DIM}, two[1] = {2};
    const int64_t lengths[2] = {0, TOKENS};
    memcpy(g->y_data, lengths, sizeof lengths);
    memcpy(g->before, g->y_data, sizeof g->before);
    g->x->shape = g->y->shape = shape;
    g->more->data = g->y_data;
    g->more->ndim = 1, g->more->shape = two;
    g->positions.cu_seqlens = g->more;
    refuse(call_forward, g, "lengths inside the output", POSENC_ERROR_OVERLAP, "y");
}

static void test_two_forms_at_once(void **state) {
    (void)state;
    for (int pair = 0; pair < 4; pair++) {
        good *g = good_make();
        if (pair != 0) g->positions.ids = g->more;
        if (pair != 1) g->positions.mask = g->more;
        if (pair != 2) g->positions.cu_seqlens = g->more;
        refuse(call_forward, g, "two forms of positions", POSENC_ERROR_ARGUMENT, "positions");
    }
}

/* Masks, ids and offsets of other shapes and dtypes. */
static void test_shapes_of_positions(void **state) {
    (void)state;
    static int64_t tokens[][2] = {{TOKENS + 1}, {TOKENS - 1}, {BATCH}, {0}, {PLACES}};
    static int64_t both[][2] = {{BATCH, TOKENS + 1}, {BATCH + 1, TOKENS}, {TOKENS, BATCH},
                                {1, TOKENS},         {BATCH, 1},          {BATCH, -3}};
    static int64_t offsets[][2] = {{BATCH + 1}, {BATCH - 1}, {TOKENS}, {0}};
    for (int form = 0; form < 2; form++) {
        const char *const name = form ? "mask" : "position_ids";
        for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
            good *g = good_make();
            *(form ? &g->positions.mask : &g->positions.ids) = g->more;
            g->more->ndim = 1, g->more->shape = tokens[i];
            refuse(call_forward, g, "(tokens) of another length", POSENC_ERROR_SHAPE, name);
        }
        for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
            good *g = good_make();
            *(form ? &g->positions.mask : &g->positions.ids) = g->more;
            g->more->shape = both[i];
            refuse(call_forward, g, "(batch, tokens) of another shape", POSENC_ERROR_SHAPE, name);
        }
        for (int rank = 0; rank <= 3; rank += 3) {
            static int64_t three[3] = {1, BATCH, TOKENS};
            good *g = good_make();
            *(form ? &g->positions.mask : &g->positions.ids) = g->more;
            g->more->ndim = rank, g->more->shape = three;
            refuse(call_forward, g, "rank", POSENC_ERROR_SHAPE, name);
        }
    }
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        good *g = good_make();
        g->positions.offsets = g->more;
        g->more->ndim = 1, g->more->shape = offsets[i];
        refuse(call_forward, g, "offsets of another length", POSENC_ERROR_SHAPE, "offsets");
        g = good_make();
        g->positions.offsets = g->more;
        refuse(call_forward, g, "offsets of rank 2", POSENC_ERROR_SHAPE, "offsets");
    }
}

static void test_dtypes_of_positions(void **state) {
    (void)state;
    static const char *const names[] = {"position_ids", "offsets", "mask", "cu_seqlens"};
    const DLDataType wrong[4][4] = {
        {{kDLFloat, 32, 1}, {kDLInt, 16, 1}, {kDLUInt, 64, 1}, {kDLUInt, 8, 1}},
        {{kDLFloat, 64, 1}, {kDLFloat, 32, 1}, {kDLUInt, 32, 1}, {kDLInt, 8, 1}},
        {{kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLInt, 16, 1}, {kDLUInt, 64, 1}},
        {{kDLFloat, 64, 1}, {kDLUInt, 32, 1}, {kDLInt, 16, 1}, {kDLUInt, 64, 1}},
    };
    for (int form = 0; form < 4; form++)
        for (int i = 0; i < 4; i++) {
            good *g = good_make();
            const DLTensor **slots[] = {&g->positions.ids, &g->positions.offsets, &g->positions.mask,
                                        &g->positions.cu_seqlens};
            *slots[form] = g->more;
            g->more->dtype = wrong[form][i];
            refuse(call_forward, g, "dtype of the positions", POSENC_ERROR_DTYPE, names[form]);
        }
}

/* Lengths of six tokens in one row. */
static void refuse_lengths(const char *what, posenc_status expected, int n, const int64_t *values, posenc_dtype dtype) {
    good *g = good_make();
    int64_t shape[2] = {PLACES, DIM}, count[1] = {n};
    int32_t narrow[PLACES];
    for (int i = 0; i < n; i++) narrow[i] = (int32_t)values[i], g->numbers[i] = values[i];
    g->x->ndim = g->y->ndim = 2;
    g->x->shape = g->y->shape = shape;
    g->more = posenc_view_make(&g->more_view, dtype == POSENC_I32 ? (void *)narrow : (void *)g->numbers, dtype, 1,
                               count, NULL);
    g->positions.cu_seqlens = g->more;
    refuse(call_forward, g, what, expected, "cu_seqlens");
}

static void test_lengths(void **state) {
    (void)state;
    const posenc_dtype dtypes[] = {POSENC_I32, POSENC_I64};
    for (int d = 0; d < 2; d++) {
        refuse_lengths("not from 0", POSENC_ERROR_ARGUMENT, 2, (int64_t[]){1, PLACES}, dtypes[d]);
        refuse_lengths("from below 0", POSENC_ERROR_ARGUMENT, 2, (int64_t[]){-1, PLACES}, dtypes[d]);
        refuse_lengths("falling", POSENC_ERROR_ARGUMENT, 4, (int64_t[]){0, 4, 3, PLACES}, dtypes[d]);
        refuse_lengths("falling below 0", POSENC_ERROR_ARGUMENT, 4, (int64_t[]){0, -5, 3, PLACES}, dtypes[d]);
        refuse_lengths("past the tokens, and back", POSENC_ERROR_ARGUMENT, 3, (int64_t[]){0, 1000, PLACES}, dtypes[d]);
        refuse_lengths("short of the tokens", POSENC_ERROR_ARGUMENT, 2, (int64_t[]){0, PLACES - 1}, dtypes[d]);
        refuse_lengths("past the tokens", POSENC_ERROR_ARGUMENT, 2, (int64_t[]){0, PLACES + 1}, dtypes[d]);
        refuse_lengths("only 0", POSENC_ERROR_ARGUMENT, 1, (int64_t[]){0}, dtypes[d]);
        refuse_lengths("none", POSENC_ERROR_SHAPE, 0, (int64_t[]){0}, dtypes[d]);
    }
    refuse_lengths("the largest", POSENC_ERROR_ARGUMENT, 2, (int64_t[]){0, INT64_MAX}, POSENC_I64);
    good *g = good_make();
    g->positions.cu_seqlens = g->more;
    static int64_t seven[1] = {2};
    g->more->ndim = 1, g->more->shape = seven;
    g->numbers[1] = TOKENS;
    refuse(call_forward, g, "a batch of two", POSENC_ERROR_SHAPE, "cu_seqlens");
    g = good_make();
    g->positions.cu_seqlens = g->more;
    refuse(call_forward, g, "lengths of rank 2", POSENC_ERROR_SHAPE, "cu_seqlens");
}

/* One offset for each sequence, not for each token or batch row. */
static void test_offsets_beside_lengths(void **state) {
    (void)state;
    int64_t lengths[3] = {0, 2, PLACES}, offsets[6] = {0};
    for (int64_t n = 0; n <= 6; n++) {
        if (n == 2) continue;
        good *g = good_make();
        static int64_t shape[2] = {PLACES, DIM};
        posenc_view view;
        g->x->ndim = g->y->ndim = 2;
        g->x->shape = g->y->shape = shape;
        g->positions.cu_seqlens = posenc_view_make(&g->more_view, lengths, POSENC_I64, 1, (int64_t[]){3}, NULL);
        g->positions.offsets = posenc_view_make(&view, offsets, POSENC_I64, 1, &n, NULL);
        refuse(call_forward, g, "offsets of another length", POSENC_ERROR_SHAPE, "offsets");
    }
}

/* Positions that would wrap, or that no double can name. */
static void test_positions_out_of_range(void **state) {
    (void)state;
    good *g = good_make();
    g->positions.start = INT64_MAX - 1;
    refuse(call_forward, g, "start", POSENC_ERROR_POSITION, "start");
    static int64_t two[1] = {BATCH};
    const int64_t sums[][2] = {{INT64_MAX, 1}, {1, INT64_MAX}, {INT64_MIN, -1}, {INT64_MAX - 10, 9}, {-1, INT64_MIN}};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        g = good_make();
        g->positions.start = sums[i][0];
        g->numbers[0] = 0, g->numbers[1] = sums[i][1];
        if (sums[i][0] == INT64_MAX) g->numbers[0] = -100;
        g->more->ndim = 1, g->more->shape = two;
        g->positions.offsets = g->more;
        refuse(call_forward, g, "start + offset", POSENC_ERROR_POSITION, "start");
    }
    const int64_t starts[] = {INT64_MAX, INT64_MIN};
    for (int i = 0; i < 2; i++) {
        g = good_make();
        g->positions.start = starts[i];
        g->positions.mask = g->more;
        refuse(call_forward, g, "start beside a mask", POSENC_ERROR_POSITION, "start");
    }
    const double reals[] = {(double)NAN, (double)INFINITY, 0x1.0000000000001p53, -1e300};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        g = good_make();
        double ids[PLACES] = {0};
        ids[4] = reals[i];
        memcpy(g->numbers, ids, sizeof ids);
        g->more->dtype = (DLDataType){kDLFloat, 64, 1};
        g->positions.ids = g->more;
        refuse(call_forward, g, "real position", POSENC_ERROR_POSITION, "position_ids");
    }
}

/* Structs of another version, and of none. */
static void test_sizes_of_structs(void **state) {
    (void)state;
    for (int v = 0; v < 2; v++) {
        good *g = good_make();
        g->step.size = sizeof g->step + 1;
        refuse(verbs[v], g, "step of a later version", POSENC_ERROR_ARGUMENT, "step.size");
        g = good_make();
        g->step.size = 0;
        refuse(verbs[v], g, "step of size 0", POSENC_ERROR_ARGUMENT, "step.size");
    }
    good *g = good_make();
    g->positions.size = sizeof g->positions + 1;
    refuse(call_forward, g, "positions of a later version", POSENC_ERROR_ARGUMENT, "positions.size");
    g = good_make();
    g->positions.size = 0;
    refuse(call_forward, g, "positions of size 0", POSENC_ERROR_ARGUMENT, "positions.size");
    posenc_step older; /* an older caller's struct ends early: the rest has its defaults */
    posenc_step_default(&older, offsetof(posenc_step, seed));
    older.training = 1;
    assert_int_equal(older.size, offsetof(posenc_step, seed));
    g = good_make();
    g->step = older;
    g->step.seed = 12345, g->step.stream = 99, g->step.first_element = 7; /* beyond its size: not read */
    float y[N];
    assert_int_equal(call_forward(g, NULL), POSENC_OK);
    memcpy(y, g->y_data, sizeof y);
    g->step = training_step(0, 0, 0);
    assert_int_equal(call_forward(g, NULL), POSENC_OK);
    assert_memory_equal(y, g->y_data, sizeof y);
    good_end(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_good_call_is_good),
                                       cmocka_unit_test(test_missing_things),
                                       cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_dtypes),
                                       cmocka_unit_test(test_devices),
                                       cmocka_unit_test(test_overlaps),
                                       cmocka_unit_test(test_lengths_inside_the_output),
                                       cmocka_unit_test(test_two_forms_at_once),
                                       cmocka_unit_test(test_shapes_of_positions),
                                       cmocka_unit_test(test_dtypes_of_positions),
                                       cmocka_unit_test(test_lengths),
                                       cmocka_unit_test(test_offsets_beside_lengths),
                                       cmocka_unit_test(test_positions_out_of_range),
                                       cmocka_unit_test(test_sizes_of_structs)};
    return TEST_RUN(tests);
}
