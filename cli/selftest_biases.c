/* Score biases whose checksums are published: written, added to scores, their gradients, buckets of distances. What is
 * hashed is everything that a call reads and writes: the trained table, the scores, the gradient. All of them begin as
 * the numbers of posenc_cli_put_numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "selftest_parts.h"

enum { MOST_PARAMETERS = 4 };

typedef struct bias {
    const char *what; /* in the name: the scheme, and what is particular */
    const char *scheme;
    enum { WRITE, ADD, BACKWARD, INDEX } call;
    posenc_dtype dtype;
    int heads, queries, keys;
    int rows; /* of the trained table; 0: none */
    int64_t offset;
    posenc_parameter parameters[MOST_PARAMETERS]; /* ends with a NULL name */
} bias;

/* clang-format off */
#define AUTO POSENC_BIAS_OFFSET_AUTO
#define TWELVE {"heads", "12"}
static const bias all[] = {
    /* what, scheme, call, dtype, heads, queries, keys, rows, offset, parameters */
    {"alibi", "alibi", WRITE, POSENC_F32, 12, 30, 73, 0, AUTO, {TWELVE}},
    {"alibi", "alibi", WRITE, POSENC_F64, 12, 30, 73, 0, AUTO, {TWELVE}},
    {"alibi", "alibi", WRITE, POSENC_F16, 12, 30, 73, 0, AUTO, {TWELVE}},
    {"alibi", "alibi", WRITE, POSENC_BF16, 12, 30, 73, 0, AUTO, {TWELVE}},
    {"alibi", "alibi", WRITE, POSENC_F32, 12, 30, 73, 0, 16777210, {TWELVE}},
    {"alibi key", "alibi", WRITE, POSENC_F32, 12, 30, 73, 0, AUTO, {TWELVE, {"form", "key"}}},
    {"alibi symmetric geometric", "alibi", WRITE, POSENC_F32, 12, 30, 73, 0, 40, {TWELVE, {"form", "symmetric"}, {"slope-rule", "geometric"}}},
    {"alibi", "alibi", ADD, POSENC_F32, 12, 30, 73, 0, AUTO, {TWELVE}},
    {"alibi", "alibi", ADD, POSENC_BF16, 12, 30, 73, 0, AUTO, {TWELVE}},
    {"alibi", "alibi", BACKWARD, POSENC_F64, 12, 30, 73, 0, AUTO, {TWELVE}},
    {"alibi", "alibi", BACKWARD, POSENC_F32, 12, 30, 73, 0, AUTO, {TWELVE}},
    {"t5", "t5", WRITE, POSENC_F32, 12, 30, 173, 32, AUTO, {TWELVE}},
    {"t5", "t5", WRITE, POSENC_F16, 12, 30, 173, 32, AUTO, {TWELVE}},
    {"t5 causal", "t5", ADD, POSENC_F32, 12, 100, 440, 32, AUTO, {TWELVE, {"bidirectional", "false"}}}, /* for threads */
    {"t5 causal", "t5", BACKWARD, POSENC_F32, 12, 100, 440, 32, AUTO, {TWELVE, {"bidirectional", "false"}}},
    {"t5", "t5", BACKWARD, POSENC_F64, 12, 30, 173, 32, AUTO, {TWELVE}},
    {"deberta 64 to 128", "deberta", INDEX, POSENC_I32, 0, 12, 500, 0, 250, {{"buckets", "64"}, {"max-distance", "128"}}},
    {"swin 7x7", "swin", WRITE, POSENC_F32, 12, 49, 49, 169, AUTO, {TWELVE}},
    {"swin 4x6", "swin", ADD, POSENC_BF16, 12, 24, 24, 77, AUTO, {TWELVE, {"window-height", "4"}, {"window-width", "6"}}},
    {"swin 7x7", "swin", BACKWARD, POSENC_F64, 12, 49, 49, 169, AUTO, {TWELVE}},
};
/* clang-format on */

size_t posenc_cli_bias_count(void) { return sizeof all / sizeof *all; }

/* Elements of the scores, or of the index, of the trained table, and of the gradient: in this order they stand. */
static int64_t scores_of(const bias *b) { return (int64_t)(b->heads ? b->heads : 1) * b->queries * b->keys; }
static int64_t table_of(const bias *b) { return (int64_t)b->rows * b->heads; }
static int64_t gradient_of(const bias *b) { return b->call != BACKWARD ? 0 : b->rows ? table_of(b) : b->heads; }

/* The tensors of a call, which stand one behind the other. */
typedef struct tensors {
    posenc_view views[3];
    DLTensor *scores, *table, *gradient;
} tensors;

static void lay_out(const bias *b, char *at, tensors *t) {
    const ptrdiff_t bytes = (ptrdiff_t)posenc_dtype_bytes(b->dtype);
    const int64_t scores[] = {b->heads, b->queries, b->keys}, rows[] = {b->rows, b->heads};
    char *table = at + scores_of(b) * bytes, *gradient = table + table_of(b) * bytes;
    bool whole = b->call == INDEX; /* without heads */
    t->scores = posenc_view_make(&t->views[0], at, b->dtype, whole ? 2 : 3, whole ? scores + 1 : scores, NULL);
    t->table = b->rows ? posenc_view_make(&t->views[1], table, b->dtype, 2, rows, NULL) : NULL;
    t->gradient = posenc_view_make(&t->views[2], gradient, b->dtype, b->rows ? 2 : 1, b->rows ? rows : rows + 1, NULL);
}

static posenc_status run(const bias *b, const posenc_plan *plan, const tensors *t, posenc_error *error) {
    posenc_bias_extent extent;
    posenc_bias_options options;
    posenc_bias_extent_default(&extent, sizeof extent);
    posenc_bias_options_default(&options, sizeof options);
    extent.queries = b->queries, extent.keys = b->keys, extent.offset = b->offset;
    options.scale = 0.7;
    options.causal = strcmp(b->scheme, "swin") != 0; /* which takes no mask */
    if (b->call == WRITE) return posenc_bias_write(plan, &extent, t->table, t->scores, error);
    if (b->call == ADD) return posenc_bias_add(plan, &extent, &options, t->table, t->scores, error);
    if (b->call == INDEX) return posenc_bias_index(plan, &extent, t->scores, error);
    return posenc_bias_backward(plan, &extent, &options, t->scores, t->gradient, 1, error);
}

static posenc_status make(const posenc_cli_configuration *configuration, const posenc_context *context, void *table,
                          posenc_error *error) {
    const bias *b = configuration->own;
    posenc_plan *plan = NULL;
    tensors t;
    size_t n = 0;
    while (n < MOST_PARAMETERS && b->parameters[n].name) n++;
    if (b->call != INDEX) posenc_cli_put_numbers(table, configuration->rows, b->dtype);
    lay_out(b, table, &t);
    posenc_status status = posenc_plan_create(context, b->scheme, b->parameters, n, &plan, error);
    if (status == POSENC_OK) status = run(b, plan, &t, error);
    posenc_plan_destroy(plan);
    return status;
}

void posenc_cli_bias_at(size_t index, posenc_cli_configuration *out) {
    static const char *const calls[] = {"written", "added", "gradient", "buckets"};
    const bias *b = &all[index];
    *out = (posenc_cli_configuration){
        .dtype = b->dtype, .rows = scores_of(b) + table_of(b) + gradient_of(b), .dim = 1, .make = make, .own = b};
    size_t n = (size_t)snprintf(out->name, sizeof out->name, "bias %s %s %s, %d x %d x %d", b->what, calls[b->call],
                                posenc_dtype_name(b->dtype), b->heads ? b->heads : 1, b->queries, b->keys);
    if (b->offset != AUTO) snprintf(out->name + n, sizeof out->name - n, " from %" PRId64, b->offset);
}
