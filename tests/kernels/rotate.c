/* The kernel that turns pairs: y_a = x_a c - x_b s, y_b = x_b c + x_a s, in double for f32 and f64, in float for the
 * 16-bit types, rounded once; every order of pairs, on every instruction set. Heads stand between guard pages; x takes
 * random bits, so NaN, infinities and subnormals too. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "support/guard.h"
#include "support/number.h"
#include "support/tensors.h"
#include "support/test.h"

typedef struct rotate_case {
    const posenc_kernels *kernels;
    posenc_dtype dtype;
    posenc_pair_order in, out;
    size_t pairs, before, behind, outer, inner;
    bool stream, in_place, aligned;
    guard_side side;
} rotate_case;

static size_t channels(const rotate_case *c) { return c->before + 2 * c->pairs + c->behind; }

/* Random bits a quarter of the time, else ordinary numbers. */
static uint64_t random_element(random_state *random, posenc_dtype dtype) {
    uint64_t mask = posenc_dtype_bytes(dtype) == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * posenc_dtype_bytes(dtype)) - 1;
    if (random_between(random, 0, 3) == 0) return random_u64(random) & mask;
    return number_encode(dtype, 8 * random_unit(random) - 4);
}

/* ---- the equation ---- */

/* The volatile keeps each operation rounded by itself. */
static uint64_t in_double(posenc_dtype dtype, double a, double c, double b, double s) {
    volatile double first = a * c, second = b * s, sum = first + second;
    return number_encode(dtype, sum);
}
static uint64_t in_float(posenc_dtype dtype, double a, float c, double b, float s) {
    volatile float first = (float)a * c, second = (float)b * s, sum = first + second;
    return number_encode(dtype, (double)sum);
}

/* a * c + b * s, as the dtype has it. */
static uint64_t turned(const rotate_case *c, const void *row, size_t plane, size_t i, uint64_t a, uint64_t b,
                       bool second) {
    double x = number_decode(c->dtype, a), y = number_decode(c->dtype, b);
    if (posenc_dtype_bytes(c->dtype) >= 4) {
        double sine = ((const double *)row)[i], cosine = ((const double *)row)[plane + i];
        return second ? in_double(c->dtype, y, cosine, x, sine) : in_double(c->dtype, x, cosine, y, -sine);
    }
    float sine = ((const float *)row)[i], cosine = ((const float *)row)[plane + i];
    return second ? in_float(c->dtype, y, cosine, x, sine) : in_float(c->dtype, x, cosine, y, -sine);
}

static size_t first_of(posenc_pair_order order, size_t i) { return order == POSENC_PAIRS_HALVES ? i : 2 * i; }
static size_t second_of(posenc_pair_order order, size_t pairs, size_t i) {
    return order == POSENC_PAIRS_HALVES ? pairs + i : 2 * i + 1;
}

/* ---- one case ---- */

static void check_element(const rotate_case *c, const unsigned char *head, size_t channel, uint64_t want) {
    uint64_t got = number_load(c->dtype, head + channel * posenc_dtype_bytes(c->dtype));
    check(number_same(c->dtype, want, got),
          "%s %s, %zu pairs, %zu before, %zu behind, orders %d to %d%s%s: channel %zu: expected %" PRIx64
          ", got %" PRIx64,
          posenc_isa_text(c->kernels->isa), posenc_dtype_name(c->dtype), c->pairs, c->before, c->behind, (int)c->in,
          (int)c->out, c->stream ? " streamed" : "", c->in_place ? " in place" : "", channel, want, got);
}

static void check_head(const rotate_case *c, const void *row, size_t plane, const unsigned char *x,
                       const unsigned char *y) {
    size_t bytes = posenc_dtype_bytes(c->dtype);
    for (size_t i = 0; i < channels(c); i++)
        if (i < c->before || i >= c->before + 2 * c->pairs)
            check_element(c, y, i, number_load(c->dtype, x + i * bytes));
    for (size_t i = 0; i < c->pairs; i++) {
        uint64_t a = number_load(c->dtype, x + (c->before + first_of(c->in, i)) * bytes);
        uint64_t b = number_load(c->dtype, x + (c->before + second_of(c->in, c->pairs, i)) * bytes);
        check_element(c, y, c->before + first_of(c->out, i), turned(c, row, plane, i, a, b, false));
        check_element(c, y, c->before + second_of(c->out, c->pairs, i), turned(c, row, plane, i, a, b, true));
    }
}

/* Rows of the outer loop: a plane of sines and one of cosines each, double or float. */
static char *make_rows(const rotate_case *c, size_t plane, size_t element, random_state *random) {
    size_t n = c->outer * 2 * plane + POSENC_PAIR_PAD;
    char *rows = must_allocate(n * element);
    for (size_t i = 0; i < n; i++) {
        double value = 2 * random_unit(random) - 1;
        if (element == 8)
            ((double *)(void *)rows)[i] = value;
        else
            ((float *)(void *)rows)[i] = (float)value;
    }
    return rows;
}

/* Strides of heads, a gap between them unless aligned. */
static ptrdiff_t stride_of(const rotate_case *c, size_t n, random_state *random) {
    size_t gap = c->aligned ? 0 : (size_t)random_between(random, 0, 3);
    return (ptrdiff_t)((n + gap) * posenc_dtype_bytes(c->dtype));
}

static guard block_of(const rotate_case *c, ptrdiff_t outer, ptrdiff_t inner) {
    size_t bytes = 0;
    if (c->outer > 0 && c->inner > 0)
        bytes = (c->outer - 1) * (size_t)outer + (c->inner - 1) * (size_t)inner +
                channels(c) * posenc_dtype_bytes(c->dtype);
    return guard_make(bytes, c->side);
}

static void fill(posenc_dtype dtype, const guard *g, random_state *random) {
    size_t bytes = posenc_dtype_bytes(dtype);
    for (size_t i = 0; i < g->bytes / bytes; i++)
        number_store(dtype, random_element(random, dtype), g->data + i * bytes);
}

static void run_case(const rotate_case *c, random_state *random) {
    size_t bytes = posenc_dtype_bytes(c->dtype), element = bytes >= 4 ? 8 : 4, plane = posenc_padded_pairs(c->pairs);
    char *rows = make_rows(c, plane, element, random);
    ptrdiff_t x_inner = stride_of(c, channels(c), random),
              y_inner = c->in_place ? x_inner : stride_of(c, channels(c), random);
    ptrdiff_t x_outer = x_inner * (ptrdiff_t)c->inner, y_outer = y_inner * (ptrdiff_t)c->inner;
    guard x = block_of(c, x_outer, x_inner), y = block_of(c, y_outer, y_inner), before = block_of(c, y_outer, y_inner);
    fill(c->dtype, &x, random);
    if (c->in_place) memcpy(y.data, x.data, x.bytes);
    memcpy(before.data, y.data, y.bytes);
    guard_read_only(&x);
    posenc_rotate_job job = {
        .pairs = c->pairs,
        .sines = rows,
        .cosines = rows + plane * element,
        .outer = {c->outer, c->in_place ? y_outer : x_outer, y_outer, (ptrdiff_t)(2 * plane * element)},
        .inner = {c->inner, c->in_place ? y_inner : x_inner, y_inner, 0},
        .x = (const char *)(c->in_place ? y.data : x.data),
        .y = (char *)y.data,
        .before = c->before,
        .behind = c->behind,
        .stream = c->stream};
    c->kernels->rotate[c->dtype][c->in][c->out](&job);
    for (size_t o = 0; o < c->outer; o++)
        for (size_t i = 0; i < c->inner; i++) {
            unsigned char *at = y.data + (ptrdiff_t)o * y_outer + (ptrdiff_t)i * y_inner;
            check_head(c, rows + o * 2 * plane * element, plane,
                       x.data + (ptrdiff_t)o * x_outer + (ptrdiff_t)i * x_inner, at);
            memcpy(at, before.data + (at - y.data), channels(c) * bytes);
        }
    check(y.bytes == 0 || memcmp(y.data, before.data, y.bytes) == 0, "bytes between heads of %zu were written",
          channels(c));
    guard_end(&x);
    guard_end(&y);
    guard_end(&before);
    free(rows);
}

static const size_t sizes[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 128};

static rotate_case random_case(random_state *random, int isa, int dtype, size_t pairs, int way) {
    rotate_case c = {.kernels = posenc_kernels_of((posenc_isa)isa),
                     .dtype = encoding_dtypes[dtype],
                     .pairs = pairs,
                     .outer = (size_t)random_between(random, 0, 3),
                     .inner = (size_t)random_between(random, 0, 3),
                     .in = (posenc_pair_order)(way & 1),
                     .out = (posenc_pair_order)(way >> 1 & 1),
                     .stream = (way & 4) != 0,
                     .side = way & 8 ? GUARD_BEFORE : GUARD_BEHIND,
                     .aligned = (way & 16) != 0};
    c.in_place = c.in == c.out && random_between(random, 0, 1);
    c.before = (size_t)random_between(random, 0, 2) * (c.aligned ? 32 : 1);
    c.behind = (size_t)random_between(random, 0, 2) * (c.aligned ? 32 : 3);
    return c;
}

static void test_rotate_follows_the_equation(void **state) {
    (void)state;
    random_state random = random_start("kernel rotate");
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        for (int d = 0; d < 4; d++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int way = 0; way < 32; way++) {
                    rotate_case c = random_case(&random, isa, d, sizes[s], way);
                    run_case(&c, &random);
                }
    }
}

/* (1 + u) * (1 + u) - 1 * 1 is 2u after two rounded products; a fused operation would keep u^2. */
static void test_nothing_is_fused(void **state) {
    (void)state;
    double rows[64], x[64], y[64];
    for (int i = 0; i < 32; i++) rows[i] = 1, rows[32 + i] = 1 + 0x1p-30, x[i] = 1 + 0x1p-30, x[32 + i] = 1;
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        posenc_rotate_job job = {.pairs = 32,
                                 .sines = rows,
                                 .cosines = rows + 32,
                                 .outer = {1, 0, 0, 0},
                                 .inner = {1, 0, 0, 0},
                                 .x = (const char *)x,
                                 .y = (char *)y};
        posenc_kernels_of((posenc_isa)isa)->rotate[POSENC_F64][0][0](&job);
        for (int i = 0; i < 32; i++)
            check(y[i] == 0x1p-29, "%s: pair %d is %a", posenc_isa_text((posenc_isa)isa), i, y[i]);
    }
}

static void test_rows_are_scaled(void **state) {
    (void)state;
    random_state random = random_start("kernel scale row");
    double in[64], powers[64], out[64];
    float narrow[64];
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        const posenc_kernels *k = posenc_kernels_of((posenc_isa)isa);
        for (int round = 0; round < 50; round++) {
            size_t n = (size_t)random_between(&random, 0, 4) * POSENC_PAIR_PAD;
            double factor = 4 * random_unit(&random) - 2;
            for (size_t i = 0; i < n; i++) in[i] = 2 * random_unit(&random) - 1, powers[i] = 3 * random_unit(&random);
            const double *by = round % 2 ? powers : NULL;
            k->scale_row[POSENC_F64](in, by, factor, out, n);
            k->scale_row[POSENC_F32](in, by, factor, narrow, n);
            for (size_t i = 0; i < n; i++) {
                volatile double want = in[i] * factor;
                if (by) want = want * by[i];
                check(out[i] == want && narrow[i] == (float)want, "%s: %g times %g is %g, expected %g",
                      posenc_isa_text((posenc_isa)isa), in[i], factor, out[i], want);
            }
            k->scale_row[POSENC_F64](in, by, factor, in, n);
            check(memcmp(in, out, n * sizeof *in) == 0, "in place differs");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rotate_follows_the_equation),
                                       cmocka_unit_test(test_nothing_is_fused), cmocka_unit_test(test_rows_are_scaled)};
    return TEST_RUN(tests);
}
