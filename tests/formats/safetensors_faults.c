/* The system refuses the k-th call or comes up short, memory is refused, the file changes meanwhile, the locale is
 * another: the reader says what is wrong, keeps nothing, and reads the same when all is well again. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faulty_io.h"
#include "folder.h"
#include "formats/safetensors.h"
#include "safetensors_bytes.h"
#include "support/allocator.h"
#include "support/tensors.h"
#include "support/test.h"

#if defined(POSENC_HAVE_JANSSON)
#include <jansson.h>
#endif

static const char header[] =
    "{\"__metadata__\":{\"a key that is longer than a few letters\":\"and its value as well, by \\u00e9 and "
    "more\",\"k\":\"v\"},"
    "\"a tensor with a name that is longer than sixteen letters\":{\"dtype\":\"I32\",\"shape\":[100,250],"
    "\"data_offsets\":[3,100003]},\"b\":{\"dtype\":\"A_TYPE_OF_MORE_THAN_SIXTEEN\",\"shape\":[1],\"data_offsets\":[0,3]"
    "}}";
static const char tensor[] = "a tensor with a name that is longer than sixteen letters";
enum { DATA = 100003 };

static safetensors_bytes make_file(const char *path) {
    safetensors_bytes made = safetensors_bytes_make(header, sizeof header - 1, DATA);
    folder_write(path, made.bytes, made.n);
    return made;
}

/* Opens the file and reads its tensor. Whatever fails, nothing is left. */
static posenc_status read_it(const posenc_io *io, const posenc_context *context, const char *path,
                             const safetensors_bytes *made, posenc_error *error) {
    posenc_safetensors *file = NULL;
    posenc_array *array = NULL;
    posenc_status status = posenc_safetensors_open_with(io, context, path, &file, error);
    check((status == POSENC_OK) == (file != NULL), "%s", posenc_status_name(status));
    if (status != POSENC_OK) return status;
    check(strcmp(posenc_safetensors_at(file, 0)->dtype_text, "A_TYPE_OF_MORE_THAN_SIXTEEN") == 0, "another type");
    check(strcmp(posenc_safetensors_metadata(file, "a key that is longer than a few letters"),
                 "and its value as well, by \xC3\xA9 and more") == 0,
          "another value");
    const posenc_tensor_info *info = posenc_safetensors_find(file, tensor);
    check(info != NULL, "another name");
    status = posenc_safetensors_read(file, info, &array, error);
    check((status == POSENC_OK) == (array != NULL), "%s", posenc_status_name(status));
    check(!array || memcmp(posenc_array_tensor(array)->data, made->bytes + info->offset, info->bytes) == 0,
          "other data");
    posenc_safetensors_close(file);
    posenc_array_destroy(array);
    return status;
}

static void each_call(void **state) {
    static const int errors[] = {EIO, EACCES, ENOMEM, EISDIR};
    folder f = folder_make();
    const char *path = folder_path(&f, "x.safetensors");
    safetensors_bytes made = make_file(path);
    (void)state;
    for (int e = 0; e < 8; e++) {
        bool refused = true;
        long k = 0;
        for (; refused; k++) {
            allocator a;
            posenc_context *context = allocator_context(&a);
            faulty_io faulty;
            posenc_error error = {.message = ""};
            faulty_io_init(&faulty);
            faulty_io_fail(&faulty, k, errors[e / 2], e % 2);
            posenc_status status = read_it(&faulty.io, context, path, &made, &error);
            refused = faulty.calls > k;
            bool closing = k == 7; /* all is read by then */
            check(faulty.open == 0, "call %ld: left open", k);
            check(status == (refused && !closing ? POSENC_ERROR_IO : POSENC_OK), "call %ld: %s", k, error.message);
            check(status == POSENC_OK || strstr(error.message, strerror(errors[e / 2])), "call %ld: %s", k,
                  error.message);
            allocator_context_end(&a, context);
        }
        check(k - 1 == 8, "%ld calls", k - 1); /* info_at, open, info, length, header; info, data, close */
    }
    safetensors_bytes_end(&made);
    folder_end(&f);
}

static void short_and_interrupted_reads(void **state) {
    static const struct {
        size_t most;
        int interrupts, interruption;
    } slow[] = {{1, 0, EINTR}, {7, 0, EINTR}, {0, 5, EINTR}, {4096, 3, EINTR}, {4096, 2, EAGAIN}};
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    safetensors_bytes made = make_file(path);
    (void)state;
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        faulty_io faulty;
        posenc_error error = {.message = ""};
        faulty_io_init(&faulty);
        faulty.most = slow[i].most;
        faulty.interrupts = slow[i].interrupts;
        faulty.interruption = slow[i].interruption;
        check(read_it(&faulty.io, NULL, path, &made, &error) == POSENC_OK, "way %zu: %s", i, error.message);
    }
    safetensors_bytes_end(&made);
    folder_end(&f);
}

static void each_allocation(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    safetensors_bytes made = make_file(path);
    (void)state;
    for (int forever = 0; forever < 2; forever++) {
        bool refused = true;
        long k = 0;
        for (; refused; k++) {
            allocator a;
            posenc_context *context = allocator_context(&a);
            posenc_error error = {.message = ""};
            allocator_fail(&a, k, forever);
            posenc_status status = read_it(&posenc_io_system, context, path, &made, &error);
            refused = allocator_refused(&a);
            check(status == (refused ? POSENC_ERROR_MEMORY : POSENC_OK), "allocation %ld: %s", k, error.message);
            allocator_fail(&a, -1, false);
            assert_int_equal(read_it(&posenc_io_system, context, path, &made, NULL), POSENC_OK);
            allocator_context_end(&a, context);
        }
        check(k - 1 == 6, "%ld allocations", k - 1); /* file, text, table, metadata; data, array */
    }
    safetensors_bytes_end(&made);
    folder_end(&f);
}

#if defined(POSENC_HAVE_JANSSON)
/* jansson's allocator belongs to the process: a test may set it, the library does not. */
static long jansson_calls, jansson_fails, jansson_live;
static bool jansson_fails_on;

static void *jansson_allocate(size_t bytes) {
    long k = jansson_calls++;
    if (jansson_fails >= 0 && (jansson_fails_on ? k >= jansson_fails : k == jansson_fails)) return NULL;
    void *block = malloc(bytes);
    jansson_live += block != NULL;
    return block;
}

static void jansson_release(void *block) {
    jansson_live -= block != NULL;
    free(block);
}

/* It loses letters without a word when it cannot grow a buffer. A wrong name must not come of it. */
static void each_allocation_of_jansson(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    safetensors_bytes made = make_file(path);
    (void)state;
    assert_int_equal(read_it(&posenc_io_system, NULL, path, &made, NULL), POSENC_OK); /* its hash seed is made once */
    json_set_alloc_funcs(jansson_allocate, jansson_release);
    for (int forever = 0; forever < 2; forever++) {
        bool refused = true;
        long k = 0;
        for (; refused; k++) {
            posenc_error error = {.message = ""};
            jansson_calls = 0;
            jansson_fails = k;
            jansson_fails_on = forever;
            posenc_status status = read_it(&posenc_io_system, NULL, path, &made, &error);
            refused = jansson_calls > k;
            check(status == POSENC_OK || (refused && status == POSENC_ERROR_MEMORY), "allocation %ld: %s", k,
                  error.message);
            check(jansson_live == 0, "allocation %ld: %ld blocks kept", k, jansson_live);
        }
        check(k > 50, "%ld allocations", k);
    }
    json_set_alloc_funcs(malloc, free);
    safetensors_bytes_end(&made);
    folder_end(&f);
}
#endif

/* The file shrinks after it was opened: before its data are asked for, and while they are read. */
static void a_file_that_shrinks(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    safetensors_bytes made = make_file(path);
    posenc_safetensors *file;
    posenc_array *array = NULL;
    posenc_error error = {.message = ""};
    int32_t part[10];
    (void)state;
    assert_int_equal(posenc_safetensors_open(NULL, path, &file, NULL), POSENC_OK);
    const posenc_tensor_info *info = posenc_safetensors_find(file, tensor);
    assert_int_equal(truncate(path, (off_t)made.n - 1), 0);
    assert_int_equal(posenc_safetensors_read(file, info, &array, &error), POSENC_ERROR_IO);
    assert_null(array);
    assert_int_equal(error.offset, (int64_t)made.n - 1);
    check(strstr(error.message, "expected bytes to read, got the end of a file that was longer before"), "%s",
          error.message);
    assert_int_equal(posenc_safetensors_read_elements(file, info, 0, part, 10, &error), POSENC_OK);
    assert_int_equal(posenc_safetensors_read_elements(file, info, 24990, part, 10, &error), POSENC_ERROR_IO);
    assert_int_equal(error.offset, (int64_t)made.n - 1);
    assert_int_equal(posenc_safetensors_read_bytes(file, info, 99999, part, 1, &error), POSENC_ERROR_IO);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(posenc_safetensors_read(file, info, &array, &error), POSENC_ERROR_IO);
    assert_int_equal(error.offset, 0);
    posenc_safetensors_close(file);
    safetensors_bytes_end(&made);
    folder_end(&f);
}

/* A length that was true a moment ago. */
static void a_file_that_shrinks_while_it_is_opened(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    safetensors_bytes made = make_file(path);
    posenc_error error = {.message = ""};
    faulty_io faulty;
    (void)state;
    faulty_io_init(&faulty);
    static const size_t cuts[] = {0, 5, 8, 100};
    for (size_t i = 0; i < 4; i++) {
        folder_write(path, made.bytes, cuts[i]);
        faulty.lie = (int64_t)(made.n - cuts[i]);
        assert_int_equal(read_it(&faulty.io, NULL, path, &made, &error), POSENC_ERROR_IO);
        assert_int_equal(error.offset, cuts[i]);
    }
    folder_write(path, made.bytes, made.n - 1000);
    faulty.lie = 1000;
    assert_int_equal(read_it(&faulty.io, NULL, path, &made, &error), POSENC_ERROR_IO);
    assert_int_equal(error.offset, (int64_t)made.n - 1000);
    safetensors_bytes_end(&made);
    folder_end(&f);
}

/* Not opened at all: a pipe would wait, /dev/zero would never end. */
static void what_is_no_file(void **state) {
    folder f = folder_make();
    posenc_safetensors *file = NULL;
    posenc_error error = {.message = ""};
    (void)state;
    assert_int_equal(mkfifo(folder_path(&f, "pipe"), 0600), 0);
    const struct {
        const char *path, *says;
    } paths[] = {{"-", "a regular file, got standard input"},
                 {folder_path(&f, "pipe"), "a regular file, got a pipe or device"},
                 {"/dev/zero", "a regular file, got a pipe or device"},
                 {"/dev/null", "a regular file, got a pipe or device"},
                 {f.path, "a regular file, got a folder"},
                 {folder_path(&f, "missing"), "a file to read, got \"No such file or directory\""},
                 {"", "a file to read, got \"No such file or directory\""}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        check(posenc_safetensors_open(NULL, paths[i].path, &file, &error) == POSENC_ERROR_IO, "%s", paths[i].path);
        check(strstr(error.message, paths[i].says), "%s: %s", paths[i].path, error.message);
        assert_null(file);
    }
    assert_int_equal(posenc_safetensors_open(NULL, NULL, &file, &error), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_safetensors_open(NULL, "x", NULL, &error), POSENC_ERROR_ARGUMENT);
    posenc_safetensors_close(NULL);
    assert_int_equal(posenc_safetensors_count(NULL), 0);
    assert_null(posenc_safetensors_at(NULL, 0));
    assert_null(posenc_safetensors_key(NULL, 0));
    assert_null(posenc_safetensors_find(NULL, "a"));
    assert_null(posenc_safetensors_metadata(NULL, "a"));
    folder_end(&f);
}

/* A locale with a decimal comma and grouped thousands, where the machine has one. */
static void another_locale(void **state) {
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR", "ru_RU.UTF-8", "pt_BR.UTF-8"};
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    safetensors_bytes made = make_file(path);
    bool found = false;
    (void)state;
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
        found = setlocale(LC_ALL, names[i]) && *localeconv()->decimal_point == ',';
    if (!found) fprintf(stderr, "another_locale: this machine has none with a decimal comma\n");
    posenc_status status = read_it(&posenc_io_system, NULL, path, &made, NULL);
    setlocale(LC_ALL, "C");
    assert_int_equal(status, POSENC_OK);
    safetensors_bytes_end(&made);
    folder_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call),
        cmocka_unit_test(short_and_interrupted_reads),
        cmocka_unit_test(each_allocation),
#if defined(POSENC_HAVE_JANSSON)
        cmocka_unit_test(each_allocation_of_jansson),
#endif
        cmocka_unit_test(a_file_that_shrinks),
        cmocka_unit_test(a_file_that_shrinks_while_it_is_opened),
        cmocka_unit_test(what_is_no_file),
        cmocka_unit_test(another_locale),
    };
    return safetensors_are_read() ? TEST_RUN(tests) : 77;
}
