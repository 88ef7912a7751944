/* Takes the place of src/kernels/avx512.c: the same vectors and the same bodies, without the target that would let the
 * compiler emit AVX-512 instructions. immintrin.h is the one beside this file. */
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/vec_avx512.h"

#include "kernels/bodies.inc"

const posenc_kernels posenc_kernels_avx512 = KERNEL_TABLE(POSENC_ISA_AVX512);
