/* Score biases: written, added, and their gradients. */
#include <stdbool.h>
#include <string.h>

#include "bits.h"

static const posenc_dtype dtypes[] = {POSENC_F32, POSENC_F64, POSENC_F16, POSENC_BF16};

enum { HEADS = 5, QUERIES = 9, BUCKETS = 32 };

/* A bias written, added with a causal mask, and the gradient of what it was added to. */
static void run_bias(bits_bench *b, const char *scheme, posenc_dtype dtype, int keys) {
    if (keys > b->most_dim) return;
    const size_t n = (size_t)HEADS * QUERIES * (size_t)keys, bytes = posenc_dtype_bytes(dtype);
    const posenc_parameter heads = {"heads", "5"};
    const bool trained = strcmp(scheme, "t5") == 0;
    float table[BUCKETS * HEADS];
    double gradient[BUCKETS * HEADS] = {0};
    posenc_view views[3];
    posenc_bias_extent extent;
    posenc_bias_options options;
    posenc_error error;
    posenc_bias_extent_default(&extent, sizeof extent);
    posenc_bias_options_default(&options, sizeof options);
    extent.queries = QUERIES, extent.keys = keys;
    options.causal = 1, options.scale = 0.7;
    bits_fill_random(table, BUCKETS * HEADS, POSENC_F32, 5);
    bits_fill_random(b->x, n, dtype, 6);
    const int64_t shape[] = {HEADS, QUERIES, keys}, rows[] = {BUCKETS, HEADS};
    DLTensor *t = trained ? posenc_view_make(&views[0], table, POSENC_F32, 2, rows, NULL) : NULL;
    DLTensor *x = posenc_view_make(&views[1], b->x, dtype, 3, shape, NULL);
    DLTensor *g = posenc_view_make(&views[2], gradient, POSENC_F64, trained ? 2 : 1, trained ? rows : rows + 1, NULL);
    b->hash = BITS_HASH_START;
    if (posenc_plan_create(b->context, scheme, &heads, 1, &b->plan, &error)) bits_stop("plan", &error);
    if (posenc_bias_backward(b->plan, &extent, &options, x, g, 0, &error)) bits_stop("bias backward", &error);
    bits_hash_elements(&b->hash, gradient, trained ? BUCKETS * HEADS : HEADS, sizeof *gradient);
    if (posenc_bias_add(b->plan, &extent, &options, t, x, &error)) bits_stop("bias add", &error);
    bits_hash_elements(&b->hash, b->x, n, bytes);
    if (posenc_bias_write(b->plan, &extent, t, x, &error)) bits_stop("bias write", &error);
    bits_hash_elements(&b->hash, b->x, n, bytes);
    bits_print_line("bias", scheme, "exact", dtype, keys, b->hash);
    posenc_plan_destroy(b->plan);
}

void bits_run_biases(bits_bench *b) {
    static const int keys[] = {1, 9, 61, 500};
    for (int k = 0; k < 4; k++)
        for (int t = 0; t < 4; t++) {
            run_bias(b, "alibi", dtypes[t], keys[k]);
            run_bias(b, "t5", dtypes[t], keys[k]);
        }
}
