/* The operating system's file calls (POSIX.1-2008), behind one table. Nothing else in the library calls them. */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64 /* files beyond 2 GiB on 32-bit machines */

#include "formats/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The most bytes of one call: Linux itself stops short of 2 GiB, other systems refuse more than INT_MAX. */
static const size_t most_bytes = (size_t)1 << 30;

static int system_open(void *user, const char *path, posenc_io_how how, uint32_t permissions) {
    static const int flags[] = {[POSENC_IO_READ] = O_RDONLY,
                                [POSENC_IO_WRITE] = O_WRONLY | O_TRUNC,
                                [POSENC_IO_CREATE] = O_WRONLY | O_CREAT | O_EXCL};
    (void)user;
    int file;
    do file = open(path, flags[how] | O_CLOEXEC | O_NOCTTY, (mode_t)permissions);
    while (file < 0 && errno == EINTR); /* opening a fifo waits for its other end */
    return file < 0 ? -errno : file;
}

static void describe(const struct stat *from, posenc_io_info *out) {
    out->kind = S_ISREG(from->st_mode) ? POSENC_IO_FILE : S_ISDIR(from->st_mode) ? POSENC_IO_FOLDER : POSENC_IO_STREAM;
    out->bytes_left = out->kind == POSENC_IO_FILE ? (int64_t)from->st_size : -1;
    out->permissions = (uint32_t)from->st_mode & 0777;
    out->owner = (uint32_t)from->st_uid;
    out->group = (uint32_t)from->st_gid;
}

static int system_info(void *user, int file, posenc_io_info *out) {
    struct stat status;
    (void)user;
    if (fstat(file, &status) != 0) return -errno;
    describe(&status, out);
    if (out->kind != POSENC_IO_FILE) return 0;
    off_t at = lseek(file, 0, SEEK_CUR); /* standard input may have been read from before */
    if (at < 0) return -errno;
    out->bytes_left = at < status.st_size ? (int64_t)(status.st_size - at) : 0;
    return 0;
}

static int system_info_at(void *user, const char *path, posenc_io_info *out) {
    struct stat status;
    (void)user;
    if (stat(path, &status) != 0) return -errno;
    describe(&status, out);
    return 0;
}

static int64_t system_read(void *user, int file, void *data, size_t bytes) {
    (void)user;
    ssize_t n = read(file, data, bytes < most_bytes ? bytes : most_bytes);
    return n < 0 ? -errno : n;
}

static int64_t system_read_at(void *user, int file, void *data, size_t bytes, int64_t offset) {
    (void)user;
    ssize_t n = pread(file, data, bytes < most_bytes ? bytes : most_bytes, (off_t)offset);
    return n < 0 ? -errno : n;
}

static int64_t system_write(void *user, int file, const void *data, size_t bytes) {
    (void)user;
    ssize_t n = write(file, data, bytes < most_bytes ? bytes : most_bytes);
    return n < 0 ? -errno : n;
}

/* Another process that shares the stream may have made it non-blocking. */
static int system_wait(void *user, int file, posenc_io_how how) {
    struct pollfd one = {.fd = file, .events = how == POSENC_IO_READ ? POLLIN : POLLOUT};
    (void)user;
    return poll(&one, 1, -1) >= 0 || errno == EINTR ? 0 : -errno;
}

static int system_close(void *user, int file) {
    (void)user;
    if (close(file) == 0 || errno == EINTR) return 0; /* interrupted: closed all the same, and no data was lost */
    return -errno;
}

static int system_read_link(void *user, const char *path, char *text, size_t capacity) {
    (void)user;
    ssize_t n = readlink(path, text, capacity);
    if (n < 0) return -errno;
    if ((size_t)n >= capacity) return -ENAMETOOLONG;
    text[n] = '\0';
    return (int)n;
}

static int system_may_write(void *user, const char *path) {
    (void)user;
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 ? 0 : -errno;
}

/* Where the group cannot be kept, the group's rights shrink to what others had, so that nobody gains any. */
static int system_adopt(void *user, int file, const posenc_io_info *model) {
    mode_t mode = (mode_t)model->permissions;
    (void)user;
    if (fchown(file, (uid_t)model->owner, (gid_t)model->group) != 0 &&
        fchown(file, (uid_t)-1, (gid_t)model->group) != 0)
        mode = (mode & ~(mode_t)070) | (mode & (mode & 07) << 3);
    return fchmod(file, mode) == 0 ? 0 : -errno;
}

static int system_rename(void *user, const char *from, const char *to) {
    (void)user;
    return rename(from, to) == 0 ? 0 : -errno;
}

static int system_remove(void *user, const char *path) {
    (void)user;
    return unlink(path) == 0 ? 0 : -errno;
}

/* Names need not be secret: POSENC_IO_CREATE refuses what is there. They only should not meet often. */
static uint64_t system_nonce(void *user) {
    struct timespec now = {0, 0};
    (void)user;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t z =
        (uint64_t)now.tv_nsec << 34 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 40 ^ (uint64_t)(uintptr_t)&now;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9); /* finisher of SplitMix64 */
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

const posenc_io posenc_io_system = {
    .open = system_open,
    .info = system_info,
    .info_at = system_info_at,
    .read = system_read,
    .read_at = system_read_at,
    .write = system_write,
    .wait = system_wait,
    .close = system_close,
    .read_link = system_read_link,
    .may_write = system_may_write,
    .adopt = system_adopt,
    .rename = system_rename,
    .remove = system_remove,
    .nonce = system_nonce,
};

/* What to do about a call that gave n: 0 to make it again, else -errno. */
static int recover(const posenc_io *io, int file, posenc_io_how how, int64_t n) {
    if (n == -EINTR) return 0;
    if (n == -EAGAIN || n == -EWOULDBLOCK) return io->wait(io->user, file, how);
    return (int)n;
}

int posenc_io_read_all(const posenc_io *io, int file, void *data, size_t bytes, size_t *got) {
    for (*got = 0; *got < bytes;) {
        int64_t n = io->read(io->user, file, (char *)data + *got, bytes - *got);
        if (n == 0) return 0;
        if (n > 0) *got += (size_t)n;
        int code = n < 0 ? recover(io, file, POSENC_IO_READ, n) : 0;
        if (code < 0) return code;
    }
    return 0;
}

int posenc_io_read_all_at(const posenc_io *io, int file, void *data, size_t bytes, int64_t offset, size_t *got) {
    for (*got = 0; *got < bytes;) {
        int64_t n = io->read_at(io->user, file, (char *)data + *got, bytes - *got, offset + (int64_t)*got);
        if (n == 0) return 0;
        if (n > 0) *got += (size_t)n;
        int code = n < 0 ? recover(io, file, POSENC_IO_READ, n) : 0;
        if (code < 0) return code;
    }
    return 0;
}

int posenc_io_write_all(const posenc_io *io, int file, const void *data, size_t bytes, size_t *put) {
    for (*put = 0; *put < bytes;) {
        int64_t n = io->write(io->user, file, (const char *)data + *put, bytes - *put);
        if (n == 0) return -EIO; /* a device that takes nothing would hold us forever */
        if (n > 0) *put += (size_t)n;
        int code = n < 0 ? recover(io, file, POSENC_IO_WRITE, n) : 0;
        if (code < 0) return code;
    }
    return 0;
}

char *posenc_io_words(int error, char text[96]) {
    if (strerror_r(error < 0 ? -error : error, text, 96) != 0)
        snprintf(text, 96, "error %d", error < 0 ? -error : error);
    return text;
}
