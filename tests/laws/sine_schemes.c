/* Laws of every scheme that is made of sines and cosines, for random parameters that its descriptor allows: parameters
 * read back to the same plan; one position has one row of bits however it is asked for; the slow equation agrees; pairs
 * have length 1, and a shift of the position, by a real number too, is one fixed rotation of each. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/isa.h"
#include "support/tensors.h"
#include "support/test.h"

static const char *const schemes[] = {"sinusoidal", "timestep", "fourier"};
enum { SCHEMES = sizeof schemes / sizeof *schemes, ROUNDS = 60, ROWS = 80, MOST = 16 };

/* ---- random parameters ---- */

typedef struct setting {
    const posenc_scheme_info *info;
    posenc_parameter parameters[MOST];
    char texts[MOST][64], all[MOST * 80];
} setting;

static double random_real(random_state *random, const posenc_parameter_info *p) {
    double low = p->minimum > 0 ? log2(p->minimum) : -4, high = p->maximum > 0 ? log2(p->maximum) : 0;
    switch (random_between(random, 0, 4)) {
        case 0:
            return p->minimum;
        case 1:
            return p->maximum;
        case 2:
            return floor(ldexp(exp2(low + (high - low) * random_unit(random)), 10)) / 1024; /* few digits */
        default:
            return strtod(p->default_text, NULL);
    }
}

static void random_text(random_state *random, const posenc_parameter_info *p, char text[64]) {
    int64_t n = 0;
    switch (p->kind) {
        case POSENC_PARAMETER_INTEGER:
            n = random_between(random, 0, 2) ? random_between(random, 2, 80) : (int64_t)(random_u64(random) >> 46);
            snprintf(text, 64, "%" PRId64, strcmp(p->name, "dim") == 0 ? random_between(random, 1, 80) : n);
            break;
        case POSENC_PARAMETER_REAL:
            snprintf(text, 64, "%.17g", random_real(random, p));
            break;
        case POSENC_PARAMETER_CHOICE:
            while (p->choices[n]) n++;
            snprintf(text, 64, "%s", p->choices[random_between(random, 0, n - 1)]);
            break;
        case POSENC_PARAMETER_FLAG:
            snprintf(text, 64, "%s", random_u64(random) & 1 ? "true" : "false");
            break;
        case POSENC_PARAMETER_LIST:
            text[0] = '\0';
            break;
    }
}

static void set_parameter(setting *s, const char *name, const char *text) {
    for (size_t i = 0; i < s->info->n_parameters; i++)
        if (strcmp(s->info->parameters[i].name, name) == 0) snprintf(s->texts[i], sizeof s->texts[i], "%s", text);
}

static const char *text_of(setting *s) {
    char *at = s->all + snprintf(s->all, 32, "%s", s->info->name);
    for (size_t i = 0; i < s->info->n_parameters; i++)
        at += snprintf(at, 80, " %s=%s", s->parameters[i].name, s->texts[i]);
    return s->all;
}

static posenc_plan *plan_of(const posenc_context *context, setting *s) {
    posenc_plan *plan = NULL;
    posenc_error error = {0};
    posenc_status status =
        posenc_plan_create(context, s->info->name, s->parameters, s->info->n_parameters, &plan, &error);
    check(status == POSENC_OK || status == POSENC_ERROR_ARGUMENT, "%s: %s", text_of(s), error.message);
    return plan;
}

/* Draws until the parameters go together: a scheme may refuse an odd width, say. */
static posenc_plan *random_plan(random_state *random, const char *scheme, bool exact, setting *s) {
    for (int attempt = 0; attempt < 1000; attempt++) {
        *s = (setting){.info = posenc_scheme_find(scheme)};
        assert_true(s->info && s->info->n_parameters <= MOST);
        for (size_t i = 0; i < s->info->n_parameters; i++) {
            random_text(random, &s->info->parameters[i], s->texts[i]);
            s->parameters[i] = (posenc_parameter){s->info->parameters[i].name, s->texts[i]};
        }
        if (exact) set_parameter(s, "arithmetic", "exact");
        posenc_plan *plan = plan_of(NULL, s);
        if (plan) return plan;
    }
    test_failed(__FILE__, __LINE__, "a plan", "no parameters of %s go together", scheme);
}

/* ---- bits ---- */

static void test_parameters_read_back(void **state) {
    (void)state;
    random_state random = random_start("sine schemes read back");
    for (int round = 0; round < SCHEMES * ROUNDS; round++) {
        setting s, again;
        posenc_plan *a = random_plan(&random, schemes[round % SCHEMES], false, &s);
        again = s;
        for (size_t i = 0; i < s.info->n_parameters; i++) {
            again.parameters[i].text = again.texts[i];
            assert_int_equal(posenc_plan_parameter(a, s.parameters[i].name, again.texts[i], 64), POSENC_OK);
        }
        posenc_plan *b = plan_of(NULL, &again);
        assert_non_null(b);
        int64_t dim = posenc_plan_dim(a);
        double *x = must_allocate((size_t)(ROWS * dim) * 8), *y = must_allocate((size_t)(ROWS * dim) * 8);
        must_write(a, -3, ROWS, POSENC_F64, x);
        must_write(b, -3, ROWS, POSENC_F64, y);
        must_equal(text_of(&s), POSENC_F64, x, y, ROWS * dim);
        free(x);
        free(y);
        posenc_plan_destroy(a);
        posenc_plan_destroy(b);
    }
}

static void check_cursor(setting *s, const posenc_plan *plan, int64_t start, const float *table) {
    posenc_cursor *cursor;
    float row[80];
    int64_t dim = posenc_plan_dim(plan);
    assert_int_equal(posenc_cursor_create(plan, &cursor, NULL), POSENC_OK);
    for (int64_t t = 0; t < ROWS; t += 9) {
        assert_int_equal(posenc_cursor_write_f32(cursor, start + t, row), POSENC_OK);
        must_equal(text_of(s), POSENC_F32, table + t * dim, row, dim);
    }
    posenc_cursor_destroy(cursor);
}

/* A run, whole doubles, rows backwards, single rows: on any instruction set, with any max-len. */
static void check_ways(setting *s, const posenc_plan *plan, int64_t start, posenc_dtype dtype, const char *table,
                       char *mine) {
    int64_t dim = posenc_plan_dim(plan), ids[ROWS];
    size_t row_bytes = (size_t)dim * posenc_dtype_bytes(dtype);
    double reals[ROWS];
    must_write(plan, start, ROWS, dtype, mine);
    must_equal(text_of(s), dtype, table, mine, ROWS * dim);
    for (int64_t t = 0; t < ROWS; t++) reals[t] = (double)(start + t), ids[t] = start + ROWS - 1 - t;
    must_write_ids(plan, POSENC_F64, reals, ROWS, dtype, mine);
    must_equal(text_of(s), dtype, table, mine, ROWS * dim);
    must_write_ids(plan, POSENC_I64, ids, ROWS, dtype, mine);
    for (int64_t t = 0; t < ROWS; t++)
        must_equal(text_of(s), dtype, table + (size_t)(ROWS - 1 - t) * row_bytes, mine + (size_t)t * row_bytes, dim);
    for (int64_t t = 0; t < ROWS; t += 11) {
        must_write(plan, start + t, 1, dtype, mine);
        must_equal(text_of(s), dtype, table + (size_t)t * row_bytes, mine, dim);
    }
}

/* Real positions: the same on any instruction set, with any max-len. */
static void check_reals(setting *s, const posenc_plan *a, const posenc_plan *b, posenc_dtype dtype,
                        random_state *random) {
    int64_t n = ROWS * posenc_plan_dim(a);
    double ids[ROWS];
    for (int t = 0; t < ROWS; t++) {
        double x = ldexp(2 * random_unit(random) - 1, (int)random_between(random, -5, 40));
        ids[t] = t % 2 ? x : floor(x * 16) / 16;
    }
    char *x = must_allocate((size_t)n * 8), *y = must_allocate((size_t)n * 8);
    must_write_ids(a, POSENC_F64, ids, ROWS, dtype, x);
    must_write_ids(b, POSENC_F64, ids, ROWS, dtype, y);
    must_equal(text_of(s), dtype, x, y, n);
    free(x);
    free(y);
}

static void test_one_row_of_bits(void **state) {
    (void)state;
    static const int64_t starts[] = {0, -40, 2000, -262200, INT64_C(1) << 40, -(INT64_C(1) << 53)};
    random_state random = random_start("sine schemes' bits");
    for (int round = 0; round < SCHEMES * ROUNDS; round++) {
        setting s;
        posenc_plan *first = random_plan(&random, schemes[round % SCHEMES], false, &s);
        posenc_dtype dtype = encoding_dtypes[random_between(&random, 0, 3)];
        int64_t n = ROWS * posenc_plan_dim(first), start = starts[random_between(&random, 0, 5)];
        char *table = must_allocate((size_t)n * 8), *mine = must_allocate((size_t)n * 8);
        float *narrow = must_allocate((size_t)n * sizeof *narrow);
        must_write(first, start, ROWS, dtype, table);
        must_write(first, start, ROWS, POSENC_F32, narrow);
        for (size_t isa = 0; isa < isa_count(); isa++) {
            char max_len[32];
            snprintf(max_len, sizeof max_len, "%" PRId64, (int64_t)1 << random_between(&random, 0, 20));
            set_parameter(&s, "max-len", max_len);
            posenc_context *context = isa_context(isa, (int)random_between(&random, 1, 4));
            posenc_plan *plan = plan_of(context, &s);
            check_ways(&s, plan, start, dtype, table, mine);
            check_cursor(&s, plan, start, narrow);
            check_reals(&s, first, plan, dtype, &random);
            posenc_plan_destroy(plan);
            posenc_context_destroy(context);
        }
        free(table);
        free(mine);
        free(narrow);
        posenc_plan_destroy(first);
    }
}

/* ---- values ---- */

static double number_of(const setting *s, const char *name) {
    for (size_t i = 0; i < s->info->n_parameters; i++)
        if (strcmp(s->parameters[i].name, name) == 0) return strtod(s->texts[i], NULL);
    return 0;
}

/* The largest frequency in radians per position, or more. */
static double most_radians(const setting *s) {
    if (strcmp(s->info->name, "sinusoidal") == 0) return fmax(1, 1 / number_of(s, "base"));
    if (strcmp(s->info->name, "timestep") == 0)
        return number_of(s, "angle-scale") * fmax(1, 1 / number_of(s, "max-period"));
    return fmax(fmax(3.15, 1.6 * number_of(s, "resolution")), 2 * 6.3 * 9 * number_of(s, "sigma"));
}

/* A position of which the long double of the equation can still tell the angle. */
static double random_position_of(const setting *s, random_state *random) {
    double most = log2(1e12 / most_radians(s));
    double x = ldexp(2 * random_unit(random) - 1, (int)random_between(random, -10, most > 50 ? 50 : (int64_t)most));
    return random_u64(random) & 1 ? x : floor(x);
}

static void test_equation_agrees(void **state) {
    (void)state;
    random_state random = random_start("sine schemes' equations");
    for (int round = 0; round < SCHEMES * ROUNDS; round++) {
        setting s;
        posenc_plan *plan = random_plan(&random, schemes[round % SCHEMES], true, &s);
        int64_t dim = posenc_plan_dim(plan);
        double *row = must_allocate((size_t)dim * sizeof *row), value;
        for (int k = 0; k < 30; k++) {
            double p = random_position_of(&s, &random), bound = 5e-15 + (fabs(p) + 1) * most_radians(&s) * 5e-19;
            must_write_ids(plan, POSENC_F64, &p, 1, POSENC_F64, row);
            for (int64_t i = 0; i < dim; i++) {
                assert_int_equal(posenc_plan_equation(plan, p, i, &value), POSENC_OK);
                check(fabs(row[i] - value) <= bound, "%s position %.17g column %" PRId64 ": %.17g, the equation %.17g",
                      text_of(&s), p, i, row[i], value);
            }
        }
        free(row);
        posenc_plan_destroy(plan);
    }
}

/* Where the two of a pair stand: halves, but for the paper's layout. */
static void pair_of(const setting *s, int64_t dim, int64_t i, int64_t *a, int64_t *b) {
    bool alternate = strcmp(s->info->name, "sinusoidal") == 0 && strcmp(s->texts[3], "interleaved") == 0;
    *a = alternate ? 2 * i : i;
    *b = alternate ? 2 * i + 1 : i + dim / 2;
}

typedef struct phasor {
    double x, y;
} phasor;

static phasor product(phasor a, phasor b) { return (phasor){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }

/* E(p + k) = E(p) E(k) / E(0) for each pair as a complex number; which of the two is the cosine does not matter, as
 * long as the other parity is mirrored. */
static void check_pair(setting *s, const double *rows, int64_t dim, int64_t i, bool cos_first) {
    int64_t a, b;
    phasor z[4];
    pair_of(s, dim, i, &a, &b);
    for (int r = 0; r < 4; r++) {
        double first = rows[r * dim + a], second = rows[r * dim + b];
        z[r] = cos_first ? (phasor){first, second} : (phasor){second, first};
        double length = first * first + second * second;
        check(fabs(length - 1) < 1e-14, "%s pair %" PRId64 " has length^2 %.17g", text_of(s), i, length);
    }
    phasor want = product(product(z[1], z[2]), (phasor){z[0].x, -z[0].y});
    check(fabs(want.x - z[3].x) < 1e-14 && fabs(want.y - z[3].y) < 1e-14, "%s pair %" PRId64 " is not rotated",
          text_of(s), i);
}

static void test_shifts_are_rotations(void **state) {
    (void)state;
    random_state random = random_start("sine schemes' shifts");
    for (int round = 0; round < SCHEMES * ROUNDS; round++) {
        setting s;
        posenc_plan *plan = random_plan(&random, schemes[round % SCHEMES], true, &s);
        int64_t dim = posenc_plan_dim(plan);
        double p = floor(ldexp(random_unit(&random), 40)) / 1024, k = floor(ldexp(random_unit(&random), 30)) / 1024;
        const double ids[4] = {0, round % 2 ? p : floor(p), k, (round % 2 ? p : floor(p)) + k};
        double *rows = must_allocate((size_t)(4 * dim) * sizeof *rows);
        bool cos_first = false;
        for (size_t i = 0; i < s.info->n_parameters; i++)
            cos_first =
                cos_first || (strcmp(s.parameters[i].name, "cos-first") == 0 && strcmp(s.texts[i], "true") == 0);
        must_write_ids(plan, POSENC_F64, ids, 4, POSENC_F64, rows);
        for (int64_t i = 0; i < dim / 2; i++) check_pair(&s, rows, dim, i, cos_first);
        for (int64_t i = 0; i < 4 * dim; i++) assert_true(rows[i] >= -1 - 1e-15 && rows[i] <= 1 + 1e-15);
        free(rows);
        posenc_plan_destroy(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parameters_read_back),
                                       cmocka_unit_test(test_one_row_of_bits), cmocka_unit_test(test_equation_agrees),
                                       cmocka_unit_test(test_shifts_are_rotations)};
    return TEST_RUN(tests);
}
