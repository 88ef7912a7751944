/* Position ids of text, images and video by the published get_rope_index, batches with padding on either side
 * (scripts/golden/position_ids.py): every id and every delta. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/tensors.h"
#include "support/test.h"

enum { N_TENSORS = 7 };

/* The tensors of one batch; NULL where there is none. */
typedef struct batch {
    posenc_array *arrays[N_TENSORS];
    const DLTensor *input_ids, *mask, *images, *videos, *seconds, *position_ids, *deltas;
} batch;

static const DLTensor *read_tensor(const posenc_safetensors *file, batch *b, int slot, int number, const char *name) {
    char full[64];
    posenc_error error;
    snprintf(full, sizeof full, "%d.%s", number, name);
    const posenc_tensor_info *info = posenc_safetensors_find(file, full);
    if (!info) return NULL;
    check(posenc_safetensors_read(file, info, &b->arrays[slot], &error) == POSENC_OK, "%s", error.message);
    return posenc_array_tensor(b->arrays[slot]);
}

static bool batch_read(const posenc_safetensors *file, int number, batch *b) {
    *b = (batch){.input_ids = NULL};
    b->input_ids = read_tensor(file, b, 0, number, "input_ids");
    b->mask = read_tensor(file, b, 1, number, "attention_mask");
    b->images = read_tensor(file, b, 2, number, "image_grid_thw");
    b->videos = read_tensor(file, b, 3, number, "video_grid_thw");
    b->seconds = read_tensor(file, b, 4, number, "second_per_grid_ts");
    b->position_ids = read_tensor(file, b, 5, number, "position_ids");
    b->deltas = read_tensor(file, b, 6, number, "deltas");
    return b->input_ids != NULL;
}

static const int64_t *integers(const DLTensor *t) { return (const int64_t *)((const char *)t->data + t->byte_offset); }

/* Into (3, batch, tokens), as published: strides say so. */
static void check_batch(const batch *b, const posenc_position_ids_options *options, const char *what) {
    int64_t rows = b->input_ids->shape[0], tokens = b->input_ids->shape[1];
    size_t n = (size_t)(3 * rows * tokens);
    int64_t *got = must_allocate(n * sizeof *got), *deltas = must_allocate((size_t)rows * sizeof *deltas);
    posenc_view ids, delta;
    posenc_error error;
    posenc_vision_tokens given;
    posenc_vision_tokens_default(&given, sizeof given);
    given.input_ids = b->input_ids, given.attention_mask = b->mask;
    given.image_grid_thw = b->images, given.video_grid_thw = b->videos, given.second_per_grid_ts = b->seconds;
    posenc_view_make(&ids, got, POSENC_I64, 3, (int64_t[]){rows, tokens, 3}, (int64_t[]){tokens, 1, rows * tokens});
    posenc_view_make(&delta, deltas, POSENC_I64, 1, &rows, NULL);
    check(posenc_position_ids_of_tokens(options, &given, &ids.tensor, &delta.tensor, &error) == POSENC_OK, "%s: %s",
          what, error.message);
    for (size_t i = 0; i < n; i++)
        check(got[i] == integers(b->position_ids)[i], "%s: element %zu of (3, %lld, %lld): expected %lld, got %lld",
              what, i, (long long)rows, (long long)tokens, (long long)integers(b->position_ids)[i], (long long)got[i]);
    assert_memory_equal(deltas, integers(b->deltas), (size_t)rows * sizeof *deltas);
    free(got);
    free(deltas);
}

static void check_file(const char *name, posenc_vision_rule rule) {
    char path[1024];
    posenc_error error;
    posenc_safetensors *file;
    posenc_position_ids_options options;
    snprintf(path, sizeof path, "%s/%s.safetensors", POSENC_POSITION_IDS_FILES, name);
    check(posenc_safetensors_open(NULL, path, &file, &error) == POSENC_OK, "%s", error.message);
    posenc_position_ids_default(&options, sizeof options);
    options.rule = rule;
    options.tokens_per_second = 25;
    int number = 0;
    for (batch b; batch_read(file, number, &b); number++) {
        char what[80];
        snprintf(what, sizeof what, "%s, batch %d", name, number);
        check_batch(&b, &options, what);
        for (int i = 0; i < N_TENSORS; i++) posenc_array_destroy(b.arrays[i]);
    }
    check(number >= 6, "%s: %d batches", name, number);
    posenc_safetensors_close(file);
}

static void test_qwen2_vl(void **state) {
    (void)state;
    check_file("qwen2_vl", POSENC_VISION_QWEN2_VL);
}

static void test_qwen2_5_vl(void **state) {
    (void)state;
    check_file("qwen2_5_vl", POSENC_VISION_QWEN2_5_VL);
}

static void test_qwen3_vl(void **state) {
    (void)state;
    check_file("qwen3_vl", POSENC_VISION_QWEN3_VL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_qwen2_vl),
        cmocka_unit_test(test_qwen2_5_vl),
        cmocka_unit_test(test_qwen3_vl),
    };
    return TEST_RUN(tests);
}
