/* All pairs, without holding them. The upper triangle of cells is walked band by band: band k is the cells that lie k
 * cells right of the diagonal, whose pairs are k * POSENC_CELL - (POSENC_CELL - 1) .. k * POSENC_CELL + POSENC_CELL - 1
 * apart. A band's sums by distance are its own, and are added up in one order at the end, so that the result does not
 * depend on who did which band. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/threads.h"
#include "diagnose/similarity.h"

enum { SPAN = 2 * POSENC_CELL - 1, CELL_ELEMENTS = POSENC_CELL * POSENC_CELL };

/* The least or the most of some values, and the first pair that has it. */
typedef struct extreme {
    double value;
    int64_t at[2]; /* -1, -1: none yet */
} extreme;

typedef struct band {
    double sums[SPAN]; /* [i]: pairs k * POSENC_CELL + i - (POSENC_CELL - 1) apart */
    extreme least, most;
} band;

typedef struct walk {
    const posenc_directions *d;
    int64_t n_bands;
    band *bands;
    float *cells; /* one for each slice */
    int n_slices;
} walk;

static const double not_a_number = (double)NAN;
static const extreme no_least = {HUGE_VAL, {-1, -1}}, no_most = {-HUGE_VAL, {-1, -1}};

/* Columns of a cell's row whose pairs count: those above the diagonal. */
static int64_t first_column(posenc_cell cell, int64_t i) { return cell.row == cell.column ? i + 1 : 0; }

/* The first pair of a cell that has the value. */
static void find_place(const posenc_directions *d, posenc_cell cell, const float *cosines, extreme *e) {
    for (int64_t i = 0; i < cell.rows; i++) {
        if (!posenc_direction_present(d, cell.row + i)) continue;
        for (int64_t j = first_column(cell, i); j < cell.columns; j++) {
            if ((double)cosines[i * POSENC_CELL + j] != e->value) continue;
            if (!posenc_direction_present(d, cell.column + j)) continue;
            e->at[0] = cell.row + i, e->at[1] = cell.column + j;
            return;
        }
    }
}

/* sign: 1 looks for the least, -1 for the most, one of which each column has. Cells of a band come from the first rows
 * to the last, so that a value that is only equal has a later place. */
static void improve(const posenc_directions *d, posenc_cell cell, const float *cosines, const float *by_column,
                    double sign, extreme *e) {
    double before = e->value;
    for (int64_t j = 0; j < cell.columns; j++) {
        double value = (double)by_column[j];
        if (sign * value < sign * e->value && posenc_direction_present(d, cell.column + j)) e->value = value;
    }
    if (e->value != before) find_place(d, cell, cosines, e);
}

/* Rows without a direction are zeros: they add nothing to sums, and are left out of the rest. Each element is looked at
 * once, while the cell is in the cache. */
static void look_at_cell(const posenc_directions *d, posenc_cell cell, const float *cosines, band *b) {
    float least[POSENC_CELL], most[POSENC_CELL];
    for (int i = 0; i < POSENC_CELL; i++) least[i] = HUGE_VALF, most[i] = -HUGE_VALF;
    for (int64_t i = 0; i < cell.rows; i++) {
        int64_t j = first_column(cell, i);
        if (j >= cell.columns || !posenc_direction_present(d, cell.row + i)) continue;
        d->kernels->tally(cosines + i * POSENC_CELL + j, (size_t)(cell.columns - j), b->sums + POSENC_CELL - 1 - i + j,
                          least + j, most + j);
    }
    improve(d, cell, cosines, least, 1, &b->least);
    improve(d, cell, cosines, most, -1, &b->most);
}

static int64_t cell_extent(const posenc_directions *d, int64_t first) {
    return d->rows - first < POSENC_CELL ? d->rows - first : POSENC_CELL;
}

static void walk_band(const walk *w, int64_t k, float *cosines) {
    const posenc_directions *d = w->d;
    for (int64_t row = 0; row + k * POSENC_CELL < d->rows; row += POSENC_CELL) {
        int64_t column = row + k * POSENC_CELL;
        posenc_cell cell = {row, cell_extent(d, row), column, cell_extent(d, column)};
        posenc_directions_multiply(d, cell, cosines, POSENC_CELL);
        look_at_cell(d, cell, cosines, &w->bands[k]);
    }
}

/* The longest band goes with the shortest, the next with the last but one: every two have the same number of cells. */
static void walk_bands(void *argument, int slice) {
    const walk *w = argument;
    float *cosines = w->cells + (int64_t)slice * CELL_ELEMENTS;
    for (int64_t k = slice; k < (w->n_bands + 1) / 2; k += w->n_slices) {
        walk_band(w, k, cosines);
        if (k != w->n_bands - 1 - k) walk_band(w, w->n_bands - 1 - k, cosines);
    }
}

/* Adds the two bands that have pairs at a distance >= 1, and may divide by their number. */
static double sum_at(const walk *w, int64_t distance) {
    int64_t k = distance / POSENC_CELL, i = distance % POSENC_CELL + POSENC_CELL - 1;
    double sum = w->bands[k].sums[i];
    if (i >= POSENC_CELL && k + 1 < w->n_bands) sum += w->bands[k + 1].sums[i - POSENC_CELL];
    return sum;
}

/* Whether a is less than b (sign 1) or more (sign -1), or equal and earlier. */
static bool comes_first(const extreme *a, const extreme *b, double sign) {
    if (a->value != b->value) return sign * a->value < sign * b->value;
    return a->at[0] != b->at[0] ? a->at[0] < b->at[0] : a->at[1] < b->at[1];
}

static void report_extremes(const walk *w, posenc_similarity_report *report) {
    extreme least = no_least, most = no_most;
    for (int64_t k = 0; k < w->n_bands; k++) {
        if (comes_first(&w->bands[k].least, &least, 1)) least = w->bands[k].least;
        if (comes_first(&w->bands[k].most, &most, -1)) most = w->bands[k].most;
    }
    report->minimum = least.at[0] < 0 ? not_a_number : least.value;
    report->maximum = most.at[0] < 0 ? not_a_number : most.value;
    memcpy(report->minimum_at, least.at, sizeof least.at);
    memcpy(report->maximum_at, most.at, sizeof most.at);
}

static double mean_of(double sum, int64_t n) { return n > 0 ? sum / (double)n : not_a_number; }

static void report_means(const walk *w, double *by_distance, posenc_similarity_report *report) {
    const posenc_directions *d = w->d;
    double total = 0;
    int64_t n_total = 0;
    report->neighbours = not_a_number;
    if (by_distance && d->rows > 0) by_distance[0] = d->n_present > 0 ? 1 : not_a_number;
    for (int64_t distance = 1; distance < d->rows; distance++) {
        int64_t n = posenc_directions_pairs(d, distance);
        double sum = sum_at(w, distance), mean = mean_of(sum, n);
        total += sum;
        n_total += n;
        if (distance == 1) report->neighbours = mean;
        if (by_distance) by_distance[distance] = mean;
    }
    report->mean = mean_of(total, n_total);
}

static void start_bands(walk *w) {
    memset(w->bands, 0, (size_t)w->n_bands * sizeof *w->bands);
    for (int64_t k = 0; k < w->n_bands; k++) w->bands[k].least = no_least, w->bands[k].most = no_most;
}

static posenc_status walk_all(walk *w, posenc_error *error) {
    const posenc_context *context = w->d->context;
    size_t band_bytes = (size_t)w->n_bands * sizeof *w->bands; /* 16 for each row, which fits beside the rows */
    size_t cell_bytes = (size_t)w->n_slices * CELL_ELEMENTS * sizeof *w->cells;
    w->bands = posenc_allocate(context, band_bytes);
    if (!w->bands) return posenc_fail_memory(error, "similarity", band_bytes);
    w->cells = posenc_allocate(context, cell_bytes);
    if (!w->cells) return posenc_fail_memory(error, "similarity", cell_bytes);
    start_bands(w);
    posenc_parallel(context, w->n_slices, walk_bands, w);
    return POSENC_OK;
}

posenc_status posenc_similarity_summary(const posenc_similarity *similarity, double *by_distance,
                                        posenc_similarity_report *report, posenc_error *error) {
    if (!similarity) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "similarity", "expected an object, got NULL");
    if (!report) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "report", "expected a report, got NULL");
    posenc_similarity_report all;
    size_t size = report->size;
    posenc_status status = posenc_options_read(report, &all, sizeof all, "report.size", error);
    if (status != POSENC_OK) return status;
    const posenc_directions *d = &similarity->directions;
    walk w = {d, (d->rows + POSENC_CELL - 1) / POSENC_CELL, NULL, NULL,
              posenc_product_slices(d->context, d->rows, d->rows / 2, d->dim)};
    all = (posenc_similarity_report){
        .size = size, .length = d->rows, .dim = d->dim, .without_direction = d->rows - d->n_present};
    status = walk_all(&w, error);
    if (status == POSENC_OK) {
        posenc_fpenv saved = posenc_fpenv_enter();
        report_extremes(&w, &all);
        report_means(&w, by_distance, &all);
        posenc_fpenv_leave(saved);
        posenc_options_write(report, size, &all, sizeof all);
    }
    posenc_release(d->context, w.cells);
    posenc_release(d->context, w.bands);
    return status;
}
