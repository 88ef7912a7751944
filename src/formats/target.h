/* Where an output goes: which file a path means in the end, and how it is to be written. */
#ifndef POSENC_FORMATS_TARGET_H
#define POSENC_FORMATS_TARGET_H

#include <posenc/status.h>

#include "formats/io.h"

typedef enum posenc_target_kind {
    POSENC_TARGET_NEW,     /* nothing is there */
    POSENC_TARGET_REPLACE, /* a regular file is there */
    POSENC_TARGET_STREAM   /* written as it is: a device, a pipe, an open file named by its descriptor */
} posenc_target_kind;

typedef struct posenc_target {
    posenc_target_kind kind;
    posenc_io_info info;       /* of the file to replace */
    char path[POSENC_IO_PATH]; /* with its last links followed; a stream's is the path as it was given */
} posenc_target;

/* Whether a path means this process's standard output. */
bool posenc_is_stdout(const char *path);

/* Finds out where path leads. name: the path as messages show it. Creates and opens nothing.
 * POSENC_ERROR_IO: a folder, a file that must not be written, a loop of links, a path that cannot be. */
posenc_status posenc_target_find(const posenc_io *io, const char *path, const char *name, posenc_target *target,
                                 posenc_error *error);

#endif
