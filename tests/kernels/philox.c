/* The random words behind dropout: known answers of the paper's authors, and every instruction set against Philox
 * written out one block at a time, also where the counter carries. */
#include <inttypes.h>
#include <string.h>

#include "kernels/kernels.h"
#include "support/guard.h"
#include "support/philox.h"
#include "support/test.h"

/* From kat_vectors of Random123, the authors' own code. */
static const struct {
    uint32_t counter[4], key[2], words[4];
} known[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static uint64_t join(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

static void test_known_answers(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        uint32_t words[4 + POSENC_PHILOX_PAD];
        philox_block(known[k].counter, known[k].key, words);
        assert_memory_equal(words, known[k].words, sizeof known[k].words);
        for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
            if (!posenc_isa_runs((posenc_isa)isa)) continue;
            memset(words, 0, sizeof words);
            posenc_kernels_of((posenc_isa)isa)
                ->philox(join(known[k].key[0], known[k].key[1]), join(known[k].counter[2], known[k].counter[3]),
                         join(known[k].counter[0], known[k].counter[1]), 1, words);
            check(memcmp(words, known[k].words, sizeof known[k].words) == 0, "%s, known answer %zu",
                  posenc_isa_text((posenc_isa)isa), k);
        }
    }
}

/* Room for exactly 4n + POSENC_PHILOX_PAD words, between pages that fault. */
static void check_blocks(posenc_isa isa, uint64_t seed, uint64_t stream, uint64_t first, size_t n) {
    guard g = guard_make((4 * n + POSENC_PHILOX_PAD) * sizeof(uint32_t), GUARD_BEHIND);
    uint32_t *words = (uint32_t *)(void *)g.data;
    posenc_kernels_of(isa)->philox(seed, stream, first, n, words);
    for (size_t i = 0; i < 4 * n; i++) {
        uint64_t counter = first + i / 4;
        const uint32_t c[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)stream,
                               (uint32_t)(stream >> 32)};
        const uint32_t k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
        uint32_t want[4];
        philox_block(c, k, want);
        check(words[i] == want[i % 4],
              "%s seed %" PRIx64 " stream %" PRIx64 " block %" PRIx64 " (%zu of %zu) word %zu: expected %08x, got %08x",
              posenc_isa_text(isa), seed, stream, counter, i / 4, n, i % 4, want[i % 4], words[i]);
    }
    guard_end(&g);
}

/* Every way in which 2^32 and 2^64 may lie inside the blocks that go together. */
static void test_carries(void **state) {
    (void)state;
    static const uint64_t edges[] = {0, UINT64_C(0x100000000), UINT64_C(0x2345678900000000),
                                     UINT64_C(0xFFFFFFFF00000000)};
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++)
        for (size_t e = 0; e < sizeof edges / sizeof *edges && posenc_isa_runs((posenc_isa)isa); e++)
            for (uint64_t before = 0; before <= 40; before++)
                check_blocks((posenc_isa)isa, UINT64_C(0xFEDCBA9876543210), UINT64_C(0x8000000000000001),
                             edges[e] - before, 45);
}

static void test_random_counters(void **state) {
    (void)state;
    random_state random = random_start("philox");
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++)
        for (int i = 0; i < 300 && posenc_isa_runs((posenc_isa)isa); i++) {
            uint64_t seed = random_u64(&random), stream = random_u64(&random), first = random_u64(&random);
            check_blocks((posenc_isa)isa, seed, stream, first, (size_t)random_between(&random, 0, 70));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_answers), cmocka_unit_test(test_carries),
                                       cmocka_unit_test(test_random_counters)};
    return TEST_RUN(tests);
}
