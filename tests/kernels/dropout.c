/* The kernel that adds, with dropout: v = fma(x, scale, e), then v * factor where the mask keeps and +0 where it drops,
 * then one rounding. Whatever v is, NaN and infinities too: a dropped element is zero. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "support/guard.h"
#include "support/number.h"
#include "support/philox.h"
#include "support/tensors.h"
#include "support/test.h"

typedef struct drop_case {
    posenc_isa isa;
    posenc_dtype dtype, e_dtype;
    size_t rows, n;
    double scale, p;
    bool stream, in_place;
    uint64_t seed, stream_of_masks, element;
} drop_case;

static uint64_t special_or_random(random_state *random, posenc_dtype dtype) {
    switch (random_between(random, 0, 9)) {
        case 0:
            return number_infinity(dtype) + 1;
        case 1:
            return number_with_sign(dtype, number_infinity(dtype), random_u64(random) & 1);
        case 2:
            return number_with_sign(dtype, 0, true);
        case 3:
            return 1;
        default:
            return number_encode(dtype, 8 * random_unit(random) - 4);
    }
}

static guard elements(random_state *random, posenc_dtype dtype, size_t n) {
    guard g = guard_make(n * posenc_dtype_bytes(dtype), random_u64(random) & 1 ? GUARD_BEHIND : GUARD_BEFORE);
    for (size_t i = 0; i < n; i++)
        number_store(dtype, special_or_random(random, dtype), g.data + i * posenc_dtype_bytes(dtype));
    return g;
}

/* f32 for the narrow types: the factor multiplies before the one rounding. */
static uint64_t expected(const drop_case *c, uint64_t x, uint64_t e, uint64_t element) {
    double factor = 1 / (1 - c->p);
    if (!philox_keeps(c->seed, c->stream_of_masks, element, c->p)) return 0;
    if (c->dtype == POSENC_F64)
        return number_encode(POSENC_F64, number_decode(POSENC_F64, number_fused(POSENC_F64, x, c->scale, e)) * factor);
    uint64_t wide = number_encode(POSENC_F32, number_decode(c->dtype, x));
    float v = (float)number_decode(POSENC_F32, number_fused(POSENC_F32, wide, c->scale, e));
    return number_encode(c->dtype, (double)(v * (float)factor));
}

static void run_case(const drop_case *c, random_state *random) {
    size_t total = c->rows * c->n, bytes = posenc_dtype_bytes(c->dtype), e_bytes = posenc_dtype_bytes(c->e_dtype);
    guard x = elements(random, c->dtype, total), e = elements(random, c->e_dtype, total),
          y = elements(random, c->dtype, total);
    if (c->in_place) memcpy(y.data, x.data, total * bytes);
    posenc_add_job job = {.rows = c->rows, .n = c->n, .e = e.data, .y = y.data, .scale = c->scale, .stream = c->stream};
    job.x = c->in_place ? y.data : x.data;
    job.x_bytes = job.y_bytes = (ptrdiff_t)(c->n * bytes);
    job.e_bytes = (ptrdiff_t)(c->n * e_bytes);
    job.element = c->element;
    job.dropout = (posenc_dropout){true, c->seed, c->stream_of_masks, (uint64_t)round(c->p * 0x1p32), 1 / (1 - c->p)};
    posenc_kernels_of(c->isa)->add[c->dtype](&job);
    for (size_t i = 0; i < total; i++) {
        uint64_t want = expected(c, number_load(c->dtype, x.data + i * bytes),
                                 number_load(c->e_dtype, e.data + i * e_bytes), c->element + i);
        uint64_t got = number_load(c->dtype, y.data + i * bytes);
        check(number_same(c->dtype, want, got),
              "%s %s p %g scale %g %zu x %zu element %zu from %" PRIu64 ": expected %" PRIx64 ", got %" PRIx64 "%s%s",
              posenc_isa_text(c->isa), posenc_dtype_name(c->dtype), c->p, c->scale, c->rows, c->n, i, c->element, want,
              got, c->stream ? " streamed" : "", c->in_place ? " in place" : "");
    }
    guard_end(&x);
    guard_end(&e);
    guard_end(&y);
}

static const size_t sizes[] = {0,  1,  2,  3,  4,  5,   7,   8,    9,    15,   16,   17,
                               31, 33, 63, 64, 65, 127, 129, 1000, 1023, 1024, 1025, 2050};

/* 1 - 2^-34 rounds up to 2^32: no word reaches it. 2^-34 rounds down to 0: every word does. */
static const double ps[] = {0.1, 0.5, 0.9, 0x1p-34, 1 - 0x1p-34, 0x1p-32, 1 - 0x1p-32};

static void test_dropout_follows_the_rule(void **state) {
    (void)state;
    random_state random = random_start("kernel dropout");
    const double scales[] = {1, 22.627416997969522, -0.5};
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++)
        for (int d = 0; d < 4 && posenc_isa_runs((posenc_isa)isa); d++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int way = 0; way < 14; way++) {
                    drop_case c = {.isa = (posenc_isa)isa,
                                   .dtype = encoding_dtypes[d],
                                   .e_dtype = encoding_dtypes[d] == POSENC_F64 ? POSENC_F64 : POSENC_F32,
                                   .rows = (size_t)random_between(&random, 0, 4),
                                   .n = sizes[s],
                                   .scale = scales[way % 3],
                                   .p = ps[way % 7],
                                   .stream = way & 1,
                                   .in_place = way & 2,
                                   .seed = random_u64(&random),
                                   .stream_of_masks = random_u64(&random),
                                   .element = (uint64_t)random_between(&random, 0, 9)};
                    if (way & 4) c.element = random_u64(&random);
                    run_case(&c, &random);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dropout_follows_the_rule)};
    return TEST_RUN(tests);
}
