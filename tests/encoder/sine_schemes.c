/* Encoders over time steps and Fourier features: the stored table is the plan's, real positions are computed beside it,
 * what is saved loads to the same bits, and what makes no encoder is refused in words. */
#include <stdlib.h>
#include <string.h>

#include "../formats/folder.h"
#include "encoders.h"
#include "support/refusal.h"
#include "support/test.h"

typedef struct setting {
    const char *scheme;
    posenc_parameter parameters[5];
    size_t n;
} setting;

static const setting settings[] = {
    {"timestep", {{"dim", "21"}}, 1},
    {"timestep",
     {{"dim", "64"}, {"shift", "1"}, {"cos-first", "false"}, {"max-len", "40"}, {"angle-scale", "0.3333333333333333"}},
     5},
    {"timestep", {{"dim", "64"}, {"arithmetic", "float32-exp"}, {"max-len", "7"}}, 3},
    {"fourier", {{"dim", "20"}}, 1},
    {"fourier", {{"dim", "20"}, {"kind", "log"}, {"resolution", "224"}, {"max-len", "30"}}, 4},
    {"fourier",
     {{"dim", "128"},
      {"kind", "gaussian"},
      {"sigma", "12.3"},
      {"frequency-seed", "9007199254740993"},
      {"max-len", "9"}},
     5},
};
enum { SETTINGS = sizeof settings / sizeof *settings, TOKENS = 24 };

static posenc_encoder *encoder_of(const setting *s, const posenc_encoder_options *options) {
    posenc_encoder *encoder = NULL;
    posenc_error error = {0};
    check(posenc_encoder_create(NULL, s->scheme, s->parameters, s->n, options, &encoder, &error) == POSENC_OK, "%s: %s",
          s->scheme, error.message);
    return encoder;
}

static const DLTensor *ids_of(posenc_view *view, double *ids) {
    return posenc_view_make(view, ids, POSENC_F64, 1, (int64_t[]){TOKENS}, NULL);
}

/* Within the table, past it, between its rows: the encoder adds what the plan adds. */
static void test_forward_is_the_plan(void **state) {
    (void)state;
    random_state random = random_start("sine encoders");
    for (int s = 0; s < SETTINGS; s++)
        for (int d = 0; d < 4; d++) {
            posenc_dtype dtype = encoding_dtypes[d];
            posenc_encoder_options options = encoder_options(dtype);
            posenc_encoder *encoder = encoder_of(&settings[s], &options);
            const posenc_plan *plan = posenc_encoder_plan(encoder);
            int64_t dim = posenc_plan_dim(plan), n = 2 * TOKENS * dim;
            char *x = must_allocate((size_t)n * 8), *y = must_allocate((size_t)n * 8),
                 *z = must_allocate((size_t)n * 8);
            double ids[TOKENS];
            for (int t = 0; t < TOKENS; t++) ids[t] = t % 3 ? 50 * random_unit(&random) - 5 : t;
            random_fill(&random, dtype, x, n);
            posenc_view view, in, out;
            posenc_positions positions = positions_from(0);
            positions.ids = ids_of(&view, ids);
            must_forward(encoder, &positions, NULL, dtype, 2, TOKENS, x, y);
            int64_t shape[] = {2, TOKENS, dim};
            posenc_error error = {0};
            check(posenc_plan_add(plan, &positions, posenc_view_make(&in, x, dtype, 3, shape, NULL), 1,
                                  posenc_view_make(&out, z, dtype, 3, shape, NULL), &error) == POSENC_OK,
                  "%s", error.message);
            must_equal(settings[s].scheme, dtype, z, y, n);
            const DLTensor *table = posenc_encoder_table(encoder);
            char *rows = must_allocate((size_t)(table->shape[0] * dim) * 8);
            must_write(plan, 0, table->shape[0], options.dtype, rows);
            must_equal("table", options.dtype, table->data, rows, table->shape[0] * dim);
            free(rows);
            free(x);
            free(y);
            free(z);
            posenc_encoder_destroy(encoder);
        }
}

static void check_parameters(const posenc_plan *p, const posenc_plan *q) {
    const posenc_scheme_info *info = posenc_scheme_find(posenc_plan_scheme(p));
    assert_string_equal(posenc_plan_scheme(p), posenc_plan_scheme(q));
    for (size_t i = 0; i < info->n_parameters; i++) {
        char text[64], other[64];
        assert_int_equal(posenc_plan_parameter(p, info->parameters[i].name, text, sizeof text), POSENC_OK);
        assert_int_equal(posenc_plan_parameter(q, info->parameters[i].name, other, sizeof other), POSENC_OK);
        assert_string_equal(text, other);
    }
}

static void test_loaded_is_saved(void **state) {
    (void)state;
    random_state random = random_start("sine encoders' state");
    folder f = folder_make();
    const char *path = folder_path(&f, "state.safetensors");
    for (int s = 0; s < SETTINGS; s++) {
        posenc_encoder *saved = encoder_of(&settings[s], NULL), *loaded = NULL;
        posenc_error error = {0};
        check(posenc_encoder_save(saved, path, &error) == POSENC_OK, "save: %s", error.message);
        check(posenc_encoder_load(NULL, path, &loaded, &error) == POSENC_OK, "load: %s", error.message);
        const posenc_plan *a = posenc_encoder_plan(saved), *b = posenc_encoder_plan(loaded);
        check_parameters(a, b);
        int64_t dim = posenc_plan_dim(a), rows = posenc_encoder_table(saved)->shape[0];
        must_equal("table", POSENC_F32, posenc_encoder_table(saved)->data, posenc_encoder_table(loaded)->data,
                   rows * dim);
        double ids[TOKENS], *x = must_allocate((size_t)(TOKENS * dim) * 8),
                            *y = must_allocate((size_t)(TOKENS * dim) * 8);
        for (int t = 0; t < TOKENS; t++) ids[t] = 100 * random_unit(&random) - 50;
        must_write_ids(a, POSENC_F64, ids, TOKENS, POSENC_F64, x);
        must_write_ids(b, POSENC_F64, ids, TOKENS, POSENC_F64, y);
        must_equal(settings[s].scheme, POSENC_F64, x, y, TOKENS * dim);
        free(x);
        free(y);
        posenc_encoder_destroy(saved);
        posenc_encoder_destroy(loaded);
    }
    folder_end(&f);
}

static void test_refusals(void **state) {
    (void)state;
    static const setting bad[] = {
        {"timestep", {{"dim", "2"}, {"shift", "1"}}, 2},
        {"timestep", {{"dim", "8"}, {"max-len", "0"}}, 2},
        {"fourier", {{"dim", "8"}, {"max-len", "0"}}, 2},
        {"fourier", {{"dim", "7"}}, 1},
    };
    static const char *const names[] = {"shift", "max-len", "max-len", "dim"};
    for (int i = 0; i < 4; i++) {
        posenc_encoder *encoder = NULL;
        posenc_error error = error_blank();
        must_refuse(bad[i].scheme,
                    posenc_encoder_create(NULL, bad[i].scheme, bad[i].parameters, bad[i].n, NULL, &encoder, &error),
                    POSENC_ERROR_ARGUMENT, &error, names[i]);
        assert_null(encoder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forward_is_the_plan),
                                       cmocka_unit_test(test_loaded_is_saved), cmocka_unit_test(test_refusals)};
    return TEST_RUN(tests);
}
