/* posenc_resize: every refusal, with the output as it was, and the edges that are none. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

enum { OLD = 7, NEW = 10, DIM = 4 }; /* 1 + 2 x 3 rows to 1 + 3 x 3 */

/* A good call, which each test spoils in one place. */
typedef struct good {
    float old_data[OLD * DIM + 8], new_data[NEW * DIM + 8], before[NEW * DIM + 8];
    int64_t old_shape[3], new_shape[3];
    posenc_view old_view, new_view;
    DLTensor *old, *new;
    posenc_resize_options options;
} good;

static good *good_make(void) {
    good *g = must_allocate(sizeof *g);
    random_state random = random_start("api resize");
    random_fill_f32(&random, g->old_data, OLD * DIM + 8);
    memcpy(g->before, g->new_data, sizeof g->before);
    posenc_resize_default(&g->options, sizeof g->options);
    g->options.prefix = 1;
    g->options.from[0] = 2, g->options.from[1] = 3;
    g->options.to[0] = 3, g->options.to[1] = 3;
    g->old = posenc_view_make(&g->old_view, g->old_data, POSENC_F32, 2, (int64_t[]){OLD, DIM}, NULL);
    g->new = posenc_view_make(&g->new_view, g->new_data, POSENC_F32, 2, (int64_t[]){NEW, DIM}, NULL);
    return g;
}

static void set_shape(posenc_view *view, int64_t *own, int rank, int64_t a, int64_t b, int64_t c) {
    own[0] = a, own[1] = b, own[2] = c;
    view->tensor.ndim = rank;
    view->tensor.shape = own;
}

/* Both with and without an error detail; ends the good call. */
static void refuse(good *g, const char *what, posenc_status expected, const char *argument) {
    posenc_error error = error_blank();
    must_refuse(what, posenc_resize(NULL, &g->options, g->old, g->new, &error), expected, &error, argument);
    check(posenc_resize(NULL, &g->options, g->old, g->new, NULL) == expected, "%s without an error detail", what);
    check(memcmp(g->new_data, g->before, sizeof g->before) == 0, "%s: the output was written", what);
    free(g);
}

static void accept(good *g, const char *what) {
    posenc_error error = error_blank(), before = error;
    check(posenc_resize(NULL, &g->options, g->old, g->new, &error) == POSENC_OK, "%s: %s", what, error.message);
    assert_memory_equal(&error, &before, sizeof error);
}

static void test_the_good_call_is_good(void **state) {
    (void)state;
    good *g = good_make();
    accept(g, "the good call");
    assert_memory_not_equal(g->new_data, g->before, sizeof g->before);
    assert_memory_equal(g->new_data + NEW * DIM, g->before + NEW * DIM, 8 * sizeof(float));
    free(g);
}

static void test_options(void **state) {
    (void)state;
    good *g = good_make();
    g->options.mode = (posenc_interpolation)2;
    refuse(g, "mode 2", POSENC_ERROR_ARGUMENT, "mode");
    g = good_make();
    g->options.mode = (posenc_interpolation)-1;
    refuse(g, "mode -1", POSENC_ERROR_ARGUMENT, "mode");
    g = good_make();
    g->options.antialias = g->options.align_corners = 1;
    refuse(g, "antialias with align_corners", POSENC_ERROR_ARGUMENT, "align_corners");
    static const int64_t prefixes[] = {-1, INT64_MIN, OLD + 1, INT64_MAX};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        g = good_make();
        g->options.prefix = prefixes[i];
        refuse(g, "prefix", POSENC_ERROR_ARGUMENT, "prefix");
    }
    g = good_make();
    g->options.first = -2;
    refuse(g, "first -2", POSENC_ERROR_ARGUMENT, "first");
    g = good_make();
    g->options = (posenc_resize_options){.size = sizeof g->options, .first = 0};
    refuse(g, "first without grids", POSENC_ERROR_ARGUMENT, "first");
    g = good_make();
    g->options.size++;
    refuse(g, "size of a later version", POSENC_ERROR_ARGUMENT, "options.size");
    g = good_make();
    g->options.size = sizeof(size_t) - 1;
    refuse(g, "no size", POSENC_ERROR_ARGUMENT, "options.size");
}

static void test_grids(void **state) {
    (void)state;
    static const struct {
        int64_t from[2], to[2];
        posenc_status status;
        const char *argument;
    } cases[] = {
        {{2, 2}, {3, 3}, POSENC_ERROR_SHAPE, "table"},
        {{2, 4}, {3, 3}, POSENC_ERROR_SHAPE, "table"},
        {{0, 0}, {3, 3}, POSENC_ERROR_SHAPE, "table"},
        {{INT64_C(1) << 58, INT64_C(1) << 58}, {3, 3}, POSENC_ERROR_SHAPE, "table"},
        {{2, 3}, {3, 4}, POSENC_ERROR_SHAPE, "out"},
        {{2, 3}, {0, 0}, POSENC_ERROR_SHAPE, "out"},
        {{2, 3}, {INT64_C(1) << 32, INT64_C(1) << 32}, POSENC_ERROR_SHAPE, "out"},
        {{-2, -3}, {3, 3}, POSENC_ERROR_ARGUMENT, "from"},
        {{2, 3}, {-3, -3}, POSENC_ERROR_ARGUMENT, "to"},
        {{INT64_MAX, 1}, {3, 3}, POSENC_ERROR_ARGUMENT, "from"},
        {{2, 3}, {1, INT64_MIN}, POSENC_ERROR_ARGUMENT, "to"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        good *g = good_make();
        memcpy(g->options.from, cases[i].from, sizeof g->options.from);
        memcpy(g->options.to, cases[i].to, sizeof g->options.to);
        refuse(g, "grid", cases[i].status, cases[i].argument);
    }
}

/* out as a part of the new table, which has 10 rows: 1 + 3 x 3. */
static void test_parts(void **state) {
    (void)state;
    static const int64_t bad[][2] = {{0, 11}, {1, 10}, {9, 2}, {10, 1}, {11, 0}, {INT64_MAX, 0}, {INT64_MAX, 10}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        good *g = good_make();
        g->options.first = bad[i][0];
        set_shape(&g->new_view, g->new_shape, 2, bad[i][1], DIM, 0);
        refuse(g, "a part past the end", POSENC_ERROR_SHAPE, "out");
    }
    good *g = good_make();
    g->options.first = 0;
    g->options.to[0] = g->options.to[1] = INT64_C(1) << 32;
    refuse(g, "a part of more rows than there are numbers", POSENC_ERROR_SHAPE, "out");
    static const int64_t fine[][2] = {{0, 10}, {0, 0}, {10, 0}, {0, 1}, {9, 1}, {3, 4}};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        float whole[NEW * DIM];
        g = good_make();
        assert_int_equal(posenc_resize(NULL, &g->options, g->old, g->new, NULL), POSENC_OK);
        memcpy(whole, g->new_data, sizeof whole);
        memcpy(g->new_data, g->before, sizeof g->before);
        g->options.first = fine[i][0];
        set_shape(&g->new_view, g->new_shape, 2, fine[i][1], DIM, 0);
        accept(g, "a part");
        size_t n = (size_t)fine[i][1] * DIM;
        assert_memory_equal(g->new_data, whole + fine[i][0] * DIM, n * sizeof(float));
        assert_memory_equal(g->new_data + n, g->before + n, (NEW * DIM + 8 - n) * sizeof(float));
        free(g);
    }
    /* A part of a table that no memory holds: 2^58 rows of one. */
    g = good_make();
    g->options = (posenc_resize_options){
        .size = sizeof g->options, .from = {1, OLD}, .to = {1, INT64_C(1) << 58}, .first = (INT64_C(1) << 58) - NEW};
    accept(g, "the last rows of 2^58");
    for (int i = 0; i < NEW; i++)
        assert_memory_equal(g->new_data + i * DIM, g->old_data + (OLD - 1) * DIM, DIM * sizeof(float));
    free(g);
}

static void test_shapes(void **state) {
    (void)state;
    static const int64_t bad[][3] = {{7, 2, 2}, {7, 4, 1}, {0, 7, 4}, {7, 0, 4}, {-1, 7, 4}, {1, 7, -4}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        good *g = good_make();
        set_shape(&g->old_view, g->old_shape, 3, bad[i][0], bad[i][1], bad[i][2]);
        refuse(g, "shape of the table", POSENC_ERROR_SHAPE, NULL);
        g = good_make();
        set_shape(&g->new_view, g->new_shape, 3, bad[i][0], bad[i][1], bad[i][2]);
        refuse(g, "shape of the output", POSENC_ERROR_SHAPE, NULL);
    }
    for (int rank = -1; rank <= 9; rank++) {
        static int64_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
        if (rank == 2) continue;
        good *g = good_make();
        g->old->ndim = rank;
        g->old->shape = ones;
        refuse(g, "rank of the table", POSENC_ERROR_SHAPE, NULL);
        g = good_make();
        g->new->ndim = rank;
        g->new->shape = ones;
        refuse(g, "rank of the output", POSENC_ERROR_SHAPE, "out");
    }
    good *g = good_make();
    set_shape(&g->new_view, g->new_shape, 3, 1, NEW, DIM);
    refuse(g, "other rank", POSENC_ERROR_SHAPE, "out");
    g = good_make();
    set_shape(&g->new_view, g->new_shape, 2, NEW, DIM - 1, 0);
    refuse(g, "other dim", POSENC_ERROR_SHAPE, "out");
    g = good_make();
    set_shape(&g->new_view, g->new_shape, 2, 0, DIM, 0);
    refuse(g, "less rows than the prefix has", POSENC_ERROR_SHAPE, "out");
    g = good_make();
    g->old->shape = NULL;
    refuse(g, "no shape", POSENC_ERROR_SHAPE, "table");
    g = good_make();
    g->options = (posenc_resize_options){.size = sizeof g->options, .prefix = OLD, .first = -1};
    refuse(g, "nothing behind the prefix", POSENC_ERROR_SHAPE, "table");
    g = good_make();
    set_shape(&g->old_view, g->old_shape, 2, 0, DIM, 0);
    g->options = (posenc_resize_options){.size = sizeof g->options, .first = -1};
    refuse(g, "no rows", POSENC_ERROR_SHAPE, "table");
}

/* An allocator as small as memory is. (A sanitizer's own would end the process.) */
static void *allocate_little(void *user, size_t bytes, size_t alignment) {
    (void)user;
    return bytes < 1 << 20 ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment) : NULL;
}

static void release_little(void *user, void *pointer, size_t bytes) {
    (void)user;
    (void)bytes;
    free(pointer);
}

static void refuse_for_memory(good *g, const char *what) {
    posenc_context_options options;
    posenc_context *context;
    posenc_context_default(&options, sizeof options);
    options.allocate = allocate_little;
    options.release = release_little;
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    posenc_error error = error_blank();
    posenc_status status = posenc_resize(context, &g->options, g->old, g->new, &error);
    must_refuse(what, status, POSENC_ERROR_MEMORY, &error, "weights");
    assert_memory_equal(g->new_data, g->before, sizeof g->before);
    posenc_context_destroy(context);
    free(g);
}

/* Sizes that no memory holds: a stride of 0 claims them, and so does a width of 0. */
static void test_hostile_extents(void **state) {
    (void)state;
    good *g = good_make();
    int64_t strides[2] = {0, 1};
    set_shape(&g->old_view, g->old_shape, 2, INT64_MAX, DIM, 0);
    g->old->strides = strides;
    g->options = (posenc_resize_options){.size = sizeof g->options, .first = -1};
    refuse(g, "2^63 - 1 rows in one", POSENC_ERROR_SHAPE, "table");
    g = good_make();
    set_shape(&g->old_view, g->old_shape, 2, INT64_C(1) << 58, DIM, 0);
    g->old->strides = strides;
    g->options = (posenc_resize_options){.size = sizeof g->options, .antialias = 1, .first = -1};
    refuse_for_memory(g, "2^58 weights");
    for (int antialias = 0; antialias < 2; antialias++) {
        g = good_make();
        set_shape(&g->old_view, g->old_shape, 2, INT64_MAX, 0, 0);
        set_shape(&g->new_view, g->new_shape, 2, INT64_MAX, 0, 0);
        g->options = (posenc_resize_options){.size = sizeof g->options, .antialias = antialias, .first = -1};
        refuse(g, "2^63 - 1 empty rows", POSENC_ERROR_SHAPE, NULL);
    }
    /* Plain weights need no memory of that size: the 2^58 rows that are one give it back. */
    for (int corners = 0; corners < 2; corners++) {
        g = good_make();
        set_shape(&g->old_view, g->old_shape, 2, INT64_C(1) << 58, DIM, 0);
        g->old->strides = strides;
        g->options = (posenc_resize_options){
            .size = sizeof g->options, .mode = POSENC_INTERPOLATION_CUBIC, .align_corners = corners, .first = -1};
        accept(g, "2^58 rows that are one");
        for (int i = 0; i < NEW; i++) assert_memory_equal(g->new_data + i * DIM, g->old_data, DIM * sizeof(float));
        free(g);
    }
}

static void test_dtypes_and_devices(void **state) {
    (void)state;
    good *g = good_make();
    g->old->dtype.code = kDLInt;
    refuse(g, "i32", POSENC_ERROR_DTYPE, "table");
    g = good_make();
    g->new->dtype = (DLDataType){kDLFloat, 64, 1};
    set_shape(&g->new_view, g->new_shape, 2, 5, DIM, 0);
    refuse(g, "another dtype", POSENC_ERROR_DTYPE, "out");
    g = good_make();
    g->new->dtype = (DLDataType){kDLFloat, 32, 4};
    refuse(g, "vectors", POSENC_ERROR_DTYPE, "out");
    g = good_make();
    g->new->device.device_type = kDLCUDA;
    refuse(g, "another device", POSENC_ERROR_DEVICE, "out");
    g = good_make();
    g->old->device.device_type = kDLMetal;
    refuse(g, "another device", POSENC_ERROR_DEVICE, "table");
}

static void test_memory(void **state) {
    (void)state;
    good *g = good_make();
    g->old->data = NULL;
    refuse(g, "no data", POSENC_ERROR_ARGUMENT, "table");
    g = good_make();
    g->new->data = NULL;
    refuse(g, "no data", POSENC_ERROR_ARGUMENT, "out");
    g = good_make();
    g->new->byte_offset = 1;
    refuse(g, "odd address", POSENC_ERROR_ARGUMENT, "out");
    g = good_make();
    g->old = NULL;
    refuse(g, "no table", POSENC_ERROR_ARGUMENT, "table");
    g = good_make();
    g->new = NULL;
    refuse(g, "no output", POSENC_ERROR_ARGUMENT, "out");
    g = good_make();
    g->old->data = g->new_data;
    refuse(g, "in place", POSENC_ERROR_OVERLAP, "out");
    g = good_make();
    g->old->data = g->new_data + NEW * DIM - 1;
    refuse(g, "one element shared", POSENC_ERROR_OVERLAP, "out");
    g = good_make();
    int64_t strides[2] = {DIM - 1, 1};
    g->new->strides = strides;
    refuse(g, "rows that meet", POSENC_ERROR_OVERLAP, "out");
}

static void test_edges(void **state) {
    (void)state;
    /* options NULL: one axis, linear */
    good *g = good_make();
    assert_int_equal(posenc_resize(NULL, NULL, g->old, g->new, NULL), POSENC_OK);
    assert_memory_equal(g->new_data, g->old_data, DIM * sizeof(float));
    free(g);
    /* no new rows: the prefix alone, or nothing */
    for (int prefix = 0; prefix <= 1; prefix++) {
        g = good_make();
        set_shape(&g->new_view, g->new_shape, 2, prefix, DIM, 0);
        g->options.prefix = prefix;
        g->options.from[0] = OLD - prefix, g->options.from[1] = 1;
        g->options.to[0] = 0;
        accept(g, "a grid of no rows");
        assert_memory_equal(g->new_data, g->old_data, (size_t)prefix * DIM * sizeof(float));
        assert_memory_equal(g->new_data + prefix * DIM, g->before, 8 * sizeof(float));
        free(g);
    }
    /* nothing from nothing */
    g = good_make();
    set_shape(&g->old_view, g->old_shape, 2, 0, DIM, 0);
    set_shape(&g->new_view, g->new_shape, 2, 0, DIM, 0);
    g->old->data = g->new->data = NULL;
    g->options = (posenc_resize_options){.size = sizeof g->options, .first = -1};
    accept(g, "no rows at all");
    free(g);
    /* no channels */
    g = good_make();
    set_shape(&g->old_view, g->old_shape, 2, OLD, 0, 0);
    set_shape(&g->new_view, g->new_shape, 2, NEW, 0, 0);
    accept(g, "no channels");
    free(g);
    /* options of an older version, which knew size and mode */
    g = good_make();
    g->options =
        (posenc_resize_options){.size = offsetof(posenc_resize_options, antialias), .antialias = 7, .prefix = -3};
    accept(g, "options of an older version");
    free(g);
}

static void test_defaults(void **state) {
    (void)state;
    posenc_resize_options o;
    memset(&o, 0x5A, sizeof o);
    posenc_resize_default(&o, sizeof o);
    assert_int_equal(o.size, sizeof o);
    assert_true(o.mode == POSENC_INTERPOLATION_LINEAR && !o.antialias && !o.align_corners && o.prefix == 0);
    assert_true(o.from[0] == 0 && o.from[1] == 0 && o.to[0] == 0 && o.to[1] == 0 && o.first == -1);
    memset(&o, 0x5A, sizeof o);
    posenc_resize_default(&o, sizeof(size_t));
    assert_int_equal(o.size, sizeof(size_t));
    assert_true(o.prefix == INT64_C(0x5A5A5A5A5A5A5A5A));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_good_call_is_good),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_hostile_extents),
        cmocka_unit_test(test_dtypes_and_devices),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_defaults),
    };
    return TEST_RUN(tests);
}
