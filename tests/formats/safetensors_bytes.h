/* .safetensors files made in memory, byte by byte from the format's description and not with the library's writer. */
#ifndef POSENC_TESTS_FORMATS_SAFETENSORS_BYTES_H
#define POSENC_TESTS_FORMATS_SAFETENSORS_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include <posenc/files.h>

#include "support/allocator.h"

typedef struct safetensors_bytes {
    uint8_t *bytes;
    size_t n;
    size_t data_at; /* first byte of the data */
} safetensors_bytes;

/* The header's text as given, then n_data bytes 0, 1, 2, ... Release with safetensors_bytes_end. */
safetensors_bytes safetensors_bytes_make(const void *header, size_t header_bytes, size_t n_data);

void safetensors_bytes_end(safetensors_bytes *file);

/* Opens bytes that stand flush against the end of their block, so that a sanitizer sees one byte too many, with an
 * allocator that counts. Checks that nothing is kept and that what is asked for is bounded by what is there. */
posenc_status safetensors_bytes_open(const uint8_t *bytes, size_t n, posenc_error *error);

/* Whether this build reads .safetensors; says so if it does not. */
int safetensors_are_read(void);

#endif
