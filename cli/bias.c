/* bias: the additive score bias of a scheme, or the rows of its trained table. What is wanted is found here;
 * bias_write.c writes it. */
#include "bias_input.h"
#include "bias_write.h"
#include "cli.h"
#include "commands.h"
#include "extents.h"
#include "numbers.h"
#include "options.h"
#include "plan.h"

static const int64_t header_room = 256; /* of a file */

typedef posenc_cli_bias_job job;

/* ---- what is wanted ---- */

static bool has(const job *j, const char *parameter) { return posenc_cli_parameter_find(j->scheme, parameter); }

static int find_scheme(job *j) {
    j->scheme = posenc_cli_scheme(j->arguments);
    if (j->scheme->effect != POSENC_EFFECT_BIASES_SCORES)
        return posenc_cli_fail("scheme: expected one that biases scores, got %s, which %s", j->scheme->name,
                               posenc_effect_name(j->scheme->effect));
    j->trained = posenc_cli_bias_is_trained(j->scheme);
    j->index = posenc_cli_flag(j->arguments, "index") || !has(j, "heads");
    bool given = posenc_cli_given(j->arguments, "table");
    if (j->index && has(j, "slopes"))
        return posenc_cli_fail("index: expected a scheme with buckets, got %s", j->scheme->name);
    if (given && (j->index || !j->trained))
        return posenc_cli_fail("table: expected none for %s, got \"%s\"", j->trained ? "--index" : j->scheme->name,
                               posenc_cli_text(j->arguments, "table"));
    if (!given && j->trained && !j->index)
        return posenc_cli_fail("table: expected --table FILE[:TENSOR] for %s, or --index for its rows, got neither",
                               j->scheme->name);
    return POSENC_CLI_FINE;
}

/* Text shows f64 with 9 digits, unless the user names a dtype: then what that dtype holds, f64 with all 17. */
static int find_form(job *j) {
    const char *output = posenc_cli_text(j->arguments, "output"), *dtype = posenc_cli_text(j->arguments, "dtype");
    j->path = output ? output : "-";
    j->form = POSENC_CLI_CSV;
    int status = output ? posenc_cli_target_form(output, true, POSENC_CLI_NPY, &j->form) : POSENC_CLI_FINE;
    if (j->index && dtype) return posenc_cli_fail("dtype: expected none for an index, which is i32, got %s", dtype);
    j->dtype = j->form == POSENC_CLI_CSV ? POSENC_F64 : j->index ? POSENC_I32 : POSENC_F32;
    if (dtype) posenc_dtype_parse(dtype, &j->dtype);
    j->digits = dtype && j->dtype == POSENC_F64 ? 17 : 9;
    return status;
}

/* ---- the plan: parameters as given, and what --window and the table say ---- */

static int find_window(const job *j, posenc_cli_number *numbers, size_t *n) {
    const char *text = posenc_cli_text(j->arguments, "window");
    posenc_cli_extents window;
    if (!text) return POSENC_CLI_FINE;
    if (!posenc_cli_bias_has_window(j->scheme))
        return posenc_cli_fail("window: expected a scheme with windows, got %s", j->scheme->name);
    if (!posenc_cli_parse_extents(text, &window) || !window.grid)
        return posenc_cli_fail("window: expected HxW, got \"%s\"", text);
    if (posenc_cli_given(j->arguments, "window-height") || posenc_cli_given(j->arguments, "window-width"))
        return posenc_cli_fail("window: expected either --window or --window-height and --window-width, got both");
    numbers[(*n)++] = (posenc_cli_number){"window-height", window.height};
    numbers[(*n)++] = (posenc_cli_number){"window-width", window.width};
    return POSENC_CLI_FINE;
}

static int make_plan(job *j) {
    posenc_cli_number numbers[POSENC_CLI_MOST_NUMBERS];
    const DLTensor *table = j->table.tensor;
    size_t n = 0;
    int status = find_window(j, numbers, &n);
    if (status != POSENC_CLI_FINE) return status;
    if (table) numbers[n++] = (posenc_cli_number){"buckets", table->shape[0]};
    if (table || j->index) numbers[n++] = (posenc_cli_number){"heads", table ? table->shape[1] : 1};
    status = posenc_cli_plan_with(j->arguments, numbers, n, &j->plan);
    char text[64];
    j->heads = 1;
    if (status == POSENC_CLI_FINE && !j->index &&
        posenc_plan_parameter(j->plan, "heads", text, sizeof text) == POSENC_OK)
        posenc_cli_parse_integer(text, &j->heads);
    return status;
}

/* Queries and keys of a window are its tokens, unless the user says so too. */
static int find_extent(job *j) {
    const posenc_cli_arguments *a = j->arguments;
    posenc_bias_extent_default(&j->extent, sizeof j->extent);
    bool window = posenc_cli_bias_has_window(j->scheme);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "keys" : "queries";
        if (!posenc_cli_given(a, name) && !window) return posenc_cli_fail("%s: expected --%s N, got none", name, name);
        int64_t n = posenc_cli_given(a, name) ? posenc_cli_integer(a, name) : posenc_plan_dim(j->plan);
        *(i ? &j->extent.keys : &j->extent.queries) = n;
    }
    int status = posenc_cli_bias_read_offset(a, &j->extent);
    if (status != POSENC_CLI_FINE) return status;
    int64_t row = (int64_t)posenc_dtype_bytes(j->dtype) * j->heads, most = (INT64_MAX - header_room) / row;
    if (j->extent.keys == 0 || j->extent.queries <= most / j->extent.keys) return POSENC_CLI_FINE;
    return posenc_cli_fail("queries: expected at most %lld for %lld keys and %lld heads, got %lld",
                           (long long)(most / j->extent.keys), (long long)j->extent.keys, (long long)j->heads,
                           (long long)j->extent.queries);
}

static int bias(const posenc_cli_arguments *arguments) {
    job j = {.arguments = arguments};
    int status = find_scheme(&j);
    if (status == POSENC_CLI_FINE) status = find_form(&j);
    if (status == POSENC_CLI_FINE) status = posenc_cli_bias_read_table(arguments, &j.table);
    if (status == POSENC_CLI_FINE) status = make_plan(&j);
    if (status == POSENC_CLI_FINE) status = find_extent(&j);
    if (status == POSENC_CLI_FINE) status = posenc_cli_bias_check(&j);
    if (status == POSENC_CLI_FINE) status = posenc_cli_bias_write(&j);
    posenc_plan_destroy(j.plan);
    posenc_cli_free_table(&j.table);
    posenc_cli_target_discard(&j.target);
    return status;
}

static const char *const dtypes[] = {"f32", "f64", "f16", "bf16", NULL};

static const posenc_cli_option options[] = {
    {.name = "queries",
     .kind = POSENC_CLI_INTEGER,
     .value = "Q",
     .maximum = 0x1p60,
     .help = "Number of queries; needed but for a window, whose tokens are its queries"},
    {.name = "keys", .kind = POSENC_CLI_INTEGER, .value = "K", .maximum = 0x1p60, .help = "Number of keys, likewise"},
    {.name = "offset",
     .kind = POSENC_CLI_INTEGER,
     .value = "P",
     .help = "Position of the first query, where keys stand at 0, 1, ..; unless said, keys - queries for causal forms, "
             "else 0"},
    {.name = "table",
     .kind = POSENC_CLI_FILE,
     .value = "FILE[:TENSOR]",
     .help = "Trained table (rows, heads) of t5 and swin, in .npy, .safetensors or .csv"},
    {.name = "window", .kind = POSENC_CLI_TEXT, .value = "HxW", .help = "Height and width of a window of swin"},
    {.name = "index",
     .kind = POSENC_CLI_FLAG,
     .help = "Write the table row of each query and key, (queries, keys), instead of its value; of deberta always"},
    {.name = "dtype",
     .kind = POSENC_CLI_CHOICE,
     .value = "TYPE",
     .choices = dtypes,
     .help = "Element type; f32 unless said, in text f64"},
    {.name = "output",
     .letter = 'o',
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .help = "FILE.npy, FILE.safetensors (tensor bias, or index), FILE.csv, or - for .npy on standard output"},
};

static const char *const examples[] = {
    "posenc bias alibi --heads 2 --queries 3 --keys 5",
    "posenc bias alibi --heads 12 --queries 1024 --keys 1024 --dtype bf16 -o bias.safetensors",
    "posenc bias t5 --index --queries 4 --keys 40",
    "posenc bias swin --window 2x3 --index",
    NULL,
};

const posenc_cli_command posenc_cli_bias = {
    .name = "bias",
    .summary = "Write an additive score bias, (heads, queries, keys)",
    .description =
        "Computes what a scheme adds to the scaled scores of attention, for each head, query and key.\n\n"
        "Queries stand at offset, offset + 1, .., keys at 0, 1, ..: with causal forms the last query stands at the "
        "last "
        "key unless --offset says otherwise. alibi needs its number of heads. t5 and swin need their trained table, "
        "which says how many heads there are, and of t5 how many buckets; --index shows which of its rows each query "
        "and key "
        "read. deberta has buckets only.\n\n"
        "Without -o the bias is text on standard output: one line a query, numbers parted by commas, the heads one "
        "after "
        "the other. It is written in blocks and needs no memory of its size.",
    .usage =
        "SCHEME --queries Q --keys K [--heads H] [--offset P] [--table FILE[:TENSOR] | --index] [--window HxW] [scheme "
        "parameters] [--dtype f32|f64|f16|bf16] [-o FILE]",
    .operands = "SCHEME",
    .fewest_operands = 1,
    .most_operands = 1,
    .takes = POSENC_CLI_TAKES_CONTEXT | POSENC_CLI_TAKES_PARAMETERS,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = bias,
};
