/* check: is a table healthy? */
#include "check.h"

#include "commands.h"
#include "plan.h"
#include "positions.h"
#include "rotary.h"
#include "saved_plan.h"

/* Options that mean nothing without a plan; a scheme that has no rows. */
static int check_options(const posenc_cli_arguments *arguments) {
    const posenc_scheme_info *scheme = posenc_cli_scheme(arguments);
    if (scheme && scheme->effect != POSENC_EFFECT_ADDS_ROWS && scheme->effect != POSENC_EFFECT_ROTATES_PAIRS)
        return posenc_cli_fail("scheme: expected one that adds rows or rotates pairs, got %s", scheme->name);
    if (scheme || !posenc_cli_given(arguments, "start")) return POSENC_CLI_FINE;
    return posenc_cli_fail("start: expected --scheme NAME beside it, got none");
}

/* Cosines and sines, (length, pairs, 2). */
static bool has_pairs(const posenc_cli_arguments *arguments, const DLTensor *tensor) {
    return posenc_cli_rotates(arguments) && tensor->ndim == 3 && tensor->shape[2] == 2 &&
           tensor->shape[1] <= INT64_MAX / 2;
}

/* A scheme that the user names. The last axis of a tensor of any rank is its width, unless it is of cosine and sine. */
static int make_plan(const posenc_cli_arguments *arguments, const DLTensor *tensor, int64_t start, posenc_plan **plan) {
    int64_t dim = tensor->ndim > 0 ? tensor->shape[tensor->ndim - 1] : 0;
    int64_t rows = tensor->ndim > 1 ? tensor->shape[tensor->ndim - 2] : 0;
    if (has_pairs(arguments, tensor)) dim = 2 * tensor->shape[1], rows = tensor->shape[0];
    int status = posenc_cli_plan(arguments, dim, posenc_cli_reach(start, rows), plan);
    posenc_rotary_info info;
    if (status != POSENC_CLI_FINE || !posenc_cli_rotates(arguments)) return status;
    return posenc_cli_rotary_facts(arguments, *plan, &info); /* refuses frequencies that depend on a length */
}

/* What the table should be: what the user says, or else its file. */
static int find_plan(const posenc_cli_arguments *arguments, const posenc_cli_input_table *table,
                     posenc_check_options *options, posenc_plan **plan) {
    options->start = posenc_cli_integer(arguments, "start");
    int status = posenc_cli_scheme(arguments) ? make_plan(arguments, table->tensor, options->start, plan)
                                              : posenc_cli_saved_plan(posenc_cli_context(arguments), table, plan);
    options->plan = *plan;
    return status;
}

static int look(const posenc_cli_arguments *arguments, const posenc_cli_input_table *table,
                const posenc_check_options *options) {
    posenc_check_report report = {.size = sizeof report};
    posenc_error error;
    if (posenc_check(posenc_cli_context(arguments), options, table->tensor, &report, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    int status = posenc_cli_flag(arguments, "json") ? posenc_cli_check_json(table, &report)
                                                    : posenc_cli_check_text(table, &report);
    return status != POSENC_CLI_FINE || report.healthy ? status : POSENC_CLI_BAD_NEWS;
}

static int check(const posenc_cli_arguments *arguments) {
    posenc_cli_input_table table = {0};
    posenc_check_options options;
    posenc_plan *plan = NULL;
    posenc_check_default(&options, sizeof options);
    options.padding_idx = posenc_cli_integer(arguments, "padding-idx");
    int status = check_options(arguments);
    if (status == POSENC_CLI_FINE)
        status =
            posenc_cli_read_table(posenc_cli_context(arguments), "table", posenc_cli_operand(arguments, 0), &table);
    if (status == POSENC_CLI_FINE) status = find_plan(arguments, &table, &options, &plan);
    if (status == POSENC_CLI_FINE) status = look(arguments, &table, &options);
    posenc_plan_destroy(plan);
    posenc_cli_free_table(&table);
    return status;
}

static const posenc_cli_option options[] = {
    {.name = "scheme",
     .kind = POSENC_CLI_SCHEME,
     .value = "NAME",
     .help =
         "What the table should hold, a scheme that adds rows or rotary, with its parameters; found out unless given"},
    {.name = "start",
     .kind = POSENC_CLI_INTEGER,
     .value = "P",
     .default_text = "0",
     .help = "Position of the first row, with --scheme"},
    {.name = "padding-idx",
     .kind = POSENC_CLI_INTEGER,
     .value = "K",
     .default_text = "-1",
     .minimum = -1,
     .maximum = 0x1p63,
     .help = "Row that is meant to be zero, for padding; -1: none is"},
};

static const char *const examples[] = {
    "posenc check pe.npy",
    "posenc check model.safetensors:wpe.weight",
    "posenc check pe.npy --scheme sinusoidal --layout halves",
    "posenc check cos_sin.npy --scheme rotary --base 500000",
    "posenc check pe.npy --json",
    NULL,
};

const posenc_cli_command posenc_cli_check = {
    .name = "check",
    .summary = "Say whether a table of encodings is healthy",
    .description =
        "Looks for what makes a model read wrong positions, silently: values that are not finite or out of range, rows "
        "that are zero, constant or repeated, dead channels, pairs whose sin^2 + cos^2 is not 1, axes that are "
        "swapped, "
        "values less exact than their type, rows that were never trained, low rank. Says where, by how much and why it "
        "matters, and what happens at 2 and 10 times the length.\n\n"
        "The formula is given with --scheme, or taken from the metadata that posenc wrote into the file, or found out: "
        "sinusoidal, rotary, or a grid of two axes with base 10000. Beside it only that counts as a fault which the "
        "exact table in the same type does not have. A table of rows that none of these formulas made is looked at as "
        "a learned one.\n\n"
        "The table is (length, dim); or (batch, length, dim) if all of the batch is one table; or cosines and sines, "
        "(length, pairs, 2), as posenc table rotary writes them: with --scheme rotary, or where all pairs have one "
        "length. Exit status 1 if there is an error among the findings.",
    .usage = "FILE[:TENSOR] [--scheme NAME [--start P] [scheme parameters]] [--padding-idx K] [--json]",
    .operands = "FILE[:TENSOR]",
    .fewest_operands = 1,
    .most_operands = 1,
    .takes = POSENC_CLI_TAKES_JSON | POSENC_CLI_TAKES_CONTEXT | POSENC_CLI_TAKES_PARAMETERS,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = check,
};
