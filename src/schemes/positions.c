#include "schemes/positions.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/tensor.h"

void posenc_positions_default(posenc_positions *positions, size_t size) {
    posenc_positions all = {.size = size};
    memcpy(positions, &all, size < sizeof all ? size : sizeof all);
}

static posenc_status open_start(int64_t start, int64_t tokens, posenc_error *error) {
    int64_t last;
    if (tokens > 0 && !posenc_i64_add(start, tokens - 1, &last))
        return posenc_fail(error, POSENC_ERROR_POSITION, "start", "expected a last position up to 2^63 - 1, got %lld tokens from %lld",
                           (long long)tokens, (long long)start);
    return POSENC_OK;
}

static posenc_status refuse_shape(const DLTensor *ids, int64_t batch, int64_t tokens, posenc_error *error) {
    char shape[96];
    posenc_shape_text(ids->ndim, ids->shape, shape);
    return posenc_fail(error, POSENC_ERROR_SHAPE, "position_ids", "expected (%lld,) or (%lld, %lld), got %s",
                       (long long)tokens, (long long)batch, (long long)tokens, shape);
}

/* Fills in how to read the ids, without looking at their values. */
static posenc_status open_ids(const DLTensor *ids, int64_t batch, int64_t tokens, posenc_token_positions *out,
                              posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = posenc_tensor_check(ids, "position_ids", &dtype, error);
    if (status != POSENC_OK) return status;
    if (dtype != POSENC_I32 && dtype != POSENC_I64 && dtype != POSENC_F64)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "position_ids", "expected i32, i64 or f64, got %s", posenc_dtype_name(dtype));
    bool per_row = ids->ndim == 2;
    if (ids->ndim != 1 && !per_row) return refuse_shape(ids, batch, tokens, error);
    if (ids->shape[ids->ndim - 1] != tokens || (per_row && ids->shape[0] != batch))
        return refuse_shape(ids, batch, tokens, error);
    int64_t bytes = (int64_t)posenc_dtype_bytes(dtype);
    *out = (posenc_token_positions){
        .ids = posenc_tensor_data(ids),
        .dtype = dtype,
        .batch_bytes = per_row ? posenc_tensor_stride(ids, 0) * bytes : 0,
        .token_bytes = posenc_tensor_stride(ids, ids->ndim - 1) * bytes,
        .shared = !per_row || batch == 1,
    };
    return POSENC_OK;
}

static double real_at(const posenc_token_positions *p, int64_t batch, int64_t token) {
    double value;
    memcpy(&value, p->ids + batch * p->batch_bytes + token * p->token_bytes, sizeof value);
    return value;
}

static posenc_status check_reals(const posenc_token_positions *p, int64_t batch, int64_t tokens, posenc_error *error) {
    for (int64_t b = 0; b < (p->batch_bytes ? batch : 1); b++)
        for (int64_t t = 0; t < tokens; t++)
            if (!(fabs(real_at(p, b, t)) <= 0x1p53))
                return posenc_fail(error, POSENC_ERROR_POSITION, "position_ids",
                                   "expected finite positions within 2^53, got %g at batch %lld, token %lld", real_at(p, b, t),
                                   (long long)b, (long long)t);
    return POSENC_OK;
}

posenc_status posenc_positions_open(const posenc_positions *positions, int64_t batch, int64_t tokens,
                                    posenc_token_positions *out, posenc_error *error) {
    posenc_positions all;
    posenc_positions_default(&all, sizeof all);
    if (positions) {
        if (positions->size < sizeof positions->size || positions->size > sizeof all)
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, "positions.size", "expected at most %zu, got %zu", sizeof all,
                               positions->size);
        memcpy(&all, positions, positions->size);
    }
    posenc_token_positions found = {.start = all.start, .shared = true};
    posenc_status status = all.ids ? open_ids(all.ids, batch, tokens, &found, error) : open_start(all.start, tokens, error);
    if (status == POSENC_OK && all.ids && found.dtype == POSENC_F64) status = check_reals(&found, batch, tokens, error);
    if (status == POSENC_OK) *out = found;
    return status;
}

posenc_position posenc_position_at(const posenc_token_positions *p, int64_t batch, int64_t token) {
    if (!p->ids) return (posenc_position){.whole = p->start + token};
    if (p->dtype == POSENC_F64) {
        double value = real_at(p, batch, token);
        if (value != floor(value)) return (posenc_position){.is_real = true, .value = value};
        return (posenc_position){.whole = (int64_t)value};
    }
    const char *at = p->ids + batch * p->batch_bytes + token * p->token_bytes;
    int32_t narrow;
    int64_t wide;
    if (p->dtype == POSENC_I64) {
        memcpy(&wide, at, sizeof wide);
        return (posenc_position){.whole = wide};
    }
    memcpy(&narrow, at, sizeof narrow);
    return (posenc_position){.whole = narrow};
}

int64_t posenc_position_run(const posenc_token_positions *p, int64_t batch, int64_t token, int64_t most) {
    if (!p->ids) return most;
    posenc_position last = posenc_position_at(p, batch, token);
    int64_t n = 1;
    for (; !last.is_real && n < most; n++) {
        posenc_position next = posenc_position_at(p, batch, token + n);
        if (next.is_real || last.whole == INT64_MAX || next.whole != last.whole + 1) break;
        last = next;
    }
    return n;
}
