/* .npy inside: what a header says, the parser of its text, the reader over any posenc_io.
 * Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html (NEP 1). */
#ifndef POSENC_FORMATS_NPY_H
#define POSENC_FORMATS_NPY_H

#include <posenc/files.h>

#include "formats/io.h"

/* \x93NUMPY, major and minor version; 2 (version 1.0) or 4 bytes of header length follow. */
#define POSENC_NPY_PREAMBLE 8
/* Longest header text that is read. NumPy itself stops at 10 000 characters by default. */
#define POSENC_NPY_MOST_HEADER 65536

typedef struct posenc_npy_layout {
    posenc_dtype dtype;
    bool swapped; /* the other byte order than this machine's */
    bool fortran; /* first axis fastest */
    int rank;
    int64_t shape[POSENC_MAX_RANK];
    int64_t elements, data_bytes; /* their products */
} posenc_npy_layout;

/* Checks the first bytes of a file, n of the POSENC_NPY_PREAMBLE (fewer only where the file ends).
 * *length_bytes: 2 or 4. name: the file, as messages show it. */
posenc_status posenc_npy_preamble(const char *name, const uint8_t *bytes, size_t n, size_t *length_bytes,
                                  posenc_error *error);

/* Reads a header's text[n], which begins at byte offset of the file, into *layout, untouched on failure.
 * Every product of the layout fits into int64; extents of 0 count as 1 there, so strides of views of it fit too.
 * A pure function: no allocation, no reading past text[n]. */
posenc_status posenc_npy_parse(const char *name, const uint8_t *text, size_t n, int64_t offset,
                               posenc_npy_layout *layout, posenc_error *error);

/* Reads the text of a dtype, "<f4", without its quotes. POSENC_ERROR_DTYPE names the file and the offset. */
posenc_status posenc_npy_dtype(const char *name, const uint8_t *text, size_t n, int64_t offset,
                               posenc_npy_layout *layout, posenc_error *error);

/* posenc_npy_read over a table of calls. */
posenc_status posenc_npy_read_with(const posenc_io *io, const posenc_context *context, const char *path,
                                   posenc_array **out, posenc_error *error);

#endif
