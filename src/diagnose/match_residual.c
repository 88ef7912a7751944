/* Does a reading fit: its exact rows beside the rows of the table, value by value. A value agrees when the distance is
 * what the rounding of the dtype and the angles of float32 code can make together. A base that was fitted has its own
 * error, no larger than those, and less credit: more of the table must agree. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "diagnose/match_parts.h"

/* Of fewer agreeing bits than this, chance may have made them: two values of bf16, less than one of f32. A base that
 * was fitted makes one value agree by itself, and noise has many chances to find one: it is worth two values less. */
enum { FEWEST_BITS = 18 };

static int64_t fewest_bits(const posenc_reading *reading, posenc_dtype grain) {
    return FEWEST_BITS + (reading->fitted ? 2 * posenc_grain_of(grain).bits : 0);
}

int64_t posenc_match_block_rows(int64_t dim) {
    int64_t rows = POSENC_MATCH_BLOCK_VALUES / dim;
    return rows < 1 ? 1 : rows > POSENC_MATCH_BLOCK_ROWS ? POSENC_MATCH_BLOCK_ROWS : rows;
}

posenc_status posenc_match_write(const posenc_plan *plan, const int64_t *positions, int64_t n, posenc_dtype dtype,
                                 void *out, posenc_error *error) {
    posenc_view ids_view, out_view;
    posenc_positions where;
    int64_t shape[2] = {n, posenc_plan_dim(plan)};
    void *ids;
    memcpy(&ids, &positions, sizeof ids); /* a DLTensor has no const; ids are only read */
    posenc_positions_default(&where, sizeof where);
    where.ids = posenc_view_make(&ids_view, ids, POSENC_I64, 1, shape, NULL);
    return posenc_plan_write(plan, &where, posenc_view_make(&out_view, out, dtype, 2, shape, NULL), error);
}

void posenc_match_turning(const posenc_reading *reading, int64_t dim, posenc_turning *turning) {
    posenc_columns columns = posenc_columns_of(dim, posenc_layout_is_planar(reading->layout), reading->cos_first != 0);
    double decay = log(reading->base) / posenc_layout_rungs(reading->layout, dim);
    for (int64_t c = 0; c < dim; c++) {
        int64_t i = posenc_column_frequency(&columns, c);
        double fall = decay * (double)i, frequency = i < 0 ? 0 : exp(-fall);
        /* Frequency 0 is exactly 1 in float32 too. Another has an exponent rounded to 2^-24 of itself, is rounded, and
         * so is its product with the position. */
        turning[c] = (posenc_turning){frequency, i > 0 ? frequency * 0x1p-23 * (2 + fabs(fall)) : 0x1p-50};
    }
}

typedef struct work {
    const posenc_plan *plan;
    int64_t start, to_beat, block;
    int64_t *positions;      /* [block] */
    double *exact;           /* [block, dim] */
    posenc_turning *turning; /* [dim] */
    posenc_grain grain;
    bool fitted;     /* the base */
    int64_t allowed; /* columns of a row that may be broken */
} work;

/* Where float32 angles may be off by so much, almost any value would agree: those that do not agree even then are
 * counted apart. */
static const double most_angle_error = 0.25;

/* One row. The sums are those of the values that are not broken. */
typedef struct row_result {
    int64_t broken, undecided, values;
    double max_error, sum_squares;
} row_result;

/* How far an angle may be off. A base that was fitted to rounded values is about as good as they are. */
static double angle_error_of(const work *w, const posenc_turning *t, double position) {
    double error = position * t->float32_error;
    if (position >= 0x1p24) error += position * 0x1p-23; /* float32 rounds such a position */
    if (w->fitted) error += w->grain.relative * fmin(1, position * t->frequency);
    return error;
}

static row_result compare_row(const work *w, const double *values, const double *exact, double position, int64_t dim) {
    row_result result = {0, 0, 0, 0, 0};
    for (int64_t c = 0; c < dim; c++) {
        double angle_error = angle_error_of(w, &w->turning[c], position), error = fabs(values[c] - exact[c]);
        double rounding = w->grain.relative * fabs(exact[c]) + w->grain.smallest;
        bool judged = angle_error < most_angle_error;
        bool off = error > rounding + (judged ? angle_error : most_angle_error);
        result.broken += judged && off;
        result.undecided += !judged && off;
        if (judged && off) continue;
        result.values++;
        result.sum_squares += error * error;
        if (error > result.max_error) result.max_error = error;
    }
    return result;
}

/* What agreement in a row is worth: 0, 1 and -1 are found everywhere and count for one bit. */
static int64_t bits_of(const double *values, int64_t dim, int64_t broken, posenc_grain grain) {
    int64_t bits = 0;
    for (int64_t c = 0; c < dim; c++) bits += values[c] == 0 || fabs(values[c]) == 1 ? 1 : grain.bits;
    return bits - broken * grain.bits;
}

static void take_row(posenc_sample *s, const work *w, int64_t k, const double *exact, double position,
                     posenc_residual *residual) {
    posenc_table_row(s->table, s->rows[k], s->values);
    row_result row = compare_row(w, s->values, exact, position, s->table->dim);
    s->fits[k] = row.broken <= w->allowed && 2 * row.undecided <= s->table->dim;
    if (!s->fits[k]) return;
    residual->rows_fit++;
    residual->values += row.values;
    residual->sum_squares += row.sum_squares;
    if (row.max_error > residual->max_error) residual->max_error = row.max_error;
    residual->head_fit += k < s->n_head;
    if (residual->rows_fit > POSENC_MATCH_HEAD) return;
    residual->bits += bits_of(s->values, s->table->dim, row.broken, w->grain);
}

/* False as soon as the rest cannot save it, were every row to fit. */
static bool has_hope(const posenc_sample *s, const work *w, const posenc_residual *residual, int64_t looked_at) {
    int64_t most = residual->rows_fit + s->n - looked_at;
    if (looked_at < s->n_head) return true;
    return most > w->to_beat && posenc_sample_agrees(s, residual->head_fit, most, w->fitted);
}

static posenc_status compare_all(posenc_sample *s, const work *w, posenc_residual *residual, posenc_error *error) {
    int64_t dim = s->table->dim;
    for (int64_t k = 0; k < s->n && has_hope(s, w, residual, k); k += w->block) {
        int64_t n = s->n - k < w->block ? s->n - k : w->block;
        for (int64_t j = 0; j < n; j++) w->positions[j] = s->rows[k + j] + w->start;
        posenc_status status = posenc_match_write(w->plan, w->positions, n, POSENC_F64, w->exact, error);
        if (status != POSENC_OK) return status;
        for (int64_t j = 0; j < n; j++) take_row(s, w, k + j, w->exact + j * dim, (double)w->positions[j], residual);
    }
    return POSENC_OK;
}

static posenc_status compare_in(posenc_sample *s, work *w, posenc_residual *residual, posenc_error *error) {
    int64_t dim = s->table->dim;
    size_t doubles = (size_t)(w->block + w->block * dim);
    size_t bytes = doubles * sizeof(double);
    w->exact = posenc_allocate(s->context, bytes);
    if (!w->exact) return posenc_fail_memory(error, "match", bytes);
    w->positions = (int64_t *)(void *)(w->exact + w->block * dim);
    posenc_status status = compare_all(s, w, residual, error);
    posenc_release(s->context, w->exact);
    return status;
}

/* An eighth of the columns that turn visibly between the first row and the last may be broken; of a few rows, or for a
 * fitted base, none. */
static int64_t allowed_columns(const posenc_sample *s, const posenc_reading *reading, const posenc_turning *turning) {
    int64_t moving = 0;
    double last = (double)(s->rows[s->n - 1] + reading->start);
    if (s->n <= 4 || reading->fitted) return 0;
    for (int64_t c = 0; c < s->table->dim; c++) moving += turning[c].frequency * last > 0.05;
    return moving / 8;
}

static posenc_status compare_with(posenc_sample *s, const posenc_plan *plan, const posenc_reading *reading,
                                  int64_t to_beat, posenc_residual *residual, posenc_error *error) {
    int64_t dim = s->table->dim;
    work w = {.plan = plan, .start = reading->start, .to_beat = to_beat, .fitted = reading->fitted};
    size_t bytes = (size_t)dim * sizeof *w.turning;
    w.turning = posenc_allocate(s->context, bytes);
    if (!w.turning) return posenc_fail_memory(error, "match", bytes);
    posenc_match_turning(reading, dim, w.turning);
    w.block = posenc_match_block_rows(dim);
    w.grain = posenc_grain_of(s->grain);
    w.allowed = allowed_columns(s, reading, w.turning);
    posenc_status status = compare_in(s, &w, residual, error);
    posenc_release(s->context, w.turning);
    return status;
}

posenc_status posenc_match_residual(posenc_sample *sample, const posenc_reading *reading, int64_t to_beat,
                                    posenc_residual *residual, posenc_error *error) {
    posenc_plan *plan;
    posenc_match match = posenc_reading_match(reading);
    posenc_status status =
        posenc_match_plan(sample->context, &match, sample->table->dim, POSENC_ARITHMETIC_EXACT, &plan, error);
    if (status != POSENC_OK) return status;
    *residual = (posenc_residual){.fits = false};
    memset(sample->fits, 0, (size_t)sample->n);
    status = compare_with(sample, plan, reading, to_beat, residual, error);
    posenc_plan_destroy(plan);
    if (status != POSENC_OK) return status;
    residual->fits = residual->bits >= fewest_bits(reading, sample->grain) &&
                     posenc_sample_agrees(sample, residual->head_fit, residual->rows_fit, reading->fitted);
    return POSENC_OK;
}
