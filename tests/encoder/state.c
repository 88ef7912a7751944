/* Saved state: what is loaded has the bits of what was saved, in its table, its options, its parameters and its
 * results. The table in the file is what counts, and any reader of such files can use it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../formats/folder.h"
#include "encoders.h"
#include "support/test.h"

enum { BATCH = 2, TOKENS = 70 };

static const plan_shape shapes[] = {
    {.dim = 1, .max_len = 1},
    {.dim = 7, .max_len = 60},
    {.dim = 512, .max_len = 100},
    {.dim = 48, .max_len = 60, .layout = POSENC_LAYOUT_HALVES, .cos_first = 1, .base = 12345.678901234567},
    {.dim = 33, .max_len = 60, .layout = POSENC_LAYOUT_TENSOR2TENSOR, .base = 1e-6},
    {.dim = 20, .max_len = 60, .arithmetic = POSENC_ARITHMETIC_FLOAT32},
    {.dim = 21, .max_len = 60, .arithmetic = POSENC_ARITHMETIC_FLOAT32_EXP},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static posenc_encoder *must_load(const posenc_context *context, const char *path) {
    posenc_encoder *encoder = NULL;
    posenc_error error = {0};
    check(posenc_encoder_load(context, path, &encoder, &error) == POSENC_OK && encoder, "load: %s", error.message);
    return encoder;
}

static void must_save_state(const posenc_encoder *encoder, const char *path) {
    posenc_error error = {0};
    check(posenc_encoder_save(encoder, path, &error) == POSENC_OK, "save: %s", error.message);
}

static void check_options(const posenc_encoder *a, const posenc_encoder *b) {
    const posenc_encoder_options *o = posenc_encoder_options_of(a), *p = posenc_encoder_options_of(b);
    assert_true(o->size == p->size && o->dtype == p->dtype && o->past_end == p->past_end &&
                o->padding_idx == p->padding_idx);
    assert_memory_equal(&o->dropout, &p->dropout, sizeof o->dropout);
    assert_memory_equal(&o->scale, &p->scale, sizeof o->scale);
    assert_memory_equal(&o->gain, &p->gain, sizeof o->gain);
}

static void check_parameters(const posenc_encoder *a, const posenc_encoder *b) {
    const posenc_plan *p = posenc_encoder_plan(a), *q = posenc_encoder_plan(b);
    assert_string_equal(posenc_plan_scheme(p), posenc_plan_scheme(q));
    const posenc_scheme_info *info = posenc_scheme_find(posenc_plan_scheme(p));
    for (size_t i = 0; i < info->n_parameters; i++) {
        char text[64], other[64];
        assert_int_equal(posenc_plan_parameter(p, info->parameters[i].name, text, sizeof text), POSENC_OK);
        assert_int_equal(posenc_plan_parameter(q, info->parameters[i].name, other, sizeof other), POSENC_OK);
        assert_string_equal(text, other);
    }
}

static void check_table(const posenc_encoder *a, const posenc_encoder *b) {
    const DLTensor *t = posenc_encoder_table(a), *u = posenc_encoder_table(b);
    assert_true(t->ndim == u->ndim && t->shape[0] == u->shape[0] && t->shape[1] == u->shape[1] && t->data != u->data);
    assert_memory_equal(&t->dtype, &u->dtype, sizeof t->dtype);
    assert_memory_equal(t->data, u->data,
                        (size_t)(t->shape[0] * t->shape[1]) * posenc_dtype_bytes(posenc_encoder_options_of(a)->dtype));
}

/* Within the table and past its end, in training, and backward. */
static void check_results(const posenc_encoder *a, const posenc_encoder *b, posenc_dtype dtype) {
    int64_t n = BATCH * TOKENS * posenc_plan_dim(posenc_encoder_plan(a));
    char *x = must_allocate((size_t)n * 8), *y = must_allocate((size_t)n * 8), *z = must_allocate((size_t)n * 8);
    random_state random = random_start("state");
    random_fill(&random, dtype, x, n);
    posenc_step step = training_step(3, 4, 5);
    for (int64_t start = 0; start <= 60; start += 20) {
        posenc_positions positions = positions_from(start);
        must_forward(a, &positions, &step, dtype, BATCH, TOKENS, x, y);
        must_forward(b, &positions, &step, dtype, BATCH, TOKENS, x, z);
        must_equal("forward after loading", dtype, y, z, n);
    }
    must_backward(a, &step, dtype, BATCH, TOKENS, x, y);
    must_backward(b, &step, dtype, BATCH, TOKENS, x, z);
    must_equal("backward after loading", dtype, y, z, n);
    free(x);
    free(y);
    free(z);
}

static void test_loaded_is_saved(void **state) {
    (void)state;
    folder f = folder_make();
    const char *path = folder_path(&f, "encoder.safetensors");
    for (int s = 0; s < SHAPES; s++)
        for (int d = 0; d < 4; d++) {
            posenc_encoder_options options = encoder_options(encoding_dtypes[d]);
            options.dropout = d ? 0.1 : 0x1.fffffffffffffp-1;
            options.scale = d == 1 ? -1e-300 : sqrt((double)shapes[s].dim);
            options.padding_idx = s - 1;
            options.gain = d == 0 ? 1 : d == 1 ? 1e300 : -0.1;
            posenc_encoder *saved = must_encoder(NULL, &shapes[s], &options);
            must_save_state(saved, path);
            assert_int_equal(folder_count(&f), 1);
            posenc_encoder *loaded = must_load(NULL, path);
            check_options(saved, loaded);
            check_parameters(saved, loaded);
            check_table(saved, loaded);
            check_results(saved, loaded, encoding_dtypes[d]);
            posenc_encoder_destroy(saved);
            posenc_encoder_destroy(loaded);
        }
    folder_end(&f);
}

/* The error policy is kept too. */
static void test_policy_is_kept(void **state) {
    (void)state;
    folder f = folder_make();
    posenc_encoder_options options = encoder_options(POSENC_F32);
    options.past_end = POSENC_PAST_END_ERROR;
    posenc_encoder *saved = must_encoder(NULL, &shapes[1], &options);
    must_save_state(saved, folder_path(&f, "strict"));
    posenc_encoder *loaded = must_load(NULL, folder_path(&f, "strict"));
    check_options(saved, loaded);
    float y[7] = {0};
    posenc_positions positions = positions_from(60);
    assert_int_equal(try_forward(loaded, &positions, NULL, POSENC_F32, 1, 1, y, y, NULL), POSENC_ERROR_POSITION);
    posenc_encoder_destroy(saved);
    posenc_encoder_destroy(loaded);
    folder_end(&f);
}

/* Any reader finds one tensor and one text for each parameter and option. */
static void test_what_is_in_the_file(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"posenc.version", "1"},
                                           {"posenc.scheme", "sinusoidal"},
                                           {"posenc.dim", "7"},
                                           {"posenc.max-len", "60"},
                                           {"posenc.base", "10000"},
                                           {"posenc.layout", "interleaved"},
                                           {"posenc.cos-first", "false"},
                                           {"posenc.arithmetic", "exact"},
                                           {"posenc.encoder.dropout", "0.125"},
                                           {"posenc.encoder.scale", "1"},
                                           {"posenc.encoder.gain", "1"},
                                           {"posenc.encoder.past_end", "extend"},
                                           {"posenc.encoder.padding_idx", "-1"}};
    folder f = folder_make();
    posenc_encoder_options options = encoder_options(POSENC_F32);
    options.dropout = 0.125;
    posenc_encoder *encoder = must_encoder(NULL, &shapes[1], &options);
    must_save_state(encoder, folder_path(&f, "state"));
    posenc_safetensors *file;
    assert_int_equal(posenc_safetensors_open(NULL, folder_path(&f, "state"), &file, NULL), POSENC_OK);
    assert_int_equal(posenc_safetensors_count(file), 1);
    const posenc_tensor_info *pe = posenc_safetensors_find(file, "pe");
    assert_true(pe && pe->dtype == POSENC_F32 && pe->rank == 2 && pe->shape[0] == 60 && pe->shape[1] == 7);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *value = posenc_safetensors_metadata(file, pairs[i][0]);
        check(value && strcmp(value, pairs[i][1]) == 0, "%s: expected %s, got %s", pairs[i][0], pairs[i][1],
              value ? value : "none");
    }
    check(!posenc_safetensors_key(file, sizeof pairs / sizeof *pairs), "more metadata than expected");
    posenc_array *array;
    assert_int_equal(posenc_safetensors_read(file, pe, &array, NULL), POSENC_OK);
    must_equal("pe", POSENC_F32, posenc_encoder_table(encoder)->data, posenc_array_tensor(array)->data, 60 * 7);
    posenc_array_destroy(array);
    posenc_safetensors_close(file);
    posenc_encoder_destroy(encoder);
    folder_end(&f);
}

/* The file's own table is used, wherever the table reaches and however a call is cut: it is not made anew. Kind of
 * reported fault: state that is made again on loading, or overwritten by an initialiser. */
static void test_the_files_table_is_used(void **state) {
    (void)state;
    enum { DIM = 5, ROWS = 20, SPAN = 40 };
    folder f = folder_make();
    posenc_encoder *made = must_encoder(NULL, &(plan_shape){.dim = DIM, .max_len = ROWS}, NULL);
    float table[ROWS * DIM], want[SPAN * DIM], y[SPAN * DIM];
    random_state random = random_start("own table");
    random_fill_f32(&random, table, ROWS * DIM);
    must_write(posenc_encoder_plan(made), -10, SPAN, POSENC_F32, want);
    memcpy(want + 10 * DIM, table, sizeof table); /* 10 rows before the table, the table, 10 rows behind it */
    posenc_output *output;
    static const char *const pairs[] = {"posenc.version", "1",  "posenc.scheme",  "sinusoidal",
                                        "posenc.dim",     "5",  "posenc.max-len", "20",
                                        "format",         "pt", "author",         "somebody\nelse"};
    posenc_tensor_entry pe = {.name = "pe", .dtype = POSENC_F32, .rank = 2, .shape = (int64_t[]){ROWS, DIM}};
    assert_int_equal(posenc_output_open(NULL, folder_path(&f, "own"), &output, NULL), POSENC_OK);
    assert_int_equal(posenc_safetensors_header(output, &pe, 1, pairs, 6, NULL), POSENC_OK);
    assert_int_equal(posenc_output_write_elements(output, table, POSENC_F32, ROWS * DIM, NULL), POSENC_OK);
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    posenc_encoder *loaded = must_load(NULL, folder_path(&f, "own"));
    check_options(made, loaded); /* the defaults, where the file says nothing */
    for (int64_t part = 1; part <= SPAN; part++) {
        memset(y, 0, sizeof y);
        for (int64_t t = 0, n; t < SPAN; t += n) {
            n = part < SPAN - t ? part : SPAN - t;
            posenc_positions positions = positions_from(t - 10);
            must_forward(loaded, &positions, NULL, POSENC_F32, 1, n, y + t * DIM, y + t * DIM);
        }
        must_equal("a table of one's own", POSENC_F32, want, y, SPAN * DIM);
    }
    posenc_encoder_destroy(made);
    posenc_encoder_destroy(loaded);
    folder_end(&f);
}

/* Saving over an older file replaces it; a save that fails leaves it. */
static void test_saving_over_a_file(void **state) {
    (void)state;
    folder f = folder_make();
    const char *path = folder_path(&f, "twice");
    posenc_encoder *first = must_encoder(NULL, &shapes[1], NULL), *second = must_encoder(NULL, &shapes[3], NULL);
    must_save_state(first, path);
    must_save_state(second, path);
    posenc_encoder *loaded = must_load(NULL, path);
    check_table(second, loaded);
    assert_int_equal(folder_count(&f), 1);
    posenc_error error;
    assert_int_equal(posenc_encoder_save(first, folder_path(&f, "no/such/folder"), &error), POSENC_ERROR_IO);
    assert_int_equal(posenc_encoder_save(first, f.path, &error), POSENC_ERROR_IO);
#if defined(__linux__)
    assert_int_equal(posenc_encoder_save(first, "/dev/full", &error), POSENC_ERROR_IO);
#endif
    assert_int_equal(folder_count(&f), 1);
    posenc_encoder_destroy(first);
    posenc_encoder_destroy(second);
    posenc_encoder_destroy(loaded);
    folder_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loaded_is_saved), cmocka_unit_test(test_policy_is_kept),
                                       cmocka_unit_test(test_what_is_in_the_file),
                                       cmocka_unit_test(test_the_files_table_is_used),
                                       cmocka_unit_test(test_saving_over_a_file)};
    return TEST_RUN(tests);
}
