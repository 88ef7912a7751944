/* plot: a picture of a table, drawn by the library. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "commands.h"
#include "interrupt.h"
#include "read_table.h"
#include "target.h"

static const char *const kinds[] = {[POSENC_PLOT_HEATMAP] = "heatmap",
                                    [POSENC_PLOT_SIMILARITY] = "similarity",
                                    [POSENC_PLOT_CURVES] = "curves",
                                    [POSENC_PLOT_SPECTRUM] = "spectrum",
                                    NULL};

/* The parser has seen to it that it is one of them. */
static posenc_plot_kind kind_of(const char *name) {
    int kind = 0;
    while (kinds[kind + 1] && strcmp(kinds[kind], name) != 0) kind++;
    return (posenc_plot_kind)kind;
}

static bool is_device_or_pipe(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* The form of the picture, by the name of its file; what has none takes PNG. */
static int picture_of(const char *path, posenc_picture *picture) {
    *picture = POSENC_PICTURE_PNG;
    if (strcmp(path, "-") == 0) {
        if (!isatty(STDOUT_FILENO)) return POSENC_CLI_FINE;
        return posenc_cli_fail("output: expected a file or a pipe for a picture, got a terminal");
    }
    if (posenc_picture_of(path, picture) == POSENC_OK || is_device_or_pipe(path)) return POSENC_CLI_FINE;
    return posenc_cli_fail("output: expected a name that ends in .png, .svg or .pdf, got \"%s\"", path);
}

static posenc_plot_options options_of(const posenc_cli_arguments *arguments, const posenc_cli_input_table *table) {
    posenc_plot_options options;
    const char *title = posenc_cli_text(arguments, "title");
    posenc_plot_default(&options, sizeof options);
    options.width = (int)posenc_cli_integer(arguments, "width");
    options.height = (int)posenc_cli_integer(arguments, "height");
    options.start = posenc_cli_integer(arguments, "start");
    options.title = title ? title : table->title;
    return options;
}

static int draw(const posenc_cli_arguments *arguments, const posenc_cli_input_table *table, posenc_picture picture) {
    posenc_error error;
    posenc_cli_target target;
    const posenc_context *context = posenc_cli_context(arguments);
    posenc_plot_options options = options_of(arguments, table);
    posenc_plot_kind kind = kind_of(posenc_cli_text(arguments, "kind"));
    int status =
        posenc_cli_target_open(context, posenc_cli_text(arguments, "output"), POSENC_CLI_NPY /* bytes */, 0, &target);
    if (status == POSENC_CLI_FINE &&
        posenc_plot(context, table->tensor, kind, &options, picture, target.output, &error) != POSENC_OK)
        status = posenc_cli_refuse(&error);
    if (status == POSENC_CLI_FINE && posenc_cli_interrupted()) status = POSENC_CLI_TROUBLE;
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_commit(&target);
    posenc_cli_target_discard(&target);
    return status;
}

static int plot(const posenc_cli_arguments *arguments) {
    posenc_cli_input_table table = {0};
    posenc_picture picture;
    int status = picture_of(posenc_cli_text(arguments, "output"), &picture);
    if (status == POSENC_CLI_FINE)
        status =
            posenc_cli_read_table(posenc_cli_context(arguments), "table", posenc_cli_operand(arguments, 0), &table);
    if (status == POSENC_CLI_FINE) status = draw(arguments, &table, picture);
    posenc_cli_free_table(&table);
    return status;
}

static const posenc_cli_option options[] = {
    {.name = "kind",
     .kind = POSENC_CLI_CHOICE,
     .value = "KIND",
     .default_text = "heatmap",
     .choices = kinds,
     .help = "What to draw: every value; the cosine of each pair of positions; some channels along the positions; the "
             "wavelengths in each channel"},
    {.name = "output",
     .letter = 'o',
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .required = true,
     .help = "FILE.png, FILE.svg or FILE.pdf, or - for PNG on standard output"},
    {.name = "width",
     .kind = POSENC_CLI_INTEGER,
     .value = "W",
     .default_text = "800",
     .minimum = 160,
     .maximum = 16384,
     .help = "Width of the picture in pixels, in points for SVG and PDF"},
    {.name = "height",
     .kind = POSENC_CLI_INTEGER,
     .value = "H",
     .default_text = "600",
     .minimum = 160,
     .maximum = 16384,
     .help = "Its height"},
    {.name = "start",
     .kind = POSENC_CLI_INTEGER,
     .value = "P",
     .default_text = "0",
     .minimum = -0x1p53,
     .maximum = 0x1p53,
     .help = "Position of the first row, for the axes"},
    {.name = "title",
     .kind = POSENC_CLI_TEXT,
     .value = "TEXT",
     .help = "What the picture calls the table; its file and tensor unless given"},
};

static const char *const examples[] = {
    "posenc plot pe.npy -o heatmap.png",
    "posenc plot pe.npy --kind similarity -o similarity.svg",
    "posenc plot pe.safetensors:pe --kind curves --width 1200 -o curves.pdf",
    "posenc plot cos_sin.npy -o rotary.png",
    "posenc plot pe.npy --kind spectrum --title \"my model\" -o spectrum.png",
    NULL,
};

const posenc_cli_command posenc_cli_plot = {
    .name = "plot",
    .summary = "Draw a table of encodings",
    .description =
        "Draws a table (length, dim), with axes and units, as PNG, SVG or PDF, which the ending of the output "
        "decides. Cosines and sines of a rotary scheme, (length, pairs, 2), are drawn side by side as 2 pairs "
        "channels.\n\n"
        "heatmap shows every value: channel across, position down. similarity shows which positions look alike to a "
        "model: "
        "a healthy encoding has a bright diagonal that fades with distance. curves shows up to six channels, with the "
        "wavelengths of the formula where one is recognised. spectrum shows at which wavelengths each channel swings, "
        "and over it the formula.\n\n"
        "A table larger than the picture is reduced, and the line below the picture says how. Values that are not "
        "finite "
        "are marked as missing.",
    .usage = "FILE[:TENSOR] [--kind KIND] [--width W] [--height H] [--start P] [--title TEXT] -o FILE",
    .operands = "FILE[:TENSOR]",
    .fewest_operands = 1,
    .most_operands = 1,
    .takes = POSENC_CLI_TAKES_CONTEXT,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = plot,
};
