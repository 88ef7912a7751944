/* The everyday object: y = dropout(x * scale + E(position)), with the table stored. It adds to a plan what a model
 * needs around it; the work itself is a posenc_row_call. */
#include "encoder/encoder.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/context.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text.h"

void posenc_encoder_default(posenc_encoder_options *options, size_t size) {
    posenc_encoder_options all = {.size = size, .dtype = POSENC_F32, .scale = 1, .padding_idx = -1};
    posenc_options_write(options, size, &all, sizeof all);
}

void posenc_step_default(posenc_step *step, size_t size) {
    posenc_step all = {.size = size};
    posenc_options_write(step, size, &all, sizeof all);
}

/* ---- creation ---- */

static posenc_status check_options(const posenc_encoder_options *o, posenc_error *error) {
    if (o->dtype != POSENC_F32 && o->dtype != POSENC_F64)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "dtype",
                           "expected f32 (which serves f16 and bf16 too) or f64, got %s", posenc_dtype_name(o->dtype));
    if (!(o->dropout >= 0 && o->dropout < 1))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "dropout", "expected 0 <= dropout < 1, got %g", o->dropout);
    if (!isfinite(o->scale) || (o->dtype == POSENC_F32 && fabs(o->scale) > (double)FLT_MAX))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "scale", "expected a finite number within %s, got %g",
                           posenc_dtype_name(o->dtype), o->scale);
    if (o->padding_idx < -1 || o->padding_idx == INT64_MAX)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "padding_idx", "expected -1 or a position, got %lld",
                           (long long)o->padding_idx);
    return POSENC_OK;
}

enum { MOST_ROW_OFFSET_BITS = 39 };

/* What only a table without a formula can do. */
static posenc_status check_rules(const posenc_encoder *e, posenc_error *error) {
    const posenc_encoder_options *o = &e->options;
    bool learns = posenc_encoder_learns(e);
    if ((int)o->past_end < 0 || o->past_end > (learns ? POSENC_PAST_END_RESIZE : POSENC_PAST_END_ERROR))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "past_end", "expected %s, got %d",
                           learns ? "0..3" : "0 or 1 (the others are for the scheme learned)", (int)o->past_end);
    int64_t most = learns ? INT64_C(1) << MOST_ROW_OFFSET_BITS : 0;
    if (o->row_offset < -most || o->row_offset > most)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "row_offset", "expected %s, got %lld",
                           learns ? "-2^39..2^39" : "0 (others are for the scheme learned)", (long long)o->row_offset);
    int64_t prefix = posenc_encoder_stored(e).prefix;
    if (o->past_end == POSENC_PAST_END_RESIZE && prefix >= e->max_len)
        return posenc_fail(
            error, POSENC_ERROR_ARGUMENT, "past_end",
            "expected a table that can be resized, got %lld rows of which the first %lld stay as they are",
            (long long)e->max_len, (long long)prefix);
    return POSENC_OK;
}

static posenc_status read_options(const posenc_encoder_options *options, posenc_encoder_options *all,
                                  posenc_error *error) {
    posenc_encoder_default(all, sizeof *all);
    posenc_status status = posenc_options_read(options, all, sizeof *all, "options.size", error);
    return status == POSENC_OK ? check_options(all, error) : status;
}

/* The plan's max-len is the table's number of rows. */
static posenc_status rows_of_plan(const posenc_plan *plan, int64_t *rows, posenc_error *error) {
    char text[64];
    if (posenc_plan_parameter(plan, "max-len", text, sizeof text) != POSENC_OK || !posenc_parse_i64(text, rows))
        return posenc_fail(error, POSENC_ERROR_UNSUPPORTED, "scheme", "expected a scheme with a max-len, got %s",
                           posenc_plan_scheme(plan));
    if (*rows < 1)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "max-len", "expected 1 or more rows, got %lld",
                           (long long)*rows);
    return POSENC_OK;
}

static posenc_status allocate_table(posenc_encoder *e, posenc_error *error) {
    int64_t dim = posenc_plan_dim(e->plan), elements;
    if (!posenc_i64_multiply(e->max_len, dim, &elements) ||
        !posenc_bytes_of(elements, posenc_dtype_bytes(e->options.dtype), &e->table_bytes))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "max-len",
                           "expected a table that fits into memory, got %lld x %lld", (long long)e->max_len,
                           (long long)dim);
    void *table = posenc_allocate(e->context, e->table_bytes);
    if (!table) return posenc_fail_memory(error, "table", e->table_bytes);
    posenc_view_make(&e->table, table, e->options.dtype, 2, (int64_t[]){e->max_len, dim}, NULL);
    return POSENC_OK;
}

posenc_status posenc_encoder_allocate(const posenc_context *context, const char *scheme,
                                      const posenc_parameter *parameters, size_t n_parameters,
                                      const posenc_encoder_options *options, posenc_encoder **out,
                                      posenc_error *error) {
    if (!out) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "out", "expected a pointer, got NULL");
    posenc_encoder_options all;
    posenc_status status = read_options(options, &all, error);
    if (status != POSENC_OK) return status;
    posenc_encoder *e = posenc_allocate(context, sizeof *e);
    if (!e) return posenc_fail_memory(error, "encoder", sizeof *e);
    memset(e, 0, sizeof *e);
    e->context = context;
    e->options = all;
    atomic_flag_clear(&e->warned);
    status = posenc_plan_create(context, scheme, parameters, n_parameters, &e->plan, error);
    if (status == POSENC_OK) status = posenc_plan_must_add_rows(e->plan, error);
    if (status == POSENC_OK) status = rows_of_plan(e->plan, &e->max_len, error);
    if (status == POSENC_OK) status = check_rules(e, error);
    if (status == POSENC_OK) status = allocate_table(e, error);
    if (status != POSENC_OK) {
        posenc_encoder_destroy(e);
        return status;
    }
    *out = e;
    return POSENC_OK;
}

/* A learned table begins with nothing in the row that adds nothing. */
static void clear_padding_row(posenc_encoder *e) {
    int64_t row = posenc_encoder_stored(e).padding;
    size_t bytes = e->table_bytes / (size_t)e->max_len;
    if (row >= 0 && row < e->max_len) memset((char *)e->table.tensor.data + (size_t)row * bytes, 0, bytes);
}

posenc_status posenc_encoder_create(const posenc_context *context, const char *scheme,
                                    const posenc_parameter *parameters, size_t n_parameters,
                                    const posenc_encoder_options *options, posenc_encoder **out, posenc_error *error) {
    if (!out) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "out", "expected a pointer, got NULL");
    posenc_encoder *e;
    posenc_status status = posenc_encoder_allocate(context, scheme, parameters, n_parameters, options, &e, error);
    if (status != POSENC_OK) return status;
    status = posenc_plan_write(e->plan, NULL, &e->table.tensor, error);
    if (status != POSENC_OK) {
        posenc_encoder_destroy(e);
        return status;
    }
    clear_padding_row(e);
    *out = e;
    return POSENC_OK;
}

void posenc_encoder_destroy(posenc_encoder *encoder) {
    if (!encoder) return;
    posenc_release(encoder->context, encoder->table.tensor.data);
    posenc_plan_destroy(encoder->plan);
    posenc_release(encoder->context, encoder);
}

/* ---- questions ---- */

const posenc_plan *posenc_encoder_plan(const posenc_encoder *encoder) { return encoder->plan; }

const posenc_encoder_options *posenc_encoder_options_of(const posenc_encoder *encoder) { return &encoder->options; }

const DLTensor *posenc_encoder_table(const posenc_encoder *encoder) { return &encoder->table.tensor; }

size_t posenc_encoder_bytes(const posenc_encoder *encoder) {
    return sizeof *encoder + encoder->table_bytes + posenc_plan_bytes(encoder->plan);
}

bool posenc_encoder_learns(const posenc_encoder *encoder) { return encoder->plan->scheme->trained; }

/* padding_idx is a position; its row may lie outside of the table. */
static int64_t padding_row(const posenc_encoder_options *o) {
    int64_t row = -1;
    if (o->padding_idx >= 0) posenc_i64_add(o->padding_idx, o->row_offset, &row);
    if (row < 0) return -1;
    return row < INT64_MAX / 2 ? row : INT64_MAX / 2;
}

posenc_stored_rows posenc_encoder_stored(const posenc_encoder *encoder) {
    static const posenc_outside of_learned[] = {POSENC_OUTSIDE_REFUSED, POSENC_OUTSIDE_REFUSED, POSENC_OUTSIDE_CLAMPED,
                                                POSENC_OUTSIDE_RESIZED};
    const posenc_encoder_options *o = &encoder->options;
    bool strict = o->past_end == POSENC_PAST_END_ERROR;
    posenc_stored_rows stored = {.data = encoder->table.tensor.data,
                                 .rows = encoder->max_len,
                                 .padding = -1,
                                 .outside = strict ? POSENC_OUTSIDE_REFUSED : POSENC_OUTSIDE_MADE};
    if (!posenc_encoder_learns(encoder)) return stored;
    stored.whole = true;
    stored.outside = of_learned[o->past_end];
    stored.offset = o->row_offset;
    stored.padding = padding_row(o);
    stored.prefix = stored.padding + 1 > o->row_offset ? stored.padding + 1 : o->row_offset;
    return stored;
}

/* ---- forward and backward ---- */

static posenc_status read_step(const posenc_step *step, posenc_step *all, posenc_error *error) {
    posenc_step_default(all, sizeof *all);
    return posenc_options_read(step, all, sizeof *all, "step.size", error);
}

/* Keep where word >= round(p 2^32), so p of the words are dropped; kept values grow by factor / (1 - p). */
posenc_dropout posenc_encoder_dropout(const posenc_encoder *e, const posenc_step *step, double factor) {
    double p = e->options.dropout;
    posenc_fpenv saved = posenc_fpenv_enter();
    posenc_dropout dropout = {.active = step->training && p > 0,
                              .seed = step->seed,
                              .stream = step->stream,
                              .threshold = (uint64_t)floor(p * 0x1p32 + 0.5),
                              .factor = factor / (1 - p)};
    posenc_fpenv_leave(saved);
    return dropout;
}

/* A table of f32 serves all narrower types, one of f64 only f64. */
static posenc_status check_dtype(const posenc_encoder *e, const DLTensor *x, const char *name, posenc_error *error) {
    posenc_dtype dtype;
    if (!x || posenc_dtype_of(x, &dtype) != POSENC_OK || dtype > POSENC_BF16) return POSENC_OK; /* refused further in */
    if ((dtype == POSENC_F64) == (e->options.dtype == POSENC_F64)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_DTYPE, name, "expected %s beside a table of %s, got %s",
                       e->options.dtype == POSENC_F64 ? "f64" : "f32, f16 or bf16", posenc_dtype_name(e->options.dtype),
                       posenc_dtype_name(dtype));
}

/* The one warning of an encoder. Its text does not depend on the call, so that which thread was first does not show. */
static void warn_once(const posenc_encoder *encoder) {
    union {
        const posenc_encoder *seen;
        posenc_encoder *own;
    } e = {encoder};
    if (atomic_flag_test_and_set(&e.own->warned)) return;
    posenc_warn(encoder->context,
                "a position lies past the encoder's table (max-len); its encoding is computed on the fly");
}

posenc_status posenc_encoder_check_door(const posenc_encoder *e, const DLTensor *x, const char *x_name,
                                        const posenc_step *step, posenc_step *all, posenc_error *error) {
    if (!e) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "encoder", "expected an encoder, got NULL");
    if (!x) return posenc_fail(error, POSENC_ERROR_ARGUMENT, x_name, "expected a tensor, got NULL");
    posenc_status status = read_step(step, all, error);
    return status == POSENC_OK ? check_dtype(e, x, x_name, error) : status;
}

posenc_status posenc_encoder_forward(const posenc_encoder *encoder, const posenc_positions *positions,
                                     const posenc_step *step, const DLTensor *x, DLTensor *y, posenc_error *error) {
    posenc_step s;
    posenc_status status = posenc_encoder_check_door(encoder, x, "x", step, &s, error);
    if (status != POSENC_OK) return status;
    posenc_row_call call = {.plan = encoder->plan,
                            .positions = positions,
                            .x = x,
                            .y = y,
                            .x_name = "x",
                            .y_name = "y",
                            .scale = encoder->options.scale,
                            .adds = true,
                            .stored = posenc_encoder_stored(encoder),
                            .padding_idx = encoder->options.padding_idx,
                            .dropout = posenc_encoder_dropout(encoder, &s, 1),
                            .first_element = s.first_element};
    bool went_past = false;
    status = posenc_row_call_run(&call, &went_past, error);
    if (status == POSENC_OK && went_past && !posenc_encoder_learns(encoder)) warn_once(encoder);
    return status;
}

/* With dropout the scale goes into the factor, so that each element is multiplied once. */
posenc_status posenc_encoder_backward(const posenc_encoder *encoder, const posenc_step *step, const DLTensor *dy,
                                      DLTensor *dx, posenc_error *error) {
    posenc_step s;
    posenc_status status = posenc_encoder_check_door(encoder, dy, "dy", step, &s, error);
    if (status != POSENC_OK) return status;
    posenc_dropout dropout = posenc_encoder_dropout(encoder, &s, encoder->options.scale);
    posenc_row_call call = {.plan = encoder->plan,
                            .x = dy,
                            .y = dx,
                            .x_name = "dy",
                            .y_name = "dx",
                            .scale = dropout.active ? 1 : encoder->options.scale,
                            .padding_idx = -1,
                            .dropout = dropout,
                            .first_element = s.first_element};
    return posenc_row_call_run(&call, NULL, error);
}
