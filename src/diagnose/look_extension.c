/* Extension: what happens at 2 and 10 times the length. A formula goes on; a learned table ends, and so does a grid. */
#include <math.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/memory.h"
#include "diagnose/look.h"
#include "diagnose/match.h"
#include "diagnose/row_set.h"
#include "diagnose/walk.h"
#include "schemes/scheme.h"

enum { LAST_ROWS = 1000, ROOM_VALUES = 1 << 16, MOST_ROWS = 1 << 21 };
enum { WIDEST = ROOM_VALUES }; /* beyond it plans are large, and nobody extends such a row */

static const int64_t most_values = INT64_C(1) << 28; /* of a longer table that is still counted */
static const int64_t times[2] = {2, 10};

static int64_t rows_that_fit(int64_t dim) { return dim < ROOM_VALUES ? ROOM_VALUES / dim : 1; }

/* ---- float32 code at that length ---- */

static void compare(const double *a, const double *b, int64_t n, double *largest) {
    for (int64_t i = 0; i < n; i++) *largest = fmax(*largest, fabs(a[i] - b[i]));
}

/* room: two parts of rows. */
static posenc_status float32_error(const posenc_checkup *c, const posenc_plan *float32, int64_t end, double *room,
                                   double *largest, posenc_error *error) {
    int64_t dim = c->table.dim, step = rows_that_fit(dim), first = end > LAST_ROWS ? end - LAST_ROWS : 0;
    posenc_status status = POSENC_OK;
    *largest = 0;
    for (; first < end && status == POSENC_OK; first += step) {
        int64_t rows = end - first < step ? end - first : step, start = c->formula.start + first;
        double *other = room + step * dim;
        status = posenc_exact_run(c->formula.exact, start, rows, POSENC_F64, room, error);
        if (status == POSENC_OK) status = posenc_exact_run(float32, start, rows, POSENC_F64, other, error);
        if (status == POSENC_OK) compare(room, other, rows * dim, largest);
    }
    return status;
}

static posenc_status float32_errors(posenc_checkup *c, double *room, posenc_error *error) {
    posenc_plan *float32 = NULL;
    posenc_status status =
        posenc_match_plan(c->context, &c->report.match, c->table.dim, POSENC_ARITHMETIC_FLOAT32, &float32, error);
    for (int i = 0; i < 2 && status == POSENC_OK; i++) {
        posenc_extension *e = &c->report.extensions[i];
        if (e->length > 0) status = float32_error(c, float32, e->length, room, &e->float32_error, error);
    }
    posenc_plan_destroy(float32);
    return status;
}

/* ---- rows that repeat at that length ---- */

/* The 64-bit hash is trusted: two different rows of a table share one in some 10^7 tables. */
static posenc_status count_part(const posenc_checkup *c, posenc_row_set *set, int64_t first, int64_t rows, double *room,
                                int64_t *repeated, posenc_error *error) {
    int64_t dim = c->table.dim;
    posenc_dtype dtype = c->table.dtype;
    double *row = room + rows_that_fit(dim) * dim;
    posenc_table part = {.data = (const char *)room, .dtype = dtype, .rows = rows, .dim = dim, .row_stride = dim};
    part.column_stride = 1;
    posenc_status status = posenc_exact_run(c->formula.exact, c->formula.start + first, rows, dtype, room, error);
    for (int64_t i = 0; i < rows && status == POSENC_OK; i++) {
        posenc_table_row(&part, i, row);
        *repeated += posenc_row_set_put(set, posenc_row_hash(row, dim, POSENC_ALL_BITS), first + i) >= 0;
    }
    return status;
}

static bool may_be_counted(const posenc_checkup *c, int64_t rows) {
    return rows <= MOST_ROWS && rows <= most_values / c->table.dim;
}

/* Both lengths in one go. */
static posenc_status repeated_rows(posenc_checkup *c, double *room, posenc_error *error) {
    posenc_extension *e = c->report.extensions;
    posenc_row_set set;
    int64_t step = rows_that_fit(c->table.dim), repeated = 0;
    if (e[1].length == 0 || !may_be_counted(c, e[1].length)) return POSENC_OK;
    posenc_status status = posenc_row_set_create(&set, c->context, NULL, e[1].length, POSENC_ALL_BITS, error);
    for (int i = 0; i < 2 && status == POSENC_OK; i++) {
        for (int64_t first = i == 0 ? 0 : e[0].length; first < e[i].length && status == POSENC_OK; first += step) {
            int64_t rows = e[i].length - first < step ? e[i].length - first : step;
            status = count_part(c, &set, first, rows, room, &repeated, error);
        }
        e[i].repeated_rows = repeated;
    }
    posenc_row_set_destroy(&set);
    return status;
}

/* ---- sentences ---- */

static void tell_formula(const posenc_checkup *c, posenc_extension *e) {
    const char *dtype = posenc_dtype_name(c->table.dtype);
    char rows[96], errors[96] = "";
    if (e->repeated_rows < 0)
        snprintf(rows, sizeof rows, "whether %s tells all rows apart was not counted", dtype);
    else if (e->repeated_rows == 0)
        snprintf(rows, sizeof rows, "every row differs from every other in %s", dtype);
    else
        snprintf(rows, sizeof rows, "%lld %s in %s", (long long)e->repeated_rows,
                 posenc_plural(e->repeated_rows, "row repeats an earlier one", "rows repeat earlier ones"), dtype);
    if (!isnan(e->float32_error))
        snprintf(errors, sizeof errors, "; float32 code is wrong by up to %.2g", e->float32_error);
    snprintf(e->sentence, sizeof e->sentence, "at %lld positions %s%s", (long long)e->length, rows, errors);
}

static void tell_learned(const posenc_checkup *c, posenc_extension *e) {
    e->repeated_rows = 0;
    snprintf(e->sentence, sizeof e->sentence,
             "at %lld positions: the table has no row %lld; that is an error, the last row again, or a table resized",
             (long long)e->length, (long long)c->table.rows);
}

/* Lengths that no int64 position reaches are left out. */
static void set_lengths(posenc_checkup *c) {
    for (int i = 0; i < 2; i++) {
        int64_t length = 0, end;
        bool fits = posenc_i64_multiply(c->table.rows, times[i], &length);
        if (c->formula.known && fits && c->formula.start > 0) fits = posenc_i64_add(c->formula.start, length, &end);
        c->report.extensions[i].length = fits ? length : 0;
    }
}

static posenc_status look_at_formula(posenc_checkup *c, posenc_error *error) {
    int64_t dim = c->table.dim;
    if (dim > WIDEST) return POSENC_OK;
    size_t bytes = (size_t)(2 * rows_that_fit(dim) * dim) * sizeof(double);
    double *room = posenc_allocate(c->context, bytes);
    if (!room) return posenc_fail_memory(error, "table", bytes);
    posenc_status status = repeated_rows(c, room, error);
    if (status == POSENC_OK && c->formula.sinusoidal) status = float32_errors(c, room, error);
    posenc_release(c->context, room);
    return status;
}

posenc_status posenc_look_extension(posenc_checkup *c, posenc_error *error) {
    posenc_status status = POSENC_OK;
    if (c->turns.are && !c->formula.known) return status; /* it goes on, and nothing here says how */
    c->report.looked_at |= 1u << POSENC_LOOK_EXTENSION;
    set_lengths(c);
    bool goes_on = c->formula.known && c->formula.exact->rows.length == 0;
    if (goes_on) status = look_at_formula(c, error);
    for (int i = 0; i < 2 && status == POSENC_OK; i++) {
        posenc_extension *e = &c->report.extensions[i];
        if (e->length == 0) continue;
        if (goes_on)
            tell_formula(c, e);
        else
            tell_learned(c, e);
    }
    return status;
}
