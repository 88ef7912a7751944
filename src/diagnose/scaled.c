/* A formula times a number: pairs whose sin^2 + cos^2 is one number, and not 1. A table multiplied by sqrt(dim) or by a
 * learned gain is like that, and so is one that was normalised. */
#include <math.h>

#include "base/checked.h"
#include "base/elements.h"
#include "base/memory.h"
#include "diagnose/formula.h"
#include "diagnose/match.h"

enum { HEAD_ROWS = 1024, HEAD_VALUES = 1 << 22, FEWEST_ROWS = 4 };

static const double alike = 0.02; /* between the pairs of a row */
static const double one = 0.01;   /* that is 1 */

/* The first rows, divided by a number, in the dtype that holds them. */
typedef struct copy {
    posenc_table table;
    void *data;
    double *row;
} copy;

/* The mean of a^2 + b^2 over the pairs of a row; 0 where they are not alike. */
static double pair_square(const double *row, int64_t dim, bool planar) {
    int64_t pairs = dim / 2, step = planar ? 1 : 2, distance = planar ? pairs : 1;
    double low = HUGE_VAL, high = 0, sum = 0;
    for (int64_t i = 0; i < pairs; i++) {
        double a = row[i * step], b = row[i * step + distance], square = a * a + b * b;
        low = fmin(low, square), high = fmax(high, square), sum += square;
    }
    return pairs > 0 && high - low <= alike * low ? sum / (double)pairs : 0;
}

static bool are_alike(double square, double other) {
    return square > 0 && square <= 1e300 && fabs(square - other) <= alike * square;
}

/* The number of the first rows; 0: there is none. The very first ones must have it, later ones may be broken. */
static double find_square(const posenc_table *table, int64_t rows, double *row, bool planar) {
    double sum = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < rows; i++) {
        posenc_table_row(table, i, row);
        double square = pair_square(row, table->dim, planar);
        bool fits = are_alike(square, n > 0 ? sum / (double)n : square);
        if (!fits && i < FEWEST_ROWS) return 0;
        if (fits) sum += square, n++;
    }
    return sum / (double)n;
}

static void fill(const posenc_checkup *c, copy *head, double factor) {
    size_t bytes = posenc_dtype_bytes(head->table.dtype);
    for (int64_t i = 0; i < head->table.rows; i++) {
        posenc_table_row(&c->table, i, head->row);
        for (int64_t k = 0; k < c->table.dim; k++)
            posenc_put_real_element(head->table.dtype, head->row[k] * factor,
                                    (char *)head->data + (size_t)(i * c->table.dim + k) * bytes);
    }
}

static posenc_status open_copy(const posenc_checkup *c, copy *head, posenc_error *error) {
    int64_t dim = c->table.dim, rows = dim < HEAD_VALUES / HEAD_ROWS ? HEAD_ROWS : HEAD_VALUES / dim + FEWEST_ROWS;
    size_t bytes = SIZE_MAX, row_bytes;
    if (rows > c->table.rows) rows = c->table.rows;
    *head = (copy){.table = {.dtype = c->survey.held, .rows = rows, .dim = dim, .row_stride = dim, .column_stride = 1}};
    if (!posenc_bytes_of(dim, sizeof(double), &row_bytes) || !posenc_size_multiply(row_bytes, (size_t)rows, &bytes))
        return posenc_fail_memory(error, "table", bytes);
    head->row = posenc_allocate(c->context, row_bytes);
    head->data = posenc_allocate(c->context, bytes);
    head->table.data = head->data;
    return head->row && head->data ? POSENC_OK : posenc_fail_memory(error, "table", bytes);
}

static posenc_status try_pairs(posenc_checkup *c, copy *head, bool planar, posenc_error *error) {
    posenc_match match;
    char text[128];
    double square = find_square(&c->table, head->table.rows, head->row, planar);
    if (square == 0 || fabs(square - 1) < one) return POSENC_OK;
    fill(c, head, 1 / sqrt(square));
    posenc_status status = posenc_match_table(c->context, &head->table, &match, error);
    if (status != POSENC_OK || !match.scheme || 2 * match.rows_fit < match.rows) return status;
    c->scaled = true;
    posenc_match_text(c, &match, text, sizeof text);
    posenc_found(
        c, POSENC_FINDING_NOT_UNIT_PAIRS, POSENC_LEVEL_WARNING, (posenc_place){0, 0}, fabs(square - 1),
        "sin^2 + cos^2 is %.5g in every pair: the table is %s, times %.5g; if that is not meant, positions weigh "
        "too %s beside the tokens",
        square, text, sqrt(square), square < 1 ? "little" : "much");
    return POSENC_OK;
}

posenc_status posenc_look_scaled(posenc_checkup *c, posenc_error *error) {
    copy head;
    if (c->formula.known || c->turns.are || c->stands_still || c->all_zero || c->turned ||
        c->table.rows < FEWEST_ROWS || c->table.dim < 2)
        return POSENC_OK;
    posenc_status status = open_copy(c, &head, error);
    if (status == POSENC_OK) status = try_pairs(c, &head, false, error);
    if (status == POSENC_OK && !c->scaled) status = try_pairs(c, &head, true, error);
    posenc_release(c->context, head.row);
    posenc_release(c->context, head.data);
    return status;
}
