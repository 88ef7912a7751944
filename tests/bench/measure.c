/* The harness: medians, paired ratios, and how contenders are called. */
#include "measure.h"

#include <math.h>

#include "clock.h"
#include "support/test.h"

static void spread_is_median_least_and_most(void **unused) {
    double odd[] = {5, 1, 9}, even[] = {4, 1, 2, 10};
    (void)unused;
    posenc_bench_spread s = posenc_bench_spread_sorted(odd, 3);
    assert_true(s.median == 5 && s.minimum == 1 && s.maximum == 9 && s.runs == 3);
    s = posenc_bench_spread_sorted(even, 4);
    assert_true(s.median == 3 && s.minimum == 1 && s.maximum == 10 && s.runs == 4);
}

/* A neighbour slows both contenders of a round: paired ratios are 2, 2, 2, though the medians' quotient is not. */
static void ratios_are_taken_round_by_round(void **unused) {
    static posenc_bench_samples samples = {.rounds = 3, .seconds = {{2, 20, 6}, {1, 10, 3}}};
    (void)unused;
    posenc_bench_spread r = posenc_bench_ratio_of(&samples, 0, 1);
    assert_true(r.median == 2 && r.minimum == 2 && r.maximum == 2 && r.runs == 3);
    samples.seconds[1][1] = 5;
    r = posenc_bench_ratio_of(&samples, 0, 1);
    assert_true(r.median == 2 && r.maximum == 4);
    assert_true(posenc_bench_spread_of(&samples, 0).median == 6);
}

typedef struct {
    int before, run, after;
    bool in_order;
} calls;

static void count_before(void *state) {
    calls *c = state;
    c->in_order &= c->before == c->run && c->run == c->after;
    c->before++;
}

static void count_run(void *state) { ((calls *)state)->run++; }

static void count_after(void *state) {
    calls *c = state;
    c->after++;
    c->in_order &= c->before == c->run && c->run == c->after;
}

/* Each sample of a contender that must be prepared is prepared, run once and cleared away, in this order. */
static void prepared_contenders_run_once_a_sample(void **unused) {
    posenc_bench_samples samples;
    calls prepared = {0, 0, 0, true}, plain = {0, 0, 0, true};
    posenc_bench_contender contenders[] = {{count_run, &prepared, count_before, count_after},
                                           {count_run, &plain, 0, 0}};
    (void)unused;
    posenc_bench_measure(contenders, 2, (posenc_bench_effort){0, 7}, &samples);
    assert_int_equal(samples.rounds, 7);
    assert_true(prepared.in_order);
    assert_true(prepared.run >= 7 && prepared.run <= 10);
    assert_true(plain.run > 1000); /* a call of nothing is repeated until the clock can tell */
}

static void wait_two_milliseconds(void *unused) {
    (void)unused;
    double begin = posenc_bench_seconds();
    while (posenc_bench_seconds() - begin < 2e-3) continue;
}

static void seconds_are_seconds_of_one_run(void **unused) {
    posenc_bench_samples samples;
    calls nothing = {0, 0, 0, true};
    posenc_bench_contender contenders[] = {{wait_two_milliseconds, NULL, 0, 0}, {count_run, &nothing, 0, 0}};
    (void)unused;
    posenc_bench_measure(contenders, 2, (posenc_bench_effort){0.02, 3}, &samples);
    double waited = posenc_bench_spread_of(&samples, 0).minimum, called = posenc_bench_spread_of(&samples, 1).minimum;
    check(waited >= 2e-3 && waited < 5, "waiting 2 ms took %g s", waited);
    check(called > 0 && called < 1e-4, "calling nothing took %g s", called);
}

static void rounds_have_an_end(void **unused) {
    posenc_bench_samples samples;
    calls nothing = {0, 0, 0, true};
    posenc_bench_contender contender = {count_run, &nothing, 0, 0};
    (void)unused;
    posenc_bench_measure(&contender, 1, (posenc_bench_effort){1e9, 1}, &samples);
    assert_int_equal(samples.rounds, POSENC_BENCH_MOST_ROUNDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spread_is_median_least_and_most), cmocka_unit_test(ratios_are_taken_round_by_round),
        cmocka_unit_test(prepared_contenders_run_once_a_sample), cmocka_unit_test(seconds_are_seconds_of_one_run),
        cmocka_unit_test(rounds_have_an_end)};
    return TEST_RUN(tests);
}
