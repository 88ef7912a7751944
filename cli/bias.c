/* bias: the additive score bias of a scheme, or the rows of its trained table, streamed to its place in blocks of
 * queries, so that memory does not grow with it. */
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "cli.h"
#include "commands.h"
#include "extents.h"
#include "numbers.h"
#include "options.h"
#include "read_table.h"
#include "target.h"

static const int64_t block_bytes = INT64_C(4) << 20; /* stays in the cache between being made and being written */
static const int64_t header_room = 256;              /* of a file */

typedef struct job {
    const posenc_cli_arguments *arguments;
    const posenc_scheme_info *scheme;
    const char *path; /* "-": standard output */
    posenc_cli_form form;
    posenc_dtype dtype; /* of what is written */
    bool index;         /* rows of the table instead of its values */
    bool trained;       /* there is a table */
    int digits;
    posenc_cli_input_table table;
    posenc_plan *plan;
    int64_t heads; /* 1 for an index */
    posenc_bias_extent extent;
    posenc_cli_target target;
} job;

/* ---- what is wanted ---- */

static bool has(const job *j, const char *parameter) { return posenc_cli_parameter_find(j->scheme, parameter); }

static int find_scheme(job *j) {
    j->scheme = posenc_cli_scheme(j->arguments);
    if (j->scheme->effect != POSENC_EFFECT_BIASES_SCORES)
        return posenc_cli_fail("scheme: expected one that biases scores, got %s, which %s", j->scheme->name,
                               posenc_effect_name(j->scheme->effect));
    j->trained = has(j, "heads") && !has(j, "slopes");
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

static int read_table(job *j) {
    const char *text = posenc_cli_text(j->arguments, "table");
    if (!text) return POSENC_CLI_FINE;
    int status = posenc_cli_read_table(posenc_cli_context(j->arguments), "table", text, &j->table);
    if (status != POSENC_CLI_FINE || j->table.tensor->ndim == 2) return status;
    return posenc_cli_fail("%s: expected a table (rows, heads), got rank %d", j->table.title,
                           (int)j->table.tensor->ndim);
}

/* ---- the plan: parameters as given, and what --window and the table say ---- */

typedef struct parameters {
    posenc_parameter list[POSENC_CLI_MOST_OPTIONS + 4];
    size_t n;
    char texts[4][24];
} parameters;

static void add(parameters *p, const job *j, const char *name, int64_t value, int text) {
    if (!has(j, name) || posenc_cli_given(j->arguments, name)) return;
    snprintf(p->texts[text], sizeof p->texts[text], "%lld", (long long)value);
    p->list[p->n++] = (posenc_parameter){name, p->texts[text]};
}

static int add_window(parameters *p, const job *j) {
    const char *text = posenc_cli_text(j->arguments, "window");
    posenc_cli_extents window;
    if (!text) return POSENC_CLI_FINE;
    if (!has(j, "window-height"))
        return posenc_cli_fail("window: expected a scheme with windows, got %s", j->scheme->name);
    if (!posenc_cli_parse_extents(text, &window) || !window.grid)
        return posenc_cli_fail("window: expected HxW, got \"%s\"", text);
    if (posenc_cli_given(j->arguments, "window-height") || posenc_cli_given(j->arguments, "window-width"))
        return posenc_cli_fail("window: expected either --window or --window-height and --window-width, got both");
    add(p, j, "window-height", window.height, 0);
    add(p, j, "window-width", window.width, 1);
    return POSENC_CLI_FINE;
}

static int make_plan(job *j) {
    parameters p = {.n = j->arguments->n_parameters};
    posenc_error error;
    memcpy(p.list, j->arguments->parameters, p.n * sizeof *p.list);
    int status = add_window(&p, j);
    if (status != POSENC_CLI_FINE) return status;
    if (j->table.tensor) add(&p, j, "buckets", j->table.tensor->shape[0], 2);
    if (j->table.tensor)
        add(&p, j, "heads", j->table.tensor->shape[1], 3);
    else if (j->index)
        add(&p, j, "heads", 1, 3);
    if (posenc_plan_create(posenc_cli_context(j->arguments), j->scheme->name, p.list, p.n, &j->plan, &error) !=
        POSENC_OK)
        return posenc_cli_refuse(&error);
    char text[64];
    j->heads = 1;
    if (!j->index && posenc_plan_parameter(j->plan, "heads", text, sizeof text) == POSENC_OK)
        posenc_cli_parse_integer(text, &j->heads);
    return POSENC_CLI_FINE;
}

/* Queries and keys of a window are its tokens, unless the user says so too. */
static int find_extent(job *j) {
    const posenc_cli_arguments *a = j->arguments;
    posenc_bias_extent_default(&j->extent, sizeof j->extent);
    bool window = has(j, "window-height");
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "keys" : "queries";
        if (!posenc_cli_given(a, name) && !window) return posenc_cli_fail("%s: expected --%s N, got none", name, name);
        int64_t n = posenc_cli_given(a, name) ? posenc_cli_integer(a, name) : posenc_plan_dim(j->plan);
        *(i ? &j->extent.keys : &j->extent.queries) = n;
    }
    if (posenc_cli_given(a, "offset")) j->extent.offset = posenc_cli_integer(a, "offset");
    int64_t row = (int64_t)posenc_dtype_bytes(j->dtype) * j->heads, most = (INT64_MAX - header_room) / row;
    if (j->extent.keys == 0 || j->extent.queries <= most / j->extent.keys) return POSENC_CLI_FINE;
    return posenc_cli_fail("queries: expected at most %lld for %lld keys and %lld heads, got %lld",
                           (long long)(most / j->extent.keys), (long long)j->extent.keys, (long long)j->heads,
                           (long long)j->extent.queries);
}

/* ---- writing ---- */

/* The numbers of an index as text is made of doubles. */
static void widen(const void *wholes, int64_t n, double *out) {
    const int32_t *from = wholes;
    for (int64_t i = n - 1; i >= 0; i--) out[i] = (double)from[i];
}

/* A block of one head, and where it is made: elements, and behind them room for what text is made of. */
typedef struct block {
    int64_t most_rows, most_keys; /* all keys, or some of one row */
    int64_t head, first_query, rows, first_key, keys;
    char *elements;
    double *wide;
} block;

static int make_block(const job *j, const block *b) {
    posenc_view view;
    posenc_error error;
    posenc_status status;
    posenc_bias_extent e = j->extent;
    const int64_t shape[] = {1, b->rows, b->keys};
    e.first_query = b->first_query, e.n_queries = b->rows;
    e.first_key = b->first_key, e.n_keys = b->keys;
    if (j->index) {
        status = posenc_bias_index(j->plan, &e, posenc_view_make(&view, b->elements, POSENC_I32, 2, shape + 1, NULL),
                                   &error);
    } else {
        e.first_head = b->head, e.n_heads = 1;
        DLTensor *out = posenc_view_make(&view, b->elements, j->dtype, 3, shape, NULL);
        status = posenc_bias_write(j->plan, &e, j->table.tensor, out, &error);
    }
    return status == POSENC_OK ? POSENC_CLI_FINE : posenc_cli_refuse(&error);
}

static int write_block(job *j, const block *b) {
    int64_t n = b->rows * b->keys;
    int status = make_block(j, b);
    if (status != POSENC_CLI_FINE) return status;
    if (j->form != POSENC_CLI_CSV) return posenc_cli_target_write_elements(&j->target, b->elements, j->dtype, n);
    if (j->index) widen(b->elements, n, b->wide);
    return posenc_cli_target_write_csv(&j->target, j->index ? (const void *)b->wide : b->elements, j->dtype, b->rows,
                                       b->keys, j->digits);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int write_blocks(job *j, block *b) {
    for (b->head = 0; b->head < j->heads; b->head++)
        for (b->first_query = 0; b->first_query < j->extent.queries; b->first_query += b->rows) {
            b->rows = least(b->most_rows, j->extent.queries - b->first_query);
            for (b->first_key = 0; b->first_key < j->extent.keys; b->first_key += b->keys) {
                b->keys = least(b->most_keys, j->extent.keys - b->first_key);
                int status = write_block(j, b);
                if (status != POSENC_CLI_FINE) return status;
            }
        }
    return POSENC_CLI_FINE;
}

/* A line of text is one block, a row of a file may be several. */
static int open_block(const job *j, block *b) {
    const int64_t most = block_bytes / (int64_t)sizeof(double);
    int64_t keys = j->extent.keys > 0 ? j->extent.keys : 1;
    b->most_rows = least(keys < most ? most / keys : 1, j->extent.queries);
    b->most_keys = j->form == POSENC_CLI_CSV ? keys : least(keys, most);
    uint64_t elements = (uint64_t)b->most_rows * (uint64_t)b->most_keys, doubles = j->form == POSENC_CLI_CSV ? 2 : 1;
    uint64_t bytes = elements < UINT64_MAX / 32 ? elements * sizeof(double) * doubles : UINT64_MAX;
    b->elements = bytes < SIZE_MAX ? malloc((size_t)bytes + 1) : NULL;
    if (!b->elements) return posenc_cli_no_memory("block", bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX);
    b->wide = (double *)(void *)(b->elements + (size_t)elements * sizeof(double) * (doubles - 1));
    return POSENC_CLI_FINE;
}

/* Says what is wrong, if anything is, before a file is opened: a block of no rows is asked for. */
static int check_call(job *j) {
    int status = posenc_cli_target_check(j->form, &(posenc_tensor_entry){.dtype = j->dtype});
    return status == POSENC_CLI_FINE ? make_block(j, &(block){.rows = 0}) : status;
}

static int write_bias(job *j) {
    block b = {.rows = 0};
    int status = open_block(j, &b);
    if (status != POSENC_CLI_FINE) return status;
    double total =
        (double)j->heads * (double)j->extent.queries * (double)j->extent.keys * (double)posenc_dtype_bytes(j->dtype);
    status = posenc_cli_target_open(posenc_cli_context(j->arguments), j->path, j->form, total, &j->target);
    const int64_t shape[] = {j->heads, j->extent.queries, j->extent.keys};
    const posenc_tensor_entry entry = {.name = j->index ? "index" : "bias",
                                       .dtype = j->dtype,
                                       .rank = j->index ? 2 : 3,
                                       .shape = j->index ? shape + 1 : shape};
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_header(&j->target, &entry, 1, NULL, 0);
    if (status == POSENC_CLI_FINE) status = write_blocks(j, &b);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_commit(&j->target);
    free(b.elements);
    return status;
}

static int bias(const posenc_cli_arguments *arguments) {
    job j = {.arguments = arguments};
    int status = find_scheme(&j);
    if (status == POSENC_CLI_FINE) status = find_form(&j);
    if (status == POSENC_CLI_FINE) status = read_table(&j);
    if (status == POSENC_CLI_FINE) status = make_plan(&j);
    if (status == POSENC_CLI_FINE) status = find_extent(&j);
    if (status == POSENC_CLI_FINE) status = check_call(&j);
    if (status == POSENC_CLI_FINE) status = write_bias(&j);
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
