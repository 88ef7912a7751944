/* Where .npy files come from: pipes, fifos, standard input, devices, folders, nowhere. */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "formats/npy.h"
#include "npy_bytes.h"
#include "support/tensors.h"
#include "support/test.h"

enum { N = 200000 }; /* more than a pipe holds */

static npy_bytes make_file(void) {
    float *data = must_allocate(N * sizeof *data);
    for (int i = 0; i < N; i++) data[i] = (float)i;
    npy_bytes npy = npy_bytes_make(1, "=f4", 0, "(200000,)", data, N * sizeof *data);
    free(data);
    return npy;
}

static void must_be_ramp(posenc_array *array) {
    const DLTensor *tensor = posenc_array_tensor(array);
    assert_int_equal(tensor->ndim, 1);
    assert_int_equal(tensor->shape[0], N);
    for (int i = 0; i < N; i++) check(((const float *)tensor->data)[i] == (float)i, "element %d", i);
    posenc_array_destroy(array);
}

/* A child that writes n bytes to a descriptor, in uneven pieces, and ends. */
static pid_t feed(int file, const uint8_t *bytes, size_t n) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) return child;
    for (size_t at = 0, piece = 1; at < n; piece = piece * 3 % 70001 + 1) {
        ssize_t put = write(file, bytes + at, piece < n - at ? piece : n - at);
        if (put < 0) _exit(1);
        at += (size_t)put;
    }
    _exit(0);
}

static void must_end_well(pid_t child) {
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

/* Runs a read with another standard input. */
static posenc_status read_stdin_from(int file, const char *path, posenc_array **out, posenc_error *error) {
    int saved = dup(STDIN_FILENO);
    assert_true(dup2(file, STDIN_FILENO) == STDIN_FILENO);
    posenc_status status = posenc_npy_read(NULL, path, out, error);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* standard input is not ours to close */
    if (saved >= 0)
        dup2(saved, STDIN_FILENO), close(saved);
    else
        close(STDIN_FILENO);
    return status;
}

static void a_pipe_as_standard_input(void **state) {
    (void)state;
    static const char *const names[] = {"-", "/dev/stdin"};
    npy_bytes npy = make_file();
    for (int i = 0; i < 2; i++) {
        int ends[2];
        posenc_array *array;
        posenc_error error = {.message = ""};
        assert_int_equal(pipe(ends), 0);
        pid_t child = feed(ends[1], npy.bytes, npy.n);
        close(ends[1]);
        check(read_stdin_from(ends[0], names[i], &array, &error) == POSENC_OK, "%s", error.message);
        close(ends[0]);
        must_end_well(child);
        must_be_ramp(array);
    }
    npy_bytes_end(&npy);
}

/* A writer that is slow, behind a descriptor that does not wait. */
static void a_pipe_that_does_not_block(void **state) {
    int ends[2];
    posenc_array *array;
    posenc_error error = {.message = ""};
    (void)state;
    npy_bytes npy = make_file();
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    pid_t child = feed(ends[1], npy.bytes, npy.n);
    close(ends[1]);
    check(read_stdin_from(ends[0], "-", &array, &error) == POSENC_OK, "%s", error.message);
    close(ends[0]);
    must_end_well(child);
    must_be_ramp(array);
    npy_bytes_end(&npy);
}

static void a_pipe_that_ends_early(void **state) {
    int ends[2];
    posenc_array *array = NULL;
    posenc_error error = {.message = ""};
    (void)state;
    npy_bytes npy = make_file();
    assert_int_equal(pipe(ends), 0);
    pid_t child = feed(ends[1], npy.bytes, npy.n - 1);
    close(ends[1]);
    assert_int_equal(read_stdin_from(ends[0], "-", &array, &error), POSENC_ERROR_FORMAT);
    close(ends[0]);
    must_end_well(child);
    assert_int_equal(error.offset, (int64_t)npy.n - 1);
    assert_string_equal(error.message, "-: byte 800127: expected 800000 bytes of data, got the end of the file");
    assert_null(array);
    npy_bytes_end(&npy);
}

static void a_pipe_that_goes_on(void **state) {
    int ends[2];
    posenc_array *array = NULL;
    posenc_error error = {.message = ""};
    (void)state;
    npy_bytes npy = make_file();
    uint8_t *longer = must_allocate(npy.n + 1000);
    memcpy(longer, npy.bytes, npy.n);
    assert_int_equal(pipe(ends), 0);
    pid_t child = feed(ends[1], longer, npy.n + 1000);
    close(ends[1]);
    assert_int_equal(read_stdin_from(ends[0], "-", &array, &error), POSENC_ERROR_FORMAT);
    must_end_well(child); /* the rest fits into the pipe */
    close(ends[0]);
    assert_int_equal(error.offset, (int64_t)npy.n);
    assert_string_equal(error.message,
                        "-: byte 800128: expected the end of the file, as the header says, got more bytes");
    assert_null(array);
    free(longer);
    npy_bytes_end(&npy);
}

/* What was read before does not count: a file behind "-" begins at the current place. */
static void a_file_as_standard_input(void **state) {
    folder f = folder_make();
    npy_bytes npy = make_file();
    const char *path = folder_path(&f, "x");
    uint8_t *longer = must_allocate(npy.n + 5);
    posenc_array *array;
    posenc_error error = {.message = ""};
    (void)state;
    memcpy(longer, "first", 5);
    memcpy(longer + 5, npy.bytes, npy.n);
    folder_write(path, longer, npy.n + 5);
    int file = open(path, O_RDONLY);
    assert_int_equal(lseek(file, 5, SEEK_SET), 5);
    check(read_stdin_from(file, "-", &array, &error) == POSENC_OK, "%s", error.message);
    must_be_ramp(array);
    assert_int_equal(lseek(file, 1000000000, SEEK_SET), 1000000000); /* beyond the end */
    assert_int_equal(read_stdin_from(file, "-", &array, &error), POSENC_ERROR_FORMAT);
    assert_int_equal(error.offset, 0);
    close(file);
    free(longer);
    npy_bytes_end(&npy);
    folder_end(&f);
}

static void a_fifo(void **state) {
    folder f = folder_make();
    npy_bytes npy = make_file();
    const char *path = folder_path(&f, "fifo");
    posenc_array *array;
    posenc_error error = {.message = ""};
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int file = open(path, O_WRONLY);
        _exit(file < 0 || write(file, npy.bytes, npy.n) != (ssize_t)npy.n);
    }
    check(posenc_npy_read(NULL, path, &array, &error) == POSENC_OK, "%s", error.message);
    must_end_well(child);
    must_be_ramp(array);
    npy_bytes_end(&npy);
    folder_end(&f);
}

/* A stream that promises much and never ends: memory follows what arrives, and stops when there is no more of it. */
static void *stingy_allocate(void *user, size_t bytes, size_t alignment) {
    (void)user;
    return bytes > 8 << 20 ? NULL : aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void stingy_release(void *user, void *pointer, size_t bytes) {
    (void)user, (void)bytes;
    free(pointer);
}

static void a_stream_without_end(void **state) {
    int ends[2];
    posenc_context_options options;
    posenc_context *context;
    posenc_array *array = NULL;
    posenc_error error = {.message = ""};
    (void)state;
    posenc_context_default(&options, sizeof options);
    options.allocate = stingy_allocate;
    options.release = stingy_release;
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    npy_bytes npy = npy_bytes_make(1, "<f8", 0, "(1099511627776,)", NULL, 0);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static const uint8_t zeros[65536];
        close(ends[0]);
        ssize_t put = write(ends[1], npy.bytes, npy.n);
        while (put > 0) put = write(ends[1], zeros, sizeof zeros); /* until SIGPIPE */
        _exit(0);
    }
    close(ends[1]);
    int saved = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    assert_int_equal(posenc_npy_read(context, "-", &array, &error), POSENC_ERROR_MEMORY);
    if (saved >= 0)
        dup2(saved, STDIN_FILENO), close(saved);
    else
        close(STDIN_FILENO);
    waitpid(child, NULL, 0);
    assert_null(array);
    npy_bytes_end(&npy);
    posenc_context_destroy(context);
}

static void things_that_are_no_files(void **state) {
    folder f = folder_make();
    char loop[512], under[600], long_path[5000];
    (void)state;
    snprintf(loop, sizeof loop, "%s", folder_path(&f, "loop"));
    assert_int_equal(symlink("loop", loop), 0);
    folder_write(folder_path(&f, "plain"), "x", 1);
    snprintf(under, sizeof under, "%s/plain/x.npy", f.path);
    memset(long_path, 'a', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = '\0';
    const struct {
        const char *path;
        posenc_status status;
        int64_t offset;
        const char *says;
    } cases[] = {
        {"", POSENC_ERROR_IO, -1, "expected a file to read, got \"No such file or directory\""},
        {"/nowhere/at/all.npy", POSENC_ERROR_IO, -1,
         "/nowhere/at/all.npy: expected a file to read, got \"No such file"},
        {f.path, POSENC_ERROR_IO, -1, "expected a file to read, got a folder"},
        {loop, POSENC_ERROR_IO, -1, "expected a file to read"},
        {under, POSENC_ERROR_IO, -1, "Not a directory"},
        {long_path, POSENC_ERROR_IO, -1, "aaa: expected a file to read, got \"File name too long\""},
        {"/dev/null", POSENC_ERROR_FORMAT, 0, "got the end after 0"},
        {"/dev/zero", POSENC_ERROR_FORMAT, 0, "expected a .npy file"},
        {"/dev/full", POSENC_ERROR_FORMAT, 0, "expected a .npy file"},
        {folder_path(&f, "plain"), POSENC_ERROR_FORMAT, 0, "expected a .npy file (\\x93NUMPY), got \"x\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        posenc_array *array = NULL;
        posenc_error error = {.offset = -9, .message = ""};
        posenc_status status = posenc_npy_read(NULL, cases[i].path, &array, &error);
        check(status == cases[i].status && error.status == status, "%s: %s", cases[i].path, error.message);
        check(error.offset == cases[i].offset, "%s: byte %lld", cases[i].path, (long long)error.offset);
        check(strstr(error.message, cases[i].says), "%s: %s", cases[i].path, error.message);
        assert_null(array);
        assert_int_equal(posenc_npy_read(NULL, cases[i].path, &array, NULL), status); /* no detail wanted */
    }
    folder_end(&f);
}

/* Sizes beyond 32 bits: the file is refused by its length alone. */
static void a_file_beyond_4_gib(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "large.npy");
    npy_bytes npy =
        npy_bytes_make(1, "<f4", 0, "(3, 5)", "123456789012345678901234567890123456789012345678901234567890", 60);
    posenc_array *array = NULL;
    posenc_error error = {.message = ""};
    (void)state;
    folder_write(path, npy.bytes, npy.n);
    if (truncate(path, 5000000000) == 0) { /* sparse; some file systems cannot */
        assert_int_equal(posenc_npy_read(NULL, path, &array, &error), POSENC_ERROR_FORMAT);
        assert_int_equal(error.offset, 188);
        check(strstr(error.message, "as the header says, got 4999999812 more bytes"), "%s", error.message);
    }
    npy_bytes_end(&npy);
    folder_end(&f);
}

/* A hostile name stays inside its line. */
static void a_name_that_acts(void **state) {
    posenc_array *array = NULL;
    posenc_error error = {.message = ""};
    (void)state;
    assert_int_equal(posenc_npy_read(NULL, "no\n\x1B[2J\xE2\x80\xAE/\xE4\xBD\x8D\xE7\xBD\xAE.npy", &array, &error),
                     POSENC_ERROR_IO);
    assert_string_equal(error.message,
                        "no\\x0a\\x1b[2J\\xe2\\x80\\xae/\xE4\xBD\x8D\xE7\xBD\xAE.npy: "
                        "expected a file to read, got \"No such file or directory\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_as_standard_input), cmocka_unit_test(a_pipe_that_does_not_block),
        cmocka_unit_test(a_pipe_that_ends_early),   cmocka_unit_test(a_pipe_that_goes_on),
        cmocka_unit_test(a_file_as_standard_input), cmocka_unit_test(a_fifo),
        cmocka_unit_test(a_stream_without_end),     cmocka_unit_test(things_that_are_no_files),
        cmocka_unit_test(a_file_beyond_4_gib),      cmocka_unit_test(a_name_that_acts),
    };
    return TEST_RUN(tests);
}
