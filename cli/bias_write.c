/* A bias, or the rows of its table, streamed to its place in blocks of queries, so that memory does not grow with it. */
#include "bias_write.h"

#include <stdlib.h>

static const int64_t block_bytes = INT64_C(4) << 20; /* stays in the cache between being made and being written */

typedef posenc_cli_bias_job job;

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

/* A block of no rows is asked for. */
int posenc_cli_bias_check(job *j) {
    int status = posenc_cli_target_check(j->form, &(posenc_tensor_entry){.dtype = j->dtype});
    return status == POSENC_CLI_FINE ? make_block(j, &(block){.rows = 0}) : status;
}

int posenc_cli_bias_write(job *j) {
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
