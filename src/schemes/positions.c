#include "schemes/positions.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/elements.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/tensor.h"
#include "schemes/axes_points.h"

void posenc_positions_default(posenc_positions *positions, size_t size) {
    posenc_positions all = {.size = size, .repeat = 1};
    posenc_options_write(positions, size, &all, sizeof all);
}

posenc_status posenc_positions_read(const posenc_positions *given, posenc_positions *all, posenc_error *error) {
    posenc_positions_default(all, sizeof *all);
    return posenc_options_read(given, all, sizeof *all, "positions.size", error);
}

/* ---- checking tensors ---- */

/* A tensor of positions: its name and the dtypes it may have, POSENC_DTYPE_COUNT at the end. */
typedef struct expected {
    const char *name, *words;
    posenc_dtype dtypes[5];
} expected;

static const expected expect_ids = {
    "position_ids", "i32, i64 or f64", {POSENC_I32, POSENC_I64, POSENC_F64, POSENC_DTYPE_COUNT, POSENC_DTYPE_COUNT}};
static const expected expect_offsets = {
    "offsets", "i32 or i64", {POSENC_I32, POSENC_I64, POSENC_DTYPE_COUNT, POSENC_DTYPE_COUNT, POSENC_DTYPE_COUNT}};
static const expected expect_lengths = {
    "cu_seqlens", "i32 or i64", {POSENC_I32, POSENC_I64, POSENC_DTYPE_COUNT, POSENC_DTYPE_COUNT, POSENC_DTYPE_COUNT}};
static const expected expect_mask = {
    "mask", "bool, u8, i32 or i64", {POSENC_BOOL, POSENC_U8, POSENC_I32, POSENC_I64, POSENC_DTYPE_COUNT}};

static posenc_status check_tensor(const DLTensor *tensor, const expected *e, posenc_dtype *dtype, posenc_error *error) {
    posenc_status status = posenc_tensor_check(tensor, e->name, dtype, error);
    if (status != POSENC_OK) return status;
    for (int i = 0; e->dtypes[i] != POSENC_DTYPE_COUNT; i++)
        if (e->dtypes[i] == *dtype) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_DTYPE, e->name, "expected %s, got %s", e->words, posenc_dtype_name(*dtype));
}

static posenc_status refuse_shape(const DLTensor *tensor, const char *name, const char *wanted, posenc_error *error) {
    char shape[96];
    posenc_shape_text(tensor->ndim, tensor->shape, shape);
    return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected %s, got %s", wanted, shape);
}

/* (tokens) or (batch, tokens). */
static posenc_status check_token_shape(const DLTensor *tensor, const char *name, int64_t batch, int64_t tokens,
                                       posenc_error *error) {
    bool fits = (tensor->ndim == 1 && tensor->shape[0] == tokens) ||
                (tensor->ndim == 2 && tensor->shape[0] == batch && tensor->shape[1] == tokens);
    if (fits) return POSENC_OK;
    char row[96], all[96], wanted[208] = "";
    posenc_shape_text(1, (int64_t[]){tokens}, row);
    posenc_shape_text(2, (int64_t[]){batch, tokens}, all);
    strcat(strcat(strcat(wanted, row), " or "), all);
    return refuse_shape(tensor, name, wanted, error);
}

static posenc_status check_vector(const DLTensor *tensor, const char *name, int64_t n, posenc_error *error) {
    char wanted[96];
    if (tensor->ndim == 1 && tensor->shape[0] == n) return POSENC_OK;
    posenc_shape_text(1, &n, wanted);
    return refuse_shape(tensor, name, wanted, error);
}

/* ---- opening ---- */

/* First position of a row or sequence; refused where one of its n positions would wrap. */
static posenc_status first_position(const posenc_token_positions *p, int64_t row, int64_t n, int64_t *first,
                                    posenc_error *error) {
    int64_t offset = p->offsets ? posenc_integer_element(p->offset_dtype, p->offsets + row * p->offset_bytes) : 0, last;
    if (posenc_i64_add(p->start, offset, first) && posenc_i64_add(*first, n > 0 ? n - 1 : 0, &last)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_POSITION, "start",
                       "expected positions within 64 bits, got %lld tokens from %lld with offset %lld in row %lld",
                       (long long)n, (long long)p->start, (long long)offset, (long long)row);
}

static posenc_status open_offsets(const DLTensor *offsets, int64_t rows, posenc_token_positions *p,
                                  posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = check_tensor(offsets, &expect_offsets, &dtype, error);
    if (status == POSENC_OK) status = check_vector(offsets, "offsets", rows, error);
    if (status != POSENC_OK) return status;
    p->offsets = posenc_tensor_data(offsets);
    p->offset_dtype = dtype;
    p->offset_bytes = posenc_tensor_step(offsets, 0);
    return POSENC_OK;
}

static posenc_status check_reals(const posenc_token_positions *p, int64_t batch, posenc_error *error) {
    for (int64_t b = 0; b < (p->batch_bytes || batch == 0 ? batch : 1); b++)
        for (int64_t t = 0; t < p->tokens; t++) {
            double value = posenc_real_element(POSENC_F64, p->ids + b * p->batch_bytes + t * p->token_bytes);
            if (!(fabs(value) <= 0x1p53))
                return posenc_fail(error, POSENC_ERROR_POSITION, "position_ids",
                                   "expected finite positions within 2^53, got %g at batch %lld, token %lld", value,
                                   (long long)b, (long long)t);
        }
    return POSENC_OK;
}

static posenc_status open_ids(const DLTensor *ids, int64_t batch, posenc_token_positions *p, posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = check_tensor(ids, &expect_ids, &dtype, error);
    if (status == POSENC_OK) status = check_token_shape(ids, "position_ids", batch, p->tokens, error);
    if (status != POSENC_OK) return status;
    p->ids = posenc_tensor_data(ids);
    p->dtype = dtype;
    p->batch_bytes = ids->ndim == 2 ? posenc_tensor_step(ids, 0) : 0;
    p->token_bytes = posenc_tensor_step(ids, ids->ndim - 1);
    p->shared = ids->ndim == 1;
    p->skips = p->padding_idx >= 0;
    return dtype == POSENC_F64 ? check_reals(p, batch, error) : POSENC_OK;
}

static posenc_status allocate_resolved(posenc_token_positions *p, int64_t rows, posenc_error *error) {
    int64_t n;
    size_t bytes;
    if (!posenc_i64_multiply(rows, p->tokens, &n) || !posenc_bytes_of(n, sizeof *p->resolved, &bytes))
        return posenc_fail(error, POSENC_ERROR_SHAPE, "positions",
                           "expected a size that fits into memory, got a larger one");
    p->resolved = posenc_allocate(p->context, bytes);
    return p->resolved ? POSENC_OK : posenc_fail_memory(error, "positions", bytes);
}

/* Real tokens count from the row's first position on. */
static posenc_status open_mask(const DLTensor *mask, int64_t batch, posenc_token_positions *p, posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = check_tensor(mask, &expect_mask, &dtype, error);
    if (status == POSENC_OK) status = check_token_shape(mask, "mask", batch, p->tokens, error);
    bool one_row = mask->ndim == 1 && !p->offsets;
    int64_t rows = one_row && batch > 0 ? 1 : batch;
    if (status == POSENC_OK) status = allocate_resolved(p, rows, error);
    if (status != POSENC_OK) return status;
    int64_t stride = posenc_tensor_step(mask, mask->ndim - 1);
    int64_t row_stride = mask->ndim == 2 ? posenc_tensor_step(mask, 0) : 0;
    for (int64_t b = 0; b < rows; b++) {
        int64_t next;
        status = first_position(p, b, p->tokens, &next, error);
        if (status == POSENC_OK && next == INT64_MIN) /* it marks padding here */
            status = posenc_fail(error, POSENC_ERROR_POSITION, "start",
                                 "expected a first position above -2^63 beside a mask, got it");
        if (status != POSENC_OK) return status;
        for (int64_t t = 0; t < p->tokens; t++)
            p->resolved[b * p->tokens + t] =
                posenc_integer_element(dtype, posenc_tensor_data(mask) + b * row_stride + t * stride) ? next++
                                                                                                      : INT64_MIN;
    }
    p->shared = one_row;
    p->resolved_row = one_row ? 0 : p->tokens;
    p->skips = true;
    return POSENC_OK;
}

static posenc_status check_lengths(const DLTensor *lengths, int64_t tokens, posenc_error *error) {
    int64_t n = lengths->shape[0], before = 0;
    if (posenc_vector_element(lengths, 0) != 0)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "cu_seqlens", "expected 0 at its start, got %lld",
                           (long long)posenc_vector_element(lengths, 0));
    for (int64_t i = 1; i < n; i++) {
        int64_t here = posenc_vector_element(lengths, i);
        if (here < before)
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, "cu_seqlens",
                               "expected values that never fall, got %lld after %lld at %lld", (long long)here,
                               (long long)before, (long long)i);
        before = here;
    }
    if (before == tokens) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "cu_seqlens", "expected %lld tokens at its end, got %lld",
                       (long long)tokens, (long long)before);
}

/* Each sequence counts anew. */
static posenc_status open_packed(const DLTensor *lengths, const DLTensor *offsets, int64_t batch,
                                 posenc_token_positions *p, posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = check_tensor(lengths, &expect_lengths, &dtype, error);
    if (status != POSENC_OK) return status;
    if (lengths->ndim != 1 || lengths->shape[0] < 1)
        return refuse_shape(lengths, "cu_seqlens", "(sequences + 1,)", error);
    if (batch != 1)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "cu_seqlens", "expected a batch of 1 beside it, got %lld",
                           (long long)batch);
    status = check_lengths(lengths, p->tokens, error);
    if (status == POSENC_OK && offsets) status = open_offsets(offsets, lengths->shape[0] - 1, p, error);
    if (status == POSENC_OK) status = allocate_resolved(p, 1, error);
    for (int64_t s = 0; status == POSENC_OK && s + 1 < lengths->shape[0]; s++) {
        int64_t begin = posenc_vector_element(lengths, s), end = posenc_vector_element(lengths, s + 1), first = 0;
        status = first_position(p, s, end - begin, &first, error);
        for (int64_t t = begin; status == POSENC_OK && t < end; t++) p->resolved[t] = first + (t - begin);
    }
    p->shared = true;
    return status;
}

/* Consecutive positions, each row from its own offset. */
static posenc_status open_consecutive(int64_t batch, posenc_token_positions *p, posenc_error *error) {
    posenc_status status = POSENC_OK;
    int64_t first;
    for (int64_t b = 0; b < (p->offsets ? batch : 1) && status == POSENC_OK; b++)
        status = first_position(p, b, p->tokens, &first, error);
    p->shared = !p->offsets;
    return status;
}

static posenc_status open_form(const posenc_positions *given, int64_t batch, posenc_token_positions *p,
                               posenc_error *error) {
    int forms = (given->ids != NULL) + (given->mask != NULL) + (given->cu_seqlens != NULL);
    if (forms > 1)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "positions",
                           "expected one of ids, mask and cu_seqlens, got %d", forms);
    if (given->ids) return open_ids(given->ids, batch, p, error);
    if (given->cu_seqlens) return open_packed(given->cu_seqlens, given->offsets, batch, p, error);
    posenc_status status = given->offsets ? open_offsets(given->offsets, batch, p, error) : POSENC_OK;
    if (status != POSENC_OK) return status;
    if (!given->mask) return open_consecutive(batch, p, error);
    if (p->padding_idx >= 0 && !posenc_i64_add(p->start, p->padding_idx + 1, &p->start))
        return posenc_fail(error, POSENC_ERROR_POSITION, "start", "expected positions within 64 bits, got start %lld",
                           (long long)p->start);
    return open_mask(given->mask, batch, p, error);
}

posenc_status posenc_positions_open(const posenc_context *context, const posenc_positions *positions,
                                    int64_t padding_idx, int64_t batch, int64_t tokens, posenc_token_positions *out,
                                    posenc_error *error) {
    posenc_token_positions p = {
        .context = context, .tokens = tokens, .start = positions->start, .padding_idx = padding_idx};
    posenc_status status = open_form(positions, batch, &p, error);
    if (status != POSENC_OK) {
        posenc_positions_close(&p);
        return status;
    }
    *out = p;
    return POSENC_OK;
}

void posenc_positions_close(posenc_token_positions *positions) {
    posenc_release(positions->context, positions->resolved);
    positions->resolved = NULL;
}

static posenc_status check_apart(const DLTensor *tensor, const char *tensor_name, const DLTensor *out, const char *name,
                                 posenc_error *error) {
    if (!tensor || !posenc_tensors_meet(tensor, out)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, name, "expected memory apart from %s, got an overlap", tensor_name);
}

posenc_status posenc_positions_check_apart(const posenc_positions *positions, const DLTensor *out, const char *name,
                                           posenc_error *error) {
    posenc_status status = check_apart(positions->ids, "position_ids", out, name, error);
    if (status == POSENC_OK) status = check_apart(positions->offsets, "offsets", out, name, error);
    if (status == POSENC_OK) status = check_apart(positions->mask, "mask", out, name, error);
    return status == POSENC_OK ? check_apart(positions->cu_seqlens, "cu_seqlens", out, name, error) : status;
}

/* ---- reading runs ---- */

/* One token given by an id or worked out before. */
static posenc_position_run one_at(const posenc_token_positions *p, int64_t batch, int64_t token) {
    if (p->axes > 0) return posenc_point_run(p, batch, token);
    posenc_position_run run = {.kind = POSENC_POSITION_WHOLE, .count = 1};
    if (p->resolved) {
        run.whole = p->resolved[batch * p->resolved_row + token];
        if (p->skips && run.whole == INT64_MIN) run.kind = POSENC_POSITION_NONE;
        return run;
    }
    const char *at = p->ids + batch * p->batch_bytes + token * p->token_bytes;
    if (p->dtype == POSENC_F64) {
        run.real = posenc_real_element(POSENC_F64, at);
        if (run.real != floor(run.real)) {
            run.kind = POSENC_POSITION_REAL;
            return run;
        }
        run.whole = (int64_t)run.real;
    } else {
        run.whole = posenc_integer_element(p->dtype, at);
    }
    if (p->padding_idx >= 0 && run.whole == p->padding_idx) run.kind = POSENC_POSITION_NONE;
    return run;
}

static bool follows(const posenc_position_run *run, const posenc_position_run *next) {
    if (run->kind == POSENC_POSITION_REAL || run->kind == POSENC_POSITION_POINT || run->kind != next->kind)
        return false;
    if (run->kind == POSENC_POSITION_NONE) return true;
    return run->whole <= INT64_MAX - run->count && next->whole == run->whole + run->count;
}

posenc_position_run posenc_position_run_at(const posenc_token_positions *p, int64_t batch, int64_t token,
                                           int64_t most) {
    if (!p->ids && !p->resolved) {
        int64_t offset = p->offsets ? posenc_integer_element(p->offset_dtype, p->offsets + batch * p->offset_bytes) : 0;
        return (posenc_position_run){.kind = POSENC_POSITION_WHOLE, .whole = p->start + offset + token, .count = most};
    }
    posenc_position_run run = one_at(p, batch, token);
    for (; run.count < most; run.count++) {
        posenc_position_run next = one_at(p, batch, token + run.count);
        if (!follows(&run, &next)) break;
    }
    return run;
}
