/* The calls of rotary.h: every refusal, with outputs and error detail as they should be; edges that succeed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/refusal.h"
#include "support/rotations.h"
#include "support/tensors.h"
#include "support/test.h"

enum { BATCH = 2, TOKENS = 3, Q_HEADS = 4, K_HEADS = 2, DIM = 8, MOST = BATCH * TOKENS * Q_HEADS * DIM * 4 };

/* A good call, which each test spoils in one place. */
typedef struct good {
    posenc_plan *plan;
    posenc_rotary_direction direction;
    posenc_positions positions;
    DLTensor *lengths;
    float q[MOST], k[MOST], q_out[MOST], k_out[MOST], before[MOST];
    int64_t ids[BATCH * TOKENS * 3];
    int32_t lengths_data[BATCH];
    posenc_view views[4], ids_view, lengths_view;
    DLTensor *tq, *tk, *tq_out, *tk_out;
} good;

static const int64_t q_shape[4] = {BATCH, TOKENS, Q_HEADS, DIM}, k_shape[4] = {BATCH, TOKENS, K_HEADS, DIM};

static good *good_of(const spectra_case *c) {
    good *g = must_allocate(sizeof *g);
    memset(g, 0, sizeof *g);
    g->plan = must_rotary(NULL, c);
    for (int i = 0; i < MOST; i++) g->q[i] = g->k[i] = (float)(i % 7), g->q_out[i] = g->k_out[i] = g->before[i] = -3;
    g->tq = posenc_view_make(&g->views[0], g->q, POSENC_F32, 4, q_shape, NULL);
    g->tk = posenc_view_make(&g->views[1], g->k, POSENC_F32, 4, k_shape, NULL);
    g->tq_out = posenc_view_make(&g->views[2], g->q_out, POSENC_F32, 4, q_shape, NULL);
    g->tk_out = posenc_view_make(&g->views[3], g->k_out, POSENC_F32, 4, k_shape, NULL);
    posenc_positions_default(&g->positions, sizeof g->positions);
    return g;
}

static good *good_make(void) {
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_DEFAULT, DIM, 0);
    return good_of(&c);
}

static void good_end(good *g) {
    posenc_plan_destroy(g->plan);
    free(g);
}

static posenc_status call(good *g, posenc_error *error) {
    return posenc_rotary_apply(g->plan, g->direction, &g->positions, g->lengths, g->tq, g->tk, g->tq_out, g->tk_out,
                               error);
}

/* The call is refused, twice (with and without a detail), and writes nothing. Ends *g. */
static void refused(good *g, const char *what, posenc_status expected, const char *argument) {
    posenc_error error = error_blank();
    float q[MOST], k[MOST];
    memcpy(q, g->q, sizeof q), memcpy(k, g->k, sizeof k);
    must_refuse(what, call(g, &error), expected, &error, argument);
    assert_int_equal(call(g, NULL), expected);
    check(memcmp(g->q_out, g->before, sizeof g->before) == 0 && memcmp(g->k_out, g->before, sizeof g->before) == 0,
          "%s: an output was written", what);
    check(memcmp(g->q, q, sizeof q) == 0 && memcmp(g->k, k, sizeof k) == 0, "%s: an input was written", what);
    good_end(g);
}

static void give_ids(good *g, posenc_dtype dtype, int rank, const int64_t *shape) {
    g->positions.ids = posenc_view_make(&g->ids_view, g->ids, dtype, rank, shape, NULL);
}

static void give_lengths(good *g, posenc_dtype dtype, int64_t n) {
    g->lengths = posenc_view_make(&g->lengths_view, g->lengths_data, dtype, 1, &n, NULL);
    for (int i = 0; i < BATCH; i++) g->lengths_data[i] = 10;
}

static void test_the_good_call(void **state) {
    (void)state;
    good *g = good_make();
    posenc_error error = error_blank(), untouched = error;
    assert_int_equal(call(g, &error), POSENC_OK);
    check(memcmp(&error, &untouched, sizeof error) == 0, "a success wrote the error detail");
    check(memcmp(g->q_out, g->before, sizeof g->before) != 0, "nothing was written");
    good_end(g);
}

static void test_plans_and_arguments(void **state) {
    (void)state;
    posenc_error error = error_blank();
    good *g = good_make();
    posenc_plan *kept = g->plan;
    g->plan = NULL;
    must_refuse("no plan", call(g, &error), POSENC_ERROR_ARGUMENT, &error, "plan");
    g->plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    must_refuse("another scheme", call(g, &error), POSENC_ERROR_ARGUMENT, &error, "plan");
    posenc_plan_destroy(g->plan);
    g->plan = kept;
    g->direction = (posenc_rotary_direction)3;
    refused(g, "direction", POSENC_ERROR_ARGUMENT, "direction");
    g = good_make();
    g->tq = g->tk = g->tq_out = g->tk_out = NULL;
    refused(g, "neither", POSENC_ERROR_ARGUMENT, "q");
    g = good_make();
    g->tq = NULL;
    refused(g, "an output without its input", POSENC_ERROR_ARGUMENT, "q");
    g = good_make();
    g->tk_out = NULL;
    refused(g, "an input without its output", POSENC_ERROR_ARGUMENT, "k_out");
    g = good_make();
    g->positions.size = 3;
    refused(g, "size of positions", POSENC_ERROR_ARGUMENT, "positions.size");
}

static void test_tensors(void **state) {
    (void)state;
    good *g = good_make();
    g->tq->ndim = 2;
    refused(g, "rank 2", POSENC_ERROR_SHAPE, "q");
    g = good_make();
    g->views[1].shape[3] = DIM - 2;
    refused(g, "another head_dim", POSENC_ERROR_SHAPE, "k");
    g = good_make();
    g->views[1].shape[1] = TOKENS - 1;
    g->views[3].shape[1] = TOKENS - 1;
    refused(g, "tokens of q and k differ", POSENC_ERROR_SHAPE, "k");
    g = good_make();
    g->views[1].shape[2] = g->views[3].shape[2] = 3;
    refused(g, "3 key heads for 4 query heads", POSENC_ERROR_SHAPE, "k");
    g = good_make();
    g->views[2].shape[2] = 2;
    refused(g, "heads of q and q_out differ", POSENC_ERROR_SHAPE, "q_out");
    g = good_make();
    g->tq->dtype.bits = 16, g->tq_out->dtype.bits = 16;
    refused(g, "dtypes of q and k differ", POSENC_ERROR_DTYPE, "k");
    g = good_make();
    g->tq_out->dtype.bits = 16;
    refused(g, "dtypes of q and q_out differ", POSENC_ERROR_DTYPE, "q_out");
    g = good_make();
    g->tq->dtype.code = kDLInt;
    refused(g, "whole numbers", POSENC_ERROR_DTYPE, "q");
    g = good_make();
    g->tk->device.device_type = kDLCUDA;
    refused(g, "another device", POSENC_ERROR_DEVICE, "k");
    g = good_make();
    g->tk->data = NULL;
    refused(g, "no memory", POSENC_ERROR_ARGUMENT, "k");
    g = good_make();
    g->tq = posenc_view_make(&g->views[0], g->q, POSENC_F32, 4, q_shape,
                             (int64_t[]){2 * TOKENS * Q_HEADS * DIM, 2 * Q_HEADS * DIM, 2 * DIM, 2});
    refused(g, "heads that are not contiguous", POSENC_ERROR_SHAPE, "q");
    g = good_make();
    g->views[0].shape[0] = INT64_MAX / 64, g->views[0].shape[1] = INT64_MAX / 64;
    refused(g, "a span beyond memory", POSENC_ERROR_SHAPE, "q");
}

static void test_overlaps(void **state) {
    (void)state;
    good *g = good_make();
    g->tq_out->data = g->q + DIM; /* one head on */
    refused(g, "q_out within q", POSENC_ERROR_OVERLAP, "q_out");
    g = good_make();
    g->tk_out->data = g->q;
    refused(g, "k_out on q", POSENC_ERROR_OVERLAP, "k_out");
    g = good_make();
    g->tk_out->data = g->q_out;
    refused(g, "k_out on q_out", POSENC_ERROR_OVERLAP, "k_out");
    g = good_make();
    g->tq_out = posenc_view_make(&g->views[2], g->q_out, POSENC_F32, 4, q_shape, (int64_t[]){0, Q_HEADS * DIM, DIM, 1});
    refused(g, "an output whose rows share memory", POSENC_ERROR_OVERLAP, "q_out");
    g = good_make();
    g->tq_out = posenc_view_make(&g->views[2], g->q, POSENC_F32, 4, q_shape,
                                 (int64_t[]){TOKENS * Q_HEADS * DIM, DIM, TOKENS * DIM, 1});
    refused(g, "in place in another order", POSENC_ERROR_OVERLAP, "q_out");
    g = good_make();
    give_ids(g, POSENC_I64, 2, (int64_t[]){BATCH, TOKENS});
    g->positions.ids = posenc_view_make(&g->ids_view, g->q_out, POSENC_I64, 2, (int64_t[]){BATCH, TOKENS}, NULL);
    refused(g, "q_out on its ids", POSENC_ERROR_OVERLAP, "q_out");
}

static void test_positions(void **state) {
    (void)state;
    spectra_case c;
    good *g = good_make();
    give_ids(g, POSENC_I64, 3, (int64_t[]){BATCH, TOKENS, 2});
    refused(g, "two coordinates for one axis", POSENC_ERROR_SHAPE, "position_ids");
    g = good_make();
    give_ids(g, POSENC_I64, 1, (int64_t[]){TOKENS + 1});
    refused(g, "an id too many", POSENC_ERROR_SHAPE, "position_ids");
    g = good_make();
    give_ids(g, POSENC_F32, 1, (int64_t[]){TOKENS});
    refused(g, "ids in f32", POSENC_ERROR_DTYPE, "position_ids");
    g = good_make();
    double nan = (double)NAN;
    give_ids(g, POSENC_F64, 1, (int64_t[]){TOKENS});
    memcpy(g->ids + 1, &nan, sizeof nan);
    refused(g, "an id that is no number", POSENC_ERROR_POSITION, "position_ids");
    g = good_make();
    g->positions.start = INT64_MAX - 1;
    refused(g, "a start whose positions wrap", POSENC_ERROR_POSITION, "start");
    spectra_start(&c, POSENC_SCALING_DEFAULT, DIM, 0);
    c.options.axes = POSENC_AXES_SECTIONED;
    c.sections[0] = 2, c.sections[1] = c.sections[2] = 1;
    c.options.sections = c.sections, c.options.n_sections = 3;
    g = good_of(&c);
    give_ids(g, POSENC_I64, 3, (int64_t[]){BATCH, TOKENS, 2});
    refused(g, "two coordinates for three axes", POSENC_ERROR_SHAPE, "position_ids");
    g = good_of(&c);
    for (int i = 0; i < 4; i++) g->views[i].shape[0] = 3; /* (3, 3) may be (batch, tokens) or (tokens, axes) */
    give_ids(g, POSENC_I64, 2, (int64_t[]){3, 3});
    refused(g, "ids that can be read in two ways", POSENC_ERROR_SHAPE, "position_ids");
}

static void test_lengths(void **state) {
    (void)state;
    spectra_case c;
    good *g = good_make();
    give_lengths(g, POSENC_I32, BATCH);
    refused(g, "lengths that nothing depends on", POSENC_ERROR_ARGUMENT, "lengths");
    spectra_start(&c, POSENC_SCALING_DYNAMIC, DIM, 0);
    refused(good_of(&c), "no lengths", POSENC_ERROR_ARGUMENT, "lengths");
    g = good_of(&c);
    give_lengths(g, POSENC_I32, BATCH);
    g->lengths_data[1] = 0;
    refused(g, "a length of 0", POSENC_ERROR_ARGUMENT, "lengths");
    g = good_of(&c);
    give_lengths(g, POSENC_I32, BATCH + 1);
    refused(g, "a length too many", POSENC_ERROR_SHAPE, "lengths");
    g = good_of(&c);
    give_lengths(g, POSENC_F32, BATCH);
    refused(g, "lengths in f32", POSENC_ERROR_DTYPE, "lengths");
    g = good_of(&c);
    give_lengths(g, POSENC_I32, BATCH);
    g->lengths->data = g->q_out;
    for (int i = 0; i < MOST; i++) g->q_out[i] = g->k_out[i] = g->before[i] = 1; /* read as a length above 0 */
    refused(g, "lengths in an output", POSENC_ERROR_OVERLAP, "q_out");
}

/* Powers of xPos grow without end: at the limit they are refused, and it is named. */
static void test_powers(void **state) {
    (void)state;
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_DEFAULT, DIM, 0);
    c.options.xpos_scale_base = 64;
    good *g = good_of(&c);
    g->positions.start = 1000;
    assert_int_equal(call(g, NULL), POSENC_OK);
    good_end(g);
    g = good_of(&c);
    g->positions.start = 100000;
    refused(g, "a power beyond f32", POSENC_ERROR_POSITION, NULL);
    g = good_of(&c);
    g->positions.start = -100000;
    refused(g, "a power beyond f32 on the other side", POSENC_ERROR_POSITION, NULL);
}

/* ---- the other calls ---- */

static void test_rerotate(void **state) {
    (void)state;
    spectra_case c;
    posenc_error error = error_blank();
    good *g = good_make();
    spectra_start(&c, POSENC_SCALING_DEFAULT, DIM, 0);
    static const char *const what[] = {"pairing", "dim", "start", "head_dim", "axes"};
    for (int i = 0; i < 5; i++) {
        spectra_case other = c;
        if (i == 0) other.options.pairing = POSENC_PAIRING_INTERLEAVED;
        if (i == 1) other.options.dim = 6;
        if (i == 2) c.options.dim = other.options.dim = 6, other.options.rotary_start = 2;
        if (i == 3) other.options.head_dim = DIM + 2;
        if (i == 4) {
            other.options.axes = POSENC_AXES_SECTIONED, other.sections[0] = other.sections[1] = 2;
            other.options.sections = other.sections, other.options.n_sections = 2;
        }
        posenc_plan *from = must_rotary(NULL, &c), *to = must_rotary(NULL, &other);
        posenc_status status = posenc_rotary_rerotate(from, NULL, NULL, to, NULL, NULL, g->tk, g->tk_out, &error);
        must_refuse(what[i], status, POSENC_ERROR_ARGUMENT, &error, "to");
        posenc_plan_destroy(from);
        posenc_plan_destroy(to);
        spectra_start(&c, POSENC_SCALING_DEFAULT, DIM, 0);
    }
    c.options.pairing = POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT;
    posenc_plan *plan = must_rotary(NULL, &c);
    must_refuse("an order that changes",
                posenc_rotary_rerotate(plan, NULL, NULL, plan, NULL, NULL, g->tk, g->tk_out, &error),
                POSENC_ERROR_ARGUMENT, &error, "from");
    must_refuse("no plan", posenc_rotary_rerotate(NULL, NULL, NULL, plan, NULL, NULL, g->tk, g->tk_out, &error),
                POSENC_ERROR_ARGUMENT, &error, "from");
    must_refuse("no tensor", posenc_rotary_rerotate(g->plan, NULL, NULL, g->plan, NULL, NULL, NULL, NULL, &error),
                POSENC_ERROR_ARGUMENT, &error, "k");
    g->positions.start = INT64_MAX - 1;
    must_refuse("positions that wrap",
                posenc_rotary_rerotate(g->plan, NULL, NULL, g->plan, &g->positions, NULL, g->tk, g->tk_out, &error),
                POSENC_ERROR_POSITION, &error, "start");
    check(memcmp(g->k_out, g->before, sizeof g->before) == 0, "an output was written");
    posenc_plan_destroy(plan);
    good_end(g);
}

static void test_gradient(void **state) {
    (void)state;
    posenc_error error = error_blank();
    good *g = good_make();
    double domega[DIM / 2] = {1, 2, 3, 4};
    must_refuse("no sums", posenc_rotary_frequency_gradient(g->plan, NULL, NULL, g->tq, g->tq_out, 0, 0, NULL, &error),
                POSENC_ERROR_ARGUMENT, &error, "domega");
    must_refuse("shapes differ",
                posenc_rotary_frequency_gradient(g->plan, NULL, NULL, g->tq, g->tk, 0, 0, domega, &error),
                POSENC_ERROR_SHAPE, &error, "dy");
    must_refuse("no x", posenc_rotary_frequency_gradient(g->plan, NULL, NULL, NULL, g->tk, 0, 0, domega, &error),
                POSENC_ERROR_ARGUMENT, &error, "x");
    g->positions.start = INT64_MAX;
    must_refuse("positions that wrap",
                posenc_rotary_frequency_gradient(g->plan, &g->positions, NULL, g->tq, g->tq, 0, 1, domega, &error),
                POSENC_ERROR_POSITION, &error, "start");
    check(domega[0] == 1 && domega[3] == 4, "the sums were written");
    good_end(g);
}

static void test_cos_sin(void **state) {
    (void)state;
    posenc_error error = error_blank();
    good *g = good_make();
    posenc_view vc, vs;
    const int64_t shape[2] = {TOKENS, DIM / 2};
    DLTensor *cosines = posenc_view_make(&vc, g->q_out, POSENC_F32, 2, shape, NULL);
    DLTensor *sines = posenc_view_make(&vs, g->k_out, POSENC_F32, 2, shape, NULL);
    must_refuse("form", posenc_rotary_cos_sin(g->plan, NULL, NULL, (posenc_rotary_table_form)3, cosines, sines, &error),
                POSENC_ERROR_ARGUMENT, &error, "form");
    must_refuse("neither", posenc_rotary_cos_sin(g->plan, NULL, NULL, POSENC_ROTARY_TABLE_PAIRS, NULL, NULL, &error),
                POSENC_ERROR_ARGUMENT, &error, "cosines");
    must_refuse("width", posenc_rotary_cos_sin(g->plan, NULL, NULL, POSENC_ROTARY_TABLE_HALVES, cosines, sines, &error),
                POSENC_ERROR_SHAPE, &error, "cosines");
    vs.shape[0] = TOKENS - 1;
    must_refuse("shapes", posenc_rotary_cos_sin(g->plan, NULL, NULL, POSENC_ROTARY_TABLE_PAIRS, cosines, sines, &error),
                POSENC_ERROR_SHAPE, &error, "sines");
    vs.shape[0] = TOKENS;
    sines->data = g->q_out + 1;
    must_refuse("overlap",
                posenc_rotary_cos_sin(g->plan, NULL, NULL, POSENC_ROTARY_TABLE_PAIRS, cosines, sines, &error),
                POSENC_ERROR_OVERLAP, &error, "sines");
    check(memcmp(g->q_out, g->before, sizeof g->before) == 0, "an output was written");
    good_end(g);
}

/* A complex table is two strided views; heads-first tensors and packed projections are strides. */
static void test_views_that_pass(void **state) {
    (void)state;
    good *g = good_make();
    posenc_view vc, vs;
    const int64_t shape[2] = {TOKENS, DIM / 2}, strides[2] = {DIM, 2};
    float complex_table[TOKENS * DIM], want[2][TOKENS * DIM / 2];
    assert_int_equal(
        posenc_rotary_cos_sin(g->plan, NULL, NULL, POSENC_ROTARY_TABLE_PAIRS,
                              posenc_view_make(&vc, complex_table, POSENC_F32, 2, shape, strides),
                              posenc_view_make(&vs, complex_table + 1, POSENC_F32, 2, shape, strides), NULL),
        POSENC_OK);
    assert_int_equal(posenc_rotary_cos_sin(g->plan, NULL, NULL, POSENC_ROTARY_TABLE_PAIRS,
                                           posenc_view_make(&vc, want[0], POSENC_F32, 2, shape, NULL),
                                           posenc_view_make(&vs, want[1], POSENC_F32, 2, shape, NULL), NULL),
                     POSENC_OK);
    for (int i = 0; i < TOKENS * DIM / 2; i++)
        check(complex_table[2 * i] == want[0][i] && complex_table[2 * i + 1] == want[1][i], "element %d differs", i);
    /* q, k and v of one projection, (batch, tokens, 4 + 2 + 2 heads, dim), q and k in place */
    const int64_t row = (Q_HEADS + 2 * K_HEADS) * DIM, packed[4] = {TOKENS * row, row, DIM, 1};
    float buffer[BATCH * TOKENS * (Q_HEADS + 2 * K_HEADS) * DIM];
    for (size_t i = 0; i < sizeof buffer / sizeof *buffer; i++) buffer[i] = (float)(i % 5);
    for (int i = 0; i < 4; i++) {
        float *first = i % 2 ? buffer + Q_HEADS * DIM : buffer;
        posenc_view_make(&g->views[i], first, POSENC_F32, 4, i % 2 ? k_shape : q_shape, packed);
    }
    posenc_error error = error_blank();
    check(call(g, &error) == POSENC_OK, "a packed projection: %s", error.message);
    for (size_t i = 0; i < sizeof buffer / sizeof *buffer; i++)
        if (i % (size_t)row >= (Q_HEADS + K_HEADS) * DIM)
            check(buffer[i] == (float)(i % 5), "element %zu of v was written", i);
    g->views[1].tensor.data = buffer + (Q_HEADS - 1) * DIM; /* one head into q */
    check(call(g, &error) == POSENC_ERROR_OVERLAP, "k within q: %s", error.message);
    good_end(g);
}

static void test_nothing_to_do(void **state) {
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        good *g = good_make();
        for (int i = 0; i < 4; i++) g->views[i].shape[axis] = 0;
        assert_int_equal(call(g, NULL), POSENC_OK);
        check(memcmp(g->q_out, g->before, sizeof g->before) == 0, "an output was written");
        good_end(g);
    }
}

/* q alone and k alone give what they give together; a rank of 3 is one head. */
static void test_one_of_two(void **state) {
    (void)state;
    good *both = good_make(), *g = good_make();
    assert_int_equal(call(both, NULL), POSENC_OK);
    DLTensor *k = g->tk, *k_out = g->tk_out;
    g->tk = g->tk_out = NULL;
    assert_int_equal(call(g, NULL), POSENC_OK);
    g->tk = k, g->tk_out = k_out, g->tq = g->tq_out = NULL;
    assert_int_equal(call(g, NULL), POSENC_OK);
    check(memcmp(both->q_out, g->q_out, sizeof g->q_out) == 0, "q differs");
    check(memcmp(both->k_out, g->k_out, sizeof g->k_out) == 0, "k differs");
    const int64_t shape[3] = {1, TOKENS, DIM};
    float y[TOKENS * DIM];
    posenc_view in, out;
    assert_int_equal(posenc_rotary_apply(g->plan, POSENC_ROTARY_FORWARD, NULL, NULL,
                                         posenc_view_make(&in, g->q, POSENC_F32, 3, shape,
                                                          (int64_t[]){TOKENS * Q_HEADS * DIM, Q_HEADS * DIM, 1}),
                                         NULL, posenc_view_make(&out, y, POSENC_F32, 3, shape, NULL), NULL, NULL),
                     POSENC_OK);
    for (int t = 0; t < TOKENS; t++)
        check(memcmp(y + t * DIM, both->q_out + t * Q_HEADS * DIM, DIM * sizeof *y) == 0, "rank 3 differs");
    good_end(g);
    good_end(both);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_good_call),   cmocka_unit_test(test_plans_and_arguments),
        cmocka_unit_test(test_tensors),         cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_positions),       cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_powers),          cmocka_unit_test(test_rerotate),
        cmocka_unit_test(test_gradient),        cmocka_unit_test(test_cos_sin),
        cmocka_unit_test(test_views_that_pass), cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_one_of_two)};
    return TEST_RUN(tests);
}
