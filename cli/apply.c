/* apply: x * scale + E(position) for the tensor in a file. The input is read whole before the output takes its place,
 * so both may be the same file. */
#include <math.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "numbers.h"
#include "plan.h"
#include "positions.h"
#include "target.h"

typedef struct job {
    const posenc_cli_arguments *arguments;
    const char *input, *output;
    posenc_array *array;
    DLTensor *x; /* (tokens, dim) or (batch, tokens, dim); the result takes its place */
    posenc_dtype dtype;
    posenc_cli_positions positions;
    posenc_plan *plan;
    posenc_cli_target target;
} job;

/* "(2, 3, 512)" */
static void shape_text(const DLTensor *tensor, char *text, size_t capacity) {
    size_t used = 0;
    for (int i = 0; i < tensor->ndim && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%lld", i ? ", " : "(", (long long)tensor->shape[i]);
    if (used < capacity) snprintf(text + used, capacity - used, tensor->ndim ? tensor->ndim == 1 ? ",)" : ")" : "()");
}

static int check_width(const job *j) {
    int64_t width = j->x->shape[j->x->ndim - 1], dim = 0;
    if (!posenc_cli_given(j->arguments, "dim")) {
        if (width > 0) return POSENC_CLI_FINE;
        return posenc_cli_fail("%s: expected at least one channel, got none", j->input);
    }
    const char *text = posenc_cli_text(j->arguments, "dim");
    bool number = posenc_cli_parse_integer(text, &dim);
    if (number && dim == width) return POSENC_CLI_FINE;
    return posenc_cli_fail(
        number ? "dim: expected %lld, the width of %s, got %s" : "dim: expected %lld, the width of %s, got \"%s\"",
        (long long)width, j->input, text);
}

static int read_input(job *j) {
    posenc_error error;
    char shape[200];
    if (posenc_npy_read(posenc_cli_context(j->arguments), j->input, &j->array, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    j->x = posenc_array_tensor(j->array);
    j->dtype = POSENC_DTYPE_COUNT;
    posenc_dtype_of(j->x, &j->dtype);
    if (j->dtype != POSENC_F32 && j->dtype != POSENC_F64 && j->dtype != POSENC_F16)
        return posenc_cli_fail("%s: expected f16, f32 or f64, got %s", j->input, posenc_dtype_name(j->dtype));
    if (j->x->ndim == 2 || j->x->ndim == 3) return check_width(j);
    shape_text(j->x, shape, sizeof shape);
    return posenc_cli_fail("%s: expected shape (tokens, dim) or (batch, tokens, dim), got %s", j->input, shape);
}

/* Where the file's positions must fit the tokens: (tokens) or (batch, tokens). */
static int check_positions(const job *j, const char *path) {
    const DLTensor *ids = j->positions.ids;
    int rank = j->x->ndim - 1;
    bool fits = ids->ndim >= 1 && ids->ndim <= rank;
    for (int i = 1; fits && i <= ids->ndim; i++) fits = ids->shape[ids->ndim - i] == j->x->shape[rank - i];
    if (fits) return POSENC_CLI_FINE;
    char of_x[200], of_ids[200];
    shape_text(j->x, of_x, sizeof of_x);
    shape_text(ids, of_ids, sizeof of_ids);
    return posenc_cli_fail("%s: expected one position for each token of shape %s, got %s", path, of_x, of_ids);
}

static int read_positions(job *j) {
    const char *path = posenc_cli_text(j->arguments, "positions");
    if (!path) return POSENC_CLI_FINE;
    if (posenc_cli_given(j->arguments, "offset"))
        return posenc_cli_fail("offset: expected either --offset or --positions, got both");
    if (strcmp(path, "-") == 0 && strcmp(j->input, "-") == 0)
        return posenc_cli_fail("positions: expected standard input for one file, got it for --input too");
    int status = posenc_cli_positions_read(posenc_cli_context(j->arguments), path, &j->positions);
    return status == POSENC_CLI_FINE ? check_positions(j, path) : status;
}

static int add(job *j) {
    posenc_positions positions;
    posenc_error error;
    int64_t tokens = j->x->shape[j->x->ndim - 2], offset = posenc_cli_integer(j->arguments, "offset");
    int64_t reach = j->positions.ids ? j->positions.reach : posenc_cli_reach(offset, tokens);
    int status = posenc_cli_plan(j->arguments, j->x->shape[j->x->ndim - 1], reach, &j->plan);
    if (status != POSENC_CLI_FINE) return status;
    if (!j->positions.ids && tokens > 0 && offset > INT64_MAX - (tokens - 1))
        return posenc_cli_fail("offset: expected at most %lld for %lld tokens, got %lld",
                               (long long)(INT64_MAX - (tokens - 1)), (long long)tokens, (long long)offset);
    posenc_positions_default(&positions, sizeof positions);
    positions.start = j->positions.ids ? 0 : offset;
    positions.ids = j->positions.ids;
    double scale = posenc_cli_real(j->arguments, "scale");
    if (posenc_plan_add(j->plan, &positions, j->x, scale, j->x, &error) == POSENC_OK) return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

static int write_output(job *j) {
    posenc_error error;
    char header[256];
    size_t header_bytes, bytes = posenc_dtype_bytes(j->dtype);
    for (int i = 0; i < j->x->ndim; i++) bytes *= (size_t)j->x->shape[i]; /* it is in memory, so this fits */
    if (posenc_npy_header(j->dtype, j->x->ndim, j->x->shape, header, &header_bytes, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    int status = posenc_cli_target_open(posenc_cli_context(j->arguments), j->output, false, (double)bytes, &j->target);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_write(&j->target, header, header_bytes);
    const char *data = (const char *)j->x->data + j->x->byte_offset;
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_write(&j->target, data, bytes);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_commit(&j->target);
    return status;
}

static int apply(const posenc_cli_arguments *arguments) {
    bool csv;
    job j = {.arguments = arguments,
             .input = posenc_cli_text(arguments, "input"),
             .output = posenc_cli_text(arguments, "output")};
    int status = posenc_cli_target_form(j.output, false, &csv);
    if (status == POSENC_CLI_FINE) status = read_input(&j);
    if (status == POSENC_CLI_FINE) status = read_positions(&j);
    if (status == POSENC_CLI_FINE) status = add(&j);
    if (status == POSENC_CLI_FINE) status = write_output(&j);
    posenc_plan_destroy(j.plan);
    posenc_array_destroy(j.array);
    posenc_cli_positions_free(&j.positions);
    posenc_cli_target_discard(&j.target);
    return status;
}

static const posenc_cli_option options[] = {
    {.name = "input",
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .required = true,
     .help = "The tensor x: .npy of float16, float32 or float64, (tokens, dim) or (batch, tokens, dim); - is standard "
             "input"},
    {.name = "offset",
     .kind = POSENC_CLI_INTEGER,
     .value = "P",
     .default_text = "0",
     .help = "Position of the first token; the next ones follow"},
    {.name = "positions",
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .help = "Positions of the tokens, (tokens) or (batch, tokens): .npy of int32, int64 or float64, or .csv of one "
             "column, "
             "whose first line may be a name"},
    {.name = "scale",
     .kind = POSENC_CLI_REAL,
     .value = "S",
     .default_text = "1",
     .help = "Factor of x before the encoding is added; many models use the root of dim"},
    {.name = "output",
     .letter = 'o',
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .required = true,
     .help = "FILE.npy of the shape and type of x, or - for standard output; may be the input"},
};

static const char *const examples[] = {
    "posenc apply sinusoidal --input x.npy -o y.npy",
    "posenc apply sinusoidal --input x.npy --scale 22.627417 -o y.npy",
    NULL,
};

const posenc_cli_command posenc_cli_apply = {
    .name = "apply",
    .summary = "Add an encoding to the tensor in a file",
    .description =
        "Writes x * scale + E(position) for every token of x, rounded once to the type of x. The width dim is that of "
        "x; "
        "--dim, if given, must agree.",
    .usage = "SCHEME --input FILE [--offset P | --positions FILE] [--scale S] [scheme parameters] -o FILE",
    .operands = "SCHEME",
    .fewest_operands = 1,
    .most_operands = 1,
    .takes = POSENC_CLI_TAKES_CONTEXT | POSENC_CLI_TAKES_PARAMETERS,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = apply,
};
