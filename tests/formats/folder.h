/* A folder of its own for each test, and files in it. Whatever goes wrong fails the running test. */
#ifndef POSENC_TESTS_FORMATS_FOLDER_H
#define POSENC_TESTS_FORMATS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct folder {
    char path[256];
} folder;

folder folder_make(void);

/* Removes it with the files in it (no folders). */
void folder_end(folder *f);

/* "folder/name". Static, one of eight in turn. */
const char *folder_path(const folder *f, const char *name);

/* Number of names in it. */
int folder_count(const folder *f);

/* Writes a file with plain C, and compares one. */
void folder_write(const char *path, const void *bytes, size_t n);
bool folder_holds(const char *path, const void *bytes, size_t n);

#endif
