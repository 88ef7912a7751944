/* Fourier features: the records of vectors.json, random options against MPFR, and the random frequencies, which must be
 * the same doubles on every machine. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "phasor/normal.h"
#include "sine_records.h"
#include "support/isa.h"
#include "support/sines.h"
#include "support/test.h"
#include "sweep.h"

enum { N = 64 };

static posenc_fourier_options options_of(int64_t dim, posenc_fourier_kind kind) {
    posenc_fourier_options o;
    posenc_fourier_default(&o, sizeof o);
    o.dim = dim;
    o.kind = kind;
    return o;
}

static const char *text_of(const posenc_fourier_options *o) {
    static const char *const kinds[] = {"bands", "log", "gaussian"};
    static char text[200];
    snprintf(text, sizeof text, "dim %" PRId64 " %s resolution %.17g sigma %.17g seed %" PRId64 " max-len %" PRId64,
             o->dim, kinds[o->kind], o->resolution, o->sigma, o->frequency_seed, o->max_len);
    return text;
}

static posenc_fourier_options random_options(random_state *random, int round) {
    static const int64_t dims[] = {2, 4, 6, 8, 20, 64, 128, 258};
    static const double resolutions[] = {32, 64, 224, 1024, 2, 1, 1e-6, 1e9, 3.3, 1000.1};
    static const double sigmas[] = {1, 10, 0.1, 16, 1e-6, 1e6};
    posenc_fourier_options o = options_of(dims[random_between(random, 0, 7)], (posenc_fourier_kind)(round % 3));
    o.resolution = resolutions[random_between(random, 0, 9)];
    o.sigma = sigmas[random_between(random, 0, 5)];
    o.max_len = random_between(random, 0, 100);
    o.frequency_seed = round % 2 ? random_between(random, 0, 1000) : (int64_t)(random_u64(random) >> 2);
    return o;
}

/* Coordinates in [-1, 1], pixels' centres, and far ones. */
static double random_coordinate(random_state *random) {
    switch (random_between(random, 0, 3)) {
        case 0:
            return 2 * random_unit(random) - 1;
        case 1:
            return (double)(2 * random_between(random, 0, 223) + 1) / 224 - 1;
        case 2:
            return (double)random_between(random, -4096, 4096) / 1024;
        default:
            return ldexp(2 * random_unit(random) - 1, (int)random_between(random, -60, 53));
    }
}

static void fill_coordinates(random_state *random, double *x) {
    static const double special[] = {0.0,    -0.0,   0.5,  -0.5,    1.0,  -1.0,  0.25,      1e-300,
                                     -1e-17, 0x1p53, 1e-5, -0x1p53, 31.5, -33.5, 0x1p-1022, 0.9};
    enum { SPECIAL = sizeof special / sizeof *special };
    for (int r = 0; r < N; r++) x[r] = r < SPECIAL ? special[r] : random_coordinate(random);
}

static void test_records(void **state) {
    (void)state;
    sine_record *records;
    int n = sine_records_read(POSENC_VECTORS, "fourier", &records);
    assert_int_equal(n, 3);
    sine_records_check("fourier", records, n);
    free(records);
}

/* t[0]: values in general; t[1]: those beside a zero crossing, which whole pixels often hit: there the bound is
 * absolute and the share of correctly rounded ones is not counted. */
static void check_against_mpfr(const posenc_context *context, const posenc_fourier_options *o, random_state *random,
                               tally *t) {
    double x[N];
    char what[300];
    sines s;
    fill_coordinates(random, x);
    sines_fourier(&s, o);
    posenc_plan *plan = must_fourier(context, o);
    sweep_rows rows = sweep_write(plan, POSENC_F64, x, N);
    for (int r = 0; r < N; r++) {
        snprintf(what, sizeof what, "%s isa %s at %.17g", text_of(o), posenc_plan_isa(plan), x[r]);
        for (int64_t column = 0; column < o->dim; column += 1 + o->dim / 40) {
            mpfr_srcptr exact = sines_column(&s, x[r] == 0 ? 0.0 : x[r], column);
            bool crossing = fabs(mpfr_get_d(exact, MPFR_RNDN)) < 1e-4 && fabs(x[r]) > 1e-7;
            sweep_value(&t[crossing], &rows, r, column, exact, what);
        }
    }
    sweep_free(&rows);
    posenc_plan_destroy(plan);
    sines_clear(&s);
}

static void test_random_options(void **state) {
    (void)state;
    random_state random = random_start("fourier");
    tally t[2] = {{{0}, {0}, {0}}, {{0}, {0}, {0}}};
    for (int round = 0; round < 150; round++) {
        posenc_context *context = isa_context((size_t)(round / 3) % isa_count(), 1);
        posenc_fourier_options o = random_options(&random, round);
        check_against_mpfr(context, &o, &random, t);
        posenc_context_destroy(context);
    }
    tally_print("fourier,", &t[0]);
    check(t[0].wrong[0] * 100000 < t[0].values[0], "%" PRId64 " of %" PRId64 " f32 values not correctly rounded",
          t[0].wrong[0], t[0].values[0]);
    tally_print("fourier, beside zeros,", &t[1]);
}

/* ---- the random frequencies ---- */

/* Each is the double nearest to its value, on every instruction set. */
static void test_normals_are_rounded(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    static double z[COUNT + 1];
    random_state random = random_start("normals");
    const uint64_t seeds[] = {0, 1, 42, UINT64_MAX, random_u64(&random)};
    for (int s = 0; s < 5; s++)
        for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
            uint64_t block = s == 4 ? (uint64_t)random_between(&random, 0, INT64_C(1) << 40) : 0;
            if (!posenc_isa_runs((posenc_isa)isa)) continue;
            z[COUNT] = 7;
            posenc_normals(posenc_kernels_of((posenc_isa)isa), seeds[s], 0x66726571, block, COUNT, z);
            for (int64_t k = 0; k < COUNT; k += isa == 0 ? 1 : 19) {
                double want = sines_normal(seeds[s], (int64_t)(2 * block) + k);
                check(z[k] == want, "seed %" PRIu64 " number %" PRId64 ": expected %.17g, got %.17g", seeds[s], k, want,
                      z[k]);
            }
            assert_true(z[COUNT] == 7);
        }
}

/* A few of them for all to see, worked out with decimals of 60 digits: seed 0. */
static void test_published_normals(void **state) {
    (void)state;
    static const double known[] = {0x1.1068a2a6c3de1p-2, -0x1.3fbb09618cd44p-1, -0x1.05f0b35136695p-3,
                                   0x1.f9800fea95085p+0, -0x1.158cf126553d3p-3, -0x1.1b86113b67722p+1};
    enum { COUNT = sizeof known / sizeof *known };
    double z[COUNT];
    posenc_normals(posenc_kernels_of(POSENC_ISA_BASELINE), 0, 0x66726571, 0, COUNT, z);
    for (int k = 0; k < COUNT; k++) check(z[k] == known[k], "number %d: expected %a, got %a", k, known[k], z[k]);
}

/* Mean 0, variance 1, the third moment of a symmetric and the fourth of a normal distribution; the largest is rare. */
static void test_moments(void **state) {
    (void)state;
    enum { COUNT = 200000 };
    double *z = must_allocate(COUNT * sizeof *z), moment[5] = {0}, largest = 0;
    posenc_normals(posenc_kernels_of(POSENC_ISA_BASELINE), 12345, 0x66726571, 0, COUNT, z);
    for (int k = 0; k < COUNT; k++) {
        for (int m = 1; m <= 4; m++) moment[m] += pow(z[k], m) / COUNT;
        largest = fmax(largest, fabs(z[k]));
    }
    check(fabs(moment[1]) < 0.01 && fabs(moment[2] - 1) < 0.015 && fabs(moment[3]) < 0.04 &&
              fabs(moment[4] - 3) < 0.12 && largest > 4 && largest < 6,
          "moments %g %g %g %g, largest %g", moment[1], moment[2], moment[3], moment[4], largest);
    free(z);
}

/* ---- particular values ---- */

static void row_at(const posenc_fourier_options *o, double x, double *row) {
    posenc_plan *plan = must_fourier(NULL, o);
    must_write_ids(plan, POSENC_F64, &x, 1, POSENC_F64, row);
    posenc_plan_destroy(plan);
}

/* One frequency is 1 in both kinds, whatever the resolution; one random frequency is z_0 sigma. */
static void test_one_frequency(void **state) {
    (void)state;
    double row[2];
    const double pi = 3.14159265358979323846;
    for (int kind = 0; kind < 2; kind++) {
        posenc_fourier_options o = options_of(2, (posenc_fourier_kind)kind);
        o.resolution = 1000;
        row_at(&o, 0.3, row);
        assert_true(fabs(row[0] - sin(pi * 0.3)) < 1e-15 && fabs(row[1] - cos(pi * 0.3)) < 1e-15);
    }
    posenc_fourier_options o = options_of(2, POSENC_FOURIER_GAUSSIAN);
    o.sigma = 0.5;
    row_at(&o, 0.75, row);
    double angle = 2 * pi * 0.5 * 0.5 * sines_normal(0, 0);
    assert_true(fabs(row[0] - sin(angle)) < 1e-15 && fabs(row[1] - cos(angle)) < 1e-15);
}

/* R = 2^n makes the log frequencies 1, 2, 4, ... exactly: at 1/2^j the angles are whole parts of a turn. */
static void test_log_of_powers_of_two(void **state) {
    (void)state;
    for (int64_t n = 2; n <= 20; n++) {
        posenc_fourier_options o = options_of(2 * n, POSENC_FOURIER_LOG);
        o.resolution = ldexp(1, (int)n);
        double row[40];
        for (int j = 0; j < 20; j++) {
            row_at(&o, ldexp(1, -j), row);
            for (int64_t k = 0; k < n; k++) {
                double turns = ldexp(0.5, (int)k - j), sine = turns == 0.25,
                       cosine = turns >= 1     ? 1
                                : turns == 0.5 ? -1
                                               : 0;
                if (turns < 0.25) continue;
                check(row[k] == sine && row[n + k] == cosine, "n %" PRId64 " k %" PRId64 " at 2^-%d: %.17g %.17g", n, k,
                      j, row[k], row[n + k]);
            }
        }
    }
}

/* In the middle of [0, 1] every gaussian angle is 0, and x and 1 - x are mirrored. */
static void test_gaussian_origin(void **state) {
    (void)state;
    posenc_fourier_options o = options_of(64, POSENC_FOURIER_GAUSSIAN);
    o.sigma = 10;
    double a[64], b[64];
    row_at(&o, 0.5, a);
    for (int k = 0; k < 32; k++) assert_true(a[k] == 0 && fabs(a[32 + k] - 1) < 1e-15);
    for (int i = 0; i <= 64; i++) {
        row_at(&o, i / 64.0, a);
        row_at(&o, 1 - i / 64.0, b);
        for (int k = 0; k < 32; k++) assert_true(fabs(a[k] + b[k]) < 4e-15 && fabs(a[32 + k] - b[32 + k]) < 4e-15);
    }
}

/* Another seed is another set of frequencies; sigma only stretches it. */
static void test_seed_and_sigma(void **state) {
    (void)state;
    posenc_fourier_options o = options_of(128, POSENC_FOURIER_GAUSSIAN);
    double a[128], b[128];
    row_at(&o, 0.625, a);
    o.frequency_seed = 1;
    row_at(&o, 0.625, b);
    int equal = 0;
    for (int k = 0; k < 128; k++) equal += a[k] == b[k];
    check(equal == 0, "%d of 128 columns are equal for two seeds", equal);
    o.frequency_seed = 0;
    o.sigma = 0.5;
    row_at(&o, 0.75, b);
    for (int k = 0; k < 128; k++) assert_true(fabs(a[k] - b[k]) < 4e-15);
}

static int end(void **state) {
    (void)state;
    mpfr_free_cache();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_random_options),
        cmocka_unit_test(test_normals_are_rounded),
        cmocka_unit_test(test_published_normals),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_one_frequency),
        cmocka_unit_test(test_log_of_powers_of_two),
        cmocka_unit_test(test_gaussian_origin),
        cmocka_unit_test(test_seed_and_sigma),
    };
    test_announce_seed();
    return cmocka_run_group_tests(tests, NULL, end);
}
