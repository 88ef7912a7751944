/* Laws of resizing, whatever the table holds. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/isa.h"
#include "support/number.h"
#include "support/resizes.h"
#include "support/tensors.h"
#include "support/test.h"

static const double tolerance = 1e-13; /* of sums in f64 over values below 4 */

typedef struct tables {
    int64_t n_old, n_new;
    char *old, *new, *other;
} tables;

static tables tables_make(random_state *random, const resize_case *c, posenc_dtype dtype, int64_t dim) {
    tables t = {.n_old = resize_old_rows(c) * dim, .n_new = resize_new_rows(c) * dim};
    t.old = must_allocate((size_t)t.n_old * 8);
    t.new = must_allocate((size_t)t.n_new * 8);
    t.other = must_allocate((size_t)t.n_new * 8);
    random_fill(random, dtype, t.old, t.n_old);
    return t;
}

static void tables_free(tables *t) {
    free(t->old);
    free(t->new);
    free(t->other);
}

static resize_case random_case(random_state *random, int64_t most) {
    bool grid = random_between(random, 0, 2) > 0;
    resize_case c = resize_way((int)random_between(random, 0, RESIZE_WAYS - 1),
                               grid ? random_between(random, 1, most) : 1, random_between(random, 1, most),
                               grid ? random_between(random, 1, most) : 1, random_between(random, 1, most));
    c.prefix = random_between(random, 0, 3);
    return c;
}

static void check_near(const resize_case *c, const char *law, const double *a, const double *b, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        check(fabs(a[i] - b[i]) <= tolerance, "%s, %s: element %" PRId64 " is %.17g and %.17g", law, resize_text(c), i,
              a[i], b[i]);
}

/* Any bits, NaN and its payload too: a row that is taken whole is copied. */
static void random_bits(random_state *random, void *out, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)out)[i] = (unsigned char)random_u64(random);
}

static void test_same_size_copies(void **state) {
    (void)state;
    random_state random = random_start("resize same size");
    for (int round = 0; round < TEST_ROUNDS(500); round++) {
        resize_case c = random_case(&random, 9);
        posenc_dtype dtype = encoding_dtypes[round % 4];
        memcpy(c.to, c.from, sizeof c.to);
        int64_t dim = random_between(&random, 1, 40);
        tables t = tables_make(&random, &c, dtype, dim);
        size_t bytes = (size_t)t.n_old * posenc_dtype_bytes(dtype);
        random_bits(&random, t.old, bytes);
        must_resize(NULL, &c, dtype, dim, t.old, t.new);
        check(memcmp(t.old, t.new, bytes) == 0, "%s %s", resize_text(&c), posenc_dtype_name(dtype));
        tables_free(&t);
    }
}

/* Rows that are all the same stay so to the bit: tiny, huge, infinite, minus zero. */
static void test_constants_stay(void **state) {
    (void)state;
    random_state random = random_start("resize constants");
    for (int round = 0; round < TEST_ROUNDS(2000); round++) {
        resize_case c = random_case(&random, round % 20 ? 12 : 300);
        posenc_dtype dtype = encoding_dtypes[round % 4];
        size_t bytes = posenc_dtype_bytes(dtype);
        int64_t dim = random_between(&random, 1, 6);
        tables t = tables_make(&random, &c, dtype, dim);
        for (int64_t k = 0; k < dim; k++) {
            uint64_t bits = random_u64(&random), infinity = number_infinity(dtype);
            bits = number_with_sign(dtype, bits % (infinity + 1), bits >> 63);
            if (random_between(&random, 0, 9) == 0) bits = number_with_sign(dtype, 0, true);
            for (int64_t i = k; i < t.n_old; i += dim) number_store(dtype, bits, t.old + (size_t)i * bytes);
        }
        must_resize(NULL, &c, dtype, dim, t.old, t.new);
        for (int64_t i = 0; i < t.n_new; i++) {
            const char *want = t.old + (size_t)(i % dim) * bytes, *got = t.new + (size_t)i *bytes;
            check(memcmp(want, got, bytes) == 0, "%s %s: %.17g became %.17g", resize_text(&c), posenc_dtype_name(dtype),
                  number_decode(dtype, number_load(dtype, want)), number_decode(dtype, number_load(dtype, got)));
        }
        tables_free(&t);
    }
}

/* Pieces of any lengths, one after the other, are the whole, to the bit. */
static void make_in_parts(random_state *random, const posenc_context *context, const resize_case *c, posenc_dtype dtype,
                          int64_t dim, char *old, char *out) {
    posenc_view old_view, part_view;
    posenc_resize_options options = resize_options(c);
    memcpy(options.from, c->from, sizeof c->from); /* on one axis too */
    memcpy(options.to, c->to, sizeof c->to);
    int64_t rows = resize_new_rows(c), count, row_bytes = dim * (int64_t)posenc_dtype_bytes(dtype);
    DLTensor *table = posenc_view_make(&old_view, old, dtype, 2, (int64_t[]){resize_old_rows(c), dim}, NULL);
    for (options.first = 0; options.first < rows; options.first += count) {
        count = random_between(random, 1, rows - options.first);
        DLTensor *part =
            posenc_view_make(&part_view, out + options.first * row_bytes, dtype, 2, (int64_t[]){count, dim}, NULL);
        check(posenc_resize(context, &options, table, part, NULL) == POSENC_OK, "%s: part", resize_text(c));
    }
}

static void test_parts_are_the_whole(void **state) {
    (void)state;
    random_state random = random_start("resize parts");
    for (int round = 0; round < TEST_ROUNDS(400); round++) {
        posenc_context *context = isa_context((size_t)round % isa_count(), 1 + round % 3);
        resize_case c = random_case(&random, 20);
        posenc_dtype dtype = encoding_dtypes[round % 4];
        int64_t dim = random_between(&random, 1, 20);
        tables t = tables_make(&random, &c, dtype, dim);
        must_resize(NULL, &c, dtype, dim, t.old, t.new);
        make_in_parts(&random, context, &c, dtype, dim, t.old, t.other);
        check(memcmp(t.new, t.other, (size_t)t.n_new * posenc_dtype_bytes(dtype)) == 0, "%s %s", resize_text(&c),
              posenc_dtype_name(dtype));
        tables_free(&t);
        posenc_context_destroy(context);
    }
}

/* Where a straight line goes on as one: wherever no border is felt. Linear does it, and the cubic with a = -1/2. (With
 * a = -3/4 it does not; PyTorch's plain bicubic has that ripple too.) */
static void test_straight_lines_stay_straight(void **state) {
    (void)state;
    for (int64_t in = 1; in < 20; in++) {
        for (int64_t out = 1; out < 40; out++) {
            for (int way = 0; way < RESIZE_WAYS; way++) {
                resize_case c = resize_way(way, 1, in, 1, out);
                bool cubic = c.mode == POSENC_INTERPOLATION_CUBIC;
                if ((cubic && !c.antialias) || (c.antialias && in > out)) continue;
                double line[20], got[40];
                for (int64_t i = 0; i < in; i++) line[i] = 3 - 0.7 * (double)i;
                must_resize(NULL, &c, POSENC_F64, 1, line, got);
                for (int64_t o = 0; o < out; o++) {
                    double x = ((double)o + 0.5) * (double)in / (double)out - 0.5, margin = cubic ? 1 : 0;
                    if (c.align_corners) x = out > 1 ? (double)(o * (in - 1)) / (double)(out - 1) : 0;
                    if (x < margin || x > (double)(in - 1) - margin) continue;
                    check(fabs(got[o] - (3 - 0.7 * x)) <= tolerance, "%s: new %" PRId64 ": expected %.17g, got %.17g",
                          resize_text(&c), o, 3 - 0.7 * x, got[o]);
                }
            }
        }
    }
}

/* A grid is its rows resized, then its columns. */
static void by_axes(const resize_case *c, int64_t dim, const double *old, double *new) {
    resize_case h = *c, v = *c;
    h.prefix = v.prefix = 0;
    h.from[0] = h.to[0] = 1;
    v.from[0] = v.to[0] = 1, v.from[1] = c->from[0], v.to[1] = c->to[0];
    double *lines = must_allocate((size_t)(c->from[0] * c->to[1] * dim) * sizeof *lines);
    for (int64_t y = 0; y < c->from[0]; y++)
        must_resize(NULL, &h, POSENC_F64, dim, old + y * c->from[1] * dim, lines + y * c->to[1] * dim);
    must_resize(NULL, &v, POSENC_F64, c->to[1] * dim, lines, new);
    free(lines);
}

static void test_grids_are_separable(void **state) {
    (void)state;
    random_state random = random_start("resize separable");
    for (int round = 0; round < TEST_ROUNDS(400); round++) {
        resize_case c = random_case(&random, 14);
        int64_t dim = random_between(&random, 1, 5);
        tables t = tables_make(&random, &c, POSENC_F64, dim);
        double *new = (double *)(void *)t.new, *other = (double *)(void *)t.other, *old = (double *)(void *)t.old;
        must_resize(NULL, &c, POSENC_F64, dim, old, new);
        by_axes(&c, dim, old + c.prefix * dim, other);
        check_near(&c, "separable", new + c.prefix *dim, other, t.n_new - c.prefix * dim);
        tables_free(&t);
    }
}

/* out[x, y] = in[y, x] of a grid behind a prefix, or with the order of rows reversed. */
static void rearrange(const double *in, double *out, int64_t prefix, const int64_t grid[2], int64_t dim, bool reverse) {
    int64_t n = grid[0] * grid[1];
    memcpy(out, in, (size_t)(prefix * dim) * sizeof *in);
    for (int64_t i = 0; i < n; i++) {
        int64_t to = reverse ? n - 1 - i : i % grid[1] * grid[0] + i / grid[1];
        memcpy(out + (prefix + to) * dim, in + (prefix + i) * dim, (size_t)dim * sizeof *in);
    }
}

/* Resizing the rearranged grid is rearranging the resized one. */
static void check_commutes(random_state *random, bool reverse) {
    resize_case c = random_case(random, 12);
    int64_t dim = random_between(random, 1, 5);
    if (c.align_corners && reverse) c.to[0] += c.from[0] > 1, c.to[1]++; /* a single new row is the first corner */
    tables t = tables_make(random, &c, POSENC_F64, dim);
    double *turned = must_allocate((size_t)t.n_old * sizeof *turned);
    double *want = must_allocate((size_t)t.n_new * sizeof *want), *old = (double *)(void *)t.old;
    resize_case d = c;
    if (!reverse) d.from[0] = c.from[1], d.from[1] = c.from[0], d.to[0] = c.to[1], d.to[1] = c.to[0];
    rearrange(old, turned, c.prefix, c.from, dim, reverse);
    must_resize(NULL, &d, POSENC_F64, dim, turned, t.new);
    must_resize(NULL, &c, POSENC_F64, dim, old, t.other);
    rearrange((double *)(void *)t.other, want, c.prefix, c.to, dim, reverse);
    check_near(&c, reverse ? "reversed" : "transposed", want, (double *)(void *)t.new, t.n_new);
    free(turned);
    free(want);
    tables_free(&t);
}

static void test_transposed_and_reversed(void **state) {
    (void)state;
    random_state random = random_start("resize rearranged");
    for (int round = 0; round < TEST_ROUNDS(400); round++) {
        check_commutes(&random, false);
        check_commutes(&random, true);
    }
}

/* Prefix rows are copied, whatever bits they hold; the rows behind them are what they are without. */
static void test_prefix_stays(void **state) {
    (void)state;
    random_state random = random_start("resize prefix");
    for (int round = 0; round < TEST_ROUNDS(300); round++) {
        resize_case c = random_case(&random, 9), bare = c;
        posenc_dtype dtype = encoding_dtypes[round % 4];
        int64_t dim = random_between(&random, 1, 9);
        size_t head = (size_t)(c.prefix * dim) * posenc_dtype_bytes(dtype);
        tables t = tables_make(&random, &c, dtype, dim);
        random_bits(&random, t.old, head);
        bare.prefix = 0;
        must_resize(NULL, &c, dtype, dim, t.old, t.new);
        must_resize(NULL, &bare, dtype, dim, t.old + head, t.other);
        check(memcmp(t.old, t.new, head) == 0, "%s", resize_text(&c));
        must_equal(resize_text(&c), dtype, t.new + head, t.other, t.n_new - c.prefix * dim);
        tables_free(&t);
    }
}

/* One axis is a grid of one line, lying or standing, to the bit. */
static void test_one_axis_is_a_thin_grid(void **state) {
    (void)state;
    random_state random = random_start("resize thin");
    for (int round = 0; round < TEST_ROUNDS(300); round++) {
        resize_case c = random_case(&random, 20);
        c.from[0] = c.to[0] = 1;
        posenc_dtype dtype = encoding_dtypes[round % 4];
        tables t = tables_make(&random, &c, dtype, 7);
        must_resize(NULL, &c, dtype, 7, t.old, t.new);
        for (int standing = 0; standing < 2; standing++) {
            posenc_resize_options options = resize_options(&c);
            posenc_view a, b;
            options.from[standing] = options.to[standing] = 1;
            options.from[1 - standing] = c.from[1], options.to[1 - standing] = c.to[1];
            DLTensor *old = posenc_view_make(&a, t.old, dtype, 2, (int64_t[]){resize_old_rows(&c), 7}, NULL);
            DLTensor *new = posenc_view_make(&b, t.other, dtype, 2, (int64_t[]){resize_new_rows(&c), 7}, NULL);
            assert_int_equal(posenc_resize(NULL, &options, old, new, NULL), POSENC_OK);
            must_equal(resize_text(&c), dtype, t.new, t.other, t.n_new);
        }
        tables_free(&t);
    }
}

/* A channel is what it is alone, wherever it stands in a row. */
static void test_channels_are_apart(void **state) {
    (void)state;
    static const int64_t dims[] = {1, 255, 256, 257, 511, 512, 513, 700};
    random_state random = random_start("resize channels");
    for (int round = 0; round < 96; round++) {
        resize_case c = random_case(&random, 6);
        posenc_dtype dtype = encoding_dtypes[round % 4];
        int64_t dim = dims[round % 8], n = resize_old_rows(&c);
        size_t bytes = posenc_dtype_bytes(dtype);
        tables t = tables_make(&random, &c, dtype, dim);
        char *column = must_allocate((size_t)n * 8);
        must_resize(NULL, &c, dtype, dim, t.old, t.new);
        for (int64_t k = 0; k<dim; k += dim> 7 ? dim / 7 : 1) {
            for (int64_t i = 0; i < n; i++)
                memcpy(column + (size_t)i * bytes, t.old + (size_t)(i * dim + k) * bytes, bytes);
            must_resize(NULL, &c, dtype, 1, column, t.other);
            for (int64_t o = 0; o < resize_new_rows(&c); o++)
                must_equal(resize_text(&c), dtype, t.new + (size_t)(o * dim + k) * bytes, t.other + (size_t)o * bytes,
                           1);
        }
        free(column);
        tables_free(&t);
    }
}

/* A broken old row, NaN or infinite, breaks those new rows that it weighs in, and no other. */
static void check_broken(const resize_case *c, int64_t broken, double what) {
    double old[12], clean[24], got[24];
    long double weights[12];
    for (int64_t i = 0; i < c->from[1]; i++) old[i] = (double)(i * i % 7) - 3;
    must_resize(NULL, c, POSENC_F64, 1, old, clean);
    old[broken] = what;
    must_resize(NULL, c, POSENC_F64, 1, old, got);
    for (int64_t o = 0; o < c->to[1]; o++) {
        resize_weights(c, c->from[1], c->to[1], o, weights);
        bool counts = fabsl(weights[broken]) > 1e-17L;
        if (!counts)
            check(got[o] == clean[o], "%s: old %" PRId64 " broke new %" PRId64, resize_text(c), broken, o);
        else if (isnan(what))
            check(isnan(got[o]), "%s: old %" PRId64 ", new %" PRId64 " is %g", resize_text(c), broken, o, got[o]);
        else
            check(got[o] == (weights[broken] > 0 ? what : -what), "%s: old %" PRId64 ", new %" PRId64 " is %g",
                  resize_text(c), broken, o, got[o]);
    }
}

static void test_weight_0_does_not_count(void **state) {
    (void)state;
    for (int way = 0; way < RESIZE_WAYS; way++)
        for (int64_t in = 1; in <= 12; in++)
            for (int64_t out = 1; out <= 24; out++) {
                resize_case c = resize_way(way, 1, in, 1, out);
                for (int64_t broken = 0; broken < in; broken++) {
                    check_broken(&c, broken, (double)NAN);
                    check_broken(&c, broken, -(double)INFINITY);
                }
            }
}

/* Values whose differences leave the range of doubles. */
static void test_huge_values(void **state) {
    (void)state;
    const double old[2] = {DBL_MAX, -DBL_MAX};
    double got[4];
    resize_case c = resize_way(0, 1, 2, 1, 4);
    must_resize(NULL, &c, POSENC_F64, 1, old, got);
    assert_true(got[0] == DBL_MAX && got[3] == -DBL_MAX && got[1] == -got[2]);
    assert_true(fabs(got[1] / DBL_MAX - 0.5) <= 1e-15);
}

/* The case of DINOv2's issue 378: a table of 37 x 37 for pictures of 546 pixels in patches of 14. The target is 39 x 39
 * to the row, and its places are those of the ratio 37 / 39: a slope across the grid shows them. */
static void test_exact_extents(void **state) {
    (void)state;
    resize_case c = resize_way(0, 37, 37, 546 / 14, 546 / 14);
    c.prefix = 1;
    double *old = must_allocate(1370 * 2 * sizeof *old), *new = must_allocate(1522 * 2 * sizeof *new);
    for (int i = 0; i < 1370; i++) {
        old[2 * i] = i ? (i - 1) / 37 : -5;
        old[2 * i + 1] = i ? (i - 1) % 37 : -5;
    }
    must_resize(NULL, &c, POSENC_F64, 2, old, new);
    assert_true(new[0] == -5 && new[1] == -5);
    for (int i = 1; i < 1522; i++) {
        double y = ((i - 1) / 39 + 0.5) * 37 / 39 - 0.5, x = ((i - 1) % 39 + 0.5) * 37 / 39 - 0.5;
        check(fabs(new[2 * i] - fmin(fmax(y, 0), 36)) <= tolerance, "row %d: y is %.17g", i, new[2 * i]);
        check(fabs(new[2 * i + 1] - fmin(fmax(x, 0), 36)) <= tolerance, "row %d: x is %.17g", i, new[2 * i + 1]);
    }
    free(old);
    free(new);
}

/* Threads share out rows; they never change bits. */
static void test_same_bits_for_all_threads(void **state) {
    (void)state;
    random_state random = random_start("resize threads");
    for (int round = 0; round < 12; round++) {
        resize_case c = resize_way(round % RESIZE_WAYS, 20, 31, round < 6 ? 33 : 7, 41);
        posenc_dtype dtype = encoding_dtypes[round % 4];
        c.prefix = round % 3;
        tables t = tables_make(&random, &c, dtype, 300);
        must_resize(NULL, &c, dtype, 300, t.old, t.new);
        for (int threads = 2; threads <= 8; threads++) {
            posenc_context *context = isa_context(0, threads);
            memset(t.other, 0x33, (size_t)t.n_new * 8);
            must_resize(context, &c, dtype, 300, t.old, t.other);
            must_equal(resize_text(&c), dtype, t.new, t.other, t.n_new);
            posenc_context_destroy(context);
        }
        tables_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_size_copies),
        cmocka_unit_test(test_constants_stay),
        cmocka_unit_test(test_parts_are_the_whole),
        cmocka_unit_test(test_straight_lines_stay_straight),
        cmocka_unit_test(test_grids_are_separable),
        cmocka_unit_test(test_transposed_and_reversed),
        cmocka_unit_test(test_prefix_stays),
        cmocka_unit_test(test_one_axis_is_a_thin_grid),
        cmocka_unit_test(test_channels_are_apart),
        cmocka_unit_test(test_weight_0_does_not_count),
        cmocka_unit_test(test_huge_values),
        cmocka_unit_test(test_exact_extents),
        cmocka_unit_test(test_same_bits_for_all_threads),
    };
    return TEST_RUN(tests);
}
