/* Output is complete or absent: what a save leaves alone until it is done, and what is left when it is not. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <posenc/files.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faulty_io.h"
#include "folder.h"
#include "formats/output.h"
#include "npy_bytes.h"
#include "saving.h"
#include "support/allocator.h"
#include "support/tensors.h"
#include "support/test.h"

static void a_new_file(void **state) {
    static const mode_t masks[] = {0, 022, 077, 027};
    (void)state;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        folder f = folder_make();
        const char *path = folder_path(&f, "new");
        mode_t before = umask(masks[i]);
        posenc_output *output = must_open(path);
        assert_int_equal(access(path, F_OK), -1); /* absent until the commit */
        assert_int_equal(posenc_output_write(output, "abc", 3, NULL), POSENC_OK);
        assert_int_equal(access(path, F_OK), -1);
        assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
        umask(before);
        assert_true(folder_holds(path, "abc", 3));
        assert_int_equal(permissions(path), 0666 & ~masks[i]);
        assert_int_equal(folder_count(&f), 1);
        folder_end(&f);
    }
}

static void a_file_that_is_there(void **state) {
    static const mode_t modes[] = {0600, 0640, 0666, 0777, 0444 | 0200};
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        folder f = folder_make();
        const char *path = folder_path(&f, "old");
        folder_write(path, "old text", 8);
        assert_int_equal(chmod(path, modes[i]), 0);
        int reader = open(path, O_RDONLY);
        char seen[8];
        posenc_output *output = must_open(path);
        assert_int_equal(posenc_output_write(output, "new", 3, NULL), POSENC_OK);
        assert_true(folder_holds(path, "old text", 8)); /* as it was until the commit */
        assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
        assert_true(folder_holds(path, "new", 3));
        assert_int_equal(permissions(path), modes[i]);
        assert_true(read(reader, seen, 8) == 8 && memcmp(seen, "old text", 8) == 0); /* who had it open keeps it */
        close(reader);
        assert_int_equal(folder_count(&f), 1);
        folder_end(&f);
    }
}

/* The draft of a private file is never readable by others, not even for a moment: it begins with 0600. */
static void a_private_file_stays_private(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "private");
    faulty_io faulty;
    posenc_output *output;
    posenc_error error;
    (void)state;
    folder_write(path, "secret", 6);
    assert_int_equal(chmod(path, 0600), 0);
    mode_t before = umask(0);
    faulty_io_init(&faulty);
    assert_int_equal(posenc_output_open_with(&faulty.io, NULL, path, &output, &error), POSENC_OK);
    umask(before);
    assert_int_equal(faulty.open, 1);
    assert_int_equal(faulty.permissions, 0600);
    char list[512];
    snprintf(list, sizeof list, "test -z \"$(find '%s' -type f -perm /077)\"", f.path);
    assert_int_equal(system(list), 0);
    posenc_output_discard(output);
    folder_end(&f);
}

static void a_discard(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "old"), *fresh = folder_path(&f, "fresh");
    (void)state;
    folder_write(path, "old", 3);
    posenc_output *output = must_open(path);
    assert_int_equal(posenc_output_write(output, "newer text", 10, NULL), POSENC_OK);
    posenc_output_discard(output);
    assert_true(folder_holds(path, "old", 3));
    output = must_open(fresh);
    posenc_output_discard(output);
    assert_int_equal(folder_count(&f), 1);
    posenc_output_discard(NULL);
    folder_end(&f);
}

static void null_arguments(void **state) {
    posenc_output *output;
    posenc_error error;
    folder f = folder_make();
    (void)state;
    assert_int_equal(posenc_output_open(NULL, NULL, &output, &error), POSENC_ERROR_ARGUMENT);
    assert_string_equal(error.argument, "path");
    assert_int_equal(posenc_output_open(NULL, "x", NULL, &error), POSENC_ERROR_ARGUMENT);
    assert_string_equal(error.argument, "out");
    assert_int_equal(posenc_output_write(NULL, "x", 1, &error), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_output_commit(NULL, &error), POSENC_ERROR_ARGUMENT);
    output = must_open(folder_path(&f, "x"));
    assert_int_equal(posenc_output_write(output, NULL, 1, &error), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_output_write(output, NULL, 0, &error), POSENC_OK);
    assert_int_equal(posenc_output_write(output, "ab", 2, &error), POSENC_OK); /* a wrong call spoils nothing */
    assert_int_equal(posenc_output_commit(output, &error), POSENC_OK);
    assert_true(folder_holds(folder_path(&f, "x"), "ab", 2));
    folder_end(&f);
}

/* Pieces of all sizes around the buffer's keep their order. */
static void pieces_of_every_size(void **state) {
    enum { N = 1 << 20 };
    static const size_t sizes[] = {1, 0, 65535, 65536, 65537, 7, 131072, 3, 65533, 65536, 65535, 2, 40000, 40000};
    random_state random = random_start("output pieces");
    folder f = folder_make();
    uint8_t *data = must_allocate(N);
    size_t at = 0;
    (void)state;
    for (size_t i = 0; i < N; i++) data[i] = (uint8_t)random_u64(&random);
    allocator a; /* its blocks end where they say, for a sanitizer to see */
    posenc_context_options options;
    posenc_context *context;
    posenc_output *output;
    allocator_init(&a);
    posenc_context_default(&options, sizeof options);
    allocator_use(&a, &options);
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    assert_int_equal(posenc_output_open(context, folder_path(&f, "x"), &output, NULL), POSENC_OK);
    for (size_t i = 0; at + sizes[i] <= N; i = (i + 1) % (sizeof sizes / sizeof *sizes)) {
        assert_int_equal(posenc_output_write(output, data + at, sizes[i], NULL), POSENC_OK);
        at += sizes[i];
    }
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    assert_true(folder_holds(folder_path(&f, "x"), data, at));
    posenc_context_destroy(context);
    assert_true(a.live == 0 && a.mistakes == 0);
    free(data);
    folder_end(&f);
}

static void a_file_size_limit(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "old");
    (void)state;
    folder_write(path, "old", 3);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static const char many[1000000];
        struct rlimit limit = {100000, 100000};
        posenc_output *output;
        posenc_error error;
        signal(SIGXFSZ, SIG_IGN);
        bool right =
            setrlimit(RLIMIT_FSIZE, &limit) == 0 && posenc_output_open(NULL, path, &output, NULL) == POSENC_OK &&
            posenc_output_write(output, many, sizeof many, &error) == POSENC_ERROR_IO && error.offset == 100000 &&
            strstr(error.message, "byte 100000: expected room for more bytes, got \"File too large\"");
        if (right) posenc_output_discard(output);
        _exit(right ? 0 : 1);
    }
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    assert_true(folder_holds(path, "old", 3));
    assert_int_equal(folder_count(&f), 1);
    folder_end(&f);
}

/* The folder turns up in the target's place between open and commit. */
static void a_target_that_becomes_a_folder(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    posenc_error error;
    (void)state;
    posenc_output *output = must_open(path);
    assert_int_equal(posenc_output_write(output, "abc", 3, NULL), POSENC_OK);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(posenc_output_commit(output, &error), POSENC_ERROR_IO);
    check(strstr(error.message, "expected a name to put the file under, got \"Is a directory\""), "%s", error.message);
    assert_int_equal(folder_count(&f), 1);
    folder_end(&f);
}

/* Somebody else's files have the names that were tried first; they are left alone. */
static void names_that_are_taken(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    faulty_io faulty;
    posenc_output *output = NULL;
    posenc_error error;
    (void)state;
    faulty_io_init(&faulty);
    faulty.taken_names = 63;
    assert_int_equal(posenc_output_open_with(&faulty.io, NULL, path, &output, &error), POSENC_OK);
    assert_int_equal(posenc_output_write(output, "abc", 3, NULL), POSENC_OK);
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    assert_true(folder_holds(path, "abc", 3));
    faulty.taken_names = 64;
    output = NULL;
    assert_int_equal(posenc_output_open_with(&faulty.io, NULL, path, &output, &error), POSENC_ERROR_IO);
    check(strstr(error.message, "got \"File exists\""), "%s", error.message);
    assert_null(output);
    assert_int_equal(folder_count(&f), 1);
    folder_end(&f);
}

/* A name that is taken for good: what has it is not ours to remove. */
static uint64_t no_nonce(void *user) {
    (void)user;
    return 0;
}

static void a_name_that_stays_taken(void **state) {
    folder f = folder_make();
    const char *theirs = folder_path(&f, ".posenc-0000000000000.tmp"), *path = folder_path(&f, "x");
    faulty_io faulty;
    posenc_output *output = NULL;
    (void)state;
    faulty_io_init(&faulty);
    faulty.io.nonce = no_nonce;
    folder_write(theirs, "theirs", 6);
    assert_int_equal(posenc_output_open_with(&faulty.io, NULL, path, &output, NULL), POSENC_ERROR_IO);
    assert_null(output);
    assert_true(folder_holds(theirs, "theirs", 6));
    remove(theirs);
    assert_int_equal(symlink("elsewhere", theirs), 0); /* a link, too, and it is not followed */
    assert_int_equal(posenc_output_open_with(&faulty.io, NULL, path, &output, NULL), POSENC_ERROR_IO);
    assert_int_equal(folder_count(&f), 1);
    folder_end(&f);
}

/* Many drafts in one folder at a time. */
static void many_at_once(void **state) {
    enum { N = 100 };
    folder f = folder_make();
    posenc_output *outputs[N];
    char name[16];
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "f%d", i);
        outputs[i] = must_open(folder_path(&f, name));
        assert_int_equal(posenc_output_write(outputs[i], name, strlen(name), NULL), POSENC_OK);
    }
    assert_int_equal(folder_count(&f), N);
    for (int i = 0; i < N; i++) assert_int_equal(posenc_output_commit(outputs[i], NULL), POSENC_OK);
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "f%d", i);
        assert_true(folder_holds(folder_path(&f, name), name, strlen(name)));
    }
    assert_int_equal(folder_count(&f), N);
    folder_end(&f);
}

/* Reading a file and writing it again under the same name. */
static void input_equal_to_output(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x.npy");
    posenc_array *array;
    (void)state;
    npy_bytes npy = npy_bytes_make(1, "|u1", 0, "(5,)", "12345", 5);
    folder_write(path, npy.bytes, npy.n);
    posenc_output *output = must_open(path);
    assert_int_equal(posenc_npy_read(NULL, path, &array, NULL), POSENC_OK);
    assert_int_equal(posenc_output_write(output, npy.bytes, npy.data_at, NULL), POSENC_OK);
    assert_int_equal(posenc_output_write(output, posenc_array_tensor(array)->data, 5, NULL), POSENC_OK);
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    assert_true(folder_holds(path, npy.bytes, npy.n));
    posenc_array_destroy(array);
    npy_bytes_end(&npy);
    folder_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_file),
        cmocka_unit_test(a_file_that_is_there),
        cmocka_unit_test(a_private_file_stays_private),
        cmocka_unit_test(a_discard),
        cmocka_unit_test(null_arguments),
        cmocka_unit_test(pieces_of_every_size),
        cmocka_unit_test(a_file_size_limit),
        cmocka_unit_test(a_target_that_becomes_a_folder),
        cmocka_unit_test(names_that_are_taken),
        cmocka_unit_test(a_name_that_stays_taken),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(input_equal_to_output),
    };
    return TEST_RUN(tests);
}
