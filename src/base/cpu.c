/* Feature tests. On x86 an instruction set counts only when the operating system saves its registers too, which the
 * compilers' builtin checks. avx2 stands for AVX2 + FMA + F16C, avx512 for F + BW + DQ + VL beside those. */
#define _POSIX_C_SOURCE 200809L
#include "base/cpu.h"

#include <string.h>
#include <unistd.h>

#include <posenc/context.h>

const char *posenc_isa_text(posenc_isa isa) {
    static const char *const names[POSENC_ISA_COUNT] = {"baseline", "avx2", "avx512", "neon"};
    return names[isa];
}

#ifdef POSENC_X86
#include <cpuid.h>

/* F16C has no name in the builtin of gcc 10 and older: bit 29 of leaf 1's ecx. */
static bool has_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1);
}

static bool runs_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c(); }

static bool runs_avx512(void) {
    return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool posenc_isa_runs(posenc_isa isa) {
    return isa == POSENC_ISA_BASELINE || (isa == POSENC_ISA_AVX2 && runs_avx2()) ||
           (isa == POSENC_ISA_AVX512 && runs_avx512());
}
#elif defined(POSENC_ARM64)
bool posenc_isa_runs(posenc_isa isa) { return isa == POSENC_ISA_BASELINE || isa == POSENC_ISA_NEON; }
#else
bool posenc_isa_runs(posenc_isa isa) { return isa == POSENC_ISA_BASELINE; }
#endif

posenc_isa posenc_isa_best(void) {
    int best = POSENC_ISA_COUNT - 1;
    while (!posenc_isa_runs((posenc_isa)best)) best--;
    return (posenc_isa)best;
}

const char *posenc_isa_name(size_t index) {
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++)
        if (posenc_isa_runs((posenc_isa)isa) && index-- == 0) return posenc_isa_text((posenc_isa)isa);
    return NULL;
}

#ifdef POSENC_X86
/* Size of the outermost cache that a leaf of cache parameters lists: 4 on Intel, 0x8000001D on AMD. 0 if it lists none.
 */
static size_t listed_cache_bytes(unsigned leaf) {
    size_t bytes = 0;
    for (unsigned i = 0; i < 8; i++) {
        unsigned a, b, c, d;
        if (!__get_cpuid_count(leaf, i, &a, &b, &c, &d) || (a & 31) == 0) break;
        if ((a & 31) == 2) continue; /* instructions only */
        bytes = (size_t)((b >> 22) + 1) * ((b >> 12 & 0x3FF) + 1) * ((b & 0xFFF) + 1) * ((size_t)c + 1);
    }
    return bytes;
}

/* Asked of the processor, because some C libraries give the sum over all sockets of the machine. */
static size_t processor_cache_bytes(void) {
    size_t bytes = listed_cache_bytes(4);
    return bytes ? bytes : listed_cache_bytes(0x8000001Du);
}
#else
static size_t processor_cache_bytes(void) { return 0; }
#endif

size_t posenc_cache_bytes(void) {
    size_t bytes = processor_cache_bytes();
    if (bytes) return bytes;
    long said = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    said = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (said <= 0) said = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return said > 0 ? (size_t)said : (size_t)16 << 20;
}
