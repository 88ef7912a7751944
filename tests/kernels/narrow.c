/* f32 to the other dtypes. Ordinarily: every border of two 16-bit numbers with the floats around it, every upper half
 * of a float with telling lower halves. With the argument "all": all 2^32 floats. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "kernels/kernels.h"
#include "support/guard.h"
#include "support/number.h"
#include "support/tensors.h"
#include "support/test.h"

enum { BATCH = 1 << 16 };
static uint32_t batch[BATCH];
static size_t n_batch;
static int64_t n_seen;

static void check_scalar(uint32_t bits, uint64_t f16, uint64_t bf16) {
    float value = posenc_f32_of_bits(bits);
    check(number_same(POSENC_F16, posenc_f16_of_f32(value), f16), "scalar f16 of %08x", bits);
    check(number_same(POSENC_BF16, posenc_bf16_of_f32(value), bf16), "scalar bf16 of %08x", bits);
}

static void flush(void) {
    static float in[BATCH];
    static uint16_t want[2][BATCH], got[BATCH];
    const posenc_dtype dtypes[2] = {POSENC_F16, POSENC_BF16};
    memcpy(in, batch, n_batch * sizeof *batch);
    for (size_t i = 0; i < n_batch; i++) {
        double value = number_decode(POSENC_F32, batch[i]);
        for (int d = 0; d < 2; d++) want[d][i] = (uint16_t)number_encode(dtypes[d], value);
        check_scalar(batch[i], want[0][i], want[1][i]);
    }
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++)
        for (int d = 0; d < 2 && posenc_isa_runs((posenc_isa)isa); d++) {
            posenc_kernels_of((posenc_isa)isa)->narrow[dtypes[d]](in, got, n_batch);
            for (size_t i = 0; i < n_batch; i++)
                check(number_same(dtypes[d], want[d][i], got[i]), "%s %s of %08x: expected %04x, got %04x",
                      posenc_isa_text((posenc_isa)isa), posenc_dtype_name(dtypes[d]), batch[i], want[d][i], got[i]);
        }
    n_seen += (int64_t)n_batch;
    n_batch = 0;
}

static void put(uint32_t bits) {
    if (n_batch == BATCH) flush();
    batch[n_batch++] = bits;
}

static void put_both_signs(uint32_t bits) {
    put(bits);
    put(bits ^ UINT32_C(0x80000000));
}

/* The middle of two neighbours has one bit more than they: a float holds it. */
static void put_borders(posenc_dtype dtype) {
    for (uint64_t bits = 0; bits + 1 < number_infinity(dtype); bits++) {
        double middle = (number_decode(dtype, bits) + number_decode(dtype, bits + 1)) / 2;
        uint32_t border = (uint32_t)number_encode(POSENC_F32, middle);
        for (uint32_t step = 0; step < 5; step++) put_both_signs(border + step - (border >= 2 ? 2 : 0));
    }
}

static void test_borders(void **state) {
    (void)state;
    put_borders(POSENC_F16);
    put_borders(POSENC_BF16);
    flush();
}

static void test_every_upper_half(void **state) {
    (void)state;
    static const uint32_t lower[] = {0,      1,      0xFFF,  0x1000, 0x1001, 0x1FFF, 0x2000,
                                     0x3000, 0x7000, 0x7FFF, 0x8000, 0x8001, 0xF000, 0xFFFF};
    for (uint32_t upper = 0; upper < 65536; upper++)
        for (size_t i = 0; i < sizeof lower / sizeof *lower; i++) put(upper << 16 | lower[i]);
    flush();
}

static void test_all_floats(void **state) {
    (void)state;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits++) put((uint32_t)bits);
    flush();
    check(n_seen >= INT64_C(1) << 32, "%" PRId64 " floats", n_seen);
}

/* The scalar widening of all 16-bit patterns. */
static void test_scalar_widening(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 65536; i++) {
        uint64_t f16 = posenc_f32_bits(posenc_f32_of_f16((uint16_t)i)),
                 bf16 = posenc_f32_bits(posenc_f32_of_bf16((uint16_t)i));
        check(number_same(POSENC_F32, f16, number_encode(POSENC_F32, number_decode(POSENC_F16, i))), "f16 %04x", i);
        check(number_same(POSENC_F32, bf16, number_encode(POSENC_F32, number_decode(POSENC_BF16, i))), "bf16 %04x", i);
    }
}

/* Lengths around a vector, both ends guarded, in all four dtypes: f32 is a copy, f64 a widening. */
static void test_lengths(void **state) {
    (void)state;
    random_state random = random_start("narrow lengths");
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        for (size_t n = 0; n < 80; n++)
            for (int way = 0; way < 8; way++) {
                posenc_dtype dtype = encoding_dtypes[way / 2];
                guard_side side = way & 1 ? GUARD_BEFORE : GUARD_BEHIND;
                guard in = guard_make(4 * n, side), out = guard_make(n * posenc_dtype_bytes(dtype), side);
                random_fill(&random, POSENC_F32, in.data, (int64_t)n);
                guard_read_only(&in);
                posenc_kernels_of((posenc_isa)isa)->narrow[dtype]((const float *)(void *)in.data, out.data, n);
                for (size_t i = 0; i < n; i++) {
                    uint64_t want =
                        number_encode(dtype, number_decode(POSENC_F32, number_load(POSENC_F32, in.data + 4 * i)));
                    check(number_load(dtype, out.data + i * posenc_dtype_bytes(dtype)) == want,
                          "%s %s element %zu of %zu", posenc_isa_text((posenc_isa)isa), posenc_dtype_name(dtype), i, n);
                }
                guard_end(&in);
                guard_end(&out);
            }
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scalar_widening), cmocka_unit_test(test_borders),
                                       cmocka_unit_test(test_every_upper_half), cmocka_unit_test(test_lengths)};
    const struct CMUnitTest all[] = {cmocka_unit_test(test_all_floats)};
    return argc > 1 && strcmp(argv[1], "all") == 0 ? TEST_RUN(all) : TEST_RUN(tests);
}
