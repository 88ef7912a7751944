/* A posenc_io with one readable file in memory. Calls that a reader has no business to make are left NULL. */
#include "memory_io.h"

#include <string.h>

static int memory_open(void *user, const char *path, posenc_io_how how, uint32_t permissions) {
    memory_file *file = user;
    (void)path, (void)how, (void)permissions;
    file->at = 0;
    file->open++;
    return 7;
}

static int memory_info(void *user, int descriptor, posenc_io_info *out) {
    memory_file *file = user;
    (void)descriptor;
    memset(out, 0, sizeof *out);
    out->kind = file->stream ? POSENC_IO_STREAM : POSENC_IO_FILE;
    out->bytes_left = file->stream ? -1 : (int64_t)(file->n - file->at);
    return 0;
}

static int memory_info_at(void *user, const char *path, posenc_io_info *out) {
    (void)path;
    return memory_info(user, 0, out);
}

static int64_t memory_read_at(void *user, int descriptor, void *data, size_t bytes, int64_t offset) {
    memory_file *file = user;
    size_t at = offset < 0 || (uint64_t)offset > file->n ? file->n : (size_t)offset, n = file->n - at;
    (void)descriptor;
    if (n > bytes) n = bytes;
    if (file->piece > 0 && n > file->piece) n = file->piece;
    if (n > 0) memcpy(data, file->bytes + at, n);
    return (int64_t)n;
}

static int64_t memory_read(void *user, int descriptor, void *data, size_t bytes) {
    memory_file *file = user;
    size_t n = file->n - file->at;
    (void)descriptor;
    if (n > bytes) n = bytes;
    if (file->piece > 0 && n > file->piece) n = file->piece;
    if (n > 0) memcpy(data, file->bytes + file->at, n);
    file->at += n;
    return (int64_t)n;
}

static int memory_close(void *user, int descriptor) {
    memory_file *file = user;
    (void)descriptor;
    file->open--;
    return 0;
}

const posenc_io *memory_file_io(memory_file *file, const void *bytes, size_t n, bool stream, size_t piece) {
    *file = (memory_file){.bytes = bytes, .n = n, .stream = stream, .piece = piece};
    file->io = (posenc_io){.user = file,
                           .open = memory_open,
                           .info = memory_info,
                           .info_at = memory_info_at,
                           .read = memory_read,
                           .read_at = memory_read_at,
                           .close = memory_close};
    return &file->io;
}
