/* Transformer-XL (Dai et al. 2019, Transformer-XL: Attentive Language Models beyond a Fixed-Length Context, section 3.3
 * and appendix B):
 *     S_ij = scale ((q_i + u) . k_j + (q_i + v) . W r_{i-j})
 * The appendix makes the second term for all distances and shifts its rows by padding and reshaping; here each row of
 * scores reads it from where its distances begin. The door. */
#include "schemes/transformer_xl.h"

#include <math.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/options.h"

static const posenc_xl_options defaults = {.size = sizeof defaults, .scale = 1, .memory = POSENC_XL_MEMORY_AUTO};

void posenc_xl_default(posenc_xl_options *options, size_t size) {
    posenc_options_write(options, size, &defaults, sizeof defaults);
}

static posenc_status check_options(const posenc_xl_options *o, posenc_error *error) {
    if (!isfinite(o->scale))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "scale", "expected a finite number, got %g", o->scale);
    if (o->memory != POSENC_XL_MEMORY_AUTO && (o->memory < -POSENC_RELATIVE_MOST || o->memory > POSENC_RELATIVE_MOST))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "memory", "expected -2^60..2^60, got %lld",
                           (long long)o->memory);
    if (o->clamp_len < 0)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "clamp_len", "expected 0 or more, got %lld",
                           (long long)o->clamp_len);
    return POSENC_OK;
}

static posenc_status open_memories(posenc_xl_call *call, posenc_error *error) {
    const posenc_xl_options *o = &call->options;
    int64_t behind = call->keys > call->queries ? call->keys - call->queries : 0;
    call->memories = (posenc_relative_offsets){.vector = o->memories,
                                               .one = o->memory == POSENC_XL_MEMORY_AUTO ? behind : o->memory};
    return posenc_relative_open_offsets(&call->memories, "memories", call->batch, error);
}

/* Counts that stay within 64 bits together, whatever strides of 0 allow; and the distances there are. */
static posenc_status find_rows(posenc_xl_call *call, posenc_error *error) {
    int64_t all;
    if (!posenc_i64_multiply(call->batch, call->heads, &all) || !posenc_i64_multiply(all, call->queries, &all) ||
        !posenc_i64_multiply(call->batch * call->heads, call->keys, &all) || call->queries >= POSENC_RELATIVE_MOST ||
        call->keys >= POSENC_RELATIVE_MOST)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "q", "expected below 2^60 queries and keys, got more");
    posenc_status status = open_memories(call, error);
    int64_t high = call->keys - 1 - call->memories.lowest;
    if (!call->options.bidirectional && high > 0) high = 0;
    call->low = -(call->memories.highest + call->queries - 1);
    call->rows = call->queries > 0 && call->keys > 0 && high >= call->low ? high - call->low + 1 : 0;
    return status;
}

posenc_status posenc_xl_open(posenc_xl_call *call, const posenc_context *context, const posenc_xl_options *options,
                             posenc_relative_named tensors[7], posenc_error *error) {
    *call = (posenc_xl_call){.work = {.context = context}, .options = defaults};
    int64_t width = -1;
    call->batch = call->heads = call->queries = call->keys = call->d = call->model = -1;
    posenc_relative_tensor *out[] = {&call->q, &call->k, &call->u, &call->v, &call->w, &call->scores};
    const posenc_relative_shape shapes[] = {
        {"(batch, heads, queries, d)", 4, {&call->batch, &call->heads, &call->queries, &call->d}},
        {"(batch, heads, keys, d)", 4, {&call->batch, &call->heads, &call->keys, &call->d}},
        {"(heads, d)", 2, {&call->heads, &call->d}},
        {"(heads, d)", 2, {&call->heads, &call->d}},
        {"(heads d, model)", 2, {&width, &call->model}},
        {"(batch, heads, queries, keys)", 4, {&call->batch, &call->heads, &call->queries, &call->keys}}};
    posenc_status status = posenc_options_read(options, &call->options, sizeof call->options, "options.size", error);
    if (status == POSENC_OK) status = check_options(&call->options, error);
    tensors[5] = (posenc_relative_named){call->options.memories, "memories"};
    for (int i = 0; status == POSENC_OK && i < 6; i++) {
        if (i == 4 && !posenc_i64_multiply(call->heads, call->d, &width)) width = INT64_MAX;
        const posenc_relative_named *t = &tensors[i < 5 ? i : 6];
        status = posenc_relative_open(&call->work, t->tensor, t->name, &shapes[i], false, out[i], error);
    }
    if (status == POSENC_OK && (call->model < 1 || call->model > 1 << 24))
        status =
            posenc_fail(error, POSENC_ERROR_SHAPE, "w", "expected 1..2^24 columns, got %lld", (long long)call->model);
    return status == POSENC_OK ? find_rows(call, error) : status;
}
