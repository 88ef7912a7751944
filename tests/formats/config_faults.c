/* The system refuses the k-th call or comes up short, memory is refused, the file is a folder, a stream or too long,
 * the locale is another: the reader says what is wrong, keeps nothing, and reads the same when all is well again. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <jansson.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config_bytes.h"
#include "faulty_io.h"
#include "folder.h"
#include "formats/config.h"
#include "memory_io.h"
#include "support/allocator.h"
#include "support/tensors.h"
#include "support/test.h"

static const char text[] =
    "{\"model_type\":\"\\u0067emma3\",\"text_config\":{\"model_type\":\"gemma3_text\",\"head_dim\":128,"
    "\"num_hidden_layers\":6,\"max_position_embeddings\":131072,\"rope_theta\":1000000.25,"
    "\"rope_local_base_freq\":10000.5,\"rope_\\u0065xtra\":1,"
    "\"rope_scaling\":{\"rope_type\":\"longrope\",\"short_factor\":[1,1.0299999713897705],"
    "\"long_factor\":[2,64.83999633789062],\"original_max_position_embeddings\":4096},\"partial_rotary_factor\":0."
    "03125}}";

static void must_be_right(const posenc_config *config) {
    const posenc_config_layers *slides = posenc_config_at(config, 0), *full = posenc_config_at(config, 1);
    assert_string_equal(posenc_config_model(config), "gemma3_text");
    assert_true(slides->count == 5 && slides->rotary.base == 10000.5 && strcmp(slides->family, "default") == 0);
    assert_true(full->count == 1 && full->rotary.base == 1000000.25 && strcmp(full->family, "longrope") == 0);
    assert_true(full->rotary.short_factor[1] == 1.0299999713897705 && full->rotary.long_factor[1] == 64.83999633789062);
    assert_string_equal(posenc_config_warned(config, 0)->key, "text_config.rope_extra");
    assert_null(posenc_config_warned(config, 1));
    assert_null(posenc_config_at(config, 2));
}

static posenc_status read_it(const posenc_io *io, const posenc_context *context, const char *path,
                             posenc_error *error) {
    posenc_config *config = NULL;
    posenc_status status = posenc_config_read_with(io, context, path, &config, error);
    check((status == POSENC_OK) == (config != NULL), "%s", posenc_status_name(status));
    if (config) must_be_right(config);
    posenc_config_destroy(config);
    return status;
}

static void each_call(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "config.json");
    folder_write(path, text, sizeof text - 1);
    (void)state;
    for (int forever = 0; forever < 2; forever++) {
        bool refused = true;
        long k = 0;
        for (; refused; k++) {
            faulty_io faulty;
            posenc_error error = {.message = ""};
            faulty_io_init(&faulty);
            faulty_io_fail(&faulty, k, EIO, forever);
            posenc_status status = read_it(&faulty.io, NULL, path, &error);
            refused = faulty.calls > k;
            bool harmless = k == 5 || (k == 0 && !forever); /* closing; or whether it is a folder, which opening says */
            check(faulty.open == 0, "call %ld: left open", k);
            check(status == (refused && !harmless ? POSENC_ERROR_IO : POSENC_OK), "call %ld: %s", k, error.message);
        }
        check(k - 1 == 6, "%ld calls", k - 1); /* info_at, open, info, read, read to the end, close */
    }
    folder_end(&f);
}

static void short_and_interrupted_reads(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    folder_write(path, text, sizeof text - 1);
    (void)state;
    for (size_t most = 0; most < 3; most++)
        for (int interrupts = 0; interrupts < 3; interrupts++) {
            faulty_io faulty;
            faulty_io_init(&faulty);
            faulty.most = most;
            faulty.interrupts = interrupts;
            faulty.interruption = interrupts == 1 ? EINTR : EAGAIN;
            assert_int_equal(read_it(&faulty.io, NULL, path, NULL), POSENC_OK);
        }
    folder_end(&f);
}

static void each_allocation(void **state) {
    memory_file file;
    (void)state;
    for (int stream = 0; stream < 2; stream++)
        for (int forever = 0; forever < 2; forever++) {
            bool refused = true;
            long k = 0;
            for (; refused; k++) {
                allocator a;
                posenc_context *context = allocator_context(&a);
                posenc_error error = {.message = ""};
                const posenc_io *io = memory_file_io(&file, text, sizeof text - 1, stream, 100);
                allocator_fail(&a, k, forever);
                posenc_status status = read_it(io, context, "x", &error);
                refused = allocator_refused(&a);
                check(status == (refused ? POSENC_ERROR_MEMORY : POSENC_OK), "allocation %ld: %s", k, error.message);
                check(file.open == 0, "allocation %ld: left open", k);
                allocator_context_end(&a, context);
            }
            check(k > 3, "%ld allocations", k);
        }
}

/* jansson's own memory. Any of it may fail; then it is an error, or all is right. */
static long janssons_left;
static bool janssons_forever, janssons_refused;

static void *janssons_malloc(size_t bytes) {
    bool refuse = janssons_left == 0 || (janssons_forever && janssons_left < 0);
    janssons_left--;
    janssons_refused |= refuse;
    return refuse ? NULL : malloc(bytes);
}

static void each_allocation_of_jansson(void **state) {
    memory_file file;
    (void)state;
    json_set_alloc_funcs(janssons_malloc, free);
    for (int forever = 0; forever < 2; forever++) {
        long k = 0;
        do {
            const posenc_io *io = memory_file_io(&file, text, sizeof text - 1, false, 0);
            janssons_left = k++;
            janssons_forever = forever;
            janssons_refused = false;
            posenc_status status = read_it(io, NULL, "x", NULL);
            check(status == POSENC_OK || janssons_refused, "allocation %ld: %s", k, posenc_status_name(status));
        } while (janssons_refused);
        check(k > 20, "%ld allocations", k);
    }
    json_set_alloc_funcs(malloc, free);
}

static void folders(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "config.json");
    char slash[300];
    posenc_error error = {.message = ""};
    (void)state;
    assert_int_equal(read_it(&posenc_io_system, NULL, f.path, &error), POSENC_ERROR_IO);
    check(strstr(error.message, "/config.json: expected a file to read, got \"No such file"), "%s", error.message);
    folder_write(path, text, sizeof text - 1);
    assert_int_equal(read_it(&posenc_io_system, NULL, f.path, &error), POSENC_OK);
    snprintf(slash, sizeof slash, "%s/", f.path);
    assert_int_equal(read_it(&posenc_io_system, NULL, slash, &error), POSENC_OK);
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(read_it(&posenc_io_system, NULL, f.path, &error), POSENC_ERROR_IO);
    check(strstr(error.message, "got a folder") || strstr(error.message, "Is a directory"), "%s", error.message);
    assert_int_equal(rmdir(path), 0);
    folder_end(&f);
}

static void too_long(void **state) {
    enum { N = POSENC_CONFIG_MOST_TEXT };
    char *bytes = must_allocate(N + 2);
    memory_file file;
    (void)state;
    memset(bytes, ' ', N + 2);
    memcpy(bytes, text, sizeof text - 1);
    for (int stream = 0; stream < 2; stream++)
        for (size_t extra = 0; extra < 3; extra++) {
            allocator a;
            posenc_context *context = allocator_context(&a);
            posenc_error error = {.message = ""};
            const posenc_io *io = memory_file_io(&file, bytes, N + extra, stream, 0);
            posenc_status status = read_it(io, context, "x", &error);
            check(status == (extra == 0 ? POSENC_OK : POSENC_ERROR_FORMAT), "%zu more: %s", extra, error.message);
            check(extra == 0 || strstr(error.message, "at most 4194304 bytes, got"), "%s", error.message);
            check(extra == 0 || stream || atomic_load(&a.peak_bytes) < 8192, "memory for a file that is too long");
            allocator_context_end(&a, context);
        }
    free(bytes);
}

static void long_paths(void **state) {
    char *path = must_allocate(POSENC_IO_PATH + 1);
    posenc_error error = {.message = ""};
    (void)state;
    memset(path, 'a', POSENC_IO_PATH);
    path[POSENC_IO_PATH] = '\0';
    assert_int_equal(read_it(&posenc_io_system, NULL, path, &error), POSENC_ERROR_IO);
    check(strstr(error.message, "a path of at most"), "%s", error.message);
    free(path);
}

/* A decimal mark that is a comma changes nothing. */
static void locales(void **state) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    memory_file file;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_NUMERIC, names[i])) break;
    assert_int_equal(read_it(memory_file_io(&file, text, sizeof text - 1, false, 0), NULL, "x", NULL), POSENC_OK);
    setlocale(LC_NUMERIC, "C");
}

/* Every prefix, and every single bit that flips: an answer, and no memory that is kept. */
static void damage(void **state) {
    char bytes[sizeof text];
    (void)state;
    for (size_t i = 0; i < (sizeof text - 1) * 9; i++) {
        allocator a;
        posenc_context *context = allocator_context(&a);
        posenc_config *config = NULL;
        posenc_error error = {.message = ""};
        size_t n = i % 9 == 8 ? i / 9 : sizeof text - 1;
        memcpy(bytes, text, sizeof text);
        if (i % 9 < 8) bytes[i / 9] = (char)(bytes[i / 9] ^ 1 << i % 9);
        posenc_status status = config_of(context, bytes, n, &config, &error);
        check(status == POSENC_OK || status == POSENC_ERROR_FORMAT, "%zu: %s", i, error.message);
        check(status == POSENC_OK || (error.offset >= 0 && error.offset <= (int64_t)n), "%zu: %s", i, error.message);
        check(i % 9 < 8 || status != POSENC_OK, "a prefix of %zu bytes is taken", n);
        posenc_config_destroy(config);
        allocator_context_end(&a, context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call),       cmocka_unit_test(short_and_interrupted_reads),
        cmocka_unit_test(each_allocation), cmocka_unit_test(each_allocation_of_jansson),
        cmocka_unit_test(folders),         cmocka_unit_test(too_long),
        cmocka_unit_test(long_paths),      cmocka_unit_test(locales),
        cmocka_unit_test(damage),
    };
    return TEST_RUN(tests);
}
