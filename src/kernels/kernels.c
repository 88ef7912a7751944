#include "kernels/kernels.h"

const posenc_kernels *posenc_kernels_of(posenc_isa isa) {
    static const posenc_kernels *const tables[POSENC_ISA_COUNT] = {
        [POSENC_ISA_BASELINE] = &posenc_kernels_baseline,
#ifdef POSENC_X86
        [POSENC_ISA_AVX2] = &posenc_kernels_avx2,
        [POSENC_ISA_AVX512] = &posenc_kernels_avx512,
#endif
#ifdef POSENC_ARM64
        [POSENC_ISA_NEON] = &posenc_kernels_neon,
#endif
    };
    return tables[isa];
}
