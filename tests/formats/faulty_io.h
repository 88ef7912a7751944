/* A posenc_io that passes calls on to the system and makes trouble on the way, as told. */
#ifndef POSENC_TESTS_FORMATS_FAULTY_IO_H
#define POSENC_TESTS_FORMATS_FAULTY_IO_H

#include "formats/io.h"

typedef struct faulty_io {
    posenc_io io;         /* to hand to the library */
    long calls;           /* made so far, of all kinds but nonce */
    long fail_at;         /* the call with this number (from 0) gives -error instead; -1: none */
    bool fail_on;         /* and every later one */
    int error;            /* a positive errno value */
    size_t most;          /* bytes of one read or write; 0: any */
    int interrupts;       /* this many -EINTR or -EAGAIN before each read and write that goes through */
    int interruption;     /* which of the two, positive */
    int pending;          /* interrupts given since the last one that went through */
    long waits;           /* calls of wait */
    uint32_t permissions; /* of the last creation, as asked for */
    int taken_names;      /* this many creations find their name taken */
    int open;             /* descriptors not yet closed */
    int64_t lie;          /* added to the length that open files are said to have */
} faulty_io;

/* faulty stays in place while its io is used. */
void faulty_io_init(faulty_io *faulty);

/* From now on call k (0 is the next) fails with error, once or from there on. */
void faulty_io_fail(faulty_io *faulty, long k, int error, bool from_there_on);

#endif
