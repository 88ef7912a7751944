/* The door of calls about score biases: plan, extent, options, and where queries and keys stand. */
#include <math.h>

#include "base/elements.h"
#include "base/error.h"
#include "base/options.h"
#include "schemes/bias_call.h"
#include "schemes/positions.h"

/* Positions and distances of so many bits never wrap. */
static const int64_t most_tokens = INT64_C(1) << 60;

void posenc_bias_extent_default(posenc_bias_extent *extent, size_t size) {
    posenc_bias_extent all = {.size = size,
                              .queries = -1,
                              .keys = -1,
                              .offset = POSENC_BIAS_OFFSET_AUTO,
                              .n_queries = -1,
                              .n_keys = -1,
                              .n_heads = -1};
    posenc_options_write(extent, size, &all, sizeof all);
}

void posenc_bias_options_default(posenc_bias_options *options, size_t size) {
    posenc_bias_options all = {.size = size, .scale = 1};
    posenc_options_write(options, size, &all, sizeof all);
}

/* ---- plan and extent ---- */

static posenc_status check_plan(const posenc_plan *plan, bool index, posenc_error *error) {
    if (!plan) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "plan", "expected a plan, got NULL");
    const char *name = plan->scheme->info.name;
    if (!plan->bias)
        return posenc_fail(error, POSENC_ERROR_UNSUPPORTED, "plan",
                           "expected a scheme that biases scores, got %s, which %s", name,
                           posenc_effect_name(plan->scheme->info.effect));
    if (index && plan->bias->source == POSENC_BIAS_SLOPES)
        return posenc_fail(error, POSENC_ERROR_UNSUPPORTED, "plan", "expected a scheme with buckets, got %s", name);
    if (!index && plan->bias->source == POSENC_BIAS_SIGNED)
        return posenc_fail(error, POSENC_ERROR_UNSUPPORTED, "plan",
                           "expected a scheme with a bias, got %s, which has buckets only; posenc_bias_index is for it",
                           name);
    return POSENC_OK;
}

/* Completes first and n of a block of all. */
static posenc_status open_block(int64_t all, int64_t *first, int64_t *n, const char *name, const char *first_name,
                                const char *n_name, posenc_error *error) {
    if (all < 0 || all > most_tokens)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected 0..2^60, got %lld", (long long)all);
    if (*first < 0 || *first > all)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, first_name, "expected 0..%lld, got %lld", (long long)all,
                           (long long)*first);
    if (*n < -1 || *n > all - *first)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, n_name, "expected -1, or 0..%lld from %lld on, got %lld",
                           (long long)(all - *first), (long long)*first, (long long)*n);
    if (*n == -1) *n = all - *first;
    return POSENC_OK;
}

static posenc_status check_offset(int64_t offset, const char *name, posenc_error *error) {
    if (offset >= -most_tokens && offset <= most_tokens) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_POSITION, name, "expected -2^60..2^60, got %lld", (long long)offset);
}

/* A window has its own number of tokens and no offset. */
static posenc_status check_window(const posenc_bias *bias, const posenc_bias_extent *e, posenc_error *error) {
    long long tokens = (long long)posenc_bias_tokens(bias);
    bool queries = e->queries != tokens;
    if (queries || e->keys != tokens)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, queries ? "queries" : "keys",
                           "expected %lld, the tokens of a window of %lld x %lld, got %lld", tokens,
                           (long long)bias->window[0], (long long)bias->window[1],
                           (long long)(queries ? e->queries : e->keys));
    if (e->offset == 0) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "offset", "expected 0 for a window, got %lld",
                       (long long)e->offset);
}

posenc_status posenc_bias_open(posenc_bias_call *call, const posenc_plan *plan, const posenc_bias_extent *extent,
                               bool index, posenc_error *error) {
    *call = (posenc_bias_call){.plan = plan, .scale = 1};
    posenc_bias_extent *e = &call->extent;
    posenc_bias_extent_default(e, sizeof *e);
    posenc_bias_options_default(&call->options, sizeof call->options);
    posenc_status status = check_plan(plan, index, error);
    if (status == POSENC_OK && !extent)
        status = posenc_fail(error, POSENC_ERROR_ARGUMENT, "extent", "expected a pointer, got NULL");
    if (status == POSENC_OK) status = posenc_options_read(extent, e, sizeof *e, "extent.size", error);
    if (status != POSENC_OK) return status;
    call->bias = plan->bias;
    status = open_block(e->queries, &e->first_query, &e->n_queries, "queries", "first_query", "n_queries", error);
    if (status == POSENC_OK)
        status = open_block(e->keys, &e->first_key, &e->n_keys, "keys", "first_key", "n_keys", error);
    if (status == POSENC_OK && call->bias->source != POSENC_BIAS_SIGNED)
        status = open_block(call->bias->heads, &e->first_head, &e->n_heads, "heads", "first_head", "n_heads", error);
    if (status != POSENC_OK) return status;
    if (e->offset == POSENC_BIAS_OFFSET_AUTO) e->offset = call->bias->causal ? e->keys - e->queries : 0;
    if (call->bias->source == POSENC_BIAS_WINDOW) return check_window(call->bias, e, error);
    return check_offset(e->offset, "offset", error);
}

/* ---- options ---- */

/* What positions of tokens are asked too: dtype, shape, device, lengths that never fall. */
static posenc_status check_vectors(const posenc_bias_call *call, posenc_error *error) {
    posenc_positions positions;
    posenc_token_positions opened;
    posenc_positions_default(&positions, sizeof positions);
    positions.offsets = call->options.offsets;
    positions.cu_seqlens = call->options.cu_seqlens;
    posenc_status status = posenc_positions_open(call->plan->context, &positions, -1, call->scores.batch,
                                                 call->extent.queries, &opened, error);
    if (status == POSENC_OK) posenc_positions_close(&opened);
    for (int64_t b = 0; status == POSENC_OK && positions.offsets && b < call->scores.batch; b++)
        status = check_offset(posenc_vector_element(positions.offsets, b), "offsets", error);
    return status;
}

static posenc_status check_forms(const posenc_bias_call *call, posenc_error *error) {
    const posenc_bias_options *o = &call->options;
    if (o->offsets && o->cu_seqlens)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "offsets", "expected one of offsets and cu_seqlens, got both");
    if (call->bias->source == POSENC_BIAS_WINDOW && (o->causal || o->offsets || o->cu_seqlens))
        return posenc_fail(error, POSENC_ERROR_UNSUPPORTED,
                           o->causal    ? "causal"
                           : o->offsets ? "offsets"
                                        : "cu_seqlens",
                           "expected none beside the tokens of a window, which have no order, got one");
    if (o->cu_seqlens && call->extent.queries != call->extent.keys)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "keys",
                           "expected the %lld of queries beside cu_seqlens, got "
                           "%lld",
                           (long long)call->extent.queries, (long long)call->extent.keys);
    return POSENC_OK;
}

posenc_status posenc_bias_open_options(posenc_bias_call *call, const posenc_bias_options *options,
                                       posenc_error *error) {
    posenc_bias_options *o = &call->options;
    posenc_status status = posenc_options_read(options, o, sizeof *o, "options.size", error);
    if (status == POSENC_OK && !isfinite(o->scale))
        status = posenc_fail(error, POSENC_ERROR_ARGUMENT, "scale", "expected a finite number, got %g", o->scale);
    if (status == POSENC_OK) status = check_forms(call, error);
    if (status == POSENC_OK && (o->offsets || o->cu_seqlens)) status = check_vectors(call, error);
    call->scale = o->scale;
    return status;
}

/* ---- places ---- */

int64_t posenc_bias_offset_of(const posenc_bias_call *call, int64_t batch) {
    return call->options.offsets ? posenc_vector_element(call->options.offsets, batch) : call->extent.offset;
}

/* The last sequence that begins at or before the query and is not empty. */
void posenc_bias_sequence_at(const posenc_bias_call *call, int64_t query, int64_t *begin, int64_t *end) {
    const DLTensor *lengths = call->options.cu_seqlens;
    *begin = 0;
    *end = INT64_MAX;
    if (!lengths) return;
    int64_t low = 0, high = lengths->shape[0] - 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (posenc_vector_element(lengths, middle) <= query)
            low = middle;
        else
            high = middle;
    }
    *begin = posenc_vector_element(lengths, low);
    *end = posenc_vector_element(lengths, high);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

posenc_bias_part posenc_bias_part_at(const posenc_bias_call *call, int64_t batch, int64_t head, int64_t query,
                                     int64_t n_queries, int64_t first_key, int64_t end_key) {
    const posenc_bias_extent *e = &call->extent;
    int64_t begin, end, token = e->first_query + query;
    posenc_bias_sequence_at(call, token, &begin, &end);
    posenc_bias_part part = {
        .batch = batch, .head = head, .first_query = query, .n_queries = least(n_queries, end - token)};
    part.first_key = least(most(first_key, begin - e->first_key), end_key);
    part.end_key = most(least(end_key, end - e->first_key), part.first_key);
    int64_t key = e->first_key + part.first_key, position = posenc_bias_offset_of(call, batch) + token;
    bool alike = call->bias->source == POSENC_BIAS_SLOPES && call->bias->form == POSENC_BIAS_KEY;
    part.key_step = alike ? 0 : 1;
    part.distance = alike ? key - begin : key - position;
    part.behind = call->options.causal ? position - key + 1 : INT64_MAX / 2;
    return part;
}
