/* Clipped relative positions (Shaw, Uszkoreit, Vaswani 2018, Self-Attention with Relative Position Representations,
 * section 3):
 *     scores  S_ij = scale q_i . A[clip(j - i, -K, K) + K]        (their equation 4, the term of a^K)
 *     values  o_i  = sum over j of attention_ij A[clip(j - i) + K] (their equation 3, the term of a^V)
 * The door of each call, and the explicit tensor. */
#include "schemes/shaw.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/threads.h"

static const posenc_shaw_options defaults = {.size = sizeof defaults, .clip = -1, .scale = 1};

void posenc_shaw_default(posenc_shaw_options *options, size_t size) {
    posenc_options_write(options, size, &defaults, sizeof defaults);
}

/* ---- the door ---- */

static posenc_status check_options(const posenc_shaw_options *o, posenc_error *error) {
    if (o->clip < 0 || o->clip >= POSENC_RELATIVE_MOST)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "clip", "expected 0..2^60 - 1, got %lld", (long long)o->clip);
    if (o->direction != POSENC_DIRECTION_KEY_MINUS_QUERY && o->direction != POSENC_DIRECTION_QUERY_MINUS_KEY)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "direction", "expected 0 or 1, got %d", (int)o->direction);
    if (!isfinite(o->scale))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "scale", "expected a finite number, got %g", o->scale);
    if (o->offset < -POSENC_RELATIVE_MOST || o->offset > POSENC_RELATIVE_MOST)
        return posenc_fail(error, POSENC_ERROR_POSITION, "offset", "expected -2^60..2^60, got %lld",
                           (long long)o->offset);
    return POSENC_OK;
}

static posenc_status open_options(posenc_shaw_call *call, const posenc_context *context,
                                  const posenc_shaw_options *options, posenc_error *error) {
    *call = (posenc_shaw_call){.work = {.context = context}, .options = defaults};
    call->batch = call->heads = call->queries = call->keys = call->d = -1;
    posenc_status status = posenc_options_need(options, &call->options, sizeof call->options, error);
    if (status == POSENC_OK) status = check_options(&call->options, error);
    if (status != POSENC_OK) return status;
    call->rows = 2 * call->options.clip + 1;
    call->scale = call->options.scale;
    return POSENC_OK;
}

/* Products add up their terms in runs of so many, from the first on. Rows that are left out in front are whole runs, so
 * that the bits do not depend on how many they are. */
enum { RUN = 256 };

/* Queries that are worked on together, unless each has so many products that a thread's would outgrow 2 MiB. */
enum { MOST_QUERIES = 192, PRODUCT_BYTES = 2 << 20 };

/* The rows of the table that some distance reaches, at least one; and how many queries they go with. */
static void find_rows(posenc_shaw_call *call) {
    bool some = call->queries > 0 && call->keys > 0;
    int64_t low = some ? -(call->offsets.highest + call->queries - 1) : 0;
    int64_t high = some ? call->keys - 1 - call->offsets.lowest : 0;
    call->first = posenc_shaw_row(call, low) / RUN * RUN;
    int64_t end = posenc_shaw_row(call, high) + 1;
    call->n = end > call->first ? end - call->first : 1;
    int64_t fit = PRODUCT_BYTES / (int64_t)call->work.loops->bytes / call->n;
    call->block = posenc_relative_clip(fit / POSENC_PANEL * POSENC_PANEL, POSENC_PANEL, MOST_QUERIES);
}

/* Counts that stay within 64 bits together, whatever strides of 0 allow. */
static posenc_status close_door(posenc_shaw_call *call, posenc_error *error) {
    int64_t all;
    if (!posenc_i64_multiply(call->batch, call->heads, &all) || !posenc_i64_multiply(all, call->queries, &all) ||
        call->queries >= POSENC_RELATIVE_MOST || call->keys >= POSENC_RELATIVE_MOST)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "scores", "expected below 2^60 queries and keys, got more");
    call->offsets = (posenc_relative_offsets){.vector = call->options.offsets, .one = call->options.offset};
    posenc_status status = posenc_relative_open_offsets(&call->offsets, "offsets", call->batch, error);
    if (status == POSENC_OK) find_rows(call);
    return status;
}

static posenc_relative_shape vectors_shape(posenc_shaw_call *call) {
    return (posenc_relative_shape){
        "(batch, heads, queries, d)", 4, {&call->batch, &call->heads, &call->queries, &call->d}};
}

static posenc_relative_shape scores_shape(posenc_shaw_call *call) {
    return (posenc_relative_shape){
        "(batch, heads, queries, keys)", 4, {&call->batch, &call->heads, &call->queries, &call->keys}};
}

static posenc_relative_shape table_shape(posenc_shaw_call *call) {
    return (posenc_relative_shape){"(2 clip + 1, d)", 2, {&call->rows, &call->d}};
}

static posenc_status open_vectors(posenc_shaw_call *call, const DLTensor *t, const char *name,
                                  posenc_relative_tensor *out, posenc_error *error) {
    posenc_relative_shape shape = vectors_shape(call);
    return posenc_relative_open(&call->work, t, name, &shape, false, out, error);
}

static posenc_status open_scores(posenc_shaw_call *call, const DLTensor *t, const char *name, posenc_error *error) {
    posenc_relative_shape shape = scores_shape(call);
    return posenc_relative_open(&call->work, t, name, &shape, false, &call->scores, error);
}

static posenc_status open_table(posenc_shaw_call *call, const DLTensor *t, posenc_error *error) {
    posenc_relative_shape shape = table_shape(call);
    return posenc_relative_open(&call->work, t, "table", &shape, false, &call->table, error);
}

static posenc_status open_gradient(posenc_shaw_call *call, const DLTensor *t, posenc_error *error) {
    if (!t) return POSENC_OK;
    posenc_relative_shape shape = table_shape(call);
    return posenc_relative_open(&call->work, t, "dtable", &shape, true, &call->table_gradient, error);
}

static posenc_status spread(const posenc_shaw_call *call, posenc_error *error) {
    posenc_shaw_spread pass;
    posenc_status status = posenc_shaw_spread_ready(&pass, call, error);
    if (status == POSENC_OK) posenc_shaw_spread_run(&pass);
    return status;
}

static posenc_status gather(const posenc_shaw_call *call, posenc_error *error) {
    posenc_shaw_gather pass;
    posenc_status status = posenc_shaw_gather_ready(&pass, call, error);
    if (status == POSENC_OK) posenc_shaw_gather_run(&pass);
    return status;
}

/* ---- scores ---- */

posenc_status posenc_shaw_scores(const posenc_context *context, const posenc_shaw_options *options, const DLTensor *q,
                                 const DLTensor *table, DLTensor *scores, posenc_error *error) {
    posenc_shaw_call call;
    posenc_status status = open_options(&call, context, options, error);
    if (status == POSENC_OK) status = open_vectors(&call, q, "q", &call.vectors, error);
    if (status == POSENC_OK) status = open_table(&call, table, error);
    if (status == POSENC_OK) status = open_scores(&call, scores, "scores", error);
    if (status == POSENC_OK) status = close_door(&call, error);
    const posenc_relative_named inputs[] = {{q, "q"}, {table, "table"}, {call.options.offsets, "offsets"}};
    if (status == POSENC_OK) status = posenc_relative_check_output(scores, "scores", inputs, 3, error);
    return status == POSENC_OK ? spread(&call, error) : status;
}

posenc_status posenc_shaw_scores_backward(const posenc_context *context, const posenc_shaw_options *options,
                                          const DLTensor *q, const DLTensor *table, const DLTensor *dscores,
                                          DLTensor *dq, DLTensor *dtable, posenc_error *error) {
    posenc_shaw_call call;
    posenc_status status = open_options(&call, context, options, error);
    if (status == POSENC_OK) status = open_vectors(&call, q, "q", &call.vectors, error);
    if (status == POSENC_OK) status = open_table(&call, table, error);
    if (status == POSENC_OK) status = open_scores(&call, dscores, "dscores", error);
    if (status == POSENC_OK && dq) status = open_vectors(&call, dq, "dq", &call.out_vectors, error);
    if (status == POSENC_OK) status = open_gradient(&call, dtable, error);
    if (status == POSENC_OK) status = close_door(&call, error);
    const posenc_relative_named others[] = {
        {q, "q"}, {table, "table"}, {dscores, "dscores"}, {call.options.offsets, "offsets"}, {dq, "dq"}};
    if (status == POSENC_OK) status = posenc_relative_check_output(dq, "dq", others, 4, error);
    if (status == POSENC_OK) status = posenc_relative_check_output(dtable, "dtable", others, 5, error);
    return status == POSENC_OK ? gather(&call, error) : status;
}

/* ---- values ---- */

posenc_status posenc_shaw_values(const posenc_context *context, const posenc_shaw_options *options,
                                 const DLTensor *attention, const DLTensor *table, DLTensor *out, posenc_error *error) {
    posenc_shaw_call call;
    posenc_status status = open_options(&call, context, options, error);
    call.scale = 1;
    if (status == POSENC_OK) status = open_scores(&call, attention, "attention", error);
    if (status == POSENC_OK) status = open_table(&call, table, error);
    if (status == POSENC_OK) status = open_vectors(&call, out, "out", &call.out_vectors, error);
    if (status == POSENC_OK) status = close_door(&call, error);
    const posenc_relative_named inputs[] = {
        {attention, "attention"}, {table, "table"}, {call.options.offsets, "offsets"}};
    if (status == POSENC_OK) status = posenc_relative_check_output(out, "out", inputs, 3, error);
    return status == POSENC_OK ? gather(&call, error) : status;
}

posenc_status posenc_shaw_values_backward(const posenc_context *context, const posenc_shaw_options *options,
                                          const DLTensor *attention, const DLTensor *table, const DLTensor *dout,
                                          DLTensor *dattention, DLTensor *dtable, posenc_error *error) {
    posenc_shaw_call call;
    posenc_status status = open_options(&call, context, options, error);
    call.scale = 1;
    if (status == POSENC_OK) status = open_scores(&call, attention, "attention", error);
    if (status == POSENC_OK) status = open_table(&call, table, error);
    if (status == POSENC_OK) status = open_vectors(&call, dout, "dout", &call.vectors, error);
    if (status == POSENC_OK) status = open_gradient(&call, dtable, error);
    posenc_shaw_call other = call;
    if (status == POSENC_OK && dattention) status = open_scores(&other, dattention, "dattention", error);
    if (status == POSENC_OK) status = close_door(&call, error);
    if (status == POSENC_OK) status = close_door(&other, error);
    const posenc_relative_named others[] = {{attention, "attention"},
                                            {table, "table"},
                                            {dout, "dout"},
                                            {call.options.offsets, "offsets"},
                                            {dattention, "dattention"}};
    if (status == POSENC_OK) status = posenc_relative_check_output(dattention, "dattention", others, 4, error);
    if (status == POSENC_OK) status = posenc_relative_check_output(dtable, "dtable", others, 5, error);
    if (status != POSENC_OK) return status;
    posenc_shaw_gather down;
    posenc_shaw_spread up = {.memory = NULL};
    if (dattention) status = posenc_shaw_spread_ready(&up, &other, error);
    if (status == POSENC_OK) status = posenc_shaw_gather_ready(&down, &call, error);
    if (status != POSENC_OK) {
        posenc_release(context, up.memory);
        return status;
    }
    posenc_shaw_spread_run(&up);
    posenc_shaw_gather_run(&down);
    return POSENC_OK;
}

/* ---- the explicit tensor ---- */

typedef struct explicit_rows {
    const posenc_shaw_call *call;
    const posenc_relative_tensor *out; /* (queries, keys, d) */
    int n_workers;
} explicit_rows;

static void copy_row(const explicit_rows *e, const char *from, char *to) {
    ptrdiff_t bytes = (ptrdiff_t)posenc_dtype_bytes(e->out->dtype), step = posenc_relative_step(e->out);
    ptrdiff_t from_step = posenc_relative_step(&e->call->table);
    if (step == bytes && from_step == bytes) {
        memcpy(to, from, (size_t)(e->call->d * bytes));
        return;
    }
    for (int64_t l = 0; l < e->call->d; l++) memcpy(to + l * step, from + l * from_step, (size_t)bytes);
}

static void explicit_slice(void *argument, int index) {
    const explicit_rows *e = argument;
    const posenc_shaw_call *call = e->call;
    int64_t i = posenc_i64_share(index, call->queries, e->n_workers);
    int64_t end = posenc_i64_share(index + 1, call->queries, e->n_workers);
    for (; i < end; i++)
        for (int64_t j = 0; j < call->keys; j++) {
            int64_t row = posenc_shaw_row(call, j - (call->options.offset + i));
            copy_row(e, call->table.data + posenc_shaw_place(call, &call->table, row),
                     e->out->data + i * e->out->bytes[0] + j * e->out->bytes[1]);
        }
}

posenc_status posenc_shaw_write(const posenc_context *context, const posenc_shaw_options *options,
                                const DLTensor *table, DLTensor *out, posenc_error *error) {
    posenc_shaw_call call;
    posenc_relative_tensor tensor;
    posenc_status status = open_options(&call, context, options, error);
    if (status == POSENC_OK && (call.options.offsets || call.options.accumulate))
        return posenc_fail(error, POSENC_ERROR_UNSUPPORTED, call.options.offsets ? "offsets" : "accumulate",
                           "expected none for the explicit tensor, got some");
    call.batch = call.heads = 1;
    if (status == POSENC_OK) status = open_table(&call, table, error);
    posenc_relative_shape shape = {"(queries, keys, d)", 3, {&call.queries, &call.keys, &call.d}};
    if (status == POSENC_OK) status = posenc_relative_open(&call.work, out, "out", &shape, false, &tensor, error);
    if (status == POSENC_OK) status = close_door(&call, error);
    const posenc_relative_named inputs[] = {{table, "table"}};
    if (status == POSENC_OK) status = posenc_relative_check_output(out, "out", inputs, 1, error);
    if (status != POSENC_OK) return status;
    explicit_rows e = {&call, &tensor, 1};
    double elements = (double)call.queries * (double)call.keys * (double)call.d;
    if (elements == 0) return POSENC_OK; /* however many queries have no keys */
    e.n_workers = posenc_relative_slices(context, elements, 0);
    posenc_parallel(context, e.n_workers, explicit_slice, &e);
    return POSENC_OK;
}
