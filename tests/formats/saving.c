/* Saves that must go well. */
#define _XOPEN_SOURCE 700
#include "saving.h"

#include <sys/stat.h>

#include "support/test.h"

posenc_output *must_open(const char *path) {
    posenc_output *output;
    posenc_error error = {.message = ""};
    check(posenc_output_open(NULL, path, &output, &error) == POSENC_OK, "%s", error.message);
    return output;
}

void must_save(const char *path, const void *data, size_t bytes) {
    posenc_output *output = must_open(path);
    posenc_error error = {.message = ""};
    check(posenc_output_write(output, data, bytes, &error) == POSENC_OK, "%s", error.message);
    check(posenc_output_commit(output, &error) == POSENC_OK, "%s", error.message);
}

unsigned permissions(const char *path) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 0777;
}
