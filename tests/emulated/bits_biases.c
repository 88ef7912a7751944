/* Score biases: written, added, and their gradients; the buckets of distances. */
#include <stdbool.h>

#include "bits.h"

static const posenc_dtype dtypes[] = {POSENC_F32, POSENC_F64, POSENC_F16, POSENC_BF16};

enum { HEADS = 5, QUERIES = 9, BUCKETS = 32, MOST_ROWS = 343 };

/* rows: of the trained table; 0: slopes, one a head. A window's queries are its keys, and it has no mask. */
typedef struct bias {
    const char *name, *scheme;
    int rows;
    bool is_window;
    posenc_parameter parameters[3];
} bias;

static const bias alibi = {"alibi", "alibi", 0, false, {{"heads", "5"}}};
static const bias t5 = {"t5", "t5", BUCKETS, false, {{"heads", "5"}}};

static const bias more_alibi[] = {
    {"alibi-key", "alibi", 0, false, {{"heads", "5"}, {"form", "key"}}},
    {"alibi-symmetric", "alibi", 0, false, {{"heads", "5"}, {"form", "symmetric"}}},
    {"alibi-key-geometric", "alibi", 0, false, {{"heads", "5"}, {"form", "key"}, {"slope-rule", "geometric"}}},
    {"alibi-symmetric-geometric",
     "alibi",
     0,
     false,
     {{"heads", "5"}, {"form", "symmetric"}, {"slope-rule", "geometric"}}},
};

/* Windows, by their number of tokens. */
static const struct {
    int tokens;
    bias bias;
} swin[] = {
    {15, {"swin", "swin", 5 * 9, true, {{"heads", "5"}, {"window-height", "3"}, {"window-width", "5"}}}},
    {100, {"swin", "swin", 7 * 49, true, {{"heads", "5"}, {"window-height", "4"}, {"window-width", "25"}}}},
};

static void make_plan(bits_bench *b, const char *scheme, const posenc_parameter *parameters) {
    posenc_error error;
    size_t n = 0;
    while (n < 3 && parameters[n].name) n++;
    if (posenc_plan_create(b->context, scheme, parameters, n, &b->plan, &error)) bits_stop("plan", &error);
}

/* A bias written, added with a causal mask, and the gradient of what it was added to. */
static void run_bias(bits_bench *b, const bias *kind, posenc_dtype dtype, int keys) {
    if (keys > b->most_dim) return;
    const int queries = kind->is_window ? keys : QUERIES;
    const size_t n = (size_t)HEADS * (size_t)queries * (size_t)keys, bytes = posenc_dtype_bytes(dtype);
    const bool trained = kind->rows > 0;
    const size_t n_gradients = trained ? (size_t)kind->rows * HEADS : HEADS;
    float table[MOST_ROWS * HEADS];
    double gradient[MOST_ROWS * HEADS] = {0};
    posenc_view views[3];
    posenc_bias_extent extent;
    posenc_bias_options options;
    posenc_error error;
    posenc_bias_extent_default(&extent, sizeof extent);
    posenc_bias_options_default(&options, sizeof options);
    extent.queries = queries, extent.keys = keys;
    options.causal = !kind->is_window, options.scale = 0.7;
    bits_fill_random(table, MOST_ROWS * HEADS, POSENC_F32, 5);
    bits_fill_random(b->x, n, dtype, 6);
    const int64_t shape[] = {HEADS, queries, keys}, rows[] = {kind->rows, HEADS};
    DLTensor *t = trained ? posenc_view_make(&views[0], table, POSENC_F32, 2, rows, NULL) : NULL;
    DLTensor *x = posenc_view_make(&views[1], b->x, dtype, 3, shape, NULL);
    DLTensor *g = posenc_view_make(&views[2], gradient, POSENC_F64, trained ? 2 : 1, trained ? rows : rows + 1, NULL);
    b->hash = BITS_HASH_START;
    make_plan(b, kind->scheme, kind->parameters);
    if (posenc_bias_backward(b->plan, &extent, &options, x, g, 0, &error)) bits_stop("bias backward", &error);
    bits_hash_elements(&b->hash, gradient, n_gradients, sizeof *gradient);
    if (posenc_bias_add(b->plan, &extent, &options, t, x, &error)) bits_stop("bias add", &error);
    bits_hash_elements(&b->hash, b->x, n, bytes);
    if (posenc_bias_write(b->plan, &extent, t, x, &error)) bits_stop("bias write", &error);
    bits_hash_elements(&b->hash, b->x, n, bytes);
    bits_print_line("bias", kind->name, "exact", dtype, keys, b->hash);
    posenc_plan_destroy(b->plan);
}

/* The signed buckets of distances near and far. */
static void run_index(bits_bench *b, posenc_dtype dtype, int keys) {
    static const int64_t offsets[] = {0, 400, INT64_C(1) << 40};
    const size_t n = (size_t)QUERIES * (size_t)keys;
    if (keys > b->most_dim) return;
    b->hash = BITS_HASH_START;
    make_plan(b, "deberta", (posenc_parameter[]){{NULL, NULL}});
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        posenc_view view;
        posenc_bias_extent extent;
        posenc_error error;
        posenc_bias_extent_default(&extent, sizeof extent);
        extent.queries = QUERIES, extent.keys = keys, extent.offset = offsets[i];
        DLTensor *index = posenc_view_make(&view, b->x, dtype, 2, (int64_t[]){QUERIES, keys}, NULL);
        if (posenc_bias_index(b->plan, &extent, index, &error)) bits_stop("bias index", &error);
        bits_hash_elements(&b->hash, b->x, n, posenc_dtype_bytes(dtype));
    }
    bits_print_line("bias", "deberta", "exact", dtype, keys, b->hash);
    posenc_plan_destroy(b->plan);
}

void bits_run_biases(bits_bench *b) {
    static const int keys[] = {1, 9, 61, 500};
    for (int k = 0; k < 4; k++)
        for (int t = 0; t < 4; t++) {
            run_bias(b, &alibi, dtypes[t], keys[k]);
            run_bias(b, &t5, dtypes[t], keys[k]);
        }
    for (int t = 0; t < 4; t++) {
        for (int f = 0; f < 4; f++) run_bias(b, &more_alibi[f], dtypes[t], 61);
        for (int w = 0; w < 2; w++) run_bias(b, &swin[w].bias, dtypes[t], swin[w].tokens);
    }
    for (int k = 2; k < 4; k++) {
        run_index(b, POSENC_I32, keys[k]);
        run_index(b, POSENC_I64, keys[k]);
    }
}
