/* Making time-step and Fourier plans: typed and named options are one, refusals name their argument, and a refused
 * allocation leaves nothing behind. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/allocator.h"
#include "support/refusal.h"
#include "support/sines.h"
#include "support/tensors.h"
#include "support/test.h"

static char somewhere;
#define UNTOUCHED ((posenc_plan *)(void *)&somewhere)

/* ---- refusals by name ---- */

static void refuse_with(const char *scheme, const char *dim, const char *name, const char *text, posenc_status expected,
                        const char *argument) {
    const posenc_parameter parameters[] = {{"dim", dim}, {name, text}};
    posenc_plan *plan = UNTOUCHED;
    posenc_error error = error_blank();
    char what[200];
    snprintf(what, sizeof what, "%s dim %s %s %s", scheme, dim, name, text);
    must_refuse(what, posenc_plan_create(NULL, scheme, parameters, name ? 2 : 1, &plan, &error), expected, &error,
                argument);
    assert_ptr_equal(plan, UNTOUCHED);
    assert_int_equal(posenc_plan_create(NULL, scheme, parameters, name ? 2 : 1, &plan, NULL), expected);
}

static void refuse(const char *scheme, const char *dim, const char *name, const char *text, const char *argument) {
    refuse_with(scheme, dim, name, text, POSENC_ERROR_ARGUMENT, argument);
}

static void test_refused_time_steps(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"max-period", "0"},    {"max-period", "-1"},     {"max-period", "nan"},  {"max-period", "inf"},
        {"max-period", "2e30"}, {"max-period", "ten"},    {"shift", "-1"},        {"shift", "1.5"},
        {"shift", "nan"},       {"shift", "0.1"},         {"shift", "4.7e-7"},    {"shift", "1e-300"},
        {"angle-scale", "0"},   {"angle-scale", "-1"},    {"angle-scale", "inf"}, {"angle-scale", "2e9"},
        {"cos-first", "yes"},   {"arithmetic", "double"}, {"max-len", "-1"},      {"max-len", "1.5"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refuse("timestep", "8", bad[i][0], bad[i][1], bad[i][0]);
    static const char *const dims[] = {"0", "1", "-2", "16777217", "8.0", ""};
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) refuse("timestep", dims[i], NULL, NULL, "dim");
    refuse_with("timestep", "8", "base", "500", POSENC_ERROR_UNKNOWN, NULL);
    refuse_with("timestep", "8", "scale", "2", POSENC_ERROR_UNKNOWN, NULL);
}

/* floor(dim / 2) - shift = 0 has no frequencies: the message names both. */
static void test_shift_and_width(void **state) {
    (void)state;
    for (int dim = 2; dim < 4; dim++) {
        char text[8];
        snprintf(text, sizeof text, "%d", dim);
        refuse("timestep", text, "shift", "1", "shift");
        posenc_plan *plan = UNTOUCHED;
        posenc_error error = error_blank();
        posenc_plan_create(NULL, "timestep", (posenc_parameter[]){{"dim", text}, {"shift", "1"}}, 2, &plan, &error);
        check(strstr(error.message, "dim") && strstr(error.message, "got 1"), "%s", error.message);
        const posenc_parameter fine[] = {{"dim", text}, {"shift", "0.99999904632568359375"}}; /* 1 - 2^-20 */
        assert_int_equal(posenc_plan_create(NULL, "timestep", fine, 2, &plan, NULL), POSENC_OK);
        posenc_plan_destroy(plan);
    }
}

static void test_refused_fourier(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"kind", "band"},
        {"kind", "Gaussian"},
        {"kind", ""},
        {"kind", "0"},
        {"resolution", "0"},
        {"resolution", "-32"},
        {"resolution", "nan"},
        {"resolution", "1e10"},
        {"sigma", "0"},
        {"sigma", "-1"},
        {"sigma", "inf"},
        {"sigma", "1e-7"},
        {"max-len", "-1"},
        {"frequency-seed", "-1"},
        {"frequency-seed", "1.5"},
        {"frequency-seed", ""},
        {"frequency-seed", "18446744073709551616"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refuse("fourier", "8", bad[i][0], bad[i][1], bad[i][0]);
    static const char *const dims[] = {"0", "1", "3", "7", "129", "-2", "16777217", "16777215"};
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) refuse("fourier", dims[i], NULL, NULL, "dim");
    refuse_with("fourier", "8", "seed", "1", POSENC_ERROR_UNKNOWN, NULL);
}

/* ---- typed options ---- */

static posenc_timestep_options timestep(int64_t dim) {
    posenc_timestep_options o;
    memset(&o, 0xEE, sizeof o);
    posenc_timestep_default(&o, sizeof o);
    o.dim = dim;
    return o;
}

static posenc_fourier_options fourier(int64_t dim) {
    posenc_fourier_options o;
    memset(&o, 0xEE, sizeof o);
    posenc_fourier_default(&o, sizeof o);
    o.dim = dim;
    return o;
}

static void refuse_timestep(posenc_timestep_options o, const char *argument) {
    posenc_plan *plan = UNTOUCHED;
    posenc_error error = error_blank();
    must_refuse("time-step options", posenc_timestep_create_with(NULL, &o, &plan, &error), POSENC_ERROR_ARGUMENT,
                &error, argument);
    assert_ptr_equal(plan, UNTOUCHED);
}

static void refuse_fourier(posenc_fourier_options o, const char *argument) {
    posenc_plan *plan = UNTOUCHED;
    posenc_error error = error_blank();
    must_refuse("fourier options", posenc_fourier_create_with(NULL, &o, &plan, &error), POSENC_ERROR_ARGUMENT, &error,
                argument);
    assert_ptr_equal(plan, UNTOUCHED);
}

static void test_refused_typed_time_steps(void **state) {
    (void)state;
    posenc_timestep_options o = timestep(0);
    assert_true(o.size == sizeof o && o.max_len == 1000 && o.max_period == 10000 && o.shift == 0 && o.cos_first == 1 &&
                o.angle_scale == 1 && o.arithmetic == 0);
    refuse_timestep(o, "dim"); /* a zero is a zero */
    o = timestep(2), o.shift = 1, refuse_timestep(o, "shift");
    o = timestep(8), o.shift = (double)NAN, refuse_timestep(o, "shift");
    o = timestep(8), o.angle_scale = 0, refuse_timestep(o, "angle-scale");
    o = timestep(8), o.max_period = 0, refuse_timestep(o, "max-period");
    o = timestep(8), o.max_len = -1, refuse_timestep(o, "max-len");
    o = timestep(8), o.arithmetic = (posenc_arithmetic)3, refuse_timestep(o, "arithmetic");
    o = timestep(8), o.size = sizeof o + 1, refuse_timestep(o, NULL);
    o = timestep(8), o.size = 0, refuse_timestep(o, NULL);
    posenc_plan *plan = UNTOUCHED;
    posenc_error error = error_blank();
    must_refuse("no options", posenc_timestep_create_with(NULL, NULL, &plan, &error), POSENC_ERROR_ARGUMENT, &error,
                NULL);
    o = timestep(8);
    must_refuse("no out", posenc_timestep_create_with(NULL, &o, NULL, &error), POSENC_ERROR_ARGUMENT, &error, "out");
    assert_ptr_equal(plan, UNTOUCHED);
}

static void test_refused_typed_fourier(void **state) {
    (void)state;
    posenc_fourier_options o = fourier(0);
    assert_true(o.size == sizeof o && o.max_len == 1 && o.kind == 0 && o.resolution == 64 && o.sigma == 1 &&
                o.frequency_seed == 0);
    refuse_fourier(o, "dim");
    refuse_fourier(fourier(5), "dim");
    o = fourier(8), o.kind = (posenc_fourier_kind)3, refuse_fourier(o, "kind");
    o = fourier(8), o.kind = (posenc_fourier_kind)-1, refuse_fourier(o, "kind");
    o = fourier(8), o.resolution = 0, refuse_fourier(o, "resolution");
    o = fourier(8), o.sigma = (double)NAN, refuse_fourier(o, "sigma");
    o = fourier(8), o.frequency_seed = -1, refuse_fourier(o, "frequency-seed");
    o = fourier(8), o.max_len = -1, refuse_fourier(o, "max-len");
    o = fourier(8), o.size = sizeof o + 1, refuse_fourier(o, NULL);
    posenc_plan *plan = UNTOUCHED;
    posenc_error error = error_blank();
    must_refuse("no options", posenc_fourier_create_with(NULL, NULL, &plan, &error), POSENC_ERROR_ARGUMENT, &error,
                NULL);
    o = fourier(8);
    must_refuse("no out", posenc_fourier_create_with(NULL, &o, NULL, &error), POSENC_ERROR_ARGUMENT, &error, "out");
    assert_ptr_equal(plan, UNTOUCHED);
}

static void must_make_equal_rows(posenc_plan *a, const char *scheme, const posenc_parameter *named, size_t n) {
    double ids[32], *x, *y;
    posenc_plan *b = NULL;
    posenc_error error = error_blank();
    check(posenc_plan_create(NULL, scheme, named, n, &b, &error) == POSENC_OK, "%s", error.message);
    int64_t dim = posenc_plan_dim(a);
    assert_int_equal(dim, posenc_plan_dim(b));
    for (int i = 0; i < 32; i++) ids[i] = (i - 16) * 0.37;
    x = must_allocate((size_t)(32 * dim) * sizeof *x), y = must_allocate((size_t)(32 * dim) * sizeof *y);
    must_write_ids(a, POSENC_F64, ids, 32, POSENC_F64, x);
    must_write_ids(b, POSENC_F64, ids, 32, POSENC_F64, y);
    must_equal(scheme, POSENC_F64, x, y, 32 * dim);
    free(x);
    free(y);
    posenc_plan_destroy(a);
    posenc_plan_destroy(b);
}

static void test_typed_and_named_are_one(void **state) {
    (void)state;
    must_make_equal_rows(
        must_timestep(
            NULL,
            &(posenc_timestep_options){
                .size = offsetof(posenc_timestep_options, shift), .dim = 20, .max_len = 1000, .max_period = 10000}),
        "timestep", (posenc_parameter[]){{"dim", "20"}}, 1); /* an older, smaller struct */
    posenc_timestep_options t = timestep(21);
    t.max_period = 300, t.shift = 0.5, t.cos_first = 0, t.angle_scale = 1000;
    const posenc_parameter named[] = {{"dim", "21"},          {"max-period", "300"},   {"shift", "0.5"},
                                      {"cos-first", "false"}, {"angle-scale", "1000"}, {"max-len", "3"}};
    must_make_equal_rows(must_timestep(NULL, &t), "timestep", named, 6);
    t = timestep(20), t.arithmetic = POSENC_ARITHMETIC_FLOAT32_EXP;
    const posenc_parameter exp[] = {{"dim", "20"}, {"arithmetic", "float32-exp"}};
    must_make_equal_rows(must_timestep(NULL, &t), "timestep", exp, 2);
    posenc_fourier_options f = fourier(20);
    f.resolution = 100;
    const posenc_parameter bands[] = {{"dim", "20"}, {"resolution", "100"}, {"kind", "bands"}};
    must_make_equal_rows(must_fourier(NULL, &f), "fourier", bands, 3);
    f.kind = POSENC_FOURIER_GAUSSIAN, f.sigma = 12.5, f.frequency_seed = INT64_C(0x123456789ABCDEF);
    const posenc_parameter random[] = {
        {"dim", "20"}, {"frequency-seed", "81985529216486895"}, {"kind", "gaussian"}, {"sigma", "12.5"}};
    must_make_equal_rows(must_fourier(NULL, &f), "fourier", random, 4);
}

/* The command line reads a parameter before it knows the scheme: a name means one kind of value in all of them. */
static void test_names_mean_one_kind(void **state) {
    (void)state;
    for (size_t s = 0; s < posenc_scheme_count(); s++)
        for (size_t i = 0; i < posenc_scheme_at(s)->n_parameters; i++)
            for (size_t t = 0; t < s; t++)
                for (size_t j = 0; j < posenc_scheme_at(t)->n_parameters; j++) {
                    const posenc_parameter_info *a = &posenc_scheme_at(s)->parameters[i];
                    const posenc_parameter_info *b = &posenc_scheme_at(t)->parameters[j];
                    check(strcmp(a->name, b->name) != 0 || a->kind == b->kind, "%s is of another kind in %s than in %s",
                          a->name, posenc_scheme_at(s)->name, posenc_scheme_at(t)->name);
                }
}

/* ---- allocations that fail ---- */

static bool one_failure(allocator *a, const posenc_context *context, const char *scheme,
                        const posenc_parameter *parameters, size_t n, long k) {
    posenc_plan *plan = UNTOUCHED;
    posenc_error error = error_blank();
    long live = atomic_load(&a->live);
    allocator_fail(a, k, false);
    posenc_status status = posenc_plan_create(context, scheme, parameters, n, &plan, &error);
    bool refused = allocator_refused(a);
    allocator_fail(a, -1, false);
    if (status == POSENC_OK) {
        posenc_plan_destroy(plan);
    } else {
        assert_int_equal(status, POSENC_ERROR_MEMORY);
        assert_int_equal(error.status, POSENC_ERROR_MEMORY);
        assert_ptr_equal(plan, UNTOUCHED);
    }
    check(atomic_load(&a->live) == live, "%s, allocation %ld leaks", scheme, k);
    assert_true(refused == (status != POSENC_OK));
    return refused;
}

static void test_memory(void **state) {
    (void)state;
    allocator a;
    posenc_context *context = allocator_context(&a);
    const posenc_parameter gaussian[] = {{"dim", "200"}, {"kind", "gaussian"}};
    const posenc_parameter rounded[] = {{"dim", "200"}, {"arithmetic", "float32-exp"}};
    const struct {
        const char *scheme;
        const posenc_parameter *parameters;
        size_t n;
        long fewest;
    } cases[] = {{"timestep", rounded, 1, 3},
                 {"timestep", rounded, 2, 3},
                 {"fourier", gaussian, 1, 3},
                 {"fourier", gaussian, 2, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        long k = 0;
        while (one_failure(&a, context, cases[i].scheme, cases[i].parameters, cases[i].n, k)) k++;
        check(k >= cases[i].fewest, "%s asks for memory %ld times", cases[i].scheme, k);
    }
    allocator_context_end(&a, context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_time_steps),    cmocka_unit_test(test_shift_and_width),
        cmocka_unit_test(test_refused_fourier),       cmocka_unit_test(test_refused_typed_time_steps),
        cmocka_unit_test(test_refused_typed_fourier), cmocka_unit_test(test_typed_and_named_are_one),
        cmocka_unit_test(test_names_mean_one_kind),   cmocka_unit_test(test_memory),
    };
    return TEST_RUN(tests);
}
