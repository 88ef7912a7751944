/* .npy files made in memory. */
#include "npy_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/tensors.h"

npy_bytes npy_bytes_raw(int version, const char *header, size_t header_bytes, const void *data, size_t data_bytes) {
    size_t width = version == 1 ? 2 : 4;
    npy_bytes npy = {.data_at = 8 + width + header_bytes};
    npy.n = npy.data_at + data_bytes;
    npy.bytes = must_allocate(npy.n);
    memcpy(npy.bytes, "\x93NUMPY", 6);
    npy.bytes[6] = (uint8_t)version;
    npy.bytes[7] = 0;
    for (size_t i = 0; i < width; i++) npy.bytes[8 + i] = (uint8_t)(header_bytes >> (8 * i));
    memcpy(npy.bytes + 8 + width, header, header_bytes);
    if (data_bytes > 0) memcpy(npy.bytes + npy.data_at, data, data_bytes);
    return npy;
}

npy_bytes npy_bytes_make(int version, const char *descr, int fortran, const char *shape, const void *data,
                         size_t data_bytes) {
    char header[320];
    size_t width = version == 1 ? 2 : 4;
    int used = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
                        fortran ? "True" : "False", shape);
    size_t length = (size_t)used;
    while ((8 + width + length + 1) % 64 != 0) header[length++] = ' ';
    header[length++] = '\n';
    return npy_bytes_raw(version, header, length, data, data_bytes);
}

void npy_bytes_end(npy_bytes *npy) { free(npy->bytes); }
