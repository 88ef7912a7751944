/* The kernel that sums rows of a gradient: sums[j] += x[r][j] * weights[r] in double, row after row, product and sum
 * rounded one after the other, where the mask keeps elements[r] + j. */
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "support/guard.h"
#include "support/number.h"
#include "support/philox.h"
#include "support/tensors.h"
#include "support/test.h"

typedef struct sum_case {
    posenc_isa isa;
    posenc_dtype dtype;
    size_t n, rows, next_rows;
    double weight, p;
} sum_case;

static double naive(const sum_case *c, const posenc_sum_job *job, double sum, size_t j) {
    for (size_t r = 0; r < c->rows; r++) {
        const unsigned char *x = job->rows.x[r];
        volatile double product =
            number_decode(c->dtype, number_load(c->dtype, x + j * posenc_dtype_bytes(c->dtype))) * job->rows.weights[r];
        const posenc_dropout *d = &job->dropout;
        if (c->p > 0 && !philox_keeps(d->seed, d->stream, job->rows.elements[r] + j, c->p)) product = 0;
        sum += product;
    }
    return sum;
}

/* Rows stand apart, each flush with a page that nobody may touch; so do those of the next call, which are only fetched.
 */
static void run_case(const sum_case *c, random_state *random) {
    size_t bytes = posenc_dtype_bytes(c->dtype);
    guard_side side = random_u64(random) & 1 ? GUARD_BEHIND : GUARD_BEFORE;
    guard x[POSENC_SUM_ROWS], sums = guard_make(c->n * sizeof(double), side);
    static double before[4096];
    random_fill(random, POSENC_F64, sums.data, (int64_t)c->n);
    memcpy(before, sums.data, c->n * sizeof(double));
    posenc_sum_rows next = {.rows = c->next_rows};
    posenc_sum_job job = {.n = c->n, .next = &next, .weighted = c->weight != 1, .sums = (double *)(void *)sums.data};
    job.rows.rows = c->rows;
    for (size_t r = 0; r < POSENC_SUM_ROWS; r++) {
        x[r] = guard_make(c->n * bytes, side);
        random_fill(random, c->dtype, x[r].data, (int64_t)c->n);
        job.rows.x[r] = next.x[POSENC_SUM_ROWS - 1 - r] = x[r].data;
        job.rows.weights[r] = c->weight * (c->weight != 1 ? (double)(r + 1) : 1);
        job.rows.elements[r] = random_u64(random);
        guard_read_only(&x[r]);
    }
    job.dropout = (posenc_dropout){c->p > 0, random_u64(random), random_u64(random), (uint64_t)round(c->p * 0x1p32), 3};
    posenc_kernels_of(c->isa)->sum[c->dtype](&job);
    for (size_t j = 0; j < c->n; j++) {
        double want = naive(c, &job, before[j], j);
        check(want == job.sums[j], "%s %s n %zu rows %zu weight %g p %g at %zu: expected %.17g, got %.17g",
              posenc_isa_text(c->isa), posenc_dtype_name(c->dtype), c->n, c->rows, c->weight, c->p, j, want,
              job.sums[j]);
    }
    for (size_t r = 0; r < POSENC_SUM_ROWS; r++) guard_end(&x[r]);
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
                for (int way = 0; way < 9; way++) {
                    sum_case c = {(posenc_isa)isa, encoding_dtypes[d], sizes[s], 0, 0, weights[way / 3], ps[way % 3]};
                    c.rows = (size_t)random_between(&random, 0, POSENC_SUM_ROWS);
                    c.next_rows = (size_t)random_between(&random, 0, POSENC_SUM_ROWS);
                    run_case(&c, &random);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums)};
    return TEST_RUN(tests);
}
