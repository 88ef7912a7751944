/* resize: a learned table of another length, or of another grid. The table is read whole before the output takes its
 * place, so both may be the same file; the output is made and written in blocks of rows, and needs no memory of its
 * size. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "extents.h"
#include "read_table.h"
#include "resize_metadata.h"
#include "target.h"

static const int64_t header_room = 256; /* of a .npy file */
static const int64_t block_bytes = INT64_C(4) << 20;

typedef struct job {
    const posenc_cli_arguments *arguments;
    posenc_cli_input_table table;
    posenc_cli_extents from, to;
    posenc_resize_options options;
    int row_axis;      /* of the table */
    int64_t rows, dim; /* of the table */
    int64_t shape[3];  /* of the result */
    int64_t elements;
    posenc_cli_form form;
    posenc_cli_target target;
} job;

/* ---- what is wanted ---- */

static int read_extents(const job *j, const char *option, posenc_cli_extents *extents) {
    const char *text = posenc_cli_text(j->arguments, option);
    if (posenc_cli_parse_extents(text, extents)) return POSENC_CLI_FINE;
    return posenc_cli_fail("%s: expected %s, got \"%s\"", option,
                           strcmp(option, "to") == 0 ? "a number of positions, or HxW for a grid" : "HxW", text);
}

static const char *const modes[] = {"linear", "cubic", "bilinear", "bicubic", NULL};

static int find_mode(job *j) {
    const char *mode = posenc_cli_text(j->arguments, "mode"), *to = posenc_cli_text(j->arguments, "to");
    if (!mode) mode = j->to.grid ? "bicubic" : "linear";
    bool for_grid = mode[0] == 'b';
    if (for_grid != j->to.grid)
        return posenc_cli_fail("mode: expected %s for --to %s, which is %s, got %s",
                               j->to.grid ? "bilinear or bicubic" : "linear or cubic", to,
                               j->to.grid ? "a grid" : "one axis", mode);
    j->options.mode =
        strcmp(mode + (for_grid ? 2 : 0), "cubic") == 0 ? POSENC_INTERPOLATION_CUBIC : POSENC_INTERPOLATION_LINEAR;
    return POSENC_CLI_FINE;
}

static int find_options(job *j) {
    const posenc_cli_arguments *a = j->arguments;
    posenc_resize_default(&j->options, sizeof j->options);
    j->options.prefix = posenc_cli_integer(a, "prefix");
    j->options.antialias = posenc_cli_flag(a, "antialias");
    j->options.align_corners = posenc_cli_flag(a, "align-corners");
    if (j->options.antialias && j->options.align_corners)
        return posenc_cli_fail("align-corners: expected either --antialias or --align-corners, got both");
    int status = read_extents(j, "to", &j->to);
    if (status == POSENC_CLI_FINE) status = find_mode(j);
    if (status != POSENC_CLI_FINE || !posenc_cli_given(a, "from")) return status;
    status = read_extents(j, "from", &j->from);
    if (status != POSENC_CLI_FINE) return status;
    if (!j->from.grid) return posenc_cli_fail("from: expected HxW, got \"%s\"", posenc_cli_text(a, "from"));
    if (j->to.grid) return POSENC_CLI_FINE;
    return posenc_cli_fail("from: expected --to HxW beside --from HxW, got --to %s", posenc_cli_text(a, "to"));
}

/* ---- what is there ---- */

/* (rows, dim), (1, rows, dim) or (rows, 1, dim). */
static int find_rows(job *j) {
    const DLTensor *t = j->table.tensor;
    bool flat = t->ndim == 2, deep = t->ndim == 3 && (t->shape[0] == 1 || t->shape[1] == 1);
    if (!flat && !deep) {
        char shape[POSENC_MAX_RANK * 22 + 8];
        posenc_cli_shape_text(t->ndim, t->shape, shape, sizeof shape);
        return posenc_cli_fail("%s: expected a table (rows, dim), (1, rows, dim) or (rows, 1, dim), got %s",
                               j->table.title, shape);
    }
    j->row_axis = deep && t->shape[0] == 1;
    j->rows = t->shape[j->row_axis];
    j->dim = t->shape[t->ndim - 1];
    if (j->options.prefix <= j->rows) return POSENC_CLI_FINE;
    return posenc_cli_fail("prefix: expected at most %lld, the rows of %s, got %lld", (long long)j->rows,
                           j->table.title, (long long)j->options.prefix);
}

/* The side of a square of n cells; -1 where there is none. */
static int64_t side_of(int64_t n) {
    int64_t low = 0, high = INT64_C(3037000499); /* its square is the last below 2^63 */
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (middle * middle <= n)
            low = middle;
        else
            high = middle - 1;
    }
    return low * low == n ? low : -1;
}

/* Not a guess, a hint: class and register tokens in front are what mostly hides a square. */
static int refuse_to_guess(const job *j, int64_t cells) {
    enum { FEW = 8 };
    char hint[128] = "";
    for (int64_t more = 1; more <= FEW && more < cells && !hint[0]; more++)
        if (side_of(cells - more) > 1)
            snprintf(hint, sizeof hint, "; behind --prefix %lld they are %lldx%lld",
                     (long long)(j->options.prefix + more), (long long)side_of(cells - more),
                     (long long)side_of(cells - more));
    return posenc_cli_fail("from: expected --from HxW, since the %lld rows %sof %s are no square, got nothing%s",
                           (long long)cells, j->options.prefix ? "behind the prefix " : "", j->table.title, hint);
}

static int find_old_grid(job *j) {
    int64_t cells = j->rows - j->options.prefix, product = -1;
    if (!posenc_cli_given(j->arguments, "from")) {
        int64_t side = side_of(cells);
        j->from = (posenc_cli_extents){.grid = true, .height = side, .width = side};
        return side < 0 ? refuse_to_guess(j, cells) : POSENC_CLI_FINE;
    }
    char text[32] = "2^63 or more";
    if (posenc_cli_extents_product(&j->from, &product)) snprintf(text, sizeof text, "%lld", (long long)product);
    if (product == cells) return POSENC_CLI_FINE;
    return posenc_cli_fail("from: expected a grid of %lld cells, the rows %sof %s, got %s, which has %s",
                           (long long)cells, j->options.prefix ? "behind the prefix " : "", j->table.title,
                           posenc_cli_text(j->arguments, "from"), text);
}

/* ---- what comes out ---- */

static int find_shape(job *j) {
    const DLTensor *t = j->table.tensor;
    int64_t added, row = j->dim * (int64_t)posenc_dtype_bytes(j->table.dtype); /* it is in memory, so this fits */
    int64_t most = (INT64_MAX - header_room) / (row > 0 ? row : 1);
    if (!posenc_cli_extents_product(&j->to, &added) || added > most - j->options.prefix)
        return posenc_cli_fail("to: expected at most %lld rows of %lld channels, got %s", (long long)most,
                               (long long)j->dim, posenc_cli_text(j->arguments, "to"));
    if (added > 0 && j->rows == j->options.prefix)
        return posenc_cli_fail("%s: expected rows %sto make new ones of, got none", j->table.title,
                               j->options.prefix ? "behind the prefix " : "");
    memcpy(j->shape, t->shape, (size_t)t->ndim * sizeof *t->shape);
    j->shape[j->row_axis] = j->options.prefix + added;
    j->elements = j->shape[j->row_axis] * j->dim;
    const char *output = posenc_cli_text(j->arguments, "output");
    int status = posenc_cli_target_form(output, false,
                                        j->table.path.container ? POSENC_CLI_SAFETENSORS : POSENC_CLI_NPY, &j->form);
    return status == POSENC_CLI_FINE ? posenc_cli_target_check(j->form, &(posenc_tensor_entry){.dtype = j->table.dtype})
                                     : status;
}

/* Rows first .. first+count-1 of the result. */
static int make_rows(const job *j, int64_t first, int64_t count, void *data) {
    posenc_view view;
    posenc_error error;
    posenc_resize_options options = j->options;
    int64_t shape[3];
    memcpy(shape, j->shape, sizeof shape);
    shape[j->row_axis] = count;
    options.from[0] = j->to.grid ? j->from.height : 1;
    options.from[1] = j->to.grid ? j->from.width : j->rows - options.prefix;
    options.to[0] = j->to.grid ? j->to.height : 1;
    options.to[1] = j->to.grid ? j->to.width : j->shape[j->row_axis] - options.prefix;
    options.first = first;
    DLTensor *out = posenc_view_make(&view, data, j->table.dtype, j->table.tensor->ndim, shape, NULL);
    if (posenc_resize(posenc_cli_context(j->arguments), &options, j->table.tensor, out, &error) == POSENC_OK)
        return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

/* ---- writing ---- */

static int write_header(job *j) {
    const posenc_tensor_entry entry = {.name = j->table.name ? j->table.name : "weight",
                                       .dtype = j->table.dtype,
                                       .rank = j->table.tensor->ndim,
                                       .shape = j->shape};
    size_t n;
    char rows[24];
    const char **pairs = posenc_cli_resized_metadata(j->form == POSENC_CLI_SAFETENSORS ? j->table.container : NULL,
                                                     j->shape[j->row_axis], rows, &n);
    int status = pairs ? posenc_cli_target_header(&j->target, &entry, 1, pairs, n)
                       : posenc_cli_no_memory("header", sizeof *pairs);
    free((void *)pairs);
    return status;
}

static int write_rows(job *j, void *block, int64_t block_rows) {
    int64_t rows = j->shape[j->row_axis];
    int status = POSENC_CLI_FINE;
    for (int64_t first = 0; status == POSENC_CLI_FINE && first < rows; first += block_rows) {
        int64_t count = rows - first < block_rows ? rows - first : block_rows;
        status = make_rows(j, first, count, block);
        if (status == POSENC_CLI_FINE)
            status = posenc_cli_target_write_elements(&j->target, block, j->table.dtype, count * j->dim);
    }
    return status;
}

static int write_out(job *j, void *block, int64_t block_rows) {
    double bytes = (double)j->elements * (double)posenc_dtype_bytes(j->table.dtype);
    int status = make_rows(j, 0, 0, block); /* what the call refuses, it refuses before a file is there */
    if (status == POSENC_CLI_FINE)
        status = posenc_cli_target_open(posenc_cli_context(j->arguments), posenc_cli_text(j->arguments, "output"),
                                        j->form, bytes, &j->target);
    if (status == POSENC_CLI_FINE) status = write_header(j);
    if (status == POSENC_CLI_FINE) status = write_rows(j, block, block_rows);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_commit(&j->target);
    return status;
}

static int make_and_write(job *j) {
    int64_t row = j->dim * (int64_t)posenc_dtype_bytes(j->table.dtype); /* one of the table is in memory */
    int64_t block_rows = row > 0 && row < block_bytes ? block_bytes / row : 1;
    if (row == 0 || block_rows > j->shape[j->row_axis]) block_rows = j->shape[j->row_axis] + 1;
    size_t bytes = (size_t)(block_rows * row) + 1;
    void *block = malloc(bytes);
    if (!block) return posenc_cli_no_memory("output", bytes);
    int status = write_out(j, block, block_rows);
    free(block);
    return status;
}

static int resize(const posenc_cli_arguments *arguments) {
    job j = {.arguments = arguments};
    int status = find_options(&j);
    if (status == POSENC_CLI_FINE)
        status =
            posenc_cli_read_table(posenc_cli_context(arguments), "table", posenc_cli_operand(arguments, 0), &j.table);
    if (status == POSENC_CLI_FINE) status = find_rows(&j);
    if (status == POSENC_CLI_FINE && j.to.grid) status = find_old_grid(&j);
    if (status == POSENC_CLI_FINE) status = find_shape(&j);
    if (status == POSENC_CLI_FINE) status = make_and_write(&j);
    posenc_cli_free_table(&j.table);
    posenc_cli_target_discard(&j.target);
    return status;
}

static const posenc_cli_option options[] = {
    {.name = "to",
     .kind = POSENC_CLI_TEXT,
     .value = "N|HxW",
     .required = true,
     .help = "New number of positions, or height and width of the new grid, whose cells are positions row by row; the "
             "prefix is not counted"},
    {.name = "from",
     .kind = POSENC_CLI_TEXT,
     .value = "HxW",
     .help = "Height and width of the old grid; needed with --to HxW unless it is a square"},
    {.name = "prefix",
     .kind = POSENC_CLI_INTEGER,
     .value = "P",
     .default_text = "0",
     .maximum = 0x1p63,
     .help = "Rows in front that are copied as they are: class and register tokens"},
    {.name = "mode",
     .kind = POSENC_CLI_CHOICE,
     .value = "MODE",
     .choices = modes,
     .help = "How new rows are made: of the two nearest old ones on each axis (linear, on a grid bilinear), or of four "
             "(cubic, bicubic); linear unless said, on a grid bicubic"},
    {.name = "antialias",
     .kind = POSENC_CLI_FLAG,
     .help = "When shrinking, widen the kernel so that every old row counts; cubic kernels take a = -0.5 instead of "
             "-0.75, as PyTorch does"},
    {.name = "align-corners",
     .kind = POSENC_CLI_FLAG,
     .help = "Keep the first and the last row where they are, rather than the borders of the whole"},
    {.name = "output",
     .letter = 'o',
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .required = true,
     .help = "FILE.npy or FILE.safetensors of the type and rank of the table, or - for standard output in the form of "
             "the input; may be the input"},
};

static const char *const examples[] = {
    "posenc resize pos.npy --to 1024 -o longer.npy",
    "posenc resize vit.safetensors:pos_embed --prefix 1 --to 39x39 -o pos.safetensors",
    "posenc resize pos.npy --from 12x16 --to 7x14 --antialias -o small.npy",
    NULL,
};

const posenc_cli_command posenc_cli_resize = {
    .name = "resize",
    .summary = "Resize a learned table to another length or grid",
    .description =
        "Writes a table with another number of positions, each row interpolated from the old ones around its place. "
        "The new size is exactly the one asked for, and the weights are those of PyTorch's interpolate with that size. "
        "Sums are made in double and rounded once to the type of the table.\n\n"
        "With --to N the rows are one axis. With --to HxW they are a grid, row by row, as the patches of a picture; "
        "the "
        "old grid must be a square, or be given by --from: it is never guessed. Rows of --prefix are kept as they are "
        "and not counted.\n\n"
        "The table is (rows, dim), (1, rows, dim) or (rows, 1, dim) of float16, float32 or float64 in .npy, of these "
        "or "
        "bfloat16 in .safetensors, or numbers in .csv; it keeps its type and rank. In .safetensors it keeps its name, "
        "and without one is called weight. A table that already has the size is copied bit for bit.\n\n"
        "Only the table is written. The metadata of a .safetensors file go with it; where posenc saved a learned "
        "table, "
        "with the new number of rows, so that it loads again, while what posenc noted about a formula's table is left "
        "out, since a resized one is no longer its.",
    .usage =
        "FILE[:TENSOR] --to N|HxW [--from HxW] [--prefix P] [--mode linear|cubic|bilinear|bicubic] [--antialias] "
        "[--align-corners] -o FILE",
    .operands = "FILE[:TENSOR]",
    .fewest_operands = 1,
    .most_operands = 1,
    .takes = POSENC_CLI_TAKES_CONTEXT,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = resize,
};
