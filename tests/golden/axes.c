/* Grids: the records of vectors.json, random options against MPFR for every convention, token by token and at points,
 * and DETR's coordinates of masked images. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid_oracle.h"
#include "support/isa.h"
#include "support/test.h"
#include "sweep.h"
#include "vectors.h"

/* ---- records ---- */

static const char *const schemes[] = {"sinusoidal-2d", "sinusoidal-3d", "sinusoidal-nd"};
static const struct {
    const char *name;
    grid_convention convention;
} conventions[] = {{"mae", GRID_MAE},
                   {"detr", GRID_DETR},
                   {"cogvideox", GRID_COGVIDEOX},
                   {"tensor2tensor", GRID_TENSOR2TENSOR},
                   {"multidim", GRID_MULTIDIM}};

static grid_case case_of(json_t *record) {
    grid_case c = {.base = 10000, .scale = 1, .temporal = 1};
    const char *name = json_string_value(json_object_get(record, "convention"));
    size_t i = 0;
    while (i < 5 && strcmp(name, conventions[i].name) != 0) i++;
    assert_true(i < 5);
    c.convention = conventions[i].convention;
    c.dim = json_integer_value(json_object_get(record, "dim"));
    json_t *grid = json_object_get(record, "grid"), *base = json_object_get(record, "temperature");
    c.axes = (int64_t)json_array_size(grid);
    for (int64_t a = 0; a < c.axes; a++) c.extents[a] = json_integer_value(json_array_get(grid, (size_t)a));
    if (base) c.base = json_number_value(base);
    return c;
}

/* The points of a record with a mask, (tokens, 2); NULL without one. */
static double *points_of(json_t *record, const grid_case *c) {
    json_t *valid = json_object_get(record, "valid");
    int64_t cells = c->extents[0] * c->extents[1];
    if (!valid) return NULL;
    bool normalize = json_is_true(json_object_get(record, "normalize"));
    int32_t *mask = must_allocate((size_t)cells * sizeof *mask);
    double *points = must_allocate((size_t)cells * 2 * sizeof *points);
    for (int64_t i = 0; i < cells; i++)
        mask[i] = (int32_t)json_integer_value(
            json_array_get(json_array_get(valid, (size_t)(i / c->extents[1])), (size_t)(i % c->extents[1])));
    posenc_view in, out;
    DLTensor *tensor = posenc_view_make(&out, points, POSENC_F64, 2, (int64_t[]){cells, 2}, NULL);
    assert_int_equal(posenc_detr_coordinates(posenc_view_make(&in, mask, POSENC_I32, 2, c->extents, NULL), normalize,
                                             8 * atan(1), tensor, NULL),
                     POSENC_OK);
    free(mask);
    return points;
}

static void write_points(const posenc_plan *plan, posenc_dtype ids_dtype, const void *points, int64_t n, int64_t axes,
                         posenc_dtype dtype, void *out) {
    union {
        const void *input;
        void *data;
    } unqualified = {points};
    posenc_view ids, rows;
    posenc_positions positions;
    posenc_error error;
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = posenc_view_make(&ids, unqualified.data, ids_dtype, 2, (int64_t[]){n, axes}, NULL);
    DLTensor *tensor = posenc_view_make(&rows, out, dtype, 2, (int64_t[]){n, posenc_plan_dim(plan)}, NULL);
    check(posenc_plan_write(plan, &positions, tensor, &error) == POSENC_OK, "%s", error.message);
}

/* 15 digits are given. */
static void check_record(json_t *record, const posenc_context *context) {
    const char *id = json_string_value(json_object_get(record, "id"));
    grid_case c = case_of(record);
    json_t *rows = json_object_get(record, "rows");
    int64_t n = (int64_t)json_array_size(rows);
    double *points = points_of(record, &c), *wide = must_allocate((size_t)(n * c.dim) * sizeof *wide);
    float *narrow = must_allocate((size_t)(n * c.dim) * sizeof *narrow);
    posenc_plan *plan = grid_plan(context, &c);
    assert_int_equal(posenc_plan_tokens(plan), n);
    if (points) {
        write_points(plan, POSENC_F64, points, n, 2, POSENC_F64, wide);
        write_points(plan, POSENC_F64, points, n, 2, POSENC_F32, narrow);
    } else {
        must_write(plan, 0, n, POSENC_F64, wide);
        must_write(plan, 0, n, POSENC_F32, narrow);
    }
    for (int64_t i = 0; i < n * c.dim; i++) {
        const char *text =
            json_string_value(json_array_get(json_array_get(rows, (size_t)(i / c.dim)), (size_t)(i % c.dim)));
        double known = strtod(text, NULL), value = known;
        check(fabs(wide[i] - known) <= 5e-15, "%s token %" PRId64 " column %" PRId64 ": expected %s, got %.17g", id,
              i / c.dim, i % c.dim, text, wide[i]);
        check(fabs((double)narrow[i] - known) <= 0x1p-24 * fabs(known) + 5e-15,
              "%s token %" PRId64 " column %" PRId64 ": expected %s, got %.9g", id, i / c.dim, i % c.dim, text,
              (double)narrow[i]);
        if (!points) assert_int_equal(posenc_plan_equation(plan, (double)(i / c.dim), i % c.dim, &value), POSENC_OK);
        check(fabs(value - known) <= 2e-15, "%s equation token %" PRId64 " column %" PRId64 ": expected %s, got %.17g",
              id, i / c.dim, i % c.dim, text, value);
    }
    posenc_plan_destroy(plan);
    free(points);
    free(wide);
    free(narrow);
}

static void test_records(void **state) {
    (void)state;
    json_t *root = vectors_load(POSENC_VECTORS), *record;
    int n = 0;
    for (size_t isa = 0; isa < isa_count(); isa++) {
        posenc_context *context = isa_context(isa, 1);
        for (size_t i = 0; i < vectors_count(root); i++)
            for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++)
                if ((record = vectors_at(root, i, schemes[s]))) check_record(record, context), n++;
        posenc_context_destroy(context);
    }
    assert_int_equal(n, 7 * (int)isa_count());
    json_decref(root);
}

/* ---- random options ---- */

enum { ROUNDS = 60, TOKENS = 24, POINTS = 8 };

/* The equation runs in long double: what its 64 bits leave of the largest angle of a case. */
static double equation_error(const grid_case *c) {
    double least = c->scale < c->temporal ? c->scale : c->temporal, u = 100 / (least < 1 ? least : 1);
    return 1e-14 + u * (c->base < 1 ? 1 / c->base : 1) * 1e-18;
}

static void check_tokens(const grid_case *c, const posenc_plan *plan, random_state *random, tally *t) {
    int64_t tokens = posenc_plan_tokens(plan), ids[TOKENS];
    mpfr_t exact;
    mpfr_init2(exact, ORACLE_BITS);
    for (int r = 0; r < TOKENS; r++) ids[r] = r < 2 ? r * (tokens - 1) : random_between(random, 0, tokens - 1);
    sweep_rows rows = sweep_write(plan, POSENC_I64, ids, TOKENS);
    for (int r = 0; r < TOKENS; r++)
        for (int64_t column = 0; column < c->dim; column += 1 + c->dim / 24) {
            double value;
            char what[400];
            snprintf(what, sizeof what, "%s isa %s token %" PRId64, grid_text(c), posenc_plan_isa(plan), ids[r]);
            grid_value(c, ids[r], column, exact);
            sweep_value(t, &rows, r, column, exact, what);
            assert_int_equal(posenc_plan_equation(plan, (double)ids[r], column, &value), POSENC_OK);
            check(fabs(value - mpfr_get_d(exact, MPFR_RNDN)) <= equation_error(c),
                  "%s column %" PRId64 ": the equation gives %.17g", what, column, value);
        }
    sweep_free(&rows);
    mpfr_clear(exact);
}

/* Near the grid, between its cells, and far off. */
static double random_coordinate(random_state *random) {
    switch (random_between(random, 0, 3)) {
        case 0:
            return (double)random_between(random, -3, 80);
        case 1:
            return (double)random_between(random, -64, 6400) / 64;
        case 2:
            return ldexp(2 * random_unit(random) - 1, (int)random_between(random, -60, 53));
        default:
            return 100 * random_unit(random);
    }
}

static void check_points(const grid_case *c, const posenc_plan *plan, random_state *random, tally *t) {
    double points[POINTS * 8];
    mpfr_t exact;
    mpfr_init2(exact, ORACLE_BITS);
    for (int64_t i = 0; i < POINTS * c->axes; i++) points[i] = random_coordinate(random);
    sweep_rows rows = {.n = POINTS, .dim = c->dim};
    for (int d = 0; d < 4; d++) {
        rows.rows[d] = must_allocate((size_t)(POINTS * c->dim) * 8);
        write_points(plan, POSENC_F64, points, POINTS, c->axes, encoding_dtypes[d], rows.rows[d]);
    }
    for (int r = 0; r < POINTS; r++)
        for (int64_t column = 0; column < c->dim; column += 1 + c->dim / 24) {
            char what[400];
            snprintf(what, sizeof what, "%s isa %s point %d", grid_text(c), posenc_plan_isa(plan), r);
            grid_point_value(c, points + r * c->axes, column, exact);
            sweep_value(t, &rows, r, column, exact, what);
        }
    sweep_free(&rows);
    mpfr_clear(exact);
}

static void test_random_options(void **state) {
    (void)state;
    random_state random = random_start("grids");
    tally t = {{0}, {0}, {0}};
    for (int round = 0; round < ROUNDS; round++) {
        posenc_context *context = isa_context((size_t)(round / 5) % isa_count(), 1);
        grid_case c = grid_random(&random, (grid_convention)(round % 5));
        posenc_plan *plan = grid_plan(context, &c);
        check_tokens(&c, plan, &random, &t);
        check_points(&c, plan, &random, &t);
        posenc_plan_destroy(plan);
        posenc_context_destroy(context);
    }
    tally_print("grids,", &t);
    check(t.wrong[0] * 10000 < t.values[0], "%" PRId64 " of %" PRId64 " f32 values not correctly rounded", t.wrong[0],
          t.values[0]);
}

/* ---- DETR's coordinates ---- */

/* The counts of a cell, by looking at every cell of its column and row. */
static void count(const uint8_t *mask, int64_t height, int64_t width, int64_t y, int64_t x, double now[2],
                  double last[2]) {
    now[0] = now[1] = last[0] = last[1] = 0;
    for (int64_t i = 0; i < height; i++) last[0] += mask[i * width + x] != 0, now[0] += i <= y && mask[i * width + x];
    for (int64_t i = 0; i < width; i++) last[1] += mask[y * width + i] != 0, now[1] += i <= x && mask[y * width + i];
}

static void test_detr_coordinates(void **state) {
    (void)state;
    random_state random = random_start("detr coordinates");
    for (int round = 0; round < 60; round++) {
        int64_t batch = random_between(&random, 1, 3), height = random_between(&random, 1, 9);
        int64_t width = random_between(&random, 1, 9), cells = height * width;
        double scale = round % 3 ? 8 * atan(1) : 100 * random_unit(&random);
        uint8_t mask[3 * 81];
        double out[3 * 81 * 2 + 1], now[2], last[2];
        for (int64_t i = 0; i < batch * cells; i++) mask[i] = (uint8_t)(random_between(&random, 0, 3) ? 7 : 0);
        posenc_view in, to;
        DLTensor *m = posenc_view_make(&in, mask, POSENC_U8, 3, (int64_t[]){batch, height, width}, NULL);
        DLTensor *o = posenc_view_make(&to, out, POSENC_F64, 3, (int64_t[]){batch, cells, 2}, NULL);
        assert_int_equal(posenc_detr_coordinates(m, round % 2, scale, o, NULL), POSENC_OK);
        for (int64_t i = 0; i < batch * cells; i++) {
            count(mask + i / cells * cells, height, width, i % cells / width, i % width, now, last);
            for (int a = 0; a < 2; a++) {
                double want = round % 2 ? now[a] / (last[a] + 1e-6) * scale : now[a];
                check(fabs(out[2 * i + a] - want) <= 1e-15 * fabs(want),
                      "cell %" PRId64 " axis %d: expected %.17g, got %.17g", i, a, want, out[2 * i + a]);
            }
        }
    }
}

/* An image that is valid everywhere has the rows of its grid. */
static void test_detr_without_padding(void **state) {
    (void)state;
    enum { H = 5, W = 9, DIM = 30 };
    uint8_t mask[H * W];
    double points[H * W * 2], a[H * W * DIM], b[H * W * DIM];
    memset(mask, 1, sizeof mask);
    for (int normalize = 0; normalize < 2; normalize++) {
        grid_case c = {.convention = GRID_DETR,
                       .dim = DIM,
                       .axes = 2,
                       .extents = {H, W},
                       .base = 10000,
                       .scale = 1,
                       .temporal = 1,
                       .normalize = normalize != 0};
        posenc_plan *plan = grid_plan(NULL, &c);
        c.normalize = false;
        posenc_plan *plain = grid_plan(NULL, &c);
        posenc_view in, to;
        DLTensor *m = posenc_view_make(&in, mask, POSENC_BOOL, 2, (int64_t[]){H, W}, NULL);
        DLTensor *o = posenc_view_make(&to, points, POSENC_F64, 2, (int64_t[]){H * W, 2}, NULL);
        assert_int_equal(posenc_detr_coordinates(m, normalize, 8 * atan(1), o, NULL), POSENC_OK);
        must_write(plan, 0, H * W, POSENC_F64, a);
        write_points(plain, POSENC_F64, points, H * W, 2, POSENC_F64, b);
        for (int i = 0; i < H * W * DIM; i++) assert_true(fabs(a[i] - b[i]) <= (normalize ? 5e-15 : 0));
        posenc_plan_destroy(plan);
        posenc_plan_destroy(plain);
    }
}

static int end(void **state) {
    (void)state;
    mpfr_free_cache();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_records), cmocka_unit_test(test_random_options),
                                       cmocka_unit_test(test_detr_coordinates),
                                       cmocka_unit_test(test_detr_without_padding)};
    test_announce_seed();
    return cmocka_run_group_tests(tests, NULL, end);
}
