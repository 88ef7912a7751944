#include "support/tensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/number.h"
#include "support/test.h"

const posenc_dtype encoding_dtypes[4] = {POSENC_F32, POSENC_F64, POSENC_F16, POSENC_BF16};

void *must_allocate(size_t bytes) {
    void *memory = malloc(bytes + 1);
    if (!memory) abort();
    memset(memory, 0x5A, bytes + 1);
    return memory;
}

const char *plan_text(const plan_shape *shape) {
    static const char *const layouts[] = {"interleaved", "halves", "tensor2tensor"};
    static const char *const arithmetics[] = {"exact", "float32", "float32-exp"};
    static char text[160];
    snprintf(text, sizeof text, "dim %" PRId64 " base %.17g %s%s %s max_len %" PRId64, shape->dim,
             shape->base == 0 ? 10000 : shape->base, layouts[shape->layout], shape->cos_first ? " cos-first" : "",
             arithmetics[shape->arithmetic], shape->max_len == 0 ? 5000 : shape->max_len);
    return text;
}

posenc_plan *must_plan(const posenc_context *context, const plan_shape *shape) {
    posenc_sinusoidal_options options;
    posenc_sinusoidal_default(&options, sizeof options);
    options.dim = shape->dim;
    options.layout = shape->layout;
    options.cos_first = shape->cos_first;
    options.arithmetic = shape->arithmetic;
    if (shape->base != 0) options.base = shape->base;
    if (shape->max_len != 0) options.max_len = shape->max_len;
    posenc_plan *plan = NULL;
    posenc_error error = {0};
    posenc_status status = posenc_sinusoidal_create_with(context, &options, &plan, &error);
    check(status == POSENC_OK && plan, "plan %s: %s", plan_text(shape), error.message);
    return plan;
}

static void write_at(const posenc_plan *plan, const posenc_positions *positions, int64_t tokens, posenc_dtype dtype,
                     void *out) {
    posenc_view view;
    int64_t shape[2] = {tokens, posenc_plan_dim(plan)};
    DLTensor *tensor = posenc_view_make(&view, out, dtype, 2, shape, NULL);
    posenc_error error = {0};
    check(posenc_plan_write(plan, positions, tensor, &error) == POSENC_OK, "write: %s", error.message);
}

void must_write(const posenc_plan *plan, int64_t start, int64_t tokens, posenc_dtype dtype, void *out) {
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = start;
    write_at(plan, &positions, tokens, dtype, out);
}

void must_write_ids(const posenc_plan *plan, posenc_dtype ids_dtype, const void *ids, int64_t tokens,
                    posenc_dtype dtype, void *out) {
    posenc_view view;
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    void *data;
    memcpy(&data, &ids, sizeof data); /* DLTensor has no const; ids are only read */
    positions.ids = posenc_view_make(&view, data, ids_dtype, 1, &tokens, NULL);
    write_at(plan, &positions, tokens, dtype, out);
}

void must_add(const posenc_plan *plan, int64_t start, int64_t batch, int64_t tokens, posenc_dtype dtype, const void *x,
              double scale, void *y) {
    posenc_view vx, vy;
    int64_t shape[3] = {batch, tokens, posenc_plan_dim(plan)};
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = start;
    void *data;
    memcpy(&data, &x, sizeof data);
    DLTensor *tx = posenc_view_make(&vx, data, dtype, 3, shape, NULL);
    DLTensor *ty = posenc_view_make(&vy, y, dtype, 3, shape, NULL);
    posenc_error error = {0};
    check(posenc_plan_add(plan, &positions, tx, scale, ty, &error) == POSENC_OK, "add: %s", error.message);
}

void random_fill(struct random_state *state, posenc_dtype dtype, void *out, int64_t n) {
    size_t bytes = posenc_dtype_bytes(dtype);
    for (int64_t i = 0; i < n; i++)
        number_store(dtype, number_encode(dtype, 8 * random_unit(state) - 4), (char *)out + (size_t)i * bytes);
}

void must_equal(const char *what, posenc_dtype dtype, const void *a, const void *b, int64_t n) {
    size_t bytes = posenc_dtype_bytes(dtype);
    if (n == 0 || memcmp(a, b, (size_t)n * bytes) == 0) return;
    for (int64_t i = 0; i < n; i++) {
        uint64_t u = number_load(dtype, (const char *)a + (size_t)i * bytes);
        uint64_t v = number_load(dtype, (const char *)b + (size_t)i * bytes);
        check(number_same(dtype, u, v), "%s: %s element %" PRId64 " is %.17g (%" PRIx64 ") and %.17g (%" PRIx64 ")",
              what, posenc_dtype_name(dtype), i, number_decode(dtype, u), u, number_decode(dtype, v), v);
    }
}
