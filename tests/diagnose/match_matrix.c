/* Tables of every layout, width, base, dtype, arithmetic, start and length: the answer is the maker's formula, or one
 * that makes the same values. Where a table holds enough to tell, it is the maker's. Without an argument each layout,
 * width and base comes with a few random choices of the rest; with one, everything comes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "match_makers.h"
#include "support/test.h"

static const int64_t dims[] = {1, 2, 3, 5, 8, 16, 33, 64, 128, 512};
static const double bases[] = {100, 500, 1234.5, 10000, 1e6, 1e8, 5e5};
static const int64_t lengths[] = {1, 2, 3, 7, 64, 300, 5000};
enum { N_DIMS = 10, N_BASES = 7, N_LENGTHS = 7 };

typedef struct table_case {
    plan_shape shape;
    posenc_dtype dtype;
    int64_t start, rows;
} table_case;

static const char *case_text(const table_case *c) {
    static char text[256];
    snprintf(text, sizeof text, "%s, %s, %" PRId64 " rows from %" PRId64, plan_text(&c->shape),
             posenc_dtype_name(c->dtype), c->rows, c->start);
    return text;
}

/* Hardly anything to see: two numbers beyond what a base is made of, or nothing but zeros and ones. */
static bool is_nearly_blank(const made *m) {
    static const int bits[] = {[POSENC_F32] = 24, [POSENC_F64] = 53, [POSENC_F16] = 11, [POSENC_BF16] = 8};
    int64_t sum = 0, enough = 18 + 2 * bits[m->table.dtype];
    for (int64_t r = 0; r < m->table.rows && sum < enough; r++)
        for (int64_t c = 0; c < m->table.dim; c++) {
            double value = made_get(m, r, c);
            sum += value == 0 || value == 1 || value == -1 ? 1 : bits[m->table.dtype];
        }
    return sum < enough;
}

static bool is_rich(const table_case *c) {
    if (c->shape.dim < 16) return false;
    return c->dtype == POSENC_F32 || c->dtype == POSENC_F64 ? c->rows >= 64 : c->rows >= 300;
}

/* Float32 angles are off by more than f32 can round away, in many columns. */
static bool shows_arithmetic(const table_case *c) {
    return c->shape.dim >= 64 && c->rows >= 300 && (c->dtype == POSENC_F32 || c->dtype == POSENC_F64);
}

/* A 16-bit table does not hold the digits of such a base. */
static bool is_too_long(const table_case *c) {
    return c->shape.base == 1234.5 && (c->dtype == POSENC_F16 || c->dtype == POSENC_BF16);
}

static void check_rich(const table_case *c, const posenc_match *match) {
    check(match->layout == c->shape.layout && match->base == c->shape.base && match->base_is_known, "%s came as %s",
          case_text(c), match_text(match));
    check(match->doubled_exponent == (c->shape.base == 1e8), "%s came as %s", case_text(c), match_text(match));
    bool told = c->shape.arithmetic == POSENC_ARITHMETIC_EXACT || shows_arithmetic(c);
    check(!told || match->arithmetic == c->shape.arithmetic, "%s came as %s", case_text(c), match_text(match));
}

static void one_table(const table_case *c) {
    made m = made_sinusoidal(&c->shape, c->start, c->rows, c->dtype);
    posenc_match match = must_match(&m);
    check(match.scheme || is_nearly_blank(&m), "%s: no formula", case_text(c));
    if (match.scheme) {
        check(makes_table(&match, &m), "%s came as %s", case_text(c), match_text(&match));
        check(match.rows_fit == match.rows, "%s came as %s", case_text(c), match_text(&match));
        check(c->shape.dim == 1 || match.start == c->start, "%s came as %s", case_text(c), match_text(&match));
        if (is_rich(c) && !is_too_long(c)) {
            check(match.cos_first == c->shape.cos_first, "%s came as %s", case_text(c), match_text(&match));
            check_rich(c, &match);
        }
    }
    made_free(&m);
}

static table_case case_of(int64_t dim, double base, int layout, int cos_first) {
    return (table_case){
        .shape = {.dim = dim, .base = base, .layout = (posenc_layout)layout, .cos_first = cos_first, .max_len = 5002}};
}

static void set_rest(table_case *c, int64_t k) {
    c->dtype = encoding_dtypes[k % 4];
    c->shape.arithmetic = (posenc_arithmetic)(k / 4 % 3);
    c->start = k / 12 % 3;
    c->rows = lengths[k / 36];
}

enum { N_REST = 36 * N_LENGTHS, N_SHAPES = N_DIMS * N_BASES * 6 };

static table_case shape_case(int k) { return case_of(dims[k / 6 % N_DIMS], bases[k / 6 / N_DIMS], k % 3, k / 3 % 2); }

static void test_some(void **state) {
    (void)state;
    random_state random = random_start("match matrix");
    for (int k = 0; k < N_SHAPES; k++)
        for (int j = 0; j < 6; j++) {
            table_case c = shape_case(k);
            set_rest(&c, random_between(&random, 0, N_REST - 1));
            one_table(&c);
        }
}

static void test_all(void **state) {
    (void)state;
    for (int k = 0; k < N_SHAPES; k++)
        for (int64_t j = 0; j < N_REST; j++) {
            table_case c = shape_case(k);
            set_rest(&c, j);
            one_table(&c);
        }
}

int main(int argc, char **argv) {
    const struct CMUnitTest some[] = {cmocka_unit_test(test_some)};
    const struct CMUnitTest all[] = {cmocka_unit_test(test_all)};
    (void)argv;
    return argc > 1 ? TEST_RUN(all) : TEST_RUN(some);
}
