/* Making rotary plans: every way to ask for one that cannot be, as text and typed; parameters that read back; what a
 * plan that rotates is not for; allocations that fail. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/allocator.h"
#include "support/refusal.h"
#include "support/spectra.h"
#include "support/tensors.h"
#include "support/test.h"

enum { MOST_WORDS = 40, TEXT_BYTES = 2000 };

/* "name=value name=value" as parameters; cuts the text. */
static size_t cut(char *text, posenc_parameter *parameters) {
    size_t n = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        assert_true(value && n < MOST_WORDS);
        *value = '\0';
        parameters[n++] = (posenc_parameter){word, value + 1};
    }
    return n;
}

static posenc_status create(const posenc_context *context, const char *text, posenc_plan **plan, posenc_error *error) {
    char copy[TEXT_BYTES];
    posenc_parameter parameters[MOST_WORDS];
    assert_true(strlen(text) < sizeof copy);
    memcpy(copy, text, strlen(text) + 1);
    size_t n = cut(copy, parameters);
    return posenc_plan_create(context, "rotary", parameters, n, plan, error);
}

/* ---- bad input ---- */

/* In every message: the argument, what was expected and what came. */
static const struct {
    const char *text, *argument, *expected, *got;
} all_bad[] = {
    {"base=10000", "head-dim", "1..16777216", "none"},
    {"head-dim=-64", "head-dim", "0..16777216", "-64"},
    {"head-dim=16777218", "head-dim", "0..16777216", "16777218"},
    {"head-dim=65", "head-dim", "even", "65"},
    {"head-dim=4 dim=3", "dim", "even", "3"}, /* a head of 4 times 0.75 */
    {"head-dim=64 dim=33", "dim", "even", "33"},
    {"head-dim=64 dim=128", "dim", "at most head-dim 64", "128"},
    {"head-dim=64 dim=32 rotary-start=33", "rotary-start", "which is 32", "33"},
    {"head-dim=64 rotary-start=1", "rotary-start", "which is 0", "1"},
    {"head-dim=64 rotary-start=-1", "rotary-start", "0..16777216", "-1"},
    {"head-dim=64 max-len=-1", "max-len", "0..", "-1"},
    {"head-dim=64 pairing=neox", "pairing", "halves, interleaved, interleaved-in-halves-out", "\"neox\""},
    {"head-dim=64 pair-axes=mrope", "pair-axes", "single, sectioned, interleaved, axial, map", "\"mrope\""},
    {"head-dim=64 scaling=su", "scaling", "longrope", "\"su\""},
    {"head-dim=64 arithmetic=float32-exp", "arithmetic", "exact, float32", "\"float32-exp\""},
    {"head-dim=64 base=0", "base", "1e-06", "0"},
    {"head-dim=64 base=nan", "base", "1e-06", "nan"},
    /* axes */
    {"head-dim=64 sections=16,16", "sections", "0 numbers", "2"},
    {"head-dim=64 pair-axes=sectioned sections=16,15", "sections", "which is 32", "31"},
    {"head-dim=64 pair-axes=interleaved sections=8,12,13", "sections", "which is 32", "33"},
    {"head-dim=64 pair-axes=axial sections=16,15", "sections", "which is 32", "31"},
    {"head-dim=64 dim=32 pair-axes=axial sections=16,16", "sections", "which is 16", "32"},
    {"head-dim=64 pair-axes=sectioned sections=40,-8", "sections", "0..", "-8 at 1"},
    {"head-dim=64 pair-axes=sectioned sections=15.5,16.5", "sections", "whole", "15.5 at 0"},
    {"head-dim=64 pair-axes=sectioned", "sections", "1..8 numbers", "0"},
    {"head-dim=64 pair-axes=sectioned sections=32,0,0,0,0,0,0,0,0", "sections", "1..8 numbers", "9"},
    {"head-dim=64 pair-axes=interleaved sections=16,16", "sections", "3 numbers", "2"},
    {"head-dim=64 pair-axes=sectioned sections=16,", "sections", "numbers", "\"16,\""},
    {"head-dim=64 pair-axes=sectioned sections=16;16", "sections", "numbers", "\"16;16\""},
    {"head-dim=64 pair-axes=sectioned sections=,32", "sections", "numbers", "\",32\""},
    {"head-dim=8 pair-axes=map axis-map=0,1,2", "axis-map", "4 numbers", "3"},
    {"head-dim=8 axis-map=0,1,2,0", "axis-map", "0 numbers", "4"},
    {"head-dim=8 pair-axes=map axis-map=0,1,8,0", "axis-map", "0..7", "8 at 2"},
    {"head-dim=8 pair-axes=map axis-map=0,1,0.5,0", "axis-map", "whole", "0.5 at 2"},
    /* families */
    {"head-dim=64 factor=8", "factor", "1 where the scaling has none", "8"},
    {"head-dim=64 scaling=linear factor=-2", "factor", "0..1e+09", "-2"},
    {"head-dim=64 scaling=linear factor=0", "factor", "1e-09..1e+09 for linear", "0"},
    {"head-dim=64 scaling=ntk factor=0", "factor", "1e-09..1e+09 for ntk", "0"},
    {"head-dim=64 scaling=ntk factor=1e9 base=1e30", "factor", "from 2^-40 to 2^120", "1e+48"},
    {"head-dim=64 scaling=dynamic factor=0 original-length=8", "factor", "1e-09..1e+09 for dynamic", "0"},
    {"head-dim=64 scaling=yarn factor=0 original-length=8", "factor", "1e-09..1e+09 for yarn", "0"},
    {"head-dim=64 scaling=llama3 factor=0 original-length=8", "factor", "1e-09..1e+09 for llama3", "0"},
    {"head-dim=64 scaling=proportional factor=0", "factor", "1e-09..1e+09 for proportional", "0"},
    {"dim=2 scaling=ntk factor=2", "dim", "at least 4 for ntk", "2"},
    {"dim=2 scaling=dynamic factor=2 original-length=8", "dim", "at least 4 for dynamic", "2"},
    {"head-dim=64 scaling=dynamic factor=2", "original-length", "a length for dynamic", "none"},
    {"head-dim=64 scaling=yarn factor=2", "original-length", "a length for yarn", "none"},
    {"head-dim=64 scaling=llama3 factor=2", "original-length", "a length for llama3", "none"},
    {"head-dim=8 scaling=longrope short-factor=1,1,1,1 long-factor=1,1,1,1", "original-length", "a length for longrope",
     "none"},
    {"head-dim=64 scaling=yarn factor=2 original-length=8 beta-fast=1 beta-slow=32", "beta-fast",
     "at least beta-slow 32", "1"},
    {"head-dim=64 scaling=yarn factor=2 original-length=8 beta-slow=0", "beta-slow", "1e-06", "0"},
    {"head-dim=64 scaling=yarn factor=2 original-length=8 base=1", "base", "more than 1", "1"},
    {"head-dim=64 scaling=yarn factor=2 original-length=8 truncate=yes", "truncate", "true or false", "\"yes\""},
    {"head-dim=64 scaling=llama3 factor=2 original-length=8192 max-position-embeddings=8192", "original-length",
     "less than max-position-embeddings 8192", "8192"},
    {"head-dim=64 scaling=llama3 factor=2 original-length=8192 low-freq-factor=5", "high-freq-factor",
     "at least low-freq-factor 5", "4"},
    {"head-dim=8 scaling=longrope original-length=1 short-factor=1,1,1,1 long-factor=1,1,1,1", "original-length",
     "at least 2", "1"},
    {"head-dim=8 scaling=longrope original-length=8 short-factor=1,1,1,1 long-factor=1,1,1,1 "
     "max-position-embeddings=4",
     "original-length", "at most max-position-embeddings 4", "8"},
    {"head-dim=8 scaling=longrope original-length=8 short-factor=1,1,1,1 long-factor=1,1,1,1 factor=0", "factor",
     "max-position-embeddings", "none"},
    {"head-dim=8 scaling=longrope original-length=8", "short-factor", "4 numbers", "0"},
    {"head-dim=8 scaling=longrope original-length=8 short-factor=1,1,1,1 long-factor=1,1,1", "long-factor", "4 numbers",
     "3"},
    {"head-dim=8 scaling=longrope original-length=8 short-factor=1,0,1,1 long-factor=1,1,1,1", "short-factor",
     "1e-06..1e+09", "0 at 1"},
    {"head-dim=8 scaling=linear factor=2 long-factor=1,1,1,1", "long-factor", "none with scaling linear", "4"},
    {"head-dim=8 scaling=custom", "inv-freq", "4 numbers", "0"},
    {"head-dim=8 scaling=custom inv-freq=1,1,nan,1", "inv-freq", "-1e+09..1e+09", "nan at 2"},
    {"head-dim=8 inv-freq=1,1,1,1", "inv-freq", "none with scaling default", "4"},
    {"head-dim=8 scaling=custom inv-freq=1,1,1,1 amplitude=0", "amplitude", "1e-06", "0"},
    {"head-dim=64 dim=32 scaling=proportional", "dim", "whole head of 64", "32"},
    {"head-dim=64 pair-axes=axial sections=16,16 scaling=proportional", "pair-axes", "one series", "axial"},
    {"head-dim=64 scaling=proportional fraction=1.5", "fraction", "1e-09..1", "1.5"},
    {"head-dim=64 scaling=proportional fraction=0", "fraction", "1e-09..1", "0"},
    {"head-dim=64 sequence-length=-1", "sequence-length", "0..", "-1"},
    {"head-dim=64 scaling=dynamic factor=1e9 original-length=8 sequence-length=1099511627776", "length", "2^62",
     "1099511627776"},
    {"head-dim=64 sequence-length=1099511627777", "sequence-length", "0..1099511627776", "1099511627777"},
    {"head-dim=64 scaling=linear factor=1e-10", "factor", "1e-09..1e+09 for linear", "1e-10"},
    {"head-dim=64 scaling=linear factor=5e-324", "factor", "1e-09..1e+09 for linear", "4.94066e-324"},
    {"head-dim=64 scaling=yarn factor=2 original-length=8 attention-factor=1e-9", "attention-factor", "1e-06..1e+06",
     "1e-09"},
    {"head-dim=64 xpos-scale-base=-512", "xpos-scale-base", "0..", "-512"},
};

static void test_bad_input(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof all_bad / sizeof *all_bad; i++) {
        posenc_error error = error_blank();
        posenc_plan *plan = (posenc_plan *)&error;
        posenc_status status = create(NULL, all_bad[i].text, &plan, &error);
        must_refuse(all_bad[i].text, status, POSENC_ERROR_ARGUMENT, &error, all_bad[i].argument);
        const char *got = strstr(error.message, "got ");
        check(plan == (posenc_plan *)&error, "%s: out was written", all_bad[i].text);
        check(strstr(error.message, all_bad[i].expected), "%s: no \"%s\" in %s", all_bad[i].text, all_bad[i].expected,
              error.message);
        check(got && strncmp(got + 4, all_bad[i].got, strlen(all_bad[i].got)) == 0, "%s: not \"%s\" in %s",
              all_bad[i].text, all_bad[i].got, error.message);
    }
}

static void refuse_typed(const char *what, const posenc_rotary_options *o, const char *argument) {
    posenc_error error = error_blank();
    posenc_plan *plan = NULL;
    must_refuse(what, posenc_rotary_create(NULL, o, &plan, &error), POSENC_ERROR_ARGUMENT, &error, argument);
    assert_null(plan);
}

static void test_bad_options(void **state) {
    (void)state;
    posenc_rotary_options fine, o;
    posenc_rotary_default(&fine, sizeof fine);
    fine.head_dim = 64;
    refuse_typed("options NULL", NULL, "options");
    o = fine, o.size = sizeof o + 8, refuse_typed("a later version", &o, "options.size");
    o = fine, o.head_dim = 0, o.dim = 64, refuse_typed("no head_dim", &o, "head-dim");
    o = fine, o.pairing = (posenc_pairing)3, refuse_typed("pairing 3", &o, "pairing");
    o = fine, o.axes = (posenc_axes)-1, refuse_typed("axes -1", &o, "pair-axes");
    o = fine, o.scaling = (posenc_scaling)9, refuse_typed("scaling 9", &o, "scaling");
    o = fine, o.n_sections = 2, refuse_typed("sections NULL", &o, "sections");
    o = fine, o.n_inv_freq = 32, refuse_typed("inv_freq NULL", &o, "inv-freq");
    o = fine, o.base = (double)INFINITY, refuse_typed("base infinite", &o, "base");
    posenc_error error = error_blank();
    must_refuse("out NULL", posenc_rotary_create(NULL, &fine, NULL, &error), POSENC_ERROR_ARGUMENT, &error, "out");
}

static void test_bad_descriptions(void **state) {
    (void)state;
    posenc_plan *plan, *rows = must_plan(NULL, &(plan_shape){.dim = 8});
    posenc_error error = error_blank();
    posenc_rotary_info info = {.size = sizeof info, .pairs = 77};
    double omega[4] = {5, 5, 5, 5};
    assert_int_equal(create(NULL, "dim=8", &plan, NULL), POSENC_OK);
    must_refuse("rows", posenc_rotary_describe(rows, 0, &info, omega, NULL, &error), POSENC_ERROR_ARGUMENT, &error,
                "plan");
    must_refuse("NULL", posenc_rotary_describe(NULL, 0, &info, omega, NULL, &error), POSENC_ERROR_ARGUMENT, &error,
                "plan");
    must_refuse("length", posenc_rotary_describe(plan, -1, &info, omega, NULL, &error), POSENC_ERROR_ARGUMENT, &error,
                "length");
    must_refuse("info", posenc_rotary_describe(plan, 0, NULL, omega, NULL, &error), POSENC_ERROR_ARGUMENT, &error,
                "info");
    info.size = 1;
    must_refuse("size", posenc_rotary_describe(plan, 0, &info, omega, NULL, &error), POSENC_ERROR_ARGUMENT, &error,
                "info.size");
    assert_true(info.pairs == 77 && omega[0] == 5);
    posenc_plan_destroy(rows);
    posenc_plan_destroy(plan);
}

/* ---- what it is not for ---- */

static void refuse_rows(const char *what, posenc_status status, const posenc_error *error) {
    must_refuse(what, status, POSENC_ERROR_UNSUPPORTED, error, NULL);
    check(strstr(error->message, "posenc_rotary_apply"), "%s: %s", what, error->message);
}

static void test_no_rows(void **state) {
    (void)state;
    posenc_plan *plan;
    posenc_cursor *cursor = NULL;
    posenc_encoder *encoder = NULL;
    posenc_error error = error_blank();
    posenc_view x, y;
    float in[16] = {0}, out[16] = {3};
    assert_int_equal(create(NULL, "dim=8", &plan, NULL), POSENC_OK);
    DLTensor *from = posenc_view_make(&x, in, POSENC_F32, 2, (int64_t[]){2, 8}, NULL);
    DLTensor *to = posenc_view_make(&y, out, POSENC_F32, 2, (int64_t[]){2, 8}, NULL);
    refuse_rows("write", posenc_plan_write(plan, NULL, to, &error), &error);
    refuse_rows("add", posenc_plan_add(plan, NULL, from, 1, to, &error), &error);
    refuse_rows("cursor", posenc_cursor_create(plan, &cursor, &error), &error);
    posenc_parameter dim = {"dim", "8"};
    refuse_rows("encoder", posenc_encoder_create(NULL, "rotary", &dim, 1, NULL, &encoder, &error), &error);
    assert_int_equal(posenc_plan_write_f32(plan, 0, 2, out), POSENC_ERROR_UNSUPPORTED);
    assert_int_equal(posenc_plan_add_f32(plan, 0, 1, 2, in, out), POSENC_ERROR_UNSUPPORTED);
    assert_true(!cursor && !encoder && out[0] == 3);
    posenc_plan_destroy(plan);
}

/* ---- parameters ---- */

/* Widths that stand for each other, and what a plan says of itself. */
static void test_widths(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t dim;
    } widths[] = {{"dim=64", 64}, {"head-dim=64", 64}, {"head-dim=128 dim=64", 64}, {"head-dim=64 dim=64", 64}};
    for (int i = 0; i < 4; i++) {
        posenc_plan *plan;
        posenc_rotary_info info = {.size = sizeof info};
        assert_int_equal(create(NULL, widths[i].text, &plan, NULL), POSENC_OK);
        assert_int_equal(posenc_plan_dim(plan), widths[i].dim);
        assert_string_equal(posenc_plan_scheme(plan), "rotary");
        assert_int_equal(posenc_rotary_describe(plan, 0, &info, NULL, NULL, NULL), POSENC_OK);
        assert_true(info.pairs == widths[i].dim / 2 && info.axes == 1 && info.amplitude == 1 &&
                    !info.depends_on_length);
        assert_true(posenc_plan_bytes(plan) > (size_t)widths[i].dim * 33 * sizeof(double));
        posenc_plan_destroy(plan);
    }
}

/* Every parameter of random plans, lists too, as text and back: the same frequencies. */
static void test_parameters_read_back(void **state) {
    (void)state;
    random_state random = random_start("rotary parameters");
    const posenc_scheme_info *info = posenc_scheme_find("rotary");
    static char texts[MOST_WORDS][25 * SPECTRA_MOST_PAIRS + 1];
    for (int round = 0; round < 20 * SPECTRA_SCALINGS; round++) {
        spectra_case c;
        posenc_parameter parameters[MOST_WORDS];
        spectra_random(&c, (posenc_scaling)(round % SPECTRA_SCALINGS), &random);
        posenc_plan *plan = must_rotary(NULL, &c), *again = NULL;
        for (size_t i = 0; i < info->n_parameters; i++) {
            const char *name = info->parameters[i].name;
            assert_int_equal(posenc_plan_parameter(plan, name, texts[i], sizeof texts[i]), POSENC_OK);
            parameters[i] = (posenc_parameter){name, texts[i]};
        }
        assert_int_equal(posenc_plan_create(NULL, "rotary", parameters, info->n_parameters, &again, NULL), POSENC_OK);
        posenc_rotary_info a = {.size = sizeof a}, b = a;
        double x[SPECTRA_MOST_PAIRS], y[SPECTRA_MOST_PAIRS];
        int64_t p[SPECTRA_MOST_PAIRS], q[SPECTRA_MOST_PAIRS];
        assert_int_equal(posenc_rotary_describe(plan, c.length, &a, x, p, NULL), POSENC_OK);
        assert_int_equal(posenc_rotary_describe(again, c.length, &b, y, q, NULL), POSENC_OK);
        must_equal(spectra_text(&c), POSENC_F64, x, y, a.pairs);
        check(a.amplitude == b.amplitude && memcmp(p, q, (size_t)a.pairs * sizeof *p) == 0, "%s", spectra_text(&c));
        posenc_plan_destroy(plan);
        posenc_plan_destroy(again);
    }
}

/* A list needs room for its text and its end, no more. */
static void test_list_capacity(void **state) {
    (void)state;
    posenc_plan *plan;
    char text[16] = "untouched";
    assert_int_equal(create(NULL, "dim=64 pair-axes=sectioned sections=16,8,8", &plan, NULL), POSENC_OK);
    assert_int_equal(posenc_plan_parameter(plan, "sections", text, 6), POSENC_ERROR_ARGUMENT);
    assert_string_equal(text, "untouched");
    assert_int_equal(posenc_plan_parameter(plan, "sections", NULL, 100), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_plan_parameter(plan, "sections", text, 7), POSENC_OK);
    assert_string_equal(text, "16,8,8");
    assert_int_equal(posenc_plan_parameter(plan, "axis-map", text, 1), POSENC_OK);
    assert_string_equal(text, "");
    posenc_plan_destroy(plan);
}

/* Lists are copied: what the caller does with theirs afterwards is no matter. */
static void test_lists_are_copied(void **state) {
    (void)state;
    spectra_case c;
    double before[4], after[4];
    posenc_rotary_info info = {.size = sizeof info};
    spectra_start(&c, POSENC_SCALING_LONGROPE, 8, 0);
    posenc_plan *plan = must_rotary(NULL, &c);
    assert_int_equal(posenc_rotary_describe(plan, 5000, &info, before, NULL, NULL), POSENC_OK);
    memset(c.lists, 0, sizeof c.lists);
    assert_int_equal(posenc_rotary_describe(plan, 5000, &info, after, NULL, NULL), POSENC_OK);
    must_equal("lists", POSENC_F64, before, after, 4);
    posenc_plan_destroy(plan);
}

/* ---- memory ---- */

/* Describes at another length, which makes a spectrum. */
static posenc_status act(const posenc_context *context, const char *text, double *omega, posenc_error *error) {
    posenc_plan *plan = NULL;
    posenc_rotary_info info = {.size = sizeof info};
    posenc_status status = create(context, text, &plan, error);
    check((status == POSENC_OK) == (plan != NULL), "%s: plan and status differ", text);
    if (status == POSENC_OK) status = posenc_rotary_describe(plan, 9000, &info, omega, NULL, error);
    posenc_plan_destroy(plan);
    return status;
}

static void fail_each(const char *text, bool from_there_on, long at_least) {
    allocator a;
    posenc_context *context = allocator_context(&a);
    long live = atomic_load(&a.live), k = 0;
    for (;; k++) {
        posenc_error error = error_blank();
        double omega[32] = {-7};
        allocator_fail(&a, k, from_there_on);
        posenc_status status = act(context, text, omega, &error);
        bool refused = allocator_refused(&a);
        allocator_fail(&a, -1, false);
        check(atomic_load(&a.live) == live, "%s, allocation %ld: %ld blocks leak", text, k,
              atomic_load(&a.live) - live);
        if (!refused) {
            assert_int_equal(status, POSENC_OK);
            break;
        }
        must_refuse(text, status, POSENC_ERROR_MEMORY, &error, NULL);
        check(omega[0] == -7, "%s, allocation %ld: the output was written", text, k);
    }
    check(k >= at_least, "%s asked for %ld blocks only", text, k);
    allocator_context_end(&a, context);
}

static void test_memory_faults(void **state) {
    (void)state;
    static const char *const texts[] = {
        "dim=64 xpos-scale-base=512",
        "dim=64 pair-axes=sectioned sections=16,8,8 scaling=dynamic factor=2 original-length=4096",
        "dim=64 pair-axes=interleaved sections=12,10,10 arithmetic=float32 scaling=yarn factor=2 original-length=4096",
        "dim=8 scaling=longrope original-length=4096 short-factor=1,2,3,4 long-factor=2,3,4,5 arithmetic=float32",
    };
    static const long least[] = {7, 15, 12, 9};
    for (int i = 0; i < 4; i++)
        for (int on = 0; on < 2; on++) fail_each(texts[i], on, least[i]);
}

/* A width that fits the parameter's range and no memory. */
static void test_no_memory(void **state) {
    (void)state;
    allocator a;
    posenc_context *context = allocator_context(&a);
    posenc_plan *plan = NULL;
    allocator_fail(&a, 2, true);
    assert_int_equal(create(context, "dim=16777216 max-len=9223372036854774784", &plan, NULL), POSENC_ERROR_MEMORY);
    allocator_fail(&a, -1, false);
    allocator_context_end(&a, context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_input),        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_bad_descriptions), cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_widths),           cmocka_unit_test(test_parameters_read_back),
        cmocka_unit_test(test_list_capacity),    cmocka_unit_test(test_lists_are_copied),
        cmocka_unit_test(test_memory_faults),    cmocka_unit_test(test_no_memory),
    };
    return TEST_RUN(tests);
}
