/* Turns multiples of memset into sentences. A claim counts as met when the measured factor lies within 1.5 times of it,
 * either way: machines, compilers and C libraries differ by that much. */
#include "claims.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "baselines.h"

enum { NAIVE, HOISTED, FLOAT32, OURS, COLD }; /* COLD: times faster than the naive loop, not a multiple of memset */

static const char *const shapes[POSENC_BENCH_LENGTHS] = {"1000x512", "5000x512", "65536x1024"};

static int way_of(const posenc_bench_work *work) {
    if (work->baseline == posenc_bench_naive) return NAIVE;
    if (work->baseline == posenc_bench_hoisted) return HOISTED;
    if (work->baseline == posenc_bench_float32) return FLOAT32;
    if (work->group->run == posenc_bench_fill && work->dtype == POSENC_F32) return OURS;
    if (work->group->run == posenc_bench_cold) return COLD;
    return -1;
}

void posenc_bench_claims_note(posenc_bench_times *times, const posenc_bench_work *work,
                              const posenc_bench_result *result) {
    int way = way_of(work);
    for (int i = 0; i < POSENC_BENCH_LENGTHS; i++) {
        if (way < 0 || result->skipped[0] || strcmp(result->shape, shapes[i]) != 0) continue;
        times->ratio[i][way] = way == COLD ? result->value : result->ratio.median;
        times->error[i][way] = result->max_error;
    }
}

static const char *verdict(double measured, double claimed) {
    if (measured > 1.5 * claimed) return "more than claimed";
    if (measured < claimed / 1.5) return "less than claimed";
    return "about as claimed";
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
append(char *text, size_t capacity, const char *format, ...) {
    size_t used = strlen(text);
    va_list values;
    va_start(values, format);
    vsnprintf(text + used, capacity - used, format, values);
    va_end(values);
}

#define SAY(...) append(claims->sentence[claims->n], sizeof claims->sentence[0], __VA_ARGS__)

static void say_fifty(const posenc_bench_times *times, posenc_bench_claims *claims) {
    const double *t = times->ratio[0];
    if (t[NAIVE] <= 0 || t[FLOAT32] <= 0) return;
    double factor = t[NAIVE] / t[FLOAT32];
    SAY("Claim: at length 1000 the naive loop is 50 times slower than the optimised way. Measured at %s: %.0f times "
        "slower than the vectorised float32 way, %s",
        shapes[0], factor, verdict(factor, 50));
    if (t[OURS] > 0) SAY("; %.0f times slower than posenc", t[NAIVE] / t[OURS]);
    if (t[COLD] > 0) SAY(" (%.0f with the plan made anew)", t[COLD]);
    SAY(".");
    claims->n++;
}

static void say_twenty(const posenc_bench_times *times, posenc_bench_claims *claims) {
    int told = 0;
    for (int i = 0; i < POSENC_BENCH_LENGTHS; i++) {
        const double *t = times->ratio[i];
        if (t[NAIVE] <= 0 || t[FLOAT32] <= 0) continue;
        SAY("%s %.0f times at %s (%s; worst error %.1e)",
            told++ ? ","
                   : "Claim: vectorising makes it 20 times faster. "
                     "Measured for float32:",
            t[NAIVE] / t[FLOAT32], shapes[i], verdict(t[NAIVE] / t[FLOAT32], 20), times->error[i][FLOAT32]);
    }
    if (told) SAY(".");
    claims->n += told > 0;
}

static void say_ours(const posenc_bench_times *times, posenc_bench_claims *claims) {
    int told = 0;
    for (int i = 0; i < POSENC_BENCH_LENGTHS; i++) {
        const double *t = times->ratio[i];
        if (t[NAIVE] <= 0 || t[OURS] <= 0) continue;
        SAY("%s %.0f times at %s (worst error %.1e)",
            told++ ? "," : "posenc beside the naive loop:", t[NAIVE] / t[OURS], shapes[i], times->error[i][OURS]);
    }
    if (told) SAY(".");
    claims->n += told > 0;
}

static void say_where_from(const posenc_bench_times *times, posenc_bench_claims *claims) {
    const double *t = times->ratio[0];
    if (t[NAIVE] <= 0 || t[HOISTED] <= 0 || t[FLOAT32] <= 0) return;
    SAY("Where it comes from, at %s: frequencies computed once give %.1f times, vector sines in float32 another %.1f. "
        "All of these are C; an interpreted loop pays for every element on top, so figures for Python differ.",
        shapes[0], t[NAIVE] / t[HOISTED], t[HOISTED] / t[FLOAT32]);
    claims->n++;
}

void posenc_bench_claims_make(const posenc_bench_times *times, posenc_bench_claims *claims) {
    memset(claims, 0, sizeof *claims);
    say_fifty(times, claims);
    say_twenty(times, claims);
    say_ours(times, claims);
    say_where_from(times, claims);
}
