/* Kernels in plain C. */
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/vec_baseline.h"

#include "kernels/bodies.inc"

const posenc_kernels posenc_kernels_baseline = KERNEL_TABLE(POSENC_ISA_BASELINE);
