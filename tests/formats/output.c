/* Output is complete or absent: where it goes, what it leaves alone, and what is refused. */
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
#include "support/tensors.h"
#include "support/test.h"

static posenc_output *must_open(const char *path) {
    posenc_output *output;
    posenc_error error = {.message = ""};
    check(posenc_output_open(NULL, path, &output, &error) == POSENC_OK, "%s", error.message);
    return output;
}

static void must_save(const char *path, const void *data, size_t bytes) {
    posenc_output *output = must_open(path);
    posenc_error error = {.message = ""};
    check(posenc_output_write(output, data, bytes, &error) == POSENC_OK, "%s", error.message);
    check(posenc_output_commit(output, &error) == POSENC_OK, "%s", error.message);
}

static unsigned permissions(const char *path) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 0777;
}

static bool is_link(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

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
    static const size_t sizes[] = {1, 0, 65535, 65536, 65537, 7, 131072, 3, 65533, 40000, 40000};
    random_state random = random_start("output pieces");
    folder f = folder_make();
    uint8_t *data = must_allocate(N);
    size_t at = 0;
    (void)state;
    for (size_t i = 0; i < N; i++) data[i] = (uint8_t)random_u64(&random);
    posenc_output *output = must_open(folder_path(&f, "x"));
    for (size_t i = 0; at + sizes[i] <= N; i = (i + 1) % (sizeof sizes / sizeof *sizes)) {
        assert_int_equal(posenc_output_write(output, data + at, sizes[i], NULL), POSENC_OK);
        at += sizes[i];
    }
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    assert_true(folder_holds(folder_path(&f, "x"), data, at));
    free(data);
    folder_end(&f);
}

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
        cmocka_unit_test(links_stay_and_lead_on),
        cmocka_unit_test(relative_paths),
        cmocka_unit_test(refused_targets),
        cmocka_unit_test(paths_at_the_limit),
        cmocka_unit_test(endless_links),
        cmocka_unit_test(null_arguments),
        cmocka_unit_test(pieces_of_every_size),
        cmocka_unit_test(devices),
        cmocka_unit_test(a_fifo),
        cmocka_unit_test(standard_output),
        cmocka_unit_test(descriptors),
        cmocka_unit_test(a_reader_that_has_left),
        cmocka_unit_test(a_file_size_limit),
        cmocka_unit_test(a_target_that_becomes_a_folder),
        cmocka_unit_test(names_that_are_taken),
        cmocka_unit_test(without_privileges),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(input_equal_to_output),
    };
    return TEST_RUN(tests);
}
