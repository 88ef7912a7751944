/* Encoders of grids: the table is all tokens of the grid; masks, offsets, ids and points add what the plan adds; past
 * the grid there is nothing to extend to; what is saved loads to the same bits. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../formats/folder.h"
#include "encoders.h"
#include "support/refusal.h"
#include "support/test.h"

typedef struct setting {
    const char *scheme;
    posenc_parameter parameters[6];
    size_t n;
    int64_t tokens;
    int axes;
} setting;

static const setting settings[] = {
    {"sinusoidal-2d", {{"dim", "24"}, {"grid", "5x7"}, {"prefix", "1"}}, 3, 36, 2},
    {"sinusoidal-2d", {{"dim", "10"}, {"grid", "4x9"}, {"convention", "detr"}, {"normalize", "true"}}, 4, 36, 2},
    {"sinusoidal-2d", {{"dim", "12"}, {"grid", "40x1"}, {"base-size", "64"}, {"interpolation-scale", "0.1"}}, 4, 40, 2},
    {"sinusoidal-3d", {{"dim", "32"}, {"grid", "3x4x3"}, {"temporal-interpolation-scale", "2"}}, 3, 36, 3},
    {"sinusoidal-nd", {{"dim", "17"}, {"grid", "2x2x3x3"}}, 2, 36, 4},
    {"sinusoidal-nd", {{"dim", "17"}, {"grid", "3x3x4"}, {"convention", "multidim"}, {"prefix", "3"}}, 4, 39, 3},
};
enum { SETTINGS = sizeof settings / sizeof *settings, TOKENS = 20, BATCH = 3 };

static posenc_encoder *encoder_of(const setting *s, const posenc_encoder_options *options) {
    posenc_encoder *encoder = NULL;
    posenc_error error = {0};
    check(posenc_encoder_create(NULL, s->scheme, s->parameters, s->n, options, &encoder, &error) == POSENC_OK, "%s: %s",
          s->scheme, error.message);
    return encoder;
}

static void test_the_table_is_the_grid(void **state) {
    (void)state;
    for (int s = 0; s < SETTINGS; s++) {
        posenc_encoder *encoder = encoder_of(&settings[s], NULL);
        const DLTensor *table = posenc_encoder_table(encoder);
        const posenc_plan *plan = posenc_encoder_plan(encoder);
        int64_t dim = posenc_plan_dim(plan);
        assert_int_equal(table->shape[0], settings[s].tokens);
        assert_int_equal(posenc_plan_tokens(plan), settings[s].tokens);
        float *rows = must_allocate((size_t)(settings[s].tokens * dim) * sizeof *rows);
        must_write(plan, 0, settings[s].tokens, POSENC_F32, rows);
        must_equal(settings[s].scheme, POSENC_F32, table->data, rows, settings[s].tokens * dim);
        free(rows);
        posenc_encoder_destroy(encoder);
    }
}

/* ---- forms of positions ---- */

/* Memory that the forms look at. */
typedef struct forms {
    posenc_positions positions[6];
    posenc_view views[6];
    int64_t offsets[BATCH], indices[BATCH][TOKENS];
    int32_t lengths[3];
    uint8_t mask[BATCH][TOKENS];
    double points[BATCH][TOKENS][8];
} forms;

static void make_forms(forms *f, random_state *random, const setting *s) {
    for (int i = 0; i < 6; i++) f->positions[i] = positions_from(0);
    f->positions[1] = positions_from(random_between(random, 0, s->tokens - TOKENS));
    for (int b = 0; b < BATCH; b++) {
        f->offsets[b] = random_between(random, 0, s->tokens - TOKENS);
        for (int t = 0; t < TOKENS; t++) {
            f->indices[b][t] = random_between(random, 0, s->tokens - 1);
            f->mask[b][t] = (uint8_t)random_between(random, 0, 1);
            for (int a = 0; a < s->axes; a++) /* contiguous: (batch, tokens, axes) */
                (&f->points[0][0][0])[(b * TOKENS + t) * s->axes + a] =
                    (double)random_between(random, -40, 160) / (t % 2 ? 16 : 1);
        }
    }
    f->positions[2].offsets = posenc_view_make(&f->views[2], f->offsets, POSENC_I64, 1, (int64_t[]){BATCH}, NULL);
    f->positions[3].ids = posenc_view_make(&f->views[3], f->indices, POSENC_I64, 2, (int64_t[]){BATCH, TOKENS}, NULL);
    f->positions[4].mask = posenc_view_make(&f->views[4], f->mask, POSENC_U8, 2, (int64_t[]){BATCH, TOKENS}, NULL);
    f->positions[5].ids =
        posenc_view_make(&f->views[5], f->points, POSENC_F64, 3, (int64_t[]){BATCH, TOKENS, s->axes}, NULL);
}

static void test_forward_is_the_plan(void **state) {
    (void)state;
    random_state random = random_start("grid encoders");
    forms *f = must_allocate(sizeof *f);
    for (int s = 0; s < SETTINGS; s++)
        for (int d = 0; d < 4; d++) {
            posenc_dtype dtype = encoding_dtypes[d];
            posenc_encoder_options options = encoder_options(dtype);
            posenc_encoder *encoder = encoder_of(&settings[s], &options);
            const posenc_plan *plan = posenc_encoder_plan(encoder);
            int64_t dim = posenc_plan_dim(plan), n = BATCH * TOKENS * dim, shape[] = {BATCH, TOKENS, dim};
            char *x = must_allocate((size_t)n * 8), *y = must_allocate((size_t)n * 8),
                 *z = must_allocate((size_t)n * 8);
            random_fill(&random, dtype, x, n);
            make_forms(f, &random, &settings[s]);
            for (int i = 0; i < 6; i++) {
                posenc_view in, out;
                posenc_error error = {0};
                must_forward(encoder, &f->positions[i], NULL, dtype, BATCH, TOKENS, x, y);
                check(posenc_plan_add(plan, &f->positions[i], posenc_view_make(&in, x, dtype, 3, shape, NULL), 1,
                                      posenc_view_make(&out, z, dtype, 3, shape, NULL), &error) == POSENC_OK,
                      "%s", error.message);
                must_equal(settings[s].scheme, dtype, z, y, n);
            }
            free(x);
            free(y);
            free(z);
            posenc_encoder_destroy(encoder);
        }
    free(f);
}

/* Images behind each other: each begins anew at its class token. */
static void test_packed_images(void **state) {
    (void)state;
    enum { N = 36, DIM = 24, IMAGES = 3 };
    posenc_encoder *encoder = encoder_of(&settings[0], NULL);
    int64_t lengths[IMAGES + 1] = {0, N, 2 * N, 3 * N};
    static float x[IMAGES * N * DIM], y[IMAGES * N * DIM];
    posenc_view view;
    posenc_positions positions = positions_from(0);
    positions.cu_seqlens = posenc_view_make(&view, lengths, POSENC_I64, 1, (int64_t[]){IMAGES + 1}, NULL);
    must_forward(encoder, &positions, NULL, POSENC_F32, 1, IMAGES * N, x, y);
    for (int i = 0; i < IMAGES; i++)
        must_equal("an image", POSENC_F32, posenc_encoder_table(encoder)->data, y + (ptrdiff_t)i * N * DIM, N * DIM);
    posenc_encoder_destroy(encoder);
}

/* ---- the end ---- */

static void test_past_the_grid(void **state) {
    (void)state;
    float x[2 * 40 * 24] = {0}, y[2 * 40 * 24] = {0};
    warnings heard = {0};
    posenc_context *context = warned_context(&heard, 1);
    for (int policy = 0; policy < 4; policy++) {
        posenc_encoder_options options = encoder_options(POSENC_F32);
        options.past_end = (posenc_past_end)policy;
        posenc_encoder *encoder = NULL;
        posenc_error error = error_blank();
        posenc_status status = posenc_encoder_create(context, settings[0].scheme, settings[0].parameters, settings[0].n,
                                                     &options, &encoder, &error);
        if (policy > POSENC_PAST_END_ERROR) {
            must_refuse("a policy of learned tables", status, POSENC_ERROR_ARGUMENT, &error, "past_end");
            continue;
        }
        assert_int_equal(status, POSENC_OK);
        posenc_positions positions = positions_from(0);
        status = try_forward(encoder, &positions, NULL, POSENC_F32, 2, 37, x, y, &error);
        must_refuse("past the grid", status, POSENC_ERROR_POSITION, &error, "positions");
        assert_non_null(strstr(error.message, "expected 0..35, the 36 tokens of the grid and its prefix, got 36"));
        positions.start = -1;
        status = try_forward(encoder, &positions, NULL, POSENC_F32, 1, 3, x, y, &error);
        must_refuse("before the grid", status, POSENC_ERROR_POSITION, &error, "positions");
        for (size_t i = 0; i < sizeof y / sizeof *y; i++) assert_true(y[i] == 0);
        posenc_encoder_destroy(encoder);
    }
    assert_int_equal(heard.n, 0);
    posenc_context_destroy(context);
}

/* A grid whose table would not fit is refused before anything is written. */
static void test_huge_grid(void **state) {
    (void)state;
    if (TEST_UNDER_ASAN || TEST_UNDER_TSAN) skip(); /* they end the process for such a size */
    const posenc_parameter p[] = {{"dim", "4096"}, {"grid", "16777216x32768"}};
    posenc_encoder *encoder = NULL;
    posenc_error error = error_blank();
    posenc_status status = posenc_encoder_create(NULL, "sinusoidal-nd", p, 2, NULL, &encoder, &error);
    check(status == POSENC_ERROR_ARGUMENT || status == POSENC_ERROR_MEMORY, "status %s", posenc_status_name(status));
    assert_null(encoder);
}

/* ---- state ---- */

static void test_loaded_is_saved(void **state) {
    (void)state;
    folder f = folder_make();
    const char *path = folder_path(&f, "grid.safetensors");
    for (int s = 0; s < SETTINGS; s++) {
        posenc_encoder *saved = encoder_of(&settings[s], NULL), *loaded = NULL;
        posenc_error error = {0};
        check(posenc_encoder_save(saved, path, &error) == POSENC_OK, "save: %s", error.message);
        check(posenc_encoder_load(NULL, path, &loaded, &error) == POSENC_OK, "load: %s", error.message);
        const posenc_plan *a = posenc_encoder_plan(saved), *b = posenc_encoder_plan(loaded);
        const posenc_scheme_info *info = posenc_scheme_find(settings[s].scheme);
        assert_string_equal(posenc_plan_scheme(b), settings[s].scheme);
        for (size_t i = 0; i < info->n_parameters; i++) {
            char text[64], other[64];
            assert_int_equal(posenc_plan_parameter(a, info->parameters[i].name, text, 64), POSENC_OK);
            assert_int_equal(posenc_plan_parameter(b, info->parameters[i].name, other, 64), POSENC_OK);
            assert_string_equal(text, other);
        }
        must_equal("table", POSENC_F32, posenc_encoder_table(saved)->data, posenc_encoder_table(loaded)->data,
                   settings[s].tokens * posenc_plan_dim(a));
        posenc_encoder_destroy(saved);
        posenc_encoder_destroy(loaded);
    }
    folder_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_table_is_the_grid),
                                       cmocka_unit_test(test_forward_is_the_plan),
                                       cmocka_unit_test(test_packed_images),
                                       cmocka_unit_test(test_past_the_grid),
                                       cmocka_unit_test(test_huge_grid),
                                       cmocka_unit_test(test_loaded_is_saved)};
    return TEST_RUN(tests);
}
