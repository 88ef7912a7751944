/* What is not a regular file is written as it is: devices, pipes, standard output, descriptors by name. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <posenc/files.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "saving.h"
#include "support/test.h"

static void devices(void **state) {
    static const char many[100000];
    posenc_error error = {.message = ""};
    (void)state;
    must_save("/dev/null", many, sizeof many);
    struct stat status;
    assert_true(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode)); /* not replaced by a file */

    posenc_output *output = must_open("/dev/full");
    assert_int_equal(posenc_output_write(output, many, sizeof many, &error), POSENC_ERROR_IO);
    assert_string_equal(error.message,
                        "/dev/full: byte 0: expected room for more bytes, got \"No space left on device\"");
    assert_int_equal(error.offset, 0);
    assert_int_equal(posenc_output_write(output, "x", 1, &error), POSENC_ERROR_IO); /* only a discard is left */
    check(strstr(error.message, "expected a discard"), "%s", error.message);
    assert_int_equal(posenc_output_commit(output, &error), POSENC_ERROR_IO);
    check(strstr(error.message, "expected a discard"), "%s", error.message);

    output = must_open("/dev/full"); /* what the buffer still holds is refused by the commit */
    assert_int_equal(posenc_output_write(output, "x", 1, &error), POSENC_OK);
    assert_int_equal(posenc_output_commit(output, &error), POSENC_ERROR_IO);
    check(strstr(error.message, "No space left"), "%s", error.message);
}

static void a_fifo(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "fifo");
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char got[16];
        int file = open(path, O_RDONLY);
        ssize_t n = read(file, got, sizeof got);
        _exit(n == 4 && memcmp(got, "text", 4) == 0 ? 0 : 1);
    }
    must_save(path, "text", 4);
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    struct stat status;
    assert_true(stat(path, &status) == 0 && S_ISFIFO(status.st_mode));
    assert_int_equal(folder_count(&f), 1);
    folder_end(&f);
}

/* Runs a save with another standard output. It must be open afterwards. */
static posenc_status save_to(int file, const char *path, const void *data, size_t bytes, posenc_error *error) {
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    dup2(file, STDOUT_FILENO);
    posenc_output *output;
    posenc_status status = posenc_output_open(NULL, path, &output, error);
    if (status == POSENC_OK) {
        status = posenc_output_write(output, data, bytes, error);
        if (status == POSENC_OK)
            status = posenc_output_commit(output, error);
        else
            posenc_output_discard(output);
    }
    bool open = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
    dup2(saved, STDOUT_FILENO);
    close(saved);
    assert_true(open);
    return status;
}

static void standard_output(void **state) {
    static const char *const names[] = {"-", "/dev/stdout"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        int ends[2];
        char got[8];
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(save_to(ends[1], names[i], "text", 4, NULL), POSENC_OK);
        close(ends[1]);
        assert_true(read(ends[0], got, sizeof got) == 4 && memcmp(got, "text", 4) == 0);
        close(ends[0]);
    }
    folder f = folder_make(); /* redirected into a file: what others write before and after stays in place */
    const char *path = folder_path(&f, "log");
    for (int i = 0; i < 2; i++) {
        int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        assert_int_equal(write(file, "before ", 7), 7);
        assert_int_equal(save_to(file, names[i], "text", 4, NULL), POSENC_OK);
        assert_int_equal(write(file, " after", 6), 6);
        close(file);
        assert_true(folder_holds(path, "before text after", 17));
    }
    folder_end(&f);
}

/* Descriptors by name: the shell's >(command) hands them out. */
static void descriptors(void **state) {
    int ends[2];
    char path[32], got[8];
    (void)state;
    if (access("/dev/fd/0", F_OK) != 0 && access("/dev/fd", F_OK) != 0) skip();
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    must_save(path, "text", 4);
    assert_true(read(ends[0], got, sizeof got) == 4 && memcmp(got, "text", 4) == 0);
    close(ends[0]);
    close(ends[1]);
    folder f = folder_make();
    int file = open(folder_path(&f, "x"), O_RDWR | O_CREAT, 0600);
    snprintf(path, sizeof path, "/dev/fd/%d", file);
    must_save(path, "text", 4);
    assert_true(pread(file, got, sizeof got, 0) == 4 && memcmp(got, "text", 4) == 0); /* the same file, not a new one */
    close(file);
    assert_int_equal(folder_count(&f), 1);
    folder_end(&f);
}

static void a_reader_that_has_left(void **state) {
    static const char many[300000];
    int ends[2];
    posenc_error error = {.message = ""};
    (void)state;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(save_to(ends[1], "-", many, sizeof many, &error), POSENC_ERROR_IO);
    assert_string_equal(error.message, "-: byte 0: expected room for more bytes, got \"Broken pipe\"");
    close(ends[1]);
    signal(SIGPIPE, before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices),
        cmocka_unit_test(a_fifo),
        cmocka_unit_test(standard_output),
        cmocka_unit_test(descriptors),
        cmocka_unit_test(a_reader_that_has_left),
    };
    return TEST_RUN(tests);
}
