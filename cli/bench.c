/* bench: times posenc beside the floors of the machine and beside the ways of others; ../bench does the measuring. */
#include "bench.h"

#include <string.h>

#include "bench_report.h"
#include "cli.h"
#include "commands.h"

static int refuse_filter(const char *filter, posenc_bench_size size) {
    char line[POSENC_BENCH_LINE], first[POSENC_BENCH_LINE] = "";
    for (size_t i = 0; !first[0] && posenc_bench_line(i, size, line); i++) snprintf(first, sizeof first, "%s", line);
    return posenc_cli_fail("filter: expected part of a work's line such as \"%s\", got \"%s\"", first, filter);
}

static bool fits_something(const char *filter, posenc_bench_size size) {
    char line[POSENC_BENCH_LINE];
    for (size_t i = 0; posenc_bench_line(i, size, line); i++)
        if (line[0] && (!filter || strstr(line, filter))) return true;
    return false;
}

static int bench(const posenc_cli_arguments *arguments) {
    bool quick = posenc_cli_flag(arguments, "quick"), full = posenc_cli_flag(arguments, "full");
    if (quick && full) return posenc_cli_fail("full: expected one of --quick and --full, got both");
    posenc_bench_options options = {.size = quick  ? POSENC_BENCH_QUICK
                                            : full ? POSENC_BENCH_FULL
                                                   : POSENC_BENCH_USUAL,
                                    .filter = posenc_cli_text(arguments, "filter"),
                                    .isa = posenc_context_isa(posenc_cli_context(arguments)),
                                    .threads = (int)posenc_cli_integer(arguments, "threads")};
    if (!fits_something(options.filter, options.size)) return refuse_filter(options.filter, options.size);
    return posenc_cli_flag(arguments, "json") ? posenc_cli_bench_json(&options) : posenc_cli_bench_text(&options);
}

static const posenc_cli_option options[] = {
    {.name = "quick", .kind = POSENC_CLI_FLAG, .help = "Fewer works and fewer rounds, in below ten seconds"},
    {.name = "full", .kind = POSENC_CLI_FLAG, .help = "The sizes of the published goals and more rounds, in minutes"},
    {.name = "filter",
     .kind = POSENC_CLI_TEXT,
     .value = "TEXT",
     .help = "Only works whose line holds TEXT, for example \"add\" or \"5000x512\""}};

static const char *const examples[] = {"posenc bench --quick", "posenc bench --filter \"fill 1000x512\"",
                                       "posenc bench --quick --filter token --json", NULL};

const posenc_cli_command posenc_cli_bench = {
    .name = "bench",
    .summary = "Speed beside the floors of this machine",
    .description =
        "Times each work in turns with its floor, what the machine itself needs for the same bytes: memset of a "
        "non-zero "
        "byte, memcpy, a copy of a row in the cache. A ratio is the median of the ratios of single rounds. Buffers are "
        "warm, that is, touched before, unless the line says fresh.\n\n"
        "The ways that others make the same table are timed too, each with its worst error against long double: the "
        "naive double loop, the loop with its frequencies computed once, and the vectorised float32 way.\n\n"
        "Goals are for one thread on AVX-512 or AVX2; a missed goal is told and changes no exit status, since a busy "
        "machine misses it as well.",
    .usage = "[--quick|--full] [--filter TEXT] [--json] [--threads N] [--isa NAME]",
    .operands = "",
    .takes = POSENC_CLI_TAKES_JSON | POSENC_CLI_TAKES_CONTEXT,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = bench,
};
