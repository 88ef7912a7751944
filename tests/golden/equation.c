/* posenc_plan_equation, the slow oracle of tests and tools, against MPFR: within 1e-15 + 2e-18 of angle and position.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "support/oracle.h"
#include "support/sines.h"
#include "support/tensors.h"
#include "support/test.h"

/* column: of the plan; planar: the same value's in [sin | cos]. */
static void compare(const posenc_plan *plan, sines *s, double position, int64_t column, int64_t planar,
                    const char *what) {
    double value;
    mpfr_t exact;
    if (LDBL_MANT_DIG < 64) return; /* the bound is for such */
    mpfr_init2(exact, ORACLE_BITS);
    assert_int_equal(posenc_plan_equation(plan, position, column, &value), POSENC_OK);
    mpfr_set_zero(s->position, 1); /* it stays there for the column of zeros of an odd width */
    mpfr_set(exact, sines_column(s, position, planar), MPFR_RNDN);
    double angle = fabs(mpfr_get_d(s->position, MPFR_RNDN)); /* where sines_at has left it */
    double bound = 1e-15 + (angle + fabs(position)) * 2e-18;
    mpfr_sub_d(exact, exact, value, MPFR_RNDN);
    double error = fabs(mpfr_get_d(exact, MPFR_RNDN));
    check(error <= bound, "%s at %.17g, column %" PRId64 ", angle %g: error %g, bound %g", what, position, column,
          angle, error, bound);
    mpfr_clear(exact);
}

static double place(random_state *random, int most_bits) {
    return ldexp(2 * random_unit(random) - 1, (int)random_between(random, -4, most_bits));
}

static const double periods[] = {10000, 100, 500000, 1, 0.5, 1e-6, 1e30};
enum { N_PERIODS = sizeof periods / sizeof *periods };

static void test_timestep(void **state) {
    (void)state;
    random_state random = random_start("equation of time steps");
    for (int round = 0; round < 40 * N_PERIODS; round++) {
        posenc_timestep_options o;
        sines s;
        posenc_timestep_default(&o, sizeof o);
        o.dim = random_between(&random, 4, 300);
        o.max_period = periods[round % N_PERIODS];
        o.shift = round % 2;
        o.angle_scale = round % 3 ? 1 : 1000;
        posenc_plan *plan = must_timestep(NULL, &o);
        sines_timestep(&s, &o);
        for (int i = 0; i < 200; i++) {
            int64_t column = random_between(&random, 0, o.dim - 1);
            compare(plan, &s, place(&random, 53), column, column, "timestep");
        }
        sines_clear(&s);
        posenc_plan_destroy(plan);
    }
}

/* Halves and tensor2tensor have the frequencies of time steps of shift 0 and 1; so has interleaved, of an even width.
 */
static void test_sinusoidal(void **state) {
    (void)state;
    random_state random = random_start("equation of sinusoidal");
    for (int round = 0; round < 40 * N_PERIODS; round++) {
        posenc_timestep_options o;
        sines s;
        posenc_timestep_default(&o, sizeof o);
        plan_shape shape = {.layout = (posenc_layout)(round % 3), .base = periods[round % N_PERIODS]};
        o.dim = shape.dim = 2 * random_between(&random, 2, 150);
        o.max_period = shape.base;
        o.shift = shape.layout == POSENC_LAYOUT_TENSOR2TENSOR;
        o.cos_first = 0;
        posenc_plan *plan = must_plan(NULL, &shape);
        sines_timestep(&s, &o);
        for (int i = 0; i < 200; i++) {
            int64_t column = random_between(&random, 0, o.dim - 1), planar = column;
            if (shape.layout == POSENC_LAYOUT_INTERLEAVED) planar = column / 2 + column % 2 * (o.dim / 2);
            compare(plan, &s, place(&random, 53), column, planar, "sinusoidal");
        }
        sines_clear(&s);
        posenc_plan_destroy(plan);
    }
}

static void test_fourier(void **state) {
    (void)state;
    random_state random = random_start("equation of Fourier features");
    for (int round = 0; round < 180; round++) {
        posenc_fourier_options o;
        sines s;
        posenc_fourier_default(&o, sizeof o);
        o.dim = 2 * random_between(&random, 1, 100);
        o.kind = (posenc_fourier_kind)(round % 3);
        o.resolution = ldexp(1 + random_unit(&random), (int)random_between(&random, -10, 20));
        o.sigma = 10;
        o.frequency_seed = round;
        posenc_plan *plan = must_fourier(NULL, &o);
        sines_fourier(&s, &o);
        for (int i = 0; i < 200; i++) {
            int64_t column = random_between(&random, 0, o.dim - 1);
            compare(plan, &s, place(&random, 40), column, column, "fourier");
        }
        sines_clear(&s);
        posenc_plan_destroy(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_timestep), cmocka_unit_test(test_sinusoidal),
                                       cmocka_unit_test(test_fourier)};
    return TEST_RUN(tests);
}
