/* table: the encoding table of a scheme, streamed to its place in blocks of rows, so that memory does not grow with it.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "grid.h"
#include "numbers.h"
#include "options.h"
#include "plan.h"
#include "positions.h"
#include "rotary.h"
#include "table_shaw.h"
#include "target.h"

static const int64_t block_bytes = INT64_C(4) << 20; /* stays in the cache between being made and being written */
static const int64_t header_room = 256;              /* of a file */

typedef struct job {
    const posenc_cli_arguments *arguments;
    const char *path; /* "-": standard output */
    posenc_cli_form form;
    posenc_dtype dtype;
    int digits;                 /* of a number in csv */
    int64_t start, length, dim; /* dim: numbers of a row */
    int64_t axes;               /* rotary: coordinates of a row; else 0 */
    int64_t reach;
    posenc_cli_positions positions;
    posenc_plan *plan;
    posenc_cli_target target;
} job;

/* Text shows f64 with 9 digits, unless the user names a dtype: then what that dtype holds, f64 with all 17. */
static int find_form(job *j) {
    const char *output = posenc_cli_text(j->arguments, "output"), *dtype = posenc_cli_text(j->arguments, "dtype");
    j->path = output ? output : "-";
    j->form = POSENC_CLI_CSV;
    int status = output ? posenc_cli_target_form(output, true, POSENC_CLI_NPY, &j->form) : POSENC_CLI_FINE;
    j->dtype = j->form == POSENC_CLI_CSV ? POSENC_F64 : POSENC_F32;
    if (dtype) posenc_dtype_parse(dtype, &j->dtype);
    j->digits = dtype && j->dtype == POSENC_F64 ? 17 : 9;
    return status;
}

static int rows_of_file(job *j) {
    const char *path = posenc_cli_text(j->arguments, "positions");
    if (posenc_cli_given(j->arguments, "start"))
        return posenc_cli_fail("start: expected either --start or --positions, got both");
    int status = posenc_cli_positions_read(posenc_cli_context(j->arguments), path, &j->positions);
    if (status != POSENC_CLI_FINE) return status;
    const DLTensor *ids = j->positions.ids;
    if (ids->ndim != 1 && !(ids->ndim == 2 && posenc_cli_rotates(j->arguments)))
        return posenc_cli_fail("%s: expected positions of rank 1%s, got rank %d", path,
                               posenc_cli_rotates(j->arguments) ? " or 2" : "", (int)ids->ndim);
    j->length = ids->shape[0];
    j->reach = j->positions.reach;
    if (!posenc_cli_given(j->arguments, "length") || posenc_cli_integer(j->arguments, "length") == j->length)
        return POSENC_CLI_FINE;
    return posenc_cli_fail("length: expected %lld, the positions in %s, got %s", (long long)j->length, path,
                           posenc_cli_text(j->arguments, "length"));
}

/* All of a grid from start on. */
static int rows_of_grid(job *j) {
    int status = posenc_cli_plan(j->arguments, 0, 0, &j->plan);
    j->start = posenc_cli_integer(j->arguments, "start");
    return status == POSENC_CLI_FINE ? posenc_cli_grid_length(j->plan, j->start, &j->length) : status;
}

static int find_rows(job *j) {
    if (posenc_cli_given(j->arguments, "positions")) return rows_of_file(j);
    if (posenc_cli_has_grid(j->arguments) && !posenc_cli_given(j->arguments, "length")) return rows_of_grid(j);
    if (!posenc_cli_given(j->arguments, "length"))
        return posenc_cli_fail("length: expected --length N or --positions FILE, got neither");
    j->start = posenc_cli_integer(j->arguments, "start");
    j->length = posenc_cli_integer(j->arguments, "length");
    if (j->length > 0 && j->start > INT64_MAX - (j->length - 1))
        return posenc_cli_fail("start: expected at most %lld for %lld rows, got %lld",
                               (long long)(INT64_MAX - (j->length - 1)), (long long)j->length, (long long)j->start);
    j->reach = posenc_cli_reach(j->start, j->length);
    return POSENC_CLI_FINE;
}

/* Before anything is allocated. A width that is none is left to the plan, which says so. */
static int check_size(const job *j) {
    const char *text = posenc_cli_text(j->arguments, "dim");
    int64_t dim = 0;
    if (!text) text = posenc_cli_text(j->arguments, "head-dim"); /* rotary: the rotated width, else the head's */
    if (!text && posenc_cli_rotates(j->arguments))
        return posenc_cli_fail("dim: expected --dim D, the channels of a head that turn, got none");
    const posenc_parameter_info *parameter = posenc_cli_parameter_find(posenc_cli_scheme(j->arguments), "dim");
    if (!text || !posenc_cli_parse_integer(text, &dim) || dim < 1 || (double)dim > parameter->maximum)
        return POSENC_CLI_FINE;
    int64_t bytes = (int64_t)posenc_dtype_bytes(j->dtype), most = (INT64_MAX - header_room) / bytes;
    if (j->length <= most / dim) return POSENC_CLI_FINE;
    return posenc_cli_fail("length: expected at most %lld for %lld channels, got %lld", (long long)(most / dim),
                           (long long)dim, (long long)j->length);
}

/* Rotary: a cosine and a sine for each pair; positions may have a column for each coordinate. */
static int find_pairs(job *j) {
    posenc_rotary_info info;
    const DLTensor *ids = j->positions.ids;
    int status = posenc_cli_rotary_facts(j->arguments, j->plan, &info);
    if (status != POSENC_CLI_FINE) return status;
    j->dim = 2 * info.pairs, j->axes = info.axes;
    if (!ids || ids->ndim == 1 || ids->shape[1] == info.axes) return POSENC_CLI_FINE;
    return posenc_cli_fail("%s: expected positions of shape (rows) or (rows, %lld), got (%lld, %lld)",
                           posenc_cli_text(j->arguments, "positions"), (long long)info.axes, (long long)ids->shape[0],
                           (long long)ids->shape[1]);
}

static int make_plan(job *j) {
    int status = check_size(j);
    if (status == POSENC_CLI_FINE && !j->plan) status = posenc_cli_plan(j->arguments, 0, j->reach, &j->plan);
    if (status != POSENC_CLI_FINE) return status;
    j->dim = posenc_plan_dim(j->plan);
    status = posenc_cli_rotates(j->arguments) ? find_pairs(j) : POSENC_CLI_FINE;
    if (status != POSENC_CLI_FINE) return status;
    return posenc_cli_target_check(j->form, &(posenc_tensor_entry){.dtype = j->dtype});
}

/* The positions of rows first..first+rows-1; not reached without rows. */
static const DLTensor *ids_of(const job *j, int64_t first, int64_t rows, posenc_view *view) {
    const DLTensor *ids = j->positions.ids;
    posenc_dtype dtype = POSENC_I64;
    posenc_dtype_of(ids, &dtype);
    const int64_t columns = ids->ndim == 2 ? ids->shape[1] : 1, shape[] = {rows, columns};
    char *data = (char *)ids->data + ids->byte_offset + (size_t)(first * columns) * posenc_dtype_bytes(dtype);
    return posenc_view_make(view, data, dtype, ids->ndim, shape, NULL);
}

/* Makes rows first..first+rows-1 of the table in block. */
static int make_block(const job *j, int64_t first, int64_t rows, void *block) {
    posenc_view out, part;
    posenc_positions positions;
    posenc_error error;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = j->positions.ids ? 0 : j->start + first;
    if (j->positions.ids) positions.ids = ids_of(j, first, rows, &part);
    const int64_t shape[] = {rows, j->dim};
    DLTensor *tensor = posenc_view_make(&out, block, j->dtype, 2, shape, NULL);
    posenc_status status = j->axes > 0
                               ? posenc_cli_rotary_rows(j->plan, &positions, j->dtype, rows, j->dim / 2, block, &error)
                               : posenc_plan_write(j->plan, &positions, tensor, &error);
    return status == POSENC_OK ? POSENC_CLI_FINE : posenc_cli_refuse(&error);
}

/* Text of a rotary table begins with a line of names. */
static int write_names(job *j) {
    char names[64];
    for (int64_t i = 0; 2 * i < j->dim; i++) {
        snprintf(names, sizeof names, "cos_%lld,sin_%lld%c", (long long)i, (long long)i,
                 2 * i + 2 < j->dim ? ',' : '\n');
        int status = posenc_cli_target_write_text(&j->target, names);
        if (status != POSENC_CLI_FINE) return status;
    }
    return POSENC_CLI_FINE;
}

static int write_header(job *j) {
    const int64_t shape[] = {j->length, j->dim}, pairs[] = {j->length, j->dim / 2, 2};
    const posenc_tensor_entry table = {.name = "pe", .dtype = j->dtype, .rank = 2, .shape = shape};
    const posenc_tensor_entry turns = {.name = "cos_sin", .dtype = j->dtype, .rank = 3, .shape = pairs};
    if (j->axes > 0 && j->form == POSENC_CLI_CSV) return write_names(j);
    return posenc_cli_target_header(&j->target, j->axes > 0 ? &turns : &table, 1, NULL, 0);
}

static int write_blocks(job *j, int64_t block_rows, void *block) {
    for (int64_t first = 0; first < j->length; first += block_rows) {
        int64_t rows = j->length - first < block_rows ? j->length - first : block_rows;
        int status = make_block(j, first, rows, block);
        if (status == POSENC_CLI_FINE && j->form == POSENC_CLI_CSV)
            status = posenc_cli_target_write_csv(&j->target, block, j->dtype, rows, j->dim, j->digits);
        else if (status == POSENC_CLI_FINE)
            status = posenc_cli_target_write_elements(&j->target, block, j->dtype, rows * j->dim);
        if (status != POSENC_CLI_FINE) return status;
    }
    return POSENC_CLI_FINE;
}

static int write_table(job *j) {
    int64_t row_bytes = j->dim * (int64_t)posenc_dtype_bytes(j->dtype);
    int64_t block_rows = row_bytes < block_bytes ? block_bytes / row_bytes : 1;
    if (j->length < block_rows) block_rows = j->length;
    void *block = malloc((size_t)(block_rows * row_bytes) + 1);
    if (!block) return posenc_cli_no_memory("block", (size_t)(block_rows * row_bytes));
    int status = posenc_cli_target_open(posenc_cli_context(j->arguments), j->path, j->form,
                                        (double)j->length * (double)row_bytes, &j->target);
    if (status == POSENC_CLI_FINE) status = write_header(j);
    if (status == POSENC_CLI_FINE) status = write_blocks(j, block_rows, block);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_commit(&j->target);
    free(block);
    return status;
}

/* Options of shaw alone. */
static int check_options(const posenc_cli_arguments *arguments) {
    static const char *const names[] = {"table", "queries", "keys"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (posenc_cli_given(arguments, names[i]))
            return posenc_cli_fail("%s: expected none for %s, got %s", names[i], posenc_cli_scheme(arguments)->name,
                                   posenc_cli_text(arguments, names[i]));
    return POSENC_CLI_FINE;
}

static int table(const posenc_cli_arguments *arguments) {
    if (posenc_cli_is_shaw(arguments)) return posenc_cli_table_shaw(arguments);
    job j = {.arguments = arguments};
    int status = check_options(arguments);
    if (status == POSENC_CLI_FINE) status = find_form(&j);
    if (status == POSENC_CLI_FINE) status = find_rows(&j);
    if (status == POSENC_CLI_FINE) status = make_plan(&j);
    if (status == POSENC_CLI_FINE) status = write_table(&j);
    posenc_plan_destroy(j.plan);
    posenc_cli_positions_free(&j.positions);
    posenc_cli_target_discard(&j.target);
    return status;
}

static const char *const dtypes[] = {"f32", "f64", "f16", "bf16", NULL};

static const posenc_cli_option options[] = {
    {.name = "length",
     .kind = POSENC_CLI_INTEGER,
     .value = "N",
     .maximum = 0x1p63,
     .help = "Number of rows; needed unless --positions or --grid gives them"},
    {.name = "start",
     .kind = POSENC_CLI_INTEGER,
     .value = "P",
     .default_text = "0",
     .help = "Position of the first row; the next ones follow"},
    {.name = "positions",
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .help =
         "Positions of the rows: .npy of int32, int64 or float64, rank 1, or .csv of one column, whose first line may "
         "be a name; - is .npy on standard input. rotary with several axes also takes (rows, axes)"},
    {.name = "table",
     .kind = POSENC_CLI_FILE,
     .value = "FILE[:TENSOR]",
     .help = "Of shaw: its trained table (2 clip + 1, d), in .npy, .safetensors or .csv"},
    {.name = "queries",
     .kind = POSENC_CLI_INTEGER,
     .value = "Q",
     .maximum = 0x1p62,
     .help = "Of shaw: number of queries"},
    {.name = "keys", .kind = POSENC_CLI_INTEGER, .value = "K", .maximum = 0x1p62, .help = "Of shaw: number of keys"},
    {.name = "dtype",
     .kind = POSENC_CLI_CHOICE,
     .value = "TYPE",
     .choices = dtypes,
     .help = "Element type; f32 unless said, in text f64, of shaw that of its table"},
    {.name = "output",
     .letter = 'o',
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .help = "FILE.npy, FILE.safetensors (tensor pe, of rotary cos_sin, of shaw shaw), FILE.csv, or - for .npy on "
             "standard output"},
};

static const char *const examples[] = {
    "posenc table sinusoidal --dim 8 --length 4",
    "posenc table sinusoidal --dim 512 --length 5000 -o pe.npy",
    "posenc table sinusoidal --dim 512 --length 5000 --dtype bf16 -o pe.safetensors",
    "posenc table sinusoidal --dim 512 --length 3 --start 2147483647",
    "posenc table rotary --dim 128 --length 4096 --base 500000 -o cos_sin.npy",
    "posenc table shaw --table relative.npy --queries 4 --keys 6 -o vectors.npy",
    "posenc table sinusoidal-2d --grid 14x14 --prefix 1 --dim 768 -o pe.npy",
    NULL,
};

const posenc_cli_command posenc_cli_table = {
    .name = "table",
    .summary = "Write an encoding table, (length, dim)",
    .description =
        "Computes the rows of a scheme and writes them as a table, one row for each position.\n\n"
        "Without -o the table is text on standard output: one line a row, numbers parted by commas, computed in f64 "
        "and "
        "printed with 9 digits. With --dtype, text shows the values of that type; f64 gets all of its 17 digits.\n\n"
        "A scheme that rotates has no rows to add: table rotary writes the cosines and sines that pairs are turned by, "
        "(length, pairs, 2), with --dim the rotated channels of a head and the amplitude included; as text a line of "
        "names comes first. Frequencies that depend on the length of the sequence need --sequence-length.\n\n"
        "table shaw spreads a trained table over queries and keys, (queries, keys, d), to look at: key j at position "
        "j, "
        "query i at --offset + i, and of each the row of their distance. It is no text, and needs -o.\n\n"
        "The table is written in blocks and needs no memory of its size. A length of 0 writes an empty table. Unless "
        "given, "
        "max-len is chosen to fit the positions; the result never depends on it.",
    .usage =
        "SCHEME --dim D --length N [--start P | --positions FILE] [scheme parameters] [--dtype f32|f64|f16|bf16] "
        "[-o FILE]",
    .operands = "SCHEME",
    .fewest_operands = 1,
    .most_operands = 1,
    .takes = POSENC_CLI_TAKES_CONTEXT | POSENC_CLI_TAKES_PARAMETERS,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = table,
};
