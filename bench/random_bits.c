/* Values are put together from bits: the sign and the fraction random, the exponent that of 0.5. Subnormals or huge
 * values, which any leftover bytes might hold, can be slow and would not be what users add to. */
#include "random_bits.h"

static void put_16(uint16_t *values, size_t n, uint16_t half, uint16_t fraction) {
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = posenc_bench_random(&state);
        values[i] = (uint16_t)((bits & fraction) | half | (bits >> 32 & 0x8000u));
    }
}

static void put_32(uint32_t *values, size_t n) {
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = posenc_bench_random(&state);
        values[i] = (uint32_t)((bits & 0x007FFFFFu) | 0x3F000000u | (bits >> 32 & 0x80000000u));
    }
}

static void put_64(uint64_t *values, size_t n) {
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = posenc_bench_random(&state);
        values[i] = (bits & 0x800FFFFFFFFFFFFFu) | 0x3FE0000000000000u;
    }
}

void posenc_bench_ordinary(void *values, posenc_dtype dtype, size_t n) {
    switch (dtype) {
        case POSENC_F16:
            put_16(values, n, 0x3800, 0x03FF);
            break;
        case POSENC_BF16:
            put_16(values, n, 0x3F00, 0x007F);
            break;
        case POSENC_F64:
            put_64(values, n);
            break;
        default:
            put_32(values, n);
            break;
    }
}
