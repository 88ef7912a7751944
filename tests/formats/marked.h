/* Malformed files, written down with a mark ^ before the byte that a reader must point at. */
#ifndef POSENC_TESTS_FORMATS_MARKED_H
#define POSENC_TESTS_FORMATS_MARKED_H

#include <stdint.h>
#include <string.h>

#include <posenc/status.h>

#include "support/tensors.h"
#include "support/test.h"

typedef struct text {
    const char *bytes;
    size_t n;
} text;
#define TEXT(literal) \
    { literal, sizeof(literal) - 1 }

typedef struct bad {
    posenc_status status;
    text marked;
    const char *says; /* part of the message */
} bad;

/* The bytes without the mark. *at: where it stood. */
static inline uint8_t *unmark(text marked, size_t *n, size_t *at) {
    const char *mark = memchr(marked.bytes, '^', marked.n);
    check(mark != NULL, "no mark in %s", marked.bytes);
    *at = (size_t)(mark - marked.bytes);
    *n = marked.n - 1;
    uint8_t *bytes = must_allocate(*n + 1);
    memcpy(bytes, marked.bytes, *at);
    memcpy(bytes + *at, mark + 1, *n - *at);
    return bytes;
}

#endif
