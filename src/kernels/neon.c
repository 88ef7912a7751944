/* Kernels for 64-bit Arm NEON, which every such machine has. */
#include <string.h>

#include "kernels/kernels.h"

#ifdef POSENC_ARM64
#include "kernels/vec_neon.h"

#include "kernels/bodies.inc"

const posenc_kernels posenc_kernels_neon = KERNEL_TABLE(POSENC_ISA_NEON);
#else
typedef int posenc_kernels_neon_not_built;
#endif
