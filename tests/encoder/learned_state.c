/* A learned encoder saved and loaded: the trained table to the bit as tensor "weight", and its rules. And every
 * allocation of its calls may fail. */
#include <string.h>

#include "encoders.h"
#include "formats/folder.h"
#include "support/allocator.h"
#include "support/test.h"

enum { DIM = 5, ROWS = 20 };

static posenc_encoder *learned(const posenc_context *context, posenc_past_end past_end, posenc_dtype dtype) {
    const posenc_parameter parameters[] = {{"dim", "5"}, {"max-len", "20"}, {"init-seed", "7"}};
    posenc_encoder_options o = encoder_options(dtype);
    posenc_encoder *encoder = NULL;
    o.past_end = past_end, o.row_offset = 2, o.padding_idx = 1, o.dropout = 0.5;
    posenc_encoder_create(context, "learned", parameters, 3, &o, &encoder, NULL);
    return encoder;
}

static void test_saved_and_loaded(void **state) {
    (void)state;
    folder f = folder_make();
    for (int i = 0; i < 8; i++) {
        posenc_dtype dtype = i % 2 ? POSENC_F64 : POSENC_F32;
        posenc_encoder *saved = learned(NULL, (posenc_past_end)(i / 2), dtype), *loaded = NULL;
        DLTensor *table;
        posenc_error error = {0};
        assert_int_equal(posenc_encoder_parameters(saved, &table, NULL), POSENC_OK);
        random_state random = random_start("trained");
        random_fill((struct random_state *)&random, dtype, table->data, ROWS * DIM);
        const char *path = folder_path(&f, "learned");
        check(posenc_encoder_save(saved, path, &error) == POSENC_OK, "%s", error.message);
        check(posenc_encoder_load(NULL, path, &loaded, &error) == POSENC_OK, "%s", error.message);
        must_equal("weight", dtype, table->data, posenc_encoder_table(loaded)->data, ROWS * DIM);
        const posenc_encoder_options *a = posenc_encoder_options_of(saved), *b = posenc_encoder_options_of(loaded);
        assert_true(a->past_end == b->past_end && a->row_offset == b->row_offset && a->padding_idx == b->padding_idx);
        assert_true(a->dropout == b->dropout && a->dtype == b->dtype);
        posenc_safetensors *file;
        assert_int_equal(posenc_safetensors_open(NULL, path, &file, NULL), POSENC_OK);
        assert_true(posenc_safetensors_count(file) == 1 && posenc_safetensors_find(file, "weight"));
        posenc_safetensors_close(file);
        posenc_encoder_destroy(saved);
        posenc_encoder_destroy(loaded);
    }
    folder_end(&f);
}

/* Everything that allocates; the outputs stay as they are unless it succeeds. */
static bool use(const posenc_context *context) {
    static float x[6 * DIM], y[6 * DIM], dtable[ROWS * DIM];
    int64_t ids[6] = {0, 3, 3, 30, 7, 1};
    posenc_view u, v, w, z;
    posenc_encoder *encoder = learned(context, POSENC_PAST_END_RESIZE, POSENC_F32), *copy = NULL;
    if (!encoder) return false;
    posenc_positions positions = positions_from(0);
    positions.ids = posenc_view_make(&w, ids, POSENC_I64, 1, (int64_t[]){6}, NULL);
    DLTensor *tx = posenc_view_make(&u, x, POSENC_F32, 2, (int64_t[]){6, DIM}, NULL);
    DLTensor *ty = posenc_view_make(&z, y, POSENC_F32, 2, (int64_t[]){6, DIM}, NULL);
    DLTensor *td = posenc_view_make(&v, dtable, POSENC_F32, 2, (int64_t[]){ROWS, DIM}, NULL);
    for (int i = 0; i < ROWS * DIM; i++) dtable[i] = 3;
    for (int i = 0; i < 6 * DIM; i++) x[i] = 1, y[i] = 3;
    posenc_status made = posenc_encoder_from_table(context, td, NULL, &copy, NULL);
    posenc_status forward = posenc_encoder_forward(encoder, &positions, NULL, tx, ty, NULL);
    posenc_status backward = posenc_encoder_backward_table(encoder, &positions, NULL, tx, td, 0, NULL);
    check(forward == POSENC_OK || (forward == POSENC_ERROR_MEMORY && y[0] == 3 && y[6 * DIM - 1] == 3), "forward");
    check(backward == POSENC_OK || (backward == POSENC_ERROR_MEMORY && dtable[0] == 3 && dtable[ROWS * DIM - 1] == 3),
          "backward");
    check(made == POSENC_OK || (made == POSENC_ERROR_MEMORY && !copy), "from table");
    posenc_encoder_destroy(encoder);
    posenc_encoder_destroy(copy);
    return made == POSENC_OK && forward == POSENC_OK && backward == POSENC_OK;
}

static void test_any_allocation_may_fail(void **state) {
    (void)state;
    allocator a;
    posenc_context *context = allocator_context(&a);
    for (int on = 0; on < 2; on++)
        for (long k = 0;; k++) {
            long live = a.live;
            allocator_fail(&a, k, on);
            bool done = use(context), refused = allocator_refused(&a);
            allocator_fail(&a, -1, false);
            assert_int_equal(a.live, live);
            check(done != refused, "allocation %ld: %s", k, done ? "done all the same" : "failed without a reason");
            if (!refused) break;
        }
    allocator_context_end(&a, context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_saved_and_loaded),
                                       cmocka_unit_test(test_any_allocation_may_fail)};
    return TEST_RUN(tests);
}
