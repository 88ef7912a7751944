/* apply: x * scale + E(position), a rotation, or scores + bias, for the tensors in a file. A .npy file is read whole
 * before the output takes its place, so both may be the same file; .safetensors files are in apply_container.c. */
#include "apply.h"

#include "cli.h"
#include "commands.h"

static int write_array(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x, const void *data) {
    int64_t elements = 1;
    for (int i = 0; i < x->rank; i++) elements *= x->shape[i]; /* it is in memory, so this fits */
    const posenc_tensor_entry entry = {.name = "x", .dtype = x->dtype, .rank = x->rank, .shape = x->shape};
    double bytes = (double)elements * (double)posenc_dtype_bytes(x->dtype);
    int status =
        posenc_cli_target_open(posenc_cli_context(job->arguments), job->output, job->form, bytes, &job->target);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_header(&job->target, &entry, 1, NULL, 0);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_write_elements(&job->target, data, x->dtype, elements);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_commit(&job->target);
    return status;
}

static int apply_to_array(posenc_cli_apply_job *job) {
    posenc_array *array;
    posenc_error error;
    if (posenc_npy_read(posenc_cli_context(job->arguments), job->input.file, &array, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    const DLTensor *tensor = posenc_array_tensor(array);
    posenc_cli_apply_tensor x = {.name = job->input.file, .rank = tensor->ndim, .shape = tensor->shape};
    posenc_dtype_of(tensor, &x.dtype);
    x.type = posenc_dtype_name(x.dtype);
    int status = posenc_cli_apply_read_positions(job);
    if (status == POSENC_CLI_FINE) status = posenc_cli_apply_check(job, &x);
    char *data = (char *)tensor->data + tensor->byte_offset;
    if (status == POSENC_CLI_FINE) {
        status = posenc_cli_apply_add(job, &x, posenc_cli_apply_whole(&x), data);
    }
    if (status == POSENC_CLI_FINE) status = write_array(job, &x, data);
    posenc_array_destroy(array);
    return status;
}

static int apply_to_container(posenc_cli_apply_job *job) {
    int status = posenc_cli_apply_read_positions(job);
    return status == POSENC_CLI_FINE ? posenc_cli_apply_container(job) : status;
}

static int apply(const posenc_cli_arguments *arguments) {
    posenc_cli_apply_job job = {.arguments = arguments, .output = posenc_cli_text(arguments, "output")};
    int status = posenc_cli_tensor_path_of("input", posenc_cli_text(arguments, "input"), &job.input);
    if (status == POSENC_CLI_FINE) status = posenc_cli_apply_check_effect(&job);
    if (status == POSENC_CLI_FINE) status = posenc_cli_apply_check_options(&job);
    if (status == POSENC_CLI_FINE) status = posenc_cli_apply_check_dropout(&job);
    if (status == POSENC_CLI_FINE)
        status = posenc_cli_target_form(job.output, false,
                                        job.input.container ? POSENC_CLI_SAFETENSORS : POSENC_CLI_NPY, &job.form);
    if (status == POSENC_CLI_FINE) status = job.input.container ? apply_to_container(&job) : apply_to_array(&job);
    posenc_plan_destroy(job.plan);
    posenc_encoder_destroy(job.encoder);
    posenc_context_destroy(job.quiet);
    posenc_cli_free_table(&job.table);
    posenc_cli_positions_free(&job.positions);
    posenc_cli_target_discard(&job.target);
    return status;
}

static const char *const videos[] = {"flattened", "broadcast", NULL};

static const char *const directions[] = {"forward", "backward", "unrotate", NULL};

static const char *const roles[] = {"by-name", "query", "key", NULL};

static const char *const policies[] = {"error", "clamp", "resize", NULL};

static const posenc_cli_option options[] = {
    {.name = "input",
     .kind = POSENC_CLI_FILE,
     .value = "FILE[:TENSOR]",
     .required = true,
     .help =
         "The tensor x, of two to five axes: .npy of float16, float32 or float64, or .safetensors "
         "of these or bfloat16, where all tensors are added to, or TENSOR alone; rotary turns q and k, or TENSOR "
         "alone; biases take scores, (heads, queries, keys) or (batch, heads, queries, keys); - is .npy on standard "
         "input"},
    {.name = "offset",
     .kind = POSENC_CLI_INTEGER,
     .value = "P",
     .help =
         "Position of the first token, 0 unless said; the next ones follow. Of a bias: that of the first query, where "
         "keys stand at 0, 1, ..; unless said, keys - queries for causal forms, else 0"},
    {.name = "positions",
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .help =
         "Positions of the tokens, (tokens) or (batch, tokens): .npy of int32, int64 or float64, or .csv of one "
         "column, whose first line may be a name; grids, and rotary with several axes, also take (tokens, axes) and "
         "(batch, tokens, axes). Of a bias: (batch), whole, where the first query of each batch row stands"},
    {.name = "scale",
     .kind = POSENC_CLI_REAL,
     .value = "S",
     .default_text = "1",
     .help = "Factor of x before rows are added; many models use the root of dim"},
    {.name = "axes",
     .kind = POSENC_CLI_TEXT,
     .value = "LETTERS",
     .help = "The axes of x in the order of the file, one letter each: td, btd (tbd is sequence-first), bthd (batch, "
             "tokens, heads, dim: each head gets the encoding of its token), bfhwc (batch, frames, height, width, "
             "channels: video); those are the orders without it. Of rotary: bthd, bhtd, btd or thd, d last"},
    {.name = "video",
     .kind = POSENC_CLI_CHOICE,
     .value = "FORM",
     .choices = videos,
     .help = "Of video: a frame is one token of height * width * channels, or each of its pixels gets the row of "
             "width channels"},
    {.name = "dropout",
     .kind = POSENC_CLI_REAL,
     .value = "P",
     .default_text = "0",
     .help = "Drops each element with probability P after the sum, 0 <= P < 1, as in training; the others grow by 1 / "
             "(1 - P)"},
    {.name = "seed", .kind = POSENC_CLI_INTEGER, .value = "N", .default_text = "0", .help = "Seed of the dropout mask"},
    {.name = "stream",
     .kind = POSENC_CLI_INTEGER,
     .value = "M",
     .default_text = "0",
     .help = "Stream of the dropout mask: the step or layer, so that masks differ"},
    {.name = "table",
     .kind = POSENC_CLI_FILE,
     .value = "FILE[:TENSOR]",
     .help =
         "Of learned: its table, (rows, dim): .npy, .safetensors or .csv; without it, first values. Of t5 and swin: "
         "the trained table (rows, heads)"},
    {.name = "past-end",
     .kind = POSENC_CLI_CHOICE,
     .value = "POLICY",
     .choices = policies,
     .default_text = "error",
     .help = "Of learned: what happens at a position past the table"},
    {.name = "row-offset",
     .kind = POSENC_CLI_INTEGER,
     .value = "N",
     .default_text = "0",
     .help = "Of learned: position p reads row p + N of the table; OPT and BART have 2"},
    {.name = "padding-idx",
     .kind = POSENC_CLI_INTEGER,
     .value = "K",
     .default_text = "-1",
     .help = "Of learned: position K adds nothing; -1 is none"},
    {.name = "direction",
     .kind = POSENC_CLI_CHOICE,
     .value = "WAY",
     .choices = directions,
     .default_text = "forward",
     .help = "Of rotary: turns forward, turns a gradient back, or takes a rotation back, its amplitude too"},
    {.name = "role",
     .kind = POSENC_CLI_CHOICE,
     .value = "ROLE",
     .choices = roles,
     .default_text = "by-name",
     .help = "Of rotary with xPos, which treats them differently: x is a query or a key; by name, k is a key and all "
             "else are queries"},
    {.name = "causal",
     .kind = POSENC_CLI_FLAG,
     .help = "Of alibi and t5: scores of keys ahead of their query become -infinity"},
    {.name = "output",
     .letter = 'o',
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .required = true,
     .help = "FILE.npy or FILE.safetensors of the shape and type of x, or - for standard output in the form of the "
             "input; may be the input"},
};

static const char *const examples[] = {
    "posenc apply sinusoidal --input x.npy -o y.npy",
    "posenc apply sinusoidal --input x.npy --scale 22.627417 -o y.npy",
    "posenc apply sinusoidal --input x.npy -o x.safetensors",
    "posenc apply learned --init normal --past-end clamp --input x.npy -o y.npy",
    "posenc apply sinusoidal --input x.safetensors:x --offset 100 -o y.safetensors",
    "posenc apply sinusoidal --input x.npy --dropout 0.1 --seed 7 -o y.npy",
    "posenc apply rotary --input x.npy --offset 4096 --base 500000 -o y.npy",
    "posenc apply alibi --input scores.npy --causal -o y.npy",
    NULL,
};

const posenc_cli_command posenc_cli_apply = {
    .name = "apply",
    .summary = "Add an encoding or a bias to tensors, or rotate them",
    .description =
        "Writes x * scale + E(position) for every token of x, rounded once to the type of x. The width dim is that of "
        "x; "
        "--dim, if given, must agree.\n\n"
        "A scheme that rotates turns queries and keys instead: posenc apply rotary --input qk.safetensors -o "
        "out.safetensors "
        "turns the tensors q and k, whose head counts may differ, and copies the others; FILE:TENSOR and .npy are one "
        "tensor alone. x is (batch, tokens, heads, dim), or (batch, tokens, dim) for one head, and --head-dim follows "
        "from it. Frequencies that depend on the length of the sequence need --sequence-length.\n\n"
        "A scheme that biases scores adds its bias to the scaled scores of attention, x of (heads, queries, keys) or "
        "(batch, heads, queries, keys): posenc apply alibi --input scores.npy -o y.npy. The number of heads follows "
        "from x. "
        "Keys stand at 0, 1, .., and with causal forms the last query stands at the last key unless --offset or "
        "--positions says otherwise; --causal masks the keys ahead. t5 and swin need their trained --table.\n\n"
        "In a .safetensors file every tensor is an x, or only the one that is named; the others are copied as they "
        "are, "
        "like names and metadata. They are read, added to and written in parts, so that memory does not grow with "
        "them; "
        "what goes together is one index of the last axis before the channels, or a frame where it is one token; "
        "scores are "
        "cut anywhere. With "
        "--dropout a file in another order than the usual one is held whole. The ending of the output decides on its "
        "form: a .npy file takes one tensor and no "
        "bfloat16, and the tensor of a .npy file is called x in .safetensors.",
    .usage =
        "SCHEME --input FILE[:TENSOR] [--offset P | --positions FILE] [--scale S] [--axes LETTERS] [--video FORM] "
        "[--dropout P "
        "--seed N --stream M] [--direction WAY] [--role ROLE] [--causal] [scheme parameters] [--table "
        "FILE[:TENSOR]] [--past-end POLICY] -o FILE",
    .operands = "SCHEME",
    .fewest_operands = 1,
    .most_operands = 1,
    .takes = POSENC_CLI_TAKES_CONTEXT | POSENC_CLI_TAKES_PARAMETERS,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = apply,
};
