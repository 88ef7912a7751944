/* selftest: does this build on this machine write the bytes that it should? */
#include <stdarg.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "json.h"
#include "selftest_parts.h"

/* One thread, two, and a number that divides nothing evenly. */
static const int thread_counts[] = {1, 2, 5};
enum { N_THREAD_COUNTS = 3, MOST_ISAS = 8 };

typedef struct test {
    posenc_context *contexts[MOST_ISAS * N_THREAD_COUNTS];
    size_t n_contexts, n_isas;
    posenc_cli_tally answers, checksums;
    double seconds;
} test;

void posenc_cli_tally_add(posenc_cli_tally *tally, bool right, const char *format, ...) {
    va_list list;
    size_t room = sizeof tally->failures / sizeof *tally->failures;
    tally->checked++;
    if (right) return;
    if ((size_t)tally->failed < room) {
        va_start(list, format);
        vsnprintf(tally->failures[tally->failed], sizeof *tally->failures, format, list);
        va_end(list);
    }
    tally->failed++;
}

static int make_contexts(test *t) {
    for (const char *isa; t->n_isas < MOST_ISAS && (isa = posenc_isa_name(t->n_isas)); t->n_isas++) {
        for (int i = 0; i < N_THREAD_COUNTS; i++) {
            posenc_context_options options;
            posenc_error error;
            posenc_context_default(&options, sizeof options);
            options.isa = isa;
            options.threads = thread_counts[i];
            if (posenc_context_create(&options, &t->contexts[t->n_contexts], &error) != POSENC_OK)
                return posenc_cli_refuse(&error);
            t->n_contexts++;
        }
    }
    return POSENC_CLI_FINE;
}

static int run_tests(test *t) {
    double started = posenc_cli_seconds();
    int status = make_contexts(t);
    for (size_t i = 0; status == POSENC_CLI_FINE && i < t->n_isas; i++)
        status = posenc_cli_known_answers(t->contexts[i * N_THREAD_COUNTS], &t->answers);
    if (status == POSENC_CLI_FINE) status = posenc_cli_checksums(t->contexts, t->n_contexts, &t->checksums);
    t->seconds = posenc_cli_seconds() - started;
    return status;
}

/* ---- Report ---- */

static bool is_fine(const test *t) { return t->answers.failed == 0 && t->checksums.failed == 0; }

static void print_tally(const char *name, const posenc_cli_tally *tally) {
    printf("%-14s %d of %d right\n", name, tally->checked - tally->failed, tally->checked);
    int room = (int)(sizeof tally->failures / sizeof *tally->failures);
    for (int i = 0; i < tally->failed && i < room; i++) printf("  wrong: %s\n", tally->failures[i]);
    if (tally->failed > room) printf("  and %d more\n", tally->failed - room);
}

static void print_text(const test *t) {
    bool fine = is_fine(t);
    printf("posenc %s on", posenc_version());
    for (size_t i = 0; i < t->n_isas; i++) printf("%s %s", i ? "," : "", posenc_isa_name(i));
    printf(" with 1, 2 and 5 threads\n");
    print_tally("known answers", &t->answers);
    print_tally("checksums", &t->checksums);
    printf("%s%s%s, %.2f s\n", posenc_cli_styled(stdout, fine ? POSENC_CLI_GREEN : POSENC_CLI_RED),
           fine ? "all fine" : "FAILED", posenc_cli_styled(stdout, POSENC_CLI_PLAIN), t->seconds);
}

static json_t *json_tally(const posenc_cli_tally *tally) {
    json_t *failures = json_array();
    int room = (int)(sizeof tally->failures / sizeof *tally->failures);
    for (int i = 0; i < tally->failed && i < room; i++)
        json_array_append_new(failures, json_string(tally->failures[i]));
    return json_pack("{s:i, s:i, s:o}", "checked", tally->checked, "failed", tally->failed, "failures", failures);
}

static int print_json(const test *t) {
    json_t *document = posenc_cli_json_document(), *isas = json_array(), *threads = json_array();
    for (size_t i = 0; i < t->n_isas; i++) json_array_append_new(isas, json_string(posenc_isa_name(i)));
    for (int i = 0; i < N_THREAD_COUNTS; i++) json_array_append_new(threads, json_integer(thread_counts[i]));
    json_object_set_new(document, "version", json_string(posenc_version()));
    json_object_set_new(document, "fine", json_boolean(is_fine(t)));
    json_object_set_new(document, "isas", isas);
    json_object_set_new(document, "threads", threads);
    json_object_set_new(document, "known_answers", json_tally(&t->answers));
    json_object_set_new(document, "checksums", json_tally(&t->checksums));
    json_object_set_new(document, "seconds", posenc_cli_json_real(t->seconds));
    return posenc_cli_json_print(document);
}

/* ---- The command ---- */

static int selftest(const posenc_cli_arguments *arguments) {
    test t = {.n_contexts = 0};
    if (posenc_cli_flag(arguments, "print-checksums")) return posenc_cli_print_checksums();
    int status = run_tests(&t);
    if (status == POSENC_CLI_FINE && posenc_cli_flag(arguments, "json"))
        status = print_json(&t);
    else if (status == POSENC_CLI_FINE)
        print_text(&t);
    for (size_t i = 0; i < t.n_contexts; i++) posenc_context_destroy(t.contexts[i]);
    return status == POSENC_CLI_FINE && !is_fine(&t) ? POSENC_CLI_BAD_NEWS : status;
}

static const posenc_cli_option options[] = {
    {.name = "print-checksums",
     .kind = POSENC_CLI_FLAG,
     .hidden = true,
     .help = "Print the list of checksums as the source holds it"},
};

static const char *const examples[] = {"posenc selftest", "posenc selftest --json", NULL};

const posenc_cli_command posenc_cli_selftest = {
    .name = "selftest",
    .summary = "Check this build on this machine, in a second",
    .description =
        "Compares known answers, and the SHA-256 of many tables with the published ones, on every instruction set that "
        "this "
        "machine runs and with several numbers of threads. The exit status is 1 if anything differs.",
    .usage = "[--json]",
    .operands = "",
    .takes = POSENC_CLI_TAKES_JSON,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = selftest,
};
