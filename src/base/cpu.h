/* Which instruction sets this build has and this machine can run. */
#ifndef POSENC_BASE_CPU_H
#define POSENC_BASE_CPU_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE2__))
#define POSENC_X86 1
#elif defined(__aarch64__)
#define POSENC_ARM64 1
#endif

/* Best last within one architecture. */
typedef enum posenc_isa {
    POSENC_ISA_BASELINE = 0,
    POSENC_ISA_AVX2 = 1,
    POSENC_ISA_AVX512 = 2,
    POSENC_ISA_NEON = 3,
    POSENC_ISA_COUNT = 4
} posenc_isa;

/* Name of an instruction set, "avx2". */
const char *posenc_isa_text(posenc_isa isa);

/* Whether this build has the kernels and this machine (with its operating system) runs them. */
bool posenc_isa_runs(posenc_isa isa);

/* The best that runs. */
posenc_isa posenc_isa_best(void);

/* Bytes of the last-level cache; 16 MiB where the system does not say. */
size_t posenc_cache_bytes(void);

#endif
