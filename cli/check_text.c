/* A check's report for people. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "table_head.h"
#include "wrap.h"

enum { INDENT = 9 }; /* behind the level of a finding */

const char *posenc_cli_layout_name(posenc_layout layout) {
    static const char *const names[] = {"interleaved", "halves", "tensor2tensor"};
    return names[layout];
}

const char *posenc_cli_arithmetic_name(posenc_arithmetic arithmetic) {
    static const char *const names[] = {"exact", "float32", "float32-exp"};
    return names[arithmetic];
}

static bool is_sinusoidal(const posenc_match *match) {
    return match->scheme && strcmp(match->scheme, "sinusoidal") == 0;
}

/* A formula of one base. A plan that was given has none of its own here. */
static bool has_base(const posenc_match *match) {
    return is_sinusoidal(match) || (match->scheme && strcmp(match->scheme, "rotary") == 0 && match->base > 0);
}

static void print_unknown(const posenc_check_report *report) {
    fputs(isnan(report->amplitude) ? ": not one of the formulas that were tried"
                                   : ": cosines and sines, rotary, of no one base",
          stdout);
}

/* Where the columns stand: of a rotary table the sine is behind. */
static void print_layout(const posenc_match *match) {
    if (is_sinusoidal(match)) printf(", %s", posenc_cli_layout_name(match->layout));
    if (is_sinusoidal(match) && match->cos_first) fputs(", cosine first", stdout);
    if (!is_sinusoidal(match) && !match->cos_first) fputs(", sine first", stdout);
}

/* ", interleaved, base 10000, float32 arithmetic" */
static void print_base(const posenc_match *match) {
    print_layout(match);
    if (match->base_is_known)
        printf(", base %.10g", match->base);
    else
        printf(", base about %.6g", match->base);
    if (match->start != 0) printf(", from position %lld", (long long)match->start);
    printf(", %s arithmetic", posenc_cli_arithmetic_name(match->arithmetic));
}

/* ": sinusoidal, interleaved, base 10000, exact arithmetic", ": rotary, scaling yarn, factor 4, amplitude 1.1386" */
static void print_match(const posenc_check_report *report) {
    const posenc_match *match = &report->match;
    if (match->scheme)
        printf(": %s%s%s", match->scheme, *report->parameters ? ", " : "", report->parameters);
    else
        print_unknown(report);
    if (has_base(match)) print_base(match);
    if (report->amplitude > 0 && report->amplitude != 1) printf(", amplitude %.5g", report->amplitude);
}

static void print_table(const posenc_cli_input_table *table, const posenc_check_report *report) {
    posenc_cli_table_head(table);
    if (report->looked_at) print_match(report);
    putchar('\n');
}

static posenc_cli_style style_of(posenc_level level) {
    return level == POSENC_LEVEL_ERROR ? POSENC_CLI_RED : POSENC_CLI_BOLD;
}

static void print_finding(const posenc_finding *f) {
    char text[512], at[96] = "", channel[48] = "";
    if (f->position >= 0) snprintf(at, sizeof at, " at position %lld", (long long)f->position);
    if (f->channel >= 0)
        snprintf(channel, sizeof channel, "%s channel %lld", f->position >= 0 ? "," : " in", (long long)f->channel);
    snprintf(text, sizeof text, "%s%s%s: %s", posenc_finding_name(f->kind), at, channel, f->why);
    printf("%s%-*s%s", posenc_cli_styled(stdout, f->level == POSENC_LEVEL_NOTE ? POSENC_CLI_PLAIN : style_of(f->level)),
           INDENT, posenc_level_name(f->level), posenc_cli_styled(stdout, POSENC_CLI_PLAIN));
    posenc_cli_wrap(stdout, text, INDENT, INDENT);
}

static void print_findings(const posenc_check_report *report) {
    if (report->n_findings > 0) putchar('\n');
    for (size_t i = 0; i < report->n_findings; i++) print_finding(&report->findings[i]);
}

static void print_looks(const posenc_check_report *report) {
    char text[512] = "";
    size_t used = 0;
    for (int i = 0; i < POSENC_LOOK_COUNT; i++)
        if (report->looked_at & 1u << i)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                     posenc_look_name((posenc_look)i));
    int column = printf("\nLooked at ");
    posenc_cli_wrap(stdout, *text ? text : "nothing: the table is empty", column - 1, 2);
}

static void print_numbers(const posenc_check_report *report) {
    if (!isnan(report->minimum)) printf("Values %.6g to %.6g", report->minimum, report->maximum);
    if (!isnan(report->minimum) && report->rank >= 0) printf("; rank %lld", (long long)report->rank);
    if (!isnan(report->minimum) && !isnan(report->effective_dimension))
        printf(", effective dimension %.4g", report->effective_dimension);
    if (!isnan(report->minimum)) putchar('\n');
}

static void print_extensions(const posenc_check_report *report) {
    for (int i = 0; i < 2; i++) {
        char text[sizeof report->extensions[i].sentence];
        if (report->extensions[i].length == 0) continue;
        memcpy(text, report->extensions[i].sentence, sizeof text);
        text[0] = (char)toupper((unsigned char)text[0]);
        posenc_cli_wrap(stdout, text, 0, 2);
    }
}

static int count(const posenc_check_report *report, posenc_level level) {
    int n = 0;
    for (size_t i = 0; i < report->n_findings; i++) n += report->findings[i].level == level;
    return n;
}

/* "2 errors, 1 warning" */
static void print_count(int n, const char *what, const char *mark) {
    if (n > 0) printf("%s%d %s%s", mark, n, what, n == 1 ? "" : "s");
}

static void print_verdict(const posenc_check_report *report) {
    int errors = count(report, POSENC_LEVEL_ERROR), warnings = count(report, POSENC_LEVEL_WARNING);
    printf("\n%s%s%s", posenc_cli_styled(stdout, report->healthy ? POSENC_CLI_GREEN : POSENC_CLI_RED),
           report->healthy ? "healthy" : "not healthy", posenc_cli_styled(stdout, POSENC_CLI_PLAIN));
    print_count(errors, "error", ": ");
    print_count(warnings, "warning", errors ? ", " : ", with ");
    putchar('\n');
}

int posenc_cli_check_text(const posenc_cli_input_table *table, const posenc_check_report *report) {
    print_table(table, report);
    print_findings(report);
    print_looks(report);
    print_numbers(report);
    print_extensions(report);
    print_verdict(report);
    return POSENC_CLI_FINE;
}
