/* Matrix products and tallies of every instruction set. An element of a product is a chain of operations that depends
 * on its two rows alone, so that plain C can follow it to the bit. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "support/guard.h"
#include "support/tensors.h"
#include "support/test.h"

/* How terms are grouped. */
enum { PART = 32, RUN = 256 };

static size_t panel_floats(size_t rows, size_t terms) {
    return (rows + POSENC_PANEL - 1) / POSENC_PANEL * POSENC_PANEL * terms;
}

static float at(const guard *panels, size_t row, size_t term, size_t terms) {
    const float *all = (const float *)(const void *)panels->data;
    return all[(row / POSENC_PANEL * terms + term) * POSENC_PANEL + row % POSENC_PANEL];
}

/* Panels that end where their page does. Past the last row there is something, which must not matter. */
static guard make_panels(random_state *random, size_t rows, size_t terms) {
    guard g = guard_make(panel_floats(rows, terms) * sizeof(float), GUARD_BEHIND);
    random_fill_f32(random, (float *)(void *)g.data, (int64_t)panel_floats(rows, terms));
    guard_read_only(&g);
    return g;
}

/* The terms first..end-1, added in order; where there are many, the sums of pieces, added in order. */
static float chain(const posenc_product_job *job, const guard *a, const guard *b, size_t i, size_t j, size_t first,
                   size_t end, size_t piece) {
    float all = 0;
    for (size_t l = first; piece > 1 && (l == first || l < end); l += piece) {
        size_t stop = l + piece < end ? l + piece : end;
        float sum = chain(job, a, b, i, j, l, stop, piece == RUN ? PART : 1);
        all = l == first ? sum : all + sum;
    }
    for (size_t l = first; piece == 1 && l < end; l++) {
        float x = at(a, job->a_first + i, l, job->terms), y = at(b, j, l, job->terms);
        all += x * y;
    }
    return all;
}

static float element(const posenc_product_job *job, const guard *a, const guard *b, size_t i, size_t j) {
    float sum = chain(job, a, b, i, j, 0, job->terms, RUN);
    return fminf(fmaxf(sum, -job->limit), job->limit);
}

static void check_product(const posenc_kernels *kernels, const posenc_product_job *job, const guard *a, const guard *b,
                          const guard *c) {
    const float *all = (const float *)(const void *)c->data;
    for (size_t i = 0; i < job->a_rows; i++)
        for (size_t j = 0; j < job->c_stride; j++) {
            size_t place = i * job->c_stride + j;
            if (place >= c->bytes / sizeof *all) continue;
            uint32_t untouched = 0xA5A5A5A5u;
            float want, got = all[place];
            memcpy(&want, &untouched, sizeof want);
            if (j < job->b_rows) want = element(job, a, b, i, j);
            check(memcmp(&want, &got, sizeof want) == 0,
                  "%s: rows %zu + %zu of a, %zu of b, %zu terms, c[%zu, %zu]: expected %.9g, got %.9g",
                  posenc_isa_text(kernels->isa), job->a_first, job->a_rows, job->b_rows, job->terms, i, j, (double)want,
                  (double)got);
        }
}

static void run_product(random_state *random, size_t a_first, size_t a_rows, size_t b_rows, size_t terms, float limit) {
    size_t gap = (size_t)random_between(random, 0, 3);
    guard a = make_panels(random, a_first + a_rows, terms), b = make_panels(random, b_rows, terms);
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        size_t floats = a_rows == 0 ? 0 : (a_rows - 1) * (b_rows + gap) + b_rows;
        guard c = guard_make(floats * sizeof(float), random_u64(random) & 1 ? GUARD_BEHIND : GUARD_BEFORE);
        posenc_product_job job = {.terms = terms,
                                  .a = (const float *)(const void *)a.data,
                                  .b = (const float *)(const void *)b.data,
                                  .a_first = a_first,
                                  .a_rows = a_rows,
                                  .b_rows = b_rows,
                                  .c = (float *)(void *)c.data,
                                  .c_stride = b_rows + gap,
                                  .limit = limit};
        posenc_kernels_of((posenc_isa)isa)->product(&job);
        check_product(posenc_kernels_of((posenc_isa)isa), &job, &a, &b, &c);
        guard_end(&c);
    }
    guard_end(&a);
    guard_end(&b);
}

static void test_products_follow_the_chain(void **state) {
    (void)state;
    random_state random = random_start("kernel product");
    static const size_t rows[] = {0, 1, 5, 6, 7, 12, 13, 48}, columns[] = {0, 1, 15, 16, 17, 31, 32, 33, 64, 65};
    static const size_t terms[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 600};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < sizeof columns / sizeof *columns; j++)
            for (size_t l = 0; l < sizeof terms / sizeof *terms; l++)
                run_product(&random, (size_t)random_between(&random, 0, 40), rows[i], columns[j], terms[l],
                            random_u64(&random) & 1 ? FLT_MAX : 20);
}

/* Plain rows of a, terms far apart in a, and panels of b that are parts of longer ones: the bits of panels. */
static void test_strides(void **state) {
    (void)state;
    enum { ROWS = 19, COLUMNS = 37, TERMS = 300, MORE = 11, FIRST = 5 };
    random_state random = random_start("kernel product, strides");
    guard a = make_panels(&random, FIRST + ROWS, TERMS), b = make_panels(&random, COLUMNS, TERMS);
    size_t long_panel = (TERMS + MORE) * POSENC_PANEL, row = TERMS + MORE, column = FIRST + ROWS;
    float *rows = must_allocate((FIRST + ROWS) * row * sizeof *rows),
          *want = must_allocate(ROWS * COLUMNS * sizeof *want);
    float *columns = must_allocate(TERMS * column * sizeof *columns),
          *got = must_allocate(ROWS * COLUMNS * sizeof *got);
    float *panels = must_allocate(3 * long_panel * sizeof *panels);
    for (size_t r = 0; r < FIRST + ROWS; r++)
        for (size_t l = 0; l < TERMS; l++) rows[r * row + l] = columns[l * column + r] = at(&a, r, l, TERMS);
    for (size_t p = 0; p < 3; p++)
        memcpy(panels + p * long_panel, b.data + p * TERMS * POSENC_PANEL * sizeof *panels,
               TERMS * POSENC_PANEL * sizeof *panels);
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        posenc_product_job job = {TERMS,
                                  (const float *)(const void *)a.data,
                                  (const float *)(const void *)b.data,
                                  .a_first = FIRST,
                                  .a_rows = ROWS,
                                  .b_rows = COLUMNS,
                                  .c = want,
                                  .c_stride = COLUMNS,
                                  .limit = FLT_MAX};
        posenc_kernels_of((posenc_isa)isa)->product(&job);
        job.c = got, job.b = panels, job.b_panel = long_panel;
        for (int turned = 0; turned < 2; turned++) {
            job.a = turned ? columns : rows;
            job.a_row = turned ? 1 : row, job.a_term = turned ? column : 1;
            posenc_kernels_of((posenc_isa)isa)->product(&job);
            check(memcmp(want, got, ROWS * COLUMNS * sizeof *want) == 0, "%s: %s: other bits than from panels",
                  posenc_isa_text((posenc_isa)isa), turned ? "columns" : "rows");
        }
    }
    free(rows), free(want), free(columns), free(got), free(panels);
    guard_end(&a), guard_end(&b);
}

/* c of (a, b) is the transpose of c of (b, a), to the bit. */
static void test_products_are_symmetric(void **state) {
    (void)state;
    enum { N = 53, TERMS = 200 };
    random_state random = random_start("kernel product, symmetric");
    guard a = make_panels(&random, N, TERMS);
    float *c = must_allocate(N * N * sizeof *c);
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        const float *rows = (const float *)(const void *)a.data;
        posenc_kernels_of((posenc_isa)isa)
            ->product(&(posenc_product_job){.terms = TERMS,
                                            .a = rows,
                                            .b = rows,
                                            .a_rows = N,
                                            .b_rows = N,
                                            .c = c,
                                            .c_stride = N,
                                            .limit = FLT_MAX});
        for (int i = 0; i < N; i++)
            for (int j = 0; j < i; j++)
                check(memcmp(&c[i * N + j], &c[j * N + i], sizeof *c) == 0, "%s: c[%d, %d] is %.9g, its mirror %.9g",
                      posenc_isa_text((posenc_isa)isa), i, j, (double)c[i * N + j], (double)c[j * N + i]);
    }
    free(c);
    guard_end(&a);
}

static void run_tally(random_state *random, const posenc_kernels *kernels, size_t n) {
    guard row = guard_make(n * sizeof(float), GUARD_BEHIND), sums = guard_make(n * sizeof(double), GUARD_BEHIND);
    guard least = guard_make(n * sizeof(float), GUARD_BEHIND), most = guard_make(n * sizeof(float), GUARD_BEFORE);
    float *x = (float *)(void *)row.data, *low = (float *)(void *)least.data, *high = (float *)(void *)most.data;
    double *sum = (double *)(void *)sums.data, want_sum[100];
    float want_low[100], want_high[100];
    random_fill_f32(random, x, (int64_t)n);
    for (size_t j = 0; j < n; j++) {
        sum[j] = random_unit(random);
        low[j] = (float)random_unit(random), high[j] = low[j] + (float)random_unit(random);
        want_sum[j] = sum[j] + (double)x[j];
        want_low[j] = fminf(low[j], x[j]), want_high[j] = fmaxf(high[j], x[j]);
    }
    guard_read_only(&row);
    kernels->tally(x, n, sum, low, high);
    must_equal("tally sums", POSENC_F64, want_sum, sum, (int64_t)n);
    must_equal("tally least", POSENC_F32, want_low, low, (int64_t)n);
    must_equal("tally most", POSENC_F32, want_high, high, (int64_t)n);
    guard_end(&row);
    guard_end(&sums);
    guard_end(&least);
    guard_end(&most);
}

static void test_tallies(void **state) {
    (void)state;
    random_state random = random_start("kernel tally");
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++)
        for (size_t n = 0; posenc_isa_runs((posenc_isa)isa) && n <= 100; n++)
            run_tally(&random, posenc_kernels_of((posenc_isa)isa), n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products_follow_the_chain), cmocka_unit_test(test_strides),
                                       cmocka_unit_test(test_products_are_symmetric), cmocka_unit_test(test_tallies)};
    return TEST_RUN(tests);
}
