/* table shaw: the vector of every query and key, (queries, keys, d), from a trained table of 2 clip + 1 rows; streamed
 * to its place in blocks, so that memory does not grow with it. */
#include "table_shaw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "numbers.h"
#include "read_table.h"
#include "target.h"

static const int64_t block_bytes = INT64_C(4) << 20; /* stays in the cache between being made and being written */
static const int64_t header_room = 256;              /* of a file */
static const int64_t furthest = INT64_C(1) << 60;    /* that an offset may be */

typedef struct job {
    const posenc_cli_arguments *arguments;
    const char *path; /* "-": standard output */
    posenc_cli_form form;
    posenc_cli_input_table table;
    posenc_shaw_options options;
    int64_t queries, keys, d;
    posenc_cli_target target;
} job;

bool posenc_cli_is_shaw(const posenc_cli_arguments *arguments) {
    return strcmp(posenc_cli_scheme(arguments)->name, "shaw") == 0;
}

/* ---- what is wanted ---- */

static int find_form(job *j) {
    static const char *const rows[] = {"length", "start", "positions"};
    const char *path = posenc_cli_text(j->arguments, "output");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (posenc_cli_given(j->arguments, rows[i]))
            return posenc_cli_fail("%s: expected --queries Q and --keys K for shaw, got --%s", rows[i], rows[i]);
    if (!path) return posenc_cli_fail("output: expected -o FILE, as text holds no tensor of rank 3, got none");
    j->path = path;
    int status = posenc_cli_target_form(path, true, POSENC_CLI_NPY, &j->form);
    if (status != POSENC_CLI_FINE || j->form != POSENC_CLI_CSV) return status;
    return posenc_cli_fail("output: expected .npy or .safetensors, as text holds no tensor of rank 3, got \"%s\"",
                           path);
}

static int find_extent(job *j) {
    const char *const names[] = {"queries", "keys", "table"};
    for (int i = 0; i < 3; i++)
        if (!posenc_cli_given(j->arguments, names[i]))
            return posenc_cli_fail("%s: expected --%s %s for shaw, got none", names[i], names[i],
                                   i == 2 ? "FILE[:TENSOR]" : "N");
    j->queries = posenc_cli_integer(j->arguments, "queries");
    j->keys = posenc_cli_integer(j->arguments, "keys");
    return POSENC_CLI_FINE;
}

static int check_dtype(const job *j) {
    const char *dtype = posenc_cli_text(j->arguments, "dtype"), *own = posenc_dtype_name(j->table.dtype);
    if (!dtype || strcmp(dtype, own) == 0) return POSENC_CLI_FINE;
    return posenc_cli_fail("dtype: expected %s, which the table has, got %s", own, dtype);
}

static int read_table(job *j) {
    int status = posenc_cli_read_table(posenc_cli_context(j->arguments), "table",
                                       posenc_cli_text(j->arguments, "table"), &j->table);
    if (status != POSENC_CLI_FINE) return status;
    const DLTensor *table = j->table.tensor;
    if (table->ndim != 2)
        return posenc_cli_fail("%s: expected a table (2 clip + 1, d), got rank %d", j->table.title, (int)table->ndim);
    if (table->shape[0] % 2 == 0)
        return posenc_cli_fail("%s: expected an odd number of rows, 2 clip + 1, got %lld", j->table.title,
                               (long long)table->shape[0]);
    j->d = table->shape[1];
    return check_dtype(j);
}

/* The table says how far distances go; a --clip beside it must say the same. */
static int check_clip(const job *j) {
    int64_t clip = 0, rows = j->table.tensor->shape[0];
    const char *text = posenc_cli_text(j->arguments, "clip");
    if (!text || (posenc_cli_parse_integer(text, &clip) && clip == rows / 2)) return POSENC_CLI_FINE;
    return posenc_cli_fail("clip: expected %lld for a table of %lld rows, got %s", (long long)(rows / 2),
                           (long long)rows, text);
}

/* Parameters mean what the scheme says they mean: a plan reads them. */
static int read_parameters(job *j) {
    const posenc_cli_arguments *a = j->arguments;
    posenc_parameter list[POSENC_CLI_MOST_OPTIONS + 1];
    size_t n = a->n_parameters;
    char clip[32], offset[64], direction[64];
    posenc_plan *plan;
    posenc_error error;
    memcpy(list, a->parameters, n * sizeof *list);
    snprintf(clip, sizeof clip, "%" PRId64, j->table.tensor->shape[0] / 2);
    if (!posenc_cli_given(a, "clip")) list[n++] = (posenc_parameter){"clip", clip};
    if (posenc_plan_create(posenc_cli_context(a), "shaw", list, n, &plan, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    posenc_shaw_default(&j->options, sizeof j->options);
    j->options.clip = j->table.tensor->shape[0] / 2;
    if (posenc_plan_parameter(plan, "offset", offset, sizeof offset) == POSENC_OK)
        posenc_cli_parse_integer(offset, &j->options.offset);
    if (posenc_plan_parameter(plan, "direction", direction, sizeof direction) == POSENC_OK)
        j->options.direction = strcmp(direction, "query-minus-key") == 0 ? POSENC_DIRECTION_QUERY_MINUS_KEY
                                                                         : POSENC_DIRECTION_KEY_MINUS_QUERY;
    posenc_plan_destroy(plan);
    return POSENC_CLI_FINE;
}

static posenc_tensor_entry entry_of(const job *j, int64_t shape[3]) {
    shape[0] = j->queries, shape[1] = j->keys, shape[2] = j->d;
    return (posenc_tensor_entry){.name = "shaw", .dtype = j->table.dtype, .rank = 3, .shape = shape};
}

static int check_size(const job *j) {
    int64_t most = (INT64_MAX - header_room) / (int64_t)posenc_dtype_bytes(j->table.dtype), row = 0, shape[3];
    bool fits = j->d == 0 || j->keys <= most / j->d;
    if (fits) row = j->keys * j->d;
    if (!fits)
        return posenc_cli_fail("keys: expected at most %lld for vectors of %lld, got %lld", (long long)(most / j->d),
                               (long long)j->d, (long long)j->keys);
    if (row > 0 && j->queries > most / row)
        return posenc_cli_fail("queries: expected at most %lld for %lld keys and vectors of %lld, got %lld",
                               (long long)(most / row), (long long)j->keys, (long long)j->d, (long long)j->queries);
    posenc_tensor_entry entry = entry_of(j, shape);
    return posenc_cli_target_check(j->form, &entry);
}

/* ---- writing ---- */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* A block of queries, or of keys of one query. */
typedef struct block {
    int64_t most_rows, most_keys;
    int64_t first_query, rows, first_key, keys;
    void *elements;
} block;

/* Within a block query and key are both counted from 0, so the offset takes up both. One that leaves the range on the
 * way is so far out that its distances are clipped on either side of the range's end. */
static int make_block(const job *j, const block *b) {
    posenc_view view;
    posenc_error error;
    posenc_shaw_options options = j->options;
    int64_t offset = j->options.offset + b->first_query - b->first_key;
    options.offset = offset > furthest ? furthest : offset < -furthest ? -furthest : offset;
    const int64_t shape[] = {b->rows, b->keys, j->d};
    DLTensor *out = posenc_view_make(&view, b->elements, j->table.dtype, 3, shape, NULL);
    if (posenc_shaw_write(posenc_cli_context(j->arguments), &options, j->table.tensor, out, &error) == POSENC_OK)
        return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

static int write_query(job *j, block *b) {
    for (b->first_key = 0; b->first_key < j->keys; b->first_key += b->keys) {
        b->keys = least(b->most_keys, j->keys - b->first_key);
        int status = make_block(j, b);
        if (status == POSENC_CLI_FINE)
            status =
                posenc_cli_target_write_elements(&j->target, b->elements, j->table.dtype, b->rows * b->keys * j->d);
        if (status != POSENC_CLI_FINE) return status;
    }
    return POSENC_CLI_FINE;
}

static int write_blocks(job *j, block *b) {
    if (j->d == 0) return POSENC_CLI_FINE; /* nothing, however many there are */
    for (b->first_query = 0; b->first_query < j->queries; b->first_query += b->rows) {
        b->rows = least(b->most_rows, j->queries - b->first_query);
        int status = write_query(j, b);
        if (status != POSENC_CLI_FINE || j->keys == 0) return status;
    }
    return POSENC_CLI_FINE;
}

static int open_block(const job *j, block *b) {
    int64_t vector = j->d * (int64_t)posenc_dtype_bytes(j->table.dtype);
    int64_t vectors = vector > 0 && vector < block_bytes ? block_bytes / vector : 1;
    b->most_keys = least(j->keys, vectors);
    b->most_rows = j->keys > 0 && j->keys < vectors ? least(vectors / j->keys, j->queries) : 1;
    size_t bytes = (size_t)(b->most_rows * b->most_keys * vector);
    b->elements = malloc(bytes + 1);
    return b->elements ? POSENC_CLI_FINE : posenc_cli_no_memory("block", bytes);
}

static int write_tensor(job *j) {
    block b = {.rows = 0};
    int64_t shape[3];
    posenc_tensor_entry entry = entry_of(j, shape);
    double total = (double)j->queries * (double)j->keys * (double)j->d * (double)posenc_dtype_bytes(j->table.dtype);
    int status = open_block(j, &b);
    if (status == POSENC_CLI_FINE)
        status = posenc_cli_target_open(posenc_cli_context(j->arguments), j->path, j->form, total, &j->target);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_header(&j->target, &entry, 1, NULL, 0);
    if (status == POSENC_CLI_FINE) status = write_blocks(j, &b);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_commit(&j->target);
    free(b.elements);
    return status;
}

int posenc_cli_table_shaw(const posenc_cli_arguments *arguments) {
    job j = {.arguments = arguments};
    int status = find_form(&j);
    if (status == POSENC_CLI_FINE) status = find_extent(&j);
    if (status == POSENC_CLI_FINE) status = read_table(&j);
    if (status == POSENC_CLI_FINE) status = check_clip(&j);
    if (status == POSENC_CLI_FINE) status = read_parameters(&j);
    if (status == POSENC_CLI_FINE) status = check_size(&j);
    if (status == POSENC_CLI_FINE) status = write_tensor(&j);
    posenc_cli_free_table(&j.table);
    posenc_cli_target_discard(&j.target);
    return status;
}
