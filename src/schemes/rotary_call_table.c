/* posenc_rotary_cos_sin: the factors of a rotation as tables of cosines and sines, in the shapes that frameworks hold.
 */
#include <string.h>

#include "base/checked.h"
#include "base/context.h"
#include "base/error.h"
#include "base/half.h"
#include "base/memory.h"
#include "base/threads.h"
#include "schemes/rotary_call_rows.h"
#include "schemes/row_tensor.h"

/* Rows made at a time by each thread. */
enum { ROWS = 16 };

typedef struct table_worker {
    posenc_rotary_maker maker;
    double *wide;   /* ROWS rows as they are made; then one with its amplitude */
    float *narrow;  /* one plane, on its way to 16 bits */
    char *elements; /* one plane in the dtype */
} table_worker;

typedef struct table_call {
    posenc_rotary_source source;
    posenc_rotary_table_form form;
    posenc_row_tensor cosines, sines; /* data NULL where it is not wanted */
    const posenc_row_tensor *shape;   /* either */
    int n_workers;
} table_call;

/* ---- workers ---- */

static posenc_status create_worker(const void *call, void *made, posenc_error *error) {
    const table_call *c = call;
    table_worker *w = made;
    size_t plane = posenc_padded_pairs(c->source.rotary->pairs);
    size_t bytes = plane * (2 * (ROWS + 1) * sizeof(double) + sizeof(float) + sizeof(double));
    w->wide = posenc_allocate(c->source.plan->context, bytes);
    if (!w->wide) return posenc_fail_memory(error, "scratch", bytes);
    memset(w->wide, 0, bytes);
    w->elements = (char *)(w->wide + 2 * (ROWS + 1) * plane);
    w->narrow = (float *)(void *)(w->elements + plane * sizeof(double));
    posenc_status status = posenc_rotary_maker_create(&w->maker, &c->source, error);
    if (status != POSENC_OK) posenc_release(c->source.plan->context, w->wide);
    return status;
}

static void destroy_worker(const void *call, void *made) {
    table_worker *w = made;
    posenc_rotary_maker_destroy(&w->maker);
    posenc_release(((const table_call *)call)->source.plan->context, w->wide);
}

/* ---- rows ---- */

/* A plane of doubles, each rounded once. */
static void round_plane(const table_call *c, table_worker *w, const double *values) {
    size_t n = c->source.rotary->pairs;
    posenc_dtype dtype = c->shape->dtype;
    if (dtype == POSENC_F64) {
        memcpy(w->elements, values, n * sizeof *values);
        return;
    }
    for (size_t i = 0; i < n; i++)
        w->narrow[i] = dtype == POSENC_F32 ? (float)values[i] : posenc_f32_odd_of_f64(values[i]);
    w->maker.kernels->narrow[dtype](w->narrow, w->elements, n);
}

static void put(const posenc_row_tensor *t, int64_t batch, int64_t token, int64_t column, const char *element) {
    memcpy(posenc_row_at(t, batch, token) + column * t->channel_bytes, element, posenc_dtype_bytes(t->dtype));
}

static void put_row(const table_call *c, table_worker *w, const posenc_row_tensor *t, const double *values,
                    int64_t batch, int64_t token) {
    int64_t n = (int64_t)c->source.rotary->pairs, step = c->form == POSENC_ROTARY_TABLE_INTERLEAVED ? 2 : 1;
    int64_t again = c->form == POSENC_ROTARY_TABLE_HALVES ? n : 1;
    size_t bytes = posenc_dtype_bytes(t->dtype);
    if (!t->data) return;
    round_plane(c, w, values);
    for (int64_t i = 0; i < n; i++) {
        put(t, batch, token, i * step, w->elements + (size_t)i * bytes);
        if (c->form != POSENC_ROTARY_TABLE_PAIRS)
            put(t, batch, token, i * step + again, w->elements + (size_t)i * bytes);
    }
}

/* Padding has no amplitude: its cosine is 1. */
static void put_token(const table_call *c, table_worker *w, int64_t batch, int64_t token, const double *row) {
    int64_t shared;
    double amplitude = posenc_rotary_spectrum_of(&c->source.spectra, batch, token, 1, &shared)->amplitude;
    if (posenc_rotary_is_padding(&c->source, batch, token, 1, &shared)) amplitude = 1;
    double *done = w->wide + ROWS * 2 * w->maker.plane;
    posenc_rotary_row_finish(&w->maker, row, &(posenc_rotary_factor){amplitude, false, NULL}, POSENC_F64, (char *)done);
    put_row(c, w, &c->sines, done, batch, token);
    put_row(c, w, &c->cosines, done + w->maker.plane, batch, token);
}

static void put_slice(const void *call, void *own, int index) {
    const table_call *c = call;
    table_worker *w = own;
    int64_t tokens = c->shape->tokens, total = c->shape->batch * tokens;
    int64_t at = posenc_i64_share(index, total, c->n_workers), end = posenc_i64_share(index + 1, total, c->n_workers);
    while (at < end) {
        int64_t batch = at / tokens, token = at % tokens, count = tokens - token;
        if (count > end - at) count = end - at;
        if (count > ROWS) count = ROWS;
        posenc_rotary_rows_write(&w->maker, POSENC_F64, batch, token, count, (char *)w->wide);
        for (int64_t t = 0; t < count; t++) put_token(c, w, batch, token + t, w->wide + (size_t)t * 2 * w->maker.plane);
        at += count;
    }
}

static posenc_status run_slices(table_call *c, posenc_error *error) {
    static const posenc_worker_kind kind = {sizeof(table_worker), create_worker, destroy_worker};
    const posenc_context *context = c->source.plan->context;
    size_t tokens = (size_t)(c->shape->batch * c->shape->tokens);
    c->n_workers = posenc_slices(context, tokens * c->source.rotary->pairs * 16);
    return posenc_parallel_workers(context, c->n_workers, &kind, put_slice, c, error);
}

/* ---- the door ---- */

static posenc_status open_table(const DLTensor *tensor, const char *name, int64_t width, posenc_row_tensor *out,
                                posenc_error *error) {
    if (!tensor) return POSENC_OK;
    posenc_status status = posenc_row_tensor_open(tensor, name, width, out, error);
    return status == POSENC_OK ? posenc_row_tensor_check_output(tensor, name, error) : status;
}

static posenc_status check_together(const DLTensor *cosines, const DLTensor *sines, const table_call *c,
                                    posenc_error *error) {
    char want[96], got[96];
    if (!cosines || !sines) return POSENC_OK;
    posenc_shape_text(cosines->ndim, cosines->shape, want);
    posenc_shape_text(sines->ndim, sines->shape, got);
    if (cosines->ndim != sines->ndim || c->cosines.batch != c->sines.batch || c->cosines.tokens != c->sines.tokens)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "sines", "expected the shape of cosines %s, got %s", want, got);
    if (c->cosines.dtype != c->sines.dtype)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "sines", "expected the dtype of cosines %s, got %s",
                           posenc_dtype_name(c->cosines.dtype), posenc_dtype_name(c->sines.dtype));
    if (posenc_tensors_meet(cosines, sines))
        return posenc_fail(error, POSENC_ERROR_OVERLAP, "sines", "expected memory apart from cosines, got an overlap");
    return POSENC_OK;
}

static posenc_status open_tables(const posenc_rotary *rotary, const DLTensor *cosines, const DLTensor *sines,
                                 table_call *c, posenc_error *error) {
    int64_t pairs = (int64_t)rotary->pairs, width = c->form == POSENC_ROTARY_TABLE_PAIRS ? pairs : 2 * pairs;
    if ((int)c->form < POSENC_ROTARY_TABLE_PAIRS || (int)c->form > POSENC_ROTARY_TABLE_INTERLEAVED)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "form", "expected 0..2, got %d", (int)c->form);
    if (!cosines && !sines)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "cosines", "expected cosines or sines, got neither");
    posenc_status status = open_table(cosines, "cosines", width, &c->cosines, error);
    if (status == POSENC_OK) status = open_table(sines, "sines", width, &c->sines, error);
    c->shape = cosines ? &c->cosines : &c->sines;
    return status == POSENC_OK ? check_together(cosines, sines, c, error) : status;
}

static posenc_status check_ids_apart(const posenc_positions *positions, const DLTensor *lengths, const DLTensor *table,
                                     const char *name, posenc_error *error) {
    return table ? posenc_rotary_source_check_apart(positions, lengths, table, name, error) : POSENC_OK;
}

posenc_status posenc_rotary_cos_sin(const posenc_plan *plan, const posenc_positions *positions, const DLTensor *lengths,
                                    posenc_rotary_table_form form, DLTensor *cosines, DLTensor *sines,
                                    posenc_error *error) {
    table_call c = {.form = form};
    posenc_status status = posenc_rotary_must(plan, "plan", error);
    if (status == POSENC_OK) status = open_tables(plan->rotary, cosines, sines, &c, error);
    if (status == POSENC_OK) status = check_ids_apart(positions, lengths, cosines, "cosines", error);
    if (status == POSENC_OK) status = check_ids_apart(positions, lengths, sines, "sines", error);
    if (status == POSENC_OK)
        status = posenc_rotary_source_open(plan, positions, lengths, c.shape->batch, c.shape->tokens, &c.source, error);
    if (status != POSENC_OK) return status;
    if (c.shape->batch > 0 && c.shape->tokens > 0) status = run_slices(&c, error);
    posenc_rotary_source_close(&c.source);
    return status;
}
