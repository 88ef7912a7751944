/* The bench as lines for people: what, how long, how many times its floor, goal, error. */
#include <string.h>

#include "bench_report.h"
#include "cli.h"
#include "clock.h"
#include "machine.h"
#include "reference.h"
#include "wrap.h"

/* Three significant digits. */
static void print_number(char text[32], double value) {
    snprintf(text, 32, "%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
}

/* "1.58  1.61  1.90 ms": least, median, most in the median's unit. */
static void print_times(posenc_bench_spread seconds) {
    static const struct {
        double below, factor;
        const char *unit;
    } units[] = {{1e-6, 1e9, "ns"}, {1e-3, 1e6, "us"}, {1, 1e3, "ms"}, {1e300, 1, "s"}};
    char least[32], median[32], most[32];
    int i = 0;
    while (seconds.median >= units[i].below) i++;
    print_number(least, seconds.minimum * units[i].factor);
    print_number(median, seconds.median * units[i].factor);
    print_number(most, seconds.maximum * units[i].factor);
    printf("%6s %6s %6s %-2s %3d", least, median, most, units[i].unit, seconds.runs);
}

/* "1.07 x memset, memory", "151 x faster than naive loop", "0.98 of memset's speed-up"; then the spread of the ratio.
 */
static void print_value(const posenc_bench_result *result) {
    char value[32], text[96], least[32], most[32], spread[80] = "";
    print_number(value, result->value);
    if (result->kind == POSENC_BENCH_FASTER)
        snprintf(text, sizeof text, "%s x faster than %s", value, result->floor);
    else if (result->kind == POSENC_BENCH_SPEED_UP)
        snprintf(text, sizeof text, "%s of %s's speed-up", value, result->floor);
    else
        snprintf(text, sizeof text, "%s x %s, %s", value, result->floor, result->state);
    if (result->kind != POSENC_BENCH_SPEED_UP) {
        bool faster = result->kind == POSENC_BENCH_FASTER;
        print_number(least, faster ? 1 / result->ratio.maximum : result->ratio.minimum);
        print_number(most, faster ? 1 / result->ratio.minimum : result->ratio.maximum);
        snprintf(spread, sizeof spread, "%s..%s", least, most);
    }
    printf("  %-28s %-11s", text, spread);
}

static void print_goal(const posenc_bench_result *result) {
    const char *style = posenc_cli_styled(stdout, result->goal_met ? POSENC_CLI_GREEN : POSENC_CLI_RED);
    char goal[32];
    if (result->goal <= 0) {
        printf(" %-12s", "");
        return;
    }
    snprintf(goal, sizeof goal, "%s %.4g", result->kind == POSENC_BENCH_RATIO ? "<=" : ">=", result->goal);
    printf(" %-7s %s%-4s%s", goal, style, result->goal_met ? "met" : "no", posenc_cli_styled(stdout, POSENC_CLI_PLAIN));
}

static void print_last(const posenc_bench_result *result) {
    if (!(result->max_error < 0)) printf(" %.1e", result->max_error);
    if (result->beside) printf(" %.2f x", result->beside_ratio);
}

typedef struct {
    const char *heading; /* of the group printed last */
    bool multiplied;     /* a line with a star was printed */
} report;

static void print_heading(report *so_far, const char *heading) {
    if (so_far->heading && strcmp(so_far->heading, heading) == 0) return;
    printf("\n%s%s%s\n", posenc_cli_styled(stdout, POSENC_CLI_BOLD), heading,
           posenc_cli_styled(stdout, POSENC_CLI_PLAIN));
    so_far->heading = heading;
}

static void print_result(void *user, const posenc_bench_result *result) {
    report *so_far = user;
    char line[POSENC_BENCH_LINE];
    print_heading(so_far, result->heading);
    snprintf(line, sizeof line, "%s %s %s%s", result->work, result->shape, result->dtype,
             result->every > 1 ? " *" : "");
    printf("%-36s", line);
    if (result->skipped[0]) {
        printf(" not run: %s\n", result->skipped);
        return;
    }
    print_times(result->seconds);
    print_value(result);
    print_goal(result);
    print_last(result);
    putchar('\n');
    if (result->note[0]) printf("%-36s%s\n", "", result->note);
    if (result->every > 1) so_far->multiplied = true;
    fflush(stdout);
}

static void print_head(const posenc_bench_options *options) {
    char machine[256], text[1024];
    posenc_bench_machine(machine, sizeof machine);
    printf("posenc %s, %s, %d thread%s, %s\n%s\n\n", posenc_version(), options->isa, options->threads,
           options->threads == 1 ? " (pinned)" : "s", posenc_bench_compiler(), machine);
    snprintf(
        text, sizeof text,
        "Each work is timed in turns with its floor; a ratio is the median of the ratios of single rounds. Buffers "
        "are warm unless a line says fresh; \"memory\" means larger than the last-level cache. Errors are the "
        "largest found against %s.",
        posenc_bench_reference_type());
    posenc_cli_wrap(stdout, text, 0, 0);
    printf("\n%-36s%6s %6s %6s    %3s  %-28s %-11s %-12s %s\n", "work", "least", "median", "most", "n",
           "against its floor", "spread", "goal", "error, or streaming copy");
}

static void print_busy(double share) {
    char text[256];
    if (share >= POSENC_BENCH_QUIET_SHARE) return;
    snprintf(text, sizeof text,
             "The machine was busy: this program had a processor for %.0f %% of the time only. Long works look slower "
             "than they are; ratios of long works to short ones are not to be trusted.",
             100 * share);
    putchar('\n');
    posenc_cli_wrap(stdout, text, 0, 0);
}

int posenc_cli_bench_text(const posenc_bench_options *options) {
    report so_far = {NULL, false};
    posenc_bench_claims claims;
    posenc_error error;
    int n_done = 0;
    posenc_bench_watch watch = posenc_bench_watch_start();
    print_head(options);
    if (posenc_bench_run(options, print_result, &so_far, &n_done, &claims, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    if (so_far.multiplied) puts("\n* each 16th row was made, and its time multiplied by 16; --full makes all rows");
    if (claims.n > 0) print_heading(&so_far, "What was reproduced of the article's \"50 times\" and \"20 times\"");
    for (int i = 0; i < claims.n; i++) posenc_cli_wrap(stdout, claims.sentence[i], 0, 0);
    print_busy(posenc_bench_watch_share(&watch));
    return POSENC_CLI_FINE;
}
