/* Which machine and which compiler a figure belongs to. */
#ifndef POSENC_BENCH_MACHINE_H
#define POSENC_BENCH_MACHINE_H

#include <stddef.h>

/* One line: "AMD EPYC, 2 cores, L1d 32 KiB, L2 512 KiB, L3 16 MiB". */
void posenc_bench_machine(char *line, size_t capacity);

/* One line: "gcc 12.2.0". The text is static. */
const char *posenc_bench_compiler(void);

/* Bytes of the largest cache; 16 MiB where the system does not say. */
size_t posenc_bench_cache_bytes(void);

/* Bytes of memory that are free now; SIZE_MAX where the system does not say. */
size_t posenc_bench_free_bytes(void);

#endif
