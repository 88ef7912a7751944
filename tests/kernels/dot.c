/* The kernel of inner products, beside the same sum written from its description: 16 sums by the index, then halves. */
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "support/guard.h"
#include "support/number.h"
#include "support/philox.h"
#include "support/tensors.h"
#include "support/test.h"

static posenc_dtype e_dtype(posenc_dtype dtype) { return dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32; }

static double naive(const posenc_dot_job *job, posenc_dtype dtype, double p) {
    double sums[16] = {0};
    for (size_t i = 0; i < job->n; i++) {
        const char *x = (const char *)job->x + i * posenc_dtype_bytes(dtype);
        const char *e = (const char *)job->e + i * posenc_dtype_bytes(e_dtype(dtype));
        volatile double product =
            number_decode(dtype, number_load(dtype, x)) * number_decode(e_dtype(dtype), number_load(e_dtype(dtype), e));
        bool keeps = !job->dropout.active || philox_keeps(job->dropout.seed, job->dropout.stream, job->element + i, p);
        if (keeps) sums[i % 16] += product;
    }
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++) sums[i] += sums[i + half];
    return sums[0];
}

static void run_case(posenc_isa isa, posenc_dtype dtype, size_t n, double p, random_state *random) {
    guard_side side = random_u64(random) & 1 ? GUARD_BEHIND : GUARD_BEFORE;
    guard x = guard_make(n * posenc_dtype_bytes(dtype), side),
          e = guard_make(n * posenc_dtype_bytes(e_dtype(dtype)), side);
    random_fill(random, dtype, x.data, (int64_t)n);
    random_fill(random, e_dtype(dtype), e.data, (int64_t)n);
    posenc_dot_job job = {.n = n, .x = x.data, .e = e.data, .element = random_u64(random)};
    job.dropout = (posenc_dropout){p > 0, random_u64(random), random_u64(random), (uint64_t)round(p * 0x1p32), 3};
    guard_read_only(&x);
    guard_read_only(&e);
    double want = naive(&job, dtype, p), got = posenc_kernels_of(isa)->dot[dtype](&job);
    check(memcmp(&want, &got, sizeof want) == 0, "%s %s n %zu p %g: expected %.17g, got %.17g", posenc_isa_text(isa),
          posenc_dtype_name(dtype), n, p, want, got);
    guard_end(&x);
    guard_end(&e);
}

static void test_dots(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 511, 1000, 2049};
    static const double ps[] = {0, 0.3, 1 - 0x1p-34};
    random_state random = random_start("kernel dot");
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++)
        for (int d = 0; d < 4 && posenc_isa_runs((posenc_isa)isa); d++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int way = 0; way < 9; way++)
                    run_case((posenc_isa)isa, encoding_dtypes[d], sizes[s], ps[way % 3], &random);
}

/* What dropout drops takes no part, not even as NaN or infinity times 0. */
static void test_dropped_is_left_out(void **state) {
    (void)state;
    float x[100], e[100];
    posenc_dot_job job = {.n = 100, .x = x, .e = e, .dropout = {true, 5, 6, UINT64_C(1) << 31, 2}};
    for (size_t i = 0; i < 100; i++) {
        bool keeps = philox_keeps(5, 6, i, 0.5);
        x[i] = keeps ? 1 : INFINITY, e[i] = keeps ? (float)i : i % 2 ? NAN : 0;
    }
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        check(posenc_kernels_of((posenc_isa)isa)->dot[POSENC_F32](&job) == naive(&job, POSENC_F32, 0.5), "%s",
              posenc_isa_text((posenc_isa)isa));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dots), cmocka_unit_test(test_dropped_is_left_out)};
    return TEST_RUN(tests);
}
