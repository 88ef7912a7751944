/* Saves that must go well. Whatever goes wrong fails the running test. */
#ifndef POSENC_TESTS_FORMATS_SAVING_H
#define POSENC_TESTS_FORMATS_SAVING_H

#include <posenc/files.h>

posenc_output *must_open(const char *path);
void must_save(const char *path, const void *data, size_t bytes);

/* Permission bits of what a path leads to. */
unsigned permissions(const char *path);

#endif
