/* The writer refuses what no reader could use, before anything is written. It needs no JSON library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faulty_io.h"
#include "folder.h"
#include "formats/output.h"
#include "formats/safetensors.h"
#include "saving.h"
#include "support/allocator.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

static const int64_t shape[] = {2, 3, -1, INT64_MAX, INT64_MAX / 4};
#define ENTRY(...) \
    { __VA_ARGS__ }

static const struct {
    posenc_status status;
    posenc_tensor_entry entry;
    const char *says;
} bad_entries[] = {
    {POSENC_ERROR_ARGUMENT, ENTRY(.name = NULL), "a name, got NULL"},
    {POSENC_ERROR_ARGUMENT, ENTRY(.name = ""), "a name for a tensor, got \"\""},
    {POSENC_ERROR_ARGUMENT, ENTRY(.name = "__metadata__"), "a name for a tensor, got \"__metadata__\""},
    {POSENC_ERROR_ARGUMENT, ENTRY(.name = "a\xFF"), "a name in UTF-8, got \"a\\xff\""},
    {POSENC_ERROR_ARGUMENT, ENTRY(.name = "\xED\xA0\x80"), "a name in UTF-8"},
    {POSENC_ERROR_ARGUMENT, ENTRY(.name = "good"), "each name once, got \"good\" twice"},
    {POSENC_ERROR_SHAPE, ENTRY(.name = "x", .rank = -1), "a rank of 0..64, got -1"},
    {POSENC_ERROR_SHAPE, ENTRY(.name = "x", .rank = 65, .shape = shape), "a rank of 0..64, got 65"},
    {POSENC_ERROR_ARGUMENT, ENTRY(.name = "x", .rank = 1), "a shape, got NULL"},
    {POSENC_ERROR_SHAPE, ENTRY(.name = "x", .rank = 3, .shape = shape), "extents from 0 on, got -1"},
    {POSENC_ERROR_SHAPE, ENTRY(.name = "x", .rank = 1, .shape = shape + 3),
     "a shape of at most 2^63-1 bytes, got more"},
    {POSENC_ERROR_SHAPE, ENTRY(.name = "x", .dtype = POSENC_U8, .rank = 2, .shape = shape + 3), "at most 2^63-1 bytes"},
    {POSENC_ERROR_SHAPE, ENTRY(.name = "x", .dtype = POSENC_U8, .rank = 1, .shape = shape + 3),
     "a file of at most 2^63-1"},
    {POSENC_ERROR_DTYPE, ENTRY(.name = "x", .dtype = (posenc_dtype)99), "a dtype, got 99"},
    {POSENC_ERROR_DTYPE, ENTRY(.name = "x", .dtype = (posenc_dtype)-1), "a dtype, got -1"},
    {POSENC_ERROR_ARGUMENT, ENTRY(.name = "x", .dtype = POSENC_DTYPE_COUNT), "a dtype_text, got NULL"},
    {POSENC_ERROR_ARGUMENT, ENTRY(.name = "x", .dtype = POSENC_DTYPE_COUNT, .dtype_text = "\x80"),
     "a dtype_text in UTF-8"},
    {POSENC_ERROR_SHAPE,
     ENTRY(.name = "x", .dtype = POSENC_DTYPE_COUNT, .dtype_text = "F8_E4M3", .rank = 2, .shape = shape, .bytes = 5),
     "6 bytes for this shape of F8_E4M3, got 5"},
    {POSENC_ERROR_SHAPE,
     ENTRY(.name = "x", .dtype = POSENC_DTYPE_COUNT, .dtype_text = "F4", .rank = 1, .shape = shape + 1, .bytes = 2),
     "whole bytes, got a fraction"},
    {POSENC_ERROR_SHAPE, ENTRY(.name = "x", .dtype = POSENC_DTYPE_COUNT, .dtype_text = "new", .bytes = UINT64_MAX),
     "a file of at most"},
};

static const struct {
    const char *pairs[4];
    const char *says;
} bad_metadata[] = {
    {{"a", "1", "a", "2"}, "each name once, got \"a\" twice"},
    {{"a", "1", NULL, "2"}, "a key, got NULL"},
    {{"a", NULL, "b", "2"}, "a value, got NULL"},
    {{"\x80", "1", "b", "2"}, "a key in UTF-8"},
    {{"a", "1", "b", "\xC3"}, "a value in UTF-8, got \"\\xc3\""},
};

/* The header comes behind one byte, so that a look at the file shows what else was written. */
static void must_refuse_header(const char *what, const posenc_tensor_entry *entries, size_t n,
                               const char *const *metadata, size_t n_metadata, posenc_status status, const char *says) {
    folder f = folder_make();
    posenc_output *output = must_open(folder_path(&f, "x"));
    posenc_error error = error_blank();
    assert_int_equal(posenc_output_write(output, "!", 1, NULL), POSENC_OK);
    posenc_status got = posenc_safetensors_header(output, entries, n, metadata, n_metadata, &error);
    must_refuse(what, got, status, &error, NULL);
    check(strstr(error.message, says), "%s: %s", what, error.message);
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    check(folder_holds(folder_path(&f, "x"), "!", 1), "%s: something was written", what);
    folder_end(&f);
}

static void refused_entries(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad_entries / sizeof *bad_entries; i++) {
        posenc_tensor_entry entries[2] = {{.name = "good", .rank = 2, .shape = shape}, bad_entries[i].entry};
        must_refuse_header(bad_entries[i].says, entries, 2, NULL, 0, bad_entries[i].status, bad_entries[i].says);
    }
}

static void refused_metadata(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad_metadata / sizeof *bad_metadata; i++)
        must_refuse_header(bad_metadata[i].says, NULL, 0, bad_metadata[i].pairs, 2, POSENC_ERROR_ARGUMENT,
                           bad_metadata[i].says);
}

static void refused_pointers(void **state) {
    posenc_error error = error_blank();
    (void)state;
    must_refuse_header("entries", NULL, 1, NULL, 0, POSENC_ERROR_ARGUMENT, "entries: expected a pointer, got NULL");
    must_refuse_header("metadata", NULL, 0, NULL, 1, POSENC_ERROR_ARGUMENT, "metadata: expected a pointer, got NULL");
    must_refuse("output", posenc_safetensors_header(NULL, NULL, 0, NULL, 0, &error), POSENC_ERROR_ARGUMENT, &error,
                "output");
    must_refuse("elements", posenc_output_write_elements(NULL, shape, POSENC_I64, 1, &error), POSENC_ERROR_ARGUMENT,
                &error, "output");
}

static void refused_elements(void **state) {
    folder f = folder_make();
    posenc_output *output = must_open(folder_path(&f, "x"));
    posenc_error error = error_blank();
    (void)state;
    must_refuse("NULL", posenc_output_write_elements(output, NULL, POSENC_F32, 1, &error), POSENC_ERROR_ARGUMENT,
                &error, "data");
    must_refuse("dtype", posenc_output_write_elements(output, shape, POSENC_DTYPE_COUNT, 1, &error), POSENC_ERROR_DTYPE,
                &error, "dtype");
    must_refuse("-1", posenc_output_write_elements(output, shape, POSENC_F32, -1, &error), POSENC_ERROR_ARGUMENT,
                &error, "elements");
    must_refuse("many", posenc_output_write_elements(output, shape, POSENC_F64, INT64_MAX / 8 + 1, &error),
                POSENC_ERROR_ARGUMENT, &error, "elements");
    assert_int_equal(posenc_output_write_elements(output, NULL, POSENC_F32, 0, &error), POSENC_OK);
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    assert_true(folder_holds(folder_path(&f, "x"), "", 0));
    folder_end(&f);
}

static void a_header_too_long(void **state) {
    enum { N = 1 << 24 };
    char *name = must_allocate(N + 1);
    (void)state;
    memset(name, 'a', N);
    name[N] = '\0';
    posenc_tensor_entry entry = {.name = name};
    must_refuse_header("long", &entry, 1, NULL, 0, POSENC_ERROR_ARGUMENT,
                       "a header of at most 16777216 bytes, got 16777");
    free(name);
}

/* What a machine of the other byte order would write, in pieces that do not divide. */
static void swapped_elements(void **state) {
    enum { N = 3333 };
    uint8_t data[8 * N], expected[8 * N];
    static const posenc_dtype dtypes[] = {POSENC_U8, POSENC_BF16, POSENC_F32, POSENC_F64};
    (void)state;
    for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 2654435761u >> 11);
    for (int d = 0; d < 4; d++) {
        size_t width = posenc_dtype_bytes(dtypes[d]);
        folder f = folder_make();
        posenc_output *output = must_open(folder_path(&f, "x"));
        for (size_t i = 0; i < N * width; i++) expected[i] = data[i - i % width + width - 1 - i % width];
        assert_int_equal(posenc_output_write_swapped(output, data, dtypes[d], N, true, NULL), POSENC_OK);
        assert_int_equal(posenc_output_write_swapped(output, data, dtypes[d], N, false, NULL), POSENC_OK);
        assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
        FILE *file = fopen(folder_path(&f, "x"), "rb");
        uint8_t got[8 * N];
        check(file && fread(got, 1, N * width, file) == N * width && memcmp(got, expected, N * width) == 0, "width %zu",
              width);
        check(fread(got, 1, sizeof got, file) == N * width && memcmp(got, data, N * width) == 0, "width %zu", width);
        fclose(file);
        folder_end(&f);
    }
}

static const posenc_tensor_entry some[] = {{.name = "a", .rank = 2, .shape = shape}, {.name = "b", .dtype = POSENC_I8}};
static const char *const pairs[] = {"k", "v"};

/* Its one allocation of its own fails: nothing was written, the output is usable. */
static void no_memory(void **state) {
    folder f = folder_make();
    allocator a;
    posenc_context_options options;
    posenc_context *context;
    posenc_output *output;
    posenc_error error = error_blank();
    (void)state;
    allocator_init(&a);
    posenc_context_default(&options, sizeof options);
    allocator_use(&a, &options);
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    assert_int_equal(posenc_output_open(context, folder_path(&f, "x"), &output, NULL), POSENC_OK);
    allocator_fail(&a, 0, false);
    must_refuse("no memory", posenc_safetensors_header(output, some, 2, pairs, 1, &error), POSENC_ERROR_MEMORY, &error,
                "names");
    assert_int_equal(posenc_safetensors_header(output, some, 2, pairs, 1, &error), POSENC_OK);
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    posenc_context_destroy(context);
    assert_int_equal(a.live, 0);
    folder_end(&f);
}

/* Each write fails in turn; a header of many buffers, so that some fail in the middle of it. */
static void failing_writes(void **state) {
    enum { N = 5000 };
    posenc_tensor_entry *entries = must_allocate(N * sizeof *entries);
    char(*names)[16] = must_allocate(N * sizeof *names);
    bool refused = true;
    long k = 0;
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        entries[i] = (posenc_tensor_entry){.name = names[i]};
    }
    for (; refused; k++) {
        folder f = folder_make();
        faulty_io faulty;
        posenc_output *output;
        posenc_error error = error_blank();
        faulty_io_init(&faulty);
        assert_int_equal(posenc_output_open_with(&faulty.io, NULL, folder_path(&f, "x"), &output, NULL), POSENC_OK);
        faulty_io_fail(&faulty, k, 28, false); /* ENOSPC */
        posenc_status status = posenc_safetensors_header(output, entries, N, NULL, 0, &error);
        refused = faulty.calls > k;
        check(status == (refused ? POSENC_ERROR_IO : POSENC_OK), "write %ld: %s", k, error.message);
        posenc_output_discard(output);
        assert_int_equal(folder_count(&f), 0);
        folder_end(&f);
    }
    check(k - 1 >= 4, "%ld writes", k - 1);
    free(names);
    free(entries);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_entries),  cmocka_unit_test(refused_metadata),  cmocka_unit_test(refused_pointers),
        cmocka_unit_test(refused_elements), cmocka_unit_test(a_header_too_long), cmocka_unit_test(swapped_elements),
        cmocka_unit_test(no_memory),        cmocka_unit_test(failing_writes),
    };
    return TEST_RUN(tests);
}
