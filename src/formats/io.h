/* The one door to the operating system's files. A posenc_io is a table of its calls: the library passes
 * posenc_io_system, tests pass tables that come up short, are interrupted, fail, or hold files in memory.
 * Every call returns a number >= 0, or -errno. */
#ifndef POSENC_FORMATS_IO_H
#define POSENC_FORMATS_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest path, its end mark included. */
#define POSENC_IO_PATH 4096

typedef enum posenc_io_kind {
    POSENC_IO_FILE,   /* regular: its length is known, it can be replaced */
    POSENC_IO_FOLDER, /* neither read nor written */
    POSENC_IO_STREAM  /* pipe, device, socket: no length, written as it is */
} posenc_io_kind;

typedef struct posenc_io_info {
    posenc_io_kind kind;
    int64_t bytes_left;    /* of a file: from the current place (from the start, by path) to its end; else -1 */
    uint32_t permissions;  /* 0777 and below */
    uint32_t owner, group; /* numbers of user and group */
} posenc_io_info;

typedef enum posenc_io_how {
    POSENC_IO_READ,  /* what is there */
    POSENC_IO_WRITE, /* what is there, from its start */
    POSENC_IO_CREATE /* a file that is not there yet: -EEXIST for anything of that name, links too */
} posenc_io_how;

typedef struct posenc_io {
    void *user; /* first argument of every call */
    int (*open)(void *user, const char *path, posenc_io_how how, uint32_t permissions);
    int (*info)(void *user, int file, posenc_io_info *out);
    int (*info_at)(void *user, const char *path, posenc_io_info *out); /* of what the links lead to */
    int64_t (*read)(void *user, int file, void *data, size_t bytes);
    int64_t (*read_at)(void *user, int file, void *data, size_t bytes,
                       int64_t offset); /* of a file; it stays where it is */
    int64_t (*write)(void *user, int file, const void *data, size_t bytes);
    int (*wait)(void *user, int file, posenc_io_how how); /* after -EAGAIN: until a read or write can go on */
    int (*close)(void *user, int file);
    int (*read_link)(void *user, const char *path, char *text, size_t capacity); /* -EINVAL: not a link */
    int (*may_write)(void *user, const char *path);
    int (*adopt)(void *user, int file, const posenc_io_info *model); /* permissions, and owner where allowed */
    int (*rename)(void *user, const char *from, const char *to);
    int (*remove)(void *user, const char *path);
    uint64_t (*nonce)(void *user); /* a number that differs at every call and is hard to guess */
} posenc_io;

extern const posenc_io posenc_io_system;

/* Standard streams, which are used as they are and never closed here. */
enum { POSENC_IO_STDIN = 0, POSENC_IO_STDOUT = 1 };

/* Reads until bytes are there or the file ends; *got says how many came, also on failure. 0 or -errno. */
int posenc_io_read_all(const posenc_io *io, int file, void *data, size_t bytes, size_t *got);

/* The same from an offset of a regular file, whose current place does not take part. */
int posenc_io_read_all_at(const posenc_io *io, int file, void *data, size_t bytes, int64_t offset, size_t *got);

/* Writes all bytes; *put says how many went out, also on failure. 0 or -errno. */
int posenc_io_write_all(const posenc_io *io, int file, const void *data, size_t bytes, size_t *put);

/* The system's words for an errno value or its negative. Returns text. */
char *posenc_io_words(int error, char text[96]);

#endif
