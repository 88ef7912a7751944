/* Floors: what the machine itself needs for the same bytes. A work is told as a multiple of its floor. */
#ifndef POSENC_BENCH_FLOORS_H
#define POSENC_BENCH_FLOORS_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes to set or to copy. Each floor takes a pointer to one as its state, so that it can be a contender. */
typedef struct posenc_bench_bytes {
    void *to;
    const void *from; /* copies only */
    size_t bytes;
    int threads;
} posenc_bench_bytes;

/* memset of a non-zero byte; zeroing memory that is zero already can be twice as fast and is no floor. */
void posenc_bench_memset(void *bytes);

/* The C library's memcpy. */
void posenc_bench_memcpy(void *bytes);

/* Copy by streaming stores, which spare the reading of the target's lines. Printed beside, not a floor: it shows what
 * is left to gain. Whole 64-byte lines; the rest is left out. */
void posenc_bench_stream_copy(void *bytes);

/* Whether posenc_bench_stream_copy really streams on this architecture. */
bool posenc_bench_streams(void);

#endif
