/* Where an output goes. The last name of the path is followed through symbolic links, also to a file that is not there
 * yet, so that the link stays and what it names is replaced. Folders on the way are left to the system. */
#include "formats/target.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

enum { MOST_LINKS = 40 }; /* as Linux has it */

static posenc_status fail(posenc_error *error, const char *name, const char *what, int code) {
    char words[96];
    return posenc_fail(error, POSENC_ERROR_IO, name, "expected %s, got \"%s\"", what, posenc_io_words(code, words));
}

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

bool posenc_is_stdout(const char *path) { return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0; }

/* Descriptors seen as files. Their links lead to texts such as "pipe:[42]", and to replace the file behind one would
 * leave its other users with the old one. */
static bool names_descriptor(const char *path) {
    return begins(path, "/dev/fd/") || begins(path, "/proc/") || strcmp(path, "/dev/stderr") == 0;
}

/* Puts what a link says in the place of its name: a relative link starts from the link's folder. */
static bool step(char path[POSENC_IO_PATH], const char *link) {
    char *slash = strrchr(path, '/');
    size_t folder = link[0] == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
    if (folder + strlen(link) >= POSENC_IO_PATH) return false;
    strcpy(path + folder, link);
    return true;
}

/* 0, or -errno. *descriptor: the way led through the name of a descriptor, where it stops. */
static int follow(const posenc_io *io, char path[POSENC_IO_PATH], bool *descriptor) {
    char link[POSENC_IO_PATH];
    for (int i = 0; i <= MOST_LINKS; i++) {
        *descriptor = names_descriptor(path);
        if (*descriptor) return 0;
        int code = io->read_link(io->user, path, link, sizeof link);
        if (code == -EINVAL || code == -ENOENT) return 0; /* no link; nothing there */
        if (code < 0) return code;
        if (!step(path, link)) return -ENAMETOOLONG;
    }
    return -ELOOP;
}

static posenc_status check_replace(const posenc_io *io, const char *name, const posenc_target *target,
                                   posenc_error *error) {
    int code = io->may_write(io->user, target->path);
    return code < 0 ? fail(error, name, "a file that may be written", code) : POSENC_OK;
}

posenc_status posenc_target_find(const posenc_io *io, const char *path, const char *name, posenc_target *target,
                                 posenc_error *error) {
    bool descriptor;
    if (path[0] == '\0') return posenc_fail(error, POSENC_ERROR_IO, "path", "expected a file's name, got none");
    if (strlen(path) >= POSENC_IO_PATH) return fail(error, name, "a file to write", -ENAMETOOLONG);
    int code = io->info_at(io->user, path, &target->info);
    bool there = code == 0;
    if (!there && code != -ENOENT) return fail(error, name, "a file to write", code);
    if (there && target->info.kind == POSENC_IO_FOLDER)
        return posenc_fail(error, POSENC_ERROR_IO, name, "expected a file to write, got a folder");
    strcpy(target->path, path);
    target->kind = POSENC_TARGET_STREAM;
    if (there && target->info.kind == POSENC_IO_STREAM) return POSENC_OK;

    code = follow(io, target->path, &descriptor);
    if (code < 0) return fail(error, name, "a file to write", code);
    if (descriptor) {
        strcpy(target->path, path);
        return POSENC_OK;
    }
    target->kind = there ? POSENC_TARGET_REPLACE : POSENC_TARGET_NEW;
    return there ? check_replace(io, name, target, error) : POSENC_OK;
}
