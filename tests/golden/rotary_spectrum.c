/* Rotary frequencies: the records of vectors.json, which were computed at 50 digits from the papers, and the values
 * that public reports quote for models in use. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "support/spectra.h"
#include "support/tensors.h"
#include "support/test.h"
#include "vectors.h"

enum { MOST = 512 };

/* ---- records ---- */

static double number(const json_t *parameters, const char *name, double otherwise) {
    const json_t *value = json_object_get(parameters, name);
    return value ? json_number_value(value) : otherwise;
}

/* The family is the first word of the id's last part. */
static posenc_scaling scaling_of(const char *family) {
    static const char *const names[] = {"default",  "linear", "ntk",          "dynamic", "yarn",
                                        "longrope", "llama3", "proportional", "custom"};
    for (int i = 0; i < SPECTRA_SCALINGS; i++)
        if (strncmp(family, names[i], strlen(names[i])) == 0) return (posenc_scaling)i;
    test_failed(__FILE__, __LINE__, "a family", "%s", family);
}

/* Options of a record; its length is returned. */
static int64_t read_options(const json_t *record, const char *family, double *list, posenc_rotary_options *o) {
    const json_t *p = json_object_get(record, "parameters"), *factors = json_object_get(p, "factors");
    posenc_rotary_default(o, sizeof *o);
    o->scaling = scaling_of(family);
    o->head_dim = (int64_t)number(p, "d", number(p, "head_dim", 0));
    o->base = number(p, "base", 10000);
    o->factor = number(p, "factor", 1);
    o->original_length = (int64_t)number(p, "original", number(p, "max_position_embeddings", 0));
    o->truncate = !json_is_false(json_object_get(p, "truncate"));
    o->mscale = number(p, "mscale", 0);
    o->mscale_all_dim = number(p, "mscale_all_dim", 0);
    o->low_freq_factor = number(p, "low", 1);
    o->high_freq_factor = number(p, "high", 4);
    o->fraction = number(p, "fraction", 1);
    for (size_t i = 0; i < json_array_size(factors); i++) list[i] = json_number_value(json_array_get(factors, i));
    o->short_factor = o->long_factor = factors ? list : NULL;
    o->n_short_factor = o->n_long_factor = json_array_size(factors);
    return (int64_t)number(p, "length", 0);
}

/* A text of 21 digits, rounded to the nearest double: the only one that is right. */
static void check_double(const char *id, size_t i, const json_t *text, double got) {
    double want = strtod(json_string_value(text), NULL);
    check(got == want, "%s pair %zu: expected %.17g, got %.17g", id, i, want, got);
}

static void check_record(const json_t *record) {
    const char *id = json_string_value(json_object_get(record, "id"));
    const json_t *omega = json_object_get(record, "omega"), *parameters = json_object_get(record, "parameters");
    posenc_rotary_options o;
    posenc_rotary_info info = {.size = sizeof info};
    double list[MOST], got[MOST];
    int64_t length = read_options(record, strrchr(id, '/') + 1, list, &o);
    posenc_plan *plan = NULL;
    posenc_error error = {0};
    check(posenc_rotary_create(NULL, &o, &plan, &error) == POSENC_OK, "%s: %s", id, error.message);
    assert_int_equal(posenc_rotary_describe(plan, length, &info, got, NULL, NULL), POSENC_OK);
    check((size_t)info.pairs == json_array_size(omega), "%s: %" PRId64 " pairs", id, info.pairs);
    for (size_t i = 0; i < (size_t)info.pairs; i++) check_double(id, i, json_array_get(omega, i), got[i]);
    double amplitude = strtod(json_string_value(json_object_get(record, "amplitude")), NULL);
    check(fabs(info.amplitude / amplitude - 1) < 3e-16, "%s: amplitude %.17g", id, info.amplitude);
    const json_t *softmax = json_object_get(parameters, "softmax_factor");
    double factor = softmax ? strtod(json_string_value(softmax), NULL) : 1;
    check(fabs(info.softmax_factor / factor - 1) < 5e-16, "%s: softmax factor %.17g", id, info.softmax_factor);
    posenc_plan_destroy(plan);
}

static void test_records(void **state) {
    (void)state;
    json_t *root = vectors_load(POSENC_VECTORS);
    int n = 0;
    for (size_t i = 0; i < vectors_count(root); i++) {
        json_t *record = vectors_at(root, i, "rotary");
        if (!record || !json_object_get(record, "omega")) continue;
        check_record(record);
        n++;
    }
    json_decref(root);
    assert_int_equal(n, 13);
}

/* Letters T, H, W of sectioned and interleaved axes. */
static void test_axis_records(void **state) {
    (void)state;
    json_t *root = vectors_load(POSENC_VECTORS), *all = json_object_get(root, "vectors");
    int n = 0;
    for (size_t r = 0; r < json_array_size(all); r++) {
        const json_t *record = json_array_get(all, r), *sections = json_object_get(record, "sections");
        const char *id = json_string_value(json_object_get(record, "id"));
        const char *letters = json_string_value(json_object_get(record, "axes"));
        if (strncmp(id, "mrope/axes/", 11) != 0) continue;
        spectra_case c;
        spectra_start(&c, POSENC_SCALING_DEFAULT, 2 * (int64_t)strlen(letters), 0);
        c.options.axes = strstr(id, "interleaved") ? POSENC_AXES_INTERLEAVED : POSENC_AXES_SECTIONED;
        for (size_t a = 0; a < 3; a++) c.sections[a] = json_integer_value(json_array_get(sections, a));
        c.options.sections = c.sections, c.options.n_sections = 3;
        posenc_plan *plan = must_rotary(NULL, &c);
        posenc_rotary_info info = {.size = sizeof info};
        int64_t axis[MOST];
        assert_int_equal(posenc_rotary_describe(plan, 0, &info, NULL, axis, NULL), POSENC_OK);
        for (size_t i = 0; letters[i]; i++) check("THW"[axis[i]] == letters[i], "%s pair %zu", id, i);
        assert_int_equal(info.axes, 3);
        posenc_plan_destroy(plan);
        n++;
    }
    json_decref(root);
    assert_int_equal(n, 3);
}

/* ---- values that reports quote ---- */

typedef struct known {
    int64_t pair;
    double omega; /* nine digits */
} known;

static void describe(const spectra_case *c, int64_t length, posenc_rotary_info *info, double *omega) {
    posenc_plan *plan = must_rotary(NULL, c);
    *info = (posenc_rotary_info){.size = sizeof *info};
    assert_int_equal(posenc_rotary_describe(plan, length, info, omega, NULL, NULL), POSENC_OK);
    posenc_plan_destroy(plan);
}

static void check_known(const double *omega, const known *all, size_t n) {
    for (size_t k = 0; k < n; k++)
        check(fabs(omega[all[k].pair] / all[k].omega - 1) < 5e-8, "pair %" PRId64 ": expected %.9g, got %.9g",
              all[k].pair, all[k].omega, omega[all[k].pair]);
}

static spectra_case yarn(int64_t dim, double base, double factor, int truncate) {
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_YARN, dim, 0);
    c.options.base = base, c.options.factor = factor, c.options.truncate = truncate;
    return c;
}

static void test_yarn(void **state) {
    (void)state;
    static const known plain[] = {
        {20, 0.0562341325}, {32, 0.00653846154}, {45, 4.29402589e-4}, {46, 3.33380358e-4}, {63, 2.88695496e-5}};
    static const known whole[] = {{17, 2.27947796e-4}}, not_whole[] = {{17, 1.29318701e-4}};
    double omega[MOST];
    posenc_rotary_info info;
    spectra_case c = yarn(128, 1e4, 4, 1);
    describe(&c, 0, &info, omega);
    check_known(omega, plain, 5);
    assert_true(fabs(info.amplitude - 1.1386294361) < 1e-10);
    assert_true(info.kept == 21 && info.blended == 25 && info.divided == 18); /* 20 and 46 are the ramp's ends */
    c = yarn(64, 150000, 32, 1);
    describe(&c, 0, &info, omega);
    check_known(omega, whole, 1);
    assert_true(fabs(info.amplitude - 1.34657359028) < 1e-11 && info.kept == 9 && info.divided == 14);
    c = yarn(64, 150000, 32, 0);
    describe(&c, 0, &info, omega);
    check_known(omega, not_whole, 1);
    assert_true(info.kept == 9 && info.blended == 9 && info.divided == 14); /* 8.09 to 17.40 */
}

/* g(s), alone and as factors of the softmax scale. */
static void test_magnitudes(void **state) {
    (void)state;
    static const double g[][2] = {{4, 1.1386294}, {8, 1.2079442}, {16, 1.2772589}, {40, 1.3688879}};
    double omega[MOST];
    posenc_rotary_info info;
    for (int k = 0; k < 4; k++) {
        spectra_case c = yarn(64, 1e4, g[k][0], 1);
        describe(&c, 0, &info, omega);
        check(fabs(info.amplitude - g[k][1]) < 5e-8 && info.softmax_factor == 1, "%g", g[k][0]);
    }
    spectra_case c = yarn(64, 1e4, 40, 1);
    c.options.mscale_all_dim = 1;
    describe(&c, 0, &info, omega);
    check(fabs(info.softmax_factor - 1.87385421) < 1e-8 && fabs(info.amplitude - 1.3688879) < 5e-8, "mscale 0");
    c.options.mscale = 1;
    describe(&c, 0, &info, omega);
    check(info.amplitude == 1 && fabs(info.softmax_factor - 1.87385421) < 1e-8, "both 1: %.17g", info.amplitude);
    c.options.mscale = c.options.mscale_all_dim = 0.707;
    describe(&c, 0, &info, omega);
    check(info.amplitude == 1 && fabs(info.softmax_factor - 1.58962617) < 1e-8, "both 0.707");
    c.options.attention_factor = 0.75;
    describe(&c, 0, &info, omega);
    check(info.amplitude == 0.75 && fabs(info.softmax_factor - 1.58962617) < 1e-8, "given");
}

static void test_llama3(void **state) {
    (void)state;
    static const known small[] = {{15, 1.2905479e-3}, {16, 4.2955680e-4}, {17, 9.7082878e-5}};
    static const double shares[] = {1.207483871, 1.553414629, 2.026313206, 2.694529688, 3.684252528, 5.257326589};
    double omega[MOST], plain[MOST];
    posenc_rotary_info info;
    spectra_case c, without;
    spectra_start(&c, POSENC_SCALING_LLAMA3, 64, 0);
    c.options.base = 5e5, c.options.factor = 32, c.options.original_length = 8192;
    describe(&c, 0, &info, omega);
    check_known(omega, small, 3);
    assert_true(info.kept == 15 && info.blended == 3 && info.divided == 14);
    c.options.head_dim = 128, c.options.factor = 8;
    describe(&c, 0, &info, omega);
    assert_true(info.kept == 29 && info.blended == 6 && info.divided == 29);
    spectra_start(&without, POSENC_SCALING_DEFAULT, 128, 0);
    without.options.base = 5e5;
    describe(&without, 0, &info, plain);
    for (int k = 0; k < 6; k++)
        check(fabs(plain[29 + k] / omega[29 + k] - shares[k]) < 1e-9, "pair %d: %.10g", 29 + k,
              plain[29 + k] / omega[29 + k]);
}

/* Llama 4 has one factor for both ends: pairs of more turns than it are kept, the others divided. */
static void test_llama4(void **state) {
    (void)state;
    double omega[MOST], plain[MOST];
    posenc_rotary_info info;
    spectra_case c, without;
    spectra_start(&c, POSENC_SCALING_LLAMA3, 128, 0);
    spectra_start(&without, POSENC_SCALING_DEFAULT, 128, 0);
    c.options.base = without.options.base = 5e5;
    c.options.factor = 16, c.options.original_length = 8192, c.options.high_freq_factor = 1;
    describe(&without, 0, &info, plain);
    for (int float32 = 0; float32 < 2; float32++) {
        c.options.arithmetic = float32 ? POSENC_ARITHMETIC_FLOAT32 : POSENC_ARITHMETIC_EXACT;
        describe(&c, 0, &info, omega);
        assert_true(info.kept == 35 && info.blended == 0 && info.divided == 29);
        for (int i = 0; i < 64; i++) {
            double want = i < 35 ? plain[i] : plain[i] / 16;
            check(fabs(omega[i] / want - 1) < (float32 ? 1e-6 : 1e-15), "pair %d: %.9g", i, omega[i]);
        }
    }
}

/* theta' is the base whose last frequency is theta'^(-(d-2)/d). */
static void test_dynamic(void **state) {
    (void)state;
    double omega[MOST];
    posenc_rotary_info info;
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_DYNAMIC, 128, 0);
    c.options.factor = 2, c.options.original_length = 2048;
    describe(&c, 4096, &info, omega);
    assert_true(info.depends_on_length);
    check(fabs(pow(omega[63], -128.0 / 126) / 30527.7367488 - 1) < 1e-11, "%.15g", pow(omega[63], -128.0 / 126));
}

/* Exactly original_length takes the short factors; the amplitude follows from a factor, given or not. */
static void test_longrope(void **state) {
    (void)state;
    double at[MOST], past[MOST];
    posenc_rotary_info info;
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_LONGROPE, 96, 0);
    c.options.factor = 32;
    describe(&c, 4096, &info, at);
    describe(&c, 4097, &info, past);
    assert_true(fabs(info.amplitude - 1.19023807) < 1e-8);
    for (int i = 0; i < 48; i++) {
        double plain = pow(10000, -i / 48.0);
        assert_true(fabs(at[i] * c.lists[0][i] / plain - 1) < 1e-14);
        assert_true(fabs(past[i] * c.lists[1][i] / plain - 1) < 1e-14);
    }
    c.options.factor = 0, c.options.max_position_embeddings = 131072;
    describe(&c, 0, &info, at);
    assert_true(fabs(info.amplitude - 1.19023807) < 1e-8);
}

static void test_proportional(void **state) {
    (void)state;
    double omega[MOST];
    posenc_rotary_info info;
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_PROPORTIONAL, 512, 0);
    c.options.fraction = 0.25, c.options.base = 1e6, c.options.factor = 1;
    describe(&c, 0, &info, omega);
    assert_true(fabs(omega[63] / 0.033376247 - 1) < 1e-7 && omega[64] == 0 && omega[255] == 0);
    spectra_start(&c, POSENC_SCALING_DEFAULT, 512, 128);
    c.options.base = 1e6;
    describe(&c, 0, &info, omega);
    assert_true(info.pairs == 64 && fabs(omega[63] / 1.2409378e-6 - 1) < 1e-7);
}

/* Positions that other engines round: 50 digits of cos p, and the slow equation of a plan. */
static void test_far_cosines(void **state) {
    (void)state;
    static const struct { double position, cosine; } far[] = {{15962, -0.908015901251}, {15936, -0.267950071}};
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_DEFAULT, 64, 0);
    posenc_plan *plan = must_rotary(NULL, &c);
    for (int k = 0; k < 2; k++) {
        double value;
        assert_int_equal(posenc_plan_equation(plan, far[k].position, 0, &value), POSENC_OK);
        check(fabs(value - far[k].cosine) < 1e-9, "cos %.0f: %.12g", far[k].position, value);
    }
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),     cmocka_unit_test(test_axis_records), cmocka_unit_test(test_yarn),
        cmocka_unit_test(test_magnitudes),  cmocka_unit_test(test_llama3),       cmocka_unit_test(test_dynamic),
        cmocka_unit_test(test_llama4),      cmocka_unit_test(test_longrope),     cmocka_unit_test(test_proportional),
        cmocka_unit_test(test_far_cosines),
    };
    return TEST_RUN(tests);
}
