/* Lines: the values of consecutive distances, each rounded once, in floats, or as the integers of an index. */
#include <string.h>

#include "base/elements.h"
#include "schemes/bias_call.h"

/* ---- one value ---- */

static double table_value(const posenc_bias_call *call, int64_t row, int64_t head) {
    const posenc_bias_table *t = &call->table;
    const char *at = t->data + row * t->row_bytes + (call->extent.first_head + head) * t->head_bytes;
    return posenc_real_element(t->dtype, at);
}

static void put_whole(int64_t value, posenc_dtype dtype, char *out) {
    int32_t narrow = (int32_t)value;
    if (dtype == POSENC_I64)
        memcpy(out, &value, sizeof value);
    else
        memcpy(out, &narrow, sizeof narrow);
}

/* The value of a table row, or the row's number. */
static void put_row(const posenc_bias_call *call, int64_t row, int64_t head, char *out) {
    if (call->line_dtype > POSENC_BF16)
        put_whole(row, call->line_dtype, out);
    else
        posenc_put_real_element(call->line_dtype, table_value(call, row, head) * call->scale, out);
}

/* ---- many ---- */

/* Repeats the first element n times in all, a line of it at a time. */
static void repeat(char *out, size_t element, int64_t n) {
    char line[64];
    const size_t all = (size_t)n * element;
    size_t done = 0;
    for (size_t at = 0; at < sizeof line; at += element) memcpy(line + at, out, element);
    for (; done + sizeof line <= all; done += sizeof line) memcpy(out + done, line, sizeof line);
    memcpy(out + done, line, all - done);
}

static void bucket_line(const posenc_bias_call *call, int64_t head, int64_t first, int64_t n, char *out) {
    size_t element = posenc_dtype_bytes(call->line_dtype);
    for (int64_t i = 0; i < n;) {
        int64_t last, row = posenc_bias_bucket_run(call->bias, first + i, &last), count = n - i;
        if (last - (first + i) < count - 1) count = last - (first + i) + 1;
        char *at = out + (size_t)i * element;
        put_row(call, row, head, at);
        repeat(at, element, count);
        i += count;
    }
}

static void put_ramp(const posenc_bias_call *call, double slope, int64_t first, int64_t n, char *out) {
    posenc_ramp_job job = {.first = first, .n = (size_t)n, .slope = slope, .out = out};
    if (n > 0) call->plan->rows.engine.kernels->ramp[call->line_dtype](&job);
}

/* Symmetric: up to distance 0, and down from there. */
static void slope_line(const posenc_bias_call *call, int64_t head, int64_t first, int64_t n, char *out) {
    double slope = call->bias->slopes[call->extent.first_head + head] * call->scale;
    int64_t up = n;
    if (call->bias->form == POSENC_BIAS_SYMMETRIC) up = first > 0 ? 0 : 1 - first < n ? 1 - first : n;
    put_ramp(call, slope, first, up, out);
    put_ramp(call, -slope, first + up, n - up, out + (size_t)up * posenc_dtype_bytes(call->line_dtype));
}

void posenc_bias_line(const posenc_bias_call *call, int64_t head, int64_t first, int64_t n, char *out) {
    (call->bias->source == POSENC_BIAS_SLOPES ? slope_line : bucket_line)(call, head, first, n, out);
}

void posenc_bias_window_line(const posenc_bias_call *call, int64_t head, char *out) {
    size_t element = posenc_dtype_bytes(call->line_dtype);
    for (int64_t row = call->bias->table_rows - 1; row >= 0; row--, out += element) put_row(call, row, head, out);
}
