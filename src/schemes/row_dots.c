#include "schemes/row_dots.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

posenc_status posenc_row_dots_create(posenc_row_dots *dots, posenc_error *error) {
    int64_t n;
    size_t bytes;
    if (!posenc_i64_multiply(dots->x.batch, dots->x.tokens, &n) || !posenc_bytes_of(n, sizeof *dots->of_token, &bytes))
        return posenc_fail(error, POSENC_ERROR_SHAPE, "dy", "expected a size that fits into memory, got a larger one");
    dots->of_token = posenc_allocate(dots->context, bytes);
    return dots->of_token ? POSENC_OK : posenc_fail_memory(error, "sums", bytes);
}

void posenc_row_dots_destroy(posenc_row_dots *dots) {
    posenc_release(dots->context, dots->of_token);
    dots->of_token = NULL;
}

/* A token's row r, contiguous. */
static const char *row_at(const posenc_row_tensor *x, int64_t batch, int64_t token, int64_t r, char *room) {
    const char *row = posenc_row_at(x, batch, token) + r * x->repeat_bytes;
    size_t bytes = posenc_dtype_bytes(x->dtype);
    if (x->packed) return row;
    for (int64_t i = 0; i < x->dim; i++) memcpy(room + (size_t)i * bytes, row + i * x->channel_bytes, bytes);
    return room;
}

static double dot_of_token(const posenc_row_dots *d, const char *e, int64_t batch, int64_t token, char *room) {
    uint64_t row = ((uint64_t)batch * (uint64_t)d->x.tokens + (uint64_t)token) * (uint64_t)d->x.repeat;
    posenc_dot_job job = {.n = (size_t)d->x.dim, .e = e, .dropout = d->dropout};
    double sum = 0;
    for (int64_t r = 0; r < d->x.repeat; r++) {
        job.x = row_at(&d->x, batch, token, r, room);
        job.element = d->first_element + (row + (uint64_t)r) * (uint64_t)d->x.dim;
        sum += d->kernels->dot[d->x.dtype](&job);
    }
    return sum;
}

void posenc_row_dots_take(const posenc_row_dots *d, const char *e, ptrdiff_t e_bytes, int64_t batch, int64_t token,
                          int64_t count, char *room) {
    for (int64_t i = 0; i < count; i++)
        d->of_token[batch * d->x.tokens + token + i] = dot_of_token(d, e + i * e_bytes, batch, token + i, room);
}

double posenc_row_dots_sum(const posenc_row_dots *d, const posenc_stored_rows *stored,
                           const posenc_token_positions *positions) {
    double sum = 0;
    for (int64_t b = 0; b < d->x.batch; b++)
        for (int64_t t = 0; t < d->x.tokens;) {
            posenc_stored_run run = posenc_stored_run_at(stored, positions, b, t, d->x.tokens - t);
            for (int64_t i = 0; run.kind != POSENC_STORED_NONE && i < run.count; i++)
                sum += d->of_token[b * d->x.tokens + t + i];
            t += run.count;
        }
    return d->dropout.active ? sum * d->dropout.factor : sum;
}
