/* Output that is complete or absent. A regular file is written under a name of its own in the folder of its target and
 * renamed over it when all is well; the rename is one step, so that nobody ever sees half a file, and a reader of the
 * old one keeps it. What is not a regular file is written as it is. Small writes gather in a buffer. */
#include <errno.h>
#include <string.h>

#include <posenc/files.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/escape.h"
#include "formats/output.h"
#include "formats/target.h"

enum { BUFFER_BYTES = 1 << 16, MOST_TRIES = 64, NO_FILE = -1 };

struct posenc_output {
    const posenc_io *io;
    const posenc_context *context;
    int file;        /* NO_FILE once closed */
    bool shared;     /* standard output: not ours to close */
    bool failed;     /* only a discard is left */
    int64_t written; /* bytes that the system has taken */
    size_t used;     /* bytes in buffer */
    posenc_target target;
    char draft[POSENC_IO_PATH]; /* the name until the commit; "" for a stream and once it is gone */
    char name[POSENC_SHOWN_PATH];
    uint8_t buffer[BUFFER_BYTES];
};

static posenc_status fail(const posenc_output *output, posenc_error *error, const char *what, int code) {
    char words[96];
    return posenc_fail(error, POSENC_ERROR_IO, output->name, "expected %s, got \"%s\"", what,
                       posenc_io_words(code, words));
}

/* A hidden name in the target's folder: ".posenc-" and 13 letters and digits. */
static bool name_draft(posenc_output *output) {
    static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
    const char *slash = strrchr(output->target.path, '/');
    size_t folder = slash ? (size_t)(slash - output->target.path) + 1 : 0;
    char tail[] = ".posenc-0000000000000.tmp";
    uint64_t nonce = output->io->nonce(output->io->user);
    for (int i = 0; i < 13; i++) tail[8 + i] = digits[nonce >> (5 * i) & 31];
    if (folder + sizeof tail > sizeof output->draft) return false;
    memcpy(output->draft, output->target.path, folder);
    memcpy(output->draft + folder, tail, sizeof tail);
    return true;
}

/* A draft of a file that exists stays private until it has that file's permissions. */
static int create_draft(posenc_output *output) {
    const posenc_io *io = output->io;
    uint32_t permissions = output->target.kind == POSENC_TARGET_REPLACE ? 0600 : 0666;
    int file = -EEXIST;
    for (int i = 0; i < MOST_TRIES && file == -EEXIST; i++)
        file = name_draft(output) ? io->open(io->user, output->draft, POSENC_IO_CREATE, permissions) : -ENAMETOOLONG;
    if (file < 0) output->draft[0] = '\0'; /* not ours to remove */
    return file;
}

static posenc_status open_draft(posenc_output *output, posenc_error *error) {
    int file = create_draft(output);
    if (file < 0) return fail(output, error, "a folder that takes a new file", file);
    output->file = file;
    if (output->target.kind != POSENC_TARGET_REPLACE) return POSENC_OK;
    int code = output->io->adopt(output->io->user, file, &output->target.info);
    return code < 0 ? fail(output, error, "the permissions of the file that is there", code) : POSENC_OK;
}

static posenc_status open_target(posenc_output *output, const char *path, posenc_error *error) {
    if (posenc_is_stdout(path)) {
        output->target.kind = POSENC_TARGET_STREAM;
        output->file = POSENC_IO_STDOUT;
        output->shared = true;
        return POSENC_OK;
    }
    posenc_status status = posenc_target_find(output->io, path, output->name, &output->target, error);
    if (status != POSENC_OK) return status;
    if (output->target.kind != POSENC_TARGET_STREAM) return open_draft(output, error);
    output->file = output->io->open(output->io->user, path, POSENC_IO_WRITE, 0);
    return output->file < 0 ? fail(output, error, "a file to write", output->file) : POSENC_OK;
}

/* 0 or -errno. The descriptor is gone either way. */
static int close_file(posenc_output *output) {
    int file = output->file;
    output->file = NO_FILE;
    return file < 0 || output->shared ? 0 : output->io->close(output->io->user, file);
}

posenc_status posenc_output_open_with(const posenc_io *io, const posenc_context *context, const char *path,
                                      posenc_output **out, posenc_error *error) {
    if (!path || !out)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, path ? "out" : "path", "expected a pointer, got NULL");
    posenc_output *output = posenc_allocate(context, sizeof *output);
    if (!output) return posenc_fail_memory(error, "output", sizeof *output);
    output->io = io;
    output->context = context;
    output->file = NO_FILE;
    output->shared = output->failed = false;
    output->written = 0;
    output->used = 0;
    output->draft[0] = '\0';
    posenc_escape_path(path, output->name);
    posenc_status status = open_target(output, path, error);
    if (status == POSENC_OK)
        *out = output;
    else
        posenc_output_discard(output);
    return status;
}

posenc_status posenc_output_open(const posenc_context *context, const char *path, posenc_output **out,
                                 posenc_error *error) {
    return posenc_output_open_with(&posenc_io_system, context, path, out, error);
}

const posenc_context *posenc_output_context(const posenc_output *output) { return output->context; }

static posenc_status put(posenc_output *output, const void *data, size_t bytes, posenc_error *error) {
    size_t done;
    int code = posenc_io_write_all(output->io, output->file, data, bytes, &done);
    output->written += (int64_t)done;
    if (code == 0) return POSENC_OK;
    output->failed = true;
    char words[96];
    return posenc_fail_at(error, POSENC_ERROR_IO, output->name, output->written,
                          "expected room for more bytes, got \"%s\"", posenc_io_words(code, words));
}

static posenc_status flush(posenc_output *output, posenc_error *error) {
    size_t bytes = output->used;
    output->used = 0;
    return put(output, output->buffer, bytes, error);
}

posenc_status posenc_output_write(posenc_output *output, const void *data, size_t bytes, posenc_error *error) {
    if (!output || (!data && bytes > 0))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, output ? "data" : "output", "expected a pointer, got NULL");
    if (output->failed)
        return posenc_fail(error, POSENC_ERROR_IO, output->name, "expected a discard, got a write after a failed one");
    if (bytes > BUFFER_BYTES - output->used) {
        posenc_status status = flush(output, error);
        if (status != POSENC_OK) return status;
    }
    if (bytes >= BUFFER_BYTES) return put(output, data, bytes, error);
    if (bytes > 0) memcpy(output->buffer + output->used, data, bytes);
    output->used += bytes;
    return POSENC_OK;
}

static posenc_status put_in_place(posenc_output *output, posenc_error *error) {
    int code = close_file(output); /* the last chance of some file systems to say that they are full */
    if (code < 0) return fail(output, error, "a file that closes", code);
    if (output->draft[0] == '\0') return POSENC_OK;
    code = output->io->rename(output->io->user, output->draft, output->target.path);
    if (code < 0) return fail(output, error, "a name to put the file under", code);
    output->draft[0] = '\0';
    return POSENC_OK;
}

posenc_status posenc_output_commit(posenc_output *output, posenc_error *error) {
    if (!output) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "output", "expected a pointer, got NULL");
    posenc_status status = output->failed ? posenc_fail(error, POSENC_ERROR_IO, output->name,
                                                        "expected a discard, got a commit after a failed write")
                                          : flush(output, error);
    if (status == POSENC_OK) status = put_in_place(output, error);
    posenc_output_discard(output);
    return status;
}

void posenc_output_discard(posenc_output *output) {
    if (!output) return;
    close_file(output);
    if (output->draft[0] != '\0') output->io->remove(output->io->user, output->draft);
    posenc_release(output->context, output);
}
