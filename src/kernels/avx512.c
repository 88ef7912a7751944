/* Kernels for AVX-512 F + BW + DQ + VL. The target is set here, for this file alone, so that no compiler flag is
 * needed. */
#include <string.h>

#include "kernels/kernels.h"

#ifdef POSENC_X86
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif

#include "kernels/vec_avx512.h"

#include "kernels/bodies.inc"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const posenc_kernels posenc_kernels_avx512 = KERNEL_TABLE(POSENC_ISA_AVX512);
#else
typedef int posenc_kernels_avx512_not_built;
#endif
