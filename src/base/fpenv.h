/* The floating-point environment of a call: round to nearest even, subnormals kept, whatever the caller uses.
 * enter returns what was set, leave puts it back. Exception flags raised in between are dropped with it on x86. */
#ifndef POSENC_BASE_FPENV_H
#define POSENC_BASE_FPENV_H

#include <stdint.h>

#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE2__))
#include <xmmintrin.h>

/* Both units: vectors and scalars use the first, long double and the C library's strtod and printf look at the second.
 */
typedef struct posenc_fpenv {
    unsigned sse;
    unsigned short x87;
} posenc_fpenv;

static inline void posenc_fpenv_leave(posenc_fpenv saved) {
    _mm_setcsr(saved.sse);
    __asm__ volatile("fldcw %0" : : "m"(saved.x87));
}

static inline posenc_fpenv posenc_fpenv_enter(void) {
    posenc_fpenv saved = {_mm_getcsr(), 0};
    __asm__ volatile("fnstcw %0" : "=m"(saved.x87));
    /* All exceptions masked, nearest even, no flush to zero, no denormals-are-zero; 64-bit significands. */
    posenc_fpenv_leave((posenc_fpenv){0x1F80, 0x037F});
    return saved;
}

#elif defined(__aarch64__)

typedef uint64_t posenc_fpenv;

static inline posenc_fpenv posenc_fpenv_enter(void) {
    posenc_fpenv saved;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0) : "memory");
    return saved;
}

static inline void posenc_fpenv_leave(posenc_fpenv saved) {
    __asm__ volatile("msr fpcr, %0" : : "r"(saved) : "memory");
}

#else
#include <fenv.h>

typedef int posenc_fpenv;

static inline posenc_fpenv posenc_fpenv_enter(void) {
    posenc_fpenv saved = fegetround();
    fesetround(FE_TONEAREST);
    return saved;
}

static inline void posenc_fpenv_leave(posenc_fpenv saved) { fesetround(saved); }

#endif

/* The value itself, on its way through memory. Compilers move arithmetic across enter and leave where all of it is at
 * hand; what goes in and what comes out of a few lines between them passes here. */
static inline double posenc_fpenv_hold(double value) {
    volatile double held = value;
    return held;
}

#endif
