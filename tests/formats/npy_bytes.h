/* .npy files made in memory, byte by byte from the format's description and not with the library's writer. */
#ifndef POSENC_TESTS_FORMATS_NPY_BYTES_H
#define POSENC_TESTS_FORMATS_NPY_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct npy_bytes {
    uint8_t *bytes;
    size_t n;
    size_t data_at; /* first byte of the data */
} npy_bytes;

/* Version 1, 2 or 3 (.0), header text as given, then data. Release with npy_bytes_end. */
npy_bytes npy_bytes_raw(int version, const char *header, size_t header_bytes, const void *data, size_t data_bytes);

/* The same with a header as NumPy writes it, padded to 64 bytes. shape: "(3, 5)". */
npy_bytes npy_bytes_make(int version, const char *descr, int fortran, const char *shape, const void *data,
                         size_t data_bytes);

void npy_bytes_end(npy_bytes *npy);

#endif
