/* The kernels of biases: rows that are windows into a line, and the line of a slope, (first + i) * slope rounded to
 * double and then once to the dtype. */
#include <string.h>

#include "kernels/kernels.h"
#include "support/guard.h"
#include "support/number.h"
#include "support/tensors.h"
#include "support/test.h"

static const size_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 255, 257, 1000};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Rows with gaps between them, whose bytes stay. */
static void check_windows(posenc_isa isa, size_t n, size_t element, random_state *random) {
    size_t rows = (size_t)random_between(random, 0, 5), gap = (size_t)random_between(random, 0, 9) * element;
    ptrdiff_t step = (ptrdiff_t)element * random_between(random, -1, 1);
    size_t most = rows > 1 ? n / element / (rows - 1) : 0;
    size_t shrink = (size_t)random_between(random, 0, most < 2 ? (int64_t)most : 2) * element;
    size_t span = rows > 0 ? (rows - 1) * element + n : 0, out = rows > 0 ? (rows - 1) * (n + gap) + n : 0;
    guard_side side = random_u64(random) & 1 ? GUARD_BEHIND : GUARD_BEFORE;
    guard from = guard_make(span, side), to = guard_make(out, side);
    for (size_t i = 0; i < span; i++) from.data[i] = (unsigned char)random_u64(random);
    guard_read_only(&from);
    const unsigned char *first = step < 0 && rows > 0 ? from.data + (rows - 1) * element : from.data;
    posenc_windows_job job = {.rows = rows,
                              .n = n,
                              .shrink = shrink,
                              .from = (const char *)first,
                              .from_bytes = step,
                              .to = (char *)to.data,
                              .to_bytes = (ptrdiff_t)(n + gap),
                              .stream = random_u64(random) & 1};
    posenc_kernels_of(isa)->windows(&job);
    for (size_t i = 0; i < out; i++) {
        size_t row = i / (n + gap + (n + gap == 0)), at = i % (n + gap + (n + gap == 0));
        unsigned char want = at < n - row * shrink ? first[(ptrdiff_t)row * step + (ptrdiff_t)at] : 0xA5;
        check(to.data[i] == want, "%s: %zu rows of %zu + %zu bytes, byte %zu: expected %02x, got %02x",
              posenc_isa_text(isa), rows, n, gap, i, want, to.data[i]);
    }
    guard_end(&from);
    guard_end(&to);
}

static void test_windows(void **state) {
    (void)state;
    random_state random = random_start("kernel windows");
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++)
        for (size_t element = 2; element <= 8 && posenc_isa_runs((posenc_isa)isa); element *= 2)
            for (int s = 0; s < SIZES; s++)
                for (int round = 0; round < 8; round++)
                    check_windows((posenc_isa)isa, sizes[s] * element, element, &random);
}

static void check_ramp(posenc_isa isa, posenc_dtype dtype, int64_t first, size_t n, double slope, guard_side side) {
    size_t bytes = posenc_dtype_bytes(dtype);
    guard out = guard_make(n * bytes, side);
    posenc_ramp_job job = {first, n, slope, out.data};
    posenc_kernels_of(isa)->ramp[dtype](&job);
    for (size_t i = 0; i < n; i++) {
        volatile double distance = (double)(first + (int64_t)i), product = distance * slope;
        uint64_t want = number_encode(dtype, distance == 0 || slope == 0 ? 0.0 : product),
                 got = number_load(dtype, out.data + i * bytes);
        check(number_same(dtype, want, got), "%s %s: %lld + %zu of %zu times %.17g: expected %g, got %g",
              posenc_isa_text(isa), posenc_dtype_name(dtype), (long long)first, i, n, slope, number_decode(dtype, want),
              number_decode(dtype, got));
    }
    guard_end(&out);
}

static void test_ramps(void **state) {
    (void)state;
    random_state random = random_start("kernel ramp");
    static const double slopes[] = {0.5,     0x1.6a09e667f3bcdp-1, -0.3, 0, 1e-40, 1e300, -0x1p-8, 0x1p-3, 0x1p-99,
                                    0x1p-130};
    static const int64_t firsts[] = {0,
                                     -1,
                                     -17,
                                     1,
                                     1000000,
                                     -((int64_t)1 << 53) - 3,
                                     ((int64_t)1 << 53) - 20,
                                     ((int64_t)1 << 60) + 12345,
                                     ((int64_t)1 << 24) - 600,
                                     -((int64_t)1 << 24) - 1,
                                     -((int64_t)1 << 61)};
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++)
        for (int d = 0; d < 4 && posenc_isa_runs((posenc_isa)isa); d++)
            for (int s = 0; s < SIZES; s++)
                for (int round = 0; round < 14; round++) {
                    int64_t first = round < 11 ? firsts[round] : random_between(&random, -100000, 100000);
                    check_ramp((posenc_isa)isa, encoding_dtypes[d], first, sizes[s],
                               slopes[random_between(&random, 0, 9)], round % 2 ? GUARD_BEHIND : GUARD_BEFORE);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows), cmocka_unit_test(test_ramps)};
    return TEST_RUN(tests);
}
