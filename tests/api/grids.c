/* Grids at the door: parameters that do not go together, positions and points outside, DETR's masks; typed options and
 * names make one plan; extents as text; no memory. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/allocator.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

/* ---- parameters ---- */

enum { MOST = 6 };

typedef struct refused {
    const char *scheme, *argument, *message; /* message: a part of it */
    posenc_parameter parameters[MOST];
} refused;

static const refused refusals[] = {
    {"sinusoidal-2d", "grid", "expected a value, got none", {{"dim", "16"}}},
    {"sinusoidal-2d", "dim", "expected a value, got none", {{"grid", "2x3"}}},
    {"sinusoidal-2d", "grid", "expected HxW, 2 axes, got 6", {{"dim", "16"}, {"grid", "6"}}},
    {"sinusoidal-2d", "grid", "expected HxW, 2 axes, got 1x2x3", {{"dim", "16"}, {"grid", "1x2x3"}}},
    {"sinusoidal-3d", "grid", "expected FxHxW, 3 axes, got 2x3", {{"dim", "16"}, {"grid", "2x3"}}},
    {"sinusoidal-2d", "grid", "expected extents 1..16777216, got 0x3", {{"dim", "16"}, {"grid", "0x3"}}},
    {"sinusoidal-2d", "grid", "got 3x16777217", {{"dim", "16"}, {"grid", "3x16777217"}}},
    {"sinusoidal-2d",
     "grid",
     "expected at most 2^39 cells, got 16777216x16777216",
     {{"dim", "16"}, {"grid", "16777216x16777216"}}},
    {"sinusoidal-nd", "grid", "got \"1x1x1x1x1x1x1x1x1\"", {{"dim", "16"}, {"grid", "1x1x1x1x1x1x1x1x1"}}},
    {"sinusoidal-2d", "grid", "such as 14x14, got \"\"", {{"dim", "16"}, {"grid", ""}}},
    {"sinusoidal-2d", "grid", "got \"4x\"", {{"dim", "16"}, {"grid", "4x"}}},
    {"sinusoidal-2d", "grid", "got \"x4\"", {{"dim", "16"}, {"grid", "x4"}}},
    {"sinusoidal-2d", "grid", "got \"4X4\"", {{"dim", "16"}, {"grid", "4X4"}}},
    {"sinusoidal-2d", "grid", "got \"4x 4\"", {{"dim", "16"}, {"grid", "4x 4"}}},
    {"sinusoidal-2d", "grid", "got \"-4x4\"", {{"dim", "16"}, {"grid", "-4x4"}}},
    {"sinusoidal-2d",
     "grid",
     "got \"4x99999999999999999999999999\"",
     {{"dim", "16"}, {"grid", "4x99999999999999999999999999"}}},
    {"sinusoidal-2d", "dim", "expected a multiple of 4 for convention mae, got 10", {{"dim", "10"}, {"grid", "2x3"}}},
    {"sinusoidal-2d",
     "dim",
     "expected a multiple of 2 for convention detr, got 7",
     {{"dim", "7"}, {"grid", "2x3"}, {"convention", "detr"}}},
    {"sinusoidal-3d",
     "dim",
     "expected a multiple of 16 for convention cogvideox, got 24",
     {{"dim", "24"}, {"grid", "2x3x4"}}},
    {"sinusoidal-2d",
     "convention",
     "expected one of mae, detr, got \"multidim\"",
     {{"dim", "16"}, {"grid", "2x3"}, {"convention", "multidim"}}},
    {"sinusoidal-2d", "normalize", "convention mae", {{"dim", "16"}, {"grid", "2x3"}, {"normalize", "true"}}},
    {"sinusoidal-2d",
     "base-size",
     "convention detr",
     {{"dim", "16"}, {"grid", "2x3"}, {"convention", "detr"}, {"base-size", "3"}}},
    {"sinusoidal-2d",
     "interpolation-scale",
     "convention detr",
     {{"dim", "16"}, {"grid", "2x3"}, {"convention", "detr"}, {"interpolation-scale", "2"}}},
    {"sinusoidal-2d", "interpolation-scale", "got 0", {{"dim", "16"}, {"grid", "2x3"}, {"interpolation-scale", "0"}}},
    {"sinusoidal-2d", "base", "got nan", {{"dim", "16"}, {"grid", "2x3"}, {"base", "nan"}}},
    {"sinusoidal-2d", "prefix", "got -1", {{"dim", "16"}, {"grid", "2x3"}, {"prefix", "-1"}}},
    {"sinusoidal-2d", "prefix", "got 549755813889", {{"dim", "16"}, {"grid", "2x3"}, {"prefix", "549755813889"}}},
    {"sinusoidal-2d",
     "max-len",
     "expected 0 or 7, a prefix of 1 and 6 cells, got 6",
     {{"dim", "16"}, {"grid", "2x3"}, {"prefix", "1"}, {"max-len", "6"}}},
};

static void test_refused_parameters(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refused *r = &refusals[i];
        size_t n = 0;
        while (n < MOST && r->parameters[n].name) n++;
        posenc_plan *plan = NULL;
        posenc_error error = error_blank();
        posenc_status status = posenc_plan_create(NULL, r->scheme, r->parameters, n, &plan, &error);
        must_refuse(r->message, status, POSENC_ERROR_ARGUMENT, &error, r->argument);
        check(strstr(error.message, r->message) != NULL, "expected \"%s\" in \"%s\"", r->message, error.message);
        assert_null(plan);
    }
}

static void test_refused_typed_options(void **state) {
    (void)state;
    posenc_error error;
    posenc_plan *plan = NULL;
    posenc_sinusoidal_2d_options two;
    posenc_sinusoidal_2d_default(&two, sizeof two);
    two.dim = 16;
    must_refuse("no extents", posenc_sinusoidal_2d_create_with(NULL, &two, &plan, &error), POSENC_ERROR_ARGUMENT,
                &error, "grid");
    two.height = 3, two.width = INT64_MIN;
    must_refuse("a negative extent", posenc_sinusoidal_2d_create_with(NULL, &two, &plan, &error), POSENC_ERROR_ARGUMENT,
                &error, "grid");
    two.width = 3, two.convention = (posenc_2d_convention)7;
    must_refuse("no such convention", posenc_sinusoidal_2d_create_with(NULL, &two, &plan, &error),
                POSENC_ERROR_ARGUMENT, &error, "convention");
    must_refuse("no options", posenc_sinusoidal_2d_create_with(NULL, NULL, &plan, &error), POSENC_ERROR_ARGUMENT,
                &error, "options");
    posenc_sinusoidal_nd_options any;
    posenc_sinusoidal_nd_default(&any, sizeof any);
    any.dim = 16;
    for (int64_t n = -1; n < 12; n++) {
        any.n_axes = n;
        if (n >= 1 && n <= 8) any.extents[n - 1] = 2;
        posenc_status status = posenc_sinusoidal_nd_create_with(NULL, &any, &plan, &error);
        if (n >= 1 && n <= 8) {
            assert_int_equal(status, POSENC_OK);
            assert_int_equal(posenc_plan_tokens(plan), 1 << n);
            posenc_plan_destroy(plan);
            plan = NULL;
        } else {
            must_refuse("a number of axes", status, POSENC_ERROR_ARGUMENT, &error, "grid");
        }
    }
    posenc_sinusoidal_3d_options three;
    posenc_sinusoidal_3d_default(&three, sizeof three);
    three.dim = 16, three.frames = 1, three.height = 2;
    must_refuse("no width", posenc_sinusoidal_3d_create_with(NULL, &three, &plan, &error), POSENC_ERROR_ARGUMENT,
                &error, "grid");
    three.width = 3, three.temporal_interpolation_scale = (double)INFINITY;
    must_refuse("an infinite scale", posenc_sinusoidal_3d_create_with(NULL, &three, &plan, &error),
                POSENC_ERROR_ARGUMENT, &error, "temporal-interpolation-scale");
    assert_null(plan);
}

/* ---- one plan, three ways ---- */

static void must_be_one(const posenc_plan *a, const posenc_plan *b) {
    int64_t tokens = posenc_plan_tokens(a), n = tokens * posenc_plan_dim(a);
    assert_int_equal(tokens, posenc_plan_tokens(b));
    assert_string_equal(posenc_plan_scheme(a), posenc_plan_scheme(b));
    float *x = must_allocate((size_t)n * sizeof *x), *y = must_allocate((size_t)n * sizeof *y);
    must_write(a, 0, tokens, POSENC_F32, x);
    must_write(b, 0, tokens, POSENC_F32, y);
    must_equal(posenc_plan_scheme(a), POSENC_F32, x, y, n);
    free(x);
    free(y);
}

/* Its parameters, read back as text, make it again. */
static void must_read_back(const posenc_plan *plan) {
    const posenc_scheme_info *info = posenc_scheme_find(posenc_plan_scheme(plan));
    char texts[16][64];
    posenc_parameter parameters[16];
    posenc_plan *again = NULL;
    for (size_t i = 0; i < info->n_parameters; i++) {
        assert_int_equal(posenc_plan_parameter(plan, info->parameters[i].name, texts[i], 64), POSENC_OK);
        parameters[i] = (posenc_parameter){info->parameters[i].name, texts[i]};
    }
    assert_int_equal(posenc_plan_create(NULL, info->name, parameters, info->n_parameters, &again, NULL), POSENC_OK);
    must_be_one(plan, again);
    posenc_plan_destroy(again);
}

static void must_agree(posenc_plan *typed, const char *scheme, const posenc_parameter *parameters, size_t n) {
    posenc_plan *named = NULL;
    posenc_error error = {0};
    check(posenc_plan_create(NULL, scheme, parameters, n, &named, &error) == POSENC_OK, "%s", error.message);
    must_be_one(typed, named);
    must_read_back(typed);
    posenc_plan_destroy(named);
    posenc_plan_destroy(typed);
}

static void test_typed_named_and_read_back_are_one(void **state) {
    (void)state;
    posenc_plan *plan;
    posenc_sinusoidal_2d_options two;
    posenc_sinusoidal_2d_default(&two, sizeof two);
    two.dim = 24, two.height = 3, two.width = 5, two.prefix = 1, two.base_size = 7, two.interpolation_scale = 0.3,
    two.base = 50;
    assert_int_equal(posenc_sinusoidal_2d_create_with(NULL, &two, &plan, NULL), POSENC_OK);
    must_agree(plan, "sinusoidal-2d",
               (posenc_parameter[]){{"dim", "24"},
                                    {"grid", "3x5"},
                                    {"prefix", "1"},
                                    {"base-size", "7"},
                                    {"interpolation-scale", "0.3"},
                                    {"base", "50"}},
               6);
    posenc_sinusoidal_2d_default(&two, sizeof two);
    two.dim = 6, two.height = 4, two.width = 2, two.convention = POSENC_2D_DETR, two.normalize = 1;
    assert_int_equal(posenc_sinusoidal_2d_create_with(NULL, &two, &plan, NULL), POSENC_OK);
    must_agree(plan, "sinusoidal-2d",
               (posenc_parameter[]){{"dim", "6"}, {"grid", "4x2"}, {"convention", "detr"}, {"normalize", "true"}}, 4);
    posenc_sinusoidal_3d_options three;
    posenc_sinusoidal_3d_default(&three, sizeof three);
    three.dim = 32, three.frames = 2, three.height = 3, three.width = 4, three.temporal_interpolation_scale = 1.875;
    assert_int_equal(posenc_sinusoidal_3d_create_with(NULL, &three, &plan, NULL), POSENC_OK);
    must_agree(plan, "sinusoidal-3d",
               (posenc_parameter[]){{"dim", "32"}, {"grid", "2x3x4"}, {"temporal-interpolation-scale", "1.875"}}, 3);
    posenc_sinusoidal_nd_options any;
    posenc_sinusoidal_nd_default(&any, sizeof any);
    any.dim = 33, any.n_axes = 4, any.convention = POSENC_ND_MULTIDIM, any.prefix = 2;
    for (int a = 0; a < 4; a++) any.extents[a] = a + 1;
    assert_int_equal(posenc_sinusoidal_nd_create_with(NULL, &any, &plan, NULL), POSENC_OK);
    must_agree(plan, "sinusoidal-nd",
               (posenc_parameter[]){{"dim", "33"}, {"grid", "1x2x3x4"}, {"convention", "multidim"}, {"prefix", "2"}},
               4);
}

/* The text of any grid fits into 64 bytes. */
static void test_longest_text(void **state) {
    (void)state;
    posenc_plan *plan;
    char text[64];
    const char *longest = "16777216x10x10x10x10x1x1x1";
    assert_int_equal(posenc_plan_create(NULL, "sinusoidal-nd", (posenc_parameter[]){{"dim", "1"}, {"grid", longest}}, 2,
                                        &plan, NULL),
                     POSENC_OK);
    assert_int_equal(posenc_plan_parameter(plan, "grid", text, sizeof text), POSENC_OK);
    assert_string_equal(text, longest);
    assert_int_equal(posenc_plan_parameter(plan, "grid", text, strlen(longest)), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_parameter(plan, "max-len", text, sizeof text), POSENC_OK);
    assert_string_equal(text, "167772160000");
    assert_int_equal(posenc_plan_tokens(plan), INT64_C(167772160000));
    posenc_plan_destroy(plan);
    plan = must_plan(NULL, &(plan_shape){.dim = 8});
    assert_int_equal(posenc_plan_tokens(plan), 0);
    posenc_plan_destroy(plan);
}

/* ---- positions and points ---- */

enum { H = 2, W = 3, TOKENS = 7, DIM = 8 };

static posenc_plan *small_plan(void) {
    posenc_plan *plan = NULL;
    const posenc_parameter p[] = {{"dim", "8"}, {"grid", "2x3"}, {"prefix", "1"}};
    assert_int_equal(posenc_plan_create(NULL, "sinusoidal-2d", p, 3, &plan, NULL), POSENC_OK);
    return plan;
}

/* A refused call: the message holds a part, and nothing is written. */
static void refuse_write(const posenc_plan *plan, const posenc_positions *positions, int64_t batch, int64_t tokens,
                         posenc_status expected, const char *part) {
    float out[4 * 16 * DIM], before[4 * 16 * DIM];
    memset(out, 0x5A, sizeof out);
    memcpy(before, out, sizeof out);
    posenc_view view;
    posenc_error error = error_blank();
    DLTensor *tensor = posenc_view_make(&view, out, POSENC_F32, 3, (int64_t[]){batch, tokens, DIM}, NULL);
    must_refuse(part, posenc_plan_write(plan, positions, tensor, &error), expected, &error, NULL);
    check(strstr(error.message, part) != NULL, "expected \"%s\" in \"%s\"", part, error.message);
    assert_memory_equal(out, before, sizeof out);
}

static void test_positions_outside(void **state) {
    (void)state;
    posenc_plan *plan = small_plan();
    posenc_positions p;
    posenc_view view;
    double value, real[] = {1, 2.5};
    int64_t far[] = {0, 6, 7}, offset[] = {0, 3};
    posenc_positions_default(&p, sizeof p);
    p.start = -1;
    refuse_write(plan, &p, 1, 2, POSENC_ERROR_POSITION,
                 "expected 0..6, the 7 tokens of the grid and its prefix, got -1 at batch 0, token 0");
    p.start = 0;
    refuse_write(plan, &p, 1, 8, POSENC_ERROR_POSITION, "got 7 at batch 0, token 7");
    p.start = INT64_MAX - 3;
    refuse_write(plan, &p, 1, 3, POSENC_ERROR_POSITION, "got 9223372036854775804");
    p.ids = posenc_view_make(&view, far, POSENC_I64, 1, (int64_t[]){3}, NULL);
    refuse_write(plan, &p, 2, 3, POSENC_ERROR_POSITION, "got 7 at batch 0, token 2");
    p.ids = posenc_view_make(&view, real, POSENC_F64, 1, (int64_t[]){2}, NULL);
    refuse_write(plan, &p, 3, 2, POSENC_ERROR_POSITION, "got 2.5 at batch 0, token 1");
    posenc_positions_default(&p, sizeof p);
    p.offsets = posenc_view_make(&view, offset, POSENC_I64, 1, (int64_t[]){2}, NULL);
    refuse_write(plan, &p, 2, 5, POSENC_ERROR_POSITION, "got 7 at batch 1, token 4");
    assert_int_equal(posenc_plan_equation(plan, 7, 0, &value), POSENC_ERROR_POSITION);
    assert_int_equal(posenc_plan_equation(plan, 1.5, 0, &value), POSENC_ERROR_POSITION);
    assert_int_equal(posenc_plan_equation(plan, 6, DIM, &value), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_equation(plan, 0, 7, &value), POSENC_OK);
    assert_true(value == 0);
    posenc_plan_destroy(plan);
}

static void test_refused_points(void **state) {
    (void)state;
    posenc_plan *plan = small_plan();
    posenc_positions p;
    posenc_view view, other;
    double points[4 * 16 * 2] = {0};
    float floats[16] = {0};
    int32_t lengths[] = {0, 5};
    posenc_positions_default(&p, sizeof p);
    p.ids = posenc_view_make(&view, points, POSENC_F64, 2, (int64_t[]){2, 2}, NULL);
    refuse_write(plan, &p, 2, 2, POSENC_ERROR_SHAPE, "got (2, 2), which is (batch, tokens) and (tokens, axes)");
    p.ids = posenc_view_make(&view, points, POSENC_F64, 3, (int64_t[]){2, 5, 3}, NULL);
    refuse_write(plan, &p, 2, 5, POSENC_ERROR_SHAPE, "expected points (5, 2) or (2, 5, 2), got (2, 5, 3)");
    p.ids = posenc_view_make(&view, points, POSENC_F64, 3, (int64_t[]){1, 5, 2}, NULL);
    refuse_write(plan, &p, 2, 5, POSENC_ERROR_SHAPE, "got (1, 5, 2)");
    p.ids = posenc_view_make(&view, points, POSENC_F64, 2, (int64_t[]){5, 3}, NULL);
    refuse_write(plan, &p, 2, 5, POSENC_ERROR_SHAPE, "got (5, 3)");
    p.ids = posenc_view_make(&view, floats, POSENC_F32, 2, (int64_t[]){5, 2}, NULL);
    refuse_write(plan, &p, 1, 5, POSENC_ERROR_DTYPE, "expected i32, i64 or f64, got f32");
    p.ids = posenc_view_make(&view, points, POSENC_F64, 2, (int64_t[]){5, 2}, NULL);
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 0x1.0000000000001p53, -1e300};
    for (int i = 0; i < 5; i++) {
        points[7] = bad[i];
        refuse_write(plan, &p, 3, 5, POSENC_ERROR_POSITION, "at batch 0, token 3, axis 1");
    }
    points[7] = 0x1p53;
    p.cu_seqlens = posenc_view_make(&other, lengths, POSENC_I32, 1, (int64_t[]){2}, NULL);
    refuse_write(plan, &p, 1, 5, POSENC_ERROR_ARGUMENT, "expected one of ids, mask and cu_seqlens, got 2");
    /* an output over its points */
    posenc_error error = error_blank();
    posenc_positions_default(&p, sizeof p);
    p.ids = posenc_view_make(&view, points, POSENC_F64, 2, (int64_t[]){5, 2}, NULL);
    DLTensor *over = posenc_view_make(&other, points, POSENC_F32, 2, (int64_t[]){5, DIM}, NULL);
    must_refuse("overlap", posenc_plan_write(plan, &p, over, &error), POSENC_ERROR_OVERLAP, &error, "out");
    /* a line has no points */
    posenc_plan *line = must_plan(NULL, &(plan_shape){.dim = DIM});
    refuse_write(line, &p, 1, 5, POSENC_ERROR_SHAPE, "got (5, 2)");
    posenc_plan_destroy(line);
    posenc_plan_destroy(plan);
}

/* Shapes that can only be one thing: indices of (batch, tokens), points of a batch of one, no tokens. */
static void test_what_ids_are(void **state) {
    (void)state;
    posenc_plan *plan = small_plan();
    int64_t indices[2][3] = {{1, 2, 3}, {6, 5, 0}}, points[3][2] = {{0, 0}, {0, 1}, {0, 2}};
    float a[2][3][DIM], b[3][DIM], row[DIM];
    posenc_positions p;
    posenc_view ids, out;
    posenc_positions_default(&p, sizeof p);
    p.ids = posenc_view_make(&ids, indices, POSENC_I64, 2, (int64_t[]){2, 3}, NULL);
    DLTensor *tensor = posenc_view_make(&out, a, POSENC_F32, 3, (int64_t[]){2, 3, DIM}, NULL);
    assert_int_equal(posenc_plan_write(plan, &p, tensor, NULL), POSENC_OK);
    for (int i = 0; i < 6; i++) {
        must_write(plan, indices[i / 3][i % 3], 1, POSENC_F32, row);
        must_equal("an index", POSENC_F32, row, a[i / 3][i % 3], DIM);
    }
    p.ids = posenc_view_make(&ids, points, POSENC_I64, 2, (int64_t[]){3, 2}, NULL);
    tensor = posenc_view_make(&out, b, POSENC_F32, 2, (int64_t[]){3, DIM}, NULL);
    assert_int_equal(posenc_plan_write(plan, &p, tensor, NULL), POSENC_OK);
    must_equal("points", POSENC_F32, a[0], b, 3 * DIM);
    p.ids = posenc_view_make(&ids, points, POSENC_I64, 2, (int64_t[]){0, 2}, NULL);
    tensor = posenc_view_make(&out, b, POSENC_F32, 2, (int64_t[]){0, DIM}, NULL);
    assert_int_equal(posenc_plan_write(plan, &p, tensor, NULL), POSENC_OK);
    must_equal("no tokens", POSENC_F32, a[0], b, 3 * DIM);
    posenc_plan_destroy(plan);
}

/* ---- DETR's masks ---- */

static void test_refused_masks(void **state) {
    (void)state;
    uint8_t mask[2 * 3 * 4] = {0};
    double out[2 * 12 * 2], before[2 * 12 * 2];
    float narrow[48];
    posenc_view in, to;
    posenc_error error;
    memset(out, 0x5A, sizeof out);
    memcpy(before, out, sizeof out);
#define MASK(rank, ...) posenc_view_make(&in, mask, POSENC_U8, rank, (int64_t[]){__VA_ARGS__}, NULL)
#define OUT(rank, ...) posenc_view_make(&to, out, POSENC_F64, rank, (int64_t[]){__VA_ARGS__}, NULL)
    must_refuse("no mask", posenc_detr_coordinates(NULL, 1, 1, OUT(2, 12, 2), &error), POSENC_ERROR_ARGUMENT, &error,
                "mask");
    must_refuse("no out", posenc_detr_coordinates(MASK(2, 3, 4), 1, 1, NULL, &error), POSENC_ERROR_ARGUMENT, &error,
                "out");
    must_refuse("one axis", posenc_detr_coordinates(MASK(1, 12), 1, 1, OUT(2, 12, 2), &error), POSENC_ERROR_SHAPE,
                &error, "mask");
    must_refuse("another rank", posenc_detr_coordinates(MASK(3, 1, 3, 4), 1, 1, OUT(2, 12, 2), &error),
                POSENC_ERROR_SHAPE, &error, "out");
    must_refuse("too few cells", posenc_detr_coordinates(MASK(2, 3, 4), 1, 1, OUT(2, 11, 2), &error),
                POSENC_ERROR_SHAPE, &error, "out");
    must_refuse("three axes", posenc_detr_coordinates(MASK(2, 3, 4), 1, 1, OUT(2, 12, 3), &error), POSENC_ERROR_SHAPE,
                &error, "out");
    must_refuse("a scale", posenc_detr_coordinates(MASK(2, 3, 4), 1, (double)NAN, OUT(2, 12, 2), &error),
                POSENC_ERROR_ARGUMENT, &error, "scale");
    must_refuse("a float mask",
                posenc_detr_coordinates(posenc_view_make(&in, narrow, POSENC_F32, 2, (int64_t[]){3, 4}, NULL), 1, 1,
                                        OUT(2, 12, 2), &error),
                POSENC_ERROR_DTYPE, &error, "mask");
    must_refuse("a float out",
                posenc_detr_coordinates(MASK(2, 3, 4), 1, 1,
                                        posenc_view_make(&to, narrow, POSENC_F32, 2, (int64_t[]){12, 2}, NULL), &error),
                POSENC_ERROR_DTYPE, &error, "out");
    must_refuse("an out that folds",
                posenc_detr_coordinates(
                    MASK(2, 3, 4), 1, 1,
                    posenc_view_make(&to, out, POSENC_F64, 2, (int64_t[]){12, 2}, (int64_t[]){0, 1}), &error),
                POSENC_ERROR_OVERLAP, &error, "out");
    must_refuse("an overlap",
                posenc_detr_coordinates(posenc_view_make(&in, out, POSENC_U8, 2, (int64_t[]){3, 4}, NULL), 1, 1,
                                        OUT(2, 12, 2), &error),
                POSENC_ERROR_OVERLAP, &error, "out");
    /* as many cells as no tensor has, of a mask without strides */
    int64_t huge[] = {INT64_C(1) << 40, INT64_C(1) << 40};
    must_refuse("huge",
                posenc_detr_coordinates(posenc_view_make(&in, mask, POSENC_U8, 2, huge, (int64_t[]){0, 0}), 1, 1,
                                        OUT(2, 12, 2), &error),
                POSENC_ERROR_SHAPE, &error, "out");
    assert_memory_equal(out, before, sizeof out);
    assert_int_equal(posenc_detr_coordinates(MASK(3, 0, 3, 4), 1, 1, OUT(3, 0, 12, 2), NULL), POSENC_OK);
    assert_int_equal(posenc_detr_coordinates(MASK(2, 0, 4), 1, 1, OUT(2, 0, 2), NULL), POSENC_OK);
    assert_memory_equal(out, before, sizeof out);
    /* counts do not look at the scale; nothing valid counts 0; strides of out are kept */
    DLTensor *axes_first = posenc_view_make(&to, out, POSENC_F64, 2, (int64_t[]){12, 2}, (int64_t[]){1, 12});
    assert_int_equal(posenc_detr_coordinates(MASK(2, 3, 4), 0, (double)NAN, axes_first, NULL), POSENC_OK);
    for (int i = 0; i < 24; i++) assert_true(out[i] == 0);
    mask[5] = 1; /* row 1, column 1 */
    assert_int_equal(posenc_detr_coordinates(MASK(2, 3, 4), 0, (double)NAN, axes_first, NULL), POSENC_OK);
    for (int i = 0; i < 12; i++) {
        assert_true(out[i] == (i % 4 == 1 && i >= 4));
        assert_true(out[12 + i] == (i / 4 == 1 && i >= 5));
    }
    assert_true(before[47] == out[47]);
#undef MASK
#undef OUT
}

/* ---- memory ---- */

/* Any allocation of making a plan or of a call may fail: nothing leaks, nothing is written. */
static void test_no_memory(void **state) {
    (void)state;
    allocator a;
    posenc_context *context = allocator_context(&a);
    const posenc_parameter p[] = {{"dim", "48"}, {"grid", "3x4x40"}, {"prefix", "2"}};
    float out[482 * 48], x[482 * 48] = {0};
    for (long k = 0;; k++) {
        posenc_plan *plan = NULL;
        posenc_error error = error_blank();
        long live = atomic_load(&a.live);
        allocator_fail(&a, k, false);
        posenc_status status = posenc_plan_create(context, "sinusoidal-3d", p, 3, &plan, &error);
        if (status == POSENC_OK) status = posenc_plan_write_f32(plan, 0, 482, out);
        if (status == POSENC_OK) status = posenc_plan_add_f32(plan, 0, 1, 482, x, x);
        bool asked = allocator_refused(&a);
        allocator_fail(&a, -1, false);
        assert_int_equal(status, asked ? POSENC_ERROR_MEMORY : POSENC_OK);
        posenc_plan_destroy(plan);
        assert_int_equal(atomic_load(&a.live), live);
        if (!asked) break;
        assert_true(k < 100);
    }
    must_equal("added to zeros", POSENC_F32, out, x, 482 * 48);
    allocator_context_end(&a, context);
}

/* What a plan says it holds is what it holds. */
static void test_plan_bytes(void **state) {
    (void)state;
    allocator a;
    posenc_context *context = allocator_context(&a);
    size_t before = atomic_load(&a.live_bytes);
    posenc_plan *plan = NULL;
    const posenc_parameter p[] = {{"dim", "768"}, {"grid", "14x14"}};
    assert_int_equal(posenc_plan_create(context, "sinusoidal-2d", p, 2, &plan, NULL), POSENC_OK);
    size_t held = atomic_load(&a.live_bytes) - before, said = posenc_plan_bytes(plan);
    check(said <= held && held - said <= 4 * 64, "%zu bytes held, %zu said", held, said); /* 64 before each block */
    posenc_plan_destroy(plan);
    allocator_context_end(&a, context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused_parameters),
                                       cmocka_unit_test(test_refused_typed_options),
                                       cmocka_unit_test(test_typed_named_and_read_back_are_one),
                                       cmocka_unit_test(test_longest_text),
                                       cmocka_unit_test(test_positions_outside),
                                       cmocka_unit_test(test_refused_points),
                                       cmocka_unit_test(test_what_ids_are),
                                       cmocka_unit_test(test_refused_masks),
                                       cmocka_unit_test(test_no_memory),
                                       cmocka_unit_test(test_plan_bytes)};
    return TEST_RUN(tests);
}
