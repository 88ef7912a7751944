/* The arithmetic of relative vectors: the loops for floats and for doubles, and what tells them apart. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elements.h"
#include "schemes/relative.h"

/* Elements that are widened at a time. */
enum { CHUNK = 64 };

/* sums += n packed elements: the kernel that sums rows widens them on the way. */
static void add_elements(const posenc_kernels *kernels, posenc_dtype dtype, const char *from, int64_t n, double *sums) {
    posenc_sum_job job = {.n = (size_t)n, .rows = {.rows = 1, .x = {from}}, .sums = sums};
    job.next = &job.rows;
    kernels->sum[dtype](&job);
}

void posenc_relative_put(const posenc_relative_tensor *t, char *to, const double *values, int64_t n, double factor,
                         bool accumulate) {
    ptrdiff_t step = posenc_relative_step(t);
    for (int64_t i = 0; i < n; i++, to += step) {
        double value = values[i] * factor;
        posenc_put_real_element(t->dtype, accumulate ? posenc_real_element(t->dtype, to) + value : value, to);
    }
}

/* ---- sums that are scaled ---- */

static bool is_power_of_two(double scale) {
    int exponent;
    return fabs(frexp(scale, &exponent)) == 0.5 && exponent > -60 && exponent < 60;
}

/* CHUNK sums from i on. Where the scale is a power of two and nothing leaves the range of normal floats, the sum is
 * rounded once in float too, and three times as fast; elsewhere it is done again. */
static void blend_floats(const void *a, const void *b, int64_t i, double scale, void *out) {
    const float *x = (const float *)a + i, *y = (const float *)b + i, factor = (float)scale;
    float *to = (float *)out + i, sums[CHUNK];
    int beyond = 0;
    for (int k = 0; k < CHUNK; k++) {
        sums[k] = (x[k] + y[k]) * factor;
        beyond |= !(fabsf(sums[k]) >= FLT_MIN) | !(fabsf(sums[k]) <= FLT_MAX);
    }
    for (int k = 0; beyond && k < CHUNK; k++) sums[k] = (float)(((double)x[k] + (double)y[k]) * scale);
    memcpy(to, sums, sizeof sums);
}

/* ---- products ---- */

static void f32_multiply(const posenc_kernels *kernels, const posenc_relative_product *p) {
    kernels->product(&(posenc_product_job){.terms = (size_t)p->terms,
                                           .a = p->a,
                                           .b = p->b,
                                           .a_first = (size_t)p->a_first,
                                           .a_rows = (size_t)p->a_rows,
                                           .b_rows = (size_t)p->b_rows,
                                           .a_row = (size_t)p->a_row,
                                           .a_term = (size_t)p->a_term,
                                           .b_panel = (size_t)p->b_panel,
                                           .c = p->c,
                                           .c_stride = (size_t)p->c_stride,
                                           .limit = INFINITY});
}

/* A row of c by panels of b, plainly: doubles are for tests and for those who have time. */
static void f64_multiply(const posenc_kernels *kernels, const posenc_relative_product *p) {
    (void)kernels;
    int64_t a_term = p->a_row ? p->a_term : POSENC_PANEL, b_panel = p->b_panel ? p->b_panel : p->terms * POSENC_PANEL;
    for (int64_t i = 0; i < p->a_rows; i++) {
        int64_t row = p->a_first + i;
        const double *a = p->a, *b = p->b;
        double *c = (double *)p->c + i * p->c_stride;
        a += p->a_row ? row * p->a_row : row / POSENC_PANEL * p->terms * POSENC_PANEL + row % POSENC_PANEL;
        for (int64_t j = 0; j < p->b_rows; j += POSENC_PANEL, b += b_panel) {
            double sums[POSENC_PANEL] = {0};
            for (int64_t l = 0; l < p->terms; l++)
                for (int k = 0; k < POSENC_PANEL; k++) sums[k] += a[l * a_term] * b[l * POSENC_PANEL + k];
            int64_t n = p->b_rows - j < POSENC_PANEL ? p->b_rows - j : POSENC_PANEL;
            memcpy(c + j, sums, (size_t)n * sizeof *sums);
        }
    }
}

#define real float
#define WIDE 0
#define NAME(name) f32_##name
#define LOOPS posenc_relative_f32
#include "schemes/relative_loops.inc"
#undef real
#undef WIDE
#undef NAME
#undef LOOPS

#define real double
#define WIDE 1
#define NAME(name) f64_##name
#define LOOPS posenc_relative_f64
#include "schemes/relative_loops.inc"
