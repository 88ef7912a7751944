/* The kernel that adds: y = round(fma(x, scale, round(gain * e))), fused in f32 (f64 for f64) and then rounded to the
 * dtype of x. x takes every 16-bit pattern; NaN, infinities and subnormals in every dtype. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "support/guard.h"
#include "support/number.h"
#include "support/tensors.h"
#include "support/test.h"

static posenc_dtype e_dtype(posenc_dtype dtype) { return dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32; }

/* Random bits half of the time: they include NaN, infinities, subnormals and zeros of both signs. */
static uint64_t random_element(random_state *random, posenc_dtype dtype) {
    uint64_t mask = posenc_dtype_bytes(dtype) == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * posenc_dtype_bytes(dtype)) - 1;
    uint64_t infinity = number_infinity(dtype), sign = mask ^ (mask >> 1);
    const uint64_t special[] = {0,
                                sign,
                                infinity,
                                infinity | sign,
                                infinity + 1,
                                mask,
                                1,
                                infinity - 1,
                                UINT64_C(1) << (number_format_of(dtype).precision - 1)};
    switch (random_between(random, 0, 3)) {
        case 0:
            return random_u64(random) & mask;
        case 1:
            return special[random_between(random, 0, 8)];
        default:
            return number_encode(dtype, 8 * random_unit(random) - 4);
    }
}

static void fill(random_state *random, posenc_dtype dtype, const guard *g) {
    size_t bytes = posenc_dtype_bytes(dtype);
    for (size_t i = 0; i < g->bytes / bytes; i++)
        number_store(dtype, random_element(random, dtype), g->data + i * bytes);
}

typedef struct add_case {
    const posenc_kernels *kernels;
    posenc_dtype dtype;
    size_t rows, n;
    double scale, gain;
    bool stream, in_place, one_row_of_e, e_anywhere;
    guard_side side;
} add_case;

/* Rows stand gap elements apart; the last one has none behind it, so that the block ends flush with its page. */
static ptrdiff_t row_bytes(random_state *random, posenc_dtype dtype, size_t n) {
    return (ptrdiff_t)((n + (size_t)random_between(random, 0, 5)) * posenc_dtype_bytes(dtype));
}

static guard rows_of(const add_case *c, posenc_dtype dtype, ptrdiff_t stride) {
    size_t bytes = c->rows == 0 || c->n == 0 ? 0 : (c->rows - 1) * (size_t)stride + c->n * posenc_dtype_bytes(dtype);
    return guard_make(bytes, c->side);
}

/* round(gain * e), with the gain in the precision of e. */
static uint64_t gained(posenc_dtype dtype, uint64_t e, double gain) {
    volatile double product = number_decode(dtype, e) * (dtype == POSENC_F64 ? gain : (double)(float)gain);
    return number_encode(dtype, product);
}

static void check_rows(const add_case *c, const posenc_add_job *job, const guard *x, const guard *e, const guard *y,
                       const guard *y_before) {
    size_t bytes = posenc_dtype_bytes(c->dtype), e_bytes = posenc_dtype_bytes(e_dtype(c->dtype));
    for (size_t r = 0; r < c->rows; r++)
        for (size_t i = 0; i < c->n; i++) {
            uint64_t xe = number_load(c->dtype, x->data + r * (size_t)job->x_bytes + i * bytes);
            size_t e_row =
                c->e_anywhere ? (size_t)((const unsigned char *)job->e_at[r] - e->data) : r * (size_t)job->e_bytes;
            uint64_t ee = number_load(e_dtype(c->dtype), e->data + e_row + i * e_bytes);
            if (c->gain != 1) ee = gained(e_dtype(c->dtype), ee, c->gain);
            unsigned char *place = y->data + r * (size_t)job->y_bytes + i * bytes;
            uint64_t want = number_fused(c->dtype, xe, c->scale, ee), got = number_load(c->dtype, place);
            check(number_same(c->dtype, want, got),
                  "%s %s row %zu of %zu element %zu of %zu: %" PRIx64 " * %.17g + %" PRIx64 ": expected %" PRIx64
                  ", got %" PRIx64 "%s%s",
                  posenc_isa_text(c->kernels->isa), posenc_dtype_name(c->dtype), r, c->rows, i, c->n, xe, c->scale, ee,
                  want, got, c->stream ? " streamed" : "", c->in_place ? " in place" : "");
            memcpy(place, y_before->data + (place - y->data), bytes);
        }
    check(y->bytes == 0 || memcmp(y->data, y_before->data, y->bytes) == 0, "bytes between rows of %zu were written",
          c->n);
}

static void run_case(const add_case *c, random_state *random) {
    posenc_dtype e_type = e_dtype(c->dtype);
    posenc_add_job job = {.rows = c->rows, .n = c->n, .scale = c->scale, .stream = c->stream};
    job.x_bytes = row_bytes(random, c->dtype, c->n);
    job.e_bytes = c->one_row_of_e ? 0 : row_bytes(random, e_type, c->n);
    job.y_bytes = c->in_place ? job.x_bytes : row_bytes(random, c->dtype, c->n);
    guard x = rows_of(c, c->dtype, job.x_bytes), e = rows_of(c, e_type, job.e_bytes),
          y = rows_of(c, c->dtype, job.y_bytes);
    guard before = rows_of(c, c->dtype, job.y_bytes);
    fill(random, c->dtype, &x);
    fill(random, e_type, &e);
    if (c->in_place) memcpy(y.data, x.data, x.bytes);
    memcpy(before.data, y.data, y.bytes);
    guard_read_only(&x);
    guard_read_only(&e);
    job.x = c->in_place ? y.data : x.data;
    job.e = e.data;
    job.y = y.data;
    const void *e_at[6];
    for (size_t r = 0; r < c->rows; r++)
        e_at[r] = e.data + (size_t)random_between(random, 0, (int64_t)c->rows - 1) * (size_t)job.e_bytes;
    if (c->e_anywhere) job.e_at = e_at, job.e = NULL;
    if (c->gain != 1) job.gain = &c->gain;
    c->kernels->add[c->dtype](&job);
    check_rows(c, &job, &x, &e, &y, &before);
    guard_end(&x);
    guard_end(&e);
    guard_end(&y);
    guard_end(&before);
}

static const size_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000};

static void test_add_follows_the_equation(void **state) {
    (void)state;
    random_state random = random_start("kernel add");
    const double scales[] = {1, 22.627416997969522, 0.5, 1e-3, -1, 0}, gains[] = {1, 1, -1.3, 0, 1e-30};
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        for (int d = 0; d < 4; d++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int way = 0; way < 32; way++) {
                    add_case c = {.kernels = posenc_kernels_of((posenc_isa)isa),
                                  .dtype = encoding_dtypes[d],
                                  .rows = (size_t)random_between(&random, 0, 6),
                                  .n = sizes[s],
                                  .scale = scales[way % 6],
                                  .gain = gains[random_between(&random, 0, 4)],
                                  .e_anywhere = random_between(&random, 0, 2) == 0,
                                  .stream = way & 1,
                                  .in_place = (way & 2) != 0,
                                  .one_row_of_e = (way & 4) != 0,
                                  .side = way & 8 ? GUARD_BEFORE : GUARD_BEHIND};
                    run_case(&c, &random);
                }
    }
}

/* x * 1 + 0 gives back every 16-bit number, so every pattern is widened and narrowed right. */
static void test_every_16_bit_pattern(void **state) {
    (void)state;
    static uint16_t x[65536], y[65536];
    static float e[65536];
    for (size_t i = 0; i < 65536; i++) x[i] = (uint16_t)i;
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        for (int d = 2; d < 4; d++) {
            posenc_dtype dtype = encoding_dtypes[d];
            posenc_add_job job = {.rows = 1, .n = 65536, .x = x, .e = e, .y = y, .scale = 1};
            posenc_kernels_of((posenc_isa)isa)->add[dtype](&job);
            for (size_t i = 0; i < 65536; i++) {
                uint64_t want = i == 0x8000 ? 0 : i; /* -0 + 0 = +0 */
                check(number_same(dtype, want, y[i]), "%s %s: %zx came back as %x", posenc_isa_text((posenc_isa)isa),
                      posenc_dtype_name(dtype), i, y[i]);
            }
        }
    }
}

/* A rounded product before the sum would give 0 here: (1 + u)(1 - u) - 1 = -u^2. */
static void test_the_sum_is_fused(void **state) {
    (void)state;
    float x[40], e[40], y[40];
    double dx[40], de[40], dy[40];
    for (int i = 0; i < 40; i++) x[i] = 1 + 0x1p-12f, e[i] = -1, dx[i] = 1 + 0x1p-30, de[i] = -1;
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        const posenc_kernels *k = posenc_kernels_of((posenc_isa)isa);
        k->add[POSENC_F32](&(posenc_add_job){.rows = 1, .n = 40, .x = x, .e = e, .y = y, .scale = 1 - 0x1p-12});
        k->add[POSENC_F64](&(posenc_add_job){.rows = 1, .n = 40, .x = dx, .e = de, .y = dy, .scale = 1 - 0x1p-30});
        for (int i = 0; i < 40; i++) {
            check(y[i] == -0x1p-24f, "%s f32 element %d is %g", posenc_isa_text((posenc_isa)isa), i, (double)y[i]);
            check(dy[i] == -0x1p-60, "%s f64 element %d is %g", posenc_isa_text((posenc_isa)isa), i, dy[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_add_follows_the_equation),
                                       cmocka_unit_test(test_every_16_bit_pattern),
                                       cmocka_unit_test(test_the_sum_is_fused)};
    return TEST_RUN(tests);
}
