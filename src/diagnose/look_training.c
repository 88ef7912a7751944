/* Training: rows of a learned table that still are as they were drawn, as positions are that no text has reached. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "diagnose/look.h"
#include "diagnose/walk.h"
#include "diagnose/white.h"

static double product(const double *a, const double *b, int64_t dim) {
    double sum = 0;
    for (int64_t k = 0; k < dim; k++) sum += a[k] * b[k];
    return sum;
}

static double size_of(double square, int64_t dim) {
    return square > 0 && square <= DBL_MAX ? log(square / (double)dim) : (double)NAN;
}

static void look_at_block(void *argument, int slot, const posenc_block *block) {
    posenc_row_statistics *rows = (posenc_row_statistics *)argument + block->first;
    int64_t dim = block->dim, last = block->rows + block->has_next - 1;
    (void)slot;
    for (int64_t i = 0; i < block->rows; i++) {
        const double *row = block->values + i * dim, *next = row + dim;
        double square = product(row, row, dim);
        rows[i] = (posenc_row_statistics){.size = size_of(square, dim), .cosine = (double)NAN};
        if (isnan(rows[i].size) || i == last) continue;
        double other = product(next, next, dim);
        if (!isnan(size_of(other, dim))) rows[i].cosine = product(row, next, dim) / sqrt(square) / sqrt(other);
    }
}

/* ---- one direction in all rows: they were not drawn around 0 ---- */

typedef struct direction {
    double *sum, squares, scale;
} direction;

static void see_nothing(void *argument, int slot, const posenc_block *block) {
    (void)argument, (void)slot, (void)block;
}

static void add_block(void *argument, const posenc_block *block) {
    direction *d = argument;
    for (int64_t i = 0; i < block->rows; i++) {
        const double *row = block->values + i * block->dim;
        double square = product(row, row, block->dim);
        if (!(square <= DBL_MAX)) continue;
        for (int64_t k = 0; k < block->dim; k++) d->sum[k] += row[k];
        d->squares += square;
    }
}

/* The squared length of the sum of white rows is the sum of their squares, give or take sqrt(2 / dim) of it. */
static posenc_status have_direction(const posenc_checkup *c, posenc_white_rows rows, bool *have, posenc_error *error) {
    posenc_table part = c->table;
    direction d = {.squares = 0};
    size_t bytes;
    if (!posenc_bytes_of(part.dim, sizeof(double), &bytes)) return posenc_fail_memory(error, "table", SIZE_MAX);
    d.sum = posenc_allocate(c->context, bytes);
    if (!d.sum) return posenc_fail_memory(error, "table", bytes);
    memset(d.sum, 0, bytes);
    part.data = posenc_table_element(&c->table, rows.first, 0);
    part.rows = rows.last - rows.first + 1;
    posenc_walk walk = {.context = c->context, .table = &part, .argument = &d, .look = see_nothing, .fold = add_block};
    posenc_status status = posenc_walk_run(&walk, error);
    *have = product(d.sum, d.sum, part.dim) > (1 + 6 * sqrt(2 / (double)part.dim)) * d.squares;
    posenc_release(c->context, d.sum);
    return status;
}

/* ---- the finding ---- */

static double deviation_of(const posenc_row_statistics *all, posenc_white_rows rows) {
    double sum = 0, n = 0;
    for (int64_t i = rows.first; i <= rows.last; i++)
        if (!isnan(all[i].size)) sum += exp(all[i].size), n++;
    return sqrt(sum / n);
}

static void find(posenc_checkup *c, const posenc_row_statistics *all, posenc_white_rows rows) {
    int64_t n = rows.last - rows.first + 1;
    double deviation = deviation_of(all, rows);
    if (n == c->table.rows) {
        posenc_found(c, POSENC_FINDING_UNTRAINED_ROWS, POSENC_LEVEL_WARNING, (posenc_place){0, -1}, (double)n,
                     "every row looks as it was drawn (standard deviation %.3g): neighbours have nothing in common, so "
                     "nothing has been learned of order yet",
                     deviation);
        return;
    }
    posenc_found(
        c, POSENC_FINDING_UNTRAINED_ROWS, POSENC_LEVEL_WARNING, (posenc_place){rows.first, -1}, (double)n,
        "positions %lld to %lld look as they were drawn (standard deviation %.3g), the others do not: texts in "
        "training never came there, and a model meets noise",
        (long long)rows.first, (long long)rows.last, deviation);
}

static posenc_status find_white(posenc_checkup *c, posenc_row_statistics *all, posenc_error *error) {
    bool drift = false;
    posenc_walk walk = {
        .context = c->context, .table = &c->table, .next_row = true, .argument = all, .look = look_at_block};
    posenc_status status = posenc_walk_run(&walk, error);
    if (status != POSENC_OK) return status;
    posenc_white_rows rows = posenc_white_find(all, c->table.rows, c->table.dim);
    if (rows.first > rows.last) return POSENC_OK;
    status = have_direction(c, rows, &drift, error);
    if (status == POSENC_OK && !drift) find(c, all, rows);
    return status;
}

posenc_status posenc_look_training(posenc_checkup *c, posenc_error *error) {
    size_t bytes;
    if (c->formula.known || c->turns.are || c->stands_still || c->all_zero || c->turned || c->scaled) return POSENC_OK;
    c->report.looked_at |= 1u << POSENC_LOOK_TRAINING;
    if (!posenc_bytes_of(c->table.rows, sizeof(posenc_row_statistics), &bytes))
        return posenc_fail_memory(error, "table", SIZE_MAX);
    posenc_row_statistics *all = posenc_allocate(c->context, bytes);
    if (!all) return posenc_fail_memory(error, "table", bytes);
    posenc_status status = find_white(c, all, error);
    posenc_release(c->context, all);
    return status;
}
