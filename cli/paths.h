/* What a file's name says. */
#ifndef POSENC_CLI_PATHS_H
#define POSENC_CLI_PATHS_H

#include <stdbool.h>
#include <string.h>

/* Whether a path ends in ".npy", ".csv", ... */
static inline bool posenc_cli_ends_in(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

#endif
