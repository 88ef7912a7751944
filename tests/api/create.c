/* Making plans: by name and by typed options, refusals, and parameters that read back. */
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

static char somewhere;
#define UNTOUCHED ((posenc_plan *)(void *)&somewhere)

static void refuse_named(const char *scheme, const posenc_parameter *parameters, size_t n, posenc_status expected,
                         const char *argument) {
    posenc_plan *plan = UNTOUCHED;
    posenc_error error = error_blank();
    char what[200];
    snprintf(what, sizeof what, "create %s with %s = %s", scheme ? scheme : "NULL",
             n && parameters && parameters[0].name ? parameters[0].name : "nothing",
             n && parameters && parameters[0].text ? parameters[0].text : "NULL");
    must_refuse(what, posenc_plan_create(NULL, scheme, parameters, n, &plan, &error), expected, &error, argument);
    assert_ptr_equal(plan, UNTOUCHED);
    assert_int_equal(posenc_plan_create(NULL, scheme, parameters, n, &plan, NULL), expected);
}

static void refuse_value(const char *name, const char *text) {
    const posenc_parameter both[] = {{name, text}, {"dim", "8"}};
    refuse_named("sinusoidal", both, strcmp(name, "dim") == 0 ? 1 : 2, POSENC_ERROR_ARGUMENT, name);
}

static void test_refused_values(void **state) {
    (void)state;
    static const char *const dims[] = {
        "0",  "-1", "16777217", "1099511627776", "9223372036854775808", "abc", "", " 8", "8 ", "8.0", "0x8", "1e3",
        "+8", "8k", "nan"};
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) refuse_value("dim", dims[i]);
    static const char *const bases[] = {"0", "-1",  "nan",  "inf", "-inf", "9e-7", "1.1e30",
                                        "",  "ten", "1e4x", "1,5", "0x10", "1e999"};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) refuse_value("base", bases[i]);
    static const char *const layouts[] = {"", "half", "Interleaved", "0", "halves "};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) refuse_value("layout", layouts[i]);
    static const char *const flags[] = {"", "yes", "1", "True", "0"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) refuse_value("cos-first", flags[i]);
    refuse_value("arithmetic", "float64");
    refuse_value("max-len", "-1");
    refuse_value("max-len", "9223372036854775808");
}

static void test_refused_names(void **state) {
    (void)state;
    const posenc_parameter dim = {"dim", "8"}, unknown[] = {{"bass", "10"}, {"dim", "8"}},
                           twice[] = {{"dim", "8"}, {"dim", "8"}};
    const posenc_parameter no_name = {NULL, "8"}, no_text = {"dim", NULL};
    refuse_named("sinusodial", &dim, 1, POSENC_ERROR_UNKNOWN, "scheme");
    refuse_named("no such thing at all", &dim, 1, POSENC_ERROR_UNKNOWN, "scheme");
    refuse_named("", &dim, 1, POSENC_ERROR_UNKNOWN, "scheme");
    refuse_named(NULL, &dim, 1, POSENC_ERROR_ARGUMENT, "scheme");
    refuse_named("sinusoidal", unknown, 2, POSENC_ERROR_UNKNOWN, NULL);
    refuse_named("sinusoidal", twice, 2, POSENC_ERROR_ARGUMENT, "dim");
    refuse_named("sinusoidal", NULL, 0, POSENC_ERROR_ARGUMENT, "dim"); /* required */
    refuse_named("sinusoidal", NULL, 1, POSENC_ERROR_ARGUMENT, NULL);
    refuse_named("sinusoidal", &no_name, 1, POSENC_ERROR_ARGUMENT, NULL);
    refuse_named("sinusoidal", &no_text, 1, POSENC_ERROR_ARGUMENT, NULL);
    posenc_error error = error_blank();
    must_refuse("no out", posenc_plan_create(NULL, "sinusoidal", &dim, 1, NULL, &error), POSENC_ERROR_ARGUMENT, &error,
                "out");
}

/* A mistyped name is answered with the nearest known one. */
static void test_nearest_name_in_message(void **state) {
    (void)state;
    posenc_plan *plan;
    posenc_error error = error_blank();
    posenc_plan_create(NULL, "sinusodial", NULL, 0, &plan, &error);
    assert_non_null(strstr(error.message, "\"sinusodial\""));
    assert_non_null(strstr(error.message, "\"sinusoidal\""));
    posenc_plan_create(NULL, "sinusoidal", (posenc_parameter[]){{"bass", "1"}}, 1, &plan, &error);
    assert_non_null(strstr(error.message, "\"base\""));
}

static void refuse_typed(posenc_sinusoidal_options o, const char *argument) {
    posenc_plan *plan = UNTOUCHED;
    posenc_error error = error_blank();
    must_refuse("typed options", posenc_sinusoidal_create_with(NULL, &o, &plan, &error), POSENC_ERROR_ARGUMENT, &error,
                argument);
    assert_ptr_equal(plan, UNTOUCHED);
    assert_int_equal(posenc_sinusoidal_create_with(NULL, &o, &plan, NULL), POSENC_ERROR_ARGUMENT);
}

static posenc_sinusoidal_options typed(void) {
    posenc_sinusoidal_options o;
    memset(&o, 0xEE, sizeof o);
    posenc_sinusoidal_default(&o, sizeof o);
    return o;
}

static void test_refused_typed_options(void **state) {
    (void)state;
    posenc_sinusoidal_options o = typed();
    assert_true(o.size == sizeof o && o.dim == 0 && o.max_len == 5000 && o.base == 10000 && o.layout == 0 &&
                o.cos_first == 0 && o.arithmetic == 0);
    refuse_typed(o, "dim"); /* a zero is a zero */
    const int64_t dims[] = {-1, 16777217, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < 4; i++) o = typed(), o.dim = dims[i], refuse_typed(o, "dim");
    const double bases[] = {0, -1, (double)NAN, (double)INFINITY, 9e-7, 1.1e30};
    for (size_t i = 0; i < 6; i++) o = typed(), o.dim = 8, o.base = bases[i], refuse_typed(o, "base");
    o = typed(), o.dim = 8, o.max_len = -1, refuse_typed(o, "max-len");
    o = typed(), o.dim = 8, o.layout = (posenc_layout)3, refuse_typed(o, "layout");
    o = typed(), o.dim = 8, o.layout = (posenc_layout)-1, refuse_typed(o, "layout");
    o = typed(), o.dim = 8, o.arithmetic = (posenc_arithmetic)3, refuse_typed(o, "arithmetic");
    o = typed(), o.dim = 8, o.size = sizeof o + 1, refuse_typed(o, NULL);
    o = typed(), o.dim = 8, o.size = 0, refuse_typed(o, NULL);
    posenc_plan *plan = UNTOUCHED;
    posenc_error error = error_blank();
    must_refuse("no options", posenc_sinusoidal_create_with(NULL, NULL, &plan, &error), POSENC_ERROR_ARGUMENT, &error,
                NULL);
    o = typed(), o.dim = 8;
    must_refuse("no out", posenc_sinusoidal_create_with(NULL, &o, NULL, &error), POSENC_ERROR_ARGUMENT, &error, "out");
    must_refuse("no out", posenc_sinusoidal_create(NULL, 8, NULL, &error), POSENC_ERROR_ARGUMENT, &error, "out");
    must_refuse("dim", posenc_sinusoidal_create(NULL, 0, &plan, &error), POSENC_ERROR_ARGUMENT, &error, "dim");
    assert_ptr_equal(plan, UNTOUCHED);
}

/* Options of an older header: size ends before layout. */
static void test_smaller_size(void **state) {
    (void)state;
    posenc_sinusoidal_options o;
    memset(&o, 0xEE, sizeof o);
    posenc_sinusoidal_default(&o, offsetof(posenc_sinusoidal_options, layout));
    o.dim = 6;
    posenc_plan *plan, *whole = must_plan(NULL, &(plan_shape){.dim = 6});
    posenc_error error = error_blank(), before = error;
    assert_int_equal(posenc_sinusoidal_create_with(NULL, &o, &plan, &error), POSENC_OK);
    assert_memory_equal(&error, &before, sizeof error);
    float a[6], b[6];
    must_write(plan, 5, 1, POSENC_F32, a);
    must_write(whole, 5, 1, POSENC_F32, b);
    assert_memory_equal(a, b, sizeof a);
    posenc_plan_destroy(plan);
    posenc_plan_destroy(whole);
}

static void must_make_equal_rows(const posenc_plan *a, const posenc_plan *b) {
    int64_t dim = posenc_plan_dim(a);
    assert_int_equal(dim, posenc_plan_dim(b));
    double *x = must_allocate((size_t)(dim * 40) * sizeof *x), *y = must_allocate((size_t)(dim * 40) * sizeof *y);
    must_write(a, -20, 40, POSENC_F64, x);
    must_write(b, -20, 40, POSENC_F64, y);
    must_equal("two plans", POSENC_F64, x, y, dim * 40);
    free(x);
    free(y);
}

/* The texts of a plan's parameters make the same plan again. */
static posenc_plan *read_back(const posenc_plan *plan) {
    const posenc_scheme_info *info = posenc_scheme_find(posenc_plan_scheme(plan));
    static char texts[16][64];
    posenc_parameter parameters[16];
    for (size_t i = 0; i < info->n_parameters; i++) {
        parameters[i] = (posenc_parameter){info->parameters[i].name, texts[i]};
        check(posenc_plan_parameter(plan, info->parameters[i].name, texts[i], 64) == POSENC_OK, "%s",
              parameters[i].name);
    }
    posenc_plan *again;
    posenc_error error = error_blank();
    check(posenc_plan_create(NULL, info->name, parameters, info->n_parameters, &again, &error) == POSENC_OK, "%s",
          error.message);
    return again;
}

static void test_typed_named_and_read_back_are_one(void **state) {
    (void)state;
    static const char *const layouts[] = {"interleaved", "halves", "tensor2tensor"};
    static const char *const arithmetics[] = {"exact", "float32", "float32-exp"};
    random_state random = random_start("read back");
    for (int round = 0; round < 200; round++) {
        plan_shape shape = {.dim = random_between(&random, 1, 70),
                            .base = ldexp(1 + random_unit(&random), (int)random_between(&random, -19, 98)),
                            .layout = (posenc_layout)random_between(&random, 0, 2),
                            .cos_first = (int)random_between(&random, 0, 1),
                            .arithmetic = (posenc_arithmetic)random_between(&random, 0, 2),
                            .max_len = random_between(&random, 1, 1000000)};
        char dim[32], base[32], max_len[32];
        snprintf(dim, sizeof dim, "%" PRId64, shape.dim);
        snprintf(base, sizeof base, "%.17g", shape.base);
        snprintf(max_len, sizeof max_len, "%" PRId64, shape.max_len);
        const posenc_parameter named[] = {{"arithmetic", arithmetics[shape.arithmetic]},
                                          {"base", base},
                                          {"dim", dim},
                                          {"layout", layouts[shape.layout]},
                                          {"max-len", max_len},
                                          {"cos-first", shape.cos_first ? "true" : "false"}};
        posenc_plan *a = must_plan(NULL, &shape), *b;
        assert_int_equal(posenc_plan_create(NULL, "sinusoidal", named, 6, &b, NULL), POSENC_OK);
        posenc_plan *c = read_back(a);
        must_make_equal_rows(a, b);
        must_make_equal_rows(a, c);
        assert_int_equal(posenc_plan_bytes(a), posenc_plan_bytes(c));
        posenc_plan_destroy(a);
        posenc_plan_destroy(b);
        posenc_plan_destroy(c);
    }
}

static void test_parameter_texts(void **state) {
    (void)state;
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 512, .base = 0.1, .layout = POSENC_LAYOUT_HALVES});
    static const char *const known[][2] = {{"dim", "512"},         {"base", "0.1"},         {"layout", "halves"},
                                           {"cos-first", "false"}, {"arithmetic", "exact"}, {"max-len", "5000"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[64];
        assert_int_equal(posenc_plan_parameter(plan, known[i][0], text, sizeof text), POSENC_OK);
        if (strcmp(known[i][0], "base") == 0)
            assert_true(strtod(text, NULL) == 0.1); /* %.17g: exact, whatever it looks like */
        else
            assert_string_equal(text, known[i][1]);
        size_t needs = strlen(text) + 1;
        memset(text, '#', sizeof text);
        assert_int_equal(posenc_plan_parameter(plan, known[i][0], text, needs - 1), POSENC_ERROR_ARGUMENT);
        assert_int_equal(text[0], '#');
        assert_int_equal(posenc_plan_parameter(plan, known[i][0], text, needs), POSENC_OK);
        assert_int_equal(text[needs], '#');
    }
    char text[64] = "#";
    assert_int_equal(posenc_plan_parameter(plan, "bass", text, sizeof text), POSENC_ERROR_UNKNOWN);
    assert_int_equal(posenc_plan_parameter(plan, "dim", text, 0), POSENC_ERROR_ARGUMENT);
    assert_string_equal(text, "#");
    posenc_plan_destroy(plan);
}

/* The smallest and largest of each range are inside it. The widest plan would need gigabytes: an allocator that gives
 * nothing tells a value that was taken from one that was refused. */
static void test_ends_of_ranges(void **state) {
    (void)state;
    const double bases[] = {1e-6, 1e30, 1};
    for (int i = 0; i < 3; i++) posenc_plan_destroy(must_plan(NULL, &(plan_shape){.dim = 2, .base = bases[i]}));
    posenc_sinusoidal_options o = typed();
    posenc_plan *plan;
    o.dim = 3;
    o.max_len = 0;
    assert_int_equal(posenc_sinusoidal_create_with(NULL, &o, &plan, NULL), POSENC_OK);
    posenc_plan_destroy(plan);
    o.max_len = INT64_C(9223372036854774784);
    assert_int_equal(posenc_sinusoidal_create_with(NULL, &o, &plan, NULL), POSENC_OK);
    posenc_plan_destroy(plan);
    allocator a;
    allocator_init(&a);
    posenc_context_options c;
    posenc_context_default(&c, sizeof c);
    allocator_use(&a, &c);
    posenc_context *context;
    assert_int_equal(posenc_context_create(&c, &context, NULL), POSENC_OK);
    allocator_fail(&a, 0, true);
    o.dim = 16777216;
    assert_int_equal(posenc_sinusoidal_create_with(context, &o, &plan, NULL), POSENC_ERROR_MEMORY);
    o.max_len = 0;
    assert_int_equal(posenc_sinusoidal_create_with(context, &o, &plan, NULL), POSENC_ERROR_MEMORY);
    posenc_context_destroy(context);
    assert_int_equal(atomic_load(&a.live), 0);
}

static void test_descriptors(void **state) {
    (void)state;
    assert_true(posenc_scheme_count() >= 1);
    assert_null(posenc_scheme_at(posenc_scheme_count()));
    assert_null(posenc_scheme_at(SIZE_MAX));
    assert_null(posenc_scheme_find("no such scheme"));
    for (size_t i = 0; i < posenc_scheme_count(); i++) {
        const posenc_scheme_info *info = posenc_scheme_at(i);
        assert_ptr_equal(posenc_scheme_find(info->name), info);
        assert_true(strlen(info->summary) > 0 && strlen(info->source) > 0 && strlen(info->laws) > 0);
        assert_string_not_equal(posenc_effect_name(info->effect), posenc_effect_name((posenc_effect)99));
        for (size_t k = 0; k < info->n_parameters; k++) {
            const posenc_parameter_info *p = &info->parameters[k];
            assert_true(strlen(p->name) > 0 && strlen(p->help) > 0 && p->unit);
            assert_true((p->kind == POSENC_PARAMETER_CHOICE) == (p->choices != NULL));
            if (p->kind != POSENC_PARAMETER_CHOICE && p->kind != POSENC_PARAMETER_FLAG)
                assert_true(p->minimum <= p->maximum);
        }
    }
    assert_string_equal(posenc_effect_name(POSENC_EFFECT_ADDS_ROWS), "adds rows");
    assert_string_equal(posenc_effect_name(POSENC_EFFECT_ROTATES_PAIRS), "rotates pairs");
    assert_string_equal(posenc_effect_name(POSENC_EFFECT_BIASES_SCORES), "biases scores");
    assert_string_equal(posenc_effect_name(POSENC_EFFECT_RELATES_VECTORS), "relates vectors");
    assert_non_null(posenc_effect_name((posenc_effect)-1));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused_values),
                                       cmocka_unit_test(test_refused_names),
                                       cmocka_unit_test(test_nearest_name_in_message),
                                       cmocka_unit_test(test_refused_typed_options),
                                       cmocka_unit_test(test_smaller_size),
                                       cmocka_unit_test(test_typed_named_and_read_back_are_one),
                                       cmocka_unit_test(test_parameter_texts),
                                       cmocka_unit_test(test_ends_of_ranges),
                                       cmocka_unit_test(test_descriptors)};
    return TEST_RUN(tests);
}
