/* Tables that no formula of ours made: none may be claimed. Many seeds of each kind, every dtype. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "match_makers.h"
#include "support/test.h"

static random_state source;

static posenc_dtype any_dtype(void) { return encoding_dtypes[random_between(&source, 0, 3)]; }

static int64_t any_of(const int64_t *list, int n) { return list[random_between(&source, 0, n - 1)]; }

static int64_t any_dim(void) {
    static const int64_t dims[] = {1, 2, 3, 4, 5, 8, 16, 33, 64, 128, 512};
    return any_of(dims, 11);
}

static int64_t any_length(void) {
    static const int64_t lengths[] = {4, 5, 8, 16, 64, 65, 100, 300, 1000};
    return any_of(lengths, 9);
}

static plan_shape any_shape(int64_t narrowest) {
    static const int64_t dims[] = {2, 3, 4, 5, 8, 16, 33, 64, 128, 512};
    plan_shape shape = {.dim = 0, .base = random_between(&source, 0, 3) ? 10000 : exp(20 * random_unit(&source))};
    while (shape.dim < narrowest) shape.dim = any_of(dims, 10);
    shape.layout = (posenc_layout)random_between(&source, 0, 2);
    shape.cos_first = (int)random_between(&source, 0, 1);
    return shape;
}

/* Claims nothing about it. Frees it. */
static void must_not_match(const char *kind, made m) {
    posenc_match match = must_match(&m);
    check(!match.scheme, "%s, %" PRId64 " x %" PRId64 " %s, came as %s", kind, m.table.rows, m.table.dim,
          posenc_dtype_name(m.table.dtype), match_text(&match));
    check(match.rows_fit == 0 && !match.base_is_known, "%s: leftovers in the answer", kind);
    made_free(&m);
}

/* ---- noise ---- */

static double normal(void) {
    return sqrt(-2 * log(1 - random_unit(&source))) * cos(6.283185307179586 * random_unit(&source));
}

static double make_uniform(void *with, int64_t row, int64_t column) {
    (void)row, (void)column;
    return *(double *)with * (2 * random_unit(&source) - 1);
}

static double make_normal(void *with, int64_t row, int64_t column) {
    (void)row, (void)column;
    return *(double *)with * normal();
}

static void test_noise(void **state) {
    (void)state;
    double sizes[] = {0.02, 1, 3};
    for (int k = 0; k < 600; k++) {
        double *size = &sizes[k % 3];
        must_not_match("uniform", made_by(make_uniform, size, any_length(), any_dim(), any_dtype()));
        must_not_match("normal", made_by(make_normal, size, any_length(), any_dim(), any_dtype()));
    }
}

/* Every bit pattern: NaN, infinities, subnormals and sizes up to the largest. */
static void test_random_bits(void **state) {
    (void)state;
    for (int k = 0; k < 400; k++) {
        made m = made_empty(any_length(), any_dim(), any_dtype());
        int64_t bytes = m.table.rows * m.table.dim * (int64_t)posenc_dtype_bytes(m.table.dtype);
        for (int64_t b = 0; b < bytes; b++) m.memory[b] = (char)random_between(&source, -128, 127);
        must_not_match("random bits", m);
    }
}

/* A few rows of noise must not look like anything either, however many of them are asked about. */
static void test_little_noise(void **state) {
    (void)state;
    double one = 1;
    for (int k = 0; k < 20000; k++) {
        int64_t rows = random_between(&source, 1, 3), dim = random_between(&source, 2, 6);
        if (rows * dim < 4) rows = 2;
        must_not_match("a little noise", made_by(make_uniform, &one, rows, dim, any_dtype()));
    }
}

/* Unit pairs at random phases pass every test but that of turning. */
static void test_random_phases(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        made m = made_empty(any_length(), 2 * random_between(&source, 1, 100), any_dtype());
        for (int64_t r = 0; r < m.table.rows; r++)
            for (int64_t i = 0; i < m.table.dim / 2; i++) {
                double phase = 6.283185307179586 * random_unit(&source);
                made_put(&m, r, k % 2 ? i : 2 * i, sin(phase));
                made_put(&m, r, k % 2 ? m.table.dim / 2 + i : 2 * i + 1, cos(phase));
            }
        must_not_match("random phases", m);
    }
}

/* ---- smooth, as training makes them ---- */

typedef struct waves {
    int n;
    double frequency[8], phase[512][8], size[512][8];
} waves;

static double make_waves(void *with, int64_t row, int64_t column) {
    const waves *w = with;
    double sum = 0;
    for (int k = 0; k < w->n; k++) sum += w->size[column][k] * sin(w->frequency[k] * (double)row + w->phase[column][k]);
    return sum;
}

static void test_smooth(void **state) {
    (void)state;
    waves *w = must_allocate(sizeof *w);
    for (int k = 0; k < 200; k++) {
        w->n = (int)random_between(&source, 1, 8);
        for (int j = 0; j < 8; j++) w->frequency[j] = j == 0 && k % 2 ? 1 : exp(-7 * random_unit(&source));
        for (int c = 0; c < 512; c++)
            for (int j = 0; j < 8; j++) {
                w->phase[c][j] = 6.283185307179586 * random_unit(&source);
                w->size[c][j] = w->n == 1 ? 1 : normal() / sqrt(w->n);
            }
        must_not_match("sums of waves", made_by(make_waves, w, any_length(), any_dim(), any_dtype()));
    }
    free(w);
}

static double make_walk(void *with, int64_t row, int64_t column) {
    double *last = with;
    last[column] = row == 0 ? normal() : last[column] + 0.05 * normal();
    return last[column];
}

static void test_random_walks(void **state) {
    (void)state;
    double last[512];
    for (int k = 0; k < 200; k++)
        must_not_match("random walks", made_by(make_walk, last, any_length(), any_dim(), any_dtype()));
}

/* ---- plain ---- */

static double make_constant(void *with, int64_t row, int64_t column) {
    (void)row, (void)column;
    return *(double *)with;
}

static double make_first_row(void *with, int64_t row, int64_t column) {
    (void)row;
    const made *m = with;
    return made_get(m, 0, column);
}

static double make_one_hot(void *with, int64_t row, int64_t column) { return row % *(int64_t *)with == column; }

static void test_plain(void **state) {
    (void)state;
    double constants[] = {1, -1, 0.5, 0.8414709848078965, 0.02, 100, (double)NAN, (double)INFINITY, -0.0, 0};
    for (int k = 0; k < 400; k++) {
        int64_t dim = any_dim();
        must_not_match("a constant", made_by(make_constant, &constants[k % 8], any_length(), dim, any_dtype()));
        must_not_match("zeros", made_by(make_constant, &constants[8 + k % 2], any_length(), dim + 1, any_dtype()));
        must_not_match("one-hot", made_by(make_one_hot, &dim, any_length(), dim, any_dtype()));
    }
}

static void test_one_row_again_and_again(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        plan_shape shape = any_shape(2);
        made row = made_sinusoidal(&shape, random_between(&source, 0, 3), 1, POSENC_F64);
        must_not_match("one row", made_by(make_first_row, &row, any_length(), shape.dim, any_dtype()));
        made_free(&row);
    }
}

/* ---- sinusoidal once ---- */

static void test_shuffled_rows(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        int64_t positions[1000], rows = 16 + any_length() % 900;
        plan_shape shape = any_shape(2);
        for (int64_t r = 0; r < rows; r++) positions[r] = r;
        for (int64_t r = rows - 1; r > 0; r--) {
            int64_t other = random_between(&source, 0, r), kept = positions[r];
            positions[r] = positions[other];
            positions[other] = kept;
        }
        must_not_match("shuffled rows", made_at(&shape, positions, rows, any_dtype()));
    }
}

static void test_other_positions(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        int64_t positions[1000], rows = any_length();
        plan_shape shape = any_shape(2);
        for (int64_t r = 0; r < rows; r++) positions[r] = k % 3 == 0 ? rows - 1 - r : k % 3 == 1 ? 2 * r + 3 : r + 17;
        must_not_match("backward, every other, or from 17", made_at(&shape, positions, rows, any_dtype()));
    }
}

/* A copy whose element (r, c) is the original's at (rows[r], columns[c]), or (rows[c], columns[r]) if turned. */
static double make_turned(void *with, int64_t row, int64_t column) { return made_get(with, column, row); }

static void test_transposed(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        plan_shape shape = any_shape(2);
        made m = made_sinusoidal(&shape, k % 3, any_length(), POSENC_F64);
        must_not_match("transposed", made_by(make_turned, &m, shape.dim, m.table.rows, any_dtype()));
        made_free(&m);
    }
}

typedef struct changed {
    const made *from;
    double scale, noise;
    int64_t columns[512];
} changed;

static double make_changed(void *with, int64_t row, int64_t column) {
    const changed *c = with;
    return c->scale * made_get(c->from, row, c->columns[column]) + c->noise * normal();
}

static void changed_table(const char *kind, changed *c, int64_t narrowest, void (*order)(int64_t *, int64_t)) {
    plan_shape shape = any_shape(narrowest);
    made m = made_sinusoidal(&shape, random_between(&source, 0, 2), 4 + any_length(), POSENC_F64);
    c->from = &m;
    for (int64_t i = 0; i < shape.dim; i++) c->columns[i] = i;
    if (order) order(c->columns, shape.dim);
    must_not_match(kind, made_by(make_changed, c, m.table.rows, shape.dim, any_dtype()));
    made_free(&m);
}

static void test_scaled(void **state) {
    (void)state;
    static const double scales[] = {0.5, 2, 22.6, -1, 0.97, 1.03};
    for (int k = 0; k < 300; k++) changed_table("scaled", &(changed){.scale = scales[k % 6]}, 2, NULL);
}

static void test_trained_further(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) changed_table("with noise", &(changed){.scale = 1, .noise = 0.05}, 2, NULL);
}

static void reverse(int64_t *columns, int64_t n) {
    for (int64_t i = 0; i < n; i++) columns[i] = n - 1 - i;
}

/* No column where it was. By half of the width would be the other order of sines and cosines. */
static void rotate(int64_t *columns, int64_t n) {
    int64_t by = random_between(&source, 1, (n - 1) / 2);
    for (int64_t i = 0; i < n; i++) columns[i] = (i + by) % n;
}

static void test_reordered_columns(void **state) {
    (void)state;
    for (int k = 0; k < 300; k++) {
        changed_table("columns backward", &(changed){.scale = 1}, 5, reverse);
        changed_table("columns rotated", &(changed){.scale = 1}, 5, rotate);
    }
}

/* Unit pairs that turn evenly, the first by 1, but not at the frequencies of any base. */
static void test_other_frequencies(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        double frequency[256];
        made m = made_empty(60 + any_length(), 2 * random_between(&source, 8, 100), any_dtype());
        for (int i = 0; i < 256; i++)
            frequency[i] = k % 3 == 0 ? exp(-9 * random_unit(&source)) : k % 3 == 1 ? 1.0 / (1 + i) : 1 - i / 128.0;
        frequency[0] = 1;
        for (int64_t r = 0; r < m.table.rows; r++)
            for (int64_t i = 0; i < m.table.dim / 2; i++) {
                made_put(&m, r, k % 2 ? i : 2 * i, sin(frequency[i] * (double)r));
                made_put(&m, r, k % 2 ? m.table.dim / 2 + i : 2 * i + 1, cos(frequency[i] * (double)r));
            }
        must_not_match("other frequencies", m);
    }
}

/* The cosine one step further down the series than its sine: a mistake that tutorials pass on. */
static double make_shifted_cosine(void *with, int64_t row, int64_t column) {
    double dim = *(double *)with, angle = (double)row * pow(10000, -(double)(column - column % 2) / dim);
    double next = (double)row * pow(10000, -(double)(column + 1) / dim);
    return column % 2 ? cos(next) : sin(angle);
}

static void test_shifted_cosines(void **state) {
    (void)state;
    for (int k = 0; k < 100; k++) {
        double dim = (double)(2 * random_between(&source, 2, 200));
        must_not_match("shifted cosines",
                       made_by(make_shifted_cosine, &dim, 4 + any_length(), (int64_t)dim, any_dtype()));
    }
}

/* Frequencies far above pi: a plan makes them, and what is said of them, if anything, makes the same values. */
static void test_tiny_bases(void **state) {
    (void)state;
    for (int k = 0; k < 300; k++) {
        plan_shape shape = any_shape(2);
        shape.base = k % 4 == 0 ? 1e-6 : exp(-13 * random_unit(&source));
        made m = made_sinusoidal(&shape, k % 3, any_length(), any_dtype());
        posenc_match match = must_match(&m);
        check(!match.scheme || makes_table(&match, &m), "%s came as %s", plan_text(&shape), match_text(&match));
        made_free(&m);
    }
}

static int start_source(void **state) {
    (void)state;
    source = random_start("match negatives");
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_random_bits),
        cmocka_unit_test(test_little_noise),
        cmocka_unit_test(test_random_phases),
        cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_random_walks),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_one_row_again_and_again),
        cmocka_unit_test(test_shuffled_rows),
        cmocka_unit_test(test_other_positions),
        cmocka_unit_test(test_transposed),
        cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_trained_further),
        cmocka_unit_test(test_reordered_columns),
        cmocka_unit_test(test_other_frequencies),
        cmocka_unit_test(test_shifted_cosines),
        cmocka_unit_test(test_tiny_bases),
    };
    test_announce_seed();
    return cmocka_run_group_tests(tests, start_source, NULL);
}
