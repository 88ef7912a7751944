/* Little-endian loads and stores at every alignment. */
#include "formats/bytes.h"

#include "support/test.h"

static void loads_follow_the_definition(void **state) {
    random_state random = random_start("bytes");
    (void)state;
    for (int round = 0; round < 1000; round++) {
        uint8_t block[16];
        for (int i = 0; i < 16; i++) block[i] = (uint8_t)random_u64(&random);
        const uint8_t *at = block + round % 8;
        uint64_t sum = 0;
        for (int i = 7; i >= 0; i--) sum = sum * 256 + at[i];
        assert_true(posenc_load_le_u64(at) == sum);
        assert_true(posenc_load_le_u32(at) == (uint32_t)sum);
        assert_true(posenc_load_le_u16(at) == (uint16_t)sum);
    }
}

static void stores_are_loaded_back(void **state) {
    random_state random = random_start("bytes stored");
    (void)state;
    for (int round = 0; round < 1000; round++) {
        uint8_t block[16] = {0};
        uint8_t *at = block + round % 8;
        uint64_t value = random_u64(&random);
        posenc_store_le_u64(at, value);
        assert_true(posenc_load_le_u64(at) == value && at[0] == (uint8_t)value && at[7] == value >> 56);
        posenc_store_le_u32(at, (uint32_t)~value);
        assert_true(posenc_load_le_u32(at) == (uint32_t)~value && at[0] == (uint8_t)~value &&
                    at[4] == (uint8_t)(value >> 32));
        posenc_store_le_u16(at, (uint16_t)value);
        assert_true(posenc_load_le_u16(at) == (uint16_t)value && at[1] == (uint8_t)(value >> 8));
    }
}

static void swaps_reverse(void **state) {
    (void)state;
    assert_true(posenc_swap_u16(0x0102) == 0x0201);
    assert_true(posenc_swap_u32(0x01020304) == 0x04030201);
    assert_true(posenc_swap_u64(UINT64_C(0x0102030405060708)) == UINT64_C(0x0807060504030201));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_follow_the_definition),
        cmocka_unit_test(stores_are_loaded_back),
        cmocka_unit_test(swaps_reverse),
    };
    return TEST_RUN(tests);
}
