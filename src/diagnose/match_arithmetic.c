/* Whose values a table has: the exact ones, or those of one of the two usual float32 codes. Far down the table float32
 * angles are off by more than a rounding, so some rows that fit are compared with the rows of all three, as the table's
 * dtype rounds them. Exact unless another is clearly nearer. A table that is exact to the bit needs no second opinion.
 */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "diagnose/match_parts.h"

/* Float32 rows cost a microsecond a pair: a few thousand values tell as much as a million. */
enum { N_ARITHMETICS = 3, MOST_ROWS = 64, FEWEST_ROWS = 4, MOST_VALUES = 4096 };

typedef struct comparison {
    const posenc_sample *sample;
    const posenc_reading *reading;
    int64_t n, rows[MOST_ROWS]; /* of the table */
    posenc_turning *turning;    /* [dim] */
    double *exact, *ours;       /* [dim] */
    char *row;                  /* [dim] of the grain */
} comparison;

/* Spread evenly over the rows that fit, the last one always among them. */
static void choose_rows(comparison *c) {
    const posenc_sample *s = c->sample;
    int64_t fitting = 0, seen = 0, wanted = MOST_VALUES / s->table->dim;
    for (int64_t k = 0; k < s->n; k++) fitting += s->kept[k];
    wanted = wanted < FEWEST_ROWS ? FEWEST_ROWS : wanted > MOST_ROWS ? MOST_ROWS : wanted;
    if (wanted > fitting) wanted = fitting;
    for (int64_t k = 0; k < s->n; k++) {
        if (!s->kept[k]) continue;
        seen++;
        if (seen * wanted / fitting > c->n) c->rows[c->n++] = s->rows[k];
    }
}

/* A row of a plan in the grain, as doubles. */
static posenc_status write_row(comparison *c, const posenc_plan *plan, int64_t position, double *out,
                               posenc_error *error) {
    const posenc_sample *s = c->sample;
    posenc_status status = posenc_match_write(plan, &position, 1, s->grain, c->row, error);
    if (status != POSENC_OK) return status;
    posenc_table one = {c->row, s->grain, 1, s->table->dim, s->table->dim, 1};
    posenc_table_row(&one, 0, out);
    return POSENC_OK;
}

/* The squared errors of ours over a row. Broken values, far from the exact ones, have no part in them. */
static double errors_of_row(const comparison *c, const double *ours, double position) {
    posenc_grain grain = posenc_grain_of(c->sample->grain);
    const double *values = c->sample->values;
    double sum = 0;
    for (int64_t i = 0; i < c->sample->table->dim; i++) {
        double bound = 2 * grain.relative + position * c->turning[i].float32_error, error = values[i] - ours[i];
        if (fabs(values[i] - c->exact[i]) <= bound) sum += error * error;
    }
    return sum;
}

static posenc_status sum_errors(comparison *c, const posenc_plan *exact, const posenc_plan *plan, double *sum,
                                posenc_error *error) {
    *sum = 0;
    for (int64_t k = 0; k < c->n; k++) {
        int64_t position = c->rows[k] + c->reading->start;
        posenc_status status = write_row(c, exact, position, c->exact, error);
        if (status == POSENC_OK && plan != exact) status = write_row(c, plan, position, c->ours, error);
        if (status != POSENC_OK) return status;
        posenc_table_row(c->sample->table, c->rows[k], c->sample->values);
        *sum += errors_of_row(c, plan == exact ? c->exact : c->ours, (double)position);
    }
    return POSENC_OK;
}

/* The sum of one float32 arithmetic. */
static posenc_status sum_other(comparison *c, const posenc_plan *exact, posenc_arithmetic arithmetic, double *sum,
                               posenc_error *error) {
    posenc_match match = posenc_reading_match(c->reading);
    posenc_plan *plan;
    posenc_status status =
        posenc_match_plan(c->sample->context, &match, c->sample->table->dim, arithmetic, &plan, error);
    if (status != POSENC_OK) return status;
    status = sum_errors(c, exact, plan, sum, error);
    posenc_plan_destroy(plan);
    return status;
}

/* Another than exact must be a quarter nearer in the mean square root, so that one rounding here or there does not
 * decide. */
static posenc_status nearest(comparison *c, const posenc_plan *exact, posenc_arithmetic *best, posenc_error *error) {
    double least, sum;
    posenc_status status = sum_errors(c, exact, exact, &least, error);
    *best = POSENC_ARITHMETIC_EXACT;
    least *= 0.5625;
    for (int a = 1; a < N_ARITHMETICS && status == POSENC_OK && least > 0; a++) {
        status = sum_other(c, exact, (posenc_arithmetic)a, &sum, error);
        if (status != POSENC_OK || sum >= least) continue;
        *best = (posenc_arithmetic)a;
        least = sum;
    }
    return status;
}

posenc_status posenc_match_arithmetic(const posenc_sample *sample, const posenc_reading *reading,
                                      posenc_arithmetic *arithmetic, posenc_error *error) {
    size_t dim = (size_t)sample->table->dim, bytes = dim * (3 * sizeof(double) + sizeof(posenc_turning));
    double *memory = posenc_allocate(sample->context, bytes);
    if (!memory) return posenc_fail_memory(error, "match", bytes);
    comparison c = {.sample = sample, .reading = reading, .exact = memory};
    c.ours = memory + dim;
    c.row = (char *)(memory + 2 * dim);
    c.turning = (posenc_turning *)(void *)(memory + 3 * dim);
    posenc_match_turning(reading, sample->table->dim, c.turning);
    choose_rows(&c);
    posenc_match match = posenc_reading_match(reading);
    posenc_plan *exact = NULL;
    posenc_status status =
        posenc_match_plan(sample->context, &match, sample->table->dim, POSENC_ARITHMETIC_EXACT, &exact, error);
    if (status == POSENC_OK) status = nearest(&c, exact, arithmetic, error);
    posenc_plan_destroy(exact);
    posenc_release(sample->context, memory);
    return status;
}
