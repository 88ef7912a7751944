/* Real positions: the fraction is one more phasor, a whole double has the bits of the integer, 2^53 is the end. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/isa.h"
#include "support/test.h"
#include "sweep.h"

enum { N = 256 };

static const plan_shape shapes[] = {
    {.dim = 1},
    {.dim = 2, .cos_first = 1},
    {.dim = 7},
    {.dim = 64, .layout = POSENC_LAYOUT_HALVES},
    {.dim = 127, .layout = POSENC_LAYOUT_TENSOR2TENSOR, .cos_first = 1},
    {.dim = 512, .base = 500},
    {.dim = 128, .base = 1e-6},
    {.dim = 128, .base = 1e30, .layout = POSENC_LAYOUT_HALVES},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Sizes from 2^-60 to 2^53, and numbers just beside whole ones. */
static double random_real(random_state *random) {
    double x = ldexp(1 + random_unit(random), (int)random_between(random, -60, 52));
    if (random_between(random, 0, 3) == 0) {
        x = floor(ldexp(x, (int)random_between(random, -40, 0)));
        x = random_u64(random) & 1 ? nextafter(x, 0) : nextafter(x, 1e300);
    }
    return random_u64(random) & 1 ? -x : x;
}

static const double special[] = {0.0,
                                 -0.0,
                                 0.5,
                                 -0.5,
                                 1e-300,
                                 -1e-300,
                                 5e-324,
                                 1e-16,
                                 0.25,
                                 999.5,
                                 0x1p-53,
                                 0x1p52,
                                 0x1p53,
                                 -0x1p53,
                                 0x1p53 - 1,
                                 0x1.fffffffffffffp51,
                                 4503599627370495.5,
                                 31.999999999999996,
                                 32.5,
                                 -32.5,
                                 63.5,
                                 2079.5,
                                 -2080.5,
                                 131071.0000001};

static void test_real_positions_are_accurate(void **state) {
    (void)state;
    random_state random = random_start("real positions");
    tally t = {{0}, {0}, {0}};
    for (size_t isa = 0; isa < isa_count(); isa++) {
        posenc_context *context = isa_context(isa, 1);
        for (int s = 0; s < SHAPES; s++) {
            double ids[N];
            int n_special = (int)(sizeof special / sizeof *special);
            for (int i = 0; i < N; i++) ids[i] = i < n_special ? special[i] : random_real(&random);
            posenc_plan *plan = must_plan(context, &shapes[s]);
            oracle o;
            oracle_init(&o, shapes[s].dim, shapes[s].base == 0 ? 10000 : shapes[s].base, shapes[s].layout,
                        shapes[s].cos_first);
            sweep_rows rows = sweep_write(plan, POSENC_F64, ids, N);
            for (int r = 0; r < N; r++) {
                char what[256];
                snprintf(what, sizeof what, "%s isa %s position %.17g", plan_text(&shapes[s]), posenc_plan_isa(plan),
                         ids[r]);
                sweep_zero_column(&o, &rows, r, what);
                for (int64_t i = 0; i < o.n_frequencies; i += 1 + o.n_frequencies / 16) {
                    oracle_pair_f64(&o, ids[r] == 0 ? 0.0 : ids[r], i);
                    sweep_pair(&t, &o, &rows, r, i, what);
                }
            }
            sweep_free(&rows);
            oracle_clear(&o);
            posenc_plan_destroy(plan);
        }
        posenc_context_destroy(context);
    }
    tally_print("real positions,", &t);
    mpfr_free_cache();
}

/* 3.0 is 3, as int32, as int64 and as double. */
static void test_whole_doubles_have_the_bits_of_integers(void **state) {
    (void)state;
    random_state random = random_start("whole doubles");
    for (int s = 0; s < SHAPES; s++) {
        int64_t ids[N];
        int32_t small[N];
        double reals[N];
        for (int i = 0; i < N; i++) {
            ids[i] = i == 0 ? 3 : random_position(&random) >> 10;
            small[i] = (int32_t)random_u64(&random);
            reals[i] = (double)ids[i];
        }
        posenc_plan *plan = must_plan(NULL, &shapes[s]);
        int64_t n = N * shapes[s].dim;
        for (int d = 0; d < 4; d++) {
            void *a = must_allocate((size_t)n * 8), *b = must_allocate((size_t)n * 8);
            must_write_ids(plan, POSENC_I64, ids, N, encoding_dtypes[d], a);
            must_write_ids(plan, POSENC_F64, reals, N, encoding_dtypes[d], b);
            must_equal("double ids", encoding_dtypes[d], a, b, n);
            for (int i = 0; i < N; i++) ids[i] = small[i];
            must_write_ids(plan, POSENC_I64, ids, N, encoding_dtypes[d], a);
            must_write_ids(plan, POSENC_I32, small, N, encoding_dtypes[d], b);
            must_equal("int32 ids", encoding_dtypes[d], a, b, n);
            for (int i = 0; i < N; i++) ids[i] = (int64_t)reals[i];
            free(a);
            free(b);
        }
        posenc_plan_destroy(plan);
    }
}

static void test_unusable_positions_are_refused(void **state) {
    (void)state;
    const double bad[] = {
        (double)NAN, (double)INFINITY, -(double)INFINITY, 0x1.0000000000001p53, -0x1.0000000000001p53, 0x1p63, 1e300};
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 8});
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        float out[16], before[16];
        double ids[2] = {1, bad[i]};
        memset(out, 0x5A, sizeof out);
        memcpy(before, out, sizeof out);
        posenc_view v, w;
        posenc_positions positions;
        posenc_positions_default(&positions, sizeof positions);
        positions.ids = posenc_view_make(&v, ids, POSENC_F64, 1, (int64_t[]){2}, NULL);
        DLTensor *tensor = posenc_view_make(&w, out, POSENC_F32, 2, (int64_t[]){2, 8}, NULL);
        posenc_error error = {0};
        check(posenc_plan_write(plan, &positions, tensor, &error) == POSENC_ERROR_POSITION, "position %g: %s", bad[i],
              error.message);
        assert_int_equal(error.status, POSENC_ERROR_POSITION);
        assert_memory_equal(out, before, sizeof out);
    }
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_real_positions_are_accurate),
                                       cmocka_unit_test(test_whole_doubles_have_the_bits_of_integers),
                                       cmocka_unit_test(test_unusable_positions_are_refused)};
    return TEST_RUN(tests);
}
