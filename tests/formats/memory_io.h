/* A posenc_io with one readable file in memory: a regular file or a stream that gives so many bytes at a time. */
#ifndef POSENC_TESTS_FORMATS_MEMORY_IO_H
#define POSENC_TESTS_FORMATS_MEMORY_IO_H

#include "formats/io.h"

typedef struct memory_file {
    const uint8_t *bytes;
    size_t n, at;
    bool stream;  /* its length is not known to the reader */
    size_t piece; /* most bytes of one read; 0: as many as are asked for */
    int open;     /* descriptors not yet closed */
    posenc_io io;
} memory_file;

/* file stays in place while its io is used. */
const posenc_io *memory_file_io(memory_file *file, const void *bytes, size_t n, bool stream, size_t piece);

#endif
