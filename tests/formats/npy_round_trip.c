/* What is in a .npy file comes out: every dtype, byte order, axis order and version, and what the library's
 * own writer makes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "formats/bytes.h"
#include "formats/npy.h"
#include "memory_io.h"
#include "npy_bytes.h"
#include "support/allocator.h"
#include "support/tensors.h"
#include "support/test.h"

static const struct {
    const char *kind;
    posenc_dtype dtype;
} types[] = {{"f2", POSENC_F16}, {"f4", POSENC_F32}, {"f8", POSENC_F64}, {"i1", POSENC_I8},
             {"i2", POSENC_I16}, {"i4", POSENC_I32}, {"i8", POSENC_I64}, {"u1", POSENC_U8},
             {"u2", POSENC_U16}, {"u4", POSENC_U32}, {"u8", POSENC_U64}, {"b1", POSENC_BOOL}};
enum { TYPES = sizeof types / sizeof *types };

typedef struct shape {
    const char *text;
    int rank;
    int64_t extent[8];
} shape;

static const shape shapes[] = {{"()", 0, {0}},
                               {"(0,)", 1, {0}},
                               {"(1,)", 1, {1}},
                               {"(7L,)", 1, {7}},
                               {"(3, 5)", 2, {3, 5}},
                               {"(33, 65)", 2, {33, 65}},
                               {"(31, 63)", 2, {31, 63}},
                               {"(64, 1)", 2, {64, 1}},
                               {"(1,64,)", 2, {1, 64}},
                               {"(2, 3, 4)", 3, {2, 3, 4}},
                               {"(40, 2, 35)", 3, {40, 2, 35}},
                               {"(1, 0, 3)", 3, {1, 0, 3}},
                               {"(2, 1, 3, 2, 2, 1, 2, 3)", 8, {2, 1, 3, 2, 2, 1, 2, 3}}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static size_t count(const shape *s) {
    size_t n = 1;
    for (int k = 0; k < s->rank; k++) n *= (size_t)s->extent[k];
    return n;
}

/* Where C-order element i stands in a file: straight from the definition of the two orders. */
static size_t place_in_file(const shape *s, size_t i, bool fortran) {
    size_t at = 0, stride = count(s);
    if (!fortran) return i;
    for (int k = s->rank - 1; k >= 0; k--) {
        size_t extent = (size_t)s->extent[k];
        stride /= extent;
        at += i % extent * stride;
        i /= extent;
    }
    return at;
}

/* The bytes of a file whose C-order elements are element[0..n). */
static void lay_out(const shape *s, const uint8_t *element, size_t width, bool fortran, bool foreign, uint8_t *file) {
    for (size_t i = 0; i < count(s); i++)
        for (size_t b = 0; b < width; b++)
            file[place_in_file(s, i, fortran) * width + (foreign ? width - 1 - b : b)] = element[i * width + b];
}

static void must_be(const char *what, posenc_array *array, posenc_dtype dtype, int rank, const int64_t *extent,
                    const void *data, size_t bytes) {
    DLTensor *tensor = posenc_array_tensor(array);
    posenc_dtype got;
    check(posenc_dtype_of(tensor, &got) == POSENC_OK && got == dtype, "%s: dtype %d", what, (int)got);
    check(tensor->ndim == rank, "%s: rank %d, not %d", what, tensor->ndim, rank);
    for (int k = 0; k < rank; k++) check(tensor->shape[k] == extent[k], "%s: extent %d", what, k);
    check(tensor->data != NULL && tensor->byte_offset == 0, "%s: no data", what);
    check(memcmp(tensor->data, data, bytes) == 0, "%s: other data", what);
}

/* One file, as a regular file and as streams that come in drops. */
static void read_every_way(const char *what, const npy_bytes *npy, posenc_dtype dtype, const shape *s, const void *data,
                           size_t bytes) {
    static const struct {
        bool stream;
        size_t piece;
    } ways[] = {{false, 0}, {false, 13}, {true, 0}, {true, 7}};
    allocator a;
    posenc_context *context = allocator_context(&a);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        memory_file file;
        posenc_array *array;
        posenc_error error = {.message = ""};
        const posenc_io *io = memory_file_io(&file, npy->bytes, npy->n, ways[w].stream, ways[w].piece);
        check(posenc_npy_read_with(io, context, "x.npy", &array, &error) == POSENC_OK, "%s: %s", what, error.message);
        check(file.open == 0, "%s: left open", what);
        must_be(what, array, dtype, s->rank, s->extent, data, bytes);
        posenc_array_destroy(array);
    }
    posenc_context_destroy(context);
    check(a.live == 0 && a.mistakes == 0, "%s: %ld blocks kept, %ld given back wrongly", what, a.live, a.mistakes);
}

static void one_round_trip(random_state *random, int type, const shape *s, int version, bool fortran, bool foreign) {
    size_t width = posenc_dtype_bytes(types[type].dtype), bytes = count(s) * width;
    uint8_t *element = must_allocate(bytes + 1), *data = must_allocate(bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        element[i] = (uint8_t)(types[type].dtype == POSENC_BOOL ? random_u64(random) & 1 : random_u64(random));
    lay_out(s, element, width, fortran, foreign, data);
    char descr[8], what[96];
    char order = posenc_native_is_little() != foreign ? '<' : '>';
    snprintf(descr, sizeof descr, "%c%s", order, types[type].kind);
    snprintf(what, sizeof what, "%s %s version %d %s", descr, s->text, version, fortran ? "fortran" : "c");
    npy_bytes npy = npy_bytes_make(version, descr, fortran, s->text, data, bytes);
    read_every_way(what, &npy, types[type].dtype, s, element, bytes);
    npy_bytes_end(&npy);
    free(element);
    free(data);
}

static void every_type_order_and_version(void **state) {
    random_state random = random_start("npy round trip");
    (void)state;
    for (int type = 0; type < TYPES; type++)
        for (int s = 0; s < SHAPES; s++)
            for (int version = 1; version <= 3; version++)
                for (int orders = 0; orders < 4; orders++)
                    one_round_trip(&random, type, &shapes[s], version, orders & 1, orders & 2);
}

/* Headers that mean the same, written in other ways. */
static void free_forms_of_a_header(void **state) {
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n",
        "{'shape': (2,), 'descr': '<f4', 'fortran_order': False}",
        "{'fortran_order': False, 'shape': (2L,), 'descr': '<f4'}",
        "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2,)}",
        "{'descr':'<f4','fortran_order':True,'shape':(2,)}",
        " \t\r\n{ 'descr' : '<f4' ,\n'fortran_order' : False\t,\r'shape' : ( 2 , ) , } \n ",
    };
    const uint8_t data[8] = {0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0};
    const float values[2] = {1, -2};
    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        npy_bytes npy = npy_bytes_raw(1, headers[i], strlen(headers[i]), data, sizeof data);
        read_every_way(headers[i], &npy, POSENC_F32, &(shape){"", 1, {2}}, values, sizeof values);
        npy_bytes_end(&npy);
    }
}

/* The ways to write a dtype whose order does not matter or is this machine's. */
static void free_forms_of_a_dtype(void **state) {
    static const char *const flags[] = {"?", "|?", "|b1", "<b1", "=?"};
    static const char *const natives[] = {"=i2", "|i2"};
    const uint8_t bools[2] = {1, 0};
    const int16_t numbers[2] = {-2, 513};
    (void)state;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        npy_bytes npy = npy_bytes_make(1, flags[i], 0, "(2,)", bools, sizeof bools);
        read_every_way(flags[i], &npy, POSENC_BOOL, &(shape){"", 1, {2}}, bools, sizeof bools);
        npy_bytes_end(&npy);
    }
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++) {
        npy_bytes npy = npy_bytes_make(1, natives[i], 0, "(2,)", numbers, sizeof numbers);
        read_every_way(natives[i], &npy, POSENC_I16, &(shape){"", 1, {2}}, numbers, sizeof numbers);
        npy_bytes_end(&npy);
    }
}

static void longest_header(void **state) {
    static char header[POSENC_NPY_MOST_HEADER];
    const char dict[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}";
    (void)state;
    memset(header, ' ', sizeof header);
    memcpy(header, dict, sizeof dict - 1);
    for (int version = 2; version <= 3; version++) {
        npy_bytes npy = npy_bytes_raw(version, header, sizeof header, "abc", 3);
        read_every_way("64 KiB of header", &npy, POSENC_U8, &(shape){"", 1, {3}}, "abc", 3);
        npy_bytes_end(&npy);
    }
}

/* Extents beside a zero may be large, as long as their product fits. */
static void large_extents_beside_zero(void **state) {
    npy_bytes npy = npy_bytes_make(1, "|u1", 0, "(0, 9223372036854775807)", NULL, 0);
    (void)state;
    read_every_way("zero and huge", &npy, POSENC_U8, &(shape){"", 2, {0, INT64_MAX}}, "", 0);
    npy_bytes_end(&npy);
    npy = npy_bytes_make(1, "<f4", 1, "(2305843009213693951, 0)", NULL, 0);
    read_every_way("huge and zero", &npy, POSENC_F32, &(shape){"", 2, {INT64_MAX / 4, 0}}, "", 0);
    npy_bytes_end(&npy);
}

/* Larger than the first piece of memory for a stream, so that it grows several times. */
static void long_stream(void **state) {
    enum { N = 300000 };
    random_state random = random_start("npy long stream");
    uint8_t *data = must_allocate(N);
    (void)state;
    for (size_t i = 0; i < N; i++) data[i] = (uint8_t)random_u64(&random);
    npy_bytes npy = npy_bytes_make(1, "|u1", 0, "(300000,)", data, N);
    read_every_way("long", &npy, POSENC_U8, &(shape){"", 1, {N}}, data, N);
    npy_bytes_end(&npy);
    free(data);
}

/* Written through posenc_output, read back from the disk. */
static void own_files(void **state) {
    folder f = folder_make();
    random_state random = random_start("npy own files");
    (void)state;
    for (int type = 0; type < TYPES; type++) {
        for (int s = 0; s < SHAPES; s++) {
            size_t bytes = count(&shapes[s]) * posenc_dtype_bytes(types[type].dtype), n;
            uint8_t *data = must_allocate(bytes + 1);
            for (size_t i = 0; i < bytes; i++) data[i] = (uint8_t)(random_u64(&random) & 1);
            char header[256];
            const char *path = folder_path(&f, "own.npy");
            posenc_output *output;
            posenc_array *array;
            assert_int_equal(posenc_npy_header(types[type].dtype, shapes[s].rank, shapes[s].extent, header, &n, NULL),
                             POSENC_OK);
            assert_int_equal(n % 64, 0);
            assert_int_equal(posenc_output_open(NULL, path, &output, NULL), POSENC_OK);
            assert_int_equal(posenc_output_write(output, header, n, NULL), POSENC_OK);
            assert_int_equal(posenc_output_write(output, data, bytes, NULL), POSENC_OK);
            assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
            assert_int_equal(posenc_npy_read(NULL, path, &array, NULL), POSENC_OK);
            must_be(path, array, types[type].dtype, shapes[s].rank, shapes[s].extent, data, bytes);
            posenc_array_destroy(array);
            free(data);
        }
    }
    folder_end(&f);
}

/* The longest extent that any type allows, beside others. */
static void longest_own_header(void **state) {
    const int64_t extent[8] = {0, INT64_MAX, 1, 1, 1, 1, 1, 1};
    char header[257];
    size_t n;
    (void)state;
    header[256] = 0x5A;
    assert_int_equal(posenc_npy_header(POSENC_BOOL, 8, extent, header, &n, NULL), POSENC_OK);
    assert_true(n <= 256 && header[256] == 0x5A && header[n - 1] == '\n');
    read_every_way("longest", &(npy_bytes){(uint8_t *)header, n, n}, POSENC_BOOL,
                   &(shape){"", 8, {0, INT64_MAX, 1, 1, 1, 1, 1, 1}}, "", 0);
}

static void null_arguments(void **state) {
    posenc_array *array;
    posenc_error error;
    (void)state;
    assert_int_equal(posenc_npy_read(NULL, NULL, &array, &error), POSENC_ERROR_ARGUMENT);
    assert_string_equal(error.argument, "path");
    assert_int_equal(posenc_npy_read(NULL, "x", NULL, &error), POSENC_ERROR_ARGUMENT);
    assert_string_equal(error.argument, "out");
    assert_null(posenc_array_tensor(NULL));
    posenc_array_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_order_and_version),
        cmocka_unit_test(free_forms_of_a_header),
        cmocka_unit_test(free_forms_of_a_dtype),
        cmocka_unit_test(longest_header),
        cmocka_unit_test(large_extents_beside_zero),
        cmocka_unit_test(long_stream),
        cmocka_unit_test(own_files),
        cmocka_unit_test(longest_own_header),
        cmocka_unit_test(null_arguments),
    };
    return TEST_RUN(tests);
}
