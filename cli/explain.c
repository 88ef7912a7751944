/* explain: what a model's configuration says about positions. */
#include "explain.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"

const char *posenc_cli_pairing_name(posenc_pairing pairing) {
    static const char *const names[] = {"halves", "interleaved", "interleaved-in-halves-out"};
    return names[pairing];
}

static bool is_rotary(const posenc_config_layers *layers) { return strcmp(layers->scheme, "rotary") == 0; }

/* Only the spectrum is wanted here, so no positions are prepared. */
static int make_plan(const posenc_cli_arguments *arguments, const posenc_config_layers *layers, posenc_plan **plan) {
    posenc_rotary_options options = layers->rotary;
    posenc_error error;
    options.max_len = 1;
    if (posenc_rotary_create(posenc_cli_context(arguments), &options, plan, &error) == POSENC_OK)
        return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

static char letter_of(int64_t axis, int64_t axes) {
    return axes == 3 ? "THW"[axis] : axes == 2 ? "HW"[axis] : (char)('0' + axis);
}

static void name_axes(posenc_cli_spectrum *spectrum, const int64_t *axis) {
    for (int64_t i = 0; i < spectrum->info.pairs; i++) spectrum->axes[i] = letter_of(axis[i], spectrum->info.axes);
    spectrum->axes[spectrum->info.pairs] = '\0';
}

static int fill_spectrum(const posenc_plan *plan, int64_t length, posenc_cli_spectrum *spectrum) {
    posenc_error error;
    size_t pairs = (size_t)spectrum->info.pairs; /* at most 2^23 */
    int64_t *axis = malloc(pairs * sizeof *axis);
    spectrum->omega = malloc(pairs * sizeof *spectrum->omega);
    if (spectrum->info.axes > 1) spectrum->axes = malloc(pairs + 1);
    int status = POSENC_CLI_FINE;
    if (!axis || !spectrum->omega || (spectrum->info.axes > 1 && !spectrum->axes))
        status = posenc_cli_no_memory("spectrum", pairs * sizeof *axis);
    else if (posenc_rotary_describe(plan, length, &spectrum->info, spectrum->omega, axis, &error) != POSENC_OK)
        status = posenc_cli_refuse(&error);
    else if (spectrum->axes)
        name_axes(spectrum, axis);
    free(axis);
    return status;
}

static int describe_plan(const posenc_plan *plan, int64_t length, posenc_cli_spectrum *spectrum) {
    posenc_error error;
    spectrum->info.size = sizeof spectrum->info;
    if (posenc_rotary_describe(plan, length, &spectrum->info, NULL, NULL, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    return fill_spectrum(plan, length, spectrum);
}

static int describe_layers(const posenc_cli_arguments *arguments, const posenc_config_layers *layers, int64_t length,
                           posenc_cli_spectrum *spectrum) {
    posenc_plan *plan = NULL;
    spectrum->softmax_factor = 1;
    if (!is_rotary(layers)) return POSENC_CLI_FINE;
    int status = make_plan(arguments, layers, &plan);
    if (status == POSENC_CLI_FINE) status = describe_plan(plan, length, spectrum);
    if (status == POSENC_CLI_FINE && layers->latent_attention) spectrum->softmax_factor = spectrum->info.softmax_factor;
    posenc_plan_destroy(plan);
    return status;
}

static size_t count_kinds(const posenc_config *config) {
    size_t n = 0;
    while (posenc_config_at(config, n)) n++;
    return n;
}

static int describe(const posenc_cli_arguments *arguments, posenc_cli_explained *e, size_t n) {
    int status = POSENC_CLI_FINE;
    e->spectra = calloc(n, sizeof *e->spectra);
    if (!e->spectra) return posenc_cli_no_memory("spectra", n * sizeof *e->spectra);
    for (size_t i = 0; status == POSENC_CLI_FINE && i < n; i++)
        status = describe_layers(arguments, posenc_config_at(e->config, i), e->length, &e->spectra[i]);
    return status;
}

static int print(const posenc_cli_arguments *arguments, const posenc_cli_explained *e) {
    int status = posenc_cli_flag(arguments, "json") ? posenc_cli_explain_json(e) : posenc_cli_explain_text(e);
    bool warned = posenc_config_warned(e->config, 0) != NULL;
    return status == POSENC_CLI_FINE && warned && posenc_cli_flag(arguments, "strict") ? POSENC_CLI_BAD_NEWS : status;
}

static int explain(const posenc_cli_arguments *arguments) {
    posenc_cli_explained e = {.path = posenc_cli_operand(arguments, 0)};
    posenc_config *config;
    posenc_error error;
    if (posenc_cli_given(arguments, "length")) e.length = posenc_cli_integer(arguments, "length");
    if (posenc_config_read(posenc_cli_context(arguments), e.path, &config, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    e.config = config;
    size_t n = count_kinds(config);
    int status = describe(arguments, &e, n);
    if (status == POSENC_CLI_FINE) status = print(arguments, &e);
    for (size_t i = 0; e.spectra && i < n; i++) {
        free(e.spectra[i].omega);
        free(e.spectra[i].axes);
    }
    free(e.spectra);
    posenc_config_destroy(config);
    return status;
}

static const posenc_cli_option options[] = {
    {.name = "length",
     .kind = POSENC_CLI_INTEGER,
     .value = "N",
     .minimum = 1,
     .maximum = 0x1p63,
     .help = "Tokens of the sequence, for frequencies that depend on it (dynamic, longrope); the length of the first "
             "training unless given"},
    {.name = "strict", .kind = POSENC_CLI_FLAG, .help = "Exit status 1 where there is a warning"},
};

static const char *const examples[] = {
    "posenc explain config.json",
    "posenc explain model/ --strict",
    "posenc explain config.json --length 100000 --json",
    NULL,
};

const posenc_cli_command posenc_cli_explain = {
    .name = "explain",
    .summary = "Say what a model configuration means for positions",
    .description =
        "Reads a Hugging Face config.json, in the older spelling (rope_scaling) or the newer (rope_parameters), and "
        "says for each kind of layers which scheme tells them where a token stands. For a rotary one: the family of "
        "its frequencies, which channels are a pair, which part of a head turns and by which coordinate, the "
        "wavelengths, how many pairs are kept, blended and divided, the amplitude of cosines and sines, and the "
        "factor of the softmax scale, which is not applied to them.\n\n"
        "Below that it lists what the file leaves open and was assumed, and warns of each key that is unknown, is not "
        "read, or contradicts another. What cannot be meant at all is an error.",
    .usage = "PATH [--length N] [--strict] [--json]",
    .operands = "PATH",
    .fewest_operands = 1,
    .most_operands = 1,
    .takes = POSENC_CLI_TAKES_JSON | POSENC_CLI_TAKES_CONTEXT,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = explain,
};
