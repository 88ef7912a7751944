/* What is written is read back: types, ranks, empty tensors, names of every kind, metadata; whole, in parts and raw. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "formats/safetensors.h"
#include "safetensors_bytes.h"
#include "saving.h"
#include "support/tensors.h"
#include "support/test.h"

static posenc_safetensors *must_read(const char *path) {
    posenc_safetensors *file;
    posenc_error error = {.message = ""};
    check(posenc_safetensors_open(NULL, path, &file, &error) == POSENC_OK, "%s", error.message);
    return file;
}

static posenc_array *must_read_tensor(const posenc_safetensors *file, const char *name) {
    posenc_array *array;
    posenc_error error = {.message = ""};
    const posenc_tensor_info *info = posenc_safetensors_find(file, name);
    check(info != NULL, "no tensor \"%s\"", name);
    check(posenc_safetensors_read(file, info, &array, &error) == POSENC_OK, "%s", error.message);
    return array;
}

/* Every dtype in every rank up to 8, in one file, with data that differ. */
static void every_dtype_and_rank(void **state) {
    enum { RANKS = POSENC_MAX_RANK + 1, N = POSENC_DTYPE_COUNT * RANKS };
    const int64_t shape[POSENC_MAX_RANK] = {2, 1, 3, 1, 2, 1, 1, 5};
    posenc_tensor_entry entries[N];
    char names[N][32];
    uint8_t data[60 * 8];
    folder f = folder_make();
    const char *path = folder_path(&f, "x.safetensors");
    posenc_output *output = must_open(path);
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "%s-%d", posenc_dtype_name((posenc_dtype)(i / RANKS)), i % RANKS);
        entries[i] = (posenc_tensor_entry){
            .name = names[i], .dtype = (posenc_dtype)(i / RANKS), .rank = i % RANKS, .shape = shape};
    }
    assert_int_equal(posenc_safetensors_header(output, entries, N, NULL, 0, NULL), POSENC_OK);
    for (int i = 0; i < N; i++) {
        int64_t elements = 1;
        for (int k = 0; k < entries[i].rank; k++) elements *= shape[k];
        for (size_t k = 0; k < sizeof data; k++)
            data[k] = entries[i].dtype == POSENC_BOOL ? (k + (size_t)i) % 2 : (uint8_t)(k * 7 + (size_t)i);
        assert_int_equal(posenc_output_write_elements(output, data, entries[i].dtype, elements, NULL), POSENC_OK);
    }
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);

    posenc_safetensors *file = must_read(path);
    assert_int_equal(posenc_safetensors_count(file), N);
    for (int i = 0; i < N; i++) {
        const posenc_tensor_info *info = posenc_safetensors_at(file, (size_t)i);
        assert_string_equal(info->name, names[i]);
        assert_int_equal(info->dtype, entries[i].dtype);
        posenc_array *array = must_read_tensor(file, names[i]);
        const DLTensor *tensor = posenc_array_tensor(array);
        posenc_dtype dtype;
        assert_int_equal(tensor->ndim, entries[i].rank);
        assert_int_equal(memcmp(tensor->shape, shape, (size_t)entries[i].rank * sizeof *shape), 0);
        assert_int_equal(posenc_dtype_of(tensor, &dtype), POSENC_OK);
        assert_int_equal(dtype, entries[i].dtype);
        for (size_t k = 0; k < sizeof data; k++)
            data[k] = dtype == POSENC_BOOL ? (k + (size_t)i) % 2 : (uint8_t)(k * 7 + (size_t)i);
        check(memcmp(tensor->data, data, info->bytes) == 0, "%s: other data", names[i]);
        posenc_array_destroy(array);
    }
    assert_null(posenc_safetensors_at(file, N));
    posenc_safetensors_close(file);
    folder_end(&f);
}

/* The bytes themselves, from the format's description. */
static void the_bytes(void **state) {
    static const char expected[] =
        "\x90\0\0\0\0\0\0\0"
        "{\"__metadata__\":{\"b\":\"2\",\"a\":\"1\"},\"t\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
        "\"s\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[8,10]}} "
        "\0\0\x80\x3F\0\0\0\xC0\x80\x3F";
    const float t[] = {1, -2};
    const uint16_t s = 0x3F80;
    const posenc_tensor_entry entries[] = {{.name = "t", .dtype = POSENC_F32, .rank = 2, .shape = (int64_t[]){1, 2}},
                                           {.name = "s", .dtype = POSENC_BF16}};
    const char *const metadata[] = {"b", "2", "a", "1"};
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    posenc_output *output = must_open(path);
    (void)state;
    assert_int_equal(posenc_safetensors_header(output, entries, 2, metadata, 2, NULL), POSENC_OK);
    assert_int_equal(posenc_output_write_elements(output, t, POSENC_F32, 2, NULL), POSENC_OK);
    assert_int_equal(posenc_output_write_elements(output, &s, POSENC_BF16, 1, NULL), POSENC_OK);
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    assert_true(folder_holds(path, expected, sizeof expected - 1));
    folder_end(&f);
}

static void nothing_in_it(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    posenc_output *output = must_open(path);
    (void)state;
    assert_int_equal(posenc_safetensors_header(output, NULL, 0, NULL, 0, NULL), POSENC_OK);
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    assert_true(folder_holds(path, "\x08\0\0\0\0\0\0\0{}      ", 16));
    posenc_safetensors *file = must_read(path);
    assert_int_equal(posenc_safetensors_count(file), 0);
    assert_null(posenc_safetensors_at(file, 0));
    assert_null(posenc_safetensors_key(file, 0));
    assert_null(posenc_safetensors_find(file, ""));
    assert_null(posenc_safetensors_metadata(file, ""));
    assert_null(posenc_safetensors_find(file, NULL));
    assert_null(posenc_safetensors_metadata(file, NULL));
    posenc_safetensors_close(file);
    folder_end(&f);
}

/* Names and metadata of every kind come back byte for byte. The sizes of the texts go through all remainders, so that
 * the padding does. */
static const char *const strange[] = {
    "a",
    "\"",
    "\\",
    "/",
    "\\\\\"",
    "a\nb\tc\rd\be\ff",
    "\x01\x1F\x7F",
    "\x1B[31mred\x1B[0m",
    "{\"a\":1}",
    " ",
    "  x ",
    "..",
    "../../etc/passwd",
    "<b>&amp;</b>",
    "%s%n%d",
    "$(reboot)",
    "`id`",
    "'; drop table",
    "\xC3\xA9",
    "e\xCC\x81",
    "\xE2\x80\xAE"
    "gnp.txt",
    "\xEF\xBB\xBF"
    "bom",
    "\xF0\x9F\x98\x80",
    "\xEF\xBF\xBF",
    "\xF4\x8F\xBF\xBF",
    "\xED\x9F\xBF",
    "\\u0041",
    "__metadata",
    "__metadata__ ",
    "__METADATA__",
    "dtype",
    "null",
    "a:b:c",
    "A",
    "a very long name of a tensor that is longer than anything that one would like to type twice in one lifetime",
};
enum { STRANGE = sizeof strange / sizeof *strange };

static void strange_names(void **state) {
    posenc_tensor_entry entries[STRANGE];
    const char *metadata[2 * STRANGE];
    folder f = folder_make();
    const char *path = folder_path(&f, "x.safetensors");
    (void)state;
    for (size_t n = 1; n <= STRANGE; n++) {
        posenc_output *output = must_open(path);
        for (size_t i = 0; i < n; i++) {
            entries[i] = (posenc_tensor_entry){.name = strange[i], .dtype = POSENC_U8, .rank = 0};
            metadata[2 * i] = strange[i];
            metadata[2 * i + 1] = strange[n - 1 - i];
        }
        assert_int_equal(posenc_safetensors_header(output, entries, n, metadata, n, NULL), POSENC_OK);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(posenc_output_write(output, &(uint8_t){(uint8_t)i}, 1, NULL), POSENC_OK);
        assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
        posenc_safetensors *file = must_read(path);
        assert_int_equal(posenc_safetensors_at(file, 0)->offset % 8, 0);
        for (size_t i = 0; i < n; i++) {
            assert_string_equal(posenc_safetensors_at(file, i)->name, strange[i]);
            assert_string_equal(posenc_safetensors_key(file, i), strange[i]);
            assert_string_equal(posenc_safetensors_metadata(file, strange[i]), strange[n - 1 - i]);
            posenc_array *array = must_read_tensor(file, strange[i]);
            assert_int_equal(*(uint8_t *)posenc_array_tensor(array)->data, i);
            posenc_array_destroy(array);
        }
        assert_null(posenc_safetensors_find(file, "no such"));
        assert_null(posenc_safetensors_metadata(file, "no such"));
        assert_null(posenc_safetensors_key(file, n));
        posenc_safetensors_close(file);
    }
    folder_end(&f);
}

/* Empty tensors, scalars, and the order of the data that is not that of the text. */
static void empty_and_reordered(void **state) {
    static const char header[] =
        "{\"late\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]},"
        "\"empty 2\":{\"dtype\":\"F64\",\"shape\":[0,4294967296],\"data_offsets\":[2,2]},"
        "\"early\":{\"data_offsets\":[0,2],\"shape\":[1,2,1],\"dtype\":\"I8\"},"
        "\"empty 1\":{\"dtype\":\"F32\",\"shape\":[7,0],\"data_offsets\":[2,2]},"
        "\"first\":{\"dtype\":\"C64\",\"shape\":[0],\"data_offsets\":[0,0]},"
        "\"\":{\"dtype\":\"BOOL\",\"shape\":[],\"data_offsets\":[4,5]},"
        "\"last\":{\"dtype\":\"F16\",\"shape\":[0],\"data_offsets\":[5,5]}}";
    static const char *const order[] = {"first", "early", "empty 2", "empty 1", "late", "", "last"};
    safetensors_bytes made = safetensors_bytes_make(header, sizeof header - 1, 5);
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    (void)state;
    made.bytes[made.data_at + 4] = 1;
    folder_write(path, made.bytes, made.n);
    posenc_safetensors *file = must_read(path);
    assert_int_equal(posenc_safetensors_count(file), 7);
    for (size_t i = 0; i < 7; i++) assert_string_equal(posenc_safetensors_at(file, i)->name, order[i]);
    posenc_array *array = must_read_tensor(file, "empty 2");
    assert_int_equal(posenc_array_tensor(array)->shape[1], INT64_C(4294967296));
    posenc_array_destroy(array);
    array = must_read_tensor(file, "late");
    assert_int_equal(memcmp(posenc_array_tensor(array)->data, "\2\3", 2), 0);
    posenc_array_destroy(array);
    array = must_read_tensor(file, "");
    assert_int_equal(posenc_array_tensor(array)->ndim, 0);
    posenc_safetensors_close(file);
    posenc_array_destroy(array); /* it outlives the file */
    safetensors_bytes_end(&made);
    folder_end(&f);
}

/* Types that are listed and not decoded can be copied as they are. */
static void copied_types(void **state) {
    static const char header[] =
        "{\"c\":{\"dtype\":\"C64\",\"shape\":[1],\"data_offsets\":[0,8]},"
        "\"f8\":{\"dtype\":\"F8_E5M2\",\"shape\":[3],\"data_offsets\":[8,11]},"
        "\"f6\":{\"dtype\":\"F6_E2M3\",\"shape\":[2,4],\"data_offsets\":[11,17]},"
        "\"f4\":{\"dtype\":\"F4\",\"shape\":[6],\"data_offsets\":[17,20]},"
        "\"u\":{\"dtype\":\"Q\\u00e9\\\"7_K_AND_MORE_THAN_FIFTEEN\",\"shape\":[1,1,1,1,1,1,1,1,1,9],\"data_offsets\":["
        "20,24]},"
        "\"r9\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[24,25]}}";
    safetensors_bytes made = safetensors_bytes_make(header, sizeof header - 1, 25);
    folder f = folder_make();
    const char *path = folder_path(&f, "x"), *copy = folder_path(&f, "y");
    posenc_tensor_entry entries[6];
    posenc_array *array = NULL;
    posenc_error error;
    (void)state;
    folder_write(path, made.bytes, made.n);
    posenc_safetensors *file = must_read(path);
    assert_int_equal(posenc_safetensors_count(file), 6);
    for (size_t i = 0; i < 5; i++) {
        const posenc_tensor_info *info = posenc_safetensors_at(file, i);
        assert_int_equal(info->dtype, POSENC_DTYPE_COUNT);
        check(posenc_safetensors_read(file, info, &array, &error) == POSENC_ERROR_DTYPE, "tensor %zu", i);
        assert_null(array);
    }
    assert_non_null(strstr(error.message, "F32 or F64 for \"u\", got Q\\xc3\\xa9\"7_K"));
    assert_string_equal(posenc_safetensors_at(file, 4)->dtype_text, "Q\xC3\xA9\"7_K_AND_MORE_THAN_FIFTEEN");
    assert_int_equal(posenc_safetensors_read(file, posenc_safetensors_at(file, 5), &array, &error), POSENC_ERROR_SHAPE);
    assert_non_null(strstr(error.message, "expected at most 8 axes for \"r9\", got 9"));

    posenc_output *output = must_open(copy);
    for (size_t i = 0; i < 6; i++) {
        const posenc_tensor_info *info = posenc_safetensors_at(file, i);
        entries[i] =
            (posenc_tensor_entry){info->name, info->dtype, info->rank, info->shape, info->dtype_text, info->bytes};
    }
    assert_int_equal(posenc_safetensors_header(output, entries, 6, NULL, 0, &error), POSENC_OK);
    for (size_t i = 0; i < 6; i++) {
        uint8_t bytes[8];
        const posenc_tensor_info *info = posenc_safetensors_at(file, i);
        assert_int_equal(posenc_safetensors_read_bytes(file, info, 0, bytes, info->bytes, NULL), POSENC_OK);
        assert_int_equal(posenc_output_write(output, bytes, info->bytes, NULL), POSENC_OK);
    }
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    posenc_safetensors *second = must_read(copy);
    for (size_t i = 0; i < 6; i++) {
        const posenc_tensor_info *a = posenc_safetensors_at(file, i), *b = posenc_safetensors_at(second, i);
        uint8_t bytes[8];
        assert_string_equal(a->dtype_text, b->dtype_text);
        assert_int_equal(a->rank, b->rank);
        assert_int_equal(posenc_safetensors_read_bytes(second, b, 0, bytes, b->bytes, NULL), POSENC_OK);
        assert_int_equal(memcmp(bytes, made.bytes + a->offset, a->bytes), 0);
    }
    posenc_safetensors_close(second);
    posenc_safetensors_close(file);
    safetensors_bytes_end(&made);
    folder_end(&f);
}

/* Parts of a tensor: every one of a small one, and what is not within it. */
static void parts(void **state) {
    static const char header[] =
        "{\"x\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[0,1]},"
        "\"a\":{\"dtype\":\"I16\",\"shape\":[5],\"data_offsets\":[1,11]}}";
    safetensors_bytes made = safetensors_bytes_make(header, sizeof header - 1, 11);
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    posenc_error error;
    (void)state;
    folder_write(path, made.bytes, made.n);
    posenc_safetensors *file = must_read(path), *other = must_read(path);
    const posenc_tensor_info *a = posenc_safetensors_find(file, "a");
    for (uint64_t first = 0; first <= 6; first++) {
        for (size_t n = 0; n <= 6; n++) {
            int16_t part[6];
            bool within = first + n <= 5;
            posenc_status status = posenc_safetensors_read_elements(file, a, first, part, n, &error);
            assert_int_equal(status, within ? POSENC_OK : POSENC_ERROR_ARGUMENT);
            for (size_t i = 0; within && i < n; i++) {
                int low = 1 + 2 * (int)(first + i);
                assert_int_equal(part[i], low + 256 * (low + 1));
            }
        }
    }
    uint8_t bytes[12];
    assert_int_equal(posenc_safetensors_read_bytes(file, a, 3, bytes, 7, &error), POSENC_OK);
    assert_int_equal(memcmp(bytes, "\4\5\6\7\10\11\12", 7), 0);
    assert_int_equal(posenc_safetensors_read_bytes(file, a, 3, bytes, 8, &error), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_safetensors_read_bytes(file, a, UINT64_MAX, bytes, 2, &error), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_safetensors_read_bytes(file, a, 2, bytes, SIZE_MAX, &error), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_safetensors_read_elements(file, a, UINT64_MAX, bytes, 2, &error), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_safetensors_read_elements(file, a, 1, bytes, SIZE_MAX, &error), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_safetensors_read_bytes(file, a, 0, NULL, 1, &error), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_safetensors_read_elements(file, a, 0, NULL, 1, &error), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_safetensors_read_elements(file, a, 5, NULL, 0, &error), POSENC_OK);
    posenc_array *array = NULL;
    assert_int_equal(posenc_safetensors_read(other, a, &array, &error), POSENC_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "tensor: expected a tensor of this file, got another"));
    assert_int_equal(posenc_safetensors_read(file, NULL, &array, &error), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_safetensors_read(NULL, a, &array, &error), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_safetensors_read(file, a, NULL, &error), POSENC_ERROR_ARGUMENT);
    assert_null(array);
    posenc_safetensors_close(other);
    posenc_safetensors_close(file);
    safetensors_bytes_end(&made);
    folder_end(&f);
}

static void bools_that_are_none(void **state) {
    static const char header[] = "{\"a\":{\"dtype\":\"BOOL\",\"shape\":[4],\"data_offsets\":[0,4]}}";
    safetensors_bytes made = safetensors_bytes_make(header, sizeof header - 1, 4);
    folder f = folder_make();
    posenc_array *array = NULL;
    posenc_error error;
    uint8_t part[4];
    (void)state;
    folder_write(folder_path(&f, "x"), made.bytes, made.n);
    posenc_safetensors *file = must_read(folder_path(&f, "x"));
    const posenc_tensor_info *a = posenc_safetensors_at(file, 0);
    assert_int_equal(posenc_safetensors_read(file, a, &array, &error), POSENC_ERROR_FORMAT);
    assert_null(array);
    assert_int_equal(error.offset, (int64_t)made.data_at + 2);
    assert_non_null(strstr(error.message, "a bool, 0 or 1, got 2"));
    assert_int_equal(posenc_safetensors_read_elements(file, a, 0, part, 2, &error), POSENC_OK);
    assert_int_equal(posenc_safetensors_read_elements(file, a, 3, part, 1, &error), POSENC_ERROR_FORMAT);
    assert_int_equal(error.offset, (int64_t)made.data_at + 3);
    assert_int_equal(posenc_safetensors_read_bytes(file, a, 0, part, 4, &error), POSENC_OK);
    posenc_safetensors_close(file);
    safetensors_bytes_end(&made);
    folder_end(&f);
}

/* 80 000 tensors: a header of more than a million keys and values. */
static void a_large_header(void **state) {
    enum { N = 80000 };
    posenc_tensor_entry *entries = must_allocate(N * sizeof *entries);
    char(*names)[32] = must_allocate(N * sizeof *names);
    const int64_t shape[] = {1, 1, 1};
    folder f = folder_make();
    const char *path = folder_path(&f, "x.safetensors");
    posenc_output *output = must_open(path);
    posenc_error error = {.message = ""};
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "model.layers.%d.weight", N - i);
        entries[i] = (posenc_tensor_entry){.name = names[i], .dtype = POSENC_U8, .rank = 3, .shape = shape};
    }
    check(posenc_safetensors_header(output, entries, N, NULL, 0, &error) == POSENC_OK, "%s", error.message);
    for (int i = 0; i < N; i++) posenc_output_write(output, "x", 1, NULL);
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    posenc_safetensors *file = must_read(path);
    assert_int_equal(posenc_safetensors_count(file), N);
    for (int i = 0; i < N; i += 997)
        assert_ptr_equal(posenc_safetensors_find(file, names[i]), posenc_safetensors_at(file, (size_t)i));
    posenc_safetensors_close(file);
    free(names);
    free(entries);
    folder_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dtype_and_rank),
        cmocka_unit_test(the_bytes),
        cmocka_unit_test(nothing_in_it),
        cmocka_unit_test(strange_names),
        cmocka_unit_test(empty_and_reordered),
        cmocka_unit_test(copied_types),
        cmocka_unit_test(parts),
        cmocka_unit_test(bools_that_are_none),
        cmocka_unit_test(a_large_header),
    };
    return safetensors_are_read() ? TEST_RUN(tests) : 77;
}
