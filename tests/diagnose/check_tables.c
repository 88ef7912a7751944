#include "check_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/number.h"
#include "support/tensors.h"
#include "support/test.h"

static size_t bytes_of(const table *t) { return (size_t)(t->rows * t->dim) * posenc_dtype_bytes(t->dtype); }

table table_make(int64_t rows, int64_t dim, posenc_dtype dtype) {
    table t = {.rows = rows, .dim = dim, .dtype = dtype};
    t.data = must_allocate(bytes_of(&t) + 1);
    memset(t.data, 0, bytes_of(&t));
    return t;
}

table table_of_plan(const posenc_plan *plan, int64_t start, int64_t rows, posenc_dtype dtype) {
    table t = table_make(rows, posenc_plan_dim(plan), dtype);
    must_write(plan, start, rows, dtype, t.data);
    return t;
}

void table_free(table *t) {
    free(t->data);
    t->data = NULL;
}

static unsigned char *at(const table *t, int64_t row, int64_t column) {
    return t->data + (size_t)(row * t->dim + column) * posenc_dtype_bytes(t->dtype);
}

double table_get(const table *t, int64_t row, int64_t column) {
    return number_decode(t->dtype, number_load(t->dtype, at(t, row, column)));
}

void table_set(table *t, int64_t row, int64_t column, double value) {
    number_store(t->dtype, number_encode(t->dtype, value), at(t, row, column));
}

void table_copy_row(table *t, int64_t from, int64_t to) {
    memcpy(at(t, to, 0), at(t, from, 0), (size_t)t->dim * posenc_dtype_bytes(t->dtype));
}

table sinusoidal_table(int64_t rows, int64_t dim, posenc_dtype dtype) {
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = dim});
    table t = table_of_plan(plan, 0, rows, dtype);
    posenc_plan_destroy(plan);
    return t;
}

static double drawn(random_state *random) {
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += random_unit(random);
    return sum - 6;
}

table learned_table(int64_t rows, int64_t dim, posenc_dtype dtype, const char *seed) {
    random_state random = random_start(seed);
    table t = table_make(rows, dim, dtype);
    for (int64_t c = 0; c < dim; c++) {
        double rate = 0.12 * fabs(drawn(&random)) + 0.01, phase = drawn(&random),
               size = 0.05 + 0.1 * random_unit(&random);
        for (int64_t r = 0; r < rows; r++)
            table_set(&t, r, c, size * cos(rate * (double)r + phase) + 0.01 * drawn(&random));
    }
    return t;
}

posenc_check_report check_tensor(const posenc_context *context, const posenc_check_options *options,
                                 const DLTensor *tensor) {
    posenc_check_report report = {.size = sizeof report};
    posenc_error error;
    posenc_status status = posenc_check(context, options, tensor, &report, &error);
    check(status == POSENC_OK, "%s", status ? error.message : "");
    check(report.size == sizeof report, "%zu", report.size);
    return report;
}

posenc_check_report check_table(const table *t, const posenc_check_options *options) {
    posenc_view view;
    const int64_t shape[] = {t->rows, t->dim};
    return check_tensor(NULL, options, posenc_view_make(&view, t->data, t->dtype, 2, shape, NULL));
}

const posenc_finding *find(const posenc_check_report *report, posenc_finding_kind kind) {
    for (size_t i = 0; i < report->n_findings; i++)
        if (report->findings[i].kind == kind) return &report->findings[i];
    return NULL;
}

int has_finding(const posenc_check_report *report, posenc_finding_kind kind) { return find(report, kind) != NULL; }

const char *findings_text(const posenc_check_report *report) {
    static char text[4096];
    size_t used = 0;
    snprintf(text, sizeof text, "no finding");
    for (size_t i = 0; i < report->n_findings && used < sizeof text; i++) {
        const posenc_finding *f = &report->findings[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s (%lld, %lld) %g: %s", i ? "; " : "",
                                 posenc_level_name(f->level), posenc_finding_name(f->kind), (long long)f->position,
                                 (long long)f->channel, f->amount, f->why);
    }
    return text;
}

const posenc_finding *must_find(const posenc_check_report *report, posenc_finding_kind kind, posenc_level level,
                                int64_t position, int64_t channel, double amount) {
    const posenc_finding *f = find(report, kind);
    check(f != NULL, "expected %s, got %s", posenc_finding_name(kind), findings_text(report));
    check(f->level == level, "expected %s, got %s", posenc_level_name(level), findings_text(report));
    check(f->position == position && f->channel == channel, "expected (%lld, %lld), got %s", (long long)position,
          (long long)channel, findings_text(report));
    check(fabs(f->amount - amount) <= 1e-2 * fabs(amount), "expected an amount of %g, got %s", amount,
          findings_text(report));
    check(strlen(f->why) > 20 && strlen(f->why) + 1 < sizeof f->why, "a whole sentence, got \"%s\"", f->why);
    check(report->healthy == (report->findings[0].level < POSENC_LEVEL_ERROR), "%s", findings_text(report));
    return f;
}

void must_be_alone(const posenc_check_report *report, posenc_finding_kind kind) {
    for (size_t i = 0; i < report->n_findings; i++)
        check(report->findings[i].kind == kind || report->findings[i].level == POSENC_LEVEL_NOTE, "%s",
              findings_text(report));
}
