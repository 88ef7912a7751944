/* A posenc_io that makes trouble. Every call asks trouble() first. */
#include "faulty_io.h"

#include <errno.h>

/* 0 to go on, else what the call gives instead. */
static int trouble(faulty_io *f) {
    long k = f->calls++;
    bool fails = f->fail_at >= 0 && (f->fail_on ? k >= f->fail_at : k == f->fail_at);
    return fails ? -f->error : 0;
}

static bool interrupted(faulty_io *f) {
    if (f->pending < f->interrupts) {
        f->pending++;
        return true;
    }
    f->pending = 0;
    return false;
}

static int faulty_open(void *user, const char *path, posenc_io_how how, uint32_t permissions) {
    faulty_io *f = user;
    int code = trouble(f);
    if (code < 0) return code;
    if (how == POSENC_IO_CREATE) f->permissions = permissions;
    if (how == POSENC_IO_CREATE && f->taken_names > 0) {
        f->taken_names--;
        return -EEXIST;
    }
    int file = posenc_io_system.open(NULL, path, how, permissions);
    if (file >= 0) f->open++;
    return file;
}

static int faulty_info(void *user, int file, posenc_io_info *out) {
    faulty_io *f = user;
    int code = trouble(f);
    if (code == 0) code = posenc_io_system.info(NULL, file, out);
    if (code == 0) out->bytes_left += f->lie;
    return code;
}

static int faulty_info_at(void *user, const char *path, posenc_io_info *out) {
    int code = trouble(user);
    return code < 0 ? code : posenc_io_system.info_at(NULL, path, out);
}

static int64_t faulty_read(void *user, int file, void *data, size_t bytes) {
    faulty_io *f = user;
    int code = trouble(f);
    if (code < 0) return code;
    if (interrupted(f)) return -f->interruption;
    return posenc_io_system.read(NULL, file, data, f->most > 0 && f->most < bytes ? f->most : bytes);
}

static int64_t faulty_read_at(void *user, int file, void *data, size_t bytes, int64_t offset) {
    faulty_io *f = user;
    int code = trouble(f);
    if (code < 0) return code;
    if (interrupted(f)) return -f->interruption;
    return posenc_io_system.read_at(NULL, file, data, f->most > 0 && f->most < bytes ? f->most : bytes, offset);
}

static int64_t faulty_write(void *user, int file, const void *data, size_t bytes) {
    faulty_io *f = user;
    int code = trouble(f);
    if (code < 0) return code;
    if (interrupted(f)) return -f->interruption;
    return posenc_io_system.write(NULL, file, data, f->most > 0 && f->most < bytes ? f->most : bytes);
}

static int faulty_wait(void *user, int file, posenc_io_how how) {
    faulty_io *f = user;
    int code = trouble(f);
    f->waits++;
    return code < 0 ? code : posenc_io_system.wait(NULL, file, how);
}

/* As Linux does: a close that fails has closed all the same. */
static int faulty_close(void *user, int file) {
    faulty_io *f = user;
    int code = trouble(f);
    int closed = posenc_io_system.close(NULL, file);
    f->open--;
    return code < 0 ? code : closed;
}

static int faulty_read_link(void *user, const char *path, char *text, size_t capacity) {
    int code = trouble(user);
    return code < 0 ? code : posenc_io_system.read_link(NULL, path, text, capacity);
}

static int faulty_may_write(void *user, const char *path) {
    int code = trouble(user);
    return code < 0 ? code : posenc_io_system.may_write(NULL, path);
}

static int faulty_adopt(void *user, int file, const posenc_io_info *model) {
    int code = trouble(user);
    return code < 0 ? code : posenc_io_system.adopt(NULL, file, model);
}

static int faulty_rename(void *user, const char *from, const char *to) {
    int code = trouble(user);
    return code < 0 ? code : posenc_io_system.rename(NULL, from, to);
}

static int faulty_remove(void *user, const char *path) {
    int code = trouble(user);
    return code < 0 ? code : posenc_io_system.remove(NULL, path);
}

static uint64_t faulty_nonce(void *user) {
    (void)user;
    return posenc_io_system.nonce(NULL);
}

void faulty_io_init(faulty_io *faulty) {
    *faulty = (faulty_io){.fail_at = -1, .interruption = EINTR};
    faulty->io = (posenc_io){.user = faulty,
                             .open = faulty_open,
                             .info = faulty_info,
                             .info_at = faulty_info_at,
                             .read = faulty_read,
                             .read_at = faulty_read_at,
                             .write = faulty_write,
                             .wait = faulty_wait,
                             .close = faulty_close,
                             .read_link = faulty_read_link,
                             .may_write = faulty_may_write,
                             .adopt = faulty_adopt,
                             .rename = faulty_rename,
                             .remove = faulty_remove,
                             .nonce = faulty_nonce};
}

void faulty_io_fail(faulty_io *faulty, long k, int error, bool from_there_on) {
    faulty->calls = 0;
    faulty->fail_at = k;
    faulty->error = error;
    faulty->fail_on = from_there_on;
}
