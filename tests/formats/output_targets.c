/* Where an output goes: links, relative paths, paths that cannot be, files that may not be written. */
#define _XOPEN_SOURCE 700
#include <posenc/files.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faulty_io.h"
#include "folder.h"
#include "formats/output.h"
#include "saving.h"
#include "support/test.h"

static bool is_link(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

static void links_stay_and_lead_on(void **state) {
    folder f = folder_make();
    char absolute[512], target[512];
    (void)state;
    snprintf(target, sizeof target, "%s", folder_path(&f, "target"));
    snprintf(absolute, sizeof absolute, "%s", folder_path(&f, "absolute"));
    assert_int_equal(symlink("target", folder_path(&f, "relative")), 0);
    assert_int_equal(symlink(target, absolute), 0);
    assert_int_equal(symlink("relative", folder_path(&f, "chain")), 0);
    static const char *const names[] = {"relative", "absolute", "chain"};
    for (int there = 0; there < 2; there++) { /* first the links dangle: what they name is made */
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (!there) remove(target);
            must_save(folder_path(&f, names[i]), names[i], strlen(names[i]));
            assert_true(is_link(folder_path(&f, names[i])));
            assert_true(!is_link(target) && folder_holds(target, names[i], strlen(names[i])));
            assert_int_equal(folder_count(&f), 4);
        }
    }
    folder_end(&f);
}

/* A path without a folder, and one through a link to a folder. */
static void relative_paths(void **state) {
    folder f = folder_make();
    char here[512], through[600];
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(f.path), 0);
    must_save("bare", "abc", 3);
    must_save("./dotted", "abc", 3);
    assert_int_equal(symlink(".", "self"), 0);
    must_save("self/through", "abc", 3);
    assert_int_equal(symlink("self/linked", "link"), 0);
    must_save("link", "abc", 3);
    assert_int_equal(chdir(here), 0);
    static const char *const names[] = {"bare", "dotted", "through", "linked"};
    for (int i = 0; i < 4; i++) {
        snprintf(through, sizeof through, "%s/%s", f.path, names[i]);
        check(folder_holds(through, "abc", 3), "%s", names[i]);
    }
    assert_int_equal(folder_count(&f), 6);
    folder_end(&f);
}

static void refused_targets(void **state) {
    folder f = folder_make();
    char missing[600], trailing[600], under[600], dangling[512], loop[512], long_path[5000], long_name[400];
    (void)state;
    snprintf(missing, sizeof missing, "%s/missing/x", f.path);
    snprintf(trailing, sizeof trailing, "%s/new/", f.path);
    snprintf(under, sizeof under, "%s/plain/x", f.path);
    snprintf(dangling, sizeof dangling, "%s", folder_path(&f, "dangling"));
    snprintf(loop, sizeof loop, "%s", folder_path(&f, "loop"));
    memset(long_path, 'a', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = '\0';
    memset(long_name, 'a', 300);
    long_name[300] = '\0';
    folder_write(folder_path(&f, "plain"), "x", 1);
    assert_int_equal(symlink("missing/x", dangling), 0);
    assert_int_equal(symlink("loop", loop), 0);
    const struct {
        const char *path, *says;
    } cases[] = {
        {"", "path: expected a file's name, got none"},
        {f.path, ": expected a file to write, got a folder"},
        {".", ".: expected a file to write, got a folder"},
        {"/", "/: expected a file to write, got a folder"},
        {missing, "/missing/x: expected a folder that takes a new file, got \"No such file or directory\""},
        {dangling, "/dangling: expected a folder that takes a new file, got \"No such file or directory\""},
        {trailing, "/new/: expected a folder that takes a new file, got \"No such file or directory\""},
        {under, "/plain/x: expected a file to write, got \"Not a directory\""},
        {loop, "/loop: expected a file to write, got \"Too many levels of symbolic links\""},
        {long_path, "a: expected a file to write, got \"File name too long\""},
        {long_name, "a: expected a file to write, got \"File name too long\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        posenc_output *output = NULL;
        posenc_error error = {.message = ""};
        check(posenc_output_open(NULL, cases[i].path, &output, &error) == POSENC_ERROR_IO, "%s", cases[i].path);
        check(strstr(error.message, cases[i].says), "%s, and not %s", error.message, cases[i].says);
        check(error.offset == -1 && error.status == POSENC_ERROR_IO, "%s", cases[i].path);
        assert_null(output);
        assert_int_equal(posenc_output_open(NULL, cases[i].path, &output, NULL), POSENC_ERROR_IO);
    }
    assert_int_equal(folder_count(&f), 3);
    folder_end(&f);
}

/* Paths that fit, while what they lead to does not. */
static void paths_at_the_limit(void **state) {
    folder f = folder_make();
    char here[512], path[4096], link[200];
    posenc_output *output = NULL;
    posenc_error error;
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(f.path), 0);
    for (size_t i = 0; i < 4080; i += 2) memcpy(path + i, "./", 2);
    strcpy(path + 4080, "x"); /* its draft has a longer name */
    assert_int_equal(posenc_output_open(NULL, path, &output, &error), POSENC_ERROR_IO);
    check(strstr(error.message, "a folder that takes a new file, got \"File name too long\""), "%s", error.message);
    memset(link, 'a', 180);
    link[180] = '\0';
    assert_int_equal(symlink(link, "x"), 0);
    assert_int_equal(posenc_output_open(NULL, path, &output, &error), POSENC_ERROR_IO);
    check(strstr(error.message, "a file to write, got \"File name too long\""), "%s", error.message);
    assert_null(output);
    strcpy(path + 3000, "y");
    must_save(path, "abc", 3);
    assert_true(folder_holds("y", "abc", 3));
    assert_int_equal(chdir(here), 0);
    assert_int_equal(folder_count(&f), 2);
    folder_end(&f);
}

/* Links that lead on and on, which the system sees and another one might not. */
static int link_to_itself(void *user, const char *path, char *text, size_t capacity) {
    (void)user, (void)path, (void)capacity;
    strcpy(text, "x");
    return 1;
}

static void endless_links(void **state) {
    faulty_io faulty;
    posenc_output *output = NULL;
    posenc_error error;
    (void)state;
    faulty_io_init(&faulty);
    faulty.io.read_link = link_to_itself;
    assert_int_equal(posenc_output_open_with(&faulty.io, NULL, "no/such/link", &output, &error), POSENC_ERROR_IO);
    check(strstr(error.message, "Too many levels of symbolic links"), "%s", error.message);
    assert_null(output);
}

/* Becomes nobody and tries: a file that may not be written is not replaced either, though its folder would allow it;
 * and where the group cannot be kept, it gains no rights. */
static bool right_as_nobody(const char *locked, const char *shared) {
    posenc_output *output;
    posenc_error error;
    if (setgid(65534) != 0 || setuid(65534) != 0) return false;
    if (posenc_output_open(NULL, locked, &output, &error) != POSENC_ERROR_IO) return false;
    if (!strstr(error.message, "expected a file that may be written, got \"Permission denied\"")) return false;
    if (posenc_output_open(NULL, shared, &output, &error) != POSENC_OK) return false;
    return posenc_output_write(output, "new", 3, NULL) == POSENC_OK && posenc_output_commit(output, NULL) == POSENC_OK;
}

static void without_privileges(void **state) {
    (void)state;
    if (geteuid() != 0) skip(); /* only root can become nobody */
    folder f = folder_make();
    const char *locked = folder_path(&f, "locked"), *shared = folder_path(&f, "shared");
    folder_write(locked, "old", 3);
    folder_write(shared, "old", 3);
    assert_int_equal(chmod(f.path, 0777) | chmod(locked, 0644) | chmod(shared, 0676), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(right_as_nobody(locked, shared) ? 0 : 1);
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    assert_true(folder_holds(locked, "old", 3) && folder_holds(shared, "new", 3));
    assert_int_equal(permissions(locked), 0644);
    assert_int_equal(permissions(shared), 0666); /* the group had 7, others 6: it keeps what both had */
    assert_int_equal(folder_count(&f), 2);
    folder_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_stay_and_lead_on), cmocka_unit_test(relative_paths),
        cmocka_unit_test(refused_targets),        cmocka_unit_test(paths_at_the_limit),
        cmocka_unit_test(endless_links),          cmocka_unit_test(without_privileges),
    };
    return TEST_RUN(tests);
}
