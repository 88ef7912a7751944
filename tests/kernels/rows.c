/* The kernels that write encoded rows, or add them to x. Their equation, for a digit d below a high phasor:
 *     sin = high_sin * cos_d + high_cos * sin_d,   cos = high_cos * cos_d - high_sin * sin_d
 * in plain double operations, then one rounding to the dtype; or, where x is added, to f32 (f64 for f64), and the fused
 * sum rounded to the dtype. The conversions get doubles that lie at and just beside the middle of two neighbours. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "support/guard.h"
#include "support/number.h"
#include "support/tensors.h"
#include "support/test.h"

/* Inputs for one run, all in guarded memory that is read-only while the kernel runs. */
typedef struct inputs {
    size_t pairs, padded, stride;
    guard high_sin, high_cos, digit;
} inputs;

/* Pair arrays are 64-byte aligned and padded, so a block that ends at a page end begins aligned. */
static inputs inputs_make(size_t pairs, guard_side side) {
    inputs in = {.pairs = pairs, .padded = posenc_padded_pairs(pairs)};
    in.stride = 2 * in.padded;
    in.high_sin = guard_make(in.padded * sizeof(double), side);
    in.high_cos = guard_make(in.padded * sizeof(double), side);
    in.digit = guard_make(POSENC_DIGIT_ROWS * in.stride * sizeof(double), side);
    return in;
}

static void inputs_end(inputs *in) {
    guard_end(&in->high_sin);
    guard_end(&in->high_cos);
    guard_end(&in->digit);
}

static double *doubles(const guard *g) { return (double *)(void *)g->data; }

/* Unit phasors, a zero angle now and then; what lies in the padding must never show, so it is NaN. */
static void fill_phasors(random_state *random, double *sines, double *cosines, size_t pairs, size_t padded) {
    for (size_t i = 0; i < padded; i++) {
        double angle = random_between(random, 0, 15) ? 6.3 * random_unit(random) : 0;
        sines[i] = i < pairs ? sin(angle) : (double)NAN;
        cosines[i] = i < pairs ? cos(angle) : (double)NAN;
    }
}

static void fill_inputs(random_state *random, inputs *in) {
    fill_phasors(random, doubles(&in->high_sin), doubles(&in->high_cos), in->pairs, in->padded);
    for (size_t r = 0; r < POSENC_DIGIT_ROWS; r++) {
        double *sines = doubles(&in->digit) + r * in->stride;
        fill_phasors(random, sines, sines + in->stride / 2, in->pairs, in->padded);
    }
}

/* The slow version. volatile keeps a compiler from fusing or widening. */
static double expected(const posenc_rows_job *job, int d, size_t i, bool is_sine) {
    const double *row = job->digit + (size_t)abs(d) * job->digit_stride;
    double sine = d < 0 ? -row[i] : row[i], cosine = row[job->digit_stride / 2 + i];
    volatile double a = is_sine ? job->high_sin[i] * cosine : job->high_cos[i] * cosine;
    volatile double b = is_sine ? job->high_cos[i] * sine : job->high_sin[i] * sine;
    return is_sine ? a + b : a - b;
}

/* x: the element to add to, or NULL. */
static void check_element(const posenc_rows_job *job, posenc_dtype dtype, const char *element, const char *x, int d,
                          size_t i, bool is_sine, const char *what) {
    double value = expected(job, d, i, is_sine);
    uint64_t want = number_encode(dtype, value), got = number_load(dtype, element);
    uint64_t e = number_encode(dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32, value);
    if (x) want = number_fused(dtype, number_load(dtype, x), job->scale, e);
    check(number_same(dtype, want, got), "%s digit %d pair %zu %s: expected %.17g = %" PRIx64 ", got %" PRIx64, what, d,
          i, is_sine ? "sin" : "cos", value, want, got);
}

/* Offset in bytes of a pair's member within a row. */
static ptrdiff_t place(const posenc_rows_job *job, posenc_arrangement arrangement, size_t bytes, size_t i,
                       bool is_sine) {
    if (arrangement == POSENC_PLANAR) return (is_sine ? job->first_bytes : job->second_bytes) + (ptrdiff_t)(i * bytes);
    bool second = is_sine == (arrangement == POSENC_COS_SIN);
    return (ptrdiff_t)((2 * i + second) * bytes);
}

/* How many elements of a row are sines, and cosines. */
static size_t emitted(const posenc_rows_job *job, posenc_arrangement arrangement, bool is_sine) {
    return is_sine == (arrangement != POSENC_COS_SIN) ? job->n_first : job->n_second;
}

typedef struct layout_case {
    posenc_dtype dtype;
    posenc_arrangement arrangement;
    size_t pairs;
    bool odd, stream, add, in_place;
    guard_side side;
    const posenc_kernels *kernels;
} layout_case;

/* Sets where rows and planes stand: some room between rows, planes in either order, and rows forward or backward. */
static size_t lay_out(posenc_rows_job *job, const layout_case *c, random_state *random) {
    size_t bytes = posenc_dtype_bytes(c->dtype), n = job->n_first + job->n_second;
    size_t gap = bytes * (size_t)random_between(random, 0, 2) * (size_t)random_between(random, 0, 9);
    size_t between = c->arrangement == POSENC_PLANAR ? bytes * (size_t)random_between(random, 0, 3) : 0;
    size_t row = n * bytes + between + gap;
    job->row_bytes = (ptrdiff_t)row;
    if (c->arrangement == POSENC_PLANAR && random_u64(random) & 1)
        job->first_bytes = (ptrdiff_t)(job->n_second * bytes + between);
    else if (c->arrangement == POSENC_PLANAR)
        job->second_bytes = (ptrdiff_t)(job->n_first * bytes + between);
    return (size_t)job->count * row - gap;
}

/* Every byte that no element owns still holds the guard's pattern: each is owned by at most one. */
static void check_gaps(const posenc_rows_job *job, const layout_case *c, const guard *out, const char *what) {
    size_t bytes = posenc_dtype_bytes(c->dtype), owned = 0, pattern = 0;
    unsigned char *copy = must_allocate(out->bytes);
    memcpy(copy, out->data, out->bytes);
    for (int k = 0; k < job->count; k++)
        for (int sine = 0; sine < 2; sine++)
            for (size_t i = 0; i < emitted(job, c->arrangement, sine); i++, owned += bytes) {
                ptrdiff_t at = (job->out - (char *)out->data) + k * job->row_bytes;
                memset(copy + at + place(job, c->arrangement, bytes, i, sine), 0xA5, bytes);
            }
    for (size_t i = 0; i < out->bytes; i++) pattern += copy[i] == 0xA5;
    check(pattern == out->bytes, "%s: %zu bytes between rows were written", what, out->bytes - pattern);
    free(copy);
}

static void describe(const layout_case *c, const posenc_rows_job *job, char *what, size_t capacity) {
    snprintf(what, capacity, "%s %s arrangement %d, %zu+%zu pairs, rows %d..%d of %td bytes%s%s%s",
             posenc_isa_text(c->kernels->isa), posenc_dtype_name(c->dtype), (int)c->arrangement, job->n_first,
             job->n_second, job->first, job->first + job->count - 1, job->row_bytes, c->stream ? ", streamed" : "",
             c->add ? ", added" : "", c->in_place ? " in place" : "");
}

static void check_rows(const layout_case *c, const posenc_rows_job *job, const char *x, const char *what) {
    size_t bytes = posenc_dtype_bytes(c->dtype);
    for (int k = 0; k < job->count; k++)
        for (int sine = 0; sine < 2; sine++)
            for (size_t i = 0; i < emitted(job, c->arrangement, sine); i++) {
                ptrdiff_t at = place(job, c->arrangement, bytes, i, sine);
                const char *x_element = c->add ? x + k * job->x_row_bytes + at : NULL;
                check_element(job, c->dtype, job->out + k * job->row_bytes + at, x_element, job->first + k, i, sine,
                              what);
            }
}

/* Random elements where x has some; between them stays the guard's pattern. */
static void fill_x(const layout_case *c, const posenc_rows_job *job, char *x, random_state *random) {
    size_t bytes = posenc_dtype_bytes(c->dtype);
    for (int k = 0; k < job->count; k++)
        for (int sine = 0; sine < 2; sine++)
            for (size_t i = 0; i < emitted(job, c->arrangement, sine); i++)
                number_store(c->dtype, number_encode(c->dtype, 8 * random_unit(random) - 4),
                             x + k * job->x_row_bytes + place(job, c->arrangement, bytes, i, sine));
}

static posenc_rows_job random_job(const layout_case *c, const inputs *in, random_state *random) {
    posenc_rows_job job = {
        .high_sin = doubles(&in->high_sin),
        .high_cos = doubles(&in->high_cos),
        .digit = doubles(&in->digit),
        .digit_stride = in->stride,
        .first = (int)random_between(random, -32, 31),
        .n_first = c->pairs,
        .n_second = c->pairs - (c->odd && c->pairs > 0),
        .stream = c->stream,
        .scale = random_u64(random) & 1 ? 1 : 5.5,
    };
    job.count = (int)random_between(random, 0, 32 - job.first);
    if (random_between(random, 0, 3) == 0) job.first = -32, job.count = 64;
    return job;
}

/* Runs the kernel; out may be walked backwards. x is read-only unless it is out. */
static void run_job(const layout_case *c, posenc_rows_job *job, guard *x, guard *out, random_state *random) {
    char what[240];
    job->out = (char *)out->data;
    job->x = (char *)x->data;
    job->x_row_bytes = job->row_bytes;
    if (out->bytes > 0 && random_between(random, 0, 7) == 0) {
        job->out += (job->count - 1) * job->row_bytes;
        job->x += (job->count - 1) * job->row_bytes;
        job->row_bytes = job->x_row_bytes = -job->row_bytes;
    }
    char *given = (char *)x->data + (job->x - (char *)x->data);
    if (out->bytes > 0) fill_x(c, job, given, random);
    if (c->in_place) memcpy(out->data, x->data, out->bytes);
    guard_read_only(x);
    if (c->in_place) job->x = job->out;
    (c->add ? c->kernels->add_rows : c->kernels->rows)[c->dtype][c->arrangement](job);
    describe(c, job, what, sizeof what);
    check_rows(c, job, given, what);
    check_gaps(job, c, out, what);
}

static void run_case(const layout_case *c, random_state *random) {
    inputs in = inputs_make(c->pairs, c->side);
    fill_inputs(random, &in);
    posenc_rows_job job = random_job(c, &in, random);
    size_t total = lay_out(&job, c, random);
    if (job.count == 0 || c->pairs == 0) total = 0;
    guard out = guard_make(total, c->side), x = guard_make(total, c->side);
    guard_read_only(&in.high_sin);
    guard_read_only(&in.high_cos);
    guard_read_only(&in.digit);
    run_job(c, &job, &x, &out, random);
    guard_end(&out);
    guard_end(&x);
    inputs_end(&in);
}

static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 200, 513};

/* The ways of one size: odd, streamed, added, in place, guarded before or behind. */
static void run_ways(layout_case c, random_state *random) {
    for (int way = 0; way < 32; way++) {
        c.odd = way & 1;
        c.stream = (way & 2) != 0;
        c.side = way & 4 ? GUARD_BEFORE : GUARD_BEHIND;
        c.add = (way & 8) != 0;
        c.in_place = (way & 16) != 0;
        if (c.odd && c.arrangement == POSENC_PLANAR) continue; /* planes are equally long */
        if (c.add ? !c.kernels->add_rows[c.dtype][c.arrangement] : c.in_place) continue;
        run_case(&c, random);
    }
}

static void test_rows_follow_the_equation(void **state) {
    (void)state;
    random_state random = random_start("kernel rows");
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        for (int d = 0; d < 4; d++)
            for (int a = 0; a < POSENC_ARRANGEMENTS; a++)
                for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                    run_ways((layout_case){.kernels = posenc_kernels_of((posenc_isa)isa),
                                           .dtype = encoding_dtypes[d],
                                           .arrangement = (posenc_arrangement)a,
                                           .pairs = sizes[s]},
                             &random);
    }
}

/* With a high phasor of (0, 1) digit 1 passes its sine through unchanged: any double can be sent to the conversion. */
static void convert(const posenc_kernels *kernels, posenc_dtype dtype, const double *values, size_t n, void *out) {
    inputs in = inputs_make(n, GUARD_BEHIND);
    fill_phasors(&(random_state){{1, 2, 3, 4}}, doubles(&in.digit), doubles(&in.digit) + in.stride / 2, n, in.padded);
    double *row = doubles(&in.digit) + in.stride;
    for (size_t i = 0; i < in.padded; i++) {
        doubles(&in.high_sin)[i] = 0;
        doubles(&in.high_cos)[i] = 1;
        row[i] = i < n ? values[i] : 0;
        row[in.stride / 2 + i] = 0;
    }
    posenc_rows_job job = {.high_sin = doubles(&in.high_sin),
                           .high_cos = doubles(&in.high_cos),
                           .digit = doubles(&in.digit),
                           .digit_stride = in.stride,
                           .first = 1,
                           .count = 1,
                           .out = out,
                           .row_bytes = (ptrdiff_t)(2 * n * posenc_dtype_bytes(dtype)),
                           .n_first = n,
                           .n_second = n,
                           .second_bytes = (ptrdiff_t)(n * posenc_dtype_bytes(dtype))};
    kernels->rows[dtype][POSENC_PLANAR](&job);
    inputs_end(&in);
}

enum { BATCH = 4096 };

static void check_conversions(posenc_dtype dtype, const double *values, size_t n) {
    static char out[2 * BATCH * sizeof(double)];
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (!posenc_isa_runs((posenc_isa)isa)) continue;
        convert(posenc_kernels_of((posenc_isa)isa), dtype, values, n, out);
        for (size_t i = 0; i < n; i++) {
            volatile double zero = 0, sum = zero + values[i]; /* as the kernel: minus zero becomes zero */
            uint64_t want = number_encode(dtype, sum);
            uint64_t got = number_load(dtype, out + i * posenc_dtype_bytes(dtype));
            check(number_same(dtype, want, got), "%s: %.17g to %s: expected %" PRIx64 ", got %" PRIx64,
                  posenc_isa_text((posenc_isa)isa), values[i], posenc_dtype_name(dtype), want, got);
        }
    }
}

/* Each border of two neighbouring 16-bit numbers, and the doubles around it, of both signs. */
static void check_borders(posenc_dtype dtype) {
    static double values[BATCH];
    size_t n = 0;
    for (uint64_t bits = 0; bits < number_infinity(dtype); bits++) {
        double low = number_decode(dtype, bits);
        double high = bits + 1 < number_infinity(dtype) ? number_decode(dtype, bits + 1)
                                                        : 2 * low - number_decode(dtype, bits - 1);
        double middle = low + (high - low) / 2;
        const double around[] = {low, middle, nextafter(middle, 0), nextafter(middle, 1e300), low + (high - low) / 3};
        for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
            values[n++] = around[i];
            values[n++] = -around[i];
        }
        if (n + 10 > BATCH || bits + 1 == number_infinity(dtype)) {
            check_conversions(dtype, values, n);
            n = 0;
        }
    }
}

static void test_f16_borders(void **state) {
    (void)state;
    check_borders(POSENC_F16);
}

static void test_bf16_borders(void **state) {
    (void)state;
    check_borders(POSENC_BF16);
}

/* f32 has too many borders: random ones, over every exponent, and doubles of every size. */
static void test_random_conversions(void **state) {
    (void)state;
    random_state random = random_start("conversions");
    static double values[BATCH];
    for (int round = 0; round < 40; round++) {
        for (size_t i = 0; i < BATCH; i++) {
            double low = number_decode(POSENC_F32, (uint64_t)random_between(&random, 0, 0x7F7FFFFE));
            double high = number_decode(POSENC_F32, number_encode(POSENC_F32, low) + 1),
                   middle = low + (high - low) / 2;
            switch (random_between(&random, 0, 3)) {
                case 0:
                    values[i] = middle;
                    break;
                case 1:
                    values[i] = nextafter(middle, random_u64(&random) & 1 ? 0 : 1e300);
                    break;
                case 2:
                    values[i] = low;
                    break;
                default:
                    values[i] = ldexp(random_unit(&random), (int)random_between(&random, -170, 128));
            }
            if (random_u64(&random) & 1) values[i] = -values[i];
        }
        for (int d = 0; d < 4; d++) check_conversions(encoding_dtypes[d], values, BATCH);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_follow_the_equation),
                                       cmocka_unit_test(test_f16_borders), cmocka_unit_test(test_bf16_borders),
                                       cmocka_unit_test(test_random_conversions)};
    return TEST_RUN(tests);
}
