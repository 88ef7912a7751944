/* Diffusion time steps: the records of vectors.json, random options against MPFR, the float32 arithmetics step by step,
 * and what others got wrong. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sine_records.h"
#include "support/isa.h"
#include "support/number.h"
#include "support/sines.h"
#include "support/test.h"
#include "sweep.h"

enum { N = 64 };

static posenc_timestep_options options_of(int64_t dim) {
    posenc_timestep_options o;
    posenc_timestep_default(&o, sizeof o);
    o.dim = dim;
    return o;
}

static const char *text_of(const posenc_timestep_options *o) {
    static const char *const arithmetics[] = {"exact", "float32", "float32-exp"};
    static char text[200];
    snprintf(text, sizeof text, "dim %" PRId64 " max-period %.17g shift %.17g%s angle-scale %.17g %s", o->dim,
             o->max_period, o->shift, o->cos_first ? "" : " sin-first", o->angle_scale, arithmetics[o->arithmetic]);
    return text;
}

static posenc_timestep_options random_options(random_state *random) {
    static const int64_t dims[] = {2, 3, 4, 5, 7, 8, 16, 33, 64, 127, 256, 320};
    static const double periods[] = {10000, 10000, 10000, 100, 1e6, 1, 0.5, 1e-6, 1e30, 123.456};
    static const double scales[] = {1, 1, 1, 1000, 2, 0.001, 1e-9, 1e9, 3.7, 1.0 / 3};
    posenc_timestep_options o = options_of(dims[random_between(random, 0, 11)]);
    o.max_period = periods[random_between(random, 0, 9)];
    o.angle_scale = scales[random_between(random, 0, 9)];
    o.cos_first = (int)random_between(random, 0, 1);
    o.max_len = random_between(random, 0, 2000);
    int64_t kind = random_between(random, 0, 3);
    o.shift = kind == 0 ? 1 : kind == 1 ? (double)random_between(random, 0, 1 << 20) * 0x1p-20 : 0;
    if (o.dim < 4 && o.shift == 1) o.shift = 0x1.ffffep-1; /* 1 - 2^-20 */
    return o;
}

/* Steps of a schedule, fractions of one, times in [0, 1], and far ones. */
static double random_step(random_state *random) {
    switch (random_between(random, 0, 4)) {
        case 0:
            return (double)random_between(random, 0, 1000);
        case 1:
            return 1000 * random_unit(random);
        case 2:
            return random_unit(random);
        case 3:
            return ldexp(2 * random_unit(random) - 1, (int)random_between(random, -60, 53));
        default:
            return (double)random_between(random, -1000000, 1000000) / 64;
    }
}

static void fill_steps(random_state *random, double *steps) {
    static const double special[] = {0.0, -0.0, 0.5, 999.5, 1e-300, -5e-324, 0x1p53, -0x1p53, 0x1p53 - 1, 31.5, -32.25};
    enum { SPECIAL = sizeof special / sizeof *special };
    for (int r = 0; r < N; r++) steps[r] = r < SPECIAL ? special[r] : random_step(random);
}

static void test_records(void **state) {
    (void)state;
    sine_record *records;
    int n = sine_records_read(POSENC_VECTORS, "timestep", &records);
    assert_int_equal(n, 30);
    sine_records_check("timestep", records, n);
    free(records);
}

static void check_against_mpfr(const posenc_context *context, const posenc_timestep_options *o, random_state *random,
                               tally *t) {
    double steps[N];
    char what[300];
    sines s;
    fill_steps(random, steps);
    sines_timestep(&s, o);
    posenc_plan *plan = must_timestep(context, o);
    sweep_rows rows = sweep_write(plan, POSENC_F64, steps, N);
    for (int r = 0; r < N; r++) {
        snprintf(what, sizeof what, "%s isa %s step %.17g", text_of(o), posenc_plan_isa(plan), steps[r]);
        for (int64_t column = 0; column < o->dim; column += 1 + o->dim / 40)
            sweep_value(t, &rows, r, column, sines_column(&s, steps[r] == 0 ? 0.0 : steps[r], column), what);
    }
    sweep_free(&rows);
    posenc_plan_destroy(plan);
    sines_clear(&s);
}

static void test_random_options(void **state) {
    (void)state;
    random_state random = random_start("time steps");
    tally t = {{0}, {0}, {0}};
    for (int round = 0; round < 120; round++) {
        posenc_context *context = isa_context((size_t)round % isa_count(), 1);
        posenc_timestep_options o = random_options(&random);
        check_against_mpfr(context, &o, &random, &t);
        posenc_context_destroy(context);
    }
    tally_print("time steps,", &t);
    check(t.wrong[0] * 100000 < t.values[0], "%" PRId64 " of %" PRId64 " f32 values not correctly rounded", t.wrong[0],
          t.values[0]);
}

/* ---- the arithmetics of others ---- */

/* float32: 1 / m^(i / span). float32-exp, as diffusers and ADM have it: exp((-log(m) i) / span), each step in float32.
 */
static float frequency_f32(const posenc_timestep_options *o, int64_t i) {
    mpfr_t x, y;
    float span = (float)((double)(o->dim / 2) - o->shift), f;
    mpfr_inits2(ORACLE_BITS, x, y, (mpfr_ptr)0);
    if (o->arithmetic == POSENC_ARITHMETIC_FLOAT32) {
        float exponent = (float)i / span;
        mpfr_set_flt(x, (float)o->max_period, MPFR_RNDN);
        mpfr_set_flt(y, exponent, MPFR_RNDN);
        mpfr_pow(x, x, y, MPFR_RNDN);
        f = 1 / mpfr_get_flt(x, MPFR_RNDN);
    } else {
        mpfr_set_d(x, o->max_period, MPFR_RNDN);
        mpfr_log(x, x, MPFR_RNDN);
        float exponent = (float)-mpfr_get_d(x, MPFR_RNDN) * (float)i;
        exponent = exponent / span;
        mpfr_set_flt(x, exponent, MPFR_RNDN);
        mpfr_exp(x, x, MPFR_RNDN);
        f = mpfr_get_flt(x, MPFR_RNDN);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
    return f;
}

static float value_f32(const posenc_timestep_options *o, double step, int64_t column) {
    int64_t h = o->dim / 2;
    if (column >= 2 * h) return 0;
    float angle = (float)step * frequency_f32(o, column % h);
    angle = angle * (float)o->angle_scale;
    mpfr_t a;
    mpfr_init2(a, ORACLE_BITS);
    mpfr_set_flt(a, angle, MPFR_RNDN);
    if ((column < h) == (o->cos_first != 0))
        mpfr_cos(a, a, MPFR_RNDN);
    else
        mpfr_sin(a, a, MPFR_RNDN);
    float value = mpfr_get_flt(a, MPFR_RNDN);
    mpfr_clear(a);
    return value;
}

static void test_float32_steps(void **state) {
    (void)state;
    random_state random = random_start("time steps in float32");
    for (int round = 0; round < 60; round++) {
        posenc_context *context = isa_context((size_t)round % isa_count(), 1);
        posenc_timestep_options o = random_options(&random);
        o.arithmetic = round % 2 ? POSENC_ARITHMETIC_FLOAT32 : POSENC_ARITHMETIC_FLOAT32_EXP;
        posenc_plan *plan = must_timestep(context, &o);
        double steps[N];
        fill_steps(&random, steps);
        sweep_rows rows = sweep_write(plan, POSENC_F64, steps, N);
        for (int r = 0; r < N; r++)
            for (int64_t column = 0; column < o.dim; column += 1 + o.dim / 20) {
                double want = (double)value_f32(&o, steps[r], column);
                double got = ((double *)rows.rows[1])[r * o.dim + column];
                check(want == got, "%s step %.17g column %" PRId64 ": expected %.9g, got %.17g", text_of(&o), steps[r],
                      column, want, got);
            }
        sweep_free(&rows);
        posenc_plan_destroy(plan);
        posenc_context_destroy(context);
    }
}

/* ---- what it is, and what others got wrong ---- */

/* Shift 0 is the sinusoidal encoding in halves, shift 1 that of tensor2tensor, to the bit. */
static void test_it_is_sinusoidal(void **state) {
    (void)state;
    random_state random = random_start("time steps are sinusoidal");
    for (int64_t dim = 4; dim < 80; dim += 3)
        for (int shift = 0; shift < 2; shift++) {
            posenc_timestep_options o = options_of(dim);
            o.shift = shift, o.cos_first = (int)(dim % 2), o.max_period = 500;
            plan_shape shape = {.dim = dim, .base = 500, .cos_first = o.cos_first};
            shape.layout = shift ? POSENC_LAYOUT_TENSOR2TENSOR : POSENC_LAYOUT_HALVES;
            posenc_plan *a = must_timestep(NULL, &o), *b = must_plan(NULL, &shape);
            double steps[N];
            fill_steps(&random, steps);
            sweep_rows x = sweep_write(a, POSENC_F64, steps, N), y = sweep_write(b, POSENC_F64, steps, N);
            for (int d = 0; d < 4; d++) must_equal(text_of(&o), encoding_dtypes[d], x.rows[d], y.rows[d], N * dim);
            sweep_free(&x);
            sweep_free(&y);
            posenc_plan_destroy(a);
            posenc_plan_destroy(b);
        }
}

static double *row_of(const posenc_timestep_options *o, double step) {
    double *row = must_allocate((size_t)o->dim * sizeof *row);
    posenc_plan *plan = must_timestep(NULL, o);
    must_write_ids(plan, POSENC_F64, &step, 1, POSENC_F64, row);
    posenc_plan_destroy(plan);
    return row;
}

/* sd-scripts#1187: a shift of 1 in place of 0 went unnoticed. The two agree in the first frequency alone. */
static void test_shifts_differ(void **state) {
    (void)state;
    posenc_timestep_options zero = options_of(256), one = zero;
    one.shift = 1;
    double *a = row_of(&zero, 500), *b = row_of(&one, 500), most = 0;
    assert_true(a[0] == b[0] && a[128] == b[128]);
    for (int64_t i = 0; i < 256; i++) {
        if (fabs(a[i] - b[i]) > most) most = fabs(a[i] - b[i]);
        check(i % 128 == 0 || a[i] != b[i], "column %" PRId64 " does not depend on the shift", i);
    }
    check(most > 0.5, "rows of shift 0 and 1 differ by %g at most", most);
    free(a);
    free(b);
}

/* flashinfer#3819: sines and cosines in each other's half. Only the halves change places, and cosines come first. */
static void test_order_of_halves(void **state) {
    (void)state;
    const double steps[] = {0, 1, 500, 999.5, 0.25};
    for (int64_t dim = 2; dim < 30; dim++)
        for (int k = 0; k < 5; k++) {
            posenc_timestep_options first = options_of(dim), last = first;
            last.cos_first = 0;
            double *a = row_of(&first, steps[k]), *b = row_of(&last, steps[k]);
            int64_t h = dim / 2;
            assert_true(fabs(a[0] - cos(steps[k])) < 1e-15 && fabs(a[h] - sin(steps[k])) < 1e-15);
            assert_memory_equal(a, b + h, (size_t)h * sizeof *a);
            assert_memory_equal(a + h, b, (size_t)h * sizeof *a);
            assert_true(dim % 2 == 0 || (a[dim - 1] == 0 && b[dim - 1] == 0));
            free(a);
            free(b);
        }
}

/* A factor of the angle is a factor of the time step. */
static void test_angle_scale(void **state) {
    (void)state;
    posenc_timestep_options plain = options_of(64), scaled = plain;
    scaled.angle_scale = 1024;
    for (int t = 0; t <= 64; t++) {
        double *a = row_of(&plain, t * 16), *b = row_of(&scaled, t / 64.0);
        for (int i = 0; i < 64; i++) assert_true(fabs(a[i] - b[i]) < 1e-15);
        free(a);
        free(b);
    }
}

static int end(void **state) {
    (void)state;
    mpfr_free_cache();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),       cmocka_unit_test(test_random_options),
        cmocka_unit_test(test_float32_steps), cmocka_unit_test(test_it_is_sinusoidal),
        cmocka_unit_test(test_shifts_differ), cmocka_unit_test(test_order_of_halves),
        cmocka_unit_test(test_angle_scale),
    };
    test_announce_seed();
    return cmocka_run_group_tests(tests, NULL, end);
}
