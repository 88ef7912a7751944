/* The kernel that sums rows of a gradient: sums[j] += x[j] * weight in double, product and sum rounded one after the other,
 * where the mask keeps element + j. */
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "support/guard.h"
#include "support/number.h"
#include "support/philox.h"
#include "support/tensors.h"
#include "support/test.h"

static void run_case(posenc_isa isa, posenc_dtype dtype, size_t n, double weight, double p, random_state *random) {
    size_t bytes = posenc_dtype_bytes(dtype);
    guard_side side = random_u64(random) & 1 ? GUARD_BEHIND : GUARD_BEFORE;
    guard x = guard_make(n * bytes, side), sums = guard_make(n * sizeof(double), side);
    static double before[4096];
    random_fill(random, dtype, x.data, (int64_t)n);
    random_fill(random, POSENC_F64, sums.data, (int64_t)n);
    memcpy(before, sums.data, n * sizeof(double));
    posenc_sum_job job = {.n = n, .x = x.data, .sums = (double *)(void *)sums.data, .weight = weight, .next = x.data};
    job.element = random_u64(random);
    job.dropout = (posenc_dropout){p > 0, random_u64(random), random_u64(random), (uint64_t)round(p * 0x1p32), 3};
    posenc_kernels_of(isa)->sum[dtype](&job);
    for (size_t j = 0; j < n; j++) {
        volatile double product = number_decode(dtype, number_load(dtype, x.data + j * bytes)) * weight;
        if (p > 0 && !philox_keeps(job.dropout.seed, job.dropout.stream, job.element + j, p)) product = 0;
        double want = before[j] + product;
        check(want == job.sums[j], "%s %s n %zu weight %g p %g at %zu: expected %.17g, got %.17g", posenc_isa_text(isa),
              posenc_dtype_name(dtype), n, weight, p, j, want, job.sums[j]);
    }
    guard_end(&x);
    guard_end(&sums);
}

static void test_sums(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000, 2048};
    static const double weights[] = {1, 0.25, -1.7}, ps[] = {0, 0.3, 1 - 0x1p-34};
    random_state random = random_start("kernel sum");
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++)
        for (int d = 0; d < 4 && posenc_isa_runs((posenc_isa)isa); d++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int way = 0; way < 9; way++)
                    run_case((posenc_isa)isa, encoding_dtypes[d], sizes[s], weights[way / 3], ps[way % 3], &random);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums)};
    return TEST_RUN(tests);
}
