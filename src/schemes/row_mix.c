/* Weighted sums of rows, a block of channels at a time. Where all rows of a mixture hold one value the result is that
 * value, not a sum: weights are rounded, and in f64 what they miss of 1 would show. */
#include "schemes/row_mix.h"

#include <string.h>

#include "base/elements.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

enum { BLOCK = 256 }; /* channels at a time: the doubles of a block stay in the first-level cache */

/* ---- elements: n of them, step bytes apart; a loop of its own for each dtype, so that none asks at every element ---- */

static inline void load_as(posenc_dtype dtype, const char *in, ptrdiff_t step, int64_t n, double *out) {
    for (int64_t i = 0; i < n; i++) out[i] = posenc_real_element(dtype, in + i * step);
}

static inline void store_as(posenc_dtype dtype, const double *in, int64_t n, char *out, ptrdiff_t step) {
    for (int64_t i = 0; i < n; i++) posenc_put_real_element(dtype, in[i], out + i * step);
}

static void load(posenc_dtype dtype, const char *in, ptrdiff_t step, int64_t n, double *out) {
    if (dtype == POSENC_F64) load_as(POSENC_F64, in, step, n, out);
    if (dtype == POSENC_F32) load_as(POSENC_F32, in, step, n, out);
    if (dtype == POSENC_F16) load_as(POSENC_F16, in, step, n, out);
    if (dtype == POSENC_BF16) load_as(POSENC_BF16, in, step, n, out);
}

static void store(posenc_dtype dtype, const double *in, int64_t n, char *out, ptrdiff_t step) {
    if (dtype == POSENC_F64) store_as(POSENC_F64, in, n, out, step);
    if (dtype == POSENC_F32) store_as(POSENC_F32, in, n, out, step);
    if (dtype == POSENC_F16) store_as(POSENC_F16, in, n, out, step);
    if (dtype == POSENC_BF16) store_as(POSENC_BF16, in, n, out, step);
}

/* ---- one block of channels ---- */

typedef struct block {
    const posenc_mixture *mixture;
    int64_t column, n;
} block;

/* Loads the block's channels of the old row at two taps. */
static void load_row(const block *b, int64_t v, int64_t h, double *out) {
    const posenc_mixture *m = b->mixture;
    int64_t row = m->first_row + (m->vertical.first + v) * m->width + m->horizontal.first + h;
    const char *element = posenc_row_at(m->old, 0, row) + b->column * m->old->channel_bytes;
    load(m->old->dtype, element, m->old->channel_bytes, b->n, out);
}

typedef struct sums {
    double sum[BLOCK];
    double value[BLOCK]; /* of the heaviest row */
    double agree[BLOCK]; /* 1 while no other value was met, then 0 */
} sums;

static void add_row(const block *b, int64_t v, int64_t h, sums *s) {
    double row[BLOCK], weight = b->mixture->vertical.weights[v] * b->mixture->horizontal.weights[h];
    if (weight == 0) return;
    load_row(b, v, h, row);
    for (int64_t i = 0; i < b->n; i++) {
        s->sum[i] += weight * row[i];
        s->agree[i] = row[i] == s->value[i] ? s->agree[i] : 0;
    }
}

/* Leaves the result in s->sum. */
static void mix_block(const block *b, sums *s) {
    const posenc_mixture *m = b->mixture;
    load_row(b, m->vertical.heaviest, m->horizontal.heaviest, s->value);
    for (int64_t i = 0; i < b->n; i++) s->sum[i] = 0, s->agree[i] = 1;
    for (int64_t v = 0; v < m->vertical.count; v++)
        for (int64_t h = 0; h < m->horizontal.count; h++) add_row(b, v, h, s);
    for (int64_t i = 0; i < b->n; i++) s->sum[i] = s->agree[i] != 0 ? s->value[i] : s->sum[i];
}

void posenc_row_mix(const posenc_mixture *mixture, const posenc_row_tensor *out, int64_t row) {
    sums s;
    char *element = posenc_row_at(out, 0, row);
    for (int64_t column = 0; column < out->dim; column += BLOCK) {
        int64_t n = out->dim - column < BLOCK ? out->dim - column : BLOCK;
        mix_block(&(block){mixture, column, n}, &s);
        store(out->dtype, s.sum, n, element + column * out->channel_bytes, out->channel_bytes);
    }
}

void posenc_row_copy(const posenc_row_tensor *in, int64_t in_row, const posenc_row_tensor *out, int64_t out_row) {
    size_t bytes = posenc_dtype_bytes(in->dtype);
    const char *from = posenc_row_at(in, 0, in_row);
    char *to = posenc_row_at(out, 0, out_row);
    if (in->packed && out->packed) {
        memcpy(to, from, (size_t)in->dim * bytes);
        return;
    }
    for (int64_t i = 0; i < in->dim; i++) memcpy(to + i * out->channel_bytes, from + i * in->channel_bytes, bytes);
}
