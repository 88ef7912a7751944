/* similarity: the cosine of every pair of positions, as a matrix, a picture, a curve by distance, or statistics. */
#include "similarity.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "interrupt.h"
#include "paths.h"
#include "target.h"

static const int64_t block_bytes = INT64_C(8) << 20;    /* of the matrix, made and written at a time */
static const int64_t block_rows = 240;                  /* more make the product no faster */
static const int64_t most_positions = INT64_C(1) << 30; /* in a matrix: its bytes stay far from where they wrap */

/* Where the results go. */
typedef struct places {
    const char *output, *curve; /* NULL: not wanted */
    posenc_cli_form output_form, curve_form;
    bool is_picture;
    posenc_picture picture;
    posenc_cli_target matrix, by_distance;
} places;

/* Written directly: standard output, a device, a pipe. */
static bool is_direct(const char *path) {
    struct stat info;
    return strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

/* The form of data in a file, by its name. option: what messages call it; endings: those that it may have. */
static int data_form(const char *option, const char *path, const char *endings, posenc_cli_form *form) {
    if (!posenc_cli_ends_in(path, ".npy") && !posenc_cli_ends_in(path, ".safetensors") &&
        !posenc_cli_ends_in(path, ".csv") && !is_direct(path))
        return posenc_cli_fail("%s: expected a name that ends in %s, got \"%s\"", option, endings, path);
    return posenc_cli_target_form(path, true, POSENC_CLI_NPY, form);
}

static int find_output(const posenc_cli_arguments *arguments, places *p) {
    p->output = posenc_cli_text(arguments, "output");
    p->is_picture = p->output && posenc_picture_of(p->output, &p->picture) == POSENC_OK;
    if (!p->output || p->is_picture) return POSENC_CLI_FINE;
    if (strcmp(p->output, "-") == 0 && posenc_cli_flag(arguments, "json"))
        return posenc_cli_fail("output: expected a file beside --json, got standard output");
    return data_form("output", p->output, ".npy, .safetensors, .csv, .png, .svg or .pdf", &p->output_form);
}

static int find_places(const posenc_cli_arguments *arguments, places *p) {
    int status = find_output(arguments, p);
    p->curve = posenc_cli_text(arguments, "curve");
    if (status != POSENC_CLI_FINE || !p->curve) return status;
    if (p->output && strcmp(p->output, p->curve) == 0)
        return posenc_cli_fail("curve: expected another file than the output, got \"%s\" twice", p->curve);
    if (strcmp(p->curve, "-") == 0 && (!p->output || posenc_cli_flag(arguments, "json")))
        return posenc_cli_fail("curve: expected a file beside what is printed, got standard output");
    return data_form("curve", p->curve, ".npy, .safetensors or .csv", &p->curve_form);
}

/* A table whose rows are empty may claim any number of them. */
static int check_table(const posenc_cli_input_table *table, const places *p) {
    const DLTensor *t = table->tensor;
    if (t->ndim >= 2 && t->shape[t->ndim - 1] == 0)
        return posenc_cli_fail("%s: expected a table with channels, got one without", table->file);
    for (int i = 0; p->output && !p->is_picture && i < t->ndim; i++)
        if (t->shape[i] > most_positions)
            return posenc_cli_fail("output: expected at most %lld positions for a matrix, got %lld",
                                   (long long)most_positions, (long long)t->shape[i]);
    return POSENC_CLI_FINE;
}

static int summarise(posenc_cli_similarity_result *s) {
    posenc_error error;
    size_t bytes = (size_t)posenc_similarity_length(s->similarity) * sizeof *s->by_distance;
    s->by_distance = malloc(bytes + 1);
    if (!s->by_distance) return posenc_cli_no_memory("similarity", bytes);
    s->report.size = sizeof s->report;
    if (posenc_similarity_summary(s->similarity, s->by_distance, &s->report, &error) == POSENC_OK)
        return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

/* What the wanted results need, and no more: a picture is made by the library from the table. */
static int compute(posenc_cli_similarity_result *s, const places *p) {
    posenc_error error;
    bool printed = !p->output || posenc_cli_flag(s->arguments, "json");
    if (p->is_picture && !p->curve && !printed) return POSENC_CLI_FINE;
    if (posenc_similarity_create(posenc_cli_context(s->arguments), s->table.tensor, &s->similarity, &error) !=
        POSENC_OK)
        return posenc_cli_refuse(&error);
    return printed || p->curve ? summarise(s) : POSENC_CLI_FINE;
}

static int write_block(const posenc_cli_similarity_result *s, int64_t first, int64_t rows, float *block, places *p) {
    posenc_view view;
    posenc_error error;
    const int64_t shape[] = {rows, posenc_similarity_length(s->similarity)};
    DLTensor *tensor = posenc_view_make(&view, block, POSENC_F32, 2, shape, NULL);
    if (posenc_similarity_rows(s->similarity, first, tensor, &error) != POSENC_OK) return posenc_cli_refuse(&error);
    if (p->output_form == POSENC_CLI_CSV)
        return posenc_cli_target_write_csv(&p->matrix, block, POSENC_F32, rows, shape[1], 9);
    return posenc_cli_target_write_elements(&p->matrix, block, POSENC_F32, rows * shape[1]);
}

/* Block by block: the matrix itself is never held. */
static int write_matrix(const posenc_cli_similarity_result *s, places *p) {
    int64_t length = posenc_similarity_length(s->similarity), row_bytes = length * (int64_t)sizeof(float);
    int64_t rows = row_bytes > 0 ? block_bytes / row_bytes : 1;
    rows = rows < 1 ? 1 : rows > block_rows ? block_rows : rows;
    float *block = malloc((size_t)(rows * row_bytes) + 1);
    if (!block) return posenc_cli_no_memory("block", (size_t)(rows * row_bytes));
    const int64_t shape[] = {length, length};
    const posenc_tensor_entry entry = {.name = "similarity", .dtype = POSENC_F32, .rank = 2, .shape = shape};
    int status = posenc_cli_target_open(posenc_cli_context(s->arguments), p->output, p->output_form,
                                        (double)length * (double)row_bytes, &p->matrix);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_header(&p->matrix, &entry, 1, NULL, 0);
    for (int64_t first = 0; first < length && status == POSENC_CLI_FINE; first += rows)
        status = write_block(s, first, length - first < rows ? length - first : rows, block, p);
    free(block);
    return status;
}

static int draw(const posenc_cli_similarity_result *s, places *p) {
    posenc_error error;
    posenc_plot_options options;
    posenc_plot_default(&options, sizeof options);
    options.title = s->table.title;
    const posenc_context *context = posenc_cli_context(s->arguments);
    int status = posenc_cli_target_open(context, p->output, POSENC_CLI_NPY /* bytes */, 0, &p->matrix);
    if (status == POSENC_CLI_FINE && posenc_plot(context, s->table.tensor, POSENC_PLOT_SIMILARITY, &options, p->picture,
                                                 p->matrix.output, &error) != POSENC_OK)
        status = posenc_cli_refuse(&error);
    return status == POSENC_CLI_FINE && posenc_cli_interrupted() ? POSENC_CLI_TROUBLE : status;
}

/* Lines of distance and mean, below their names. */
static int write_curve_lines(const posenc_cli_similarity_result *s, places *p) {
    static const char names[] = "distance,mean\n";
    int status = posenc_cli_target_write(&p->by_distance, names, sizeof names - 1);
    for (int64_t k = 0; k < s->report.length && status == POSENC_CLI_FINE; k++) {
        const double line[] = {(double)k, s->by_distance[k]};
        status = posenc_cli_target_write_csv(&p->by_distance, line, POSENC_F64, 1, 2, 17);
    }
    return status;
}

static int write_curve(const posenc_cli_similarity_result *s, places *p) {
    const int64_t shape[] = {s->report.length};
    const posenc_tensor_entry entry = {.name = "by_distance", .dtype = POSENC_F64, .rank = 1, .shape = shape};
    int status = posenc_cli_target_open(posenc_cli_context(s->arguments), p->curve, p->curve_form,
                                        (double)shape[0] * sizeof(double), &p->by_distance);
    if (status == POSENC_CLI_FINE && p->curve_form == POSENC_CLI_CSV) return write_curve_lines(s, p);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_header(&p->by_distance, &entry, 1, NULL, 0);
    if (status != POSENC_CLI_FINE) return status;
    return posenc_cli_target_write_elements(&p->by_distance, s->by_distance, POSENC_F64, shape[0]);
}

static int commit(const char *path, posenc_cli_target *target, bool direct) {
    return path && is_direct(path) == direct ? posenc_cli_target_commit(target) : POSENC_CLI_FINE;
}

static int write_files(const posenc_cli_similarity_result *s, places *p) {
    int status = POSENC_CLI_FINE;
    if (p->output) status = p->is_picture ? draw(s, p) : write_matrix(s, p);
    return p->curve && status == POSENC_CLI_FINE ? write_curve(s, p) : status;
}

/* What goes out directly, and may still be refused, comes first. */
static int commit_files(places *p) {
    int status = POSENC_CLI_FINE;
    for (int direct = 1; direct >= 0 && status == POSENC_CLI_FINE; direct--) {
        status = commit(p->output, &p->matrix, direct);
        if (status == POSENC_CLI_FINE) status = commit(p->curve, &p->by_distance, direct);
    }
    return status;
}

/* If an interrupt was the reason, the first discard ends the program: neither file may be left then. */
static void end_files(places *p) {
    posenc_output_discard(p->by_distance.output);
    p->by_distance.output = NULL;
    posenc_cli_target_discard(&p->matrix);
    posenc_cli_target_discard(&p->by_distance);
}

static int print(const posenc_cli_similarity_result *s, const places *p) {
    if (posenc_cli_flag(s->arguments, "json")) return posenc_cli_similarity_json(s);
    return p->output ? POSENC_CLI_FINE : posenc_cli_similarity_text(s);
}

static int similarity(const posenc_cli_arguments *arguments) {
    posenc_cli_similarity_result s = {.arguments = arguments};
    places p = {.output = NULL};
    int status = find_places(arguments, &p);
    if (status == POSENC_CLI_FINE)
        status =
            posenc_cli_read_table(posenc_cli_context(arguments), "table", posenc_cli_operand(arguments, 0), &s.table);
    if (status == POSENC_CLI_FINE) status = check_table(&s.table, &p);
    if (status == POSENC_CLI_FINE) status = compute(&s, &p);
    if (status == POSENC_CLI_FINE) status = write_files(&s, &p);
    if (status == POSENC_CLI_FINE) status = print(&s, &p);
    if (status == POSENC_CLI_FINE) status = commit_files(&p);
    end_files(&p);
    posenc_similarity_destroy(s.similarity);
    free(s.by_distance);
    posenc_cli_free_table(&s.table);
    return status;
}

static const posenc_cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .help = "The matrix, (length, length): FILE.npy, FILE.safetensors (tensor similarity), FILE.csv, or - for .npy on "
             "standard output; or a picture of it: FILE.png, FILE.svg, FILE.pdf"},
    {.name = "curve",
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .help = "The mean by distance, (length): FILE.npy or FILE.safetensors (tensor by_distance) of f64, or FILE.csv "
             "with columns distance and mean"},
};

static const char *const examples[] = {
    "posenc similarity pe.npy",
    "posenc similarity pe.safetensors:pe --json",
    "posenc similarity pe.npy --curve curve.csv",
    "posenc similarity pe.npy -o similarity.npy",
    "posenc similarity pe.npy -o similarity.png",
    NULL,
};

const posenc_cli_command posenc_cli_similarity = {
    .name = "similarity",
    .summary = "Compare all positions of a table with each other",
    .description =
        "Computes the cosine of every pair of rows of a table, (length, dim): 1 for two positions that look the same, "
        "0 for two that have nothing in common. Without -o it prints the mean, the least and the most similar pair, "
        "and the mean by distance. In a sinusoidal table of even width the similarity of two positions depends on "
        "their distance alone.\n\n"
        "The matrix is written in blocks of rows, and neither the statistics nor a picture hold it: a long table takes "
        "time, but not memory.\n\n"
        "A row of zeros, or with a value that is not finite, has no direction; its cosines are NaN, and count in none "
        "of the statistics.",
    .usage = "FILE[:TENSOR] [-o FILE] [--curve FILE] [--json]",
    .operands = "FILE[:TENSOR]",
    .fewest_operands = 1,
    .most_operands = 1,
    .takes = POSENC_CLI_TAKES_CONTEXT | POSENC_CLI_TAKES_JSON,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = similarity,
};
