/* Making an encoder: options, refusals, what it says about itself, and the memory that it holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/allocator.h"
#include "support/refusal.h"
#include "support/test.h"

static void test_defaults(void **state) {
    (void)state;
    posenc_encoder_options o;
    posenc_encoder_default(&o, sizeof o);
    assert_true(o.size == sizeof o && o.dtype == POSENC_F32 && o.dropout == 0 && o.scale == 1);
    assert_true(o.past_end == POSENC_PAST_END_EXTEND && o.padding_idx == -1);
    posenc_step s;
    posenc_step_default(&s, sizeof s);
    assert_true(s.size == sizeof s && s.training == 0 && s.seed == 0 && s.stream == 0 && s.first_element == 0);
}

static void test_what_it_says_about_itself(void **state) {
    (void)state;
    posenc_encoder_options o = encoder_options(POSENC_F64);
    o.dropout = 0.1, o.scale = 3, o.past_end = POSENC_PAST_END_ERROR, o.padding_idx = 1;
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 6, .max_len = 9}, &o);
    const posenc_encoder_options *kept = posenc_encoder_options_of(encoder);
    assert_true(kept != &o && kept->size == sizeof o && kept->dtype == POSENC_F64 && kept->dropout == 0.1 &&
                kept->scale == 3);
    assert_true(kept->past_end == POSENC_PAST_END_ERROR && kept->padding_idx == 1);
    const posenc_plan *plan = posenc_encoder_plan(encoder);
    assert_int_equal(posenc_plan_dim(plan), 6);
    assert_string_equal(posenc_plan_scheme(plan), "sinusoidal");
    const DLTensor *table = posenc_encoder_table(encoder);
    posenc_dtype dtype;
    assert_true(posenc_dtype_of(table, &dtype) == POSENC_OK && dtype == POSENC_F64);
    assert_true(table->ndim == 2 && table->shape[0] == 9 && table->shape[1] == 6 &&
                table->device.device_type == kDLCPU);
    posenc_encoder_destroy(encoder);
    posenc_encoder_destroy(NULL);
}

/* An older caller's struct ends early: what is missing has its default. */
static void test_shorter_options(void **state) {
    (void)state;
    posenc_encoder_options o;
    memset(&o, 0x7F, sizeof o);
    posenc_encoder_default(&o, offsetof(posenc_encoder_options, scale));
    o.dropout = 0.25;
    posenc_encoder *encoder = must_encoder(NULL, &(plan_shape){.dim = 4}, &o);
    const posenc_encoder_options *kept = posenc_encoder_options_of(encoder);
    assert_true(kept->dropout == 0.25 && kept->scale == 1 && kept->padding_idx == -1 && kept->size == sizeof o);
    posenc_encoder_destroy(encoder);
}

/* ---- refusals ---- */

static char somewhere;

static void refuse_with(const char *what, posenc_status expected, const char *argument, const char *scheme,
                        const posenc_parameter *parameters, size_t n, const posenc_encoder_options *options) {
    posenc_encoder *untouched = (posenc_encoder *)(void *)&somewhere, *encoder = untouched;
    posenc_error error = error_blank();
    must_refuse(what, posenc_encoder_create(NULL, scheme, parameters, n, options, &encoder, &error), expected, &error,
                argument);
    assert_ptr_equal(encoder, untouched);
    assert_int_equal(posenc_encoder_create(NULL, scheme, parameters, n, options, &encoder, NULL), expected);
    assert_ptr_equal(encoder, untouched);
}

static const posenc_parameter dim4[] = {{"dim", "4"}};

static void refuse_options(const char *what, posenc_status expected, const char *argument,
                           const posenc_encoder_options *o) {
    refuse_with(what, expected, argument, "sinusoidal", dim4, 1, o);
}

static void test_options_are_checked(void **state) {
    (void)state;
    const double dropouts[] = {-0.1, 1, 1.5, -1e-300, 1e300, (double)NAN, (double)INFINITY, -(double)INFINITY};
    const double scales[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    const int dtypes[] = {POSENC_F16, POSENC_BF16, POSENC_I32, POSENC_BOOL, POSENC_DTYPE_COUNT, -1, 1000};
    const int64_t paddings[] = {-2, INT64_MIN, INT64_MAX};
    const int policies[] = {2, -1, 1000};
    posenc_encoder_options o;
    for (size_t i = 0; i < sizeof dropouts / sizeof *dropouts; i++) {
        o = encoder_options(POSENC_F32);
        o.dropout = dropouts[i];
        refuse_options("dropout", POSENC_ERROR_ARGUMENT, "dropout", &o);
    }
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        o = encoder_options(POSENC_F32);
        o.scale = scales[i];
        refuse_options("scale", POSENC_ERROR_ARGUMENT, "scale", &o);
    }
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        o = encoder_options(POSENC_F32);
        o.dtype = (posenc_dtype)dtypes[i];
        refuse_options("dtype", POSENC_ERROR_DTYPE, "dtype", &o);
    }
    for (size_t i = 0; i < sizeof paddings / sizeof *paddings; i++) {
        o = encoder_options(POSENC_F32);
        o.padding_idx = paddings[i];
        refuse_options("padding_idx", POSENC_ERROR_ARGUMENT, "padding_idx", &o);
    }
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        o = encoder_options(POSENC_F32);
        o.past_end = (posenc_past_end)policies[i];
        refuse_options("past_end", POSENC_ERROR_ARGUMENT, "past_end", &o);
    }
    const size_t sizes[] = {0, 7, sizeof o + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        o = encoder_options(POSENC_F32);
        o.size = sizes[i];
        refuse_options("size", POSENC_ERROR_ARGUMENT, "options.size", &o);
    }
    o = encoder_options(POSENC_F32);
    o.dropout = -0.0; /* is 0 */
    posenc_encoder_destroy(must_encoder(NULL, &(plan_shape){.dim = 4}, &o));
}

/* What posenc_plan_create refuses, an encoder refuses. */
static void test_schemes_and_parameters(void **state) {
    (void)state;
    refuse_with("no scheme", POSENC_ERROR_ARGUMENT, NULL, NULL, dim4, 1, NULL);
    refuse_with("unknown scheme", POSENC_ERROR_UNKNOWN, NULL, "sinusodial", dim4, 1, NULL);
    refuse_with("no dim", POSENC_ERROR_ARGUMENT, "dim", "sinusoidal", NULL, 0, NULL);
    refuse_with("dim 0", POSENC_ERROR_ARGUMENT, "dim", "sinusoidal", (posenc_parameter[]){{"dim", "0"}}, 1, NULL);
    refuse_with("unknown parameter", POSENC_ERROR_UNKNOWN, NULL, "sinusoidal",
                (posenc_parameter[]){{"dim", "4"}, {"dropuot", "1"}}, 2, NULL);
    refuse_with("twice", POSENC_ERROR_ARGUMENT, "dim", "sinusoidal", (posenc_parameter[]){{"dim", "4"}, {"dim", "4"}},
                2, NULL);
    refuse_with("max-len 0", POSENC_ERROR_ARGUMENT, "max-len", "sinusoidal",
                (posenc_parameter[]){{"dim", "4"}, {"max-len", "0"}}, 2, NULL);
    refuse_with("max-len -1", POSENC_ERROR_ARGUMENT, "max-len", "sinusoidal",
                (posenc_parameter[]){{"dim", "4"}, {"max-len", "-1"}}, 2, NULL);
    posenc_error error = error_blank();
    must_refuse("no out", posenc_encoder_create(NULL, "sinusoidal", dim4, 1, NULL, NULL, &error), POSENC_ERROR_ARGUMENT,
                &error, "out");
}

/* A table that no memory holds is refused, and nothing wraps on the way. */
static void test_tables_beyond_memory(void **state) {
    (void)state;
    static const char *const lengths[] = {"4611686018427387904", "2305843009213693952", "9223372036854775807",
                                          "1152921504606846976"};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const posenc_parameter parameters[] = {{"dim", "8"}, {"max-len", lengths[i]}};
        posenc_encoder *untouched = (posenc_encoder *)(void *)&somewhere, *encoder = untouched;
        posenc_error error = error_blank();
        posenc_status status = posenc_encoder_create(NULL, "sinusoidal", parameters, 2, NULL, &encoder, &error);
        check(status == POSENC_ERROR_ARGUMENT || status == POSENC_ERROR_MEMORY, "max-len %s: %s", lengths[i],
              posenc_status_name(status));
        must_refuse("huge", status, status, &error, NULL);
        assert_ptr_equal(encoder, untouched);
    }
}

/* ---- memory ---- */

static posenc_context *counted_context(allocator *memory) {
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    allocator_init(memory);
    allocator_use(memory, &options);
    posenc_context *context = NULL;
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    return context;
}

/* 5000 x 512 in f32: at most 1.2 times the table, as told and as counted by the allocator. */
static void test_memory_of_the_usual_table(void **state) {
    (void)state;
    allocator memory;
    posenc_context *context = counted_context(&memory);
    size_t table = (size_t)5000 * 512 * sizeof(float), before = atomic_load(&memory.live_bytes);
    posenc_encoder *encoder = must_encoder(context, &(plan_shape){.dim = 512}, NULL);
    size_t held = atomic_load(&memory.live_bytes) - before, told = posenc_encoder_bytes(encoder);
    check(held >= table && held <= table / 5 * 6, "holds %zu bytes for a table of %zu", held, table);
    check(told <= held && held - told < 1024, "says %zu bytes and holds %zu", told, held); /* fronts of blocks */
    posenc_encoder_destroy(encoder);
    assert_int_equal(atomic_load(&memory.live_bytes), before);
    posenc_context_destroy(context);
    assert_int_equal(atomic_load(&memory.live), 0);
    assert_int_equal(atomic_load(&memory.mistakes), 0);
}

/* Calls need scratch, not a second table; and give all of it back. */
static void test_memory_of_calls(void **state) {
    (void)state;
    enum { TOKENS = 5000, DIM = 512 };
    allocator memory;
    posenc_context *context = counted_context(&memory);
    posenc_encoder_options options = encoder_options(POSENC_F32);
    options.dropout = 0.1;
    posenc_encoder *encoder = must_encoder(context, &(plan_shape){.dim = DIM}, &options);
    float *x = must_allocate((size_t)TOKENS * DIM * sizeof *x);
    posenc_step step = training_step(1, 1, 0);
    posenc_positions far = positions_from(INT64_C(1) << 40);
    for (int call = 0; call < 3; call++) {
        size_t before = atomic_load(&memory.live_bytes);
        atomic_store(&memory.peak_bytes, before);
        if (call == 0) must_forward(encoder, NULL, &step, POSENC_F32, 1, TOKENS, x, x);
        if (call == 1) must_forward(encoder, &far, NULL, POSENC_F32, 1, TOKENS, x, x);
        if (call == 2) must_backward(encoder, &step, POSENC_F32, 1, TOKENS, x, x);
        size_t more = atomic_load(&memory.peak_bytes) - before;
        check(more <= (size_t)TOKENS * DIM * sizeof *x / 4, "call %d needs %zu bytes", call, more);
        assert_int_equal(atomic_load(&memory.live_bytes), before);
    }
    free(x);
    posenc_encoder_destroy(encoder);
    posenc_context_destroy(context);
    assert_int_equal(atomic_load(&memory.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults),
                                       cmocka_unit_test(test_what_it_says_about_itself),
                                       cmocka_unit_test(test_shorter_options),
                                       cmocka_unit_test(test_options_are_checked),
                                       cmocka_unit_test(test_schemes_and_parameters),
                                       cmocka_unit_test(test_tables_beyond_memory),
                                       cmocka_unit_test(test_memory_of_the_usual_table),
                                       cmocka_unit_test(test_memory_of_calls)};
    return TEST_RUN(tests);
}
