/* The system refuses the k-th call, for every k and each way to refuse; or comes up short, or is interrupted. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faulty_io.h"
#include "folder.h"
#include "formats/npy.h"
#include "formats/output.h"
#include "npy_bytes.h"
#include "support/allocator.h"
#include "support/tensors.h"
#include "support/test.h"

static const int errors[] = {EIO, ENOSPC, EPIPE, EACCES};
enum { ERRORS = sizeof errors / sizeof *errors, BYTES = 150000 };

static uint8_t data[BYTES];

/* A save of BYTES in small and large pieces. */
static posenc_status save(const posenc_io *io, const posenc_context *context, const char *path, posenc_error *error) {
    posenc_output *output;
    posenc_status status = posenc_output_open_with(io, context, path, &output, error);
    if (status != POSENC_OK) return status;
    status = posenc_output_write(output, data, 100, error);
    if (status == POSENC_OK) status = posenc_output_write(output, data + 100, 140000, error);
    if (status == POSENC_OK) status = posenc_output_write(output, data + 140100, BYTES - 140100, error);
    if (status == POSENC_OK) return posenc_output_commit(output, error);
    posenc_output_discard(output);
    return status;
}

static void use(allocator *a, posenc_context **context) {
    posenc_context_options options;
    allocator_init(a);
    posenc_context_default(&options, sizeof options);
    allocator_use(a, &options);
    assert_int_equal(posenc_context_create(&options, context, NULL), POSENC_OK);
}

static void nothing_kept(allocator *a, posenc_context *context) {
    posenc_context_destroy(context);
    check(a->live == 0 && a->mistakes == 0, "%ld blocks kept, %ld given back wrongly", (long)a->live,
          (long)a->mistakes);
}

/* One refusal of call k. Gives whether call k was made at all. */
static bool fail_save(const char *path, bool there, const folder *f, long k, int code, bool from_there_on) {
    allocator a;
    posenc_context *context;
    faulty_io faulty;
    posenc_error error = {.message = ""};
    use(&a, &context);
    faulty_io_init(&faulty);
    faulty_io_fail(&faulty, k, code, from_there_on);
    posenc_status status = save(&faulty.io, context, path, &error);
    bool refused = faulty.calls > k;
    check(faulty.open == 0, "call %ld: left open", k);
    nothing_kept(&a, context);
    if (!refused) {
        check(status == POSENC_OK && folder_holds(path, data, BYTES), "without a refusal: %s", error.message);
        return false;
    }
    check(status == POSENC_ERROR_IO, "call %ld with %s: %s", k, strerror(code), posenc_status_name(status));
    check(strstr(error.message, strerror(code)), "call %ld: %s", k, error.message);
    if (there)
        check(folder_holds(path, "old", 3), "call %ld: the old file is not as it was", k);
    else
        check(access(path, F_OK) != 0, "call %ld: a file is there", k);
    if (!from_there_on) check(folder_count(f) == there, "call %ld: something is left", k);
    return true;
}

static void each_call_of_a_save(void **state) {
    (void)state;
    for (size_t i = 0; i < BYTES; i++) data[i] = (uint8_t)(i * 2654435761u >> 13);
    for (int e = 0; e < ERRORS; e++) {
        for (int there = 0; there < 2; there++) {
            for (int forever = 0; forever < 2; forever++) {
                bool refused = true;
                long k = 0;
                for (; refused; k++) {
                    folder f = folder_make();
                    const char *path = folder_path(&f, "x");
                    if (there) folder_write(path, "old", 3);
                    refused = fail_save(path, there, &f, k, errors[e], forever);
                    folder_end(&f);
                }
                /* info_at, read_link, open, 3 writes, close, rename; may_write and adopt where a file is there */
                check(k - 1 == (there ? 10 : 8), "%ld calls", k - 1);
            }
        }
    }
}

/* The same to a stream, which has no draft to remove. */
static void each_call_of_a_stream(void **state) {
    bool refused = true;
    long k = 0;
    (void)state;
    for (; refused; k++) {
        faulty_io faulty;
        posenc_error error = {.message = ""};
        faulty_io_init(&faulty);
        faulty_io_fail(&faulty, k, EPIPE, false);
        posenc_status status = save(&faulty.io, NULL, "/dev/null", &error);
        refused = faulty.calls > k;
        check(status == (refused ? POSENC_ERROR_IO : POSENC_OK), "call %ld: %s", k, error.message);
        check(!refused || strstr(error.message, "Broken pipe"), "call %ld: %s", k, error.message);
        check(faulty.open == 0, "call %ld: left open", k);
    }
    check(k - 1 == 6, "%ld calls", k - 1); /* info_at, open, 3 writes, close */
}

/* The offset of a failed write is what the system has taken. */
static void the_offset_of_a_failed_write(void **state) {
    folder f = folder_make();
    faulty_io faulty;
    posenc_error error = {.message = ""};
    (void)state;
    faulty_io_init(&faulty);
    faulty.most = 1000;
    faulty_io_fail(&faulty, 3 + 7, ENOSPC, false); /* after info_at, read_link, open: 100, then 6 times 1000 */
    assert_int_equal(save(&faulty.io, NULL, folder_path(&f, "x"), &error), POSENC_ERROR_IO);
    assert_int_equal(error.offset, 6100);
    check(strstr(error.message, "byte 6100: expected room for more bytes, got \"No space left on device\""), "%s",
          error.message);
    folder_end(&f);
}

static const struct {
    size_t most;
    int interrupts, interruption;
} slow[] = {{1, 0, EINTR}, {7, 0, EINTR}, {0, 5, EINTR}, {4096, 3, EINTR}, {4096, 2, EAGAIN}, {13, 1, EAGAIN}};
enum { SLOW = sizeof slow / sizeof *slow };

static void make_slow(faulty_io *faulty, int i) {
    faulty_io_init(faulty);
    faulty->most = slow[i].most;
    faulty->interrupts = slow[i].interrupts;
    faulty->interruption = slow[i].interruption;
}

static void short_and_interrupted_writes(void **state) {
    (void)state;
    for (int i = 0; i < SLOW; i++) {
        folder f = folder_make();
        const char *path = folder_path(&f, "x");
        faulty_io faulty;
        posenc_error error = {.message = ""};
        make_slow(&faulty, i);
        check(save(&faulty.io, NULL, path, &error) == POSENC_OK, "way %d: %s", i, error.message);
        check(folder_holds(path, data, BYTES), "way %d: other bytes", i);
        check((faulty.waits > 0) == (slow[i].interruption == EAGAIN), "way %d: %ld waits", i, faulty.waits);
        folder_end(&f);
    }
}

/* A device that takes nothing and says nothing must not hold us forever. */
static int64_t write_nothing(void *user, int file, const void *bytes, size_t n) {
    (void)user, (void)file, (void)bytes, (void)n;
    return 0;
}

static void writes_of_nothing(void **state) {
    folder f = folder_make();
    faulty_io faulty;
    posenc_error error = {.message = ""};
    (void)state;
    faulty_io_init(&faulty);
    faulty.io.write = write_nothing;
    assert_int_equal(save(&faulty.io, NULL, folder_path(&f, "x"), &error), POSENC_ERROR_IO);
    assert_int_equal(folder_count(&f), 0);
    folder_end(&f);
}

/* Fortran order and the other byte order, so that all of the reader's work is done. */
static npy_bytes make_input(void) { return npy_bytes_make(2, ">f4", 1, "(150, 250)", data, BYTES); }

static void each_call_of_a_read(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x.npy");
    npy_bytes npy = make_input();
    (void)state;
    folder_write(path, npy.bytes, npy.n);
    for (int e = 0; e < ERRORS; e++) {
        bool refused = true;
        long k = 0;
        for (; refused; k++) {
            allocator a;
            posenc_context *context;
            faulty_io faulty;
            posenc_array *array = NULL;
            posenc_error error = {.message = ""};
            use(&a, &context);
            faulty_io_init(&faulty);
            faulty_io_fail(&faulty, k, errors[e], false);
            posenc_status status = posenc_npy_read_with(&faulty.io, context, path, &array, &error);
            refused = faulty.calls > k;
            bool closing = k == 7; /* all is read by then */
            check(faulty.open == 0, "call %ld: left open", k);
            if (refused && !closing) {
                check(status == POSENC_ERROR_IO && !array, "call %ld: %s", k, posenc_status_name(status));
                check(strstr(error.message, strerror(errors[e])), "call %ld: %s", k, error.message);
            } else {
                check(status == POSENC_OK, "call %ld: %s", k, error.message);
            }
            posenc_array_destroy(array);
            nothing_kept(&a, context);
        }
        check(k - 1 == 8, "%ld calls", k - 1); /* open, info, 5 reads (head, length, header, data, end), close */
    }
    npy_bytes_end(&npy);
    folder_end(&f);
}

static void short_and_interrupted_reads(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x.npy");
    npy_bytes npy = make_input();
    posenc_array *whole, *array;
    (void)state;
    folder_write(path, npy.bytes, npy.n);
    assert_int_equal(posenc_npy_read(NULL, path, &whole, NULL), POSENC_OK);
    for (int i = 0; i < SLOW; i++) {
        faulty_io faulty;
        posenc_error error = {.message = ""};
        make_slow(&faulty, i);
        check(posenc_npy_read_with(&faulty.io, NULL, path, &array, &error) == POSENC_OK, "way %d: %s", i,
              error.message);
        check(memcmp(posenc_array_tensor(array)->data, posenc_array_tensor(whole)->data, BYTES) == 0, "way %d", i);
        check((faulty.waits > 0) == (slow[i].interruption == EAGAIN), "way %d: %ld waits", i, faulty.waits);
        posenc_array_destroy(array);
    }
    posenc_array_destroy(whole);
    npy_bytes_end(&npy);
    folder_end(&f);
}

/* A file that shrinks or grows between the look at its length and the reading. */
static void a_file_that_changes_meanwhile(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x.npy");
    npy_bytes npy = make_input();
    posenc_array *array = NULL;
    posenc_error error = {.message = ""};
    faulty_io faulty;
    (void)state;
    faulty_io_init(&faulty);
    folder_write(path, npy.bytes, npy.n - 10);
    faulty.lie = 10;
    assert_int_equal(posenc_npy_read_with(&faulty.io, NULL, path, &array, &error), POSENC_ERROR_FORMAT);
    assert_int_equal(error.offset, (int64_t)npy.n - 10);
    uint8_t *longer = must_allocate(npy.n + 10);
    memcpy(longer, npy.bytes, npy.n);
    folder_write(path, longer, npy.n + 10);
    faulty.lie = -10;
    assert_int_equal(posenc_npy_read_with(&faulty.io, NULL, path, &array, &error), POSENC_ERROR_FORMAT);
    assert_int_equal(error.offset, (int64_t)npy.n);
    assert_null(array);
    free(longer);
    npy_bytes_end(&npy);
    folder_end(&f);
}

/* The system's own refusals come through as -errno. */
static void the_system_says_why(void **state) {
    const posenc_io *io = &posenc_io_system;
    posenc_io_info info = {.permissions = 0600};
    char text[96], byte;
    (void)state;
    assert_int_equal(io->open(NULL, "/no/such", POSENC_IO_READ, 0), -ENOENT);
    assert_int_equal(io->info(NULL, -1, &info), -EBADF);
    assert_int_equal(io->info_at(NULL, "/no/such", &info), -ENOENT);
    assert_int_equal(io->read(NULL, -1, &byte, 1), -EBADF);
    assert_int_equal(io->write(NULL, -1, "x", 1), -EBADF);
    assert_int_equal(io->close(NULL, -1), -EBADF);
    assert_int_equal(io->read_link(NULL, "/no/such", text, sizeof text), -ENOENT);
    assert_int_equal(io->read_link(NULL, "/", text, sizeof text), -EINVAL);
    assert_int_equal(io->may_write(NULL, "/no/such"), -ENOENT);
    assert_int_equal(io->adopt(NULL, -1, &info), -EBADF);
    assert_int_equal(io->rename(NULL, "/no/such", "/no/such/either"), -ENOENT);
    assert_int_equal(io->remove(NULL, "/no/such"), -ENOENT);
    assert_string_equal(posenc_io_words(-ENOENT, text), posenc_io_words(ENOENT, text));
    assert_true(strstr(posenc_io_words(-99999, text), "99999") != NULL);
}

static void links_that_do_not_fit(void **state) {
    folder f = folder_make();
    char text[8];
    (void)state;
    assert_int_equal(symlink("1234567", folder_path(&f, "fits")), 0);
    assert_int_equal(symlink("12345678", folder_path(&f, "longer")), 0);
    assert_int_equal(posenc_io_system.read_link(NULL, folder_path(&f, "fits"), text, sizeof text), 7);
    assert_string_equal(text, "1234567");
    assert_int_equal(posenc_io_system.read_link(NULL, folder_path(&f, "longer"), text, sizeof text), -ENAMETOOLONG);
    folder_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_of_a_save),
        cmocka_unit_test(each_call_of_a_stream),
        cmocka_unit_test(the_offset_of_a_failed_write),
        cmocka_unit_test(short_and_interrupted_writes),
        cmocka_unit_test(writes_of_nothing),
        cmocka_unit_test(each_call_of_a_read),
        cmocka_unit_test(short_and_interrupted_reads),
        cmocka_unit_test(a_file_that_changes_meanwhile),
        cmocka_unit_test(the_system_says_why),
        cmocka_unit_test(links_that_do_not_fit),
    };
    return TEST_RUN(tests);
}
