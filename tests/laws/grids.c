/* Laws of grids: a slice depends on one coordinate alone; a transposed grid has the same rows in another order, with
 * the other slice; prefix rows are zero; one token has one row of bits however it is asked for; a slice is an ordinary
 * encoding of its width; whole points are cells. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/isa.h"
#include "support/tensors.h"
#include "support/test.h"

static posenc_plan *must_grid(const posenc_context *context, const char *scheme, const char *convention,
                              const char *grid, int64_t dim, int64_t prefix) {
    char dim_text[24], prefix_text[24];
    snprintf(dim_text, sizeof dim_text, "%" PRId64, dim);
    snprintf(prefix_text, sizeof prefix_text, "%" PRId64, prefix);
    const posenc_parameter p[] = {
        {"convention", convention}, {"grid", grid}, {"dim", dim_text}, {"prefix", prefix_text}};
    posenc_plan *plan = NULL;
    posenc_error error = {0};
    check(posenc_plan_create(context, scheme, p, 4, &plan, &error) == POSENC_OK, "%s %s", grid, error.message);
    return plan;
}

typedef struct setting {
    const char *scheme, *convention, *grid;
    int64_t dim, prefix;
} setting;

/* Wide, narrow and lopsided grids of every convention. */
static const setting settings[] = {
    {"sinusoidal-2d", "mae", "5x37", 64, 0},
    {"sinusoidal-2d", "mae", "70x2", 20, 3},
    {"sinusoidal-2d", "mae", "1x1", 4, 0},
    {"sinusoidal-2d", "mae", "1x100", 8, 1},
    {"sinusoidal-2d", "detr", "7x40", 66, 0},
    {"sinusoidal-2d", "detr", "40x7", 2, 2},
    {"sinusoidal-3d", "cogvideox", "3x4x35", 48, 5},
    {"sinusoidal-3d", "cogvideox", "33x2x1", 16, 0},
    {"sinusoidal-nd", "tensor2tensor", "6x30", 31, 0},
    {"sinusoidal-nd", "tensor2tensor", "3x2x2x5x4", 9, 1},
    {"sinusoidal-nd", "tensor2tensor", "90", 17, 4},
    {"sinusoidal-nd", "multidim", "4x5x6", 32, 0},
    {"sinusoidal-nd", "multidim", "2x3x2x3x2x3", 15, 2},
    {"sinusoidal-nd", "multidim", "64x2", 7, 0},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static posenc_plan *plan_of(const posenc_context *context, const setting *s) {
    return must_grid(context, s->scheme, s->convention, s->grid, s->dim, s->prefix);
}

static const char *text_of(const setting *s) {
    static char text[160];
    snprintf(text, sizeof text, "%s %s %s dim %" PRId64 " prefix %" PRId64, s->scheme, s->convention, s->grid, s->dim,
             s->prefix);
    return text;
}

static void *table_of(const posenc_plan *plan, posenc_dtype dtype) {
    int64_t tokens = posenc_plan_tokens(plan);
    void *table = must_allocate((size_t)(tokens * posenc_plan_dim(plan)) * posenc_dtype_bytes(dtype));
    must_write(plan, 0, tokens, dtype, table);
    return table;
}

/* ---- shapes ---- */

/* mae: column y * W + x of H x W shows [X | Y]; of W x H, token x * H + y shows [Y | X]. detr has them the other way.
 */
static void test_transposed_grid(void **state) {
    (void)state;
    enum { H = 5, W = 37, DIM = 64 };
    static const char *const conventions[] = {"mae", "detr"};
    for (int c = 0; c < 2; c++) {
        posenc_plan *a = must_grid(NULL, "sinusoidal-2d", conventions[c], "5x37", DIM, 0);
        posenc_plan *b = must_grid(NULL, "sinusoidal-2d", conventions[c], "37x5", DIM, 0);
        float *one = table_of(a, POSENC_F32), *other = table_of(b, POSENC_F32);
        for (int64_t y = 0; y < H; y++)
            for (int64_t x = 0; x < W; x++) {
                const float *p = one + (y * W + x) * DIM, *q = other + (x * H + y) * DIM;
                must_equal("first half", POSENC_F32, p, q + DIM / 2, DIM / 2);
                must_equal("second half", POSENC_F32, p + DIM / 2, q, DIM / 2);
            }
        free(one);
        free(other);
        posenc_plan_destroy(a);
        posenc_plan_destroy(b);
    }
}

/* Each half is the one-axis encoding of its coordinate: mae's in halves, detr's interleaved. */
static void test_slices_are_sinusoidal(void **state) {
    (void)state;
    enum { H = 3, W = 70, DIM = 40 };
    for (int detr = 0; detr < 2; detr++) {
        plan_shape shape = {.dim = DIM / 2, .layout = detr ? POSENC_LAYOUT_INTERLEAVED : POSENC_LAYOUT_HALVES};
        posenc_plan *plan = must_grid(NULL, "sinusoidal-2d", detr ? "detr" : "mae", "3x70", DIM, 0);
        posenc_plan *line = must_plan(NULL, &shape);
        double *table = table_of(plan, POSENC_F64), row[DIM];
        for (int64_t y = 0; y < H; y++)
            for (int64_t x = 0; x < W; x++) {
                must_write(line, detr ? y + 1 : x, 1, POSENC_F64, row);
                must_write(line, detr ? x + 1 : y, 1, POSENC_F64, row + DIM / 2);
                must_equal("slices", POSENC_F64, table + (y * W + x) * DIM, row, DIM);
            }
        free(table);
        posenc_plan_destroy(plan);
        posenc_plan_destroy(line);
    }
}

/* One axis of tensor2tensor is its layout of the line; of multidim, at even widths, the interleaved one. */
static void test_one_axis_is_a_line(void **state) {
    (void)state;
    for (int64_t dim = 2; dim < 40; dim += 1) {
        for (int multi = 0; multi < 2; multi++) {
            if (multi && dim % 2) continue;
            plan_shape shape = {.dim = dim, .layout = multi ? POSENC_LAYOUT_INTERLEAVED : POSENC_LAYOUT_TENSOR2TENSOR};
            posenc_plan *plan = must_grid(NULL, "sinusoidal-nd", multi ? "multidim" : "tensor2tensor", "80", dim, 0);
            posenc_plan *line = must_plan(NULL, &shape);
            double *table = table_of(plan, POSENC_F64), *rows = must_allocate((size_t)(80 * dim) * sizeof *rows);
            must_write(line, 0, 80, POSENC_F64, rows);
            must_equal("a line", POSENC_F64, table, rows, 80 * dim);
            free(table);
            free(rows);
            posenc_plan_destroy(plan);
            posenc_plan_destroy(line);
        }
    }
}

/* Too narrow for its axes: nothing but zeros; what no axis fills is zero. */
static void test_narrow_rows(void **state) {
    (void)state;
    posenc_plan *plan = must_grid(NULL, "sinusoidal-nd", "tensor2tensor", "3x4x5", 5, 0);
    float *table = table_of(plan, POSENC_F32);
    for (int i = 0; i < 60 * 5; i++) assert_true(table[i] == 0 && !signbit(table[i]));
    free(table);
    posenc_plan_destroy(plan);
    plan = must_grid(NULL, "sinusoidal-nd", "multidim", "3x4x5", 3, 0); /* the last axis has no channel */
    table = table_of(plan, POSENC_F32);
    for (int i = 0; i < 60; i++) must_equal("the last axis", POSENC_F32, table + i * 3, table + i / 5 * 15, 3);
    free(table);
    posenc_plan_destroy(plan);
}

static void test_prefix_rows_are_zero(void **state) {
    (void)state;
    for (int i = 0; i < SETTINGS; i++) {
        setting s = settings[i];
        s.prefix = 3;
        posenc_plan *a = plan_of(NULL, &s);
        s.prefix = 0;
        posenc_plan *b = plan_of(NULL, &s);
        for (int d = 0; d < 4; d++) {
            size_t bytes = posenc_dtype_bytes(encoding_dtypes[d]);
            char *with = table_of(a, encoding_dtypes[d]), *without = table_of(b, encoding_dtypes[d]);
            for (size_t k = 0; k < 3 * (size_t)s.dim * bytes; k++) assert_int_equal(with[k], 0);
            assert_int_equal(posenc_plan_tokens(a), posenc_plan_tokens(b) + 3);
            must_equal(text_of(&s), encoding_dtypes[d], with + 3 * (size_t)s.dim * bytes, without,
                       posenc_plan_tokens(b) * s.dim);
            free(with);
            free(without);
        }
        posenc_plan_destroy(a);
        posenc_plan_destroy(b);
    }
}

/* ---- bits ---- */

static void check_tokens(const setting *s, const posenc_plan *plan, posenc_dtype dtype, const char *table,
                         random_state *random) {
    int64_t tokens = posenc_plan_tokens(plan), ids[40], count = 0;
    size_t row_bytes = (size_t)s->dim * posenc_dtype_bytes(dtype);
    char *mine = must_allocate((size_t)tokens * row_bytes + 1), *rows = must_allocate(40 * row_bytes);
    for (int64_t t = 0; t < tokens; t += count) { /* parts, which end anywhere in a line of cells */
        count = random_between(random, 1, 50);
        if (count > tokens - t) count = tokens - t;
        must_write(plan, t, count, dtype, mine + (size_t)t * row_bytes);
    }
    must_equal(text_of(s), dtype, table, mine, tokens * s->dim);
    for (int i = 0; i < 40; i++) ids[i] = random_between(random, 0, tokens - 1);
    must_write_ids(plan, POSENC_I64, ids, 40, dtype, rows);
    for (int i = 0; i < 40; i++)
        must_equal(text_of(s), dtype, table + (size_t)ids[i] * row_bytes, rows + (size_t)i * row_bytes, s->dim);
    free(mine);
    free(rows);
}

static void check_cursor(const setting *s, const posenc_plan *plan, const float *table) {
    posenc_cursor *cursor;
    float row[80];
    assert_int_equal(posenc_cursor_create(plan, &cursor, NULL), POSENC_OK);
    for (int64_t t = posenc_plan_tokens(plan) - 1; t >= 0; t -= 5) {
        assert_int_equal(posenc_cursor_write_f32(cursor, t, row), POSENC_OK);
        must_equal(text_of(s), POSENC_F32, table + t * s->dim, row, s->dim);
    }
    assert_int_equal(posenc_cursor_write_f32(cursor, posenc_plan_tokens(plan), row), POSENC_ERROR_POSITION);
    posenc_cursor_destroy(cursor);
}

/* x + E is x + the table's row, in one or several batch rows, from any start. */
static void check_add(const setting *s, const posenc_plan *plan, posenc_dtype dtype, random_state *random) {
    int64_t tokens = posenc_plan_tokens(plan), n = 2 * tokens * s->dim;
    size_t bytes = posenc_dtype_bytes(dtype);
    char *x = must_allocate((size_t)n * bytes), *y = must_allocate((size_t)n * bytes),
         *z = must_allocate((size_t)n * bytes);
    random_fill(random, dtype, x, n);
    must_add(plan, 0, 2, tokens, dtype, x, 0.75, y);
    for (int64_t i = 0; i < 2 * tokens; i++)
        must_add(plan, i % tokens, 1, 1, dtype, x + (size_t)(i * s->dim) * bytes, 0.75,
                 z + (size_t)(i * s->dim) * bytes);
    must_equal(text_of(s), dtype, y, z, n);
    must_add(plan, 0, 1, tokens, dtype, x, 0.75, z);
    must_equal(text_of(s), dtype, y, z, tokens * s->dim);
    free(x);
    free(y);
    free(z);
}

static void test_same_bits(void **state) {
    (void)state;
    random_state random = random_start("bits of grids");
    for (int i = 0; i < SETTINGS; i++) {
        posenc_plan *plan = plan_of(NULL, &settings[i]);
        for (int d = 0; d < 4; d++) {
            posenc_dtype dtype = encoding_dtypes[d];
            char *table = table_of(plan, dtype);
            check_tokens(&settings[i], plan, dtype, table, &random);
            check_add(&settings[i], plan, dtype, &random);
            if (dtype == POSENC_F32) check_cursor(&settings[i], plan, (const float *)(const void *)table);
            for (size_t isa = 0; isa < isa_count(); isa++) {
                posenc_context *context = isa_context(isa, 3);
                posenc_plan *other = plan_of(context, &settings[i]);
                char *rows = table_of(other, dtype);
                must_equal(text_of(&settings[i]), dtype, table, rows, posenc_plan_tokens(plan) * settings[i].dim);
                check_add(&settings[i], other, dtype, &random);
                free(rows);
                posenc_plan_destroy(other);
                posenc_context_destroy(context);
            }
            free(table);
        }
        posenc_plan_destroy(plan);
    }
}

/* A fill that goes around the caches, on any number of threads, at odd widths and offsets. */
static void test_large_fills(void **state) {
    (void)state;
    static const setting large[] = {{"sinusoidal-2d", "mae", "150x150", 200, 1},
                                    {"sinusoidal-2d", "detr", "90x250", 198, 0},
                                    {"sinusoidal-nd", "multidim", "30x30x25", 201, 0}};
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 4; d++) {
            posenc_dtype dtype = encoding_dtypes[d];
            size_t row_bytes = (size_t)large[i].dim * posenc_dtype_bytes(dtype);
            for (int threads = 1; threads <= 4; threads += 3) {
                posenc_context *context = isa_context(isa_count() - 1, threads);
                posenc_plan *plan = plan_of(context, &large[i]);
                int64_t tokens = posenc_plan_tokens(plan);
                char *table = table_of(plan, dtype), *row = must_allocate(row_bytes);
                for (int64_t t = 0; t < tokens; t += 37) {
                    must_write(plan, t, 1, dtype, row);
                    must_equal(text_of(&large[i]), dtype, row, table + (size_t)t * row_bytes, large[i].dim);
                }
                free(table);
                free(row);
                posenc_plan_destroy(plan);
                posenc_context_destroy(context);
            }
        }
}

/* ---- points ---- */

/* Coordinates of every cell, in any integer type or double, give the table; also per batch row, and with strides. */
static void test_whole_points_are_cells(void **state) {
    (void)state;
    enum { F = 3, H = 4, W = 35, N = F * H * W, DIM = 48 };
    static int32_t narrow[N][3];
    static int64_t wide[3][N]; /* axes first: strides */
    static double reals[2][N][3];
    for (int t = 0; t < N; t++) {
        const int cell[3] = {t / (H * W), t / W % H, t % W};
        for (int a = 0; a < 3; a++) {
            narrow[t][a] = cell[a];
            wide[a][t] = cell[a];
            reals[0][t][a] = reals[1][N - 1 - t][a] = cell[a];
        }
    }
    posenc_plan *plan = must_grid(NULL, "sinusoidal-3d", "cogvideox", "3x4x35", DIM, 2);
    float *table = table_of(plan, POSENC_F32), *cells = table + 2 * DIM,
          *out = must_allocate(2 * N * DIM * sizeof *out);
    posenc_view v, w;
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    DLTensor *one = posenc_view_make(&v, out, POSENC_F32, 2, (int64_t[]){N, DIM}, NULL);
    positions.ids = posenc_view_make(&w, narrow, POSENC_I32, 2, (int64_t[]){N, 3}, NULL);
    assert_int_equal(posenc_plan_write(plan, &positions, one, NULL), POSENC_OK);
    must_equal("int32 points", POSENC_F32, cells, out, N * DIM);
    positions.ids = posenc_view_make(&w, wide, POSENC_I64, 2, (int64_t[]){N, 3}, (int64_t[]){1, N});
    assert_int_equal(posenc_plan_write(plan, &positions, one, NULL), POSENC_OK);
    must_equal("int64 points", POSENC_F32, cells, out, N * DIM);
    DLTensor *two = posenc_view_make(&v, out, POSENC_F32, 3, (int64_t[]){2, N, DIM}, NULL);
    positions.ids = posenc_view_make(&w, reals, POSENC_F64, 3, (int64_t[]){2, N, 3}, NULL);
    assert_int_equal(posenc_plan_write(plan, &positions, two, NULL), POSENC_OK);
    must_equal("double points", POSENC_F32, cells, out, N * DIM);
    for (int t = 0; t < N; t++) must_equal("second row", POSENC_F32, cells + t * DIM, out + (2 * N - 1 - t) * DIM, DIM);
    free(table);
    free(out);
    posenc_plan_destroy(plan);
}

/* A point's slices are the rows of its coordinates, and adding at points is adding those rows. */
static void test_real_points(void **state) {
    (void)state;
    enum { N = 50, DIM = 24, BATCH = 2 };
    random_state random = random_start("points of grids");
    double points[N][2], row[DIM];
    static double table[N][DIM], x[BATCH][N][DIM], y[BATCH][N][DIM];
    for (int t = 0; t < N; t++)
        for (int a = 0; a < 2; a++) points[t][a] = t % 4 && t ? points[t - 1][a] : 200 * random_unit(&random) - 100;
    posenc_plan *plan = must_grid(NULL, "sinusoidal-2d", "mae", "5x6", DIM, 0);
    plan_shape shape = {.dim = DIM / 2, .layout = POSENC_LAYOUT_HALVES};
    posenc_plan *line = must_plan(NULL, &shape);
    posenc_view v, w, u;
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = posenc_view_make(&w, points, POSENC_F64, 2, (int64_t[]){N, 2}, NULL);
    DLTensor *out = posenc_view_make(&v, table, POSENC_F64, 2, (int64_t[]){N, DIM}, NULL);
    assert_int_equal(posenc_plan_write(plan, &positions, out, NULL), POSENC_OK);
    for (int t = 0; t < N; t++) {
        must_write_ids(line, POSENC_F64, &points[t][1], 1, POSENC_F64, row);
        must_write_ids(line, POSENC_F64, &points[t][0], 1, POSENC_F64, row + DIM / 2);
        must_equal("a point", POSENC_F64, row, table[t], DIM);
    }
    random_fill(&random, POSENC_F64, x, BATCH * N * DIM);
    DLTensor *tx = posenc_view_make(&u, x, POSENC_F64, 3, (int64_t[]){BATCH, N, DIM}, NULL);
    DLTensor *ty = posenc_view_make(&v, y, POSENC_F64, 3, (int64_t[]){BATCH, N, DIM}, NULL);
    assert_int_equal(posenc_plan_add(plan, &positions, tx, 1, ty, NULL), POSENC_OK);
    for (int i = 0; i < BATCH * N * DIM; i++)
        assert_true((&y[0][0][0])[i] == (&x[0][0][0])[i] + (&table[0][0])[i % (N * DIM)]);
    posenc_plan_destroy(plan);
    posenc_plan_destroy(line);
}

/* Scaled coordinates: a grid of twice the size with base-size spans the same; a scale of 2 halves. */
static void test_scaled_coordinates(void **state) {
    (void)state;
    posenc_plan *plain = must_grid(NULL, "sinusoidal-2d", "mae", "8x8", 32, 0), *based = NULL, *halved = NULL;
    const posenc_parameter p[] = {{"grid", "16x32"}, {"dim", "32"}, {"base-size", "8"}};
    const posenc_parameter q[] = {{"grid", "15x15"}, {"dim", "32"}, {"interpolation-scale", "2"}};
    assert_int_equal(posenc_plan_create(NULL, "sinusoidal-2d", p, 3, &based, NULL), POSENC_OK);
    assert_int_equal(posenc_plan_create(NULL, "sinusoidal-2d", q, 3, &halved, NULL), POSENC_OK);
    double *a = table_of(plain, POSENC_F64), *b = table_of(based, POSENC_F64), *c = table_of(halved, POSENC_F64);
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            for (int k = 0; k < 32; k++) {
                assert_true(fabs(a[(y * 8 + x) * 32 + k] - b[(2 * y * 32 + 4 * x) * 32 + k]) < 4e-15);
                assert_true(fabs(a[(y * 8 + x) * 32 + k] - c[(2 * y * 15 + 2 * x) * 32 + k]) < 4e-15);
            }
    free(a);
    free(b);
    free(c);
    posenc_plan_destroy(plain);
    posenc_plan_destroy(based);
    posenc_plan_destroy(halved);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transposed_grid),      cmocka_unit_test(test_slices_are_sinusoidal),
        cmocka_unit_test(test_one_axis_is_a_line),   cmocka_unit_test(test_narrow_rows),
        cmocka_unit_test(test_prefix_rows_are_zero), cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_large_fills),          cmocka_unit_test(test_whole_points_are_cells),
        cmocka_unit_test(test_real_points),          cmocka_unit_test(test_scaled_coordinates),
    };
    return TEST_RUN(tests);
}
