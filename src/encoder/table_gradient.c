/* The gradient of a learned table: each row sums up what the tokens that read it got back. Threads share the rows, so
 * no sum crosses them, and the order of a sum is that of the tokens. */
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/threads.h"
#include "encoder/encoder.h"
#include "encoder/token_lists.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

enum { BLOCK = 2048 }; /* channels at a time: their sums stay in the first-level cache */

typedef struct gradient {
    const posenc_encoder *encoder;
    const posenc_kernels *kernels;
    posenc_token_positions positions;
    posenc_stored_rows stored;
    posenc_resized_rows resized;
    posenc_token_lists lists;
    posenc_row_tensor dy, dtable;
    posenc_dropout dropout;
    uint64_t first_element;
    double factor; /* of a whole sum */
    bool accumulate;
    int n_workers;
    char *scratch; /* n_workers times sums and a row of dy */
} gradient;

/* ---- one row ---- */

/* A worker's part: the sums of a block of channels, and a row's part of a strided dy. */
typedef struct block {
    const gradient *g;
    double *sums;
    char *row;
    int64_t column, n;
    posenc_sum_rows next_row; /* the first tokens of the row after this one, which are fetched in time */
} block;

/* Where the channels of a token from a column on stand, contiguous. A strided row is copied: one at a time. */
static const char *channels_at(const block *b, const posenc_token_walk *at, int64_t column) {
    const posenc_row_tensor *dy = &b->g->dy;
    const char *from = posenc_row_at(dy, at->batch, at->token) + at->r * dy->repeat_bytes + column * dy->channel_bytes;
    size_t bytes = posenc_dtype_bytes(dy->dtype);
    if (dy->packed) return from;
    for (int64_t i = 0; i < b->n; i++) memcpy(b->row + (size_t)i * bytes, from + i * dy->channel_bytes, bytes);
    return b->row;
}

/* The next tokens of a walk, as many as are summed up at once. */
static void take_tokens(const block *b, posenc_token_walk *walk, int64_t column, posenc_sum_rows *out) {
    const gradient *g = b->g;
    size_t most = g->dy.packed ? POSENC_SUM_ROWS : 1;
    for (out->rows = 0; out->rows < most && posenc_token_walk_step(walk); out->rows++) {
        uint64_t token = (uint64_t)walk->batch * (uint64_t)g->dy.tokens + (uint64_t)walk->token;
        out->x[out->rows] = channels_at(b, walk, column);
        out->weights[out->rows] = walk->weight;
        uint64_t index = token * (uint64_t)g->dy.repeat + (uint64_t)walk->r;
        out->elements[out->rows] = g->first_element + index * (uint64_t)g->dy.dim + (uint64_t)column;
    }
}

/* The tokens that begin a row, or a part of its columns. */
static posenc_sum_rows first_tokens(const block *b, int64_t row, int64_t column) {
    posenc_sum_rows first = {.rows = 0};
    posenc_token_walk walk = posenc_token_walk_start(&b->g->lists, row);
    if (b->g->dy.packed) take_tokens(b, &walk, column, &first);
    return first;
}

static void sum_tokens(const block *b, int64_t row) {
    const gradient *g = b->g;
    posenc_sum_job job = {.n = (size_t)b->n, .weighted = g->resized.rows > 0, .sums = b->sums, .dropout = g->dropout};
    posenc_token_walk walk = posenc_token_walk_start(&g->lists, row);
    posenc_sum_rows after, none = {.rows = 0};
    int64_t column = b->column + b->n;
    after = column < g->dy.dim ? first_tokens(b, row, column) : b->next_row;
    take_tokens(b, &walk, b->column, &job.rows);
    while (job.rows.rows > 0) {
        posenc_sum_rows next = none;
        if (g->dy.packed) take_tokens(b, &walk, b->column, &next);
        job.next = next.rows > 0 ? &next : &after;
        g->kernels->sum[g->dy.dtype](&job);
        if (!g->dy.packed) take_tokens(b, &walk, b->column, &next); /* there is one copy of a row */
        job.rows = next;
    }
}

/* The factor and the old value come last; then the one rounding. */
static void finish_f32(const block *b, char *out, ptrdiff_t step, double factor) {
    for (int64_t i = 0; i < b->n; i++) {
        float value = 0;
        if (b->g->accumulate) memcpy(&value, out + i * step, sizeof value);
        double sum = b->sums[i] * factor;
        value = (float)(b->g->accumulate ? (double)value + sum : sum);
        memcpy(out + i * step, &value, sizeof value);
    }
}

static void finish_f64(const block *b, char *out, ptrdiff_t step, double factor) {
    for (int64_t i = 0; i < b->n; i++) {
        double value = 0, sum = b->sums[i] * factor;
        if (b->g->accumulate) memcpy(&value, out + i * step, sizeof value);
        value = b->g->accumulate ? value + sum : sum;
        memcpy(out + i * step, &value, sizeof value);
    }
}

/* The usual case by itself, which compilers make vectors of. */
static void finish(const block *b, char *out, double factor) {
    const posenc_row_tensor *dtable = &b->g->dtable;
    if (dtable->dtype == POSENC_F64)
        finish_f64(b, out, dtable->channel_bytes, factor);
    else if (dtable->packed && !b->g->accumulate)
        for (int64_t i = 0; i < b->n; i++) ((float *)(void *)out)[i] = (float)(b->sums[i] * factor);
    else
        finish_f32(b, out, dtable->channel_bytes, factor);
}

static bool is_read(const gradient *g, int64_t row) {
    posenc_token_walk walk = posenc_token_walk_start(&g->lists, row);
    return posenc_token_walk_step(&walk);
}

static void make_row(block *b, int64_t row) {
    const gradient *g = b->g;
    if (g->accumulate && !is_read(g, row)) return;
    for (b->column = 0; b->column < g->dy.dim; b->column += BLOCK) {
        b->n = g->dy.dim - b->column < BLOCK ? g->dy.dim - b->column : BLOCK;
        memset(b->sums, 0, (size_t)b->n * sizeof *b->sums);
        sum_tokens(b, row);
        finish(b, posenc_row_at(&g->dtable, 0, row) + b->column * g->dtable.channel_bytes, g->factor);
    }
}

/* ---- the walk ---- */

enum { SCRATCH_BYTES = 2 * BLOCK * sizeof(double) };

static void make_slice(void *argument, int index) {
    const gradient *g = argument;
    char *scratch = g->scratch + (size_t)index * SCRATCH_BYTES;
    block b = {.g = g, .sums = (double *)(void *)scratch, .row = scratch + BLOCK * sizeof(double)};
    int64_t row = posenc_token_lists_share(&g->lists, g->n_workers, index);
    int64_t end = posenc_token_lists_share(&g->lists, g->n_workers, index + 1);
    for (; row < end; row++) {
        b.next_row = (posenc_sum_rows){.rows = 0};
        if (row + 1 < end) b.next_row = first_tokens(&b, row + 1, 0);
        make_row(&b, row);
    }
}

static posenc_status make_rows(gradient *g, posenc_error *error) {
    const posenc_context *context = g->encoder->context;
    double work = (double)g->dy.batch * (double)g->dy.tokens * (double)g->dy.repeat * (double)g->dy.dim *
                  (double)posenc_dtype_bytes(g->dy.dtype);
    g->n_workers = posenc_slices(context, work < (double)(SIZE_MAX / 2) ? (size_t)work : SIZE_MAX / 2);
    size_t bytes = (size_t)g->n_workers * SCRATCH_BYTES;
    g->scratch = posenc_allocate(context, bytes);
    if (!g->scratch) return posenc_fail_memory(error, "scratch", bytes);
    posenc_parallel(context, g->n_workers, make_slice, g);
    posenc_release(context, g->scratch);
    return POSENC_OK;
}

/* ---- the door ---- */

static posenc_status open_dtable(gradient *g, const DLTensor *dy, const DLTensor *dtable, posenc_error *error) {
    const DLTensor *table = &g->encoder->table.tensor;
    posenc_status status = posenc_row_tensor_open(dtable, "dtable", table->shape[1], &g->dtable, error);
    if (status != POSENC_OK) return status;
    char shape[96];
    posenc_shape_text(dtable->ndim, dtable->shape, shape);
    if (dtable->ndim != 2 || g->dtable.tokens != table->shape[0])
        return posenc_fail(error, POSENC_ERROR_SHAPE, "dtable", "expected the shape of the table (%lld, %lld), got %s",
                           (long long)table->shape[0], (long long)table->shape[1], shape);
    if (g->dtable.dtype != g->encoder->options.dtype)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "dtable", "expected the dtype of the table %s, got %s",
                           posenc_dtype_name(g->encoder->options.dtype), posenc_dtype_name(g->dtable.dtype));
    if (posenc_tensors_meet(dy, dtable) || posenc_tensors_meet(table, dtable))
        return posenc_fail(error, POSENC_ERROR_OVERLAP, "dtable", "expected memory apart from %s, got an overlap",
                           posenc_tensors_meet(dy, dtable) ? "dy" : "the encoder's table");
    return posenc_row_tensor_check_output(dtable, "dtable", error);
}

static double factor_of(const posenc_encoder *encoder, const posenc_dropout *dropout) {
    posenc_fpenv saved = posenc_fpenv_enter();
    double factor = posenc_fpenv_hold(dropout->active ? dropout->factor : 1);
    factor = posenc_fpenv_hold(factor * posenc_encoder_gain(encoder));
    posenc_fpenv_leave(saved);
    return factor;
}

/* Which rows the tokens read; refused where there are none. */
static posenc_status find_rows(gradient *g, posenc_error *error) {
    int64_t largest;
    posenc_status status = posenc_stored_rows_check(&g->stored, &g->positions, g->dy.batch, &largest, error);
    if (status != POSENC_OK) return status;
    if (largest >= g->stored.rows && g->stored.outside == POSENC_OUTSIDE_RESIZED)
        status = posenc_resized_rows_open(&g->stored, g->dtable.dtype, g->dy.dim, largest, &g->resized, error);
    if (status != POSENC_OK) return status;
    g->lists = (posenc_token_lists){.context = g->encoder->context,
                                    .positions = &g->positions,
                                    .stored = &g->stored,
                                    .resized = &g->resized,
                                    .batch = g->dy.batch,
                                    .tokens = g->dy.tokens,
                                    .repeat = g->dy.repeat};
    return posenc_token_lists_create(&g->lists, error);
}

static posenc_status run_gradient(gradient *g, posenc_error *error) {
    posenc_status status = find_rows(g, error);
    if (status != POSENC_OK) return status;
    status = make_rows(g, error);
    posenc_token_lists_destroy(&g->lists);
    return status;
}

posenc_status posenc_encoder_backward_table(const posenc_encoder *encoder, const posenc_positions *positions,
                                            const posenc_step *step, const DLTensor *dy, DLTensor *dtable,
                                            int accumulate, posenc_error *error) {
    posenc_step s;
    posenc_status status = posenc_encoder_check_learns(encoder, error);
    if (status == POSENC_OK) status = posenc_encoder_check_door(encoder, dy, "dy", step, &s, error);
    if (status != POSENC_OK) return status;
    gradient g = {.encoder = encoder,
                  .kernels = posenc_kernels_of(posenc_context_isa_index(encoder->context)),
                  .stored = posenc_encoder_stored(encoder),
                  .dropout = posenc_encoder_dropout(encoder, &s, 1),
                  .first_element = s.first_element,
                  .accumulate = accumulate != 0};
    g.factor = factor_of(encoder, &g.dropout);
    posenc_positions given;
    status = posenc_row_tensor_open(dy, "dy", posenc_plan_dim(encoder->plan), &g.dy, error);
    if (status == POSENC_OK) status = open_dtable(&g, dy, dtable, error);
    if (status == POSENC_OK) status = posenc_positions_read(positions, &given, error);
    if (status == POSENC_OK) status = posenc_row_tensor_group(&g.dy, "dy", given.repeat, error);
    if (status != POSENC_OK) return status;
    status = posenc_positions_open(encoder->context, &given, encoder->options.padding_idx, g.dy.batch, g.dy.tokens,
                                   &g.positions, error);
    if (status != POSENC_OK) return status;
    status = posenc_positions_check_apart(&given, dtable, "dtable", error);
    if (status == POSENC_OK) status = run_gradient(&g, error);
    posenc_positions_close(&g.positions);
    return status;
}
