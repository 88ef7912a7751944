/* What calls about clipped relative positions refuse: the status, the argument, the message, and outputs untouched. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shaw_calls.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

enum { B = 2, H = 2, Q = 3, K = 4, D = 5, CLIP = 2, ROWS = 2 * CLIP + 1 };

/* All the tensors of all calls, fine as they are. */
typedef struct world {
    posenc_shaw_options options;
    float memory[2048], before[2048];
    posenc_view views[7];
    DLTensor *vectors, *table, *scores, *out_vectors, *out_table, *out_scores, *out_explicit;
    int64_t offsets[B];
} world;

static void open_world(world *w) {
    memset(w, 0, sizeof *w);
    posenc_shaw_default(&w->options, sizeof w->options);
    w->options.clip = CLIP;
    for (int i = 0; i < 2048; i++) w->memory[i] = w->before[i] = (float)i;
    const int64_t vectors[] = {B, H, Q, D}, table[] = {ROWS, D}, scores[] = {B, H, Q, K}, all[] = {Q, K, D};
    w->vectors = posenc_view_make(&w->views[0], w->memory, POSENC_F32, 4, vectors, NULL);
    w->table = posenc_view_make(&w->views[1], w->memory + 200, POSENC_F32, 2, table, NULL);
    w->scores = posenc_view_make(&w->views[2], w->memory + 300, POSENC_F32, 4, scores, NULL);
    w->out_vectors = posenc_view_make(&w->views[3], w->memory + 500, POSENC_F32, 4, vectors, NULL);
    w->out_table = posenc_view_make(&w->views[4], w->memory + 700, POSENC_F32, 2, table, NULL);
    w->out_scores = posenc_view_make(&w->views[5], w->memory + 800, POSENC_F32, 4, scores, NULL);
    w->out_explicit = posenc_view_make(&w->views[6], w->memory + 1000, POSENC_F32, 3, all, NULL);
}

enum { CALLS = 5 };
static const char *const calls[CALLS] = {"scores", "scores_backward", "values", "values_backward", "write"};

static posenc_status call(world *w, int which, posenc_error *error) {
    switch (which) {
        case 0:
            return posenc_shaw_scores(NULL, &w->options, w->vectors, w->table, w->out_scores, error);
        case 1:
            return posenc_shaw_scores_backward(NULL, &w->options, w->vectors, w->table, w->scores, w->out_vectors,
                                               w->out_table, error);
        case 2:
            return posenc_shaw_values(NULL, &w->options, w->scores, w->table, w->out_vectors, error);
        case 3:
            return posenc_shaw_values_backward(NULL, &w->options, w->scores, w->table, w->vectors, w->out_scores,
                                               w->out_table, error);
        default:
            return posenc_shaw_write(NULL, &w->options, w->table, w->out_explicit, error);
    }
}

typedef void change(world *w);

/* Refused by the calls in the mask, a bit each. */
typedef struct refusal {
    const char *what, *argument;
    posenc_status status;
    unsigned mask;
    change *make;
} refusal;

static void clip_negative(world *w) { w->options.clip = -1; }
static void clip_huge(world *w) { w->options.clip = INT64_MAX; }
static void clip_other(world *w) { w->options.clip = CLIP + 1; }
static void direction_unknown(world *w) { w->options.direction = (posenc_direction)2; }
static void scale_nan(world *w) { w->options.scale = (double)NAN; }
static void offset_far(world *w) { w->options.offset = INT64_MIN; }
static void size_unknown(world *w) { w->options.size = 10000; }
static void offsets_dtype(world *w) {
    static posenc_view view;
    w->options.offsets = posenc_view_make(&view, w->offsets, POSENC_F64, 1, (int64_t[]){B}, NULL);
}
static void offsets_shape(world *w) {
    static posenc_view view;
    w->options.offsets = posenc_view_make(&view, w->offsets, POSENC_I64, 1, (int64_t[]){1}, NULL);
}
static void offsets_far(world *w) {
    static posenc_view view;
    w->offsets[1] = INT64_MAX;
    w->options.offsets = posenc_view_make(&view, w->offsets, POSENC_I64, 1, (int64_t[]){B}, NULL);
}
static void table_null(world *w) { w->table = NULL; }
static void table_rows(world *w) { w->table->shape[0] = ROWS - 1; }
static void table_width(world *w) { w->table->shape[1] = D - 1; }
static void table_dtype(world *w) { w->table->dtype = (DLDataType){kDLFloat, 16, 1}; }
static void table_whole(world *w) { w->table->dtype = (DLDataType){kDLInt, 32, 1}; }
static void table_rank(world *w) { w->table->ndim = 1; }
static void vectors_heads(world *w) { w->vectors->shape[1] = H - 1; }
static void vectors_device(world *w) { w->vectors->device.device_type = kDLCUDA; }
static void scores_queries(world *w) { w->out_scores->shape[2] = Q - 1; }
static void out_table_bf16(world *w) { w->out_table->dtype = (DLDataType){kDLBfloat, 16, 1}; }
static void out_scores_fold(world *w) {
    memcpy(w->views[5].strides, (int64_t[]){H * Q * K, Q * K, 0, 1}, 4 * sizeof(int64_t));
    w->out_scores->strides = w->views[5].strides;
}
static void out_scores_on_table(world *w) { w->out_scores->data = w->memory + 210; }
static void out_vectors_on_scores(world *w) { w->out_vectors->data = w->memory + 300; }
static void out_table_on_out(world *w) { w->out_table->data = w->memory + 510; }
static void accumulate(world *w) { w->options.accumulate = 1; }
static void out_scores_on_offsets(world *w) {
    static posenc_view view;
    w->options.offsets = posenc_view_make(&view, w->memory + 810, POSENC_I32, 1, (int64_t[]){B}, NULL);
}
static void out_vectors_on_offsets(world *w) {
    static posenc_view view;
    w->options.offsets = posenc_view_make(&view, w->memory + 510, POSENC_I32, 1, (int64_t[]){B}, NULL);
}
static void out_table_on_offsets(world *w) {
    static posenc_view view;
    w->options.offsets = posenc_view_make(&view, w->memory + 710, POSENC_I32, 1, (int64_t[]){B}, NULL);
}

static const refusal refusals[] = {
    {"clip below 0", "clip", POSENC_ERROR_ARGUMENT, 31, clip_negative},
    {"huge clip", "clip", POSENC_ERROR_ARGUMENT, 31, clip_huge},
    {"clip of another table", "table", POSENC_ERROR_SHAPE, 31, clip_other},
    {"unknown direction", "direction", POSENC_ERROR_ARGUMENT, 31, direction_unknown},
    {"scale NaN", "scale", POSENC_ERROR_ARGUMENT, 31, scale_nan},
    {"offset far out", "offset", POSENC_ERROR_POSITION, 31, offset_far},
    {"unknown size", "options.size", POSENC_ERROR_ARGUMENT, 31, size_unknown},
    {"offsets f64", "offsets", POSENC_ERROR_DTYPE, 15, offsets_dtype},
    {"offsets too few", "offsets", POSENC_ERROR_SHAPE, 15, offsets_shape},
    {"offsets far out", "offsets", POSENC_ERROR_POSITION, 15, offsets_far},
    {"offsets beside the explicit tensor", "offsets", POSENC_ERROR_UNSUPPORTED, 16, offsets_shape},
    {"accumulate beside the explicit tensor", "accumulate", POSENC_ERROR_UNSUPPORTED, 16, accumulate},
    {"table NULL", "table", POSENC_ERROR_ARGUMENT, 31, table_null},
    {"table of wrong rows", "table", POSENC_ERROR_SHAPE, 31, table_rows},
    {"table f16", "table", POSENC_ERROR_DTYPE, 15, table_dtype},
    {"table i32", "table", POSENC_ERROR_DTYPE, 31, table_whole},
    {"table of rank 1", "table", POSENC_ERROR_SHAPE, 31, table_rank},
    {"table of another width", "table", POSENC_ERROR_SHAPE, 3, table_width},
    {"table of another width", "out", POSENC_ERROR_SHAPE, 4 + 16, table_width},
    {"table of another width", "dout", POSENC_ERROR_SHAPE, 8, table_width},
    {"other heads in vectors", "scores", POSENC_ERROR_SHAPE, 1, vectors_heads},
    {"other heads in vectors", "dscores", POSENC_ERROR_SHAPE, 2, vectors_heads},
    {"other heads in vectors", "dout", POSENC_ERROR_SHAPE, 8, vectors_heads},
    {"vectors elsewhere", NULL, POSENC_ERROR_DEVICE, 11, vectors_device},
    {"other queries in scores", "scores", POSENC_ERROR_SHAPE, 1, scores_queries},
    {"other queries in scores", "dattention", POSENC_ERROR_SHAPE, 8, scores_queries},
    {"gradient bf16 of f32", "dtable", POSENC_ERROR_DTYPE, 10, out_table_bf16},
    {"folded scores", NULL, POSENC_ERROR_OVERLAP, 9, out_scores_fold},
    {"scores on the table", NULL, POSENC_ERROR_OVERLAP, 9, out_scores_on_table},
    {"vectors on scores", NULL, POSENC_ERROR_OVERLAP, 6, out_vectors_on_scores},
    {"gradients on each other", "dtable", POSENC_ERROR_OVERLAP, 2, out_table_on_out},
    {"scores on the offsets", NULL, POSENC_ERROR_OVERLAP, 9, out_scores_on_offsets},
    {"vectors on the offsets", NULL, POSENC_ERROR_OVERLAP, 6, out_vectors_on_offsets},
    {"a gradient on the offsets", "dtable", POSENC_ERROR_OVERLAP, 10, out_table_on_offsets},
};

static void test_refusals(void **state) {
    (void)state;
    for (size_t r = 0; r < sizeof refusals / sizeof *refusals; r++)
        for (int which = 0; which < CALLS; which++) {
            if (!(refusals[r].mask >> which & 1)) continue;
            world w;
            open_world(&w);
            refusals[r].make(&w);
            posenc_error error = error_blank();
            char what[120];
            snprintf(what, sizeof what, "%s: %s", calls[which], refusals[r].what);
            must_refuse(what, call(&w, which, &error), refusals[r].status, &error, refusals[r].argument);
            check(memcmp(w.memory, w.before, sizeof w.memory) == 0, "%s: an output was written", what);
            assert_int_not_equal(call(&w, which, NULL), POSENC_OK);
        }
}

/* The world itself is fine, and NULL gradients are. */
static void test_fine(void **state) {
    (void)state;
    for (int which = 0; which < CALLS; which++) {
        world w;
        open_world(&w);
        posenc_error error = error_blank();
        check(call(&w, which, &error) == POSENC_OK, "%s: %s", calls[which], error.message);
    }
    world w;
    open_world(&w);
    w.out_vectors = w.out_table = w.out_scores = NULL;
    assert_int_equal(call(&w, 1, NULL), POSENC_OK);
    assert_int_equal(call(&w, 3, NULL), POSENC_OK);
    assert_memory_equal(w.memory, w.before, sizeof w.memory);
}

static void test_null(void **state) {
    (void)state;
    world w;
    open_world(&w);
    posenc_error error = error_blank();
    must_refuse("options NULL", posenc_shaw_scores(NULL, NULL, w.vectors, w.table, w.out_scores, &error),
                POSENC_ERROR_ARGUMENT, &error, "options");
    posenc_shaw_options plain;
    posenc_shaw_default(&plain, sizeof plain);
    must_refuse("clip left out", posenc_shaw_scores(NULL, &plain, w.vectors, w.table, w.out_scores, &error),
                POSENC_ERROR_ARGUMENT, &error, "clip");
}

/* One DLTensor as input and output, or as two outputs: shapes that are alike let it through but for the memory. */
static void test_one_tensor_twice(void **state) {
    (void)state;
    enum { N = 4 };
    float a[N * N], b[N * N], c[N * N];
    posenc_view views[3];
    posenc_error error = error_blank();
    posenc_shaw_options o;
    posenc_shaw_default(&o, sizeof o);
    o.clip = CLIP;
    for (int i = 0; i < N * N; i++) a[i] = b[i] = c[i] = 1;
    float rows[ROWS * N] = {0};
    posenc_view row_view;
    DLTensor *x = posenc_view_make(&views[0], a, POSENC_F32, 4, (int64_t[]){1, 1, N, N}, NULL);
    DLTensor *y = posenc_view_make(&views[1], b, POSENC_F32, 4, (int64_t[]){1, 1, N, N}, NULL);
    DLTensor *t = posenc_view_make(&row_view, rows, POSENC_F32, 2, (int64_t[]){ROWS, N}, NULL);
    must_refuse("scores are q", posenc_shaw_scores(NULL, &o, x, t, x, &error), POSENC_ERROR_OVERLAP, &error, "scores");
    must_refuse("dq is q", posenc_shaw_scores_backward(NULL, &o, x, t, y, x, NULL, &error), POSENC_ERROR_OVERLAP,
                &error, "dq");
    must_refuse("dq is dscores", posenc_shaw_scores_backward(NULL, &o, x, t, y, y, NULL, &error), POSENC_ERROR_OVERLAP,
                &error, "dq");
    must_refuse("dtable is table", posenc_shaw_scores_backward(NULL, &o, x, t, y, NULL, t, &error),
                POSENC_ERROR_OVERLAP, &error, "dtable");
    must_refuse("out is attention", posenc_shaw_values(NULL, &o, x, t, x, &error), POSENC_ERROR_OVERLAP, &error, "out");
    must_refuse("dattention is attention", posenc_shaw_values_backward(NULL, &o, x, t, y, x, NULL, &error),
                POSENC_ERROR_OVERLAP, &error, "dattention");
    for (int i = 0; i < N * N; i++) assert_true(a[i] == 1 && b[i] == 1);
    for (int i = 0; i < ROWS * N; i++) assert_true(rows[i] == 0);
}

/* A gradient in f32 is for f16 and bf16: beside f64 it would lose half of what was computed. */
static void test_narrow_gradient(void **state) {
    (void)state;
    double x[4] = {1, 2, 3, 4}, table[3] = {1, 2, 3}, y[4] = {1, 1, 1, 1};
    float gradient[3] = {7, 7, 7};
    posenc_view views[4];
    posenc_error error = error_blank();
    posenc_shaw_options o;
    posenc_shaw_default(&o, sizeof o);
    o.clip = 1;
    DLTensor *q = posenc_view_make(&views[0], x, POSENC_F64, 4, (int64_t[]){1, 1, 2, 1}, NULL);
    DLTensor *t = posenc_view_make(&views[1], table, POSENC_F64, 2, (int64_t[]){3, 1}, NULL);
    DLTensor *s = posenc_view_make(&views[2], y, POSENC_F64, 4, (int64_t[]){1, 1, 2, 2}, NULL);
    DLTensor *g = posenc_view_make(&views[3], gradient, POSENC_F32, 2, (int64_t[]){3, 1}, NULL);
    must_refuse("dtable f32 of f64", posenc_shaw_scores_backward(NULL, &o, q, t, s, NULL, g, &error),
                POSENC_ERROR_DTYPE, &error, "dtable");
    for (int i = 0; i < 3; i++) assert_true(gradient[i] == 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_one_tensor_twice),
        cmocka_unit_test(test_narrow_gradient),
        cmocka_unit_test(test_fine),
        cmocka_unit_test(test_null),
    };
    return TEST_RUN(tests);
}
