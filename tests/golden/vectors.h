/* vectors.json: values of another origin, a record each. */
#ifndef POSENC_TESTS_GOLDEN_VECTORS_H
#define POSENC_TESTS_GOLDEN_VECTORS_H

#include <jansson.h>

/* Reads the file, which is to be released. Fails the running test when it cannot be read. */
json_t *vectors_load(const char *path);

/* Number of records, of every scheme. */
size_t vectors_count(const json_t *root);

/* Record i if it is one of the scheme; else NULL. Lives as long as the file. */
json_t *vectors_at(const json_t *root, size_t i, const char *scheme);

#endif
