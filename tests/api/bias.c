/* Score biases: whatever is refused, with the argument's name and the outputs untouched; edges that are fine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/biases.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

enum { HEADS = 2, Q = 3, K = 5, SCORES = HEADS * Q * K, ROWS = 32 };

static posenc_status create(const char *scheme, const char *a, const char *b, const char *c, posenc_error *error) {
    const char *settings[] = {a, b, c};
    posenc_parameter parameters[3];
    char names[3][32];
    size_t n = 0;
    for (; n < 3 && settings[n]; n++) {
        const char *mark = strchr(settings[n], '=');
        snprintf(names[n], sizeof names[n], "%.*s", (int)(mark - settings[n]), settings[n]);
        parameters[n] = (posenc_parameter){names[n], mark + 1};
    }
    posenc_plan *plan = (posenc_plan *)(void *)names, *before = plan;
    posenc_status status = posenc_plan_create(NULL, scheme, parameters, n, &plan, error);
    if (status == POSENC_OK)
        posenc_plan_destroy(plan);
    else
        assert_ptr_equal(plan, before);
    return status;
}

static void test_bad_parameters(void **state) {
    (void)state;
    static const struct {
        const char *scheme, *a, *b, *c, *argument;
    } bad[] = {
        {"alibi", NULL, NULL, NULL, "heads"},
        {"alibi", "heads=0", NULL, NULL, "heads"},
        {"alibi", "heads=65537", NULL, NULL, "heads"},
        {"alibi", "heads=4", "slopes=1,2,3", NULL, "slopes"},
        {"alibi", "heads=2", "slopes=1,2,3", NULL, "slopes"},
        {"alibi", "heads=2", "slopes=1,nan", NULL, "slopes"},
        {"alibi", "heads=2", "slopes=inf,1", NULL, "slopes"},
        {"alibi", "heads=2", "slopes=1,,2", NULL, "slopes"},
        {"alibi", "heads=2", "all-heads=4", "slopes=1,2", "slopes"},
        {"alibi", "heads=2", "head-start=1", NULL, "head-start"},
        {"alibi", "heads=3", "head-start=2", "all-heads=4", "head-start"},
        {"alibi", "heads=3", "all-heads=2", NULL, "head-start"},
        {"alibi", "heads=2", "form=both", NULL, "form"},
        {"t5", NULL, NULL, NULL, "heads"},
        {"t5", "heads=1", "buckets=31", NULL, "buckets"},
        {"t5", "heads=1", "buckets=2", NULL, "buckets"},
        {"t5", "heads=1", "buckets=1", "bidirectional=false", "buckets"},
        {"t5", "heads=1", "max-distance=8", NULL, "max-distance"},
        {"t5", "heads=1", "max-distance=16", "bidirectional=false", "max-distance"},
        {"t5", "heads=1", "max-distance=-1", NULL, "max-distance"},
        {"deberta", "buckets=255", NULL, NULL, "buckets"},
        {"deberta", "buckets=2", NULL, NULL, "buckets"},
        {"deberta", "max-distance=129", NULL, NULL, "max-distance"},
        {"deberta", "buckets=65536", "max-distance=32769", NULL, "max-distance"},
        {"swin", "heads=1", "window-height=0", NULL, "window-height"},
        {"swin", "heads=1", "window-width=1025", NULL, "window-width"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        posenc_error error = error_blank();
        posenc_status status = create(bad[i].scheme, bad[i].a, bad[i].b, bad[i].c, &error);
        must_refuse(bad[i].scheme, status, POSENC_ERROR_ARGUMENT, &error, bad[i].argument);
    }
    assert_int_equal(create("t5", "heads=1", "buckets=31", "bidirectional=false", NULL), POSENC_OK);
    assert_int_equal(create("t5", "heads=1", "max-distance=9", NULL, NULL), POSENC_OK);
    assert_int_equal(create("deberta", "max-distance=130", NULL, NULL, NULL), POSENC_OK);
    assert_int_equal(create("swin", "heads=1", "window-height=1", "window-width=1", NULL), POSENC_OK);
}

/* ---- one call that is fine, and what may be wrong with it ---- */

typedef struct fixture {
    posenc_plan *plan;
    posenc_bias_extent extent;
    posenc_bias_options options;
    float table[ROWS * HEADS], out[SCORES], vector[HEADS * (Q + K - 1)];
    double gradient[ROWS * HEADS];
    posenc_view views[8];
    DLTensor *t, *o, *v, *g;
} fixture;

static void fixture_make(fixture *f) {
    f->plan = must_bias_plan(NULL, "t5", (const char *const[]){"heads=2", NULL});
    posenc_bias_extent_default(&f->extent, sizeof f->extent);
    posenc_bias_options_default(&f->options, sizeof f->options);
    f->extent.queries = Q, f->extent.keys = K;
    for (int i = 0; i < ROWS * HEADS; i++) f->table[i] = (float)i;
    memset(f->out, 0x5A, sizeof f->out);
    memset(f->vector, 0x5A, sizeof f->vector);
    memset(f->gradient, 0x5A, sizeof f->gradient);
    f->t = posenc_view_make(&f->views[0], f->table, POSENC_F32, 2, (int64_t[]){ROWS, HEADS}, NULL);
    f->o = posenc_view_make(&f->views[1], f->out, POSENC_F32, 3, (int64_t[]){HEADS, Q, K}, NULL);
    f->v = posenc_view_make(&f->views[2], f->vector, POSENC_F32, 2, (int64_t[]){HEADS, Q + K - 1}, NULL);
    f->g = posenc_view_make(&f->views[3], f->gradient, POSENC_F64, 2, (int64_t[]){ROWS, HEADS}, NULL);
}

static void untouched(const char *what, const void *memory, size_t bytes) {
    const unsigned char *at = memory;
    for (size_t i = 0; i < bytes; i++) check(at[i] == 0x5A, "%s: byte %zu is touched", what, i);
}

/* Every verb refuses alike. */
static void refuse_all(const char *what, fixture *f, posenc_status wanted, const char *argument) {
    for (int verb = 0; verb < 4; verb++) {
        posenc_error error = error_blank();
        posenc_status status = verb == 0   ? posenc_bias_write(f->plan, &f->extent, f->t, f->o, &error)
                               : verb == 1 ? posenc_bias_add(f->plan, &f->extent, &f->options, f->t, f->o, &error)
                               : verb == 2
                                   ? posenc_bias_vector(f->plan, &f->extent, f->t, f->v, &error)
                                   : posenc_bias_backward(f->plan, &f->extent, &f->options, f->o, f->g, 0, &error);
        must_refuse(what, status, wanted, &error, argument);
    }
    untouched(what, f->out, sizeof f->out);
    untouched(what, f->vector, sizeof f->vector);
    untouched(what, f->gradient, sizeof f->gradient);
    posenc_plan_destroy(f->plan);
    fixture_make(f);
}

static void test_bad_extents(void **state) {
    (void)state;
    fixture f;
    fixture_make(&f);
    f.extent.queries = -1;
    refuse_all("no queries", &f, POSENC_ERROR_ARGUMENT, "queries");
    f.extent.keys = -5;
    refuse_all("keys below 0", &f, POSENC_ERROR_ARGUMENT, "keys");
    f.extent.keys = INT64_MAX;
    refuse_all("too many keys", &f, POSENC_ERROR_ARGUMENT, "keys");
    f.extent.first_query = 4;
    refuse_all("first query", &f, POSENC_ERROR_ARGUMENT, "first_query");
    f.extent.first_query = -1;
    refuse_all("first query below 0", &f, POSENC_ERROR_ARGUMENT, "first_query");
    f.extent.first_query = 1, f.extent.n_queries = 3;
    refuse_all("n queries", &f, POSENC_ERROR_ARGUMENT, "n_queries");
    f.extent.n_keys = -2;
    refuse_all("n keys", &f, POSENC_ERROR_ARGUMENT, "n_keys");
    f.extent.first_head = 3;
    refuse_all("first head", &f, POSENC_ERROR_ARGUMENT, "first_head");
    f.extent.first_head = 1, f.extent.n_heads = 2;
    refuse_all("n heads", &f, POSENC_ERROR_ARGUMENT, "n_heads");
    f.extent.offset = INT64_MIN + 1;
    refuse_all("offset", &f, POSENC_ERROR_POSITION, "offset");
    f.extent.offset = INT64_MAX;
    refuse_all("offset", &f, POSENC_ERROR_POSITION, "offset");
    f.extent.size = sizeof f.extent + 8;
    refuse_all("a newer extent", &f, POSENC_ERROR_ARGUMENT, NULL);
    f.extent.n_queries = 2;
    refuse_all("a smaller block", &f, POSENC_ERROR_SHAPE, NULL);
    posenc_plan_destroy(f.plan);
}

static void refuse_add(const char *what, fixture *f, posenc_status wanted, const char *argument) {
    posenc_error error = error_blank();
    must_refuse(what, posenc_bias_add(f->plan, &f->extent, &f->options, f->t, f->o, &error), wanted, &error, argument);
    error = error_blank();
    if (strcmp(argument, "table") != 0 && strcmp(argument, "scores") != 0)
        must_refuse(what, posenc_bias_backward(f->plan, &f->extent, &f->options, f->o, f->g, 0, &error), wanted, &error,
                    argument);
    untouched(what, f->out, sizeof f->out);
    untouched(what, f->gradient, sizeof f->gradient);
    posenc_plan_destroy(f->plan);
    fixture_make(f);
}

static void test_bad_options(void **state) {
    (void)state;
    fixture f;
    posenc_view a, b;
    int64_t offsets[] = {1, 2, INT64_MAX}, lengths[] = {0, 3, 2, 3};
    fixture_make(&f);
    f.options.scale = nan("");
    refuse_add("scale", &f, POSENC_ERROR_ARGUMENT, "scale");
    f.options.scale = HUGE_VAL;
    refuse_add("scale", &f, POSENC_ERROR_ARGUMENT, "scale");
    f.options.offsets = posenc_view_make(&a, offsets, POSENC_I64, 1, (int64_t[]){2}, NULL);
    refuse_add("two offsets for one batch row", &f, POSENC_ERROR_SHAPE, "offsets");
    f.options.offsets = posenc_view_make(&a, offsets, POSENC_F64, 1, (int64_t[]){1}, NULL);
    refuse_add("offsets in f64", &f, POSENC_ERROR_DTYPE, "offsets");
    offsets[0] = -(INT64_C(1) << 61);
    f.options.offsets = posenc_view_make(&a, offsets, POSENC_I64, 1, (int64_t[]){1}, NULL);
    refuse_add("a far offset", &f, POSENC_ERROR_POSITION, "offsets");
    f.options.cu_seqlens = posenc_view_make(&b, lengths, POSENC_I64, 1, (int64_t[]){2}, NULL);
    refuse_add("packed, queries that are not keys", &f, POSENC_ERROR_ARGUMENT, "keys");
    f.options.offsets = posenc_view_make(&a, offsets, POSENC_I64, 1, (int64_t[]){1}, NULL);
    f.options.cu_seqlens = posenc_view_make(&b, lengths, POSENC_I64, 1, (int64_t[]){2}, NULL);
    refuse_add("both", &f, POSENC_ERROR_ARGUMENT, "offsets");
    static const int64_t wrong[][4] = {{1, 2, 2, 3}, {0, 2, 1, 3}, {0, 1, 2, 2}, {0, 1, 2, 4}};
    for (int i = 0; i < 4; i++) {
        memcpy(lengths, wrong[i], sizeof lengths);
        f.extent.keys = Q;
        f.o = posenc_view_make(&f.views[1], f.out, POSENC_F32, 3, (int64_t[]){HEADS, Q, Q}, NULL);
        f.options.cu_seqlens = posenc_view_make(&b, lengths, POSENC_I64, 1, (int64_t[]){4}, NULL);
        refuse_add("lengths", &f, POSENC_ERROR_ARGUMENT, "cu_seqlens");
    }
    posenc_plan_destroy(f.plan);
}

static void test_bad_tensors(void **state) {
    (void)state;
    fixture f;
    fixture_make(&f);
    f.t = posenc_view_make(&f.views[0], f.table, POSENC_F32, 2, (int64_t[]){ROWS - 1, HEADS}, NULL);
    refuse_add("a row too few", &f, POSENC_ERROR_SHAPE, "table");
    f.t = posenc_view_make(&f.views[0], f.table, POSENC_F32, 2, (int64_t[]){HEADS, ROWS}, NULL);
    refuse_add("axes swapped", &f, POSENC_ERROR_SHAPE, "table");
    f.t = posenc_view_make(&f.views[0], f.table, POSENC_I32, 2, (int64_t[]){ROWS, HEADS}, NULL);
    refuse_add("integers", &f, POSENC_ERROR_DTYPE, "table");
    f.t = NULL;
    refuse_add("no table", &f, POSENC_ERROR_ARGUMENT, "table");
    f.t->device.device_type = kDLCUDA;
    refuse_add("a table elsewhere", &f, POSENC_ERROR_DEVICE, "table");
    f.o = posenc_view_make(&f.views[1], f.out, POSENC_F32, 3, (int64_t[]){HEADS, K, Q}, NULL);
    refuse_add("queries and keys swapped", &f, POSENC_ERROR_SHAPE, "scores");
    f.o = posenc_view_make(&f.views[1], f.out, POSENC_F32, 3, (int64_t[]){HEADS + 1, Q, K}, NULL);
    refuse_add("a head too many", &f, POSENC_ERROR_SHAPE, "scores");
    f.o = posenc_view_make(&f.views[1], f.out, POSENC_I32, 3, (int64_t[]){HEADS, Q, K}, NULL);
    refuse_add("scores in i32", &f, POSENC_ERROR_DTYPE, "scores");
    f.o = posenc_view_make(&f.views[1], f.out, POSENC_F32, 3, (int64_t[]){HEADS, Q, K}, (int64_t[]){Q * K, 2, 1});
    refuse_add("rows that meet", &f, POSENC_ERROR_OVERLAP, "scores");
    f.t = posenc_view_make(&f.views[0], f.out, POSENC_F32, 2, (int64_t[]){ROWS, HEADS}, (int64_t[]){0, 1});
    refuse_add("a table among the scores", &f, POSENC_ERROR_OVERLAP, "scores");
    posenc_plan_destroy(f.plan);
}

static void refuse_gradient(const char *what, fixture *f, posenc_status wanted) {
    posenc_error error = error_blank();
    must_refuse(what, posenc_bias_backward(f->plan, &f->extent, NULL, f->o, f->g, 1, &error), wanted, &error,
                "gradient");
    untouched(what, f->gradient, sizeof f->gradient);
    posenc_plan_destroy(f->plan);
    fixture_make(f);
}

static void test_bad_gradients(void **state) {
    (void)state;
    fixture f;
    fixture_make(&f);
    f.g = posenc_view_make(&f.views[3], f.gradient, POSENC_F64, 2, (int64_t[]){HEADS, ROWS}, NULL);
    refuse_gradient("axes swapped", &f, POSENC_ERROR_SHAPE);
    f.g = posenc_view_make(&f.views[3], f.gradient, POSENC_F64, 1, (int64_t[]){HEADS}, NULL);
    refuse_gradient("slopes of t5", &f, POSENC_ERROR_SHAPE);
    f.g = posenc_view_make(&f.views[3], f.gradient, POSENC_BF16, 2, (int64_t[]){ROWS, HEADS}, NULL);
    refuse_gradient("bf16", &f, POSENC_ERROR_DTYPE);
    f.g = posenc_view_make(&f.views[3], f.gradient, POSENC_F64, 2, (int64_t[]){ROWS, HEADS}, (int64_t[]){1, 1});
    refuse_gradient("rows that meet", &f, POSENC_ERROR_OVERLAP);
    f.g = NULL;
    refuse_gradient("none", &f, POSENC_ERROR_ARGUMENT);
    f.g = posenc_view_make(&f.views[3], f.out, POSENC_F32, 2, (int64_t[]){ROWS, HEADS}, NULL);
    refuse_gradient("in dscores", &f, POSENC_ERROR_OVERLAP);
    posenc_plan_destroy(f.plan);
}

/* ---- schemes that do not do it ---- */

static void test_wrong_schemes(void **state) {
    (void)state;
    fixture f;
    posenc_error error;
    fixture_make(&f);
    int64_t index[Q * K], bucket = 77;
    memset(index, 0x5A, sizeof index);
    posenc_view view;
    DLTensor *i = posenc_view_make(&view, index, POSENC_I64, 2, (int64_t[]){Q, K}, NULL);
    posenc_plan_destroy(f.plan);
    f.plan = must_plan(NULL, &(plan_shape){.dim = 8});
    refuse_all("sinusoidal", &f, POSENC_ERROR_UNSUPPORTED, "plan");
    posenc_plan_destroy(f.plan);
    f.plan = must_bias_plan(NULL, "deberta", (const char *const[]){NULL});
    refuse_all("deberta", &f, POSENC_ERROR_UNSUPPORTED, "plan");
    posenc_plan_destroy(f.plan);
    f.plan = NULL;
    refuse_all("no plan", &f, POSENC_ERROR_ARGUMENT, "plan");
    posenc_plan_destroy(f.plan);

    posenc_plan *alibi = must_bias_plan(NULL, "alibi", (const char *const[]){"heads=2", "form=key", NULL});
    error = error_blank();
    must_refuse("a slope's index", posenc_bias_index(alibi, &f.extent, i, &error), POSENC_ERROR_UNSUPPORTED, &error,
                "plan");
    error = error_blank();
    must_refuse("a slope's bucket", posenc_bias_bucket(alibi, 3, &bucket, &error), POSENC_ERROR_ARGUMENT, &error,
                "plan");
    error = error_blank();
    must_refuse("form key", posenc_bias_vector(alibi, &f.extent, NULL, f.v, &error), POSENC_ERROR_UNSUPPORTED, &error,
                "plan");
    error = error_blank();
    must_refuse("alibi's table", posenc_bias_write(alibi, &f.extent, f.t, f.o, &error), POSENC_ERROR_ARGUMENT, &error,
                "table");
    posenc_plan_destroy(alibi);
    untouched("index", index, sizeof index);
    assert_int_equal(bucket, 77);
}

/* A window's tokens have no order and no offset, and its sizes are its own. */
static void test_windows(void **state) {
    (void)state;
    posenc_plan *plan =
        must_bias_plan(NULL, "swin", (const char *const[]){"heads=1", "window-height=2", "window-width=2", NULL});
    float table[9] = {0}, scores[16];
    int64_t one[] = {0};
    posenc_view a, b, c;
    posenc_bias_extent e;
    posenc_bias_options o;
    posenc_error error = error_blank();
    posenc_bias_extent_default(&e, sizeof e);
    DLTensor *t = posenc_view_make(&a, table, POSENC_F32, 2, (int64_t[]){9, 1}, NULL);
    DLTensor *s = posenc_view_make(&b, scores, POSENC_F32, 3, (int64_t[]){1, 4, 4}, NULL);
    memset(scores, 0x5A, sizeof scores);
    e.queries = 4, e.keys = 5;
    must_refuse("keys", posenc_bias_write(plan, &e, t, s, &error), POSENC_ERROR_ARGUMENT, &error, "keys");
    e.keys = 4, e.offset = 1;
    error = error_blank();
    must_refuse("offset", posenc_bias_write(plan, &e, t, s, &error), POSENC_ERROR_ARGUMENT, &error, "offset");
    e.offset = POSENC_BIAS_OFFSET_AUTO;
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"causal", "offsets", "cu_seqlens"};
        DLTensor *vector = posenc_view_make(&c, one, POSENC_I64, 1, (int64_t[]){1}, NULL);
        posenc_bias_options_default(&o, sizeof o);
        if (i == 0) o.causal = 1;
        if (i == 1) o.offsets = vector;
        if (i == 2) o.cu_seqlens = vector;
        error = error_blank();
        must_refuse(names[i], posenc_bias_add(plan, &e, &o, t, s, &error), POSENC_ERROR_UNSUPPORTED, &error, names[i]);
    }
    error = error_blank();
    must_refuse("vector", posenc_bias_vector(plan, &e, t, s, &error), POSENC_ERROR_UNSUPPORTED, &error, "plan");
    untouched("scores", scores, sizeof scores);
    posenc_plan_destroy(plan);
}

/* ---- plans of biases where rows are wanted ---- */

static void test_no_rows(void **state) {
    (void)state;
    posenc_plan *plan = must_bias_plan(NULL, "alibi", (const char *const[]){"heads=4", NULL});
    float x[8] = {0};
    posenc_view view;
    posenc_error error = error_blank();
    posenc_encoder *encoder = NULL;
    posenc_cursor *cursor = NULL;
    DLTensor *t = posenc_view_make(&view, x, POSENC_F32, 2, (int64_t[]){2, 4}, NULL);
    must_refuse("write", posenc_plan_write(plan, NULL, t, &error), POSENC_ERROR_UNSUPPORTED, &error, "plan");
    assert_non_null(strstr(error.message, "posenc_bias_add"));
    error = error_blank();
    must_refuse("add", posenc_plan_add(plan, NULL, t, 1, t, &error), POSENC_ERROR_UNSUPPORTED, &error, "plan");
    error = error_blank();
    must_refuse("cursor", posenc_cursor_create(plan, &cursor, &error), POSENC_ERROR_UNSUPPORTED, &error, "plan");
    error = error_blank();
    must_refuse("encoder",
                posenc_encoder_create(NULL, "alibi", (posenc_parameter[]){{"heads", "4"}}, 1, NULL, &encoder, &error),
                POSENC_ERROR_UNSUPPORTED, &error, "plan");
    assert_int_equal(posenc_plan_write_f32(plan, 0, 2, x), POSENC_ERROR_UNSUPPORTED);
    assert_int_equal(posenc_plan_add_f32(plan, 0, 1, 2, x, x), POSENC_ERROR_UNSUPPORTED);
    assert_null(encoder);
    assert_null(cursor);
    posenc_plan_destroy(plan);
}

/* ---- another window ---- */

static void test_resize_window(void **state) {
    (void)state;
    float table[9 * 2], same[9 * 2], wider[15 * 2];
    posenc_view a, b;
    posenc_error error = error_blank();
    const int64_t two[] = {2, 2}, wide[] = {2, 3}, none[] = {0, 2};
    for (int i = 0; i < 18; i++) table[i] = 0.5f;
    DLTensor *t = posenc_view_make(&a, table, POSENC_F32, 2, (int64_t[]){9, 2}, NULL);
    DLTensor *s = posenc_view_make(&b, same, POSENC_F32, 2, (int64_t[]){9, 2}, NULL);
    must_refuse("window 0", posenc_bias_resize_window(NULL, t, two, none, POSENC_INTERPOLATION_CUBIC, s, &error),
                POSENC_ERROR_ARGUMENT, &error, "to");
    error = error_blank();
    must_refuse("no window", posenc_bias_resize_window(NULL, t, NULL, two, POSENC_INTERPOLATION_CUBIC, s, &error),
                POSENC_ERROR_ARGUMENT, &error, "from");
    error = error_blank();
    must_refuse("rows", posenc_bias_resize_window(NULL, t, two, wide, POSENC_INTERPOLATION_CUBIC, s, &error),
                POSENC_ERROR_SHAPE, &error, "out");
    table[4] = 7;
    assert_int_equal(posenc_bias_resize_window(NULL, t, two, two, POSENC_INTERPOLATION_CUBIC, s, NULL), POSENC_OK);
    assert_memory_equal(table, same, sizeof same);
    table[4] = 0.5f;
    DLTensor *w = posenc_view_make(&b, wider, POSENC_F32, 2, (int64_t[]){15, 2}, NULL);
    assert_int_equal(posenc_bias_resize_window(NULL, t, two, wide, POSENC_INTERPOLATION_CUBIC, w, NULL), POSENC_OK);
    for (int i = 0; i < 30; i++) assert_true(wider[i] == 0.5f);
}

/* Not square: differences along the width are resized, those along the height stay (a table of one column of heights).
 */
static void test_resize_window_axes(void **state) {
    (void)state;
    enum { FROM = 3 * 5, TO = 3 * 7 };
    double table[FROM], out[TO];
    posenc_view a, b;
    for (int i = 0; i < FROM; i++) table[i] = i / 5;
    DLTensor *t = posenc_view_make(&a, table, POSENC_F64, 2, (int64_t[]){FROM, 1}, NULL);
    DLTensor *o = posenc_view_make(&b, out, POSENC_F64, 2, (int64_t[]){TO, 1}, NULL);
    assert_int_equal(
        posenc_bias_resize_window(NULL, t, (int64_t[]){2, 3}, (int64_t[]){2, 4}, POSENC_INTERPOLATION_LINEAR, o, NULL),
        POSENC_OK);
    for (int i = 0; i < TO; i++) check(fabs(out[i] - i / 7) < 1e-15, "row %d: %g", i, out[i]);
}

/* ---- fine ---- */

static void test_edges(void **state) {
    (void)state;
    fixture f;
    fixture_make(&f);
    /* no queries, no keys, no heads, no batch */
    posenc_view view, gradient;
    f.extent.queries = 0;
    DLTensor *none = posenc_view_make(&view, NULL, POSENC_F32, 3, (int64_t[]){HEADS, 0, K}, NULL);
    assert_int_equal(posenc_bias_write(f.plan, &f.extent, f.t, none, NULL), POSENC_OK);
    assert_int_equal(posenc_bias_add(f.plan, &f.extent, NULL, f.t, none, NULL), POSENC_OK);
    assert_int_equal(posenc_bias_backward(f.plan, &f.extent, NULL, none, f.g, 0, NULL), POSENC_OK);
    for (int i = 0; i < ROWS * HEADS; i++) assert_true(f.gradient[i] == 0);
    none = posenc_view_make(&view, NULL, POSENC_F32, 2, (int64_t[]){HEADS, 0}, NULL);
    assert_int_equal(posenc_bias_vector(f.plan, &f.extent, f.t, none, NULL), POSENC_OK);
    f.extent.queries = Q;
    none = posenc_view_make(&view, NULL, POSENC_F32, 4, (int64_t[]){0, HEADS, Q, K}, NULL);
    assert_int_equal(posenc_bias_add(f.plan, &f.extent, NULL, f.t, none, NULL), POSENC_OK);
    f.extent.n_heads = 0;
    none = posenc_view_make(&view, NULL, POSENC_F32, 3, (int64_t[]){0, Q, K}, NULL);
    assert_int_equal(posenc_bias_write(f.plan, &f.extent, f.t, none, NULL), POSENC_OK);
    DLTensor *no_heads = posenc_view_make(&gradient, NULL, POSENC_F64, 2, (int64_t[]){ROWS, 0}, NULL);
    assert_int_equal(posenc_bias_backward(f.plan, &f.extent, NULL, none, no_heads, 0, NULL), POSENC_OK);
    /* masked scores are minus infinity, whatever they were, and take no part in a gradient */
    f.extent.n_heads = -1, f.options.causal = 1, f.extent.offset = 0;
    for (int i = 0; i < SCORES; i++) f.out[i] = i % K > i / K % Q ? NAN : 1;
    assert_int_equal(posenc_bias_backward(f.plan, &f.extent, &f.options, f.o, f.g, 0, NULL), POSENC_OK);
    for (int i = 0; i < HEADS; i++)
        assert_true(f.gradient[i] == 3 && f.gradient[HEADS + i] == 2 && f.gradient[2 * HEADS + i] == 1);
    assert_int_equal(posenc_bias_add(f.plan, &f.extent, &f.options, f.t, f.o, NULL), POSENC_OK);
    for (int i = 0; i < SCORES; i++)
        assert_true(i % K > i / K % Q ? f.out[i] == -INFINITY
                                      : f.out[i] == 1 + f.table[(i / K % Q - i % K) * HEADS + i / K / Q]);
    posenc_plan_destroy(f.plan);
}

/* A program of an older version knows fewer members; what is not asked for has its default. */
static void test_older_structs(void **state) {
    (void)state;
    fixture f;
    fixture_make(&f);
    float first[SCORES];
    assert_int_equal(posenc_bias_write(f.plan, &f.extent, f.t, f.o, NULL), POSENC_OK);
    memcpy(first, f.out, sizeof first);
    f.extent.size = offsetof(posenc_bias_extent, offset);
    f.extent.offset = f.extent.first_head = 77, f.extent.n_keys = 1;
    assert_int_equal(posenc_bias_write(f.plan, &f.extent, f.t, f.o, NULL), POSENC_OK);
    assert_memory_equal(first, f.out, sizeof first);
    posenc_plan_destroy(f.plan);
}

/* Whole distances only, and columns that are heads. */
static void test_equations(void **state) {
    (void)state;
    posenc_plan *plan = must_bias_plan(NULL, "alibi", (const char *const[]){"heads=2", NULL});
    double value = 7;
    assert_int_equal(posenc_plan_dim(plan), 2);
    assert_int_equal(posenc_plan_equation(plan, 0.5, 0, &value), POSENC_ERROR_POSITION);
    assert_int_equal(posenc_plan_equation(plan, nan(""), 0, &value), POSENC_ERROR_POSITION);
    assert_int_equal(posenc_plan_equation(plan, 1, 2, &value), POSENC_ERROR_ARGUMENT);
    assert_true(value == 7);
    assert_int_equal(posenc_plan_equation(plan, -16, 0, &value), POSENC_OK);
    assert_true(value == -1);
    posenc_plan_destroy(plan);
}

/* One query at position 99 999 999 999 of a cache: distances far beyond 32 bits. */
static void test_far_positions(void **state) {
    (void)state;
    posenc_plan *plan = must_bias_plan(NULL, "alibi", (const char *const[]){"heads=1", NULL});
    posenc_bias_extent e;
    posenc_view view;
    double out[4];
    posenc_bias_extent_default(&e, sizeof e);
    e.queries = 1, e.keys = INT64_C(100000000000), e.first_key = 1, e.n_keys = 4;
    DLTensor *t = posenc_view_make(&view, out, POSENC_F64, 3, (int64_t[]){1, 1, 4}, NULL);
    assert_int_equal(posenc_bias_write(plan, &e, NULL, t, NULL), POSENC_OK);
    for (int j = 0; j < 4; j++) assert_true(out[j] == (double)(1 + j - INT64_C(99999999999)) / 256);
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_parameters), cmocka_unit_test(test_bad_extents),
        cmocka_unit_test(test_bad_options),    cmocka_unit_test(test_bad_tensors),
        cmocka_unit_test(test_bad_gradients),  cmocka_unit_test(test_wrong_schemes),
        cmocka_unit_test(test_windows),        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_resize_window),  cmocka_unit_test(test_resize_window_axes),
        cmocka_unit_test(test_edges),          cmocka_unit_test(test_far_positions),
        cmocka_unit_test(test_older_structs),  cmocka_unit_test(test_equations),
    };
    return TEST_RUN(tests);
}
