/* Every allocation fails once, and all from there on, for each public call of this room. */
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "formats/npy.h"
#include "memory_io.h"
#include "npy_bytes.h"
#include "support/allocator.h"
#include "support/test.h"

/* Reads with allocation k refused, then again with none: the failure has spoilt nothing. Gives the number of refusals.
 */
static long fail_each(const npy_bytes *npy, bool stream, bool from_there_on) {
    for (long k = 0;; k++) {
        allocator a;
        posenc_context *context = allocator_context(&a);
        memory_file file;
        const posenc_io *io = memory_file_io(&file, npy->bytes, npy->n, stream, 0);
        posenc_array *array = NULL;
        posenc_error error = {.message = ""};
        allocator_fail(&a, k, from_there_on);
        posenc_status status = posenc_npy_read_with(io, context, "x.npy", &array, &error);
        bool refused = allocator_refused(&a);
        check(status == (refused ? POSENC_ERROR_MEMORY : POSENC_OK), "allocation %ld: %s", k, error.message);
        check(refused == !array, "allocation %ld: out was touched", k);
        check(!refused || (error.status == POSENC_ERROR_MEMORY && strncmp(error.message, "x.npy: ", 7) == 0),
              "allocation %ld: %s", k, error.message);
        check(file.open == 0, "allocation %ld: left open", k);
        posenc_array_destroy(array);
        allocator_fail(&a, -1, false);
        assert_int_equal(posenc_npy_read_with(io, context, "x.npy", &array, NULL), POSENC_OK);
        posenc_array_destroy(array);
        allocator_context_end(&a, context);
        if (!refused) return k;
    }
}

static void reads(void **state) {
    static uint8_t data[400000];
    npy_bytes npy = npy_bytes_make(1, ">f4", 1, "(250, 400)", data, sizeof data);
    (void)state;
    for (int forever = 0; forever < 2; forever++) {
        assert_int_equal(fail_each(&npy, false, forever), 4); /* header, data, C order, array */
        assert_int_equal(fail_each(&npy, true, forever), 7);  /* and the data grow three times */
    }
    npy_bytes_end(&npy);
    npy = npy_bytes_make(1, "|u1", 0, "(0,)", data, 0);
    assert_int_equal(fail_each(&npy, false, false), 3);
    npy_bytes_end(&npy);
}

static void outputs(void **state) {
    folder f = folder_make();
    const char *path = folder_path(&f, "x");
    allocator a;
    posenc_context *context = allocator_context(&a);
    posenc_output *output = NULL;
    posenc_error error = {.message = ""};
    (void)state;
    folder_write(path, "old", 3);
    allocator_fail(&a, 0, false);
    assert_int_equal(posenc_output_open(context, path, &output, &error), POSENC_ERROR_MEMORY);
    assert_int_equal(error.status, POSENC_ERROR_MEMORY);
    assert_null(output);
    assert_true(folder_holds(path, "old", 3) && folder_count(&f) == 1);
    assert_int_equal(posenc_output_open(context, path, &output, &error), POSENC_OK);
    allocator_fail(&a, 0, true); /* nothing is asked for after the open */
    assert_int_equal(posenc_output_write(output, "new", 3, &error), POSENC_OK);
    assert_int_equal(posenc_output_commit(output, &error), POSENC_OK);
    assert_false(allocator_refused(&a));
    assert_true(folder_holds(path, "new", 3));
    allocator_context_end(&a, context);
    folder_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),
        cmocka_unit_test(outputs),
    };
    return TEST_RUN(tests);
}
