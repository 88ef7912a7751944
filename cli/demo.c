/* demo: the guided tour. Why positions matter, on two sentences and on a real text; then the table itself. */
#include "demo.h"

#include <stdlib.h>

#include "bench.h"
#include "cli.h"
#include "commands.h"
#include "demo_pictures.h"
#include "demo_text.h"
#include "machine.h"
#include "wrap.h"

void posenc_demo_heading(const char *text) {
    printf("\n%s%s%s\n\n", posenc_cli_styled(stdout, POSENC_CLI_BOLD), text,
           posenc_cli_styled(stdout, POSENC_CLI_PLAIN));
}

void posenc_demo_say(const char *text) { posenc_cli_wrap(stdout, text, 0, 0); }

static void print_title(void) {
    char machine[256], text[512];
    posenc_bench_machine(machine, sizeof machine);
    snprintf(text, sizeof text, "posenc %s, %s, on %s.", posenc_version(), posenc_context_isa(NULL), machine);
    posenc_demo_say(text);
}

/* The path is NULL for the text that comes with the program. */
static int read_part(const char *path, const char *bytes, size_t length, bool is_cut, uint64_t seed) {
    posenc_demo_word words[POSENC_DEMO_MOST_WORDS];
    int n = posenc_demo_cut(bytes, length, words, POSENC_DEMO_MOST_WORDS);
    if (n == 0) return posenc_cli_fail("text: %s: expected at least one word, got none in %zu bytes", path, length);
    posenc_demo_heading("2. A real text");
    if (n > POSENC_DEMO_MOST_WORDS) {
        printf("  The first %d words of %s%d are read.\n", POSENC_DEMO_MOST_WORDS, is_cut ? "more than " : "", n);
        n = POSENC_DEMO_MOST_WORDS;
    }
    return posenc_demo_reading(words, n, seed);
}

static int read_text(const char *path, const posenc_demo_text *text, uint64_t seed) {
    return path ? read_part(path, text->bytes, text->length, text->is_cut, seed)
                : read_part("paragraph", (const char *)posenc_demo_paragraph, posenc_demo_paragraph_bytes, false, seed);
}

static void print_end(void) {
    posenc_demo_heading("From here");
    puts("  posenc table sinusoidal --dim 512 --length 5000 -o table.npy");
    puts("  posenc apply sinusoidal --input x.npy -o y.npy");
    puts("  posenc check table.npy");
    puts("  posenc plot table.npy --kind heatmap -o heatmap.png");
    puts("  posenc bench --quick");
    puts("  posenc help");
}

/* The folder for pictures; NULL where there shall be none. */
static const char *picture_folder(const posenc_cli_arguments *arguments) {
    return posenc_cli_flag(arguments, "no-pictures") ? NULL : posenc_cli_text(arguments, "pictures");
}

static int tour(const posenc_cli_arguments *arguments, const posenc_demo_text *text) {
    uint64_t seed = (uint64_t)posenc_cli_integer(arguments, "seed");
    const char *folder = picture_folder(arguments);
    print_title();
    int status = posenc_demo_order(seed);
    if (status == POSENC_CLI_FINE) status = read_text(posenc_cli_text(arguments, "text"), text, seed);
    if (status == POSENC_CLI_FINE) status = posenc_demo_table();
    if (status == POSENC_CLI_FINE && folder)
        status = posenc_demo_pictures(folder, posenc_cli_given(arguments, "pictures"));
    if (status == POSENC_CLI_FINE) print_end();
    return status;
}

static int check_pictures(const posenc_cli_arguments *arguments) {
    if (!posenc_cli_given(arguments, "pictures")) return POSENC_CLI_FINE;
    if (posenc_cli_flag(arguments, "no-pictures"))
        return posenc_cli_fail("no-pictures: expected either --pictures or --no-pictures, got both");
    return posenc_demo_pictures_check(posenc_cli_text(arguments, "pictures"));
}

/* What cannot be used, a text or a folder, is told before anything is printed. */
static int demo(const posenc_cli_arguments *arguments) {
    const char *path = posenc_cli_text(arguments, "text");
    posenc_demo_text text = {NULL, 0, false};
    posenc_demo_word word;
    int status = path ? posenc_demo_text_read(path, POSENC_DEMO_MOST_BYTES, &text) : POSENC_CLI_FINE;
    if (status == POSENC_CLI_FINE && path && posenc_demo_cut(text.bytes, text.length, &word, 1) == 0)
        status = posenc_cli_fail("text: %s: expected at least one word, got none in %zu bytes", path, text.length);
    if (status == POSENC_CLI_FINE) status = check_pictures(arguments);
    if (status == POSENC_CLI_FINE) status = tour(arguments, &text);
    free(text.bytes);
    return status;
}

static const posenc_cli_option options[] = {
    {.name = "text",
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .help = "Read this UTF-8 text instead of the one that comes along; at most its first 64 KiB"},
    {.name = "seed",
     .kind = POSENC_CLI_INTEGER,
     .value = "N",
     .default_text = "1",
     .minimum = 0,
     .maximum = 1e9,
     .help = "First seed of the words' vectors and of the models' weights"},
    {.name = "pictures",
     .kind = POSENC_CLI_FILE,
     .value = "FOLDER",
     .default_text = "demo",
     .help = "Where four pictures go: heatmap.png, similarity.png, curves.png, error.png; made if it is not there"},
    {.name = "no-pictures", .kind = POSENC_CLI_FLAG, .help = "Draw none"}};

static const char *const examples[] = {"posenc demo",
                                       "posenc demo --text examples/paragraph.txt --seed 7 --no-pictures", NULL};

const posenc_cli_command posenc_cli_demo = {
    .name = "demo",
    .summary = "Take the guided tour",
    .description =
        "Shows in a few seconds what positions are for and what posenc makes of them: a small untrained Transformer "
        "encoder reads \"cat chases mouse\" and \"mouse chases cat\" with and without positions, then a real text; "
        "then "
        "the 5000 x 512 table is made, and its time and its error are set beside those of the usual ways; last, four "
        "pictures are drawn.\n\n"
        "Where the folder demo cannot be written to, the tour says so and ends well; a folder that --pictures names "
        "must work.",
    .usage = "[--text FILE] [--seed N] [--pictures FOLDER | --no-pictures]",
    .operands = "",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = demo,
};
