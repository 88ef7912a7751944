/* The table of works, a run of a few of them, and the sentences about the article. */
#include <string.h>

#include "bench.h"
#include "claims.h"
#include "support/test.h"
#include "works.h"

static void every_line_is_another(void **unused) {
    char lines[128][POSENC_BENCH_LINE];
    (void)unused;
    for (int size = POSENC_BENCH_QUICK; size <= POSENC_BENCH_FULL; size++) {
        size_t n = 0;
        while (n < 128 && posenc_bench_line(n, (posenc_bench_size)size, lines[n])) n++;
        assert_true(n > 20 && n < 128);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < a; b++)
                check(!lines[a][0] || strcmp(lines[a], lines[b]) != 0, "two works are called \"%s\"", lines[a]);
    }
}

typedef struct {
    int n;
    posenc_bench_result last;
} sink;

static void keep(void *user, const posenc_bench_result *result) {
    sink *s = user;
    s->n++;
    s->last = *result;
}

static void a_filter_chooses_and_a_work_is_measured(void **unused) {
    posenc_bench_options options = {POSENC_BENCH_QUICK, "fill 1000x512 f32", NULL, 1};
    posenc_bench_claims claims;
    posenc_error error;
    sink s = {0};
    int n = 0;
    (void)unused;
    assert_int_equal(posenc_bench_run(&options, keep, &s, &n, &claims, &error), POSENC_OK);
    assert_true(n == 1 && s.n == 1 && s.last.skipped[0] == 0);
    assert_string_equal(s.last.shape, "1000x512");
    assert_true(s.last.seconds.minimum > 0 && s.last.seconds.minimum <= s.last.seconds.median);
    assert_true(s.last.seconds.median <= s.last.seconds.maximum && s.last.ratio.median > 0);
    check(s.last.max_error > 1e-8 && s.last.max_error < 2.99e-8, "worst error %g", s.last.max_error);
    assert_int_equal(claims.n, 0);
}

static void a_filter_may_fit_nothing(void **unused) {
    posenc_bench_options options = {POSENC_BENCH_QUICK, "no such work", NULL, 1};
    posenc_bench_claims claims;
    sink s = {0};
    int n = -1;
    (void)unused;
    assert_int_equal(posenc_bench_run(&options, keep, &s, &n, &claims, NULL), POSENC_OK);
    assert_true(n == 0 && s.n == 0 && claims.n == 0);
}

static void an_unknown_isa_is_refused(void **unused) {
    posenc_bench_options options = {POSENC_BENCH_QUICK, NULL, "abacus", 1};
    posenc_bench_claims claims;
    sink s = {0};
    int n;
    (void)unused;
    assert_int_equal(posenc_bench_run(&options, keep, &s, &n, &claims, NULL), POSENC_ERROR_UNKNOWN);
    assert_int_equal(s.n, 0);
}

static bool says(const posenc_bench_claims *claims, const char *text) {
    for (int i = 0; i < claims->n; i++)
        if (strstr(claims->sentence[i], text)) return true;
    return false;
}

/* Multiples of memset as made up here: naive 300, hoisted 60, float32 6, posenc 3; cold 90 times faster than naive. */
static void claims_are_computed_from_the_numbers(void **unused) {
    posenc_bench_times times = {.ratio = {{300, 60, 6, 3, 90}}, .error = {{3e-8, 3e-8, 5.7e-5, 3e-8, 3e-8}}};
    posenc_bench_claims claims;
    (void)unused;
    posenc_bench_claims_make(&times, &claims);
    assert_int_equal(claims.n, 4);
    assert_true(says(&claims, "50 times slower than the vectorised float32 way, about as claimed"));
    assert_true(says(&claims, "100 times slower than posenc (90 with the plan made anew)"));
    assert_true(says(&claims, "50 times at 1000x512 (more than claimed; worst error 5.7e-05)"));
    assert_true(says(&claims, "frequencies computed once give 5.0 times, vector sines in float32 another 10.0"));
    times.ratio[0][2] = 100;
    posenc_bench_claims_make(&times, &claims);
    assert_true(says(&claims, "3 times at 1000x512 (less than claimed"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_is_another), cmocka_unit_test(a_filter_chooses_and_a_work_is_measured),
        cmocka_unit_test(a_filter_may_fit_nothing), cmocka_unit_test(an_unknown_isa_is_refused),
        cmocka_unit_test(claims_are_computed_from_the_numbers)};
    return TEST_RUN(tests);
}
